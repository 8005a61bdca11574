"""Protocols with one check of Kafka more, or one less, for checks.toml.

``tidegate check tests/docs/kafka_checks.py:NAME`` searches one; its parent is the protocol that it
changes.
"""

from dataclasses import replace
from itertools import product

from tidegate.core.fields import NONE, Record, array, integer, subset
from tidegate.core.spec import Action, Fairness, Property
from tidegate.library.names import find_protocol
from tidegate.model.broker.actions.controller import elect, fence
from tidegate.model.broker.actions.deletion import follow_log_start
from tidegate.model.broker.actions.faults import crash, go_down, restart
from tidegate.model.broker.actions.follower import handle_diverging_epoch, handle_fetch_response
from tidegate.model.broker.actions.isr_changes import (
    _answer,
    _is_current,
    _may_become_isr,
    clear_alter_partition,
    handle_alter_partition,
    handle_alter_partition_response,
    note_registration,
    unfence,
)
from tidegate.model.broker.actions.leader import (
    forget_late_fetch,
    handle_fetch,
    receive_fetch,
    refuse_request,
)
from tidegate.model.broker.actions.metadata import (
    apply_change_record,
    become_follower,
    become_leader,
    forget_outdated,
    send_leader_and_isr,
    shrink,
)
from tidegate.model.broker.actions.reassignment import (
    _grow,
    add_replica,
    cancel_reassignment,
    replace_replica,
)
from tidegate.model.broker.assignment import all_in_isr, assigned
from tidegate.model.broker.bounds import Constants
from tidegate.model.broker.family import brokers, nobody, pairs
from tidegate.model.broker.history import note_acked, note_deleted
from tidegate.model.broker.in_flight import LogEntry
from tidegate.model.broker.leadership import (
    acting_leader,
    advance_hw,
    drop_produce,
    fail_produces,
    forget_remote_leos,
    forget_role,
    leads,
    set_isr,
)
from tidegate.model.broker.log import (
    append,
    delete_below,
    delete_log,
    drop_empty_epochs,
    newest_epoch,
    truncate_to,
)
from tidegate.model.broker.messages import (
    ACCEPTED,
    DIVERGING,
    FETCH,
    FETCH_RESPONSE,
    NOTHING,
    ORPHANED,
    OUTDATED,
    REFUSED,
    REQUEST,
)
from tidegate.model.broker.older import anybody, whatever_it_was
from tidegate.model.broker.protocols.kip595_reset import only_if_new
from tidegate.model.broker.rules import at_any_offset, clear_message, unless_rebooted
from tidegate.model.broker.state import BrokerState
from tidegate.model.broker.unapplied import append_record


def _changed(name, action=None, apply=None, of="kip-595", **rules):
    """Return a protocol with another way to take an action, or with other rules."""
    base = find_protocol(of) if isinstance(of, str) else of
    return replace(
        base,
        name=name,
        parent=base,
        summary=f"{base.name} for docs/checks.md: {name}.",
        story="",
        expected=(),
        rules=replace(base.rules, **rules),
        actions=tuple(
            replace(one, apply=apply) if one.name == action else one for one in base.actions
        ),
    )


def _with_step(name, action, of="kip-595"):
    """Return a protocol with one more action."""
    base = _changed(name, of=of)
    return replace(base, actions=(*base.actions, action))


def _with_steps(name, added, of="kip-595", state=None, **changed):
    """Return a protocol with more actions, more variables, or other ways to take some actions."""
    base = _changed(name, of=of)
    kept = tuple(
        replace(one, apply=changed[one.name]) if one.name in changed else one
        for one in base.actions
    )
    return replace(base, actions=(*kept, *added), state=state or base.state)


def _step(name, apply, source, arguments=brokers, who="controller"):
    """Return an action that no fairness brings about."""
    return Action(name, apply, who, arguments, source, Fairness.NONE)


def restart_keeping_request(s: BrokerState, k: Constants, broker: int) -> bool:
    """Leave the request of the broker's former process with the controller."""
    request = s.alter_partition[broker]
    kind, epoch, isr, outdated = request.kind, request.epoch, request.isr, request.outdated
    if not restart(s, k, broker):
        return False
    if kind == ORPHANED:
        s.alter_partition[broker].kind = kind
        s.alter_partition[broker].epoch = epoch
        s.alter_partition[broker].isr = isr
        s.alter_partition[broker].outdated = outdated
    return True


TAKES_FORMER_REQUESTS = _changed(
    "takes-former-requests", "Restart", restart_keeping_request, "kafka-3.3-kraft"
)


def in_this_epoch(s: BrokerState, k: Constants, leader: int) -> bool:
    """Do not compare the sender with the partition's leader."""
    return s.alter_partition[leader].epoch == s.partition.epoch


ANY_SENDER = _changed("any-sender", may_alter_partition=in_this_epoch)


def accept_strangers(s: BrokerState, k: Constants, leader: int) -> bool:
    """Accept members that are not replicas."""
    message = s.alter_partition[leader]
    pending = message.kind == REQUEST or message.kind == ORPHANED
    if pending and message.isr & ~assigned(s, k) and _is_current(s, k, leader):
        set_isr(s, k, message.isr)
        append_record(s, k)
        _answer(message, ACCEPTED)
        return True
    return handle_alter_partition(s, k, leader)


ANY_MEMBER = _changed("any-member", "HandleAlterPartition", accept_strangers)


def restart_as_old_member(s: BrokerState, k: Constants, broker: int) -> bool:
    """Check no broker epoch of a broker that is in the ISR already."""
    member = s.partition.isr >> broker & 1
    if not restart(s, k, broker):
        return False
    if member:
        for request in s.alter_partition:
            request.rebooted &= ~(1 << broker)
    return True


OLD_MEMBERS_UNCHECKED = _changed(
    "old-members-unchecked", "Restart", restart_as_old_member, "kafka-3.9-kraft"
)


def write_changes_only(s: BrokerState, k: Constants, leader: int) -> bool:
    """Answer a request for the stored ISR without a record."""
    message = s.alter_partition[leader]
    pending = message.kind == REQUEST or message.kind == ORPHANED
    same = message.isr == s.partition.isr
    if pending and same and not k.reassignments and _is_current(s, k, leader):
        _answer(message, ACCEPTED)
        return True
    return handle_alter_partition(s, k, leader)


NO_EMPTY_RECORD = _changed("no-empty-record", "HandleAlterPartition", write_changes_only)


def register_again(s: BrokerState, k: Constants, broker: int) -> bool:
    """Give a live broker a new broker epoch, fenced; it repeats its own request."""
    if not s.replica[broker].alive:
        return False
    note_registration(s, k, broker)
    s.alter_partition[broker].rebooted &= ~(1 << broker)
    s.partition.fenced |= 1 << broker
    return True


REGISTERS_AGAIN = _with_step(
    "registers-again",
    Action(
        "RegisterAgain", register_again, "broker", brokers, "ClusterControlManager", Fairness.NONE,
        available=lambda k: k.kraft,
    ),
)  # fmt: skip


def restart_unfenced(s: BrokerState, k: Constants, broker: int) -> bool:
    """Register as unfenced."""
    if not restart(s, k, broker):
        return False
    s.partition.fenced &= ~(1 << broker)
    return True


REGISTERS_UNFENCED = _changed("registers-unfenced", "Restart", restart_unfenced)


def unfence_up_to_date(s: BrokerState, k: Constants, broker: int) -> bool:
    """Unfence a broker only once it has applied the present epoch."""
    if s.replica[broker].epoch != s.partition.epoch:
        return False
    return unfence(s, k, broker)


UNFENCES_UP_TO_DATE = _changed("unfences-up-to-date", "Unfence", unfence_up_to_date)


def unfence_and_elect(s: BrokerState, k: Constants, broker: int) -> bool:
    """Elect the broker in the same record, if there is no leader."""
    if not unfence(s, k, broker):
        return False
    if s.partition.leader == NONE:
        elect(s, k, broker)
    return True


ELECTS_WITH_UNFENCE = _changed("elects-with-unfence", "Unfence", unfence_and_elect)


def elect_among_dead(s: BrokerState, k: Constants, broker: int) -> bool:
    """Leave dead members that are not fenced yet in the ISR."""
    isr = s.partition.isr
    if not elect(s, k, broker):
        return False
    if isr >> broker & 1:
        s.partition.isr = isr
        if k.change_records:
            s.leader_and_isr[s.partition.epoch].isrs[0] = isr
        else:
            s.leader_and_isr[s.partition.epoch].isr = isr
    return True


ELECTION_KEEPS_DEAD = _changed("election-keeps-dead", "Elect", elect_among_dead)


def fence_last_member(s: BrokerState, k: Constants, broker: int) -> bool:
    """Empty the ISR when its last member is fenced, if unclean elections are allowed."""
    last = s.partition.isr == 1 << broker
    if not fence(s, k, broker):
        return False
    if last and k.unclean_election:
        s.partition.isr = 0
        s.leader_and_isr[s.partition.epoch].isr = 0
    return True


EMPTIES_ISR = _changed("empties-isr", "Fence", fence_last_member, "hw")


def assign_directory(s: BrokerState, k: Constants) -> bool:
    """Write a record for a replica's directory: a partition epoch and nothing else."""
    leader = s.partition.leader
    if leader == NONE or s.leader_and_isr[s.partition.epoch].isrs[0]:
        return False
    append_record(s, k)
    return True


def assign_directory_without_elr(s: BrokerState, k: Constants) -> bool:
    """Write a record for a replica's directory that empties the ELR."""
    if s.partition.elr == 0:
        return False
    s.partition.elr = 0
    append_record(s, k)
    return True


def _directories(name, apply, of):
    return _with_step(
        name,
        Action(
            "AssignDirectory", apply, "controller", nobody, "handleAssignReplicasToDirs",
            Fairness.NONE, available=lambda k: k.change_records,
        ),
        of,
    )  # fmt: skip


ASSIGNS_DIRECTORY = _directories("assigns-directory", assign_directory, "kip-595")
ASSIGNS_DIRECTORY_4_2 = _directories(
    "assigns-directory-4.2", assign_directory_without_elr, "kafka-4.2-kraft"
)


def knows_epoch(s: BrokerState, k: Constants, broker: int) -> bool:
    """Compare leader and leader epoch, but not the version of the stored ISR."""
    return (
        s.replica[broker].leader == broker
        and s.partition.leader == broker
        and s.replica[broker].epoch == s.partition.epoch
    )


NO_VERSION = _changed("no-version", of="kip-101", may_change_isr=knows_epoch)


def count_out_of_range(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Update the follower's state from a fetch above the leader's log end, too."""
    fetches = s.message[follower].kind == FETCH
    offset = s.replica[follower].leo
    if not handle_fetch(s, k, leader, follower):
        return False
    if fetches and offset > s.replica[leader].leo:
        receive_fetch(s, k, leader, follower, offset)
    return True


COUNTS_OUT_OF_RANGE_0_8_1 = _changed(
    "counts-out-of-range-0.8.1", "HandleFetch", count_out_of_range, "kafka-0.8.1-zookeeper"
)
COUNTS_OUT_OF_RANGE = _changed("counts-out-of-range", "HandleFetch", count_out_of_range, "kip-279")


def refuse_and_forget(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Set the remote LEO to unknown for a fetch that is refused."""
    fetches = s.message[follower].kind == FETCH
    if not refuse_request(s, k, leader, follower):
        return False
    if fetches and leads(s, leader):
        s.replica[leader].remote_leo[follower] = 0
    return True


FORGETS_REFUSED = _changed(
    "forgets-refused", "RefuseRequest", refuse_and_forget, "kafka-2.3-zookeeper"
)


def keep_larger(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Never lower a remote LEO."""
    before = s.replica[leader].remote_leo[follower]
    if not handle_fetch(s, k, leader, follower):
        return False
    s.replica[leader].remote_leo[follower] = max(before, s.replica[leader].remote_leo[follower])
    return True


KEEPS_LARGER_LEO = _changed("keeps-larger-leo", "HandleFetch", keep_larger, "kip-320")

JOINS_BELOW_HW = _changed("joins-below-hw", of="kip-320", has_committed=at_any_offset)


def apply_any_response(s: BrokerState, k: Constants, leader: int) -> bool:
    """Apply a response to a request of an older epoch."""
    message = s.alter_partition[leader]
    if message.kind == ACCEPTED and leads(s, leader):
        message.epoch = s.replica[leader].epoch
    return handle_alter_partition_response(s, k, leader)


APPLIES_ANY_RESPONSE = _changed(
    "applies-any-response", "HandleAlterPartitionResponse", apply_any_response
)


def drop_outdated(s: BrokerState, k: Constants, leader: int) -> bool:
    """Drop the proposal although the answer is INVALID_UPDATE_VERSION."""
    outdated = s.alter_partition[leader].kind == OUTDATED
    if not handle_alter_partition_response(s, k, leader):
        return False
    if outdated and leads(s, leader) and s.replica[leader].proposed:
        s.replica[leader].proposed = 0
        advance_hw(s, k, leader)
    return True


DROPS_OUTDATED = _changed("drops-outdated", "HandleAlterPartitionResponse", drop_outdated)


def keep_refused(s: BrokerState, k: Constants, leader: int) -> bool:
    """Keep the proposal although the answer is INELIGIBLE_REPLICA."""
    if s.alter_partition[leader].kind == NOTHING:
        return False
    proposed, kind = s.replica[leader].proposed, s.alter_partition[leader].kind
    if not handle_alter_partition_response(s, k, leader):
        return False
    if kind != ACCEPTED and leads(s, leader):
        s.replica[leader].proposed = proposed
    return True


KEEPS_REFUSED = _changed("keeps-refused", "HandleAlterPartitionResponse", keep_refused)


def complete_any(s: BrokerState, k: Constants, leader: int, record: int) -> bool:
    """Acknowledge a produce although the ISR has fewer members than min.insync.replicas."""
    waiting = s.delayed_produce[record]
    if waiting.leader != leader:
        return False
    if waiting.offset >= s.replica[leader].hw:
        return False
    note_acked(s, k, leader, record, waiting.offset)
    drop_produce(s, record)
    return True


ACKS_BELOW_MIN_ISR = _changed("acks-below-min-isr", "CompleteProduce", complete_any)


def take_hw(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Take the leader's high watermark, even above the follower's log end."""
    hw = s.message[follower].hw
    if not handle_fetch_response(s, k, leader, follower):
        return False
    s.replica[follower].hw = hw
    return True


HW_BEYOND_LOG = _changed("hw-beyond-log", "HandleFetchResponse", take_hw)


def fetch_with_any_log(s: BrokerState, k: Constants, follower: int) -> None:
    """Keep the log of a follower without any epoch."""


KEEPS_LOG_WITHOUT_EPOCHS = _changed("keeps-log-without-epochs", begin_following=fetch_with_any_log)


def complete_always(s: BrokerState, k: Constants, isr: int) -> bool:
    """Complete a reassignment before the added replicas are in the ISR."""
    return True


COMPLETES_AT_ONCE = _changed("completes-at-once", may_complete=complete_always)


def of_the_leader(s: BrokerState, k: Constants, leader: int) -> bool:
    """Compare the sender with the partition's leader, but no epochs."""
    return s.partition.leader == leader


ANY_EPOCH = _changed("any-epoch", may_alter_partition=of_the_leader)


def left_below_two(s: BrokerState, k: Constants, isr: int, members: int) -> int:
    """Keep the ELR by a min.insync.replicas of 2, whatever the leader's is."""
    return 0 if members >= 2 else (s.partition.elr | s.partition.isr) & ~isr


CONTROLLER_MIN_ISR_2 = _changed("controller-min-isr-2", eligible_leaders=left_below_two)


def left_below_one(s: BrokerState, k: Constants, isr: int, members: int) -> int:
    """Keep the ELR by a min.insync.replicas of 1, whatever the leader's is."""
    return 0 if members >= 1 else (s.partition.elr | s.partition.isr) & ~isr


CONTROLLER_MIN_ISR_1 = _changed("controller-min-isr-1", eligible_leaders=left_below_one)


def refuse_old_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Refuse a fetch from before its sender re-registered, once the leader knows that.

    A leader that proposes a follower knows its broker epoch.
    """
    pending = s.replica[leader].proposed
    if not handle_fetch(s, k, leader, follower):
        return False
    if s.replica[leader].proposed != pending and s.late_fetch[follower].leader == leader:
        forget_late_fetch(s, follower)
    return True


REFUSES_OLD_FETCH = _changed("refuses-old-fetch", "HandleFetch", refuse_old_fetch)


def append_from_file(s: BrokerState, k: Constants, leader: int, follower: int, newest: int) -> bool:
    """Append what the leader's log has when the response is sent, up to an epoch."""
    if s.message[follower].kind != FETCH_RESPONSE:
        return False
    if s.replica[follower].leader != leader:
        return False
    replica, message, log = s.replica[follower], s.message[follower], s.replica[leader].log
    for entry in message.records:
        offset = replica.leo
        if entry.record != NONE and offset < s.replica[leader].leo and log[offset].epoch <= newest:
            append(s, k, follower, log[offset].epoch, log[offset].record)
    replica.hw = min(replica.leo, message.hw)
    follow_log_start(s, k, follower, message.start)
    clear_message(s, k, follower)
    return True


def append_anything(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Append records of a newer epoch than the follower's, too."""
    return append_from_file(s, k, leader, follower, k.elections)


def append_known_epochs(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Append no record of a newer epoch than the follower's."""
    return append_from_file(s, k, leader, follower, s.replica[follower].epoch)


READS_WHEN_SENT = _changed("reads-when-sent", "HandleFetchResponse", append_anything)
READS_WHEN_SENT_4_1 = _changed("reads-when-sent-4.1", "HandleFetchResponse", append_known_epochs)


def keep_diverging(s: BrokerState, k: Constants, follower: int) -> None:
    """Keep a diverging epoch that has arrived over a new epoch of the same leader, or any gap."""
    message, replica = s.message[follower], s.replica[follower]
    follows = replica.leader != follower
    if message.kind == DIVERGING and (replica.leader == NONE or not follows):
        return
    if message.kind == DIVERGING and message.leader == replica.leader:
        return
    clear_message(s, k, follower)


KEEPS_DIVERGING = _changed("keeps-diverging", drop_in_flight=keep_diverging)


def check_fetch(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Check the epoch of a fetch and read the log; the follower's state is updated later."""
    if s.message[follower].kind != FETCH:
        return False
    if s.replica[follower].leader != leader:
        return False
    if not leads(s, leader):
        return False
    if not k.rules.may_serve_fetch(s, k, leader, s.replica[follower].epoch):
        return False
    late, offset = s.late_fetch[follower], s.replica[follower].leo
    if late.leader != NONE:
        return False
    if offset > s.replica[leader].leo:
        return False
    if k.rules.diverges(s, k, leader, newest_epoch(s, k, follower), offset):
        return False
    late.leader = leader
    late.epoch = s.replica[follower].epoch
    late.offset = offset
    clear_message(s, k, follower)
    return True


def update_state(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Update the follower's state without comparing epochs again."""
    late = s.late_fetch[follower]
    if late.leader != leader:
        return False
    offset = late.offset
    forget_late_fetch(s, follower)
    if leads(s, leader) and offset <= s.replica[leader].leo:
        receive_fetch(s, k, leader, follower, offset)
    return True


_TWO_STEPS = _changed("two-steps", "HandleLateFetch", update_state, "kip-595-reset")
TWO_STEPS = replace(
    _TWO_STEPS,
    parent=_TWO_STEPS.parent,
    actions=(
        *_TWO_STEPS.actions,
        Action(
            "CheckFetch", check_fetch, "leader", pairs, "Partition.fetchRecords", Fairness.NONE,
            available=lambda k: k.late_request,
        ),
    ),
)  # fmt: skip


def fence_in_new_epoch(s: BrokerState, k: Constants, broker: int) -> bool:
    """Begin a leader epoch where a follower leaves the ISR."""
    isr, leader = s.partition.isr, s.partition.leader
    if s.replica[broker].alive and not k.moves:
        return False
    if leader == broker or not isr >> broker & 1 or isr == 1 << broker:
        return False
    if s.partition.epoch == k.elections:
        return False
    s.partition.fenced |= 1 << broker
    send_leader_and_isr(s, k, leader, isr & ~(1 << broker))
    forget_outdated(s, k)
    return True


DEACTIVATES_IN_NEW_EPOCH = _changed("deactivates-in-new-epoch", "FenceFollower", fence_in_new_epoch)


def shrink_in_new_epoch(s: BrokerState, k: Constants, leader: int) -> bool:
    """Begin a leader epoch with a shrink; the leader waits for its metadata."""
    message = s.alter_partition[leader]
    pending = message.kind == REQUEST or message.kind == ORPHANED
    if not pending or s.partition.isr & ~message.isr == 0 or not _is_current(s, k, leader):
        return handle_alter_partition(s, k, leader)
    if not _may_become_isr(s, k, leader):
        return handle_alter_partition(s, k, leader)
    if s.partition.epoch == k.elections:
        return False
    orphaned, isr = message.kind == ORPHANED, message.isr
    _answer(message, OUTDATED)
    send_leader_and_isr(s, k, leader, isr)
    if orphaned:
        clear_alter_partition(s, leader)
    forget_outdated(s, k)
    return True


SHRINKS_IN_NEW_EPOCH = _changed(
    "shrinks-in-new-epoch", "HandleAlterPartition", shrink_in_new_epoch, "kafka-3.5-kraft"
)


def clear_elr(s: BrokerState, k: Constants) -> bool:
    """Empty the ELR and forget the last known leader, without a partition epoch."""
    if s.partition.elr == 0 and s.partition.last_known_leader == NONE:
        return False
    s.partition.elr = 0
    s.partition.last_known_leader = NONE
    return True


CLEARS_ELR = _with_step(
    "clears-elr", _step("ClearElr", clear_elr, "ClearElrRecord", nobody), "kafka-4.2-kraft"
)


class Shutdowns(BrokerState):
    """Brokers that shut down in order."""

    clean: int = subset(lambda k: k.replicas, "down after a clean shutdown", names="replicas")


def shut_down_cleanly(s: Shutdowns, k: Constants, broker: int) -> bool:
    """Go down in order, with the whole log on the disk."""
    if not crash(s, k, broker):
        return False
    s.clean |= 1 << broker
    return True


def register_clean(s: Shutdowns, k: Constants, broker: int) -> bool:
    """Keep a broker in the ELR whose registration has its former broker epoch."""
    elr, clean = s.partition.elr, s.clean >> broker & 1
    if not restart(s, k, broker):
        return False
    if clean:
        s.partition.elr = elr
    s.clean &= ~(1 << broker)
    return True


def register_any(s: Shutdowns, k: Constants, broker: int) -> bool:
    """Keep every broker in the ELR, however it went down."""
    elr = s.partition.elr
    if not restart(s, k, broker):
        return False
    s.partition.elr = elr
    s.clean &= ~(1 << broker)
    return True


CLEAN_SHUTDOWN = _with_steps(
    "clean-shutdown",
    (_step("ShutDown", shut_down_cleanly, "KAFKA-15582", who="broker"),),
    state=Shutdowns,
    Restart=register_clean,
)
COUNTS_AS_CLEAN = _changed("counts-as-clean", "Restart", register_any, CLEAN_SHUTDOWN)


def prefer(s: BrokerState, k: Constants, broker: int) -> bool:
    """Let another live member of the ISR lead; the former leader stays in the ISR."""
    if s.partition.leader == broker:
        return False
    return prefer_again(s, k, broker)


def prefer_again(s: BrokerState, k: Constants, broker: int) -> bool:
    """Elect a member of the ISR, even if it leads already."""
    if not s.partition.isr >> broker & 1:
        return False
    return prefer_any(s, k, broker)


def prefer_any(s: BrokerState, k: Constants, broker: int) -> bool:
    """Elect a live replica, even if it is not in the ISR; then it is the only member."""
    if s.partition.epoch == k.elections:
        return False
    if not s.replica[broker].alive or s.partition.fenced >> broker & 1:
        return False
    member = s.partition.isr >> broker & 1
    send_leader_and_isr(s, k, broker, s.partition.isr if member else 1 << broker)
    forget_outdated(s, k)
    return True


def _prefers(name, apply, of):
    return _with_step(name, _step("PreferLeader", apply, "PreferredReplica"), of)


PREFERS = _prefers("prefers", prefer, "kip-595")
PREFERS_AGAIN = _prefers("prefers-again", prefer_again, "kip-595")
PREFERS_ANY = _prefers("prefers-any", prefer_any, "kip-595")
PREFERS_WITH_ZOOKEEPER = _prefers("prefers-with-zookeeper", prefer, "kip-320")
PREFERS_ANY_WITH_ZOOKEEPER = _prefers("prefers-any-with-zookeeper", prefer_any, "kip-320")


def revert_uncleanly(s: BrokerState, k: Constants, leader: int) -> bool:
    """Cancel a reassignment although no member of the ISR remains: a replica is elected."""
    added, replicas = s.partition.adding, s.partition.replicas
    if s.partition.leader == NONE or s.partition.isr & ~added:
        return cancel_reassignment(s, k, leader)
    if s.partition.epoch == k.elections or not s.replica[leader].alive:
        return False
    if not replicas & ~added & ~s.partition.fenced & 1 << leader:
        return False
    shrink(s, k, added, 1 << leader, leader)
    return True


REVERTS = _changed("reverts", may_complete=all_in_isr, applies_known_record=only_if_new)
REVERTS_UNCLEANLY = _changed("reverts-uncleanly", "CancelReassignment", revert_uncleanly, REVERTS)


def add_anyway(s: BrokerState, k: Constants, broker: int) -> bool:
    """Begin to add a replica, although another reassignment is in progress or nobody leads."""
    if s.reassigned == k.reassignments or s.partition.replicas >> broker & 1:
        return False
    s.reassigned += 1
    _grow(s, k, broker)
    append_record(s, k)
    return True


def replace_anyway(s: BrokerState, k: Constants, broker: int, by: int) -> bool:
    """Begin to replace a replica in the same way."""
    if not s.partition.replicas >> broker & 1 or not add_anyway(s, k, by):
        return False
    s.partition.removing = 1 << broker
    return True


REASSIGNS_ANYWAY = _with_steps(
    "reassigns-anyway", (), AddReplica=add_anyway, ReplaceReplica=replace_anyway
)


class Leaving(BrokerState):
    """Brokers in controlled shutdown; they count as fenced, and stay so."""

    leaving: int = subset(lambda k: k.replicas, "in controlled shutdown", names="replicas")


def _may_leave(s: BrokerState, k: Constants, broker: int) -> bool:
    """Whether a live broker may be removed from leadership: there is an epoch for that."""
    if not s.replica[broker].alive:
        return False
    return s.partition.leader != broker or s.partition.epoch != k.elections


def _leave(s: BrokerState, k: Constants, broker: int, isr: int) -> None:
    """Let a broker leave the ISR, which becomes this one, and leadership."""
    if s.partition.leader == broker:
        send_leader_and_isr(s, k, NONE, isr)
        forget_outdated(s, k)
    elif isr != s.partition.isr:
        set_isr(s, k, isr)
        append_record(s, k)


def _others(s: BrokerState, k: Constants, broker: int) -> int:
    """Return the ISR without a broker; its last member stays, unless with ELR."""
    isr = s.partition.isr & ~(1 << broker)
    return isr if isr or k.elr else s.partition.isr


def begin_shutdown(s: Leaving, k: Constants, broker: int) -> bool:
    """Take a broker that wants to shut down out of the ISR and of leadership."""
    if not _may_leave(s, k, broker) or s.partition.fenced >> broker & 1:
        return False
    s.partition.fenced |= 1 << broker
    s.leaving |= 1 << broker
    _leave(s, k, broker, _others(s, k, broker))
    return True


def begin_in_isr(s: Leaving, k: Constants, broker: int) -> bool:
    """Take leadership from a broker that wants to shut down, but leave it in the ISR."""
    if not _may_leave(s, k, broker) or s.partition.fenced >> broker & 1:
        return False
    s.partition.fenced |= 1 << broker
    s.leaving |= 1 << broker
    _leave(s, k, broker, s.partition.isr)
    return True


def begin_and_go(s: Leaving, k: Constants, broker: int) -> bool:
    """Let a broker that wants to shut down go down at once, even if it leads."""
    if not begin_shutdown(s, k, broker):
        return False
    go_down(s, k, broker)
    return True


def go_early(s: Leaving, k: Constants, broker: int) -> bool:
    """Go down, whatever the others have read."""
    if not s.replica[broker].alive or not s.leaving >> broker & 1:
        return False
    go_down(s, k, broker)
    return True


def go_once_read(s: Leaving, k: Constants, broker: int) -> bool:
    """Go down once the other brokers have read that this one leads nothing."""
    for other in range(k.replicas):
        reads = s.replica[other].alive and not s.partition.fenced >> other & 1
        if reads and s.replica[other].epoch != s.partition.epoch:
            return False
    return go_early(s, k, broker)


def unfence_others(s: Leaving, k: Constants, broker: int) -> bool:
    """Unfence a broker that is not in controlled shutdown."""
    if s.leaving >> broker & 1:
        return False
    return unfence(s, k, broker)


def restart_after_shutdown(s: Leaving, k: Constants, broker: int) -> bool:
    """Register again: the shutdown is over."""
    if not restart(s, k, broker):
        return False
    s.leaving &= ~(1 << broker)
    return True


SHUTS_DOWN = _with_steps(
    "shuts-down",
    (
        _step("BeginShutdown", begin_shutdown, "BrokerHeartbeatManager"),
        _step("GoDown", go_once_read, "BrokerHeartbeatManager", who="broker"),
    ),
    state=Leaving,
    Unfence=unfence_others,
    Restart=restart_after_shutdown,
)
SHUTS_DOWN_IN_ISR = _changed("shuts-down-in-isr", "BeginShutdown", begin_in_isr, SHUTS_DOWN)
SHUTS_DOWN_AT_ONCE = _changed("shuts-down-at-once", "BeginShutdown", begin_and_go, SHUTS_DOWN)
SHUTS_DOWN_EARLY = _changed("shuts-down-early", "GoDown", go_early, SHUTS_DOWN)


class Disks(BrokerState):
    """Live brokers whose log directory has failed, with everything in it."""

    offline: int = subset(lambda k: k.replicas, "have a failed log directory", names="replicas")


def fail_unreported(s: Disks, k: Constants, broker: int) -> bool:
    """Lose the log of a live broker, which neither leads nor follows from now on."""
    if not s.replica[broker].alive or s.offline >> broker & 1:
        return False
    if s.lost_power == k.power_losses:
        return False
    s.lost_power += 1
    s.offline |= 1 << broker
    fail_produces(s, k, broker)
    clear_message(s, k, broker)
    forget_remote_leos(s, k, broker)
    forget_role(s, broker)
    truncate_to(s, k, broker, 0)
    return True


def fail_directory(s: Disks, k: Constants, broker: int) -> bool:
    """Lose the log of a live broker; by its report it leaves the ISR and leadership."""
    if not _may_leave(s, k, broker) or not fail_unreported(s, k, broker):
        return False
    _leave(s, k, broker, _others(s, k, broker))
    return True


def elect_online(s: Disks, k: Constants, broker: int) -> bool:
    """Elect a broker whose log directory is online."""
    if s.offline >> broker & 1:
        return False
    return elect(s, k, broker)


def lead_online(s: Disks, k: Constants, leader: int, epoch: int, last: int) -> bool:
    """Lead only with a log."""
    if s.offline >> leader & 1:
        return False
    return apply_change_record(s, k, leader, epoch, last)


def follow_online(s: Disks, k: Constants, follower: int, epoch: int) -> bool:
    """Follow only with a log."""
    if s.offline >> follower & 1:
        return False
    return become_follower(s, k, follower, epoch)


def restart_with_new_disk(s: Disks, k: Constants, broker: int) -> bool:
    """Begin with an empty log in place of one that has failed."""
    if not restart(s, k, broker):
        return False
    s.offline &= ~(1 << broker)
    return True


def accept_online(s: Disks, k: Constants, leader: int) -> bool:
    """Refuse members whose log directory has failed."""
    message = s.alter_partition[leader]
    pending = message.kind == REQUEST or message.kind == ORPHANED
    if pending and message.isr & s.offline and _is_current(s, k, leader):
        orphaned = message.kind == ORPHANED
        _answer(message, REFUSED)
        if orphaned:
            clear_alter_partition(s, leader)
        return True
    return handle_alter_partition(s, k, leader)


DISK_FAILS = _with_steps(
    "disk-fails",
    (_step("FailDirectory", fail_directory, "handleDirectoriesOffline", who="broker"),),
    state=Disks,
    Elect=elect_online,
    ApplyChangeRecord=lead_online,
    BecomeFollower=follow_online,
    Restart=restart_with_new_disk,
)
DISK_FAILS_UNREPORTED = _changed(
    "disk-fails-unreported", "FailDirectory", fail_unreported, DISK_FAILS
)
ELECTS_OFFLINE = _changed("elects-offline", "Elect", elect, DISK_FAILS)
REFUSES_OFFLINE = _changed("refuses-offline", "HandleAlterPartition", accept_online, DISK_FAILS)


class Cordons(BrokerState):
    """Brokers whose log directory is cordoned."""

    cordoned: int = subset(lambda k: k.replicas, "take no new replica", names="replicas")


def cordon(s: Cordons, k: Constants, broker: int) -> bool:
    """Cordon a broker's log directory, or end that."""
    if not s.replica[broker].alive:
        return False
    s.cordoned ^= 1 << broker
    return True


def add_uncordoned(s: Cordons, k: Constants, broker: int) -> bool:
    """Place a replica only where the directory is not cordoned."""
    if s.cordoned >> broker & 1:
        return False
    return add_replica(s, k, broker)


def replace_uncordoned(s: Cordons, k: Constants, broker: int, by: int) -> bool:
    """Place the other replica only where the directory is not cordoned."""
    if s.cordoned >> by & 1:
        return False
    return replace_replica(s, k, broker, by)


CORDONS = _with_steps(
    "cordons",
    (_step("Cordon", cordon, "handleDirectoriesCordoned", who="broker"),),
    state=Cordons,
    AddReplica=add_uncordoned,
    ReplaceReplica=replace_uncordoned,
)


def hand_over(s: BrokerState, k: Constants, leader: int, successor: int) -> bool:
    """Let a leader that shuts down leave the ISR; another live member leads."""
    if not s.partition.isr >> successor & 1:
        return False
    return hand_over_to_any(s, k, leader, successor)


def hand_over_to_any(s: BrokerState, k: Constants, leader: int, successor: int) -> bool:
    """Let any live replica lead in place of a leader that shuts down."""
    if s.partition.leader != leader or s.partition.epoch == k.elections:
        return False
    if not s.replica[leader].alive or not s.replica[successor].alive:
        return False
    isr = s.partition.isr & ~(1 << leader)
    send_leader_and_isr(s, k, successor, isr if isr >> successor & 1 else 1 << successor)
    forget_outdated(s, k)
    return True


HANDS_OVER = _with_step(
    "hands-over", _step("HandOver", hand_over, "KafkaController.shutdownBroker", pairs), "kip-320"
)
HANDS_OVER_TO_ANY = _changed("hands-over-to-any", "HandOver", hand_over_to_any, HANDS_OVER)


def follow_with_leader(s: BrokerState, k: Constants, follower: int, epoch: int) -> bool:
    """Ignore an epoch without a leader, as with ZooKeeper."""
    if s.leader_and_isr[epoch].leader == NONE:
        return False
    return become_follower(s, k, follower, epoch)


def alter_if_registered(s: BrokerState, k: Constants, leader: int) -> bool:
    """Refuse a request whose sender's session has ended."""
    message = s.alter_partition[leader]
    if message.kind == ORPHANED and s.partition.fenced >> leader & 1:
        clear_alter_partition(s, leader)
        return True
    return handle_alter_partition(s, k, leader)


def repeat_request(s: BrokerState, k: Constants, leader: int) -> bool:
    """Lose the response to a leader's request, which it sends again."""
    message = s.alter_partition[leader]
    if s.lost == k.lost_messages:
        return False
    if message.kind != ACCEPTED or not leads(s, leader):
        return False
    if message.epoch != s.replica[leader].epoch or not s.replica[leader].proposed:
        return False
    s.lost += 1
    message.kind = REQUEST
    return True


def refuse_repeated(s: BrokerState, k: Constants, leader: int) -> bool:
    """Refuse a request for the ISR that is stored: it has an old version."""
    message = s.alter_partition[leader]
    pending = message.kind == REQUEST or message.kind == ORPHANED
    if not pending or message.isr != s.partition.isr:
        return alter_if_registered(s, k, leader)
    orphaned = message.kind == ORPHANED
    _answer(message, OUTDATED)
    if orphaned:
        clear_alter_partition(s, leader)
    return True


ALTERS_WITH_ZOOKEEPER = _with_steps(
    "alters-with-zookeeper",
    (_step("RepeatRequest", repeat_request, "BrokerToControllerChannelManager", who="leader"),),
    _changed("unchecked-members", of="kip-320", may_still_be_members=whatever_it_was),
    BecomeFollower=follow_with_leader,
    HandleAlterPartition=alter_if_registered,
)
UNREGISTERED_ALTERS = _changed(
    "unregistered-alters", "HandleAlterPartition", handle_alter_partition, ALTERS_WITH_ZOOKEEPER
)
FORMER_ALTERS = _changed("former-alters", "Restart", restart_keeping_request, ALTERS_WITH_ZOOKEEPER)
REFUSES_REPEATED = _changed(
    "refuses-repeated", "HandleAlterPartition", refuse_repeated, ALTERS_WITH_ZOOKEEPER
)
ADDS_DEAD = _changed("adds-dead", of=ALTERS_WITH_ZOOKEEPER, may_be_members=anybody)
CHECKS_BROKER_EPOCHS = _changed(
    "checks-broker-epochs", of=ALTERS_WITH_ZOOKEEPER, may_still_be_members=unless_rebooted
)


class Reassigned(BrokerState):
    """Replicas that reassignments remove and add again, with ZooKeeper."""

    removed: int = subset(lambda k: k.replicas, "have no replica", names="replicas")
    leaving: int = subset(
        lambda k: k.replicas, "removed once the reassignment is complete", names="replicas"
    )


def remove_from_any(s: Reassigned, k: Constants, broker: int) -> bool:
    """Begin to remove a replica, whoever is alive."""
    others = ((1 << k.replicas) - 1) & ~s.removed & ~(1 << broker)
    if s.leaving or s.removed >> broker & 1 or others == 0:
        return False
    s.leaving = 1 << broker
    return True


def remove_from_live(s: Reassigned, k: Constants, broker: int) -> bool:
    """Begin to remove a replica, if those that remain are alive."""
    for other in range(k.replicas):
        stays = other != broker and not s.removed >> other & 1
        if stays and not s.replica[other].alive:
            return False
    return remove_from_any(s, k, broker)


def add_again_to_any(s: Reassigned, k: Constants, broker: int) -> bool:
    """Make a broker a replica again, in a new leader epoch."""
    if not s.removed >> broker & 1 or s.partition.epoch == k.elections:
        return False
    s.removed &= ~(1 << broker)
    send_leader_and_isr(s, k, s.partition.leader, s.partition.isr)
    forget_outdated(s, k)
    return True


def add_again_to_live(s: Reassigned, k: Constants, broker: int) -> bool:
    """Make a live broker a replica again."""
    if not s.replica[broker].alive:
        return False
    return add_again_to_any(s, k, broker)


def cancel_removal(s: Reassigned, k: Constants) -> bool:
    """Cancel the reassignment in progress."""
    if not s.leaving:
        return False
    s.leaving = 0
    return True


def cancel_nothing(s: Reassigned, k: Constants) -> bool:
    """Cancel what is not in progress: a leader epoch begins, with the present replicas."""
    if cancel_removal(s, k):
        return True
    if s.partition.epoch == k.elections:
        return False
    send_leader_and_isr(s, k, s.partition.leader, s.partition.isr)
    forget_outdated(s, k)
    return True


def complete_removal_early(s: Reassigned, k: Constants) -> bool:
    """Remove replicas, from the ISR and from leadership too, in a new leader epoch."""
    if not s.leaving or s.partition.epoch == k.elections:
        return False
    leader, isr = s.partition.leader, s.partition.isr & ~s.leaving
    if leader != NONE and s.leaving >> leader & 1:
        leader = NONE
    s.removed |= s.leaving
    s.leaving = 0
    send_leader_and_isr(s, k, leader, isr if isr else s.partition.isr)
    forget_outdated(s, k)
    return True


def complete_removal(s: Reassigned, k: Constants) -> bool:
    """Remove replicas once the whole target is in the ISR."""
    if ((1 << k.replicas) - 1) & ~s.removed & ~s.leaving & ~s.partition.isr:
        return False
    return complete_removal_early(s, k)


def stop_removed(s: Reassigned, k: Constants, broker: int) -> bool:
    """Delete the log of a replica that is removed: StopReplica, which comes after LeaderAndIsr."""
    replica = s.replica[broker]
    if not s.removed >> broker & 1 or not replica.alive:
        return False
    if replica.epoch == s.partition.epoch:
        return False
    fail_produces(s, k, broker)
    clear_message(s, k, broker)
    forget_remote_leos(s, k, broker)
    forget_role(s, broker)
    delete_log(s, k, broker)
    replica.epoch = s.partition.epoch
    forget_outdated(s, k)
    return True


def elect_replica(s: Reassigned, k: Constants, broker: int) -> bool:
    """Elect a replica only."""
    if s.removed >> broker & 1:
        return False
    return elect(s, k, broker)


def lead_as_replica(s: Reassigned, k: Constants, leader: int, epoch: int) -> bool:
    """Lead as a replica only."""
    if s.removed >> leader & 1:
        return False
    return become_leader(s, k, leader, epoch)


def follow_as_replica(s: Reassigned, k: Constants, follower: int, epoch: int) -> bool:
    """Follow as a replica only."""
    if s.removed >> follower & 1:
        return False
    return become_follower(s, k, follower, epoch)


def serve_replica(s: Reassigned, k: Constants, leader: int, follower: int) -> bool:
    """Serve the fetch of a replica only."""
    if s.removed >> follower & 1:
        return False
    return handle_fetch(s, k, leader, follower)


REASSIGNS_WITH_ZOOKEEPER = _with_steps(
    "reassigns-with-zookeeper",
    (
        _step("BeginRemoval", remove_from_live, "KafkaController"),
        _step("AddAgain", add_again_to_live, "KafkaController"),
        _step("CancelRemoval", cancel_removal, "KafkaController", nobody),
        _step("CompleteRemoval", complete_removal, "KafkaController", nobody),
        _step("StopRemoved", stop_removed, "ReplicaManager", who="broker"),
    ),
    "kip-320",
    state=Reassigned,
    Elect=elect_replica,
    BecomeLeader=lead_as_replica,
    BecomeFollower=follow_as_replica,
    HandleFetch=serve_replica,
)
REASSIGNS_TO_DEAD = _with_steps(
    "reassigns-to-dead",
    (),
    REASSIGNS_WITH_ZOOKEEPER,
    BeginRemoval=remove_from_any,
    AddAgain=add_again_to_any,
)
CANCELS_NOTHING = _changed(
    "cancels-nothing", "CancelRemoval", cancel_nothing, REASSIGNS_WITH_ZOOKEEPER
)
COMPLETES_EARLY = _changed(
    "completes-early", "CompleteRemoval", complete_removal_early, REASSIGNS_WITH_ZOOKEEPER
)


class Topics(BrokerState):
    """A topic that is deleted and created again by the same name."""

    changed: int = integer(0, 1, "whether the ISR of the present topic has changed")


def _create(s: Topics, k: Constants) -> None:
    """Create the topic while its first broker alone is live; the others are back at once."""
    s.changed = 0
    s.partition.leader = 0
    s.partition.epoch = 0
    s.partition.isr = 1
    for epoch in range(k.elections + 1):
        s.leader_and_isr[epoch].leader = NONE
        s.leader_and_isr[epoch].isr = 0
    s.leader_and_isr[0].leader = 0
    s.leader_and_isr[0].isr = 1
    for broker in range(k.replicas):
        clear_message(s, k, broker)
        forget_remote_leos(s, k, broker)
        forget_role(s, broker)
        delete_log(s, k, broker)
        s.replica[broker].epoch = NONE
    for offset in range(k.log_size):
        s.aux_committed[offset].epoch = NONE
        s.aux_committed[offset].record = NONE


def create_with_id(s: Topics, k: Constants) -> bool:
    """Create the topic again: requests of the deleted one have another id."""
    _create(s, k)
    for leader in range(k.replicas):
        clear_alter_partition(s, leader)
    return True


def create_by_name(s: Topics, k: Constants) -> bool:
    """Create the topic again: a first ISR change of the deleted one has the same epochs."""
    changed = s.changed
    _create(s, k)
    for leader in range(k.replicas):
        message = s.alter_partition[leader]
        if message.kind == REQUEST and not changed:
            message.kind = ORPHANED
        elif message.kind != ORPHANED or changed:
            clear_alter_partition(s, leader)
    return True


def alter_topic(s: Topics, k: Constants, leader: int) -> bool:
    """Accept a request of a deleted topic only as the first ISR change of the present one."""
    message, isr = s.alter_partition[leader], s.partition.isr
    if message.kind == ORPHANED and s.changed:
        clear_alter_partition(s, leader)
        return True
    if not handle_alter_partition(s, k, leader):
        return False
    if s.partition.isr != isr:
        s.changed = 1
    return True


CREATES_AGAIN = _with_steps(
    "creates-again",
    (_step("CreateTopic", create_with_id, "KafkaController", nobody),),
    state=Topics,
    HandleAlterPartition=alter_topic,
)
CREATES_BY_NAME = _changed("creates-by-name", "CreateTopic", create_by_name, CREATES_AGAIN)


class Compacted(BrokerState):
    """A compacted topic, whose records all have the same key."""

    cleaned: list[int] = array(
        lambda k: k.replicas,
        subset(lambda k: k.records, "records that the cleaner removed from its log"),
        by_replica=True,
    )
    missing: list[int] = array(
        lambda k: k.replicas,
        subset(lambda k: k.records, "records that its fetch response goes over"),
        by_replica=True,
    )


def _ends(k):
    """Return each broker with each offset up to which it may clean its log."""
    return product(range(k.replicas), range(1, k.log_size + 1))


def clean_to_log_end(s: Compacted, k: Constants, broker: int, end: int) -> bool:
    """Keep only the newest record below `end`, committed or not (KAFKA-13194)."""
    replica, cleaned = s.replica[broker], s.cleaned[broker]
    if not replica.alive or end > replica.leo:
        return False
    for offset in range(end - 1):
        cleaned |= 1 << replica.log[offset].record
    if cleaned == s.cleaned[broker]:
        return False
    s.cleaned[broker] = cleaned
    return True


def clean_to_hw(s: Compacted, k: Constants, broker: int, end: int) -> bool:
    """Keep only the newest record below `end`, which is at or below the high watermark."""
    if end > s.replica[broker].hw:
        return False
    return clean_to_log_end(s, k, broker, end)


def serve_cleaned(s: Compacted, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch up to a record that is left: a response has no others at its end."""
    end = min(s.replica[leader].leo, s.replica[follower].leo + k.fetch_size)
    missing = 0
    for offset in range(s.replica[follower].leo, end):
        record = s.replica[leader].log[offset].record
        if s.cleaned[leader] >> record & 1:
            if offset == end - 1:
                return False
            missing |= 1 << record
    if not handle_fetch(s, k, leader, follower):
        return False
    s.missing[follower] = missing
    return True


def fetch_cleaned(s: Compacted, k: Constants, leader: int, follower: int) -> bool:
    """Append the records of a fetch response, but for those that the leader had removed."""
    fetched = 0
    for entry in s.message[follower].records:
        if entry.record != NONE:
            fetched |= 1 << entry.record
    if not handle_fetch_response(s, k, leader, follower):
        return False
    s.cleaned[follower] = s.cleaned[follower] & ~fetched | s.missing[follower] & fetched
    s.missing[follower] = 0
    return True


def newest_lost(s: Compacted, k: Constants) -> tuple[int, int] | None:
    """Return (leader, offset) of the newest committed record, if the leader has none as new."""
    leader, newest = acting_leader(s), NONE
    for offset in range(k.log_size):
        if s.aux_committed[offset].record != NONE:
            newest = offset
    if leader == NONE or newest == NONE:
        return None
    replica = s.replica[leader]
    for offset in range(newest, replica.leo):
        if not s.cleaned[leader] >> replica.log[offset].record & 1:
            return None
    return leader, newest


def _compacts(name, apply, of):
    """Return a protocol whose brokers clean their logs by this step."""
    newest_kept = Property(
        name="NewestCommittedRecordKept",
        statement="Whoever leads has the newest committed record of the key, or a newer one.",
        source="KAFKA-13194",
        witness=newest_lost,
    )
    cleans = _step("Clean", apply, "LogCleanerManager.cleanableOffsets", _ends, "broker")
    base = _with_steps(
        name,
        (cleans,),
        of,
        state=Compacted,
        HandleFetch=serve_cleaned,
        HandleFetchResponse=fetch_cleaned,
    )
    return replace(base, properties=(newest_kept,))


CLEANS_TO_LOG_END = _compacts("cleans-to-log-end", clean_to_log_end, "kafka-3.0-zookeeper")
CLEANS_TO_HW = _compacts("cleans-to-hw", clean_to_hw, "kafka-3.1-zookeeper")


def expand_unknowingly(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch that expands the ISR; the leader misses the reply, and takes it for a failure.

    ZkUtils.conditionalUpdatePersistentPath writes again once it is connected, with the old version.
    """
    isr = s.replica[leader].isr
    if s.lost == k.lost_messages or not handle_fetch(s, k, leader, follower):
        return False
    if s.replica[leader].isr != isr:
        s.lost += 1
        s.replica[leader].isr = isr
    return True


MISSES_REPLY = _with_step(
    "misses-reply",
    _step("ExpandUnknowingly", expand_unknowingly, "KAFKA-1382", pairs, "leader"),
    "kafka-0.8.1-zookeeper",
)


def answer_without_records(s: BrokerState, k: Constants, leader: int, follower: int) -> bool:
    """Serve a fetch of a partition that is throttled, or that others leave no room for."""
    if not handle_fetch(s, k, leader, follower):
        return False
    if s.message[follower].kind == FETCH_RESPONSE:
        for entry in s.message[follower].records:
            entry.epoch = NONE
            entry.record = NONE
    return True


def _answers_empty(name, of):
    """Return a protocol whose leaders may leave out the records that a fetch asks for."""
    throttles = "ReplicaManager.shouldLeaderThrottle"
    return _with_step(
        name, _step("AnswerEmpty", answer_without_records, throttles, pairs, "leader"), of
    )


ANSWERS_EMPTY = _answers_empty("answers-empty", "kip-595")
ANSWERS_EMPTY_0_10_2 = _answers_empty("answers-empty-0.10.2", "kafka-0.10.2-zookeeper")


def delete_old_segments(s: BrokerState, k: Constants, broker: int, offset: int) -> bool:
    """Delete a replica's committed records below `offset` by its own retention."""
    replica = s.replica[broker]
    if not replica.alive or s.deleted == k.deletions:
        return False
    if offset <= replica.start or offset > replica.hw:
        return False
    s.deleted += 1
    delete_below(s, k, broker, offset)
    note_deleted(s, k, offset)
    return True


DELETES_ANYWHERE = _with_step(
    "deletes-anywhere",
    _step("DeleteOldSegments", delete_old_segments, "LogManager.cleanupLogs", _ends, "broker"),
)


class OldLog(Record):
    """A log before its newest truncation, which the disk may still have."""

    leo: int = integer(0, lambda k: k.log_size, "its log end offset; 0 without a truncation")
    log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)


class Unflushed(BrokerState):
    """Truncations that are not flushed."""

    old: list[OldLog] = array(lambda k: k.replicas, OldLog, by_replica=True)


def truncate_unflushed(s: Unflushed, k: Constants, leader: int, follower: int) -> bool:
    """Truncate a diverging log; the disk keeps it as it was."""
    replica, old = s.replica[follower], s.old[follower]
    if s.message[follower].kind != DIVERGING or replica.leader != leader:
        return False
    old.leo = replica.leo
    for offset in range(k.log_size):
        old.log[offset].epoch = replica.log[offset].epoch
        old.log[offset].record = replica.log[offset].record
    return handle_diverging_epoch(s, k, leader, follower)


def undo_truncation(s: Unflushed, k: Constants, broker: int) -> bool:
    """Lose power, and have the old log again; recovery adds epochs above the newest cached one."""
    replica, old = s.replica[broker], s.old[broker]
    if not replica.alive or s.lost_power == k.power_losses or old.leo == 0:
        return False
    s.lost_power += 1
    go_down(s, k, broker)
    replica.leo = old.leo
    for offset in range(k.log_size):
        replica.log[offset].epoch = old.log[offset].epoch
        replica.log[offset].record = old.log[offset].record
        if replica.log[offset].epoch > newest_epoch(s, k, broker):
            replica.epoch_cache[replica.log[offset].epoch] = offset
    drop_empty_epochs(s, k, broker)
    replica.hw = min(replica.hw, replica.leo)
    return True


UNDOES_TRUNCATION = _with_steps(
    "undoes-truncation",
    (_step("UndoTruncation", undo_truncation, "LogSegment.recover", who="broker"),),
    state=Unflushed,
    HandleDivergingEpoch=truncate_unflushed,
)
