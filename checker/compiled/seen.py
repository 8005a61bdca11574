"""The table of seen states, in the subset of Python that is translated.

All workers share it.  It consists of buckets of eight 64-bit *tags* (one cache line).  The upper
40 bits of a state's hash determine its *home* bucket; if that is full, its tag goes to one of the
next few, its *window*, and if all of these are full, to the *overflow table*, beside the upper bits
that it lacks.  A window is so short that a tag and its bucket always determine its upper bits, and
the table can grow in place.

With exact storage a tag is the number of the state, plus 24 bits of hash, and a state counts as
seen only if it equals the state of that number.  With fingerprints a tag is 64 bits of hash, which
together with the bucket make 88.

There are no locks: tags are set by compare-and-swap.

Counts given states among all that a search has stored, in the subset that is translated.

It knows nothing of the table of seen states, so that a fault there shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from types import TracebackType
from typing import Any

from ...core.layout import Layout, State
from .build import Code
from .intrinsics import (
    below,
    fetch_add,
    first_of_eight,
    high_product,
    load,
    load_published,
    prefetch,
    shifted,
    store,
    swap_if,
)
from .memory import BLOCK, Region, Shared, Worker
from .program import Program

BUCKET = 8
"""Tags in a bucket."""

SMEAR = 14
"""Bits of the distance at random from where a tag's upper bits place it in the overflow table."""

SEEN, NEW, FULL = 0, 1, 2
"""The results of adding a candidate."""

UPPER = 0xFFFFFFFFFF000000
"""The 40 bits of a hash that determine the bucket."""


def mix(word: int) -> int:
    """Scramble 64 bits, as :func:`tidegate.core.layout.mix` does."""
    word = word + 0x9E3779B97F4A7C15
    word = (word ^ shifted(word, 30)) * 0xBF58476D1CE4E5B9
    word = (word ^ shifted(word, 27)) * 0x94D049BB133111EB
    return word ^ shifted(word, 31)


def fingerprint(p: Program, state: int) -> int:
    """Return the fingerprint of a state: see :meth:`~tidegate.core.layout.Layout.fingerprint`."""
    hashed = p.words
    for word in range(p.words):
        hashed = mix(hashed ^ load(state + 8 * word))
    return hashed


def second_hash(p: Program, state: int) -> int:
    """Return 64 more bits of hash, from the same words by another function in another order."""
    hashed = 0x2545F4914F6CDD1D
    for word in range(p.words - 1, -1, -1):
        hashed = mix((hashed ^ load(state + 8 * word)) * 0xD6E8FEB86659FD93)
    return hashed


def short_hash(p: Program, state: int) -> int:
    """Return a hash that takes one 128-bit multiplication for each word but the first.

    It only determines a state's bucket, so it may differ between engines.  The folding is that of
    wyhash (Wang Yi, public domain).
    """
    if p.words == 1:
        return mix(load(state))
    hashed = load(state) ^ 0xA0761D6478BD642F
    for word in range(1, p.words):
        other = load(state + 8 * word) ^ 0xE7037ED1A0B428DB
        hashed = high_product(hashed, other) ^ hashed * other
    return hashed


def same(p: Program, one: int, other: int) -> bool:
    """Whether two states are equal."""
    for word in range(p.words):
        if load(one + 8 * word) != load(other + 8 * word):
            return False
    return True


def copy(p: Program, state: int, to: int) -> None:
    """Copy the words of a state."""
    for word in range(p.words):
        store(to + 8 * word, load(state + 8 * word))


def note(p: Program, worker: int, state: int, number: int) -> None:
    """Keep a violation of the property of that number, if its fingerprint is the least so far."""
    entry = load(worker + Worker.FOUND) + number * (p.words + 2) * 8
    hashed = fingerprint(p, state)
    if load(entry) == 0 or below(hashed, load(entry + 8)):
        store(entry + 8, hashed)
        copy(p, state, entry + 16)
    store(entry, load(entry) + 1)
    store(worker + Worker.NOTED, 1)


def examine(p: Program, worker: int, state: int) -> None:
    """Judge a state, and keep what it violates of the properties that are still undecided."""
    if load(worker + Worker.ERROR) == 0:
        keep_violations(p, worker, state, p.judge(state))


def keep_violations(p: Program, worker: int, state: int, violated: int) -> None:
    """Keep a state for each undecided property whose bit is set; a negative number is an error."""
    if violated < 0:
        store(worker + Worker.ERROR, 1)
        return
    violated = violated & load(load(worker + Worker.SHARED) + Shared.ACTIVE)
    number = 0
    while violated:
        if violated & 1:
            note(p, worker, state, number)
        violated = violated >> 1
        number += 1


def tag_of(p: Program, candidate: int) -> int:
    """Return the tag of a candidate; with exact storage still without the state's number."""
    hashed = load(candidate + 8 * p.words)
    if p.exact:
        return (shifted(hashed, 24) & 0xFFFFFF) << 40
    more = load(candidate + 8 * p.words + 8) & 0xFFFFFF
    tag = (shifted(hashed, 24) & 0xFFFF) << 48 | (hashed & 0xFFFFFF) << 24 | more
    # An empty slot is 0; that one tag in 2^64 becomes its neighbour does not change the odds.
    return tag if tag != 0 else 1


def has_tag(p: Program, shared: int, candidate: int, tag: int, stored: int) -> bool:
    """Whether a tag in the table belongs to this candidate."""
    if not p.exact:
        return stored == tag
    if shifted(stored ^ tag, 40) != 0:
        return False
    number = (stored & 0xFFFFFFFFFF) - 1
    return same(p, candidate, load(shared + Shared.STATES) + number * p.words * 8)


def set_aside(p: Program, shared: int, worker: int) -> bool:
    """Make sure that this worker has room for one more state."""
    if load(worker + Worker.NEXT) == load(worker + Worker.END):
        start = fetch_add(shared + Shared.TAIL, BLOCK)
        if start + BLOCK > load(shared + Shared.CAPACITY):
            fetch_add(shared + Shared.TAIL, -BLOCK)
            return False
        store(worker + Worker.NEXT, start)
        store(worker + Worker.END, start + BLOCK)
    return True


def enter(p: Program, shared: int, worker: int, candidate: int, slot: int, tag: int) -> bool:
    """Try to put a new state's tag into an empty slot, and the state after those before it."""
    number = load(worker + Worker.NEXT)
    state = load(shared + Shared.STATES) + number * p.words * 8
    copy(p, candidate, state)
    complete = tag + number + 1 if p.exact else tag
    if load(shared + Shared.ALONE) != 0:
        store(slot, complete)
    elif not swap_if(slot, 0, complete):
        return False
    store(worker + Worker.NEXT, number + 1)
    store(worker + Worker.INSERTED, load(worker + Worker.INSERTED) + 1)
    if p.judged:
        examine(p, worker, state)
    return True


def bucket_of(p: Program, shared: int, candidate: int) -> int:
    """Return the address of a candidate's home bucket."""
    upper = load(candidate + 8 * p.words) & UPPER
    bucket = high_product(upper, load(shared + Shared.BUCKETS))
    return load(shared + Shared.TABLE) + bucket * 64


def seal(p: Program, candidate: int) -> None:
    """Prepare a successor for its look-up: its representative, and its hashes."""
    if p.symmetric:
        p.canonical(candidate)
    if p.exact:
        store(candidate + 8 * p.words, short_hash(p, candidate))
    else:
        store(candidate + 8 * p.words, fingerprint(p, candidate))
        store(candidate + 8 * p.words + 8, second_hash(p, candidate))


def look_up(p: Program, shared: int, candidate: int) -> None:
    """Find the first slot of a bucket that may hold a candidate, and prefetch what comes next.

    Earlier slots hold other tags for ever, so ``add`` begins at this slot.
    """
    bucket, tag = load(candidate + p.stride - 8), tag_of(p, candidate)
    slot = first_of_eight(bucket, tag, 40 if p.exact else 0)
    store(candidate + p.stride - 8, slot)
    if p.exact and slot < BUCKET:
        number = (load(bucket + 8 * slot) & 0xFFFFFFFFFF) - 1
        prefetch(load(shared + Shared.STATES) + number * p.words * 8)
    elif slot == BUCKET and load(shared + Shared.WINDOW) > 1:
        prefetch(bucket + 64)
        prefetch(bucket + 128)
    elif slot == BUCKET:
        position = overflow_position(shared, load(candidate + 8 * p.words) & UPPER)
        prefetch(load(shared + Shared.OVERFLOW) + 8 * position)
        prefetch(load(shared + Shared.MISSING) + 4 * position)


def next_slot(p: Program, slot: int, end: int, tag: int) -> int:
    """Return the next slot of a window, which ends at `end`, that may hold a tag; or its end."""
    slot += 8
    while slot < end and slot & 63 == 0:
        place = first_of_eight(slot, tag, 40 if p.exact else 0)
        slot += 8 * place
        if place < BUCKET:
            return slot
    return slot


def first_slot(p: Program, candidate: int, bucket: int, end: int, tag: int) -> int:
    """Return the first slot of a window that may hold a candidate after ``look_up``; or its end."""
    place = load(candidate + p.stride - 8)
    return bucket + 8 * place if place < BUCKET else next_slot(p, bucket + 56, end, tag)


def add(p: Program, shared: int, worker: int, candidate: int) -> int:
    """Add a candidate to the seen states, unless it is among them: SEEN, NEW, or FULL."""
    bucket, tag = bucket_of(p, shared, candidate), tag_of(p, candidate)
    end = bucket + 64 * load(shared + Shared.WINDOW)
    slot = first_slot(p, candidate, bucket, end, tag)
    while slot < end:
        stored = load_published(slot)
        if stored == 0:
            if not set_aside(p, shared, worker):
                return FULL
            if enter(p, shared, worker, candidate, slot, tag):
                return NEW
            stored = load_published(slot)
        if has_tag(p, shared, candidate, tag, stored):
            return SEEN
        slot = next_slot(p, slot, end, tag)
    return add_to_overflow(p, shared, worker, candidate, tag)


def overflow_position(shared: int, upper: int) -> int:
    """Return the first position in the overflow table for these upper bits.

    They are in the order of the table, but for the smear, so that growth moves nearby tags to
    nearby buckets.
    """
    scattered = shifted(upper * 0x9E3779B97F4A7C15, 64 - SMEAR)
    return high_product(upper, load(shared + Shared.OVERFLOW_SPREAD)) + scattered


def missing_bits(p: Program, upper: int) -> int:
    """Return the upper bits that a tag lacks, plus 1, since 0 stands for none."""
    return shifted(upper, 48 if p.exact else 40) + 1


def note_missing(shared: int, position: int, missing: int) -> None:
    """Write the 32 bits beside a tag in the overflow table, which nobody has written yet."""
    fetch_add(load(shared + Shared.MISSING) + 8 * (position >> 1), missing << 32 * (position & 1))


def missing_at(shared: int, position: int) -> int:
    """Return the 32 bits beside a tag in the overflow table, once they have been written."""
    address = load(shared + Shared.MISSING) + 8 * (position >> 1)
    while True:
        missing = shifted(fetch_add(address, 0), 32 * (position & 1)) & 0xFFFFFFFF
        if missing != 0:
            return missing


def add_to_overflow(p: Program, shared: int, worker: int, candidate: int, tag: int) -> int:
    """Add a candidate whose window is full to the overflow table, unless it is there."""
    upper = load(candidate + 8 * p.words) & UPPER
    missing, size = missing_bits(p, upper), load(shared + Shared.OVERFLOW_SIZE)
    position = overflow_position(shared, upper)
    while True:
        slot = load(shared + Shared.OVERFLOW) + 8 * position
        stored = load_published(slot)
        if stored == 0:
            if load(shared + Shared.OVERFLOWED) >= load(shared + Shared.OVERFLOW_LIMIT):
                return FULL
            if not set_aside(p, shared, worker):
                return FULL
            if enter(p, shared, worker, candidate, slot, tag):
                note_missing(shared, position, missing)
                fetch_add(shared + Shared.OVERFLOWED, 1)
                return NEW
            stored = load_published(slot)
        if has_tag(p, shared, candidate, tag, stored) and missing_at(shared, position) == missing:
            return SEEN
        position += 1
        if position == size:
            position = 0


SPREAD = 0x9E3779B97F4A7C15
"""An odd number whose products have well-mixed upper bits."""


class Sought(IntEnum):
    """Byte offsets in an entry, after the words of the state: how often it was met, and where."""

    TIMES = 0
    LEVEL = 8
    SIZE = 16


def census(
    p: Program, states: int, count: int, level: int, slots: int, mask: int, sought: int
) -> None:
    """Count which consecutive states are among those sought.

    Parameters
    ----------
    level
        To be noted for each state that is met.
    slots
        Address of a table by hash: the number of an entry, from 1 on, or 0; it has one more
        slot than `mask` and is not full.
    sought
        Address of the entries.
    """
    size = p.words * 8 + Sought.SIZE
    for number in range(count):
        state = states + number * p.words * 8
        hashed = load(state)
        for word in range(1, p.words):
            hashed = hashed * SPREAD ^ load(state + 8 * word)
        slot = shifted(hashed * SPREAD, 32) & mask
        entry = load(slots + 8 * slot)
        while entry != 0:
            place = sought + (entry - 1) * size
            if same(p, state, place):
                times = place + p.words * 8
                store(times, load(times) + 1)
                store(times + Sought.LEVEL, level)
            slot = slot + 1 & mask
            entry = load(slots + 8 * slot)


def _slot(words: Sequence[int]) -> int:
    """Return the same hash of a state as :func:`census` uses."""
    hashed = 0
    for word in words:
        hashed = hashed * SPREAD % (1 << 64) ^ word
    return hashed * SPREAD % (1 << 64) >> 32


class Census:
    """Counts given states in the memory of a search.

    Parameters
    ----------
    code
        Of the search, which exports :func:`census`.
    sought
        The states to count, all different.
    """

    def __init__(self, code: Code, layout: Layout[Any], sought: Sequence[State]) -> None:
        self._census = code.function("census", 6)
        self._sought, self._words = len(sought), 8 * layout.words
        self._size = self._words + Sought.SIZE
        self._entries = Region(self._size * len(sought))
        self._mask = (1 << (16 * len(sought)).bit_length()) - 1
        self._slots = Region(8 * (self._mask + 1))
        for number, state in enumerate(sought):
            for word, value in enumerate(layout.pack(state)):
                self._entries[self._size * number + 8 * word] = value
            slot = _slot(layout.pack(state)) & self._mask
            while self._slots[8 * slot]:
                slot = slot + 1 & self._mask
            self._slots[8 * slot] = number + 1

    def take(self, address: int, count: int, level: int) -> None:
        """Count the states sought among consecutive ones, which are in that level."""
        entries = self._entries.address
        self._census(address, count, level, self._slots.address, self._mask, entries)

    def found(self) -> list[tuple[int, int]]:
        """Return for each state how often it was met, and the last level in which it was."""
        places = range(self._words, self._sought * self._size, self._size)
        return [(self._entries[at], self._entries[at + Sought.LEVEL]) for at in places]

    def __enter__(self) -> Census:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._entries.close()
        self._slots.close()
