"""A search on a cluster of two workers, as its users start it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tidegate

EXAMPLE = Path(__file__).parents[2] / "examples" / "follower_reads.py"
BOUNDS = {"records": 1, "crashes": 0, "elections": 0}


@pytest.mark.slow
@pytest.mark.spark
def test_two_workers_find_every_state_of_a_users_model(master, tmp_path):
    """It calls functions of Kafka's model, which each worker must have as the driver has it."""
    shutil.copy(EXAMPLE, tmp_path)
    settings = [part for name, value in BOUNDS.items() for part in ("-b", f"{name}={value}")]
    cluster = ["--engine", "spark", "--master", master, "--local-levels", "0"]
    sizes = ["--store", "store", "--partitions", "2", "--conf", "spark.executor.memory=512m"]
    done = subprocess.run(
        [sys.executable, "-m", "tidegate", "check", EXAMPLE.name, *settings, *cluster, *sizes,
         "--json", "-"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    expected = tidegate.check(str(EXAMPLE), BOUNDS, engine="interpreted")
    assert (report["distinct_states"], report["depth"]) == (
        expected.distinct_states,
        expected.depth,
    )
    assert report["spark_levels"] == report["depth"]
