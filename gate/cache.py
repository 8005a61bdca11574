"""Cells that have passed, found again by the sources of the project.

The key of an entry is a hash of all that decides: Tidegate's source, the versions of Python and of
the packages, the cell, and the sources of its model.

A model may read more than its sources while it is loaded.  A cell whose model does so is searched
every time.
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
from types import FrameType
from typing import Any

from ..core.files import DiskCache
from ..core.origins import LIBRARIES, PACKAGE, Origin, is_tidegates, origin
from ..library.names import custom_file, is_custom
from .cells import Cell
from .results import CellOutcome, PropertyOutcome, Status

_READS = frozenset({
    "builtins.input", "ctypes.dlopen", "open", "os.exec", "os.fork", "os.forkpty", "os.listdir",
    "os.posix_spawn", "os.scandir", "os.spawn", "os.system", "socket.connect",
    "socket.getaddrinfo", "sqlite3.connect", "subprocess.Popen",
})  # fmt: skip
"""Audit events of what reads more than the memory of this process."""

_ENVIRONMENT = (b"environ", b"getenv")
"""Names by which a source reads the environment, of which no audit event tells."""


def digest(cell: Cell, root: Path) -> str:
    """Return the hash of all that a custom model may be made of; empty for a built-in protocol.

    These are the modules below the directory of the gate's file, and those beside the model.

    Parameters
    ----------
    root
        The directory of the gate's file, to which names of files are relative.
    """
    if not is_custom(cell.protocol):
        return ""
    made_of = hashlib.sha256()
    for folder in _folders(cell, root):
        for file in _modules(folder):
            name = str(file.relative_to(folder)).encode(errors="surrogatepass")
            content = hashlib.sha256(file.read_bytes()).digest()
            made_of.update(name + b"\0" + content)
    return made_of.hexdigest()


def _folders(cell: Cell, root: Path) -> list[Path]:
    own = custom_file(cell.protocol)
    beside = (root / own).resolve().parent if own else root
    return [root] if beside.is_relative_to(root) else [root, beside]


def _modules(folder: Path) -> Iterator[Path]:
    """Yield the modules below a directory, in order, but for those of libraries."""
    for file in sorted(folder.iterdir()):
        if file.is_dir() and file.name[0] != "." and file.name not in LIBRARIES:
            if not (file / "pyvenv.cfg").is_file():
                yield from _modules(file)
        elif file.suffix == ".py" and file.is_file():
            yield file


class Watch:
    """Notes what a model reads beside its sources, from now until the process ends."""

    def __init__(self, cell: Cell, root: Path) -> None:
        self._cell, self._root = cell, root.resolve()
        self._before = set(sys.modules)
        self._digest = digest(cell, self._root)
        self._reads = False
        sys.addaudithook(self._note)

    def sources(self) -> str | None:
        """Return the hash of the sources, as :func:`digest`; None if that is not all."""
        if not is_custom(self._cell.protocol):
            return ""
        mine = [file for file in self._imported() if not _is_installed(str(file))]
        folders = _folders(self._cell, self._root)
        known = all(
            file.suffix == ".py" and file.is_file() and any(map(file.is_relative_to, folders))
            for file in mine
        )
        if self._reads or not known or any(map(_reads_environment, mine)):
            return None
        return self._digest if digest(self._cell, self._root) == self._digest else None

    def _imported(self) -> Iterator[Path]:
        """Yield the files of the modules that were imported since."""
        for name in sys.modules.keys() - self._before:
            file: Any = getattr(sys.modules[name], "__file__", None)
            if isinstance(file, str):
                yield Path(file).resolve()

    def _note(self, event: str, _: tuple[Any, ...]) -> None:
        if event in _READS and not self._reads:
            self._reads = _is_models(sys._getframe(1))


def _is_models(frame: FrameType | None) -> bool:
    """Whether the model is running in this frame, or called a library that is."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib") or is_tidegates(file):
            return False
        if not file.startswith("<") and not _is_installed(file):
            return True
        frame = frame.f_back
    return False


def _is_installed(file: str) -> bool:
    """Whether a file is Python's, Tidegate's, or one of a library."""
    return origin(file) is not Origin.USER


def _reads_environment(file: Path) -> bool:
    source = file.read_bytes()
    return any(name in source for name in _ENVIRONMENT)


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
            in_vain=tuple(entry["in_vain"]),
            engine=str(entry["engine"]),
            declared_pure=str(entry["declared_pure"]),
            symmetry=str(entry["symmetry"]),
            broken_assumption=str(entry["broken_assumption"]),
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
        "in_vain": outcome.in_vain,
        "engine": outcome.engine,
        "declared_pure": outcome.declared_pure,
        "symmetry": outcome.symmetry,
        "broken_assumption": outcome.broken_assumption,
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
    for file in _sources(PACKAGE):
        made_of.update(str(file.relative_to(PACKAGE)).encode() + b"\0" + file.read_bytes() + b"\0")
    return [made_of.hexdigest(), sys.version, str(sys.flags)]


@cache
def _libraries() -> list[str]:
    """Return the installed packages with their versions, which decide with the tool."""
    return sorted(f"{one.name} {one.version}" for one in distributions())


def _sources(package: Path) -> Iterator[Path]:
    """Yield the modules of a package, in order, and the examples, which have no ``__init__``."""
    yield from sorted(package.glob("*.py"))
    for folder in sorted(package.iterdir()):
        if folder.name == "examples" or (folder / "__init__.py").is_file():
            yield from _sources(folder)
