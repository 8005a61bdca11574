"""Eligible leader replicas (KIP-966): what they repair, and how far they reach."""

import pytest

from tidegate.checker.check import check
from tidegate.core.fields import NONE
from tidegate.core.spec import Outcome, Property

LOSS = ["NoCommittedRecordLost", "NoAckedRecordLost"]

slow = pytest.mark.slow

SURVIVES = [
    "replicas=2 records=1 min_isr=2 elr power_losses=1 crashes=1 elections=3",
    pytest.param(
        "replicas=2 records=1 min_isr=2 elr power_losses=2 crashes=2 elections=4", marks=slow
    ),
    pytest.param(
        "replicas=2 records=1 min_isr=2 elr power_losses=1 crashes=1 elections=3 moves", marks=slow
    ),
    pytest.param(
        "replicas=3 records=1 min_isr=2 elr power_losses=1 crashes=0 elections=2 moves", marks=slow
    ),
    pytest.param(
        "replicas=3 records=1 min_isr=3 elr power_losses=2 crashes=0 elections=3", marks=slow
    ),
    pytest.param(
        "replicas=3 records=1 min_isr=2 elr power_losses=2 crashes=0 elections=4", marks=slow
    ),
    pytest.param(
        "replicas=3 records=1 min_isr=2 elr power_losses=1 crashes=1 elections=3", marks=slow
    ),
]  # fmt: skip


@pytest.mark.parametrize("settings", SURVIVES)
def test_no_power_loss_takes_what_is_acknowledged(search, settings):
    """However many lose their log: who may have is not eligible, though nobody may be left."""
    result = search("kip-320", settings)
    assert result.outcome is Outcome.HOLDS


LAST_REPLICA = "records=1 min_isr=2 power_losses=1"


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ("replicas=2 crashes=0 elections=0", 9),
        ("replicas=2 crashes=0 elections=0 hw_needs_min_isr", 9),
        ("replicas=2 crashes=1 elections=2 hw_needs_min_isr bounce_noticed", 12),
        ("replicas=3 crashes=0 elections=0 hw_needs_min_isr", 10),
        pytest.param(
            "replicas=3 crashes=1 elections=2 hw_needs_min_isr bounce_noticed", 13, marks=slow
        ),
    ],
)
def test_the_last_replica_standing_takes_it_without_them(search, settings, steps):
    """docs/model.md shows the same steps; with ELR at these bounds nothing is lost."""
    result = search("kip-320", f"{LAST_REPLICA} {settings}", ["NoAckedRecordLost"])
    assert len(result.first.trace.steps) == steps
    repaired = settings.replace("hw_needs_min_isr", "elr").replace(" bounce_noticed", "")
    if "elr" in repaired:
        repaired = search("kip-320", f"{LAST_REPLICA} {repaired}", ["NoAckedRecordLost"])
        assert repaired.outcome is Outcome.HOLDS


CANDIDATE = Property(
    name="LeaderCandidateExists",
    statement="Some replica is in sync or eligible to lead.",
    source="KIP-966: min.insync.replicas - 1 failures are tolerated",
    predicate=lambda s, k: (s.partition.isr | s.partition.elr) != 0,
    explain=lambda s, k: "Nobody is in sync, and nobody is eligible.",
)


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ("replicas=2 min_isr=2 crashes=1 power_losses=0 elections=3 moves", None),
        pytest.param(
            "replicas=2 min_isr=2 crashes=0 power_losses=1 elections=3 moves", None, marks=slow
        ),
        pytest.param("replicas=3 min_isr=2 crashes=1 power_losses=0 elections=2", None, marks=slow),
        pytest.param(
            "replicas=3 min_isr=2 crashes=0 power_losses=1 elections=2 moves", None, marks=slow
        ),
        pytest.param("replicas=3 min_isr=3 crashes=1 power_losses=1 elections=3", None, marks=slow),
        ("replicas=2 min_isr=1 crashes=1 power_losses=0 elections=1", 5),
        ("replicas=2 min_isr=2 crashes=1 power_losses=1 elections=2", 6),
        ("replicas=3 min_isr=2 crashes=1 power_losses=1 elections=2", 8),
    ],
)
def test_one_failure_less_than_min_isr_leaves_somebody_who_may_lead(system, settings, steps):
    """KIP-966's claim: every crash counts, as brokers cannot tell one from a power loss."""
    result = check(system("kip-320", f"records=1 elr {settings}", frozenset()), [CANDIDATE])
    assert (len(result.first.trace.steps) if result.first else None) == steps
    assert (result.outcome is Outcome.HOLDS) is (steps is None)


def test_unclean_elections_lose_only_what_one_failure_more_takes(search):
    settings = "replicas=2 records=1 min_isr=2 elr unclean_election crashes=0 elections=3"
    assert search("kip-320", f"{settings} power_losses=1", LOSS).outcome is Outcome.HOLDS
    assert search("kip-320", f"{settings} power_losses=2", LOSS).outcome is Outcome.VIOLATED


BEGINS = "records=1 min_isr=2 elr crashes=2 elections=4"


def test_the_last_member_may_leave_the_isr_and_is_elected_from_the_elr(begin):
    behavior = begin("kip-320", BEGINS).follow("Crash 0\nFence 0")
    assert (behavior.record.partition.isr, behavior.record.partition.elr) == (0b10, 0b01)
    behavior.follow("Crash 1\nFence 1")
    assert (behavior.record.partition.isr, behavior.record.partition.elr) == (0b00, 0b11)
    behavior.take("Restart", 1)
    assert behavior.record.partition.elr == 0b01, "it went down uncleanly"
    assert not behavior.can("Elect", 1)
    assert behavior.record.partition.leader == NONE


def test_a_live_member_of_the_elr_leads_alone_where_the_isr_has_none(begin):
    behavior = begin("kip-320", f"{BEGINS} replicas=3")
    behavior.follow("Produce 0\nShrinkIsr 0 1\nShrinkIsr 0 2")
    assert (behavior.record.partition.isr, behavior.record.partition.elr) == (0b001, 0b100)
    assert not behavior.can("Elect", 2), "the leader is alive"
    behavior.follow("Crash 0\nElect 2")
    assert (behavior.record.partition.isr, behavior.record.partition.elr) == (0b100, 0b001)


def test_the_elr_is_emptied_when_the_isr_has_min_isr_members_again(begin):
    behavior = begin("kip-320", f"{BEGINS} replicas=3")
    behavior.follow("Produce 0\nShrinkIsr 0 1\nShrinkIsr 0 2")
    behavior.follow("SendFetch 0 1\nHandleFetch 0 1")
    assert (behavior.record.partition.isr, behavior.record.partition.elr) == (0b011, 0)


def test_a_broker_that_is_in_sync_starts_again_only_after_its_fence(begin):
    behavior = begin("kip-320", BEGINS).take("Crash", 1)
    assert not behavior.can("Restart", 1)
    assert behavior.take("Fence", 1).can("Restart", 1)


def test_an_unclean_election_forgets_who_was_eligible(begin):
    behavior = begin("kip-320", f"{BEGINS} replicas=3 unclean_election")
    behavior.follow("Produce 0\nShrinkIsr 0 1\nSendFetch 0 2\nHandleFetch 0 2\nCrash 0\nCrash 2")
    assert behavior.record.partition.elr == 0
    behavior.take("Elect", 1)
    assert (behavior.record.partition.isr, behavior.record.partition.elr) == (0b010, 0)


def test_no_room_is_taken_while_the_option_is_off(system):
    stored = {variable.path for variable in system("kip-320", "replicas=3").layout.stored}
    assert "partition.elr" not in stored
    assert "partition.elr" in {v.path for v in system("kip-320", "elr").layout.stored}
