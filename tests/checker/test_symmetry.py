"""Symmetry under permutations of replicas."""

import random
from dataclasses import replace

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import make_system
from tidegate.checker.check import check
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.cli import main
from tidegate.core.result import Resources
from tidegate.core.spec import ModelError, Outcome
from tidegate.core.symmetry import Symmetry, SymmetryError, permuted
from tidegate.examples.published import kip_320
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.properties import invariants_of

[STUCK] = [prop for prop in PROPERTIES if prop.name == "Stuck"]

SMALL = {
    "tidegate.examples.published:kip_320": "replicas=3 log_size=1 records=1 max_leader_epoch=1",
    "tidegate.examples.published:hw": "replicas=2 log_size=2 records=2 max_leader_epoch=1",
    "kip-320": "replicas=3 records=1 crashes=1 elections=1",
    "hw": "replicas=4 records=1 crashes=0 elections=1",
    "tidegate.examples.async_isr:async_isr": "replicas=4 max_version=1",
    "tidegate.examples.paxos:model": "acceptors=3 ballots=2 values=2",
    "tidegate.examples.raft:model": "servers=3 terms=1 log=1",
    "tidegate.examples.transaction_commit:model": "managers=4",
}


def all_states(system):
    """Return every reachable state."""
    search = Search(SearchRequest(system, []))
    search.run()
    return search.seen


def walk(system, steps, seed):
    """Return a state that a random behavior reaches."""
    dice = random.Random(seed)
    state = next(iter(system.initial_states()))
    for _ in range(steps):
        successors = [successor for _, successor in system.successors(state) if system.inside()]
        if not successors:
            break
        state = dice.choice(successors)
    return state


def test_the_group_fixes_the_initial_states():
    """All permutations in the published family; those that leave broker 0 alone in the others."""
    sizes = {name: len(Symmetry(make_system(name, bounds)).group) for name, bounds in SMALL.items()}
    assert sizes == {
        "tidegate.examples.published:kip_320": 6,
        "tidegate.examples.published:hw": 2,
        "kip-320": 2,
        "hw": 6,
        "tidegate.examples.async_isr:async_isr": 6,
        "tidegate.examples.paxos:model": 6,
        "tidegate.examples.raft:model": 6,
        "tidegate.examples.transaction_commit:model": 24,
    }
    for protocol in ("hw", "tidegate.examples.async_isr:async_isr"):
        for permutation in Symmetry(make_system(protocol, SMALL[protocol])).group:
            assert permutation[0] == 0


@pytest.mark.parametrize(
    "protocol",
    [
        "tidegate.examples.published:kip_320",
        "tidegate.examples.published:hw",
        "hw",
        "tidegate.examples.async_isr:async_isr",
        "tidegate.examples.paxos:model",
        "tidegate.examples.raft:model",
        "tidegate.examples.transaction_commit:model",
    ],
)
def test_orbits_are_as_many_as_brute_force_counts(protocol):
    """Origin of the expected number: all reachable states, joined to all their permutations."""
    system = make_system(protocol, SMALL[protocol], frozenset())
    symmetry = Symmetry(system)
    renamings = [permuted(system.layout, p) for p in symmetry.group]
    orbits = {frozenset(apply(state) for apply in renamings) for state in all_states(system)}
    assert check(system, [], symmetry=True).distinct_states == len(orbits)


ORBITS = [
    ("tidegate.examples.published:hw", "max_leader_epoch=2", 5066),
    ("tidegate.examples.published:kip_101", "max_leader_epoch=2", 4523),
    ("tidegate.examples.published:kip_279", "max_leader_epoch=2", 4514),
    ("tidegate.examples.published:kip_320", "max_leader_epoch=2", 2987),
    pytest.param(
        "tidegate.examples.published:kip_320", "replicas=3 max_leader_epoch=2", 123_311,
        marks=pytest.mark.slow,
    ),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(("protocol", "bounds", "orbits"), ORBITS)
def test_orbits_of_the_published_family(protocol, bounds, orbits, engine):
    """Origin: exact orbit counts of an independent port; with 3 replicas TLC with SYMMETRY."""
    system, resources = make_system(protocol, bounds, frozenset()), Resources(engine=engine)
    result = check(system, [], symmetry=True, resources=resources)
    assert (result.outcome, result.distinct_states) == (Outcome.HOLDS, orbits)


@settings(max_examples=60, deadline=None)
@given(
    protocol=st.sampled_from(sorted(SMALL)), steps=st.integers(0, 40), seed=st.integers(0, 10**6)
)
def test_canonical_is_idempotent_and_blind_to_permutation(protocol, steps, seed):
    system = make_system(protocol, SMALL[protocol], frozenset())
    symmetry = Symmetry(system)
    state = walk(system, steps, seed)
    canonical = symmetry.canonical(state)
    assert symmetry.canonical(canonical) == canonical
    for permutation in symmetry.group:
        assert symmetry.canonical(permuted(system.layout, permutation)(state)) == canonical


@settings(max_examples=40, deadline=None)
@given(steps=st.integers(0, 40), seed=st.integers(0, 10**6), data=st.data())
def test_a_permutation_can_be_undone(steps, seed, data):
    system = make_system("kip-320", "replicas=4 records=2 late_request moves", frozenset())
    state = walk(system, steps, seed)
    permutation = tuple(data.draw(st.permutations(range(4))))
    inverse = tuple(permutation.index(replica) for replica in range(4))
    there = permuted(system.layout, permutation)(state)
    assert permuted(system.layout, inverse)(there) == state


@pytest.mark.parametrize(
    ("protocol", "bounds"),
    [
        ("tidegate.examples.published:hw", SMALL["tidegate.examples.published:hw"]),
        (
            "tidegate.examples.published:kip_279",
            "replicas=3 log_size=1 records=1 max_leader_epoch=1",
        ),
        ("kip-101", "replicas=3 records=1 crashes=0 elections=1 acks=1"),
        ("tidegate.examples.async_isr:async_isr", "replicas=3"),
        ("tidegate.examples.paxos:model", "acceptors=3"),
        pytest.param(
            "tidegate.examples.raft:model", "servers=3 bug=vote-twice", marks=pytest.mark.slow
        ),
    ],
)
def test_verdicts_and_steps_are_those_without_symmetry(search, protocol, bounds):
    """The trace is one of real replicas: every step of it is replayed before it is reported."""
    plain = search(protocol, bounds, keep_going=True)
    reduced = search(protocol, bounds, keep_going=True, symmetry=True)
    assert reduced.distinct_states < plain.distinct_states
    assert reduced.depth == plain.depth
    for one, other in zip(plain.verdicts, reduced.verdicts, strict=True):
        assert one.outcome is other.outcome
        if one.trace:
            assert len(one.trace.steps) == len(other.trace.steps)


def test_steps_that_are_not_those_of_the_code_are_noticed_on_samples(system):
    """The code treats replicas alike, and yet only replica 0 may be elected."""
    favoured = system(
        "tidegate.examples.published:kip_320", SMALL["tidegate.examples.published:kip_320"]
    )
    elect = next(i for i in favoured.instances if i.action.name == "ControllerElectLeader")
    only_0 = replace(elect.action, apply=lambda s, k, r: r == 0 and elect.action.apply(s, k, r))
    favoured._tried = [
        (index, only_0.apply if instance.action is elect.action else apply, arguments)
        for (index, apply, arguments), instance in zip(
            favoured._tried, favoured.instances, strict=True
        )
    ]
    with pytest.raises(ModelError, match="symmetry is broken"):
        check(favoured, invariants_of(kip_320), symmetry=True)


def never_behind_1(s, k):
    return s.replica[0].leader != 1


def test_a_property_that_tells_replicas_apart_is_refused(system, make_invariant):
    behind_1 = make_invariant("NeverBehind1", never_behind_1)
    with pytest.raises(SymmetryError, match=r"NeverBehind1: s\.replica\[0\]"):
        check(
            system("tidegate.examples.published:hw", SMALL["tidegate.examples.published:hw"]),
            [behind_1],
            symmetry=True,
        )


def test_stuck_is_refused_with_a_reason(system):
    with pytest.raises(SymmetryError, match="cannot be combined with -p Stuck"):
        check(system("hw", "replicas=3 records=1"), [STUCK], symmetry=True)


def test_the_command_line_reports_up_to_what():
    arguments = ["check", "tidegate.examples.published:kip_320", "--symmetry"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0
    assert "up to 2 permutations of the replicas" in " ".join(result.output.split())
    refused = CliRunner().invoke(main, ["check", "hw", "-p", "Stuck", "--symmetry"])
    assert refused.exit_code == 2
