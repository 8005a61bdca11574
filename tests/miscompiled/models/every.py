"""A workshop: jobs wait, are taken, done and counted.  Each kind of node has a place here."""

from collections import Counter, deque
from copy import deepcopy
from dataclasses import dataclass
from enum import IntEnum

from tidegate import (
    NONE,
    Model,
    Record,
    Seq,
    Set,
    array,
    enumeration,
    integer,
    nested,
    number,
    optional,
    sequence_of,
    set_of,
)


class Phase(IntEnum):
    """What a bench is at."""

    IDLE = 0
    BUSY = 1
    DONE = 2


@dataclass(frozen=True)
class Bounds:
    jobs: int = number(3, 1, 5, "kinds of jobs", main=True)
    most: int = number(3, 1, 6, "jobs that wait", main=True)


class Job(Record):
    kind: int = integer(0, lambda k: k.jobs - 1, "what it is")
    size: int = integer(0, 3, "how long it takes")


class Bench(Record):
    phase: Phase = enumeration(Phase, "what it is at")
    job: int = optional(lambda k: k.jobs - 1, "what it does")
    left: int = integer(0, 3, "how long it takes yet")
    known: Set = set_of(lambda k: k.jobs, "the kinds of jobs that it has done")


class State(Record):
    waiting: Seq[Job] = sequence_of(Job, lambda k: k.most, "jobs that nobody has taken")
    bench: list[Bench] = array(2, Bench, by="bench")
    newest: Job = nested(Job)
    oldest: Job = nested(Job)
    made: int = integer(0, lambda k: k.jobs + k.most, "jobs that were ordered")


WEIGHT = {0: 1, 1: 2, 2: 1}
SIZES = (1, 3, 2)

model = Model(Bounds, State, participants={"bench": lambda k: 2}, deadlock=False)


def longest(s: State) -> int | None:
    """Return the place of the first job that is as long as any."""
    most = max((job.size for job in s.waiting), default=0)
    return next((n for n, job in enumerate(s.waiting) if job.size == most), None)


def sorted_kinds(s: State) -> list[int]:
    """Return the kinds of what waits, the heavier ones first."""
    kinds = [job.kind for job in s.waiting if job.size > 0]
    return sorted(kinds, key=lambda kind: WEIGHT.get(kind, 0), reverse=True)


def is_urgent(kind: int, s: State) -> bool:
    """Whether more than one job of a kind waits."""
    counts = Counter(job.kind for job in s.waiting)
    return counts[kind] > 1 and kind in counts


def remember(kinds: deque[int], kind: int) -> None:
    """Keep the last two."""
    kinds.append(kind)
    if len(kinds) > 2:
        kinds.popleft()


@model.action("customer", kind=lambda k: range(k.jobs))
def order(s: State, k: Bounds, kind: int) -> bool:
    """Order a job."""
    if len(s.waiting) == k.most or s.made >= k.jobs + 1:
        return False
    size = SIZES[kind] if kind < len(SIZES) else 1
    s.waiting.append(Job(kind=kind, size=size))
    s.newest.assign(s.waiting[len(s.waiting) - 1])
    s.made += 1
    return True


@model.action("bench")
def take(s: State, k: Bounds, bench: int) -> bool:
    """Take the longest job."""
    me = s.bench[bench]
    place = longest(s)
    if place is None or me.phase != Phase.IDLE:
        return False
    job = s.waiting[place]
    noted = s.oldest if place == 0 else s.newest
    noted.kind = job.kind
    me.job, me.left, me.phase = job.kind, job.size, Phase.BUSY
    del s.waiting[place]
    return True


@model.action("bench")
def work(s: State, k: Bounds, bench: int) -> bool:
    """Work for a while, and longer on what is not urgent."""
    me, other = s.bench[bench], s.bench[1 - bench]
    match me.phase, me.left:
        case Phase.BUSY, 0:
            me.phase = Phase.DONE
            me.known.add(me.job)
        case Phase.BUSY, left if left <= 3:
            me.left -= min(left, 1 + (1 if is_urgent(me.job, s) else 0))
        case Phase.DONE, _:
            slower = me if len(me.known) < len(other.known) else other
            if me.job in slower.known and slower.phase == Phase.DONE:
                slower.known.discard(me.job)
            me.phase, me.job = Phase.IDLE, NONE
        case _:
            return False
    return True


@model.action("foreman")
def tidy(s: State, k: Bounds) -> bool:
    """Put the jobs in order, and forget the size of the newest one."""
    kinds = sorted_kinds(s)
    if len(s.waiting) < 2 or kinds[0] == s.waiting[0].kind:
        return False
    recent: deque[int] = deque()
    for kind in kinds:
        remember(recent, kind)
    rest = s.waiting[1:]
    first, *_ = [job for job in s.waiting if job.kind == kinds[0]]
    at = 0
    while at < len(rest) and rest[at] != first:
        at += 1
    if at == len(rest):
        return False
    both = kinds[:1] + list(recent)
    every = {kind + 0 for kind in both} | set(kinds)
    last = {kind: place for place, kind in enumerate(recent)}
    s.newest.size = (len(every & set(last)) + last[recent[0]] + last.get(kinds[0], 1)) % 3
    s.waiting[0], s.waiting[at + 1] = first, s.waiting[0]
    return True


@model.action("bench")
def swap(s: State, k: Bounds, bench: int) -> bool:
    """Give the job away to the other bench, by a copy of it."""
    me, other = s.bench[bench], s.bench[1 - bench]
    if me.phase != Phase.BUSY or other.phase != Phase.IDLE:
        return False
    kept = me.job if me.job != NONE else s.newest.kind
    assert kept < k.jobs, "no job has such a kind"
    for one in s.bench:
        if one.job == kept:
            one.job = NONE
            continue
        one.job = kept
    me.phase, other.phase = other.phase, me.phase
    me.left, other.left = 0, me.left
    before = deepcopy(s.newest)
    for turn in range(before.kind, k.jobs):
        s.oldest.size = (s.oldest.size + turn) % 3
    s.newest.assign(s.oldest)
    s.oldest.assign(before)
    return True


@model.invariant("Whoever is idle does nothing, and whoever is busy does something.")
def idle_or_busy(s: State, k: Bounds) -> bool:
    return all((one.job == NONE) == (one.phase == Phase.IDLE) for one in s.bench)


@model.invariant("Nobody has to do more than the longest job.")
def short(s: State, k: Bounds) -> bool:
    return max(one.left for one in s.bench) <= max(SIZES) and s.made <= k.jobs + k.most


@model.invariant("Both benches never know everything.")
def someone_lacks(s: State, k: Bounds) -> bool:
    return any(kind not in one.known for one in s.bench for kind in range(k.jobs))
