"""Lists and sets of a function's own that change: which have one name, and what changes them.

The analysis follows values, not objects: a list that changes is another list, which its name gets.
That is what Python does if no other name, and no other list, holds the one that changes.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from typing import Any

from .name_uses import FUNCTION_KINDS, Uses, is_only_target, is_part_of_name, marked_call
from .own_records import GROWING
from .syntax import makes_list

_TAKING = (
    ast.AugAssign, ast.BinOp, ast.Compare, ast.FormattedValue, ast.Return, ast.Starred,
    ast.comprehension,
)  # fmt: skip
"""What takes the elements of a list, compares it, or ends the function."""


class OneName(Uses):
    """How a function uses the names of lists and sets that it makes."""

    def __init__(self, tree: ast.FunctionDef, space: Mapping[str, Any]) -> None:
        super().__init__(tree, space)
        # Asked once for each change, and again in each pass over a loop.
        self.is_alone = cache(self.has_one_name)

    def makes(self, node: ast.expr | None) -> bool:
        """Whether an expression makes a list or a set, or a copy of one."""
        is_other = isinstance(node, ast.Call) and not self._is_builtin(node.func)
        return node is not None and not is_other and makes_list(node)

    def _is_fit(self, node: ast.Name) -> bool:
        """Whether a use of a name gives its list no other name, and no loop goes over it."""
        parent = self._parents[node]
        if any(isinstance(one, FUNCTION_KINDS) for one in self._around(node)):
            return False
        if isinstance(node.ctx, ast.Store):
            return isinstance(parent, ast.AugAssign) or self.makes(self._given(node))
        if is_part_of_name(parent):
            call = self._parents[parent]
            return isinstance(call, ast.Call) and call.func is parent
        if isinstance(parent, ast.For):
            return not any(_changes(part, node.id) for one in parent.body for part in ast.walk(one))
        if isinstance(parent, ast.Call) and node in parent.args and self._is_builtin(parent.func):
            return True
        if isinstance(parent, ast.Subscript):
            return parent.value is node
        if isinstance(parent, ast.Assign | ast.AnnAssign):
            # Python keeps the object in the state until the step ends.
            return self._is_last(node) and self._is_copied(node)
        return isinstance(parent, _TAKING) or self._is_lost(node) or self._is_copied(node)

    def _is_last(self, node: ast.Name) -> bool:
        """Whether no statement after that of a name has it."""
        loops = (ast.For, ast.While)
        return not any(isinstance(one, loops) for one in self._around(node)) and all(
            one is node or one.lineno < node.lineno for one in self.of(node.id)
        )

    def _given(self, node: ast.Name) -> ast.expr | None:
        """Return what a name gets by an assignment that gives it to no other; None if unknown."""
        parent = self._parents[node]
        if is_only_target(parent, node):
            return parent.value
        statement = self._parents[parent]
        if not isinstance(parent, ast.Tuple) or not is_only_target(statement, parent):
            return None
        values = statement.value.elts if isinstance(statement.value, ast.Tuple) else []
        at = parent.elts.index(node)
        return values[at] if len(values) == len(parent.elts) else None


def _changes(node: ast.AST, name: str) -> bool:
    """Whether a node may change the list that has a name."""
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and node.target.id == name
    return is_part_of_name(node) and node.value.id == name


def changed(node: ast.AST) -> tuple[str, ast.BinOp] | None:
    """Return the name of what the call of a method changes, and what it has then.

    None for anything else: a call that does not change a list or a set, or whose result counts.
    """
    if not isinstance(node, ast.Call) or node.keywords or len(node.args) != 1:
        return None
    path, [added] = node.func, node.args
    if not is_part_of_name(path) or path.attr not in GROWING:
        return None
    operator, several = GROWING[path.attr]
    made: ast.expr
    if several:
        made = marked_call(list if operator is ast.Add else set, added)
    else:
        made = (ast.List if operator is ast.Add else ast.Set)([added])
    source = ast.BinOp(ast.Name(path.value.id, ast.Load()), operator(), made)
    for part in ast.walk(source):
        if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return path.value.id, source
