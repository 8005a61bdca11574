"""Kafka's protocol as bytes: what a schema says of a request or a response, in any version."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ..core.spec import TidegateError
from .messages import Api, Field

_NUMBERS = {
    "bool": struct.Struct(">?"),
    "int8": struct.Struct(">b"),
    "int16": struct.Struct(">h"),
    "uint16": struct.Struct(">H"),
    "int32": struct.Struct(">i"),
    "int64": struct.Struct(">q"),
}
_UUID = 16
_SIZES = {"string": "int16", "bytes": "int32"}
"""The numbers that tell the sizes, where those are not compact."""

API_VERSIONS_KEY = 18

_LARGEST = 64 << 20
"""Bytes of a frame; what is longer is none."""


class WireError(TidegateError):
    """Bytes that are not a message of Kafka's protocol."""


@dataclass(frozen=True)
class Header:
    """The header of a request."""

    key: int
    version: int
    correlation: int
    client: str


async def read_frame(reader: asyncio.StreamReader) -> bytes:
    """Return the next request or response on a connection, without its size.

    Raises
    ------
    WireError
        If its size cannot be one.
    asyncio.IncompleteReadError
        If the connection ends before it does.
    """
    size = int.from_bytes(await reader.readexactly(4), signed=True)
    if not 0 <= size <= _LARGEST:
        raise WireError(f"a frame of {size} bytes")
    return await reader.readexactly(size)


def write_frame(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Write a request or a response, with its size before it."""
    writer.write(len(data).to_bytes(4) + data)


class Ports:
    """Ports of this machine, each with what serves its connections."""

    def __init__(self) -> None:
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(
        self,
        port: int,
        serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    ) -> None:
        """Serve each connection to a port until it ends."""

        async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            try:
                await serve(reader, writer)
            except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            finally:
                self._tasks.discard(task)
                with suppress(OSError):
                    writer.close()

        self._servers.append(await asyncio.start_server(served, "127.0.0.1", port))

    async def close(self) -> None:
        """Close every port, and end every connection."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Reader:
    """Takes values off the front of a message."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        if size < 0 or self.at + size > len(self.data):
            raise WireError(f"a message of {len(self.data)} bytes ends within a value")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str) -> int:
        """Return the next number."""
        form = _NUMBERS[kind]
        value: int = form.unpack(self.take(form.size))[0]
        return value

    def varint(self) -> int:
        """Return the next unsigned variable-length number."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise WireError("a number has too many bytes")

    def length(self, kind: str, compact: bool) -> int:
        """Return the next length; -1 stands for null."""
        return self.varint() - 1 if compact else self.number(kind)

    def value(self, kind: str, field: Field, version: int, compact: bool) -> Any:
        """Return the next value of a field, or of an array that is one."""
        if kind.startswith("[]"):
            count = self.length("int32", compact)
            return [self.value(kind[2:], field, version, compact) for _ in range(count)]
        if kind == "{}":
            return self.fields(field.fields, version, compact)
        if kind == "uuid":
            return self.take(_UUID)
        if kind in _SIZES:
            size = self.length(_SIZES[kind], compact)
            data = None if size < 0 else self.take(size)
            return data if kind == "bytes" or data is None else data.decode(errors="replace")
        return self.number(kind)

    def fields(self, fields: Sequence[Field], version: int, compact: bool) -> dict[str, Any]:
        """Return the next values of fields by name."""
        values = {
            field.name: self.value(field.kind, field, version, compact)
            for field in fields
            if field.tag is None and field.first <= version <= field.last
        }
        if compact:
            tagged = {field.tag: field for field in fields if field.tag is not None}
            for _ in range(self.varint()):
                tag, size = self.varint(), self.varint()
                inner = Reader(self.take(size))
                if tag in tagged:
                    field = tagged[tag]
                    values[field.name] = inner.value(field.kind, field, version, compact)
        return values


def varint(value: int) -> bytes:
    """Return an unsigned number of variable length."""
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def _length(kind: str, size: int, compact: bool) -> bytes:
    return varint(size + 1) if compact else _NUMBERS[kind].pack(size)


def _value(kind: str, field: Field, value: Any, version: int, compact: bool) -> bytes:
    if kind.startswith("[]"):
        if value is None:
            return _length("int32", -1, compact)
        parts = [_value(kind[2:], field, element, version, compact) for element in value]
        return _length("int32", len(parts), compact) + b"".join(parts)
    if kind == "{}":
        return encode_fields(field.fields, value, version, compact)
    if kind == "uuid":
        return bytes(value)
    if kind in _SIZES:
        if value is None:
            return _length(_SIZES[kind], -1, compact)
        data = value.encode() if isinstance(value, str) else value
        return _length(_SIZES[kind], len(data), compact) + bytes(data)
    return _NUMBERS[kind].pack(value)


def encode_fields(
    fields: Sequence[Field], values: Mapping[str, Any], version: int, compact: bool = True
) -> bytes:
    """Return values by name as bytes; a tagged field is left out unless it has a value."""
    plain = b"".join(
        _value(field.kind, field, values.get(field.name, field.default), version, compact)
        for field in fields
        if field.tag is None and field.first <= version <= field.last
    )
    if not compact:
        return plain
    tagged = {
        field.tag: _value(field.kind, field, values[field.name], version, compact)
        for field in fields
        if field.tag is not None and field.name in values
    }
    parts = [varint(tag) + varint(len(data)) + data for tag, data in sorted(tagged.items())]
    return plain + varint(len(parts)) + b"".join(parts)


def encode_request(
    api: Api, version: int, correlation: int, client: str, body: dict[str, Any]
) -> bytes:
    """Return a request as bytes, without its size."""
    compact = version >= api.flexible
    name = client.encode()
    head = struct.pack(">hhih", api.key, version, correlation, len(name)) + name
    return head + (b"\0" if compact else b"") + encode_fields(api.request, body, version, compact)


def encode_response(api: Api, version: int, correlation: int, body: dict[str, Any]) -> bytes:
    """Return a response as bytes, without its size."""
    compact = version >= api.flexible
    # A client that asks for versions cannot know yet which header it will get.
    head = b"\0" if compact and api.key != API_VERSIONS_KEY else b""
    fields = encode_fields(api.response, body, version, compact)
    return struct.pack(">i", correlation) + head + fields


def decode_header(data: bytes) -> tuple[Header, int]:
    """Return the header of a request up to its client id, and where that ends."""
    reader = Reader(data)
    key, version = reader.number("int16"), reader.number("int16")
    correlation = reader.number("int32")
    size = reader.number("int16")
    client = reader.take(size).decode(errors="replace") if size > 0 else ""
    return Header(key, version, correlation, client), reader.at


def decode_request(api: Api, data: bytes) -> dict[str, Any]:
    """Return what a request says, by name.

    Raises
    ------
    WireError
        If it is none of this API.
    """
    header, end = decode_header(data)
    compact = header.version >= api.flexible
    reader = Reader(data)
    reader.at = end
    if compact:
        reader.fields((), header.version, True)
    return reader.fields(api.request, header.version, compact)


def decode_response(api: Api, version: int, data: bytes) -> dict[str, Any]:
    """Return what a response says, by name.

    Raises
    ------
    WireError
        If it is none of this API.
    """
    compact = version >= api.flexible
    reader = Reader(data)
    reader.number("int32")
    if compact:
        reader.fields((), version, True)
    return reader.fields(api.response, version, compact)
