"""``benchmarks/tlc.py``: the goldens can be counted again with TLC.

With ``TIDEGATE_TLC_JAR`` (a tla2tools.jar) and ``TIDEGATE_TLC_SPECS`` (a clone of
hachikuji/kafka-specification) TLC itself is run.
"""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.published import ASYNC_ISR, NAMES
from tidegate.core.bounds import parse
from tidegate.library.names import find_protocol
from tidegate.library.properties import invariants_of

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "tlc.py"

COMPLETE = """
76 states generated, 24 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 7.
"""

VIOLATED = """
Error: Invariant WeakIsr is violated.
State 1: <Initial predicate>
State 2: <ControllerElectLeader line 3>
State 3: <BecomeLeader line 4>
17 states generated, 12 distinct states found, 5 states left on queue.
The depth of the complete state graph search is 3.
"""


@pytest.fixture(scope="module")
def tlc():
    """Load the script, which belongs to no package."""
    spec = importlib.util.spec_from_file_location("tidegate_benchmarks_tlc", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Make a Java that prints the given text, a jar, and specifications."""

    def make(text):
        java = tmp_path / "home" / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text(f"#!/bin/sh\nls\ncat <<'END'\n{text}\nEND\n")
        java.chmod(0o755)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
        (tmp_path / "tools.jar").write_bytes(b"")
        for module in ("AsyncIsr", "Kip101"):
            (tmp_path / f"{module}.tla").write_text("")
        return ["--jar", str(tmp_path / "tools.jar"), "--specs", str(tmp_path)]

    return make


def made(tlc, name, settings="", invariant=None):
    """Return the task for a protocol under some settings."""
    protocol = find_protocol(name)
    return tlc.task(protocol, parse(protocol.model.bounds, settings.split()), invariant)


def test_every_published_protocol_has_its_module_and_invariants(tlc):
    assert set(tlc.MODULES) == set(tlc.ASKED) == {*NAMES, ASYNC_ISR}
    for name, invariants in tlc.ASKED.items():
        assert set(invariants) <= {prop.name for prop in invariants_of(find_protocol(name))}


def test_a_configuration_holds_the_constants(tlc):
    task = made(
        tlc,
        "tidegate.examples.published:kip_320",
        "replicas=3 records=3 log_size=2 max_leader_epoch=4",
    )
    assert (task.module, task.files) == ("Kip320", {})
    assert task.configuration.splitlines() == [
        "INIT Init",
        "NEXT Next",
        "CONSTANTS",
        "    Replicas = {r1, r2, r3}",
        "    LogSize = 2",
        "    MaxRecords = 3",
        "    MaxLeaderEpoch = 4",
    ]
    assert (
        "INVARIANT StrongIsr\n"
        in made(tlc, "tidegate.examples.published:hw", "", "StrongIsr").configuration
    )


def test_async_isr_is_given_its_constraint_by_a_module_beside(tlc):
    task = made(tlc, "tidegate.examples.async_isr:async_isr", "max_offset=3 max_version=4")
    assert "CONSTRAINT Within\n" in task.configuration
    for line in ("Leader = r1", "MaxOffset = 3", "MaxVersion = 4"):
        assert f"    {line}\n" in task.configuration
    [(name, text)] = task.files.items()
    assert name == f"{task.module}.tla"
    assert f"MODULE {task.module} " in text
    assert "EXTENDS AsyncIsr" in text


def test_numbers_are_read_from_what_tlc_prints(tlc):
    assert tlc.states_and_depth(COMPLETE) == (24, 7)
    assert tlc.steps_to_violation(COMPLETE, "WeakIsr") is None
    assert tlc.steps_to_violation(VIOLATED, "WeakIsr") == 2
    for output in (VIOLATED, "Error: java"):
        with pytest.raises(tlc.TlcError, match="did not finish"):
            tlc.states_and_depth(output)


def test_numbers_that_agree_and_numbers_that_differ(tlc, fake, capsys):
    paths = fake(COMPLETE)
    bounds = ["-b", "max_version=1"]
    assert (
        tlc.main(
            ["tidegate.examples.async_isr:async_isr", *bounds, "-p", "ValidHighWatermark", *paths]
        )
        == 0
    )
    assert capsys.readouterr().out.splitlines() == [
        "agree: distinct states: TLC 24, golden 24",
        "agree: depth: TLC 7, golden 7",
        "agree: steps to ValidHighWatermark: TLC holds, golden holds",
    ]
    assert tlc.main(["tidegate.examples.async_isr:async_isr", *paths]) == 1
    assert "DIFFER: distinct states: TLC 24, golden 42" in capsys.readouterr().out


def test_bounds_without_a_golden_are_searched(tlc, fake, capsys):
    tlc.main(["tidegate.examples.published:kip_101", "-b", "records=0", *fake(COMPLETE)])
    assert "distinct states: TLC 24, search " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kip-101"], "there is no published protocol 'kip-101'"),
        (["tidegate.examples.published:kip_101", "-b", "crashes=1"], "there is no bound 'crashes'"),
        (
            ["tidegate.examples.published:kip_101", "-p", "TypeOk"],
            "no invariant that TLC can evaluate 'TypeOk'",
        ),
        (
            ["tidegate.examples.published:kip_101", "--jar", "/nowhere/x.jar"],
            "no tla2tools.jar at /nowhere/x.jar",
        ),
        (
            ["tidegate.examples.published:kip_101", "--specs", "/nowhere"],
            "there is no Kip101.tla in /nowhere",
        ),
        (["tidegate.examples.published:kip_279"], "there is no Kip279.tla in "),
    ],
)
def test_what_is_wrong_or_missing_is_said(tlc, fake, capsys, arguments, message):
    assert tlc.main([*fake(COMPLETE), *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert message in error


def test_a_missing_java_is_said(tlc, fake, monkeypatch, capsys):
    paths = fake(COMPLETE)
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert tlc.main(["tidegate.examples.published:kip_101", *paths]) == 2
    assert "TLC needs Java" in capsys.readouterr().err


REAL = [
    ["tidegate.examples.published:kip_101", "-b", "max_leader_epoch=2", "-p", "StrongIsr"],
    ["tidegate.examples.published:hw", "-b", "replicas=3", "-b", "records=1", "-p", "WeakIsr"],
    ["tidegate.examples.async_isr:async_isr", "-b", "replicas=3", "-p", "ValidHighWatermark"],
]


@pytest.mark.parametrize("arguments", REAL, ids=lambda arguments: arguments[0])
def test_tlc_itself_counts_the_golden_numbers(tlc, arguments):
    given = os.environ.get("TIDEGATE_TLC_JAR") and os.environ.get("TIDEGATE_TLC_SPECS")
    if not given or not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("set TIDEGATE_TLC_JAR and TIDEGATE_TLC_SPECS, and have Java, to run TLC")
    assert tlc.main(arguments) == 0
