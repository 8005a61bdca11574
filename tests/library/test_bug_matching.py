"""A bug of Kafka is named only if its older rule alone violates the property within the bounds."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner

from tests.library.answers_late import LATE, WAITS
from tidegate import check
from tidegate.cli import main
from tidegate.core.bounds import BoundsError
from tidegate.core.result import Limits
from tidegate.core.spec import Outcome
from tidegate.library.bug_matching import SECONDS, TIMES, seconds_left
from tidegate.library.known_bugs import bugs_of, by_itself, find_known
from tidegate.library.names import find_protocol
from tidegate.library.problem import PLAIN, _Others, problem_of
from tidegate.model import KIP_595, release

FILE = Path(__file__).with_name("answers_late.py")

FEW = {"purgatory": True, "records": 1, "crashes": 0, "elections": 1, "moves": True}
"""Within these the older rule of KAFKA-2960 alone violates nothing."""

MORE = FEW | {"records": 2, "elections": 2}
"""Within these it does, after 12 steps."""

LOST = "NoAckedRecordLost"

WAITING = find_known("kafka-2960")


def options(bounds):
    """Return bounds as options of a command."""
    return [part for name, value in bounds.items() for part in ("-b", f"{name}={value}".lower())]


def reported(tmp_path, *arguments):
    """Return what ``check`` says after the verdict, and its report."""
    file = tmp_path / "report.json"
    done = CliRunner().invoke(main, ["check", *arguments, "-q", "--json", str(file)])
    assert done.exit_code == 12, done.output
    said = " ".join(done.output.split()).partition(" steps. ")[2]
    document = json.loads(file.read_text())
    return said, document["known_bug"], document["older_rule"]


def test_a_trace_that_needs_another_step_needs_the_older_rule_as_well(tmp_path):
    said, bug, older = reported(tmp_path, f"{FILE}:LATE", *options(FEW), "-p", LOST)
    assert said == (
        "The trace needs the older rule of KAFKA-2960 as well: by itself that rule does not "
        "violate NoAckedRecordLost within these bounds. With its repair (--repaired kafka-2960) "
        "the same search holds."
    )
    assert bug is None
    assert older == {
        "name": "kafka-2960",
        "title": "KAFKA-2960",
        "repaired": {"outcome": "holds", "violated": {}},
        "alone": "holds",
        "not_decided": None,
    }


def test_within_bounds_at_which_the_rule_alone_violates_it_the_bug_is_named(tmp_path):
    said, bug, older = reported(tmp_path, f"{FILE}:LATE", *options(MORE), "-p", LOST)
    assert said.startswith("This is a known bug of Kafka: KAFKA-2960. With its repair")
    assert (bug["name"], older) == ("kafka-2960", None)


@pytest.mark.parametrize("name", ["WAITS", "STEP_ONLY"])
def test_either_fault_alone_violates_nothing(name):
    assert check(f"{FILE}:{name}", FEW, [LOST]).holds


def test_the_library_says_the_same():
    few, more = (check(f"{FILE}:LATE", bounds, [LOST]) for bounds in (FEW, MORE))
    assert (few.known_bug, few.older_rule) == (None, "kafka-2960")
    assert (more.known_bug, more.older_rule) == ("kafka-2960", None)
    held = check("kip-595", FEW, [LOST])
    assert (held.known_bug, held.older_rule) == (None, None)


def test_what_is_not_decided_in_time_is_not_claimed(monkeypatch, tmp_path):
    monkeypatch.setattr("tidegate.library.bug_matching.SECONDS", 0.001)
    monkeypatch.setattr("tidegate.library.bug_matching.TIMES", 0.0)
    said, bug, older = reported(tmp_path, f"{FILE}:LATE", *options(FEW), "-p", LOST)
    assert said.startswith(
        "The trace needs the older rule of KAFKA-2960. Not decided: whether that rule by itself "
        "violates NoAckedRecordLost within these bounds (not finished in 0 s)."
    )
    assert (bug, older["alone"], older["not_decided"]) == (
        None,
        "incomplete",
        "not finished in 0 s",
    )


def test_ctrl_c_during_that_search_keeps_the_verdict():
    large = {"purgatory": True, "records": 3, "crashes": 3, "elections": 3, "moves": True}
    arguments = ["-m", "tidegate", "check", f"{FILE}:LATE", *options(large), "-p", LOST]
    terminal = pexpect.spawn(sys.executable, arguments, encoding="utf-8", dimensions=(40, 200))
    terminal.expect("searching kip-595~fails_produces = keep_waiting, whether it violates")
    terminal.sendintr()
    terminal.expect(pexpect.EOF, timeout=60)
    terminal.close()
    said = " ".join(terminal.before.split())
    assert terminal.exitstatus == 12
    assert "NoAckedRecordLost is violated after 5 steps." in said
    assert "the older rule of KAFKA-2960. Not decided: whether that rule by itself" in said
    assert said.endswith("within these bounds (stopped by an interrupt).")


@pytest.mark.parametrize("seconds", [1.0, 10.0])
def test_it_has_a_limit(seconds):
    assert seconds_left(seconds, None, 0.0) == max(SECONDS, TIMES * seconds)
    assert seconds_left(seconds, 5.0, 0.0) == 0.1


@pytest.mark.parametrize(
    "protocol",
    [LATE, replace(LATE, parent=KIP_595), replace(LATE, parent=replace(WAITS, parent=LATE.parent))],
)
def test_the_rule_alone_is_that_of_the_nearest_built_in_protocol(protocol):
    bug, without = by_itself(protocol, WAITING)
    assert (bug.name, bug.parent) == ("kip-595~fails_produces = keep_waiting", KIP_595)
    assert (bug.actions, bug.rules) == (KIP_595.actions, WAITS.rules)
    assert without is KIP_595


@pytest.mark.parametrize(
    "name",
    ["kip-595", "hw~fails_produces = keep_waiting", f"{FILE}:WAITS", "kafka-0.9.0-zookeeper"],
)
def test_a_protocol_with_that_rule_alone_needs_no_search(name):
    protocol = find_protocol(name)
    known = WAITING if WAITING in bugs_of(protocol) else next(bugs_of(protocol))
    bug, without = by_itself(protocol, known)
    assert bug is protocol
    assert known not in bugs_of(without)


def test_of_two_rules_one_alone_is_searched():
    name = "kip-320~has_new_leader = if_leader_changes, truncates_cache = only_if_log_shrinks"
    bug, without = by_itself(find_protocol(name), find_known("kafka-7164"))
    assert bug.name == "kip-320~has_new_leader = if_leader_changes"
    assert without.name == "kip-320"


def test_a_protocol_of_ones_own_is_made_of_none():
    assert by_itself(replace(LATE, parent=None), WAITING) is None
    mine = replace(KIP_595, name="kafka-mine-kraft", parent=None)
    assert by_itself(replace(LATE, parent=mine), WAITING) is None


def test_a_function_of_a_users_with_the_name_of_an_older_rule_is_another_rule():
    def keep_waiting(s, k, broker):
        return False

    mine = replace(LATE, rules=replace(LATE.rules, fails_produces=keep_waiting))
    assert WAITING in bugs_of(LATE)
    assert WAITING not in bugs_of(mine)


def test_the_bounds_are_those_of_the_search_whatever_options_a_protocol_comes_with():
    based = release("4.0")
    mine = replace(LATE, parent=based, rules=based.rules, settings=("purgatory", "moves"))
    problem = problem_of(mine, ("records=1",), [LOST])
    others = _Others(problem, PLAIN, Limits(), None, None)
    assert others.system(based).bounds == problem.system.bounds
    assert others.system(KIP_595).bounds == problem.system.bounds


def of_late(bounds=FEW):
    """Return the problem of both faults, and the verdict on it."""
    settings = [f"{name}={value}".lower() for name, value in bounds.items()]
    problem = problem_of(f"{FILE}:LATE", settings, [LOST])
    return problem, problem.check().first


def test_another_protocol_that_cannot_be_searched_decides_nothing(monkeypatch):
    problem, verdict = of_late()

    def fail(self, *_):
        raise BoundsError("elections=1: it has none")

    monkeypatch.setattr(_Others, "search", fail)
    match = problem.match(verdict, lambda: 1.0)
    assert (match.alone, match.why) == (Outcome.INCOMPLETE, "elections=1: it has none")


def test_a_protocol_that_violates_it_without_the_rule_too_shows_no_bug(monkeypatch):
    """The built-in protocol of one that names no parent is the parent of its original."""
    problem, verdict = of_late(MORE)
    bug, _ = by_itself(problem.protocol, WAITING)
    monkeypatch.setattr("tidegate.library.bug_matching.by_itself", lambda *_: (bug, bug))
    match = problem.match(verdict, lambda: 60.0)
    assert (match.is_the_bug, match.why) == (False, f"{bug.name} violates it without that rule")
