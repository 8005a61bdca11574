"""Runs: sorted records in files, one for each partition of those that wrote it.

A file holds records, behind them (in the run of a level) the fingerprints of their parents in the
same order, and a footer.  What a record is, ``compiled.blocks`` says.
"""

from __future__ import annotations

import errno
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...layout import mix
from .store import Store, StoreError

FOOTER = struct.Struct("<8sQIII4x")
MAGIC = b"TIDERUN1"

PIECE = 32 << 20
"""Bytes that are read at a time, where a file cannot be mapped into memory."""

_WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Run:
    """A run: its directory in the store, and of how many equal shares of all fingerprints it is.

    ``states`` counts its records, ``parents`` says whether their parents are known.
    """

    name: str
    shares: int
    states: int
    parents: bool = True

    def file(self, share: int) -> str:
        """Return the name of the file of a share."""
        return f"{self.name}/{share:05d}-of-{self.shares:05d}.run"


def bound(share: int, shares: int) -> int:
    """Return the first fingerprint of a share; that behind the last one is 2^64."""
    return -(-(share << 64) // shares)


def write_run(
    store: Store, name: str, words: int, records: Iterable[Any], parents: Iterable[Any] | None
) -> int:
    """Write the file of a share, piece by piece; return how many records it has."""
    size = 0
    checksum = 0

    def parts() -> Iterator[Any]:
        nonlocal size, checksum
        for piece in records:
            size += len(piece)
            checksum = zlib.crc32(piece, checksum)
            yield piece
        for piece in parents or ():
            checksum = zlib.crc32(piece, checksum)
            yield piece
        count = size // (8 * words)
        yield FOOTER.pack(MAGIC, count, words, parents is not None, checksum)

    store.write(name, parts())
    return size // (8 * words)


class RunFile:
    """A file of a run, open for reading.

    Raises
    ------
    StoreError
        If it is not there, or not whole.
    """

    def __init__(self, store: Store, name: str, words: int) -> None:
        self.where = f"{store.location}/{name}"
        self.record = 8 * words
        try:
            self._file = store.open(name)
            size = self._file.size()
            footer = self._file.read_at(FOOTER.size, size - FOOTER.size)
            magic, self.count, kept, self.parents, self._checksum = FOOTER.unpack(footer)
        except FileNotFoundError:
            raise StoreError(
                f"{self.where}: is missing; the store must be one that the driver and all "
                "executors share"
            ) from None
        except (OSError, ValueError, struct.error) as error:
            # A file that finds no room in memory is not damaged.
            if isinstance(error, OSError) and error.errno == errno.ENOMEM:
                raise MemoryError(f"{self.where}: no room to map it") from None
            raise StoreError(f"{self.where}: damaged, and cannot be read ({error})") from None
        expected = self.count * (self.record + 8 * self.parents) + FOOTER.size
        if magic != MAGIC or kept != words or size != expected:
            raise self.damaged()

    def __enter__(self) -> RunFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def damaged(self) -> StoreError:
        """Return what says that this is not what was written."""
        return StoreError(f"{self.where}: damaged; begin the search anew, in another store")

    def pieces(self, first: int, end: int) -> Iterator[tuple[Any, int]]:
        """Yield the records from `first` to `end` in buffers, each with their number."""
        most = max(1, PIECE // self.record)
        for start in range(first, end, most):
            count = min(most, end - start)
            self._file.seek(start * self.record)
            yield self._file.read_buffer(count * self.record), count

    def verify(self) -> None:
        """Compare the content with its checksum."""
        checksum, left = 0, self.count * (self.record + 8 * self.parents)
        self._file.seek(0)
        while left:
            buffer = self._file.read_buffer(min(left, PIECE))
            checksum = zlib.crc32(buffer, checksum)
            left -= buffer.size
        if checksum != self._checksum:
            raise self.damaged()

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
        return int.from_bytes(self._file.read_at(8, number * self.record), "little")

    def words(self, number: int) -> tuple[int, ...]:
        """Return the words of the state that a record stands for."""
        content = self._file.read_at(self.record, number * self.record)
        return restored(struct.unpack(f"<{self.record // 8}Q", content))

    def parent(self, number: int) -> int:
        """Return the fingerprint of a record's least parent."""
        start = self.count * self.record + 8 * number
        return int.from_bytes(self._file.read_at(8, start), "little")


@dataclass(frozen=True)
class Stretch:
    """Part of a file of a run: its records from `first` to `end`."""

    file: RunFile
    first: int
    end: int


def stretches(store: Store, run: Run, words: int, share: int, shares: int) -> Iterator[Stretch]:
    """Yield what belongs to a share of all fingerprints, in order; the run may be of other ones."""
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
    """Return the words of the state that a record stands for.

    >>> restored(record_of((5, 7)))
    (5, 7)
    """
    hashed = len(record)
    for word in record[1:]:
        hashed = mix(hashed ^ word)
    return (*record[1:], hashed ^ unmixed(record[0]))


def record_of(words: Sequence[int]) -> tuple[int, ...]:
    """Return the record of a state: its fingerprint, and its words but the last one."""
    hashed = len(words)
    for word in words:
        hashed = mix(hashed ^ word)
    return (hashed, *words[:-1])


def unmixed(word: int) -> int:
    """Return the word of which :func:`tidegate.layout.mix` makes this one."""
    word = ((word ^ word >> 31 ^ word >> 62) * 0x319642B2D24D8EC3) & _WORD
    word = ((word ^ word >> 27 ^ word >> 54) * 0x96DE1B173F119089) & _WORD
    return ((word ^ word >> 30 ^ word >> 60) - 0x9E3779B97F4A7C15) & _WORD
