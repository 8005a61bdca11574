"""Machine code is never believed: what it says of a search is compared with Python meanwhile."""

from collections import Counter
from dataclasses import replace

import pytest

from tidegate.checker import engines
from tidegate.checker.check import check
from tidegate.checker.compiled import comparison
from tidegate.checker.compiled.emission.expressions import Expressions
from tidegate.checker.compiled.emission.memory import Value
from tidegate.checker.compiled.memory import Worker
from tidegate.checker.compiled.sampler import Sample
from tidegate.checker.compiled.sampling import COMPARED, Query
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.fields import Record, integer
from tidegate.core.result import Cluster, Limits, Resources
from tidegate.core.spec import EngineError, Outcome
from tidegate.language.types import BOOL
from tidegate.model.broker.protocols.kip320 import KIP_320

COMPILED = Resources(engine="compiled")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    """Keep what a broken translator makes out of the way of others."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def compared(monkeypatch):
    """Return a list to which all samples that are compared are added."""
    samples = []
    compare = comparison.Comparison.compare

    def noting(self, some):
        samples.extend(some)
        compare(self, some)

    monkeypatch.setattr(comparison.Comparison, "compare", noting)
    return samples


def drop_a_member(self, one):
    """Emit `in` as if a tuple had its first member alone."""
    item, members = self.value(one.item), self.value(one.of)
    return Value(BOOL, (self.equal(self.item(members, 0), item),))


def serve_one_more(s, k, leader: int, epoch: int) -> bool:
    return leader in (s.replica[leader].epoch, 1) or epoch == s.replica[leader].epoch


SERVES_ONE_MORE = replace(
    KIP_320, rules=replace(KIP_320.rules, may_serve_fetch=serve_one_more), parent=KIP_320
)


@pytest.fixture
def mutated(monkeypatch):
    """KIP-320 with one line whose machine code is wrong."""
    monkeypatch.setattr(Expressions, "_contains", drop_a_member)
    bounds = KIP_320.model.bounds
    return SERVES_ONE_MORE.system(bounds(records=1, log_size=1, elections=2, crashes=0, moves=True))


def test_a_member_of_a_tuple_that_machine_code_drops_ends_the_run(mutated):
    with pytest.raises(EngineError, match="machine code and Python disagree about HandleFetch"):
        check(mutated, [], resources=COMPILED)


class Plane(Record):
    """A point of a square, and whether it was met."""

    x: int = integer(0, 99, "to the right")
    y: int = integer(0, 99, "up")
    met: bool = integer(0, 1, "a flag")


def right(s, k):
    if s.x == 99:
        return False
    s.x += 1
    return True


def up(s, k):
    if s.y == 99:
        return False
    s.y += 1
    return True


def meet(s, k):
    if s.met:
        return False
    if s.x == 71 and s.y == 64:
        s.met = (s.x + 77706) & 1
        return s.met != 0
    return False


def far(s, k):
    return not (s.x == 71 and s.y == 64 and (s.x + 77706) & 1 == 1)


def is_low(s, k):
    return s.y < 3


def origin(s, k):
    yield


@pytest.fixture
def plane(make_toy, make_action):
    """20,000 states, of which one takes a branch that no other takes."""
    moves = [make_action(step.__name__, step) for step in (right, up, meet)]
    return make_toy(Plane, None, moves, origin)


@pytest.fixture
def broken_constant(monkeypatch):
    """Emit one constant wrongly."""
    translated = Expressions._constant

    def broken(self, one):
        return translated(self, replace(one, value=77707) if one.value == 77706 else one)

    monkeypatch.setattr(Expressions, "_constant", broken)


def test_a_branch_that_one_state_in_20_000_takes_is_compared(plane, broken_constant):
    with pytest.raises(EngineError, match=r"about meet\(\): machine code says not enabled"):
        check(plane, [], resources=COMPILED)


def test_a_predicate_that_is_wrong_in_one_state_of_20_000_is_compared(
    plane, make_invariant, broken_constant
):
    with pytest.raises(EngineError, match="disagree about Far: machine code says satisfied"):
        check(plane, [make_invariant("Far", far)], resources=COMPILED)


def test_it_ends_the_run_of_auto_which_interpreted_the_first_levels(
    plane, broken_constant, monkeypatch
):
    monkeypatch.setattr(engines, "SMALL", 300)
    monkeypatch.setattr(engines, "LEVEL_SECONDS", 0.0)
    # A fast machine interprets all of it before it would compile.
    monkeypatch.setattr(engines, "INTERPRETED_SECONDS", 0)
    with pytest.raises(EngineError, match="disagree about meet"):
        check(plane, [])


def test_it_ends_the_run_of_a_search_with_fingerprints(plane, broken_constant):
    with pytest.raises(EngineError, match="disagree about meet"):
        check(plane, [], resources=Resources(engine="compiled", store="fingerprint"))


def test_it_ends_the_run_of_the_distributed_engine(plane, broken_constant, java):
    resources = Resources(engine="spark", cluster=Cluster(local_levels=10**9))
    with pytest.raises(EngineError, match="disagree about meet"):
        check(plane, [], resources=resources)


def test_the_same_search_holds_where_nothing_is_broken(plane, make_invariant, compared):
    result = check(plane, [make_invariant("Far", far)], resources=COMPILED)
    assert result.outcome is Outcome.VIOLATED
    assert compared


def test_every_step_and_property_is_compared_as_often_as_it_must_be(system, compared):
    from tidegate.invariants.broker import INVARIANTS

    searched = system("hw", "replicas=2 records=1 elections=1 crashes=1")
    properties = INVARIANTS
    search = CompiledSearch(SearchRequest(searched, properties, keep_going=True))
    search.run()
    steps = Counter(s.number for s in compared if s.query is Query.STEP and s.answer)
    for number, taken in enumerate(search.taken):
        assert steps[number] >= min(taken, COMPARED)
    judged = Counter(s.number for s in compared if s.query is Query.PROPERTY)
    for number, prop in enumerate(properties):
        if prop.kind.name == "INVARIANT":
            assert judged[number] >= min(search.distinct_states, COMPARED)
    search.close()


def test_few_states_are_compared(plane, compared):
    check(plane, [], resources=COMPILED)
    assert 0 < len(compared) < 1000


def disabled(plane, number, x):
    """Return a sample: machine code says that a step is not enabled in the state (x, 0)."""
    words = plane.layout.pack(bytes([x, 0, 0]))
    return Sample(Query.GUARDS, number, 0, words, words)


def test_of_several_differences_the_first_is_reported_though_states_are_asked_in_groups(plane):
    samples = [disabled(plane, *sample) for sample in ((2, 1), (1, 2), (1, 1), (0, 1))]
    steps = comparison.Comparison(plane, [], lambda words: set())
    with pytest.raises(EngineError, match=r"about up\(\): .* in the state {'x': 2"):
        steps.compare(samples)
    with pytest.raises(EngineError, match=r"about up\(\): .* in the state {'x': 1"):
        steps.compare(samples[2:])


def writes_first(s, k):
    s.x = 99
    return False


def test_a_sample_is_decided_by_itself_whatever_was_asked_of_its_state_before(
    make_toy, make_action
):
    moves = [make_action(step.__name__, step) for step in (writes_first, right)]
    toy = make_toy(Plane, None, moves, origin)
    words, successor = (toy.layout.pack(bytes([x, 0, 0])) for x in (5, 6))
    samples = [disabled(toy, 0, 5), Sample(Query.STEP, 1, 1, words, successor)]
    comparison.Comparison(toy, [], lambda words: set()).compare(samples)


def reference(plane):
    search = Search(SearchRequest(plane, [], limits=Limits(max_depth=6)))
    search.run()
    return search


def test_a_state_that_only_one_engine_reaches_ends_the_run(plane):
    def add(level):
        level.append(bytes([99, 99, 0]))

    for change, which in ((list.pop, "machine code"), (add, "Python")):
        search = CompiledSearch(SearchRequest(plane, []))
        search.verification.python = reference(plane)
        change(search.verification.python.levels[4])
        with pytest.raises(EngineError, match=f"only {which} reaches the state .* in 4 steps"):
            search.run()
        search.close()


def test_another_number_of_steps_ends_the_run(plane):
    search = CompiledSearch(SearchRequest(plane, []))
    search.verification.python = reference(plane)
    search.verification.python.taken[1] += 1
    with pytest.raises(EngineError, match="took it 15 times, Python 16 times"):
        search.run()
    search.close()


def test_another_verdict_on_the_same_levels_ends_the_run(plane, make_invariant):
    low = make_invariant("Low", is_low)
    request = SearchRequest(plane, [low], keep_going=True)
    search = CompiledSearch(request)
    search.verification.python = Search(replace(request, limits=Limits(max_depth=6)))
    search.verification.python.run()
    del search.verification.python.violations["Low"]
    with pytest.raises(EngineError, match="disagree about Low: machine code finds it violated"):
        search.run()
    search.close()


def test_a_state_that_is_stored_twice_ends_the_run(plane):
    search = CompiledSearch(SearchRequest(plane, []))
    search.run()
    search.levels = [level * 2 for level in search.levels]
    block, _ = search.machine.workers[0]
    block[Worker.INSERTED] += search.distinct_states
    with pytest.raises(EngineError, match=r"stores the state .* 2 times"):
        search.verification.end()
    search.close()


def test_a_state_that_is_stored_too_deep_ends_the_run(plane):
    search = CompiledSearch(SearchRequest(plane, []))
    search.run()
    first, second, third, *others = search.levels
    search.levels = [first, third, second, *others]
    with pytest.raises(EngineError, match="1 times, in level 2; it is at most 1 steps"):
        search.verification.end()
    search.close()
