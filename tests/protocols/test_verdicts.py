"""The verdicts that an independent model of the same rules gave, row by row.

Origin: a second model of this family, written apart from this one, whose verdicts do not depend on
the grain of the steps (its counts do, and are not used here).
"""

import pytest

from tidegate.checker.check import check
from tidegate.checker.result import Limits
from tidegate.core.spec import Outcome
from tidegate.model import PROTOCOLS

LOSS = {"NoCommittedRecordLost", "NoAckedRecordLost"}
DIVERGENCE = {"LogMatching", "EpochLogMatching"}
HOLDS: set[str] = set()

slow = pytest.mark.slow


def row(protocol, expected):
    """Return a parameter set for an expected verdict that a protocol's file states."""
    marks = [slow] if expected.slow else []
    name = f"{protocol.name} {expected.bounds}".strip()
    return pytest.param(
        protocol.name, expected.bounds, set(expected.violated), marks=marks, id=name
    )


@pytest.mark.parametrize(
    ("protocol", "settings", "violated"),
    [row(protocol, expected) for protocol in PROTOCOLS for expected in protocol.expected],
)
def test_exactly_the_expected_properties_are_violated(search, protocol, settings, violated):
    result = search(protocol, settings, keep_going=True)
    assert result.complete
    found = {v.property.name for v in result.verdicts if v.outcome is Outcome.VIOLATED}
    assert found == violated


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
    loss = search("hw", "min_isr=2", ["NoCommittedRecordLost", "NoAckedRecordLost"])
    assert loss.outcome is Outcome.VIOLATED
    alone = search("kip-320", "min_isr=2 power_losses=1 crashes=1", keep_going=True)
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
    result = check(watched, [], limits=Limits(max_states=700))
    assert result.distinct_states > 300
