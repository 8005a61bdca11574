"""The search itself, in the subset of Python that ``translate`` turns into machine code.

Workers take chunks of the frontier: all successors of a chunk's states are computed first, then
looked up together, so that the memory for one is fetched while another is processed.
"""

from __future__ import annotations

from .intrinsics import below, fetch_add, load, prefetch, store
from .memory import DONE, GROUP, GROW, RECENT, STOPPED, Shared, Worker
from .program import Program
from .seen import (
    FULL,
    add,
    bucket_of,
    copy,
    examine,
    fingerprint,
    keep_violations,
    look_up,
    note,
    same,
    seal,
    short_hash,
)
from .values import MACHINE

ARITHMETIC = MACHINE


def locate(p: Program, shared: int, chunk: int) -> tuple[int, int]:
    """Return the address of a chunk of the frontier, and how many states it has."""
    segment = load(shared + Shared.SEGMENTS)
    while chunk >= load(segment + 16):
        chunk -= load(segment + 16)
        segment += 24
    size = load(shared + Shared.CHUNK)
    first = load(segment) + chunk * size
    count = min(size, load(segment) + load(segment + 8) - first)
    return load(shared + Shared.FRONTIER) + first * p.words * 8, count


def expand_all(p: Program, shared: int, worker: int, chunk: int) -> int:
    """Put the successors of a chunk's states into the worker's buffer; return how many."""
    state, count = locate(p, shared, chunk)
    buffer, taken = load(worker + Worker.BUFFER), load(worker + Worker.SCRATCH)
    successors = 0
    while count > 0:
        some = min(count, GROUP)
        first = buffer + successors * p.stride
        more = p.expand(state, some, first, taken, worker + Worker.ALIVE)
        if more < 0:
            store(worker + Worker.ERROR, 1)
            return 0
        if p.deadlock >= 0:
            note_deadlocks(p, worker, state, some)
        successors += more
        state += some * p.words * 8
        count -= some
    return successors


def note_deadlocks(p: Program, worker: int, states: int, count: int) -> None:
    """Note the states without a successor among those expanded last, unless that is decided."""
    if load(load(worker + Worker.SHARED) + Shared.ACTIVE) >> p.deadlock & 1 == 0:
        return
    for number in range(count):
        alive = load(worker + Worker.ALIVE + 8 * (number >> 6))
        if alive >> (number & 63) & 1 == 0:
            note(p, worker, states + number * p.words * 8, p.deadlock)


def settle(p: Program, worker: int, keep: bool) -> None:
    """Count the steps of a finished chunk, or forget those of a chunk that will be repeated."""
    taken, scratch = load(worker + Worker.TAKEN), load(worker + Worker.SCRATCH)
    for instance in range(p.instances):
        if keep:
            address = taken + 8 * instance
            store(address, load(address) + load(scratch + 8 * instance))
        store(scratch + 8 * instance, 0)


def sift(p: Program, shared: int, worker: int, successors: int) -> int:
    """Seal a chunk's successors, and drop those met recently; return how many are left.

    Steps often commute, so that a state is reached from several nearby states.  The states that
    this worker met recently are in a small table that stays in the cache.  An entry with all bits
    set is empty there, unless that is a state.
    """
    first, recent = load(worker + Worker.BUFFER), load(worker + Worker.RECENT)
    left = 0
    for number in range(successors):
        candidate = first + left * p.stride
        if left != number:
            copy(p, first + number * p.stride, candidate)
        if p.symmetric and not p.full and was_renamed(p, recent, candidate):
            continue
        seal(p, candidate)
        entry = recent + (load(candidate + 8 * p.words) & RECENT - 1) * p.words * 8
        if p.full or not same(p, candidate, entry):
            copy(p, candidate, entry)
            store(candidate + p.stride - 8, bucket_of(p, shared, candidate))
            left += 1
    return left


def was_renamed(p: Program, recent: int, candidate: int) -> bool:
    """Whether the representative of this very state was computed recently; keep the state if not.

    Such states have a table of their own, after that of representatives.
    """
    entry = recent + (RECENT + (short_hash(p, candidate) & RECENT - 1)) * p.words * 8
    if same(p, candidate, entry):
        return True
    copy(p, candidate, entry)
    return False


def forget_recent(p: Program, worker: int) -> None:
    """Forget the states met recently, since some of them were not added after all."""
    recent = load(worker + Worker.RECENT)
    for word in range((2 if p.symmetric else 1) * RECENT * p.words):
        store(recent + 8 * word, -1)


def do_chunk(p: Program, shared: int, worker: int, chunk: int) -> bool:
    """Expand a chunk of the frontier and add its successors; False if there is no room.

    A separate loop prefetches the buckets: the more of them the processor sees at once, the more it
    fetches in parallel.
    """
    first = load(worker + Worker.BUFFER)
    successors = sift(p, shared, worker, expand_all(p, shared, worker, chunk))
    for number in range(successors):
        prefetch(load(first + number * p.stride + p.stride - 8))
    for number in range(successors):
        look_up(p, shared, first + number * p.stride)
    for number in range(successors):
        candidate = first + number * p.stride
        if p.constrained and not p.admits(candidate):
            examine(p, worker, candidate)
            continue
        if add(p, shared, worker, candidate) == FULL:
            settle(p, worker, False)
            forget_recent(p, worker)
            return False
    settle(p, worker, True)
    return True


def work(p: Program, worker: int) -> int:
    """Process chunks of the frontier until none is left: DONE, GROW or STOPPED."""
    shared = load(worker + Worker.SHARED)
    while True:
        if load(shared + Shared.STOP) != 0:
            return STOPPED
        chunk = load(worker + Worker.REDO)
        if chunk < 0:
            chunk = fetch_add(shared + Shared.CURSOR, 1)
        if chunk >= load(shared + Shared.CHUNKS):
            return DONE
        store(worker + Worker.REDO, chunk)
        if load(worker + Worker.ERROR) != 0:
            return STOPPED
        if not do_chunk(p, shared, worker, chunk):
            return GROW
        store(worker + Worker.REDO, -1)


def add_states(p: Program, worker: int, first: int, count: int) -> int:
    """Add consecutive states, such as the initial ones; return for how many there was room."""
    shared = load(worker + Worker.SHARED)
    candidate = load(worker + Worker.BUFFER)
    for number in range(count):
        copy(p, first + number * p.words * 8, candidate)
        seal(p, candidate)
        store(candidate + p.stride - 8, bucket_of(p, shared, candidate))
        look_up(p, shared, candidate)
        if p.constrained and not p.admits(candidate):
            examine(p, worker, candidate)
            continue
        if add(p, shared, worker, candidate) == FULL:
            return number
    return count


def find_parents(p: Program, worker: int) -> int:
    """Find for each target its predecessor with the least fingerprint among a level's states."""
    shared = load(worker + Worker.SHARED)
    while True:
        chunk = fetch_add(shared + Shared.CURSOR, 1)
        if chunk >= load(shared + Shared.CHUNKS):
            return DONE
        if load(shared + Shared.STOP) != 0:
            return STOPPED
        find_in_chunk(p, shared, worker, chunk)


def find_in_chunk(p: Program, shared: int, worker: int, chunk: int) -> None:
    """Find predecessors of the targets among a chunk's states."""
    targets, count = load(shared + Shared.TARGETS), load(shared + Shared.TARGET_COUNT)
    size = (p.words + 2) * 8
    state, states = locate(p, shared, chunk)
    buffer, scratch = load(worker + Worker.BUFFER), load(worker + Worker.SCRATCH)
    while states > 0:
        some = min(states, GROUP)
        successors = p.expand(state, some, buffer, scratch, worker + Worker.ALIVE)
        for successor in range(successors):
            candidate = buffer + successor * p.stride
            parent = state + load(candidate + p.stride - 8) * p.words * 8
            if p.symmetric:
                p.canonical(candidate)
            for target in range(count):
                if same(p, candidate, targets + target * p.words * 8):
                    entry = load(worker + Worker.FOUND) + target * size
                    hashed = fingerprint(p, parent)
                    if load(entry) == 0 or below(hashed, load(entry + 8)):
                        store(entry, 1)
                        store(entry + 8, hashed)
                        copy(p, parent, entry + 16)
        state += some * p.words * 8
        states -= some


def judge_as(p: Program, worker: int, state: int, violated: int) -> int:
    """Keep a state as if its judgment were this one; return 1 if that is an error."""
    keep_violations(p, worker, state, violated)
    return load(worker + Worker.ERROR)


def represent(p: Program, first: int, count: int) -> int:
    """Replace consecutive states by their representatives; return how many there are."""
    for number in range(count):
        if p.symmetric:
            p.canonical(first + number * p.words * 8)
    return count
