"""Searches a level block by block, in the subset of Python that is translated.

If the seen states do not fit into one memory, they are kept as sorted *runs* of *records*.  A
record has as many words as a state: first the fingerprint, then the words except the last one.
That one follows from the fingerprint, because :func:`seen.mix` is invertible.  So a record is a
complete state, and the order of records is as good as random.

A *candidate* is a record followed by the fingerprint of its parent.  Candidates are gathered in a
table whose slots are in the order of records: a candidate's home slot is proportional to its
fingerprint, and smaller candidates may push it further.  Read from front to back, the table is
sorted; for each record it holds one candidate: that with the least parent.
"""

from __future__ import annotations

from enum import IntEnum

from .intrinsics import below, high_product, load, prefetch, shifted, store
from .kernel import note_expanded
from .memory import GROUP, Worker
from .program import Program
from .seen import copy, examine, fingerprint, mix, same


class Table(IntEnum):
    """Byte offsets in the block of a table of candidates.

    The table is for one of ``SCALE`` equal shares of all fingerprints, which is mapped to ``SLOTS``
    slots.  Between these and ``END`` there is room for candidates that are pushed further.
    ``HELD`` is the number of candidates, ``MOST`` how many it should hold.
    """

    FIRST = 0
    END = 8
    SLOTS = 16
    SCALE = 24
    HELD = 32
    MOST = 40
    SIZE = 64


class Walk(IntEnum):
    """Byte offsets in the block of a walk along sorted candidates.

    Candidates from ``READ`` to ``END`` are still to be examined; those kept go to ``WRITE``.
    """

    READ = 0
    WRITE = 8
    END = 16
    SIZE = 64


def unmixed(word: int) -> int:
    """Return the inverse of :func:`seen.mix` for a word."""
    word = (word ^ shifted(word, 31) ^ shifted(word, 62)) * 0x319642B2D24D8EC3
    word = (word ^ shifted(word, 27) ^ shifted(word, 54)) * 0x96DE1B173F119089
    return (word ^ shifted(word, 30) ^ shifted(word, 60)) - 0x9E3779B97F4A7C15


def record_of(p: Program, worker: int, place: int) -> None:
    """Replace a state by its record.

    A fingerprint of 0 is refused, since an empty slot begins with 0.
    """
    hashed = fingerprint(p, place)
    for word in range(p.words - 1, 0, -1):
        store(place + 8 * word, load(place + 8 * word - 8))
    store(place, hashed)
    if hashed == 0:
        store(worker + Worker.ERROR, 1)


def restore(p: Program, record: int, state: int) -> None:
    """Write the state of a record."""
    hashed = p.words
    for word in range(p.words - 1):
        value = load(record + 8 + 8 * word)
        store(state + 8 * word, value)
        hashed = mix(hashed ^ value)
    store(state + 8 * (p.words - 1), hashed ^ unmixed(load(record)))


def valid_records(p: Program, worker: int, records: int, count: int) -> int:
    """Return how many consecutive records are of valid states, up to the first that is not.

    Actions and predicates are translated for values within their declared ranges, so nothing else
    may reach them.
    """
    state = load(worker + Worker.STATE)
    for number in range(count):
        restore(p, records + number * p.words * 8, state)
        if not p.valid(state):
            return number
    return count


def before(p: Program, one: int, other: int) -> bool:
    """Whether one record comes before another."""
    for word in range(p.words):
        left = load(one + 8 * word)
        right = load(other + 8 * word)
        if left != right:
            return below(left, right)
    return False


def move(p: Program, candidate: int, to: int) -> None:
    """Copy a candidate."""
    copy(p, candidate, to)
    store(to + 8 * p.words, load(candidate + 8 * p.words))


def home(p: Program, table: int, record: int) -> int:
    """Return the home slot of a record: its slot unless others push it further."""
    share = load(record) * load(table + Table.SCALE)
    slot = high_product(share, load(table + Table.SLOTS))
    return load(table + Table.FIRST) + slot * (p.words + 1) * 8


def insert(p: Program, worker: int, table: int, candidate: int) -> None:
    """Put a candidate into the table, unless its record is there with a parent at most as great."""
    size = (p.words + 1) * 8
    slot = home(p, table, candidate)
    while load(slot) != 0 and before(p, slot, candidate):
        slot += size
    if load(slot) != 0 and same(p, slot, candidate):
        if below(load(candidate + 8 * p.words), load(slot + 8 * p.words)):
            store(slot + 8 * p.words, load(candidate + 8 * p.words))
        return
    empty = slot
    while load(empty) != 0:
        empty += size
    if empty + size >= load(table + Table.END):
        store(worker + Worker.ERROR, 1)
        return
    while empty > slot:
        move(p, empty - size, empty)
        empty -= size
    move(p, candidate, slot)
    store(table + Table.HELD, load(table + Table.HELD) + 1)


def insert_all(p: Program, worker: int, table: int, first: int, count: int) -> None:
    """Put consecutive candidates into the table, which must have room for all of them."""
    for number in range(count):
        insert(p, worker, table, first + number * (p.words + 1) * 8)


def offer(p: Program, worker: int, table: int, first: int, count: int, records: int) -> int:
    """Turn the states in the buffer into candidates, in place; return how many are left.

    A state outside the system's constraint is judged here and left out.

    Parameters
    ----------
    records
        The records of the parents; 0 if there are none.
    """
    left = 0
    for number in range(count):
        state = first + number * p.stride
        if p.symmetric:
            p.canonical(state)
        if p.constrained and not p.admits(state):
            examine(p, worker, state)
            continue
        parent = 0
        if records != 0:
            parent = load(records + load(state + p.stride - 8) * p.words * 8)
        candidate = first + left * p.stride
        if left != number:
            copy(p, state, candidate)
        record_of(p, worker, candidate)
        store(candidate + 8 * p.words, parent)
        prefetch(home(p, table, candidate))
        left += 1
    return left


def expanded(p: Program, worker: int, records: int, count: int, taken: int) -> int:
    """Put the successors of a group of states into the buffer; return how many there are.

    Parameters
    ----------
    taken
        Address at which the steps of each instance are counted.
    """
    buffer, states = load(worker + Worker.BUFFER), load(worker + Worker.STATE)
    for number in range(count):
        restore(p, records + number * p.words * 8, states + number * p.words * 8)
    successors = p.expand(states, count, buffer, taken, worker + Worker.ALIVE)
    if successors < 0:
        store(worker + Worker.ERROR, 1)
        return 0
    return successors


def successors(p: Program, worker: int, table: int, records: int, count: int) -> int:
    """Put the successors of a group of states into the buffer as candidates; return how many."""
    candidates = expanded(p, worker, records, count, load(worker + Worker.TAKEN))
    if load(worker + Worker.ERROR) == 0:
        note_expanded(p, worker, load(worker + Worker.STATE), count)
    return offer(p, worker, table, load(worker + Worker.BUFFER), candidates, records)


def expand_records(p: Program, worker: int, table: int, records: int, count: int) -> int:
    """Put the successors of consecutive states into the table, while it should hold more.

    Returns how many of the states were expanded.
    """
    buffer = load(worker + Worker.BUFFER)
    done = 0
    while done < count and load(table + Table.HELD) < load(table + Table.MOST):
        some = min(GROUP, count - done)
        candidates = successors(p, worker, table, records + done * p.words * 8, some)
        for number in range(candidates):
            insert(p, worker, table, buffer + number * p.stride)
        done += some
    return done


def begin_with(p: Program, worker: int, table: int, states: int, count: int) -> None:
    """Put consecutive states, such as the initial ones, into the table, without a parent."""
    buffer = load(worker + Worker.BUFFER)
    for number in range(count):
        copy(p, states + number * p.words * 8, buffer)
        if offer(p, worker, table, buffer, 1, 0) != 0:
            insert(p, worker, table, buffer)


def drain(p: Program, table: int) -> int:
    """Move a table's candidates together, so that they are consecutive; return their number."""
    size = (p.words + 1) * 8
    first = load(table + Table.FIRST)
    end = load(table + Table.END)
    to = first
    slot = first
    while slot < end:
        if load(slot) != 0:
            if to != slot:
                move(p, slot, to)
            to += size
        slot += size
    return load(table + Table.HELD)


def rank(p: Program, first: int, count: int, size: int, hashed: int) -> int:
    """Return how many of sorted records, `size` bytes apart, have smaller fingerprints."""
    low = 0
    high = count
    while low < high:
        middle = low + high >> 1
        if below(load(first + middle * size), hashed):
            low = middle + 1
        else:
            high = middle
    return low


def subtract(p: Program, walk: int, run: int, count: int) -> None:
    """Remove the candidates of a walk that are among sorted records.

    The walk stops at the first candidate after all of these, which may be among the run's next
    records.  The search for each candidate doubles its steps, so that few candidates do not take a
    pass over a long run.
    """
    size = (p.words + 1) * 8
    read, to, end = load(walk + Walk.READ), load(walk + Walk.WRITE), load(walk + Walk.END)
    low = 0
    while read < end:
        high = low
        step = 1
        while high < count and before(p, run + high * p.words * 8, read):
            low = high + 1
            high += step
            step += step
        high = min(high, count)
        while low < high:
            middle = low + high >> 1
            if before(p, run + middle * p.words * 8, read):
                low = middle + 1
            else:
                high = middle
        if low == count:
            break
        if not same(p, run + low * p.words * 8, read):
            if to != read:
                move(p, read, to)
            to += size
        read += size
    store(walk + Walk.READ, read)
    store(walk + Walk.WRITE, to)


def accept(p: Program, worker: int, first: int, count: int, records: int, parents: int) -> None:
    """Judge new states, given as consecutive candidates; write records and parents separately."""
    state = load(worker + Worker.STATE)
    for number in range(count):
        candidate = first + number * (p.words + 1) * 8
        copy(p, candidate, records + number * p.words * 8)
        store(parents + number * 8, load(candidate + 8 * p.words))
        if p.judged:
            restore(p, candidate, state)
            examine(p, worker, state)


EXPORTED = (
    expand_records,
    begin_with,
    insert_all,
    drain,
    rank,
    subtract,
    accept,
    valid_records,
)
"""The functions that Python calls; all arguments are numbers."""
