"""A leader that skips a leader epoch, on real brokers; and the proxy that makes it skip one."""

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tidegate.brokers.client import ask
from tidegate.brokers.distribution import find_distribution
from tidegate.brokers.kraft import KraftCluster
from tidegate.brokers.messages import FETCH
from tidegate.brokers.process import free_ports
from tidegate.brokers.proxy import Proxy
from tidegate.brokers.skipped_epoch import A, B, C, cluster_for, skip_epoch

SCRIPT = Path(__file__).parents[2] / "scripts" / "skipped-epoch"
LEADER = 1


def run(folder, mode):
    async def once():
        async with cluster_for(find_distribution(folder), mode) as cluster:
            return await skip_epoch(cluster, mode, "ledger")

    return asyncio.run(once())


def left_behind():
    """Return the processes and the directories of this process's clusters."""
    name = f"tidegate-kafka-{os.getpid()}-"
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    processes = [line for line in listed.stdout.splitlines() if name in line]
    return processes + list(Path("/tmp").glob(f"{name}*"))


@pytest.mark.slow
@pytest.mark.kafka
@pytest.mark.parametrize("version", ["3.9.2", "4.4.0"])
def test_a_leader_that_skips_an_epoch_loses_an_acknowledged_record(version, kafka):
    seen = run(kafka(version), "held")
    assert seen.lost
    assert (seen.offset, seen.before.hw, seen.after.hw) == (0, 0, 1)
    assert [entry.value for entry in seen.after.records] == ["m0"]
    assert (seen.state.leader, seen.state.epoch, seen.state.isr) == (A, 2, (A, C))
    assert [broker for broker, log in seen.logs.items() if log] == [A]
    assert (seen.leader, seen.read.records) == (C, ())
    assert seen.final_logs == {A: (), B: (), C: ()}
    assert any("from offset 1 with partition epoch" in line for line in seen.log_lines[A])
    assert left_behind() == []


@pytest.mark.slow
@pytest.mark.kafka
def test_a_leader_that_applies_every_epoch_does_not_acknowledge_the_record(kafka):
    seen = run(kafka("3.9.2"), "control")
    assert not seen.lost
    assert (seen.offset, seen.error) == (None, "NOT_LEADER_OR_FOLLOWER")
    assert seen.after.records == ()
    assert (seen.state.leader, seen.state.epoch, seen.state.isr) == (A, 2, (A, C))
    assert left_behind() == []


@pytest.mark.kafka
def test_a_cluster_that_does_not_start_leaves_nothing(tmp_path):
    if shutil.which("java") is None:
        pytest.skip("Kafka needs Java")
    (tmp_path / "kafka_2.13-3.9.2.jar").touch()

    async def start():
        async with KraftCluster(find_distribution(str(tmp_path)), 1, {}):
            pass

    with pytest.raises(Exception, match="could not format its storage"):
        asyncio.run(start())
    assert left_behind() == []


@pytest.mark.kafka
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "usage"),
        (["DIR", "otherwise"], "usage"),
        (["DIR", "held", "many"], "usage"),
        (["DIR"], "no jar named"),
        (["OLD"], "Kafka 2.6.0 has no KRaft"),
    ],
)
def test_the_script_refuses_what_it_cannot_run(tmp_path, arguments, says):
    if shutil.which("java") is None:
        pytest.skip("Kafka needs Java")
    folders = {"DIR": tmp_path / "empty", "OLD": tmp_path / "old"}
    for folder in folders.values():
        folder.mkdir()
    (folders["OLD"] / "kafka_2.13-2.6.0.jar").touch()
    command = ["sh", str(SCRIPT), *(str(folders.get(one, one)) for one in arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert says in done.stderr


def fetch(replica):
    return {"replica_id": replica, "topics": []}


async def leader(reader, writer):
    """Answer each request with an empty response to a fetch."""
    while size := await reader.read(4):
        request = await reader.readexactly(int.from_bytes(size))
        writer.write((8).to_bytes(4) + request[4:8] + (0).to_bytes(4))
    writer.close()


async def through_proxy(scenario):
    proxy = Proxy(holds_all=False)
    port, upstream = free_ports(2)
    server = await asyncio.start_server(leader, "127.0.0.1", upstream)
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
