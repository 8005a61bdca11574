"""Whose code a file holds: Tidegate's, Python's, that of a library, or the user's.

That a file lies below one of their directories does not say it: an installed Tidegate lies among
the libraries, a clone may hold a virtual environment and a user's files, and Python's directory
holds its libraries.  Nor is all that is installed a library: a user's models may be.
"""

from __future__ import annotations

import sys
import sysconfig
from enum import Enum, auto
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
"""The directory of this package."""

LIBRARIES = frozenset({"site-packages", "dist-packages"})
"""Names of the directories that packages are installed into."""

_PARTS = frozenset({
    "__init__.py", "__main__.py", "brokers", "checker", "cli.py", "commands", "conform", "core",
    "diff", "examples", "explain", "gate", "invariants", "language", "library", "model", "mutate",
    "render", "symmetry",
})  # fmt: skip
"""What the package has in its directory; a clone has other things there, too."""


class Origin(Enum):
    """Whose code is in a file."""

    TIDEGATE = auto()
    PYTHON = auto()
    LIBRARY = auto()
    USER = auto()


_PYTHON = Path(sysconfig.get_path("stdlib"))

_OURS = {
    # A link to a directory is another place.
    folder: whose
    for path, whose in ((PACKAGE, Origin.TIDEGATE), (_PYTHON, Origin.PYTHON))
    for folder in (path, path.resolve())
}

_INSTALLED = tuple(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib"))


@cache
def located(file: str) -> tuple[Origin, Path]:
    """Return whose code is in a file, and its path: of Tidegate's and Python's below their folder.

    Generated code, which no file has, counts as the user's.
    """
    path = Path(file)
    for folder, whose in _OURS.items():
        if path.is_relative_to(folder):
            below = path.relative_to(folder)
            ours = whose is Origin.PYTHON or not _PARTS.isdisjoint(below.parts[:1])
            if ours and LIBRARIES.isdisjoint(below.parts):
                return whose, below
    if (package := _package_of(path)) is not None:
        return (Origin.USER if package in _with_models else Origin.LIBRARY), path
    if file.startswith("<frozen "):
        return Origin.PYTHON, Path(file.removeprefix("<frozen ").removesuffix(">"))
    return Origin.USER, path


def _package_of(path: Path) -> Path | None:
    """Return the package, or the module, of an installed file; None if it is not installed."""
    parts = path.parts
    for number in range(len(parts) - 2, -1, -1):
        if parts[number] in LIBRARIES:
            return Path(*parts[: number + 2])
    folder = next(filter(path.is_relative_to, _INSTALLED), path)
    return None if folder == path else folder / path.relative_to(folder).parts[0]


_with_models: set[Path] = set()
"""Installed packages that define models: they are the user's, however they came there."""


def note_model() -> None:
    """Note that the caller of the running ``__init__`` or ``__post_init__`` defines a model.

    A user may install models like any package.  Its functions are read then, and its lines are
    named, as those of a library are not.
    """
    frame = sys._getframe(1).f_back
    # A dataclass's own __init__ is generated, and replace() is Python's.
    while frame is not None and _is_between(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is not None and origin(frame.f_code.co_filename) is Origin.LIBRARY:
        package = _package_of(Path(frame.f_code.co_filename))
        assert package is not None
        _with_models.add(package)
        located.cache_clear()


def _is_between(file: str) -> bool:
    return file.startswith("<") or origin(file) is Origin.PYTHON


def origin(file: str) -> Origin:
    """Return whose code is in a file."""
    return located(file)[0]


def is_tidegates(file: str) -> bool:
    """Whether a file is one of this package."""
    return origin(file) is Origin.TIDEGATE


def is_library(file: str) -> bool:
    """Whether a file is Python's or that of an installed package other than this one."""
    return origin(file) in (Origin.PYTHON, Origin.LIBRARY)


def is_written(file: str) -> bool:
    """Whether code is the user's, who can change it, also if no file on disk has it."""
    return origin(file) is Origin.USER


def is_users(file: str) -> bool:
    """Whether a file is on disk, and neither Tidegate's nor Python's nor a library's."""
    return origin(file) is Origin.USER and Path(file).is_file()
