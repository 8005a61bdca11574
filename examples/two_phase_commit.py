"""Two-phase commit: a transaction manager asks resource managers to commit, and all do or none.

Source: Gray and Lamport, Consensus on Transaction Commit, 2006; TwoPhase.tla in tlaplus/Examples.
"""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, Set, array, boolean, enumeration, number, set_of


@dataclass(frozen=True)
class Bounds:
    managers: int = number(3, 1, 12, "resource managers", main=True)


class Phase(IntEnum):
    WORKING = 0
    PREPARED = 1
    COMMITTED = 2
    ABORTED = 3


class State(Record):
    manager: list[Phase] = array(
        lambda k: k.managers,
        enumeration(Phase, "state of a resource manager"),
        by="manager",
        by_replica=True,
    )
    decided: bool = boolean("whether the transaction manager has decided")
    prepared: Set = set_of(
        lambda k: k.managers, "managers that it knows to be prepared", of_replicas=True
    )
    sent_prepared: Set = set_of(
        lambda k: k.managers, "managers that sent Prepared", of_replicas=True
    )
    sent_commit: bool = boolean("whether Commit was sent")
    sent_abort: bool = boolean("whether Abort was sent")


model = Model(Bounds, State, participants={"manager": lambda k: k.managers}, deadlock=False)


@model.action("manager")
def prepare(s: State, k: Bounds, manager: int) -> bool:
    """A manager prepares, and says so."""
    if s.manager[manager] != Phase.WORKING:
        return False
    s.manager[manager] = Phase.PREPARED
    s.sent_prepared.add(manager)
    return True


@model.action("manager")
def choose_to_abort(s: State, k: Bounds, manager: int) -> bool:
    """A manager that has not prepared aborts on its own."""
    if s.manager[manager] != Phase.WORKING:
        return False
    s.manager[manager] = Phase.ABORTED
    return True


@model.action("transaction manager")
def receive_prepared(s: State, k: Bounds, manager: int) -> bool:
    """The transaction manager learns that a manager is prepared."""
    if s.decided or manager not in s.sent_prepared:
        return False
    s.prepared.add(manager)
    return True


@model.action("transaction manager")
def commit(s: State, k: Bounds) -> bool:
    """The transaction manager commits, as all are prepared."""
    if s.decided or len(s.prepared) < k.managers:
        return False
    s.decided = True
    s.sent_commit = True
    return True


@model.action("transaction manager")
def abort(s: State, k: Bounds) -> bool:
    """The transaction manager aborts."""
    if s.decided:
        return False
    s.decided = True
    s.sent_abort = True
    return True


@model.action("manager")
def obey_commit(s: State, k: Bounds, manager: int) -> bool:
    """A manager commits as it was told."""
    if not s.sent_commit:
        return False
    s.manager[manager] = Phase.COMMITTED
    return True


@model.action("manager")
def obey_abort(s: State, k: Bounds, manager: int) -> bool:
    """A manager aborts as it was told."""
    if not s.sent_abort:
        return False
    s.manager[manager] = Phase.ABORTED
    return True


@model.invariant("No manager has aborted while another one has committed.")
def consistent(s: State, k: Bounds) -> bool:
    committed = any(phase == Phase.COMMITTED for phase in s.manager)
    return not (committed and any(phase == Phase.ABORTED for phase in s.manager))
