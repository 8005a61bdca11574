"""A proxy between brokers: it holds each request and each response until a step lets it pass.

Each broker has a port here, which it advertises as its own.  A broker sends the fetches of one
leader over one connection, one at a time, so a connection is a loop: a request, then its response.
So it does with what it asks the controller, over a connection for each purpose.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .messages import EPOCH, FETCH, LIST_OFFSETS, Api
from .patience import until
from .wire import (
    Header,
    Ports,
    WireError,
    decode_header,
    decode_request,
    decode_response,
    read_frame,
    write_frame,
)

_FETCHER = re.compile(r"broker-(\d+)-fetcher-\d+")
"""The client id of a fetcher since Kafka 0.11."""


@dataclass
class Held:
    """A request or a response that waits to be let through.

    Parameters
    ----------
    body
        What it says, by name.
    """

    key: int
    body: dict[str, Any]
    released: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def partition(self) -> dict[str, Any]:
        """What it says of the partition; empty if it says nothing of any."""
        topics = self.body["topics"]
        partitions = topics[0]["partitions"] if topics else []
        return dict(partitions[0]) if partitions else {}

    def release(self) -> None:
        """Let it through."""
        self.released.set()


Route = tuple[int, int, int]
"""Who sends, to whom, and the key of what: all that a fetcher sends counts as its fetches."""


class Connection:
    """A connection from a broker to another one."""

    def __init__(self, proxy: Proxy, to: int, writer: asyncio.StreamWriter) -> None:
        self.proxy = proxy
        self.to = to
        self.sender: int | None = None
        self.route: Route | None = None
        self.request: Held | None = None
        self.response: Held | None = None
        self._down = writer
        self._up: asyncio.StreamWriter | None = None

    def close(self) -> None:
        """Cut it on both sides; what it holds is lost."""
        self.request = self.response = None
        for writer in (self._down, self._up):
            if writer is not None:
                writer.close()

    async def serve(self, reader: asyncio.StreamReader) -> None:
        """Pass requests and responses on until one side closes it."""
        upstream: asyncio.StreamReader | None = None
        while True:
            data = await read_frame(reader)
            header, _ = decode_header(data)
            await self._hold_request(header, data)
            if upstream is None:
                upstream, self._up = await asyncio.open_connection(
                    "127.0.0.1", self.proxy.upstream[self.to]
                )
            assert self._up is not None
            write_frame(self._up, data)
            answer = await read_frame(upstream)
            await self._hold_response(header, answer)
            write_frame(self._down, answer)

    async def _hold_request(self, header: Header, data: bytes) -> None:
        if header.key not in self.proxy.apis:
            return
        body = decode_request(self.proxy.apis[header.key], data)
        self.proxy.note(self, header, body)
        if not self.proxy.holds_request(self):
            return
        self.request = Held(header.key, body)
        await self.request.released.wait()
        self.request = None

    async def _hold_response(self, header: Header, data: bytes) -> None:
        if header.key not in self.proxy.apis or not self.proxy.holds_response(self):
            return
        body = decode_response(self.proxy.apis[header.key], header.version, data)
        self.response = Held(header.key, body)
        await self.response.released.wait()
        self.response = None


class Proxy:
    """The proxy of a cluster: a port for each broker.

    Attributes
    ----------
    apis
        The requests that are read, and of which a sender's are held, by their keys.
    ports, upstream
        The port of each broker here, and its real one.
    broken
        Why connections ended that did not end as they should.
    """

    apis: Mapping[int, Api] = {api.key: api for api in (FETCH, LIST_OFFSETS, EPOCH)}

    def __init__(self) -> None:
        self.ports: dict[int, int] = {}
        self.upstream: dict[int, int] = {}
        self.broken: list[str] = []
        self._listening = Ports()
        self._connections: dict[Route, Connection] = {}
        self._all: set[Connection] = set()
        self._refused: set[int] = set()

    async def listen(self, broker: int, port: int, upstream: int) -> None:
        """Stand in for a broker at a port."""
        self.ports[broker], self.upstream[broker] = port, upstream

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = Connection(self, broker, writer)
            self._all.add(connection)
            try:
                await connection.serve(reader)
            except (WireError, KeyError, IndexError) as error:
                self.broken.append(f"connection to broker {broker}: {error!r}")
            finally:
                self._all.discard(connection)
                connection.close()

        await self._listening.listen(port, serve)

    def note(self, connection: Connection, header: Header, body: dict[str, Any]) -> None:
        """Note who sends over a connection; a newer one takes the place of an older one."""
        sender = self.sender(header, body)
        if sender is None:
            return
        if sender in self._refused:
            raise ConnectionResetError
        connection.sender = sender
        connection.route = self.route(sender, connection.to, header.key)
        self._connections[connection.route] = connection

    def sender(self, header: Header, body: dict[str, Any]) -> int | None:
        """Return the broker that sends a request."""
        match = _FETCHER.match(header.client)
        if match:
            return int(match[1])
        replica: int = body["replica"]["id"] if "replica" in body else body.get("replica_id", -1)
        return replica if replica >= 0 else None

    def route(self, sender: int, to: int, key: int) -> Route:
        """Return the route of a request; the proxy treats each route on its own."""
        return sender, to, FETCH.key

    def holds_request(self, connection: Connection) -> bool:
        """Whether what comes over a connection is held."""
        return True

    def holds_response(self, connection: Connection) -> bool:
        """Whether the answers over a connection are held."""
        return True

    async def request(
        self, sender: int, to: int, seconds: float | None = None, what: Api = FETCH
    ) -> Held | None:
        """Return the request that a broker has sent to another; None if it sends none in time."""
        route = self.route(sender, to, what.key)
        return await until(lambda: self.held(route, "request"), seconds)

    async def response(self, sender: int, to: int, seconds: float | None = None) -> Held | None:
        """Return the response to a broker's request; None if none comes in time."""
        route = self.route(sender, to, FETCH.key)
        return await until(lambda: self.held(route, "response"), seconds)

    def held(self, route: Route, which: str) -> Held | None:
        """Return the ``request`` or the ``response`` that waits on a route."""
        connection = self._connections.get(route)
        held: Held | None = getattr(connection, which) if connection else None
        return held if held and not held.released.is_set() else None

    def cut(self, broker: int) -> None:
        """Cut the connections from and to a broker, which has died."""
        self.close_where(lambda connection: broker in (connection.sender, connection.to))

    def cut_from(self, sender: int) -> None:
        """Cut the connections from a broker; it may connect again."""
        self.close_where(lambda connection: connection.sender == sender)

    def close_where(self, is_meant: Callable[[Connection], bool]) -> None:
        """Cut connections."""
        for connection in list(self._all):
            if is_meant(connection):
                connection.close()

    def refuse(self, sender: int) -> None:
        """Cut the connections from a broker, and refuse new ones.

        A broker that applies an epoch first ends its fetchers, and waits for the answers to their
        requests.
        """
        self._refused.add(sender)
        self.cut_from(sender)

    def admit(self, sender: int) -> None:
        """Accept connections from a broker again."""
        self._refused.discard(sender)

    async def close(self) -> None:
        """Close every port and connection."""
        await self._listening.close()
