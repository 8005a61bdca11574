"""Which steps to try in a state, where the values of parameters depend on it.

An action may have a hundred thousand choices of its arguments, of which a state enables two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .containers import Bag
from .errors import ModelError, blaming
from .text import untabled
from .vocabulary import Action, Instance, Selection

Tree = dict[int, Any]
"""Instances by the values of the selected parameters, one after the other."""


def trees(
    instances: Sequence[Instance],
) -> dict[tuple[int, tuple[int, ...]], tuple[Action, list[int], Tree]]:
    """Return those of instances whose action selects parameters, by action and other arguments.

    Each comes with the action, the arguments of the first one, and the tree.
    """
    groups: dict[tuple[int, tuple[int, ...]], tuple[Action, list[int], Tree]] = {}
    for index, instance in enumerate(instances):
        if not instance.action.selections:
            continue
        row = list(instance.arguments)
        selected = [each.place for each in instance.action.selections]
        rest = tuple(value for place, value in enumerate(row) if place not in selected)
        key = id(instance.action), rest
        _, _, tree = groups.setdefault(key, (instance.action, row, {}))
        *before, last = selected
        for place in before:
            tree = tree.setdefault(row[place], {})
        tree[row[last]] = index
    return groups


class Narrowing:
    """Finds, of the instances of a system, those that a state may enable.

    Parameters
    ----------
    here
        Returns the state that the record holds, for an error.
    """

    def __init__(self, instances: Sequence[Instance], here: Callable[[], object]) -> None:
        self._groups = trees(instances)
        self._here = here
        self._always = [
            index for index, instance in enumerate(instances) if not instance.action.selections
        ]

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
    others = [untabled(row[place]) for place in first.others]
    if {first.place, *(each.place for each in rest)} & {*first.others}:
        # It depends on a later choice: its guard decides.
        values: Iterable[int] = tree
    else:
        chosen: Any = first.values(*terms, *others)
        values = range(len(chosen)) if first.by_index else _members(chosen)
    for value in values:
        if value in tree:
            if not rest:
                yield tree[value]
                continue
            row[first.place] = value
            yield from _below(tree[value], rest, row, terms)
        elif first.known is not None and value not in first.known(terms[1], *others):
            raise ModelError(
                f"it lists {value!r}, which its code does not seem to; say which values there are "
                "at all: (lambda k: range(k.items), lambda s, k: ...)"
            )


def _members(values: Any) -> Iterable[int]:
    """Return each value once."""
    if isinstance(values, Bag):
        return [number for number in range(len(values.counts)) if number in values]
    return dict.fromkeys(values)
