"""Mutants that survive ``tidegate mutate`` die where their notes say."""

import pytest

from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.core.result import Limits
from tidegate.library.histories import histories
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol
from tidegate.library.properties import invariants_of

LATE = "replicas=3 records=2 log_size=1 crashes=1 moves late_request"

WAITING = "records=2 elections=3 crashes=0 moves purgatory"

DIE_LATER = [
    (
        "kip-595-reset", "HandleLateFetch: not k.rules.may_serve_fetch(s, k, leader, late.epoch)",
        f"{LATE} elections=3", "NoCommittedRecordLost", 19,
    ),
    (
        "kip-595-reset", "forgets_remote_leos = unless_leading",
        "replicas=3 records=1 elections=3 crashes=0 moves", "NoCommittedRecordLost", 17,
    ),
    (
        "kip-595", "BecomeFollower: not s.replica[follower].alive",
        "records=1 elections=4 crashes=1 moves", "NoCommittedRecordLost", 15,
    ),
    (
        "kip-279", "HandleLateFetch: late.leader != leader",
        f"{LATE} elections=2", "NoCommittedRecordLost", 14,
    ),
    (
        "kip-101", "HandleLateFetch: late.leader != leader",
        f"{LATE} elections=2", "NoCommittedRecordLost", 12,
    ),
    (
        "kip-279", "CompleteFetch: s.message[follower].kind != DELAYED_FETCH",
        WAITING, "NoCommittedRecordLost", 14,
    ),
    (
        "kip-101", "CompleteFetch: s.message[follower].kind != DELAYED_FETCH",
        WAITING, "LogMatching", 11,
    ),
    (
        "tidegate.examples.published:kip_320", "may_follow = any_leader",
        "replicas=3 max_leader_epoch=2", "StrongIsr", 13,
    ),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mutant", "bounds", "violated", "steps"), DIE_LATER)
def test_a_survivor_dies_at_the_larger_bounds_of_its_note(name, mutant, bounds, violated, steps):
    protocol = find_protocol(name)
    [weaker] = [found.protocol for found in mutants(protocol) if found.name == mutant]
    note = protocol.model.survivors[f"{protocol.declared or name}: {mutant}"]
    assert f"by {violated} in {steps} steps" in note
    [prop] = [prop for prop in invariants_of(protocol) if prop.name == violated]
    within = parse(protocol.model.bounds, bounds.split())
    assert (
        len(check(weaker.system(within, histories(prop, weaker)), [prop]).first.trace.steps)
        == steps
    )
    as_far = Limits(max_depth=steps + 1)
    assert (
        check(protocol.system(within, histories(prop, protocol)), [prop], limits=as_far).first
        is None
    )
