"""Protocols with one check of Kafka more, or one less, for docs/checks.md.

``tidegate check tests/docs/kafka_checks.py:NAME`` searches one; its parent is the protocol that it
changes.
"""

from dataclasses import replace

from tidegate.analysis.named import find_protocol
from tidegate.core.layout import NONE
from tidegate.core.spec import Action, Fairness
from tidegate.model.broker.actions.alter_partition import (
    _answer,
    _is_current,
    handle_alter_partition,
    handle_alter_partition_response,
    note_registration,
    unfence,
)
from tidegate.model.broker.actions.controller import elect, fence
from tidegate.model.broker.actions.deletion import follow_log_start
from tidegate.model.broker.actions.faults import restart
from tidegate.model.broker.actions.follower import handle_fetch_response
from tidegate.model.broker.actions.leader import (
    forget_late_fetch,
    handle_fetch,
    receive_fetch,
    refuse_request,
)
from tidegate.model.broker.assignment import assigned
from tidegate.model.broker.bounds import Constants
from tidegate.model.broker.defaults import at_any_offset, clear_message
from tidegate.model.broker.history import note_acked
from tidegate.model.broker.instances import brokers, nobody, pairs
from tidegate.model.broker.leadership import advance_hw, drop_produce, leads, set_isr
from tidegate.model.broker.log import append, newest_epoch
from tidegate.model.broker.messages import (
    ACCEPTED,
    DIVERGING,
    FETCH,
    FETCH_RESPONSE,
    NOTHING,
    ORPHANED,
    OUTDATED,
    REQUEST,
)
from tidegate.model.broker.state import BrokerState
from tidegate.model.broker.unapplied import append_record


def _changed(name, action=None, apply=None, of="kip-595", **rules):
    """Return a protocol with another way to take an action, or with other rules."""
    base = find_protocol(of)
    return replace(
        base,
        name=name,
        parent=base,
        summary=f"{of} for docs/checks.md: {name}.",
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
