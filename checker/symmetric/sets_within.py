"""Changes of a set in a list or a dictionary of the function's own, as assignments.

In Python ``votes[v].add(i)`` changes the set where it is, for everything that has it.  Machine code
puts another one in its place.  Both mean the same where nothing else has the set: the function
makes each of them for its place, and keeps none of them elsewhere before the last change.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeGuard

from ...core.sources import nodes_of, parents_of
from ...language.methods import KEEPING_NOTHING, METHODS, OPERATIONS, UPDATES
from .name_uses import placed_at

_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)

_METHODS = {
    update: name for update, op in UPDATES.items() for name, o in OPERATIONS.items() if o is op
}
"""The methods that change a set, and those which return what it becomes."""

_READING = METHODS - _METHODS.keys()
"""Those that return another set, or a truth value."""

_LOOPS = (ast.For, ast.While)


def with_sets_replaced(tree: ast.FunctionDef, space: Mapping[str, Any]) -> ast.FunctionDef:
    """Return a function that assigns ``d[k] = d[k] | {v}`` where it wrote ``d[k].add(v)``.

    Parameters
    ----------
    space
        The names of its module.
    """
    names = {element.id for node in nodes_of(tree) if (element := _changed(node))}
    if not names:
        return tree
    tree = deepcopy(tree)
    uses = _Uses(tree, space)
    fit = {name for name in names if uses.are_fit(name)}
    if not fit:
        return tree
    changed = _Replacing(fit).visit(tree)
    assert isinstance(changed, ast.FunctionDef)
    return ast.fix_missing_locations(changed)


def _owner(node: ast.AST, method: str) -> ast.Name | None:
    """Return the container whose element an expression is, by an index or by a method."""
    owner = None
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        owner = node.value
    elif _calls(node, method, 2) and _is_new(node.args[1]):
        owner = node.func.value
    return owner if isinstance(owner, ast.Name) else None


class _MethodCall(ast.Call):
    """``owner.method(...)``."""

    func: ast.Attribute


def _calls(node: ast.AST, method: str, count: int) -> TypeGuard[_MethodCall]:
    """Whether an expression is the call of a method with so many arguments."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
        and len(node.args) == count
        and not node.keywords
    )


def _changed(node: ast.AST) -> ast.Name | None:
    """Return the container whose element a statement changes; None if it changes none."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, _OPERATORS):
        element: ast.AST = node.target
    else:
        call = node.value if isinstance(node, ast.Expr) else node
        method = next((m for m in ("add", "discard", *_METHODS) if _calls(call, m, 1)), "")
        if not isinstance(node, ast.Expr) or not _calls(call, method, 1):
            return None
        element = call.func.value
    # The key is evaluated twice, and the rest between the two.
    calls = any(isinstance(part, ast.Call) for part in ast.walk(_key(element)))
    names = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
    return None if calls or names else _owner(element, "setdefault")


def _key(element: ast.AST) -> ast.AST:
    if isinstance(element, ast.Subscript):
        return element.slice
    return element.args[0] if isinstance(element, ast.Call) and element.args else element


def _is_new(node: ast.expr) -> bool:
    """Whether an expression is a set that nothing else has."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "set"
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _OPERATORS)
    return isinstance(node, (ast.Set, ast.SetComp))


class _Uses:
    """Who may have the sets in a function's lists and dictionaries."""

    def __init__(self, tree: ast.FunctionDef, space: Mapping[str, Any]) -> None:
        self._tree, self._space = tree, space
        self._parents = parents_of(tree)
        self._bound = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)} | {
            one.id for one in self._names() if not isinstance(one.ctx, ast.Load)
        }

    def _names(self) -> list[ast.Name]:
        return [one for one in self._parents if isinstance(one, ast.Name)]

    def are_fit(self, name: str) -> bool:
        """Whether nothing else has a set in a container of this name before its last change."""
        uses = [one for one in self._names() if one.id == name]
        changes = [node for node in self._parents if (one := _changed(node)) and one.id == name]
        stores = [use for use in uses if isinstance(use.ctx, ast.Store)]
        return (
            "set" not in self._bound
            and name not in {one.arg for one in ast.walk(self._tree) if isinstance(one, ast.arg)}
            and all(map(self._makes, stores))
            and all(self._is_fit(use, changes, stores) for use in uses if use not in stores)
        )

    def _makes(self, store: ast.Name) -> bool:
        """Whether a name is assigned a container that is empty, or has sets of its own."""
        parent = self._parents[store]
        alone = isinstance(parent, ast.AnnAssign) or (
            isinstance(parent, ast.Assign) and parent.targets == [store]
        )
        node = parent.value if alone and isinstance(parent, (ast.AnnAssign, ast.Assign)) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if self._space.get(node.func.id) is defaultdict:
                return list(map(ast.unparse, node.args)) == ["set"]
            return node.func.id in ("dict", "list") and not node.args
        if isinstance(node, ast.ListComp):
            return _is_new(node.elt)
        if isinstance(node, ast.DictComp):
            return _is_new(node.value)
        if isinstance(node, ast.Dict):
            return None not in node.keys and all(map(_is_new, node.values))
        return isinstance(node, ast.List) and all(map(_is_new, node.elts))

    def _is_fit(
        self, use: ast.Name, changes: Sequence[ast.AST], stores: Sequence[ast.Name]
    ) -> bool:
        """Whether a use changes a set, puts a new one there, looks at one, or is after all that."""
        around = list(self._around(use))
        if not isinstance(use.ctx, ast.Load) or any(
            isinstance(one, (ast.FunctionDef, ast.Lambda)) for one in around
        ):
            return False
        if any(_changed(one) is use for one in around) or self._is_put(use, *around[:3]):
            return True
        if self._is_looked_at(use):
            return True
        return all(self._is_after(use, around, change, stores) for change in changes)

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node lies in, without the function itself."""
        while (node := self._parents[node]) is not self._tree:
            yield node

    def _is_put(self, use: ast.Name, *around: ast.AST) -> bool:
        """Whether a new set gets a place in a container, or one leaves it for good."""
        parent, above = around[0], around[1] if len(around) > 1 else around[0]
        if isinstance(parent, ast.Subscript):
            if isinstance(above, ast.Assign) and above.targets == [parent]:
                return _is_new(above.value)
            return isinstance(parent.ctx, ast.Del)
        if not isinstance(around[-1], ast.Expr) or around[-1].value is not above:
            return False
        if _calls(above, "append", 1):
            return _is_new(above.args[0])
        return _calls(above, "setdefault", 2) and _is_new(above.args[1])

    def _is_looked_at(self, use: ast.Name) -> bool:
        """Whether a container, or an element of it, only decides, or is computed with."""
        node: ast.AST = use
        parent = self._parents[use]
        if _owner(parent, "get") is use:
            node, parent = parent, self._parents[parent]
        elif isinstance(parent, ast.Attribute) and _owner(self._parents[parent], "get") is use:
            node = self._parents[parent]
            parent = self._parents[node]
        if isinstance(parent, ast.Attribute):
            return node is not use and parent.attr in _READING
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute):
            return node is not use and parent.func.attr in METHODS and node in parent.args
        if isinstance(parent, ast.Call):
            called = parent.func.id if isinstance(parent.func, ast.Name) else ""
            keeps_none = called in KEEPING_NOTHING if node is not use else called == "len"
            # With several arguments, or a default, min() and max() return one of them.
            alone = parent.args == [node] and not parent.keywords
            return keeps_none and called not in self._bound and alone
        if isinstance(parent, ast.comprehension):
            return node is not use
        if isinstance(parent, ast.BinOp):
            return isinstance(parent.op, _OPERATORS) and node is not use
        while isinstance(parent, ast.BoolOp):
            node, parent = parent, self._parents[parent]
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
            return parent.test is node
        return isinstance(parent, (ast.Compare, ast.UnaryOp))

    def _is_after(
        self,
        use: ast.Name,
        around: Sequence[ast.AST],
        change: ast.AST,
        stores: Sequence[ast.Name],
    ) -> bool:
        """Whether a change of a set never follows a use of its container."""
        assert isinstance(change, ast.stmt)
        ends = change.end_lineno or 0, change.end_col_offset or 0
        both = set(self._around(change)) & set(around)
        # A loop that makes the container anew has another one in each round.
        made = {self._parents[store] for store in stores}
        loops = [one for one in both if isinstance(one, _LOOPS)]
        again = [loop for loop in loops if not made & {*loop.body}]
        return (use.lineno, use.col_offset) >= ends and not again


class _Replacing(ast.NodeTransformer):
    """Replaces the changes of sets in the containers of some names."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        """Return the assignment for the call of a method that changes a set."""
        owner = _changed(node)
        if owner is None or owner.id not in self._names:
            return node
        call = node.value
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        before, [argument] = self._read(call.func.value, owner), call.args
        if call.func.attr in _METHODS:
            method = ast.Attribute(before, _METHODS[call.func.attr], ast.Load())
            after: ast.expr = ast.Call(method, [argument], [])
        else:
            operator = ast.BitOr() if call.func.attr == "add" else ast.Sub()
            after = ast.BinOp(before, operator, ast.Set([argument]))
        changed = self._assigned(call.func.value, owner, after, node)
        if isinstance(call.func.value, ast.Subscript):
            return changed
        # The key is there before the argument is computed.
        return [placed_at(ast.Expr(call.func.value), node), changed]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """Return the assignment for an operator that changes a set."""
        owner = _changed(node)
        if owner is None or owner.id not in self._names:
            return node
        after = ast.BinOp(self._read(node.target, owner), node.op, node.value)
        return self._assigned(node.target, owner, after, node)

    def _read(self, element: ast.expr, owner: ast.Name) -> ast.expr:
        """Return the expression that reads an element."""
        key = deepcopy(_key(element))
        assert isinstance(key, ast.expr)
        return ast.Subscript(ast.Name(owner.id, ast.Load()), key, ast.Load())

    def _assigned(
        self, element: ast.expr, owner: ast.Name, value: ast.expr, node: ast.stmt
    ) -> ast.stmt:
        key = deepcopy(_key(element))
        assert isinstance(key, ast.expr)
        target = ast.Subscript(ast.Name(owner.id, ast.Load()), key, ast.Store())
        return placed_at(ast.Assign([target], value), node)
