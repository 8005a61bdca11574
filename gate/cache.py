"""Cells that have passed, so that ``--cached`` need not search them again.

An entry is found by all that decides on a cell and is known before it runs: the source of Tidegate,
the versions of what runs it, and the cell.  It names the user's files that were imported, with
their content; it counts only while all of them are as they were.
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

from ..checker.kept import Store
from .cells import Cell
from .results import CACHED, PASSED, Outcome, Property

_PACKAGE = Path(__file__).parents[1]


def recorded(cell: Cell, root: Path) -> Outcome | None:
    """Return the outcome of a cell that passed and whose inputs are as they were; else None.

    Parameters
    ----------
    root
        The directory of the gate's file.
    """
    try:
        entry = json.loads(Store("gate").read(key(cell)))
        files = {str(root / file): digest for file, digest in entry["files"].items()}
        if any(content(file) != digest for file, digest in files.items()):
            return None
        if entry["names"] != _names(files):
            return None
        told = [Property(**told) for told in entry["properties"]]
        return Outcome(
            cell,
            CACHED,
            properties=told,
            states=int(entry["states"]),
            depth=int(entry["depth"]),
            engine=str(entry["engine"]),
        )
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError):
        # What cannot be read was never recorded: the cell is searched.
        return None


def record(outcome: Outcome, root: Path) -> None:
    """Remember a cell that has passed, where anything can be kept."""
    if outcome.status != PASSED:
        return
    entry = {
        "files": {_relative(file, root): digest for file, digest in outcome.files.items()},
        "names": _names(outcome.files),
        "properties": [asdict(told) for told in outcome.properties],
        "states": outcome.states,
        "depth": outcome.depth,
        "engine": outcome.engine,
    }
    Store("gate").keep(key(outcome.cell), json.dumps(entry).encode())


def key(cell: Cell) -> str:
    """Return the hash of all that decides on a cell and is known before it runs."""
    decides = asdict(cell)
    for name in ("file", "line", "title", "tier"):
        del decides[name]
    return hashlib.sha256(json.dumps([_tool(), decides], sort_keys=True).encode()).hexdigest()


def content(file: str) -> str:
    """Return the hash of a file's content; that of a file that is not there is empty."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


@cache
def _tool() -> list[str]:
    """Return what identifies the tool: its own source, and the versions of what runs it."""
    digest = hashlib.sha256()
    for file in _sources(_PACKAGE):
        digest.update(str(file.relative_to(_PACKAGE)).encode() + b"\0" + file.read_bytes() + b"\0")
    try:
        engine = version("llvmlite")
    except PackageNotFoundError:
        engine = ""
    return [digest.hexdigest(), sys.version, engine]


def _sources(package: Path) -> Iterator[Path]:
    """Yield the modules of a package, in order."""
    yield from sorted(package.glob("*.py"))
    for folder in sorted(package.iterdir()):
        if (folder / "__init__.py").is_file():
            yield from _sources(folder)


def _names(files: dict[str, str]) -> str:
    """Return a hash of the names beside the imported files.

    A module that is put there may come before the one that was imported.
    """
    folders = sorted({str(Path(file).parent) for file in files})
    names = [sorted(path.name for path in Path(it).glob("*.py")) for it in folders]
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()


def _relative(file: str, root: Path) -> str:
    """Return a path relative to the project, if it lies there: a clone elsewhere has the same."""
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file
