"""What was verdicts is compared with what was expected; nothing that is open ever passes."""

import pytest

from tidegate.core.result import Verdict
from tidegate.core.spec import Outcome, Property
from tidegate.gate.cells import Cell, Expectation
from tidegate.gate.judge import judge
from tidegate.gate.results import CellOutcome, Status, status_of

A, B = Expectation("A"), Expectation("B", True, 5)


def seen_as(outcome, steps=None):
    """Return a verdict."""
    return Verdict(Property("A", "", "", bool), outcome, steps=steps)


HOLDS, VIOLATED = seen_as(Outcome.HOLDS), seen_as(Outcome.VIOLATED, 5)
OPEN = seen_as(Outcome.INCOMPLETE)


def judged(expectations, seen, states=None, **verdicts):
    cell = Cell("own.py", "", tuple(expectations), states=states)
    given = {"states": 100, "depth": 9, "complete": True, **verdicts}
    findings = judge(CellOutcome(cell, Status.PASSED, **given), expectations, seen)
    return status_of(findings), [(it.kind, it.about) for it in findings]


def test_what_is_as_expected_passes():
    assert judged([A, B], {"A": HOLDS, "B": VIOLATED}, states=100) == ("pass", [])


@pytest.mark.parametrize(
    ("expectations", "seen", "verdicts", "status", "kinds"),
    [
        ([A], {"A": VIOLATED}, {}, "FAIL", [("violated", "A")]),
        ([B], {"B": HOLDS}, {}, "FAIL", [("not violated", "B")]),
        ([B], {"B": seen_as(Outcome.VIOLATED, 6)}, {}, "FAIL", [("longer", "B")]),
        (
            [B],
            {"B": HOLDS},
            {"instead": ("C", 3)},
            "FAIL",
            [("not violated", "B"), ("other property", "C")],
        ),
        ([A], {"A": OPEN}, {"stopped_by": "x", "complete": False}, "LIMIT", [("limit", "")]),
        ([A], {}, {"stopped_by": "x", "complete": False}, "LIMIT", [("limit", "")]),
        ([A], {"A": OPEN}, {"complete": False}, "ERROR", [("error", "")]),
        ([A], {}, {}, "ERROR", [("error", "")]),
        # A violation counts more than that time ran out after it.
        (
            [A, B],
            {"A": VIOLATED, "B": OPEN},
            {"stopped_by": "x", "complete": False},
            "FAIL",
            [("violated", "A"), ("limit", "")],
        ),
    ],
)
def test_what_is_not_fails(expectations, seen, verdicts, status, kinds):
    assert judged(expectations, seen, **verdicts) == (status, kinds)


@pytest.mark.parametrize("pinned", [99, 101])
def test_a_pin_that_differs_by_one_fails(pinned):
    assert judged([A], {"A": HOLDS}, states=pinned) == ("FAIL", [("count", "states")])


def test_a_pin_of_a_search_that_did_not_see_all_states_fails():
    seen = {"B": VIOLATED}
    assert judged([B], seen, states=100, complete=False) == ("FAIL", [("count", "states")])


def test_what_the_search_never_reached_is_no_second_finding_behind_a_violation():
    seen = {"A": VIOLATED, "C": OPEN}
    kinds = judged([A, Expectation("C")], seen, states=7, complete=False)[1]
    assert kinds == [("violated", "A")]
