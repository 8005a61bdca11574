"""The comparison on the models in ``examples``: its rounds, and stateright's example."""

import argparse
import importlib.util
import json

import pytest
from peers.cases import TWO_PHASE
from peers.checkers import CheckerError
from peers.contest import BREADTH, DEPTH, FIRST, KEPT, table
from peers.measure import Run

SOURCE = "model.checker().threads(num_cpus::get()).spawn_dfs()"


class Machine:
    """Answers commands as Tidegate, cargo and stateright do, and remembers them."""

    def __init__(self, output):
        self.output = output
        self.ran, self.built = [], {}

    def run(self, command, place, extra=None):
        """Replace `peers.measure.run`."""
        name = command[0].rpartition("/")[2]
        if name == "cargo":
            example = command[-1]
            self.built[example] = (place / "examples" / f"{example}.rs").read_text("utf-8")
        elif "tidegate" in command:
            name = extra["XDG_CACHE_HOME"].rpartition("/")[2]
        self.ran.append(name)
        report = json.dumps({"complete": True, "distinct_states": 288})
        return Run(2.0, 1.0, 0, 0, report if name.startswith("cache") else self.output, "")


@pytest.fixture
def compete(monkeypatch, tmp_path, outputs, command):
    """Return a function that compares stateright's output with 288 states of Tidegate."""
    file = command.with_name("examples.py")
    spec = importlib.util.spec_from_file_location("examples_command", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    clone = tmp_path / "stateright"
    (clone / "examples").mkdir(parents=True)
    (clone / "examples" / "2pc.rs").write_text(SOURCE, "utf-8")
    options = argparse.Namespace(repeat=2, long=30.0, tlc_jar=None, specs=None, stateright=clone)

    def run(change=lambda text: text):
        machine = Machine(change(outputs.joinpath("stateright.txt").read_text("utf-8")))
        monkeypatch.setattr(module, "run", machine.run)
        monkeypatch.setattr(module.shutil, "which", lambda name: name if name == "cargo" else None)
        result = module.Contest(TWO_PHASE, {"managers": 3}, options, tmp_path).compete()
        return machine, result

    return run


def test_rounds_alternate_and_only_a_first_run_has_an_empty_cache(compete):
    machine, result = compete()
    turn = ["tidegate_bfs", "tidegate_dfs"]
    assert [name for name in machine.ran if name != "cargo"] == [
        *("cache0", "cache0", *turn),
        *("cache1", "cache0", *turn),
    ]
    assert result.states == dict.fromkeys((FIRST, KEPT, BREADTH, DEPTH), 288)


def test_stateright_gets_one_thread_and_the_search_of_its_column(compete):
    machine, _ = compete()
    assert machine.built == {
        f"tidegate_{search}": f"model.checker().threads(1).spawn_{search}()"
        for search in ("bfs", "dfs")
    }


def test_a_first_run_is_compared_with_stateright_and_its_build(compete):
    _, result = compete()
    assert (result.ratio(BREADTH), result.ratio(BREADTH, FIRST)) == (1.0, 2.0)
    titles, _, row = (line.split(" | ") for line in table([result]).splitlines())
    assert row[titles.index("stateright") :] == ["2.00", "2.00", "2.00", "1.00", "1.00", "2.00 |"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("unique=288", "unique=287", "287 states, not 288"),
        ("Done.", "Checking.", "incomplete"),
        ('"abort agreement" example', '"consistent" counterexample', "incomplete"),
    ],
)
def test_a_search_that_differs_or_did_not_end_has_no_result(compete, old, new, problem):
    with pytest.raises(CheckerError, match=problem):
        compete(lambda text: text.replace(old, new))
