"""The published protocols have exactly the states that TLC finds in their TLA+ originals.

``tests/goldens.json`` holds a row per protocol and bounds: distinct states, depth (in states, the
initial one included, as TLC counts it), and for each property the steps of the shortest trace that
violates it, or null where it holds.  ``origin`` says who counted.
"""

import json
from pathlib import Path

import pytest

from tidegate.spec import Outcome

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens.json").read_text("utf-8"))

SLOW = 20_000
"""A search of more distinct states than this is left to the slow tests."""


def row(golden):
    """Return a parameter set for a golden."""
    name = f"{golden['protocol']} {golden['bounds']}"
    return pytest.param(golden, id=name, marks=[pytest.mark.slow] * (golden["distinct"] > SLOW))


ROWS = [row(golden) for golden in GOLDENS["rows"]]


@pytest.mark.parametrize("golden", ROWS)
def test_states_depth_and_shortest_violations_are_the_golden_ones(search, golden):
    result = search(golden["protocol"], golden["bounds"], list(golden["steps"]), keep_going=True)
    assert result.complete
    assert (result.distinct_states, result.depth) == (golden["distinct"], golden["depth"])
    found = {
        v.property.name: len(v.trace.steps) if v.outcome is Outcome.VIOLATED else None
        for v in result.verdicts
    }
    assert found == golden["steps"]


def test_every_golden_says_where_it_is_from():
    assert {golden["origin"] for golden in GOLDENS["rows"]} <= set(GOLDENS["origins"])
