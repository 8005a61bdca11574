"""The guards of an action, read from its source: why a step is not enabled, and with which values.

A guard is an ``if ...: return False`` at the top level of an action.  Nobody lists guards a second
time: what is shown of them is what the action does.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Guard:
    """A condition under which an action is not enabled.

    ``number`` counts the action's guards from 0, ``file`` and ``line`` are its place in the source,
    and ``test`` is its condition as source text: the action is disabled where it is true.
    """

    number: int
    file: str
    line: int
    test: str


@dataclass(frozen=True)
class Refusal:
    """A guard that refused a step, with the values that it looked at, by their source text."""

    guard: Guard
    values: dict[str, object]


@cache
def guards(apply: Callable[..., bool]) -> tuple[Guard, ...]:
    """Return the guards of an action in the order in which they are tried."""
    _, first_line = inspect.getsourcelines(_original(apply))
    return tuple(
        Guard(number, _file(apply), first_line + node.lineno - 1, ast.unparse(node.test))
        for number, node in enumerate(_guards(_function(apply)))
    )


def refusal(apply: Callable[..., bool], *arguments: Any) -> Refusal | None:
    """Return the guard that refuses a step and the values it looked at; None if it is enabled.

    Parameters
    ----------
    arguments
        What the action is called with: the state's record, the constants, the participants.  If
        the step is enabled, the record is left as the action writes it.
    """
    answer = _watched(apply)(*arguments)
    if not isinstance(answer, tuple):
        return None
    number, scope = answer
    node = _guards(_function(apply))[number]
    space = {**inspect.unwrap(apply).__globals__, **scope}
    return Refusal(guards(apply)[number], _values(node.test, space))


def passed(apply: Callable[..., bool], *arguments: Any) -> list[Refusal]:
    """Return the guards that a step passes, in order, each with the values it looked at.

    Parameters
    ----------
    arguments
        What the action is called with, which must be enabled; the record is left as it writes it.
    """
    function, found = _function(apply), guards(apply)
    tests = [node.test for node in _guards(function)]
    seen: list[Refusal] = []

    def note(number: int, scope: dict[str, Any]) -> None:
        space = {**inspect.unwrap(apply).__globals__, **scope}
        seen.append(Refusal(found[number], _values(tests[number], space)))

    for number, node in reversed(list(enumerate(_guards(function)))):
        noting = ast.parse(f"{_NOTE}({number}, dict(locals()))").body[0]
        function.body.insert(function.body.index(node), noting)
    _compiled(function, apply, {_NOTE: note})(*arguments)
    return seen


_NOTE = "note_the_guard"


def requirement(test: str) -> str:
    """Return what a guard asks for: the contrary of the condition that refuses.

    >>> requirement("s.crashed == k.crashes"), requirement("not leads(s, leader)")
    ('s.crashed != k.crashes', 'leads(s, leader)')
    """
    return ast.unparse(_contrary(ast.parse(test, mode="eval").body))


_CONTRARY: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def _contrary(node: ast.expr) -> ast.expr:
    """Return the negation of a condition, pushed inwards."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.BoolOp):
        joined = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.BoolOp(joined, [_contrary(part) for part in node.values])
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _CONTRARY:
        return ast.Compare(node.left, [_CONTRARY[type(node.ops[0])]()], node.comparators)
    return ast.UnaryOp(ast.Not(), node)


def _file(apply: Callable[..., bool]) -> str:
    """Return the file of an action, from the package's root where it is in there."""
    file, root = Path(inspect.getsourcefile(_original(apply)) or "?"), Path(__file__).parent
    return str(file.relative_to(root) if file.is_relative_to(root) else file)


def syntax_tree(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function, also of a copy that lacks a guard."""
    return _function(function)


def _original(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of which this is a copy, or the function itself."""
    original: Callable[..., Any] = getattr(apply, "original", apply)
    return original


def _function(apply: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function, which the caller may change."""
    copied: ast.FunctionDef | None = getattr(apply, "syntax_tree", None)
    if copied is not None:
        return copy.deepcopy(copied)
    [node] = ast.parse(textwrap.dedent(inspect.getsource(apply))).body
    assert isinstance(node, ast.FunctionDef), f"{apply} is not a plain function"
    return node


def _guards(function: ast.FunctionDef) -> list[ast.If]:
    """Return the statements that are guards."""
    return [node for node in function.body if isinstance(node, ast.If) and refuses(node)]


def refuses(node: ast.stmt) -> bool:
    """Whether a statement is a guard: an `if` that does nothing but return False."""
    if not isinstance(node, ast.If):
        return False
    [last] = node.body[-1:]
    return (
        len(node.body) == 1
        and not node.orelse
        and isinstance(last, ast.Return)
        and isinstance(last.value, ast.Constant)
        and last.value.value is False
    )


def without(apply: Callable[..., bool], number: int) -> Callable[..., bool]:
    """Return a copy of an action that lacks one of its guards."""
    function = _function(apply)
    function.body.remove(_guards(function)[number])
    return _compiled(function, apply)


@cache
def _watched(apply: Callable[..., bool]) -> Callable[..., Any]:
    """Return a copy of an action whose guards return their number and the local variables."""
    function = _function(apply)
    for number, node in enumerate(_guards(function)):
        node.body = ast.parse(f"return {number}, dict(locals())", mode="exec").body
        ast.increment_lineno(node.body[0], node.lineno)
    return _compiled(function, apply)


def _compiled(
    function: ast.FunctionDef, original: Callable[..., Any], names: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """Return a changed copy of an action, in a space of its own: its module keeps the original."""
    function.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([function], type_ignores=[]))
    space = {**original.__globals__, **(names or {})}
    exec(compile(module, f"<copy of {original.__name__}>", "exec", _future_flags()), space)
    changed: Callable[..., Any] = space[function.name]
    changed.syntax_tree = function  # type: ignore[attr-defined]
    changed.original = _original(original)  # type: ignore[attr-defined]
    return changed


def _future_flags() -> int:
    """Return the compiler's flag for annotations that are not evaluated."""
    import __future__

    return __future__.annotations.compiler_flag


def _values(test: ast.expr, space: dict[str, Any]) -> dict[str, object]:
    """Return the value of every variable, element and call in a condition, outermost first."""
    values: dict[str, object] = {}
    _collect(test, space, values)
    return values


def _collect(node: ast.expr, space: dict[str, Any], values: dict[str, object]) -> None:
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name, ast.Call)):
        value = _evaluate(node, space)
        if isinstance(value, (int, str)):
            values[ast.unparse(node)] = value
            return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _collect(child, space, values)


def _evaluate(node: ast.expr, space: dict[str, Any]) -> object:
    """Return the value of an expression of a guard; guards only read, so that is harmless."""
    try:
        return eval(compile(ast.Expression(node), "<guard>", "eval"), dict(space))
    except Exception:  # noqa: BLE001 - a later part of a condition may be meaningless here
        return None
