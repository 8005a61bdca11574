"""The compiled search: the very states, the same trace on every run, a table that grows."""

import ctypes
import dataclasses
from contextlib import suppress

import numpy as np
import pytest

from tidegate.checker.check import check
from tidegate.checker.compiled import search as compiled_search
from tidegate.checker.compiled import statefile, verification
from tidegate.checker.compiled import table as compiled_table
from tidegate.checker.compiled.generate import Generator
from tidegate.checker.compiled.search import CompiledSearch
from tidegate.checker.engines import EngineChoiceError
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.bounds import BoundsError
from tidegate.core.errors import shown
from tidegate.core.fields import Record, array, boolean, integer
from tidegate.core.guards import without
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import DEADLOCK, Kind, ModelError, Outcome
from tidegate.invariants.broker import INVARIANTS
from tidegate.library.names import find_protocol
from tidegate.library.properties import invariants_of, properties_of, system_for

SMALL = [
    ("hw", "records=1 elections=1", False),
    ("kip-101", "records=1 crashes=1", False),
    ("kip-320", "replicas=3 records=1 crashes=0 elections=1", True),
    ("tidegate.examples.published:hw", "max_leader_epoch=1", False),
    (
        "tidegate.examples.published:kip_320",
        "replicas=3 records=1 log_size=1 max_leader_epoch=1",
        True,
    ),
    ("tidegate.examples.async_isr:async_isr", "", True),
]
"""A protocol, its bounds, and whether symmetry is worth while."""


def levels(layout, search):
    """Return the fingerprints of all states, level by level."""
    search.run()
    return [{layout.fingerprint(state) for state in level} for level in search.states()]


@pytest.mark.parametrize(("protocol", "settings", "symmetric"), SMALL)
def test_every_level_has_the_fingerprints_of_the_interpreted_engine(
    system, protocol, settings, symmetric
):
    from tidegate.core.symmetry import Symmetry

    toy = system(protocol, settings)
    for symmetry in (None, Symmetry(toy))[: 1 + symmetric]:
        resources = Resources(chunk=8, workers=3)
        request = SearchRequest(toy, [], symmetry=symmetry, resources=resources)
        expected = levels(toy.layout, Search(request))
        found = levels(toy.layout, CompiledSearch(request))
        assert found == expected
        assert len(set.union(*found)) == sum(map(len, found)), "a state on two levels"


@pytest.mark.parametrize(("protocol", "settings"), [case[:2] for case in SMALL])
def test_a_frontier_read_back_in_small_pieces_leads_to_the_same_states(
    system, protocol, settings, monkeypatch
):
    monkeypatch.setattr(statefile, "PIECE", 100)
    toy = system(protocol, settings)
    expected = levels(toy.layout, Search(SearchRequest(toy, [])))
    resources = Resources(store="fingerprint", chunk=8, workers=3)
    search = CompiledSearch(SearchRequest(toy, [], resources=resources))
    assert levels(toy.layout, search) == expected
    deepest = set(search.read(search.levels[-1][0][0], 1))
    depth = len(expected) - 1
    assert search.least_parents(depth, deepest) == interpreted(toy).least_parents(depth, deepest)
    search.close()


def interpreted(toy):
    """Return the finished search of the interpreted engine."""
    search = Search(SearchRequest(toy, []))
    search.run()
    return search


VIOLATED = [("hw", "records=1 elections=2"), ("tidegate.examples.published:hw", "")]


@pytest.mark.parametrize(("protocol", "settings"), VIOLATED)
def test_all_runs_give_one_trace(protocol, settings):
    chosen = find_protocol(protocol)
    properties = [p for p in invariants_of(chosen) if p.name in chosen.default_properties]
    toy = system_for(chosen, settings.split(), properties)
    expected = check(toy, properties, resources=Resources(engine="interpreted"))
    assert expected.outcome is Outcome.VIOLATED
    for run in range(6):
        resources = Resources(engine="compiled", chunk=8, workers=1 + run % 4)
        found = check(toy, properties, resources=resources)
        assert found.engine == "compiled"
        assert found.first.trace == expected.first.trace
        assert (found.distinct_states, found.depth, found.taken) == (
            expected.distinct_states,
            expected.depth,
            expected.taken,
        )


class Table:
    """Notes how often the table grew, and in how many of these cases a level was in progress."""

    def __init__(self, monkeypatch):
        # The small tables that are tried at the end of a search grow, too.
        monkeypatch.setattr(verification, "try_table", lambda *given: None)
        self.grown = self.overflowed = self.under_way = 0
        self.loads = []
        table = compiled_table.Table
        grow = table.grow

        def noted(this, buckets):
            self.grown += 1
            slots = 8 * this.shared[compiled_search.Shared.BUCKETS]
            tags = (ctypes.c_uint64 * slots).from_address(this.region.address)
            used = np.count_nonzero(np.frombuffer(tags, np.uint64))
            self.loads.append((used + this.shared[compiled_search.Shared.OVERFLOWED]) / slots)
            self.overflowed += this.shared[compiled_search.Shared.OVERFLOWED]
            self.under_way += this.shared[compiled_search.Shared.CURSOR] > 0
            grow(this, buckets)

        monkeypatch.setattr(table, "grow", noted)


def test_the_table_grows_while_a_level_is_under_way(grid, monkeypatch):
    table = Table(monkeypatch)
    for workers, chunk in ((1, 512), (2, 512), (4, 8)):
        found = check(
            grid(100), [], resources=Resources(engine="compiled", workers=workers, chunk=chunk)
        )
        assert (found.distinct_states, found.depth) == (1_000_000, 298)
        assert found.taken == dict.fromkeys(("count_x", "count_y", "count_z"), 990_000)
        assert found.complete
    assert table.grown == table.under_way >= 3
    assert table.overflowed > 3 * 14_000


@pytest.mark.parametrize(
    ("store", "buckets"),
    [("exact", 1 << 17), pytest.param("fingerprint", 1 << 24, marks=pytest.mark.slow)],
)
def test_a_table_that_grew_knows_every_state(grid, store, buckets):
    """By a factor that is no whole number, to an odd size, and by a whole number from there."""
    toy = grid(60)
    resources = Resources(store=store, workers=4)
    found = CompiledSearch(SearchRequest(toy, [], resources=resources))
    found.run()
    states = [toy.layout.pack(state) for state in Search_states(toy)]
    for size in (buckets * 9 // 8, buckets * 2 + 3, buckets * 4 + 6):
        found.machine.table.grow(size)
        assert found.machine.add_states(states)
        assert found.distinct_states == len(states) == 60**3


@pytest.mark.parametrize("workers", [1, 3])
def test_windows_of_several_buckets_know_every_state(workers, grid, monkeypatch):
    """A table of hundreds of millions of states has them, and is full when it grows."""
    least = 5 << 16
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.EXACT_BUCKETS", least)
    monkeypatch.setattr("tidegate.checker.compiled.table.LARGE", 1 << 16)
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.GROWTH", ((1 << 62, 103),))
    table = Table(monkeypatch)
    resources = Resources(engine="compiled", workers=workers)
    found = check(grid(145), [], resources=resources)
    assert (found.distinct_states, found.depth) == (145**3, 3 * 144 + 1)
    assert table.grown == table.under_way >= 5
    assert min(table.loads) > 0.9, table.loads


def test_a_search_goes_on_with_windows_of_several_buckets(grid, monkeypatch, tmp_path):
    monkeypatch.setattr("tidegate.checker.compiled.memory_budget.EXACT_BUCKETS", 2 << 16)
    monkeypatch.setattr("tidegate.checker.compiled.table.LARGE", 1 << 16)
    some = Resources(engine="compiled", checkpoint=tmp_path)
    stopped = check(grid(100), [], limits=Limits(max_states=900_000), resources=some)
    assert not stopped.complete
    found = check(grid(100), [], resources=dataclasses.replace(some, resume=True))
    assert (found.distinct_states, found.depth) == (1_000_000, 298)
    assert compiled_table.window(compiled_table.buckets_for(stopped.distinct_states)) == 2


def test_a_table_for_many_states_is_as_full_as_its_windows_allow():
    """So that a search goes on with the memory that it had."""
    for states, used in ((10**6, 5), (3 * 10**8, 6), (5 * 10**8, 6.8), (10**9, 7.3)):
        buckets = compiled_table.buckets_for(states)
        assert buckets * used <= states < (buckets + 1) * used


def Search_states(toy):  # noqa: N802 - reads as a name of the interpreted search's
    """Return all states of a grid, without searching."""
    low = next(iter(toy.initial_states()))
    size = toy.constants
    return [type(low)((x, y, z)) for x in range(size) for y in range(size) for z in range(size)]


class Full(Record):
    """A state that fills its words to the last bit."""

    one: int = integer(0, (1 << 32) - 1, "half a word")
    other: int = integer(0, (1 << 32) - 1, "half a word")


def fill(s, k):
    if s.one:
        return False
    s.one = (1 << 32) - 1
    s.other = (1 << 32) - 1
    return True


def empty(s, k):
    if not s.one:
        return False
    s.one = 0
    s.other = 1
    return True


def at_nothing(s, k):
    yield


def test_a_state_of_ones_only_is_a_state(make_toy, make_action):
    toy = make_toy(Full, None, [make_action("fill", fill), make_action("empty", empty)], at_nothing)
    assert check(toy, [], resources=Resources(engine="interpreted")).distinct_states == 3
    assert check(toy, [], resources=Resources(engine="compiled")).distinct_states == 3


def test_a_system_without_steps_is_its_initial_states(make_toy, make_invariant):
    toy = make_toy(Full, None, [], at_nothing)
    is_empty = make_invariant("Empty", never_full)
    for engine in ("interpreted", "compiled"):
        found = check(toy, [is_empty], resources=Resources(engine=engine))
        assert (found.outcome, found.distinct_states, found.depth) == (Outcome.HOLDS, 1, 1)


def never_full(s, k):
    return s.one == 0


class Wide(Record):
    """A state with many initial ones."""

    at: int = integer(0, 9999, "anywhere")


def anywhere(s, k):
    for s.at in range(10_000):
        yield


def stay(s, k):
    return True


@pytest.mark.parametrize("limits", [Limits(max_states=1), Limits(seconds=1e-9)])
def test_a_limit_that_the_initial_states_reach_ends_the_search(make_toy, make_action, limits):
    toy = make_toy(Wide, None, [make_action("stay", stay)], anywhere)
    found = check(toy, [], limits=limits, resources=Resources(engine="compiled", workers=1))
    assert found.outcome is Outcome.INCOMPLETE
    assert found.stopped_by


class Line(Record):
    """A place on a line, and marks on it."""

    at: int = integer(0, 5, "the place")
    mark: list[bool] = array(4, boolean("a mark"))


def right(s, k):
    if s.at == 5:
        return False
    s.at += 1
    return True


def marked_here(s, k):
    return not s.mark[s.at]


def marked_before(s, k):
    return s.at > 3 or not s.mark[s.at - 1]


def writes(s, k):
    s.at = 0
    return True


def mark_here(s, k):
    s.mark[s.at] = True
    return True


def too_far(s, k):
    s.at += 1
    return True


def untidy(s, k):
    s.mark[0] = True
    return s.at != 2


def blocked_by_a_mark_here(s, k):
    if s.mark[s.at]:
        return False
    s.mark[0] = True
    return True


def needs_a_mark_here(s, k):
    if not s.mark[s.at]:
        return False
    s.mark[0] = True
    return True


def last_place(s, k):
    s.mark[s.at - 1] = True
    return s.at < 3


def outcome(toy, properties, **how):
    """Return what a search says, or how it fails."""
    try:
        found = dataclasses.asdict(check(toy, properties, resources=Resources(**how)))
    except ModelError as error:
        return str(error)
    except IndexError as error:
        return repr(error)
    for name in ("seconds", "engine", "interpreted_because"):
        del found[name]
    return found


FAULTY = {
    "a predicate reads beyond an array": ([right], marked_here),
    "a predicate reads the last element by -1": ([right], marked_before),
    "a step writes beyond an array": ([right, mark_here], None),
    "a guard reads beyond an array": ([right, blocked_by_a_mark_here], None),
    "another guard reads beyond an array": ([right, needs_a_mark_here], None),
    "a step writes out of range": ([too_far], None),
    "a step writes and is not enabled": ([right, untidy], None),
    "a step writes the last element by -1": ([right, last_place], None),
    "a predicate writes": ([right], writes),
}


@pytest.mark.parametrize(("steps", "predicate"), FAULTY.values(), ids=FAULTY)
@pytest.mark.parametrize("engine", ["compiled", "auto"])
def test_a_faulty_model_gets_the_interpreted_engines_answer(
    steps, predicate, engine, make_toy, make_action, make_invariant, monkeypatch
):
    monkeypatch.setattr("tidegate.checker.engines.SMALL", 0)
    [type_ok] = [p for p in INVARIANTS if p.name == "TypeOk"]
    properties = [type_ok, *([make_invariant("Marks", predicate)] if predicate else [])]
    toy = make_toy(Line, None, [make_action(s.__name__, s) for s in steps], at_nothing)
    if predicate is writes and engine == "compiled":
        with pytest.raises(Exception, match="where only reading is allowed"):
            check(toy, properties, resources=Resources(engine=engine))
        return
    expected = outcome(toy, properties, engine="interpreted")
    assert outcome(toy, properties, engine=engine) == expected


def test_a_step_that_writes_and_is_not_enabled_is_left_to_python(make_toy, make_action):
    toy = make_toy(Line, None, [make_action(s.__name__, s) for s in (right, untidy)], at_nothing)
    assert check(toy, [], resources=Resources(engine="compiled")).engine == "interpreted"


def stays(s, k):
    return s.at != 200


def test_the_only_deadlock_of_a_level_is_found_wherever_it_is(make_toy, make_action):
    """States are expanded a group at a time, and have a bit each."""
    toy = make_toy(Wide, None, [make_action("stays", stays)], anywhere)
    result = check(toy, [DEADLOCK], resources=Resources(engine="compiled"))
    assert result.engine == "compiled"
    assert [tuple(state) for state in result.first.trace.states] == [(200,)]


def stepping(step):
    """Return an action whose source says nothing of how far it goes."""

    def move(s, k):
        if s.at + step > 5:
            return False
        s.at += step
        return True

    return move


def test_code_that_is_kept_is_never_that_of_another_model(make_toy, make_action):
    for step in (1, 2, 1, 3, 5):
        toy = make_toy(Line, None, [make_action("move", stepping(step))], at_nothing)
        found = check(toy, [], resources=Resources(engine="compiled"))
        assert found.distinct_states == 1 + 5 // step


def test_a_mutant_is_never_taken_for_what_it_was_made_from(make_toy, make_action):
    moves = make_action("right", right)
    toy = make_toy(Line, None, [moves], at_nothing)
    assert check(toy, [], resources=Resources(engine="compiled")).distinct_states == 6
    mutant = make_toy(Line, None, [make_action("right", without(right, 0))], at_nothing)
    with pytest.raises(ModelError, match="out of range"):
        check(mutant, [], resources=Resources(engine="compiled"))


def halves(s, k):
    s.at = min(sum(dict.fromkeys([s.at])), 1) + 2
    return True


def test_a_model_outside_the_subset_is_checked_all_the_same(
    make_toy, make_action, monkeypatch, tmp_path
):
    monkeypatch.setattr("tidegate.checker.engines.SMALL", 2)
    toy = make_toy(
        Line, None, [make_action("right", right), make_action("halves", halves)], at_nothing
    )
    expected = outcome(toy, [], engine="interpreted")
    assert outcome(toy, [], engine="auto") == expected
    line = halves.__code__.co_firstlineno + 1
    where = rf"fromkeys.*\(in halves, {shown((__file__, line))}\).*or use --engine interpreted"
    with pytest.raises(
        EngineChoiceError, match=f"--engine compiled: cannot translate toy.*{where}"
    ):
        check(toy, [], resources=Resources(engine="compiled"))
    with pytest.raises(EngineChoiceError, match=f"--checkpoint: cannot translate toy.*{where}"):
        check(toy, [], resources=Resources(checkpoint=tmp_path))


def test_logs_without_room_for_a_record_are_searched_all_the_same(system):
    toy = system("hw", "log_size=0 crashes=1 elections=0")
    assert outcome(toy, [], engine="compiled") == outcome(toy, [], engine="interpreted")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("kip-320", marks=pytest.mark.slow),
        "tidegate.examples.published:kip_320",
        "tidegate.examples.async_isr:async_isr",
    ],
)
@pytest.mark.parametrize("end", ["low", "high"])
def test_every_bound_at_its_end_is_translated(system, name, end):
    chosen = find_protocol(name)
    bounds = chosen.model.bounds
    settings = [
        f"{f.name}={spelt(*f.metadata.values(), end)}"
        for f in dataclasses.fields(bounds)
        if f.metadata
    ]
    if "log_size" in dir(bounds):
        # Variables of one value that is not meant to be computed with.
        settings.append("records=0 log_size=1")
    properties = [p for p in properties_of(chosen) if p.kind is Kind.INVARIANT]
    for setting in settings:
        with suppress(BoundsError):
            text, _ = Generator(system(name, setting), properties, True, None).module()
            assert "@judge" in text


def spelt(bound, end):
    """Return the least or the greatest value of a bound as a user writes it."""
    if bound.names is None:
        return getattr(bound, end)
    return list(bound.names)[0 if end == "low" else -1]
