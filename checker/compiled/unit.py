"""The functions of one compiled model, each translated once per kind of arguments and mode.

Bounds the size of machine code: what is too large is not copied to where it is called.

LLVM takes time in proportion to the instructions that it optimises, and more for a long function.
Small functions are copied to their callers, since that makes fast code; but a function that writes
to a sequence of 24 records has 60,000 instructions, and 24 instances of an action call it.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, EnumType
from functools import cached_property
from typing import Any

from ...core.errors import printed
from ...core.layout import WORD_BITS
from ...core.sources import nodes_of
from ...language.lowering.lower import Lowering
from ...language.names import MISSING, looked_up
from ...language.schema import Schema
from .element_names import with_elements_in_place
from .emission.entries import Entries
from .emitter import Points
from .function import Compiled, Intrinsic, Mode
from .slots import Shape
from .state_refs import StateRefs
from .statements import Translation
from .syntax import plain_tree
from .values import (
    MACHINE,
    MISTAKES,
    PLAIN,
    Constant,
    Dictionary,
    Elements,
    Items,
    Made,
    Method,
    Span,
    StateRef,
    UnsupportedError,
    Value,
    kind_of,
    span,
)


def _returns(function: Callable[..., Any]) -> str | None:
    """Return the return annotation of a function, as text; None if it has none."""
    if "return" not in function.__annotations__:
        return None
    declared = function.__annotations__["return"]
    named = declared is int or declared is bool or isinstance(declared, EnumType)
    return declared.__name__ if named else str(declared)


def _enumerates(function: Any, name: str) -> bool:
    """Whether a name in a function is that of an enumeration whose members are numbers."""
    value = looked_up(function, name)
    return isinstance(value, type) and issubclass(value, Enum) and issubclass(value, int)


CALL = re.compile(r"(?<= call ).*?@\"([^\"]+)\"")

INLINED = 200_000
"""Instructions of all instances together, as far as copies make them longer."""

LEAST, MOST = 300, 4_000
"""Instructions of a function, with the copies in it, up to which it is copied: always; at most.

A function that has more than the latter of its own is not optimised either.
"""


class CodeSize:
    """The sizes of a module's functions.

    Parameters
    ----------
    instances
        How many instances of actions it is made for.
    """

    def __init__(self, instances: int = 1) -> None:
        self._most = min(max(INLINED // max(instances, 1), LEAST), MOST)
        self._inlined: dict[str, int] = {}

    def attributes(self, name: str, lines: Iterable[str]) -> str:
        """Return LLVM's attributes for a function whose callees are known."""
        own, copied = 0, 0
        for line in lines:
            own += 1
            if called := CALL.search(line):
                copied += self._inlined.get(called[1], 0)
        if own > MOST:
            return "noinline optnone"
        if own + copied > self._most:
            return "noinline"
        self._inlined[name] = own + copied
        return "alwaysinline"


SHAPES = {"None": "void", "bool": "i1", "int": "i64"}


MOST_READINGS = 4
"""How often a function is translated, each time with more of what loops read early."""


class Unit:
    """A growing module of LLVM functions.

    Parameters
    ----------
    places
        The positions of the state's variables.
    intrinsics
        Functions that are emitted in place, by the Python function that represents them.
    prefix
        The prefix of the functions' names, if a module has more than one unit.
    points
        The points of its branches: see :class:`points.Points`.
    sizes
        The sizes of its functions: see :class:`CodeSize`.
    asserts
        Whether an assertion of a user's that fails is a verdict.
    """

    translation: type[Translation] = Translation

    def __init__(
        self,
        places: StateRefs,
        intrinsics: Mapping[Any, Intrinsic],
        prefix: str = "",
        points: Points | None = None,
        sizes: CodeSize | None = None,
        asserts: bool = False,
    ) -> None:
        self.asserts = asserts
        self.sizes = CodeSize() if sizes is None else sizes
        self.points = Points(WORD_BITS) if points is None else points
        self.places = places
        self.intrinsics = intrinsics
        self.prefix = prefix
        self.bodies: list[str] = []
        self._known: dict[object, Compiled] = {}
        self._kept: list[object] = []
        self._tables: dict[tuple[int, ...], str] = {}
        self._begun: list[tuple[object, ...]] = []
        self._in_place: dict[types.FunctionType, ast.FunctionDef | None] = {}

    @property
    def is_within(self) -> bool:
        """Whether a function is translated that another one calls."""
        return len(self._begun) > 1

    def function(
        self,
        function: Callable[..., Any],
        arguments: list[Value],
        mode: Mode = Mode.WHOLE,
        pure: bool = False,
    ) -> Compiled:
        """Return the translation of a function for arguments of this kind.

        Parameters
        ----------
        pure
            Whether it must not write to the state, since a guard calls it.
        """
        key = (id(function), mode, pure, *(_kind(argument) for argument in arguments))
        if any(begun[0] == key[0] for begun in self._begun):
            raise UnsupportedError(f"{function.__name__}, which calls itself,")
        if key not in self._known:
            # Keys identify objects by address, so these must stay alive.
            self._kept.append((function, arguments))
            self._begun.append(key)
            try:
                self._known[key] = self._translate(function, arguments, mode, pure)
            finally:
                self._begun.remove(key)
        return self._known[key]

    def _translate(
        self, function: Callable[..., Any], arguments: list[Value], mode: Mode, pure: bool
    ) -> Compiled:
        if type(function) is not types.FunctionType:
            raise UnsupportedError(f"{printed(function)}, which is not a plain function,")
        is_rule = not self.is_within and function.__globals__.get("ARITHMETIC") is not MACHINE
        if is_rule and self.from_form is not False:
            try:
                return self.entries.entry(function, arguments, mode, pure)
            except Exception:
                # As long as both are there, nothing that goes wrong in the form ends a search.
                if self.from_form:
                    raise
        return self._from_tree(function, arguments, mode, pure)

    from_form: bool | None = None
    """Whether all rules come from the typed form, or none; None for all that it has code for."""

    @cached_property
    def entries(self) -> Entries:
        """The rules that come from the typed form."""
        return Entries(self, self.lowering)

    @cached_property
    def lowering(self) -> Lowering:
        """What lowers these rules; units of one layout may share it, and what it has lowered."""
        return Lowering(Schema(self.places.layout))

    def _from_tree(
        self, function: types.FunctionType, arguments: list[Value], mode: Mode, pure: bool
    ) -> Compiled:
        """Return the translation of a function's syntax tree."""
        failed = None
        for tree in self.trees(function, pure or mode is Mode.GUARDS):
            try:
                return self._of_tree(function, tree, arguments, mode, pure)
            except UnsupportedError as error:
                failed = failed or error
        assert failed is not None
        raise failed

    def trees(self, function: types.FunctionType, reads: bool) -> Iterator[ast.FunctionDef]:
        """Yield syntax trees of a function, of which the first one is translated that can be.

        A function may write through names for elements, and only their types say what are elements.

        Parameters
        ----------
        reads
            Whether it must only read.
        """
        try:
            tree = plain_tree(function, keywords=True)
        except UnsupportedError as error:
            raise type(error)(f"{error} (in {function.__qualname__})") from None
        yield tree
        if reads:
            return
        if function not in self._in_place:
            # An action has the same one for all of its instances.
            rewritten = with_elements_in_place(tree, function.__globals__)
            self._in_place[function] = rewritten
        in_place = self._in_place[function]
        if in_place is not None:
            yield in_place

    def _of_tree(
        self,
        function: types.FunctionType,
        tree: ast.FunctionDef,
        arguments: list[Value],
        mode: Mode,
        pure: bool,
    ) -> Compiled:
        code = function.__code__
        where = f"{function.__name__}, {code.co_filename}:{code.co_firstlineno}"
        try:
            returns, count = self._shape(function, tree, mode)
            # Neither generated names nor LLVM's reserved ones contain a dollar.
            name = f"{self.prefix}{function.__name__}${len(self._kept)}"
            own = function.__globals__.get("ARITHMETIC") is MACHINE
            expected: dict[int | str, Shape] = {}
            for _ in range(MOST_READINGS):
                compiled = Compiled(name, returns, count, own)
                translation = self.translation(
                    self, function, tree, arguments, compiled, mode, pure, expected
                )
                where = translation.where()
                text = translation.text()
                early = translation.scope.lists.early | translation.scope.slots.early
                if early.keys() <= expected.keys():
                    break
                # A loop reads what a later statement of it adds to a list, or gives a name.
                expected |= early
            else:
                raise UnsupportedError("a list that is read before what it has is known")
            self.bodies.append(text)
        except UnsupportedError as error:
            if " (in " in str(error):
                raise
            raise type(error)(f"{error} (in {where})") from None
        except MISTAKES as error:
            why = f"{type(error).__name__}: {error}"
            raise UnsupportedError(
                f"what cannot be computed while translating: {why} (in {where})"
            ) from None
        return compiled

    def _shape(
        self, function: Callable[..., Any], tree: ast.FunctionDef, mode: Mode
    ) -> tuple[str, int]:
        """Return the LLVM type of what a function returns, and how many values that is."""
        if mode is not Mode.WHOLE:
            return "i1", 1
        valued = any(isinstance(n, ast.Return) and n.value is not None for n in nodes_of(tree))
        text = _returns(function) or ("int" if valued else "None")
        if text.startswith("tuple[") and set(text[6:-1].split(", ")) == {"int"}:
            count = text.count(",") + 1
            if count == 1:
                raise UnsupportedError(f"{function.__name__} returns a tuple of one")
            return f"{{{', '.join(['i64'] * count)}}}", count
        if text.isidentifier() and text not in SHAPES:
            text = "int" if _enumerates(function, text) else text
        if text not in SHAPES:
            raise UnsupportedError(f"{function.__name__} returns {text}: not int, bool or None")
        return SHAPES[text], 0 if text == "None" else 1

    def table(self, numbers: Sequence[int]) -> str:
        """Return the name of a constant array of numbers."""
        key = tuple(numbers)
        if key not in self._tables:
            self._tables[key] = f'@"{self.prefix}table${len(self._tables)}"'
            items = ", ".join(f"i64 {number}" for number in key)
            head = f"{self._tables[key]} = private unnamed_addr constant"
            self.bodies.append(f"{head} [{len(key)} x i64] [{items}]")
        return self._tables[key]

    def lookup(self, function: Callable[..., Any], name: str) -> Value:
        """Return the value of a name that is not local to a function."""
        value = looked_up(function, name)
        if value is MISSING:
            raise UnsupportedError(f"{function.__name__} uses {name}, which is not known")
        return Constant(value)


def _kind(argument: Value) -> object:
    """Return a key that is equal for arguments which can share a translation."""
    if isinstance(argument, Constant):
        which = type(argument.value)
        return ("static", which, argument.value if which in PLAIN else id(argument.value))
    if isinstance(argument, StateRef):
        return ("place", argument.form, tuple(_kind(index) for index in argument.indices))
    if isinstance(argument, Made):
        return ("made", id(argument.kind), argument.paths, tuple(map(_kind, argument.values)))
    if isinstance(argument, (Items, Dictionary, Method, Span, Elements)):
        kinds = {Items: "a tuple", Dictionary: "a dictionary", Method: "a method"}
        what = kinds.get(type(argument), "a slice of a sequence")
        raise UnsupportedError(f"{what} cannot be passed on")
    truth_only = getattr(argument, "truth_only", "")
    return (type(argument).__name__, span(argument), kind_of(argument), truth_only)
