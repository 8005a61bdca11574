"""Writes to an element of a sequence through a name for it, as writes to the element itself.

After ``m = s.net[i]`` Python has a copy that knows where it was read: ``m.count = 1`` writes the
element and the copy, and fails if the sequence is no longer what it was.  Machine code, which does
not know where a copy was read, makes the same test, writes ``s.net[i].count = 1``, and reads ``m``
again.  Both mean the same where nothing else holds the copy, or a part of it that changes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from ...core.sources import names_of_elements
from .name_uses import (
    Uses,
    assigned,
    by_itself,
    changed_parts,
    changing_call,
    marked_call,
    placed_at,
    replace_in,
    written_paths,
)


def index_in(owner: Any, index: int) -> int:
    """Stand for an index, of which a negative literal counts from the end; it is never called."""
    raise NotImplementedError


def length_of(owner: Any) -> int:
    """Stand for the length of a sequence, and 0 for that of an array; it is never called."""
    raise NotImplementedError


def still_there(owner: Any, index: int, length: int, copy: Any) -> None:
    """Stand for the test that an element is as it was when it was read; it is never called.

    `length` is that of the sequence at that time.  A name for an element of an array is not a copy.
    """
    raise NotImplementedError


def as_written(text: str) -> str:
    """Return a text about code that was rewritten, with the names that the function has.

    >>> as_written("s.node[m__0].inbox[m__1].count is a text")
    'm.count is a text'
    >>> as_written("the call s?86.lines.pop(i?86), node[].inbox")
    'the call s.lines.pop(i), node[...].inbox'
    >>> as_written("the call str(v?4)")
    'the call str(v)'
    """
    text = re.sub(r"\b\w+\?(?!\w)", "a value that is chosen", text)
    text = re.sub(r"\b(\w+)\?\w+", r"\1", text)
    text = re.sub(rf"{re.escape(repr(by_itself))}(?:\(([^()]*)\))?", r"\1", text)
    text = re.sub(r"(?<=\w)\[\](?=\.|,| |$)", "[...]", text)
    return re.sub(r"\b[\w.]+\[(\w+)__\d+\](?:[\w.]*\[\1__\d+\])*", r"\1", text)


def with_elements_in_place(
    tree: ast.FunctionDef, space: Mapping[str, Any]
) -> ast.FunctionDef | None:
    """Return a function that writes to elements where it wrote through names; None if it does not.

    Parameters
    ----------
    space
        The names of its module.
    """
    tree = deepcopy(tree)
    uses = _Uses(tree, space)
    names = {
        name: reads[0]
        for name, reads in names_of_elements(tree).items()
        if uses.has_one_name(name)
        and all(_is_path(read, uses) for read in reads)
        and len({ast.dump(_without_indices(read)) for read in reads}) == 1
    }
    written = {root.id for path in written_paths(tree) if (root := _root(path)) is not None}
    uses.alone(names.keys() & written, set(changed_parts(tree)))
    writing = _Writing(names)
    changed = writing.visit(tree)
    assert isinstance(changed, ast.FunctionDef)
    return ast.fix_missing_locations(changed) if writing.writes else None


def _is_path(node: ast.expr, uses: Uses) -> bool:
    """Whether an expression goes from what always has one name to a part of that."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Subscript) and not _is_plain(node.slice):
            return False
        node = node.value
    return isinstance(node, ast.Name) and uses.is_fixed(node.id)


def _is_plain(node: ast.expr) -> bool:
    """Whether an index may be evaluated twice."""
    return not any(
        isinstance(part, (ast.Slice, ast.Call, ast.NamedExpr)) for part in ast.walk(node)
    )


def _indices(node: ast.expr) -> Iterator[ast.Subscript]:
    """Yield the subscripts of a path, from its beginning on."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        yield from _indices(node.value)
    if isinstance(node, ast.Subscript):
        yield node


def _index(name: str, number: int) -> str:
    """Return the name of an index of the element for which there is a name."""
    return f"{name}__{number}"


def _without_indices(read: ast.Subscript) -> ast.expr:
    path = deepcopy(read)
    for one in _indices(path):
        one.slice = ast.Constant(0)
    return path


def _root(node: ast.expr) -> ast.Name | None:
    """Return the name that a path begins with, unless it is that name."""
    path = node
    while isinstance(path, (ast.Attribute, ast.Subscript)):
        path = path.value
    return path if isinstance(path, ast.Name) and path is not node else None


class _Uses(Uses):
    """How a function uses the names that it has for elements."""

    def makes(self, node: ast.expr | None) -> bool:
        """Whether an expression may read an element."""
        return isinstance(node, ast.Subscript)


class _Writing(ast.NodeTransformer):
    """Replaces names for elements by their places, where these are written.

    Attributes
    ----------
    writes
        Whether there is such a place.
    """

    def __init__(self, names: Mapping[str, ast.Subscript]) -> None:
        self._names, self.writes = names, False

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """Return what stands for an assignment: of an element to a name, or to a part of it."""
        target, value = node.targets[0], node.value
        name = target.id if isinstance(target, ast.Name) else ""
        if name in self._names and isinstance(value, ast.Subscript):
            return self._read(name, value, node)
        return self._written(node, target, value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt | list[ast.stmt]:
        """Return what stands for a write that reads before."""
        return self._written(node, node.target, node.value)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        """Return what stands for the call of a method that changes an element, or a part of it."""
        method = changing_call(node)
        return self._written(node, method.func, *method.args) if method else node

    def _read(self, name: str, read: ast.Subscript, node: ast.stmt) -> ast.stmt:
        """Note the indices of an element when it is read, in one statement as before."""
        names: list[str] = []
        values: list[ast.expr] = []
        for number, one in enumerate(_indices(read)):
            names.append(_index(name, number))
            values.append(marked_call(index_in, deepcopy(one.value), deepcopy(one.slice)))
        names += [f"{name}__length", name]
        values += [marked_call(length_of, deepcopy(read.value)), read]
        targets = ast.Tuple([ast.Name(one, ast.Store()) for one in names], ast.Store())
        return placed_at(ast.Assign([targets], ast.Tuple(values, ast.Load())), node)

    def _written(
        self, node: ast.stmt, path: ast.expr, *values: ast.expr
    ) -> ast.stmt | list[ast.stmt]:
        """Return what stands for a statement that may write to a part of an element."""
        root = _root(path)
        if root is None or root.id not in self._names:
            return node
        if not all(_is_plain(one.slice) for one in _indices(path)):
            return node
        self.writes, name = True, root.id
        first = []
        for number, value in enumerate(values):
            # Python makes the test after the values are known.
            if any(isinstance(part, ast.Call) for part in ast.walk(value)):
                first.append(assigned(f"{name}__value{number}", deepcopy(value), node))
                replace_in(node, value, ast.Name(f"{name}__value{number}", ast.Load()))
        place = self._place(name)
        assert isinstance(place, ast.Subscript)
        there = marked_call(
            still_there,
            deepcopy(place.value),
            deepcopy(place.slice),
            ast.Name(f"{name}__length", ast.Load()),
            ast.Name(name, ast.Load()),
        )
        replace_in(node, root, place)
        again = assigned(name, self._place(name), node)
        return [*first, ast.copy_location(ast.Expr(there), node), node, again]

    def _place(self, name: str) -> ast.expr:
        """Return the element for which there is a name, with the indices that it was read by."""
        place = deepcopy(self._names[name])
        for number, one in enumerate(_indices(place)):
            one.slice = ast.Name(_index(name, number), ast.Load())
        return place
