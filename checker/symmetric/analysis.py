"""Analyses the functions of a model, each once for every kind of arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from inspect import getdoc
from types import FunctionType
from typing import Any

from ...core.errors import shown
from ...core.sources import original_of
from ..compiled.syntax import plain_tree
from ..compiled.values import UnsupportedError
from ..result import Declared
from .expressions import wrapped
from .names import Names, may_be_none_at
from .operations import truth
from .statements import Statements
from .values import (
    NOTHING,
    Constant,
    Effects,
    Flow,
    NotShownError,
    Number,
    Part,
    Replica,
    Several,
    Unclear,
    Value,
)

DEEPEST = 100
"""The deepest nesting of calls."""

_DECLARED = re.compile(r"^Symmetric: (.+(?:\n.+)*)", re.MULTILINE)


@dataclass(frozen=True)
class Summary:
    """The effect of a function with some arguments.

    ``results`` are its possible results, each with the statement, and ``result`` joins them.
    """

    result: Value
    results: tuple[tuple[Value, ast.AST], ...]
    effects: Effects
    progress: int


class Analysis:
    """Analyses functions for one group of permutations and one choice of constants.

    Attributes
    ----------
    declared
        The functions met so far that are declared symmetric.
    """

    def __init__(self, names: Names, constants: object) -> None:
        self.names = names
        self.constants = constants
        self.declared: dict[Callable[..., Any], Declared] = {}
        self._known: dict[object, Summary | NotShownError] = {}
        self._begun: list[object] = []
        self._kept: list[object] = []

    def summary(
        self, function: Callable[..., Any], arguments: tuple[Value, ...], node: ast.AST
    ) -> Summary:
        """Return the effect of a function with arguments whose symbols are numbered in order.

        Raises
        ------
        NotShownError
            If it is not proved to treat replicas alike.
        """
        key = (function, *(_kind(argument) for argument in arguments))
        if key in self._begun or len(self._begun) == DEEPEST:
            raise NotShownError(node, f"calls {function.__name__}, which calls itself")
        if key not in self._known:
            # Keys identify objects by address, so these must stay alive.
            self._kept.append((function, arguments))
            self._begun.append(key)
            try:
                self._known[key] = self._analysed(function, arguments, node)
            except NotShownError as refused:
                self._known[key] = refused
            self._begun.remove(key)
        known = self._known[key]
        if isinstance(known, NotShownError):
            raise known
        return known

    def _analysed(
        self, function: Callable[..., Any], arguments: tuple[Value, ...], node: ast.AST
    ) -> Summary:
        reason = _reason(function)
        if reason is not None:
            self._check_call_of_declared(function, arguments, node)
            return self._as_declared(function, reason)
        tree = _tree(function, node)
        run = Statements(self, function)
        parameters = [part.arg for part in (*tree.args.posonlyargs, *tree.args.args)]
        defaults = tuple(wrapped(value) for value in function.__defaults__ or ())
        missing = len(parameters) - len(arguments)
        if not 0 <= missing <= len(defaults):
            raise NotShownError(node, f"does not take the {len(arguments)} arguments of the call")
        arguments += defaults[len(defaults) - missing :]
        run.flow = Flow(dict(zip(parameters, arguments, strict=True)))
        try:
            run.block(tree.body)
        except NotShownError as refused:
            if not refused.where:
                refused.where = f"{function.__name__}, {place(function, refused.node)}"
            refused.progress = run.progress
            raise
        if not run.over:
            run.results.append((NOTHING, run.flow, tree))
        return Summary(
            self._joined(run.results),
            tuple((value, statement) for value, _, statement in run.results),
            run.effects,
            run.progress,
        )

    def answers(self, function: Callable[..., Any], arguments: tuple[Value, ...]) -> None:
        """Analyse an action or a predicate, which returns a truth value.

        Raises
        ------
        NotShownError
            If it is not proved to treat replicas alike.
        """
        node = ast.Name(getattr(function, "__name__", "it"), ast.Load())
        if (reason := _reason(function)) is not None:
            self._as_declared(function, reason)
            return
        for value, statement in self.summary(function, arguments, node).results:
            try:
                truth(self.names, value, statement)
            except NotShownError as refused:
                refused.where = f"{function.__name__}, {place(function, statement)}"
                raise

    def _joined(self, results: list[tuple[Value, Flow, ast.AST]]) -> Value:
        """Return the join of a function's results."""
        if not results:
            return Unclear("is not known: the function never returns")
        result, flow = _at(*results[0][:2]), results[0][1]
        for value, other, _ in results[1:]:
            result = self.names.joined(result, _at(value, other), flow, other)
        return result

    def _check_call_of_declared(
        self, function: Callable[..., Any], arguments: tuple[Value, ...], node: ast.AST
    ) -> None:
        """Refuse a call of a declared function with a number that may be a replica or a plain one.

        The declaration is about permuted replicas, also in its arguments.
        """
        for argument in arguments:
            if not isinstance(argument, Number):
                continue
            if argument.values is None or not all(map(self.names.is_fixed, argument.values)):
                raise NotShownError(
                    node,
                    f"calls {function.__name__}, which is declared symmetric, with a number that "
                    "may be a replica or a plain one",
                    "declare the function that calls it",
                )

    def _as_declared(self, function: Callable[..., Any], reason: str) -> Summary:
        """Return the effect of a function that is declared symmetric."""
        self.declared[function] = Declared(function.__name__, place(function), reason)
        result: Value = Unclear(f"is what {function.__name__} returns, which is declared symmetric")
        returns = function.__annotations__.get("return")
        if returns in (int, bool, "int", "bool"):
            result = Number()
        elif returns in (None, "None"):
            result = NOTHING
        return Summary(result, (), Effects(unknown=function.__name__), 0)


def _at(value: Value, flow: Flow) -> Value:
    """Return a result with what is known about it at its return."""
    if isinstance(value, Replica):
        return Replica(may_be_none_at(value, flow), value.symbol)
    return value


def _tree(function: Callable[..., Any], node: ast.AST) -> ast.FunctionDef:
    """Return the syntax tree of a plain function."""
    if not isinstance(function, FunctionType):
        raise NotShownError(node, "is no plain function", "write it as a def")
    try:
        return plain_tree(function)
    except UnsupportedError as error:
        what = str(error).removesuffix(",")
        raise NotShownError(node, f"calls {what}", "write it as a def") from None


def _reason(function: Callable[..., Any]) -> str | None:
    """Return the docstring's reason why a function treats replicas alike; None if it has none."""
    if hasattr(function, "__wrapped__"):
        # The docstring is that of the wrapped function.
        return None
    declared = _DECLARED.search(getdoc(original_of(function)) or "")
    return " ".join(declared[1].split()) if declared else None


def place(function: Callable[..., Any], node: ast.AST | None = None) -> str:
    """Return the file of a function, with its line or that of a part of it."""
    code = getattr(original_of(function), "__code__", None)
    if code is None:
        return "no Python code"
    return shown((code.co_filename, getattr(node, "lineno", code.co_firstlineno)))


def _kind(argument: Value) -> object:
    """Return a key that is equal for arguments which can share an analysis."""
    if isinstance(argument, Constant):
        value = argument.value
        return value if isinstance(value, str | type(None)) else id(value)
    if isinstance(argument, Several):
        return tuple(_kind(item) for item in argument.items)
    if isinstance(argument, Part):
        return id(argument.declared), argument.form, argument.indices
    return argument
