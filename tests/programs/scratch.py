"""The state and the constants that random programs are about."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from tidegate.core.containers import Seq, Set, sequence_of, set_of
from tidegate.core.fields import Record, array, boolean, integer, nested, subset
from tidegate.core.layout import Layout, State


class Part(Record):
    """An element of an array of records."""

    low: int = integer(-1, 5, "may be nothing")
    fixed: int = integer(4, 4, "always 4")
    row: list[int] = array(2, integer(0, 2, "a counter"))


class Pair(Record):
    """An element of a sequence of records, which programs can make."""

    one: int = integer(0, 3, "a number")
    other: int = integer(-2, 60, "another one")


class Scratch(Record):
    """Some of every kind of variable; arrays lie at regular distances, and across words."""

    a: int = integer(-1, 5, "may be nothing")
    b: int = integer(0, 200, "eight bits")
    flag: bool = boolean("a flag")
    cell: list[int] = array(3, integer(0, 2, "a counter"))
    part: list[Part] = array(3, Part)
    some: int = subset(3, "a set")
    wide: int = integer(-(1 << 40), 1 << 40, "many bits")
    dozen: int = integer(0, 3000, "twelve bits")
    more: list[int] = array(2, integer(-5, 100_000, "seventeen bits"))
    top: int = integer(0, (1 << 63) - 1, "63 bits")
    full: int = integer(-(1 << 63), (1 << 63) - 1, "64 bits")
    one: list[int] = array(1, integer(-1, 3, "an array of one"))
    odd: list[int] = array(5, integer(0, 8_000_000, "23 bits, which fit a word twice"))
    queue: Seq = sequence_of(integer(-3, 9, "an element"), 4, "a sequence")
    chosen: Set = set_of(5, "a set of five numbers")
    pairs: Seq[Pair] = sequence_of(Pair, 3, "a sequence of records")
    parts: Seq[Part] = sequence_of(Part, 2, "a sequence of records with arrays")
    spare: Pair = nested(Pair)
    none: list[int] = array(0, integer(0, 1, "an array without elements"))


@dataclass(frozen=True)
class Constants:
    """What programs know as ``k``."""

    zero: int = 0
    one: int = 1
    few: int = 3
    minus: int = -2
    big: int = 1 << 40
    edge: int = (1 << 63) - 1
    least: int = -(1 << 63)
    yes: bool = True
    no: bool = False
    pair: tuple[int, int] = (1, 3)
    table: tuple[tuple[int, int], ...] = ((0, 1), (2, 3))


LAYOUT: Layout[Any] = Layout(Scratch, None)
CONSTANTS = Constants()
WORDS = LAYOUT.words


def random_state(random: Random) -> State:
    """Return a random stored state: each variable at or beside an end, near 0, or anywhere."""
    values = []
    for variable in LAYOUT.stored:
        most = variable.high - variable.low
        beside = min(most, random.randrange(1, 4))
        near = min(most, max(0, random.randrange(-2, 4) - min(variable.low, 0)))
        anywhere = random.randint(0, most)
        some = (0, most, beside, most - beside, near, near, anywhere, anywhere)
        values.append(random.choice(some))
    return tuple(values)
