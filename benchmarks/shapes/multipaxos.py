"""Multi-Paxos: a leader prepares a ballot for all slots, then gets values chosen slot by slot.

Source: Lamport, Paxos made simple; MultiPaxos.tla in tlaplus/Examples.
"""

from dataclasses import dataclass

from tidegate import (
    NONE,
    Model,
    Record,
    Set,
    array,
    boolean,
    number,
    optional,
    set_of,
)


@dataclass(frozen=True)
class Bounds:
    acceptors: int = number(3, 1, 5, "acceptors", main=True)
    ballots: int = number(2, 1, 4, "ballots", main=True)
    slots: int = number(1, 1, 3, "slots", main=True)
    values: int = number(2, 1, 3, "values", main=True)


class Vote(Record):
    ballot: int = optional(lambda k: k.ballots - 1, "ballot")
    value: int = optional(lambda k: k.values - 1, "value")


class Acceptor(Record):
    promised: int = optional(lambda k: k.ballots - 1, "highest ballot that it saw")
    vote: list[Vote] = array(lambda k: k.slots, Vote)


class Promise(Record):
    """A 1b message: what an acceptor had voted for when it promised."""

    sent: bool = boolean("whether it was sent")
    vote: list[Vote] = array(lambda k: k.slots, Vote)


class Ballot(Record):
    started: bool = boolean("whether its leader sent 1a")
    promise: list[Promise] = array(lambda k: k.acceptors, Promise)
    proposed: list[int] = array(lambda k: k.slots, optional(lambda k: k.values - 1, "2a messages"))
    accepted: list[Set] = array(
        lambda k: k.slots, set_of(lambda k: k.acceptors, "2b messages", of_replicas=True)
    )


class State(Record):
    acceptor: list[Acceptor] = array(
        lambda k: k.acceptors, Acceptor, by="acceptor", by_replica=True
    )
    ballot: list[Ballot] = array(lambda k: k.ballots, Ballot)


model = Model(Bounds, State, participants={"acceptor": lambda k: k.acceptors}, deadlock=False)


def is_quorum(k: Bounds, members) -> bool:
    return 2 * len(members) > k.acceptors


def ballots(k: Bounds) -> range:
    return range(k.ballots)


@model.action("leader", b=ballots)
def phase1a(s: State, k: Bounds, b: int) -> bool:
    """A leader starts its ballot."""
    if s.ballot[b].started:
        return False
    s.ballot[b].started = True
    return True


@model.action("acceptor", b=ballots)
def phase1b(s: State, k: Bounds, acceptor: int, b: int) -> bool:
    """An acceptor promises, and says what it voted for."""
    me = s.acceptor[acceptor]
    if not s.ballot[b].started or b <= me.promised:
        return False
    me.promised = b
    promise = s.ballot[b].promise[acceptor]
    promise.sent = True
    for slot, vote in enumerate(me.vote):
        promise.vote[slot].assign(vote)
    return True


def highest_vote(promises: list[Promise], slot: int) -> int:
    """The value of the highest vote, or NONE."""
    votes = [p.vote[slot] for p in promises if p.vote[slot].ballot != NONE]
    if not votes:
        return NONE
    return max(votes, key=lambda vote: vote.ballot).value


@model.action("leader", b=ballots, slot=lambda k: range(k.slots), value=lambda k: range(k.values))
def phase2a(s: State, k: Bounds, b: int, slot: int, value: int) -> bool:
    """A leader proposes a value that is safe."""
    ballot = s.ballot[b]
    promises = [p for p in ballot.promise if p.sent]
    if not is_quorum(k, promises) or ballot.proposed[slot] != NONE:
        return False
    safe = highest_vote(promises, slot)
    if safe != NONE and value != safe:
        return False
    ballot.proposed[slot] = value
    return True


@model.action("acceptor", b=ballots, slot=lambda k: range(k.slots))
def phase2b(s: State, k: Bounds, acceptor: int, b: int, slot: int) -> bool:
    """An acceptor votes."""
    me = s.acceptor[acceptor]
    ballot = s.ballot[b]
    if ballot.proposed[slot] == NONE or b < me.promised:
        return False
    if acceptor in ballot.accepted[slot]:
        return False
    me.promised = b
    me.vote[slot].assign(Vote(ballot=b, value=ballot.proposed[slot]))
    ballot.accepted[slot].add(acceptor)
    return True


def chosen(s: State, k: Bounds, slot: int) -> set[int]:
    """The values that are chosen."""
    return {ballot.proposed[slot] for ballot in s.ballot if is_quorum(k, ballot.accepted[slot])}


@model.invariant("At most one value is chosen for a slot.")
def agreement(s: State, k: Bounds) -> bool:
    return all(len(chosen(s, k, slot)) <= 1 for slot in range(k.slots))


@model.invariant("An acceptor never voted above what it promised.")
def promises_kept(s: State, k: Bounds) -> bool:
    return all(v.ballot <= a.promised for a in s.acceptor for v in a.vote)


@model.sometimes("A value is chosen for every slot.")
def progress(s: State, k: Bounds) -> bool:
    return all(chosen(s, k, slot) for slot in range(k.slots))
