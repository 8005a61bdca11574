"""From a plain Python function to LLVM: ``|=`` of a set and ``+=`` of a sequence of the state.

In Python both change where they are, and so they do for each name that they have.
"""

from __future__ import annotations

import ast
from typing import Any

from ...core.containers import Ordered, Seq, Set
from .containers import is_list, is_set_operator
from .distinct import is_record_set
from .expressions import Expressions, Written
from .function import Scope
from .sequences import is_value
from .values import Bits, Constant, Made, Places, StateRef, UnsupportedError, Value


class InPlace:
    """Translates augmented assignments to what is a part of the state, or a name for one."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.scope, self.out, self.expressions = scope, scope.out, expressions
        self._collections, self._sequences = expressions.calls.collections, expressions.sequences

    def changes(self, place: Value | Written, node: ast.AugAssign) -> bool:
        """Translate a change of a set or a sequence; return whether it is one."""
        options = place.options if isinstance(place, Places) else (place,)
        if any(isinstance(option, Made) and _is_container(option) for option in options):
            raise UnsupportedError(
                f"{ast.unparse(node)}, which changes a part of a copy (write to the element "
                "itself, as in s.queue[0].part |= x, or make another value, part = part | x),"
            )
        parts = [one for one in options if isinstance(one, StateRef) and _is_container(one)]
        if not parts or len(parts) < len(options):
            return False
        self.scope.write(f"writing {ast.unparse(node.target)}")
        with self.scope.reading(any(map(is_value, parts))):
            # Python has read the element, and would write to what is in its place.
            added = self._added(parts, node)
        if not isinstance(place, Places):
            self._change(parts[0], node, added)
            return True
        for number, part in enumerate(parts):
            here, on = self.out.label("here"), self.out.label("on")
            self.out.branch(self.out.compare("eq", place.which, Constant(number)), here, on)
            self.out.place_label(here)
            self._change(part, node, added)
            self.out.place_label(on)
        return True

    def _added(self, parts: list[StateRef], node: ast.AugAssign) -> Any:
        """Return the operand, which is a set, or has the new elements of a sequence."""
        if all(isinstance(part.sample, Set) for part in parts):
            numbers = self._collections.numbers(self.expressions.known(node.value))
            if numbers is None or not is_set_operator(node.op):
                raise UnsupportedError(f"{ast.unparse(node)}, which does not fit a set of numbers,")
            return numbers
        if all(map(is_record_set, parts)) and is_set_operator(node.op):
            return self.expressions.known(node.value)
        if all(isinstance(part.sample, Seq) for part in parts) and isinstance(node.op, ast.Add):
            return self._sequences.values(node.value)
        raise UnsupportedError(f"{ast.unparse(node)}, an operator that no such container has,")

    def _change(self, part: StateRef, node: ast.AugAssign, added: Any) -> None:
        if is_record_set(part):
            self._collections.distinct.change(part, node.op, added, node)
        elif isinstance(added, Bits):
            self._collections.change(part, node.op, added)
        else:
            self._sequences.extend(part, added, node.target)


def refuse_list(value: Value, node: ast.AugAssign) -> None:
    """Refuse the change of a list or a set in a list, which may have another name.

    Raises
    ------
    UnsupportedError
        If a value is one.
    """
    if is_list(value):
        target = ast.unparse(node.target)
        raise UnsupportedError(
            f"{ast.unparse(node)}, a change of a list or a set in a list (write {target} = "
            f"{target} ... instead),"
        )


def _is_container(value: StateRef | Made) -> bool:
    """Whether a part of a record is a set or a sequence."""
    sample = value.sample
    if isinstance(sample, type):
        return issubclass(sample, (Set, Ordered))
    return isinstance(sample, (Set, Ordered))
