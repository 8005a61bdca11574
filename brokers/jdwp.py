"""The Java Debug Wire Protocol, as far as reading and writing fields of live objects goes.

Source: https://docs.oracle.com/en/java/javase/17/docs/specs/jdwp/jdwp-protocol.html.
"""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from typing import Any

from .patience import patience
from .report import KafkaError

_HANDSHAKE = b"JDWP-Handshake"
_HEAD = struct.Struct(">IIBBB")
_REPLY = 0x80

_CLASSES_BY_SIGNATURE = (1, 2)
_ID_SIZES = (1, 7)
_FIELDS, _INSTANCES = (2, 4), (2, 16)
_SUPERCLASS = (3, 1)
_REFERENCE_TYPE, _GET_VALUES, _SET_VALUES = (9, 1), (9, 2), (9, 3)
_STRING = (10, 1)
_ARRAY_LENGTH, _ARRAY_VALUES = (13, 1), (13, 2)

_PRIMITIVES = {"B": ">b", "Z": ">?", "S": ">h", "C": ">H", "I": ">i", "J": ">q"}
_ID_SIZE = 8
"""Bytes of an id of a class, an object or a field in every JVM of 64 bits."""

_INVALID_OBJECT = 20


class CollectedError(KafkaError):
    """The JVM has collected an object since its id was read."""


class Debugger:
    """A connection to the debugger's port of a JVM; objects and classes are numbers there."""

    def __init__(self) -> None:
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._sent = 0
        self._fields: dict[int, dict[str, tuple[int, str]]] = {}
        self._turn = asyncio.Lock()

    async def connect(self, port: int) -> None:
        """Connect to a JVM on this machine.

        Raises
        ------
        KafkaError
            If nothing there speaks the protocol.
        """
        self._fields.clear()
        try:
            async with asyncio.timeout(patience()):
                self._reader, self._writer = await asyncio.open_connection("127.0.0.1", port)
                self._writer.write(_HANDSHAKE)
                answer = await self._reader.readexactly(len(_HANDSHAKE))
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            self.close()
            raise KafkaError(f"no debugger of Java on port {port} ({error!r})") from None
        sizes = await self._ask(_ID_SIZES) if answer == _HANDSHAKE else b""
        if sizes != struct.pack(">5i", *[_ID_SIZE] * 5):
            self.close()
            raise KafkaError(f"port {port} is not the debugger of a 64-bit JVM")

    def close(self) -> None:
        """End the connection; the JVM goes on."""
        if self._writer is not None:
            self._writer.close()

    async def classes(self, name: str) -> list[int]:
        """Return the loaded classes of that name."""
        signature = f"L{name.replace('.', '/')};".encode()
        data = await self._ask(_CLASSES_BY_SIGNATURE, _text(signature))
        # A tag, an id and a status each.
        return [_id(data, 4 + n * 13 + 1) for n in range(_count(data))]

    async def instances(self, name: str) -> list[int]:
        """Return the live objects of a class."""
        listed: list[int] = []
        for kind in await self.classes(name):
            data = await self._ask(_INSTANCES, struct.pack(">Qi", kind, 0))
            listed += [_id(data, 4 + n * 9 + 1) for n in range(_count(data))]
        return listed

    async def field(self, target: int, name: str) -> Any:
        """Return what a field of an object holds: a number, or an object; 0 stands for null.

        Parameters
        ----------
        name
            As in the source: Scala may put a class and two dollar signs before it.

        Raises
        ------
        KafkaError
            If the object has no such field.
        """
        number, signature = await self._field(target, name)
        data = await self._ask(_GET_VALUES, struct.pack(">QiQ", target, 1, number))
        form = _PRIMITIVES.get(signature[0], ">Q")
        return struct.unpack_from(form, data, 5)[0]

    async def set_field(self, target: int, name: str, value: int) -> None:
        """Write a number into a field of an object, a final one too."""
        number, signature = await self._field(target, name)
        data = struct.pack(">QiQ", target, 1, number)
        await self._ask(_SET_VALUES, data + struct.pack(_PRIMITIVES[signature[0]], value))

    async def elements(self, target: int) -> list[int]:
        """Return the objects in an array, those that are null left out."""
        count = _count(await self._ask(_ARRAY_LENGTH, struct.pack(">Q", target)))
        data = await self._ask(_ARRAY_VALUES, struct.pack(">Qii", target, 0, count))
        # The array's tag and length, then a tag and an id each.
        listed = [_id(data, 5 + n * (1 + _ID_SIZE) + 1) for n in range(count)]
        return [one for one in listed if one]

    async def text(self, target: int) -> str:
        """Return a string."""
        data = await self._ask(_STRING, struct.pack(">Q", target))
        return data[4:].decode()

    async def fields(self, target: int) -> dict[str, tuple[int, str]]:
        """Return the fields of an object's class and of those above it, by name."""
        data = await self._ask(_REFERENCE_TYPE, struct.pack(">Q", target))
        kind = _id(data, 1)
        if kind not in self._fields:
            self._fields[kind] = await self._all_fields(kind)
        return self._fields[kind]

    async def _field(self, target: int, name: str) -> tuple[int, str]:
        known = await self.fields(target)
        if name not in known:
            raise KafkaError(f"an object of Kafka's has no field {name}; it has {', '.join(known)}")
        return known[name]

    async def _all_fields(self, kind: int) -> dict[str, tuple[int, str]]:
        known: dict[str, tuple[int, str]] = {}
        while kind:
            data = await self._ask(_FIELDS, struct.pack(">Q", kind))
            at = 4
            for _ in range(_count(data)):
                number = _id(data, at)
                name, at = _read_text(data, at + _ID_SIZE)
                signature, at = _read_text(data, at)
                at += 4
                known.setdefault(name.rpartition("$$")[2], (number, signature))
            kind = _id(await self._ask(_SUPERCLASS, struct.pack(">Q", kind)), 0)
        return known

    async def _ask(self, command: tuple[int, int], data: bytes = b"") -> bytes:
        """Send a command and return the reply."""
        assert self._writer is not None
        assert self._reader is not None
        async with self._turn:
            self._sent += 1
            head = _HEAD.pack(_HEAD.size + len(data), self._sent, 0, *command)
            self._writer.write(head + data)
            try:
                async with asyncio.timeout(patience()):
                    while True:
                        size, number, flags, high, low = _HEAD.unpack(
                            await self._reader.readexactly(_HEAD.size)
                        )
                        body = await self._reader.readexactly(size - _HEAD.size)
                        # What is not a reply is an event, of which nobody wants to know.
                        if flags == _REPLY and number == self._sent:
                            break
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                with suppress(OSError):
                    self._writer.close()
                raise KafkaError(f"the debugger of a broker does not answer ({error!r})") from None
        refusal = high << 8 | low
        if refusal:
            kind = CollectedError if refusal == _INVALID_OBJECT else KafkaError
            raise kind(f"the debugger refuses command {command}: error {refusal}")
        return body


def _text(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    size = struct.unpack_from(">i", data, at)[0]
    return data[at + 4 : at + 4 + size].decode(), at + 4 + size


def _count(data: bytes) -> int:
    number: int = struct.unpack_from(">i", data)[0]
    return number


def _id(data: bytes, at: int) -> int:
    number: int = struct.unpack_from(">Q", data, at)[0]
    return number
