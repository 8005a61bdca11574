"""Reads what a function imports while the model runs."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..beside import full_name
from .objects import MISSING
from .values import ANYTHING, Known, Value

if TYPE_CHECKING:
    from .body import Body


def imported(body: Body, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Value]]:
    """Yield the names that a statement imports, with what they stand for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield alias.asname or first, _module(body, node, alias.name if alias.asname else first)
        return
    space: dict[str, Any] = body.function.__globals__ if body.function else {}
    name = "." * node.level + (node.module or "")
    for alias in node.names:
        yield alias.asname or alias.name, _part(body, node, name, alias.name, space)


def _module(body: Body, node: ast.AST, name: str) -> Value:
    """Return a module."""
    attribute = sys.modules.get(full_name(body.function, name))
    if attribute is None:
        body.find(node, f"{ast.unparse(node)} runs code that cannot be read; import it above")
        return ANYTHING
    return Known(attribute)


def _part(body: Body, node: ast.AST, module: str, name: str, space: dict[str, Any]) -> Value:
    """Return what is imported from a module."""
    if module.startswith("."):
        try:
            module = importlib.util.resolve_name(module, space.get("__package__"))
        except ImportError:
            return ANYTHING
    value = _module(body, node, module)
    if not isinstance(value, Known):
        return value
    attribute = getattr(value.value, name, MISSING)
    if attribute is MISSING:
        return _module(body, node, f"{module}.{name}")
    if why := body.reader.objects.refused(attribute):
        body.find(node, f"{name} {why}")
    return Known(attribute)
