"""A checkpoint: what a search needs to go on after its process was killed.

It is a directory with two files.  ``states.bin`` holds all states up to the end of a level, in the
order of levels, and ``manifest.json`` says how many of them count, and what else was known then.
The manifest is replaced as a whole, after the states that it speaks of are on disk, so a process
that dies at any moment leaves the checkpoint before; what it wrote behind those states is cut off.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...spec import TidegateError
from ..sealed import sealed, unsealed

VERSION = 1
_MANIFEST, _STATES, _LOCK = "manifest.json", "states.bin", "lock"


class CheckpointError(TidegateError):
    """A checkpoint that cannot be used, with the reason."""


@dataclass
class Manifest:
    """What is known at the end of a level.

    Attributes
    ----------
    about
        What is searched, as the command line needs it to begin again.
    code
        Hash of the code that the search was compiled from.
    levels
        For each level: number of its first state in the file, how many, and their checksum.
    taken
        How often each instance of an action was taken.
    violations
        For each violated property its level and the words of its least state.
    """

    about: dict[str, Any]
    code: str
    state_bytes: int
    levels: list[tuple[int, int, int]] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    violations: dict[str, tuple[int, list[int]]] = field(default_factory=dict)

    @property
    def states(self) -> int:
        """Distinct states up to the end of that level."""
        return sum(count for _, count, _ in self.levels)


class Checkpoint:
    """A directory that holds a checkpoint, or will; nobody else may use it meanwhile.

    Raises
    ------
    CheckpointError
        If it cannot be written to, or another process uses it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise CheckpointError(
                f"--checkpoint {folder}: cannot be written to ({error.strerror}); name another "
                "directory"
            ) from None
        # Whoever searches again in this process finds the directory free once nobody needs this.
        self._release = weakref.finalize(self, os.close, self._lock)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CheckpointError(
                f"--checkpoint {folder}: another run is using it; wait for that to end, or name "
                "another directory"
            ) from None

    @property
    def states(self) -> Path:
        """The file of states."""
        return self.folder / _STATES

    def refuse_existing(self) -> None:
        """Refuse to begin a search where one has left a checkpoint."""
        if (self.folder / _MANIFEST).exists():
            raise CheckpointError(
                f"--checkpoint {self.folder}: there is a checkpoint already; go on with it by "
                f"'tidegate resume {self.folder}', or name another directory"
            )

    def close(self) -> None:
        """Let others use the directory."""
        self._release()

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest; the states that it speaks of must be on disk."""
        document = {"tidegate-checkpoint": VERSION, **asdict(manifest)}
        partial = self.folder / f"{_MANIFEST}.partial"
        with open(partial, "w", encoding="utf-8") as file:
            file.write(sealed(document))
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, self.folder / _MANIFEST)
        directory = os.open(self.folder, os.O_RDONLY)
        os.fsync(directory)
        os.close(directory)


def read_manifest(folder: Path) -> Manifest:
    """Return what a checkpoint says.

    Raises
    ------
    CheckpointError
        If there is none, or it is damaged or of another version.
    """
    path = folder / _MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CheckpointError(
            f"{folder}: no checkpoint there; make one with: tidegate check PROTOCOL --checkpoint "
            f"{folder}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{path}: cannot be read ({error})") from None
    document = unsealed(text)
    if document is None:
        raise CheckpointError(f"{path}: damaged, its checksum is wrong; begin the search anew")
    if document.pop("tidegate-checkpoint") != VERSION:
        raise CheckpointError(f"{path}: written by another version of Tidegate; begin anew")
    document["levels"] = [tuple(level) for level in document["levels"]]
    return Manifest(**document)


__all__ = ["Checkpoint", "CheckpointError", "Manifest", "read_manifest"]
