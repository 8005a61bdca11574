"""On a cluster whose processes are killed, a search reports what an undisturbed one does."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tidegate.checker.distributed import jobs, workers
from tidegate.checker.distributed.java import SparkError
from tidegate.checker.distributed.session import spark_context
from tidegate.cli import main
from tidegate.core.result import Cluster, Limits

pytestmark = [pytest.mark.spark, pytest.mark.slow]

MODEL = ("tidegate.examples.published:kip_101", "max_leader_epoch=2")
FATAL = 6
"""The level amid which something dies."""

BEYOND = FATAL + 2
"""How deep is searched: the next levels show what is left of the fatal one."""

UP_TO_THERE = {"keep_going": True, "limits": Limits(max_depth=BEYOND)}


@pytest.fixture
def cluster(master, tmp_path):
    """Start Spark on the cluster; returns how to search there."""
    where = Cluster(
        master=master,
        store=str(tmp_path / "store"),
        partitions=3,
        local_levels=0,
        conf=("spark.executor.memory=512m",),
    )
    with spark_context(where, tmp_path):
        yield where


def kill_executor(marker, with_worker=False):
    """Return a function that kills the executor it is called in, the first time it is called."""

    def die():
        import signal
        import time

        def parent(process):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            return int(fields[1])

        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        # Spark's Python daemon forks workers; the executor started the daemon.
        executor = parent(os.getppid())
        if with_worker:
            os.kill(parent(executor), signal.SIGKILL)
        os.kill(executor, signal.SIGKILL)
        time.sleep(600)

    return die


def dying_amid_expansion(die):
    def expand(plan, share, rows):
        from tidegate.checker.distributed import workers

        for part in workers.expand(plan, share, rows):
            yield part
            if plan.level == FATAL:
                die()

    return expand


def dying_amid_shuffle(die):
    def own(plan, share, sent):
        from tidegate.checker.distributed import workers

        def watched():
            for part in sent:
                yield part
                if plan.level == FATAL:
                    die()

        yield from workers.own(plan, share, watched())

    return own


def dying_amid_a_write(die, which=""):
    def own(plan, share, sent):
        from tidegate.checker.distributed import workers
        from tidegate.checker.distributed.store import Store

        replace = Store._replace

        def written(store, place, path):
            # What was written lies there under its other name yet.
            if plan.level == FATAL and which in path:
                die()
            replace(store, place, path)

        Store._replace = written
        yield from workers.own(plan, share, sent)
        Store._replace = replace

    return own


@pytest.mark.parametrize(
    ("phase", "dying"),
    [
        ("expand", dying_amid_expansion),
        ("own", dying_amid_shuffle),
        ("own", dying_amid_a_write),
        ("own", partial(dying_amid_a_write, which="/states/")),
    ],
)
def test_a_killed_executor_changes_nothing(reported, cluster, tmp_path, monkeypatch, phase, dying):
    marker = tmp_path / "killed"
    # Functions of a test are sent to the executors as they are, and call the real ones there.
    monkeypatch.setattr(workers, phase, dying(kill_executor(str(marker))))
    exporting = replace(cluster, export=str(tmp_path / "tables"))
    found = reported(*MODEL, cluster=exporting, **UP_TO_THERE)
    assert marker.exists()
    assert found["depth"] == BEYOND
    assert found == reported(*MODEL, **UP_TO_THERE)
    for table, key, count in (
        ("states", ["fingerprint"], found["distinct_states"]),
        ("steps", ["source", "action", "arguments"], found["generated_states"]),
    ):
        rows = pq.read_table(tmp_path / "tables" / table).flatten()
        keys = [name for name in rows.column_names if name.split(".")[0] in key]
        assert rows.num_rows == rows.group_by(keys).aggregate([]).num_rows == count
    assert {path.name for path in (tmp_path / "tables").iterdir()} == {
        "states",
        "steps",
        "violations",
    }


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_search_whose_driver_was_killed_is_resumed(reported, master, tmp_path, elsewhere):
    store = tmp_path / "store"
    protocol, bounds = MODEL
    tidegate = [sys.executable, "-m", "tidegate"]
    limit = ["--max-depth", str(BEYOND)]
    search = [*tidegate, "check", protocol, "-b", bounds, "--continue", "--engine", "spark", *limit]
    where = ["--master", master, "--store", str(store), "--local-levels", "0", "--partitions", "3"]
    with subprocess.Popen([*search, *where, "--conf", "spark.executor.memory=512m"]) as driver:
        while not (store / "levels" / f"{FATAL:05d}").exists():
            assert driver.poll() is None
            time.sleep(0.05)
        driver.send_signal(signal.SIGKILL)
    begun = json.loads((store / "manifest.json").read_text())["manifest"]
    assert begun["spark_levels"] + 1 >= FATAL
    assert begun["levels"][-1]["states"]
    # Elsewhere is with another number of executors: those of this process.
    again = [*tidegate, "check", "--resume", str(store), "--trust", "--json", "-", *limit]
    done = subprocess.run(
        [*again, "--master", "local[2]"] if elsewhere else again,
        stdout=subprocess.PIPE,
        check=False,
    )
    found = json.loads(done.stdout)
    assert begun["spark_levels"] < found.pop("spark_levels") <= found["depth"]
    for key in ("seconds", "engine", "symmetry", "not_requested", "known_bug", "older_rule"):
        del found[key]
    expected = reported(*MODEL, **UP_TO_THERE)
    for report in (found, expected):
        report["properties"].sort(key=itemgetter("name"))
    assert found == expected


def stalling_until_another_has_done_it(folder):
    """Return an owner's part whose first attempt begins to read when another one has written."""

    def own(plan, share, sent):
        import time

        from pyspark import TaskContext

        from tidegate.checker.distributed import workers

        stalled, written = Path(folder, "stalled"), Path(folder, "written")
        if plan.level != LARGE_LEVEL or share != 0:
            yield from workers.own(plan, share, sent)
        elif TaskContext.get().attemptNumber():
            yield from workers.own(plan, share, sent)
            written.write_text(stalled.read_text() if stalled.exists() else "")
        else:
            stalled.write_text(str(os.getpid()))
            while not written.exists():
                time.sleep(0.05)
            # By then Spark has called this attempt off, and cut off what it has yet to read.
            time.sleep(2)
            try:
                yield from workers.own(plan, share, sent)
            finally:
                Path(folder, "ended").touch()

    return own


SPECULATION = (
    "spark.speculation=true",
    "spark.speculation.multiplier=1.01",
    "spark.speculation.quantile=0.3",
    "spark.speculation.interval=100ms",
    "spark.speculation.minTaskRuntime=100ms",
    # How long an attempt that was called off may go on.
    "spark.python.task.killTimeout=60s",
)

LARGE_MODEL, LARGE_LEVEL = (
    ("tidegate.examples.published:kip_320", "replicas=3 max_leader_epoch=2"),
    14,
)
"""A level of which an owner is sent more than lies in the buffers between Java and Python."""


@pytest.mark.skipif(sys.platform != "linux", reason="the workers are on one host")
def test_speculative_attempts_change_nothing(reported, master, tmp_path, monkeypatch):
    where = Cluster(
        master=master,
        store=str(tmp_path / "store"),
        partitions=3,
        local_levels=100_000,
        conf=("spark.executor.memory=512m", *SPECULATION),
    )
    stalling = stalling_until_another_has_done_it(str(tmp_path))
    with spark_context(where, tmp_path):
        monkeypatch.setattr(workers, "own", stalling)
        limits = Limits(max_depth=LARGE_LEVEL + 1)
        reported(*LARGE_MODEL, cluster=where, keep_going=True, limits=limits)
        assert (tmp_path / "stalled").read_text()
        assert (tmp_path / "written").read_text() == (tmp_path / "stalled").read_text()
        begun = time.monotonic()
        while not (tmp_path / "ended").exists():
            assert time.monotonic() - begun < 60
            time.sleep(0.1)
        # What the first attempt came to, if it wrote anything, is read from here on.
        found = reported(*LARGE_MODEL, cluster=where, how={"resume": True}, keep_going=True)
    assert found == reported(*LARGE_MODEL, keep_going=True)


def limited(name, size):
    """Return an owner's part that has little of some resource while it finds the fatal level."""

    def own(plan, share, sent):
        import resource

        from tidegate.checker.distributed import workers

        if plan.level != FATAL:
            yield from workers.own(plan, share, sent)
            return
        number = getattr(resource, name)
        soft, hard = resource.getrlimit(number)
        resource.setrlimit(number, (size, hard))
        try:
            yield from workers.own(plan, share, sent)
        finally:
            resource.setrlimit(number, (soft, hard))

    return own


def test_a_store_that_takes_no_more_from_an_executor_ends_the_search(
    reported, cluster, tmp_path, monkeypatch
):
    expected = reported(*MODEL, **UP_TO_THERE)
    with monkeypatch.context() as patch:
        patch.setattr(workers, "own", limited("RLIMIT_FSIZE", 1000))
        found = reported(*MODEL, cluster=cluster, keep_going=True)
    assert (
        found["stopped_by"]
        == f"--store {cluster.store}, which cannot be written to (File too large)"
    )
    assert (found["complete"], found["depth"]) == (False, FATAL)
    resumed = reported(*MODEL, cluster=cluster, how={"resume": True}, **UP_TO_THERE)
    assert resumed == expected


def test_an_executor_without_memory_says_what_to_give_it(reported, cluster, monkeypatch):
    with monkeypatch.context() as patch:
        # Less than the process has already.
        patch.setattr(workers, "own", limited("RLIMIT_AS", 1 << 20))
        with pytest.raises(
            SparkError, match=r"got no more memory; .*spark.executor.pyspark.memory"
        ):
            reported(*MODEL, cluster=cluster, keep_going=True)
    resumed = reported(*MODEL, cluster=cluster, how={"resume": True}, **UP_TO_THERE)
    assert resumed == reported(*MODEL, **UP_TO_THERE)


def test_it_is_said_that_there_is_no_executor(master, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 1.0)
    protocol, bounds = MODEL
    where = ["--engine", "spark", "--master", master, "--store", str(tmp_path / "store")]
    # The workers of the cluster have 1 GiB.
    more = ["--local-levels", "0", "--conf", "spark.executor.memory=8g", "--time-limit", "12"]
    result = CliRunner().invoke(main, ["check", protocol, "-b", bounds, *where, *more])
    assert result.exit_code == 3
    [line] = result.stderr.splitlines()
    assert line.startswith(f"waiting for executors: {master} has had none for 1 s. See that ")
    assert "which have 8g of memory to spare" in line
    assert "(stopped by --time-limit 12)" in " ".join(result.stdout.split())


def test_a_worker_that_is_gone_for_good_changes_nothing(reported, cluster, tmp_path, monkeypatch):
    """It comes last: the others would have to do with one worker."""
    marker = tmp_path / "killed"
    dying = dying_amid_expansion(kill_executor(str(marker), with_worker=True))
    monkeypatch.setattr(workers, "expand", dying)
    found = reported(*MODEL, cluster=cluster, **UP_TO_THERE)
    assert marker.exists()
    assert found == reported(*MODEL, **UP_TO_THERE)
