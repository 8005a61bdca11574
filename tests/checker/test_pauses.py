"""A search in Python that pauses, also amid a level, and goes on, in Python or in machine code."""

from math import inf

import pytest

from tests.conftest import make_system
from tidegate.checker import engines, interpreted
from tidegate.checker.check import check
from tidegate.checker.compiled import verification
from tidegate.checker.interpreted import Pause, Search
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.spec import Outcome
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.selection import assemble

BROKERS = ("kip-101", "records=1 crashes=1 elections=1")


@pytest.fixture(autouse=True)
def often(monkeypatch, tmp_path):
    """Have a search look at the clock after each state or two, and remember no other one."""
    monkeypatch.setattr(interpreted, "_WIDE", 64)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def brokers():
    """Return a system that violates a property on its way."""
    named = ("NoCommittedRecordLost", "LogMatching", "TypeOk")
    return make_system(*BROKERS), [prop for prop in PROPERTIES if prop.name in named]


def constrained():
    """Return a system with states outside its constraint."""
    return assemble("examples/ewd998.py", ["nodes=2", "counter=1", "pending=1", "sum=2"], ())


def state_of(search):
    """Return all that a search knows."""
    violations = {name: (level, set(some)) for name, (level, some) in search.violations.items()}
    known = search.levels, search.seen, search.outside, search.taken, violations
    return *known, search.manifest.levels, search.stopped_by


@pytest.mark.parametrize("keep_going", [False, True])
@pytest.mark.parametrize("model", [brokers, constrained])
def test_a_search_that_pauses_amid_its_levels_finds_what_another_one_does(model, keep_going):
    system, properties = model()
    whole, torn = (
        Search(SearchRequest(system, properties, keep_going=keep_going)) for _ in range(2)
    )
    assert whole.run()
    amid = 0
    while not torn.run(Pause(len(torn.seen) + 1, 0.0, 0.0, inf, rest=0.0)):
        amid += bool(torn.torn)
        assert torn.finished == len(torn.levels) - bool(torn.torn)
    assert amid > 10
    assert state_of(torn) == state_of(whole)


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_search_that_pauses_amid_its_initial_states_finds_what_another_one_does(keep_going):
    system, properties = assemble(
        "examples/ewd840.py", ["nodes=4"], ("Inv", "TerminationDetection")
    )
    whole, torn = (
        Search(SearchRequest(system, properties, keep_going=keep_going)) for _ in range(2)
    )
    assert whole.run()
    assert not torn.run(Pause(len(torn.seen) + 1, 0.0, 0.0, inf, rest=inf))
    assert (len(torn.initial), torn.torn, torn.finished) == (1024, 256, 0)
    assert len(torn.seen) == 256
    assert not torn.run(Pause(len(torn.seen) + 1, 0.0, 0.0, inf, rest=inf))
    assert (len(torn.initial), torn.torn, torn.finished) == (1024, 512, 0)
    while not torn.run(Pause(len(torn.seen) + 1, 0.0, 0.0, inf, rest=inf)):
        pass
    assert state_of(torn) == state_of(whole)


def test_a_level_whose_rest_is_soon_found_is_not_left():
    search = Search(SearchRequest(*constrained()))
    while not search.run(Pause(len(search.seen) + 1, 0.0, 0.0, inf, rest=60.0)):
        assert not search.torn


@pytest.mark.parametrize("model", [brokers, constrained])
def test_machine_code_is_compared_with_the_levels_that_python_has_finished(monkeypatch, model):
    compared, compare = [], verification.compare_level
    ends, compare_results = [], verification.compare_results
    monkeypatch.setattr(
        verification,
        "compare_level",
        lambda *arguments: compared.append(arguments[1]) or compare(*arguments),
    )
    monkeypatch.setattr(
        verification,
        "compare_results",
        lambda *arguments: ends.append(arguments[2]) or compare_results(*arguments),
    )
    for name, value in [("SMALL_WATCHED", 150), ("SMALL", 150), ("INTERPRETED_SECONDS", 0.0)]:
        monkeypatch.setattr(engines, name, value)
    monkeypatch.setattr(engines, "REST_SECONDS", 0.0)
    monkeypatch.setattr(verification.Verification, "end", lambda self: None)
    torn = []
    compiled = engines._compiled
    monkeypatch.setattr(
        engines,
        "_compiled",
        lambda request, search: torn.append(search) or compiled(request, search),
    )
    system, properties = model()
    expected = check(system, properties, keep_going=True, resources=Resources(engine="interpreted"))
    result = check(system, properties, keep_going=True)
    assert result.engine == "compiled"
    [search] = torn
    assert search.torn
    assert compared == list(range(search.finished))
    assert ends == [search.finished - 2]
    assert (result.distinct_states, result.taken) == (expected.distinct_states, expected.taken)
    assert [v.outcome for v in result.verdicts] == [v.outcome for v in expected.verdicts]


def test_what_cannot_be_compiled_goes_on_where_it_was_left(monkeypatch):
    for name, value in [("SMALL_WATCHED", 150), ("SMALL", 150), ("INTERPRETED_SECONDS", 0.0)]:
        monkeypatch.setattr(engines, name, value)
    monkeypatch.setattr(engines, "REST_SECONDS", 0.0)
    torn = []
    monkeypatch.setattr(
        engines, "_compiled", lambda request, search: torn.append(search.torn) or ()
    )
    system, properties = brokers()
    expected = check(system, properties, keep_going=True, resources=Resources(engine="interpreted"))
    result = check(system, properties, keep_going=True)
    assert torn[0] > 0
    assert (result.distinct_states, result.taken, result.levels) == (
        expected.distinct_states,
        expected.taken,
        expected.levels,
    )


def soon(monkeypatch):
    """Have Python leave a search to machine code after 150 states; return how it began each."""
    for name, value in [("SMALL_WATCHED", 150), ("SMALL", 150), ("INTERPRETED_SECONDS", 0.0)]:
        monkeypatch.setattr(engines, name, value)
    for name in ("LEVEL_SECONDS", "REST_SECONDS"):
        monkeypatch.setattr(engines, name, 0.0)
    begun, compiled = [], engines._compiled
    monkeypatch.setattr(
        engines,
        "_compiled",
        lambda request, search: begun.append(len(search.seen)) or compiled(request, search),
    )
    return begun


COUNTING = """
from dataclasses import dataclass
from tidegate import Model, Record, integer, number

@dataclass(frozen=True)
class Bounds:
    most: int = number(40, 1, 99, "the highest number", main=True)

class State(Record):
    x: int = integer(0, lambda k: k.most, "a number")
    y: int = integer(0, lambda k: k.most, "another number")

model = Model(Bounds, State, deadlock=False)

@model.action()
def add(s: State, k: Bounds) -> bool:
    if s.x == k.most:
        return False
    s.x += 1
    return True

@model.action()
def add_other(s: State, k: Bounds) -> bool:
    if s.y == k.most:
        return False
    s.y += 1
    return True
"""


def test_a_search_that_was_long_is_compiled_at_once_the_next_time(monkeypatch, tmp_path):
    begun = soon(monkeypatch)

    def run(text=COUNTING, bounds=(), engine="auto"):
        (tmp_path / "counting.py").write_text(text)
        system, properties = assemble(str(tmp_path / "counting.py"), bounds, ["TypeOk"])
        result = check(system, properties, resources=Resources(engine=engine))
        assert result.outcome is Outcome.HOLDS
        return result.distinct_states

    assert run() == run() == 1681
    assert begun[0] >= 150
    assert begun[1] == 0
    # Another search may be short: of other bounds, and of another text.
    assert run(bounds=["most=42"]) == 1849
    assert run(COUNTING.replace("s.y += 1", "s.y += 3"), ["most=42"]) == 43 * 15
    assert run(COUNTING + "\n") == 1681
    assert run(engine="interpreted") == 1681
    assert len(begun) == 5
    assert min(begun[2:]) >= 150
