"""Each variable that is compared with real brokers can differ: nothing is compared in name only."""

import asyncio
from copy import deepcopy

import pytest

from tests.behaviors import REPLICATED
from tidegate.brokers.distribution import find_distribution
from tidegate.brokers.observe import Observer
from tidegate.brokers.replay import TOPIC, replay
from tidegate.conform.forced import cluster_for, forced_behavior
from tidegate.core.spec import Trace

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

LEADS = f"{REPLICATED}\nProduce 0"

OTHERWISE = {
    "broker 1: process": ("replica", 1, "alive", False),
    "broker 0: log": ("replica", 0, "log", 1, "record", 0),
    "broker 0: log start": ("replica", 0, "start", 1),
    "broker 0: epoch cache": ("replica", 0, "epoch_cache", 0, 1),
    "broker 1: HW": ("replica", 1, "hw", 0),
    "broker 1: role": ("replica", 1, "leader", 1),
    "broker 0: ListOffsets": ("listed", 0, None),
    "broker 1: leader epoch": ("replica", 1, "epoch", 1),
    "broker 0: ISR": ("replica", 0, "isr", {0}),
    "broker 0: remote LEO of broker 1": ("replica", 0, "remote_leo", 1, 2),
    "partition state": ("partition", "isr", {0}),
    "acknowledged": ("aux_acked", 0, "offset", 1),
}
"""What of the model's last state is changed, and to what."""

OTHERWISE_WITH_KRAFT = {
    **OTHERWISE,
    "broker 0: AlterPartition": ("alter_partition", 0, "isr", {0, 1}),
    "broker 0: change of the ISR": ("replica", 0, "proposed", set()),
}


def changed(state, *path):
    """Return a state in which one thing is otherwise."""
    state = deepcopy(state)
    *outer, name, value = path
    target = state
    for part in outer:
        target = target[part]
    assert target[name] != value
    target[name] = value
    return state


async def reported(cluster, behavior, otherwise):
    """Return what is reported for each changed state, and for one of a broker that is dead."""
    report = await replay(cluster, behavior, lambda observed: None)
    assert report.differs is None, report.differs
    end = behavior.steps[-1].after
    observer = Observer(cluster, TOPIC, report.acked, empty_caches=False)
    assert await observer.differences(end) == []
    seen = {}
    for what, path in otherwise.items():
        differences = await observer.differences(changed(end, *path))
        seen[what] = [one.what for one in differences]
    await cluster.kill(cluster.brokers[1])
    dead = changed(end, "replica", 1, "alive", False)
    differences = await observer.differences(changed(dead, "replica", 1, "hw", 0))
    seen["broker 1: HW on disk"] = [one.what for one in differences]
    return seen


@pytest.mark.parametrize(
    ("release", "kind", "settings", "script", "otherwise"),
    [
        ("2.6.0", "zookeeper", "", LEADS, OTHERWISE),
        (
            "4.4.0", "kraft", "isr_propagation=kraft hw_needs_min_isr",
            f"{LEADS}\nProposeShrink 0 1", OTHERWISE_WITH_KRAFT,
        ),
    ],
)  # fmt: skip
def test_what_differs_is_reported(release, kind, settings, script, otherwise, begin, kafka):
    bounds = f"records=2 elections=1 hw_waits {settings}"
    walked = begin(f"kafka-{release}-{kind}", bounds).follow(script)
    behavior = forced_behavior(walked.system, Trace(tuple(walked.states), tuple(walked.steps)))

    async def run():
        distribution = find_distribution(kafka(release))
        async with cluster_for(distribution, behavior) as cluster:
            return await reported(cluster, behavior, otherwise)

    assert asyncio.run(run()) == {what: [what] for what in [*otherwise, "broker 1: HW on disk"]}
