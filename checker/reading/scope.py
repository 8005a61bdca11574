"""Jumps in a function, and the values of its variables after several ways."""

from __future__ import annotations

import ast
from collections.abc import Sequence

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
