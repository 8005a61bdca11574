"""The broker family: one Kafka partition, brokers that crash, and what its protocols share.

The actions and the initial state are here; what differs between the protocols is in
``protocols``, one file each.  The rules follow KIP-101, KIP-279, KIP-320, KIP-380, KIP-497, KIP-903
and KIP-966, and Kafka's source where the KIPs are silent.

The bounds at which mutants of the broker family are searched.

The instances of each action: with which brokers, epochs and offsets it may be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import signature
from itertools import permutations, product
from pathlib import Path
from typing import Any

from ...core.spec import Action, Fairness
from ..custom.model import Model
from .actions import (
    consumer,
    controller,
    deletion,
    faults,
    follower,
    isr_changes,
    leader,
    metadata,
    reassignment,
)
from .bounds import ZOOKEEPER, Constants
from .presentation.scenes import VIEW
from .state import BrokerState

MUTATION_BOUNDS = (
    "records=1",
    "crashes=0 acks=1",
    "elections=2",
    "records=1 elections=2 crashes=1 power_losses=1 lost_messages=1 hw_checkpoint=step",
    "records=1 elections=3",
    "records=1 elections=3 bounce_noticed late_request",
    "records=2 elections=2 crashes=1 moves",
    "records=1 elections=2 bounce_noticed late_request power_losses=1",
    "records=2 elections=3 crashes=0 moves",
    "records=2 elections=3",
    "replicas=3 records=1 elections=2 crashes=1",
    "records=1 elections=2 crashes=1 purgatory",
    "records=1 elections=2 crashes=1 power_losses=1 min_isr=2 elr",
    "records=0 elections=3 elr last_known_leader",
    "records=1 elections=3 crashes=0 power_losses=1 min_isr=2 elr last_known_leader moves",
    "records=1 elections=1 crashes=1 isr_propagation=zookeeper controller_crashes=1",
    "records=1 elections=2 crashes=1 isr_propagation=kraft moves",
    "records=1 elections=1 crashes=1 power_losses=1 isr_propagation=kraft",
    "records=1 elections=1 crashes=1 isr_propagation=records",
    "records=1 elections=1 crashes=0 isr_propagation=records reassignments=2 spare_broker",
    "records=2 elections=0 crashes=0 deletions=2",
    "records=1 elections=1 crashes=1 deletions=1 moves",
    "replicas=3 records=2 log_size=1 elections=2 crashes=0 moves",
)


BROKER = Model(
    Constants,
    BrokerState,
    name="broker",
    view=VIEW,
    survivors=Path(__file__).with_name("survivors.txt").read_text("utf-8"),
    mutation_bounds=MUTATION_BOUNDS,
    largest_bounds={"records": 3, "crashes": 2, "elections": 3},
)
BROKER.is_kafkas = True


@BROKER.initial
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


VALUES: dict[str, Callable[[Constants], range]] = {
    **dict.fromkeys(
        ("broker", "by", "follower", "leader", "successor"), lambda k: range(k.replicas)
    ),
    # All brokers have applied epoch 0 at first, but a broker that restarts applies it again.
    "epoch": lambda k: range(k.elections + 1),
    "kept": lambda k: range(k.log_size + 1),
    "last": lambda k: range(k.queued_records),
    "offset": lambda k: range(1, k.log_size + 1),
    "record": lambda k: range(k.records),
}
"""The values of each parameter of an action."""


def _action(
    function: Callable[..., bool],
    who: str,
    source: str,
    when: Callable[[Constants], bool] = lambda k: True,
    *,
    fair: bool = True,
    sign: str = "",
) -> Action:
    """Declare an action, whose parameters have the values above.

    Parameters
    ----------
    who, source
        Who acts, and where that is stated.
    when
        Whether there is such an action within given bounds; by default always.
    fair
        Whether it is fair: not if it is up to a client, or to chance.
    sign
        What one of its steps is called, if it is a fault, an election or the like, which bounds
        limit.
    """
    parameters = list(signature(function).parameters)[2:]
    values: dict[str, Any] = {name: VALUES[name] for name in parameters}
    BROKER.action(
        who,
        source=source,
        fairness=Fairness.WEAK if fair else Fairness.NONE,
        sign=sign,
        when=when,
        distinct="by" in parameters or {"leader", "follower"} <= {*parameters},
        **values,
    )(function)
    return BROKER.actions[-1]


def _fault(
    function: Callable[..., bool],
    who: str,
    source: str,
    when: Callable[[Constants], bool],
    sign: str,
) -> Action:
    """Declare an action that the world takes, or an administrator, if it likes."""
    return _action(function, who, source, when, fair=False, sign=sign)


def _elections(k: Constants) -> bool:
    return k.elections > 0


def _last_known(k: Constants) -> bool:
    return k.last_known_leader and k.elections > 0


def _controllers(k: Constants) -> bool:
    return k.controller_crashes > 0


def _kraft(k: Constants) -> bool:
    return k.kraft


def _records(k: Constants) -> bool:
    return k.change_records


def _reassigned(k: Constants) -> bool:
    return k.reassignments > 0


def _zookeeper(k: Constants) -> bool:
    return k.isr_propagation == ZOOKEEPER


def _reads(k: Constants) -> bool:
    return k.isr_propagation == ZOOKEEPER and k.track_read


def _delays(k: Constants) -> bool:
    return k.purgatory and k.delays_produces


# Declared first, in this order, is what `explain` counts: faults, elections and the like.
CRASHES = (
    _fault(faults.crash, "broker", "KIP-101", lambda k: k.crashes > 0, "crash"),
    _fault(faults.lose_power, "broker", "KIP-101", lambda k: k.power_losses > 0, "power loss"),
)

LOSE_MESSAGE = _fault(
    faults.lose_message, "network", "KIP-101", lambda k: k.lost_messages > 0, "lost message"
)

HANDLE_LATE_FETCH = _fault(
    leader.handle_late_fetch, "leader", "KIP-903", lambda k: k.late_request, "late fetch"
)

RESTART = _action(
    faults.restart,
    "broker",
    "KIP-380",
    lambda k: k.crashes + k.power_losses > 0,
    sign="restart",
)

ELECTIONS = (
    _action(controller.elect, "controller", "KIP-101", _elections, sign="election"),
    _action(controller.elect_last_known, "controller", "KIP-966", _last_known, sign="election"),
    _action(controller.fence, "controller", "KIP-380", _elections, sign="fence"),
)

FENCE_FOLLOWER = _action(
    metadata.fence_follower,
    "controller",
    "PartitionChangeBuilder, KAFKA-15021",
    _records,
    sign="fence",
)

REQUESTS = tuple(
    _fault(function, "controller", "PartitionReassignmentReplicas, KIP-455", _reassigned, sign)
    for function, sign in (
        (reassignment.add_replica, "added replica"),
        (reassignment.replace_replica, "replaced replica"),
        (reassignment.remove_replica, "removed replica"),
        (reassignment.cancel_reassignment, "cancelled reassignment"),
    )
)

METADATA = (
    _action(metadata.become_leader, "leader", "KIP-101", lambda k: not k.change_records),
    _action(metadata.become_follower, "follower", "KIP-101"),
    _action(leader.shrink_isr, "leader", "KIP-497", lambda k: not k.kraft, sign="ISR shrink"),
    _action(
        leader.pass_lag_time,
        "leader",
        "Partition.maybeIncrementLeaderHW, KAFKA-4485",
        lambda k: k.hw_waits,
    ),
    *ELECTIONS,
)

ALTER_PARTITION = (
    _action(isr_changes.propose_shrink, "leader", "KIP-497", _kraft, sign="ISR shrink"),
    _action(isr_changes.handle_alter_partition, "controller", "KIP-497", _kraft),
    _action(isr_changes.handle_alter_partition_response, "leader", "KIP-497", _kraft),
    _action(isr_changes.fence_out_of_sync, "controller", "KIP-631", _kraft),
    _action(isr_changes.unfence, "controller", "KIP-631", _kraft),
)

CONTROLLER_CRASHES = (
    _action(isr_changes.start_controller, "controller", "KAFKA-1367", _controllers),
    _fault(
        isr_changes.crash_controller,
        "controller",
        "KAFKA-1367",
        _controllers,
        "crash of the controller",
    ),
)

FAULTS = (
    *CRASHES,
    RESTART,
    _action(faults.checkpoint_hw, "broker", "KAFKA-1647", lambda k: k.hw_checkpoint > 0),
    LOSE_MESSAGE,
    *CONTROLLER_CRASHES,
)

CLIENT = (
    _action(leader.produce, "leader", "KIP-101", lambda k: k.records > 0, fair=False),
    _action(deletion.delete_records, "leader", "KIP-107", lambda k: k.deletions > 0, fair=False),
)

FETCHING = (
    _action(follower.send_fetch, "follower", "KIP-101"),
    _action(leader.handle_fetch, "leader", "KIP-101"),
    _action(follower.handle_fetch_response, "follower", "KIP-101"),
    _action(follower.handle_out_of_range, "follower", "KAFKA-2477"),
    _action(leader.handle_list_offsets, "leader", "KAFKA-2477"),
    _action(follower.handle_list_offsets_response, "follower", "KAFKA-7414"),
    _action(leader.refuse_request, "leader", "KIP-320"),
    HANDLE_LATE_FETCH,
)

EPOCH_REQUESTS = (
    _action(follower.send_epoch_request, "follower", "KIP-101"),
    _action(follower.handle_epoch_request, "leader", "KIP-101"),
    _action(follower.handle_epoch_response, "follower", "KIP-101"),
)

TRUNCATION_ON_FETCH = (_action(follower.handle_diverging_epoch, "follower", "KIP-595"),)

CHANGE_RECORDS = (
    _action(metadata.apply_change_record, "leader", "Partition.makeLeader, KAFKA-15021", _records),
    FENCE_FOLLOWER,
)

REASSIGNMENT = (
    *REQUESTS,
    _action(
        isr_changes.complete_reassignment,
        "controller",
        "PartitionReassignmentReplicas, KIP-455",
        _reassigned,
    ),
    _action(
        reassignment.stop_replica, "broker", "ReplicaManager.stopPartitions, KIP-455", _reassigned
    ),
)

NOTIFICATION = (
    _action(isr_changes.write_notification, "leader", "KAFKA-1367", _zookeeper),
    _action(isr_changes.read_notification, "controller", "KAFKA-1367", _zookeeper),
    _action(isr_changes.refresh_cache, "controller", "KAFKA-1367", _zookeeper),
    _action(isr_changes.delete_notification, "controller", "KAFKA-1367", _zookeeper),
    _action(isr_changes.update_metadata, "broker", "KAFKA-1367", _zookeeper),
    _action(isr_changes.refresh_producer, "client", "KAFKA-1367", _zookeeper),
    _action(consumer.refresh_consumer, "client", "KAFKA-1367", _reads),
    _action(consumer.consume, "client", "KAFKA-1367", _reads),
)

PURGATORY = (
    _action(leader.complete_fetch, "leader", "DelayedFetch in Kafka 3.x", lambda k: k.purgatory),
    _action(leader.complete_produce, "leader", "DelayedProduce in Kafka 3.x", _delays),
    _action(leader.expire_produce, "leader", "DelayedProduce in Kafka 3.x", _delays, fair=False),
)

ACTIONS = (
    *CLIENT, *FETCHING, *METADATA, *FAULTS, *PURGATORY,
    *ALTER_PARTITION, *CHANGE_RECORDS, *REASSIGNMENT, *NOTIFICATION,
)  # fmt: skip
"""The actions of a protocol without leader epochs; KIP-101 appends OffsetsForLeaderEpoch.

KIP-595 has the diverging epoch of a fetch response instead.
"""

DEFAULT_PROPERTIES = (
    "NoCommittedRecordLost",
    "NoAckedRecordLost",
    "LogMatching",
    "EpochLogMatching",
    "AtMostOneLeaderPerEpoch",
    "HwWithinLog",
    "TypeOk",
)


def brokers(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each broker."""
    return ((broker,) for broker in range(k.replicas))


def nobody(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield one empty tuple: there is one controller, and one client of each kind."""
    return iter(((),))


def pairs(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each leader with each other broker as its follower."""
    return permutations(range(k.replicas), 2)


def announced(k: Constants) -> Iterator[tuple[int, ...]]:
    """Yield each broker with each leader epoch that LeaderAndIsr may announce to it, 0 included.

    All brokers have applied epoch 0 at first, but a broker that restarts applies it again.
    """
    return product(range(k.replicas), range(k.elections + 1))
