"""The broker family: one Kafka partition, brokers that crash, and what its protocols share.

The actions and the initial state are here; what differs between the protocols is in
``protocols``, one file each.  The rules follow KIP-101, KIP-279, KIP-320, KIP-380, KIP-497, KIP-903
and KIP-966, and Kafka's source where the KIPs are silent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...core.spec import Action, Fairness, TransitionSystem
from ..protocol import Family, Protocol, assemble
from .actions import (
    alter_partition,
    change_records,
    consumer,
    controller,
    deletion,
    epoch_request,
    faults,
    follower,
    leader,
    metadata,
    notification,
    purgatory,
    reassignment,
)
from .bounds import ZOOKEEPER, Constants
from .instances import (
    announced,
    brokers,
    delayed,
    nobody,
    pairs,
    prefixes,
    recorded,
    squares,
    starts,
)
from .presentation.scenes import VIEW
from .presentation.view import DELETED_LEGEND, ELR_LEGEND, LEGEND, columns
from .scenarios import MUTATION_BOUNDS, SCENARIOS
from .state import BrokerState
from .survivors import SURVIVORS


def initialise(s: BrokerState, k: Constants) -> Iterator[None]:
    """Let broker 0 lead epoch 0; all replicas are in the ISR and have received LeaderAndIsr."""
    all_replicas = (1 << (k.replicas - 1 if k.spare_broker else k.replicas)) - 1
    s.partition.leader = 0
    s.partition.isr = all_replicas
    s.leader_and_isr[0].leader = 0
    if not k.change_records:
        s.leader_and_isr[0].isr = all_replicas
    if k.reassignments:
        reassignment.assign(s, all_replicas)
    for broker, replica in enumerate(s.replica):
        replica.alive = True
        if not all_replicas >> broker & 1:
            continue
        replica.epoch = 0
        replica.leader = 0
        if k.isr_propagation == ZOOKEEPER:
            replica.metadata = 0
    if k.isr_propagation == ZOOKEEPER:
        s.controller.isr = all_replicas
        s.producer.leader = 0
    consumer.begin_reading(s, k)
    s.replica[0].isr = all_replicas
    if k.rules.epoch_cache:
        k.rules.begin_leading(s, k, 0)
    yield


def build(
    protocol: Protocol, bounds: Constants, needs: frozenset[str]
) -> TransitionSystem[BrokerState, Constants]:
    """Make the transition system of a protocol of this family."""
    return assemble(
        protocol,
        bounds,
        needs,
        initialise=initialise,
        columns=columns,
        legend=LEGEND + bounds.elr * ELR_LEGEND + bool(bounds.deletions) * DELETED_LEGEND,
        view=VIEW,
    )


def _fault(
    name: str,
    apply: Callable[..., bool],
    who: str,
    source: str,
    bound: str,
    arguments: Callable[[Any], Iterator[tuple[int, ...]]] = brokers,
) -> Action:
    """Make an action without fairness that is available only if its bound is not 0."""
    return Action(
        name,
        apply,
        who,
        arguments,
        source,
        Fairness.NONE,
        available=lambda k: bool(getattr(k, bound)),
    )


def kraft(
    name: str,
    apply: Callable[..., bool],
    who: str,
    source: str,
    arguments: Callable[[Any], Iterator[tuple[int, ...]]] = brokers,
) -> Action:
    """Make an action of a KRaft cluster."""
    return Action(name, apply, who, arguments, source, available=lambda k: k.kraft)


def zookeeper(
    name: str,
    apply: Callable[..., bool],
    who: str,
    arguments: Callable[[Any], Iterator[tuple[int, ...]]] = nobody,
    history: str = "",
) -> Action:
    """Make an action of a ZooKeeper cluster; `history` names a history that it needs, if any."""
    return Action(
        name,
        apply,
        who,
        arguments,
        "KAFKA-1367",
        available=lambda k: (
            k.isr_propagation == ZOOKEEPER and (not history or getattr(k, f"track_{history}"))
        ),
    )


def reassigns(
    name: str, apply: Callable[..., bool], arguments: Callable[[Any], Iterator[tuple[int, ...]]]
) -> Action:
    """Make an action by which an administrator asks the controller for other replicas."""
    return Action(
        name,
        apply,
        "controller",
        arguments,
        "PartitionReassignmentReplicas, KIP-455",
        Fairness.NONE,
        available=lambda k: k.reassignments > 0,
    )


CLIENT = (
    Action(
        "Produce", leader.produce, "leader", brokers, "KIP-101", Fairness.NONE,
        available=lambda k: k.records > 0,
    ),
    Action(
        "DeleteRecords", deletion.delete_records, "leader", starts, "KIP-107", Fairness.NONE,
        available=lambda k: k.deletions > 0,
    ),
)  # fmt: skip

FETCHING = (
    Action("SendFetch", follower.send_fetch, "follower", pairs, "KIP-101"),
    Action("HandleFetch", leader.handle_fetch, "leader", pairs, "KIP-101"),
    Action("HandleFetchResponse", follower.handle_fetch_response, "follower", pairs, "KIP-101"),
    Action("HandleOutOfRange", follower.handle_out_of_range, "follower", pairs, "KAFKA-2477"),
    Action("HandleListOffsets", leader.handle_list_offsets, "leader", pairs, "KAFKA-2477"),
    Action(
        "HandleListOffsetsResponse", follower.handle_list_offsets_response, "follower", pairs,
        "KAFKA-7414",
    ),
    Action("RefuseRequest", leader.refuse_request, "leader", pairs, "KIP-320"),
    Action(
        "HandleLateFetch", leader.handle_late_fetch, "leader", pairs, "KIP-903", Fairness.NONE,
        available=lambda k: k.late_request,
    ),
)  # fmt: skip

EPOCH_REQUESTS = (
    Action("SendEpochRequest", epoch_request.send_epoch_request, "follower", pairs, "KIP-101"),
    Action("HandleEpochRequest", epoch_request.handle_epoch_request, "leader", pairs, "KIP-101"),
    Action(
        "HandleEpochResponse", epoch_request.handle_epoch_response, "follower", pairs, "KIP-101"
    ),
)

TRUNCATION_ON_FETCH = (
    Action("HandleDivergingEpoch", follower.handle_diverging_epoch, "follower", pairs, "KIP-595"),
)

METADATA = (
    Action(
        "BecomeLeader", metadata.become_leader, "leader", announced, "KIP-101",
        available=lambda k: not k.change_records,
    ),
    Action("BecomeFollower", metadata.become_follower, "follower", announced, "KIP-101"),
    Action(
        "ShrinkIsr", leader.shrink_isr, "leader", pairs, "KIP-497",
        available=lambda k: not k.kraft,
    ),
    Action(
        "PassLagTime", leader.pass_lag_time, "leader", pairs,
        "Partition.maybeIncrementLeaderHW, KAFKA-4485", available=lambda k: k.hw_waits,
    ),
    Action(
        "Elect", controller.elect, "controller", brokers, "KIP-101",
        available=lambda k: k.elections > 0,
    ),
    Action(
        "ElectLastKnown", controller.elect_last_known, "controller", brokers, "KIP-966",
        available=lambda k: k.last_known_leader and k.elections > 0,
    ),
    Action(
        "Fence", controller.fence, "controller", brokers, "KIP-380",
        available=lambda k: k.elections > 0,
    ),
)  # fmt: skip

ALTER_PARTITION = (
    kraft("ProposeShrink", alter_partition.propose_shrink, "leader", "KIP-497", pairs),
    kraft("HandleAlterPartition", alter_partition.handle_alter_partition, "controller", "KIP-497"),
    kraft(
        "HandleAlterPartitionResponse", alter_partition.handle_alter_partition_response, "leader",
        "KIP-497",
    ),
    kraft("FenceOutOfSync", alter_partition.fence_out_of_sync, "controller", "KIP-631"),
    kraft("Unfence", alter_partition.unfence, "controller", "KIP-631"),
)  # fmt: skip

CHANGE_RECORDS = (
    Action(
        "ApplyChangeRecord", change_records.apply_change_record, "leader", recorded,
        "Partition.makeLeader, KAFKA-15021", available=lambda k: k.change_records,
    ),
    Action(
        "FenceFollower", change_records.fence_follower, "controller", brokers,
        "PartitionChangeBuilder, KAFKA-15021", available=lambda k: k.change_records,
    ),
)  # fmt: skip

REASSIGNMENT = (
    reassigns("AddReplica", reassignment.add_replica, brokers),
    reassigns("ReplaceReplica", reassignment.replace_replica, pairs),
    reassigns("RemoveReplica", reassignment.remove_replica, squares),
    reassigns("CancelReassignment", reassignment.cancel_reassignment, brokers),
    Action(
        "CompleteReassignment", alter_partition.complete_reassignment, "controller", squares,
        "PartitionReassignmentReplicas, KIP-455", available=lambda k: k.reassignments > 0,
    ),
    Action(
        "StopReplica", reassignment.stop_replica, "broker", announced,
        "ReplicaManager.stopPartitions, KIP-455", available=lambda k: k.reassignments > 0,
    ),
)  # fmt: skip

NOTIFICATION = (
    zookeeper("WriteNotification", notification.write_notification, "leader", brokers),
    zookeeper("ReadNotification", notification.read_notification, "controller"),
    zookeeper("RefreshCache", notification.refresh_cache, "controller"),
    zookeeper("DeleteNotification", notification.delete_notification, "controller"),
    zookeeper("UpdateMetadata", notification.update_metadata, "broker", brokers),
    zookeeper("RefreshProducer", notification.refresh_producer, "client", brokers),
    zookeeper("RefreshConsumer", consumer.refresh_consumer, "client", brokers, "read"),
    zookeeper("Consume", consumer.consume, "client", brokers, "read"),
)

FAULTS = (
    _fault("Crash", faults.crash, "broker", "KIP-101", "crashes"),
    _fault("LosePower", faults.lose_power, "broker", "KIP-101", "power_losses", prefixes),
    Action(
        "Restart", faults.restart, "broker", brokers, "KIP-380",
        available=lambda k: bool(k.crashes or k.power_losses),
    ),
    Action(
        "CheckpointHw", faults.checkpoint_hw, "broker", brokers, "KAFKA-1647",
        available=lambda k: bool(k.hw_checkpoint),
    ),
    _fault("LoseMessage", faults.lose_message, "network", "KIP-101", "lost_messages"),
    Action(
        "StartController", notification.start_controller, "controller", nobody, "KAFKA-1367",
        available=lambda k: bool(k.controller_crashes),
    ),
    _fault(
        "CrashController", notification.crash_controller, "controller", "KAFKA-1367",
        "controller_crashes", nobody,
    ),
)  # fmt: skip

PURGATORY = (
    Action(
        "CompleteFetch", purgatory.complete_fetch, "leader", pairs, "DelayedFetch in Kafka 3.x",
        available=lambda k: k.purgatory,
    ),
    Action(
        "CompleteProduce", purgatory.complete_produce, "leader", delayed,
        "DelayedProduce in Kafka 3.x", available=lambda k: k.purgatory and k.delays_produces,
    ),
    Action(
        "ExpireProduce", purgatory.expire_produce, "leader", delayed,
        "DelayedProduce in Kafka 3.x", Fairness.NONE,
        available=lambda k: k.purgatory and k.delays_produces,
    ),
)  # fmt: skip

ISR_CHANGES = ALTER_PARTITION + CHANGE_RECORDS + REASSIGNMENT + NOTIFICATION

ACTIONS = CLIENT + FETCHING + METADATA + FAULTS + PURGATORY + ISR_CHANGES
"""The actions of a protocol without leader epochs; KIP-101 appends OffsetsForLeaderEpoch.

KIP-595 has the diverging epoch of a fetch response instead.
"""

FAULTS_AND_ELECTIONS = {
    "Crash": "crash",
    "LosePower": "power loss",
    "LoseMessage": "lost message",
    "HandleLateFetch": "late fetch",
    "Restart": "restart",
    "Elect": "election",
    "ElectLastKnown": "election",
    "Fence": "fence",
    "FenceFollower": "fence",
    "AddReplica": "added replica",
    "ReplaceReplica": "replaced replica",
    "RemoveReplica": "removed replica",
    "CancelReassignment": "cancelled reassignment",
    "ShrinkIsr": "ISR shrink",
    "ProposeShrink": "ISR shrink",
    "CrashController": "crash of the controller",
}

BROKER = Family(
    name="broker",
    bounds=Constants,
    build=build,
    scenarios=SCENARIOS,
    mutation_bounds=MUTATION_BOUNDS,
    survivors=SURVIVORS,
    faults_and_elections=FAULTS_AND_ELECTIONS,
    state=BrokerState,
)

DEFAULT_PROPERTIES = (
    "NoCommittedRecordLost",
    "NoAckedRecordLost",
    "LogMatching",
    "EpochLogMatching",
    "AtMostOneLeaderPerEpoch",
    "HwWithinLog",
    "TypeOk",
)
