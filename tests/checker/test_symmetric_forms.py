"""Small models in forms that are shown to treat nodes alike, counted by brute force."""

from dataclasses import dataclass
from itertools import permutations

import pytest

from tidegate import NONE, Model, Record, array, integer, number, replica_id
from tidegate.checker.check import check
from tidegate.checker.compiled.verification import Verification
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.spec import ModelError
from tidegate.core.symmetry import SymmetryError

NEXT = {(0, 0): 1, (0, 1): 2, (1, 0): 2, (2, 1): 0}


@dataclass(frozen=True)
class Bounds:
    """One bound."""

    nodes: int = number(3, 1, 4, "nodes")


class State(Record):
    """Nodes with their stages, whom they follow, and a leader."""

    stage: list[int] = array(
        lambda k: k.nodes, integer(0, 2, "how far it is"), by="node", by_replica=True
    )
    follows: list[int] = array(
        lambda k: k.nodes,
        replica_id(lambda k: k.nodes - 1, "whom it follows"),
        by="node",
        by_replica=True,
    )
    leader: int = replica_id(lambda k: k.nodes - 1, "who leads")
    phase: int = integer(0, 1, "of all")


def staged(s: State, node: int) -> int:
    return s.stage[node]


def guarded(s: State, k: Bounds, node: int) -> bool:
    """Follow the leader where all others are no further than it is."""
    if s.leader in (NONE, node) or s.follows[node] == s.leader:
        return False
    for other in range(k.nodes):
        if other != node and s.stage[other] > staged(s, s.leader):
            return False
    s.follows[node] = s.leader
    return True


def led(s: State, k: Bounds, node: int) -> bool:
    """Let every follower of the leader be where it is, and it is on."""
    if s.leader != node:
        return False
    for other in range(k.nodes):
        if s.follows[other] == s.leader and s.phase == 0:
            s.follows[other] = NONE
    s.phase = 1 - s.phase
    return True


def sought(s: State, k: Bounds, node: int) -> bool:
    """Lead if nobody is far, and no node follows this one."""
    if 2 in s.stage or node in s.follows or s.leader == node:
        return False
    s.leader = NONE if NONE not in s.follows else node
    return True


def tabled(s: State, k: Bounds, node: int) -> bool:
    """Go on to the next stage of the table."""
    key = s.stage[node], s.phase
    if key not in NEXT or NEXT.get((s.phase, s.stage[node]), 0) == 2:
        return False
    s.stage[node] = NEXT[key]
    s.phase = NEXT[s.stage[node] // 2, 0] - 1
    return True


def gathered(s: State, k: Bounds, node: int) -> bool:
    """Let all that are as far as this node follow it, if they are several."""
    alike, stages = [], {s.stage[node]}
    for other in range(k.nodes):
        if s.stage[other] == s.stage[node]:
            alike.append(other)
        else:
            stages.add(s.stage[other])
    if len(alike) < 2 or s.leader in alike or len(stages) == 1:
        return False
    for other in alike:
        s.follows[other] = node
    return True


def stages(s: State, k: Bounds, node: int) -> bool:
    if s.stage[node] == 2:
        return False
    s.stage[node] += 1
    return True


def leads(s: State, k: Bounds, node: int) -> bool:
    if s.leader != NONE:
        return False
    s.leader = node
    return True


def system_of(*actions):
    """Return the system of a model with actions of each node."""
    model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
    for action in actions:
        model.action("node")(action)
    return model.protocol.system(Bounds())


def renamed(state, by):
    """Return a state as a dictionary, with its nodes renamed by hand."""
    stage, follows = [0, 0, 0], [0, 0, 0]
    for node in range(3):
        stage[by[node]] = state["stage"][node]
        follows[by[node]] = (
            state["follows"][node] if state["follows"][node] == NONE else by[state["follows"][node]]
        )
    leader = state["leader"] if state["leader"] == NONE else by[state["leader"]]
    return tuple(stage), tuple(follows), leader, state["phase"]


def orbits(system):
    """Count the reachable states up to all renamings of nodes."""
    search = Search(SearchRequest(system, []))
    search.run()
    states = [system.layout.describe(state) for state in search.seen]
    each = list(permutations(range(3)))
    return len({frozenset(renamed(state, by) for by in each) for state in states})


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("form", [guarded, led, sought, tabled, gathered])
def test_orbits_are_as_many_as_brute_force_counts(form, engine):
    """Origin of the count: the unreduced states, renamed by hand."""
    system, resources = system_of(form, stages, leads), Resources(engine=engine)
    reduced = check(system, [], symmetry=True, resources=resources)
    plain = check(system, [], resources=resources)
    assert reduced.permutations == 6
    assert reduced.distinct_states == orbits(system) < plain.distinct_states
    assert reduced.depth == plain.depth
    assert not reduced.never_taken


def guards_another(s: State, k: Bounds, node: int) -> bool:
    """Twin of `guarded`: the loop's body changes who leads."""
    if s.leader in (NONE, node):
        return False
    for other in range(k.nodes):
        if s.stage[other] > staged(s, s.leader):
            s.leader = s.follows[node]
    return True


def seeks_a_number(s: State, k: Bounds, node: int) -> bool:
    """Twin of `sought`: node 2 is one of the stages, as it were."""
    if node in s.stage:
        return False
    s.leader = node
    return True


def seeks_node_1(s: State, k: Bounds, node: int) -> bool:
    """Twin of `sought`: node 1 is another than the others."""
    if 1 in s.follows:
        return False
    s.follows[node] = node
    return True


def tables_a_node(s: State, k: Bounds, node: int) -> bool:
    """Twin of `tabled`: a node is part of the key."""
    if (node, s.phase) not in NEXT:
        return False
    s.stage[node] = 1
    return True


def gets_for_a_node(s: State, k: Bounds, node: int) -> bool:
    """Twin of `tabled`: a node is part of the key that is looked up."""
    s.stage[node] = NEXT.get((s.phase, node), 2)
    return True


def gathers_in_order(s: State, k: Bounds, node: int) -> bool:
    """Twin of `gathered`: the first one leads."""
    alike = []
    for other in range(k.nodes):
        if s.follows[other] == NONE:
            alike.append(other)
        if s.stage[other] == 2:
            alike += [node]
    s.leader = alike[0]
    return True


@pytest.mark.parametrize(
    ("twin", "why"),
    [
        (guards_another, "changes leader for each replica in a way that depends on their order"),
        (seeks_a_number, "compares the number of a node"),
        (seeks_node_1, "tells node 1 from the others"),
        (tables_a_node, "compares a tuple of the number of a node and a plain number and a tuple"),
        (gathers_in_order, "takes an element of a list"),
        (gets_for_a_node, "looks up a tuple of a plain number and the number of a node in {"),
    ],
)
def test_asymmetric_twins_are_refused(twin, why):
    with pytest.raises(SymmetryError) as refused:
        check(system_of(twin, stages, leads), [], symmetry=True)
    assert why in str(refused.value)


def promised(s: State, node: int) -> bool:
    """Whether a node is the one.

    Symmetric: all nodes are the one.
    """
    return node == 2 and s.stage[0] == 1 and s.follows[1] == 2 and s.phase == 1


def breaks_a_promise(s: State, k: Bounds, node: int) -> bool:
    """Step back where few states let it, and which these are depends on the node."""
    if not promised(s, node) or s.stage[node] != 2:
        return False
    s.stage[node] = 0
    return True


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_promise_that_is_wrong_in_few_states_is_noticed(engine, monkeypatch):
    """By machine code, too: Python does not search again what that has searched."""
    monkeypatch.setattr(Verification, "_confirm", lambda self: False)
    system = system_of(breaks_a_promise, guarded, led, stages, leads)
    with pytest.raises(ModelError, match=r"broken: promised \(.*\) says 'Symmetric: ...' in the"):
        check(system, [], symmetry=True, resources=Resources(engine=engine))


class Memory(Record):
    """What nodes have written, and what they have read."""

    wrote: list[int] = array(
        lambda k: k.nodes, integer(0, 1, "its last write"), by="node", by_replica=True
    )
    read: list[int] = array(
        lambda k: k.nodes, integer(0, 1, "its last read"), by="node", by_replica=True
    )
    now: list[int] = array(2, integer(0, 1, "memory"))
    then: list[int] = array(2, integer(0, 1, "memory before"))


def memory(compares):
    """Return the system of a model of nodes that share a memory."""
    model = Model(Bounds, Memory, participants={"node": lambda k: k.nodes}, deadlock=False)

    @model.action("node", place=range(2))
    def write(s: Memory, k: Bounds, node: int, place: int) -> bool:
        for i in range(2):
            s.then[i] = s.now[i]
        s.now[place] = s.wrote[node] = 1 - s.now[place]
        return True

    @model.action("node")
    def read(s: Memory, k: Bounds, node: int) -> bool:
        if compares(s):
            return False
        s.read[node] = s.now[0]
        return True

    return model.protocol.system(Bounds())


def test_arrays_are_compared_element_by_element():
    system = memory(lambda s: s.now == s.then or s.wrote != s.read)
    search = Search(SearchRequest(system, []))
    search.run()
    states = [system.layout.describe(state) for state in search.seen]
    orbits = {
        (*sorted(zip(s["wrote"], s["read"], strict=True)), *s["now"], *s["then"]) for s in states
    }
    assert check(system, [], symmetry=True).distinct_states == len(orbits) < len(states)


def test_an_array_by_node_is_not_compared_with_another_one():
    with pytest.raises(SymmetryError, match="compares a list by node and a list "):
        check(memory(lambda s: s.wrote == s.now), [], symmetry=True)
