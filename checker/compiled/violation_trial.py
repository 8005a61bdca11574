"""Tries how machine code keeps violations, with judgments that are made up.

A search may meet no violation but the one that matters, so that a fault which forgets it shows
nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from .comparison import disagreement
from .machine import MINUS_ONE, Machine
from .memory import Region, Shared, Worker
from .sampler import Words
from .table import EXACT_BUCKETS
from .table_trial import small_machine

SOME = 4
"""States that are kept as violations."""


def try_violations(machine: Machine, states: Sequence[Words], properties: int) -> None:
    """Keep states for each property alone, for all and for none, and compare what is kept.

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
