"""States in a file, level behind level: what a search with fingerprints does not keep in memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .memory import Region

PIECE = 1 << 24
"""States that are read back at a time, at most; their room is address space until it is used."""


class StateFile:
    """A file of states, each as its words, in the order in which they were found.

    Parameters
    ----------
    path
        Where it is kept; None for a file that is gone with the process.
    state_bytes
        Size of a state.
    states
        How many are in it already; what follows them is cut off.
    """

    def __init__(self, path: Path | None, state_bytes: int, states: int = 0) -> None:
        self.path = path
        self.state_bytes = state_bytes
        self.states = states
        if path is None:
            folder = os.environ.get("TMPDIR") or "/var/tmp"
            self._file, name = tempfile.mkstemp(prefix="tidegate-", dir=folder)
            os.unlink(name)
        else:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        os.ftruncate(self._file, states * state_bytes)
        os.lseek(self._file, 0, os.SEEK_END)

    def append(self, region: Region, first: int, count: int) -> None:
        """Write states that lie in a row in memory behind those in the file."""
        view = region.view(first * self.state_bytes, count * self.state_bytes)
        done = 0
        while done < len(view):
            done += os.write(self._file, view[done : done + (64 << 20)])
        view.release()
        self.states += count

    def pieces(self, first: int, count: int, region: Region) -> Iterator[tuple[int, int]]:
        """Read states back into the beginning of `region`; yield (first, count) of each piece."""
        most = min(PIECE, region.size // self.state_bytes)
        for start in range(first, first + count, most):
            some = min(most, first + count - start)
            view = region.view(0, some * self.state_bytes)
            done = 0
            while done < len(view):
                offset = start * self.state_bytes + done
                read = os.preadv(self._file, [view[done : done + (64 << 20)]], offset)
                if not read:
                    raise OSError(f"the file of states ends at {offset} bytes")
                done += read
            view.release()
            yield start, some

    def sync(self) -> None:
        """Wait until what was written is on disk."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
