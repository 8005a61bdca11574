"""Checksums of the blocks of a file, so that a reader verifies only the blocks that it reads.

Each block has a CRC-32, which detects every error within 32 consecutive bits and every error of two
bits; other errors go unnoticed with a probability of one in four billion.  A seal binds all
checksums, in order, to the identity of the file: its name, its size and its search.
"""

from __future__ import annotations

import hashlib
import zlib
from array import array
from typing import Any

BLOCK = 1 << 16
"""Bytes of a block: large enough that checksums take little space, small enough to read fast."""

SEAL = 16
"""Bytes of a seal."""


def blocks(size: int) -> int:
    """Return the number of blocks for a size in bytes; the last one may be short."""
    return -(-size // BLOCK)


class Summing:
    """Computes the checksums of a file that is written piece by piece."""

    def __init__(self) -> None:
        self._sums = array("I")
        self._sum = self._held = 0

    def add(self, piece: memoryview) -> None:
        """Continue with the next bytes."""
        done = 0
        while done < len(piece):
            part = piece[done : done + BLOCK - self._held]
            self._sum = zlib.crc32(part, self._sum)
            self._held += len(part)
            done += len(part)
            if self._held == BLOCK:
                self._end_block()

    def finish(self) -> bytes:
        """Return the checksums of all blocks."""
        if self._held:
            self._end_block()
        return self._sums.tobytes()

    def _end_block(self) -> None:
        self._sums.append(self._sum)
        self._sum = self._held = 0


class Sums:
    """The checksums of a file, and which of its blocks were verified.

    Parameters
    ----------
    content
        The result of :meth:`Summing.finish`.
    """

    def __init__(self, content: bytes) -> None:
        self._sums = array("I", content)
        self._verified = bytearray(len(self._sums))

    def verify(self, buffer: Any, first: int) -> bool:
        """Whether a buffer matches the blocks from `first` on, of which known ones are skipped."""
        count = blocks(len(buffer))
        if self._verified.find(0, first, first + count) < 0:
            return True
        view = memoryview(buffer)
        for number in range(count):
            block = first + number
            if not self._verified[block]:
                if zlib.crc32(view[number * BLOCK : (number + 1) * BLOCK]) != self._sums[block]:
                    return False
                self._verified[block] = 1
        return True


def sealed(sums: bytes, *about: object) -> bytes:
    """Return the seal of checksums and of the identity of their file."""
    digest = hashlib.blake2b(digest_size=SEAL)
    digest.update("\n".join(str(one) for one in about).encode())
    # This separates the text from the checksums.
    digest.update(b"\0")
    digest.update(sums)
    return digest.digest()
