"""The scheduling allocator: clients ask for sets of resources, and a schedule says who is served first.

Source: SchedulingAllocator.tla in tlaplus/Examples (Merz).
"""

from dataclasses import dataclass
from itertools import permutations
from math import factorial

from tidegate import Kind, Model, Record, Seq, Set, array, number, sequence_of, set_of


@dataclass(frozen=True)
class Bounds:
    clients: int = number(2, 1, 5, "clients", main=True)
    resources: int = number(2, 1, 5, "resources", main=True)


class Client(Record):
    unsat: Set = set_of(lambda k: k.resources, "resources that it still waits for")
    alloc: Set = set_of(lambda k: k.resources, "resources that it holds")

    def idle(self) -> bool:
        return not self.unsat and not self.alloc


class State(Record):
    client: list[Client] = array(lambda k: k.clients, Client, by="client")
    pool: Set = set_of(lambda k: k.clients, "clients with a request that is not scheduled")
    sched: Seq = sequence_of(lambda k: k.clients, lambda k: k.clients, "the schedule")


model = Model(Bounds, State, participants={"client": lambda k: k.clients})


def subset(mask: int, k: Bounds) -> set[int]:
    return {r for r in range(k.resources) if mask & (1 << r)}


def some_subsets(k: Bounds) -> range:
    return range(1, 2**k.resources)


def available(s: State, k: Bounds) -> set[int]:
    free = set(range(k.resources))
    for client in s.client:
        free -= client.alloc
    return free


@model.action("client", wanted=some_subsets)
def request(s: State, k: Bounds, client: int, wanted: int) -> bool:
    """A client requests resources."""
    me = s.client[client]
    if not me.idle():
        return False
    me.unsat.update(subset(wanted, k))
    s.pool.add(client)
    return True


@model.action("allocator", wanted=some_subsets)
def allocate(s: State, k: Bounds, client: int, wanted: int) -> bool:
    """The allocator gives resources to a client that is first in line for them."""
    me = s.client[client]
    resources = subset(wanted, k)
    if not resources <= available(s, k) or not resources <= me.unsat:
        return False
    if client not in s.sched:
        return False
    position = s.sched.index(client)
    for before in s.sched[:position]:
        if s.client[before].unsat & resources:
            return False
    if me.unsat == resources:
        s.sched.pop(position)
    me.alloc |= resources
    me.unsat -= resources
    return True


@model.action("client", returned=some_subsets)
def give_back(s: State, k: Bounds, client: int, returned: int) -> bool:
    """A client returns resources."""
    me = s.client[client]
    resources = subset(returned, k)
    if not resources <= me.alloc:
        return False
    me.alloc -= resources
    return True


@model.action("allocator", order=lambda k: range(factorial(k.clients)))
def schedule(s: State, k: Bounds, order: int) -> bool:
    """The allocator puts the waiting clients in some order at the end of the schedule."""
    if not s.pool:
        return False
    orders = list(permutations(sorted(s.pool)))
    if order >= len(orders):
        return False
    s.sched.extend(orders[order])
    s.pool.clear()
    return True


@model.invariant("No resource is held by two clients.")
def exclusive(s: State, k: Bounds) -> bool:
    return all(
        not (s.client[a].alloc & s.client[b].alloc)
        for a in range(k.clients)
        for b in range(k.clients)
        if a != b
    )


@model.invariant("Clients that wait are scheduled or in the pool, and never both.")
def scheduled(s: State, k: Bounds) -> bool:
    waiting = {c for c in range(k.clients) if s.client[c].unsat}
    return waiting == s.pool | set(s.sched) and not s.pool & set(s.sched)


@model.invariant("No later client in line holds a resource that the first one waits for.")
def first_can_be_served(s: State, k: Bounds) -> bool:
    if not s.sched:
        return True
    first = s.client[s.sched[0]]
    held_later = set()
    for c in s.sched[1:]:
        held_later |= s.client[c].alloc
    return not held_later & first.unsat


@model.liveness(
    Kind.LEADS_TO,
    "A client that requests resources gets all of them.",
    premise=lambda s, k, c: bool(s.client[c].unsat),
    c="client",
)
def served(s: State, k: Bounds, c: int) -> bool:
    return not s.client[c].unsat
