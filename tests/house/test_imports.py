"""The command line starts without what it does not need yet."""

import re
import subprocess
import sys

import pytest

HEAVY = {
    "hypothesis",
    "networkx",
    "numba",
    "numpy",
    "pandas",
    "py4j",
    "pyarrow",
    "pyspark",
}

ON_ARRAYS = ("liveness.arrays", "compiled.components", "compiled.state_graph")
"""Modules that are loaded only where machine code decides a liveness property."""


KAFKA = re.compile(r"tidegate\.(invariants\.|model\.broker\b)")
"""Modules of Kafka's families, and those that gather them."""


LATE = {"multiprocessing", "socket", "statistics"}
"""Modules that most checks do without, and that bring others along."""


def modules_of(*command):
    """Return the modules that a Python command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=True
    )
    return set(re.findall(r"^import time: .*\| +([\w.]+)", done.stderr, flags=re.MULTILINE))


def imported(*command):
    """Return the packages that a Python command imports."""
    return {name.partition(".")[0] for name in modules_of(*command)}


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["check", "--help"],
        ["list"],
        ["gate", "--help"],
        ["check", "kip-101", "-p", "TypeOk"],
    ],
)
def test_the_command_line_imports_nothing_heavy(arguments):
    packages = imported("-m", "tidegate", *arguments)
    assert "tidegate" in packages
    assert packages & HEAVY == set()


def test_models_properties_and_engines_import_nothing_heavy(modules):
    names = [name for name in modules if not name.endswith(("__main__", *ON_ARRAYS))]
    packages = imported("-c", f"import {', '.join(names)}")
    assert "tidegate" in packages
    assert packages & HEAVY == set()


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_check_of_ones_own_file_imports_none_of_kafkas(engine):
    own = ["check", "examples/two_phase_commit.py", "-b", "managers=2", "--engine", engine]
    modules = modules_of("-m", "tidegate", *own)
    assert "tidegate.model.custom.model" in modules
    assert set(filter(KAFKA.match, modules)) == set()
    assert modules & LATE == set()
    kafkas = modules_of("-m", "tidegate", "check", "kip-101", "-b", "records=1", "-p", "TypeOk")
    assert any(map(KAFKA.match, kafkas))
