"""The gate of this project: it covers every known violation, and no cell of it can help failing."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.core.result import Verdict
from tidegate.core.spec import Outcome, Property
from tidegate.gate.cells import EVERY, expanded
from tidegate.gate.document import of_tier, read
from tidegate.gate.judge import judge
from tidegate.gate.results import CellOutcome, Status
from tidegate.library.names import find_protocol, is_custom

FILE = Path(__file__).parents[2] / "tidegate.toml"

CELLS = read(FILE)


def test_mutants_of_brokers_and_of_examples_must_die():
    mutated = [cell for cell in CELLS if "~" in cell.protocol]
    assert all(any(it.violated for it in cell.expectations) for cell in mutated)
    assert {cell.protocol.partition(".py")[0] for cell in mutated if ".py" in cell.protocol} == {
        "examples/published", "examples/async_isr"
    }  # fmt: skip
    assert any(".py" not in cell.protocol for cell in mutated)
    rules = {cell.protocol for cell in mutated if " = " in cell.protocol}
    assert len(rules) >= 10


def test_larger_bounds_are_left_to_the_later_tiers():
    tiers = {tier: len(of_tier(CELLS, tier)) for tier in ("pr", "nightly", "weekly")}
    assert tiers["pr"] < tiers["nightly"] < tiers["weekly"] == len(CELLS)


@pytest.fixture(scope="module")
def results():
    """Return the cells of the tier "pr" with their results: of a run now, or of one before."""
    before = os.environ.get("TIDEGATE_GATE")
    if before:
        report = json.loads(Path(before).read_text(encoding="utf-8"))
    else:
        ran = CliRunner().invoke(main, ["gate", "--config", str(FILE), "--cached", "--json", "-"])
        assert ran.exit_code == 0, ran.stderr
        report = json.loads(ran.stdout)
    return list(zip(of_tier(CELLS, "pr"), report["cells"], strict=True))


def verdict(name, outcome, steps):
    """Return a verdict on a property."""
    return Verdict(Property(name, "", "", bool), outcome, steps=steps)


def judged(cell, expectations, seen, states, depth):
    """Return what is not as expected where all states were searched."""
    outcome = CellOutcome(cell, Status.PASSED, states=states, depth=depth, complete=True)
    return judge(outcome, expectations, seen)


@pytest.mark.slow
def test_every_cell_fails_when_what_is_expected_of_it_is_inverted(results):
    for cell, result in results:
        seen = {
            it["name"]: verdict(it["name"], Outcome(it["outcome"]), it["steps"])
            for it in result["properties"]
        }
        counts = result["distinct_states"], result["depth"]
        expectations = list(expanded(cell.expectations, find_protocol(cell.protocol)))
        assert judged(cell, expectations, seen, *counts) == []
        inverted = [replace(it, violated=not it.violated, steps=None) for it in expectations]
        findings = judged(cell, inverted, seen, *counts)
        assert {it.about for it in findings} == {it.name for it in expectations}
        for expectation, contrary in zip(expectations, inverted, strict=True):
            others = [it for it in expectations if it is not expectation]
            wrong = judged(cell, [*others, contrary], seen, *counts)
            assert wrong, f"{cell.name}: {contrary}"


def test_every_cell_of_the_later_tiers_fails_when_it_is_inverted():
    """They take too long to be run here: what they find is taken to be what is expected."""
    soon = of_tier(CELLS, "pr")
    later = [cell for cell in CELLS if cell not in soon]
    assert later
    for cell in later:
        expectations = list(expanded(cell.expectations, find_protocol(cell.protocol)))
        outcome = {True: Outcome.VIOLATED, False: Outcome.HOLDS}
        seen = {it.name: verdict(it.name, outcome[it.violated], it.steps) for it in expectations}
        counts = cell.states or 1, cell.depth or 1
        assert judged(cell, expectations, seen, *counts) == []
        for it in expectations:
            others = [other for other in expectations if other is not it]
            contrary = replace(it, violated=not it.violated, steps=None)
            wrong = judged(cell, [*others, contrary], seen, *counts)
            assert wrong, f"{cell.name}: {contrary}"


@pytest.mark.slow
def test_every_cell_fails_where_a_trace_is_longer_or_a_count_is_another(results):
    checked = 0
    for cell, result in results:
        seen = {
            it["name"]: verdict(it["name"], Outcome(it["outcome"]), it["steps"])
            for it in result["properties"]
        }
        counts = result["distinct_states"], result["depth"]
        expectations = list(expanded(cell.expectations, find_protocol(cell.protocol)))
        for it in expectations:
            if it.steps is not None:
                longer = replace(it, steps=seen[it.name].steps - 1)
                assert judged(cell, [longer], seen, *counts), f"{cell.name}: {longer}"
                checked += 1
        for pin in ("states", "depth"):
            pinned = getattr(cell, pin)
            if pinned is not None:
                for other in (pinned - 1, pinned + 1):
                    pinned_otherwise = replace(cell, **{pin: other})
                    assert judged(pinned_otherwise, expectations, seen, *counts)
                checked += 1
    assert checked > 50


@pytest.mark.slow
def test_the_gate_itself_fails_on_the_inverted_file(results, tmp_path):
    """The same once more from end to end, for the cells that take a moment only."""
    small = [(cell, result) for cell, result in results if result["distinct_states"] < 200]
    assert len(small) > 15
    text = "".join(inverted_case(cell) for cell, _ in small)
    file = tmp_path / "tidegate.toml"
    file.write_text(text)
    ran = CliRunner().invoke(main, ["gate", "--config", str(file), "--json", "-"])
    assert ran.exit_code == 1, ran.stderr
    statuses = {cell["status"] for cell in json.loads(ran.stdout)["cells"]}
    assert statuses == {"fail"}


def inverted_case(cell):
    """Return a case of one cell that expects the contrary of everything."""
    names = [it.name for it in expanded(cell.expectations, find_protocol(cell.protocol))]
    before = {it.name for it in cell.expectations if it.violated}
    held = [name for name in names if name in before]
    violated = [name for name in names if name not in before]
    assert not set(names) & set(EVERY)
    quoted = {True: json.dumps(held), False: json.dumps(violated)}
    # The file that this case goes into lies elsewhere.
    protocol = str(Path(cell.protocol).resolve()) if is_custom(cell.protocol) else cell.protocol
    lines = ["[[case]]", f"protocols = {json.dumps([protocol])}"]
    lines += [f"bounds = {json.dumps([cell.bounds])}"]
    lines += [f"holds = {quoted[True]}"] * bool(held)
    lines += [f"violates = {quoted[False]}"] * bool(violated)
    return "\n".join(lines) + "\n"
