"""How the table of seen states grows, in the subset of Python that ``translate`` takes."""

from __future__ import annotations

from .intrinsics import fetch_add, high_product, load, prefetch, shifted, store, swap_if
from .memory import BATCH, Shared, Worker
from .program import Program
from .seen import (
    BUCKET,
    UPPER,
    bucket_of,
    copy,
    examine,
    missing_bits,
    note_missing,
    overflow_position,
    same,
    seal,
    tag_of,
)
from .values import MACHINE

ARITHMETIC = MACHINE


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
    if more states belong into the same bucket than chance explains.
    """
    shared = load(worker + Worker.SHARED)
    buffer = load(worker + Worker.BUFFER)
    done = 0
    while done < count and load(shared + Shared.OVERFLOWED) < load(shared + Shared.OVERFLOW_LIMIT):
        some = min(BATCH, count - done)
        for index in range(some):
            candidate = buffer + index * p.stride
            state = first + (done + index) * p.words * 8
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
