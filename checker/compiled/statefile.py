"""A file of states, level after level, which a search with fingerprints does not keep in memory."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from pathlib import Path

from ...core.spec import TidegateError
from .memory import Region

PIECE = 1 << 20
"""The most states that are read back at a time."""

_AT_ONCE = 64 << 20
"""Bytes that are read or written at a time."""


class StateFileError(TidegateError):
    """The states cannot be written, or differ from those written."""


class StateFile:
    """A file of states, each as its words, in the order in which they were found.

    Parameters
    ----------
    path
        Its path; None for a temporary file.
    state_bytes
        Size of a state.
    states
        How many are in it already; anything after them is ignored.
    """

    def __init__(self, path: Path | None, state_bytes: int, states: int = 0) -> None:
        self.path = path
        self.state_bytes = state_bytes
        self.states = states
        try:
            self._file = _temporary() if path is None else _opened(path)
        except OSError as error:
            raise StateFileError(
                f"{path or temporary_folder()}: the file of states cannot be written there "
                f"({error.strerror}); "
                f"{'repair that' if path else 'set TMPDIR to a directory on a disk with space'}"
            ) from None
        self._close = weakref.finalize(self, os.close, self._file)

    def cut(self) -> None:
        """Truncate the file after the states that count."""
        os.ftruncate(self._file, self.states * self.state_bytes)

    def append(self, region: Region, first: int, count: int, checksum: int) -> int:
        """Append consecutive states in memory to the file.

        Returns
        -------
        int
            Their checksum (CRC-32), continued from `checksum`.
        """
        view = region.view(first * self.state_bytes, count * self.state_bytes)
        done = 0
        while done < len(view):
            part = view[done : done + _AT_ONCE]
            written = os.pwrite(self._file, part, self.states * self.state_bytes + done)
            checksum = zlib.crc32(part[:written], checksum)
            done += written
        self.states += count
        return checksum

    def read(self, region: Region, at: int, first: int, count: int, checksum: int = 0) -> int:
        """Read states back into memory, from state `at` on; return their checksum.

        Parameters
        ----------
        checksum
            The checksum to continue from.

        Raises
        ------
        OSError
            If the file is too short.
        """
        view = region.view(at * self.state_bytes, count * self.state_bytes)
        done = 0
        while done < len(view):
            offset = first * self.state_bytes + done
            read = os.preadv(self._file, [view[done : done + _AT_ONCE]], offset)
            if not read:
                raise OSError(0, f"the file of states ends at byte {offset}")
            checksum = zlib.crc32(view[done : done + read], checksum)
            done += read
        return checksum

    def pieces(self, first: int, count: int, region: Region, expected: int) -> Iterator[int]:
        """Read states back into the beginning of `region`, piece by piece; yield their number.

        Parameters
        ----------
        expected
            The checksum of all of them.

        Raises
        ------
        StateFileError
            If they are not those that were written.
        """
        checksum = 0
        for start in range(first, first + count, PIECE):
            some = min(PIECE, first + count - start)
            checksum = self.read(region, 0, start, some, checksum)
            if start + some == first + count and checksum != expected:
                raise StateFileError(
                    f"{self.path or temporary_folder()}: the states read back are not those "
                    "written; test that disk, and begin the search anew"
                )
            yield some

    def close(self) -> None:
        """Close the file."""
        self._close()

    def sync(self) -> None:
        """Wait until the writes are on disk."""
        os.fsync(self._file)


def temporary_folder() -> str:
    """Return the directory for large temporary files: on a disk, which /tmp may not be."""
    return os.environ.get("TMPDIR") or "/var/tmp"


def _opened(path: Path) -> int:
    """Open a file of states, which must not be a link to somebody else's file."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file")
    return file


def _temporary() -> int:
    """Open a temporary file and remove its name."""
    file, name = tempfile.mkstemp(prefix="tidegate-", dir=temporary_folder())
    os.unlink(name)
    return file
