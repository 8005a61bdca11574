"""Kafka's replication as its designers specified it, in hachikuji's TLA+: the published family.

A fetch is one atomic step, and replicas do not crash: a failed replica leaves the ISR and takes no
step for a while.  The initial state, the steps and their guards are those of the specification, so
that distinct states and depth are those that TLC counts.  The names of the steps are its names.

Two of its variables are derived here.  The next leader epoch is always one above the partition
state's.  And the controller starts an epoch with each LeaderAndIsr that it sends, so their set
holds exactly one per epoch up to the partition state's and is an array here.

The originals write out the steps of each variant.  They differ in a follower's truncation offset,
in when it may follow, and in what a leader must know of a follower before it counts it.

Source: hachikuji/kafka-specification, commit d68782b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tidegate import (
    NONE,
    Fairness,
    Kind,
    Model,
    Record,
    array,
    integer,
    members,
    nested,
    number,
    replica_id,
    subset,
)
from tidegate.model import Entry, Log


def high_watermark(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Truncate to the follower's own high watermark, whatever the leader's log."""
    return s.replica[follower].hw


def any_leader(s: PublishedState, k: Constants, leader: int, epoch: int) -> bool:
    """Follow the announced leader, even before it has applied that epoch itself."""
    return True


def follows_up_to(s: PublishedState, k: Constants, leader: int, follower: int, end: int) -> bool:
    """Count a follower that follows this leader, in any epoch, and whose log reaches `end`.

    Only offsets are compared.  The leader's own log reaches `end` whenever this rule applies.
    """
    return s.replica[follower].leader == leader and s.replica[follower].leo >= end


def in_any_epoch(s: PublishedState, k: Constants, leader: int) -> bool:
    """Let followers join the ISR before the leader has committed anything in its own epoch."""
    return True


@dataclass(frozen=True)
class Rules:
    """The decision points of the published family.

    Parameters
    ----------
    truncation_offset
        The offset to which a replica truncates its log when it becomes a follower; if that is
        beyond its log end, it cannot become one.
    may_follow
        Whether a replica may now become a follower of this leader, in this epoch.
    may_fetch
        Whether a follower with this log end may fetch from a leader.
    acknowledges
        Whether a follower counts as holding all records below `end` when the leader advances its
        high watermark to it.
    keeps_up
        Whether a follower counts as in sync with a leader whose log ends at `end`.
    reached_hw
        Whether a follower counts as holding all records below the leader's high watermark, `end`,
        and so may join the ISR.
    may_expand_isr
        Whether a leader may now let followers join the ISR.
    """

    truncation_offset: Callable[[PublishedState, Constants, int, int], int] = high_watermark
    may_follow: Callable[[PublishedState, Constants, int, int], bool] = any_leader
    may_fetch: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    acknowledges: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    keeps_up: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    reached_hw: Callable[[PublishedState, Constants, int, int, int], bool] = follows_up_to
    may_expand_isr: Callable[[PublishedState, Constants, int], bool] = in_any_epoch


@dataclass(frozen=True)
class Constants:
    """The constants of KafkaReplication.tla, the rules, and which history to record.

    The originals keep no history of committed records.  It is part of the state only if a requested
    property reads it; without it the counts are those of the originals.
    """

    replicas: int = number(2, 1, 5, "replicas of the one partition (Replicas)", main=True)
    log_size: int = number(
        2, 0, 8, "longest log of a replica, in records (LogSize)", follows="records", main=True
    )
    records: int = number(2, 0, 8, "records that producers write in total (MaxRecords)", main=True)
    max_leader_epoch: int = number(
        1, 0, 8, "largest leader epoch; the first election starts epoch 0 (MaxLeaderEpoch)",
        main=True,
    )  # fmt: skip
    rules: Rules = Rules()
    track_committed: bool = False


class LogEntry(Record):
    """A record at one offset of a log, or the absence of one (both variables ``NONE``)."""

    epoch: int = integer(NONE, lambda k: k.max_leader_epoch, "leader epoch of its leader")
    record: int = integer(NONE, lambda k: k.records - 1, "which record, counted from 0")


class Replica(Record):
    """A replica: its log, and its view of the partition."""

    epoch: int = integer(NONE, lambda k: k.max_leader_epoch, "newest leader epoch applied")
    leader: int = replica_id(
        lambda k: k.replicas - 1, "the leader that it follows; itself if it presumes leadership"
    )
    isr: int = subset(lambda k: k.replicas, "its view of the ISR", names="replicas")
    hw: int = integer(0, lambda k: k.log_size, "high watermark: consumers read offsets below it")
    leo: int = integer(0, lambda k: k.log_size, "log end offset: the offset of the next record")
    log: list[LogEntry] = array(lambda k: k.log_size, LogEntry)


class LeaderAndIsr(Record):
    """LeaderAndIsr for one leader epoch, sent to every replica; it may arrive at any later time.

    Both variables have their lowest values for an epoch that has not begun.
    """

    leader: int = replica_id(lambda k: k.replicas - 1, "the leader; NONE: no leader")
    isr: int = subset(lambda k: k.replicas, "the ISR when it was sent", names="replicas")


class Partition(Record):
    """The partition state that ZooKeeper has stored."""

    leader: int = replica_id(lambda k: k.replicas - 1, "the leader; NONE: no leader")
    epoch: int = integer(
        NONE, lambda k: k.max_leader_epoch, "leader epoch; NONE before the first election"
    )
    isr: int = subset(
        lambda k: k.replicas, "the in-sync replicas; may become empty", names="replicas"
    )


class PublishedState(Record):
    """The complete state.  ``aux_`` marks history that no guard reads."""

    partition: Partition = nested(Partition)
    replica: list[Replica] = array(lambda k: k.replicas, Replica, by_replica=True, by="replica")
    leader_and_isr: list[LeaderAndIsr] = array(lambda k: k.max_leader_epoch + 1, LeaderAndIsr)
    written: int = integer(
        0, lambda k: k.records, "records written so far, which names the next one"
    )
    aux_committed: int = subset(
        lambda k: k.records if k.track_committed else 0, "records ever below a leader's HW"
    )


def leads(s: PublishedState, replica: int) -> bool:
    """Whether a replica presumes leadership, even in an old epoch."""
    return s.replica[replica].leader == replica


def true_leader(s: PublishedState, replica: int) -> bool:
    """Whether a replica leads, and the partition state agrees for the same epoch."""
    return (
        s.partition.leader == replica
        and leads(s, replica)
        and s.replica[replica].epoch == s.partition.epoch
    )


def numbers(isr: int) -> str:
    """Return a set of replicas as text."""
    return f"{{{','.join(map(str, members(isr)))}}}"


def columns(s: PublishedState, k: Constants) -> dict[str, str]:
    """Return the heading and the text of each column: the controller, then every replica."""
    leader = "no leader" if s.partition.leader == NONE else f"{s.partition.leader} leads"
    epoch = "" if s.partition.epoch == NONE else f" e{s.partition.epoch}"
    shown = {"controller": f"{leader}{epoch}\nisr {numbers(s.partition.isr)}"}
    for replica in range(k.replicas):
        mine = s.replica[replica]
        entries = [Entry(f"m{entry.record}", entry.epoch) for entry in mine.log[: mine.leo]]
        log = Log(tuple(entries), mine.hw)
        shown[f"replica {replica}"] = f"{_role(s, replica)}\n{log}"
    return shown


def _role(s: PublishedState, replica: int) -> str:
    mine = s.replica[replica]
    if leads(s, replica):
        stale = "" if mine.epoch == s.partition.epoch else " (stale)"
        return f"leads e{mine.epoch} isr {numbers(mine.isr)}{stale}"
    return "idle" if mine.leader == NONE else f"follows {mine.leader} e{mine.epoch}"


SURVIVORS = """\
the leader is elected again, in a new epoch, and keeps its log; all properties of kip-320 hold up to
3 replicas, 2 records and 3 epochs
    ControllerElectLeader: s.partition.leader == replica

the controller begins an epoch with the same leader and ISR; all properties of kip-320 hold up to 3
replicas, 2 records and 3 epochs
    ControllerShrinkIsr: s.partition.leader != replica and (not s.partition.isr >> replica & 1)

an epoch that has not begun names no leader, which a later guard rejects; no additional state
    BecomeLeader: epoch > s.partition.epoch
    BecomeFollower: epoch > s.partition.epoch

adds a replica that is in the ISR; no additional state
    LeaderExpandIsr: s.replica[leader].isr >> follower & 1

removes a replica that is not in the ISR; no additional state
    LeaderShrinkIsr: not s.replica[leader].isr >> follower & 1

the leader keeps members that it could remove: fewer behaviors, all of them also of the original
    keeps_up = follows_up_to

removes a member that keeps up; the leader may remove any member that does not, and a smaller ISR in
the partition state loses nothing
    LeaderShrinkIsr: k.rules.keeps_up(s, k, leader, follower, s.replica[leader].leo)

the rule is always true in this protocol; no additional state
    LeaderExpandIsr: not k.rules.may_expand_isr(s, k, leader)
    BecomeFollower: not k.rules.may_follow(s, k, leader, epoch)

a leader is in its own view of the ISR, and so must acknowledge by its own log end; no additional
state
    LeaderIncHighWatermark: s.replica[leader].hw >= s.replica[leader].leo

a follower's leader is in the follower's view of the ISR, and would have to follow it in turn:
impossible in kip-320; in the others no additional property fails, and none in fewer steps
    LeaderIncHighWatermark: not leads(s, leader)

truncates nothing, since both logs are the same one: as BecomeLeader does; no additional state
    BecomeFollower: leader == follower

only kip-101 truncates beyond the log end; no additional state
    BecomeFollower: offset > s.replica[follower].leo

copies from a former leader while the follower does not know the new one; no additional property
fails, and none in fewer steps
    FollowerFetch: not leads(s, leader)

copies from a leader that is not its own; no additional property fails, and none in fewer steps
    [published/hw] FollowerFetch: not k.rules.may_fetch(s, k, leader, follower, end)

applies an epoch without a leader and keeps the log, as the original intends in the branch that it
never takes; no additional property fails, and none in fewer steps
    [published/kip-320-first-try] BecomeFollower: leader == NONE

truncates after the last match, which is the log end if nothing contradicts; no additional state
    [published/kip-320-first-try] FollowerTruncate: not _contradicts(s, k, leader, follower)

killed at replicas=3 max_leader_epoch=2, by StrongIsr in 13 steps; that takes too long for every
mutant, so this is a slow test
    [published/kip-320] may_follow = any_leader

killed as may_follow = any_leader, at replicas=3 max_leader_epoch=2
    [published/kip-320] BecomeFollower: not k.rules.may_follow(s, k, leader, epoch)

may_follow rejects it, since no replica leads in that epoch; no additional state
    [published/kip-320] BecomeFollower: leader == NONE

may_follow requires that the replica has applied the epoch, which then is not newer; no state more
    [published/kip-320] BecomeFollower: leader == follower

a follower in the same epoch follows the leader of that epoch, which leads in it; no additional
state
    [published/kip-320] FollowerFetch: not leads(s, leader)
"""
"""Why no search kills these mutants, some of them in one variant only."""


model = Model(
    Constants,
    PublishedState,
    name="published",
    participants={"replica": lambda k: k.replicas},
    deadlock=False,
    columns=columns,
    legend="[m0 (e0) | m1 (e1)] is a log: m0 was written in leader epoch 0, m1 in epoch 1. Records "
    "left of the bar | are below the high watermark (HW); ] is the log end.",
    survivors=SURVIVORS,
    mutation_bounds=(
        "records=1",
        "log_size=1",
        "max_leader_epoch=2",
        "records=3 max_leader_epoch=2",
        "replicas=3 records=1",
        "replicas=3 records=1 max_leader_epoch=2",
    ),
    default_properties=(
        "TypeOk",
        "WeakIsr",
        "StrongIsr",
        "KnownLeaderInIsr",
        "AtMostOneLeaderPerEpoch",
    ),
)


@model.initial
def initialise(s: PublishedState, k: Constants) -> Iterator[None]:
    """Put all replicas into the ISR, with no leader, no epoch and empty logs."""
    s.partition.isr = (1 << k.replicas) - 1
    yield


def append(s: PublishedState, k: Constants, replica: int, epoch: int, record: int) -> None:
    """Append a record of a leader epoch to a replica's log."""
    mine = s.replica[replica]
    entry = mine.log[mine.leo]
    entry.epoch = epoch
    entry.record = record
    mine.leo += 1


def truncate_to(s: PublishedState, k: Constants, replica: int, offset: int) -> None:
    """Truncate a replica's log to `offset`, and limit its high watermark to it."""
    mine = s.replica[replica]
    for removed in range(offset, mine.leo):
        mine.log[removed].epoch = NONE
        mine.log[removed].record = NONE
    mine.leo = offset
    mine.hw = min(mine.hw, offset)


def last_epoch(s: PublishedState, k: Constants, replica: int) -> int:
    """Return the leader epoch of the last record in a replica's log; the log is not empty."""
    return s.replica[replica].log[s.replica[replica].leo - 1].epoch


def end_of_last_match(s: PublishedState, k: Constants, one: int, other: int) -> int:
    """Return the offset after the last one at which two logs hold the same record, or 0."""
    for end in range(min(s.replica[one].leo, s.replica[other].leo), 0, -1):
        if s.replica[one].log[end - 1].record == s.replica[other].log[end - 1].record:
            return end
    return 0


def _begin_epoch(s: PublishedState, leader: int, isr: int) -> None:
    """Begin the next leader epoch in the partition state and send LeaderAndIsr to all replicas."""
    s.partition.epoch += 1
    s.partition.leader = leader
    s.partition.isr = isr
    s.leader_and_isr[s.partition.epoch].leader = leader
    s.leader_and_isr[s.partition.epoch].isr = isr


def _change_isr(s: PublishedState, leader: int, isr: int) -> None:
    """Write a new ISR to the partition state and make it the leader's own, in the same epoch."""
    s.partition.isr = isr
    s.replica[leader].isr = isr


def _all_acknowledge(s: PublishedState, k: Constants, leader: int, end: int) -> bool:
    """Whether every member of a leader's own ISR has acknowledged all records below `end`."""
    for member in range(k.replicas):
        counts = s.replica[leader].isr >> member & 1
        if counts and not k.rules.acknowledges(s, k, leader, member, end):
            return False
    return True


REPOSITORY, ORIGINAL = "hachikuji/kafka-specification", "KafkaReplication.tla"
"""The module that has the steps of all variants."""


def epochs(k: Constants) -> range:
    """Return each leader epoch that LeaderAndIsr may announce."""
    return range(k.max_leader_epoch + 1)


@model.action("controller", source=ORIGINAL, fairness=Fairness.NONE, sign="election")
def controller_elect_leader(s: PublishedState, k: Constants, replica: int) -> bool:
    """Make another member of the ISR the leader, at any time."""
    if s.partition.epoch == k.max_leader_epoch:
        return False
    if not s.partition.isr >> replica & 1:
        return False
    if s.partition.leader == replica:
        return False
    _begin_epoch(s, replica, s.partition.isr)
    return True


@model.action(
    "controller",
    source=ORIGINAL,
    fairness=Fairness.NONE,
    sign="ISR shrink by the controller",
)
def controller_shrink_isr(s: PublishedState, k: Constants, replica: int) -> bool:
    """Remove a replica from the ISR and from leadership, as if it had failed.

    A leader that is the last member stays in the ISR.  Without a leader the last member is removed
    too: the ISR is then empty, and no replica can ever be elected again.
    """
    if s.partition.epoch == k.max_leader_epoch:
        return False
    if s.partition.leader != replica and not s.partition.isr >> replica & 1:
        return False
    if s.partition.leader != replica:
        _begin_epoch(s, s.partition.leader, s.partition.isr & ~(1 << replica))
    elif s.partition.isr == 1 << replica:
        _begin_epoch(s, NONE, s.partition.isr)
    else:
        _begin_epoch(s, NONE, s.partition.isr & ~(1 << replica))
    return True


@model.action(
    "leader",
    source=ORIGINAL,
    fairness=Fairness.WEAK,
    fair_per=(),
    leader="replica",
    epoch=epochs,
)
def become_leader(s: PublishedState, k: Constants, leader: int, epoch: int) -> bool:
    """Apply LeaderAndIsr as the leader: log and high watermark stay."""
    if epoch > s.partition.epoch:
        return False
    if s.leader_and_isr[epoch].leader != leader:
        return False
    if epoch <= s.replica[leader].epoch:
        return False
    s.replica[leader].epoch = epoch
    s.replica[leader].leader = leader
    s.replica[leader].isr = s.leader_and_isr[epoch].isr
    return True


@model.action(
    "leader",
    source=ORIGINAL,
    fairness=Fairness.STRONG,
    fair_per=(),
    distinct=True,
    leader="replica",
    follower="replica",
)
def leader_expand_isr(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Add to the ISR a follower that has all records below the leader's high watermark."""
    if not true_leader(s, leader):
        return False
    if s.replica[leader].isr >> follower & 1:
        return False
    if not k.rules.reached_hw(s, k, leader, follower, s.replica[leader].hw):
        return False
    if not k.rules.may_expand_isr(s, k, leader):
        return False
    _change_isr(s, leader, s.replica[leader].isr | 1 << follower)
    return True


@model.action(
    "leader",
    source=ORIGINAL,
    fairness=Fairness.NONE,
    sign="ISR shrink by the leader",
    distinct=True,
    leader="replica",
    follower="replica",
)
def leader_shrink_isr(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Remove from the ISR a follower that does not keep up."""
    if not true_leader(s, leader):
        return False
    if not s.replica[leader].isr >> follower & 1:
        return False
    if k.rules.keeps_up(s, k, leader, follower, s.replica[leader].leo):
        return False
    _change_isr(s, leader, s.replica[leader].isr & ~(1 << follower))
    return True


@model.action("leader", source=ORIGINAL, fairness=Fairness.STRONG, fair_per=(), leader="replica")
def leader_write(s: PublishedState, k: Constants, leader: int) -> bool:
    """Append the next record to the log of a replica that presumes leadership."""
    if s.written == k.records:
        return False
    if not leads(s, leader):
        return False
    if s.replica[leader].leo == k.log_size:
        return False
    append(s, k, leader, s.replica[leader].epoch, s.written)
    s.written += 1
    return True


@model.action("leader", source=ORIGINAL, fairness=Fairness.STRONG, fair_per=(), leader="replica")
def leader_inc_high_watermark(s: PublishedState, k: Constants, leader: int) -> bool:
    """Advance a leader's high watermark by one record that its entire ISR acknowledges."""
    if not leads(s, leader):
        return False
    if s.replica[leader].hw >= s.replica[leader].leo:
        return False
    if not _all_acknowledge(s, k, leader, s.replica[leader].hw + 1):
        return False
    s.replica[leader].hw += 1
    if k.track_committed:
        s.aux_committed |= 1 << s.replica[leader].log[s.replica[leader].hw - 1].record
    return True


@model.action(
    "follower",
    source=ORIGINAL,
    fairness=Fairness.WEAK,
    fair_per=(),
    follower="replica",
    epoch=epochs,
)
def become_follower(s: PublishedState, k: Constants, follower: int, epoch: int) -> bool:
    """Apply LeaderAndIsr as a follower, and truncate the log by the protocol's rule.

    No replica applies an epoch without a leader.
    """
    if epoch > s.partition.epoch:
        return False
    leader = s.leader_and_isr[epoch].leader
    if leader == NONE:
        return False
    if leader == follower:
        return False
    if epoch <= s.replica[follower].epoch:
        return False
    if not k.rules.may_follow(s, k, leader, epoch):
        return False
    offset = k.rules.truncation_offset(s, k, leader, follower)
    if offset > s.replica[follower].leo:
        return False
    truncate_to(s, k, follower, offset)
    s.replica[follower].epoch = epoch
    s.replica[follower].leader = leader
    s.replica[follower].isr = s.leader_and_isr[epoch].isr
    return True


@model.action(
    "follower",
    source=ORIGINAL,
    fairness=Fairness.NONE,
    distinct=True,
    leader="replica",
    follower="replica",
)
def follower_fetch(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Copy the leader's next record and its high watermark, in one step."""
    if not leads(s, leader):
        return False
    end = s.replica[follower].leo
    if s.replica[leader].leo <= end:
        return False
    if not k.rules.may_fetch(s, k, leader, follower, end):
        return False
    entry = s.replica[leader].log[end]
    append(s, k, follower, entry.epoch, entry.record)
    s.replica[follower].hw = min(s.replica[leader].hw, end + 1)
    return True


def first_difference(s: PublishedState, k: Constants, one: int, other: int, end: int) -> int:
    """Return the first offset below `end` at which two logs hold different records, or NONE."""
    for offset in range(end):
        if s.replica[one].log[offset].record != s.replica[other].log[offset].record:
            return offset
    return NONE


def _out_of_sync(s: PublishedState, leader: int, member: int, offset: int, which: str) -> str:
    mine, theirs = s.replica[leader], s.replica[member]
    has = f"ends at {theirs.leo}"
    if theirs.leo > offset:
        has = f"has m{theirs.log[offset].record} there"
    return (
        f"Broker {leader} leads in epoch {mine.epoch} with high watermark {mine.hw}, and has "
        f"m{mine.log[offset].record} at offset {offset}; replica {member} is in {which}, but its "
        f"log {has}."
    )


@model.invariant(
    "Every record below the high watermark of a broker that leads is on every member of this "
    "broker's own view of the ISR.",
    source=f"{REPOSITORY}, {ORIGINAL}",
    explain=lambda s, k, leader, member, offset: _out_of_sync(
        s, leader, member, offset, "the leader's own view of the ISR"
    ),
)
def weak_isr(s: PublishedState, k: Constants) -> tuple[int, int, int] | None:
    """Return (leader, member, offset): below the leader's HW the member's record differs."""
    for leader in range(k.replicas):
        if leads(s, leader):
            for member in members(s.replica[leader].isr):
                offset = first_difference(s, k, leader, member, s.replica[leader].hw)
                if offset != NONE:
                    return leader, member, offset
    return None


@model.invariant(
    "Every record below the high watermark of a broker that leads is on every member of the "
    "partition state's ISR.",
    source=f"{REPOSITORY}, {ORIGINAL}",
    explain=lambda s, k, leader, member, offset: _out_of_sync(
        s, leader, member, offset, "the partition state's ISR"
    ),
)
def strong_isr(s: PublishedState, k: Constants) -> tuple[int, int, int] | None:
    """Return (leader, member, offset): below the leader's HW the member's record differs."""
    for leader in range(k.replicas):
        if leads(s, leader):
            for member in members(s.partition.isr):
                offset = first_difference(s, k, leader, member, s.replica[leader].hw)
                if offset != NONE:
                    return leader, member, offset
    return None


@model.invariant(
    "If the partition state names a leader, that broker is in its ISR.",
    source=f"{REPOSITORY}, {ORIGINAL} (LeaderInIsr, which is false there while no leader is known)",
    explain=lambda s, k: (
        f"The partition state names broker {s.partition.leader} leader of epoch "
        f"{s.partition.epoch}, but its ISR is {','.join(map(str, members(s.partition.isr)))}."
    ),
)
def known_leader_in_isr(s: PublishedState, k: Constants) -> bool:
    """Whether the partition state's leader, if any, is in its ISR."""
    return s.partition.leader == NONE or bool(s.partition.isr >> s.partition.leader & 1)


@model.invariant(
    "No two brokers lead in the same leader epoch.",
    source="KIP-101; Election Safety in Ongaro and Ousterhout, Raft (2014)",
    explain=lambda s, k, first, second: (
        f"Brokers {first} and {second} both lead in leader epoch {s.replica[first].epoch}."
    ),
)
def at_most_one_leader_per_epoch(s: PublishedState, k: Constants) -> tuple[int, int] | None:
    """Return two brokers that lead in one epoch."""
    for first in range(k.replicas):
        if not leads(s, first):
            continue
        for second in range(k.replicas):
            also_leads = second != first and leads(s, second)
            if also_leads and s.replica[first].epoch == s.replica[second].epoch:
                return first, second
    return None


@model.invariant(
    "Every record that was once below a leader's high watermark is in the log of the true leader: "
    "the one that the partition state names, and that leads in its epoch.",
    source="KIP-101; LeaderCompleteness in Ongaro and Ousterhout, Raft (2014)",
    explain=lambda s, k, leader, record: (
        f"Record m{record} was below a leader's high watermark: consumers have read it. Replica "
        f"{leader} now leads epoch {s.partition.epoch}, and m{record} is not in its log."
    ),
)
def no_committed_record_lost(s: PublishedState, k: Constants) -> tuple[int, int] | None:
    """Return (leader, record): the true leader lacks a record that was committed."""
    leader = s.partition.leader
    if leader == NONE or not true_leader(s, leader):
        return None
    log = s.replica[leader].log
    for record in members(s.aux_committed):
        if not any(entry.record == record for entry in log):
            return leader, record
    return None


@model.invariant(
    "All replicas hold the same record at every offset below both their high watermarks.",
    source="LogMatchingProperty in Vanlightly/kafka-tlaplus, kraft v3.5",
    explain=lambda s, k, one, other, offset: (
        f"At offset {offset}, below both high watermarks ({s.replica[one].hw} and "
        f"{s.replica[other].hw}), replica {one} has m{s.replica[one].log[offset].record} and "
        f"replica {other} has m{s.replica[other].log[offset].record}."
    ),
)
def log_matching_everywhere(s: PublishedState, k: Constants) -> tuple[int, int, int] | None:
    """Return (replica, replica, offset) of two replicas that differ below both HWs."""
    for one in range(k.replicas):
        for other in range(k.replicas):
            end = min(s.replica[one].hw, s.replica[other].hw)
            offset = first_difference(s, k, one, other, end)
            if offset != NONE:
                return one, other, offset
    return None


# The originals make neither fetching nor elections fair, so "logs become equal" and "somebody
# leads" fail in all of them.  What they do promise begins once the last leader epoch within the
# bounds has begun and has a leader: the controller then takes no further step.

SPEC = f"Spec in {REPOSITORY}"


def last_leader(s: PublishedState, k: Constants) -> int:
    """Return the leader of the last epoch within the bounds, or NONE before it begins."""
    return s.partition.leader if s.partition.epoch == k.max_leader_epoch else NONE


def acting_last_leader(s: PublishedState, k: Constants) -> int:
    """Return that leader once it has applied the epoch, or NONE."""
    leader = last_leader(s, k)
    return leader if leader != NONE and true_leader(s, leader) else NONE


def last_epoch_has_leader(s: PublishedState, k: Constants) -> bool:
    """Whether the last epoch has begun, with a leader."""
    return last_leader(s, k) != NONE


@model.liveness(
    Kind.LEADS_TO,
    "The leader of the last epoch eventually applies it.",
    source=SPEC,
    premise=last_epoch_has_leader,
    explain=lambda s, k: (
        f"Replica {s.partition.leader} is the leader of the last epoch, {s.partition.epoch}, but "
        f"stays in epoch {s.replica[s.partition.leader].epoch}."
    ),
)
def last_leader_acts(s: PublishedState, k: Constants) -> bool:
    """Whether the leader of the last epoch has applied it."""
    return acting_last_leader(s, k) != NONE


@model.liveness(
    Kind.LEADS_TO,
    "Once the last epoch has a leader, every replica eventually applies it.",
    source=SPEC,
    premise=last_epoch_has_leader,
    explain=lambda s, k, replica: (
        f"Replica {s.partition.leader} is the leader of the last epoch, {s.partition.epoch}; "
        f"replica {replica} stays in epoch {s.replica[replica].epoch}, with its log end at "
        f"{s.replica[replica].leo}, the leader's at {s.replica[s.partition.leader].leo}."
    ),
)
def last_epoch_is_applied(s: PublishedState, k: Constants) -> tuple[int] | None:
    """Return a replica that has not applied the last epoch."""
    for replica in range(k.replicas):
        if s.replica[replica].epoch != k.max_leader_epoch:
            return (replica,)
    return None


@model.liveness(
    Kind.LEADS_TO,
    "Once the last epoch has a leader, every other replica eventually stops presuming leadership.",
    source=SPEC,
    premise=last_epoch_has_leader,
    explain=lambda s, k, former: (
        f"Replica {s.partition.leader} is the leader of the last epoch, {s.partition.epoch}; "
        f"replica {former} still presumes leadership, from epoch {s.replica[former].epoch}."
    ),
)
def former_leaders_resign(s: PublishedState, k: Constants) -> tuple[int] | None:
    """Return a replica that presumes leadership and is not the stored leader."""
    for replica in range(k.replicas):
        if leads(s, replica) and s.partition.leader != replica:
            return (replica,)
    return None


@model.liveness(
    Kind.EVENTUALLY_ALWAYS,
    "From some state on, no follower in the last epoch has a record that contradicts its leader's.",
    source="KIP-101, KIP-279, KIP-320",
    explain=lambda s, k, follower, offset: (
        f"Replica {follower} follows replica {s.partition.leader} in the last epoch, "
        f"{s.partition.epoch}, but keeps m{s.replica[follower].log[offset].record} at offset "
        f"{offset}, where the leader has m{s.replica[s.partition.leader].log[offset].record}."
    ),
)
def followers_match(s: PublishedState, k: Constants) -> tuple[int, int] | None:
    """Return a follower in the last epoch with the first offset where it differs."""
    leader = acting_last_leader(s, k)
    if leader == NONE:
        return None
    mine = s.replica[leader]
    for follower in range(k.replicas):
        theirs = s.replica[follower]
        if theirs.epoch == mine.epoch:
            offset = first_difference(s, k, leader, follower, min(mine.leo, theirs.leo))
            if offset != NONE:
                return follower, offset
    return None


def is_left_out(s: PublishedState, k: Constants, leader: int, follower: int, end: int) -> bool:
    """Whether a follower in the leader's epoch has a log up to `end`, but is not in the ISR."""
    mine, theirs = s.replica[leader], s.replica[follower]
    is_member = bool(mine.isr >> follower & 1)
    return not is_member and theirs.epoch == mine.epoch and theirs.leo >= end


def explain_left_out(s: PublishedState, k: Constants, follower: int) -> str:
    """Explain which follower stays outside."""
    leader = s.partition.leader
    return (
        f"Replica {follower} follows replica {leader} in the last epoch, {s.partition.epoch}, with "
        f"its log end at {s.replica[follower].leo}; the leader's high watermark is "
        f"{s.replica[leader].hw}, its log end {s.replica[leader].leo}. Replica {follower} is not "
        "in the ISR."
    )


@model.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "A follower in the last epoch that stays at its leader's log end eventually joins the ISR.",
    source=SPEC,
    explain=explain_left_out,
)
def caught_up_follower_joins(s: PublishedState, k: Constants) -> tuple[int] | None:
    """Return a follower outside the ISR, in the last epoch, that has reached the log end."""
    leader = acting_last_leader(s, k)
    if leader == NONE:
        return None
    for follower in range(k.replicas):
        if is_left_out(s, k, leader, follower, s.replica[leader].leo):
            return (follower,)
    return None


@model.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "A follower in the last epoch that stays at its leader's high watermark eventually joins the "
    "ISR.",
    source=SPEC,
    explain=explain_left_out,
)
def follower_at_hw_joins(s: PublishedState, k: Constants) -> tuple[int] | None:
    """Return a follower outside the ISR, in the last epoch, that has reached the HW."""
    leader = acting_last_leader(s, k)
    if leader == NONE:
        return None
    for follower in range(k.replicas):
        if is_left_out(s, k, leader, follower, s.replica[leader].hw):
            return (follower,)
    return None


@model.liveness(
    Kind.ALWAYS_EVENTUALLY,
    "Once every member of the last leader's ISR has a record, the high watermark eventually passes "
    "it.",
    source=SPEC,
    explain=lambda s, k: (
        f"Every member of the ISR of replica {s.partition.leader} has the record at offset "
        f"{s.replica[s.partition.leader].hw}, but the leader's high watermark stays there."
    ),
)
def isr_is_committed(s: PublishedState, k: Constants) -> bool:
    """Whether the last leader's high watermark is not below what its entire ISR has."""
    leader = acting_last_leader(s, k)
    if leader == NONE:
        return True
    mine = s.replica[leader]
    for member in members(mine.isr):
        theirs = s.replica[member]
        if theirs.epoch != mine.epoch or theirs.leo <= mine.hw:
            return True
    return False


@model.liveness(
    Kind.LEADS_TO,
    "Once the last epoch has a leader, it eventually writes records while its log has room and any "
    "are left.",
    source=SPEC,
    premise=last_epoch_has_leader,
    explain=lambda s, k: (
        f"{s.written} of {k.records} records are written, though replica {s.partition.leader} is "
        f"the leader of the last epoch and its log has room."
    ),
)
def records_are_written(s: PublishedState, k: Constants) -> bool:
    """Whether all records are written, or the last leader's log is full."""
    leader = acting_last_leader(s, k)
    return leader != NONE and (s.written == k.records or s.replica[leader].leo == k.log_size)


@model.variant(
    "As specified in TLA+: followers truncate to their high watermark; not safe.",
)
def hw(rules: Rules) -> Rules:
    """High watermark truncation, as published: Kafka before leader epochs.

    A replica that becomes a follower truncates its log to its own high watermark.  That lags
    behind the leader's, so truncation removes committed records, and the replica may be elected
    before it has fetched them again.  Fails WeakIsr and StrongIsr within 2 replicas, 1 record
    and 2 epochs.

    Source: hachikuji/kafka-specification, KafkaTruncateToHighWatermark.tla.
    """
    return rules


def end_of_last_epoch(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Look up, in the leader's log, the end of the epoch of the follower's last record."""
    if s.replica[follower].leo == 0:
        return 0
    if s.replica[leader].leo == 0:
        return s.replica[follower].hw
    epoch = last_epoch(s, k, follower)
    if last_epoch(s, k, leader) == epoch:
        return s.replica[leader].leo
    for offset in range(s.replica[leader].leo):
        if s.replica[leader].log[offset].epoch > epoch:
            return offset
    return s.replica[follower].hw


@model.variant(
    "As specified in TLA+: followers look up where their last epoch ends; not safe.",
    parent=hw,
)
def kip_101(rules: Rules) -> Rules:
    """KIP-101, as published: records carry leader epochs, and followers look up where to truncate.

    A follower looks up, in its leader's log, where the epoch of its last record ends, and falls
    back to its high watermark if the leader knows no larger epoch.  Fails WeakIsr and StrongIsr
    within 2 replicas, 2 records and 3 epochs.

    The original does not cap the looked-up offset at the follower's log end, and a log cannot
    be truncated beyond its end: a replica with a shorter log of the same epoch can never become
    a follower.  Kafka uses the smaller of the two, and so does the broker family.

    Source: hachikuji/kafka-specification, Kip101.tla.
    """
    return replace(rules, truncation_offset=end_of_last_epoch)


def behind_last_match(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Truncate after the last record that both logs hold at the same offset."""
    return end_of_last_match(s, k, leader, follower)


@model.variant(
    "As specified in TLA+: followers truncate to their last match; unsafe with 3 replicas.",
    parent=kip_101,
)
def kip_279(rules: Rules) -> Rules:
    """KIP-279, as published: followers truncate after the last record shared with the leader.

    Consecutive fast elections let logs diverge under KIP-101.  The original states what KIP-279
    achieves, not how: it compares both logs from the tail and truncates after the last offset
    at which they hold the same record.  Nothing is fenced, so followers still accept a stale
    leader: fails StrongIsr, but only with 3 replicas (1 record and 2 epochs are enough).

    Source: hachikuji/kafka-specification, Kip279.tla.
    """
    return replace(rules, truncation_offset=behind_last_match)


def fenced(
    rules: Rules, counts: Callable[[PublishedState, Constants, int, int, int], bool]
) -> Rules:
    """Return rules with one fence for fetches, acknowledgements and the ISR."""
    return replace(rules, may_fetch=counts, acknowledges=counts, keeps_up=counts, reached_hw=counts)


def keep_log(s: PublishedState, k: Constants, leader: int, follower: int) -> int:
    """Truncate nothing when a replica becomes a follower."""
    return s.replica[follower].leo


def same_record_epoch(
    s: PublishedState, k: Constants, leader: int, follower: int, end: int
) -> bool:
    """Count a follower whose record before `end` has the same epoch as the leader's."""
    mine, theirs = s.replica[leader], s.replica[follower]
    if theirs.leader != leader or theirs.leo < end or mine.leo < end:
        return False
    return end == 0 or theirs.log[end - 1].epoch == mine.log[end - 1].epoch


def hw_in_own_epoch(s: PublishedState, k: Constants, leader: int) -> bool:
    """Let followers join once the leader's log at its epoch start is committed."""
    mine = s.replica[leader]
    return mine.hw == mine.leo or mine.log[mine.hw].epoch == mine.epoch


def _contradicts(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Whether a follower's log is longer than the leader's, or its last epoch differs there."""
    end = s.replica[follower].leo
    if end > s.replica[leader].leo:
        return True
    return end > 0 and s.replica[leader].log[end - 1].epoch != last_epoch(s, k, follower)


@model.action(
    "follower",
    source="Kip320FirstTry.tla",
    fairness=Fairness.NONE,
    distinct=True,
    leader="replica",
    follower="replica",
)
def follower_truncate(s: PublishedState, k: Constants, leader: int, follower: int) -> bool:
    """Truncate a follower's log, at any time, if its end contradicts the leader's log."""
    if not leads(s, leader):
        return False
    if s.replica[follower].leader != leader:
        return False
    if not _contradicts(s, k, leader, follower):
        return False
    truncate_to(s, k, follower, end_of_last_match(s, k, leader, follower))
    return True


@model.variant(
    "As specified in TLA+: truncation while fetching; unsafe with 3 replicas.",
    parent=kip_279,
    actions=(follower_truncate,),
)
def kip_320_first_try(rules: Rules) -> Rules:
    """KIP-320's first draft: truncate while fetching, fenced by the last record's epoch.

    A new follower fetches at once and truncates only if the epoch of its last record differs
    from the leader's at that offset.  Leaders also compare the epochs of records before they
    advance the high watermark or change the ISR, and let no follower join before a record of
    their own epoch is committed.  But records do not show a follower's epoch: one in an older
    epoch counts, and may truncate the record afterwards.  Fails WeakIsr and StrongIsr within 3
    replicas, 1 record, 3 epochs.

    Source: hachikuji/kafka-specification, Kip320FirstTry.tla.
    """
    return replace(
        fenced(rules, same_record_epoch),
        truncation_offset=keep_log,
        may_expand_isr=hw_in_own_epoch,
    )


def leader_in_epoch(s: PublishedState, k: Constants, leader: int, epoch: int) -> bool:
    """Follow a leader only after it has applied that epoch: its log may change before."""
    return s.replica[leader].leader == leader and s.replica[leader].epoch == epoch


def same_epoch_up_to(s: PublishedState, k: Constants, leader: int, follower: int, end: int) -> bool:
    """Count a follower in the leader's own epoch whose log reaches `end`."""
    mine, theirs = s.replica[leader], s.replica[follower]
    return theirs.leader == leader and theirs.epoch == mine.epoch and theirs.leo >= end


@model.variant(
    "As specified in TLA+: everything is fenced by leader epoch; no violation is known.",
    parent=kip_279,
)
def kip_320(rules: Rules) -> Rules:
    """KIP-320, as published: leader and follower accept each other in the same leader epoch only.

    A follower truncates once per epoch, and only after its leader has applied that epoch.
    Fetches, acknowledgements and the ISR are fenced by the epoch of the replicas, not of their
    records.  No violation is known at any bounds.

    Source: hachikuji/kafka-specification, Kip320.tla.
    """
    return replace(
        fenced(rules, same_epoch_up_to),
        may_follow=leader_in_epoch,
        may_expand_isr=hw_in_own_epoch,
    )
