"""Trials of what machine code stores, with data that is made up.

Few states of a search meet full buckets or tags that are alike, so that a fault which loses such a
state, or stores it twice, shows nowhere else.

A search may meet no violation but the one that matters, so that a fault which forgets it shows
nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from .comparison import disagreement
from .machine import MINUS_ONE, Machine, Sizes
from .memory import Region, Shared, Worker
from .memory_budget import MemoryBudget
from .sampler import Words
from .table import EXACT_BUCKETS

MEMORY = 1 << 24

LOAD = 7
"""States per bucket of eight: many find their bucket full, and go where those go that overflow."""


def try_table(machine: Machine, states: Sequence[Words], properties: int) -> None:
    """Put states into small tables, twice, and compare the contents with them.

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


SOME = 4
"""States that are kept as violations."""


def try_violations(machine: Machine, states: Sequence[Words], properties: int) -> None:
    """Keep states for each property alone, for all and for none, and compare the kept states.

    Parameters
    ----------
    machine
        That of the search, for its code.
    states
        States of the search, all different.

    Raises
    ------
    DisagreementError
        If a violation is forgotten, added, or kept of another state.
    """
    states = states[:SOME]
    if not (states and properties):
        return
    with small_machine(machine, properties, EXACT_BUCKETS) as small:
        trial = _Trial(small, states, machine.code.function("judge_as", 3))
        every = (1 << properties) - 1
        alone = [1 << number for number in range(properties)]
        for undecided in (MINUS_ONE, *(MINUS_ONE ^ bit for bit in alone)):
            for violated in (*alone, every, every & ~1, 0):
                trial.each(violated, undecided)
        trial.pairs(every)
        trial.error()


class _Trial:
    """A machine to try it with, and states in memory that it can read."""

    def __init__(
        self, machine: Machine, states: Sequence[Words], judge_as: Callable[..., int]
    ) -> None:
        self._machine, self._states, self._judge_as = machine, states, judge_as
        space: Region = machine.region(len(states) * machine.state_bytes)
        for number, words in enumerate(states):
            for index, word in enumerate(words):
                space[number * machine.state_bytes + 8 * index] = word
        self._address = space.address

    def _keep(self, number: int, violated: int) -> None:
        block, _ = self._machine.workers[0]
        state = self._address + number * self._machine.state_bytes
        if self._judge_as(block.address, state, violated):
            raise disagreement(f"machine code takes the judgment {violated:#x} for an error")

    def each(self, violated: int, undecided: int) -> None:
        """Keep each state alone, while some properties are undecided."""
        self._machine.shared[Shared.ACTIVE] = undecided
        block, _ = self._machine.workers[0]
        noted = violated & undecided
        expected = {number for number in range(noted.bit_length()) if noted >> number & 1}
        for number, words in enumerate(self._states):
            block[Worker.NOTED] = 0
            self._keep(number, violated)
            kept = self._machine.take_found()
            right = kept.keys() == expected and all(state == words for _, state in kept.values())
            if not right or block[Worker.NOTED] != bool(expected):
                raise disagreement(
                    f"machine code keeps violations of the properties {sorted(kept)} where a "
                    f"state violates {sorted(expected)}"
                )

    def pairs(self, violated: int) -> None:
        """Keep two states in both orders: of each property the one with the least fingerprint."""
        self._machine.shared[Shared.ACTIVE] = MINUS_ONE
        for one, other in pairwise(range(len(self._states))):
            kept = []
            for order in ((one,), (other,), (one, other), (other, one)):
                for number in order:
                    self._keep(number, violated)
                kept.append(self._machine.take_found())
            least = {number: min(kept[0][number], kept[1][number]) for number in kept[0]}
            if not kept[2] == kept[3] == least:
                raise disagreement("machine code keeps another violation than the least of two")

    def error(self) -> None:
        """Keep nothing of a negative judgment, which is an error."""
        block, _ = self._machine.workers[0]
        if not self._judge_as(block.address, self._address, MINUS_ONE):
            raise disagreement("machine code takes the judgment -1 for none")
        if self._machine.take_found() or not block[Worker.ERROR]:
            raise disagreement("machine code keeps a violation that is an error")
