"""The engine as a library: what a check returns, and what pytest shows of it."""

import subprocess
import sys

import pytest

import tidegate
from tidegate.core.errors import TidegateError
from tidegate.model import HW, KIP_101


def test_what_is_exported_is_there():
    assert sorted(tidegate.__all__) == sorted(
        {name for names in tidegate.HOMES.values() for name in names}
    )
    for name in tidegate.__all__:
        assert getattr(tidegate, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = tidegate.nothing


def test_importing_the_package_does_not_import_the_engine():
    names = "click", "rich", "llvmlite", "networkx", "tidegate.checker"
    code = f"import sys, tidegate; print([n for n in {names!r} if n in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "[]", result.stderr


def test_checking_prints_nothing_and_does_without_click(capfd):
    code = (
        "import sys, tidegate\n"
        "print(tidegate.check('kip-101', {'records': 1}).holds, 'click' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("True False\n", "")


def test_a_violation_has_its_trace():
    lost = tidegate.check(HW, {"records": 1}, ["NoCommittedRecordLost"])
    assert not lost.holds
    assert not lost.complete
    assert lost.violated == ("NoCommittedRecordLost",)
    assert lost.trace == lost.trace_of("NoCommittedRecordLost")
    assert lost.trace_of("TypeOk") == ()
    assert str(lost.trace[0]) == "initial state"
    last = lost.trace[-1]
    assert (last.action, last.arguments) == ("BecomeLeader", {"leader": 1, "epoch": 1})
    assert last.state["replica"][1]["leo"] == 0
    assert "NoCommittedRecordLost is violated" in str(lost)


def test_a_search_that_gives_up_does_not_hold():
    some = tidegate.check(KIP_101, max_states=100)
    assert (some.holds, some.complete, some.violated) == (False, False, ())
    assert "INCOMPLETE" in str(some)


def test_a_property_of_ones_own():
    never = tidegate.Property(
        "NobodyLeadsEpoch1", "No broker leads epoch 1.", "this test",
        lambda s, k: all(replica.epoch < 1 for replica in s.replica), lambda s, k: "It does.",
    )  # fmt: skip
    checked = tidegate.check(HW, {"records": 1}, [never, "TypeOk"])
    assert checked.violated == ("NobodyLeadsEpoch1",)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"model": "kip-321"}, "there is no protocol 'kip-321'"),
        ({"bounds": {"record": 1}}, "there is no bound 'record'; did you mean records"),
        ({"bounds": {"records": 99}}, "bound records: 99 is out of range"),
        ({"properties": ["TypeOK2"]}, "there is no property 'TypeOK2'"),
        ({"engine": "quick"}, "there is no engine 'quick'"),
        ({"store": "disk"}, "--store disk: is neither exact nor fingerprint"),
        ({"model": 3}, "3 is not a Model, a Protocol or the name of one"),
    ],
)
def test_what_does_not_exist_is_refused(arguments, says):
    with pytest.raises(TidegateError, match=says):
        tidegate.check(**{"model": HW, **arguments})


def test_a_failed_test_shows_the_trace(tmp_path):
    test = tmp_path / "test_mine.py"
    test.write_text(
        "import tidegate\n"
        "def test_it():\n"
        "    assert tidegate.check('kip-101', {'records': 1}).holds\n"
        "    assert tidegate.check('hw', properties=['NoCommittedRecordLost']).holds\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 1, result.stderr
    assert "NoCommittedRecordLost is violated. Record m0 was committed" in result.stdout
    assert "kip-101" not in result.stdout.split("Captured tidegate call")[1]


def test_a_run_of_pytest_that_checks_nothing_does_not_load_the_engine(tmp_path):
    test = tmp_path / "test_mine.py"
    test.write_text(
        "import sys\n"
        "def test_it():\n"
        "    assert not {'tidegate.library.problem', 'tidegate.checker'} & sys.modules.keys()\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout


FENCELESS = "kip-320~may_change_isr = leads_in_any_epoch"
FEW = {"records": 1, "crashes": 0, "moves": True, "isr_propagation": "zookeeper"}


def test_a_violation_says_which_known_bug_it_is():
    lost = tidegate.check(FENCELESS, FEW, ["NoCommittedRecordLost"])
    assert (len(lost.trace) - 1, lost.known_bug) == (4, "version-check")
    assert tidegate.check("hw", {"records": 1}, ["NoCommittedRecordLost"]).known_bug is None
    assert tidegate.check("kip-320", FEW, ["NoCommittedRecordLost"]).known_bug is None
