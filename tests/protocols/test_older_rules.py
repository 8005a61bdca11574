"""What changed from release to release: the older rule violates what the newer one keeps."""

import pytest

from tests.behaviors import CANNOT_JOIN, FETCH_AFTER_LAG_TIME, MAY_REFUSE_FETCH, REFUSED_FETCH
from tidegate.core.spec import Outcome

slow = pytest.mark.slow

LOST, ACKED = "NoCommittedRecordLost", "NoAckedRecordLost"

OLDER = [
    ("hw~has_new_leader = at_every_epoch", "hw", "records=1 elections=2 moves", LOST, 11),
    ("hw~fails_produces = keep_waiting", "hw", "records=2 elections=2 moves", ACKED, 7),
    pytest.param(
        "kip-320~truncates_cache = only_if_log_shrinks", "kip-320",
        "records=2 elections=3 moves", "Stuck", 8, marks=slow,
    ),
    (
        "kip-595~may_restart = bounce_unnoticed", "kip-595",
        "records=1 elections=0 power_losses=1", LOST, 5,
    ),
    ("hw", "kip-279", "records=1 elections=2 moves", "NoBrokerExits", 12),
    pytest.param(
        "kip-320~has_new_leader = if_leader_changes", "kip-320",
        "replicas=3 records=2 elections=2 moves", "LogMatching", 18, marks=slow,
    ),
    pytest.param(
        "kip-595", "kip-595-reset",
        "replicas=3 records=1 elections=3 moves min_isr=2", ACKED, 17, marks=slow,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("older", "newer", "settings", "name", "steps"), OLDER)
def test_the_older_rule_violates_and_the_newer_one_holds(
    search, older, newer, settings, name, steps
):
    settings = f"crashes=0 {settings}"
    assert len(search(older, settings, [name]).first.trace.steps) == steps
    assert search(newer, settings, [name]).outcome is Outcome.HOLDS


def test_the_responses_before_kafka_7104_diverge_one_step_earlier(search):
    """In both cases the logs of kip-101 diverge; only the high watermark is known earlier."""
    settings, older = "records=3 crashes=0 elections=2 moves", "hw_with_records = after_the_fetch"
    assert len(search("kip-101", settings, ["LogMatching"]).first.trace.steps) == 15
    assert len(search(f"kip-101~{older}", settings, ["LogMatching"]).first.trace.steps) == 14


def test_the_high_watermark_waits_for_who_was_caught_up_a_moment_ago(begin):
    """A follower whose ISR change the stored state rejects; with 3 replicas the others go on."""
    behavior = begin("kip-320", "replicas=3 records=1 elections=2 moves hw_waits").follow(
        """
        SendFetch 0 2
        Fence 2
        BecomeLeader 0 1
        BecomeFollower 2 1
        Elect 1
        SendFetch 0 2
        HandleFetch 0 2
        """
    )
    replica = behavior.record.replica[0]
    assert replica.isr == 0b011, "a leader of an older epoch cannot add it"
    assert replica.caught_up == 0b100
    behavior.follow("BecomeFollower 1 1\nProduce 0\nSendFetch 0 1\nHandleFetch 0 1")
    behavior.follow("HandleFetchResponse 0 1\nSendFetch 0 1\nHandleFetch 0 1")
    assert behavior.record.replica[0].hw == 0, "both members have m0"
    behavior.follow("HandleFetchResponse 0 1\nPassLagTime 0 2\nSendFetch 0 1\nHandleFetch 0 1")
    assert behavior.record.replica[0].hw == 1


@pytest.mark.parametrize(("release", "hw"), [("2.3", 1), ("2.4", 0)])
def test_since_2_4_a_fetch_moves_the_high_watermark_only_with_a_log_end(begin, release, hw):
    """A follower outside the ISR holds it back; its lag time passes, and a member fetches again."""
    settings = "replicas=3 records=2 elections=2 moves hw_waits"
    behavior = begin(f"kafka-{release}-zookeeper", settings).follow(FETCH_AFTER_LAG_TIME)
    assert behavior.record.replica[0].hw == hw
    behavior.follow("HandleFetchResponse 0 1\nProduce 0")
    assert behavior.record.replica[0].hw == 1, "an append moves it in any release"


@pytest.mark.parametrize(("release", "hw"), [("2.7", 1), ("2.8", 0)])
def test_since_2_8_the_high_watermark_waits_for_who_could_not_join(begin, release, hw):
    """A leader without a successor cannot change the ISR; the follower's lag time passes."""
    settings = "records=2 elections=2 moves hw_waits"
    behavior = begin(f"kafka-{release}-zookeeper", settings).follow(CANNOT_JOIN)
    leader = behavior.record.replica[0]
    assert (leader.isr, leader.hw) == (0b01, hw)
    behavior.follow("HandleFetchResponse 0 1\nSendFetch 0 1\nHandleFetch 0 1")
    behavior.follow("HandleFetchResponse 0 1\nSendFetch 0 1\nHandleFetch 0 1")
    assert behavior.record.replica[0].hw == 1, "the follower has the record"


@pytest.mark.parametrize(
    ("script", "violated"),
    [(MAY_REFUSE_FETCH.format(""), {"NoAckedRecordLost"}), (REFUSED_FETCH, set())],
)
def test_a_refused_fetch_fails_what_waits_at_a_former_leader(begin, script, violated):
    """Before Kafka 0.10 nothing else does; m0 is acknowledged for the offset of m1 without it."""
    settings = "records=2 elections=2 moves"
    behavior = begin("kafka-0.9.0.1-zookeeper", settings).follow(script)
    assert behavior.record.replica[0].hw == 1
    assert behavior.violated() == violated


@pytest.mark.parametrize(
    ("protocol", "settings"),
    [
        ("hw", "records=1 elections=2 crashes=0 moves"),
        ("kip-320", "records=1 elections=2 crashes=0 moves"),
    ],
)
def test_that_wait_changes_no_verdict(search, protocol, settings):
    with_it, without = (
        search(protocol, f"{settings} {option}", keep_going=True) for option in ("hw_waits", "")
    )
    assert with_it.distinct_states > without.distinct_states
    for waits, does_not in zip(with_it.verdicts, without.verdicts, strict=True):
        assert waits.outcome is does_not.outcome
        assert len(waits.trace.steps if waits.trace else ()) == len(
            does_not.trace.steps if does_not.trace else ()
        )


@slow
@pytest.mark.parametrize("bound", ["replicas=2", "records=0", "elections=2"])
def test_with_less_of_anything_a_missed_epoch_loses_nothing(search, bound):
    settings = {"replicas": "3", "records": "1", "elections": "3"} | dict([bound.split("=")])
    text = " ".join(f"{name}={value}" for name, value in settings.items())
    assert search("kip-595", f"{text} crashes=0 moves", [LOST]).outcome is Outcome.HOLDS


def test_a_late_fetch_may_leave_a_rejected_change_without_kraft(search):
    """The leader keeps a change that ZooKeeper has rejected; no request carries broker epochs."""
    settings = "records=0 crashes=1 elections=2 moves hw_waits late_request"
    assert search("kip-595", settings).outcome is Outcome.HOLDS
