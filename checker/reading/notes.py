"""What a reading of a function notes."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.errors import Line
from .values import Value


@dataclass(frozen=True)
class Objection:
    """Something that the model must not do, with its line."""

    line: Line
    text: str


@dataclass(frozen=True)
class Effect:
    """A write to the state.

    ``history`` says that the variable is history, and ``depends`` that the write depends on some.
    """

    line: Line
    history: bool
    depends: bool


@dataclass(frozen=True)
class Answer:
    """What a function may return, with the line; ``falls`` if it ends there without a return."""

    value: Value
    line: Line
    falls: bool = False
