"""Paxos Commit: for each resource manager an instance of Paxos decides whether it is prepared.

Source: PaxosCommit.tla in tlaplus/Examples (Gray and Lamport).
"""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import NONE, Model, Record, Set, array, boolean, enumeration, number, optional, set_of


class RM(IntEnum):
    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


class Val(IntEnum):
    NOTHING = 0
    PREPARED = 1
    ABORTED = 2


@dataclass(frozen=True)
class Bounds:
    managers: int = number(2, 1, 3, "resource managers", main=True)
    acceptors: int = number(3, 1, 5, "acceptors", main=True)
    ballots: int = number(2, 1, 3, "ballots", main=True)


class Accepted(Record):
    ballot: int = optional(lambda k: k.ballots - 1, "ballot of the vote")
    value: Val = enumeration(Val, "value of the vote")


class AcceptorState(Record):
    mbal: int = optional(lambda k: k.ballots - 1, "promised", initial=0)
    accepted: Accepted = Accepted


class OneB(Record):
    sent: bool = boolean("sent")
    vote: int = optional(lambda k: k.ballots - 1, "ballot of the vote")
    value: Val = enumeration(Val, "value")


class Instance(Record):
    acceptor: list[AcceptorState] = array(lambda k: k.acceptors, AcceptorState)
    phase1a: Set = set_of(lambda k: k.ballots, "ballots that were started")
    phase1b: list[list[OneB]] = array(lambda k: k.ballots, array(lambda k: k.acceptors, OneB))
    phase2a: list[Val] = array(lambda k: k.ballots, enumeration(Val, "proposed"))
    phase2b: list[list[Val]] = array(
        lambda k: k.ballots, array(lambda k: k.acceptors, enumeration(Val, "accepted"))
    )


class State(Record):
    rm: list[RM] = array(lambda k: k.managers, enumeration(RM, "state"), by="manager")
    instance: list[Instance] = array(lambda k: k.managers, Instance)
    commit_sent: bool = boolean("commit")
    abort_sent: bool = boolean("abort")


model = Model(
    Bounds,
    State,
    participants={"manager": lambda k: k.managers, "acceptor": lambda k: k.acceptors},
    deadlock=False,
)


def majority(k: Bounds, n: int) -> bool:
    return n > k.acceptors // 2


@model.action("manager")
def prepare(s: State, k: Bounds, manager: int) -> bool:
    """A manager prepares and sends a 2a message of ballot 0."""
    if s.rm[manager] is not RM.WORKING:
        return False
    s.rm[manager] = RM.PREPARED
    s.instance[manager].phase2a[0] = Val.PREPARED
    return True


@model.action("manager")
def choose_abort(s: State, k: Bounds, manager: int) -> bool:
    """A manager aborts."""
    if s.rm[manager] is not RM.WORKING:
        return False
    s.rm[manager] = RM.ABORTED
    s.instance[manager].phase2a[0] = Val.ABORTED
    return True


@model.action("leader", ballot=lambda k: range(1, k.ballots), manager="manager")
def phase_1a(s: State, k: Bounds, ballot: int, manager: int) -> bool:
    """A leader starts a ballot."""
    if ballot in s.instance[manager].phase1a:
        return False
    s.instance[manager].phase1a.add(ballot)
    return True


@model.action(
    "acceptor",
    manager="manager",
    ballot=lambda s, k, acceptor, manager: s.instance[manager].phase1a,
)
def phase_1b(s: State, k: Bounds, acceptor: int, manager: int, ballot: int) -> bool:
    """An acceptor promises."""
    instance = s.instance[manager]
    me = instance.acceptor[acceptor]
    if me.mbal >= ballot:
        return False
    me.mbal = ballot
    instance.phase1b[ballot][acceptor] = OneB(
        sent=True, vote=me.accepted.ballot, value=me.accepted.value
    )
    return True


@model.action(
    "leader",
    ballot=lambda k: range(1, k.ballots),
    manager="manager",
    group=lambda k: range(2**k.acceptors),
)
def phase_2a(s: State, k: Bounds, ballot: int, manager: int, group: int) -> bool:
    """A leader proposes after a group answered."""
    instance = s.instance[manager]
    if instance.phase2a[ballot] != Val.NOTHING:
        return False
    members = [a for a in range(k.acceptors) if group >> a & 1]
    if not majority(k, len(members)):
        return False
    answers = instance.phase1b[ballot]
    if not all(answers[a].sent for a in members):
        return False
    top = max(answers[a].vote for a in members)
    if top == NONE:
        value = Val.ABORTED
    else:
        value = next(answers[a].value for a in members if answers[a].vote == top)
    instance.phase2a[ballot] = value
    return True


@model.action("acceptor", manager="manager", ballot=lambda k: range(k.ballots))
def phase_2b(s: State, k: Bounds, acceptor: int, manager: int, ballot: int) -> bool:
    """An acceptor votes."""
    instance = s.instance[manager]
    me = instance.acceptor[acceptor]
    value = instance.phase2a[ballot]
    if value is Val.NOTHING or me.mbal > ballot:
        return False
    if instance.phase2b[ballot][acceptor] is not Val.NOTHING:
        return False
    me.mbal = ballot
    me.accepted.ballot = ballot
    me.accepted.value = value
    instance.phase2b[ballot][acceptor] = value
    return True


def decided(s: State, k: Bounds, manager: int, value: Val) -> bool:
    return any(
        majority(k, sum(1 for v in votes if v is value)) for votes in s.instance[manager].phase2b
    )


@model.action("leader")
def decide(s: State, k: Bounds) -> bool:
    """All instances are decided."""
    if s.commit_sent or s.abort_sent:
        return False
    if all(decided(s, k, m, Val.PREPARED) for m in range(k.managers)):
        s.commit_sent = True
        return True
    if any(decided(s, k, m, Val.ABORTED) for m in range(k.managers)):
        s.abort_sent = True
        return True
    return False


@model.action("manager")
def receive_commit(s: State, k: Bounds, manager: int) -> bool:
    """A manager commits."""
    if not s.commit_sent or s.rm[manager] is RM.COMMITTED:
        return False
    s.rm[manager] = RM.COMMITTED
    return True


@model.action("manager")
def receive_abort(s: State, k: Bounds, manager: int) -> bool:
    """A manager aborts."""
    if not s.abort_sent or s.rm[manager] is RM.ABORTED:
        return False
    s.rm[manager] = RM.ABORTED
    return True


@model.invariant("No manager aborts while another one commits.")
def consistent(s: State, k: Bounds) -> bool:
    return not {RM.COMMITTED, RM.ABORTED} <= set(s.rm)
