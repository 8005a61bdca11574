"""Rules of earlier Kafka versions that were wrong: a protocol lists those that its own replaced.

Each is a mutant of a protocol that lists it in ``older_rules``, so that the bug of the ticket can
be shown (``tidegate check 'kip-320~has_new_leader = if_leader_changes'``) and gated.
"""

from __future__ import annotations

from ...core.fields import NONE
from .bounds import ZOOKEEPER, Constants
from .log import newest_epoch
from .messages import DIVERGING, FETCH, FETCH_RESPONSE, OUT_OF_RANGE
from .rules import clear_message
from .state import BrokerState


def lose_checkpoint(s: BrokerState, k: Constants, follower: int) -> bool:
    """Lose the high watermark of a restarted broker (KAFKA-1647).

    Kafka before 0.8.2.0 creates no replica if the leader is not alive, and the next checkpoint of
    high watermarks omits the partition.
    """
    replica = s.replica[follower]
    if replica.leader != NONE or replica.hw == 0:
        return False
    replica.hw = 0
    replica.checkpoint = 0
    return True


def at_every_new_epoch(s: BrokerState, k: Constants, broker: int, epoch: int) -> bool:
    """Reset the remote LEOs at every epoch: Partition.makeLeader of Kafka 0.8."""
    return True


def before_truncating(s: BrokerState, k: Constants, follower: int) -> bool:
    """Apply it to the log that diverges (KAFKA-14704): Kafka 2.8.0 to 3.4.0."""
    return True


def keep_waiting(s: BrokerState, k: Constants, broker: int) -> bool:
    """Let produces wait on at a broker that becomes a follower, for another term as the leader.

    Kafka before 0.10.0.0: the HW of that later term acknowledges whatever is at the offset, unless
    a follower's fetch at the former leader has failed them before.
    """
    return False


def only_if_log_shrinks(s: BrokerState, k: Constants, broker: int, offset: int) -> bool:
    """Leave the epoch cache as it is if the log ends at or below `offset` (KAFKA-10706).

    Log.truncateTo of Kafka 0.11.0 to 2.6.0.
    """
    return offset < s.replica[broker].leo


def after_the_fetch(s: BrokerState, k: Constants, leader: int, before: int) -> int:
    """Answer with the high watermark after this fetch (KAFKA-7104).

    Kafka 1.0.0, 1.0.1 and 1.1.0, and 0.8.0 and 0.8.1.
    """
    return s.replica[leader].hw


def leads_in_any_epoch(s: BrokerState, k: Constants, broker: int) -> bool:
    """Let any broker that believes it leads change the ISR, without comparing versions.

    The version of the partition state in ZooKeeper, and since KIP-497 the partition epoch, reject
    a leader that does not know the current ISR.
    """
    return s.replica[broker].leader == broker


def also_if_diverging(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Count the fetch offset of a follower whose log diverges (KAFKA-13141).

    Some records below that offset differ from the leader's, yet the leader commits its own.
    """
    return True


def cached_isr(s: BrokerState, k: Constants) -> int:
    """Elect from the ISR in the controller's cache, which notifications refresh late.

    Before there were notifications the controller's and the brokers' view of the ISR was stale
    (KAFKA-1367); with notifications it still is for a while.
    """
    return s.controller.isr if k.isr_propagation == ZOOKEEPER else s.partition.isr


def current_isr(s: BrokerState, k: Constants, leader: int) -> int:
    """Wait for the ISR that the leader knows only; a proposed one may be in force (KIP-497)."""
    return s.replica[leader].isr


def nothing_proposed(s: BrokerState, k: Constants, leader: int) -> bool:
    """Propose in a new epoch while an older request is in flight (KAFKA-12686).

    The new request is queued after the older one, whose response clears the queue.
    """
    return s.replica[leader].proposed == 0


def in_any_epoch(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept an ISR change without comparing epochs, even from a former leader.

    In no release of Kafka: it shows what the epochs in KIP-497's request are for.
    """
    return True


def in_any_partition_epoch(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept an ISR change without comparing partition epochs."""
    return True


def before_its_fence(s: BrokerState, k: Constants, broker: int) -> bool:
    """Let a broker register whose session has ended, before the controller fences it.

    ClusterControlManager.registerBroker of Kafka 3.3.0 to 3.9, unless ELR is enabled: it stays in
    the ISR and remains the leader.
    """
    return True


def of_the_latest_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Propose a member by an older fetch, with the broker epoch of its newest one (KAFKA-15221).

    The newest fetch has arrived in between, and overwrites what the leader knows of the follower:
    Partition.maybeExpandIsr of Kafka 3.5.0 to 3.6.2.
    """
    newer = s.message[follower].kind == FETCH and s.replica[follower].leader == leader
    return not newer


def even_if_fenced(s: BrokerState, k: Constants, broker: int) -> bool:
    """Elect the last known leader even while it is fenced or dead (KAFKA-19522).

    PartitionChangeBuilder.canElectLastKnownLeader of Kafka 3.7.0 to 4.0.1.
    """
    return True


def anybody(s: BrokerState, k: Constants, isr: int) -> bool:
    """Let fenced brokers, and brokers that are shutting down, into the ISR (before KIP-841)."""
    return True


def whatever_it_was(s: BrokerState, k: Constants, leader: int) -> bool:
    """Let a broker into the ISR because of its log before it restarted (before KIP-903)."""
    return True


def drop_requests_only(s: BrokerState, k: Constants, follower: int) -> None:
    """Keep a response in flight across a new epoch (KAFKA-18991).

    Its records or its truncation offset belong to an epoch in which the follower no longer follows.
    AbstractFetcherThread.processFetchRequest of Kafka 2.8.0 to 3.9.0, and of 4.0.0, compares only
    the fetch offset with the follower's log end.  The leader is the same as well: each one has a
    fetcher of its own, which has to be kept alive by another partition.  A follower without any
    epoch first truncates, and drops it (partitionFetchState).
    """
    message, replica = s.message[follower], s.replica[follower]
    if message.kind in (FETCH_RESPONSE, OUT_OF_RANGE, DIVERGING):
        if replica.leader in (NONE, follower):
            return
        is_same = message.leader == replica.leader and message.offset == replica.leo
        if is_same and newest_epoch(s, k, follower) != NONE:
            return
    clear_message(s, k, follower)


OF_ISR_CHANGES = (
    ("isr_for_election", cached_isr),
    ("isr_for_hw", current_isr),
    ("may_propose", nothing_proposed),
    ("may_alter_partition", in_any_epoch),
    ("may_be_members", anybody),
    ("may_still_be_members", whatever_it_was),
    ("keeps_broker_epoch", of_the_latest_fetch),
    ("may_register_unfenced", before_its_fence),
)
"""The rules that matter only if ISR changes do not propagate instantly."""

OF_ELECTIONS = (("elects_last_known_leader", even_if_fenced),)
"""The rules that matter only with the option ``last_known_leader``."""

OF_CHANGE_RECORDS = (("knows_partition_epoch", in_any_partition_epoch),)
"""The rules that matter only with the option ``isr_propagation=records``."""
