"""Votes in a Counter that was made of a set of names; most_common breaks ties by the order of insertion.

That is the order of hashes: the verdict differs with PYTHONHASHSEED; list(set) is refused here, Counter(set) is not.
"""

from dataclasses import dataclass
from collections import Counter

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most", main=True)


class State(Record):
    sent: int = integer(0, 9, "requests sent")


model = Model(Bounds, State, deadlock=False)


def leader(voters: int) -> str:
    votes = {"ann", "bob", "cyd"}
    return Counter(votes).most_common(1)[0][0]  # here


@model.action("client")
def send(s: State, k: Bounds) -> bool:
    """Send a request."""
    if s.sent == k.most:
        return False
    s.sent += 1
    return True


@model.invariant("Ann leads.")
def ann(s: State, k: Bounds) -> bool:
    return leader(s.sent) == "ann"
# expect: refused 26
