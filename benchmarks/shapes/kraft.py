"""KRaft: election and replication of the metadata log by fetching.

Source: KIP-595, and KRaft.tla by Vanlightly.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tidegate import (
    NONE,
    Fairness,
    Model,
    Record,
    Seq,
    Set,
    array,
    boolean,
    enumeration,
    integer,
    nested,
    number,
    optional,
    replica_id,
    sequence_of,
    set_of,
)


@dataclass(frozen=True)
class Bounds:
    voters: int = number(3, 1, 5, "voters", main=True)
    epochs: int = number(2, 1, 5, "the highest epoch", main=True)
    records: int = number(1, 0, 4, "records that clients append", main=True)
    restarts: int = number(0, 0, 3, "restarts", main=True)


class Role(IntEnum):
    UNATTACHED = 0
    FOLLOWER = 1
    VOTED = 2
    CANDIDATE = 3
    LEADER = 4
    RESIGNED = 5


class Kind(IntEnum):
    VOTE_REQUEST = 0
    VOTE_RESPONSE = 1
    BEGIN_QUORUM = 2
    FETCH_REQUEST = 3
    FETCH_RESPONSE = 4


class Entry(Record):
    epoch: int = integer(0, lambda k: k.epochs, "epoch of the record")
    value: int = optional(lambda k: k.records, "value, NONE for a leader change")


class Message(Record):
    kind: Kind = enumeration(Kind, "kind")
    source: int = replica_id(lambda k: k.voters - 1, "sender")
    dest: int = replica_id(lambda k: k.voters - 1, "receiver")
    epoch: int = integer(0, lambda k: k.epochs, "epoch")
    granted: bool = boolean("vote granted")
    last_epoch: int = integer(0, lambda k: k.epochs, "epoch of the last record")
    end: int = integer(0, lambda k: k.records + k.epochs, "log end offset")
    hw: int = integer(0, lambda k: k.records + k.epochs, "high watermark")
    diverging: bool = boolean("whether the follower must truncate")
    entry: Entry = nested(Entry)
    has_entry: bool = boolean("whether an entry is sent")


class Voter(Record):
    role: Role = enumeration(Role, "role")
    epoch: int = integer(0, lambda k: k.epochs, "current epoch")
    leader: int = replica_id(lambda k: k.voters - 1, "leader that it knows")
    voted_for: int = replica_id(lambda k: k.voters - 1, "candidate that it voted for")
    votes: Set = set_of(lambda k: k.voters, "votes that it got", of_replicas=True)
    log: Seq[Entry] = sequence_of(Entry, lambda k: k.records + k.epochs, "log")
    hw: int = integer(0, lambda k: k.records + k.epochs, "high watermark")
    end_of: list[int] = array(
        lambda k: k.voters,
        integer(0, lambda k: k.records + k.epochs, "log end of each voter"),
        by_replica=True,
    )
    fetching: bool = boolean("whether a fetch is in flight")

    @property
    def last_epoch(self) -> int:
        return self.log[-1].epoch if self.log else 0

    def end_of_epoch(self, epoch: int) -> tuple[int, int]:
        """The largest epoch up to this one, and its end offset."""
        for offset in reversed(range(len(self.log))):
            if self.log[offset].epoch <= epoch:
                return self.log[offset].epoch, offset + 1
        return 0, 0


class State(Record):
    voter: list[Voter] = array(lambda k: k.voters, Voter, by="voter", by_replica=True)
    network: Seq[Message] = sequence_of(Message, 6, "messages in flight")
    appended: int = integer(0, lambda k: k.records, "records appended so far")
    restarted: int = integer(0, lambda k: k.restarts, "restarts so far")


model = Model(Bounds, State, participants={"voter": lambda k: k.voters}, deadlock=False)


def majority(k: Bounds, members: Set) -> bool:
    return len(members) * 2 > k.voters


def send(s: State, message: Message) -> None:
    if len(s.network) < 6 and message not in s.network:
        s.network.append(message)


def become(me: Voter, role: Role, epoch: int, leader: int = NONE) -> None:
    """A voter goes over to another role."""
    if epoch > me.epoch:
        me.voted_for = NONE
    me.role = role
    me.epoch = epoch
    me.leader = leader
    me.votes.clear()
    me.fetching = False
    for i in range(len(me.end_of)):
        me.end_of[i] = 0


def step_up(me: Voter, epoch: int) -> None:
    if epoch > me.epoch:
        become(me, Role.UNATTACHED, epoch)


def up_to_date(me: Voter, last_epoch: int, end: int) -> bool:
    return (last_epoch, end) >= (me.last_epoch, len(me.log))


@model.action("voter", fairness=Fairness.NONE)
def restart(s: State, k: Bounds, voter: int) -> bool:
    """A voter restarts, and loses all but its log, epoch and vote."""
    if s.restarted == k.restarts:
        return False
    me = s.voter[voter]
    vote = me.voted_for
    role = (
        Role.RESIGNED if me.role is Role.LEADER else Role.VOTED if vote != NONE else Role.UNATTACHED
    )
    become(me, role, me.epoch)
    me.voted_for = vote
    me.hw = 0
    s.restarted += 1
    return True


@model.action("voter")
def request_vote(s: State, k: Bounds, voter: int) -> bool:
    """A voter becomes a candidate."""
    me = s.voter[voter]
    if me.epoch == k.epochs or me.role is Role.LEADER:
        return False
    become(me, Role.CANDIDATE, me.epoch + 1)
    me.voted_for = voter
    me.votes.add(voter)
    for other in range(k.voters):
        if other != voter:
            send(
                s,
                Message(
                    kind=Kind.VOTE_REQUEST,
                    source=voter,
                    dest=other,
                    epoch=me.epoch,
                    last_epoch=me.last_epoch,
                    end=len(me.log),
                ),
            )
    return True


@model.action("voter", m=lambda s, k: s.network)
def handle_vote_request(s: State, k: Bounds, m: Message) -> bool:
    """A voter answers a request for its vote."""
    if m.kind is not Kind.VOTE_REQUEST:
        return False
    s.network.remove(m)
    me = s.voter[m.dest]
    step_up(me, m.epoch)
    grant = (
        m.epoch == me.epoch
        and up_to_date(me, m.last_epoch, m.end)
        and (me.role is Role.UNATTACHED or (me.role is Role.VOTED and me.voted_for == m.source))
    )
    if grant:
        become(me, Role.VOTED, m.epoch)
        me.voted_for = m.source
    send(
        s,
        Message(
            kind=Kind.VOTE_RESPONSE, source=m.dest, dest=m.source, epoch=me.epoch, granted=grant
        ),
    )
    return True


@model.action("voter", m=lambda s, k: s.network)
def handle_vote_response(s: State, k: Bounds, m: Message) -> bool:
    """A candidate receives an answer."""
    if m.kind is not Kind.VOTE_RESPONSE:
        return False
    s.network.remove(m)
    me = s.voter[m.dest]
    step_up(me, m.epoch)
    if m.granted and me.role is Role.CANDIDATE and me.epoch == m.epoch:
        me.votes.add(m.source)
    return True


@model.action("voter")
def become_leader(s: State, k: Bounds, voter: int) -> bool:
    """A candidate with a majority leads."""
    me = s.voter[voter]
    if me.role is not Role.CANDIDATE or not majority(k, me.votes):
        return False
    become(me, Role.LEADER, me.epoch, leader=voter)
    me.log.append(Entry(epoch=me.epoch))
    me.end_of[voter] = len(me.log)
    for other in range(k.voters):
        if other != voter:
            send(s, Message(kind=Kind.BEGIN_QUORUM, source=voter, dest=other, epoch=me.epoch))
    return True


@model.action("voter", m=lambda s, k: s.network)
def handle_begin_quorum(s: State, k: Bounds, m: Message) -> bool:
    """A voter learns who leads."""
    if m.kind is not Kind.BEGIN_QUORUM:
        return False
    s.network.remove(m)
    me = s.voter[m.dest]
    if m.epoch > me.epoch or (m.epoch == me.epoch and me.leader == NONE):
        become(me, Role.FOLLOWER, m.epoch, leader=m.source)
    return True


@model.action("voter")
def client_request(s: State, k: Bounds, voter: int) -> bool:
    """A leader appends a record."""
    me = s.voter[voter]
    if me.role is not Role.LEADER or s.appended == k.records:
        return False
    s.appended += 1
    me.log.append(Entry(epoch=me.epoch, value=s.appended))
    me.end_of[voter] = len(me.log)
    return True


@model.action("voter")
def send_fetch(s: State, k: Bounds, voter: int) -> bool:
    """A follower fetches."""
    me = s.voter[voter]
    if me.role is not Role.FOLLOWER or me.fetching:
        return False
    me.fetching = True
    send(
        s,
        Message(
            kind=Kind.FETCH_REQUEST,
            source=voter,
            dest=me.leader,
            epoch=me.epoch,
            last_epoch=me.last_epoch,
            end=len(me.log),
        ),
    )
    return True


def new_high_watermark(me: Voter, k: Bounds) -> int:
    ends = sorted(me.end_of, reverse=True)
    candidate = ends[k.voters // 2]
    if candidate > me.hw and me.log[candidate - 1].epoch == me.epoch:
        return candidate
    return me.hw


@model.action("voter", m=lambda s, k: s.network)
def handle_fetch(s: State, k: Bounds, m: Message) -> bool:
    """A leader answers a fetch."""
    if m.kind is not Kind.FETCH_REQUEST:
        return False
    me = s.voter[m.dest]
    s.network.remove(m)
    if me.role is not Role.LEADER or me.epoch != m.epoch:
        step_up(me, m.epoch)
        return True
    epoch, end = me.end_of_epoch(m.last_epoch)
    answer = Message(kind=Kind.FETCH_RESPONSE, source=m.dest, dest=m.source, epoch=me.epoch)
    if epoch != m.last_epoch or end < m.end:
        answer.diverging = True
        answer.last_epoch = epoch
        answer.end = end
    else:
        me.end_of[m.source] = m.end
        me.hw = new_high_watermark(me, k)
        if m.end < len(me.log):
            answer.has_entry = True
            answer.entry = me.log[m.end]
    answer.hw = me.hw
    send(s, answer)
    return True


@model.action("voter", m=lambda s, k: s.network)
def handle_fetch_response(s: State, k: Bounds, m: Message) -> bool:
    """A follower appends or truncates."""
    if m.kind is not Kind.FETCH_RESPONSE:
        return False
    s.network.remove(m)
    me = s.voter[m.dest]
    if me.role is not Role.FOLLOWER or me.epoch != m.epoch:
        return True
    me.fetching = False
    if m.diverging:
        _, end = me.end_of_epoch(m.last_epoch)
        del me.log[min(m.end, end) :]
        return True
    if m.has_entry:
        me.log.append(m.entry)
    me.hw = min(m.hw, len(me.log))
    return True


@model.invariant("There is one leader of an epoch at most.")
def one_leader(s: State, k: Bounds) -> bool:
    leaders = [v for v in s.voter if v.role is Role.LEADER]
    return len({v.epoch for v in leaders}) == len(leaders)


@model.invariant("Committed records are the same everywhere.")
def log_matching(s: State, k: Bounds) -> bool:
    for a in s.voter:
        for b in s.voter:
            common = min(a.hw, b.hw)
            if a.log[:common] != b.log[:common]:
                return False
    return True


@model.invariant("A leader has all committed records of older epochs.")
def leader_completeness(s: State, k: Bounds) -> bool:
    for leader in s.voter:
        if leader.role is not Role.LEADER:
            continue
        for other in s.voter:
            if other.epoch <= leader.epoch and other.log[: other.hw] != leader.log[: other.hw]:
                return False
    return True


@model.sometimes("All records are committed everywhere.")
def all_committed(s: State, k: Bounds) -> bool:
    return all(v.hw >= k.records + 1 for v in s.voter)
