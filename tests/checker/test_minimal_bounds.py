"""The smallest bounds that violate a property: all of them, and none that is not."""

import itertools
import random

import pytest

from tests.docs.bounds import sufficient
from tidegate.checker.check import check
from tidegate.core.bounds import BoundsError, declared, parse
from tidegate.core.spec import Outcome
from tidegate.library.ladder import below
from tidegate.library.minimal_bounds import MinimalBoundsSearch
from tidegate.library.names import find_protocol

LOWS, HIGHS = {"a": 0, "b": 0, "c": 0}, {"a": 3, "b": 2, "c": 3}


@pytest.fixture
def search(walk, make_invariant):
    """Search bounds of which a function says whether they violate."""

    def run(violates, grows, lows=LOWS, highs=HIGHS, searched=None, **options):
        def build(bounds):
            if searched is not None:
                searched.append(tuple(bounds.values()))
            return walk(2, {(0, 1)} if violates(**bounds) else set())

        never = make_invariant("Never", lambda s, k: s.at < 1)
        return MinimalBoundsSearch(build, never, lows, highs, grows, **options).run()

    return run


def bounds_of(minimal):
    return {tuple(point.bounds.values()) for point in minimal.smallest}


@pytest.mark.parametrize("seed", range(30))
def test_the_points_are_the_minimal_ones_of_a_set_that_grows(search, seed):
    """Of an up-set that random points generate, these are the minimal elements."""
    chance = random.Random(seed)
    seeds = [tuple(chance.randint(0, HIGHS[n]) for n in HIGHS) for _ in range(chance.randint(0, 4))]

    def violates(a, b, c):
        return any(x <= a and y <= b and z <= c for x, y, z in seeds)

    minimal = {s for s in seeds if not any(t != s and all(map(int.__le__, t, s)) for t in seeds)}
    searched = []
    bounds = search(violates, True, searched=searched)
    assert bounds_of(bounds) == minimal
    assert bounds.undecided == ()
    assert bounds.outcome is (Outcome.VIOLATED if minimal else Outcome.HOLDS)
    assert len(searched) == len(set(searched)), "nothing is searched twice"
    if not minimal:
        assert searched == [(3, 2, 3)]


@pytest.mark.parametrize("seed", range(30))
def test_where_larger_bounds_do_not_allow_more_all_smaller_ones_are_searched(search, seed):
    chance = random.Random(seed)
    every = list(itertools.product(*(range(high + 1) for high in HIGHS.values())))
    bad = set(chance.sample(every, chance.randint(0, 6)))
    smallest = search(lambda **bounds: tuple(bounds.values()) in bad, False)
    minimal = {s for s in bad if not any(t != s and all(map(int.__le__, t, s)) for t in bad)}
    assert bounds_of(smallest) == minimal


def test_what_was_not_searched_whole_is_undecided_and_never_said_to_hold(search):
    minimal = search(lambda **bounds: False, True, seconds=1e-9)
    assert minimal.outcome is Outcome.INCOMPLETE
    assert len(minimal.undecided) == 4 * 3 * 4
    assert minimal.undecided[0] == {"a": 0, "b": 0, "c": 0}
    assert (str(minimal.stopped_by), minimal.searches) == ("--time-limit 1e-09", 0)


def test_bounds_that_contradict_each_other_are_left_out(walk, make_invariant):
    never = make_invariant("Never", lambda s, k: s.at < 1)

    def build(bounds):
        if bounds["a"] < 2:
            raise BoundsError("a must be 2 or more")
        return walk(2, {(0, 1)})

    minimal = MinimalBoundsSearch(build, never, LOWS, HIGHS, True).run()
    assert bounds_of(minimal) == {(2, 0, 0)}
    with pytest.raises(BoundsError, match="a must be 2"):
        MinimalBoundsSearch(build, never, {"a": 0}, {"a": 1}, True).run()


def test_sufficient_bounds_show_every_violation(search):
    one = search(lambda a, b, c: a >= 2 or c >= 3, True)
    other = search(lambda a, b, c: a >= 1 and b >= 1, True)
    enough = sufficient([other, one])
    assert enough == {"a": 2, "b": 1, "c": 0}
    assert all(any(below(p.bounds, enough) for p in minimal.smallest) for minimal in (one, other))


EXAMPLES = "tidegate.examples"

GROWING = {
    "kip-595-reset": "replicas=2 records=1 log_size=1 crashes=1 elections=1 hw_checkpoint=step",
    f"{EXAMPLES}.published:kip_320": "replicas=2 records=1 log_size=1 max_leader_epoch=1",
    f"{EXAMPLES}.async_isr:async_isr": "replicas=2 max_offset=1 max_version=1",
}


def growing():
    """Return every bound that may be 0, of each model, with a protocol of it."""
    for protocol in map(find_protocol, GROWING):
        for name, (bound, _) in declared(protocol.model.bounds).items():
            if bound.names is None and bound.low == 0:
                yield pytest.param(protocol, name, id=f"{protocol.name} {name}")


@pytest.mark.parametrize(("protocol", "name"), list(growing()))
def test_with_more_of_a_bound_that_may_be_0_everything_can_still_happen(protocol, name):
    """On that it rests that what holds within some bounds holds within all smaller ones."""
    settings = dict(it.split("=") for it in GROWING[protocol.name].split())
    if name == "controller_crashes":
        settings["isr_propagation"] = "zookeeper"
    if name == "reassignments":
        settings["isr_propagation"] = "records"
    small = system_of(protocol, settings)
    value = int(settings.get(name, "0"))
    more = settings | {name: str(value + 1)}
    if name == "log_size":
        more |= {"records": str(value + 1)}
        small = system_of(protocol, settings | {"records": str(value + 1)})
    large = system_of(protocol, more)
    pairs = [(next(iter(small.initial_states())), next(iter(large.initial_states())))]
    seen = set(pairs)
    for one, other in pairs:
        small.layout.load(one)
        if not small.inside():
            continue
        for index, successor in list(small.successors(one)):
            step = small.instances[index].step
            there = large.take(other, step)
            assert there is not None, f"{step} is not enabled with more {name}"
            if (successor, there) not in seen:
                seen.add((successor, there))
                pairs.append((successor, there))
    assert len({one for one, _ in pairs}) == len(seen)
    assert check(small, []).distinct_states <= len(seen)


def system_of(protocol, settings):
    """Return the system of a protocol within bounds."""
    given = [f"{name}={value}" for name, value in settings.items()]
    return protocol.system(parse(protocol.model.bounds, given))
