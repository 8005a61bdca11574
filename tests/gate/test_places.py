"""A finding points at the first line that differs of a rule without which it goes away."""

import pytest

from tests.docs.commands import output
from tidegate.core.result import Resources
from tidegate.gate.cells import Cell, Expectation
from tidegate.gate.places import changes
from tidegate.gate.results import CellOutcome, Status
from tidegate.gate.search import outcome_of
from tidegate.library.names import find_protocol

OWN = '''
from dataclasses import replace

from tidegate.kafka import KIP_320


def has_new_leader(s, k, follower, epoch):
    """Continue as before if only the epoch changes, to the next one."""
    if s.replica[follower].leader != s.leader_and_isr[epoch].leader:
        return True
    return epoch > s.replica[follower].epoch + 1


PARENT = replace(
    KIP_320, name="parent", rules=replace(KIP_320.rules, has_new_leader=has_new_leader)
)
'''

CHANGED = '''
from dataclasses import replace

from parent import PARENT


def has_new_leader(s, k, follower, epoch):
    """Continue as before if only the epoch changes, to the next one.

    This says nothing of what differs.
    """
{body}

OWN = replace(
    PARENT, name="own", parent=PARENT, rules=replace(PARENT.rules, has_new_leader=has_new_leader)
)
'''

UNCHANGED = OWN[OWN.index("    if s.replica") : OWN.index("\n\nPARENT")]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (UNCHANGED, 12),
        (UNCHANGED.replace("+ 1", "+ 2"), 14),
        (UNCHANGED.replace("return True", "return False"), 13),
        (UNCHANGED.replace("!=", "=="), 12),
        (UNCHANGED.replace("    return epoch", "    epoch += 0\n    return epoch"), 14),
        ("    return True\n", 12),
        (UNCHANGED[UNCHANGED.index("    return epoch") :], 12),
    ],
)
def test_a_rule_is_found_at_its_first_line_that_differs(tmp_path, monkeypatch, body, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parent.py").write_text(OWN)
    (tmp_path / "own.py").write_text(CHANGED.format(body=body))
    first, *_ = changes(find_protocol("own.py:OWN"))
    assert first.place == ((str(tmp_path / "own.py"), line), "has_new_leader")


def test_a_copy_does_not_differ_and_a_change_is_shown_line_by_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parent.py").write_text(OWN)
    changes = {"same": UNCHANGED, "own": UNCHANGED.replace("+ 1", "+ 2")}
    for name, body in changes.items():
        (tmp_path / f"{name}.py").write_text(CHANGED.format(body=body))
    arguments = ("-b", "records=0", "-b", "crashes=0")
    same = output("diff", "parent.py:PARENT", "same.py:OWN", *arguments)
    assert "The rules and the actions are the same, line by line." in same
    shown = output("diff", "parent.py:PARENT", "own.py:OWN", *arguments)
    assert (
        "       if s.replica[follower].leader != s.leader_and_isr[epoch].leader:\n"
        "           return True\n"
        "      -return epoch > s.replica[follower].epoch + 1\n"
        "      +return epoch > s.replica[follower].epoch + 2\n"
    ) in shown
    assert "Continue as before" not in shown


SEVERAL = """
from dataclasses import replace

from tidegate.model import KIP_320, KIP_595


def has_committed(s, k, leader, offset):
    return {has_committed}


def has_epoch_start(s, k, leader, offset):
    return {has_epoch_start}


def isr_for_hw(s, k, leader):
    return {isr_for_hw}


OWN = replace(
    {parent}, name="own", parent={parent}, rules=replace(
        {rules}.rules,
        has_committed=has_committed, has_epoch_start=has_epoch_start, isr_for_hw=isr_for_hw,
    )
)
"""

KAFKAS = {
    "parent": "KIP_595",
    "rules": "KIP_595",
    "has_committed": "offset >= s.replica[leader].hw",
    "has_epoch_start": "offset >= s.replica[leader].epoch_start",
    "isr_for_hw": "s.replica[leader].isr | s.replica[leader].proposed",
}
AT_LOG_END = "offset >= s.replica[leader].leo"
BY_RECORDS = "records=2 crashes=1 isr_propagation=records"


@pytest.fixture
def decided(tmp_path, monkeypatch):
    """Decide a cell of a protocol with these rules; return its findings."""
    monkeypatch.chdir(tmp_path)

    def decide(bounds, *expected, states=None, **rules) -> CellOutcome:
        (tmp_path / "several.py").write_text(SEVERAL.format(**{**KAFKAS, **rules}))
        expectations = tuple(
            Expectation(name, steps is not None, steps) for name, steps in expected
        )
        cell = Cell("several.py:OWN", bounds, expectations, states)
        return outcome_of(cell, Resources(), lambda progress: None).findings

    return decide


def rules_of(finding):
    return [what for _, what in finding.places]


@pytest.mark.parametrize(
    ("rules", "blamed"),
    [
        ({"has_committed": "False"}, ["has_committed"]),
        ({"isr_for_hw": "s.replica[leader].isr"}, []),
        ({"rules": "KIP_320"}, []),
        ({"has_committed": "False", "has_epoch_start": "False"}, []),
    ],
)
def test_a_count_is_put_down_to_the_rule_without_which_it_is_the_pinned_one(decided, rules, blamed):
    pinned = 232 if "isr_for_hw" not in rules else 233
    [finding] = decided("records=1 crashes=1", ("TypeOk", None), states=pinned, **rules)
    assert finding.about == "states"
    assert rules_of(finding) == blamed


def test_a_rule_that_prevents_an_expected_violation_is_to_blame_for_that(decided):
    expected = ("NoCommittedRecordLost", 15)
    stricter = {"has_committed": "False"}
    [finding, *_] = decided(BY_RECORDS, expected, **stricter)
    assert "expected: violated" in finding.text
    assert rules_of(finding) == ["has_committed"]
    assert decided(BY_RECORDS, expected) == []


def test_where_the_parent_has_the_counterexample_no_rule_is_to_blame(decided):
    [finding] = decided(BY_RECORDS, ("NoCommittedRecordLost", None))
    assert "15 steps" in finding.text
    assert "; kip-595 itself violates it; this is the known bug known-record" in finding.text
    assert rules_of(finding) == []


def test_the_finding_of_a_known_bug_names_the_protocol_without_it(decided):
    [finding] = decided(BY_RECORDS, ("NoCommittedRecordLost", None))
    name = finding.text.partition('protocols = ["')[2].partition('"')[0]
    assert "--repaired known-record" in finding.text
    cell = Cell(name, BY_RECORDS, (Expectation("NoCommittedRecordLost"),))
    assert outcome_of(cell, Resources(), lambda progress: None).status is Status.PASSED


def test_only_the_rule_without_which_a_counterexample_is_impossible_is_to_blame(decided):
    [finding] = decided(
        "records=2 isr_propagation=kraft", ("NoAckedRecordLost", None), has_committed=AT_LOG_END,
        isr_for_hw="s.replica[leader].proposed or s.replica[leader].isr",
    )  # fmt: skip
    assert "kip-595" not in finding.text
    assert rules_of(finding) == ["isr_for_hw"]
