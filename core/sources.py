"""The syntax tree of a function, found in its file."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from opcode import opmap
from types import CodeType, FunctionType
from typing import Any

from .errors import Line

Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Source:
    """A function's syntax tree, whose lines are those of the file."""

    node: Node
    file: str

    def line(self, node: ast.AST) -> Line:
        """Return the place of a part of the tree."""
        return self.file, getattr(node, "lineno", getattr(self.node, "lineno", 1))


LAMBDA = "<lambda>"
"""The name of every lambda."""


def as_function(node: Node) -> ast.FunctionDef:
    """Return a lambda as a function that returns its expression."""
    assert not isinstance(node, ast.AsyncFunctionDef)
    if isinstance(node, ast.FunctionDef):
        return node
    result = ast.copy_location(ast.Return(node.body), node.body)
    tree = ast.FunctionDef(LAMBDA, node.args, [result], [])
    return ast.fix_missing_locations(ast.copy_location(tree, node))


def is_own(function: Callable[..., Any]) -> bool:
    """Whether a function or a class is one of the user's, not of this package."""
    # A function that exec() made may be of no module.
    return str(function.__module__).partition(".")[0] != __name__.partition(".")[0]


def original_of(function: Any) -> Any:
    """Return the function in a file, of which this one may be a changed copy."""
    while (copied := getattr(function, "copy_of", None)) is not None:
        function = copied
    return function


def line_of(rule: Any) -> tuple[str, int] | None:
    """Return the line where a rule of a model begins, if it is in a file."""
    function = original_of(rule)
    # The predicate that is made from a witness is in no file of the model.
    code = getattr(getattr(function, "witness", function), "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code else None


def source_of(function: FunctionType) -> Source | None:
    """Return the source of a function; None if it is not at hand."""
    changed = getattr(function, "syntax_tree", None)
    if changed is not None:
        return Source(changed, original_of(function).__code__.co_filename)
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    node = _found("".join(lines), code) if lines else None
    return None if node is None else Source(node, code.co_filename)


def _found(text: str, code: CodeType) -> Node | None:
    """Return the function of a file that has this code."""
    first = code.co_firstlineno
    near = [node for node in _functions(text) if _first_line(node) == first]
    if code.co_name != LAMBDA:
        named = [node for node in near if getattr(node, "name", "") == code.co_name]
        return named[0] if len(named) == 1 else None
    lambdas = [node for node in near if isinstance(node, ast.Lambda)]
    spots = {
        (line, column)
        for line, _, column, _ in code.co_positions()
        if line is not None and column is not None and line >= first
    }
    holding = [node for node in lambdas if all(_holds(node.body, spot) for spot in spots)]
    return min(holding or lambdas, key=_size, default=None)


def _first_line(node: Node) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(one.lineno for one in decorators)])


def _holds(node: ast.expr, spot: tuple[int, int]) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return spot == (0, 0) or spot[1] == 0 or begin <= spot <= end


def _size(node: Node) -> tuple[int, int]:
    return (node.end_lineno or 0) - node.lineno, (node.end_col_offset or 0) - node.col_offset


@cache
def _functions(text: str) -> tuple[Node, ...]:
    """Return every function of a file."""
    return tuple(_walked(tree_of(text)))


@cache
def tree_of(text: str) -> ast.Module:
    """Return the syntax tree of a file; an empty one if it has none."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@cache
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return a syntax tree and all that is in it; it must not change any more."""
    return tuple(ast.walk(tree))


def _walked(tree: ast.AST) -> Iterator[Node]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield node


def global_names(code: CodeType) -> Iterator[str]:
    """Yield the names in code, and in functions within it, that are looked up in its module."""
    argument = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = argument << 8 | low
        if operation in _GLOBALS:
            # The lowest bit says how a global function is called.
            yield code.co_names[argument >> (operation == _LOAD_GLOBAL)]
        if operation != _EXTENDED:
            argument = 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from global_names(constant)


_LOAD_GLOBAL, _EXTENDED = opmap["LOAD_GLOBAL"], opmap["EXTENDED_ARG"]

_GLOBALS = {
    opmap[name]
    for name in (
        "LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS", "STORE_GLOBAL", "DELETE_GLOBAL",
    )
    if name in opmap
}  # fmt: skip
