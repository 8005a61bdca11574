"""Writes to a record that a function has made, as assignments to its name.

In Python the record changes; in machine code the name gets a record that differs in one variable.
Both mean the same where nothing else holds the record: :class:`_Uses` decides that from the code.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from types import FunctionType
from typing import Any, TypeGuard

from ...core.fields import Record
from ...core.sources import nodes_of


def replaced(record: Any, name: str, value: Any, is_made: bool) -> Any:
    """Stand for the record with another value of one part; it is translated, never called.

    `is_made` says that the record is surely made by name: in one that was taken out of a sequence,
    Python does not copy what is written to a part that is no variable.
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
    uses = _Uses(tree, space)
    names = {name for name in written if uses.has_one_name(name)}
    if not names:
        return tree
    made = {name: uses.is_made(name) for name in names}
    changed = _Replacing(made).visit(deepcopy(tree))
    assert isinstance(changed, ast.FunctionDef)
    return ast.fix_missing_locations(changed)


def _written(tree: ast.FunctionDef) -> set[str]:
    """Return the names that are assigned what a call returns, and of which a part is written."""
    written, results = set(), set()
    for node in nodes_of(tree):
        if _is_part_of_name(node) and isinstance(node.ctx, ast.Store):
            written.add(node.value.id)
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

    def _written(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> ast.stmt:
        if not _is_part_of_name(target) or target.value.id not in self._names:
            return node
        name = target.value.id
        arguments = [ast.Name(name, ast.Load()), ast.Constant(target.attr), value]
        arguments += [ast.Constant(self._names[name])]
        call = ast.Call(ast.Constant(replaced), arguments, [])  # type: ignore[arg-type]
        assigned = ast.Assign([ast.Name(name, ast.Store())], call)
        for part in ast.walk(assigned):
            if isinstance(part, (ast.expr, ast.stmt)) and not hasattr(part, "lineno"):
                ast.copy_location(part, node)
        return assigned


class _PartOfName(ast.Attribute):
    value: ast.Name


def _is_part_of_name(node: ast.AST) -> TypeGuard[_PartOfName]:
    """Whether a node is ``name.attribute``."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


def _is_of_state(node: ast.expr) -> bool:
    """Whether an expression names an attribute of something, or an element of such a one.

    A list of the function's own is no attribute; what an attribute holds copies records.
    """
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute)


def _is_taken_out(node: ast.AST | None) -> bool:
    """Whether an expression takes a record out of a sequence of the state."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("pop", "popleft")
        and _is_of_state(node.func.value)
    )


class _Uses:
    """How a function uses its local names."""

    def __init__(self, tree: ast.FunctionDef, space: Mapping[str, Any]) -> None:
        self._tree, self._space = tree, space
        self._parents = {
            child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
        }
        self._bound = {name for node in ast.walk(tree) for name in _bound_by(node)}
        self._local = self._bound | {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }

    def has_one_name(self, name: str) -> bool:
        """Whether a name has only records that the function makes, and no other name has them."""
        uses = [
            node for node in ast.walk(self._tree) if isinstance(node, ast.Name) and node.id == name
        ]
        return name not in self._bound and all(map(self._is_fit, uses))

    def is_made(self, name: str) -> bool:
        """Whether all records that a name has are made by name."""
        return not any(
            isinstance(node, ast.Name)
            and node.id == name
            and isinstance(node.ctx, ast.Store)
            and _is_taken_out(getattr(self._parents[node], "value", None))
            for node in ast.walk(self._tree)
        )

    def _is_fit(self, node: ast.Name) -> bool:
        """Whether a use of a name gives its record no other name."""
        parent = self._parents[node]
        if any(isinstance(one, _FUNCTIONS) for one in self._around(node)):
            # A function may be called later, and elsewhere.
            return False
        if isinstance(node.ctx, ast.Store):
            return _is_only_target(parent, node) and self._makes(parent.value)
        if _is_part_of_name(parent):
            return self._is_fit_part(parent)
        return isinstance(node.ctx, ast.Load) and (
            isinstance(parent, (ast.Return, ast.Compare)) or self._is_copied(node)
        )

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node lies in, without the function itself."""
        while (node := self._parents[node]) is not self._tree:
            yield node

    def _is_fit_part(self, node: ast.Attribute) -> bool:
        """Whether a use of an attribute is a write or a read, or the call of a method."""
        parent = self._parents[node]
        if not isinstance(node.ctx, ast.Load):
            return _is_only_target(parent, node) or isinstance(parent, ast.AugAssign)
        return not (isinstance(parent, ast.Call) and parent.func is node) or self._is_lost(parent)

    def _makes(self, node: ast.expr | None) -> bool:
        """Whether an expression makes a record, or takes one out of a sequence of the state."""
        if not isinstance(node, ast.Call):
            return False
        if _is_taken_out(node):
            return True
        made = self._global(node.func)
        return isinstance(made, type) and issubclass(made, Record)

    def _global(self, node: ast.expr) -> Any:
        """Return what a name of the module stands for."""
        if not isinstance(node, ast.Name) or node.id in self._local:
            return None
        return self._space.get(node.id)

    def _is_copied(self, node: ast.expr) -> bool:
        """Whether a record goes where it is copied, or to a function that does not keep it."""
        parent = self._parents[node]
        if isinstance(parent, (ast.List, ast.Tuple)):
            return self._is_copied(parent)
        if isinstance(parent, ast.keyword):
            parent = self._parents[parent]
        if isinstance(parent, ast.Call):
            if isinstance(parent.func, ast.Attribute):
                return _is_of_state(parent.func.value) and self._is_lost(parent)
            return isinstance(self._global(parent.func), FunctionType) and self._is_lost(parent)
        targets = getattr(parent, "targets", [getattr(parent, "target", None)])
        return isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and all(
            target is not None and _is_of_state(target) for target in targets
        )

    def _is_lost(self, node: ast.expr) -> bool:
        """Whether nothing of a result is used but its truth, or how it compares."""
        parent = self._parents[node]
        if isinstance(parent, ast.BoolOp):
            return self._is_lost(parent)
        if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return parent.test is node
        return isinstance(parent, (ast.Expr, ast.Compare, ast.UnaryOp))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _is_only_target(parent: ast.AST, node: ast.expr) -> TypeGuard[ast.Assign]:
    """Whether a node is all that a statement assigns to."""
    if isinstance(parent, ast.Assign):
        return parent.targets == [node]
    return isinstance(parent, ast.AnnAssign) and parent.target is node


def _bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds otherwise than by an assignment, and by any function."""
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    else:
        named = (getattr(node, part, None) for part in ("name", "rest"))
        yield from (name for name in named if isinstance(name, str))
