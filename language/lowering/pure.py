"""Calls of functions that are declared pure: lowered where they can be, read from a table if not.

Python calls such a function in every engine that is Python's; where machine code cannot, its table
is asked for before the search (:mod:`tidegate.language.tabulated`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Named
from contextlib import suppress
from types import FunctionType
from typing import Any

from ...core.purity import declaration_of
from ..form import After, Apply, Constant, Expression
from ..tabulated import Table, UntabulatedError, tabulate
from ..types import Known, Number
from .frame import ByPythonAloneError, Frame
from .in_turn import in_turn


def call_declared(
    frame: Frame,
    function: Callable[..., Any],
    positional: Sequence[Expression],
    names: Named[str, Expression],
    node: ast.AST,
) -> Expression:
    """Return what a function gives that is declared pure.

    Raises
    ------
    ByPythonAloneError
        If it is not in the language, and has no table.
    """
    if isinstance(function, FunctionType):
        with suppress(ByPythonAloneError):
            return frame.lowering.call(frame, function, positional, names, node)
    declaration = declaration_of(function)
    assert declaration is not None
    frame.lowering.declared.add(declaration)
    before, again, named_ = in_turn(frame, positional, names, node)
    arguments = (*again, *named_.values())
    if not frame.lowering.tabulates:
        raise frame.placed(ByPythonAloneError(declaration, "it is not in the language"), node)
    try:
        table = _table(frame.lowering.tables, function, arguments, tuple(named_))
    except UntabulatedError as error:
        raise frame.placed(ByPythonAloneError(declaration, str(error)), node) from None
    result = Apply(table.type, "table", (Constant(Known(table), table), *arguments))
    return After(table.type, tuple(before), result) if before else result


def _table(
    known: dict[Any, Table | UntabulatedError],
    function: Callable[..., Any],
    arguments: Sequence[Expression],
    names: tuple[str, ...],
) -> Table:
    """Return the table of a function for these arguments, which is asked for once.

    Raises
    ------
    UntabulatedError
        If there is none.
    """
    # Anything but a number is known by the object that it is.
    domains = tuple(
        Known(one.value) if isinstance(one, Constant) and not isinstance(one.type, Number)
        else one.type
        for one in arguments
    )  # fmt: skip
    key = function, domains, names
    if key not in known:
        try:
            known[key] = tabulate(function, domains, names)
        except UntabulatedError as error:
            known[key] = error
    table = known[key]
    if isinstance(table, UntabulatedError):
        raise table
    return table
