"""The last known leader (KIP-966): who is noted, when it leads again, and what that loses."""

import pytest

from tidegate.core.bounds import BoundsError
from tidegate.core.fields import NONE
from tidegate.core.result import Resources
from tidegate.core.spec import Outcome

LOST = "NoAckedRecordLost"
FENCED_TOO = "kip-595~elects_last_known_leader = even_if_fenced"
RECORDS = "isr_propagation=records elr last_known_leader records=0 crashes=2 elections=2"

slow = pytest.mark.slow


def decide(search, protocol, settings, name=LOST):
    [verdict] = search(protocol, settings, [name]).verdicts
    return verdict.outcome, verdict.trace and len(verdict.trace.steps)


@pytest.mark.parametrize(
    ("failures", "steps"),
    [
        ("power_losses=1 crashes=1 elections=3", 14),
        ("power_losses=1 crashes=1 elections=2", None),
        ("power_losses=1 crashes=0 elections=3", None),
        ("power_losses=0 crashes=2 elections=5", None),
    ],
)
def test_more_failures_than_it_tolerates_lose_a_record_that_a_live_replica_has(
    search, failures, steps
):
    settings = f"records=1 min_isr=2 elr {failures}"
    with_it = decide(search, "kip-595", f"{settings} last_known_leader")
    assert with_it == (Outcome.VIOLATED if steps else Outcome.HOLDS, steps)
    assert decide(search, "kip-595", settings) == (Outcome.HOLDS, None)


def test_with_min_isr_1_the_only_member_loses_it_alone(search):
    settings = "records=1 elr power_losses=1 crashes=0 elections=2"
    assert decide(search, "kip-595", settings) == (Outcome.HOLDS, None)
    lost = decide(search, "kip-595", f"{settings} last_known_leader")
    assert lost == (Outcome.VIOLATED, 7)


def test_a_fenced_broker_was_elected_and_is_not_any_more(search):
    assert decide(search, FENCED_TOO, RECORDS, "EligibleIsr") == (Outcome.VIOLATED, 6)
    assert decide(search, "kip-595", RECORDS, "EligibleIsr") == (Outcome.HOLDS, None)


@pytest.mark.parametrize("bound", ["crashes=1", "elections=1"])
def test_one_bound_lower_nobody_fenced_is_elected(search, bound):
    name = bound.partition("=")[0]
    lower = " ".join(bound if one.startswith(name) else one for one in RECORDS.split())
    assert decide(search, FENCED_TOO, lower, "EligibleIsr") == (Outcome.HOLDS, None)


@pytest.mark.parametrize(
    ("protocol", "settings", "name"),
    [
        ("kip-595", RECORDS, "Stuck"),
        ("kip-595", "records=0 elections=3 elr last_known_leader", "LeaderElected"),
        ("kip-320", "records=1 crashes=2 elections=3 elr last_known_leader min_isr=2", "Stuck"),
        pytest.param(
            "kip-595", f"{RECORDS} replicas=3 elections=3".replace("elections=2 ", ""), "Stuck",
            marks=slow,
        ),
    ],
)  # fmt: skip
def test_a_cluster_recovers_by_it(search, protocol, settings, name):
    assert decide(search, protocol, settings, name) == (Outcome.HOLDS, None)


BEGINS = "records=1 min_isr=2 elr last_known_leader crashes=3 elections=4"
NOBODY = "Crash 0\nFence 0\nCrash 1\nFence 1"


def test_the_last_member_of_the_isr_is_noted_until_it_has_a_member_again(begin):
    behavior = begin("kip-595", BEGINS).follow("Crash 0\nFence 0")
    assert behavior.record.partition.last_known_leader == NONE
    behavior.follow("Crash 1\nFence 1")
    assert behavior.record.partition.last_known_leader == 1
    behavior.follow("Restart 1\nRestart 0\nElectLastKnown 1")
    partition = behavior.record.partition
    assert (partition.leader, partition.isr, partition.last_known_leader) == (1, 0b10, NONE)


def test_an_eligible_replica_goes_before_it(begin):
    behavior = begin("kip-595", BEGINS).follow(f"{NOBODY}\nRestart 1")
    assert behavior.record.partition.elr == 0b01
    assert not behavior.can("ElectLastKnown", 1)


def test_nobody_but_the_last_known_leader_is_elected_and_only_once_it_is_back(begin):
    behavior = begin("kip-595", BEGINS).follow(f"{NOBODY}\nRestart 0\nRestart 1\nCrash 1")
    assert not behavior.can("Elect", 0)
    assert not behavior.can("ElectLastKnown", 0)
    assert not behavior.can("ElectLastKnown", 1)
    behavior.follow("Restart 1\nElectLastKnown 1\nBecomeLeader 1 3")
    assert behavior.record.replica[1].leader == 1


def test_with_kraft_it_is_elected_once_its_fence_ends(begin):
    settings = "isr_propagation=kraft records=0 elr last_known_leader crashes=2 elections=4"
    behavior = begin("kip-595", settings).follow(f"{NOBODY}\nRestart 0\nRestart 1")
    assert not behavior.can("ElectLastKnown", 1)
    assert behavior.take("Unfence", 1).can("ElectLastKnown", 1)


def test_it_goes_before_an_unclean_election_of_another_replica(begin):
    behavior = begin("kip-595", f"{BEGINS} unclean_election").follow(f"{NOBODY}\nRestart 0")
    behavior.take("Restart", 1)
    assert not behavior.can("Elect", 0)
    assert behavior.can("ElectLastKnown", 1)
    assert behavior.take("Crash", 1).can("Elect", 0)


def test_both_engines_find_the_same(search):
    settings = "records=1 min_isr=2 power_losses=1 crashes=1 elections=3 elr last_known_leader"
    one, other = (
        search(
            "kip-595", settings, [LOST, "LogMatching", "Stuck"], keep_going=True,
            resources=Resources(engine=engine),
        )
        for engine in ("interpreted", "compiled")
    )  # fmt: skip
    assert (one.distinct_states, one.depth) == (other.distinct_states, other.depth)
    assert [(v.outcome, v.trace and v.trace.steps) for v in one.verdicts] == [
        (v.outcome, v.trace and v.trace.steps) for v in other.verdicts
    ]


@pytest.mark.parametrize(
    ("protocol", "settings", "states"),
    [
        ("kip-320", "records=1 min_isr=2 elr crashes=1 elections=3 power_losses=1", 3_317),
        ("kip-595", "records=1 min_isr=2 elr crashes=1 elections=2 isr_propagation=records", 3_439),
        ("kip-595", "elr unclean_election records=1 crashes=1 elections=2", 407),
    ],
)
def test_the_option_off_costs_no_state(search, system, protocol, settings, states):
    """The counts are those of the version before the option."""
    assert search(protocol, settings, []).distinct_states == states
    name = "partition.last_known_leader"
    assert name not in {v.path for v in system(protocol, settings).layout.stored}
    assert name in {v.path for v in system(protocol, f"{settings} last_known_leader").layout.stored}


def test_without_eligible_replicas_it_is_refused_with_the_repair(system):
    with pytest.raises(BoundsError, match=r"without elr.*set elr"):
        system("kip-595", "last_known_leader")
