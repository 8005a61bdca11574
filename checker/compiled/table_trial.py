"""Tries the table of seen states, as machine code has it, on a small table that gets full.

Few states of a search meet full buckets or tags that are alike, so that a fault which loses such a
state, or stores it twice, shows nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .comparison import disagreement
from .machine import Machine, Sizes
from .memory import Worker
from .memory_budget import MemoryBudget
from .sampler import Words
from .table import EXACT_BUCKETS

MEMORY = 1 << 24

LOAD = 7
"""States per bucket of eight: many find their bucket full, and go where those go that overflow."""


def try_table(machine: Machine, states: Sequence[Words], properties: int) -> None:
    """Put states into small tables, twice, and compare what is stored with them.

    Parameters
    ----------
    machine
        That of the search, for its code.
    states
        States inside the constraint, all different; under symmetry representatives.

    Raises
    ------
    DisagreementError
        If the table loses one, or stores one twice.
    """
    if not states:
        return
    _try(machine, states, properties, max(len(states) // LOAD, 1), 0)
    if machine.exact:
        _try(machine, states, properties, EXACT_BUCKETS, EXACT_BUCKETS * 3 // 2)


def _try(
    machine: Machine, states: Sequence[Words], properties: int, buckets: int, grown: int
) -> None:
    with small_machine(machine, properties, buckets) as small:
        for block, _ in small.workers:
            # No state is judged after an error.
            block[Worker.ERROR] = 1
        half = len(states) // 2 if grown else len(states)
        if not small.add_states(states[:half]):
            # It is full, as a search that lets it grow would find.
            states = states[: small.inserted]
        if grown:
            small.table.grow(grown)
        for _ in range(2):
            small.add_states(states)
            if small.inserted != len(states) or not _stores(small, states):
                raise disagreement(
                    f"machine code stores {small.inserted} states of {len(states)} that are put "
                    f"into its table"
                )


@contextmanager
def small_machine(machine: Machine, properties: int, buckets: int) -> Iterator[Machine]:
    """Yield a machine with the code of another, and little memory of its own."""
    sizes = Sizes(memory=MEMORY, workers=len(machine.workers), chunk=1, buckets=buckets)
    small = Machine(
        machine.code, machine.module, machine.exact, machine.instances, properties, sizes
    )
    try:
        MemoryBudget(small, MEMORY).for_states()
        yield small
    finally:
        small.close()
        # The code has kept states elsewhere meanwhile.
        machine.sampler.attach()
        machine.sampler.forget()


def _stores(machine: Machine, states: Sequence[Words]) -> bool:
    """Whether it stores these states; with fingerprints a search saves them elsewhere at once."""
    if not machine.exact:
        return True
    segments = machine.new_segments([(0, 0)] * len(machine.workers), 0)
    stored = list(machine.read(segments))
    return len(stored) == len(states) and set(stored) == set(states)
