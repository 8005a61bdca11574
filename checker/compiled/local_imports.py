"""Imports within a function, as assignments of what they give."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ...core.imports import full_name
from ...core.sources import nodes_of
from .values import UnsupportedError


def without_imports(tree: ast.FunctionDef, function: Callable[..., Any]) -> ast.FunctionDef:
    """Return a function that assigns constants where it imported names.

    Raises
    ------
    UnsupportedError
        If it imports a module that is not imported yet: its code would run in a step.
    """
    if not any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in nodes_of(tree)):
        return tree
    changed = _Imports(function).visit(deepcopy(tree))
    assert isinstance(changed, ast.FunctionDef)
    return ast.fix_missing_locations(changed)


class Constant(ast.Constant):
    """What an import gives, of which a copied tree has the same one: a module has no copy."""

    def __deepcopy__(self, memo: object) -> Constant:
        return ast.copy_location(Constant(self.value), self)


class _Imports(ast.NodeTransformer):
    """Replaces the imports of one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """Return the assignments that stand for ``import a.b``, of a, and ``import a.b as c``."""
        firsts = [one.name if one.asname else one.name.partition(".")[0] for one in node.names]
        return [
            self._assigned(node, one.asname or first, self._module(node, first))
            for one, first in zip(node.names, firsts, strict=True)
        ]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        """Return the assignments that stand for ``from a import b``."""
        name = "." * node.level + (node.module or "")
        module = self._module(node, name)
        missing = [one.name for one in node.names if not hasattr(module, one.name)]
        if missing:
            raise UnsupportedError(ast.unparse(node))
        return [
            self._assigned(node, one.asname or one.name, getattr(module, one.name))
            for one in node.names
        ]

    def _module(self, node: ast.stmt, name: str) -> object:
        module = sys.modules.get(full_name(self._function, name))
        if module is None:
            raise UnsupportedError(ast.unparse(node))
        return module

    def _assigned(self, node: ast.stmt, name: str, value: Any) -> ast.stmt:
        target = ast.Name(name, ast.Store())
        return ast.copy_location(ast.Assign([target], Constant(value)), node)
