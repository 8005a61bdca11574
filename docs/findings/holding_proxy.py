"""A proxy through which everything passes but what a schedule holds."""

from __future__ import annotations

from typing import Any

from tidegate.brokers.messages import ALTER_PARTITION, FETCH, Api
from tidegate.brokers.proxy import Connection, Proxy, Route
from tidegate.brokers.wire import Header


class HoldingProxy(Proxy):
    """The proxy of a cluster; requests to controllers pass through it, too."""

    apis = {**Proxy.apis, ALTER_PARTITION.key: ALTER_PARTITION}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self._requests: set[Route] = set()
        self._responses: set[Route] = set()

    def sender(self, header: Header, body: dict[str, Any]) -> int | None:
        """Return the broker that sends a request."""
        if header.key == ALTER_PARTITION.key:
            return int(body["broker"])
        return super().sender(header, body)

    def route(self, sender: int, to: int, key: int) -> Route:
        """Return the route of a request: AlterPartition has one of its own."""
        return (sender, to, key) if key == ALTER_PARTITION.key else super().route(sender, to, key)

    def holds_request(self, connection: Connection) -> bool:
        """Whether what comes over a connection is held."""
        return connection.route in self._requests

    def holds_response(self, connection: Connection) -> bool:
        """Whether the answers over a connection are held."""
        return connection.route in self._responses

    def hold(self, sender: int, to: int, what: Api = FETCH) -> None:
        """Hold a broker's next request to another, and those after that; responses pass."""
        self._requests.add(self.route(sender, to, what.key))

    def hold_response(self, sender: int, to: int) -> None:
        """Hold the response to a broker's fetch from another, and so all that it sends later."""
        self._responses.add(self.route(sender, to, FETCH.key))

    def release(self, sender: int, to: int) -> None:
        """Release the fetch that a broker has sent to another; those after that are held."""
        held = self.held(self.route(sender, to, FETCH.key), "request")
        if held is not None:
            held.release()

    def let_pass(self, sender: int, to: int, what: Api = FETCH) -> None:
        """Release what a broker has sent to another, or its response, and hold none any more."""
        route = self._pass(sender, to, what)
        for which in ("request", "response"):
            held = self.held(route, which)
            if held is not None:
                held.release()

    def drop(self, sender: int, to: int) -> None:
        """Cut the connections over which a broker fetches from another; later ones pass."""
        route = self._pass(sender, to, FETCH)
        self.close_where(lambda connection: connection.route == route)

    def _pass(self, sender: int, to: int, what: Api) -> Route:
        route = self.route(sender, to, what.key)
        self._requests.discard(route)
        self._responses.discard(route)
        return route
