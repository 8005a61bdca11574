"""What a step may still do with a part of the state to which it has assigned a new object.

In Python the part is that object until the step ends: a list, a set, a record of Python's.  Machine
code copies its values at once, into a sequence, a set or a record of the state.  Some of what reads
or changes the part means the same for both.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache

from ...core.sources import parents_of
from ...language.methods import UPDATES

_SHOWS = frozenset({"len", "sum", "min", "max", "any", "all"})
"""Functions of Python's that give the same for a sequence and for a list."""

_OF_LISTS = frozenset({"append", "clear", "extend", "pop", "remove"})
_OF_SETS = frozenset({"add", "clear", "discard", "remove", *UPDATES})
"""Methods that do the same to a container of the state and to one of Python's."""

Means = Callable[[ast.AST, ast.Attribute], bool]
"""Whether a use of a part in a function means the same for both."""


def anything(function: ast.AST, use: ast.Attribute) -> bool:
    """Accept any use: a record of numbers is alike whether it is in the state or not."""
    return True


def without_name(function: ast.AST, use: ast.Attribute) -> bool:
    """Accept a use of a record's part, or a comparison; a loop may go on with another name."""
    parent, _ = _around(function, use)
    return isinstance(parent, (ast.Attribute, ast.Compare)) or isinstance(use.ctx, ast.Store)


def nothing(function: ast.AST, use: ast.Attribute) -> bool:
    """Accept no use."""
    return False


def like_a_set(function: ast.AST, use: ast.Attribute) -> bool:
    """Whether a use asks for members, or adds or removes some, but for any order."""
    parent, above = _around(function, use)
    return _is_asked(parent, use) or _is_method(parent, above, _OF_SETS)


def like_a_list(function: ast.AST, use: ast.Attribute) -> bool:
    """Whether a use reads or writes elements by an index, one by one, or at the end."""
    parent, above = _around(function, use)
    if isinstance(parent, ast.Subscript):
        return parent.value is use and not isinstance(parent.slice, ast.Slice)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is use
    return _is_asked(parent, use) or _is_method(parent, above, _OF_LISTS)


_parents = cache(parents_of)


def _around(function: ast.AST, use: ast.AST) -> tuple[ast.AST, ast.AST]:
    """Return what an expression lies in, and what that lies in."""
    parents = _parents(function)
    return parents[use], parents[parents[use]]


def _is_asked(parent: ast.AST, use: ast.AST) -> bool:
    """Whether a container is asked for a member, for its truth, or by a function that shows it."""
    if isinstance(parent, ast.Compare):
        return parent.left is not use and all(
            isinstance(op, (ast.In, ast.NotIn)) for op in parent.ops
        )
    if isinstance(parent, ast.Call):
        function = parent.func.id if isinstance(parent.func, ast.Name) else ""
        return function in _SHOWS and parent.args == [use]
    tests = isinstance(parent, (ast.If, ast.While, ast.IfExp)) and parent.test is use
    return tests or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))


def _is_method(parent: ast.AST, above: ast.AST, methods: frozenset[str]) -> bool:
    """Whether one of some methods is called."""
    called = isinstance(above, ast.Call) and above.func is parent and not above.keywords
    return called and isinstance(parent, ast.Attribute) and parent.attr in methods
