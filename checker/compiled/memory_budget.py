"""Divides the memory of a search between the table of seen states and the states."""

from __future__ import annotations

from collections.abc import Callable

from .machine import Machine
from .memory import BLOCK, MemoryLimitError, Shared
from .table import EXACT_BUCKETS, FINGERPRINT_BUCKETS, buckets_for, table_bytes

GROWTH = ((1 << 23, 400), (1 << 26, 200), (1 << 62, 120))
"""For tables of fewer buckets, the new size in percent of the old: a large one wastes less."""

LEAST_GROWTH = 64
"""A table that cannot grow by a part of this many is as large as it can be."""

LEAST, MOST = 1 << 20, 128 << 20
"""The limits, in bytes, of memory populated for states at a time: a quarter of what there is."""


LEAST_MEMORY = 12 << 20
"""Bytes for the table and the states of a search, however little is left beside its code."""


def first_buckets(memory: int, limit: int, exact: bool, known: int, words: int) -> int:
    """Return how many buckets the table begins with: enough for the states of a checkpoint.

    Parameters
    ----------
    memory
        Bytes for states and their table.
    limit
        What the user allowed, in bytes.
    known
        How many states the checkpoint has.
    words
        Words of 8 bytes that a state takes.

    Raises
    ------
    MemoryLimitError
        If the memory is too little for them.
    """
    buckets = max(EXACT_BUCKETS if exact else FINGERPRINT_BUCKETS, buckets_for(known))
    needed = table_bytes(buckets) + (known * 8 * words if exact else 0)
    if needed > memory:
        raise MemoryLimitError(
            f"--max-memory {limit >> 20}M is too little: the table of seen states"
            f"{' and the states of the checkpoint' if known else ''} takes {(needed >> 20) + 1}M "
            f"beside the code; allow more{'' if exact or known else ', or use --store exact'}"
        )
    return buckets


class MemoryBudget:
    """Divides the memory that a search may use, in bytes, between its table and its states.

    ``most_states`` is the limit of states that the user set, if any.

    Parameters
    ----------
    lent
        Returns how much of it something else may use at the moment.
    """

    def __init__(self, machine: Machine, memory: int, lent: Callable[[], int] = lambda: 0) -> None:
        self.machine = machine
        self.memory = memory
        self._lent = lent
        self.most_states: int | None = None

    def make(self) -> bool:
        """Let the table grow, or the memory for states; False if there is none left."""
        machine = self.machine
        shared = machine.shared
        if shared[Shared.TAIL] + self._slack > shared[Shared.CAPACITY]:
            return self.for_states()
        old = shared[Shared.BUCKETS]
        free = self.memory - self._lent() - machine.bytes_used
        wanted = next(old * percent // 100 for most, percent in GROWTH if old < most)
        new = min(wanted, old + free * 9 // 10 * wanted // table_bytes(wanted))
        if new < old + old // LEAST_GROWTH:
            return False
        machine.table.grow(new)
        return self.for_states()

    def for_states(self) -> bool:
        """Allow as many states as there is memory for, up to the user's limit."""
        machine = self.machine
        tail = machine.shared[Shared.TAIL]
        # Half of the free memory is left for the table's growth.
        free = self.memory - self._lent() - machine.bytes_used
        capacity = tail + free // 2 // machine.state_bytes
        if self.most_states is not None:
            capacity = min(capacity, max(self.most_states, tail) + self._slack)
        if capacity < tail + self._slack:
            return False
        more = min(max(tail * machine.state_bytes // 4, LEAST), MOST)
        capacity = min(capacity, tail + self._slack + more // machine.state_bytes)
        machine.prepare_states(capacity)
        machine.shared[Shared.CAPACITY] = capacity
        return True

    @property
    def _slack(self) -> int:
        """The most states for which the workers have reserved room beyond those they found."""
        return 2 * BLOCK * len(self.machine.workers)
