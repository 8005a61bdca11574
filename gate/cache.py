"""Cells that have passed, so that ``--cached`` need not search them again.

The key of an entry is a hash of what is known before the cell runs: the source of Tidegate, the
versions of Python and of the packages, and the cell.  The entry names all that the protocol read
(``inputs.py``), and is valid only while all of that is unchanged.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..analysis.named import is_custom
from ..checker.kept import Store
from .cells import Cell
from .inputs import Inputs
from .results import CellOutcome, PropertyOutcome, Status

_PACKAGE = Path(__file__).parents[1]

_NEEDED = ("click", "jinja2", "llvmlite", "networkx", "rich")
"""The packages that Tidegate needs."""


def recorded(cell: Cell, root: Path) -> CellOutcome | None:
    """Return the outcome of a cell that passed and whose inputs are unchanged; else None.

    Parameters
    ----------
    root
        The directory of the gate's file.
    """
    try:
        entry = json.loads(Store("gate").read(key(cell)))
        if not Inputs(**entry["inputs"]).are_unchanged(cell, root):
            return None
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
    if outcome.status is not Status.PASSED or not outcome.inputs.complete:
        return
    if not isinstance(outcome.cell, Cell) or any(map(is_custom, dict(outcome.cell.expected))):
        # Only what the protocol reads is noted, not what the file of a property does.
        return
    entry = {
        "inputs": asdict(outcome.inputs.moved(root)),
        "properties": [asdict(prop) for prop in outcome.properties],
        "states": outcome.states,
        "depth": outcome.depth,
        "never_enabled": outcome.never_enabled,
        "engine": outcome.engine,
        "declared_pure": outcome.declared_pure,
    }
    Store("gate").keep(key(outcome.cell), json.dumps(entry).encode())


def key(cell: Cell) -> str:
    """Return the hash of all that is known of a cell before it runs."""
    decides = asdict(cell)
    for name in ("file", "line", "title", "tier"):
        del decides[name]
    return hashlib.sha256(json.dumps([_tool(), decides], sort_keys=True).encode()).hexdigest()


@cache
def _tool() -> list[str]:
    """Return what identifies the tool: its source, and the versions of Python and the packages."""
    digest = hashlib.sha256()
    for file in _sources(_PACKAGE):
        digest.update(str(file.relative_to(_PACKAGE)).encode() + b"\0" + file.read_bytes() + b"\0")
    versions = [f"{name} {_version(name)}" for name in _NEEDED]
    return [digest.hexdigest(), sys.version, str(sys.flags), *versions]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _sources(package: Path) -> Iterator[Path]:
    """Yield the modules of a package, in order."""
    yield from sorted(package.glob("*.py"))
    for folder in sorted(package.iterdir()):
        if (folder / "__init__.py").is_file():
            yield from _sources(folder)
