"""How the table of seen states grows, in the subset of Python that ``translate`` takes."""

from __future__ import annotations

from .intrinsics import first_of_eight, high_product, load, prefetch, shifted, store
from .memory import Shared, Worker
from .program import Program
from .seen import BUCKET, UPPER, bucket_of, copy, mark_of, seal

BATCH = 64
"""States whose buckets are on their way at the same time."""


def grow(p: Program, shared: int, old: int, new: int, whole: int, rest: int) -> None:
    """Spread the marks of `old` buckets over `new` ones, in the same place, from the last one on.

    ``whole`` and ``rest`` are 2^40 divided by `old`.  The marks of bucket b belong to upper bits
    from ceil(b * 2^40 / old) on, and hold so many low ones of these that this tells all 40.  A
    bucket's marks never move down, so those above have moved already.  The stash must be empty.
    """
    table = load(shared + Shared.TABLE)
    known = 24 if p.exact else 16
    start, part = 1 << 40, 0
    bucket = old
    while bucket > 0:
        bucket -= 1
        start, part = start - whole, part - rest
        if part < 0:
            start, part = start - 1, part + old
        first = start + 1 if part > 0 else start
        for slot in range(BUCKET):
            mark = load(table + bucket * 64 + 8 * slot)
            if mark != 0:
                store(table + bucket * 64 + 8 * slot, 0)
                low = shifted(mark, 64 - known)
                upper = (first + (low - first & (1 << known) - 1)) << 24
                place(shared, high_product(upper, new), upper, mark)


def remember(p: Program, worker: int, first: int, number: int, count: int) -> None:
    """Put states that lie at an address, and are known, into the table; `number` is the first's."""
    shared = load(worker + Worker.SHARED)
    buffer = load(worker + Worker.BUFFER)
    done = 0
    while done < count:
        some = min(BATCH, count - done)
        for index in range(some):
            candidate = buffer + index * p.stride
            copy(p, first + (done + index) * p.words * 8, candidate)
            seal(p, candidate)
            prefetch(bucket_of(p, shared, candidate))
        for index in range(some):
            candidate = buffer + index * p.stride
            upper = load(candidate + 8 * p.words) & UPPER
            mark = mark_of(p, candidate)
            if p.exact:
                mark = mark + number + done + index + 1
            place(shared, high_product(upper, load(shared + Shared.BUCKETS)), upper, mark)
        done += some


def place(shared: int, bucket: int, upper: int, mark: int) -> None:
    """Put a mark into its bucket, or into the stash."""
    address = load(shared + Shared.TABLE) + bucket * 64
    slot = first_of_eight(address, 0, 0)
    if slot < BUCKET:
        store(address + 8 * slot, mark)
    else:
        stash(shared, upper, mark)


def stash(shared: int, upper: int, mark: int) -> None:
    """Put a mark into the stash."""
    size = load(shared + Shared.STASH_SIZE)
    position = high_product(upper * 0x9E3779B97F4A7C15, size)
    while load(load(shared + Shared.STASH) + 16 * position) != 0:
        position += 1
        if position == size:
            position = 0
    entry = load(shared + Shared.STASH) + 16 * position
    store(entry, upper + 1)
    store(entry + 8, mark)
    store(shared + Shared.STASHED, load(shared + Shared.STASHED) + 1)


def restash(p: Program, shared: int, entries: int, count: int) -> None:
    """Put what the stash held back, after the table has grown; most of it fits into buckets now."""
    for number in range(count):
        entry = entries + 16 * number
        if load(entry) != 0:
            upper = load(entry) - 1
            place(
                shared, high_product(upper, load(shared + Shared.BUCKETS)), upper, load(entry + 8)
            )
