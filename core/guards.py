"""The guards of an action, read from its source: why a step is not enabled, and with which values.

A guard is an ``if ...: return False`` at the top level of an action.  Nobody lists guards a second
time: what is shown of them is what the action does.
"""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from .errors import ModelError
from .generated import show_as


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
    file, first_line = _place(apply)
    return tuple(
        Guard(number, file, first_line + node.lineno - 1, ast.unparse(node.test))
        for number, node in enumerate(_guards(syntax_tree(apply)))
    )


def refusing(apply: Callable[..., bool], *arguments: Any) -> int | None:
    """Return the number of the guard that refuses a step; None where no guard does."""
    answer = _watched(apply)(*arguments)
    return answer[0] if isinstance(answer, tuple) else None


def refusal(apply: Callable[..., bool], *arguments: Any) -> Refusal | None:
    """Return the guard that refuses a step and the values it looked at; None if it is enabled.

    Where it calls a function that is one expression, as most rules are, the values that this looked
    at are among them, by the text that they would have in the guard.

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
    node = _guards(syntax_tree(apply))[number]
    space = {**inspect.unwrap(apply).__globals__, **scope}
    values = _values(node.test, space)
    for called, names in _written_out(node.test, space):
        inside = _values(called, {**names, **space})
        values |= {text: value for text, value in inside.items() if not text.isidentifier()}
    return Refusal(guards(apply)[number], values)


def passed(apply: Callable[..., bool], *arguments: Any) -> list[Refusal]:
    """Return the guards that a step passes, in order, each with the values it looked at.

    Parameters
    ----------
    arguments
        What the action is called with, which must be enabled; the record is left as it writes it.
    """
    function, listed = syntax_tree(apply), guards(apply)
    tests = [node.test for node in _guards(function)]
    seen: list[Refusal] = []

    def note(number: int, scope: dict[str, Any]) -> None:
        space = {**inspect.unwrap(apply).__globals__, **scope}
        seen.append(Refusal(listed[number], _values(tests[number], space)))

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


def place(function: Callable[..., Any]) -> str:
    """Return file and line of a function; of a changed copy, those of its original."""
    return "{}:{}".format(*_place(function))


def _place(function: Callable[..., Any]) -> tuple[str, int]:
    """Return the file of a function, from the package's root where it is in there, and its line."""
    original = _original(function)
    file, root = Path(inspect.getsourcefile(original) or "?"), Path(__file__).parents[1]
    shown = file.relative_to(root) if file.is_relative_to(root) else file
    return str(shown), inspect.getsourcelines(original)[1]


def syntax_tree(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function, also of a copy that lacks a guard; yours to change."""
    return copy.deepcopy(read_tree(function))


def read_tree(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function as :func:`syntax_tree` does, but only to be read."""
    copied: ast.FunctionDef | None = getattr(function, "syntax_tree", None)
    if copied is not None:
        return copied
    return _parsed(function, getattr(function, "__code__", None))


@cache
def _parsed(function: Callable[..., Any], code: CodeType | None) -> ast.FunctionDef:
    """Return the syntax tree of a function that has this code, from its source."""
    source = inspect.getsource(function)
    indented = source[:1].isspace()
    # Taking the indentation away would change strings of several lines.
    source = f"if True:\n{source}" if indented else source
    try:
        tree = ast.parse(source)
    except SystemError:
        # CPython 3.11 counts the depth of trees in all threads together (python/cpython#106905): it
        # fails where a finaliser or another thread formats a traceback meanwhile.
        tree = ast.parse(source)
    [node] = tree.body
    if indented and isinstance(node, ast.If):
        [node] = node.body
        ast.increment_lineno(node, -1)
    assert isinstance(node, ast.FunctionDef), f"{function} is not a plain function"
    return node


def _original(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that is in a file, of which this one may be a changed copy."""
    while (copied := getattr(function, "copy_of", None)) is not None:
        function = copied
    return function


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
    function = syntax_tree(apply)
    function.body.remove(_guards(function)[number])
    return _compiled(function, apply)


def guards_alone(apply: Callable[..., bool]) -> Callable[..., bool]:
    """Return a copy of an action that only says whether a step passes its guards."""
    function = syntax_tree(apply)
    body, tests = function.body, _guards(function)
    end = body.index(tests[-1]) + 1 if tests else 0
    function.body = [*body[:end], *ast.parse("return True").body]
    return _compiled(function, apply)


def conditions(apply: Callable[..., bool]) -> tuple[Guard, ...]:
    """Return the conditions of an action that are no guards, in the order of its source."""
    file, first_line = _place(apply)
    return tuple(
        Guard(number, file, first_line + node.lineno - 1, ast.unparse(node.test))
        for number, node in enumerate(_conditions(syntax_tree(apply)))
    )


def _conditions(function: ast.FunctionDef) -> list[ast.If]:
    own = _guards(function)
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.If) and node not in own]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def without_condition(apply: Callable[..., bool], number: int) -> Callable[..., bool]:
    """Return a copy of an action that does what is under a condition always; a refusal never."""
    function = syntax_tree(apply)
    node = _conditions(function)[number]
    node.test = ast.copy_location(ast.Constant(not refuses(node)), node.test)
    return _compiled(function, apply)


def negated(apply: Callable[..., bool], number: int) -> Callable[..., bool]:
    """Return a copy of an action with the contrary of a condition."""
    function = syntax_tree(apply)
    node = _conditions(function)[number]
    node.test = ast.copy_location(_contrary(node.test), node.test)
    return _compiled(function, apply)


def counted(apply: Callable[..., bool], variable: str, most: int) -> Callable[..., bool]:
    """Return a copy of an action that counts its steps in a variable of the state.

    It is not enabled any more when there are `most`.

    Raises
    ------
    ModelError
        If the action answers other than with a plain True or False.
    """
    function = syntax_tree(apply)
    state = function.args.args[0].arg
    first = 1 if ast.get_docstring(function) is not None else 0
    guard = ast.parse(f"if {state}.{variable} == {most}:\n    return False").body[0]
    function.body.insert(first, guard)
    _Counting(f"{state}.{variable} += 1").visit(function)
    return _compiled(function, apply)


class _Counting(ast.NodeTransformer):
    """Puts a statement before each place where an action says that it was enabled."""

    def __init__(self, statement: str) -> None:
        self._statement = statement

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        """Return the statements that stand for one that returns."""
        answer = node.value.value if isinstance(node.value, ast.Constant) else None
        if not isinstance(answer, bool):
            raise ModelError(
                f"an action answers {ast.unparse(node)!r}; its steps can be counted only where "
                "each answer is a plain True or False"
            )
        return [ast.parse(self._statement).body[0], node] if answer else [node]


@cache
def _watched(apply: Callable[..., bool]) -> Callable[..., Any]:
    """Return a copy of an action whose guards return their number and the local variables."""
    function = syntax_tree(apply)
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
    file, code = f"<copy of {original.__name__}>", _original(original).__code__
    # A copy has the line numbers of its original, counted from the first line of that.
    show_as(file, linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :])
    exec(compile(module, file, "exec", _future_flags()), space)
    made: Callable[..., Any] = space[function.name]
    made.syntax_tree = function  # type: ignore[attr-defined]
    made.copy_of = original  # type: ignore[attr-defined]
    return made


def _future_flags() -> int:
    """Return the compiler's flag for annotations that are not evaluated."""
    import __future__

    return __future__.annotations.compiler_flag


def _values(test: ast.expr, space: dict[str, Any]) -> dict[str, object]:
    """Return the value of every variable, element and call in a condition, outermost first."""
    values: dict[str, object] = {}
    _collect(test, space, values)
    return values


def _written_out(
    test: ast.expr, space: dict[str, Any]
) -> Iterator[tuple[ast.expr, dict[str, Any]]]:
    """Yield what a condition calls, as expressions in its own variables, with their names."""
    for node in ast.walk(test):
        called = _object(node.func, space) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(called, FunctionType):
            continue
        tree = syntax_tree(called)
        [*before, last] = tree.body
        only = not before or (len(before) == 1 and ast.get_docstring(tree) is not None)
        if only and isinstance(last, ast.Return) and last.value is not None:
            parameters = [argument.arg for argument in tree.args.args]
            expressions = dict(zip(parameters, node.args, strict=False))
            expression: ast.expr = _Substitution(expressions).visit(last.value)
            yield expression, called.__globals__
            yield from _written_out(expression, {**called.__globals__, **space})


class _Substitution(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, expressions: dict[str, ast.expr]) -> None:
        self._given = expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return what stands for a name."""
        return self._given.get(node.id, node)


def _collect(node: ast.expr, space: dict[str, Any], values: dict[str, object]) -> None:
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name, ast.Call)):
        value = _evaluate(node, space)
        if value is not None:
            values[ast.unparse(node)] = value
            return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _collect(child, space, values)


def _evaluate(node: ast.expr, space: dict[str, Any]) -> int | str | None:
    """Return the value of an expression of a guard; guards only read, so that is harmless."""
    value = _object(node, space)
    return value if isinstance(value, (int, str)) else None


def _object(node: ast.expr, space: dict[str, Any]) -> object:
    """Return what an expression of a guard is, be it a function; None where it is meaningless."""
    try:
        return eval(compile(ast.Expression(node), "<guard>", "eval"), dict(space))
    except Exception:  # noqa: BLE001 - a later part of a condition may be meaningless here
        return None
