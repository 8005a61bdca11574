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
    members,
    number,
    replica_id,
    set_of,
)
from tidegate.checker.check import check
from tidegate.checker.interpreted import Search
from tidegate.checker.request import SearchRequest
from tidegate.core.layout import Layout
from tidegate.core.result import Resources
from tidegate.core.spec import TransitionSystem
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
    """A commit by a majority: managers vote, acceptors keep the votes, a leader decides."""

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


def steps_of(result):
    """Return the depth of a search, and each verdict with the length of its trace."""
    verdicts = [(v.outcome, len(v.trace.steps) if v.trace else None) for v in result.verdicts]
    return result.depth, verdicts


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(
    ("bounds", "size"),
    [
        ({"managers": 2, "acceptors": 3}, 12),
        pytest.param({"managers": 3, "acceptors": 3}, 36, marks=pytest.mark.slow),
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
    assert steps_of(reduced) == steps_of(plain)


class Client(Record):
    asks: int = replica_id(lambda k: k.managers - 1, "manager that it asks", of="manager")


class Three(Record):
    """Clients ask managers, which ask acceptors; nothing is indexed by the managers."""

    client: list[Client] = array(lambda k: k.clients, Client, by="client", by_replica=True)
    asked: Set = set_of(lambda k: k.acceptors, "acceptors asked", of="acceptor")
    busy: Set = set_of(lambda k: k.managers, "managers at work", of="manager")
    serves: list[int] = array(
        lambda k: k.acceptors,
        replica_id(lambda k: k.managers - 1, "manager that it serves", of="manager"),
        by="acceptor",
        by_replica=True,
    )


def three_model():
    """Return a model of clients, managers and acceptors."""
    model = Model(
        Bounds,
        Three,
        participants={
            "client": lambda k: k.clients,
            "manager": lambda k: k.managers,
            "acceptor": lambda k: k.acceptors,
        },
        deadlock=False,
    )

    @model.action("client")
    def ask(s: Three, k: Bounds, client: int, manager: int) -> bool:
        """A client asks a manager."""
        if s.client[client].asks != NONE or manager in s.busy:
            return False
        s.client[client].asks = manager
        s.busy.add(manager)
        return True

    @model.action("manager", acceptor="acceptor", asked=majorities)
    def serve(s: Three, k: Bounds, manager: int, acceptor: int, asked: int) -> bool:
        """An acceptor of a majority serves a manager."""
        if manager not in s.busy or not asked >> acceptor & 1:
            return False
        if any(s.serves[other] != NONE for other in members(asked)):
            return False
        s.serves[acceptor] = manager
        s.asked.add(acceptor)
        return True

    @model.action("client")
    def end(s: Three, k: Bounds, client: int, acceptor: int) -> bool:
        """An acceptor has served the manager of a client."""
        me = s.client[client]
        if me.asks == NONE or s.serves[acceptor] != me.asks:
            return False
        s.busy.discard(me.asks)
        s.serves[acceptor] = me.asks = NONE
        return True

    @model.invariant("Not all acceptors were asked.")
    def some_left(s: Three, k: Bounds) -> bool:
        return len(s.asked) < k.acceptors or len(s.busy) < k.managers

    return model


def majorities(k):
    """Return the sets of most acceptors, as bit masks."""
    return [mask for mask in range(1 << k.acceptors) if 2 * mask.bit_count() > k.acceptors]


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_three_kinds_and_a_set_as_a_parameter(engine):
    """Origin of the counts: the unreduced states, with every permutation of each kind."""
    system, properties = made(three_model(), k := Bounds(managers=2, acceptors=3, clients=2))
    reduced, plain = (
        check(system, properties, resources=Resources(engine=engine), symmetry=symmetry)
        for symmetry in (True, False)
    )
    assert reduced.permutations == 2 * 6 * 2
    assert steps_of(reduced) == steps_of(plain)
    every = check(system, [], resources=Resources(engine=engine), symmetry=True)
    clients, managers, acceptors = (permutations(range(n)) for n in (2, k.managers, k.acceptors))

    def by_hand(plain, client, manager, acceptor):
        asks, serves = [0] * len(client), [0] * len(acceptor)
        for old, new in enumerate(client):
            asks[new] = (*manager, NONE)[plain["client"][old]["asks"]]
        for old, new in enumerate(acceptor):
            serves[new] = (*manager, NONE)[plain["serves"][old]]
        asked = frozenset(acceptor[a] for a in plain["asked"])
        return tuple(asks), asked, frozenset(manager[m] for m in plain["busy"]), tuple(serves)

    group = list(product(clients, managers, acceptors))
    seen = map(system.layout.describe, unreduced(system))
    assert every.distinct_states == len({frozenset(by_hand(s, *p) for p in group) for s in seen})


class Nameless(Record):
    """Two kinds, and a number that may be of either."""

    manager: list[int] = array(2, boolean("is up"), by="manager", by_replica=True)
    acceptor: list[int] = array(3, boolean("is up"), by="acceptor", by_replica=True)
    last: int = replica_id(2, "of whom?")


class Pairs(Record):
    """Managers and acceptors that stand in pairs at first."""

    manager: list[int] = array(
        3, replica_id(2, "its acceptor", of="acceptor"), by="manager", by_replica=True
    )
    acceptor: list[int] = array(3, boolean("is up"), by="acceptor", by_replica=True)


def system_of(declaration, initialise):
    """Return a system without steps."""
    return TransitionSystem(
        "few", {}, "", None, Layout(declaration, None), [], initialise, lambda s, k: {}
    )


def test_a_number_of_no_kind_is_refused_where_there_are_several():
    def begin(s, k):
        yield

    with pytest.raises(SymmetryError, match=r"^last does not say .*\(manager, acceptor\).* of="):
        Symmetry(system_of(Nameless, begin))


def test_kinds_that_the_initial_states_join_change_places_together():
    def begin(s, k):
        for each in range(3):
            s.manager[each] = each
        yield

    symmetry = Symmetry(system_of(Pairs, begin))
    assert symmetry.group == [(*p, *(3 + r for r in p)) for p in permutations(range(3))]
