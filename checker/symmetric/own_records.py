"""Writes to a record that a function has made, as assignments to its name.

In Python the record changes; in machine code the name gets a record that differs in one variable.
Both mean the same where nothing else holds the record, which :class:`.name_uses.Uses` decides.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from copy import copy, deepcopy
from typing import Any, cast

from ...core.fields import Record
from ...core.sources import nodes_of
from .name_uses import (
    PartOfName,
    Uses,
    assigned,
    changed_parts,
    is_of_state,
    is_part_of_name,
    marked_call,
)


def replaced(record: Any, name: str, value: Any, is_made: bool) -> Any:
    """Stand for the record with another value of one part; it is translated, never called.

    `is_made` says that the record is surely made by name: in one that was taken out of a sequence,
    Python does not copy a value on assignment to a part that is not a variable.
    """
    raise NotImplementedError


def with_replaced_records(tree: ast.FunctionDef, space: Mapping[str, Any]) -> ast.FunctionDef:
    """Return a function that assigns ``m = replaced(m, "x", 1)`` where it wrote ``m.x = 1``.

    Parameters
    ----------
    space
        The names of its module.
    """
    written = _written(tree)
    if not written:
        return tree
    tree = deepcopy(tree)
    uses = _Uses(tree, space)
    names = {name for name in written if uses.has_one_name(name)}
    if not names:
        return tree
    made = {name: uses.is_made(name) for name in names}
    uses.alone(names, set(changed_parts(tree)))
    changed = _Replacing(made).visit(tree)
    assert isinstance(changed, ast.FunctionDef)
    return ast.fix_missing_locations(changed)


def _written(tree: ast.FunctionDef) -> set[str]:
    """Return the names that are assigned what a call returns, and of which a part is written."""
    written, results = set(), set()
    for node in nodes_of(tree):
        if is_part_of_name(node) and isinstance(node.ctx, ast.Store):
            written.add(node.value.id)
        elif (call := _growing(node)) is not None:
            written.add(call.func.value.value.id)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            results |= {target.id for target in targets if isinstance(target, ast.Name)}
    return written & results


class _Replacing(ast.NodeTransformer):
    """Replaces writes to the records with these names; says whether all are made by name."""

    def __init__(self, names: Mapping[str, bool]) -> None:
        self._names = names

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """Return what stands for an assignment."""
        return self._written(node, node.targets[0], node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Return what stands for an assignment with an annotation."""
        return self._written(node, node.target, node.value) if node.value else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """Return what stands for a write that reads before."""
        before = deepcopy(node.target)
        if isinstance(before, ast.Attribute):
            before.ctx = ast.Load()
        value = ast.copy_location(ast.BinOp(before, node.op, node.value), node)
        return self._written(node, node.target, value)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """Return what stands for the call of a method that changes a container of the record."""
        if (call := _growing(node)) is None:
            return node
        path, [added] = call.func.value, call.args
        operator, several = GROWING[call.func.attr]
        if not several:
            added = (ast.List if operator is ast.Add else ast.Set)([added])
        value = ast.copy_location(ast.BinOp(path, operator(), added), node)
        return self._written(node, path, value, is_made=True)

    def _written(
        self, node: ast.stmt, target: ast.expr, value: ast.expr, is_made: bool = False
    ) -> ast.stmt:
        if not is_part_of_name(target) or target.value.id not in self._names:
            return node
        name = target.value.id
        here, part = ast.Name(name, ast.Load()), ast.Constant(target.attr)
        made = ast.Constant(is_made or self._names[name])
        return assigned(name, marked_call(replaced, here, part, value, made), node)


GROWING = {
    "append": (ast.Add, False), "extend": (ast.Add, True), "add": (ast.BitOr, False),
    "update": (ast.BitOr, True), "discard": (ast.Sub, False), "difference_update": (ast.Sub, True),
}  # fmt: skip
"""Methods that change a container, the operator that does, and whether they take several."""


class _Container(ast.Attribute):
    value: PartOfName


class _Growing(ast.Call):
    func: _Container


def _growing(node: ast.AST) -> _Growing | None:
    """Return the call of a method that changes a part of what has a name, as a statement."""
    call: Any = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return None
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr not in GROWING:
        return None
    return cast(_Growing, call) if is_part_of_name(method.value) else None


def _is_taken_out(node: ast.AST | None) -> bool:
    """Whether an expression takes a record out of a sequence of the state."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("pop", "popleft")
        and is_of_state(node.func.value)
    )


class _Uses(Uses):
    """How a function uses the names of records that it makes, or takes out of a sequence."""

    def makes(self, node: ast.expr | None) -> bool:
        """Whether an expression makes or copies a record, or takes one out of a sequence."""
        if not isinstance(node, ast.Call):
            return False
        if _is_taken_out(node) or self._copies(node):
            return True
        made = self.known(node.func)
        return isinstance(made, type) and issubclass(made, Record)

    def _copies(self, node: ast.AST | None) -> bool:
        """Whether an expression copies a record."""
        return isinstance(node, ast.Call) and self.known(node.func) in (copy, deepcopy)

    def is_made(self, name: str) -> bool:
        """Whether all records that a name has are made by name."""
        stores = [node for node in self.of(name) if isinstance(node.ctx, ast.Store)]
        values = [getattr(self._parents[node], "value", None) for node in stores]
        return not any(_is_taken_out(value) or self._copies(value) for value in values)
