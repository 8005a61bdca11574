"""Transaction commit: resource managers finish a transaction, and either all commit or all abort.

It says what is to be reached, and not how: a manager sees the state of all others at once.  The
protocol that reaches it by messages is in two_phase_commit.py.

Source: Gray and Lamport, Consensus on Transaction Commit, 2006;
specifications/transaction_commit/TCommit.tla in tlaplus/Examples.
"""

from dataclasses import dataclass
from enum import IntEnum

from tidegate import Model, Record, array, enumeration, number


@dataclass(frozen=True)
class Bounds:
    managers: int = number(3, 1, 14, "resource managers", main=True)


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


model = Model(Bounds, State, participants={"manager": lambda k: k.managers}, deadlock=False)


def can_commit(s: State) -> bool:
    return all(phase == Phase.PREPARED or phase == Phase.COMMITTED for phase in s.manager)


def none_committed(s: State) -> bool:
    return all(phase != Phase.COMMITTED for phase in s.manager)


@model.action("manager")
def prepare(s: State, k: Bounds, manager: int) -> bool:
    """A manager prepares."""
    if s.manager[manager] != Phase.WORKING:
        return False
    s.manager[manager] = Phase.PREPARED
    return True


@model.action("manager")
def commit(s: State, k: Bounds, manager: int) -> bool:
    """A manager commits, as every manager is prepared or has committed."""
    if s.manager[manager] != Phase.PREPARED or not can_commit(s):
        return False
    s.manager[manager] = Phase.COMMITTED
    return True


@model.action("manager")
def abort(s: State, k: Bounds, manager: int) -> bool:
    """A manager aborts, as no manager has committed."""
    phase = s.manager[manager]
    if phase != Phase.WORKING and phase != Phase.PREPARED:
        return False
    if not none_committed(s):
        return False
    s.manager[manager] = Phase.ABORTED
    return True


@model.invariant("No manager has aborted while another one has committed.")
def consistent(s: State, k: Bounds) -> bool:
    return none_committed(s) or all(phase != Phase.ABORTED for phase in s.manager)
