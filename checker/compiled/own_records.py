"""Writes to a record that a function has made, as assignments to its name.

In Python the record changes; in machine code the name gets a record that differs in one variable.
Both mean the same where nothing else holds the record: :class:`Uses` decides that from the code.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping
from copy import deepcopy
from types import FunctionType
from typing import Any, TypeGuard, cast

from ...core.fields import Record
from ...core.sources import nodes_of


def replaced(record: Any, name: str, value: Any, is_made: bool) -> Any:
    """Stand for the record with another value of one part; it is translated, never called.

    `is_made` says that the record is surely made by name: in one that was taken out of a sequence,
    Python does not copy what is written to a part that is no variable.
    """
    raise NotImplementedError


def by_itself(value: Any) -> Any:
    """Stand for a value that nobody can change: a number, no container; it is never called."""
    raise NotImplementedError


def marked_call(function: Any, *arguments: ast.expr) -> ast.Call:
    """Return the call of a function that stands for something, by itself and not by a name."""
    return ast.Call(ast.Constant(function), [*arguments], [])


def assigned(name: str, value: ast.expr, node: ast.stmt) -> ast.stmt:
    """Return an assignment to a name that stands for a statement."""
    return placed_at(ast.Assign([ast.Name(name, ast.Store())], value), node)


def placed_at(statement: ast.stmt, node: ast.stmt) -> ast.stmt:
    """Return a statement whose new parts are where the one is that it stands for."""
    for part in ast.walk(statement):
        if isinstance(part, (ast.expr, ast.stmt)) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return statement


def replace_in(tree: ast.AST, before: ast.expr, after: ast.expr) -> None:
    """Put an expression where another one is in a tree."""
    for node in ast.walk(tree):
        for name, part in ast.iter_fields(node):
            if part is before:
                setattr(node, name, after)
            elif isinstance(part, list):
                part[:] = [after if one is before else one for one in part]


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
    uses = Uses(tree, space)
    names = {name for name in written if uses.has_one_name(name)}
    if not names:
        return tree
    made = {name: uses.is_made(name) for name in names}
    uses.alone(names, set(_changed_parts(tree)))
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


def _changed_parts(tree: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield the parts of names that change where they are: their containers are not replaced."""
    for node in ast.walk(tree):
        part = node.target if isinstance(node, ast.AugAssign) else None
        if (call := _growing(node)) is not None:
            part = call.func.value
        if part is not None and is_part_of_name(part):
            yield part.value.id, part.attr


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
        operator, several = _GROWING[call.func.attr]
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


_GROWING = {
    "append": (ast.Add, False), "extend": (ast.Add, True), "add": (ast.BitOr, False),
    "update": (ast.BitOr, True), "discard": (ast.Sub, False), "difference_update": (ast.Sub, True),
}  # fmt: skip
"""Methods that change a container, the operator that does, and whether they take several."""


class _PartOfName(ast.Attribute):
    value: ast.Name


class _Container(ast.Attribute):
    value: _PartOfName


class _Growing(ast.Call):
    func: _Container


def _growing(node: ast.AST) -> _Growing | None:
    """Return the call of a method that changes a part of what has a name, as a statement."""
    call: Any = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return None
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr not in _GROWING:
        return None
    return cast(_Growing, call) if is_part_of_name(method.value) else None


def is_part_of_name(node: ast.AST) -> TypeGuard[_PartOfName]:
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


class Uses:
    """How a function uses its local names."""

    def __init__(
        self, tree: ast.FunctionDef, space: Mapping[str, Any], of_elements: bool = False
    ) -> None:
        self._tree, self._space, self._of_elements = tree, space, of_elements
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
        """Whether a name has only such records, and no other name has them."""
        uses = [
            node for node in ast.walk(self._tree) if isinstance(node, ast.Name) and node.id == name
        ]
        return name not in self._bound and all(map(self._is_fit, uses))

    def is_fixed(self, name: str) -> bool:
        """Whether a name is what the function was called with, or is bound once."""
        names = [node for node in self._parents if isinstance(node, ast.Name) and node.id == name]
        stores = [node for node in names if not isinstance(node.ctx, ast.Load)]
        if name in [argument.arg for argument in self._tree.args.args]:
            return not stores
        loops = (ast.For, ast.While, ast.comprehension)
        return len(stores) == 1 and not any(isinstance(n, loops) for n in self._around(stores[0]))

    def alone(self, names: Container[str], parts: Container[tuple[str, str]]) -> None:
        """Mark what is taken from a record that changes, which needs to be a number.

        In Python a container that is taken changes with the record where the record keeps it, and
        a method may return the record itself.

        Parameters
        ----------
        names
            Those of the records.
        parts
            Those parts of them that change where they are, each with the name of the record.
        """
        for node in list(self._parents):
            if not is_part_of_name(node) or node.value.id not in names:
                continue
            taken = self._path(node)
            parent = self._parents[taken]
            if isinstance(parent, ast.Call) and parent.func is taken:
                taken = parent
            elif (node.value.id, node.attr) not in parts:
                continue
            is_read = isinstance(getattr(taken, "ctx", ast.Load()), ast.Load)
            if is_read and not self._is_consumed(taken) and not self._is_lost(taken):
                marked = marked_call(by_itself, deepcopy(taken))
                replace_in(self._parents[taken], taken, marked)

    def _path(self, node: ast.expr) -> ast.expr:
        """Return the longest path that begins with another one."""
        parent = self._parents[node]
        if not (isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node):
            return node
        return self._path(parent)

    def _is_consumed(self, node: ast.expr) -> bool:
        """Whether nothing holds what an expression is, once the one around it is evaluated."""
        parent = self._parents[node]
        if isinstance(parent, ast.BoolOp):
            return self._is_consumed(parent)
        if isinstance(parent, ast.Call):
            return node in parent.args and self._is_builtin(parent.func)
        if isinstance(parent, (ast.For, ast.comprehension)):
            return node is not parent.target
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
            return parent.test is node
        # A slice is a copy.
        copies = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
        return copies or isinstance(parent, _CONSUMING)

    def _is_builtin(self, node: ast.expr) -> bool:
        """Whether a function of Python is called that keeps nothing, and returns no part."""
        if not isinstance(node, ast.Name) or node.id in self._local or node.id in self._space:
            return False
        return node.id in _KEEPING_NOTHING

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
        if is_part_of_name(parent):
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
        if isinstance(node.ctx, ast.Load):
            return True
        return _is_only_target(parent, node) or isinstance(parent, ast.AugAssign)

    def _makes(self, node: ast.expr | None) -> bool:
        """Whether an expression makes a record, or takes one out of a sequence of the state.

        Or, if that is asked for, whether it may read an element.
        """
        if self._of_elements:
            return isinstance(node, ast.Subscript)
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


_CONSUMING = (
    ast.Attribute, ast.AugAssign, ast.BinOp, ast.Compare, ast.Return, ast.Starred, ast.UnaryOp,
)  # fmt: skip
_KEEPING_NOTHING = frozenset({
    "all", "any", "bool", "frozenset", "len", "list", "max", "min", "set", "sorted", "sum", "tuple",
})  # fmt: skip

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
