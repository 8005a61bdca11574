"""Cells of one file that cannot all pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.bounds import BoundsError
from ..core.bounds import shown as bounds_shown
from ..core.errors import SelectionError
from ..library.names import find_protocol, is_custom
from .cells import Cell, Expectation, expanded
from .configuration_errors import ConfigurationErrors, Path


def note_contradictions(errors: ConfigurationErrors, cells: Sequence[tuple[Cell, Path]]) -> None:
    """Note where two cases expect different things of one search, or of the same brokers."""
    known: dict[object, tuple[str, Cell]] = {}
    for cell, path in cells:
        for key, about, expected in _claims(cell):
            before, earlier = known.setdefault((about, *key), (expected, cell))
            if before != expected:
                errors.add(
                    (*path, about),
                    f"{cell.name}: {expected}, but line {earlier.line} expects: {before}; "
                    "keep one of them",
                )


def _claims(cell: Cell) -> Iterator[tuple[tuple[object, ...], str, str]]:
    """Yield the subject of each claim, the key of the case that makes it, and the expectation."""
    if cell.brokers:
        yield (cell.brokers.kafka, cell.within), "expect", str(cell.expectations[0])
        return
    expectations = _expectations(cell)
    search = cell.protocol.lower(), _bounds(cell)
    for one in expectations:
        verdict = str(Expectation(one.name, one.violated))
        yield (*search, one.name.lower()), "", verdict
    names = tuple(sorted(one.name.lower() for one in expectations))
    for name, pinned in (("states", cell.states), ("depth", cell.depth)):
        if pinned is not None:
            # Symmetry changes the counts, and no verdict.
            yield (*search, cell.symmetry, names), name, f"{name} = {pinned}"


def _expectations(cell: Cell) -> list[Expectation]:
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
