"""A broken assumption ends a search: what was found before it or beside it is a verdict."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate import check, simulate
from tidegate.checker.broken_assumptions import settle
from tidegate.cli import main
from tidegate.core.interrupts import Stop
from tidegate.core.result import Result, SearchOptions, Verdict
from tidegate.core.spec import Outcome, Trace
from tidegate.library.problem import problem_of
from tidegate.library.selection import assemble
from tidegate.library.shortening import dispensable, shortened
from tidegate.mutate.fates import UndecidedError
from tidegate.mutate.searches import violates

MODEL = Path(__file__).with_name("counts_to_two.py").read_text("utf-8")

CONSTRAINED = MODEL.replace("deadlock=F", "constraint=lambda s, k: max(s.at) < 3, deadlock=F")

BREAKS = (
    "a broken assumption: step assumes that no node is beyond two steps, which step 3, "
    "Step(node=0), breaks"
)

STALE_SHRINK = '''\
"""A leader proposes the empty ISR that it had as a follower, and that is accepted."""
from dataclasses import replace

from tidegate import Action, Fairness
from tidegate.model import KIP_595, brokers, leads
from tidegate.model.broker.messages import NOTHING, REQUEST


def shrink_stale(s, k, leader):
    """Propose an empty ISR."""
    message = s.alter_partition[leader]
    if not leads(s, leader) or message.kind != NOTHING or s.replica[leader].proposed:
        return False
    s.replica[leader].proposed = s.replica[leader].isr
    message.kind, message.epoch, message.isr = REQUEST, s.replica[leader].epoch, 0
    return True


SHRINKS = replace(
    KIP_595, name="shrinks", parent=KIP_595, summary="It shrinks.", story="", expected=(),
    actions=(
        *KIP_595.actions,
        Action("ShrinkStale", shrink_stale, "leader", brokers, "", Fairness.NONE,
               available=lambda k: k.kraft),
    ),
)
'''

KRAFT = {"records": 1, "crashes": 0, "elections": 1, "moves": True, "isr_propagation": "kraft"}

WAYS = [
    {"engine": "interpreted"},
    {"engine": "interpreted", "debug": True},
    {"engine": "interpreted", "symmetry": True},
    {"engine": "compiled"},
    {"engine": "compiled", "store": "fingerprint"},
    {"engine": "compiled", "symmetry": True},
]


@pytest.fixture
def model(tmp_path):
    """Return the path of the model."""
    path = tmp_path / "counts.py"
    path.write_text(MODEL)
    return path


def result_of(model, names, bounds=(), **how):
    """Return the result of a search."""
    return problem_of(str(model), bounds, names).check(SearchOptions(**how))


def steps(result):
    """Return for each property its outcome, and the steps of its trace."""
    return {one.property.name: (one.outcome.value, one.steps) for one in result.verdicts}


@pytest.mark.parametrize("how", WAYS)
def test_what_is_found_up_to_the_same_step_is_a_verdict_in_every_engine(model, how):
    names = ["Before", "Beside", "Elsewhere", "After", "Three", "Four"]
    checked = check(model, properties=names, keep_going=True, **how)
    result = checked._result
    assert steps(result) == {
        "Before": ("violated", 2),
        "Beside": ("violated", 3),
        "Elsewhere": ("violated", 3),
        "After": ("incomplete", None),
        "Three": ("holds", 3),
        "Four": ("incomplete", None),
    }
    assert result.first.property.name == "Before"
    states = 6 if how.get("symmetry") else 10
    assert (checked.distinct_states, checked.depth, checked.complete) == (states, 4, False)
    assert checked.undecided == dict.fromkeys(("After", "Four"), f"stopped by {BREAKS}")
    assert result.broken_assumption.steps == 3


@pytest.mark.parametrize("how", WAYS)
def test_the_violation_that_is_reported_is_never_the_assumption(model, how):
    checked = check(model, {"nodes": 3}, ["After", "Elsewhere"], **how)
    result = checked._result
    assert (checked.violated, result.first.property.name) == (("Elsewhere",), "Elsewhere")
    if not how.get("symmetry"):
        # Its state comes later in the canonical order than the one that breaks the assumption.
        states = [one.trace.states[-1] for one in (result.broken_assumption, result.first)]
        assert states == sorted(states, key=checked._problem.system.layout.fingerprint)
        assert checked.trace == check(model, {"nodes": 3}, ["After", "Elsewhere"]).trace


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("keep_going", [False, True])
def test_without_a_violation_nothing_is_decided(model, how, keep_going):
    checked = check(model, properties=["After"], keep_going=keep_going, **how)
    assert checked.undecided == {"After": f"stopped by {BREAKS}"}
    assert (checked.violated, checked.holds, checked.trace) == ((), False, ())
    assert checked.distinct_states == (6 if how.get("symmetry") else 10)


def test_the_levels_before_are_those_of_a_search_without_the_assumption(model, tmp_path):
    free = tmp_path / "free.py"
    free.write_text(
        MODEL.replace('@assumes("no node is beyond two steps"', '@_free(""').replace(
            "from tidegate.model import assumes", "def _free(*_):\n    return lambda one: one"
        )
    )
    few = check(free, properties=["none"], max_depth=4)
    broken = check(model, properties=["none"])
    assert (broken.distinct_states, broken.depth) == (few.distinct_states, few.depth)


def test_liveness_is_not_decided(model):
    checked = check(model, properties=["Anywhere"])
    assert checked.undecided == {"Anywhere": f"stopped by {BREAKS}"}


def test_what_must_be_reached_and_is_holds(model):
    assert check(model, properties=["Three"]).holds
    assert not check(model, properties=["Three", "Four"]).holds


def test_the_initial_state_may_break_it(model):
    model.write_text(MODEL.replace("max(s.at) <= 2", "max(s.at) > 9").replace("1, 9,", "1, 99,"))
    checked = check(model, properties=["Before"])
    assert checked.undecided == {
        "Before": "stopped by a broken assumption: step assumes that no node is beyond two steps, "
        "which the initial state breaks"
    }


def test_a_state_outside_the_constraint_may_break_it(model):
    model.write_text(CONSTRAINED)
    result = result_of(model, ["Beside", "After"])
    assert steps(result) == {"Beside": ("violated", 3), "After": ("incomplete", None)}
    assert result.broken_assumption.steps == 3


def test_a_mistake_of_the_model_on_the_same_level_is_reported(model):
    model.write_text(
        MODEL.replace("    s.at[node] += 1", "    s.at[node] += 1 if min(s.at) == 0 else 100")
    )
    result = CliRunner().invoke(main, ["check", str(model), "-p", "After"])
    assert result.exit_code == 70


def test_what_an_older_search_found_later_is_no_verdict(model):
    system, [after, beside] = assemble(str(model), [], ["After", "Beside"])
    [assumed] = system.assumptions
    found = [
        Verdict(prop, Outcome.VIOLATED, steps=number, untraced=object())
        for prop, number in ((beside, 3), (after, 4), (assumed, 3))
    ]
    result = Result(
        Outcome.VIOLATED, False, 9, 9, 5, 0.0, "compiled", {}, verdicts=found, first=found[1]
    )
    settle(result, system)
    assert steps(result) == {"Beside": ("violated", 3), "After": ("incomplete", None)}
    assert (result.first, result.stopped_by.by) == (None, Stop.ASSUMPTION)


@pytest.mark.parametrize("store", ["exact", "fingerprint"])
def test_a_resumed_search_ends_at_it_too(model, tmp_path, store):
    folder = tmp_path / "run"
    begin = ["-p", "After", "--store", store, "--checkpoint", str(folder), "--max-depth", "3"]
    begun = CliRunner().invoke(main, ["check", str(model), *begin])
    assert f"Resume with: tidegate check --resume {folder}" in " ".join(begun.output.split())
    for _ in range(2):
        again = CliRunner().invoke(main, ["check", str(model), "--resume", str(folder)])
        said = " ".join(again.output.split())
        assert again.exit_code == 3
        assert f"(stopped by {BREAKS})" in said
        assert "10 distinct states, depth 4," in said
        assert "Resume with" not in said


def test_check_says_which_step_breaks_it_and_what_to_do(model, tmp_path):
    file = tmp_path / "report.json"
    result = CliRunner().invoke(main, ["check", str(model), "-p", "After", "--json", str(file)])
    said = " ".join(result.output.split())
    assert result.exit_code == 3
    assert said.count(BREAKS) == 1
    assert "a behavior that breaks what step assumes, 3 steps" in said
    assert said.endswith(
        "all states up to the broken assumption; exact, interpreted engine, 0.0 s. Every behavior "
        "of at most 3 steps was covered. Kafka does more there than the model says (the real thing "
        "wraps). Write step anew for this protocol, with what Kafka does."
    )
    document = json.loads(file.read_text())
    broken = document["broken_assumption"]
    assert len(broken.pop("trace")["states"]) == 4
    assert broken == {
        "function": "step",
        "assumes": "no node is beyond two steps",
        "kafka": "the real thing wraps",
        "steps": 3,
        "untraced": None,
    }
    assert (document["outcome"], document["stopped_by"]) == ("incomplete", BREAKS)
    assert [one["name"] for one in document["properties"]] == ["After"]


@pytest.mark.parametrize("options", [(), ("-q",), ("--continue",)])
def test_check_names_it_beside_a_violation(model, options):
    result = CliRunner().invoke(main, ["check", str(model), "-p", "Beside", *options])
    said = " ".join(result.output.split())
    assert result.exit_code == 12
    breaks = BREAKS.removeprefix("a broken assumption: ")
    assert f"Beside is violated after 3 steps. Beside that, {breaks}." in said
    # The trace of the violation shows it already.
    assert "a behavior that breaks" not in said


def test_no_verdict_without_a_broken_one_names_it(model):
    result = result_of(model, ["After"], ["most=2"])
    assert (result.outcome, result.broken_assumption) == (Outcome.HOLDS, None)


def test_the_stale_shrink_is_a_violation_with_the_assumption_beside_it(tmp_path):
    path = tmp_path / "shrinks.py"
    path.write_text(STALE_SHRINK)
    checked = check(path, KRAFT, ["KnownLeaderInIsr"])
    assert (checked.violated, len(checked.trace)) == (("KnownLeaderInIsr",), 3)
    assert "Beside that, handle_alter_partition assumes that the leader is in the ISR" in (
        " ".join(str(checked).split())
    )


def test_a_walk_ends_there(model):
    walked = simulate(model, properties=["After"], jobs=1, keep_going=True)
    assert walked.violated == ()
    assert walked.undecided["After"] == f"stopped by {BREAKS}".replace(
        "node=0", f"node={walked._result.broken_assumption.trace.steps[-1].arguments[0]}"
    )


def test_what_a_walk_violates_there_is_reported(model):
    walked = simulate(model, properties=["Beside", "After"], jobs=1)
    assert walked.violated == ("Beside",)
    assert walked._result.broken_assumption.steps == 3


def test_what_earlier_walks_violate_remains(model):
    walked = simulate(model, properties=["Late"], jobs=1, keep_going=True, seed=4)
    assert walked.violated == ("Late",)
    assert len(walked.trace) - 1 > walked._result.broken_assumption.steps


def test_the_number_of_processes_changes_nothing(model):
    one, other = (
        simulate(model, properties=["Beside", "After"], jobs=jobs, seed=3) for jobs in (1, 2)
    )
    assert one._result.verdicts[0].trace == other._result.verdicts[0].trace
    assert one.undecided == other.undecided


def test_the_command_ends_with_3_and_says_which_step(model, tmp_path):
    file = tmp_path / "report.json"
    result = CliRunner().invoke(
        main, ["simulate", str(model), "-p", "After", "--jobs", "1", "--json", str(file)]
    )
    said = " ".join(result.output.split())
    assert result.exit_code == 3
    assert "a behavior that breaks what step assumes, 3 steps" in said
    assert "Write step anew for this protocol" in said
    document = json.loads(file.read_text())
    assert document["broken_assumption"]["steps"] == 3
    assert document["walks"] < 100


def test_what_a_walk_finds_later_is_no_verdict(model):
    """Two nodes at two come after one at two, whose next step is outside, and breaks it."""
    model.write_text(CONSTRAINED)
    walked = simulate(model, properties=["Late"], jobs=1)
    assert walked.violated == ()
    assert walked._result.broken_assumption is not None


SHORT_CUT = '''\
from dataclasses import dataclass

from tidegate import Model, Record, integer
from tidegate.model import assumes


@dataclass(frozen=True)
class Bounds:
    """None."""


class State(Record):
    at: int = integer(0, 5, "where")


model = Model(Bounds, State, deadlock=False)


def _move(name, ways):
    def apply(s: State, k: Bounds) -> bool:
        if s.at not in ways:
            return False
        s.at = ways[s.at]
        return True

    apply.__name__ = name
    return apply


not_at_five = assumes("it is not at five", "", lambda s, k: s.at != 5)
begin = model.action()(not_at_five(_move("begin", {0: 1})))
wait = model.action()(_move("wait", {1: 2}))
go = model.action()(_move("go", {1: 5, 2: 3}))
end = model.action()(_move("end", {3: 4, 5: 4}))


@model.invariant("It does not end.")
def on(s: State, k: Bounds) -> bool:
    return s.at != 4
'''


def test_no_step_is_dropped_if_the_others_break_an_assumption(model):
    """Without its second step the behavior goes through five."""
    model.write_text(SHORT_CUT)
    system, [on] = assemble(str(model), [], ["On"])
    states = [next(iter(system.initial_states()))]
    steps_taken = [instance.step for instance in system.instances]
    for step in steps_taken:
        states.append(system.take(states[-1], step))
    trace = Trace(tuple(states), tuple(steps_taken))
    assert system.violates(on, states[-1])
    assert shortened(system, on, trace) == trace
    assert dispensable(system, on, trace) == []


def test_bounds_say_what_stopped_them(model):
    result = CliRunner().invoke(main, ["bounds", str(model), "-p", "After", "--max", "most=5"])
    assert result.exit_code == 3
    assert f"stopped by {BREAKS}" in " ".join(result.output.split())


@pytest.mark.parametrize(("name", "status"), [("After", 3), ("Beside", 0)])
def test_explain_explains_what_comes_before(model, name, status):
    result = CliRunner().invoke(main, ["explain", str(model), "-p", name])
    assert result.exit_code == status
    assert (BREAKS in " ".join(result.output.split())) == (name == "After")


def test_a_mutant_is_not_decided_where_its_original_breaks_an_assumption_first(model):
    assert violates(str(model), "Beside", "", 5, None)
    with pytest.raises(UndecidedError, match="itself was stopped by a broken assumption: step"):
        violates(str(model), "After", "", 5, None)
