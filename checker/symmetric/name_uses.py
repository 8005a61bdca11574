"""How a function uses the names that it has for records, of which machine code has copies.

In Python a record, or a container that it holds, may have several names, and changes for all of
them.  Machine code replaces the copy that one name has, so it must know that there is no other.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping
from copy import deepcopy
from functools import cache
from types import FunctionType
from typing import Any, TypeGuard

from ...core.fields import Record
from ...core.guards import read_node
from ...core.sources import parents_of
from ...language.lifetimes import is_changed_later
from ...language.methods import KEEPING_NOTHING, METHODS, WRITING
from ...language.names import looked_up


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


class PartOfName(ast.Attribute):
    """``name.attribute``."""

    value: ast.Name


def is_part_of_name(node: ast.AST) -> TypeGuard[PartOfName]:
    """Whether a node is ``name.attribute``."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


def is_of_state(node: ast.expr) -> bool:
    """Whether an expression names an attribute of something, or an element of such a one.

    A list of the function's own is not an attribute; what an attribute holds copies records.
    """
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute)


def changing_call(node: ast.AST) -> ast.Call | None:
    """Return the call of a method that may change an element or a part of it, as a statement.

    A method of one's own cannot write to an element, nor may it through a name.
    """
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or call.keywords or not isinstance(call.func, ast.Attribute):
        return None
    is_element = isinstance(call.func.value, ast.Name)
    return call if not is_element or call.func.attr == Record.assign.__name__ else None


def written_paths(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the paths to what a function writes, and to what its methods are to change."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.Delete)):
            yield from node.targets
        elif isinstance(node, ast.AugAssign):
            yield node.target
        elif (call := changing_call(node)) is not None:
            yield call.func


def changed_parts(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the parts of names that a function changes where they are, with these names."""
    assigns = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    replaced = {id(path) for node in assigns for path in node.targets}
    for path in written_paths(tree):
        part = path
        while isinstance(part, (ast.Attribute, ast.Subscript)):
            if is_part_of_name(part) and id(part) not in replaced:
                yield part.value.id, part.attr
            part = part.value


class Uses:
    """How a function uses the local names that it has for records.

    Parameters
    ----------
    space
        The names of its module.
    """

    def __init__(self, tree: ast.FunctionDef, space: Mapping[str, Any]) -> None:
        self._tree, self._space = tree, space
        self._parents = parents_of(tree)
        self._bound = {name for node in ast.walk(tree) for name in _bound_by(node)}
        self._local = self._bound | {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        }

    def of(self, name: str) -> list[ast.Name]:
        """Return where a name is."""
        return [node for node in self._parents if isinstance(node, ast.Name) and node.id == name]

    def has_one_name(self, name: str) -> bool:
        """Whether a name has only such records, and no other name has them."""
        return name not in self._bound and all(map(self._is_fit, self.of(name)))

    def is_fixed(self, name: str) -> bool:
        """Whether a name is what the function was called with, or is bound once."""
        stores = [node for node in self.of(name) if not isinstance(node.ctx, ast.Load)]
        if name in [argument.arg for argument in self._tree.args.args]:
            return not stores
        loops = (ast.For, ast.While, ast.comprehension)
        return len(stores) == 1 and not any(isinstance(n, loops) for n in self._around(stores[0]))

    def alone(self, names: Container[str], parts: Container[tuple[str, str]]) -> None:
        """Mark a value taken from a record that changes, which needs to be a number.

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
            if is_read and not self._is_consumed(taken, node.value.id, node.attr):
                marked = marked_call(by_itself, deepcopy(taken))
                replace_in(self._parents[taken], taken, marked)

    def _path(self, node: ast.expr) -> ast.expr:
        """Return the longest path that begins with another one."""
        parent = self._parents[node]
        if not (isinstance(parent, (ast.Attribute, ast.Subscript)) and parent.value is node):
            return node
        return self._path(parent)

    def _is_consumed(self, node: ast.expr, name: str, part: str) -> bool:
        """Whether nothing holds what an expression is when a part of a record changes."""
        parent = self._parents[node]
        if isinstance(parent, ast.BoolOp):
            return self._is_consumed(parent, name, part)
        if isinstance(parent, ast.Call):
            return parent.args == [node] and self._is_builtin(parent.func)
        if isinstance(parent, ast.For):
            # Python's loop goes on in a list that has changed.
            return not any((name, part) in changed_parts(one) for one in parent.body)
        # A slice is a copy.
        copies = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
        return copies or isinstance(parent, _CONSUMING) or self._is_lost(node)

    def _is_builtin(self, node: ast.expr) -> bool:
        """Whether a function of Python is called that keeps nothing, and returns no part."""
        if not isinstance(node, ast.Name) or node.id in self._local or node.id in self._space:
            return False
        return node.id in KEEPING_NOTHING

    def _is_fit(self, node: ast.Name) -> bool:
        """Whether a use of a name gives its record no other name."""
        parent = self._parents[node]
        if any(isinstance(one, FUNCTION_KINDS) for one in self._around(node)):
            # A function may be called later, and elsewhere.
            return False
        if isinstance(node.ctx, ast.Store):
            return is_only_target(parent, node) and self.makes(parent.value)
        if is_part_of_name(parent):
            return self._is_fit_part(parent)
        return isinstance(node.ctx, ast.Load) and (
            isinstance(parent, (ast.Return, ast.Compare))
            or (self._is_copied(node) and not self._is_kept(node))
        )

    def _is_kept(self, node: ast.Name) -> bool:
        """Whether the state may hold the record itself when it changes: an assigned part does."""
        if is_changed_later(self._tree, node.id, node, WRITING) is None:
            return False
        around: ast.AST = node
        while not isinstance(around := self._parents[around], (ast.stmt, ast.Call)):
            pass
        if isinstance(around, ast.Call):
            function = self.known(around.func)
            return isinstance(function, FunctionType) and may_keep(function)
        targets = getattr(around, "targets", [getattr(around, "target", None)])
        return any(isinstance(target, ast.Attribute) for target in targets)

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node lies in, without the function itself."""
        while (node := self._parents[node]) is not self._tree:
            yield node

    def _is_fit_part(self, node: ast.Attribute) -> bool:
        """Whether a use of an attribute is a write or a read, or the call of a method."""
        parent = self._parents[node]
        if isinstance(node.ctx, ast.Load):
            return True
        return is_only_target(parent, node) or isinstance(parent, ast.AugAssign)

    def makes(self, node: ast.expr | None) -> bool:
        """Whether an expression makes a record of which the uses of a name are known."""
        raise NotImplementedError

    def known(self, node: ast.expr) -> Any:
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
                return is_of_state(parent.func.value) and self._is_lost(parent)
            return isinstance(self.known(parent.func), FunctionType) and self._is_lost(parent)
        targets = getattr(parent, "targets", [getattr(parent, "target", None)])
        return isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and all(
            target is not None and is_of_state(target) for target in targets
        )

    def _is_lost(self, node: ast.expr) -> bool:
        """Whether nothing of a result is used but its truth, or how it compares."""
        parent = self._parents[node]
        if isinstance(parent, ast.BoolOp):
            return self._is_lost(parent)
        if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return parent.test is node
        return isinstance(parent, (ast.Expr, ast.Compare, ast.UnaryOp))


@cache
def may_keep(function: FunctionType) -> bool:
    """Whether a function may assign an argument, or a part of one, to a part of the state."""
    todo, read = [function], set[FunctionType]()
    while todo:
        one = todo.pop()
        if one in read:
            continue
        read.add(one)
        try:
            tree = read_node(one)
        except (OSError, SyntaxError):
            return True
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if _stores(node):
                return True
            if isinstance(node, ast.Call) and not _copies(node.func, own):
                known = looked_up(one, node.func.id) if isinstance(node.func, ast.Name) else None
                if isinstance(known, FunctionType):
                    todo.append(known)
                elif not (isinstance(known, type) and issubclass(known, Record)):
                    return True
    return False


def _stores(node: ast.AST) -> bool:
    """Whether a statement may assign a container or a record to an attribute."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = [one for target in targets for one in ast.walk(target)]
    stored = any(isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) for one in parts)
    return stored and not isinstance(node.value, _NUMBERS)


def _copies(function: ast.expr, own: Container[str]) -> bool:
    """Whether what a call gets is copied, or kept only by a function that is read anyway."""
    if isinstance(function, ast.Attribute):
        return function.attr in _COPIES
    return isinstance(function, ast.Name) and (function.id in own or function.id in KEEPING_NOTHING)


_NUMBERS = (ast.BinOp, ast.Compare, ast.Constant, ast.UnaryOp)
"""What gives a new value, or one that nobody can change."""

_COPIES = frozenset({*WRITING, *METHODS, "count", "get", "index", "items", "keys", "values"})
"""Methods of containers and records, which hold copies and return parts or new values."""

_CONSUMING = (ast.AugAssign, ast.BinOp, ast.Return, ast.Starred, ast.comprehension)
FUNCTION_KINDS = (ast.FunctionDef, ast.Lambda)


def is_only_target(parent: ast.AST, node: ast.expr) -> TypeGuard[ast.Assign]:
    """Whether a node is all that a statement assigns to."""
    if isinstance(parent, ast.Assign):
        return parent.targets == [node]
    return isinstance(parent, ast.AnnAssign) and parent.target is node


def _bound_by(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds otherwise than by an assignment, and by any function."""
    if isinstance(node, ast.arg):
        yield node.arg
    else:
        name = getattr(node, "name", None)
        if isinstance(name, str):
            yield name
