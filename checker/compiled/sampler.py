"""Memory in which machine code keeps states, and how they are read out of it."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from typing import NamedTuple

from .build import Code
from .memory import Region
from .program import Module
from .sampling import ALIVE, COMPARED, Asked, Entry, Samples

Words = tuple[int, ...]

KINDS = tuple(Asked)
"""What was asked, by its number."""


class Sample(NamedTuple):
    """A state that was kept: what machine code was asked of it, and what it answered.

    Attributes
    ----------
    number
        Of the instance or the property.
    successor
        Where the step leads, if it was taken.
    """

    asked: Asked
    number: int
    answer: int
    state: Words
    successor: Words


class Sampler:
    """The memory in which loaded machine code keeps states, until somebody reads them.

    Parameters
    ----------
    instances
        How many there are.
    """

    def __init__(self, code: Code, module: Module, instances: int) -> None:
        self._words = module.words
        self._instances = instances
        self._size = Entry.STATE + 16 * module.words
        self._steps_from = code.function("steps_from", 2)
        self._space = Region(8 * instances + ALIVE + (instances + 1) * module.stride)
        # Workers that count at the same moment keep a few more.
        room = 2 * COMPARED * max(module.points, 1)
        self._kept = Region(room * self._size)
        self._block = code.function("samples", 0)()
        self._read = 0
        self._set(Samples.FIRST, self._kept.address)
        self._set(Samples.ROOM, room)

    def _set(self, offset: int, value: int) -> None:
        ctypes.c_uint64.from_address(self._block + offset).value = value

    def take(self) -> list[Sample]:
        """Return what was kept since the last time."""
        held = ctypes.c_uint64.from_address(self._block + Samples.HELD).value
        room = ctypes.c_uint64.from_address(self._block + Samples.ROOM).value
        first, self._read = self._read, min(held, room)
        entries = self._kept.view(first * self._size, (self._read - first) * self._size)
        return list(samples_of(entries, self._words))

    def steps(self, state: Words) -> set[int]:
        """Return the numbers of the instances that machine code takes from a state."""
        self._space.clear(0, 8 * self._instances)
        words = (ctypes.c_uint64 * self._words)(*state)
        self._steps_from(ctypes.addressof(words), self._space.address)
        counts = self._space.numbers(0, self._instances)
        return {number for number, count in enumerate(counts) if count}

    def close(self) -> None:
        """Give the memory back; the code keeps nothing any more."""
        self._set(Samples.ROOM, 0)
        self._kept.close()
        self._space.close()


def samples_of(entries: memoryview, words: int) -> Iterator[Sample]:
    """Yield the samples whose entries these are, with so many words a state."""
    state, successor = Entry.STATE // 8, Entry.STATE // 8 + words
    for entry in struct.iter_unpack(f"{successor + words}Q", entries):
        kind, number, answer = entry[:state]
        yield Sample(KINDS[kind], number, answer, entry[state:successor], entry[successor:])
