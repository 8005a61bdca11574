"""What the published protocols say, step by step, and how their traces read."""

import re

import pytest

from tests.published import PUBLISHED
from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.core.result import Limits
from tidegate.library.properties import invariants_of
from tidegate.model import PROTOCOLS

ONE_RECORD = """
ControllerElectLeader 0
BecomeLeader 0 0
BecomeFollower 1 0
LeaderWrite 0
"""
"""Replica 0 leads epoch 0 and has m0; replica 1 follows it."""


def follower_without_it(s):
    s.replica[1].leo = 0
    s.replica[1].log[0].record = -1


def leader_out_of_sync(s):
    s.partition.leader, s.partition.isr = 1, 0b01


def two_leaders(s):
    s.replica[1].leader = 1


def out_of_range(s):
    s.partition.leader = 7


def leader_with_another(s):
    s.replica[0].log[0].record = 1


def other_record(s):
    s.replica[1].hw = 1
    s.replica[1].log[0].record = 1


CASES = {
    "WeakIsr": (
        follower_without_it,
        "m0 at offset 0; replica 1 .*own view of the ISR, but its log ends at 0",
    ),
    "StrongIsr": (
        follower_without_it,
        "replica 1 is in the partition state's ISR, but its log ends at 0",
    ),
    "KnownLeaderInIsr": (leader_out_of_sync, r"names broker 1 leader of epoch 0, but its ISR is 0"),
    "AtMostOneLeaderPerEpoch": (two_leaders, "Brokers 0 and 1 both lead in leader epoch 0"),
    "TypeOk": (out_of_range, r"partition.leader is 7, declared -1\.\.1"),
    "NoCommittedRecordLost": (
        leader_with_another,
        "m0 was below a leader's high watermark.*Replica 0 now leads epoch 0",
    ),
    "LogMatchingEverywhere": (
        other_record,
        r"offset 0.*\(1 and 1\), replica 0 has m0 and replica 1 has m1",
    ),
}
"""By property: what breaks it, and what is said of the state then."""


@pytest.mark.parametrize("protocol", PUBLISHED, ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("settings", ["", "records=1 replicas=3", "records=3 log_size=1"])
def test_no_action_is_impure_and_every_variable_stays_in_range(system, protocol, settings):
    watched = system(protocol.name, settings)
    watched.debug = True
    assert check(watched, [], limits=Limits(max_states=700)).distinct_states > 300


@pytest.mark.parametrize("protocol", PUBLISHED, ids=lambda protocol: protocol.name)
@pytest.mark.parametrize("settings", ["records=0", "replicas=1", "max_leader_epoch=0"])
def test_the_smallest_bounds_are_bounds_too(search, protocol, settings):
    assert not search(protocol.name, settings).first


def test_a_record_is_committed_once_the_isr_has_it(begin):
    behavior = begin("tidegate.examples.published:hw").follow(ONE_RECORD)
    assert not behavior.can("LeaderIncHighWatermark", 0)
    behavior.follow("FollowerFetch 0 1\nLeaderIncHighWatermark 0")
    assert [replica.hw for replica in behavior.record.replica] == [1, 0]


def test_the_isr_can_become_empty(begin):
    """Where nobody leads, the last member can be taken out; nobody can be elected from then on."""
    behavior = begin("tidegate.examples.published:hw", "max_leader_epoch=3")
    behavior.follow("ControllerShrinkIsr 0\nControllerShrinkIsr 1")
    assert behavior.record.partition.isr == 0
    assert not behavior.can("ControllerElectLeader", 0)
    assert not behavior.can("ControllerElectLeader", 1)


def test_a_leader_that_is_the_last_member_stays_in_the_isr(begin):
    behavior = begin("tidegate.examples.published:hw", "max_leader_epoch=2")
    behavior.follow("ControllerElectLeader 0\nControllerShrinkIsr 1\nControllerShrinkIsr 0")
    assert (behavior.record.partition.leader, behavior.record.partition.isr) == (-1, 0b01)


@pytest.mark.parametrize("protocol", PUBLISHED, ids=lambda protocol: protocol.name)
def test_kip_101_as_published_cannot_follow_a_longer_log_of_the_same_epoch(begin, protocol):
    """The looked-up offset, 2, is beyond the follower's log end, 1; Kafka would take 1."""
    behavior = begin(protocol.name, "max_leader_epoch=2").follow(ONE_RECORD)
    behavior.follow("FollowerFetch 0 1\nLeaderWrite 0")
    behavior.follow("ControllerElectLeader 1\nControllerElectLeader 0\nBecomeLeader 0 2")
    assert behavior.can("BecomeFollower", 1, 2) == (
        protocol.name != "tidegate.examples.published:kip_101"
    )


def test_only_kip_320_waits_for_its_leader_to_be_in_the_epoch(begin):
    for protocol in PUBLISHED:
        behavior = begin(protocol.name).follow("ControllerElectLeader 0")
        assert behavior.can("BecomeFollower", 1, 0) == (
            protocol.name != "tidegate.examples.published:kip_320"
        )


def test_columns_say_who_leads_and_what_is_in_the_logs(begin):
    behavior = begin("tidegate.examples.published:hw").follow(ONE_RECORD)
    behavior.follow("FollowerFetch 0 1\nLeaderIncHighWatermark 0\nControllerElectLeader 1")
    assert behavior.system.scenes([behavior.state])[0].columns == {
        "controller": "1 leads e1\nisr {0,1}",
        "replica 0": "leads e0 isr {0,1} (stale)\n[m0 (e0) |] HW 1",
        "replica 1": "follows 0 e0\n[| m0 (e0)] HW 0",
    }


def test_columns_before_the_first_election(begin):
    behavior = begin("tidegate.examples.published:hw")
    assert behavior.system.scenes([behavior.state])[0].columns == {
        "controller": "no leader\nisr {0,1}",
        "replica 0": "idle\n[|] HW 0",
        "replica 1": "idle\n[|] HW 0",
    }


def test_every_protocol_checks_some_of_its_properties():
    for protocol in PROTOCOLS:
        names = {prop.name for prop in invariants_of(protocol)}
        assert set(protocol.default_properties) <= names


def test_every_invariant_has_a_case():
    missing = {prop.name for prop in invariants_of(PUBLISHED[0])} - set(CASES)
    assert not missing, f"write a state that violates {missing}, with its explanation, into CASES"


@pytest.mark.parametrize(
    "prop",
    [it for it in invariants_of(PUBLISHED[0]) if it.name in CASES],
    ids=lambda prop: prop.name,
)
def test_a_property_tells_a_state_that_violates_it(begin, prop):
    breaks, words = CASES[prop.name]
    behavior = begin("tidegate.examples.published:hw").follow(ONE_RECORD)
    behavior.follow("FollowerFetch 0 1\nLeaderIncHighWatermark 0")
    system = behavior.system
    assert not system.violates(prop, behavior.state)
    system.layout.load(behavior.state)
    breaks(system.record)
    assert system.judge([prop])() == [prop]
    violating = system.layout.dump()
    assert re.search(words, system.explain(prop, violating))


def test_log_size_follows_records():
    bounds = parse(PUBLISHED[0].model.bounds, ["records=3"])
    assert bounds.log_size == 3
