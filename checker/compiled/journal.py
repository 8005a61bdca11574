"""What a search writes to disk while it runs: the states of its levels, and its checkpoints."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from .checkpoint import Checkpoint, CheckpointError, Manifest
from .machine import Machine, Segments, Words
from .memory import BLOCK
from .program import Module
from .statefile import PIECE, StateFile

Level = tuple[int, int, int]
"""Number of a level's first state in the file, how many there are, and their checksum."""


class Journal:
    """The file of states of one search, with its checkpoint if it keeps one.

    Parameters
    ----------
    checkpoint
        Where to keep it; None where states are only put aside for as long as the search runs.
    manifest
        What to go on from: that of another process, or one without levels.
    every
        Seconds between two checkpoints at least.
    """

    def __init__(
        self,
        machine: Machine,
        checkpoint: Checkpoint | None,
        manifest: Manifest,
        every: float,
    ) -> None:
        self.machine = machine
        self.checkpoint = checkpoint
        self.every = every
        self.levels: list[Level] = list(manifest.levels)
        self._manifest = manifest
        self._saved_at = perf_counter()
        self._checksum = 0
        path = checkpoint.states if checkpoint else None
        self.file = StateFile(path, machine.state_bytes, manifest.states)
        self.place = f"--checkpoint {checkpoint.folder}" if checkpoint else "the file of states"

    def add(self, found: Segments) -> None:
        """Write states of the level that is being found.

        Raises
        ------
        OSError
            If there is no room for them.
        """
        for start, count in found:
            states = self.machine.states
            self._checksum = self.file.append(states, start, count, self._checksum)

    def finish_level(self, violations: dict[str, tuple[int, Words]]) -> None:
        """Note what is known at the end of a level, and save it if the last time is long ago."""
        first = sum(count for _, count, _ in self.levels)
        self.levels.append((first, self.file.states - first, self._checksum))
        self._checksum = 0
        plain = {name: (level, list(words)) for name, (level, words) in violations.items()}
        self._manifest = replace(
            self._manifest,
            levels=list(self.levels),
            taken=self.machine.taken,
            violations=plain,
        )
        if perf_counter() - self._saved_at >= self.every:
            self.save()

    def save(self) -> None:
        """Save what was known at the end of the last level."""
        if self.checkpoint is not None and self._manifest.levels:
            self.file.sync()
            self.checkpoint.save(self._manifest)
            self._saved_at = perf_counter()

    def close(self) -> None:
        """Close the files; the checkpoint may be used by others then."""
        self.file.close()
        if self.checkpoint is not None:
            self.checkpoint.close()

    def restore(self, exact: bool) -> None:
        """Bring a search that was begun back into memory.

        Raises
        ------
        CheckpointError
            If the states are not those that the manifest speaks of.
        """
        machine, states = self.machine, self._manifest.states
        machine.restore(states, self._manifest.taken)
        for first, count, expected in self.levels:
            checksum = 0
            for start in range(first, first + count, PIECE):
                some = min(PIECE, first + count - start)
                at = start if exact else 0
                checksum = self._read(at, start, some, checksum)
                machine.remember(at, start, some)
            if checksum != expected:
                raise self._damaged(f"the states from number {first} on are not those written")
        if exact:
            machine.set_tail(-(-states // BLOCK) * BLOCK)

    def _read(self, at: int, first: int, count: int, checksum: int) -> int:
        try:
            return self.file.read(self.machine.ahead, at, first, count, checksum)
        except OSError as error:
            raise self._damaged(error.strerror or str(error)) from None

    def _damaged(self, why: str) -> CheckpointError:
        return CheckpointError(f"{self.file.path}: damaged, {why}; begin the search anew")


def code_hash(module: Module, initial: Sequence[Words]) -> str:
    """Return what tells whether two searches begin alike and are made of the same code."""
    return hashlib.sha256(f"{initial}\n{module.digest}".encode()).hexdigest()
