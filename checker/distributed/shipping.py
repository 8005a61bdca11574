"""Packs the package into one file, for executors that do not have it."""

from __future__ import annotations

import zipfile
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

PACKAGE = __package__.partition(".")[0]


def write_package(target: Path) -> None:
    """Write all modules of this package into a ZIP file, from which Python can import them."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, files(PACKAGE), PACKAGE)


def _add(archive: zipfile.ZipFile, folder: Traversable, name: str) -> None:
    for part in sorted(folder.iterdir(), key=lambda part: part.name):
        if part.is_dir():
            # In a clone the package's directory has other directories, too.
            if part.joinpath("__init__.py").is_file():
                _add(archive, part, f"{name}/{part.name}")
        elif part.name.endswith(".py") and part.name != "setup.py":
            archive.writestr(f"{name}/{part.name}", part.read_bytes())
