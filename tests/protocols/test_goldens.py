"""The published protocols have exactly the states that TLC finds in their TLA+ originals.

``tests/goldens.json`` holds a row per protocol and bounds: distinct states, depth (in states, the
initial one included, as TLC counts it), and for each property the steps of the shortest trace that
violates it, or null where it holds.  ``first_violations`` are such steps alone, of properties that
need history or that the originals do not state.  ``origin`` says who counted.
"""

import json
from pathlib import Path

import pytest

from tidegate.core.result import Resources
from tidegate.core.spec import Outcome

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens.json").read_text("utf-8"))

SLOW = 10_000
"""A search of more distinct states than this is left to the slow tests, if others show the same."""

ENGINES = {
    "interpreted": Resources(engine="interpreted"),
    "compiled": Resources(engine="compiled"),
    "fingerprints": Resources(engine="compiled", store="fingerprint"),
}


def quick(golden, engine):
    """Whether a row belongs to every test run: it is not worth compiling what is soon searched.

    The three largest rows of each protocol below that are enough, in machine code the largest one.
    """
    name, distinct = golden["protocol"], golden["distinct"]
    counts = sorted(row["distinct"] for row in GOLDENS["rows"] if row["protocol"] == name)
    small = [count for count in counts if count <= SLOW]
    few = {"interpreted": 3, "compiled": 1, "fingerprints": 1}[engine]
    return distinct in small[-few:]


def row(golden, engine):
    """Return a parameter set for a golden."""
    name = f"{engine} {golden['protocol']} {golden['bounds']}"
    marks = [] if quick(golden, engine) else [pytest.mark.slow]
    return pytest.param(golden, engine, id=name, marks=marks)


ROWS = [row(golden, engine) for engine in ENGINES for golden in GOLDENS["rows"]]


@pytest.fixture
def small_table(monkeypatch):
    """Begin with a small table of fingerprints; none of the rows makes it grow."""
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.FINGERPRINT_BUCKETS", 1 << 18)


@pytest.mark.usefixtures("small_table")
@pytest.mark.parametrize(("golden", "engine"), ROWS)
def test_states_depth_and_shortest_violations_are_the_golden_ones(search, golden, engine):
    names, resources = list(golden["steps"]), ENGINES[engine]
    result = search(
        golden["protocol"], golden["bounds"], names, keep_going=True, resources=resources
    )
    assert result.engine == resources.engine
    assert result.exact is (resources.store == "exact")
    assert result.complete
    assert (result.distinct_states, result.depth) == (golden["distinct"], golden["depth"])
    found = {
        v.property.name: len(v.trace.steps) if v.outcome is Outcome.VIOLATED else None
        for v in result.verdicts
    }
    assert found == golden["steps"]


def first(golden, engine):
    """Return a parameter set for the steps to the first violation of a property."""
    name = f"{engine} {golden['protocol']} {golden['bounds']} {golden['property']}"
    slow = golden["slow"] == (engine == "interpreted")
    return pytest.param(golden, engine, id=name, marks=[pytest.mark.slow] * slow)


FIRST = [
    first(golden, engine)
    for engine in ("interpreted", "compiled")
    for golden in GOLDENS["first_violations"]
]


@pytest.mark.parametrize(("golden", "engine"), FIRST)
def test_loss_and_divergence_take_the_golden_number_of_steps(search, golden, engine):
    names, resources = [golden["property"]], ENGINES[engine]
    [verdict] = search(golden["protocol"], golden["bounds"], names, resources=resources).verdicts
    assert verdict.outcome in (Outcome.HOLDS, Outcome.VIOLATED)
    assert (len(verdict.trace.steps) if verdict.trace else None) == golden["steps"]


def test_every_golden_says_where_it_is_from():
    goldens = GOLDENS["rows"] + GOLDENS["first_violations"]
    assert {golden["origin"] for golden in goldens} == set(GOLDENS["origins"])
