"""TLA+'s usual network, a set of messages; here each names the participant that sent it."""
from dataclasses import dataclass

from tidegate import Model, NONE, Record, RecordSet, array, integer, number, replica_id, set_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)
    values: int = number(2, 1, 3, "values", main=True)


class Vote(Record):
    voter: int = replica_id(lambda k: k.nodes - 1, "who votes")
    value: int = integer(0, lambda k: k.values - 1, "for what")


class State(Record):
    votes: RecordSet[Vote] = set_of(Vote, lambda k: k.nodes * k.values, "all votes so far")
    done: list[bool] = array(lambda k: k.nodes, integer(0, 1, "has counted"), by_replica="voter")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node", value=lambda k: range(k.values))
def vote(s: State, k: Bounds, node: int, value: int) -> bool:
    """A node votes, for as many values as it likes."""
    if Vote(voter=node, value=value) in s.votes:
        return False
    s.votes.add(Vote(voter=node, value=value))
    return True


@model.action("node", value=lambda k: range(k.values))
def count(s: State, k: Bounds, node: int, value: int) -> bool:
    """A node sees a majority for a value."""
    if s.done[node] or 2 * sum(1 for v in s.votes if v.value == value) <= k.nodes:
        return False
    s.done[node] = 1
    return True


@model.invariant("No vote is for nothing.")
def real(s: State, k: Bounds) -> bool:
    return all(0 <= v.value < k.values for v in s.votes)

# expect: holds 400
