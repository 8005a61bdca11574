"""Spark's worker processes can import the package and reach the same answers."""

import os
import sys

import pytest

pytestmark = pytest.mark.spark

SETTINGS = (
    ["records=1", "log_size=1"],
    ["records=1", "log_size=1", "crashes=1"],
    ["records=2", "log_size=2", "crashes=1"],
)


@pytest.fixture
def spark(monkeypatch, java):
    """Start Spark in this process, with two workers that use the same Python."""
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master("local[2]")
        .appName("tidegate-tests")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.mark.slow
def test_workers_count_the_same_states(spark):
    def work(settings):
        # A worker is sent this function, and imports there what the function needs.
        import os

        from tidegate.checker.check import check
        from tidegate.core.bounds import parse
        from tidegate.model import PROTOCOLS

        [protocol] = [p for p in PROTOCOLS if p.name == "hw"]
        system = protocol.system(parse(protocol.model.bounds, settings))
        return os.getpid(), check(system, []).distinct_states

    answers = spark.sparkContext.parallelize(SETTINGS, len(SETTINGS)).map(work).collect()
    assert os.getpid() not in {process for process, _ in answers}
    assert [states for _, states in answers] == [work(settings)[1] for settings in SETTINGS]
