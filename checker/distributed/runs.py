"""Runs: sorted records in files, one for each partition that wrote it.

A file has records, then the fingerprints of their parents in the same order, the checksums of both,
and a footer.  ``compiled.blocks`` explains records.  Every block of a
file is compared with its checksum before it is used.

Checksums of the blocks of a file, so that a reader verifies only the blocks that it reads.

Each block has a CRC-32, which detects every error within 32 consecutive bits and every error of two
bits; other errors go unnoticed with a probability of one in four billion.  A seal binds all
checksums, in order, to the identity of the file: its name, its size and its search.
"""

from __future__ import annotations

import errno
import hashlib
import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...core.layout import mix
from ..manifest import CheckpointError
from .store import Store

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


FOOTER = struct.Struct(f"<8sQI{SEAL}s")
MAGIC = b"TIDERUN3"

PIECE = 32 << 20
"""Bytes that are read at a time, if a file cannot be mapped into memory."""

_WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Run:
    """The run of a level: its directory in the store, its shares, and its number of records.

    The shares are equal parts of all fingerprints, with a file for each.
    """

    name: str
    shares: int
    states: int

    def file(self, share: int) -> str:
        """Return the name of the file of a share."""
        return f"{self.name}/{share:05d}-of-{self.shares:05d}.run"


def level_name(level: int) -> str:
    """Return the name of a level's run."""
    return f"levels/{level:05d}"


def bound(share: int, shares: int) -> int:
    """Return the first fingerprint of a share; for the share after the last one it is 2^64."""
    return -(-(share << 64) // shares)


def write_run(
    store: Store, name: str, words: int, records: Iterable[Any], parents: Iterable[Any]
) -> int:
    """Write the file of a share, piece by piece; return how many records it has."""
    size = 0
    summing = Summing()

    def parts() -> Iterator[Any]:
        nonlocal size
        for piece in records:
            size += len(piece)
            summing.add(piece)
            yield piece
        for piece in parents:
            summing.add(piece)
            yield piece
        sums, about = summing.finish(), (size // (8 * words), words)
        yield sums
        yield FOOTER.pack(MAGIC, *about, sealed(sums, store.search, name, *about))

    store.write(name, parts())
    return size // (8 * words)


@lru_cache(256)
def _sums_of(identity: Any, content: bytes) -> Sums:
    """Return the checksums of a file, with the blocks that this process has verified."""
    return Sums(content)


class RunFile:
    """A file of a run, open for reading.

    Raises
    ------
    CheckpointError
        If it is not there, or not the one that was written under that name.
    """

    def __init__(self, store: Store, name: str, words: int) -> None:
        self.where = f"{store.location}/{name}"
        self.record = 8 * words
        try:
            identity = store.identity(name)
            self._file = store.open(name)
            size = self._file.size()
            footer = self._file.read_at(FOOTER.size, size - FOOTER.size)
            magic, self.count, kept, seal = FOOTER.unpack(footer)
            self._size = self.count * (self.record + 8)
            length = 4 * blocks(self._size)
            expected = self._size + length + FOOTER.size
            if magic != MAGIC or kept != words or size != expected:
                raise self.damaged()
            sums = self._file.read_at(length, self._size)
        except FileNotFoundError:
            raise CheckpointError(
                f"{self.where}: is missing; the store must be one that the driver and all "
                "executors share"
            ) from None
        except (OSError, ValueError, struct.error) as error:
            raise self._unreadable(error) from None
        if sealed(sums, store.search, name, self.count, words) != seal:
            raise self.damaged()
        self._sums = Sums(sums) if identity is None else _sums_of(identity, sums)
        self._first, self._block = 0, b""

    def __enter__(self) -> RunFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def damaged(self) -> CheckpointError:
        """Return the error for a file that is not as it was written."""
        return CheckpointError(f"{self.where}: damaged; begin the search anew, in another store")

    def _unreadable(self, error: Exception) -> Exception:
        # A file that does not fit into memory is not damaged.
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return MemoryError(f"{self.where}: no room to map it")
        [reason, *_] = str(error).splitlines() or [type(error).__name__]
        return CheckpointError(
            f"{self.where}: damaged, and cannot be read ({reason}); begin the search anew, in "
            "another store"
        )

    def pieces(self, first: int, end: int) -> Iterator[tuple[Any, int]]:
        """Yield the records from `first` to `end` in buffers, each with its number of records."""
        most = max(1, PIECE // self.record)
        for start in range(first, end, most):
            count = min(most, end - start)
            yield self._read(start * self.record, count * self.record), count

    def _read(self, start: int, size: int) -> Any:
        """Return a part of the content, after verifying its blocks."""
        first = start // BLOCK
        low, high = first * BLOCK, min(blocks(start + size) * BLOCK, self._size)
        try:
            self._file.seek(low)
            buffer = self._file.read_buffer(high - low)
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from None
        if len(buffer) != high - low or not self._sums.verify(buffer, first):
            raise self.damaged()
        return buffer.slice(start - low, size)

    def _few(self, start: int, size: int) -> bytes:
        """Return a few bytes of the content; their block is kept for the next read."""
        if not self._first <= start <= start + size <= self._first + len(self._block):
            first, end = start // BLOCK * BLOCK, min(blocks(start + size) * BLOCK, self._size)
            block = self._read(first, end - first).to_pybytes()
            self._first, self._block = first, block
        return self._block[start - self._first : start - self._first + size]

    def rank(self, fingerprint: int) -> int:
        """Return how many records have smaller fingerprints."""
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            if self.fingerprint(middle) < fingerprint:
                low = middle + 1
            else:
                high = middle
        return low

    def fingerprint(self, number: int) -> int:
        """Return the fingerprint of a record."""
        return int.from_bytes(self._few(number * self.record, 8), "little")

    def words(self, number: int) -> tuple[int, ...]:
        """Return the words of a record's state."""
        content = self._few(number * self.record, self.record)
        return restored(struct.unpack(f"<{self.record // 8}Q", content))

    def parent(self, number: int) -> int:
        """Return the fingerprint of a record's least parent."""
        return int.from_bytes(self._few(self.count * self.record + 8 * number, 8), "little")


@dataclass(frozen=True)
class Stretch:
    """Part of a file of a run: its records from `first` to `end`."""

    file: RunFile
    first: int
    end: int


def stretches(store: Store, run: Run, words: int, share: int, shares: int) -> Iterator[Stretch]:
    """Yield a share of all fingerprints from a run, in order; the run may have other shares."""
    if run.shares == shares:
        with RunFile(store, run.file(share), words) as file:
            yield Stretch(file, 0, file.count)
        return
    low, high = bound(share, shares), bound(share + 1, shares)
    for number in range(low * run.shares >> 64, ((high - 1) * run.shares >> 64) + 1):
        with RunFile(store, run.file(number), words) as file:
            first, end = file.rank(low), file.rank(high)
            if first < end:
                yield Stretch(file, first, end)


def restored(record: Sequence[int]) -> tuple[int, ...]:
    """Return the words of a record's state.

    >>> restored(record_of((5, 7)))
    (5, 7)
    """
    hashed = len(record)
    for word in record[1:]:
        hashed = mix(hashed ^ word)
    return (*record[1:], hashed ^ unmixed(record[0]))


def record_of(words: Sequence[int]) -> tuple[int, ...]:
    """Return the record of a state: its fingerprint, and its words except the last one."""
    hashed = len(words)
    for word in words:
        hashed = mix(hashed ^ word)
    return (hashed, *words[:-1])


def unmixed(word: int) -> int:
    """Return the inverse of :func:`tidegate.core.layout.mix` for a word."""
    word = ((word ^ word >> 31 ^ word >> 62) * 0x319642B2D24D8EC3) & _WORD
    word = ((word ^ word >> 27 ^ word >> 54) * 0x96DE1B173F119089) & _WORD
    return ((word ^ word >> 30 ^ word >> 60) - 0x9E3779B97F4A7C15) & _WORD
