"""The names that a function binds, and the statements and blocks that it consists of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

from ..core.sources import Node, nodes_of
from .calls import Parameters


def parameter_names(node: Node) -> tuple[str, ...]:
    """Return the names of a function's parameters, in the order of its variables."""
    return Parameters.of(node.args).names


def own_parts(node: Node) -> list[ast.AST]:
    """Return every part of a function, without the functions inside it."""
    todo: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    parts: list[ast.AST] = []
    while todo:
        part = todo.pop()
        parts.append(part)
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo += ast.iter_child_nodes(part)
    return parts


def local_names(node: Node) -> set[str]:
    """Return the names that are local to a function."""
    names = set(parameter_names(node))
    for part in own_parts(node):
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
    return {name for part in own_parts(node) if isinstance(part, kind) for name in part.names}


@cache
def assignments(tree: ast.FunctionDef) -> dict[str, set[int]]:
    """Return for each local name the statements that assign to it."""
    nodes: dict[str, set[int]] = {name: {0} for name in parameter_names(tree)}
    in_passing = any(isinstance(node, (ast.MatchAs, ast.NamedExpr)) for node in nodes_of(tree))
    for node in statements(tree.body):
        for name in stored(targets(node)):
            nodes.setdefault(name, set()).add(id(node))
        if isinstance(node, ast.FunctionDef):
            nodes.setdefault(node.name, set()).add(id(node))
            continue
        # A pattern may bind a name, and then not fit; a walrus may not be reached.
        for name in _bound_in_passing(node) if in_passing else ():
            nodes.setdefault(name, set()).update((id(node), -id(node)))
    return nodes


def _bound_in_passing(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds within an expression, or by a pattern."""
    inner = [case.pattern for case in node.cases] if isinstance(node, ast.Match) else []
    for part in (part for child in (*parts_of(node), *inner) for part in ast.walk(child)):
        if isinstance(part, ast.MatchAs) and part.name:
            yield part.name
        elif isinstance(part, ast.NamedExpr):
            yield part.target.id


def statements(block: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a block, with those within them, but for those of functions."""
    for node in block:
        yield node
        if not isinstance(node, ast.FunctionDef):
            for part in blocks_of(node):
                yield from statements(part)


def targets(node: ast.stmt) -> list[ast.expr]:
    """Return what a statement assigns to."""
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)) else []


def stored(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the local names that are assigned to in parts of a function."""
    return {
        part.id
        for node in nodes
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds otherwise than by an assignment."""
    names: set[str | None] = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.FunctionDef, ast.MatchAs)):
            names.add(node.name)
    return {name for name in names if name}


def parts_of(node: ast.stmt) -> list[ast.AST]:
    """Return the parts of a statement besides the statements in it."""
    inner = (ast.stmt, ast.match_case)
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, inner)]


def blocks_of(node: ast.stmt) -> list[list[ast.stmt]]:
    """Return the lists of statements in a statement."""
    blocks = [part for name in ("body", "orelse") if (part := getattr(node, name, None))]
    return [*blocks, *(case.body for case in getattr(node, "cases", ()))]
