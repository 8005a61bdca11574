"""Machine code in two tiers: what the optimised one leaves out is compared all the same."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tidegate.analysis.selection import assemble
from tidegate.checker.check import check
from tidegate.checker.compiled import build, tiers
from tidegate.checker.compiled.build import Code
from tidegate.checker.compiled.sampler import Sampler, samples_of
from tidegate.checker.compiled.sampling import COMPARED
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.compiled.tiers import Tiers
from tidegate.checker.kept import Store
from tidegate.checker.request import SearchRequest
from tidegate.checker.result import Limits, Resources
from tidegate.core.spec import EngineError
from tidegate.invariants import PROPERTIES
from tidegate.model.broker.protocols.kip320 import KIP_320

EXAMPLES = Path(__file__).parents[2] / "examples"
COMPILED = Resources(engine="compiled")
OPTIMISED = Resources(engine="compiled", optimise_from=100)
NAMES = ("TypeOk", "NoCommittedRecordLost", "LogConsistency", "Stuck")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """Keep second tiers of small searches out of the way of others."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def system():
    """Return kip-320 within small bounds."""
    return KIP_320.system(KIP_320.family.bounds(records=1, log_size=1, elections=1, crashes=1))


@pytest.fixture
def properties():
    return [prop for prop in PROPERTIES["broker"] if prop.name in NAMES]


@pytest.fixture
def used(monkeypatch):
    """Return a list to which it is added whether each piece of code made is optimised."""
    made, make = [], build._made

    def noting(text, optimised):
        made.append(optimised)
        return make(text, optimised)

    monkeypatch.setattr(build, "_made", noting)
    return made


def answers(result):
    """Return what a search says."""
    verdicts = [(verdict.property.name, str(verdict.outcome)) for verdict in result.verdicts]
    traces = [verdict.trace and verdict.trace.steps for verdict in result.verdicts]
    return result.distinct_states, result.depth, result.taken, verdicts, traces


def test_every_way_of_making_code_gives_the_same_answers(system, properties, used):
    options = {"keep_going": True}
    expected = answers(check(system, properties, **options))
    for states in (1, 100, 1_000_000):
        for workers in (1, 2):
            resources = Resources(engine="compiled", workers=workers, optimise_from=states)
            result = check(system, properties, resources=resources, **options)
            assert answers(result) == expected
        Store("compiled").clear()
    assert used == [False, True] * 2 + [False]


def test_a_small_search_is_not_optimised_and_a_kept_second_tier_is_used_at_once(system, used):
    check(system, [], resources=COMPILED)
    assert used == [False]
    check(system, [], resources=OPTIMISED)
    assert used == [False, True]
    search = CompiledSearch(SearchRequest(system, [], resources=COMPILED))
    assert search.tiers.is_optimised
    search.close()
    assert used == [False, True], "both are kept"


def test_each_way_that_is_not_noted_is_compared_as_often_as_others(system, properties, monkeypatch):
    """What the second tier is asked takes every way that it does not note, often enough."""
    noted, generator_of = [], tiers.generator_of

    def noting(request, compared=frozenset()):
        noted.append(compared)
        return generator_of(request, compared)

    monkeypatch.setattr(tiers, "generator_of", noting)
    request = SearchRequest(system, properties, keep_going=True, resources=OPTIMISED)
    search = CompiledSearch(request)
    search.run()
    entries, module = search.tiers._entries, search.module
    search.close()
    [left_out] = noted
    assert len(left_out) > 100

    # The first tier notes all ways; here it is asked about one state after the other.
    first = Tiers(request)
    code = Code(first._first())
    sampler = Sampler(code, module, len(system.instances))
    states = dict.fromkeys(sample.state for sample in samples_of(memoryview(entries), module.words))
    for state in states:
        sampler.ask_all(state)
    assert sampler.compared() == left_out
    kept = Counter((s.query, s.number, s.state) for s in sampler.take())
    asked = Counter(
        (s.query, s.number, s.state) for s in samples_of(memoryview(entries), module.words)
    )
    assert kept == asked
    assert COMPARED == 20
    sampler.close()


@pytest.fixture
def slip(monkeypatch):
    """Have LLVM be handed a second tier in which one comparison of `advance_hw` is wrong."""
    make = build._made

    def slipping(text, optimised):
        if optimised:
            begin = text.index('@"advance_hw$')
            at = text.index("icmp sle", begin)
            text = f"{text[:at]}icmp sgt{text[at + len('icmp sle') :]}"
        return make(text, optimised)

    monkeypatch.setattr(build, "_made", slipping)


@pytest.mark.usefixtures("slip")
def test_a_second_tier_that_differs_ends_the_run_and_each_later_one_at_once(system):
    with pytest.raises(EngineError, match="machine code and Python disagree about "):
        check(system, [], resources=OPTIMISED)
    search = CompiledSearch(SearchRequest(system, [], resources=COMPILED))
    with pytest.raises(EngineError, match="machine code and Python disagree about "):
        search.run()
    assert search.distinct_states == 0, "nothing was searched"
    search.close()


@pytest.mark.usefixtures("slip")
def test_a_search_that_needs_no_second_tier_never_sees_it(system):
    assert check(system, [], resources=COMPILED).complete


def test_no_step_is_asked_of_a_state_outside_the_constraint():
    """From there, steps of this model write values out of range."""
    bounds = ["nodes=2", "counter=2", "pending=2", "sum=3"]
    system, properties = assemble(str(EXAMPLES / "ewd998.py"), bounds, ())
    expected = answers(check(system, properties, keep_going=True))
    for _ in range(2):
        resources = Resources(engine="compiled", optimise_from=1_000)
        result = check(system, properties, keep_going=True, resources=resources)
        assert (answers(result), result.engine) == (expected, "compiled")


def test_a_search_goes_on_with_what_another_one_began(system, properties, tmp_path):
    """A checkpoint fits both tiers."""
    expected = answers(check(system, properties, keep_going=True))
    folder = tmp_path / "checkpoint"
    begun = replace(OPTIMISED, checkpoint=folder)
    check(system, properties, keep_going=True, limits=Limits(max_depth=4), resources=begun)
    # The second tier was not made yet; afterwards it is there from the beginning.
    for _ in range(2):
        resources = replace(begun, resume=True)
        result = check(system, properties, keep_going=True, resources=resources)
        assert answers(result) == expected
