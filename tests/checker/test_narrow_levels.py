"""Long and narrow searches: machine code goes through many levels by itself, up and down."""

import os
import random
import signal
import threading
import time
from dataclasses import dataclass

import pytest

from tidegate.checker import verdicts
from tidegate.checker.check import check
from tidegate.checker.compiled.search import CompiledSearch, Narrow
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.fields import Record, array, integer
from tidegate.core.interrupts import listening
from tidegate.core.result import Limits, Resources
from tidegate.core.spec import DEADLOCK, Kind, Outcome, Property

from .conftest import action, assemble


@dataclass(frozen=True)
class Shape:
    """How wide the levels of a system are."""

    length: int
    width: int
    stride: int
    every: int
    wide_from: int
    wide_to: int
    padding: int = 0
    first: int = 0
    second: int = 0
    way: int = 0


class Path(Record):
    """A way that branches, and joins again."""

    x: int = integer(0, lambda k: k.length, "how far")
    y: int = integer(0, 4095, "which way")
    more: list[int] = array(lambda k: k.padding, integer(0, 7, "what fills words"))


def begin(s, k):
    yield


def step(s, k):
    if s.x >= k.length:
        return False
    s.x += 1
    s.y = s.y * 5 % k.width
    return True


def branch(s, k):
    if s.x >= k.length or s.x % k.every != 0:
        return False
    s.x += 1
    s.y = (s.y + k.stride) % k.width
    return True


def spread(s, k):
    if s.x < k.wide_from or s.x >= k.wide_to:
        return False
    s.x += 1
    s.y = (s.y * 3 + 7) % 4096
    return True


def first(s, k):
    return s.x != k.first


def second(s, k):
    return s.x < k.second or s.y == 0


def rare(s, k):
    return s.y == k.way


def early(s, k):
    return s.x < k.length - 20


def before_the_end(s, k):
    return s.x != k.length


BELOW = [Property(each.__name__, "It is below.", "toy", each) for each in (first, second)]
RARE = Property("Rare", "It gets there.", "toy", rare, kind=Kind.SOMETIMES)
END = Property("End", "It does not end.", "toy", before_the_end)


def narrow(seed):
    """Return a system most of whose levels are narrow, and properties violated here and there."""
    chance = random.Random(seed)
    length = chance.randint(300, 900)
    wide_from = chance.randrange(length)
    shape = Shape(
        length,
        chance.choice((1, 2, 7, 40)),
        chance.randint(1, 6),
        chance.randint(1, 9),
        wide_from,
        min(wide_from + chance.choice((0, 2, 14)), length),
        chance.choice((0, 40)),
        chance.randrange(1, length),
        chance.randrange(1, length),
        chance.randrange(40),
    )
    system = assemble(
        Path, shape, [action(each.__name__, each) for each in (step, branch, spread)], begin
    )
    if chance.random() < 0.4:
        system.constraint = early
    return system, [*BELOW, RARE, DEADLOCK]


def answer(result):
    traces = [(v.property.name, v.outcome, v.trace) for v in result.verdicts]
    return result.distinct_states, result.generated_states, result.depth, traces, result.first


@pytest.mark.parametrize("seed", range(8))
def test_levels_counts_and_traces_are_those_of_python(seed):
    system, properties = narrow(seed)
    for keep_going in (False, True):
        found = {
            engine: check(
                system,
                properties,
                keep_going=keep_going,
                resources=Resources(engine=engine, workers=workers, chunk=chunk),
            )
            for engine, workers, chunk in (("interpreted", 1, 1), ("compiled", 3, 16))
        }
        assert answer(found["compiled"]) == answer(found["interpreted"])


@pytest.mark.parametrize("seed", range(3))
def test_limits_end_a_batch_where_they_end_a_search_in_python(seed):
    system, _ = narrow(seed)
    chance = random.Random(seed)
    for _ in range(4):
        depth = chance.randint(2, 290)
        limits = Limits(max_depth=depth)
        searches = [
            kind(SearchRequest(system, [], limits=limits)) for kind in (Search, CompiledSearch)
        ]
        sizes = []
        for search in searches:
            search.run()
            sizes.append([level.states for level in search.manifest.levels])
            search.close()
        assert sizes[0] == sizes[1]
        assert len(sizes[0]) == depth


def test_a_batch_ends_where_there_are_enough_states():
    limits = Limits(max_states=700)
    found = [
        check(long_path(), [END], limits=limits, resources=Resources(engine=engine))
        for engine in ("interpreted", "compiled")
    ]
    assert [result.distinct_states for result in found] == [700, 700]


def test_many_levels_are_one_batch(monkeypatch):
    batches = []
    expand = Narrow.batch

    def counted(self, *given):
        batches.append(given)
        return expand(self, *given)

    monkeypatch.setattr(Narrow, "batch", counted)
    system = assemble(Path, Shape(9000, 1, 1, 1, 0, 0), [action("step", step)], begin)
    result = check(system, [END], resources=Resources(engine="compiled"))
    assert (result.outcome, result.verdicts[0].steps) == (Outcome.VIOLATED, 9000)
    assert len(batches) < 20


def long_path(length=3000):
    return assemble(Path, Shape(length, 1, 1, 1, 0, 0), [action("step", step)], begin)


def test_a_checkpoint_has_every_level_of_a_batch(tmp_path):
    place = {"engine": "compiled", "checkpoint": tmp_path / "run"}
    stopped = check(long_path(), [END], limits=Limits(max_depth=1500), resources=Resources(**place))
    assert stopped.depth == 1500
    resumed = check(long_path(), [END], resources=Resources(**place, resume=True))
    assert answer(resumed) == answer(check(long_path(), [END]))


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_trace_in_a_thread_counts_within_the_time_limit_too(engine, monkeypatch):
    # There is no signal in a thread: it has to look at the clock.
    def slow(watch):
        def watched():
            time.sleep(0.001)
            watch()

        return watched

    traces = verdicts.shortest_traces
    monkeypatch.setattr(
        verdicts, "shortest_traces", lambda *given: traces(*given[:4], slow(given[4]))
    )
    results = []

    def run():
        limits, resources = Limits(seconds=2), Resources(engine=engine)
        results.append(check(long_path(4000), [END], limits=limits, resources=resources))

    thread = threading.Thread(target=run)
    began = time.monotonic()
    thread.start()
    thread.join()
    [verdict] = results[0].verdicts
    assert (verdict.outcome, verdict.steps, verdict.trace) == (Outcome.VIOLATED, 4000, None)
    assert str(verdict.untraced) == "--time-limit 2"
    assert time.monotonic() - began < 6


def test_an_interrupt_that_a_model_swallows_costs_no_verdict():
    taken = []

    def swallowing(s, k):
        taken.append(s.x)
        try:
            if len(taken) == 3600:
                os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            return False
        return step(s, k)

    system = assemble(Path, Shape(3000, 1, 1, 1, 0, 0), [action("step", swallowing)], begin)
    with listening():
        result = check(system, [END], resources=Resources(engine="interpreted"))
    with listening():
        """It forgets the signal, which would stop the searches of other tests."""
    [verdict] = result.verdicts
    assert (verdict.outcome, verdict.steps, verdict.trace) == (Outcome.VIOLATED, 3000, None)
    assert str(verdict.untraced).startswith("an interrupt")


def test_a_search_stopped_in_its_violating_level_still_has_its_trace():
    # The time is up when the violation is found; its trace takes a few milliseconds.
    slow = [0.5]

    def late(s, k):
        if s.x == k.length and slow:
            time.sleep(slow.pop())
        return s.x != k.length

    system = long_path(20)
    properties = [Property("End", "It does not end.", "toy", late), *BELOW]
    result = check(
        system,
        properties,
        keep_going=True,
        limits=Limits(seconds=0.2),
        resources=Resources(engine="interpreted"),
    )
    assert str(result.stopped_by) == "--time-limit 0.2"
    assert len(result.verdicts[0].trace.steps) == 20
