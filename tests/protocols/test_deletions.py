"""Deletions: the log start offset moves, followers learn it, and what goes wrong below it."""

import pytest

from tests.behaviors import REPLICATED
from tidegate.core.bounds import BoundsError
from tidegate.core.fields import NONE
from tidegate.core.result import Resources
from tidegate.core.spec import Outcome
from tidegate.model import PROTOCOLS

slow = pytest.mark.slow

FAILS, STALLS = "NoFetcherFails", "HwReachesLogEnd"
TO_LOG_END = "kip-101~may_delete = up_to_log_end"
NOT_RAISED = "kafka-2.4.0-zookeeper"
RAISED = "kafka-2.4.1-zookeeper"
EPOCHS_FIRST = "kafka-2.8.0-zookeeper"


def decide(search, protocol, settings, name, **options):
    [verdict] = search(protocol, settings, [name], **options).verdicts
    return verdict.outcome, verdict.trace and len(verdict.trace.steps)


BUGS = [
    (TO_LOG_END, "kip-101", "records=2 crashes=0 elections=0", FAILS, 9),
    (NOT_RAISED, RAISED, "records=1 crashes=0 elections=1 moves", STALLS, 20),
    pytest.param(
        NOT_RAISED, RAISED,
        "replicas=3 records=2 crashes=0 elections=1 moves", FAILS, 26, marks=slow,
    ),
    (
        EPOCHS_FIRST, "kafka-2.8.1-zookeeper",
        "records=2 crashes=0 elections=2 moves", FAILS, 12,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "settings", "name", "steps"), BUGS)
def test_an_older_rule_fails_and_its_repair_holds(search, old, new, settings, name, steps):
    within = f"{settings} deletions=1"
    assert decide(search, old, within, name) == (Outcome.VIOLATED, steps)
    assert decide(search, new, within, name) == (Outcome.HOLDS, None)


@pytest.mark.parametrize(("old", "new", "settings", "name", "steps"), BUGS)
def test_with_any_bound_lowered_by_one_the_older_rule_holds(
    search, old, new, settings, name, steps
):
    for bound in [*settings.split(), "deletions=1"]:
        key, _, value = bound.partition("=")
        if key == "replicas" or value in ("", "0") or (key, value) == ("records", "1"):
            continue
        lower = [one for one in [*settings.split(), "deletions=1"] if one != bound]
        within = " ".join([*lower, f"{key}={int(value) - 1}"])
        assert decide(search, old, within, name) == (Outcome.HOLDS, None), within


def test_a_high_watermark_below_the_log_start_is_harmless_only_where_a_leader_finds_it(search):
    """In 2.3 nothing raises it, but a new leader begins at its log start."""
    settings = "records=1 crashes=0 elections=1 moves deletions=1"
    mutant = "kip-320~raises_hw = never_raised"
    assert decide(search, mutant, settings, STALLS) == (Outcome.VIOLATED, 20)
    assert decide(search, "kafka-2.3-zookeeper", settings, STALLS) == (Outcome.HOLDS, None)
    assert decide(search, "kafka-2.4.0-zookeeper", settings, STALLS)[0] is Outcome.VIOLATED
    assert decide(search, "kafka-2.4.1-zookeeper", settings, STALLS) == (Outcome.HOLDS, None)


@pytest.mark.parametrize(
    ("mutant", "settings", "name", "steps"),
    [
        ("not k.rules.may_delete(s, k, leader, offset)", "deletions=1", STALLS, 9),
        ("offset <= s.replica[leader].start", "deletions=2", "Stuck", 5),
        ("s.deleted == k.deletions", "deletions=1", "TypeOk", 5),
    ],
)
def test_without_a_guard_of_a_deletion_a_property_fails(search, mutant, settings, name, steps):
    within = f"records=2 crashes=0 elections=0 {settings}"
    assert decide(search, f"kip-320~DeleteRecords: {mutant}", within, name) == (
        Outcome.VIOLATED, steps,
    )  # fmt: skip
    assert decide(search, "kip-320", within, name) == (Outcome.HOLDS, None)


SAFE = (
    "NoCommittedRecordLost", "NoAckedRecordLost", "LeaderCandidateCompleteness", "LogMatching",
    "EpochLogMatching", "ConsistentRead", "WeakIsr", "StrongIsr", "NoReadRecordLost", "HwWithinLog",
    FAILS, "TypeOk", "Stuck",
)  # fmt: skip


@pytest.mark.parametrize(
    ("protocol", "settings"),
    [
        ("kip-320", "records=1 crashes=1 elections=2 deletions=1"),
        ("kip-320", "records=2 crashes=0 elections=1 moves deletions=2"),
        ("kip-595", "records=2 crashes=1 elections=2 deletions=2"),
        ("kip-595", "records=1 crashes=1 elections=1 moves deletions=1 purgatory late_request"),
        ("kip-595", "records=1 crashes=1 elections=1 moves deletions=1 hw_checkpoint=step"),
        pytest.param(
            "kip-595", "records=2 crashes=0 elections=2 moves deletions=2 fetch_size=2", marks=slow
        ),
        pytest.param(
            "kip-595-reset", "replicas=3 records=1 crashes=0 elections=2 moves deletions=1",
            marks=slow,
        ),
    ],
)  # fmt: skip
def test_nothing_is_lost_but_what_was_deleted(search, protocol, settings):
    result = search(protocol, settings, SAFE, keep_going=True)
    assert result.complete
    assert {v.property.name for v in result.verdicts if v.outcome is not Outcome.HOLDS} == set()


@pytest.mark.parametrize("protocol", ["kip-320", "kip-595"])
def test_logs_converge_although_they_start_at_different_offsets(search, protocol):
    settings = "records=1 crashes=1 elections=1 deletions=1"
    for name in ("Converges", STALLS):
        assert decide(search, protocol, settings, name) == (Outcome.HOLDS, None)


FETCHED = "SendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1"
OUT_OF_RANGE = """
SendFetch 0 1
HandleFetch 0 1
HandleOutOfRange 0 1
HandleListOffsets 0 1
HandleListOffsetsResponse 0 1
"""


def offsets(replica):
    return replica.start, replica.hw, replica.leo


def test_a_leader_deletes_below_its_high_watermark_only_and_as_often_as_allowed(begin):
    behavior = begin("kip-595", "records=2 deletions=1").follow("Produce 0")
    assert not behavior.can("DeleteRecords", 0, 1), "it is not committed"
    assert not behavior.can("DeleteRecords", 0, 2), "it does not exist"
    behavior.follow("SendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1")
    behavior.follow("SendFetch 0 1\nHandleFetch 0 1\nProduce 0")
    assert not behavior.can("DeleteRecords", 0, 2)
    assert not behavior.can("DeleteRecords", 1, 1), "a follower"
    behavior.take("DeleteRecords", 0, 1)
    assert offsets(behavior.record.replica[0]) == (1, 1, 2)
    assert behavior.record.replica[0].log[0].record == NONE
    assert not behavior.can("DeleteRecords", 0, 1), "once was allowed"


def test_what_is_deleted_is_not_deleted_again(begin):
    behavior = begin("kip-595", "records=1 deletions=2").follow(f"{REPLICATED}DeleteRecords 0 1")
    assert not behavior.can("DeleteRecords", 0, 1)


def test_a_follower_learns_the_log_start_from_a_fetch_response(begin):
    behavior = begin("kip-595", "records=1 deletions=1").follow(f"{REPLICATED}DeleteRecords 0 1")
    assert offsets(behavior.record.replica[1]) == (0, 1, 1)
    behavior.follow(FETCHED)
    follower = behavior.record.replica[1]
    assert (offsets(follower), follower.log[0].record) == ((1, 1, 1), NONE)


def test_before_0_11_it_keeps_its_records(begin):
    behavior = begin("hw", "records=1 deletions=1").follow(f"{REPLICATED}DeleteRecords 0 1")
    assert offsets(behavior.follow(FETCHED).record.replica[1]) == (0, 1, 1)


@pytest.mark.parametrize(
    ("release", "hw"), [("2.3", 0), ("2.4.0", 0), ("2.4.1", 1), ("2.7", 1), ("3.9.1", 1)]
)
def test_a_follower_below_the_log_start_starts_over_there(begin, release, hw):
    behavior = begin(f"kafka-{release}-zookeeper", "records=1 deletions=1 elections=1")
    behavior.follow(f"Produce 0\nShrinkIsr 0 1\nDeleteRecords 0 1\n{OUT_OF_RANGE}")
    assert offsets(behavior.record.replica[1]) == (1, hw, 1)


def test_a_follower_that_starts_over_forgets_its_epochs(begin):
    behavior = begin("kip-320", "records=3 crashes=0 elections=2 moves deletions=1").follow(
        """
        Produce 0
        SendFetch 0 1
        HandleFetch 0 1
        HandleFetchResponse 0 1
        Produce 0
        ShrinkIsr 0 1
        DeleteRecords 0 2
        """
    )
    assert list(behavior.record.replica[1].epoch_cache) == [0, NONE, NONE]
    behavior.follow(OUT_OF_RANGE)
    follower = behavior.record.replica[1]
    assert list(follower.epoch_cache) == [NONE, NONE, NONE]
    assert (offsets(follower), [entry.record for entry in follower.log]) == ((2, 2, 2), [NONE] * 3)


@pytest.mark.parametrize(("offset", "starts"), [(1, [1, 2, NONE]), (2, [NONE, 2, NONE])])
def test_deletion_moves_the_start_of_the_first_epoch_and_drops_those_before(begin, offset, starts):
    behavior = begin("kip-320", "records=3 crashes=0 elections=2 moves deletions=1").follow(
        """
        Produce 0
        Produce 0
        ShrinkIsr 0 1
        Fence 0
        Elect 0
        BecomeLeader 0 2
        """
    )
    cache = list(behavior.record.replica[0].epoch_cache)
    assert cache == [0, NONE, 2]
    behavior.take("DeleteRecords", 0, offset)
    assert sorted(behavior.record.replica[0].epoch_cache) == sorted(starts)


def test_deleted_records_are_no_part_of_any_history(begin):
    behavior = begin("kip-595", "records=1 deletions=1").follow(REPLICATED)
    assert behavior.record.aux_committed[0].record == 0
    assert behavior.record.aux_acked[0].offset == 0
    assert behavior.record.aux_read[0].record == 0
    behavior.take("DeleteRecords", 0, 1)
    assert behavior.record.aux_deleted == 1
    assert behavior.record.aux_committed[0].record == NONE
    assert behavior.record.aux_acked[0].offset == NONE
    assert behavior.record.aux_read[0].record == NONE


def test_a_record_that_another_leader_still_has_is_not_committed_again(begin):
    """It leads with what the deletion has not reached, until it loses that."""
    behavior = begin("kip-595", "records=1 crashes=1 elections=2 deletions=1")
    behavior.follow(f"{REPLICATED}DeleteRecords 0 1\nCrash 0\nElect 1\nBecomeLeader 1 1")
    assert offsets(behavior.record.replica[1]) == (0, 1, 1)
    assert behavior.record.aux_committed[0].record == NONE
    assert behavior.violated() == set()


def test_a_consumer_reads_on_from_the_log_start(begin):
    settings = "records=2 crashes=0 deletions=1 isr_propagation=zookeeper"
    behavior = begin("kip-320", settings).follow("Produce 0\nProduce 0\nShrinkIsr 0 1")
    behavior.follow("DeleteRecords 0 1\nConsume 0")
    assert behavior.record.aux_consumer.offset == 2
    assert [read.record for read in behavior.record.aux_read] == [NONE, 1]
    assert not behavior.can("Consume", 0)


def test_a_consumer_of_an_emptied_log_reads_nothing(begin):
    settings = "records=1 crashes=0 deletions=1 isr_propagation=zookeeper"
    behavior = begin("kip-320", settings).follow("Produce 0\nShrinkIsr 0 1\nDeleteRecords 0 1")
    assert not behavior.can("Consume", 0)


def test_a_power_loss_leaves_the_log_start(begin):
    settings = "records=2 crashes=0 power_losses=1 elections=0 deletions=1"
    behavior = begin("kip-595", settings).follow(f"{REPLICATED}Produce 0\nDeleteRecords 0 1")
    assert not behavior.can("LosePower", 0, 0)
    behavior.take("LosePower", 0, 1)
    assert offsets(behavior.record.replica[0]) == (1, 1, 1)


def test_a_fetch_in_purgatory_may_fall_below_the_log_start(begin):
    behavior = begin("kip-595", "records=2 crashes=0 deletions=1 purgatory").follow(
        """
        SendFetch 0 1
        HandleFetch 0 1
        Produce 0
        ShrinkIsr 0 1
        DeleteRecords 0 1
        CompleteFetch 0 1
        HandleOutOfRange 0 1
        HandleListOffsets 0 1
        HandleListOffsetsResponse 0 1
        """
    )
    assert offsets(behavior.record.replica[1]) == (1, 1, 1)


def test_a_late_fetch_below_the_log_start_counts_for_nothing(begin):
    settings = "records=1 crashes=1 elections=1 deletions=1 late_request"
    behavior = begin("kip-595", settings).follow(
        """
        SendFetch 0 1
        Crash 1
        Fence 1
        BecomeLeader 0 1
        """
    )
    behavior.follow("Produce 0\nDeleteRecords 0 1")
    assert not behavior.can("HandleLateFetch", 0, 1)


def test_a_restarted_broker_raises_its_high_watermark_to_its_log_start(begin):
    settings = "records=1 crashes=1 elections=1 deletions=1 hw_checkpoint=step"
    for release, hw in (("2.3", 0), ("2.4.0", 1), ("2.7", 1)):
        behavior = begin(f"kafka-{release}-zookeeper", settings).follow(REPLICATED)
        behavior.follow("DeleteRecords 0 1\nCrash 0")
        assert offsets(behavior.record.replica[0]) == (1, hw, 1), release


LEADS_FROM_BELOW = f"""
Produce 0
ShrinkIsr 0 1
DeleteRecords 0 1
{OUT_OF_RANGE}
SendFetch 0 1
HandleFetch 0 1
Elect 1
BecomeLeader 1 1
"""


@pytest.mark.parametrize(("release", "hw"), [("1.1", 1), ("2.3", 1), ("2.4.0", 0), ("2.4.1", 1)])
def test_a_leader_with_a_high_watermark_below_its_log_start(begin, release, hw):
    """Kafka 1.1 to 2.3 begins at the log start; 2.4.0 never moves it."""
    behavior = begin(f"kafka-{release}-zookeeper", "records=2 elections=1 moves deletions=1")
    behavior.follow(LEADS_FROM_BELOW)
    assert behavior.record.replica[1].hw == hw
    behavior.follow("ShrinkIsr 1 0\nProduce 1")
    assert behavior.record.replica[1].hw == (2 if hw else 0)


FAILED = """
SendFetch 0 1
Produce 0
HandleFetch 0 1
DeleteRecords 0 1
HandleFetchResponse 0 1
Produce 0
SendFetch 0 1
HandleFetch 0 1
HandleFetchResponse 0 1
"""


def test_a_fetcher_that_failed_fetches_no_more_until_another_epoch(begin):
    settings = "records=2 crashes=0 elections=2 deletions=1 moves"
    behavior = begin(TO_LOG_END, settings).follow(FAILED)
    assert behavior.record.replica[1].failed
    assert behavior.violated() == set(), "no default property has it"
    assert not behavior.can("SendFetch", 0, 1)
    behavior.follow("Elect 1\nBecomeLeader 1 1")
    assert not behavior.record.replica[1].failed


def test_a_restart_forgets_that_a_fetcher_failed(begin):
    behavior = begin(TO_LOG_END, "records=2 crashes=1 deletions=1").follow(f"{FAILED}Crash 1")
    assert not behavior.record.replica[1].failed


def test_truncation_below_the_log_start_begins_the_log_there(begin):
    """With the older rule for retention a follower may have deleted what its next leader lacks."""
    behavior = begin("hw", "records=1 crashes=0 elections=2 moves deletions=1").follow(
        """
        Produce 0
        DeleteRecords 0 1
        Elect 1
        BecomeLeader 1 1
        BecomeFollower 0 1
        """
    )
    assert offsets(behavior.record.replica[0]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("protocol", "settings"),
    [
        (NOT_RAISED, "records=2 crashes=1 elections=1 deletions=2"),
        ("kip-595", "records=1 crashes=1 elections=1 moves deletions=1 purgatory"),
        (EPOCHS_FIRST, "records=2 crashes=0 elections=1 moves deletions=1"),
    ],
)
def test_both_engines_find_the_same(search, protocol, settings):
    names = ["NoCommittedRecordLost", "WeakIsr", "ConsistentRead", FAILS, "Stuck", STALLS]
    one, other = (
        search(protocol, settings, names, keep_going=True, resources=Resources(engine=engine))
        for engine in ("interpreted", "compiled")
    )
    assert (one.distinct_states, one.depth) == (other.distinct_states, other.depth)
    assert [(v.outcome, v.trace and v.trace.steps) for v in one.verdicts] == [
        (v.outcome, v.trace and v.trace.steps) for v in other.verdicts
    ]


OF_DELETIONS = {"deleted", "aux_deleted", "replica[0].start", "replica[0].failed"}


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda one: one.name)
def test_the_option_off_takes_no_space_and_brings_no_action(system, protocol):
    off, on = (system(protocol.name, settings) for settings in ("", "deletions=1"))
    stored = {variable.path for variable in off.layout.stored}
    assert not stored & OF_DELETIONS
    assert not any(path.endswith((".start", ".failed")) for path in stored)
    assert {variable.path for variable in on.layout.stored} >= OF_DELETIONS
    assert "DeleteRecords" not in {instance.action.name for instance in off.instances}
    assert "DeleteRecords" in {instance.action.name for instance in on.instances}


@pytest.mark.parametrize(
    ("protocol", "settings", "states"),
    [
        ("hw", "", 5_402),
        ("kip-101", "records=1 crashes=1 elections=2 moves", 9_514),
        ("kip-320", "records=1 min_isr=2 elr crashes=1 elections=3 power_losses=1", 3_317),
        ("kip-595", "records=1 min_isr=2 elr crashes=1 elections=2 isr_propagation=records", 3_439),
    ],
)
def test_the_option_off_costs_no_state(search, protocol, settings, states):
    """The counts are those of the version before the option."""
    assert search(protocol, settings, []).distinct_states == states


def test_without_a_record_to_delete_it_is_refused_with_the_repair(system):
    with pytest.raises(BoundsError, match=r"deletions=1.*add records, or leave deletions out"):
        system("kip-595", "records=0 deletions=1")
