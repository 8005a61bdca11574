"""Parts of the state that are assigned as a whole: nodes alike, counted by brute force."""

from dataclasses import dataclass

import pytest

from tidegate import (
    Model,
    Record,
    Seq,
    Set,
    array,
    integer,
    nested,
    number,
    replica_id,
    sequence_of,
    set_of,
)
from tidegate.checker.check import check
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.symmetry import Symmetry, SymmetryError, permuted


@dataclass(frozen=True)
class Bounds:
    """One bound."""

    nodes: int = number(3, 1, 4, "nodes")


class Audit(Record):
    """What is kept of a round, with everything that a record can hold."""

    by: int = replica_id(lambda k: k.nodes - 1, "who does it")
    seen: Set = set_of(lambda k: k.nodes, "who takes part", of_replicas=True)
    line: Seq[int] = sequence_of(replica_id(lambda k: k.nodes - 1, "who"), 2, "in their order")
    row: list[int] = array(2, integer(0, 1, "plain numbers"))


class Node(Record):
    """One that may change places with others."""

    stage: int = integer(0, 1, "how far it is")
    acks: Set = set_of(lambda k: k.nodes, "who has answered", of_replicas=True)
    audit: Audit = nested(Audit)


class State(Record):
    """Nodes, and an audit of them all."""

    node: list[Node] = array(lambda k: k.nodes, Node, by="node", by_replica=True)
    audit: Audit = nested(Audit)


def begins(s: State, k: Bounds, node: int) -> bool:
    if s.node[node].stage == 1:
        return False
    s.node[node] = Node(stage=1, acks={node})
    s.audit = Audit(by=node, seen={node}, line=[node], row=[1, 0])
    return True


def answers(s: State, k: Bounds, node: int) -> bool:
    if s.audit.by in (-1, node) or node in s.node[s.audit.by].acks:
        return False
    s.node[s.audit.by].acks |= {node}
    s.audit.seen = s.audit.seen | {node}
    s.audit.line = [s.audit.line[0], node]
    s.node[node].audit.assign(s.audit)
    return True


def ends(s: State, k: Bounds, node: int) -> bool:
    if s.audit.by != node or len(s.audit.seen) < k.nodes:
        return False
    late = set()
    for other in range(k.nodes):
        if s.node[other].stage == 0:
            late.add(other)
        s.node[other] = Node()
    s.node[node].acks = late
    s.audit = Audit()
    return True


def ends_with_1(s: State, k: Bounds, node: int) -> bool:
    """Twin of `ends`: node 1 is in the set of a record."""
    s.node[node] = Node(acks={1})
    return True


def ends_with_line(s: State, k: Bounds, node: int) -> bool:
    """Twin of `ends`: nodes are in a sequence of the record in their order."""
    s.audit = Audit(line=[other for other in range(k.nodes) if s.node[other].stage == 1])
    return True


def ends_with_row(s: State, k: Bounds, node: int) -> bool:
    """Twin of `ends`: a node is a plain number."""
    s.audit = Audit(by=node, row=[node, 0])
    return True


def system_of(*actions):
    """Return the system of a model with actions of each node."""
    model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
    for action in actions:
        model.action("node")(action)
    return model.protocol.system(Bounds())


def ends_in_machine_code(s: State, k: Bounds, node: int) -> bool:
    """Be `ends` without a name for the set."""
    if s.audit.by != node or len(s.audit.seen) < k.nodes:
        return False
    s.node[node].acks = {other for other in range(k.nodes) if s.node[other].stage == 0}
    for other in range(k.nodes):
        s.node[other].audit.assign(Audit())
        s.node[other].stage = 0
    s.audit = Audit()
    return True


@pytest.mark.parametrize(
    ("engine", "end"), [("interpreted", ends), ("compiled", ends_in_machine_code)]
)
def test_orbits_are_as_many_as_brute_force_counts(engine, end):
    """Origin of the count: the unreduced states, joined to all their permutations."""
    system, resources = system_of(begins, answers, end), Resources(engine=engine)
    search = Search(SearchRequest(system, []))
    search.run()
    renamings = [permuted(system.layout, p) for p in Symmetry(system).group]
    orbits = {frozenset(apply(state) for apply in renamings) for state in search.seen}
    reduced = check(system, [], symmetry=True, resources=resources)
    assert len(renamings) == 6
    assert reduced.distinct_states == len(orbits) < len(search.seen)
    assert not reduced.never_taken


@pytest.mark.parametrize(
    ("twin", "why"),
    [
        (ends_with_1, "stores a set of plain numbers in node[].acks, declared as a set of nodes"),
        (
            ends_with_line,
            "stores a list of nodes in any order in audit.line, declared as a list of",
        ),
        (ends_with_row, "in audit.row, declared as a list of plain numbers"),
    ],
)
def test_asymmetric_twins_are_refused(twin, why):
    with pytest.raises(SymmetryError) as refused:
        check(system_of(twin, begins, answers), [], symmetry=True)
    assert why in str(refused.value)
