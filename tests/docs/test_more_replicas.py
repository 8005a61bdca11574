"""docs/more-replicas.md: the cheap cells of its table of steps are what a search finds."""

from pathlib import Path

import pytest

from tests.conftest import make_system
from tidegate.checker.check import check
from tidegate.invariants.broker import INVARIANTS

PAGE = Path(__file__).parents[2] / "docs" / "more-replicas.md"


def table():
    """Return (protocol, bounds, property, replicas, steps) for each cell that has steps."""
    lines = PAGE.read_text("utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| hw | `")]
    rows += [line.strip("| ").split(" | ") for line in lines if line.startswith("| kip-320 | `")]
    return [
        (protocol, bounds.strip("`"), prop, replicas, int(steps))
        for protocol, bounds, prop, *cells in rows
        for replicas, steps in enumerate(cells, 2)
        if steps.strip(" |").isdigit()
    ]


CELLS = table()


def test_the_table_is_read():
    assert len(CELLS) == 10


@pytest.mark.parametrize(
    ("protocol", "bounds", "prop", "replicas", "steps"),
    [cell for cell in CELLS if cell[2] != "NoCommittedRecordLost" and cell[3] < 4],
)
def test_a_trace_has_as_many_steps_as_the_page_says(protocol, bounds, prop, replicas, steps):
    system = make_system(protocol, f"replicas={replicas} {bounds}")
    [one] = [one for one in INVARIANTS if one.name == prop]
    [verdict] = check(system, [one], symmetry=True).verdicts
    assert len(verdict.trace.steps) == steps
