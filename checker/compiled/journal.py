"""What a search writes to disk while it runs: the states of its levels, and its checkpoints."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from .checkpoint import Checkpoint, Manifest
from .machine import Machine, Segments
from .program import Module
from .sampler import Words
from .statefile import StateFile

Level = tuple[int, int, int]
"""Number of a level's first state in the file, how many there are, and their checksum."""


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
        self._complete = len(self.levels)
        self._manifest = manifest
        self._saved_at = perf_counter()
        self._checksum = 0
        self.place = f"--checkpoint {checkpoint.folder}" if checkpoint else "the file of states"
        if checkpoint is not None and not self.levels:
            # States without a manifest would look like somebody else's files.
            checkpoint.save(manifest)
        self.file = StateFile(
            checkpoint.states if checkpoint else None, machine.state_bytes, manifest.states
        )
        if not self.levels:
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

    def end_level(self) -> None:
        """Record the end of a level."""
        first = sum(self.levels[-1][:2]) if self.levels else 0
        self.levels.append((first, self.file.states - first, self._checksum))
        self._checksum = 0

    def finish_level(self, violations: dict[str, tuple[int, Words]]) -> None:
        """Record what is known at the end of a level, and save it if a checkpoint is due."""
        self.end_level()
        plain = {name: (level, list(words)) for name, (level, words) in violations.items()}
        self._complete = len(self.levels)
        self._manifest = replace(self._manifest, taken=self.machine.taken, violations=plain)
        if self.is_due:
            self.save()

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is due."""
        return self.checkpoint is not None and perf_counter() - self._saved_at >= self.every

    def save(self) -> None:
        """Save a checkpoint of the end of the last level."""
        if self.checkpoint is not None and self._complete:
            self.file.sync()
            self.checkpoint.save(replace(self._manifest, levels=self.levels[: self._complete]))
            self._saved_at = perf_counter()

    def close(self) -> None:
        """Close the files and unlock the checkpoint."""
        self.file.close()
        if self.checkpoint is not None:
            self.checkpoint.close()

    def pieces(self, first: int, count: int) -> Iterator[int]:
        """Read a level back into the frontier's memory, piece by piece; yield their sizes."""
        number = bisect_left(self.levels, (first, count, 0))
        return self.file.pieces(first, count, self.machine.ahead, self.levels[number][2])


def code_hash(module: Module, initial: Sequence[Words]) -> str:
    """Return a hash that is equal for searches with the same code and initial states."""
    return hashlib.sha256(f"{initial}\n{module.digest}".encode()).hexdigest()
