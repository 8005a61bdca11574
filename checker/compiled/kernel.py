"""The search itself, in the subset of Python that is translated.

Workers take chunks of the frontier: all successors of a chunk's states are computed first, then
looked up together, so that the memory for one is fetched while another is processed.

Narrow levels one after another, in the subset of Python that is translated.

Handing a level to the workers and back takes longer than a hundred states.  So one worker goes
through levels that are a single chunk each, up or down, until something needs the driver.

How the table of seen states grows, in the subset of Python that is translated.
"""

from __future__ import annotations

from enum import IntEnum

from .intrinsics import below, fetch_add, high_product, load, prefetch, shifted, store, swap_if
from .memory import BATCH, DONE, GROUP, GROW, RECENT, STOPPED, Shared, Worker
from .program import Program
from .seen import (
    BUCKET,
    FULL,
    UPPER,
    add,
    bucket_of,
    copy,
    examine,
    fingerprint,
    keep_violations,
    look_up,
    missing_bits,
    note,
    note_missing,
    overflow_position,
    same,
    seal,
    short_hash,
    tag_of,
)


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
        store(worker + Worker.TOUCHED, load(worker + Worker.TOUCHED) | load(worker + Worker.TOOK))
        note_expanded(p, worker, state, some)
        successors += more
        state += some * p.words * 8
        count -= some
    return successors


def note_expanded(p: Program, worker: int, states: int, count: int) -> None:
    """Note the states without a successor, and whose assertions fail, among those expanded last."""
    if p.deadlock >= 0:
        note_some(p, worker, states, count, p.deadlock)
    if p.asserted >= 0:
        note_some(p, worker, states, count, p.asserted)


def note_some(p: Program, worker: int, states: int, count: int, number: int) -> None:
    """Note the states of those expanded last that violate a property, unless that is decided."""
    if load(load(worker + Worker.SHARED) + Shared.ACTIVE) >> number & 1 == 0:
        return
    for place in range(count):
        if violates(p, worker, place, number):
            note(p, worker, states + place * p.words * 8, number)


def violates(p: Program, worker: int, place: int, number: int) -> bool:
    """Whether the steps of a state, of those expanded last, violate a property."""
    word, bit = 8 * (place >> 6), place & 63
    asserted = load(worker + Worker.ASSERTED + word) >> bit & 1
    if number == p.asserted:
        return asserted == 1
    return asserted == 0 and load(worker + Worker.ALIVE + word) >> bit & 1 == 0


def settle(p: Program, worker: int, keep: bool) -> None:
    """Count the steps of a finished chunk, or forget those of a chunk that will be repeated."""
    taken, scratch = load(worker + Worker.TAKEN), load(worker + Worker.SCRATCH)
    touched, first = load(worker + Worker.TOUCHED), 0
    store(worker + Worker.TOUCHED, 0)
    while touched != 0:
        if touched & 1 == 1:
            for instance in range(first, min(first + p.portion, p.instances)):
                if keep:
                    address = taken + 8 * instance
                    store(address, load(address) + load(scratch + 8 * instance))
                store(scratch + 8 * instance, 0)
        touched = shifted(touched, 1)
        first += p.portion


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


class Block(IntEnum):
    """Byte offsets in the block of a batch.

    ``MOST`` is the most levels of it, ``PASSED`` how many are recorded, and ``UNTIL`` the number of
    states at which it ends.  The level after those recorded begins where the worker was at
    ``NEXT``, ``END`` and ``TAIL``.  ``OUTPUT`` is the address for parents.  From ``RECORDS`` on
    there are two numbers for each level: its first state, and how many it has.
    """

    MOST = 0
    PASSED = 8
    UNTIL = 16
    NEXT = 24
    END = 32
    TAIL = 40
    OUTPUT = 48
    RECORDS = 56


def expand_levels(p: Program, worker: int) -> int:
    """Expand the frontier, a single chunk, and the levels after it: DONE, GROW or STOPPED.

    The last level found is not recorded: it may be in several segments, or lack states.
    """
    shared = load(worker + Worker.SHARED)
    batch, segment = load(shared + Shared.BATCH), load(shared + Shared.SEGMENTS)
    store(batch + Block.PASSED, 0)
    store(worker + Worker.NOTED, 0)
    while True:
        begin, end = load(worker + Worker.NEXT), load(worker + Worker.END)
        tail = load(shared + Shared.TAIL)
        store(batch + Block.NEXT, begin)
        store(batch + Block.END, end)
        store(batch + Block.TAIL, tail)
        if not do_chunk(p, shared, worker, 0):
            store(worker + Worker.REDO, 0)
            store(shared + Shared.CURSOR, 1)
            return GROW
        if load(worker + Worker.ERROR) != 0:
            return STOPPED
        first = tail if begin == end else begin
        count = load(worker + Worker.NEXT) - first
        # A worker's next block follows the one before, unless that was not the last of all.
        if load(worker + Worker.END) != end and first != tail and end != tail:
            return DONE
        if count <= 0 or count > load(shared + Shared.CHUNK) or must_end(p, shared, worker, batch):
            return DONE
        passed = load(batch + Block.PASSED)
        store(batch + Block.RECORDS + 16 * passed, first)
        store(batch + Block.RECORDS + 16 * passed + 8, count)
        store(batch + Block.PASSED, passed + 1)
        store(segment, first)
        store(segment + 8, count)


def must_end(p: Program, shared: int, worker: int, batch: int) -> bool:
    """Whether the driver has to see the level that was found last."""
    if load(shared + Shared.STOP) != 0 or load(worker + Worker.NOTED) != 0:
        return True
    if load(worker + Worker.INSERTED) >= load(batch + Block.UNTIL):
        return True
    return load(batch + Block.PASSED) + 1 >= load(batch + Block.MOST)


def find_ancestors(p: Program, worker: int) -> int:
    """Find the parents of the targets, their parents, and so on; return on how many levels.

    The recorded levels are those of the parents, the deepest first.
    """
    shared = load(worker + Worker.SHARED)
    batch, segment = load(shared + Shared.BATCH), load(shared + Shared.SEGMENTS)
    targets, count = load(shared + Shared.TARGETS), load(shared + Shared.TARGET_COUNT)
    size, output = (p.words + 2) * 8, load(batch + Block.OUTPUT)
    for level in range(load(batch + Block.MOST)):
        if load(shared + Shared.STOP) != 0:
            return level
        record = batch + Block.RECORDS + 16 * level
        store(segment, load(record))
        store(segment + 8, load(record + 8))
        find_in_chunk(p, shared, worker, 0)
        for target in range(count):
            if load(load(worker + Worker.FOUND) + target * size) == 0:
                return level
        for target in range(count):
            entry = load(worker + Worker.FOUND) + target * size
            copy(p, entry + 16, targets + target * p.words * 8)
            copy(p, entry + 16, output)
            output += p.words * 8
            store(entry, 0)
    return load(batch + Block.MOST)


EXPORTED = (expand_levels, find_ancestors)
"""What the driver calls; all arguments are numbers."""


def grow(p: Program, shared: int, order: int) -> None:
    """Move the tags of some buckets to their windows in the grown table, the last one first.

    Tags must have left the windows that these move to, where no other worker may put any.  The tags
    in a bucket have their homes there or in the few buckets before it; the first of these, h of
    `old`, has upper bits from ceil(h * 2^40 / old) on, and tags contain enough of the low ones to
    reconstruct all 40.

    Parameters
    ----------
    order
        Address of nine numbers: the old and the new number of buckets, the first bucket to move
        and the one after the last, (quotient, remainder) of the upper bits of that one's first
        home and of one bucket's, both divided by `old`, and the address of the old bucket 0.
    """
    known = 24 if p.exact else 16
    old, new, low, bucket = load(order), load(order + 8), load(order + 16), load(order + 24)
    start, part = load(order + 32), load(order + 40)
    quotient, rest = load(order + 48), load(order + 56)
    table = load(order + 64)
    while bucket > low:
        bucket -= 1
        start, part = start - quotient, part - rest
        if part < 0:
            start, part = start - 1, part + old
        first = start + 1 if part > 0 else start
        for slot in range(BUCKET):
            tag = load(table + bucket * 64 + 8 * slot)
            if tag != 0:
                store(table + bucket * 64 + 8 * slot, 0)
                bits = shifted(tag, 64 - known)
                upper = (first + (bits - first & (1 << known) - 1)) << 24
                place(p, shared, high_product(upper, new), upper, tag)


def remember(p: Program, worker: int, first: int, number: int, count: int) -> int:
    """Put states from a file into the table; return how many were added.

    `first` is the address of the first state, and `number` its number.  They are judged again, so
    that no verdict relies on the file.  A state that no search would store is an error.  It stops
    at one with a variable beyond its range, for which the code is not made, and if more states
    belong into the same bucket than chance explains.
    """
    shared = load(worker + Worker.SHARED)
    buffer = load(worker + Worker.BUFFER)
    done = 0
    while done < count and load(shared + Shared.OVERFLOWED) < load(shared + Shared.OVERFLOW_LIMIT):
        some = min(BATCH, count - done)
        for index in range(some):
            candidate = buffer + index * p.stride
            state = first + (done + index) * p.words * 8
            if not p.valid(state):
                return done
            copy(p, state, candidate)
            seal(p, candidate)
            prefetch(bucket_of(p, shared, candidate))
            if p.symmetric and not same(p, candidate, state):
                store(worker + Worker.ERROR, 1)
            if p.constrained and not p.admits(candidate):
                store(worker + Worker.ERROR, 1)
            if p.judged:
                examine(p, worker, state)
        for index in range(some):
            candidate = buffer + index * p.stride
            upper = load(candidate + 8 * p.words) & UPPER
            tag = tag_of(p, candidate)
            if p.exact:
                tag = tag + number + done + index + 1
            place(p, shared, high_product(upper, load(shared + Shared.BUCKETS)), upper, tag)
        done += some
    return done


def place(p: Program, shared: int, bucket: int, upper: int, tag: int) -> None:
    """Put a tag into the window of its home bucket, or into the overflow table."""
    slot = load(shared + Shared.TABLE) + bucket * 64
    end = slot + 64 * load(shared + Shared.WINDOW)
    # Slots are used in order, so a bucket whose last one is in use is full.
    while slot < end and load(slot + 56) != 0:
        slot += 64
    # One slot after the other: a vector load would wait for the last write to this bucket.
    while slot < end:
        if load(slot) == 0:
            store(slot, tag)
            return
        slot += 8
    overflow(p, shared, upper, tag)


def overflow(p: Program, shared: int, upper: int, tag: int) -> None:
    """Put a tag into the overflow table; other workers may do so at the same time."""
    size = load(shared + Shared.OVERFLOW_SIZE)
    position = overflow_position(shared, upper)
    while not swap_if(load(shared + Shared.OVERFLOW) + 8 * position, 0, tag):
        position += 1
        if position == size:
            position = 0
    note_missing(shared, position, missing_bits(p, upper))
    fetch_add(shared + Shared.OVERFLOWED, 1)


def reinsert(
    p: Program, shared: int, tags: int, missing: int, first: int, count: int, low: int
) -> int:
    """Put tags of the old overflow table back; return for how many it is too early.

    `tags` and `missing` are the addresses of its two parts.  From bucket `low` on all tags have
    moved.
    """
    known, early = 24 if p.exact else 16, 0
    for position in range(first, first + count):
        tag = load(tags + 8 * position)
        if tag != 0:
            word = load(missing + 8 * (position >> 1))
            high = (shifted(word, 32 * (position & 1)) & 0xFFFFFFFF) - 1
            upper = (high << known | shifted(tag, 64 - known)) << 24
            bucket = high_product(upper, load(shared + Shared.BUCKETS))
            if bucket < low:
                early += 1
            else:
                store(tags + 8 * position, 0)
                place(p, shared, bucket, upper, tag)
    return early
