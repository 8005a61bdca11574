"""Records as bytes: message sets (magic 0 and 1) and record batches (magic 2)."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .wire import varint

_HEAD = struct.Struct(">qi")
"""Offset and size, before each message and each batch."""

_MAGIC_AT = 16
_BATCH = struct.Struct(">ibIhiqqqhii")
"""Leader epoch to number of records of a batch, whose header ends after them."""

_CASTAGNOLI = 0x82F63B78


@dataclass(frozen=True)
class Entry:
    """A record in a log.

    ``epoch`` is the leader epoch of its batch; None before magic 2.
    """

    offset: int
    epoch: int | None
    value: str


def record_size(magic: int) -> int:
    """Return the bytes that a record named ``mN`` takes in a log."""
    return {0: 28, 1: 36, 2: 70}[magic]


def encode_record(value: str, magic: int) -> bytes:
    """Return one record as a producer sends it."""
    data = value.encode()
    if magic == 2:
        return encode_batch([data])
    stamp = struct.pack(">q", _now()) if magic else b""
    body = struct.pack(">bb", magic, 0) + stamp + struct.pack(">ii", -1, len(data)) + data
    message = struct.pack(">I", zlib.crc32(body)) + body
    return _HEAD.pack(0, len(message)) + message


def _now() -> int:
    """Return the present time in milliseconds."""
    return time.time_ns() // 1_000_000


def encode_batch(values: Sequence[bytes], base: int = 0, epoch: int = -1) -> bytes:
    """Return records as a batch, from an offset on; a leader puts its epoch into it."""
    now = _now()
    last = len(values) - 1
    rest = struct.pack(">hiqqqhii", 0, last, now, now, -1, -1, -1, len(values))
    for offset, value in enumerate(values):
        # Attributes, time stamp, offset, no key, the value with its length, no headers.
        record = b"\0\0" + varint(offset << 1) + b"\1" + varint(len(value) << 1) + value + b"\0"
        rest += varint(len(record) << 1) + record
    body = struct.pack(">ibI", epoch, 2, _crc32c(rest)) + rest
    return _HEAD.pack(base, len(body)) + body


def _crc32c(data: bytes) -> int:
    """Return the checksum of a batch, which Python's library has in another polynomial only."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (_CASTAGNOLI if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def decode_records(data: bytes) -> list[Entry]:
    """Return the records of a segment or of a fetch response; a last one that is cut is left out.

    Records are not compressed: no one but the harness produces any.
    """
    entries: list[Entry] = []
    at = 0
    while at + _MAGIC_AT < len(data):
        offset, size = _HEAD.unpack_from(data, at)
        end = at + _HEAD.size + size
        if end > len(data) or size <= 0:
            break
        if data[at + _MAGIC_AT] == 2:
            entries += _of_batch(data[at:end], offset)
        else:
            entries.append(_of_message(data[at:end], offset))
        at = end
    return entries


def _of_message(data: bytes, offset: int) -> Entry:
    at = _MAGIC_AT + 2 + (8 if data[_MAGIC_AT] == 1 else 0)
    key = struct.unpack_from(">i", data, at)[0]
    at += 4 + max(key, 0)
    size = struct.unpack_from(">i", data, at)[0]
    return Entry(offset, None, data[at + 4 : at + 4 + max(size, 0)].decode(errors="replace"))


def _of_batch(data: bytes, base: int) -> Iterator[Entry]:
    head = _BATCH.unpack_from(data, _HEAD.size)
    at = _HEAD.size + _BATCH.size
    for _ in range(head[-1]):
        size, at = _zigzag(data, at)
        end = at + size
        _, at = _zigzag(data, at + 1)
        delta, at = _zigzag(data, at)
        key, at = _zigzag(data, at)
        length, at = _zigzag(data, at + max(key, 0))
        value = data[at : at + max(length, 0)].decode(errors="replace")
        yield Entry(base + delta, head[0], value)
        at = end


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    """Return a signed variable-length number, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value >> 1 ^ -(value & 1), at
        shift += 7


def sizes(data: bytes) -> list[int]:
    """Return the bytes that each message or batch of a segment takes."""
    listed: list[int] = []
    at = 0
    while at + _HEAD.size <= len(data):
        size = _HEAD.size + _HEAD.unpack_from(data, at)[1]
        listed.append(size)
        at += size
    return listed
