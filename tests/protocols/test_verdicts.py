"""The verdicts that an independent model of the same rules gave, row by row.

Origin: a second model of this family, written apart from this one, whose verdicts do not depend on
the grain of the steps (its counts do, and are not used here).
"""

import pytest

from tidegate.checker.check import check
from tidegate.core.result import Limits
from tidegate.core.spec import Outcome

LOSS = {"NoCommittedRecordLost", "NoAckedRecordLost"}
DIVERGENCE = {"LogMatching", "EpochLogMatching"}
HOLDS: set[str] = set()

slow = pytest.mark.slow


LOST, MATCHING, EPOCHS, CANDIDATE = (
    "NoCommittedRecordLost", "LogMatching", "EpochLogMatching", "LeaderCandidateCompleteness",
)  # fmt: skip

STEPS = [
    ("hw", "records=2 crashes=2 elections=1", {LOST: 12, MATCHING: 15, CANDIDATE: 9}),
    ("hw", "records=1 crashes=1 elections=2", {CANDIDATE: 9}),
    ("hw", "records=1 crashes=0 elections=2 moves", {CANDIDATE: 10}),
    ("hw", "records=1 crashes=0 elections=3 moves", {LOST: 12, CANDIDATE: 10}),
    pytest.param(
        "hw", "records=3 crashes=0 elections=2 moves",
        {MATCHING: 13, EPOCHS: 13, CANDIDATE: 10}, marks=slow,
    ),
    ("kafka-0.8.1-zookeeper", "records=1 crashes=0 elections=2 moves", {LOST: 11, CANDIDATE: 9}),
    pytest.param("kip-101", "records=2 crashes=2 elections=3", {}, marks=slow),
    pytest.param(
        "kip-101~hw_with_records = after_the_fetch", "records=3 crashes=0 elections=2 moves",
        {MATCHING: 14, EPOCHS: 14, CANDIDATE: 13}, marks=slow,
    ),
    pytest.param(
        "kip-101", "records=2 crashes=0 elections=3 moves", {LOST: 16, CANDIDATE: 14}, marks=slow,
    ),
    pytest.param("kip-279", "records=2 crashes=2 elections=3", {}, marks=slow),
    ("kip-279", "records=1 crashes=0 elections=3 moves", {LOST: 15, CANDIDATE: 13}),
    ("kip-320", "records=1 crashes=0 elections=3 moves", {}),
    pytest.param("kip-320", "records=2 crashes=2 elections=3", {}, marks=slow),
    pytest.param("kip-320", "records=3 crashes=0 elections=2 moves", {}, marks=slow),
    pytest.param("kip-320", "records=2 crashes=0 elections=3 moves", {}, marks=slow),
]  # fmt: skip
"""What the other model violates with 2 replicas, and in how many steps.

Its responses carry the high watermark after the fetch.  With leader epochs only 1.0.0, 1.0.1 and
1.1.0 do that (KAFKA-7104); kip-101 itself first violates LogMatching in 15 steps.
"""


@pytest.mark.parametrize(("protocol", "settings", "steps"), STEPS)
def test_each_violation_takes_as_many_steps_as_in_the_other_model(
    search, protocol, settings, steps
):
    result = search(protocol, settings, [LOST, MATCHING, EPOCHS, CANDIDATE], keep_going=True)
    assert result.complete
    violated = [verdict for verdict in result.verdicts if verdict.trace]
    assert {one.property.name: len(one.trace.steps) for one in violated} == steps


@pytest.mark.parametrize("protocol", ["hw", "kip-101", "kip-279", "kip-320"])
def test_the_high_watermark_goes_back_under_every_protocol(search, protocol):
    """KIP-207: an expected violation, so it is not among the default properties."""
    result = search(protocol, "records=1 crashes=0 moves", ["HighWatermarkMonotonic"])
    assert result.outcome is Outcome.VIOLATED


@pytest.mark.parametrize("protocol", ["hw", "kip-101", "kip-279", "kip-320"])
def test_acks_1_loses_an_acknowledged_record_in_four_steps(search, protocol):
    """Produce, crash, elect, become leader: the record was on one replica only."""
    result = search(protocol, "acks=1", ["NoAckedRecordLost"])
    [verdict] = result.verdicts
    assert verdict.outcome is Outcome.VIOLATED
    assert [step.action for step in verdict.trace.steps] == [
        "Produce", "Crash", "Elect", "BecomeLeader",
    ]  # fmt: skip


@pytest.mark.parametrize("protocol", ["hw", "kip-101"])
def test_acks_0_promises_nothing(search, protocol):
    result = search(protocol, "acks=0", ["NoAckedRecordLost"])
    assert result.outcome is Outcome.HOLDS


def test_a_committed_record_need_not_be_acknowledged_with_min_isr_2(search):
    """A sole ISR member commits, but acknowledges nothing: it rejects the append itself."""
    loss = search("hw", "min_isr=2 records=1", ["NoCommittedRecordLost", "NoAckedRecordLost"])
    assert loss.outcome is Outcome.VIOLATED
    alone = search("kip-320", "records=1 min_isr=2 power_losses=1 crashes=1", keep_going=True)
    by_name = {v.property.name: v for v in alone.verdicts}
    committed, acked = by_name["NoCommittedRecordLost"], by_name["NoAckedRecordLost"]
    assert committed.outcome is Outcome.VIOLATED
    assert acked.trace is None or len(acked.trace.steps) > len(committed.trace.steps)


@slow
def test_the_last_replica_standing_loses_what_was_acknowledged(search):
    """KIP-966's rule for the HW does not help: only eligible leader replicas would.

    The ISR shrinks to one member, which comes back from a power loss with an empty log and leads.
    """
    bounds = "replicas=3 records=1 min_isr=2 elections=3 hw_needs_min_isr bounce_noticed"
    result = search("kip-320", f"{bounds} power_losses=1 crashes=1", ["NoAckedRecordLost"])
    assert result.outcome is Outcome.VIOLATED
    alone = search("kip-320", f"{bounds} power_losses=1 crashes=0", ["NoAckedRecordLost"])
    assert alone.outcome is Outcome.HOLDS


VERDICTS_AT_ANY_FETCH_SIZE = [
    ("hw", "", {*LOSS, "LogMatching"}),
    ("kip-101", "", HOLDS),
    ("kip-320", "", HOLDS),
    pytest.param("kip-101", "records=3 crashes=0 elections=2 moves", DIVERGENCE, marks=slow),
]


@pytest.mark.parametrize(("protocol", "settings", "violated"), VERDICTS_AT_ANY_FETCH_SIZE)
def test_verdicts_do_not_depend_on_how_much_a_response_carries(
    search, protocol, settings, violated
):
    result = search(protocol, f"{settings} fetch_size=3", keep_going=True)
    found = {v.property.name for v in result.verdicts if v.outcome is Outcome.VIOLATED}
    assert result.complete
    assert found == violated


@pytest.mark.parametrize("protocol", ["hw", "kip-101", "kip-279", "kip-320"])
@pytest.mark.parametrize(
    "settings",
    [
        "records=1 crashes=1",
        "records=1 crashes=1 power_losses=1 lost_messages=1",
        "records=1 moves late_request hw_checkpoint=step",
        "records=1 replicas=3 crashes=1 min_isr=2 hw_needs_min_isr",
        "records=1 unclean_election stale_leader_and_isr acks=1",
        "records=2 log_size=1 fetch_size=2 acks=0",
    ],
)
def test_no_action_is_impure_and_every_variable_stays_in_range(system, protocol, settings):
    """Every option, with every action watched; the search raises where one misbehaves."""
    watched = system(protocol, settings)
    watched.debug = True
    result = check(watched, [], limits=Limits(max_states=400))
    assert result.distinct_states > 300
