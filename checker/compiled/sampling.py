"""Keeps sample states to compare with Python, in the subset that is translated.

Machine code is never trusted unchecked.  While it processes a state it records which ways it took
(``emitter.py``).  If fewer than `COMPARED` earlier states took one of them, the state is kept with
the answer of machine code, and Python is asked the same question later (``comparison.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from .intrinsics import fetch_add, load, shifted, store
from .memory import GROUP
from .program import Program
from .seen import copy, same

COMPARED = 20
"""States per way of a branch that every search compares with Python, if there are so many."""

ALIVE = 2 * (GROUP // 8) + 8
"""Bytes of the bits for the states of a group that have a successor, and whose assertions fail, and
for the instances that were taken."""


class Samples(IntEnum):
    """Byte offsets in the block of samples.

    ``FIRST`` is the address of the first entry, ``ROOM`` the number of entries that fit, and
    ``HELD`` how many were to be kept.  ``WANTED`` and ``GUARDS_WANTED`` have three numbers each:
    the address of the bits of :func:`count`, that of its counts, and the number of words of bits.
    """

    FIRST = 0
    ROOM = 8
    HELD = 16
    WANTED = 24
    GUARDS_WANTED = 48
    SIZE = 72


class Entry(IntEnum):
    """Byte offsets in an entry.

    ``KIND`` is one of `Query`; ``NUMBER`` is that of the instance or the property; ``ANSWER`` is
    machine code's; the state begins at ``STATE``, followed by its successor.
    """

    KIND = 0
    NUMBER = 8
    ANSWER = 16
    STATE = 24


class Query(IntEnum):
    """The questions about a state.

    Whether a step passes the guards (1: yes; 0: no; others: not decided), whether a step was taken
    and to which successor, whether the state violates a property, and whether it is inside the
    constraint.
    """

    GUARDS = 0
    STEP = 1
    PROPERTY = 2
    CONSTRAINT = 3


def keep(p: Program, kind: int, number: int, answer: int, state: int, successor: int) -> None:
    """Keep the state at an address with a question and its answer."""
    samples = p.samples()
    index = fetch_add(samples + Samples.HELD, 1)
    if index < load(samples + Samples.ROOM):
        entry = load(samples + Samples.FIRST) + index * (Entry.STATE + 16 * p.words)
        store(entry + Entry.KIND, kind)
        store(entry + Entry.NUMBER, number)
        store(entry + Entry.ANSWER, answer)
        copy(p, state, entry + Entry.STATE)
        copy(p, successor, entry + Entry.STATE + 8 * p.words)


def count(p: Program, wanted: int, counts: int, first: int, ways: int) -> None:
    """Count a kept state for each of the ways it took.

    Parameters
    ----------
    wanted
        Address of a bit for every point: whether states that take it are still wanted.
    counts
        Address of a number for every point: how many states were kept.
    first
        Number of the first point in `ways`.
    """
    point = first
    while ways:
        if ways & 1:
            kept = load(counts + 8 * point) + 1
            store(counts + 8 * point, kept)
            if kept == COMPARED:
                word = wanted + 8 * (point >> 6)
                store(word, load(word) & ~(1 << (point & 63)))
        ways = shifted(ways, 1)
        point += 1


def byte(address: int, offset: int) -> int:
    """Return the byte at an offset from an aligned address."""
    return shifted(load(address + (offset & -8)), 8 * (offset & 7)) & 255


def keep_guarded(
    p: Program,
    instance: int,
    element: int,
    marks: int,
    answers: int,
    states: int,
    group: int,
) -> None:
    """Keep the states of a group whose guards took ways that are wanted.

    Parameters
    ----------
    element
        Number of the byte of the marks to examine, which `marks` has side by side for all states.
    answers
        Address of the guards' answers, a byte for each state.
    """
    block = p.samples() + Samples.GUARDS_WANTED
    wanted, counts = load(block), load(block + 8)
    for number in range(group):
        ways = byte(marks, number) & byte(wanted, element)
        if ways != 0:
            state = states + number * p.words * 8
            keep(p, Query.GUARDS, instance, byte(answers, number), state, state)
            count(p, wanted, counts, 8 * element, ways)


def count_ways(p: Program, element: int, ways: int) -> None:
    """Count a kept state for each of the ways it took in one element of the marks."""
    block = p.samples() + Samples.WANTED
    count(p, load(block), load(block + 8), 64 * element, ways)


def steps_from(p: Program, states: int, count: int, space: int) -> int:
    """Return how many steps there are from consecutive states, and count them by instance.

    Parameters
    ----------
    space
        Address of a counter for each instance, which is 0, followed by memory for the successors.
    """
    alive = space + 8 * p.instances
    return p.expand(states, count, alive + ALIVE, space, alive)


def inside(p: Program, state: int) -> int:
    """Return whether a state is inside the constraint."""
    if p.constrained and not p.admits(state):
        return 0
    return 1


def judgment(p: Program, state: int) -> int:
    """Return what a search makes of a state: see ``judge``."""
    return p.judge(state)


def ask_all(p: Program, state: int, space: int) -> int:
    """Ask all questions that a search asks about a state, with `space` as in :func:`steps_from`.

    No step is taken from a state outside the constraint, for which the model may not be written.
    """
    judgment = p.judge(state)
    if inside(p, state) == 0:
        return judgment
    return judgment + steps_from(p, state, 1, space)


def ask_again(p: Program, entry: int, count: int, space: int) -> None:
    """Write answers into consecutive entries, in which those of the same state are in a row.

    A question about the guards of a step becomes one about the whole step; the answer about a
    property is that of :func:`judgment`.

    Parameters
    ----------
    space
        As in :func:`steps_from`.
    """
    last, successors = 0, space + 8 * p.instances + ALIVE
    for _ in range(count):
        kind, state = load(entry + Entry.KIND), entry + Entry.STATE
        if kind == Query.PROPERTY:
            store(entry + Entry.ANSWER, p.judge(state))
        elif kind == Query.CONSTRAINT:
            store(entry + Entry.ANSWER, inside(p, state))
        else:
            if last == 0 or not same(p, state, last):
                for instance in range(p.instances):
                    store(space + 8 * instance, 0)
                steps_from(p, state, 1, space)
                last = state
            before, instance = 0, load(entry + Entry.NUMBER)
            for other in range(instance):
                before += load(space + 8 * other)
            taken = load(space + 8 * instance)
            store(entry + Entry.KIND, Query.STEP)
            store(entry + Entry.ANSWER, taken)
            if taken != 0:
                copy(p, successors + before * p.stride, entry + Entry.STATE + 8 * p.words)
        entry += Entry.STATE + 16 * p.words


EXPORTED: tuple[Callable[..., Any], ...] = (steps_from, inside, judgment, ask_all, ask_again)
"""The functions that Python calls; all arguments are numbers."""
