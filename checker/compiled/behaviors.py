"""Lists the state graph of a finished search, in the subset of Python that is translated.

A liveness property is decided on the graph: which states satisfy its predicates, and the steps
between the states in which a violation can stay.  A search stores no steps, so they are taken
again; a successor's number is looked up in the table of seen states.
"""

from __future__ import annotations

from .intrinsics import fetch_add, load, prefetch, store
from .kernel import locate
from .memory import DONE, GROUP, STOPPED, Shared, Worker
from .program import Program
from .seen import (
    UPPER,
    bucket_of,
    copy,
    first_slot,
    has_tag,
    look_up,
    next_slot,
    overflow_position,
    seal,
    tag_of,
)

STAYS = 62
"""The bit of a state's word that says whether a violation of some property can stay there."""

EDGE = 8
"""Bytes of a step, and of the entry before the steps of a group of states.

A step has its target in 40 bits, the index of its source in the group in 8 and its instance in 16;
a group has the number of its first state in 40 bits, and `BEGINS` for an instance.
"""

PLACE, INSTANCE = 40, 48
"""The first bits of the source's index and of the instance in a step."""

BEGINS = 0x7FFF
"""In place of an instance: here the steps of another group begin."""


def number_of(p: Program, shared: int, candidate: int) -> int:
    """Return the number of the seen state that equals a candidate after ``look_up``; or -1."""
    bucket, tag = bucket_of(p, shared, candidate), tag_of(p, candidate)
    end = bucket + 64 * load(shared + Shared.WINDOW)
    slot = first_slot(p, candidate, bucket, end, tag)
    while slot < end:
        tagged = load(slot)
        if tagged == 0:
            return -1
        if has_tag(p, shared, candidate, tag, tagged):
            return (tagged & 0xFFFFFFFFFF) - 1
        slot = next_slot(p, slot, end, tag)
    position = overflow_position(shared, load(candidate + 8 * p.words) & UPPER)
    while True:
        tagged = load(load(shared + Shared.OVERFLOW) + 8 * position)
        if tagged == 0:
            return -1
        if has_tag(p, shared, candidate, tag, tagged):
            return (tagged & 0xFFFFFFFFFF) - 1
        position += 1
        if position == load(shared + Shared.OVERFLOW_SIZE):
            position = 0


def next_chunk(shared: int) -> int:
    """Return the number of a chunk that no worker has taken yet; -1 if there is none."""
    if load(shared + Shared.STOP) != 0:
        return -1
    chunk = fetch_add(shared + Shared.CURSOR, 1)
    return chunk if chunk < load(shared + Shared.CHUNKS) else -1


def ended(shared: int) -> int:
    """Return why a worker took no further chunk."""
    return STOPPED if load(shared + Shared.STOP) != 0 else DONE


def mark_states(p: Program, worker: int) -> int:
    """Write for each state a bit for each predicate: whether it holds there."""
    shared = load(worker + Worker.SHARED)
    chunk = next_chunk(shared)
    while chunk >= 0:
        state, count = locate(p, shared, chunk)
        word = load(shared + Shared.MARKS)
        word += (state - load(shared + Shared.STATES)) // p.words
        for number in range(count):
            holds = p.holds(state + number * p.words * 8)
            if holds < 0:
                store(worker + Worker.ERROR, 1)
                return STOPPED
            store(word + 8 * number, holds)
        chunk = next_chunk(shared)
    return ended(shared)


def gather(p: Program, shared: int, worker: int, state: int, count: int) -> int:
    """Copy the states of a group in which a violation can stay; return how many.

    Their indices in the group are written after the space for a group of states.
    """
    to = load(worker + Worker.STATE)
    places = to + GROUP * p.words * 8
    first = (state - load(shared + Shared.STATES)) // (p.words * 8)
    marks = load(shared + Shared.MARKS) + 8 * first
    left = 0
    for number in range(count):
        if load(marks + 8 * number) >> STAYS & 1:
            copy(p, state + number * p.words * 8, to + left * p.words * 8)
            store(places + 8 * left, number)
            left += 1
    if left > 0:
        store(load(worker + Worker.EDGE), BEGINS << INSTANCE | first)
        store(worker + Worker.EDGE, load(worker + Worker.EDGE) + EDGE)
    store(worker + Worker.FIRST, first)
    return left


def list_group(p: Program, shared: int, worker: int, count: int) -> None:
    """List the steps from a gathered group of states."""
    buffer, taken = load(worker + Worker.BUFFER), load(worker + Worker.SCRATCH)
    states = load(worker + Worker.STATE)
    places = states + GROUP * p.words * 8
    origins = places + GROUP * 8
    successors = p.expand(states, count, buffer, taken, worker + Worker.ALIVE)
    if successors < 0:
        store(worker + Worker.ERROR, 1)
        return
    for successor in range(successors):
        candidate = buffer + successor * p.stride
        store(origins + 8 * successor, load(candidate + p.stride - 8))
        seal(p, candidate)
        bucket = bucket_of(p, shared, candidate)
        store(candidate + p.stride - 8, bucket)
        prefetch(bucket)
    for successor in range(successors):
        look_up(p, shared, buffer + successor * p.stride)
    successor = 0
    for instance in range(p.instances):
        for _ in range(load(taken + 8 * instance)):
            place = load(places + 8 * load(origins + 8 * successor))
            list_step(p, shared, worker, place, buffer + successor * p.stride, instance)
            successor += 1
        store(taken + 8 * instance, 0)


def list_step(
    p: Program, shared: int, worker: int, place: int, candidate: int, instance: int
) -> None:
    """Record a step that changes the state: its demands as enabled, and its target if it counts.

    A state outside the system's constraint was not stored: the step is enabled, and never taken.
    """
    source = load(worker + Worker.FIRST) + place
    target = number_of(p, shared, candidate)
    if target == source:
        return
    if target < 0 and (not p.constrained or p.admits(candidate)):
        store(worker + Worker.ERROR, 1)
    words = load(shared + Shared.DEMAND_WORDS)
    enabled = load(shared + Shared.ENABLED) + source * words * 8
    demands = load(shared + Shared.DEMANDS) + instance * words * 8
    for word in range(words):
        store(enabled + 8 * word, load(enabled + 8 * word) | load(demands + 8 * word))
    if target < 0:
        return
    if load(load(shared + Shared.MARKS) + 8 * target) >> STAYS & 1:
        edge = load(worker + Worker.EDGE)
        store(edge, instance << INSTANCE | place << PLACE | target)
        store(worker + Worker.EDGE, edge + EDGE)


def list_behaviors(p: Program, worker: int) -> int:
    """List the steps from the states in which a violation can stay, while there is room."""
    shared = load(worker + Worker.SHARED)
    chunk = next_chunk(shared)
    while chunk >= 0:
        state, count = locate(p, shared, chunk)
        while count > 0 and load(worker + Worker.ERROR) == 0:
            some = min(count, GROUP)
            most = load(worker + Worker.EDGE) + (some * p.instances + 1) * EDGE
            if most > load(worker + Worker.EDGES_END):
                store(worker + Worker.ERROR, 2)
                return STOPPED
            left = gather(p, shared, worker, state, some)
            if left > 0:
                list_group(p, shared, worker, left)
            state += some * p.words * 8
            count -= some
        if load(worker + Worker.ERROR) != 0:
            return STOPPED
        chunk = next_chunk(shared)
    return ended(shared)


EXPORTED = (mark_states, list_behaviors)
"""What the driver calls for a liveness property; all arguments are numbers."""
