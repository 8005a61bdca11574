"""KIP-595, where the response to a fetch tells where logs diverge; KAFKA-13141; and KIP-207."""

import pytest

from tidegate.checker.check import check
from tidegate.core.bounds import parse
from tidegate.core.fields import NONE
from tidegate.core.result import Resources
from tidegate.core.spec import Outcome
from tidegate.invariants.broker import INVARIANTS
from tidegate.library.histories import histories
from tidegate.library.names import find_protocol
from tidegate.library.properties import find_properties
from tidegate.model.broker.protocols.kip595 import KIP_595

COUNTED = "kip-595~counts_diverging_fetch = also_if_diverging"

slow = pytest.mark.slow

DIVERGED = """
Produce 0
Crash 0
Elect 1
BecomeLeader 1 1
Produce 1                   # m1 at offset 0, where broker 0 has m0
Restart 0
BecomeFollower 0 1
"""
"""Broker 0 comes back with a record that nobody else has, and follows broker 1."""


def test_a_new_follower_fetches_at_once_and_receives_the_diverging_epoch(begin):
    behavior = begin("kip-595").follow(DIVERGED)
    assert "SendEpochRequest" not in {action.name for action in behavior.system.actions}
    behavior.follow("SendFetch 1 0\nHandleFetch 1 0")
    answer, leader = behavior.record.message[0], behavior.record.replica[1]
    assert (answer.epoch, answer.end_offset) == (0, 0), "its epoch 0 ends where e1 starts"
    assert [entry.record for entry in answer.records] == [NONE]
    assert leader.remote_leo[0] == 0, "a diverging fetch does not update the remote LEO"
    assert leader.isr == 0b10
    behavior.take("HandleDivergingEpoch", 1, 0)
    assert behavior.records(0) == []
    behavior.follow("SendFetch 1 0\nHandleFetch 1 0\nHandleFetchResponse 1 0")
    assert behavior.records(0) == behavior.records(1) == [1]
    assert not behavior.violated()


def test_a_log_that_agrees_is_served_at_once(begin):
    behavior = begin("kip-595").follow("Produce 0\nSendFetch 0 1\nHandleFetch 0 1")
    behavior.follow("HandleFetchResponse 0 1\nCrash 0\nElect 1\nBecomeLeader 1 1\nProduce 1")
    behavior.follow("Restart 0\nBecomeFollower 0 1\nSendFetch 1 0\nHandleFetch 1 0")
    assert behavior.record.replica[1].remote_leo[0] == 1
    behavior.take("HandleFetchResponse", 1, 0)
    assert behavior.records(0) == behavior.records(1) == [0, 1]


LATE = "records=2 crashes=2 elections=2 late_request"


def test_a_fetch_that_outlives_its_sender_carries_the_epoch_of_its_last_record(begin):
    """The leader still compares it with its epoch cache, and keeps the remote LEO."""
    behavior = begin("kip-595", LATE).follow(DIVERGED + "SendFetch 1 0\nCrash 0")
    assert behavior.record.late_fetch[0].last_epoch == 0
    behavior.take("HandleLateFetch", 1, 0)
    assert behavior.record.replica[1].isr == 0b10
    assert behavior.record.late_fetch[0].last_epoch == NONE


def test_protocols_without_it_store_nothing_for_it(system):
    for protocol in ("hw", "kip-101", "kip-279", "kip-320"):
        stored = {v.path: v.width for v in system(protocol, LATE).layout.stored}
        assert not [path for path in stored if path.endswith("last_epoch")]
        assert stored["message[0].kind"] == 3


EVERYTHING = [prop.name for prop in INVARIANTS if prop.name != "HighWatermarkMonotonic"]
"""What holds with clean elections and no power loss; that one is an expected violation."""

RUNGS = [
    "elections=2",
    "elections=2 moves crashes=1",
    "records=1 elections=3 late_request bounce_noticed",
    pytest.param("records=3 elections=3", marks=slow),
    pytest.param("records=3 elections=3 moves", marks=slow),
    pytest.param("elections=3 moves late_request", marks=slow),
    pytest.param("records=3 elections=2 lost_messages=1 hw_checkpoint=step", marks=slow),
    pytest.param("replicas=3 records=2 elections=2 crashes=1", marks=slow),
]


@pytest.mark.parametrize("bounds", RUNGS)
def test_every_property_holds(search, bounds):
    resources = Resources(engine="compiled")
    assert search("kip-595", bounds, EVERYTHING, resources=resources).outcome is Outcome.HOLDS


@pytest.mark.parametrize(
    "bounds", ["records=1 elections=2", pytest.param("elections=3", marks=slow)]
)
def test_it_is_never_stuck(search, bounds):
    assert search("kip-595", bounds, ["Stuck"]).outcome is Outcome.HOLDS


def test_the_high_watermark_goes_back_but_list_offsets_does_not(search):
    """KIP-207: they wait until it has reached the start of the leader's epoch."""
    result = search("kip-595", "records=1 crashes=0 moves", EVERYTHING)
    assert result.outcome is Outcome.HOLDS
    result = search("kip-595", "records=1 crashes=0 moves", ["HighWatermarkMonotonic"])
    assert result.outcome is Outcome.VIOLATED


@pytest.mark.parametrize("protocol", ["hw", "kip-101", "kip-279", "kip-320"])
def test_before_kip_207_list_offsets_returns_any_high_watermark(search, protocol):
    """KAFKA-2334: ListOffsets goes back in the same steps as the high watermark."""
    names = ["ListedOffsetsMonotonic", "HighWatermarkMonotonic"]
    result = search(protocol, "records=1 crashes=0 moves", names, keep_going=True)
    assert [len(verdict.trace.steps) for verdict in result.verdicts] == [8, 8]


WEAKER = [
    (COUNTED, "replicas=2", "R2 C2 E2", "NoAckedRecordLost", 12),
    ("kip-595~may_list_offsets = list_at_once", "replicas=2 moves", "R1 C0 E1",
     "ListedOffsetsMonotonic", 8),
    pytest.param(
        "kip-595~drop_in_flight = drop_requests_only", "replicas=2 moves", "R1 C0 E4",
        "NoCommittedRecordLost", 19, marks=pytest.mark.slow,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "scenario", "rung", "violated", "steps"), WEAKER)
def test_an_older_rule_violates_and_not_one_rung_below(name, scenario, rung, violated, steps):
    weaker = find_protocol(name)
    names = {"R": "records", "C": "crashes", "E": "elections"}
    smallest = {names[part[0]]: int(part[1:]) for part in rung.split()}

    def at(protocol, values):
        settings = [*scenario.split(), *(f"{bound}={value}" for bound, value in values.items())]
        properties = find_properties(protocol, [violated])
        bounds = parse(protocol.model.bounds, settings)
        return check(protocol.system(bounds, histories(properties[0], protocol)), properties)

    assert len(at(weaker, smallest).first.trace.steps) == steps
    assert at(KIP_595, smallest).outcome is Outcome.HOLDS
    for bound, value in smallest.items():
        if value:
            assert at(weaker, {**smallest, bound: value - 1}).outcome is Outcome.HOLDS


def test_a_counted_fetch_lets_in_who_has_other_records(begin):
    """KAFKA-13141: broker 0 joins the ISR by m0, and m1, which it lacks, stays committed."""
    protocol = find_protocol(COUNTED)
    system = protocol.system(parse(protocol.model.bounds, ["elections=2"]), frozenset())
    behavior = type(begin("kip-595"))(system)
    behavior.follow(DIVERGED + "SendFetch 1 0\nHandleFetch 1 0")
    assert behavior.record.partition.isr == 0b11
    assert behavior.record.replica[1].remote_leo[0] == 1
    assert behavior.record.replica[1].hw == 1
    assert (behavior.records(0), behavior.records(1)) == ([0], [1])


@pytest.mark.parametrize("produced", [0, 1])
@pytest.mark.parametrize(("protocol", "counts"), [(COUNTED, True), ("kip-595", False)])
def test_the_rules_decide_whether_a_late_fetch_counts_as_when_it_arrives(
    protocol, counts, produced, begin
):
    """Also where the fetch is above the leader's log end: it diverges first."""
    until = DIVERGED if produced else DIVERGED.replace("Produce 1", "")
    served = begin(protocol, LATE).follow(f"{until}\nSendFetch 1 0\nHandleFetch 1 0")
    late = begin(protocol, LATE).follow(f"{until}\nSendFetch 1 0\nCrash 0")
    if late.can("HandleLateFetch", 1, 0):
        late.take("HandleLateFetch", 1, 0)
    leos = [one.record.replica[1].remote_leo[0] for one in (served, late)]
    assert leos == ([1, 1] if counts else [0, 0])
