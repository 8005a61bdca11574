"""Mutual exclusion with a token: interchangeable workers, an invariant that counts with sum() over booleans.

sum(w.has for w in s.worker) treats workers alike, as sum(1 for w in s.worker if w.has) does.
"""
from dataclasses import dataclass

from tidegate import Model, Record, array, boolean, number


@dataclass(frozen=True)
class Bounds:
    workers: int = number(3, 1, 4, "workers", main=True)


class Worker(Record):
    has: bool = boolean("has the token")
    tired: bool = boolean("had it")


class State(Record):
    worker: list[Worker] = array(lambda k: k.workers, Worker, by="worker", by_replica=True)


model = Model(Bounds, State, participants={"worker": lambda k: k.workers}, deadlock=False)


@model.action("worker")
def take(s: State, k: Bounds, worker: int) -> bool:
    if s.worker[worker].tired or any(w.has for w in s.worker):
        return False
    s.worker[worker].has = True
    return True


@model.action("worker")
def give(s: State, k: Bounds, worker: int) -> bool:
    if not s.worker[worker].has:
        return False
    s.worker[worker].has = False
    s.worker[worker].tired = True
    return True


@model.invariant("At most one has the token.")
def one(s: State, k: Bounds) -> bool:
    return sum(w.has for w in s.worker) <= 1
# tired subsets x (nobody or one not tired): sum over j tired of C(3,j)*(1+3-j)=4+9+6+1=20
# expect: holds 20
