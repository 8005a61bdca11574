"""The report of a gate as JSON, for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...core.version import __version__
from ..results import CellOutcome
from .findings import pointers

ONLY_SARIF = ("statement", "source")
"""What a reader of this report finds with the property itself."""


def document(
    outcomes: Sequence[CellOutcome], file: str, tier: str, seconds: float
) -> dict[str, Any]:
    """Return all that a gate found, ready to be written as JSON."""
    return {
        "tidegate": __version__,
        "file": file,
        "tier": tier,
        "passed": all(outcome.good for outcome in outcomes),
        "counts": dict(Counter(outcome.status.lower() for outcome in outcomes)),
        "seconds": round(seconds, 3),
        "cells": [_cell(outcome) for outcome in outcomes],
    }


def _cell(outcome: CellOutcome) -> dict[str, Any]:
    cell = outcome.cell
    return {
        **_about(outcome),
        "title": cell.title,
        "tier": cell.tier,
        "status": outcome.status.lower(),
        "findings": [
            {**asdict(finding), "place": asdict(pointers(outcome, finding)[0])}
            for finding in outcome.findings
        ],
        "properties": [
            {name: value for name, value in asdict(prop).items() if name not in ONLY_SARIF}
            for prop in outcome.properties
        ],
        "distinct_states": outcome.states,
        "depth": outcome.depth,
        "never_enabled": list(outcome.never_enabled),
        "in_vain": list(outcome.in_vain),
        "engine": outcome.engine,
        "declared_pure": outcome.declared_pure,
        "symmetry": outcome.symmetry,
        "broken_assumption": outcome.broken_assumption,
        "interpreted_because": list(map(str, outcome.interpreted_because)),
        "seconds": round(outcome.seconds, 3),
        "traces": [trace.itf for trace in outcome.traces],
    }


def _about(outcome: CellOutcome) -> dict[str, Any]:
    """Return the subject of a cell: a protocol within bounds, or what real brokers do."""
    cell, brokers = outcome.cell, outcome.cell.brokers
    about: dict[str, Any] = {"protocol": cell.protocol, "bounds": cell.bounds}
    if brokers is None:
        return {**about, "pinned": {"distinct_states": cell.states, "depth": cell.depth}}
    conform = asdict(brokers) | {
        "expect": str(cell.expectations[0]),
        "forced": asdict(outcome.ran) if outcome.ran else None,
    }
    return {**about, "conform": conform}
