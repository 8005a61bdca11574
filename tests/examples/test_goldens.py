"""Each example counts what TLC counts on the specification that it reproduces, in every engine."""

import json
from pathlib import Path

import pytest

import tidegate

EXAMPLES = Path(__file__).parents[2] / "examples"
GOLDENS = Path(__file__).parent / "goldens"
LARGEST_INTERPRETED = 2_000
"""Distinct states up to which Python searches as well; machine code does always."""


def _cases(key="cases"):
    for file in sorted(GOLDENS.glob("*.json")):
        for case in json.loads(file.read_text("utf-8")).get(key, ()):
            marks = [pytest.mark.slow] if case.get("slow") else []
            yield pytest.param(file.stem, case, marks=marks, id=f"{file.stem} {case['bounds']}")


def test_every_example_has_counts():
    """Those of the published protocols are in ``tests/goldens.json``."""
    counted = {file.stem for file in GOLDENS.glob("*.json")} | {"published", "async_isr"}
    assert {file.stem for file in EXAMPLES.glob("*.py")} == counted


@pytest.mark.parametrize(("example", "case"), list(_cases()))
def test_it_counts_as_tlc_does(example, case):
    """A case that ends in a violation has a shortest trace to compare, and no counts."""
    bounds = dict(setting.split("=") for setting in case["bounds"].split())
    small = case.get("distinct", 0) <= LARGEST_INTERPRETED
    for engine in ("interpreted", "compiled") if small else ("compiled",):
        checked = tidegate.check(
            str(EXAMPLES / f"{example}.py"), bounds, case.get("properties", ()), engine=engine
        )
        if "steps" in case:
            first, steps = checked.violated[0], len(checked.trace) - 1
            assert (first, steps) == (case["violated"], case["steps"])
        else:
            assert checked.holds, str(checked)
            assert (checked.distinct_states, checked.depth) == (case["distinct"], case["depth"])


@pytest.mark.parametrize(("example", "case"), list(_cases("liveness")))
def test_its_liveness_is_what_tlc_says(example, case):
    bounds = dict(setting.split("=") for setting in case["bounds"].split())
    names = [*case["holds"], *case["violated"]]
    # The second one takes seconds in Python.
    for engine in ("compiled",) if bounds.get("nodes") == "5" else ("interpreted", "compiled"):
        checked = tidegate.check(
            str(EXAMPLES / f"{example}.py"), bounds, names, engine=engine, keep_going=True
        )
        assert list(checked.violated) == case["violated"]
        assert checked.complete
