"""A write-back cache in LRU order over a store; reads see the last write.

The cache is a sequence of lines, most recently used first. Helper functions return several values, use try/except and next().
"""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, boolean, integer, number, sequence_of, switch


@dataclass(frozen=True)
class Bounds:
    keys: int = number(3, 1, 4, "keys", main=True)
    lines: int = number(2, 1, 3, "lines of the cache", main=True)
    forget: bool = switch("an evicted line is not written back")


class Line(Record):
    key: int = integer(0, lambda k: k.keys - 1, "key")
    value: int = integer(0, 1, "value")
    dirty: bool = boolean("whether it is newer than the store")


class State(Record):
    cache: Seq[Line] = sequence_of(Line, lambda k: k.lines, "lines, newest first")
    store: list[int] = array(lambda k: k.keys, integer(0, 1, "value in the store"))
    truth: list[int] = array(lambda k: k.keys, integer(0, 1, "what was written last"))


model = Model(Bounds, State)


def find(s: State, key: int) -> int | None:
    return next((i for i, line in enumerate(s.cache) if line.key == key), None)


def position(s: State, key: int) -> int:
    try:
        return [line.key for line in s.cache].index(key)
    except ValueError:
        return -1


def make_room(s: State, k: Bounds) -> None:
    if len(s.cache) < k.lines:
        return
    victim = s.cache.pop()
    if victim.dirty and not k.forget:
        s.store[victim.key] = victim.value


def to_front(s: State, line: Line) -> None:
    s.cache[:] = [line, *s.cache]


@model.action("client", key=lambda k: range(k.keys), value=lambda k: range(2))
def write(s: State, k: Bounds, key: int, value: int) -> bool:
    """Write to the cache."""
    at = find(s, key)
    if at is not None:
        del s.cache[at]
    else:
        make_room(s, k)
    to_front(s, Line(key=key, value=value, dirty=True))
    s.truth[key] = value
    return True


@model.action("client", key=lambda k: range(k.keys))
def read(s: State, k: Bounds, key: int) -> bool:
    """Bring the line to the front."""
    if (at := position(s, key)) == 0:
        return False
    if at < 0:
        make_room(s, k)
        line = Line(key=key, value=s.store[key], dirty=False)
    else:
        line = s.cache[at]
        del s.cache[at]
    to_front(s, line)
    return True


@model.invariant("What is read is what was written.")
def coherent(s: State, k: Bounds) -> bool:
    def seen(key: int) -> int:
        at = find(s, key)
        return s.store[key] if at is None else s.cache[at].value

    return [seen(key) for key in range(k.keys)] == list(s.truth)


@model.invariant("A key has one line.")
def unique(s: State, k: Bounds) -> bool:
    return len({line.key for line in s.cache}) == len(s.cache)
# bounds: forget=true
# expect: refused 37
