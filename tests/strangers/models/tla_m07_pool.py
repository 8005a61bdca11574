"""Everything a plain check decides: a pool of workers that pass around tokens, switches make each promise false.

Oracle: tools/o07.py.
"""
from dataclasses import dataclass

from tidegate import Fairness, Kind, Model, Record, array, boolean, integer, number, replica_id, switch


@dataclass(frozen=True)
class Bounds:
    workers: int = number(2, 1, 4, "workers", main=True)
    rounds: int = number(3, 1, 6, "rounds")
    greedy: bool = switch("nobody gives the token back after the last round")
    lazy: bool = switch("a worker need not take the token")


class Worker(Record):
    has: bool = boolean("has the token")
    count: int = integer(0, 9, "how often it had it")


class State(Record):
    worker: list[Worker] = array(lambda k: k.workers, Worker, by="worker", by_replica=True)
    owner: int = replica_id(lambda k: k.workers - 1, "who has it")


model = Model(Bounds, State, participants={"worker": lambda k: k.workers})


@model.action("worker", fairness=Fairness.NONE, when=lambda k: k.lazy)
def take_lazily(s: State, k: Bounds, worker: int) -> bool:
    return grab(s, k, worker)


@model.action("worker", when=lambda k: not k.lazy)
def take(s: State, k: Bounds, worker: int) -> bool:
    return grab(s, k, worker)


def grab(s: State, k: Bounds, worker: int) -> bool:
    if s.owner != -1 or s.worker[worker].count == k.rounds:
        return False
    s.owner = worker
    s.worker[worker].has = True
    s.worker[worker].count += 1
    return True


@model.action("worker")
def give(s: State, k: Bounds, worker: int) -> bool:
    if s.owner != worker or (k.greedy and s.worker[worker].count == k.rounds):
        return False
    s.owner = -1
    s.worker[worker].has = False
    return True


@model.action("clock")
def rest(s: State, k: Bounds) -> bool:
    """All rounds are over: begin again."""
    if any(w.count != k.rounds for w in s.worker) or s.owner != -1:
        return False
    for w in s.worker:
        w.count = 0
    return True


@model.invariant("One has the token.")
def one(s: State, k: Bounds) -> bool:
    return sum(w.has for w in s.worker) == (0 if s.owner == -1 else 1)


@model.sometimes("All rounds are over.")
def over(s: State, k: Bounds) -> bool:
    return all(w.count == k.rounds for w in s.worker)


@model.liveness(Kind.EVENTUALLY, "Somebody has it.")
def begun(s: State, k: Bounds) -> bool:
    return s.owner != -1


@model.liveness(Kind.ALWAYS_EVENTUALLY, "It is free again and again.")
def free(s: State, k: Bounds) -> bool:
    return s.owner == -1


@model.liveness(Kind.EVENTUALLY_ALWAYS, "From some time on counts differ by less than rounds + 1.")
def near(s: State, k: Bounds) -> bool:
    return all(w.count <= k.rounds for w in s.worker)


@model.liveness(Kind.LEADS_TO, "When all rounds are over, they begin again.", premise=over)
def again(s: State, k: Bounds) -> bool:
    return all(w.count == 0 for w in s.worker)
# expect: holds 40
