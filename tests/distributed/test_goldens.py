"""Spark finds the golden states, depths and violations, into however many it divides a level."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tidegate.core.result import Cluster, Resources

pytestmark = pytest.mark.spark

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens.json").read_text("utf-8"))["rows"]

FAST = {("tidegate.examples.async_isr:async_isr", 84), ("tidegate.examples.published:hw", 353)}
"""Protocols and distinct states of the goldens that belong to every test run."""

PARTITIONS = (1, 2, 7)


def row(golden):
    """Return a parameter for a golden."""
    is_fast = (golden["protocol"], golden["distinct"]) in FAST
    marks = [] if is_fast else [pytest.mark.slow]
    return pytest.param(golden, id=f"{golden['protocol']} {golden['bounds']}", marks=marks)


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("golden", [row(golden) for golden in GOLDENS])
def test_any_number_of_partitions_finds_what_tlc_found(search, golden):
    """The three searches run side by side, so that one works while another's job is set up."""

    def run(partitions):
        resources = Resources(
            engine="spark", cluster=Cluster(partitions=partitions, local_levels=0)
        )
        return search(
            golden["protocol"],
            golden["bounds"],
            list(golden["steps"]),
            keep_going=True,
            resources=resources,
        )

    with ThreadPoolExecutor(len(PARTITIONS)) as pool:
        results = list(pool.map(run, PARTITIONS))
    for result in results:
        assert (result.engine, result.exact, result.complete) == ("spark", True, True)
        assert (result.distinct_states, result.depth) == (golden["distinct"], golden["depth"])
        # The initial states are there; every other level, and the empty one after, was a job.
        assert result.spark_levels == golden["depth"]
        found = {v.property.name: len(v.trace.steps) if v.trace else None for v in result.verdicts}
        assert found == golden["steps"]
        assert result.taken == results[0].taken
        assert [v.trace for v in result.verdicts] == [v.trace for v in results[0].verdicts]
