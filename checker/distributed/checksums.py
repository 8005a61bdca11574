"""Checksums of the blocks of a file, so that whoever reads part of it verifies that part alone.

Each block has a CRC-32, which is changed by every change within 32 bits in a row and by every two
bits; of other damage to a block one in four thousand million goes unnoticed.  A seal binds all of
them, in their order, to what the file is: its name, its size and the search that it is of.
"""

from __future__ import annotations

import hashlib
import zlib
from array import array
from typing import Any

BLOCK = 1 << 16
"""Bytes of a block: enough that a checksum takes no room, few enough that one is soon read."""

SEAL = 16
"""Bytes of a seal."""


def blocks(size: int) -> int:
    """Return how many blocks so many bytes are; the last one may be short."""
    return -(-size // BLOCK)


class Summing:
    """Computes the checksums of what is written piece by piece."""

    def __init__(self) -> None:
        self._sums = array("I")
        self._sum = self._held = 0

    def add(self, piece: memoryview) -> None:
        """Go on with the next bytes."""
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
        What :meth:`Summing.finish` returned.
    """

    def __init__(self, content: bytes) -> None:
        self._sums = array("I", content)
        self._verified = bytearray(len(self._sums))

    def verify(self, buffer: Any, first: int) -> bool:
        """Whether a buffer is that of the blocks from `first` on, as far as was not known yet."""
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
    """Return the seal of checksums and of what their file is."""
    digest = hashlib.blake2b(digest_size=SEAL)
    digest.update("\n".join(str(one) for one in about).encode())
    # Text before this, numbers after it.
    digest.update(b"\0")
    digest.update(sums)
    return digest.digest()
