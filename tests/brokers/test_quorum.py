"""Brokers with KRaft under the scripted controller: traces on 3.9 and 4.4, and its own answers."""

import asyncio
import json

import pytest
from click.testing import CliRunner

from tidegate.brokers.client import ask
from tidegate.brokers.messages import (
    ALTER_PARTITION,
    BROKER_HEARTBEAT,
    BROKER_REGISTRATION,
    FENCED_LEADER_EPOCH,
    FETCH,
    NONE,
)
from tidegate.brokers.metadata import EPOCH, MetadataLog, PartitionState, identity
from tidegate.brokers.records import decode_records
from tidegate.brokers.report import KafkaError
from tidegate.brokers.scripted_quorum import ID, INVALID_UPDATE_VERSION, ScriptedQuorum
from tidegate.brokers.server import Server, free_ports
from tidegate.cli import main

FEATURES = [{"name": "metadata.version", "least": 7, "most": 25}]


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def talk(tmp_path, conversation, *, instant=True):
    """Talk with the controller of two brokers, of which broker 0 has registered."""

    async def session():
        [port] = free_ports(1)
        scripted = ScriptedQuorum(port, {0: 15000, 1: 15001}, instant=instant)
        await scripted.start()
        try:
            server = Server(0, tmp_path, 15000)
            server.data.mkdir(parents=True, exist_ok=True)
            scripted.expect(server)
            asked = {
                "broker": 0, "cluster": "", "incarnation": bytes(16), "listeners": [],
                "features": FEATURES, "migrating": False, "directories": [], "previous_epoch": -1,
            }  # fmt: skip
            await ask(port, BROKER_REGISTRATION, 3, asked)
            return await conversation(scripted, port)
        finally:
            await scripted.stop()

    return asyncio.run(session())


def fetch(epoch, offset):
    """Return a fetch of metadata by broker 0."""
    partition = {"index": 0, "current_epoch": epoch, "offset": offset}
    topic = {"topic_id": bytes(16), "partitions": [partition]}
    return {"replica": {"id": 0, "epoch": -1}, "topics": [topic], "max_wait_ms": 10}


def proposal(version, isr, topic="t", epoch=0):
    """Return an AlterPartition of broker 0."""
    partition = {
        "index": 0, "epoch": epoch, "recovery": 0, "partition_epoch": version,
        "members": [{"id": member, "broker_epoch": member} for member in isr],
    }  # fmt: skip
    return {
        "broker": 0,
        "broker_epoch": 0,
        "topics": [{"id": identity(topic), "partitions": [partition]}],
    }


def test_a_broker_learns_who_leads_the_quorum_and_then_all_its_metadata(tmp_path):
    async def conversation(scripted, port):
        return [
            (await ask(port, FETCH, 17, fetch(epoch, offset)))["topics"][0]["partitions"][0]
            for epoch, offset in ((0, 0), (EPOCH, 0), (EPOCH, 3))
        ]

    refused, everything, nothing = talk(tmp_path, conversation)
    assert refused["error"] == FENCED_LEADER_EPOCH
    assert refused["current_leader"] == {"leader": ID, "epoch": EPOCH}
    assert (everything["error"], everything["hw"]) == (NONE, 3)
    # The metadata.version and two brokers.
    assert [entry.offset for entry in decode_records(everything["records"])] == [0, 1, 2]
    assert nothing["records"] == b""


def test_a_broker_is_unfenced_once_it_has_its_metadata_and_wants_to_be(tmp_path):
    async def conversation(scripted, port):
        said = []
        for offset, wants_fence in ((1, True), (2, True), (2, False)):
            asked = {
                "broker": 0, "broker_epoch": 0, "metadata_offset": offset,
                "wants_fence": wants_fence, "wants_shutdown": False,
            }  # fmt: skip
            answer = await ask(port, BROKER_HEARTBEAT, 0, asked)
            said.append((answer["caught_up"], answer["fenced"], scripted.registered(0)))
        return said

    assert talk(tmp_path, conversation) == [
        (False, True, False), (True, True, False), (True, False, True)
    ]  # fmt: skip


def test_an_isr_is_accepted_from_a_leader_that_knows_the_partition_epoch_alone(tmp_path):
    async def conversation(scripted, port):
        scripted.create_topic("t", [0, 1])
        errors = []
        for version, epoch, topic in ((1, 0, "t"), (1, 0, "t"), (2, 1, "t"), (2, 0, "u")):
            answer = await ask(port, ALTER_PARTITION, 3, proposal(version, [0], topic, epoch))
            errors.append(answer["topics"][0]["partitions"][0]["error"])
        return errors, scripted.state("t")

    errors, state = talk(tmp_path, conversation)
    assert errors[:3] == [NONE, INVALID_UPDATE_VERSION, FENCED_LEADER_EPOCH]
    assert errors[3] != NONE
    assert state == PartitionState(0, 0, (0,), 2, (0, 1))


def test_an_answer_is_that_of_the_decision_however_late_it_goes(tmp_path):
    async def conversation(scripted, port):
        scripted.create_topic("t", [0, 1])
        asked = asyncio.ensure_future(ask(port, ALTER_PARTITION, 3, proposal(1, [0])))
        while scripted.proposal(0) is None:
            await asyncio.sleep(0.01)
        scripted.decide(0, NONE, {"isr": (0,)})
        scripted.begin_epoch("t", 1, 1, [0, 1])
        assert not asked.done()
        scripted.answer(0)
        return (await asked)["topics"][0]["partitions"][0], scripted.state("t")

    answered, state = talk(tmp_path, conversation, instant=False)
    assert (answered["leader"], answered["epoch"], answered["isr"]) == (0, 0, [0])
    assert (answered["partition_epoch"], state.version) == (2, 3)


@pytest.mark.parametrize(
    "data", [b"\0\0\0\4junk", b"\xff\xff\xff\xff", b"\0\0\0\x0a\0\x63" + bytes(8)]
)
def test_garbage_ends_a_connection_and_nothing_else(data, tmp_path):
    async def conversation(scripted, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(data)
        ended = await reader.read()
        writer.close()
        return ended, await ask(port, FETCH, 17, fetch(EPOCH, 0))

    ended, answered = talk(tmp_path, conversation)
    assert ended == b""
    assert answered["error"] == NONE


def test_metadata_that_a_broker_does_not_apply_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("tidegate.brokers.patience.PATIENCE", 0.02)

    async def conversation(scripted, port):
        scripted.create_topic("t", [0, 1])
        await scripted.announce("t", 0, [0, 1], 0)

    with pytest.raises(KafkaError, match="broker 0 did not apply its metadata"):
        talk(tmp_path, conversation)


def test_each_broker_reads_from_where_it_is():
    async def read():
        log = MetadataLog()
        log.append([b"a", b"b"])
        log.append([b"c"])
        later = asyncio.ensure_future(log.read(3, 5))
        await asyncio.sleep(0)
        log.append([b"d"])
        return [decode_records(data) for data in (await log.read(0, 0), await log.read(2, 0))], (
            decode_records(await later)
        )

    (everything, rest), later = asyncio.run(read())
    assert [entry.value for entry in everything] == ["a", "b", "c", "d"]
    assert [(entry.offset, entry.epoch) for entry in rest] == [(2, EPOCH), (3, EPOCH)]
    assert [entry.value for entry in later] == ["d"]


LOSSES = {
    "a skipped epoch": (
        "replicas=3 records=1 elections=3 crashes=0 moves isr_propagation=kraft",
        "0 -> controller: AlterPartition, ISR 0,1: NONE",
    ),
    "a known record": (
        "replicas=3 records=2 elections=1 crashes=1 min_isr=2 hw_waits isr_propagation=records",
        "controller -> 0: metadata of epoch 0, ISR 0,1",
    ),
}
"""Bounds within which KRaft loses an acknowledged record, and what is sent on the way."""


@pytest.mark.kafka
@pytest.mark.slow
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("version", ["3.9.2", "4.4.0"])
def test_kraft_loses_an_acknowledged_record_step_by_step(version, loss, kafka, tmp_path):
    """See docs/findings."""
    trace, seen = str(tmp_path / "trace.json"), tmp_path / "seen.json"
    bounds, event = LOSSES[loss]
    options = [part for bound in bounds.split() for part in ("-b", bound)]
    checked = run("check", "kip-595", *options, "-p", "NoAckedRecordLost", "-q", "--json", trace)
    assert checked.exit_code in (11, 12), checked.output
    result = run("replay", trace, "--kafka", kafka(version), "--json", str(seen))
    assert result.exit_code == 0, result.output
    report = json.loads(seen.read_text())
    assert report["gone"] == ["m0"]
    sent = [event for step in report["steps"] for event in step["events"]]
    assert event in sent


@pytest.mark.kafka
@pytest.mark.slow
def test_kraft_leaves_the_loss_of_hw_at_the_restart(kafka, tmp_path):
    trace, seen = str(tmp_path / "loss.json"), tmp_path / "seen.json"
    assert run("check", "hw", "-q", "--json", trace).exit_code == 12
    result = run("replay", trace, "--kafka", kafka("4.4.0"), "--json", str(seen))
    assert result.exit_code == 1, result.output
    last = json.loads(seen.read_text())["steps"][-1]
    assert last["action"].startswith("Restart(")
    [difference] = last["differences"]
    assert "it leaves the ISR" in difference["observed"]
