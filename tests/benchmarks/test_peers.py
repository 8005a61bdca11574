"""The comparison with other model checkers: their models, their output, the table."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
from peers.checkers import Checker, CheckerError, Rumur, Spin, Tidegate, Tlc
from peers.kip320 import Assign, Packing, Size, unrolled
from peers.measure import Run, run
from peers.murphi import murphi
from peers.promela import promela
from peers.report import Row, plot, ratio, table

GIBIBYTE = 1 << 30
SMALL, SMALL_STATES = Size(2, 2, 2, 1), 957

CHECKERS = {
    "tidegate": Tidegate("interpreted"),
    "pan": Spin(GIBIBYTE),
    "rumur": Rumur(),
    "tlc": Tlc(None, None, GIBIBYTE),
}


def pinned(size):
    """Return the distinct states of tidegate.examples.published:kip_320 that the goldens pin."""
    goldens = json.loads(Path(__file__).parents[1].joinpath("goldens.json").read_text("utf-8"))
    bounds = " ".join(f"{name}={value}" for name, value in size._asdict().items())
    rows = {(row["protocol"], row["bounds"]): row["distinct"] for row in goldens["rows"]}
    return rows["tidegate.examples.published:kip_320", bounds]


def search(size):
    """Search the peers' model in Python, which has their operators; return states and steps."""
    packing = Packing.of(size)
    names = {v.name: v.initial for v in packing.variables()}
    bits = {v.name: v.bits for v in packing.variables()}
    compiled = {}

    def value(expression, state):
        if expression not in compiled:
            python = expression.replace("&&", " and ").replace("||", " or ")
            python = re.sub(r"!(?!=)", " not ", python)
            compiled[expression] = compile(python.strip(), expression, "eval")
        return eval(compiled[expression], {}, state)

    def do(body, state):
        for statement in body:
            if isinstance(statement, Assign):
                state[statement.variable] = value(statement.value, state)
                assert 0 <= state[statement.variable] < 1 << bits[statement.variable], statement
            else:
                taken = next(
                    b for b in statement.branches if not b.condition or value(b.condition, state)
                )
                do(taken.body, state)

    frontier, steps = [tuple(names.values())], 0
    seen = set(frontier)
    for packed in frontier:
        for rule in unrolled(size):
            state = dict(zip(names, packed, strict=True))
            if value(rule.guard, state):
                do(rule.body, state)
                steps += 1
                after = tuple(state.values())
                if after not in seen:
                    seen.add(after)
                    frontier.append(after)
    return len(seen), steps


def test_model_has_the_states_and_steps_of_ours(outputs):
    report = json.loads(outputs.joinpath("tidegate.txt").read_text("utf-8"))
    assert search(SMALL) == (report["distinct_states"], report["generated_states"])


@pytest.mark.parametrize("size", [Size(2, 2, 2, 1), Size(3, 1, 1, 1)])
@pytest.mark.slow
@pytest.mark.parametrize("checker", [CHECKERS["pan"], CHECKERS["rumur"]], ids=["spin", "rumur"])
def test_peers_count_what_the_goldens_pin(checker, size, tmp_path):
    if not checker.available():
        pytest.skip(f"{checker.name} is not installed: {checker.install}")
    checker.build(size, tmp_path)
    states, done = checker.search(size, tmp_path, None)
    assert states == pinned(size)
    assert done.cpu > 0


@pytest.mark.parametrize("name", CHECKERS)
def test_distinct_states_are_found_in_real_output(name, outputs):
    text = outputs.joinpath(f"{name}.txt").read_text("utf-8")
    assert CHECKERS[name].distinct_states(text) == SMALL_STATES == pinned(SMALL)


@pytest.mark.parametrize("name", ["tidegate-incomplete", "pan-too-deep", "pan-out-of-memory"])
def test_a_search_that_gave_up_has_no_count(name, outputs):
    text = outputs.joinpath(f"{name}.txt").read_text("utf-8")
    assert CHECKERS[name.split("-")[0]].distinct_states(text) is None


@pytest.mark.parametrize("write", [promela, murphi])
def test_models_declare_what_they_use(write):
    size = Size(3, 3, 3, 2)
    text = write(size)
    declared = {variable.name for variable in Packing.of(size).variables()}
    used = set(re.findall(r"\b(?:partition\w*|written|(?:view|isr|hw|leo|log|sent)\d)\b", text))
    assert used == declared
    assert all(rule.name in text for rule in unrolled(size))


def test_each_promela_step_is_one_deterministic_step():
    text = promela(SMALL)
    assert text.count("d_step") == len(unrolled(SMALL))
    assert len(re.findall(r"^ *if$", text, re.MULTILINE)) == len(
        re.findall(r"^ *fi;?$", text, re.MULTILINE)
    )


@pytest.mark.parametrize("bounds", [(1, 1, 1, 1), (2, 0, 1, 1), (2, 1, 0, 1), (2, 8, 8, 8)])
def test_bounds_that_the_models_cannot_do_are_refused(bounds):
    with pytest.raises(ValueError, match=",".join(map(str, bounds))):
        unrolled(Size(*bounds))


def test_a_run_has_status_and_all_output(tmp_path):
    done = run(["sh", "-c", "echo out; echo err >&2; exit 3"], tmp_path)
    assert (done.status, done.output, done.errors) == (3, "out\n", "err\n")


class Fake(Checker):
    """A checker that finds as many states as it is told."""

    install = ""

    def __init__(self, name, states):
        self.name = name
        self.states = states

    def available(self):
        return True

    def build(self, size, directory):
        return 1.0

    def command(self, size, expected):
        return ["echo", str(self.states)]

    def distinct_states(self, output):
        return int(output)


@pytest.fixture
def module(command):
    """Return the command's module, which the package of the same name hides."""
    spec = importlib.util.spec_from_file_location("peers_command", command)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture
def compare(module):
    """Return the command's function."""
    return module.compare


def test_known_states_are_what_the_goldens_pin(module):
    assert module.KNOWN[Size(3, 2, 2, 2)] == pinned(Size(3, 2, 2, 2))


def test_checkers_that_disagree_have_no_result(compare, tmp_path):
    with pytest.raises(CheckerError, match=r"b found 8 states at 2,2,2,1, not 7"):
        compare([Fake("a", 7), Fake("b", 8)], SMALL, 1, tmp_path)


def test_every_round_runs_every_checker(compare, tmp_path):
    rows = compare([Fake("a", 7), Fake("b", 7)], SMALL, 3, tmp_path)
    assert [(row.checker, row.states, len(row.runs)) for row in rows] == [("a", 7, 3), ("b", 7, 3)]


def rows():
    """Return three rounds of two checkers."""
    made = []
    for checker, seconds in (("Tidegate", (1.0, 2.0, 1.0)), ("SPIN", (3.0, 8.0, 3.0))):
        runs = [Run(cpu, cpu + 1, 50_000_000, 0, "", "") for cpu in seconds]
        made.append(Row(Size(3, 2, 2, 2), checker, 0.5, 737_794, runs))
    return made


def test_ratio_is_the_median_of_the_rounds():
    assert ratio(*rows()) == 3.0


def test_table_has_a_line_per_checker():
    ours, theirs = table(rows()).splitlines()[2:]
    assert ours == (
        "| 3, 2, 2, 2 | Tidegate | 737,794 | 738 (369 to 738) | 1.00 | 2.00 | 50 | 0.5 |  |"
    )
    assert theirs == (
        "| 3, 2, 2, 2 | SPIN | 737,794 | 246 (92.2 to 246) | 3.00 | 4.00 | 50 | 0.5 | 3.00 |"
    )


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_plot_is_drawn(suffix, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / f"peers{suffix}"
    plot(rows(), file)
    assert file.stat().st_size > 1000
