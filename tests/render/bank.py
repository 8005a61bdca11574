"""Clients move money between accounts through a bank that forgets."""

from dataclasses import dataclass
from enum import IntEnum, auto

from tidegate import (
    Model,
    Record,
    Seq,
    Set,
    array,
    enumeration,
    integer,
    nested,
    number,
    sequence_of,
    set_of,
)


@dataclass(frozen=True)
class Bounds:
    clients: int = number(2, 1, 3, "clients", main=True)
    branches: int = number(2, 1, 3, "branches", main=True)


class What(IntEnum):
    DEPOSIT = auto()
    WITHDRAW = auto()


class Order(Record):
    what: What = enumeration(What, "what is asked for")
    client: int = integer(0, 2, "who asks")
    tried: Set = set_of(3, "branches that have tried")


class Client(Record):
    cash: int = integer(0, 3, "cash at hand", initial=1)
    last: Order = nested(Order)


class State(Record):
    client: list[Client] = array(lambda k: k.clients, Client, by="client")
    branch: list[int] = array(lambda k: k.branches, integer(0, 4, "money kept"), by="branch")
    orders: Seq[Order] = sequence_of(Order, 2, "orders on their way")


model = Model(
    Bounds,
    State,
    participants={"client": lambda k: k.clients, "branch": lambda k: k.branches},
    deadlock=False,
)


@model.action("client", client="client", what=lambda k: What)
def order(s: State, k: Bounds, client: int, what: What) -> bool:
    """A client sends an order."""
    c = s.client[client]
    if len(s.orders) == 2 or (what == What.DEPOSIT and c.cash == 0):
        return False
    if what == What.DEPOSIT:
        c.cash -= 1
    o = Order(what=what, client=client)
    s.orders.append(o)
    c.last.assign(o)
    return True


@model.action("branch", branch="branch", i=(lambda k: range(2), lambda s, k: range(len(s.orders))))
def execute(s: State, k: Bounds, branch: int, i: int) -> bool:
    """A branch executes an order, or marks it as tried."""
    o = s.orders[i]
    if branch in o.tried:
        return False
    if o.what is What.WITHDRAW and s.branch[branch] == 0:
        s.orders[i].tried.add(branch)
        return True
    if o.what is What.DEPOSIT:
        s.branch[branch] += 1
    else:
        s.branch[branch] -= 1
        s.client[o.client].cash += 1
    s.orders.pop(i)
    return True


@model.action("world", sign="fire")
def burn(s: State, k: Bounds) -> bool:
    """The first branch burns, and its money with it."""
    if s.branch[0] == 0:
        return False
    s.branch[0] = 0
    return True


@model.invariant("No money is lost.")
def kept(s: State, k: Bounds) -> bool:
    held = sum(c.cash for c in s.client) + sum(s.branch)
    return held + sum(1 for o in s.orders if o.what is What.DEPOSIT) == k.clients
