"""Looking into a broker whose JVM collects what is looked at: a scripted debugger's port."""

import asyncio
import struct

import pytest

from tidegate.brokers.inside import Inside
from tidegate.brokers.jdwp import Debugger
from tidegate.brokers.report import KafkaError

HANDSHAKE = b"JDWP-Handshake"
HEAD = struct.Struct(">IIBBB")
REFERENCE_TYPE, GET_VALUES = (9, 1), (9, 2)
INVALID_OBJECT = 20
TOPIC, LEADER_EPOCH = 1, 2
"""Ids of fields."""


def text(said):
    return struct.pack(">i", len(said)) + said


FIELDS = b"".join(
    struct.pack(">Q", number) + text(name) + text(signature) + bytes(4)
    for number, name, signature in (
        (TOPIC, b"topic", b"Ljava/lang/String;"),
        (LEADER_EPOCH, b"leaderEpoch", b"I"),
    )
)

REPLIES = {
    (1, 7): struct.pack(">5i", 8, 8, 8, 8, 8),
    (1, 2): struct.pack(">iBQi", 1, 1, 50, 0),
    (2, 16): struct.pack(">iBQ", 1, 1, 60),
    REFERENCE_TYPE: struct.pack(">BQ", 1, 50),
    (2, 4): struct.pack(">i", 2) + FIELDS,
    (3, 1): struct.pack(">Q", 0),
    (10, 1): text(b"walk-1"),
}
VALUES = {
    TOPIC: struct.pack(">iBQ", 1, ord("L"), 70),
    LEADER_EPOCH: struct.pack(">iBi", 1, ord("I"), 7),
}


async def serve(reader, writer, collected):
    """Stand for a JVM with one partition; so many looks at an object come too late."""
    writer.write(await reader.readexactly(len(HANDSHAKE)))
    while head := await reader.read(HEAD.size):
        size, number, _, *command = HEAD.unpack(head)
        data = await reader.readexactly(size - HEAD.size)
        if tuple(command) == REFERENCE_TYPE and collected:
            collected -= 1
            error, reply = INVALID_OBJECT, b""
        elif tuple(command) == GET_VALUES:
            error, reply = 0, VALUES[struct.unpack(">QiQ", data)[2]]
        else:
            error, reply = 0, REPLIES[tuple(command)]
        writer.write(struct.pack(">IIBH", HEAD.size + len(reply), number, 0x80, error) + reply)
    writer.close()
    await writer.wait_closed()


async def epoch(collected):
    """Return the leader epoch that is seen of the partition."""
    serving = asyncio.get_running_loop().create_future()

    async def serve_once(*peer):
        await serve(*peer, collected)
        serving.set_result(None)

    server = await asyncio.start_server(serve_once, "127.0.0.1", 0)
    debugger = Debugger()
    try:
        await debugger.connect(server.sockets[0].getsockname()[1])
        return await Inside(debugger).epoch("walk-1")
    finally:
        debugger.close()
        await serving
        server.close()


@pytest.mark.parametrize("collected", [0, 1, 5])
def test_what_is_collected_is_looked_for_again(collected):
    assert asyncio.run(epoch(collected)) == 7


def test_what_is_collected_again_and_again_is_one_clear_error():
    with pytest.raises(KafkaError, match="error 20"):
        asyncio.run(epoch(1000))
