"""A verdict points at the first line of a rule that is not its parent's."""

import pytest

from tests.docs.commands import output
from tidegate.gate.places import places
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
    assert places(find_protocol("own.py:OWN")) == (
        ((str(tmp_path / "own.py"), line), "has_new_leader"),
    )


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
