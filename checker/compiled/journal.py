"""What a search writes to disk while it runs: the states of its levels, and its checkpoints."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from time import perf_counter

from ..manifest import Level, Manifest
from .checkpoint import Checkpoint
from .machine import Machine, Segments
from .program import Module
from .sampler import Words
from .statefile import StateFile


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
        self._complete = len(manifest.levels)
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

    def end_level(self) -> None:
        """Record the end of a level."""
        first = self.firsts[-1]
        self.manifest.levels.append(Level(self.file.states - first, self._checksum))
        self.firsts.append(self.file.states)
        self._checksum = 0

    def finish_level(self, violations: dict[str, tuple[int, Words]]) -> None:
        """Record what is known at the end of a level, and save it if a checkpoint is due."""
        self.end_level()
        manifest = self.manifest
        self._complete = len(manifest.levels)
        manifest.taken = self.machine.taken
        manifest.violations = {name: (at, list(words)) for name, (at, words) in violations.items()}
        if self.is_due:
            self.save()

    @property
    def is_due(self) -> bool:
        """Whether a checkpoint is due."""
        return self.checkpoint is not None and perf_counter() - self._saved_at >= self.every

    def save(self) -> None:
        """Save a checkpoint of the end of the last level of which all is known."""
        if self.checkpoint is not None and self._complete:
            self.file.sync()
            levels = self.manifest.levels[: self._complete]
            self.checkpoint.save(replace(self.manifest, levels=levels))
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
