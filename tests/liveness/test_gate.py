"""Liveness in the gate's file: expectations, and what reports say of a lasso."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main

HW = 'protocols = ["hw"]\nbounds = ["records=2 crashes=0 elections=2 moves"]\n'


@pytest.fixture
def gate(tmp_path):
    """Run a gate with one case; return its status and its findings."""

    def run(expected):
        file, report = tmp_path / "tidegate.toml", tmp_path / "gate.json"
        file.write_text(f"[[case]]\n{HW}{expected}\n")
        arguments = [
            "gate",
            "--config",
            str(file),
            "--json",
            str(report),
            "--traces",
            str(tmp_path),
        ]
        status = CliRunner().invoke(main, [*arguments, "--junit", str(tmp_path / "gate.xml")])
        return status, json.loads(report.read_text())

    return run


def test_a_lasso_is_pinned_by_the_steps_of_stem_and_cycle(gate):
    result, _ = gate('violates = { Converges = 17 }\nholds = ["Stuck"]')
    assert result.exit_code == 0


def test_a_lasso_where_none_may_be_is_told_as_stem_and_cycle(gate, tmp_path):
    result, report = gate('holds = ["Converges"]')
    assert result.exit_code == 1
    said = "Converges is violated: stem of 13 steps, cycle of 4; expected: holds"
    assert said in json.dumps(report)
    assert said in (tmp_path / "gate.xml").read_text()
    assert "a behavior that violates Converges" in result.output
    assert "From here on, steps 14 to 17 repeat for ever." in result.output
    [trace] = tmp_path.glob("*.itf.json")
    assert json.loads(trace.read_text())["loop"] == 13


def test_a_lasso_longer_than_pinned_fails(gate):
    result, _ = gate("violates = { Converges = 16 }")
    assert result.exit_code == 1
    assert "stem of 13 steps, cycle of 4, expected: in at most 16" in " ".join(
        result.output.split()
    )
