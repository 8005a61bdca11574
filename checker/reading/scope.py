"""Names and jumps in a function, and the values of its variables after several ways."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...core.sources import Node
from .values import Value, joined


def together(ends: Sequence[dict[str, Value]]) -> dict[str, Value]:
    """Return the values of the variables after one of several ways."""
    result = dict(ends[0])
    for other in ends[1:]:
        for name, value in other.items():
            result[name] = joined(result.get(name), value) or value
    return result


def jumps(node: ast.AST) -> bool:
    """Whether a statement may leave its block."""
    return any(
        isinstance(part, (ast.Return, ast.Raise, ast.Break, ast.Continue))
        for part in ast.walk(node)
    )


def leaves(node: ast.AST) -> bool:
    """Whether a statement may leave the function."""
    return any(isinstance(part, (ast.Return, ast.Raise)) for part in ast.walk(node))


def _own(node: Node) -> list[ast.AST]:
    """Return every part of a function, without the functions inside it."""
    todo: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    parts: list[ast.AST] = []
    while todo:
        part = todo.pop()
        parts.append(part)
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo += ast.iter_child_nodes(part)
    return parts


def assigned(node: Node) -> set[str]:
    """Return the names that are local to a function."""
    arguments = node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    names = {one.arg for one in (*every, arguments.vararg, arguments.kwarg) if one is not None}
    for part in _own(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, (ast.Store, ast.Del)):
            names.add(part.id)
        elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(part.name)
        elif isinstance(part, (ast.Import, ast.ImportFrom)):
            names |= {(one.asname or one.name).partition(".")[0] for one in part.names}
        elif (isinstance(part, ast.ExceptHandler) and part.name) or (
            isinstance(part, (ast.MatchAs, ast.MatchStar)) and part.name
        ):
            names.add(part.name)
        elif isinstance(part, ast.MatchMapping) and part.rest:
            names.add(part.rest)
    return names - declared(node, ast.Global) - declared(node, ast.Nonlocal)


def declared(node: Node, kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """Return the names that a function declares global, or as those of an outer function."""
    return {name for part in _own(node) if isinstance(part, kind) for name in part.names}


def is_read_later(function: Node, name: str, node: ast.AST) -> bool:
    """Whether a function may read a name after a part of it has run.

    It may if a loop goes through that part again, unless the loop itself gives the name anew.
    """
    after = _end(_statement(function, node) if isinstance(node, ast.Subscript) else node)
    reads = [
        part
        for part in ast.walk(function)
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load)
    ]
    if any((part.lineno, part.col_offset) >= after for part in reads):
        return True
    around: list[ast.AST] = []
    for part in ast.walk(function):
        if isinstance(part, (ast.FunctionDef, ast.Lambda)) and part is not function:
            # It may be called later.
            around.append(part)
        elif isinstance(part, (ast.For, ast.While)) and not _gives(part, name) and _has(part, node):
            around.append(part)
    return any(_has(one, part) for one in around for part in reads)


def _gives(loop: ast.For | ast.While, name: str) -> bool:
    """Whether each round of a loop gives a name first."""
    target = loop.target if isinstance(loop, ast.For) else None
    names = ast.walk(target) if target is not None else ()
    return any(isinstance(part, ast.Name) and part.id == name for part in names)


def _has(outer: ast.AST, part: ast.AST) -> bool:
    return any(one is part for one in ast.walk(outer))


def _statement(function: Node, node: ast.AST) -> ast.AST:
    """Return the innermost statement with an expression in it."""
    around = [one for one in ast.walk(function) if isinstance(one, ast.stmt) and _has(one, node)]
    return around[-1] if around else node


def _end(node: ast.AST) -> tuple[int, int]:
    """Return where a part of a function ends: its line and column."""
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def falling(body: Sequence[ast.stmt]) -> ast.AST:
    """Return the last statement of a block that ends without a return, on the first such way."""
    last = body[-1]
    if isinstance(last, ast.If):
        if not _ends(last.body):
            return falling(last.body)
        return falling(last.orelse) if last.orelse else last
    if isinstance(last, ast.Match):
        return next((falling(c.body) for c in last.cases if not _ends(c.body)), last)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return falling(last.body)
    if isinstance(last, ast.Try):
        blocks = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
        return next((falling(block) for block in blocks if not _ends(block)), last)
    return last


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether every way through a block surely jumps out of it."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise, ast.Break, ast.Continue))
