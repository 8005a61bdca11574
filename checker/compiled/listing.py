"""Lists states, steps and violations, in the subset of Python that is translated.

The lists are columns of 64-bit numbers, for exported tables.  They are computed from a level's
records again, so that a search without lists does not pay for them.
"""

from __future__ import annotations

from enum import IntEnum

from .blocks import expanded, restore
from .intrinsics import load, shifted, store
from .kernel import violates
from .memory import GROUP, Worker
from .program import Program
from .seen import fingerprint


class Listing(IntEnum):
    """Byte offsets in the block of a list.

    Its columns are consecutive from ``FIRST`` on.  Each has room for ``ROOM`` numbers, of which
    ``HELD`` are there.
    """

    FIRST = 0
    ROOM = 8
    HELD = 16
    SIZE = 64


class Spread(IntEnum):
    """Byte offsets in the entry of a variable.

    ``WORD`` (in bytes), ``SHIFT`` and ``MASK`` are its position in a state, ``LOW`` is its lowest
    value.  The value of the first state goes to ``OUT``, each next one ``STEP`` bytes further.
    """

    WORD = 0
    SHIFT = 8
    MASK = 16
    LOW = 24
    OUT = 32
    STEP = 40
    SIZE = 48


def spread(p: Program, worker: int, records: int, count: int, entries: int, variables: int) -> None:
    """Write every variable of consecutive states to the address in its entry."""
    states = load(worker + Worker.STATE)
    first = 0
    while first < count:
        some = min(GROUP, count - first)
        for number in range(some):
            restore(p, records + (first + number) * p.words * 8, states + number * p.words * 8)
        for variable in range(variables):
            entry = entries + variable * Spread.SIZE
            place = states + load(entry + Spread.WORD)
            shift, mask = load(entry + Spread.SHIFT), load(entry + Spread.MASK)
            low, step = load(entry + Spread.LOW), load(entry + Spread.STEP)
            out = load(entry + Spread.OUT) + first * step
            for number in range(some):
                value = shifted(load(place + number * p.words * 8), shift) & mask
                store(out + number * step, value + low)
        first += some


def put(p: Program, listing: int, column: int, value: int) -> None:
    """Write a number into the row in progress."""
    place = column * load(listing + Listing.ROOM) + load(listing + Listing.HELD)
    store(load(listing + Listing.FIRST) + 8 * place, value)


def list_violation(p: Program, listing: int, hashed: int, number: int) -> None:
    """Add a state, by its fingerprint, and the number of a property that it violates."""
    put(p, listing, 0, hashed)
    put(p, listing, 1, number)
    store(listing + Listing.HELD, load(listing + Listing.HELD) + 1)


def list_step(p: Program, listing: int, source: int, target: int, instance: int) -> None:
    """Add a step from the state of that fingerprint to a state, which is made canonical."""
    if p.symmetric:
        p.canonical(target)
    outside = 0
    if p.constrained and not p.admits(target):
        outside = 1
    put(p, listing, 0, source)
    put(p, listing, 1, fingerprint(p, target))
    put(p, listing, 2, instance)
    put(p, listing, 3, outside)
    store(listing + Listing.HELD, load(listing + Listing.HELD) + 1)


def list_group(
    p: Program, worker: int, listing: int, records: int, count: int, counts: int
) -> None:
    """Add the steps from a group of states; they are in the buffer instance by instance."""
    for instance in range(p.instances):
        store(counts + 8 * instance, 0)
    expanded(p, worker, records, count, counts)
    if load(worker + Worker.ERROR) != 0:
        return
    successor = load(worker + Worker.BUFFER)
    for instance in range(p.instances):
        for _ in range(load(counts + 8 * instance)):
            parent = load(successor + p.stride - 8)
            source = load(records + parent * p.words * 8)
            list_step(p, listing, source, successor, instance)
            successor += p.stride


def list_expanded(
    p: Program, worker: int, listing: int, records: int, count: int, number: int
) -> None:
    """Add the states of those listed last whose steps violate a property."""
    for place in range(count):
        if violates(p, worker, place, number):
            list_violation(p, listing, load(records + place * p.words * 8), number)


def list_steps(
    p: Program, worker: int, steps: int, violated: int, records: int, count: int, counts: int
) -> int:
    """List the steps from consecutive states, and what these violate, while there is room.

    Parameters
    ----------
    counts
        Address of a counter for each instance.

    Returns
    -------
    int
        The number of states whose steps are all listed.
    """
    done = 0
    while done < count and load(worker + Worker.ERROR) == 0:
        some = min(GROUP, count - done)
        if load(steps + Listing.HELD) + some * p.instances > load(steps + Listing.ROOM):
            break
        if load(violated + Listing.HELD) + some > load(violated + Listing.ROOM):
            break
        list_group(p, worker, steps, records + done * p.words * 8, some, counts)
        if p.deadlock >= 0:
            list_expanded(p, worker, violated, records + done * p.words * 8, some, p.deadlock)
        if p.asserted >= 0:
            list_expanded(p, worker, violated, records + done * p.words * 8, some, p.asserted)
        done += some
    return done


def list_violations(
    p: Program, worker: int, listing: int, records: int, count: int, properties: int
) -> int:
    """List what consecutive states violate, while there is room; return how many are done."""
    state = load(worker + Worker.STATE)
    done = 0
    while done < count:
        if load(listing + Listing.HELD) + properties > load(listing + Listing.ROOM):
            break
        record = records + done * p.words * 8
        restore(p, record, state)
        violated = p.judge(state)
        if violated < 0:
            store(worker + Worker.ERROR, 1)
            break
        number = 0
        while violated:
            if violated & 1:
                list_violation(p, listing, load(record), number)
            violated = violated >> 1
            number += 1
        done += 1
    return done


EXPORTED = (spread, list_steps, list_violations)
"""The functions that Python calls; all arguments are numbers."""
