"""Single-decree Paxos with vote sets: messages are records in sequences; at most one value is chosen."""
from collections import Counter
from dataclasses import dataclass

from tidegate import NONE, Model, Record, Seq, Set, array, integer, nested, number, optional, sequence_of, set_of


@dataclass(frozen=True)
class Bounds:
    acceptors: int = number(3, 1, 3, "acceptors", main=True)
    ballots: int = number(2, 1, 3, "ballots", main=True)

    @property
    def majority(self) -> int:
        return self.acceptors // 2 + 1


class Vote(Record):
    ballot: int = optional(lambda k: k.ballots - 1, "ballot of the vote")
    value: int = optional(1, "its value")


class Acceptor(Record):
    promised: int = optional(lambda k: k.ballots - 1, "highest ballot")
    vote: Vote = nested(Vote)


class Ballot(Record):
    promises: Set = set_of(lambda k: k.acceptors, "who promised")
    best: Vote = nested(Vote)
    proposed: int = optional(1, "value that was proposed")
    voters: Set = set_of(lambda k: k.acceptors, "who voted")


class State(Record):
    acceptor: list[Acceptor] = array(lambda k: k.acceptors, Acceptor, by="acceptor")
    ballot: list[Ballot] = array(lambda k: k.ballots, Ballot)


model = Model(Bounds, State, participants={"acceptor": lambda k: k.acceptors}, deadlock=False)


@model.action("acceptor", ballot=lambda k: range(k.ballots))
def promise(s: State, k: Bounds, acceptor: int, ballot: int) -> bool:
    """Promise, and tell the newest vote."""
    a, b = s.acceptor[acceptor], s.ballot[ballot]
    if a.promised >= ballot or b.proposed != NONE:
        return False
    a.promised = ballot
    b.promises.add(acceptor)
    if a.vote.ballot > b.best.ballot:
        b.best.assign(a.vote)
    return True


@model.action("proposer", ballot=lambda k: range(k.ballots), value=lambda k: (0, 1))
def propose(s: State, k: Bounds, ballot: int, value: int) -> bool:
    b = s.ballot[ballot]
    if b.proposed != NONE or len(b.promises) < k.majority:
        return False
    if b.best.value not in (NONE, value):
        return False
    b.proposed = value
    return True


@model.action("acceptor", ballot=lambda k: range(k.ballots))
def vote(s: State, k: Bounds, acceptor: int, ballot: int) -> bool:
    a = s.acceptor[acceptor]
    b = s.ballot[ballot]
    if b.proposed == NONE or a.promised > ballot or acceptor in b.voters:
        return False
    a.promised = ballot
    a.vote.assign(Vote(ballot=ballot, value=b.proposed))
    b.voters.add(acceptor)
    return True


def chosen(s: State, k: Bounds) -> Counter:
    return Counter(b.proposed for b in s.ballot if len(b.voters) >= k.majority)


@model.invariant("At most one value is chosen.")
def agreement(s: State, k: Bounds) -> bool:
    return len(chosen(s, k)) <= 1


@model.sometimes("The value is chosen twice.")
def twice(s: State, k: Bounds) -> bool:
    return max(chosen(s, k).values(), default=0) >= 2
# expect: holds 3584
