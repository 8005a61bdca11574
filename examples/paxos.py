"""Paxos: acceptors choose one value, whatever the leaders of ballots propose.

Source: Lamport, Paxos Made Simple, 2001; Paxos.tla in tlaplus/Examples.  Messages are never taken
away, so each kind is kept where it was sent: the leader of a ballot asks for promises (1a) and
proposes a value (2a), an acceptor promises (1b) and votes (2b).
"""

from dataclasses import dataclass

from tidegate import NONE, Model, Record, Set, array, boolean, number, optional, set_of


@dataclass(frozen=True)
class Bounds:
    acceptors: int = number(3, 1, 7, "acceptors", main=True)
    ballots: int = number(2, 1, 6, "ballots", main=True)
    values: int = number(2, 1, 4, "values that may be proposed", main=True)


class Promise(Record):
    """A message 1b: not to vote in lower ballots, with the vote in the highest ballot so far."""

    given: bool = boolean("whether the promise was given")
    ballot: int = optional(lambda k: k.ballots - 1, "ballot of the vote")
    value: int = optional(lambda k: k.values - 1, "value of the vote")

    @classmethod
    def shown(cls, promise: "Promise") -> str | None:
        """Return a promise as people see it."""
        if not promise.given:
            return None
        return "no vote" if promise.ballot == NONE else f"{promise.value} in {promise.ballot}"


class Acceptor(Record):
    ballot: int = optional(lambda k: k.ballots - 1, "highest ballot that it took part in")
    vote_ballot: int = optional(lambda k: k.ballots - 1, "highest ballot that it voted in")
    vote_value: int = optional(lambda k: k.values - 1, "what it voted for there")
    promise: list[Promise] = array(lambda k: k.ballots, Promise)
    votes: list[Set] = array(lambda k: k.ballots, set_of(lambda k: k.values, "its votes, 2b"))


class Ballot(Record):
    asked: bool = boolean("whether promises were asked for, 1a")
    proposed: Set = set_of(lambda k: k.values, "values that were proposed, 2a")


class State(Record):
    acceptor: list[Acceptor] = array(
        lambda k: k.acceptors, Acceptor, by="acceptor", by_replica=True
    )
    ballot: list[Ballot] = array(lambda k: k.ballots, Ballot, by="ballot")


model = Model(
    Bounds, State, participants={"ballot": lambda k: k.ballots, "acceptor": lambda k: k.acceptors}
)


def is_majority(count: int, k: Bounds) -> bool:
    return 2 * count > k.acceptors


def is_safe(s: State, k: Bounds, ballot: int, value: int) -> bool:
    """Whether a majority's promises show that no other value is chosen in a lower ballot.

    Of those who promised, a majority voted in ballot `highest` at most, and there for this value.
    """
    for highest in range(NONE, ballot):
        promised = 0
        voted = highest == NONE
        for acceptor in s.acceptor:
            promise = acceptor.promise[ballot]
            if promise.given and promise.ballot <= highest:
                promised += 1
                if promise.ballot == highest and promise.value == value:
                    voted = True
        if voted and is_majority(promised, k):
            return True
    return False


def is_chosen(s: State, k: Bounds, value: int) -> bool:
    return any(
        is_majority(sum(1 for acceptor in s.acceptor if value in acceptor.votes[ballot]), k)
        for ballot in range(k.ballots)
    )


@model.action("ballot")
def ask(s: State, k: Bounds, ballot: int) -> bool:
    """The leader of a ballot asks all acceptors for their promises."""
    s.ballot[ballot].asked = True
    return True


@model.action("acceptor")
def promise(s: State, k: Bounds, acceptor: int, ballot: int) -> bool:
    """An acceptor promises not to vote in lower ballots, and tells its highest vote."""
    me = s.acceptor[acceptor]
    if not s.ballot[ballot].asked or ballot <= me.ballot:
        return False
    me.ballot = ballot
    promise = me.promise[ballot]
    promise.given = True
    promise.ballot = me.vote_ballot
    promise.value = me.vote_value
    return True


@model.action("ballot", value=lambda k: range(k.values))
def propose(s: State, k: Bounds, ballot: int, value: int) -> bool:
    """The leader of a ballot proposes a value that a majority's promises allow."""
    if s.ballot[ballot].proposed or not is_safe(s, k, ballot, value):
        return False
    s.ballot[ballot].proposed.add(value)
    return True


@model.action("acceptor", value=lambda k: range(k.values))
def vote(s: State, k: Bounds, acceptor: int, ballot: int, value: int) -> bool:
    """An acceptor votes for a proposed value."""
    me = s.acceptor[acceptor]
    if value not in s.ballot[ballot].proposed or ballot < me.ballot:
        return False
    me.ballot = ballot
    me.vote_ballot = ballot
    me.vote_value = value
    me.votes[ballot].add(value)
    return True


@model.invariant("At most one value is chosen.")
def consistent(s: State, k: Bounds) -> bool:
    return sum(1 for value in range(k.values) if is_chosen(s, k, value)) <= 1


@model.invariant("In a ballot all votes are for the same value.")
def one_value_per_ballot(s: State, k: Bounds) -> bool:
    for ballot in range(k.ballots):
        for one in s.acceptor:
            for other in s.acceptor:
                for value in one.votes[ballot]:
                    if other.votes[ballot] and value not in other.votes[ballot]:
                        return False
    return True
