"""Symmetry of several kinds of participants: each has permutations of its own."""

from dataclasses import dataclass
from enum import IntEnum
from itertools import permutations, product

import pytest

from tidegate import (
    NONE,
    Model,
    Record,
    Set,
    array,
    boolean,
    enumeration,
    integer,
    number,
    replica_id,
    set_of,
)
from tidegate.checker.check import check
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.result import Resources
from tidegate.core.symmetry import Symmetry, SymmetryError
from tidegate.library.properties import properties_of


class Phase(IntEnum):
    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


@dataclass(frozen=True)
class Bounds:
    """What the models of this file may vary."""

    managers: int = number(2, 1, 4, "resource managers")
    acceptors: int = number(3, 1, 5, "acceptors")
    clients: int = number(2, 1, 4, "clients")
    chosen: int = number(0, 0, 2, "how the initial states tell managers apart")


class Acceptor(Record):
    up: bool = boolean("whether it runs")
    prepared: Set = set_of(lambda k: k.managers, "managers whose vote it has", of="manager")


class Commit(Record):
    """A commit by a quorum: managers vote, acceptors keep the votes, a leader decides."""

    leader: int = replica_id(lambda k: k.managers - 1, "who decides", of="manager")
    manager: list[Phase] = array(
        lambda k: k.managers, enumeration(Phase, "its phase"), by="manager", by_replica=True
    )
    acceptor: list[Acceptor] = array(
        lambda k: k.acceptors, Acceptor, by="acceptor", by_replica=True
    )
    last: int = replica_id(lambda k: k.acceptors - 1, "who accepted last", of="acceptor")


def majority(s, k, manager) -> bool:
    """Whether most acceptors have a manager's vote."""
    count = 0
    for acceptor in s.acceptor:
        if manager in acceptor.prepared:
            count += 1
    return 2 * count > k.acceptors


def commit_model():
    """Return the model of a commit with managers and acceptors."""
    model = Model(
        Bounds,
        Commit,
        participants={"manager": lambda k: k.managers, "acceptor": lambda k: k.acceptors},
        deadlock=False,
    )

    @model.initial
    def begin(s, k):
        for up in range(2):
            for acceptor in s.acceptor:
                acceptor.up = bool(up)
            if k.chosen == 1:
                s.leader = 0
            if k.chosen == 2:
                s.manager[k.managers - 1] = Phase.PREPARED
            yield

    @model.action("manager")
    def prepare(s: Commit, k: Bounds, manager: int) -> bool:
        """A manager prepares."""
        if s.manager[manager] != Phase.WORKING:
            return False
        s.manager[manager] = Phase.PREPARED
        if s.leader == NONE:
            s.leader = manager
        return True

    @model.action("acceptor")
    def accept(s: Commit, k: Bounds, acceptor: int, manager: int) -> bool:
        """An acceptor takes in a vote."""
        if not s.acceptor[acceptor].up or s.manager[manager] != Phase.PREPARED:
            return False
        s.acceptor[acceptor].prepared.add(manager)
        s.last = acceptor
        return True

    @model.action("acceptor")
    def crash(s: Commit, k: Bounds, acceptor: int) -> bool:
        """An acceptor forgets what it has."""
        if not s.acceptor[acceptor].prepared:
            return False
        s.acceptor[acceptor].prepared.clear()
        s.acceptor[acceptor].up = s.last == acceptor
        return True

    @model.action("manager")
    def decide(s: Commit, k: Bounds, manager: int) -> bool:
        """A manager finishes as most acceptors know, or gives up."""
        if s.manager[manager] != Phase.PREPARED:
            return False
        if all(majority(s, k, other) for other in range(k.managers)):
            s.manager[manager] = Phase.COMMITTED
        elif s.leader == manager:
            s.manager[manager] = Phase.ABORTED
        else:
            return False
        return True

    @model.invariant("No manager has aborted while another one has committed.")
    def consistent(s: Commit, k: Bounds) -> bool:
        committed = any(phase == Phase.COMMITTED for phase in s.manager)
        return not (committed and any(phase == Phase.ABORTED for phase in s.manager))

    return model


def made(model, k):
    """Return the system of a model within some bounds, and its properties."""
    protocol = model.protocol
    return protocol.system(k), properties_of(protocol)


def moved(plain, managers, acceptors):
    """Return a state, as nested dictionaries, with managers and acceptors renamed, by hand."""
    manager, acceptor = [None] * len(managers), [None] * len(acceptors)
    for old, new in enumerate(managers):
        manager[new] = plain["manager"][old]
    for old, new in enumerate(acceptors):
        one = plain["acceptor"][old]
        acceptor[new] = one["up"], frozenset(managers[m] for m in one["prepared"])
    leader, last = plain["leader"], plain["last"]
    return (
        NONE if leader == NONE else managers[leader],
        tuple(manager),
        tuple(acceptor),
        NONE if last == NONE else acceptors[last],
    )


def unreduced(system):
    """Return every reachable state."""
    search = Search(SearchRequest(system, []))
    search.run()
    return search.seen


def orbits(system, k):
    """Count states up to the renamings by hand that map the initial states onto themselves."""
    every = list(product(permutations(range(k.managers)), permutations(range(k.acceptors))))

    def all_of(states):
        return [system.layout.describe(state) for state in states]

    begin = all_of(system.initial_states())
    same = {moved(one, *every[0]) for one in begin}
    group = [p for p in every if {moved(one, *p) for one in begin} == same]
    seen = all_of(unreduced(system))
    return len(group), len({frozenset(moved(one, *p) for p in group) for one in seen})


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(
    ("bounds", "size"),
    [
        ({"managers": 2, "acceptors": 3}, 12),
        ({"managers": 3, "acceptors": 3}, 36),
        ({"managers": 3, "acceptors": 2}, 12),
        ({"managers": 1, "acceptors": 3}, 6),
        ({"managers": 3, "acceptors": 1}, 6),
        ({"managers": 3, "acceptors": 2, "chosen": 1}, 4),
        ({"managers": 3, "acceptors": 2, "chosen": 2}, 4),
    ],
)
def test_kinds_change_places_by_themselves(bounds, size, engine):
    """Origin of the counts: the unreduced states, renamed by hand."""
    k = Bounds(**bounds)
    model = commit_model()
    system, properties = made(model, k)
    resources = Resources(engine=engine)
    plain = check(system, properties, keep_going=True, resources=resources)
    reduced = check(system, properties, keep_going=True, resources=resources, symmetry=True)
    assert (reduced.permutations, reduced.distinct_states) == orbits(system, k)
    assert reduced.permutations == size
    assert reduced.distinct_states < plain.distinct_states
    assert (reduced.outcome, reduced.depth) == (plain.outcome, plain.depth)
    for one, other in zip(plain.verdicts, reduced.verdicts, strict=True):
        assert one.outcome is other.outcome
        assert (one.trace is None) == (other.trace is None)
        if one.trace:
            assert len(one.trace.steps) == len(other.trace.steps)
