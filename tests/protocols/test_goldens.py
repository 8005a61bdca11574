"""The published protocols have exactly the states that TLC finds in their TLA+ originals.

``tests/goldens.json`` holds a row per protocol and bounds: distinct states, depth (in states, the
initial one included, as TLC counts it), and for each property the steps of the shortest trace that
violates it, or null where it holds.  ``first_violations`` are such steps alone, of properties that
need history or that the originals do not state.  ``origin`` says who counted.
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


def first(golden):
    """Return a parameter set for the steps to the first violation of a property."""
    name = f"{golden['protocol']} {golden['bounds']} {golden['property']}"
    return pytest.param(golden, id=name, marks=[pytest.mark.slow] * golden["slow"])


@pytest.mark.parametrize("golden", [first(golden) for golden in GOLDENS["first_violations"]])
def test_loss_and_divergence_take_the_golden_number_of_steps(search, golden):
    [verdict] = search(golden["protocol"], golden["bounds"], [golden["property"]]).verdicts
    assert verdict.outcome in (Outcome.HOLDS, Outcome.VIOLATED)
    assert (len(verdict.trace.steps) if verdict.trace else None) == golden["steps"]


def test_every_golden_says_where_it_is_from():
    goldens = GOLDENS["rows"] + GOLDENS["first_violations"]
    assert {golden["origin"] for golden in goldens} == set(GOLDENS["origins"])
