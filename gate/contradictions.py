"""Cells of one file that cannot all pass."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.named import SelectionError, find_protocol, is_custom
from ..core.bounds import BoundsError
from ..core.bounds import shown as bounds_shown
from .cells import Cell, Expectation, expanded
from .configuration_errors import ConfigurationErrors

_Numbered = tuple[Cell, int]
"""A cell and the number of its case."""


def note_contradictions(errors: ConfigurationErrors, cells: Sequence[_Numbered]) -> None:
    """Note where two cases expect different things of the same protocol within the same bounds."""
    verdicts: dict[tuple[str, str, str], tuple[Expectation, _Numbered]] = {}
    pins: dict[tuple[str, str, str, tuple[str, ...]], tuple[int, _Numbered]] = {}
    for cell, case in cells:
        bounds = _bounds(cell)
        names = _names(cell)
        for expected in names:
            key = (cell.protocol.lower(), bounds, expected.name.lower())
            first, (before, earlier) = verdicts.setdefault(key, (expected, (cell, case)))
            if first.violated != expected.violated and earlier != case:
                errors.add(
                    ("case", case),
                    f"{cell.name}: {expected.name} must "
                    f"{'be violated' if expected.violated else 'hold'}, but line {before.line} "
                    "expects the opposite; keep one of them",
                )
        for what, count in (("states", cell.states), ("depth", cell.depth)):
            if count is None:
                continue
            properties = tuple(sorted(one.name.lower() for one in names))
            pinned, (before, earlier) = pins.setdefault(
                (cell.protocol.lower(), bounds, what, properties), (count, (cell, case))
            )
            if pinned != count:
                errors.add(
                    ("case", case, what),
                    f"{cell.name}: {what} = {count}, but line {before.line} pins the same search "
                    f"to {pinned}; keep one of them",
                )


def _names(cell: Cell) -> list[Expectation]:
    """Return what a cell expects of each property, as far as that is known before it runs."""
    if cell.custom:
        return list(cell.expectations)
    try:
        return list(expanded(cell.expectations, find_protocol(cell.protocol)))
    except SelectionError:
        return []


def _bounds(cell: Cell) -> str:
    """Return the bounds of a cell in one form for all that mean the same."""
    if not is_custom(cell.protocol):
        try:
            return str(bounds_shown(find_protocol(cell.protocol).within(cell.bounds.split())))
        except (SelectionError, BoundsError):
            pass
    return " ".join(sorted(cell.bounds.split()))
