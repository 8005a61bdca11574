"""Every command works on every example, as on Kafka's protocols."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
GOLDENS = Path(__file__).parent / "goldens"
ENDS = (0, 3, 11, 12)
"""Exit statuses of commands that did what they were asked for."""


def _small(name):
    """Return the smallest bounds of an example that have a golden."""
    cases = json.loads((GOLDENS / f"{name}.json").read_text("utf-8"))["cases"]
    counted = [case for case in cases if "steps" not in case] or cases
    return min(counted, key=lambda case: case.get("distinct", 0))["bounds"].split()


def _violated(name):
    """Return bounds at which an example is violated, if it has such a golden that is fast."""
    cases = json.loads((GOLDENS / f"{name}.json").read_text("utf-8"))["cases"]
    return next((c["bounds"].split() for c in cases if "steps" in c and not c.get("slow")), None)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty directory; it must do what it was asked for."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments, ends=ENDS):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code in ends, f"{arguments}: {result.output}"
        assert "Traceback" not in result.output
        return result

    return invoke


TWO_PHASE = str(EXAMPLES / "two_phase_commit.py")


def test_show_has_the_bounds_and_the_properties_of_a_model_of_ones_own(run):
    shown = run("show", TWO_PHASE, ends=(0,)).output
    assert "managers  3        1..12    resource managers" in shown
    assert "No manager has aborted while another one has committed." in shown
    assert "Checked unless -p is given: Consistent." in shown
    told = json.loads(run("show", TWO_PHASE, "--json", ends=(0,)).output)
    assert [bound["name"] for bound in told["bounds"]] == ["managers"]
    assert [prop["name"] for prop in told["properties"]] == ["Consistent", "TypeOk", "Deadlock"]
    assert "Bounds (-b" not in run("show", "kip-320", ends=(0,)).output


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(file.stem for file in GOLDENS.glob("*.json")))
def test_every_command_works(name, run):
    file = str(EXAMPLES / f"{name}.py")
    bounds = [part for setting in _small(name) for part in ("-b", setting)]
    run("check", file, *bounds, "--debug")
    run("check", file, *bounds, "--engine", "compiled", "--store", "fingerprint")
    run("check", file, *bounds, "--engine", "compiled", "--checkpoint", "kept")
    run("check", "--resume", "kept", file)
    # Symmetry is shown from the code, or refused in one line.
    symmetric = run("check", file, *bounds, "--symmetry", ends=(*ENDS, 2))
    assert symmetric.exit_code != 2 or symmetric.output.count("Error") == 1
    run("graph", file, *bounds, "--json", "graph.json")
    run("simulate", file, *bounds, "--walks", "20")
    if name != "follower_reads":
        # Its mutants are those of KIP-595, a hundred and more.
        run("mutate", file, "--within", " ".join(_small(name)), "--jobs", "1", "--time-limit", "20")
    run("diff", file, file, *bounds)
    run("show", file)
    run("explain", file, *bounds, ends=(*ENDS, 2))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sorted(file.stem for file in GOLDENS.glob("*.json") if _violated(file.stem) is not None)
)
def test_a_violation_is_saved_told_and_drawn(name, run, tmp_path):
    file = str(EXAMPLES / f"{name}.py")
    bounds = [part for setting in _violated(name) for part in ("-b", setting)]
    found = run(
        "check", file, *bounds, "--json", "trace.json", "--html", "page.html", ends=(11, 12)
    )
    assert "is violated" in found.output
    run("replay", "trace.json", "--protocol", file, ends=(0,))
    run("explain", "trace.json", "--protocol", file, ends=(0,))
    run("replay", "trace.json", "--protocol", file, "--mermaid", "t.mmd", ends=(0,))
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert "sequenceDiagram" in (tmp_path / "t.mmd").read_text("utf-8")
