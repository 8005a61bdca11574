"""A translated function, as its callers see it.

The data that the parts of a function's translation share.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import TYPE_CHECKING, Any

from .emitter import FAILURE, MARKS, Emitter, Marking
from .lists import Lists
from .second_names import memories
from .slots import Shape, Slots
from .tables import Tables
from .values import Made, Number, Range, StateRef, Truth, Value, WritingError, common, union

if TYPE_CHECKING:
    from .unit import Unit


class Mode(Enum):
    """Which part of a function is translated: see :mod:`statements`."""

    WHOLE = "whole"
    IS_NONE = "none"
    GUARDS = "guards"
    EFFECT = "effect"


Intrinsic = Callable[[Emitter, list[Value]], Value]
"""Emits an operation that has a name in the search's own code but no body in Python."""


@dataclass(frozen=True)
class Compiled:
    """A translated function: its name in LLVM, its type, and how many values it returns.

    ``ranges`` and ``kinds`` are those of the results at each return.  In a function that returns a
    truth value, ``truth_only`` lists the returns of which only the truth is known.  ``loops`` is
    not empty if it, or what it calls, has a loop or writes, and ``cut`` has the number of the
    statement at which its guards end and its effect begins, if that is the reason; an effect that
    ``asks_guards`` asks all of them again, wherever they end.  ``own`` says that it is one of the
    search's functions, which cannot fail.  ``elements`` are the elements of the marks in which it,
    or what it calls, records the ways it took, and ``reads`` the paths of the variables that it
    reads from their columns.
    """

    name: str
    returns: str
    count: int
    own: bool = False
    asks_guards: bool = False
    ranges: list[tuple[Range, ...]] = field(default_factory=list)
    kinds: list[tuple[type | None, ...]] = field(default_factory=list)
    truth_only: list[str] = field(default_factory=list)
    loops: list[bool] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    elements: set[int] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)

    @property
    def results(self) -> list[Range]:
        """The ranges of its results."""
        if not self.ranges:
            return [None] * self.count
        return [reduce(union, ranges) for ranges in zip(*self.ranges, strict=True)]

    @property
    def result_kinds(self) -> list[type | None]:
        """The types that its results have in Python; None where there may be several."""
        if not self.kinds:
            return [None] * self.count
        return [reduce(common, kinds) for kinds in zip(*self.kinds, strict=True)]

    def passed(self, arguments: list[Value], failure: str = FAILURE) -> list[str]:
        """Return the operands of a call, with their types."""
        own = [] if self.own else [f"ptr {failure}", f"ptr {MARKS}"]
        return [*own, *parameters(arguments)]


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
    """Return the parameters of a function for these arguments, and their values inside it."""
    declared: list[str] = []
    return declared, _received(arguments, declared)


def _received(arguments: Sequence[Value], declared: list[str]) -> list[Value]:
    """Return the values of arguments inside a function, and declare its parameters."""

    def new(kind: str) -> str:
        declared.append(f"{kind} %a{len(declared)}")
        return f"%a{len(declared) - 1}"

    inside: list[Value] = []
    for argument in arguments:
        if isinstance(argument, Number):
            inside.append(Number(new("i64"), argument.range, argument.kind))
        elif isinstance(argument, Truth):
            inside.append(Truth(new("i1"), argument.truth_only, argument.kind))
        elif isinstance(argument, StateRef):
            base = new("ptr")
            indices = tuple(
                Number(new("i64"), i.range, i.kind) if isinstance(i, Number) else i
                for i in argument.indices
            )
            inside.append(StateRef(base, argument.form, indices, argument.sample))
        elif isinstance(argument, Made):
            values = tuple(_received(argument.values, declared))
            inside.append(Made(argument.paths, values, argument.sample))
        else:
            inside.append(argument)
    return inside


@dataclass
class Scope:
    """The function in translation, its names and its instructions.

    Parameters
    ----------
    unit
        The module of the functions.
    function, compiled
        The function, and its translation.
    out, marks
        Its instructions, and the points of its branches.
    pure
        Whether the code must not write to the state, since a guard calls it, or since a
        part of the state that Python has a copy of is still to be read.
    local
        The values of local names that are assigned once.
    assigned
        All local names of the function.
    variables
        Addresses of the local names that are assigned several times.
    hidden
        Names that are a generator's own here, whatever else they are in the function.
    rebound
        Names of lists, sets and dictionaries whose place in memory another assignment overwrites,
        with whether they are also changed where they are.
    expected
        What elements some lists will have, and what some names will stand for that have only None
        at first: see :class:`~.lists.Lists`.
    """

    unit: Unit
    function: Callable[..., Any]
    compiled: Compiled
    out: Emitter
    marks: Marking
    pure: bool
    local: dict[str, Value]
    assigned: Mapping[str, object]
    variables: dict[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    rebound: dict[str, bool] = field(default_factory=dict)
    expected: Mapping[int | str, Shape] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lists = Lists(self.out, self.expected)
        self.slots = Slots(self.out, self.expected)
        self.tables = Tables(self.unit, self.out)
        self.iterated: list[str] = []
        # Names of functions that have returned.
        self.ended: set[str] = set()
        self.assign: Callable[[ast.NamedExpr, Value], None]
        self.write_out: Callable[[Callable[..., Any], ast.FunctionDef, list[Value]], Value]

    def share(self, value: Value, what: str, name: str = "", copy: Value | None = None) -> None:
        """Note that a list is copied to a name, if something else has it, too.

        Parameters
        ----------
        what
            What has the copy.
        """
        others = {one for one in self.local if not one.endswith("?")} - self.ended - {name}
        named = {memory for one in others for memory in memories(self.local[one])}
        second_names = self.lists.second_names
        shared = [one for one in memories(value) if one in named or second_names.is_copied(one)]
        for memory in [*shared, *(memories(copy) if shared else ())]:
            second_names.copy(memory, what)

    def new_name(self, hint: str) -> str:
        """Return a name that no function can have, for a value of the translator's own."""
        return f"{self.out.label(hint)}?"

    @contextmanager
    def iterating(self, forms: Iterable[str]) -> Iterator[None]:
        """Note which parts of the state a loop in this block goes over."""
        before = len(self.iterated)
        self.iterated += forms
        try:
            yield
        finally:
            del self.iterated[before:]

    @contextmanager
    def reading(self, only: bool = True) -> Iterator[None]:
        """Refuse what writes to the state in this block, if that is not refused anyway."""
        pure = self.pure
        self.pure = pure or only
        try:
            yield
        finally:
            self.pure = pure

    def write(self, what: str) -> None:
        """Note that the function writes; like a loop, that has no vector instruction.

        Raises
        ------
        WritingError
            If it must not.
        """
        if self.pure:
            raise WritingError(f"{what} where only reading is allowed")
        self.out.loops.append(True)
