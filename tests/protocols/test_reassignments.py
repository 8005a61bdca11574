"""Reassignments: replicas are added, moved and removed, and what goes wrong below them."""

import pytest

from tidegate.core.bounds import BoundsError
from tidegate.core.fields import NONE
from tidegate.core.spec import Outcome

slow = pytest.mark.slow

LOST = "NoCommittedRecordLost"
RECORDS = "isr_propagation=records replicas=3 reassignments=1 spare_broker"
TWICE = "isr_propagation=records replicas=3 reassignments=2 spare_broker"
KEEPS_ELIGIBLE = "kip-595-reset~removed_are_eligible = stay_eligible"

JOINS = """
    ApplyChangeRecord 0 0 0
    BecomeFollower 2 0
    SendFetch 0 2
    HandleFetch 0 2
"""
"""Broker 2, which was added, is applied by its leader and fetches at the log end."""


MOVED_FROM_THE_LEADER = """
    Produce 0
    ProposeShrink 0 1
    HandleAlterPartition 0
    HandleAlterPartitionResponse 0
    ReplaceReplica 0 2
    ApplyChangeRecord 0 0 1
    BecomeFollower 2 0
    SendFetch 0 2
    HandleFetch 0 2
    HandleFetchResponse 0 2
    SendFetch 0 2
    HandleFetch 0 2
"""
"""Broker 1 leaves the ISR; broker 2 replaces broker 0, which leads, and catches up."""


def decide(search, protocol, settings, name=LOST, **options):
    [verdict] = search(protocol, settings, [name], **options).verdicts
    return verdict.outcome, verdict.trace and len(verdict.trace.steps)


def begun(begin, settings="", protocol="kip-595", base=RECORDS):
    return begin(protocol, f"{base} records=1 elections=3 crashes=1 {settings}")


def test_the_last_broker_has_no_replica_at_first(begin):
    state = begun(begin).record
    assert (state.partition.replicas, state.partition.isr) == (0b011, 0b011)
    assert [replica.hosted for replica in state.replica] == [1, 1, 0]
    assert not begun(begin).can("SendFetch", 0, 2)
    assert not begun(begin).can("BecomeFollower", 2, 0)


def test_an_added_replica_is_served_once_its_leader_knows_it(begin):
    behavior = begun(begin).follow("AddReplica 2")
    assert behavior.record.partition.adding == 0b100
    behavior.follow("BecomeFollower 2 0\nSendFetch 0 2")
    assert not behavior.can("HandleFetch", 0, 2)
    assert behavior.can("RefuseRequest", 0, 2)
    behavior.follow("ApplyChangeRecord 0 0 0")
    assert not behavior.can("RefuseRequest", 0, 2)
    behavior.follow("HandleFetch 0 2")


def test_an_addition_completes_with_the_isr_change_and_begins_no_epoch(begin):
    behavior = begun(begin).follow(f"AddReplica 2\n{JOINS}")
    assert behavior.record.alter_partition[0].isr == 0b111
    behavior.follow("HandleAlterPartition 0")
    partition = behavior.record.partition
    assert (partition.replicas, partition.adding, partition.isr) == (0b111, 0, 0b111)
    assert partition.epoch == 0


def test_a_broker_that_applied_its_removal_follows_in_no_older_epoch(begin):
    behavior = begun(begin, "moves")
    behavior.follow("AddReplica 2\nApplyChangeRecord 0 0 0")
    assert behavior.can("BecomeFollower", 2, 0)
    behavior.follow("BecomeFollower 2 0\nElect 1\nCancelReassignment 1")
    assert behavior.can("BecomeFollower", 2, 1)
    assert behavior.can("StopReplica", 2, 2)
    behavior.follow("StopReplica 2 2")
    assert not behavior.can("BecomeFollower", 2, 0)
    assert not behavior.can("BecomeFollower", 2, 1)


def test_a_request_from_before_a_reassignment_is_outdated(begin):
    behavior = begun(begin).follow("Produce 0\nProposeShrink 0 1\nAddReplica 2")
    assert behavior.record.alter_partition[0].outdated == 1
    behavior.follow("HandleAlterPartition 0")
    assert behavior.record.partition.isr == 0b011


def test_a_move_ends_with_the_record_that_removes_the_leader_and_elects_another(begin):
    behavior = begun(begin).follow(f"ReplaceReplica 0 2\n{JOINS}")
    assert not behavior.can("HandleAlterPartition", 0)
    assert not behavior.can("CompleteReassignment", 0, 0), "it is removed"
    behavior.take("CompleteReassignment", 0, 2)
    partition = behavior.record.partition
    assert (partition.replicas, partition.isr, partition.leader) == (0b110, 0b110, 2)
    assert (partition.adding, partition.removing, partition.epoch) == (0, 0, 1)


def test_a_leader_that_stays_leads_on_in_a_new_epoch(begin):
    behavior = begun(begin).follow(f"ReplaceReplica 1 2\n{JOINS}")
    assert not behavior.can("CompleteReassignment", 0, 2)
    behavior.take("CompleteReassignment", 0, 0)
    partition = behavior.record.partition
    assert (partition.replicas, partition.leader, partition.epoch) == (0b101, 0, 1)
    behavior.follow("HandleAlterPartitionResponse 0")
    assert behavior.record.replica[0].proposed == 0b111, "the response has another leader epoch"


@pytest.mark.parametrize(
    ("protocol", "completes"), [("kip-595", True), ("kip-595~may_complete = all_in_isr", False)]
)
def test_since_4_3_a_replica_that_stays_may_be_out_of_the_isr(begin, protocol, completes):
    behavior = begun(begin, protocol=protocol).follow(MOVED_FROM_THE_LEADER)
    assert behavior.record.alter_partition[0].isr == 0b101
    assert behavior.can("CompleteReassignment", 0, 2) is completes
    assert behavior.can("HandleAlterPartition", 0) is not completes


def test_a_removal_is_done_at_once_where_the_others_are_in_the_isr(begin):
    behavior = begun(begin)
    assert not behavior.can("RemoveReplica", 1, 1), "it is removed"
    assert not behavior.can("RemoveReplica", 2, 0), "it is no replica"
    behavior.take("RemoveReplica", 1, 0)
    partition = behavior.record.partition
    assert (partition.replicas, partition.isr, partition.epoch) == (0b001, 0b001, 1)


def test_a_removal_waits_for_the_others_otherwise(begin):
    behavior = begun(begin).follow("Produce 0\nProposeShrink 0 1\nHandleAlterPartition 0")
    assert not behavior.can("RemoveReplica", 0, 1)
    behavior.take("RemoveReplica", 0, 0)
    partition = behavior.record.partition
    assert (partition.replicas, partition.removing, partition.epoch) == (0b011, 0b001, 0)


def test_the_only_replica_is_not_removed(begin):
    behavior = begun(begin, base=TWICE).follow("RemoveReplica 1 0")
    assert not any(behavior.can("RemoveReplica", 0, leader) for leader in range(3))


def test_one_reassignment_at_a_time_and_as_many_as_allowed(begin):
    behavior = begun(begin, base=TWICE).follow("ReplaceReplica 1 2")
    assert not behavior.can("AddReplica", 2)
    assert not behavior.can("RemoveReplica", 1, 0)
    behavior.follow("CancelReassignment 0\nAddReplica 2\nCancelReassignment 0")
    assert not behavior.can("AddReplica", 2), "two were allowed"
    assert not behavior.can("CancelReassignment", 0), "none is in progress"


def test_a_cancelled_reassignment_removes_what_it_added(begin):
    behavior = begun(begin).follow("ReplaceReplica 1 2\nCancelReassignment 0")
    partition = behavior.record.partition
    assert (partition.replicas, partition.adding, partition.removing) == (0b011, 0, 0)
    assert partition.epoch == 1
    assert not behavior.can("StopReplica", 2, 1), "it has no log yet"


def test_a_cancelled_removal_begins_no_epoch(begin):
    behavior = begun(begin).follow("Produce 0\nProposeShrink 0 1\nHandleAlterPartition 0")
    behavior.follow("RemoveReplica 0 0\nCancelReassignment 0")
    assert (behavior.record.partition.removing, behavior.record.partition.epoch) == (0, 0)


def test_a_removed_replica_deletes_its_log_and_forgets_everything(begin):
    behavior = begun(begin).follow(
        """
        Produce 0
        SendFetch 0 1
        HandleFetch 0 1
        HandleFetchResponse 0 1
        RemoveReplica 1 0
        """
    )
    assert behavior.record.replica[1].leo == 1
    assert not behavior.can("StopReplica", 1, 0), "it has applied that epoch"
    assert not behavior.can("StopReplica", 0, 1), "it is a replica"
    assert not behavior.can("BecomeFollower", 1, 1)
    behavior.take("StopReplica", 1, 1)
    replica = behavior.record.replica[1]
    assert (replica.leo, replica.hw, replica.hosted, replica.leader) == (0, 0, 0, NONE)
    assert replica.log[0].record == NONE
    assert list(replica.epoch_cache) == [NONE] * 4
    assert not behavior.can("StopReplica", 1, 1)


BACK = "RemoveReplica 1 0\nAddReplica 1"


def test_a_replica_that_is_back_before_it_applies_its_removal_keeps_its_log(begin):
    fetched = "Produce 0\nSendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1"
    behavior = begun(begin, base=TWICE).follow(f"{fetched}\n{BACK}")
    assert behavior.can("StopReplica", 1, 1)
    behavior.take("BecomeFollower", 1, 1)
    assert behavior.record.replica[1].leo == 1


def test_a_replica_that_restarts_applies_the_newest_metadata_alone(begin):
    behavior = begun(begin, "elr", base=TWICE).follow(
        """
        Crash 1
        FenceFollower 1
        RemoveReplica 1 0
        AddReplica 1
        Restart 1
        """
    )
    assert not behavior.can("StopReplica", 1, 1)
    assert behavior.can("BecomeFollower", 1, 1)


def test_a_leader_forgets_a_replica_only_if_it_sees_it_removed(begin):
    """Removal and return in records that it applies at once leave its log end (KAFKA-13790)."""
    fetched = "Produce 0\nSendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1"
    known = f"{fetched}\nSendFetch 0 1\nHandleFetch 0 1"
    at_once = begun(begin, base=TWICE).follow(f"{known}\n{BACK}\nApplyChangeRecord 0 1 1")
    assert at_once.record.replica[0].remote_leo[1] == 1
    apart = begun(begin, base=TWICE).follow(f"{known}\nRemoveReplica 1 0\nApplyChangeRecord 0 1 0")
    apart.follow("AddReplica 1\nApplyChangeRecord 0 1 0")
    assert apart.record.replica[0].remote_leo[1] == 0


def test_a_removed_replica_that_was_the_leader_leads_no_more(begin):
    behavior = begun(begin).follow(
        "Produce 0\nSendFetch 0 1\nHandleFetch 0 1\nHandleFetchResponse 0 1\nRemoveReplica 0 1"
    )
    assert behavior.record.partition.leader == 1
    behavior.take("StopReplica", 0, 1)
    assert not behavior.can("Produce", 0)
    assert behavior.can("ApplyChangeRecord", 1, 1, 0)


def test_a_replica_that_is_back_leads_with_an_empty_log_of_its_own(begin):
    behavior = begun(begin, "min_isr=2 elr", base=TWICE).follow(
        f"""
        {MOVED_FROM_THE_LEADER}
        CompleteReassignment 0 2
        AddReplica 0
        Crash 2
        Elect 0
        StopReplica 0 1
        ApplyChangeRecord 0 2 0
        """
    )
    replica = behavior.record.replica[0]
    assert (replica.leader, replica.leo, replica.hosted) == (0, 0, 1)


@pytest.mark.parametrize(
    ("protocol", "elr"), [("kip-595", 0b010), (KEEPS_ELIGIBLE, 0b010), ("kip-595-reset", 0)]
)
def test_a_removed_replica_stays_eligible_in_kafka(begin, protocol, elr):
    behavior = begun(begin, "min_isr=2 elr", protocol=protocol).follow("RemoveReplica 1 0")
    assert behavior.record.partition.elr == elr


def test_a_response_does_not_tell_of_replicas_that_are_added_meanwhile(begin):
    behavior = begun(begin).follow("Produce 0\nProposeShrink 0 1\nHandleAlterPartition 0")
    behavior.follow(
        "AddReplica 2\nHandleAlterPartitionResponse 0\nBecomeFollower 2 0\nSendFetch 0 2"
    )
    assert not behavior.can("HandleFetch", 0, 2)
    behavior.follow("ApplyChangeRecord 0 0 1\nHandleFetch 0 2")


def test_the_controller_asks_for_no_more_members_than_there_are_replicas(begin):
    behavior = begun(begin, "min_isr=2 elr", base=TWICE).follow("RemoveReplica 1 0\nAddReplica 2")
    assert behavior.record.partition.elr == 0, "one replica is enough before the addition"


def test_a_leader_asks_for_no_more_members_than_it_knows_replicas(begin):
    behavior = begun(begin, "min_isr=2").follow("RemoveReplica 1 0")
    behavior.follow("ApplyChangeRecord 0 1 0\nProduce 0")
    assert behavior.record.replica[0].hw == 1


ELR = f"{TWICE} records=1 crashes=1 elections=2 elr min_isr=2"


@slow
def test_a_removed_replica_that_is_eligible_loses_records(search):
    assert decide(search, KEEPS_ELIGIBLE, ELR) == (Outcome.VIOLATED, 23)
    assert decide(search, "kip-595-reset", ELR) == (Outcome.HOLDS, None)


WITHOUT_A_CRASH = f"{RECORDS} records=1 crashes=0 elections=2 min_isr=2 elr"


def test_a_known_record_and_a_reassignment_lose_records_without_a_crash(search):
    assert decide(search, "kip-595", WITHOUT_A_CRASH) == (Outcome.VIOLATED, 19)


@slow
def test_without_the_known_record_a_reassignment_loses_nothing(search):
    assert decide(search, "kip-595-reset", WITHOUT_A_CRASH) == (Outcome.HOLDS, None)


SAFE = (
    "NoCommittedRecordLost", "NoAckedRecordLost", "LeaderCandidateCompleteness", "LogMatching",
    "EpochLogMatching", "AtMostOneLeaderPerEpoch", "HwWithinLog", "TypeOk", "Stuck",
)  # fmt: skip


@pytest.mark.parametrize(
    ("protocol", "settings"),
    [
        (
            "kip-595-reset",
            "isr_propagation=records replicas=2 reassignments=2 spare_broker "
            "records=1 crashes=1 elections=1",
        ),
        pytest.param("kip-595-reset", f"{RECORDS} records=1 crashes=0 elections=2", marks=slow),
        pytest.param("kip-595-reset", f"{RECORDS} records=1 crashes=1 elections=2", marks=slow),
        pytest.param(
            "kip-595-reset", f"{RECORDS} records=1 crashes=0 elections=2 moves", marks=slow
        ),
        pytest.param("kip-595-reset", f"{TWICE} records=1 crashes=0 elections=2", marks=slow),
    ],
)
def test_nothing_is_lost_by_a_reassignment(search, protocol, settings):
    result = search(protocol, settings, SAFE, keep_going=True)
    assert result.complete
    assert {v.property.name for v in result.verdicts if v.outcome is not Outcome.HOLDS} == set()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("reassignments=1", "isr_propagation=records"),
        ("reassignments=1 isr_propagation=kraft", "isr_propagation=records"),
        ("reassignments=1 isr_propagation=records replicas=1", "replicas"),
    ],
)
def test_contradicting_bounds_are_refused_with_the_repair(system, settings, reason):
    with pytest.raises(BoundsError, match=rf"{reason}.*or leave reassignments out"):
        system("kip-595", settings)
