"""docs/catalogue.md: each of its bugs is shown, and shown fixed, by the project's own gate."""

import re
from pathlib import Path

import pytest

from tests.docs.catalogue import bugs
from tidegate.analysis.named import find_protocol
from tidegate.core.bounds import parse
from tidegate.gate.cells import expanded
from tidegate.gate.document import read
from tidegate.invariants import PROPERTIES

ROOT = Path(__file__).parents[2]
BUGS = bugs((ROOT / "docs" / "catalogue.md").read_text())

NAMED = (
    "KIP-101, scenario 1", "KIP-101, scenario 2", "KIP-101, its limits", "KAFKA-6361",
    "KAFKA-7164", "KAFKA-7128", "KAFKA-7395", "KAFKA-7415", "KAFKA-2334", "KAFKA-13141",
    "KAFKA-12686", "KAFKA-10706, for ever", "KAFKA-12686, for ever", "KIP-497",
    "KIP-841 (KAFKA-13916, KAFKA-14140)", "KIP-903 (KAFKA-14139, KAFKA-14617)",
    "Last replica standing",
)  # fmt: skip
"""What must have a row."""


@pytest.fixture(scope="module")
def expected():
    """What the project's gate expects: protocol, bounds, property, whether it is violated."""
    found = set()
    for cell in read(ROOT / "tidegate.toml"):
        protocol = find_protocol(cell.protocol)
        for it in expanded(cell.expectations, protocol):
            found.add((cell.protocol, at(protocol, cell.bounds), it.name, it.violated))
    return found


def at(protocol, bounds):
    """Return bounds in a form that compares, however they are written."""
    return parse(protocol.family.bounds, bounds.split())


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.title)
def test_a_bug_is_shown_and_fixed_by_the_gate(expected, bug):
    shown, fixed = find_protocol(bug.shown_by), find_protocol(bug.fixed_by)
    assert (bug.shown_by, at(shown, bug.bounds), bug.violated, True) in expected
    assert (bug.fixed_by, at(fixed, bug.fixed_at), bug.violated, False) in expected


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.title)
def test_its_trace_has_as_many_steps_as_its_row_says(bug):
    page = (ROOT / "docs" / "catalogue" / bug.page).read_text()
    assert page.startswith(f"# {bug.title}\n\n{bug.mechanism}\n")
    assert f"{bug.violated} is violated" in page
    assert steps_in(page) == bug.steps
    numbers = re.findall(r"^ ?([1-9]\d*)\. ", page, re.MULTILINE)
    assert {int(number) for number in numbers} == set(range(1, bug.steps + 1))


def steps_in(page):
    """Return the steps that the headline of a page's trace counts: of a lasso stem and cycle."""
    if lasso := re.search(r"stem of (\d+) steps,\scycle of (\d+)", page):
        return int(lasso[1]) + int(lasso[2])
    return int(re.search(r"is\sviolated\safter\s(\d+)\ssteps", page)[1])


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.title)
def test_its_trace_is_a_shortest_one(search, bug):
    [verdict] = search(bug.shown_by, bug.bounds, [bug.violated]).verdicts
    assert len(verdict.trace.steps) == bug.steps


def test_every_bug_that_must_be_there_is_there():
    titles = " ".join(bug.title for bug in BUGS)
    assert not [name for name in NAMED if name not in titles]
    assert {bug.violated for bug in BUGS} <= {prop.name for prop in PROPERTIES["broker"]}
