"""A retrying worker: four kinds of liveness with a premise that never holds, none of which fairness per parameter saves.

Jobs are started, may fail, are retried; the worker picks one job; `work` has weak fairness as a whole only.
"""
from dataclasses import dataclass
from enum import IntEnum

from tidegate import Fairness, Kind, Model, Record, array, boolean, enumeration, integer, number


class Job(IntEnum):
    NEW = 0
    RUNNING = 1
    FAILED = 2
    DONE = 3


@dataclass(frozen=True)
class Bounds:
    jobs: int = number(2, 1, 3, "jobs", main=True)


class State(Record):
    job: list[Job] = array(lambda k: k.jobs, enumeration(Job, "state"), by="job")
    frozen: bool = boolean("never set")


model = Model(Bounds, State, participants={"job": lambda k: k.jobs}, deadlock=False)


@model.action("job", fair_per=())
def work(s: State, k: Bounds, job: int) -> bool:
    """Start a job that is new or has failed."""
    if s.job[job] not in (Job.NEW, Job.FAILED):
        return False
    s.job[job] = Job.RUNNING
    return True


@model.action("job", ok=lambda k: (False, True), fair_per=("job",))
def end(s: State, k: Bounds, job: int, ok: bool) -> bool:
    """A running job ends."""
    if s.job[job] is not Job.RUNNING:
        return False
    s.job[job] = Job.DONE if ok else Job.FAILED
    return True


def frozen(s: State, k: Bounds) -> bool:
    return s.frozen


@model.liveness(Kind.LEADS_TO, "Frozen leads to done.", premise=frozen)
def thaws(s: State, k: Bounds) -> bool:
    return False


@model.liveness(Kind.LEADS_TO, "A running job 0 ends.", premise=lambda s, k: s.job[0] is Job.RUNNING)
def ends(s: State, k: Bounds) -> bool:
    return s.job[0] in (Job.DONE, Job.FAILED)


@model.liveness(Kind.EVENTUALLY, "Job 0 starts.")
def starts(s: State, k: Bounds) -> bool:
    return s.job[0] is not Job.NEW


@model.liveness(Kind.EVENTUALLY_ALWAYS, "Job 0 is eventually done for good.")
def done(s: State, k: Bounds) -> bool:
    return s.job[0] is Job.DONE


@model.liveness(Kind.ALWAYS_EVENTUALLY, "Some job runs or all are done, again and again.")
def progress(s: State, k: Bounds) -> bool:
    return any(j is Job.RUNNING for j in s.job) or all(j is Job.DONE for j in s.job)
# expect: violated Starts 3
