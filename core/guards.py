"""The guards of an action, read from its source: why a step is not enabled, and with which values.

A guard is an ``if ...: return False`` at the top level of an action.  Guards are listed nowhere
else: what Tidegate shows is what the action does.
"""

from __future__ import annotations
import __future__

import ast
import copy
import inspect
import linecache
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from .errors import ModelError, at_revision
from .generated import show_as
from .origins import is_users
from .sources import Node, as_function, original_of, source_of
from .vocabulary import INDEX


@dataclass(frozen=True)
class Guard:
    """A condition under which an action is not enabled.

    ``number`` counts the action's guards from 0, ``file`` and ``line`` are its place in the source,
    and ``test`` is its condition as source text: the action is disabled if it is true.
    """

    number: int
    file: str
    line: int
    test: str


@dataclass(frozen=True)
class Refusal:
    """A guard that refused a step, with the values that it read, by their source text."""

    guard: Guard
    values: dict[str, object]


@cache
def guards(apply: Callable[..., bool]) -> tuple[Guard, ...]:
    """Return the guards of an action in the order in which they are tried."""
    return _described(apply, _guards(syntax_tree(apply)))


def _described(apply: Callable[..., bool], nodes: list[ast.If]) -> tuple[Guard, ...]:
    """Return conditions of an action with their place and source text."""
    file, _ = _place(apply)
    return tuple(
        Guard(number, file, node.lineno, ast.unparse(node.test))
        for number, node in enumerate(nodes)
    )


def refusing(apply: Callable[..., bool], *arguments: Any) -> int | None:
    """Return the number of the guard that refuses a step; None if no guard does."""
    answer = _watched(apply)(*arguments)
    return answer[0] if isinstance(answer, tuple) else None


def refusal(
    apply: Callable[..., bool], *arguments: Any, again: Callable[[], object] = lambda: None
) -> Refusal | None:
    """Return the guard that refuses a step and the values it read; None if the step is enabled.

    If the guard calls a function that is one expression, as most rules are, the values include
    those that this function read, by the text that they would have in the guard.

    Parameters
    ----------
    arguments
        The arguments of the action: the state's record, the constants, the participants.  If the
        step is enabled, the record keeps what the action wrote.
    again
        Puts the state into the record again, since a guard may call what writes it.
    """
    answer = _watched(apply)(*arguments)
    if not isinstance(answer, tuple):
        return None
    number, scope = answer
    node = _guards(syntax_tree(apply))[number]
    space = {**names_of(apply), **scope}
    values = _values(node.test, space, again)
    for called, names in _written_out(node.test, space, ()):
        inside = _values(called, {**names, **space}, again)
        values |= {text: value for text, value in inside.items() if not text.isidentifier()}
    return Refusal(guards(apply)[number], values)


def passed(
    apply: Callable[..., bool], *arguments: Any, again: Callable[[], object] = lambda: None
) -> list[Refusal]:
    """Return the guards that a step passes, in order, each with the values it read.

    Parameters
    ----------
    arguments
        The arguments of the action, which must be enabled; the record may keep what it wrote.
    again
        As of :func:`refusal`.
    """
    function = syntax_tree(apply)
    nodes = _guards(function)
    tests = [copy.deepcopy(node.test) for node in nodes]
    seen: list[tuple[int, dict[str, Any]]] = []
    for number, node in reversed(list(enumerate(nodes))):
        noting = ast.parse(f"{_NOTE}(({number}, dict(locals())))").body[0]
        function.body.insert(function.body.index(node), noting)
    _compiled(function, apply, {_NOTE: seen.append})(*arguments)
    again()
    names = names_of(apply)
    return [
        Refusal(guards(apply)[number], _values(tests[number], {**names, **scope}, again))
        for number, scope in seen
    ]


_NOTE = "note_the_guard"


def requirement(test: str) -> str:
    """Return what a guard requires: the negation of the condition that refuses.

    >>> requirement("s.crashed == k.crashes"), requirement("not leads(s, leader)")
    ('s.crashed != k.crashes', 'leads(s, leader)')
    """
    return ast.unparse(_negation(ast.parse(test, mode="eval").body))


_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


def _negation(node: ast.expr) -> ast.expr:
    """Return the negation of a condition, pushed inwards."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.BoolOp):
        joined = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        return ast.BoolOp(joined, [_negation(part) for part in node.values])
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _NEGATED:
        return ast.Compare(node.left, [_NEGATED[type(node.ops[0])]()], node.comparators)
    return ast.UnaryOp(ast.Not(), node)


def place(function: Callable[..., Any]) -> str:
    """Return the file and line of a function, or of the original if it is a changed copy."""
    return "{}:{}".format(*_place(function))


def _place(function: Callable[..., Any]) -> tuple[str, int]:
    """Return the file of a function, relative to the package if it is in there, and its line."""
    code = inspect.unwrap(original_of(function)).__code__
    file, root = Path(code.co_filename), Path(__file__).parents[1]
    shown = at_revision(file) or (file.relative_to(root) if file.is_relative_to(root) else file)
    return str(shown), code.co_firstlineno


def syntax_tree(apply: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of an action or of a changed copy; the caller may change it."""
    source = source_of(_readable(apply))
    assert source is not None
    return as_function(copy.deepcopy(source.node))


@cache
def _readable(apply: Callable[..., Any]) -> FunctionType:
    """Return an action whose source says all that it does: itself, or a function that calls it.

    A decorated function has the source of what it decorates, a method has an object besides, and a
    function that exec() made has no source.
    """
    names = tuple(inspect.signature(apply).parameters)
    if isinstance(apply, FunctionType):
        source = source_of(apply)
        if source is not None and _parameters(source.node) == names:
            return apply
    called = ", ".join(names)
    return _written(f"def act({called}):\n    return {_ACTION}({called})", apply, {_ACTION: apply})


_ACTION = "the_action_itself"


def _parameters(node: Node) -> tuple[str, ...]:
    """Return the names of a function's parameters, as they are written."""
    return tuple(one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg))


def read_tree(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function like :func:`syntax_tree`; nobody may change it.

    Raises
    ------
    OSError
        If its source is not at hand.
    """
    node = read_node(function)
    assert isinstance(node, ast.FunctionDef), f"{function} is not a plain function"
    return node


def read_node(function: Callable[..., Any]) -> Node:
    """Return the syntax tree of a function or a lambda; nobody may change it.

    Raises
    ------
    OSError
        If its source is not at hand.
    """
    plain = inspect.unwrap(function)
    source = source_of(plain) if isinstance(plain, FunctionType) else None
    if source is None:
        raise OSError(f"the source of {function} is not at hand")
    return source.node


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
    """Return a copy of an action that only answers whether a step passes its guards."""
    function = syntax_tree(apply)
    body, tests = function.body, _guards(function)
    end = body.index(tests[-1]) + 1 if tests else 0
    function.body = [*body[:end], *ast.parse("return True").body]
    return _compiled(function, apply)


def enabled(apply: Callable[..., bool]) -> Callable[..., bool]:
    """Return the predicate that a step is enabled: TLA+'s ENABLED.

    Raises
    ------
    ModelError
        If the action decides behind its guards whether it is enabled.
    """
    function = syntax_tree(apply)
    own = _guards(function)
    end = function.body.index(own[-1]) if own else 0
    for number, statement in enumerate(function.body):
        for node in ast.walk(statement) if statement not in own else ():
            answers = isinstance(node, ast.Return) and ast.unparse(node) != "return True"
            if answers or (number < end and _may_write(node)):
                error = ModelError(
                    f"{apply.__name__} is enabled or not by more than its guards; write each "
                    "reason as a guard, if ...: return False, all of them before the first write"
                )
                error.place = _place(apply)[0], getattr(node, "lineno", function.lineno)
                raise error
    return guards_alone(apply)


def _may_write(node: ast.AST) -> bool:
    """Whether a statement may write the state: it assigns to a part of something, or just calls."""
    match node:
        case ast.Expr(ast.Call()) | ast.Delete():
            return True
        case ast.Assign():
            return not all(isinstance(target, (ast.Name, ast.Tuple)) for target in node.targets)
        case ast.AugAssign():
            return not isinstance(node.target, ast.Name)
    return False


def conditions(apply: Callable[..., bool]) -> tuple[Guard, ...]:
    """Return the conditions of an action that are not guards, in the order of its source."""
    return _described(apply, _conditions(syntax_tree(apply)))


def _conditions(function: ast.FunctionDef) -> list[ast.If]:
    own = _guards(function)
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.If) and node not in own]
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def without_condition(apply: Callable[..., bool], number: int) -> Callable[..., bool]:
    """Return a copy of an action in which a condition is always true, or false if it refuses."""
    function = syntax_tree(apply)
    node = _conditions(function)[number]
    node.test = ast.copy_location(ast.Constant(not refuses(node)), node.test)
    return _compiled(function, apply)


def negated(apply: Callable[..., bool], number: int) -> Callable[..., bool]:
    """Return a copy of an action with the negation of a condition."""
    function = syntax_tree(apply)
    node = _conditions(function)[number]
    node.test = ast.copy_location(_negation(node.test), node.test)
    return _compiled(function, apply)


def is_path(function: Callable[..., Any]) -> bool:
    """Whether a function does nothing but name a part of what it takes."""
    body = _only_expression(function)
    return body is not None and all(
        isinstance(node, (ast.Attribute, ast.Subscript, ast.Name, ast.Constant, ast.expr_context))
        for node in ast.walk(body)
    )


def _only_expression(function: Callable[..., Any]) -> ast.expr | None:
    """Return the expression that is all of a function; None if there is more, or no source."""
    source = source_of(function) if isinstance(function, FunctionType) else None
    if source is None:
        return None
    if isinstance(source.node, ast.Lambda):
        return source.node.body
    *before, last = source.node.body
    documented = len(before) == 1 and ast.get_docstring(source.node) is not None
    return last.value if (documented or not before) and isinstance(last, ast.Return) else None


def only_where(
    apply: Callable[..., bool], name: str, chosen: Callable[..., Any], others: Sequence[str]
) -> Callable[..., bool]:
    """Return a copy of an action that is not enabled unless a parameter has a chosen value.

    Parameters
    ----------
    chosen
        ``chosen(s, k, *others)``: the values.
    others
        Parameters of the action that it is called with.
    """
    function = syntax_tree(apply)
    values, names, line = _values_in(function, apply, name, chosen, others)
    # Text has the brackets that the expressions need.
    test = ast.unparse(_not_among(name, values, apply.__globals__))
    return _begun(function, apply, f"if {test}:\n    return False", line, names)


def for_each_element(
    apply: Callable[..., bool], name: str, chosen: Callable[..., Any], others: Sequence[str]
) -> Callable[..., bool]:
    """Return a copy of an action that takes the index of an element in place of the element.

    Parameters
    ----------
    chosen, others
        As of :func:`only_where`; the values are a sequence of the state.
    """
    function = syntax_tree(apply)
    [own] = [argument for argument in function.args.args if argument.arg == name]
    own.arg, own.annotation = f"{name}{INDEX}", ast.Name("int", ast.Load())
    values, names, line = _values_in(function, apply, name, chosen, others)
    elements = f"({ast.unparse(values)})"
    guard = f"if {own.arg} >= len({elements}):\n    return False\n"
    return _begun(function, apply, f"{guard}{name} = {elements}[{own.arg}]", line, names)


def for_each_of(
    apply: Callable[..., bool], name: str, table: tuple[object, ...]
) -> Callable[..., bool]:
    """Return a copy of an action that takes the index of a value in place of the value."""
    function = syntax_tree(apply)
    [own] = [argument for argument in function.args.args if argument.arg == name]
    own.arg, own.annotation = f"{name}{INDEX}", ast.Name("int", ast.Load())
    values = f"values_of_{name}"
    text, line = f"{name} = {values}[{own.arg}]", function.lineno
    return _begun(function, apply, text, line, {values: table})


def _values_in(
    function: ast.FunctionDef,
    apply: Callable[..., bool],
    name: str,
    chosen: Callable[..., Any],
    others: Sequence[str],
) -> tuple[ast.expr, dict[str, Any], int]:
    """Return what a choice of an action says, the names that this needs, and its line."""
    own = [argument.arg for argument in function.args.args[:2]] + list(others)
    names = {}
    locals_ = _names_in(original_of(apply).__code__)
    plain = isinstance(chosen, FunctionType)
    beside = plain and chosen.__globals__ is apply.__globals__
    body = _to_write_out(chosen, own, locals_) if beside else None
    if body is not None:
        # What it says stands in the guard, where reports show it.
        taken = chosen.__code__.co_varnames[: len(own)]
        ours = {its: ast.Name(mine, ast.Load()) for its, mine in zip(taken, own, strict=True)}
        values: ast.expr = _Substitution({**ours}).visit(copy.deepcopy(body))
    else:
        its_name = getattr(chosen, "__name__", "")
        is_known = beside and chosen.__globals__.get(its_name) is chosen
        if not is_known or its_name in locals_:
            its_name = f"values_of_{name}"
            names = {its_name: chosen}
        values = ast.parse(f"{its_name}({', '.join(own)})", mode="eval").body
    return values, names, chosen.__code__.co_firstlineno if beside else function.lineno


def _names_in(code: CodeType) -> set[str]:
    """Return the names that are a function's own."""
    return {*code.co_varnames, *code.co_cellvars, *code.co_freevars}


def _to_write_out(
    chosen: Callable[..., Any], own: Sequence[str], locals_: set[str]
) -> ast.expr | None:
    """Return the expression that a choice is; None where an action would give it another meaning.

    Parameters
    ----------
    own
        What the choice is called with.
    locals_
        The action's own names, which a name of the choice must not meet there.
    """
    body, code = _only_expression(chosen), chosen.__code__
    if body is None or code.co_freevars or code.co_argcount != len(own):
        return None
    taken = set(code.co_varnames[: len(own)])
    loaded: set[str] = set()
    stored: set[str] = set()
    for node in ast.walk(body):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else stored).add(node.id)
        elif isinstance(node, ast.arg):
            stored.add(node.arg)
    meets = (loaded - taken - stored) & locals_ or stored & {*own, *taken}
    return None if meets else body


def _begun(
    function: ast.FunctionDef,
    apply: Callable[..., bool],
    text: str,
    line: int,
    names: dict[str, Any],
) -> Callable[..., bool]:
    """Return a copy of an action that begins with some statements of its own."""
    first = 1 if ast.get_docstring(function) is not None else 0
    for number, statement in enumerate(ast.parse(text).body):
        _put_at(statement, line)
        function.body.insert(first + number, statement)
    return _compiled(function, apply, names)


def _not_among(name: str, values: ast.expr, space: dict[str, Any]) -> ast.expr:
    """Return the condition that a parameter has none of some values."""
    value: ast.expr = ast.Name(name, ast.Load())
    match values:
        case ast.Call(ast.Name("range"), [*first, beyond], []) if len(first) < 2:
            low = first[0] if first else ast.Constant(0)
            starred = any(isinstance(part, ast.Starred) for part in (low, beyond))
            if not starred and space.get("range", range) is range:
                within = ast.Compare(low, [ast.LtE(), ast.Lt()], [value, beyond])
                return ast.UnaryOp(ast.Not(), within)
    return ast.Compare(value, [ast.NotIn()], [values])


@cache
def applied_to(function: Callable[..., bool], arguments: tuple[int, ...]) -> Callable[..., bool]:
    """Return the predicate of states that a function is for some further arguments."""
    names = {f"argument_{number}": value for number, value in enumerate(arguments)}
    text = f"def of_arguments(s, k):\n    return predicate(s, k, {', '.join(names)})"
    return _written(text, function, {"predicate": function, **names})


@dataclass(frozen=True)
class Part:
    """One of several conditions of which each suffices, as ``b`` is in ``a or b or c``.

    ``number`` counts the parts of an action from 0; ``test`` is the condition that it is a part of,
    and ``text`` the part itself, as source text.  ``is_guard`` says whether that is a guard.
    """

    number: int
    test: str
    text: str
    is_guard: bool


def parts(apply: Callable[..., bool]) -> tuple[Part, ...]:
    """Return the parts of the conditions of an action, in the order of its source."""
    listed = enumerate(_parts(syntax_tree(apply)))
    return tuple(
        Part(number, ast.unparse(condition.test), ast.unparse(joined.values[index]), is_guard)
        for number, (condition, joined, index, is_guard) in listed
    )


def _parts(function: ast.FunctionDef) -> Iterator[tuple[ast.If, ast.BoolOp, int, bool]]:
    """Yield each part: its condition, what joins it to others, its index there; if in a guard."""
    own = _guards(function)
    for condition in sorted([*own, *_conditions(function)], key=lambda node: node.lineno):
        for joined in _disjunctions(condition.test, negated=False):
            for index in range(len(joined.values)):
                yield condition, joined, index, condition in own


def _disjunctions(test: ast.expr, negated: bool) -> Iterator[ast.BoolOp]:
    """Yield what a condition joins by `or`; under a `not` that is what it joins by `and`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _disjunctions(test.operand, not negated)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is negated:
            yield test
        for value in test.values:
            yield from _disjunctions(value, negated)


def without_part(apply: Callable[..., bool], number: int) -> Callable[..., bool]:
    """Return a copy of an action in which a condition lacks one of its parts."""
    function = syntax_tree(apply)
    condition, joined, index, _ = list(_parts(function))[number]
    condition.test = _Without(joined, index).visit(condition.test)
    return _compiled(function, apply)


class _Without(ast.NodeTransformer):
    """Leaves one part out of a disjunction; a part that is then alone stands for itself."""

    def __init__(self, joined: ast.BoolOp, index: int) -> None:
        self._joined, self._index = joined, index

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """Return what stands for a condition."""
        if node is not self._joined:
            self.generic_visit(node)
            return node
        del node.values[self._index]
        return node if len(node.values) > 1 else node.values[0]


def counted(apply: Callable[..., bool], variable: str, most: int) -> Callable[..., bool]:
    """Return an action that counts the steps of another one in a variable of the state.

    After `most` steps it is no longer enabled.
    """
    names = inspect.signature(apply).parameters
    called, state = ", ".join(names), next(iter(names))
    text = f"""def counted({called}):
    if {state}.{variable} == {most} or not {_ACTION}({called}):
        return False
    {state}.{variable} += 1
    return True"""
    return _written(text, apply, {_ACTION: apply})


def names_of(apply: Callable[..., Any]) -> dict[str, Any]:
    """Return what an action can name outside of it, as :func:`syntax_tree` shows it."""
    readable = _readable(apply)
    return {**readable.__globals__, **_closed_over(readable)}


@cache
def _watched(apply: Callable[..., bool]) -> Callable[..., Any]:
    """Return a copy of an action whose guards return their number and the local variables."""
    function = syntax_tree(apply)
    for number, node in enumerate(_guards(function)):
        node.body = ast.parse(f"return {number}, dict(locals())", mode="exec").body
        ast.increment_lineno(node.body[0], node.lineno)
    return _compiled(function, apply)


def _closed_over(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the values that a function has from the functions around it, by their names."""
    values = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):
            # A cell may have nothing yet.
            values[name] = cell.cell_contents
    return values


def _compiled(
    function: ast.FunctionDef, apply: Callable[..., Any], names: dict[str, Any] | None = None
) -> Callable[..., Any]:
    """Return a changed copy of an action, in its own namespace: its module keeps the original."""
    return _made(function, _readable(apply), names)


def _written(text: str, original: Callable[..., Any], names: dict[str, Any]) -> FunctionType:
    """Return a function with this text, in the place of the one that it calls."""
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    _put_at(tree, original_of(original).__code__.co_firstlineno)
    return _made(tree, original, names)


def _put_at(tree: ast.AST, line: int) -> None:
    """Give everything in a syntax tree the same line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.arg)):
            node.lineno = node.end_lineno = line


def _made(
    function: ast.FunctionDef, original: Callable[..., Any], names: dict[str, Any] | None
) -> FunctionType:
    """Return a function with this syntax tree, in the namespace of the one that it stands for."""
    function.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([function], type_ignores=[]))
    code = original_of(original).__code__
    names = {**_closed_over(original_of(original)), **(names or {})}
    # What the module defines later is known to a copy, too, unless it needs names of its own.
    space = {**original.__globals__, **names} if names else original.__globals__
    made_here: dict[str, Any] = {}
    # A copy has the line numbers of its original.  What is wrong in it is wrong in a user's file;
    # where that is one of ours, it is the copy that is wrong.
    file = code.co_filename
    if not is_users(file):
        file = f"<copy of {original.__name__}>"
        show_as(file, linecache.getlines(code.co_filename))
    exec(compile(module, file, "exec", __future__.annotations.compiler_flag), space, made_here)
    made: FunctionType = made_here[function.name]
    for name in ("__name__", "__qualname__", "__doc__"):
        setattr(made, name, getattr(original, name))
    made.syntax_tree = function  # type: ignore[attr-defined]
    made.copy_of = original  # type: ignore[attr-defined]
    return made


def _values(
    test: ast.expr, space: dict[str, Any], again: Callable[[], object]
) -> dict[str, object]:
    """Return the value of every variable, element and call in a condition, outermost first."""
    values: dict[str, object] = {}
    _collect(test, space, again, values)
    return values


def _written_out(
    test: ast.expr, space: dict[str, Any], inside: tuple[FunctionType, ...]
) -> Iterator[tuple[ast.expr, dict[str, Any]]]:
    """Yield the bodies of the functions that a condition calls, with its arguments filled in.

    Each comes with the names that it needs besides those of the condition.

    Parameters
    ----------
    inside
        The functions whose bodies the condition is in, which may call themselves.
    """
    for node in ast.walk(test):
        called = _object(node.func, space) if isinstance(node, ast.Call) else None
        if not isinstance(node, ast.Call) or not isinstance(called, FunctionType):
            continue
        body = _only_expression(called)
        if body is not None and called not in inside:
            parameters = called.__code__.co_varnames[: called.__code__.co_argcount]
            expressions = dict(zip(parameters, node.args, strict=False))
            expression: ast.expr = _Substitution(expressions).visit(copy.deepcopy(body))
            names = names_of(called)
            yield expression, names
            yield from _written_out(expression, {**names, **space}, (*inside, called))


class _Substitution(ast.NodeTransformer):
    """Replaces names by expressions."""

    def __init__(self, expressions: dict[str, ast.expr]) -> None:
        self._expressions = expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the expression for a name."""
        return self._expressions.get(node.id, node)


def _collect(
    node: ast.expr, space: dict[str, Any], again: Callable[[], object], values: dict[str, object]
) -> None:
    if isinstance(node, (ast.Attribute, ast.Subscript, ast.Name, ast.Call)):
        value = _object(node, space)
        if isinstance(node, ast.Call):
            again()
        if isinstance(value, (int, str)):
            values[ast.unparse(node)] = value
            return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _collect(child, space, again, values)


def _object(node: ast.expr, space: dict[str, Any]) -> object:
    """Return the value of an expression of a guard, even a function; None if evaluation fails."""
    try:
        return eval(compile(ast.Expression(node), "<guard>", "eval"), dict(space))
    except Exception:  # noqa: BLE001 - a later part of a condition may fail here
        return None
