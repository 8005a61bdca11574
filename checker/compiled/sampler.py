"""The memory in which machine code keeps sample states, and its reader."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from ...core.layout import WORD_BITS
from ...core.spec import Kind, Property
from .build import Code
from .memory import GROUP, Region
from .program import Module
from .sampling import ALIVE, COMPARED, Entry, Query, Samples

Words = tuple[int, ...]

TOGETHER = GROUP
"""The most states whose steps are taken together, side by side: as many as in a search."""

NUMBER = (1 << 32) - 1
"""The bits of an instance's number of steps that are not for failures."""

KINDS = tuple(Query)
"""The questions, by their numbers."""


class Sample(NamedTuple):
    """A state that was kept: a question about it, and the answer of machine code.

    Attributes
    ----------
    number
        Of the instance or the property.
    successor
        The successor, if a step was taken.
    """

    query: Query
    number: int
    answer: int
    state: Words
    successor: Words


class Sampler:
    """The memory in which loaded machine code keeps states until they are read.

    Parameters
    ----------
    instances
        How many there are.
    """

    def __init__(self, code: Code, module: Module, instances: int) -> None:
        self._words = module.words
        self._instances, self._stride = instances, module.stride
        self._size = Entry.STATE + 16 * module.words
        self._steps_from = code.function("steps_from", 3)
        self._inside = code.function("inside", 1)
        self._judgment = code.function("judgment", 1)
        self._ask_all = code.function("ask_all", 2)
        self._ask_again = code.function("ask_again", 3)
        self._successors = 8 * instances + ALIVE
        self._space = Region(self._successors + TOGETHER * (instances + 1) * module.stride)
        # Workers that count concurrently may keep a few more.
        self._room = 2 * COMPARED * max(module.points, 1)
        self._kept = Region(self._room * self._size)
        self._block = code.function("samples", 0)()
        self._read = 0
        self.attach()

    def attach(self) -> None:
        """Let the code keep its states here, from now on."""
        self._set(Samples.FIRST, self._kept.address)
        self._set(Samples.ROOM, self._room)

    def _set(self, offset: int, value: int) -> None:
        ctypes.c_uint64.from_address(self._block + offset).value = value

    def take(self) -> list[Sample]:
        """Return the samples kept since the last call."""
        first, self._read = self._read, self.held
        entries = self._kept.read(first * self._size, (self._read - first) * self._size)
        return list(samples_of(entries, self._words))

    @property
    def held(self) -> int:
        """How many samples are kept."""
        return min(self._get(Samples.HELD), self._get(Samples.ROOM))

    def _get(self, offset: int) -> int:
        number: int = ctypes.c_uint64.from_address(self._block + offset).value
        return number

    def few(self) -> bytes:
        """Return entries with as many samples for each way as were kept, but of fewer states.

        The states that were kept last come first: they take many ways at once.
        """
        kept = samples_of(self._kept.read(0, self.held * self._size), self._words)
        states = dict.fromkeys(sample.state for sample in reversed(list(kept)))
        self.forget()
        for state in states:
            self.ask_all(state)
        return self._kept.read(0, self.held * self._size)

    def forget(self) -> None:
        """Restart counting, as if no state had been kept."""
        for first in (Samples.WANTED, Samples.GUARDS_WANTED):
            words = self._get(first + 16)
            ctypes.memset(self._get(first), 0xFF, 8 * words)
            ctypes.memset(self._get(first + 8), 0, 8 * WORD_BITS * words)
        self._set(Samples.HELD, 0)
        self._read = 0

    def compared(self) -> set[int]:
        """Return the ways for which no more states are kept; those of guards as ``-1 - way``."""
        guards = self._unwanted(Samples.GUARDS_WANTED)
        return {*self._unwanted(Samples.WANTED), *(-1 - way for way in guards)}

    def _unwanted(self, first: int) -> list[int]:
        size = 8 * self._get(first + 16)
        wanted = int.from_bytes(ctypes.string_at(self._get(first), size), "little")
        return [way for way in range(8 * size) if not wanted >> way & 1]

    def ask_again(self, entries: bytes, properties: Sequence[Property]) -> Iterator[Sample]:
        """Yield the answers of this machine code to the questions of another for the same search.

        Parameters
        ----------
        entries
            The result of the other one's :meth:`few`.
        """
        region = Region(len(entries))
        region.write(0, entries)
        self._ask_again(region.address, len(entries) // self._size, self._space.address)
        answers = region.read(0, len(entries))
        region.close()
        for sample in samples_of(answers, self._words):
            if sample.query is Query.PROPERTY:
                reached = properties[sample.number].kind is Kind.SOMETIMES
                holds = (sample.answer >> sample.number & 1) == reached
                yield sample._replace(answer=int(holds))
            else:
                yield sample

    def steps(self, state: Words) -> set[int]:
        """Return the numbers of the instances that machine code takes from a state."""
        return {number for number, count in enumerate(self._counts(state)) if count & NUMBER}

    def ask_all(self, state: Words) -> None:
        """Ask all that a search asks about a state, which is kept if it takes a wanted way."""
        self._space.clear(0, 8 * self._instances)
        self._ask_all(self._in_memory(state), self._space.address)

    def inside(self, state: Words) -> bool:
        """Return whether a state is inside the constraint."""
        return bool(self._inside(self._in_memory(state)))

    def judgment(self, state: Words) -> int:
        """Return a bit for every property that a state violates; negative if one fails."""
        return self._judgment(self._in_memory(state))

    def successors(self, states: Sequence[Words]) -> tuple[list[tuple[int, int, Words]], set[int]]:
        """Return the steps from states, `TOGETHER` at most, that machine code takes together.

        Returns
        -------
        list of tuple of int, int, Words
            For each step its instance, the place of its state among `states`, and its successor.
        set of int
            The instances of which a step failed.
        """
        counts = self._counts(*states)
        numbers = [n for n, count in enumerate(counts) for _ in range(count & NUMBER)]
        content = self._space.read(self._successors, len(numbers) * self._stride)
        entries = struct.iter_unpack(f"{self._stride // 8}Q", content)
        taken = [(n, e[-1], e[: self._words]) for n, e in zip(numbers, entries, strict=True)]
        return taken, {number for number, count in enumerate(counts) if count > NUMBER}

    def failing(self, states: Sequence[Words]) -> set[int]:
        """Return the instances of which a step from some states fails, `TOGETHER` at most."""
        return {number for number, count in enumerate(self._counts(*states)) if count > NUMBER}

    def asserted(self, place: int) -> bool:
        """Return whether an assertion failed in a state of those whose steps were taken last."""
        word = 8 * self._instances + GROUP // 8 + 8 * (place // WORD_BITS)
        return bool(self._space[word] >> place % WORD_BITS & 1)

    def _counts(self, *states: Words) -> list[int]:
        """Take the steps from some states together; return their number for each instance."""
        self._space.clear(0, 8 * self._instances)
        self._steps_from(self._in_memory(*states), len(states), self._space.address)
        return self._space.numbers(0, self._instances)

    def _in_memory(self, *states: Words) -> int:
        """Return the address of some states, which is theirs until the next call."""
        self._states = (ctypes.c_uint64 * (self._words * len(states)))(*chain.from_iterable(states))
        return ctypes.addressof(self._states)

    def close(self) -> None:
        """Free the memory; the code keeps no more states."""
        self._set(Samples.ROOM, 0)
        self._kept.close()
        self._space.close()


def samples_of(entries: bytes, words: int) -> Iterator[Sample]:
    """Yield the samples of entries, with that many words per state."""
    state, successor = Entry.STATE // 8, Entry.STATE // 8 + words
    for entry in struct.iter_unpack(f"{successor + words}Q", entries):
        kind, number, answer = entry[:state]
        yield Sample(KINDS[kind], number, answer, entry[state:successor], entry[successor:])
