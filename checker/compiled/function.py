"""One translated function, and what another function has to know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Any, Protocol

from .emitter import FAILURE, Emitter
from .points import MARKS, Points
from .reads import Reads
from .state_refs import StateRefs
from .values import Made, Number, Range, StateRef, Truth, Value, union


class Mode(Enum):
    """What is wanted of a function: see :mod:`translate`."""

    WHOLE = "whole"
    IS_NONE = "none"
    GUARDS = "guards"
    EFFECT = "effect"


Intrinsic = Callable[[Emitter, list[Value]], Value]
"""Emits an operation that has a name in the search's own code but no body in Python."""


@dataclass(frozen=True)
class Compiled:
    """A translated function: its name in LLVM, its type, and how many values it returns.

    ``ranges`` are those of the results at each of its ends.  ``truth_only`` says of which of them,
    in a function that returns a truth value, only the truth is known.  ``loops`` has an element if
    there is a loop in it or in what it calls, and ``cut`` the number of the statement before which
    its guards end and its effect begins, if that is because of a loop.  ``own`` says that it is one
    of the search's, which cannot fail.  ``elements`` are those of the marks in which it, or what it
    calls, notes which way it took, and ``reads`` the paths of the variables that it reads from
    their columns.
    """

    name: str
    returns: str
    count: int
    own: bool = False
    ranges: list[tuple[Range, ...]] = field(default_factory=list)
    truth_only: list[str] = field(default_factory=list)
    loops: list[bool] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    elements: set[int] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)

    @property
    def results(self) -> list[Range]:
        """The ranges of what it returns."""
        if not self.ranges:
            return [None] * self.count
        return [reduce(union, ranges) for ranges in zip(*self.ranges, strict=True)]

    def passed(self, arguments: list[Value], failure: str = FAILURE) -> list[str]:
        """Return the operands of a call, with their types."""
        own = [] if self.own else [f"ptr {failure}", f"ptr {MARKS}"]
        return [*own, *parameters(arguments)]


class Functions(Protocol):
    """The functions of one module, for one of them that calls others: see :class:`unit.Unit`."""

    points: Points
    places: StateRefs
    intrinsics: Mapping[Any, Intrinsic]
    reads: Reads

    def function(
        self,
        function: Callable[..., Any],
        arguments: list[Value],
        mode: Mode = Mode.WHOLE,
        pure: bool = False,
    ) -> Compiled:
        """Return the translation of a function for arguments of this kind."""

    def lookup(self, function: Callable[..., Any], name: str) -> Value:
        """Return the value of a name that is not local to a function."""


def parameters(arguments: list[Value]) -> list[str]:
    """Return the operands that a call passes, with their types."""
    passed = []
    for argument in arguments:
        if isinstance(argument, Number):
            passed.append(f"i64 {argument.register}")
        elif isinstance(argument, Truth):
            passed.append(f"i1 {argument.register}")
        elif isinstance(argument, StateRef):
            passed.append(f"ptr {argument.base}")
            passed += [f"i64 {i.register}" for i in argument.indices if isinstance(i, Number)]
        elif isinstance(argument, Made):
            passed += parameters(list(argument.values))
    return passed


def received(arguments: list[Value]) -> tuple[list[str], list[Value]]:
    """Return the parameters of a function for such arguments, and what they are within it."""
    declared: list[str] = []
    return declared, _received(arguments, declared)


def _received(arguments: Sequence[Value], declared: list[str]) -> list[Value]:
    """Return what arguments are within a function, and declare its parameters."""

    def new(kind: str) -> str:
        declared.append(f"{kind} %a{len(declared)}")
        return f"%a{len(declared) - 1}"

    inside: list[Value] = []
    for argument in arguments:
        if isinstance(argument, Number):
            inside.append(Number(new("i64"), argument.range))
        elif isinstance(argument, Truth):
            inside.append(Truth(new("i1"), argument.truth_only))
        elif isinstance(argument, StateRef):
            base = new("ptr")
            indices = tuple(
                Number(new("i64"), i.range) if isinstance(i, Number) else i
                for i in argument.indices
            )
            inside.append(StateRef(base, argument.form, indices, argument.sample))
        elif isinstance(argument, Made):
            inside.append(Made(argument.paths, tuple(_received(argument.values, declared))))
        else:
            inside.append(argument)
    return inside
