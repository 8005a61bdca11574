"""A checkpoint: what a search needs to continue after its process was killed.

It is a directory with two files.  ``states.bin`` holds all states up to the end of a level, in the
order of levels; the manifest says how many of them count.  States after these are truncated.

What a search writes to disk while it runs: the states of its levels, and its checkpoints.

Restores a search from its checkpoint.

Everything that can be verified is verified: states are compared with their checksums, must be
within the declared ranges, and are judged again.  Nothing verifies that they are all that can be
reached, or how often steps were taken.  A violation that only the manifest has is a deadlock, or
a state outside the constraint; it is replayed before it is reported.
"""

from __future__ import annotations

import hashlib
import os
import weakref
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from time import perf_counter
from typing import Any

from ...core.files import replace_file
from ...core.spec import Property, TransitionSystem
from ...core.symmetry import Symmetry
from ..counterexample import itself
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
from .machine import Machine, Segments
from .memory import BLOCK, Shared
from .program import Module
from .sampler import Words
from .statefile import PIECE, StateFile


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


class Journal:
    """The file of states of one search, with its checkpoint if it keeps one.

    Parameters
    ----------
    checkpoint
        Its directory; None if states are only spilled to disk while the search runs.
    manifest
        The manifest to continue from: that of another process, or one without levels.
    every
        The least seconds between two checkpoints.

    Attributes
    ----------
    firsts
        The number in the file of the first state of each level, and of the next one.
    """

    def __init__(
        self,
        machine: Machine,
        checkpoint: Checkpoint | None,
        manifest: Manifest,
        every: float,
    ) -> None:
        self.machine, self.checkpoint, self.every = machine, checkpoint, every
        self.manifest = manifest
        self.firsts = list(accumulate((level.states for level in manifest.levels), initial=0))
        self._finished = len(manifest.levels), manifest.taken, manifest.violations
        self._saved_at = perf_counter()
        self._checksum = 0
        self.place = f"--checkpoint {checkpoint.folder}" if checkpoint else "the file of states"
        if checkpoint is not None and not manifest.levels:
            # States without a manifest would look like somebody else's files.
            checkpoint.save(manifest)
        path = checkpoint.states if checkpoint else None
        self.file = StateFile(path, machine.state_bytes, manifest.states)
        if not manifest.levels:
            self.file.cut()

    def add(self, segments: Segments) -> None:
        """Write states of the level in progress.

        Raises
        ------
        OSError
            If there is no space for them.
        """
        for start, count in segments:
            states = self.machine.states
            self._checksum = self.file.append(states, start, count, self._checksum)

    def end_level(self) -> int:
        """End a level; return the checksum of its states."""
        self.firsts.append(self.file.states)
        checksum, self._checksum = self._checksum, 0
        return checksum

    def finish_level(self, violations: dict[str, tuple[int, Words]]) -> None:
        """Record the end of a level, and save the search if a checkpoint is due."""
        kept = {name: (at, list(words)) for name, (at, words) in violations.items()}
        # All at once: an interrupt leaves the end of this level, or of the one before.
        self._finished = len(self.manifest.levels), self.machine.taken, kept
        if self.is_due:
            self.save()

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is due."""
        return self.checkpoint is not None and perf_counter() - self._saved_at >= self.every

    def save(self) -> None:
        """Save a checkpoint of the end of the last level of which all is known."""
        complete, taken, violations = self._finished
        if self.checkpoint is not None and complete:
            self.file.sync()
            levels = self.manifest.levels[:complete]
            self.checkpoint.save(
                replace(self.manifest, levels=levels, taken=taken, violations=violations)
            )
            self._saved_at = perf_counter()

    def close(self) -> None:
        """Close the files and unlock the checkpoint."""
        self.file.close()
        if self.checkpoint is not None:
            self.checkpoint.close()

    def pieces(self, first: int, count: int) -> Iterator[int]:
        """Read a level back into the frontier's memory, piece by piece; yield their sizes."""
        level = self.manifest.levels[bisect_left(self.firsts, first)]
        return self.file.pieces(first, count, self.machine.ahead, level.checksum)


def code_hash(module: Module, initial: Sequence[Words]) -> str:
    """Return a hash that is equal for searches with the same code and initial states."""
    return hashlib.sha256(f"{initial}\n{module.digest}".encode()).hexdigest()


Violated = dict[str, tuple[int, Words]]
"""For each violated property its level and the words of its least state."""


def restore(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    symmetry: Symmetry | None,
    journal: Journal,
) -> Violated:
    """Read all states of a journal into memory and into the table; return what they violate.

    Raises
    ------
    CheckpointError
        If they are not those of the manifest, or cannot be from this search.
    """
    machine, manifest = journal.machine, journal.manifest
    machine.restore(manifest.states, manifest.taken)
    violated: Violated = {}
    for number, first in enumerate(journal.firsts[:-1]):
        level = manifest.levels[number]
        _read_level(system, journal, first, level.states, level.checksum)
        if number == 0:
            canonical = symmetry.canonical if symmetry else itself
            initial = map(canonical, filter(system.admits, system.initial_states()))
            if set(machine.read([(0, level.states)])) != set(map(system.layout.pack, initial)):
                raise _damaged(journal, "its first level is not that of the initial states")
        for which, (_, words) in machine.take_found().items():
            violated.setdefault(properties[which].name, (number, words))
    for name, (depth, numbers) in manifest.violations.items():
        kept = depth, tuple(numbers)
        violated[name] = min(kept, violated.get(name, kept), key=lambda one: _order(system, *one))
    if machine.exact:
        machine.shared[Shared.TAIL] = -(-manifest.states // BLOCK) * BLOCK
    journal.file.cut()
    return violated


def _read_level(
    system: TransitionSystem[Any, Any], journal: Journal, first: int, count: int, expected: int
) -> None:
    """Read a level into memory, and put it into the table."""
    machine, checksum, sound = journal.machine, 0, True
    for start in range(first, first + count, PIECE):
        some = min(PIECE, first + count - start)
        at = start if machine.exact else 0
        try:
            checksum = journal.file.read(machine.ahead, at, start, some, checksum)
        except OSError as error:
            raise _damaged(journal, error.strerror or str(error)) from None
        sound = sound and machine.remember(at, start, some)
    if checksum != expected or not sound:
        raise _damaged(journal, f"the states from number {first} on are not those written")


def _order(system: TransitionSystem[Any, Any], level: int, words: Sequence[int]) -> tuple[int, int]:
    layout = system.layout
    return level, layout.fingerprint(layout.unpack(words))


def _damaged(journal: Journal, why: str) -> CheckpointError:
    return damaged(journal.file.path or Path(), why)
