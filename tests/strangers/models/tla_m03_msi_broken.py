"""(broken) An MSI cache with a bus: single writer or many readers, and a load returns the last stored value.

With `skip_invalidate` a store leaves one other cache valid.
"""
from dataclasses import dataclass
from enum import IntEnum, auto

from tidegate import Model, Record, array, enumeration, integer, number, switch, boolean


class Line(IntEnum):
    I = 0
    S = auto()
    M = auto()

    @property
    def readable(self):
        return self in (Line.S, Line.M)


@dataclass(frozen=True)
class Bounds:
    caches: int = number(3, 1, 5, "caches")
    values: int = number(2, 1, 3, "values")
    skip_invalidate: bool = switch("leave the neighbour valid")


class Cache(Record):
    line: Line = enumeration(Line, "state of the line")
    data: int = integer(0, lambda k: k.values - 1, "its data")

    def drop(self) -> None:
        self.line = Line.I
        self.data = 0


class State(Record):
    cache: list[Cache] = array(lambda k: k.caches, Cache, by="cache")
    memory: int = integer(0, lambda k: k.values - 1, "data in memory")
    latest: int = integer(0, lambda k: k.values - 1, "last stored value (history)")


model = Model(Bounds, State, participants={"cache": lambda k: k.caches})


def others(s, k, cache):
    for i in range(k.caches):
        if i != cache:
            yield i, s.cache[i]


@model.action("cache")
def load(s: State, k: Bounds, cache: int) -> bool:
    """Read miss: the owner writes back and both share."""
    if s.cache[cache].line.readable:
        return False
    for _, other in others(s, k, cache):
        if other.line is Line.M:
            s.memory = other.data
            other.line = Line.S
    s.cache[cache].line = Line.S
    s.cache[cache].data = s.memory
    return True


@model.action("cache", value=lambda k: range(k.values))
def store(s: State, k: Bounds, cache: int, value: int) -> bool:
    """Get the line exclusively and write."""
    mine = s.cache[cache]
    for i, other in others(s, k, cache):
        if k.skip_invalidate and i == (cache + 1) % k.caches:
            continue
        if other.line == Line.M:
            s.memory = other.data
        other.drop()
    mine.line, mine.data = Line.M, value
    s.latest = value
    return True


@model.action("cache")
def evict(s: State, k: Bounds, cache: int) -> bool:
    match s.cache[cache].line:
        case Line.M:
            s.memory = s.cache[cache].data
        case Line.S:
            pass
        case Line.I:
            return False
    s.cache[cache].drop()
    return True


@model.invariant("One writer or many readers.")
def swmr(s: State, k: Bounds) -> bool:
    writers = sum(c.line is Line.M for c in s.cache)
    readers = [c for c in s.cache if c.line is Line.S]
    return writers == 0 or (writers == 1 and not readers)


@model.invariant("Whoever has the line has the latest value.")
def coherent(s: State, k: Bounds) -> bool:
    return not any(c.line.readable and c.data != s.latest for c in s.cache)
# bounds: skip_invalidate=true
# properties: Swmr
# expect: refused 49
