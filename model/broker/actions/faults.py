"""Faults: crashes, power losses, restarts and lost messages; and the HW checkpoint."""

from __future__ import annotations

from ....core.fields import NONE
from ..bounds import Constants
from ..leadership import fail_produces, forget_remote_leos, forget_role
from ..log import drop_empty_epochs, newest_epoch, truncate_to
from ..messages import FETCH, IDLE
from ..rules import clear_message, once_fenced
from ..state import BrokerState
from .deletion import raise_hw
from .isr_changes import note_registration, orphan_request
from .leader import forget_late_fetch
from .metadata import forget_outdated, resend
from .reassignment import keep_replica


def go_down(s: BrokerState, k: Constants, broker: int) -> None:
    """End a broker's process: its memory and the messages in flight to or from it are lost."""
    for follower in range(k.replicas):
        if follower == broker or s.replica[follower].leader == broker:
            if k.late_request and follower == broker and s.message[follower].kind == FETCH:
                late = s.late_fetch[follower]
                late.leader = s.replica[follower].leader
                late.epoch = s.replica[follower].epoch
                late.offset = s.replica[follower].leo
                if k.rules.truncation_on_fetch:
                    late.last_epoch = newest_epoch(s, k, follower)
            clear_message(s, k, follower)
        if k.late_request and s.late_fetch[follower].leader == broker:
            forget_late_fetch(s, follower)
    fail_produces(s, k, broker)
    replica = s.replica[broker]
    replica.alive = False
    replica.epoch = NONE
    forget_role(s, broker)
    if k.hw_checkpoint:
        replica.hw = min(replica.checkpoint, replica.leo)
        raise_hw(s, k, broker)
    replica.replicas = 0
    replica.change_set = 0
    replica.metadata = NONE
    if k.kraft:
        orphan_request(s, k, broker)
    forget_remote_leos(s, k, broker)
    if k.rules.epoch_cache:
        drop_empty_epochs(s, k, broker)  # Loading a log does so (Log.scala, since 0.11).
    forget_outdated(s, k)


def crash(s: BrokerState, k: Constants, broker: int) -> bool:
    """Kill a broker's process: the log survives in the page cache."""
    if not s.replica[broker].alive:
        return False
    if s.crashed == k.crashes:
        return False
    s.crashed += 1
    go_down(s, k, broker)
    return True


def lose_power(s: BrokerState, k: Constants, broker: int, kept: int) -> bool:
    """Lose a broker's power: only the first `kept` records of its log were on disk.

    Any suffix may be lost: by default Kafka flushes only segments that it has rolled.
    Deleted records stay deleted.
    """
    if not s.replica[broker].alive:
        return False
    if s.lost_power == k.power_losses:
        return False
    if kept > s.replica[broker].leo:
        return False
    if kept < s.replica[broker].start:
        return False
    s.lost_power += 1
    go_down(s, k, broker)
    truncate_to(s, k, broker, kept)
    return True


def restart(s: BrokerState, k: Constants, broker: int) -> bool:
    """Restart a dead broker with the state on its disk; it waits for LeaderAndIsr.

    The controller sends it the current epoch, with the stored ISR: on a startup that it notices,
    and when another broker becomes the controller.  A broker whose bounce went unnoticed may so
    lead again in its own epoch.  With ``bounce_noticed``, and by rule since Kafka 2.2, it restarts
    only after it has been fenced; in a KRaft cluster it can register only after that, but for an
    older rule: it registers as fenced, and keeps its place in the ISR and its leadership.  The same
    holds with ``elr``, where its registration shows an unclean shutdown, which every crash is: it
    may have lost records, so it leaves the ISR and the ELR.
    """
    if s.replica[broker].alive:
        return False
    early = k.kraft and not s.partition.fenced >> broker & 1
    if early and not k.rules.may_register_unfenced(s, k, broker):
        return False
    if not early and not k.rules.may_restart(s, k, broker):
        return False
    if k.bounce_noticed and not once_fenced(s, k, broker):
        return False
    if k.elr and (s.partition.leader == broker or s.partition.isr >> broker & 1):
        return False
    if k.kraft:
        note_registration(s, k, broker)
        s.partition.fenced |= 1 << broker
    replica = s.replica[broker]
    replica.alive = True
    if k.elr:
        s.partition.elr = k.rules.eligible_at_registration(s, k, broker)
    if not k.stale_leader_and_isr:
        replica.epoch = s.partition.epoch - 1
        if s.partition.leader == broker:
            resend(s, k)
        if k.reassignments:
            keep_replica(s, k, broker)
    return True


def checkpoint_hw(s: BrokerState, k: Constants, broker: int) -> bool:
    """Write a broker's high watermark to its replication-offset-checkpoint."""
    if not s.replica[broker].alive:
        return False
    if s.replica[broker].checkpoint == s.replica[broker].hw:
        return False
    s.replica[broker].checkpoint = s.replica[broker].hw
    return True


def lose_message(s: BrokerState, k: Constants, follower: int) -> bool:
    """Lose the message in flight between a follower and its leader; the follower retries."""
    if s.message[follower].kind == IDLE:
        return False
    if s.lost == k.lost_messages:
        return False
    s.lost += 1
    clear_message(s, k, follower)
    return True
