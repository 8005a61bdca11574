"""A checkpoint: what a search needs to continue after its process was killed.

It is a directory with two files.  ``states.bin`` holds all states up to the end of a level, in the
order of levels; ``manifest.json`` says how many of them count, and what else was known then.  The
manifest is written before the first states, and replaced atomically after the states that it counts
are on disk.  So a process that dies at any moment leaves a complete checkpoint; states after the
counted ones are truncated.
"""

from __future__ import annotations

import fcntl
import os
import stat
import weakref
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from ...core.layout import Layout
from ...core.spec import Property, TidegateError, TransitionSystem
from .. import fields
from ..atomic import replace_file
from ..fields import MOST_STATES, Count, Within, Word
from ..sealed import sealed, unsealed
from .validity import is_state

VERSION = 2

_MANIFEST, _PARTIAL, _STATES, _LOCK = "manifest.json", "manifest.json.partial", "states.bin", "lock"
_KIND = "tidegate-checkpoint"


class CheckpointError(TidegateError):
    """A checkpoint that cannot be used, with the reason."""


@dataclass
class Manifest:
    """What is known at the end of a level.

    Attributes
    ----------
    about
        What is searched, for the command line to search it again.
    code
        Hash of the code that the search was compiled from.
    levels
        For each level: the number of its first state in the file, the number of states, and their
        checksum.  Empty if the search was stopped before its first level was saved.
    taken
        How often each instance of an action was taken.
    violations
        For each violated property its level and the words of its least state.
    """

    about: dict[str, Any]
    code: str
    state_bytes: Annotated[int, Within(8, 1 << 20)]
    levels: list[tuple[Count, Count, Annotated[int, Within(0, (1 << 32) - 1)]]] = field(
        default_factory=list
    )
    taken: list[Count] = field(default_factory=list)
    violations: dict[str, tuple[Count, list[Word]]] = field(default_factory=dict)

    @property
    def states(self) -> int:
        """Distinct states up to the end of that level."""
        return sum(count for _, count, _ in self.levels)

    def verify(self, layout: Layout[Any], instances: int, properties: Sequence[Property]) -> None:
        """Verify that it can be the manifest of this search; see :meth:`Checkpoint.manifest_of`.

        Raises
        ------
        FieldError
            If a field cannot be from that search.
        """
        fields.integer(self.state_bytes, "state_bytes", 8 * layout.words, 8 * layout.words)
        counts, before = [count for _, count, _ in self.levels], 0
        for number, (first, count, _) in enumerate(self.levels):
            fields.integer(first, f"levels[{number}][0]", before, before)
            before += count
            if number + 1 < len(counts):
                fields.integer(count, f"levels[{number}][1]", 1, MOST_STATES)
        fields.integer(sum(counts), "the sum of levels", 0, MOST_STATES)
        verify_taken(self.taken, instances if self.levels else 0, counts)
        verify_violations(self.violations, layout, properties, len(self.levels) - 1)


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
            if begin and not _is_manifest(folder / _MANIFEST):
                self._refuse_others()
            self._lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise CheckpointError(
                f"--checkpoint {folder}: cannot be written to ({error.strerror}); name another "
                "directory"
            ) from None
        # Another search in this process can use the directory once this object is gone.
        self._release = weakref.finalize(self, os.close, self._lock)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CheckpointError(
                f"--checkpoint {folder}: another run is using it; wait for that to end, or name "
                "another directory"
            ) from None
        if begin:
            self._refuse_begun()

    @property
    def states(self) -> Path:
        """The file of states."""
        return self.folder / _STATES

    def _refuse_begun(self) -> None:
        """Refuse to begin a search in the directory of another one."""
        if _is_manifest(self.folder / _MANIFEST):
            raise CheckpointError(
                f"--checkpoint {self.folder}: there is a checkpoint already; resume it with "
                f"'tidegate check --resume {self.folder}', or name another directory"
            )

    def _refuse_others(self) -> None:
        """Refuse to begin a search in a directory with other files."""
        for name in sorted(os.listdir(self.folder)):
            if not _is_left_over(self.folder / name):
                raise CheckpointError(
                    f"--checkpoint {self.folder}: {name} is there, and belongs to no checkpoint; "
                    "name a directory that is new or empty"
                )

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
        if manifest.code != code:
            raise CheckpointError(
                f"{self.folder}: made by other code: the protocol, a property or Tidegate "
                "has changed since; begin the search anew"
            )
        try:
            size = self.states.stat().st_size
        except OSError:
            size = 0
        if size < manifest.states * manifest.state_bytes:
            raise damaged(self.states, f"the file of states ends at byte {size}")
        try:
            manifest.verify(system.layout, len(system.instances), properties)
        except fields.FieldError as error:
            raise damaged(self.folder / _MANIFEST, error) from None
        return manifest

    def close(self) -> None:
        """Unlock the directory."""
        self._release()

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest; the states that it counts must be on disk."""
        document = {_KIND: VERSION, **asdict(manifest)}
        manifest_file, partial = self.folder / _MANIFEST, self.folder / _PARTIAL
        replace_file(manifest_file, sealed(document).encode(), aside=partial)
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
    path = folder / _MANIFEST
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise CheckpointError(
            f"{folder}: no checkpoint there; make one with: tidegate check PROTOCOL --checkpoint "
            f"{folder}"
        ) from None
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read ({error.strerror})") from None
    document = unsealed(content)
    if document is None:
        raise CheckpointError(f"{path}: damaged, its checksum is wrong; begin the search anew")
    if document.pop(_KIND, None) != VERSION:
        raise CheckpointError(f"{path}: written by another version of Tidegate; begin anew")
    try:
        manifest: Manifest = fields.read(Manifest, document, "the manifest")
        return manifest
    except fields.FieldError as error:
        raise damaged(path, error) from None


def damaged(path: Path, why: object) -> CheckpointError:
    """Return the error for a file of a checkpoint that is not as it was written."""
    return CheckpointError(f"{path}: damaged, {why}; begin the search anew")


def verify_taken(taken: Sequence[int], instances: int, levels: Sequence[int]) -> None:
    """Verify the counts of steps against the number of states on each level."""
    if len(taken) != instances:
        raise fields.FieldError("taken", taken, f"an array of {instances}")
    states, first = sum(levels), sum(levels[:1])
    for number, count in enumerate(taken):
        # A state takes each step once, and every state but the initial ones follows from a step.
        fields.integer(count, f"taken[{number}]", 0, states)
    fields.integer(sum(taken), "the sum of taken", states - first, states * instances)


def verify_violations(
    violations: dict[str, tuple[int, list[int]]],
    layout: Layout[Any],
    properties: Sequence[Property],
    deepest: int,
) -> None:
    """Verify that violations are of these properties, by states on existing levels."""
    known = [prop.name for prop in properties]
    for name, (level, words) in violations.items():
        if name not in known:
            raise fields.FieldError("violations", name, f"of {', '.join(known) or 'no property'}")
        fields.integer(level, f"violations[{name!r}][0]", 0, deepest)
        if not is_state(layout, words):
            raise fields.FieldError(f"violations[{name!r}][1]", words, "the words of a state")


def _is_manifest(path: Path) -> bool:
    """Whether a file is the manifest of a checkpoint or a store, even a damaged one."""
    try:
        return b'"tidegate-' in path.read_bytes()
    except OSError:
        return False


def _is_left_over(path: Path) -> bool:
    """Whether a file is left over from a search that was killed before it had a manifest."""
    if not stat.S_ISREG(path.lstat().st_mode) or path.name not in (_LOCK, _PARTIAL):
        return False
    begun = b"" if path.name == _LOCK else sealed({})[:12].encode()
    with open(path, "rb") as file:
        content = file.read(12)
    return content == begun[: len(content)]


__all__ = ["Checkpoint", "CheckpointError", "Manifest", "read_manifest"]
