"""Random small systems: the verdict is what trying all cycles says, and every lasso is one.

    TIDEGATE_GRAPHS=1000000 python -m pytest tests/liveness/test_oracle.py -m slow

tries so many, from the system of ``TIDEGATE_GRAPHS_SEED`` on.  Each has a property of each form.
Machine code, which takes a second to make, decides one in fifty of them.
"""

import os
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from tests.liveness.graphs import (
    FORMS,
    Graph,
    Kinds,
    drawn,
    fair_sets,
    fair_together,
    fault,
    shortest_stems,
)
from tidegate.checker.check import check
from tidegate.checker.liveness.lasso import confirm_lasso
from tidegate.core.result import Resources
from tidegate.core.spec import EngineError, Fairness, Kind, Outcome, Trace

FEW = 200
MANY = int(os.environ.get("TIDEGATE_GRAPHS", "10000"))
SEED = int(os.environ.get("TIDEGATE_GRAPHS_SEED", "1000"))


def difference(graph, count):
    """Return how the checker and the definition differ about a system; nothing if they agree."""
    system = graph.system()
    stems = shortest_stems(graph, list(fair_sets(graph)))
    decided = check(system, graph.properties(), keep_going=True)
    for verdict in decided.verdicts:
        kind, trace = verdict.property.kind, verdict.trace
        violated = stems[kind] is not None
        count[kind, violated] += 1
        if (verdict.outcome is Outcome.VIOLATED) != violated:
            return f"{kind}: {verdict.outcome}, though it is {'' if violated else 'not '}violated"
        if trace is not None:
            lasso = [system.layout.describe(state)["number"] for state in trace.states]
            if wrong := fault(graph, kind, trace, lasso):
                return f"{kind}: {wrong}: {lasso}, loop {trace.loop}, {trace.steps}"
            if trace.loop != stems[kind]:
                return f"{kind}: a stem of {trace.loop} steps, the shortest has {stems[kind]}"
            count["stops" if trace.loop == len(trace.steps) else "cycles"] += 1
    return ""


@pytest.mark.parametrize(
    ("graphs", "seed"),
    [pytest.param(FEW, 0, id="few"), pytest.param(MANY, SEED, id="many", marks=pytest.mark.slow)],
)
def test_a_property_of_a_random_system_is_violated_where_some_fair_cycle_violates_it(graphs, seed):
    count = Counter()
    for number in range(seed, seed + graphs):
        graph = drawn(Random(number))
        assert not (what := difference(graph, count)), f"system {number}: {what}\n{graph}"
    # To agree about systems in which everything holds would show nothing.
    for form in FORMS:
        assert min(count[form, True], count[form, False]) > graphs / 10, count
    assert min(count["stops"], count["cycles"]) > graphs / 5, count


@pytest.mark.parametrize(
    ("graphs", "seed"),
    [pytest.param(FEW, 0, id="few"), pytest.param(MANY, SEED, id="many", marks=pytest.mark.slow)],
)
def test_fairness_of_several_actions_together_is_that_of_their_disjunction(graphs, seed):
    count, matters = Counter(), 0
    for number in range(seed, seed + graphs):
        graph = fair_together(Random(f"together {number}"), drawn(Random(number)))
        assert not (what := difference(graph, count)), f"system {number}: {what}\n{graph}"
        alone = replace(graph, together=())
        stems = [shortest_stems(one, list(fair_sets(one))) for one in (graph, alone)]
        matters += any((stems[0][kind] is None) != (stems[1][kind] is None) for kind in FORMS)
    assert matters > graphs / 6
    for form in FORMS:
        assert min(count[form, True], count[form, False]) > graphs / 10, count


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    ("graphs", "seed"),
    [
        pytest.param(FEW // 50, 0, id="few"),
        pytest.param(MANY // 50, SEED, id="many", marks=pytest.mark.slow),
    ],
)
def test_machine_code_finds_the_lassos_of_the_reference_in_random_systems(
    graphs, seed, together, tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number in range(seed, seed + graphs):
        graph = drawn(Random(number))
        graph = fair_together(Random(f"together {number}"), graph) if together else graph
        traces = [
            [
                verdict.trace
                for verdict in check(
                    graph.system(),
                    graph.properties(),
                    keep_going=True,
                    resources=Resources(engine=engine),
                ).verdicts
            ]
            for engine in ("interpreted", "compiled")
        ]
        assert traces[0] == traces[1], f"system {number}: {graph}"


LASSOS = {
    "it begins where the property holds": (
        Kind.EVENTUALLY, Fairness.NONE, [(0, "go"), (1, "turn"), (2, "turn"), (1, "")],
        "does not violate",
    ),
    "a step with SF is enabled now and then": (
        Kind.ALWAYS_EVENTUALLY, Fairness.STRONG, [(0, "go"), (1, "turn"), (2, "turn"), (1, "")],
        "leaves SF",
    ),
    "the step that is taken changes nothing": (
        Kind.ALWAYS_EVENTUALLY, Fairness.WEAK, [(0, "go"), (1, "choose"), (1, "")],
        "leaves WF",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "fairness", "way", "said"), LASSOS.values(), ids=LASSOS)
def test_a_lasso_that_is_no_violation_is_not_believed(kind, fairness, way, said):
    none = Fairness.NONE
    weak = fairness if fairness is Fairness.WEAK else none
    strong = fairness if fairness is Fairness.STRONG else none
    actions = (
        Kinds("go", (), none, None, {(): (1, None, None)}),
        Kinds("turn", (), none, None, {(): (None, 2, 1)}),
        Kinds("exit", (), strong, None, {(): (None, None, 0)}),
        Kinds("choose", ("a",), weak, (), {(0,): (None, 1, None), (1,): (None, 2, None)}),
    )
    graph = Graph(3, frozenset({0}), actions, {kind: frozenset({0})}, frozenset())
    system, [prop] = graph.system(), graph.properties()

    def state(number):
        system.layout.record.number = number
        return system.layout.dump()

    steps = {instance.action.name: instance.step for instance in reversed(system.instances)}
    states = tuple(state(number) for number, _ in way)
    trace = Trace(states, tuple(steps[name] for _, name in way if name), loop=1)
    with pytest.raises(EngineError, match=said):
        confirm_lasso(system, prop, trace)
