"""A level has as many partitions as its work is worth, and its report does not depend on them."""

import pytest

from tidegate.checker.distributed.manifest import read_manifest
from tidegate.checker.distributed.runs import Run
from tidegate.checker.distributed.sizing import FILES, senders_of, shares_of
from tidegate.checker.distributed.store import Store
from tidegate.core.result import Cluster, Limits

MODEL = ("tidegate.examples.published:hw", "max_leader_epoch=2")


def test_every_share_is_worth_its_tasks_up_to_all_partitions():
    assert [shares_of(8, 100, candidates, []) for candidates in (0, 100, 101, 799, 10**9)] == [
        1, 1, 2, 8, 8
    ]  # fmt: skip
    assert shares_of(8, 0, 0, []) == 8


def test_a_task_opens_few_files_of_runs():
    runs = [Run(str(number), 1000, 10**6) for number in range(7)]
    shares = shares_of(1000, 50_000, 1, runs)
    assert (shares - 1) * FILES < 7000 <= shares * FILES
    assert shares_of(10, 50_000, 1, runs) == 10


@pytest.mark.usefixtures("spark")
def test_levels_of_any_number_of_partitions_come_out_alike(reported, tmp_path):
    location = str(tmp_path / "store")
    cluster = Cluster(store=location, partitions=3, local_levels=120)
    reported(*MODEL, cluster=cluster, keep_going=True, limits=Limits(max_depth=14))
    manifest = read_manifest(Store(location))
    sizes = {run.shares for run in manifest.levels}
    assert sizes == {1, 2, 3}
    assert manifest.shares == 3
    here = Cluster(store=location, local_levels=10**9)
    found = reported(*MODEL, cluster=here, how={"resume": True}, keep_going=True)
    assert found == reported(*MODEL, keep_going=True)


def test_a_task_expands_several_shares_where_there_are_many(spark, reported):
    partitions = senders_of(1000, spark.defaultParallelism) + 3
    cluster = Cluster(partitions=partitions, local_levels=0)
    limits = Limits(max_depth=9)
    found = reported(*MODEL, cluster=cluster, keep_going=True, limits=limits)
    assert found == reported(*MODEL, keep_going=True, limits=limits)
