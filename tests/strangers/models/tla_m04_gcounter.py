"""A grow-only counter gossiped by merges: counts never exceed what was incremented, and it converges."""
from dataclasses import dataclass

from tidegate import Fairness, Kind, Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 4, "nodes", main=True)
    most: int = number(1, 1, 3, "increments of a node")


class Node(Record):
    seen: list[int] = array(lambda k: k.nodes, integer(0, lambda k: k.most, "count"))

    def value(self) -> int:
        return sum(self.seen)


class State(Record):
    node: list[Node] = array(lambda k: k.nodes, Node, by="node")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node", fairness=Fairness.NONE)
def increment(s: State, k: Bounds, node: int) -> bool:
    mine = s.node[node].seen
    if mine[node] == k.most:
        return False
    mine[node] += 1
    return True


@model.action("sender", sender="node", receiver="node")
def gossip(s: State, k: Bounds, sender: int, receiver: int) -> bool:
    if sender == receiver:
        return False
    merged = [max(a, b) for a, b in zip(s.node[sender].seen, s.node[receiver].seen, strict=True)]
    for i, count in enumerate(merged):
        s.node[receiver].seen[i] = count
    return True


@model.invariant("Nobody knows more increments of a node than the node itself.")
def no_more(s: State, k: Bounds) -> bool:
    return all(
        n.seen[i] <= s.node[i].seen[i] for n in s.node for i in range(k.nodes)
    )


@model.liveness(Kind.EVENTUALLY_ALWAYS, "All nodes agree.")
def converge(s: State, k: Bounds) -> bool:
    return len({tuple(n.seen) for n in s.node}) == 1
# expect: holds 123
