"""An assertion of a user's action that fails is a verdict, in every engine the same."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate import TidegateError, check, simulate
from tidegate.checker.check import check as search
from tidegate.cli import main
from tidegate.conform.coverage import GuardCoverage
from tidegate.core.result import Resources
from tidegate.core.spec import Step, Trace
from tidegate.library.names import find_protocol
from tidegate.library.properties import find_properties, system_for

HEAD = '''\
"""Two counters."""
from dataclasses import dataclass

from tidegate import Model, Record, Seq, Set, array, boolean, integer, number, sequence_of, set_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes")
    most: int = number(4, 1, 9, "most")


class State(Record):
    at: list[int] = array(
        lambda k: k.nodes, integer(0, lambda k: k.most, "steps"), by="node", by_replica=True
    )
    waiting: Set = set_of(10, "who waits")
    queue: Seq[int] = sequence_of(5, 3, "a queue")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node")
def step(s: State, k: Bounds, node: int) -> bool:
    """Take a step."""
    if s.at[node] == k.most:
        return False
    s.at[node] += 1
    return True


@model.invariant("The first does not get far.")
def near(s: State, k: Bounds) -> bool:
    return s.at[0] < 4
'''

IN_GUARDS = '''
@model.action("node")
def act(s: State, k: Bounds, node: int) -> bool:
    """Act."""
    assert s.at[node] < 2 or s.at[0] != 1, "too far"
    return False
'''

BEFORE_A_GUARD = '''
@model.action("node")
def act(s: State, k: Bounds, node: int) -> bool:
    """Act."""
    if s.at[node] == 0:
        return False
    assert s.at[node] != 3
    if s.at[node] == 2:
        return False
    s.at[node] -= 1
    return True
'''

AFTER_A_WRITE = '''
@model.action("node")
def act(s: State, k: Bounds, node: int) -> bool:
    """Act."""
    if len(s.queue) == 3:
        s.queue.clear()
        return True
    s.queue.append(s.at[node])
    assert s.queue[0] <= 2, f"{s.queue[0]} is first"
    return True
'''

IN_A_HELPER = '''
def least(s: State, k: Bounds) -> int:
    """The least, if it is not 2."""
    lowest = min(s.at)
    assert lowest != 2
    return lowest


@model.action("node")
def act(s: State, k: Bounds, node: int) -> bool:
    """Act."""
    if s.at[node] != 1:
        return False
    s.at[node] = least(s, k)
    return True


@model.action("all")
def jump(s: State, k: Bounds) -> bool:
    """Jump, by an index that means nothing after the assertion."""
    if min(s.at) in (0, 4) or s.at[least(s, k) - 1] != k.most:
        return False
    s.at[0] = 0
    return True
'''

RAISED = '''
@model.action("node")
def act(s: State, k: Bounds, node: int) -> bool:
    """Act."""
    if s.at[node] < 3:
        return False
    if s.at[0] == s.at[node]:
        raise AssertionError("unreachable")
    s.at[node] = 0
    return True
'''

IN_A_LOOP = '''
@model.action("node", n=lambda k: range(10))
def act(s: State, k: Bounds, node: int, n: int) -> bool:
    """Act, by an action of many choices."""
    if n != s.at[node]:
        return False
    for other in range(k.nodes):
        assert s.at[other] + n < 6
        s.at[other] = s.at[other]
    return True
'''

CHOSEN_BY_STATE = '''
@model.action("node", w=lambda s, k: s.waiting)
def act(s: State, k: Bounds, node: int, w: int) -> bool:
    """Act."""
    s.waiting.discard(w)
    assert w != s.at[node] or w < 3
    return True


@model.action("node")
def wait(s: State, k: Bounds, node: int) -> bool:
    """Wait."""
    s.waiting.add(s.at[node])
    return True
'''

WAYS = {
    name: value
    for name, value in globals().items()
    if isinstance(value, str) and name.isupper() and name != "HEAD"
}


@pytest.fixture(params=WAYS)
def file(request, tmp_path):
    """Return a file with a model whose action asserts something, in one of several ways."""
    made = tmp_path / "model.py"
    made.write_text(f"{HEAD}\n\n{WAYS[request.param]}")
    return str(made)


def said(checked):
    return " ".join(str(checked).split())


def outcome(checked):
    trace = checked.trace_of("Assertion") if "Assertion" in checked.violated else []
    return (
        checked.violated,
        checked.distinct_states,
        checked.depth,
        [(step.action, step.arguments, str(step.state)) for step in trace],
        checked.undecided.keys(),
        said(checked).rpartition("exact")[0],
    )


@pytest.mark.parametrize("options", [{}, {"keep_going": True}, {"max_depth": 4}, {"workers": 2}])
def test_machine_code_finds_the_failing_assertion_that_python_finds(file, options):
    python = check(file, {}, engine="interpreted", **options)
    compiled = check(file, {}, engine="compiled", **options)
    assert "compiled engine" in said(compiled)
    assert outcome(compiled) == outcome(python)


def test_an_assertion_fails_in_each_of_these_models(file):
    checked = check(file, {}, ["none"], engine="compiled")
    assert checked.violated == ("Assertion",)
    assert not checked.holds
    assert "model.py:" in str(checked)


def test_states_on_disk_give_the_same_verdict(file, tmp_path):
    python = check(file, {}, engine="interpreted", keep_going=True)
    stored = check(file, {}, engine="compiled", store="fingerprint", keep_going=True)
    assert outcome(stored)[:4] == outcome(python)[:4]


def test_a_resumed_search_gives_the_same_verdict(file, tmp_path):
    python = check(file, {}, ["none"], engine="interpreted")
    kept = tmp_path / "kept"
    for depth in (1, 2, 3):
        begun = ["check", file, "-p", "none", "--checkpoint", str(kept), "--max-depth", str(depth)]
        assert CliRunner().invoke(main, begun).exit_code in (3, 12)
        ended = CliRunner().invoke(main, ["check", file, "--resume", str(kept), "--json", "-"])
        assert ended.exit_code == 12, ended.output
        report = json.loads(ended.stdout)
        [verdict] = [one for one in report["properties"] if one["name"] == "Assertion"]
        assert verdict["steps"] == len(python.trace_of("Assertion")) - 1
        assert verdict["explanation"] in said(python)
        shutil.rmtree(kept)


def test_symmetry_finds_it_in_as_many_steps(tmp_path):
    made = tmp_path / "model.py"
    made.write_text(f"{HEAD}\n\n{BEFORE_A_GUARD}")
    plain = check(str(made), {}, ["none"], engine="interpreted")
    for engine in ("interpreted", "compiled"):
        checked = check(str(made), {}, ["none"], engine=engine, symmetry=True)
        assert checked.violated == ("Assertion",)
        assert len(checked.trace) == len(plain.trace) == 4
        assert checked.distinct_states < plain.distinct_states


def test_the_command_names_the_step_the_line_and_the_message(tmp_path):
    made = tmp_path / "model.py"
    made.write_text(f"{HEAD}\n\n{AFTER_A_WRITE}")
    before, _, _ = made.read_text().partition("    assert s.queue[0]")
    ended = CliRunner().invoke(main, ["check", str(made), "-p", "none", "--json", "-"])
    assert ended.exit_code == 12
    [verdict] = json.loads(ended.stdout)["properties"]
    assert verdict["name"] == "Assertion"
    assert verdict["steps"] == 3
    step, _, rest = verdict["explanation"].partition(" fails ")
    assert step.startswith("Act(node=")
    assert (
        rest == f"the assertion s.queue[0] <= 2 ({made}:{before.count(chr(10)) + 1}): 3 is first."
    )


def test_a_saved_trace_is_replayed(tmp_path):
    made, trace = tmp_path / "model.py", tmp_path / "trace.json"
    made.write_text(f"{HEAD}\n\n{RAISED}")
    CliRunner().invoke(main, ["check", str(made), "-p", "none", "--json", str(trace)])
    ended = CliRunner().invoke(main, ["replay", str(trace), "--protocol", str(made)])
    assert ended.exit_code == 0
    assert "Assertion is violated at the end, as recorded" in ended.stdout


def test_a_walk_finds_it(file):
    walked = simulate(file, {}, ["none"], walks=200, steps=30, seed=1)
    assert walked.violated == ("Assertion",)


@pytest.mark.parametrize(
    ("way", "name"),
    [("BEFORE_A_GUARD", "Near"), ("IN_A_HELPER", "TypeOk"), ("RAISED", "Deadlock")],
)
def test_a_search_of_another_property_leaves_out_the_steps_that_fail(tmp_path, way, name):
    """What explain, diff, bounds and mutate search for has no Assertion among it."""
    file = str(tmp_path / "model.py")
    Path(file).write_text(f"{HEAD}\n\n{WAYS[way]}")
    protocol = find_protocol(file)
    [prop] = (one for one in find_properties(protocol, [name]) if one.name == name)
    every = check(file, {}, [name], engine="interpreted", keep_going=True)
    for engine in ("interpreted", "compiled"):
        system = system_for(protocol, [], [prop])
        found = search(system, [prop], keep_going=True, resources=Resources(engine=engine))
        assert found.engine == engine
        assert (found.distinct_states, found.depth) == (every.distinct_states, every.depth)
        assert (found.first is not None) == (name in every.violated)
        if found.first is not None:
            assert len(found.first.trace.steps) == len(every.trace_of(name)) - 1


@pytest.mark.parametrize("command", ["explain", "diff", "bounds", "mutate"])
@pytest.mark.parametrize("way", ["IN_GUARDS", "AFTER_A_WRITE"])
def test_a_failing_assertion_is_no_failure_of_a_command(tmp_path, way, command):
    file = str(tmp_path / "model.py")
    Path(file).write_text(f"{HEAD}\n\n{WAYS[way]}")
    others = [file] if command == "diff" else []
    bounds = ["-b", "nodes=2", *([] if command == "bounds" else ["-b", "most=3"])]
    ended = CliRunner().invoke(main, [command, file, *others, "--time-limit", "2", *bounds])
    assert ended.exit_code in (0, 3), ended.output
    assert "AssertionError" not in ended.output


def test_replay_and_diff_tell_that_a_step_fails_an_assertion(tmp_path, monkeypatch):
    # A path in a message may be longer than a line.
    monkeypatch.setenv("COLUMNS", "400")
    good, bad, trace = (tmp_path / name for name in ("good.py", "bad.py", "trace.json"))
    bad.write_text(f"{HEAD}\n\n{AFTER_A_WRITE}")
    good.write_text(bad.read_text().replace("<= 2, f", "<= 3, f"))
    line = bad.read_text().partition("    assert s.queue[0]")[0].count("\n") + 1
    graph = ["graph", str(good), "-b", "nodes=1", "--farthest", "--trace", str(trace)]
    assert CliRunner().invoke(main, graph).exit_code == 0
    told = CliRunner().invoke(main, ["replay", str(trace), "--protocol", str(bad)]).output
    fails = f"fails the assertion s.queue[0] <= 2 ({bad}:{line}): 3 is first."
    assert f"is not enabled. It {fails}" in " ".join(told.split())
    compared = CliRunner().invoke(main, ["diff", str(good), str(bad), "-b", "nodes=1"])
    assert compared.exit_code == 0, compared.output
    assert f"new: it {fails}" in " ".join(compared.output.split())


def test_coverage_leaves_out_a_step_whose_assertion_fails(tmp_path):
    file = tmp_path / "model.py"
    file.write_text(f"{HEAD}\n\n{BEFORE_A_GUARD}")
    system = system_for(find_protocol(str(file)), ["nodes=1"], [])
    states = [next(iter(system.initial_states()))]
    steps = [Step("Step", ("node",), (0,))] * 3
    for step in steps:
        states.append(system.take(states[-1], step))
    coverage = GuardCoverage(system)
    coverage.take(Trace(tuple(states), tuple(steps)), 3)
    told = {guard.requires: guard.refused for guard in coverage.guards["Act"]}
    assert told == {"s.at[node] != 0": 1, "s.at[node] != 2": 1}


LINE = '''\
"""A line, of which all places are initial."""
from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    last: int = number(9, 1, 2000, "the last")


class Line(Record):
    at: int = integer(0, lambda k: k.last, "where")


model = Model(Bounds, Line, deadlock=False, constraint=lambda s, k: s.at < INSIDE)


@model.initial
def anywhere(s, k):
    for place in range(k.last + 1):
        s.at = place
        yield


TABLE = 0, 1, 2, 3, 4, 5


@model.action("it")
def act(s: Line, k: Bounds) -> bool:
    """Act."""
    assert CONDITION
    return s.at != 4
'''


@pytest.fixture
def line(tmp_path):
    """Return a function that makes a file with a model whose initial states are a line."""

    def make(condition, inside=3000, more=""):
        made = tmp_path / "line.py"
        text = LINE.replace("CONDITION", condition).replace("INSIDE", str(inside))
        made.write_text(f"{text}\n\n{more}")
        return str(made)

    return make


ENGINES = ("interpreted", "compiled")


@pytest.mark.parametrize("place", [0, 63, 64, 255, 256, 1999])
def test_the_only_failing_assertion_of_a_level_is_found_wherever_it_is(line, place):
    checked = check(line(f"s.at != {place}"), {"last": 1999}, ["none"], engine="compiled")
    assert "compiled engine" in said(checked)
    assert checked.violated == ("Assertion",)
    assert [step.state["at"] for step in checked.trace] == [place]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_whose_only_step_fails_is_no_deadlock(line, engine):
    asserting = line("s.at != 3")
    checked = check(asserting, {"last": 3}, ["Deadlock"], engine=engine, keep_going=True)
    assert checked.violated == ("Assertion",)
    checked = check(asserting, {"last": 4}, ["Deadlock"], engine=engine, keep_going=True)
    assert set(checked.violated) == {"Deadlock", "Assertion"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_outside_the_constraint_asserts_nothing(line, engine):
    assert check(line("s.at < 5", inside=5), {}, ["none"], engine=engine).holds
    assert not check(line("s.at < 5", inside=6), {}, ["none"], engine=engine).holds


@pytest.mark.parametrize("engine", ENGINES)
def test_what_fails_before_the_assertion_stays_an_error(line, engine):
    with pytest.raises(TidegateError, match="IndexError"):
        check(line("TABLE[s.at] < 9"), {}, ["none"], engine=engine)


INVARIANT = """\
def large(s: Line) -> bool:
    assert s.at < 5
    return False


@model.invariant("It asserts.")
def asserts(s: Line, k: Bounds) -> bool:
    return not large(s)
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_an_assertion_of_an_invariant_is_an_error_at_its_line(line, engine):
    made = line("s.at < 3000", more=INVARIANT)
    with pytest.raises(TidegateError, match="property Asserts failed with AssertionError") as error:
        check(made, {}, engine=engine)
    assert "line.py:" in str(error.value)


def test_an_assertion_of_initial_states_is_an_error_at_its_line(line):
    made = line("s.at < 3000")
    text = Path(made).read_text().replace("    for place", "    assert k.last < 3\n    for place")
    Path(made).write_text(text)
    with pytest.raises(TidegateError, match="anywhere failed with AssertionError"):
        check(made, {})


def test_an_assertion_of_a_library_is_an_error(line):
    made = line("never(s.at) is None")
    head = "from typing import assert_never as never\n"
    text = Path(made).read_text().replace("from tidegate", f"{head}from tidegate", 1)
    Path(made).write_text(text)
    with pytest.raises(TidegateError, match="AssertionError"):
        check(made, {}, ["none"], engine="interpreted")


def test_a_model_without_assertions_has_no_such_property(line):
    made = line("True")
    Path(made).write_text(Path(made).read_text().replace("assert True", "pass"))
    with pytest.raises(TidegateError, match="Assertion"):
        check(made, {}, ["Assertion"])
    assert "Assertion" not in str(check(made, {}, ["all"]))
