"""Imports of a user's files: of what lies beside them, and nothing of the present directory.

A folder on Python's path is seen by everything in the process, and modules of one name in two
folders are one.  So each folder becomes a package of its own: ``import helpers`` in a file of it,
or in a module that lies there, imports ``PACKAGE.helpers``.

``python -m`` and ``python -c``, with which multiprocessing and Spark start processes, look for
modules in the present directory first: a ``socket.py`` there would run instead of Python's own.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from importlib.machinery import (
    BuiltinImporter,
    FrozenImporter,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from pathlib import Path
from types import ModuleType

PREFIX = "tidegate_own_"
"""Begins the name of each module that is run from a user's file."""

_TIDEGATE = __name__.partition(".")[0]

_folders: dict[str, Folder] = {}
"""The folders by the names of their packages."""


class Folder:
    """A folder whose modules are imported only by the files in it.

    Parameters
    ----------
    path
        The folder.
    package
        The name of its package; another package has modules of its own.

    Attributes
    ----------
    builtins
        What a file in it must have as ``__builtins__``.
    """

    def __init__(self, path: Path, package: str) -> None:
        self._path, self._package = str(path), package
        self._known: dict[str, bool] = {}
        self.builtins = {**vars(builtins), "__import__": self._import}
        module = ModuleType(package)
        module.__path__ = [self._path]
        sys.modules[package] = module
        _folders[package] = self
        if _FINDER not in sys.meta_path:
            sys.meta_path.insert(0, _FINDER)

    def resolved(self, name: str) -> str:
        """Return the full name of the module that a file in it imports by a name."""
        top = name.partition(".")[0]
        beside = self._known.get(top)
        if beside is None:
            beside = self._has(top)
            if beside or top in sys.modules:
                self._known[top] = beside
        return f"{self._package}.{name}" if beside else name

    def _has(self, top: str) -> bool:
        """Whether Python would import a module from it, were it the first folder on the path."""
        if top == _TIDEGATE or BuiltinImporter.find_spec(top) or FrozenImporter.find_spec(top):
            return False
        spec = PathFinder.find_spec(top, [self._path])
        if spec is None:
            return False
        if spec.loader is None:
            # A directory without __init__.py is a package only where nothing else has that name.
            other = PathFinder.find_spec(top)
            return top not in sys.modules and (other is None or other.loader is None)
        # A module that a test has imported from there is this one, and its classes are these.
        present = getattr(sys.modules.get(top), "__file__", None)
        return not (present and os.path.realpath(present) == os.path.realpath(spec.origin or ""))

    def _import(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - as the built-in calls it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Import a module as the statement in a file of this folder does."""
        full = self.resolved(name) if level == 0 else name
        try:
            if full == name or fromlist:
                return builtins.__import__(full, globals, locals, fromlist or (), level)
            importlib.import_module(full)
            return sys.modules[self.resolved(name.partition(".")[0])]
        except ImportError as error:
            error.msg = error.msg.replace(f"{self._package}.", "")
            raise


class _Loader(SourceFileLoader):
    """Runs a module so that it, too, imports what lies in the folder."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = _folders[module.__name__.partition(".")[0]].builtins
        super().exec_module(module)


class _Finder:
    """Finds modules in the packages that stand for folders."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is, and what loads it; None outside of these packages."""
        if fullname.partition(".")[0] not in _folders:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


_FINDER = _Finder()


_VARIABLE = "PYTHONSAFEPATH"


@contextmanager
def safe_path(environment: MutableMapping[str, str] = os.environ) -> Iterator[None]:
    """Have each Python that the block starts with this environment ignore the present directory."""
    before = environment.get(_VARIABLE)
    environment[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            environment.pop(_VARIABLE, None)
        else:
            environment[_VARIABLE] = before
