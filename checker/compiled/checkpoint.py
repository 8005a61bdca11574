"""A checkpoint: what a search needs to continue after its process was killed.

It is a directory with two files.  ``states.bin`` holds all states up to the end of a level, in the
order of levels; the manifest says how many of them count.  States after these are truncated.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core.spec import Property, TransitionSystem
from ..atomic import replace_file
from ..manifest import (
    NAME,
    CheckpointError,
    Manifest,
    damaged,
    is_manifest,
    lock,
    refuse_begun,
    refuse_others,
)


class Checkpoint:
    """The directory of a checkpoint, locked against other processes.

    Parameters
    ----------
    begin
        Whether a search begins there, which needs a directory that is new or empty.

    Raises
    ------
    CheckpointError
        If it cannot be written to, another process uses it, or it has other files.
    """

    def __init__(self, folder: Path, begin: bool) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if begin and not is_manifest(self._content()):
                refuse_others(os.listdir(folder), folder, "--checkpoint", folder)
        except OSError as error:
            raise CheckpointError(
                f"--checkpoint {folder}: cannot be written to ({error.strerror}); name another "
                "directory"
            ) from None
        # Another search in this process can use the directory once this object is gone.
        self._release = weakref.finalize(self, os.close, lock(folder, "--checkpoint"))
        if begin:
            refuse_begun(self._content(), "--checkpoint", folder)

    @property
    def states(self) -> Path:
        """The file of states."""
        return self.folder / "states.bin"

    def _content(self) -> bytes:
        """Return the file of the manifest; empty if there is none."""
        try:
            return (self.folder / NAME).read_bytes()
        except OSError:
            return b""

    def manifest_of(
        self, code: str, system: TransitionSystem[Any, Any], properties: Sequence[Property]
    ) -> Manifest:
        """Return the manifest, which must be of this very search, and fit the file of states.

        Parameters
        ----------
        code
            A hash of the search's machine code and initial states.

        Raises
        ------
        CheckpointError
            If it is not.
        """
        manifest = read_manifest(self.folder)
        manifest.require(code, system, properties, self.folder)
        try:
            size = self.states.stat().st_size
        except OSError:
            size = 0
        if size < manifest.states * 8 * system.layout.words:
            raise damaged(self.states, f"the file of states ends at byte {size}")
        return manifest

    def close(self) -> None:
        """Unlock the directory."""
        self._release()

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest; the states that it counts must be on disk."""
        replace_file(self.folder / NAME, manifest.sealed())
        directory = os.open(self.folder, os.O_RDONLY)
        os.fsync(directory)
        os.close(directory)


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a checkpoint.

    Raises
    ------
    CheckpointError
        If there is none, or it is damaged or of another version.
    """
    path = folder / NAME
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise CheckpointError(
            f"{folder}: no checkpoint there; make one with: tidegate check PROTOCOL --checkpoint "
            f"{folder}"
        ) from None
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error.strerror})") from None
    return Manifest.read(content, path)
