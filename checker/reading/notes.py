"""What a reading of a function notes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ...core.errors import Line
from .values import Value

CLOCK, CHANCE, ADDRESS = "reads a clock", "is random", "an address in memory"
ANEW = "differs from process to process"

VARIES = CLOCK, CHANCE, ADDRESS, ANEW
"""What makes a variable of a module another one in the next run, in the words of an objection.

A file or the environment may be read while a module is imported: that is how a model is set up.
"""

_OF_A_SET = f"the order of a set whose members are not numbers {ANEW}"

ORDER = f"{_OF_A_SET}; use sorted(...), or a tuple"
TIES = (
    "members of a set that are equal by this order, or have none, come in the order of the set, "
    f"which {ANEW}; use a key that tells all of them apart"
)
LOST = f"{_OF_A_SET}, and is lost from sight here; use sorted(...), or a tuple"

EVERYTHING = (
    "catches every error, also those that Python would not have, as that of a full sequence; name "
    "the errors that you expect, IndexError, KeyError, ValueError"
)

STATE = "a model may write its state only"

SKIPPED = "python -O skips this assertion, so that another model would be searched; leave out -O"


class Part(Enum):
    """What a function that is read is for."""

    RULE = "it is called in the search, so it is in the language"
    OTHER = "it is called before the search, or perhaps never"


@dataclass(frozen=True)
class Objection:
    """Something that the model must not do, with its line."""

    line: Line
    text: str


@dataclass(frozen=True)
class Effect:
    """A write to the state.

    ``history`` says that the variable is history, and ``depends`` that the write depends on some.
    ``replaces`` are the declarations of an array's elements one of which is replaced.
    """

    line: Line
    history: bool
    depends: bool
    replaces: tuple[object, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a function may return, with the line; ``falls`` if it ends there without a return."""

    value: Value
    line: Line
    falls: bool = False
