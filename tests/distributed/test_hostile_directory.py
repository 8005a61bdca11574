"""No process that Tidegate starts runs what lies in the present directory under a module's name."""

import subprocess
import sys

import pytest

GATE = '[[case]]\nprotocols = ["hw"]\nbounds = ["records=1"]\nholds = ["TypeOk"]\n'

SEARCH = ["check", "hw", "-b", "records=1", "-p", "TypeOk"]
SPARK = [
    *("--engine", "spark", "--master", "local[1]"),
    *("--local-levels", "0", "--partitions", "1", "--max-depth", "2"),
]

LIBRARIES = ("llvmlite", "networkx", "numpy", "pandas", "py4j", "pyarrow", "pyspark")


@pytest.fixture
def hostile(tmp_path):
    """Make a directory whose files have the names of modules, beside what looks like Spark."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, *LIBRARIES, "sitecustomize", "tidegate"):
        ran = tmp_path / f"ran-{name}"
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    (tmp_path / "jars").mkdir()
    submit = tmp_path / "bin" / "spark-submit"
    submit.parent.mkdir()
    submit.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-spark-submit\n")
    submit.chmod(0o755)
    (folder / "tidegate.toml").write_text(GATE)
    return folder


@pytest.fixture
def script(tmp_path_factory):
    """Write what the command ``tidegate`` is; its own directory has no other module."""
    script = tmp_path_factory.mktemp("bin") / "tidegate-command"
    script.write_text(
        'from tidegate.__main__ import main\n\nif __name__ == "__main__":\n    main()\n'
    )
    return str(script)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        pytest.param(SEARCH, 0, id="check"),
        pytest.param(["gate"], 0, id="gate"),
        pytest.param(
            [
                "mutate",
                "tidegate.examples.async_isr:async_isr",
                "-b",
                "max_version=1",
                "--jobs",
                "2",
            ],
            0,
            id="mutate",
        ),
        pytest.param([*SEARCH, *SPARK], 3, id="spark", marks=pytest.mark.spark),
    ],
)
def test_a_module_in_the_present_directory_is_not_run(hostile, script, arguments, status, java):
    done = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=hostile,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert sorted(path.name for path in hostile.parent.glob("ran-*")) == []
    assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.spark
def test_a_context_of_ones_own_gets_its_environment_back(java, tmp_path):
    """Workers of a search have the safe path; other jobs of the context run as before."""
    from pyspark import SparkConf, SparkContext

    from tidegate.checker.distributed.session import spark_context
    from tidegate.core.result import Cluster

    settings = {"spark.ui.enabled": "false", "spark.local.dir": str(tmp_path)}
    with SparkContext("local[1]", "own", conf=SparkConf().setAll(settings.items())) as own:
        before = dict(own.environment)

        def is_safe():
            return own.parallelize([0], 1).map(lambda _: sys.flags.safe_path).first()

        assert not is_safe()
        with spark_context(Cluster(), None) as context:
            assert context is own
            assert is_safe()
        assert own.environment == before
