"""Cells that have passed, so that ``--cached`` need not search them again.

The key of an entry is a hash of all that decides: Tidegate's source, the versions of Python and of
the packages, the cell, and the sources of its model (``sources.py``).
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from ..analysis.named import is_custom
from ..checker.disk_cache import DiskCache
from .cells import Cell
from .results import CellOutcome, PropertyOutcome, Status
from .sources import digest

_PACKAGE = Path(__file__).parents[1]


def recorded(cell: Cell, root: Path) -> CellOutcome | None:
    """Return the outcome of a cell that passed, if nothing has changed; else None.

    Parameters
    ----------
    root
        The directory of the gate's file.
    """
    try:
        entry = json.loads(DiskCache("gate").read(key(cell, digest(cell, root), root)))
        properties = [PropertyOutcome(**prop) for prop in entry["properties"]]
        return CellOutcome(
            cell,
            Status.CACHED,
            properties=properties,
            states=int(entry["states"]),
            depth=int(entry["depth"]),
            never_enabled=tuple(entry["never_enabled"]),
            engine=str(entry["engine"]),
            declared_pure=str(entry["declared_pure"]),
        )
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError):
        # What cannot be read was never recorded: the cell is searched.
        return None


def record(outcome: CellOutcome, root: Path) -> None:
    """Record a cell that has passed, if a cache can be written."""
    if outcome.status is not Status.PASSED or outcome.sources is None:
        return
    names = (one.name for one in outcome.cell.expectations)
    if outcome.cell.brokers or any(map(is_custom, names)):
        # Only the sources of the protocol are known, not those of a property's file.
        return
    entry = {
        "properties": [asdict(prop) for prop in outcome.properties],
        "states": outcome.states,
        "depth": outcome.depth,
        "never_enabled": outcome.never_enabled,
        "engine": outcome.engine,
        "declared_pure": outcome.declared_pure,
    }
    name = key(outcome.cell, outcome.sources, root)
    DiskCache("gate").keep(name, json.dumps(entry).encode())


def key(cell: Cell, sources: str, root: Path) -> str:
    """Return the hash of all that decides on a cell; `sources` are those of its model."""
    decides = asdict(cell)
    for name in ("file", "line", "title", "tier"):
        del decides[name]
    # A model's modules are looked for in these places, in order.
    places = [os.path.relpath(place or ".", root) for place in sys.path] if sources else []
    known = [_tool(), _libraries(), decides, sources, places]
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


@cache
def _tool() -> list[str]:
    """Return what identifies the tool: its source, and Python's version."""
    made_of = hashlib.sha256()
    for file in _sources(_PACKAGE):
        made_of.update(str(file.relative_to(_PACKAGE)).encode() + b"\0" + file.read_bytes() + b"\0")
    return [made_of.hexdigest(), sys.version, str(sys.flags)]


@cache
def _libraries() -> list[str]:
    """Return the installed packages with their versions, which decide with the tool."""
    return sorted(f"{one.name} {one.version}" for one in distributions())


def _sources(package: Path) -> Iterator[Path]:
    """Yield the modules of a package, in order."""
    yield from sorted(package.glob("*.py"))
    for folder in sorted(package.iterdir()):
        if (folder / "__init__.py").is_file():
            yield from _sources(folder)
