"""Which steps to try in a state, where the values of parameters depend on it.

An action may have a hundred thousand choices of its arguments, of which a state enables two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .containers import Bag
from .errors import blaming
from .vocabulary import Action, Instance, Selection

Tree = dict[int, Any]
"""Instances by the values of the selected parameters, one after the other."""


class Narrowing:
    """Finds, of the instances of a system, those that a state may enable.

    Parameters
    ----------
    here
        Returns the state that the record holds, for an error.
    """

    def __init__(self, instances: Sequence[Instance], here: Callable[[], object]) -> None:
        self._always: list[int] = []
        self._groups: dict[tuple[int, tuple[int, ...]], tuple[Action, list[int], Tree]] = {}
        self._here = here
        for index, instance in enumerate(instances):
            action = instance.action
            if not action.selections:
                self._always.append(index)
                continue
            row = list(instance.arguments)
            selected = [each.place for each in action.selections]
            rest = tuple(value for place, value in enumerate(row) if place not in selected)
            _, _, tree = self._groups.setdefault((id(action), rest), (action, row, {}))
            *before, last = selected
            for place in before:
                tree = tree.setdefault(row[place], {})
            tree[row[last]] = index

    @property
    def narrows(self) -> bool:
        """Whether there is anything to leave out."""
        return bool(self._groups)

    def candidates(self, record: Any, constants: Any) -> list[int]:
        """Return the indices of the instances that the state in `record` may enable, in order."""
        chosen = list(self._always)
        for action, row, tree in self._groups.values():
            with blaming(f"the choice of {action.name}", self._here):
                chosen += _below(tree, action.selections, list(row), (record, constants))
        return sorted(chosen)


def _below(
    tree: Tree, selections: Sequence[Selection], row: list[int], terms: tuple[Any, Any]
) -> Iterator[int]:
    """Yield the instances of those values that the state chooses.

    Parameters
    ----------
    row
        The arguments that are known; at the places of `selections` are others.
    """
    first, *rest = selections
    if {first.place, *(each.place for each in rest)} & {*first.others}:
        # It depends on what is chosen after it: its guard decides.
        values: Iterable[int] = tree
    else:
        values = _members(first.values(*terms, *(row[place] for place in first.others)))
    for value in values:
        if value in tree:
            if not rest:
                yield tree[value]
                continue
            row[first.place] = value
            yield from _below(tree[value], rest, row, terms)


def _members(values: Any) -> Iterable[int]:
    """Return each value once."""
    if isinstance(values, Bag):
        return [number for number in range(len(values.counts)) if number in values]
    return dict.fromkeys(values)
