"""Pure idioms of the standard library, all of modules on the list: each refused by itself.
"""

from dataclasses import dataclass
from contextlib import contextmanager
from functools import singledispatch
from itertools import chain

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


@singledispatch
def size(x) -> int:
    return 1


@size.register
def _(x: tuple) -> int:
    return sum(size(y) for y in x)


@contextmanager
def scratch(n: int):
    yield [n]


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Flattening.")
def flat(s: State, k: Bounds) -> bool:
    return sum(chain.from_iterable([[1], [2, s.sent]])) == 3 + s.sent


@model.invariant("A table from keys.")
def keys(s: State, k: Bounds) -> bool:
    return dict.fromkeys(range(3), 0)[1] == 0


@model.invariant("Bytes.")
def octets(s: State, k: Bounds) -> bool:
    return int.from_bytes(bytes([s.sent]), "big") == s.sent


@model.invariant("Dispatch on the type.")
def sized(s: State, k: Bounds) -> bool:
    return size((s.sent, (1, 2))) == 3


@model.invariant("A context.")
def context(s: State, k: Bounds) -> bool:
    with scratch(s.sent) as numbers:
        numbers.append(1)
    return len(numbers) == 2
# expect: refused 55
