"""Analyses the functions of a model, each once for every kind of arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from inspect import getdoc
from types import FunctionType
from typing import Any

from ...core.errors import shown
from ...core.result import Declared
from ...core.sources import original_of
from ...language.forms import NOT_IN_IT
from ...language.scopes import parameter_names
from .calls import in_order
from .element_names import with_elements_in_place
from .names import Names
from .parts import Result
from .sequences import renamed
from .statements import Statements
from .syntax import OutsideError, UnreadError, plain_tree
from .values import (
    FOLLOWING,
    NOTHING,
    Bunch,
    Constant,
    Effects,
    Flow,
    Listed,
    Made,
    NotShownError,
    Number,
    Own,
    Pairs,
    Part,
    Several,
    Unclear,
    Value,
)

DEEPEST = 100
"""The deepest nesting of calls."""

_DECLARED = re.compile(r"^Symmetric: (.+(?:\n.+)*)", re.MULTILINE)


@dataclass(frozen=True)
class Summary:
    """The effect of a function with some arguments: its possible results, and their join."""

    result: Value
    results: tuple[Result, ...]
    effects: Effects


class Analysis:
    """Analyses functions for one group of permutations and one choice of constants.

    Attributes
    ----------
    declared
        The functions met so far that are declared symmetric.
    steps
        How many expressions were evaluated.

    Parameters
    ----------
    goes_on
        Whether to find further faults after the first one of a function.
    """

    def __init__(self, names: Names, constants: object, goes_on: bool = False) -> None:
        self.names = names
        self.constants = constants
        self.declared: dict[Callable[..., Any], Declared] = {}
        self.steps = 0
        self._goes_on = goes_on
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
        try:
            return self._read(function, tree, arguments)
        except NotShownError as refused:
            # As in machine code: only the types say which names are of elements.
            in_place = with_elements_in_place(tree, function.__globals__)
            if in_place is None:
                raise
            try:
                return self._read(function, in_place, arguments)
            except NotShownError as other:
                raise max(other, refused, key=_line) from None

    def _read(
        self, function: Callable[..., Any], tree: ast.FunctionDef, arguments: tuple[Value, ...]
    ) -> Summary:
        run = Statements(self, function)
        run.tree = tree
        run.flow.local = dict(zip(parameter_names(tree), arguments, strict=True))
        faults: list[NotShownError] = []
        for statement in tree.body:
            before = run.flow.copy() if self._goes_on else run.flow
            try:
                run.block([statement])
            except NotShownError as refused:
                if not refused.where:
                    refused.where = f"{function.__name__}, {place(function, refused.node)}"
                if not self._goes_on:
                    raise
                # A guard that was refused may have asked for NONE.
                if refused.why != FOLLOWING.why and not (faults and refused.why[:4] == "may "):
                    faults += [refused, *refused.others]
                run.go_on(before, statement)
        if faults:
            [first, *first.others] = faults
            raise first
        if not run.over:
            run.results.append(Result(NOTHING, run.flow, tree))
        return Summary(self._joined(run.results), tuple(run.results), run.effects)

    @staticmethod
    def called_from(
        refused: NotShownError, caller: Callable[..., Any], node: ast.AST
    ) -> NotShownError:
        """Return the refusal of a function that another one calls, with the line of the call."""
        if not refused.where:
            return refused
        # The refusal itself is that of every call.
        here = NotShownError(refused.node, refused.why, refused.mistaken)
        here.repair = refused.repair
        here.others = [Analysis.called_from(one, caller, node) for one in refused.others]
        here.where = f"{refused.where}, called by {caller.__name__}, {place(caller, node)}"
        return here

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
        if isinstance(function, FunctionType):
            arguments = in_order(function, arguments, {}, node)
        try:
            results = self.summary(function, arguments, node).results
        except NotShownError as refused:
            refused.where = refused.where or f"{node.id}, {place(function)}"
            raise
        for value, _, statement, _ in results:
            try:
                self.names.truth(value, statement)
            except NotShownError as refused:
                refused.where = f"{function.__name__}, {place(function, statement)}"
                raise

    def _joined(self, results: list[Result]) -> Value:
        """Return the join of a function's results."""
        if not results:
            return Unclear("is not known: the function never returns")
        values = [renamed(one.value, lambda symbol: symbol, one.flow) for one in results]
        return reduce(lambda one, other: self.names.joined(one, other, Flow(), Flow()), values)

    def _check_call_of_declared(
        self, function: Callable[..., Any], arguments: tuple[Value, ...], node: ast.AST
    ) -> None:
        """Refuse a call of a declared function with a number that may be a replica or a plain one.

        The declaration is about permuted replicas, also in its arguments.
        """
        for argument in arguments:
            if not isinstance(argument, Number):
                continue
            if argument.values is None or not self.names.is_fixed(argument.values):
                raise NotShownError(
                    node,
                    f"passes a plain number to {function.__name__}, which is declared symmetric: "
                    "its docstring does not say whether that names a replica",
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
        return Summary(result, (), Effects(unknown=function.__name__))


def _line(refused: NotShownError) -> int:
    """Return the line of a refusal, up to which a function was analysed."""
    return getattr(refused.node, "lineno", 0)


def _tree(function: Callable[..., Any], node: ast.AST) -> ast.FunctionDef:
    """Return the syntax tree of a plain function."""
    if not isinstance(function, FunctionType):
        raise NotShownError(node, "is not a plain function")
    try:
        return plain_tree(function)
    except OutsideError as error:
        part, name = error.part, function.__name__
        refused = NotShownError(ast.Name(name), f"has {part.what}, which {NOT_IN_IT}")
        refused.where, refused.repair = f"{name}, {place(function, part.node)}", part.repair
        raise refused from None
    except UnreadError as error:
        what = str(error).removesuffix(",")
        raise NotShownError(node, f"calls {what}") from None


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
        return id(argument.declared), argument.form, argument.indices, argument.copy
    if isinstance(argument, Pairs):
        return tuple(map(_kind, argument.arrays)), argument.numbered
    if isinstance(argument, Own):
        return Own, _kind(argument.mask)
    if isinstance(argument, Listed | Bunch):
        return type(argument), _kind(argument.element)
    if isinstance(argument, Made):
        return (
            Made,
            argument.declared,
            tuple((name, _kind(value)) for name, value in argument.parts),
        )
    return argument
