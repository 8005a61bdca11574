"""The syntax tree of a function, verified to be what Python runs.

Python runs the code that it compiled when the file was imported; whoever reads the file reads what
may have changed since.  So the tree is compiled again, and accepted only if that gives the
function's code.  From then on the code identifies the tree.
"""

from __future__ import annotations
import __future__

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from types import CodeType
from typing import Any

from ..core.sources import LAMBDA, as_function, source_of


class UnreadableError(Exception):
    """Says what is wrong with a function's source, and has the repair.

    Parameters
    ----------
    what
        What is wrong, in words that continue "its source".
    repair
        What to do.
    """

    def __init__(self, what: str, repair: str) -> None:
        super().__init__(what)
        self.repair = repair


def verified(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function; nobody may change it.

    Raises
    ------
    UnreadableError
        If its source is not at hand, or is not what the function was compiled from.
    """
    return _verified(function, function.__code__)


@cache
def _verified(function: Any, code: CodeType) -> ast.FunctionDef:
    """Return the syntax tree of a function; `code` tells versions apart."""
    try:
        # That of a wrapper is its own, not the one of what it wraps.
        source = source_of(function)
        if source is None:
            raise OSError
        tree = as_function(source.node)
        is_source = _gives(tree, code, ()) or _gives(tree, code, _imports(function))
    except (AssertionError, OSError, SyntaxError, ValueError):
        repair = "write the model in a file, or declare that function with @tidegate.pure"
        raise UnreadableError("is not at hand", repair) from None
    if not is_source:
        what = "is not what Python runs (it changed since it was imported, or was replaced)"
        raise UnreadableError(what, "save the file again, and start again")
    return tree


_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


def _gives(tree: ast.FunctionDef, code: CodeType, imports: tuple[str, ...]) -> bool:
    """Whether a tree compiles to this code in a module that imports these names."""
    return described(code) in map(described, _compiled(tree, code, imports))


def _imports(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names that the module of a function imports.

    CPython calls ``name.attribute()`` in another way where the name is one of these (compile.c,
    ``is_import_originated``).
    """
    lines, _ = inspect.findsource(function)
    return _imported("".join(lines))


@cache
def _imported(source: str) -> tuple[str, ...]:
    """Return the names that a module imports outside functions and classes."""
    names: set[str] = set()
    todo: list[ast.AST] = [ast.parse(source)]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            todo += ast.iter_child_nodes(node)
    return tuple(sorted(names - {"*"}))


def _compiled(
    tree: ast.FunctionDef, code: CodeType, imports: tuple[str, ...]
) -> Iterator[CodeType]:
    """Yield the code that a tree compiles to, with the same free names as in `code`.

    Parameters
    ----------
    imports
        Names that its module imports.
    """
    function: ast.stmt = tree
    if tree.name == LAMBDA:
        [result] = tree.body
        assert isinstance(result, ast.Return)
        assert result.value is not None
        made = ast.copy_location(ast.Lambda(tree.args, result.value), tree)
        function = ast.copy_location(ast.Expr(made), tree)
    within = 0
    if owner := _owner(code.co_qualname):
        # A class gives its name to names that begin with two underscores.
        function = ast.ClassDef(owner, [], [], [function], [])
        within += 1
    free = [name for name in code.co_freevars if not within or name != "__class__"]
    if free:
        # A name is free in a function if an enclosing function assigns it.
        around = ast.parse("def around(): pass").body[0]
        assert isinstance(around, ast.FunctionDef)
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in free]
        around.body = [ast.Assign(targets, ast.Constant(None)), function]
        function = around
        within += 1
    named = [ast.Import([ast.alias(name) for name in imports])] if imports else []
    module = ast.fix_missing_locations(ast.Module([*named, function], type_ignores=[]))
    flags = code.co_flags & _FUTURE
    outer = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    for _ in range(within):
        [outer] = (part for part in outer.co_consts if isinstance(part, CodeType))
    for part in outer.co_consts:
        if isinstance(part, CodeType) and part.co_name == tree.name:
            yield part


def _owner(qualified: str) -> str:
    """Return the innermost class that a function lies in, by its qualified name; empty for none.

    >>> _owner("Order.inc"), _owner("make.<locals>.inner"), _owner("Order.inc.<locals>.inner")
    ('Order', '', 'Order')
    """
    pairs = pairwise(qualified.split("."))
    classes = [name for name, after in pairs if "<locals>" not in (name, after)]
    return classes[-1] if classes else ""


def described(code: CodeType) -> str:
    """Return all of a function's code as text: equal text means equal behaviour."""
    return repr(tuple(_parts(code)))


def _parts(code: CodeType) -> Iterator[object]:
    # The flag of nested functions does not matter to behaviour.
    yield code.co_name, code.co_flags & ~inspect.CO_NESTED, code.co_code, code.co_exceptiontable
    yield code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    yield code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    yield [_constant(value) for value in code.co_consts]


def _constant(value: object) -> str:
    """Return a constant of code as text."""
    if isinstance(value, CodeType):
        return described(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_constant, value))})"
    if isinstance(value, frozenset):
        # Its order differs between processes.
        return f"{{{','.join(sorted(map(_constant, value)))}}}"
    return repr(value)
