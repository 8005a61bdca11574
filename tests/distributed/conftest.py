"""Spark for a module's tests, and searches of which everything reported is compared."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tidegate.checker.check import check
from tidegate.checker.distributed.session import spark_context
from tidegate.core.result import Cluster, Resources
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of, system_for
from tidegate.render.report import report

SCRIPT = Path(__file__).parents[2] / "scripts" / "cluster"


@pytest.fixture(scope="module")
def spark(java, tmp_path_factory):
    """Start Spark in this process; searches use it, since it is there."""
    folder = tmp_path_factory.mktemp("spark")
    with spark_context(Cluster(master="local[2]"), folder) as context:
        yield context


SESSION = """\
spark.ui.enabled false
spark.sql.shuffle.partitions 2
spark.driver.extraJavaOptions -XX:+UseSerialGC -XX:TieredStopAtLevel=1
"""
"""Settings of sessions that pages start: small data in 200 partitions would take minutes."""


@pytest.fixture
def session_environment(java, tmp_path):
    """Return the environment in which the code of a page starts a session of its own."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(SESSION)
    return {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_CONF_DIR": str(tmp_path / "conf"),
    }


@pytest.fixture
def reported():
    """Search a protocol by its name; returns all that is reported but for what may differ."""

    def run(protocol, settings="", names=None, cluster=None, how=None, **options):
        chosen = find_protocol(protocol)
        wanted = chosen.default_properties if names is None else names
        properties = [p for p in properties_of(chosen) if p.name in wanted]
        assert len(properties) == len(wanted), "a property that does not exist"
        searched = system_for(chosen, settings.split(), properties)
        engine = "compiled" if cluster is None else "spark"
        resources = Resources(engine=engine, cluster=cluster, **(how or {}))
        whole = report(searched, check(searched, properties, resources=resources, **options))
        del whole["seconds"], whole["engine"], whole["spark_levels"], whole["symmetry"]
        return whole

    return run


@pytest.fixture(scope="module")
def master(java, tmp_path_factory):
    """Start a cluster of a master and two workers; returns the master's URL."""
    folder = tmp_path_factory.mktemp("cluster")
    environment = {**os.environ, "TIDEGATE_PYTHON": sys.executable}

    def run(*arguments):
        command = ["sh", str(SCRIPT), *map(str, arguments)]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        assert done.returncode == 0
        return done.stdout.strip()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    yield run("start", folder, port)
    run("stop", folder)
