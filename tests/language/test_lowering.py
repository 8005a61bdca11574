"""Rules mean in the typed form what they mean in Python, or their line is refused."""

import os
import signal
from pathlib import Path
from random import Random

import pytest

from tests.checker.own_containers import Dictionaries, Lists, Queues, Sets
from tests.language import bench
from tests.language.containers_grammar import Owners
from tests.language.evaluator import StepError, run
from tests.language.models import differences, reached, sources
from tests.language.owners import cases
from tests.language.printer import printed
from tests.programs import laboratory
from tests.strangers.test_strangers import MODELS
from tidegate.checker.families import decided_one_by_one
from tidegate.language.lowering.frame import LoweringError
from tidegate.language.lowering.lower import Lowering
from tidegate.language.lowering.rules import Rules
from tidegate.language.schema import Schema
from tidegate.language.types import Known, type_of
from tidegate.library.problem import problem_of

SOURCES = {source.name: source for source in sources()}
IN_EACH_RUN = ("network_of_counts", "row_pattern", "table_or_none", "votes", "all_up")
FOR_MINUTES = ("limits_many2",)
REACHED = 40


def some(name):
    """Return a model as a parameter; of most, a run by hand asks."""
    longer = pytest.mark.slow if name in FOR_MINUTES else pytest.mark.long
    return pytest.param(name, marks=[] if name in IN_EACH_RUN else [longer])


def lowered(system, properties):
    """Return the rules of a system with their forms, and why others have none."""
    rules, forms, refused = Rules(system), [], []
    for rule in (*rules.actions(), *rules.properties(decided_one_by_one(system, properties))):
        try:
            forms.append((rule, rules.lowered(rule)))
        except LoweringError as error:
            refused.append(str(error))
    return forms, refused


@pytest.mark.parametrize("name", [some(name) for name in SOURCES])
def test_the_rules_of_a_model_mean_what_python_means(tmp_path, monkeypatch, name):
    source = SOURCES[name]
    monkeypatch.chdir(MODELS)
    model = source.model
    if source.text:
        model = str(tmp_path / model)
        Path(model).write_text(source.text, "utf-8")
    problem = problem_of(model, source.bounds, [])
    problem.system.asserts = True
    forms, refused = lowered(problem.system, problem.selection.properties)
    assert not refused
    states = reached(problem.system, REACHED)
    for rule, form in forms:
        assert next(differences(problem.system, rule, form, states), None) is None


# --- random programs

PROGRAMS, STATES = 20, 8


def first_difference(seed, programs, states, count):
    """Return a random program that means something else in the form, with both answers."""
    batch = laboratory.batch(seed)
    space = laboratory.functions(batch.helpers, batch.programs)
    lowering = Lowering(Schema(laboratory.LAYOUT))
    for program in batch.programs[:programs]:
        function = space[program.name]
        given = [lowering.schema.root, Known(laboratory.CONSTANTS), *map(type_of, program.static)]
        try:
            form = lowering.function(function, dict(zip("skij", given, strict=True)))
        except LoweringError:
            count["refused"] += 1
            continue
        for state in batch.states[:states]:
            python = laboratory.run(function, state, program)
            meant = meaning(form, state, program)
            count["agreed"] += python is not None
            if python != meant and meant != "endless":
                return program.source, program.static, state, python, meant
    return None


def meaning(form, state, program):
    """Return what a random program means in a state; None if it fails."""
    layout = laboratory.LAYOUT
    layout.load(state)
    try:
        result = run(form, [layout.record, laboratory.CONSTANTS, *program.static])
        return (result, layout.dump()) if layout.in_range() else None
    except StepError:
        return None
    except TimeoutError:
        return "endless"
    finally:
        layout.reset()


@pytest.fixture
def alarm(monkeypatch):
    """Let a program that never ends be stopped."""
    before = signal.signal(signal.SIGVTALRM, laboratory._stop)
    yield
    signal.signal(signal.SIGVTALRM, before)


def test_random_programs_mean_what_python_means(alarm):
    count = {"refused": 0, "agreed": 0}
    assert first_difference(0, PROGRAMS, STATES, count) is None
    assert count["refused"] < PROGRAMS / 10
    assert count["agreed"] > 3 * PROGRAMS


@pytest.mark.slow
def test_many_random_programs_mean_what_python_means(alarm):
    count = {"refused": 0, "agreed": 0}
    for seed in range(1000, 1000 + int(os.environ.get("TIDEGATE_FORMS", "2000"))):
        assert first_difference(seed, laboratory.PROGRAMS, laboratory.FEWER, count) is None


# --- owners


CASES = cases()
SOME_STATES = bench.states(14)


@pytest.mark.parametrize(
    ("right", "line", "message", "source"), CASES, ids=[str(n) for n in range(len(CASES))]
)
def test_names_and_owners(right, line, message, source):
    if right == "refused":
        with pytest.raises(LoweringError) as refused:
            bench.lowered(bench.functions(source)["act"])
        assert str(refused.value).startswith(message), refused.value
        assert refused.value.place[1] == line
        return
    assert next(bench.differences(source, SOME_STATES), None) is None
    function = bench.functions(source)["act"]
    succeeds = any(bench.in_python(function, state) != bench.FAILED for state in SOME_STATES)
    assert succeeds == (right == "means")


def test_every_refusal_has_a_repair():
    assert all("; " in message for right, _, message, _ in CASES if right == "refused")


def compared(writer, seeds):
    """Return how many random functions mean what Python says, and how many are refused."""
    agreed = refused = 0
    for seed in seeds:
        made = writer(Random(seed))
        source = bench.source_of(made.body(), getattr(made, "helpers", ""))
        try:
            difference = next(bench.differences(source, SOME_STATES[:8]), None)
        except LoweringError:
            refused += 1
        else:
            assert difference is None, source
            agreed += 1
    return agreed, refused


WRITERS = (Dictionaries, Lists, Queues, Sets, Owners)


@pytest.mark.parametrize("writer", WRITERS)
def test_random_functions_with_containers_mean_what_python_means(writer):
    agreed, refused = compared(writer, range(15))
    assert agreed > refused / 3


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
def test_many_random_functions_with_containers_mean_what_python_means(writer):
    compared(writer, range(1000, 4000))


@pytest.mark.parametrize(("module", "verdict"), [("owned", True), ("tidegate.toy", False)])
def test_an_assertion_of_tidegate_itself_is_no_verdict(module, verdict):
    function = bench.functions("def act(s, k):\n    assert s.x > 1\n    return True\n")["act"]
    function.__globals__["__name__"] = module
    test = bench.lowered(function).body[0]
    assert test.body[0].verdict is verdict


# --- the printer

RULE = """\
def votes_of(s, n):
    return sum(1 for m in s.net if m.n == n and s.x in m.to)


def act(s, k):
    if s.phase is Phase.DONE or not s.queue:
        return False
    first = s.queue.popleft()
    for node in s.nodes:
        if node.up:
            node.log.append(first)
    if votes_of(s, first) * 2 > k.n:
        s.leader = first % 4
    return True
"""

PRINTED = """\
act(s, k) -> bool
  s: state
  k: known
  first: int 0..7
  node: place s.nodes[]
  if (eq(s.phase, <Phase.DONE: 2>) or not(ne(length(s.queue), 0)))
    return False
  first = s.queue.popleft!()
  1: for node in s.nodes
    if node.up
      do node.log.append!(first)
  if gt(mul(votes_of(s, first), 2), 3)
    s.leader := mod(first, 4)
  return True"""


def test_a_lowered_function_has_a_line_for_each_slot_and_each_statement():
    assert printed(bench.lowered(bench.functions(RULE)["act"])) == PRINTED


@pytest.mark.parametrize(
    "made", ["zip(s.queue, s.other)", "(v for v in s.queue)", "reversed(s.queue)"]
)
def test_what_yields_values_once_has_no_name_that_is_read_later(made):
    source = bench.source_of(f"some = {made}\nn = 1\nreturn len(list(some)) > n")
    with pytest.raises(LoweringError, match="has a name"):
        bench.lowered(bench.functions(source)["act"])
