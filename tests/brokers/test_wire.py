"""Kafka's protocol as bytes, and brokers that answer something else."""

import asyncio
import struct
import time
from itertools import product

import pytest

from findings import admin
from tidegate.brokers import messages, patience
from tidegate.brokers.client import ask
from tidegate.brokers.jdwp import Debugger
from tidegate.brokers.proxy import Proxy
from tidegate.brokers.records import _crc32c, decode_records, encode_record, record_size, sizes
from tidegate.brokers.report import KafkaError
from tidegate.brokers.wire import WireError, decode_request, decode_response, encode_request

FETCH_BODY = {
    "replica_id": 2,
    "max_wait_ms": 20,
    "topics": [
        {"name": "t", "topic_id": bytes(16), "partitions": [{"index": 0, "offset": 7}]},
    ],
}


@pytest.mark.parametrize("version", range(17))
def test_a_fetch_reads_as_it_was_written(version):
    body = FETCH_BODY if version < 15 else {**FETCH_BODY, "replica": {"id": 2, "epoch": 1}}
    data = encode_request(messages.FETCH, version, 5, "broker-2-fetcher-0", body)
    read = decode_request(messages.FETCH, data)
    partition = read["topics"][0]["partitions"][0]
    assert (partition["index"], partition["offset"]) == (0, 7)
    assert read.get("replica_id", 2) == 2


def test_null_replicas_cancel_a_reassignment():
    topic = {"name": "t", "partitions": [{"index": 0, "replicas": None}]}
    body = {"timeout_ms": 20, "topics": [topic]}
    data = encode_request(admin.REASSIGN, 0, 5, "c", body)
    # Two elements of arrays, a name, the partition, the length -1, and three ends of structures.
    assert data.endswith(
        struct.pack(">ibb", 20, 2, 2) + b"t" + struct.pack(">bib", 2, 0, 0) + bytes(3)
    )


def test_a_fetch_of_version_1_is_what_kafka_0_9_sends():
    data = encode_request(messages.FETCH, 1, 5, "c", FETCH_BODY)
    head = struct.pack(">hhih", 1, 1, 5, 1) + b"c"
    body = struct.pack(">iiii", 2, 20, 0, 1) + struct.pack(">h", 1) + b"t"
    assert data == head + body + struct.pack(">iiqi", 1, 0, 7, 1 << 20)


def test_a_diverging_epoch_is_read_from_its_tag():
    # Version 12: a compact topic "t" with one partition, tag 0 with epoch 3 and end offset 9.
    tagged = b"\1\0\x0d" + struct.pack(">iq", 3, 9) + b"\0"
    partition = (
        struct.pack(">ihqqq", 0, 0, 4, 4, 0) + b"\1" + struct.pack(">i", -1) + b"\1" + tagged
    )
    data = struct.pack(">i", 5) + b"\0" + struct.pack(">ihi", 0, 0, 0)
    data += b"\2" + b"\2t" + b"\2" + partition + b"\0" + b"\0"
    [topic] = decode_response(messages.FETCH, 12, data)["topics"]
    assert topic["partitions"][0]["diverging"] == {"epoch": 3, "end_offset": 9}


@pytest.mark.parametrize("cut", range(1, 50))
def test_bytes_that_end_too_early_are_refused(cut):
    data = encode_request(messages.FETCH, 11, 5, "c", FETCH_BODY)
    with pytest.raises(WireError):
        decode_request(messages.FETCH, data[:cut])


@pytest.mark.parametrize(("magic", "value"), list(product((0, 1, 2), ("m0", "m12"))))
def test_a_record_reads_as_it_was_written(magic, value):
    data = encode_record(value, magic)
    [entry] = decode_records(data + data[:-1])
    assert (entry.offset, entry.value) == (0, value)
    assert (entry.epoch is None) == (magic < 2)
    assert sizes(data) == [len(data)]
    if value == "m0":
        assert len(data) == record_size(magic)


def test_the_checksum_of_a_batch_is_castagnoli():
    assert _crc32c(b"123456789") == 0xE3069283, "the check value of CRC-32C (RFC 3720)"


class Peer:
    """A broker that misbehaves: it answers every connection with some bytes."""

    def __init__(self, answer):
        self._answer = answer

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self._server.sockets[0].getsockname()[1]

    async def __aexit__(self, *error):
        self._server.close()

    async def _serve(self, reader, writer):
        try:
            await reader.read(1)
            if self._answer is None:
                await asyncio.sleep(60)
            writer.write(self._answer)
        finally:
            writer.close()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"", "the connection was closed"),
        (b"\0\0", "the connection was closed"),
        (struct.pack(">i", 100) + b"x", "the connection was closed"),
        (struct.pack(">i", -1), "a frame of -1 bytes"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "a frame of 1213486160 bytes"),
        (struct.pack(">ii", 4, 1), "ends within a value"),
        (struct.pack(">iiii", 12, 1, 0, 1 << 30), "ends within a value"),
        (None, "no answer to Fetch within"),
    ],
)
def test_a_broker_that_misbehaves_is_one_clear_error(answer, says):
    async def run():
        async with Peer(answer) as port:
            await ask(port, messages.FETCH, 1, FETCH_BODY, seconds=0.5)

    with pytest.raises(KafkaError, match=says):
        asyncio.run(run())


def test_a_port_that_is_no_debugger_is_one_clear_error(monkeypatch):
    monkeypatch.setattr("tidegate.brokers.patience.PATIENCE", 0.05)

    async def run(answer):
        async with Peer(answer) as port:
            await Debugger().connect(port)

    for answer in (b"", b"JDWP-Handshake", b"HTTP/1.1 400 Bad Request\r\n\r\n", None):
        with pytest.raises(KafkaError):
            asyncio.run(run(answer))


def test_a_zookeeper_that_does_not_answer_is_one_clear_error(monkeypatch):
    zookeeper = pytest.importorskip("tidegate.brokers.zookeeper")

    async def starts(*arguments):
        return None

    monkeypatch.setattr(zookeeper, "_SESSION", 0.5)
    monkeypatch.setattr(zookeeper, "start_zookeeper", starts)

    async def run(answer):
        async with Peer(answer) as port:
            await zookeeper.ZooKeeper(None, None, port, {}, {}).start()

    for answer in (b"", None):
        with pytest.raises(KafkaError, match="ZooKeeper did not answer"):
            asyncio.run(run(answer))


def test_whoever_has_waited_long_looks_less_often():
    async def run():
        begun = time.monotonic()
        await patience.pause(waited=3.0, shortest=0.004)
        assert time.monotonic() - begun >= 0.1
        # But once in a while.
        await asyncio.wait_for(patience.pause(waited=86_400.0, shortest=0.004), 30.0)

    asyncio.run(run())


def test_a_proxy_outlives_a_peer_that_sends_garbage():
    async def run():
        proxy = Proxy()
        async with Peer(b"") as upstream:
            server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
            port = server.sockets[0].getsockname()[1]
            server.close()
            await server.wait_closed()
            await proxy.listen(0, port, upstream)
            for frame in (b"\xff\xff\xff\xff", struct.pack(">i", 12) + bytes([0, 1] + [9] * 10)):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(frame)
                assert await reader.read() == b"", "the connection is closed"
                writer.close()
            assert await patience.until(lambda: len(proxy.broken) == 2 or None)
            await proxy.close()

    asyncio.run(run())
