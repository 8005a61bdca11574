"""docs/catalogue.md: each of its bugs is shown, and shown fixed, by the project's own gate."""

import re
from functools import cache
from math import inf
from pathlib import Path

import pytest

from tests.docs.catalogue import bugs, mechanism, particular
from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.gate.cells import expanded
from tidegate.gate.document import read
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.names import find_protocol
from tidegate.library.selection import assemble

ROOT = Path(__file__).parents[2]
BUGS = bugs((ROOT / "docs" / "catalogue.md").read_text())

NAMED = (
    "KIP-101, scenario 1", "KIP-101, scenario 2", "KIP-101, its limits", "KAFKA-6361",
    "KAFKA-7164", "KAFKA-7128", "KAFKA-7395", "KAFKA-7415", "KAFKA-2334", "KAFKA-13141",
    "KAFKA-12686", "KAFKA-10706, for ever", "KAFKA-12686, for ever", "KIP-497",
    "KIP-841 (KAFKA-13916, KAFKA-14140)", "KIP-903 (KAFKA-14139, KAFKA-14617)",
    "Last replica standing", "KAFKA-5634", "KAFKA-9491", "KAFKA-12996",
)  # fmt: skip
"""What must have a row."""

STORIES = {
    "kip-101-loss.md": ([1, 0], [1], 1),
    "kip-101-divergence.md": ([1, 0], [1], 1),
    "kip-101-for-ever.md": ([1, 0], [1], 1),
    "kip-101-page-cache.md": ([0], [0], 0),
    "kip-101-limits.md": ([0], [1], 1),
    "kip-101-limits-divergence.md": ([0], [1], 1),
    "kafka-2960.md": ([], [1, 0], 0),
    "kafka-7414.md": ([1, 0], [1], 1),
    "kafka-7235.md": ([0], [], 0),
    "kafka-6361.md": ([], [1, 0], 0),
    "kafka-6361-for-ever.md": ([], [1, 0], 0),
    "kafka-7164.md": ([], [1, 0], 0),
    "kafka-7128.md": ([], [1, 2], 2),
    "kafka-7395-fetch.md": ([], [1, 0, 1], 1),
    "kafka-7395-truncation.md": ([], [1, 0, 1], 1),
    "kafka-7415.md": ([], [1, 0, 1], 1),
    "kafka-10706.md": ([], [1, 0, 1], 1),
    "kafka-10706-for-ever.md": ([], [1, 0, 1], 1),
    "kafka-2334.md": ([], [1], 1),
    "kafka-13141.md": ([0, 1], [1, 0], 0),
    "kafka-18991.md": ([], [1, 0, 1, 0], 0),
    "kafka-1367.md": ([0], [1], 1),
    "version-check.md": ([], [1], 1),
    "kip-497.md": ([0], [1], 1),
    "kip-497-epochs.md": ([0, 1], [1, 0], 0),
    "kafka-12686.md": ([1], [], 0),
    "kafka-12686-for-ever.md": ([1], [], 0),
    "kip-841.md": ([1], [], 0),
    "kip-903.md": ([1], [1], 1),
    "last-replica-standing.md": ([0, 1], [1], 1),
    "remote-leos.md": ([], [2, 0, 1], 1),
    "kip-497-partition-epochs.md": ([], [], 0),
    "kafka-15221.md": ([1], [1], 1),
    "registered-unfenced.md": ([0], [], 0),
    "known-record.md": ([0], [1], 1),
    "kafka-19522.md": ([1, 0], [0], 0),
    "kafka-5634.md": ([], [], 0),
    "kafka-9491.md": ([], [2], 2),
    "kafka-9491-for-ever.md": ([], [1], 1),
    "kafka-12996.md": ([], [1, 0], 1),
    "removed-replica.md": ([2], [0], 0),
}
"""Who fails, who is elected, and who leads in the end, as the captions say; broker 0 leads first.

Whoever changes a row reads its trace again, and then changes this.
"""

TAKE_LONG = {
    "kafka-6361-for-ever.md", "kafka-7164.md", "kafka-7128.md", "kafka-7415.md", "kafka-10706.md",
    "kafka-10706-for-ever.md", "kafka-18991.md", "kafka-15221.md", "remote-leos.md",
    "kafka-9491.md", "kafka-9491-for-ever.md", "removed-replica.md",
}  # fmt: skip
"""Bugs whose searches take seconds; the gate searches each, and knows its steps."""

SEARCHED = [
    pytest.param(bug, id=bug.title, marks=[pytest.mark.slow] if bug.page in TAKE_LONG else [])
    for bug in BUGS
]


@pytest.fixture(scope="module")
def expected():
    """What the gate expects, by protocol, bounds and property: the most steps; None if it holds."""
    found = {}
    for cell in read(ROOT / "tidegate.toml"):
        protocol = find_protocol(cell.protocol)
        for it in expanded(cell.expectations, protocol):
            steps = (it.steps or inf) if it.violated else None
            found[cell.protocol, at(protocol, cell.bounds), it.name] = steps
    return found


def at(protocol, bounds):
    """Return bounds in a form that compares, however they are written."""
    return parse(protocol.model.bounds, bounds.split())


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.title)
def test_a_bug_is_shown_and_fixed_by_the_gate(expected, bug):
    shown, fixed = find_protocol(bug.shown_by), find_protocol(bug.fixed_by)
    for name in (bug.violated, *bug.together):
        steps = expected[bug.shown_by, at(shown, bug.bounds), name]
        assert steps is not None
        assert name != bug.violated or bug.steps <= steps < inf
        assert expected[bug.fixed_by, at(fixed, bug.fixed_at), name] is None


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.title)
def test_its_trace_has_as_many_steps_as_its_row_says(bug):
    page = (ROOT / "docs" / "catalogue" / bug.page).read_text()
    assert len(mechanism(bug).split()) > 5
    assert f"{bug.violated} is violated" in page
    assert steps_in(page) == bug.steps
    numbers = re.findall(r"^ ?([1-9]\d*)\. ", page, re.MULTILINE)
    assert {int(number) for number in numbers} == set(range(1, bug.steps + 1))


def test_a_page_leaves_out_what_is_said_of_every_bug_and_nothing_else():
    explained = """hw: P is violated after 2 steps
hw: Followers truncate.
Within crashes=1.

 1. A step, which
    is long.
 2. None of the 2 steps can be dropped, a step says.

P is violated.

What it needs, within crashes=1
1 crash (broker 1 at step 1): cannot be left out; with none, no behavior within these bounds
violates P (407 distinct states).
option moves: has to be on; without it, no behavior within these bounds violates P.
P needs 1 crash and
1 election: with fewer of any, no behavior within these bounds violates it.
Step 2 can be dropped."""
    assert particular(explained).splitlines() == [
        "hw: P is violated after 2 steps",
        "",
        " 1. A step, which",
        "    is long.",
        " 2. None of the 2 steps can be dropped, a step says.",
        "",
        "P is violated.",
        "",
        "What it needs, within crashes=1",
        "1 crash (broker 1 at step 1): cannot be left out (407 distinct states).",
        "option moves: has to be on. Step 2 can be dropped.",
    ]


def steps_in(page):
    """Return the steps that the headline of a page's trace counts: of a lasso stem and cycle."""
    if lasso := re.search(r"stem of (\d+) steps,\scycle of (\d+)", page):
        return int(lasso[1]) + int(lasso[2])
    return int(re.search(r"is\sviolated\safter\s(\d+)\ssteps", page)[1])


@pytest.fixture(scope="module")
def trace():
    """Search for the trace of a bug; one search serves every test of it."""

    @cache
    def run(bug):
        names = [bug.violated, *bug.together]
        first = check(*assemble(bug.shown_by, bug.bounds.split(), names)).first
        assert first.property.name == bug.violated
        return [(step.action, step.arguments) for step in first.trace.steps]

    return run


@pytest.mark.parametrize("bug", SEARCHED)
def test_its_trace_is_a_shortest_one(trace, bug):
    assert len(trace(bug)) == bug.steps


@pytest.mark.parametrize("bug", SEARCHED)
def test_its_trace_tells_what_its_row_says(trace, bug):
    """Who fails, who is elected, and who leads in the end, which is who loses."""
    steps = trace(bug)
    failed = [who for name, [who, *_] in steps if name in ("Crash", "LosePower")]
    elected = [who for name, [who, *_] in steps if name in ("Elect", "ElectLastKnown")]
    begins = ("BecomeLeader", "ApplyChangeRecord")
    leaders = [0, *(who for name, [who, *_] in steps if name in begins)]
    assert (failed, elected, leaders[-1]) == STORIES[bug.page]


def test_scenario_1_of_kip_101_is_that_of_a_restarted_follower(trace):
    """It truncates, then the leader fails, then it is elected."""
    [bug] = [bug for bug in BUGS if bug.page == "kip-101-loss.md"]
    assert trace(bug)[-6:] == [
        ("Crash", (1,)), ("Restart", (1,)), ("BecomeFollower", (1, 0)),
        ("Crash", (0,)), ("Elect", (1,)), ("BecomeLeader", (1, 1)),
    ]  # fmt: skip


def test_every_bug_that_must_be_there_is_there():
    titles = " ".join(bug.title for bug in BUGS)
    assert not [name for name in NAMED if name not in titles]
    assert {bug.violated for bug in BUGS} <= {prop.name for prop in PROPERTIES}
