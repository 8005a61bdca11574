"""Keys that cases of every kind have: limits and the tier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.bounds import unknown
from ..core.options import parse_size
from ..core.result import ENGINES
from .cells import TIERS, CellLimits
from .configuration_errors import SECONDS, TEXT, ConfigurationErrors, Kind, Path, shown

SHARED: dict[str, Kind] = {
    "engine": TEXT,
    "seconds": SECONDS,
    "memory": TEXT,
    "stalled": SECONDS,
    "tier": TEXT,
}


def drop_invalid(errors: ConfigurationErrors, path: Path, table: dict[str, Any]) -> None:
    """Record shared keys whose values do not exist, and drop them."""
    for key, choices in (("engine", ENGINES), ("tier", TIERS)):
        if table.get(key, choices[0]) not in choices:
            errors.add((*path, key), unknown(key, table.pop(key), choices))
    if "memory" in table and parse_size(table["memory"]) is None:
        value = shown(table.pop("memory"))
        text = f"memory = {value} is not an amount of at least 64M, such as 2G"
        errors.add((*path, "memory"), text)


def limits_of(case: Mapping[str, Any]) -> CellLimits:
    """Return the limits that a case sets."""
    memory = case.get("memory")
    return CellLimits(
        seconds=float(case.get("seconds", CellLimits.seconds)),
        memory=None if memory is None else parse_size(memory),
        stalled=float(case.get("stalled", CellLimits.stalled)),
        engine=case.get("engine", CellLimits.engine),
    )
