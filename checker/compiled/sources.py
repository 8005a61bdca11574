"""The syntax tree of a function, verified to be what Python runs.

Python runs the code that it compiled when the file was imported; the translator reads the file,
which may have changed since.  So the tree is compiled again, and accepted only if that gives the
function's code.  From then on the code identifies the tree.
"""

from __future__ import annotations
import __future__

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType
from typing import Any

from ...core.guards import read_tree
from .matches import without_matches
from .values import UnsupportedError

_FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})


def plain_tree(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a plain function.

    Raises
    ------
    UnsupportedError
        If its source is not available, or is not what the function was compiled from.
    """
    if function.__name__ == "<lambda>":
        raise UnsupportedError("a lambda, which is no def,")
    # For a wrapper, Python shows the source of the wrapped function.
    wraps = hasattr(function, "__wrapped__")
    tree = None if wraps else _tree(function, function.__code__)
    if tree is None:
        raise UnsupportedError(f"{function.__name__}, which is decorated,")
    if tree.args.vararg or tree.args.kwarg or tree.args.kwonlyargs:
        raise UnsupportedError(f"{function.__name__}, which takes arguments by * or **,")
    return tree


@cache
def _tree(function: Callable[..., Any], code: CodeType) -> ast.FunctionDef:
    """Return the syntax tree of a function; `code` tells versions apart."""
    try:
        tree = read_tree(function)
        is_source = _gives(tree, code, ()) or _gives(tree, code, _imports(function))
    except (AssertionError, OSError, SyntaxError, ValueError):
        raise UnsupportedError(f"{function.__name__}, whose source is not at hand,") from None
    if not is_source:
        raise UnsupportedError(
            f"{function.__name__}, whose source is not what Python runs (it changed since it was "
            "imported, or was replaced),"
        )
    return without_matches(tree)


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
    body: list[ast.stmt] = [tree]
    if code.co_freevars:
        # A name is free in a function if an enclosing function assigns it.
        around = ast.parse("def around(): pass").body[0]
        assert isinstance(around, ast.FunctionDef)
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in code.co_freevars]
        around.body = [ast.Assign(targets, ast.Constant(None)), tree]
        body = [around]
    if imports:
        body = [ast.Import([ast.alias(name) for name in imports]), *body]
    module = ast.fix_missing_locations(ast.Module(body, type_ignores=[]))
    flags = code.co_flags & _FUTURE
    outer = compile(module, code.co_filename, "exec", flags, dont_inherit=True)
    if code.co_freevars:
        [outer] = (part for part in outer.co_consts if isinstance(part, CodeType))
    for part in outer.co_consts:
        if isinstance(part, CodeType) and part.co_name == tree.name:
            yield part


def described(code: CodeType, lines: bool = False) -> str:
    """Return all of a function's code as text: equal text means equal behaviour.

    Parameters
    ----------
    lines
        Whether line numbers count.
    """
    return repr(tuple(_parts(code, lines)))


def _parts(code: CodeType, lines: bool) -> Iterator[object]:
    # The flag of nested functions does not matter to behaviour.
    yield code.co_name, code.co_flags & ~inspect.CO_NESTED, code.co_code, code.co_exceptiontable
    yield code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    yield code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    yield [_constant(value, lines) for value in code.co_consts]
    if lines:
        yield code.co_firstlineno, code.co_linetable


def _constant(value: object, lines: bool) -> str:
    """Return a constant of code as text."""
    if isinstance(value, CodeType):
        return described(value, lines)
    if isinstance(value, tuple):
        return f"({','.join(_constant(part, lines) for part in value)})"
    if isinstance(value, frozenset):
        # Its order differs between processes.
        return f"{{{','.join(sorted(_constant(part, lines) for part in value))}}}"
    return repr(value)
