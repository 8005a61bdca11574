"""The functions of one compiled model, each translated once per kind of arguments and mode."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping
from typing import Any

from ...core.layout import WORD_BITS
from .code_size import CodeSize
from .constants import Constants
from .function import Compiled, Intrinsic, Mode
from .points import Points
from .sources import plain_tree
from .state_refs import StateRefs
from .translate import Translation
from .values import (
    MACHINE,
    PLAIN,
    Constant,
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

MISTAKES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""The errors of Python if a value that is known while translating does not fit its use.

The model may never get there; the interpreted engine finds out whether it does.
"""

SHAPES = {"None": "void", "bool": "i1", "int": "i64"}


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
    known
        What is known of the model beside its syntax trees.
    points
        The points of its branches: see :class:`points.Points`.
    sizes
        The sizes of its functions: see :class:`code_size.CodeSize`.
    """

    translation: type[Translation] = Translation

    def __init__(
        self,
        places: StateRefs,
        intrinsics: Mapping[Any, Intrinsic],
        prefix: str = "",
        known: Constants | None = None,
        points: Points | None = None,
        sizes: CodeSize | None = None,
    ) -> None:
        self.sizes = CodeSize() if sizes is None else sizes
        self.points = Points(WORD_BITS) if points is None else points
        self.places = places
        self.intrinsics = intrinsics
        self.prefix = prefix
        self.known = Constants() if known is None else known
        self.bodies: list[str] = []
        self._known: dict[object, Compiled] = {}
        self._kept: list[object] = []
        self._begun: list[object] = []

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
        if key in self._begun:
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
        where = getattr(function, "__qualname__", repr(function))
        try:
            if type(function) is not types.FunctionType:
                raise UnsupportedError(f"{function!r}, which is no plain function,")
            tree = plain_tree(function)
            returns, count = self._shape(function, tree, mode)
            # Neither generated names nor LLVM's reserved ones contain a dollar.
            name = f"{self.prefix}{function.__name__}${len(self._kept)}"
            own = function.__globals__.get("ARITHMETIC") is MACHINE
            compiled = Compiled(name, returns, count, own)
            translation = self.translation(self, function, tree, arguments, compiled, mode, pure)
            where = translation.where()
            self.bodies.append(translation.text())
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
        valued = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(tree))
        text = self.known.ask("returns", function) or ("int" if valued else "None")
        if text.startswith("tuple[") and set(text[6:-1].split(", ")) == {"int"}:
            count = text.count(",") + 1
            if count == 1:
                raise UnsupportedError(f"{function.__name__} returns a tuple of one")
            return f"{{{', '.join(['i64'] * count)}}}", count
        if text.isidentifier() and text not in SHAPES:
            text = "int" if self.known.ask("enumerates", function, text) else text
        if text not in SHAPES:
            raise UnsupportedError(f"{function.__name__} returns {text}: not int, bool or None")
        return SHAPES[text], 0 if text == "None" else 1

    def lookup(self, function: Callable[..., Any], name: str) -> Value:
        """Return the value of a name that is not local to a function."""
        return Constant(self.known.ask("name", function, name))


def _kind(argument: Value) -> object:
    """Return a key that is equal for arguments which can share a translation."""
    if isinstance(argument, Constant):
        which = type(argument.value)
        return ("static", which, argument.value if which in PLAIN else id(argument.value))
    if isinstance(argument, StateRef):
        return ("place", argument.form, tuple(_kind(index) for index in argument.indices))
    if isinstance(argument, Made):
        return ("made", id(argument.kind), argument.paths, tuple(map(_kind, argument.values)))
    if isinstance(argument, (Items, Method, Span, Elements)):
        kinds = {Items: "a tuple", Method: "a method"}
        what = kinds.get(type(argument), "a slice of a sequence")
        raise UnsupportedError(f"{what} cannot be passed on")
    truth_only = getattr(argument, "truth_only", "")
    return (type(argument).__name__, span(argument), kind_of(argument), truth_only)
