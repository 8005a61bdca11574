"""Whether a function still needs what a name or a part of the state stands for."""

from __future__ import annotations

import ast

from ..core.sources import Node

_ENDING = ast.Return, ast.Raise
"""What ends a function: what follows belongs to other ways."""


def is_read_later(function: Node, name: str, node: ast.expr) -> bool:
    """Whether a function may read a name after an expression in it has run.

    It may in a function that it defines, and where a loop goes through that expression again; it
    does not after another value is assigned to the name, or after a return.
    """
    if isinstance(function, ast.Lambda):
        return _reads(function, name, _end(node))
    inner = [one for one in ast.walk(function) if isinstance(one, (ast.FunctionDef, ast.Lambda))]
    if any(_reads(one, name) for one in inner if one is not function):
        return True
    way = _way(function, node)
    if isinstance(node, ast.Call) and way and _reads(way[-1][1][0], name, _end(node)):
        return True
    for owner, (here, *following) in reversed(way):
        if isinstance(here, _ENDING):
            return False
        for statement in following:
            if _reads(statement, name):
                return True
            if isinstance(statement, _ENDING):
                return False
            if not isinstance(statement, ast.For) and _gives(statement, name):
                return False
        goes_again = isinstance(owner, (ast.For, ast.While)) and not _gives(owner, name)
        if goes_again and _reads(owner, name):
            return True
    return False


def is_read_once(function: Node, name: str, statement: ast.stmt) -> bool:
    """Whether a statement, in what it evaluates first, is all that reads a name, and reads it once.

    Nothing goes through that place again: no function, and no loop but one over what the name has.
    """
    uses = [one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == name]
    first = getattr(statement, _FIRST.get(type(statement), ""), None)
    return len(uses) == 2 and isinstance(first, ast.expr) and _has_once(first, name)


_FIRST: dict[type[ast.stmt], str] = {
    ast.Return: "value", ast.Assign: "value", ast.AnnAssign: "value", ast.If: "test",
    ast.For: "iter",
}  # fmt: skip
"""What a statement evaluates first."""


def _has_once(part: ast.expr, name: str) -> bool:
    """Whether an expression has a name where it is evaluated at most once."""
    if isinstance(part, ast.Name):
        return part.id == name
    if isinstance(part, ast.Lambda):
        return False
    if isinstance(part, (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)):
        return _has_once(part.generators[0].iter, name)
    return any(
        _has_once(one.value if isinstance(one, ast.keyword) else one, name)
        for one in ast.iter_child_nodes(part)
        if isinstance(one, (ast.expr, ast.keyword))
    )


def _way(owner: ast.AST, node: ast.AST) -> list[tuple[ast.AST, list[ast.stmt]]]:
    """Return the blocks down to an expression: what each belongs to, and the rest of it."""
    for _, block in ast.iter_fields(owner):
        parts = block if isinstance(block, list) else []
        for number, part in enumerate(parts):
            if any(one is node for one in ast.walk(part)):
                here = [(owner, parts[number:])] if isinstance(part, ast.stmt) else []
                return [*here, *_way(part, node)]
    return []


def _reads(part: ast.AST, name: str, since: tuple[int, int] = (0, 0)) -> bool:
    """Whether a part of a function reads a name, at a line and a column or later."""
    return any(
        isinstance(one, ast.Name)
        and one.id == name
        and isinstance(one.ctx, ast.Load)
        and (one.lineno, one.col_offset) >= since
        for one in ast.walk(part)
    )


def _gives(statement: ast.AST, name: str) -> bool:
    """Whether a statement assigns a value to a name in any case, or each round of a loop does."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AnnAssign, ast.For)):
        targets = [statement.target]
    names = [one for part in targets for one in ast.walk(part) if isinstance(one, ast.Name)]
    return any(one.id == name and isinstance(one.ctx, ast.Store) for one in names)


def _end(node: ast.expr) -> tuple[int, int]:
    """Return where an expression ends: its line and column."""
    return node.end_lineno or 0, node.end_col_offset or 0
