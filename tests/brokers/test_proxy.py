"""The proxy between brokers and their controller: it holds what it is asked to hold."""

import asyncio
from functools import partial

import pytest

from findings.holding_proxy import HoldingProxy
from tidegate.brokers.client import ask
from tidegate.brokers.messages import ALTER_PARTITION, FETCH
from tidegate.brokers.server import free_ports

LEADER = 1


FLEXIBLE = bytes(1 + 4 + 2) + b"\1\0"
"""The body of an AlterPartition response: no throttling, no error, no topics."""


def fetch(replica):
    return {"replica_id": replica, "topics": []}


async def answer(reader, writer):
    """Answer each request with an empty response."""
    while size := await reader.read(4):
        request = await reader.readexactly(int.from_bytes(size))
        version = int.from_bytes(request[2:4])
        body = FLEXIBLE if version else (0).to_bytes(4)
        writer.write((4 + len(body)).to_bytes(4) + request[4:8] + body)
    writer.close()


async def through_proxy(scenario):
    proxy = HoldingProxy()
    port, upstream = free_ports(2)
    server = await asyncio.start_server(answer, "127.0.0.1", upstream)
    await proxy.listen(LEADER, port, upstream)
    try:
        return await scenario(proxy, port)
    finally:
        await proxy.close()
        server.close()


def test_the_proxy_holds_the_requests_of_the_pair_that_it_is_asked_to_hold():
    async def scenario(proxy, port):
        proxy.hold(2, LEADER)
        held = asyncio.create_task(ask(port, FETCH, 0, fetch(2)))
        assert await proxy.request(2, LEADER) is not None
        assert await ask(port, FETCH, 0, fetch(3)) == {"topics": []}
        assert not held.done()
        proxy.let_pass(2, LEADER)
        assert await held == {"topics": []}
        return await ask(port, FETCH, 0, fetch(2))

    assert asyncio.run(through_proxy(scenario)) == {"topics": []}


def test_a_request_that_is_dropped_never_arrives():
    async def scenario(proxy, port):
        proxy.hold(2, LEADER)
        held = asyncio.create_task(ask(port, FETCH, 0, fetch(2)))
        assert await proxy.request(2, LEADER) is not None
        proxy.drop(2, LEADER)
        with pytest.raises(Exception, match="the connection was closed"):
            await held

    asyncio.run(through_proxy(scenario))


def test_the_response_to_a_released_fetch_is_held_and_the_next_fetch_is_too():
    async def scenario(proxy, port):
        proxy.hold(2, LEADER)
        proxy.hold_response(2, LEADER)
        held = asyncio.create_task(ask(port, FETCH, 0, fetch(2)))
        assert await proxy.request(2, LEADER) is not None
        proxy.release(2, LEADER)
        assert await proxy.response(2, LEADER) is not None
        assert not held.done()
        proxy.let_pass(2, LEADER)
        assert await held == {"topics": []}
        return await ask(port, FETCH, 0, fetch(2))

    assert asyncio.run(through_proxy(scenario)) == {"topics": []}


def test_what_a_leader_asks_the_controller_is_held_apart_from_its_fetches_of_metadata():
    async def scenario(proxy, port):
        alter = partial(ask, port, ALTER_PARTITION, 3)
        asked = {"broker": 2, "broker_epoch": 0, "topics": []}
        proxy.hold(2, LEADER, ALTER_PARTITION)
        held = asyncio.create_task(alter(asked))
        assert await proxy.request(2, LEADER, what=ALTER_PARTITION) is not None
        assert await ask(port, FETCH, 0, fetch(2)) == {"topics": []}
        assert not held.done()
        proxy.let_pass(2, LEADER, ALTER_PARTITION)
        proxy.hold(2, LEADER)
        return await held, await alter(asked)

    nothing = {"throttle_ms": 0, "error": 0, "topics": []}
    assert asyncio.run(through_proxy(scenario)) == (nothing, nothing)
