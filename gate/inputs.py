"""The inputs of a cell beside Tidegate: all that its protocol reads, noted while it runs.

Only a run shows which modules, files, directories and environment variables a protocol reads.  So
the process of a cell is watched, and what it read is recorded with the outcome: a recorded pass is
valid for as long as all of that is unchanged.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import BYTECODE_SUFFIXES, all_suffixes
from importlib.util import cache_from_source, source_from_cache
from pathlib import Path
from types import FrameType
from typing import Any

from ..analysis.named import custom_file, is_custom
from ..checker.compiled.sources import described
from .cells import Cell

_TIDEGATE = __name__.partition(".")[0]
_PYTHON = Path(os.__file__).parent
_LIBRARIES = {"site-packages", "dist-packages"}

_BEYOND = frozenset({
    "builtins.input", "ctypes.dlopen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn",
    "os.spawn", "os.system", "socket.connect", "socket.getaddrinfo", "sqlite3.connect",
    "subprocess.Popen",
})  # fmt: skip
"""Audit events after which a protocol may read what this process does not see."""

_Signature = tuple[int, int, int, int] | None


@dataclass
class Inputs:
    """What a cell read: each thing by its name, with the hash of what was there.

    ``files`` has contents, ``folders`` the names in them, ``variables`` those of the environment.
    ``modules`` is a hash of the names of modules on the search path: a new file there may be
    imported in place of a present one.  ``complete`` says whether that is all that was read.
    """

    files: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    modules: str = ""
    complete: bool = False

    def are_unchanged(self, cell: Cell, root: Path) -> bool:
        """Whether a cell would read the same now.

        Parameters
        ----------
        root
            The directory of the gate's file, to which names of files are relative.
        """
        return (
            all(content(root / file) == digest for file, digest in self.files.items())
            and all(_names(root / folder) == digest for folder, digest in self.folders.items())
            and all(_variable(name) == digest for name, digest in self.variables.items())
            and modules(cell, root, search_path(), self.files) == self.modules
        )

    def moved(self, root: Path) -> Inputs:
        """Return them with names relative to the project, so that they hold in another clone."""
        return Inputs(
            {_relative(file, root): digest for file, digest in self.files.items()},
            {_relative(folder, root): digest for folder, digest in self.folders.items()},
            self.variables,
            self.modules,
            self.complete,
        )


def content(file: Path) -> str:
    """Return the hash of a file's content; that of a file that is not there is empty."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def search_path() -> list[str]:
    """Return where Python looks for modules now."""
    return [folder or os.getcwd() for folder in sys.path]


def modules(cell: Cell, root: Path, path: Sequence[str], files: Iterable[str]) -> str:
    """Return a hash of the names of modules where a cell's are looked for, in order.

    Parameters
    ----------
    path
        Where Python looked before the protocol was imported.
    files
        What was imported, relative to `root`: their directories are searched, too.
    """
    if not is_custom(cell.protocol):
        return ""
    own = custom_file(cell.protocol)
    folders = [root / own.parent if own else root, *(root / folder for folder in path)]
    folders += sorted({(root / file).parent for file in files})
    shown = [(_relative(str(folder), root), sorted(_modules(folder))) for folder in folders]
    return hashlib.sha256(repr(shown).encode(errors="surrogatepass")).hexdigest()


def _modules(folder: Path) -> Iterator[str]:
    """Yield the names of what can be imported from a directory."""
    suffixes = tuple(all_suffixes())
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(suffixes):
                    yield entry.name
                elif entry.name.isidentifier() and entry.name != "__pycache__" and entry.is_dir():
                    yield f"{entry.name}/"
    except OSError:
        return


def _names(folder: Path) -> str:
    """Return the hash of all names in a directory."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return ""
    return hashlib.sha256(repr(names).encode(errors="surrogatepass")).hexdigest()


def _variable(name: str) -> str:
    """Return the hash of what a variable of the environment is; empty where there is none."""
    value = os.environ.get(name)
    return "" if value is None else hashlib.sha256(os.fsencode(value)).hexdigest()


def _relative(file: str, root: Path) -> str:
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


class Watch:
    """Notes what a protocol reads in this process, from now until the process ends.

    Parameters
    ----------
    cell, root
        See :class:`Inputs`.
    """

    def __init__(self, cell: Cell, root: Path) -> None:
        self._cell, self._root = cell, root
        by_module = is_custom(cell.protocol) and custom_file(cell.protocol) is None
        self._package = re.split("[.:]", cell.protocol)[0] if by_module else ""
        self._path = search_path()
        self._modules = modules(cell, root, self._path, ())
        self._before = set(sys.modules)
        self._opened: dict[str, _Signature] = {}
        self._read: set[str] = set()
        self._folders: set[str] = set()
        self._variables: set[str] = set()
        self._complete = True
        sys.addaudithook(self._note)
        _Environment.watch = self
        os.environ.__class__ = _Environment

    def imported(self) -> None:
        """Record the imported modules; later ones may be Tidegate's own lazy imports."""
        own = custom_file(self._cell.protocol)
        if own is not None:
            # A link may lead elsewhere the next time.
            self._read |= {str(self._root / own), str((self._root / own).resolve())}
        for name, file in self._new_modules():
            if name.partition(".")[0] != _TIDEGATE and not _is_pythons(file):
                self._read_module(file)

    def inputs(self) -> Inputs:
        """Return what was read so far."""
        for name, file in self._new_modules():
            if self._is_protocols_file(file) and name.partition(".")[0] != _TIDEGATE:
                self._read_module(file)
        files = {file: self._content(file) for file in sorted(self._read)}
        there = modules(self._cell, self._root, self._path, ())
        relative = [_relative(file, self._root) for file in files]
        return Inputs(
            files,
            {folder: _names(Path(folder)) for folder in sorted(self._folders)},
            {name: _variable(name) for name in sorted(self._variables)},
            modules(self._cell, self._root, self._path, relative),
            self._complete and there == self._modules,
        )

    def _read_module(self, file: str) -> None:
        """Record the file of a module; a module in an archive makes the inputs incomplete."""
        self._read.add(file)
        self._complete &= Path(file).is_file()

    def _new_modules(self) -> Iterator[tuple[str, str]]:
        for name in set(sys.modules) - self._before:
            file: Any = getattr(sys.modules[name], "__file__", None)
            if isinstance(file, str):
                yield name, file

    def _content(self, file: str) -> str:
        """Return the hash of a file; if it changed since it was read, the inputs are incomplete."""
        cached = _bytecode(file)
        if file in self._opened:
            before = _signature(file)
            digest = content(Path(file))
            self._complete &= before == self._opened[file] == _signature(file)
        elif cached in self._opened:
            digest, same = _compared(Path(file), cached)
            self._complete &= same
        else:
            digest = content(Path(file))
        return digest

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Record what an audit event of Python says that is read."""
        if event == "open":
            self._note_file(arguments)
        elif event in ("os.listdir", "os.scandir"):
            frame = sys._getframe(1)
            # The search for modules is recorded by their names.
            if not frame.f_code.co_filename.startswith("<frozen importlib"):
                folder = _path(arguments[0] if arguments[0] is not None else ".")
                if folder and self._is_protocols(frame):
                    self._folders.add(folder)
        elif event in _BEYOND and self._is_protocols(sys._getframe(1)):
            self._complete = False

    def _note_file(self, arguments: tuple[Any, ...]) -> None:
        path, mode, flags = arguments
        file = _path(path)
        writes = isinstance(mode, str) and "r" not in mode and "+" not in mode
        if not file or writes or (mode is None and flags & os.O_ACCMODE == os.O_WRONLY):
            return
        self._opened.setdefault(file, _signature(file))
        if self._is_protocols(sys._getframe(2)):
            is_bytecode = file.endswith(tuple(BYTECODE_SUFFIXES))
            self._read.add(_source(file) if is_bytecode else file)

    def note_variable(self, name: str | None) -> None:
        """Record that a variable of the environment is read; None for all of them."""
        if self._is_protocols(sys._getframe(2)):
            if name is None:
                self._complete = False
            else:
                self._variables.add(name)

    def _is_protocols(self, frame: FrameType | None) -> bool:
        """Whether the protocol is running in this frame, also if a library that it calls is."""
        while frame is not None:
            if str(frame.f_globals.get("__name__")).partition(".")[0] == _TIDEGATE:
                return False
            if self._is_protocols_file(frame.f_code.co_filename):
                return True
            frame = frame.f_back
        return False

    def _is_protocols_file(self, file: str) -> bool:
        """Whether a file is the user's, not Python's or one of a library."""
        if file.startswith("<") or _is_pythons(file):
            return False
        parts = Path(file).parts
        return not _LIBRARIES & set(parts) or self._package in parts


class _Environment(os._Environ[str]):
    """The variables of the environment, which records each read."""

    watch: Watch

    def __getitem__(self, key: str) -> str:
        # Python itself reads other keys too, to see whether they are refused.
        if isinstance(key, str):
            self.watch.note_variable(key)
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[str]:
        self.watch.note_variable(None)
        return super().__iter__()


@cache
def _is_pythons(file: str) -> bool:
    path = Path(file)
    return path.is_relative_to(_PYTHON) and not _LIBRARIES & set(path.parts)


def _path(path: Any) -> str:
    """Return the path that was opened; empty for what has none."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return ""
    return os.path.abspath(os.fsdecode(path))


def _signature(file: str) -> _Signature:
    """Return what changes with the content of a file."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _bytecode(file: str) -> str:
    """Return where the bytecode of a module is kept; empty where it is nowhere."""
    try:
        return cache_from_source(file) if file.endswith(".py") else ""
    except NotImplementedError:
        return ""


def _source(file: str) -> str:
    """Return the source of bytecode, if it is beside it."""
    try:
        source = source_from_cache(file)
    except ValueError:
        return file
    return source if Path(source).is_file() else file


def _compared(file: Path, bytecode: str) -> tuple[str, bool]:
    """Return the hash of a source, and whether its bytecode is what it compiles to.

    Python goes by the second in which a source was written, and may run an older one.
    """
    try:
        source = file.read_bytes()
        compiled = compile(source, str(file), "exec", dont_inherit=True)
        ran = marshal.loads(Path(bytecode).read_bytes()[16:])
    except (OSError, SyntaxError, ValueError, EOFError, TypeError):
        return content(file), False
    return hashlib.sha256(source).hexdigest(), described(compiled, True) == described(ran, True)
