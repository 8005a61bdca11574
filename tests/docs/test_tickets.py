"""docs/tickets.md: every search on it has the verdict that it says."""

import pytest

from tests.docs.checks import ROOT, searches
from tests.docs.test_checks import OF_ALL_STATES, found, named

TEXT = (ROOT / "docs" / "tickets.md").read_text("utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| ") and "---" not in line][1:]
SEARCHES = list(dict.fromkeys(search for row in ROWS for search in searches(row)))


def test_there_are_ten_tickets():
    assert len(ROWS) == 10
    assert sum(bool(searches(row)) for row in ROWS) == 8


@pytest.mark.parametrize("search", SEARCHES, ids=lambda one: f"{one.name} {one.property}")
def test_a_search_has_the_verdict_of_the_page(search):
    shortest = search.steps is not None and search.property not in OF_ALL_STATES
    depth = search.steps + 1 if shortest else None
    steps = found(named(search.name), search.bounds, search.property, depth)
    assert steps == search.steps
