"""Machine code that processes blocks of a level, with the memory that it works in."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ..compiled import blocks, listing
from ..compiled.blocks import Table, Walk
from ..compiled.build import Code
from ..compiled.memory import GROUP, Region, Shared, Worker
from ..compiled.object_files import code_of
from ..compiled.program import Module
from ..compiled.sampler import Sample, Sampler

TAIL = 4096
"""Slots after the home slots; practically no candidate is pushed beyond them, and it would be
noticed."""

ENTRIES = (*blocks.EXPORTED, *listing.EXPORTED)
"""The functions of the kernel."""

FEWEST = 1 << 12
"""The smallest capacity of a table, in candidates."""

LARGE = 8 << 20
"""Bytes from which on the memory of a table is populated: candidates spread all over it."""

Violations = dict[int, tuple[int, tuple[int, ...]]]
"""By number of a property: the least fingerprint of a state that violates it, and its words."""


class KernelError(Exception):
    """A step went beyond an array or a range; only the interpreted engine can say which."""


@dataclass
class Counts:
    """The result of a part of a level: steps by instance, violations, and samples to compare."""

    taken: list[int] = field(default_factory=list)
    violations: Violations = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)


def least(one: Violations, other: Violations) -> Violations:
    """Return for each property the violating state with the least fingerprint of two parts."""
    return {
        number: min(level for level in (one.get(number), other.get(number)) if level)
        for number in one.keys() | other.keys()
    }


class Kernel:
    """The code of one search in one process.

    Parameters
    ----------
    text, module
        The text that it is compiled from, unless it is in this host's cache, and its description.
    instances, properties
        How many there are.
    tick
        Called now and then while it is compiled.
    """

    def __init__(
        self,
        text: str,
        module: Module,
        instances: int,
        properties: int,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        self.words, self.instances, self.properties = module.words, instances, properties
        self.record = 8 * module.words
        self.candidate = self.record + 8
        # The functions exist as long as the code.
        self._code = Code(code_of(module, text, tick))
        self.call = {
            function.__name__: self._code.function(
                function.__name__, function.__code__.co_argcount - 1
            )
            for function in ENTRIES
        }
        self.sampler = Sampler(self._code, module, instances)
        self._entry = self.record + 16
        buffer = GROUP * max(instances, 1) * module.stride
        self._own = Region(buffer + 8 * instances + properties * self._entry + GROUP * self.record)
        self._shared, self._block = Region(Shared.SIZE), Region(Worker.SIZE)
        self.worker = self._block.address
        self._taken = buffer
        self._found = buffer + 8 * instances
        for place, offset in (
            (Worker.BUFFER, 0),
            (Worker.TAKEN, self._taken),
            (Worker.FOUND, self._found),
            (Worker.STATE, self._found + properties * self._entry),
        ):
            self._block[place] = self._own.address + offset
        self._block[Worker.SHARED] = self._shared.address

    def are_states(self, address: int, count: int) -> bool:
        """Whether consecutive records are of valid states, with each variable in its range."""
        return self.call["valid_records"](self.worker, address, count) == count

    def begin(self, active: int) -> None:
        """Reset all counts; `active` has a bit for each property that is to be decided."""
        self._shared[Shared.ACTIVE] = active
        self._block[Worker.ERROR] = 0
        self._own.clear(self._taken, 8 * self.instances + self.properties * self._entry)

    def verify(self) -> None:
        """Raise an error if a step failed.

        Raises
        ------
        KernelError
            If one did.
        """
        if self._block[Worker.ERROR]:
            raise KernelError

    def counts(self) -> Counts:
        """Return the counts and violations since :meth:`begin`.

        Raises
        ------
        KernelError
            If a step failed.
        """
        self.verify()
        violations: Violations = {}
        for number in range(self.properties):
            at = self._found + number * self._entry
            if self._own[at]:
                words = tuple(self._own.numbers(at + 16, self.words))
                violations[number] = self._own[at + 8], words
        taken = self._own.numbers(self._taken, self.instances)
        return Counts(taken, violations, self.sampler.take())


class Candidates:
    """A table of candidates.

    Parameters
    ----------
    shares
        The number of equal shares of all fingerprints; the table is for one of them.
    most
        How many candidates it should hold.
    """

    def __init__(self, kernel: Kernel, shares: int, most: int) -> None:
        self.kernel, self.shares = kernel, shares
        self._block = Region(Table.SIZE)
        self._allocate(most)

    def _allocate(self, most: int) -> None:
        self.most = max(most, FEWEST)
        # Expanding checks the number of candidates only once for each group of states.
        slots = 2 * (self.most + GROUP * self.kernel.instances)
        size = (slots + TAIL) * self.kernel.candidate
        self._slots = Region(size, huge=True)
        if size > LARGE:
            for piece in self._slots.unprepared(size):
                self._slots.prepare(*piece)
        block = self._block
        block[Table.FIRST] = self._slots.address
        block[Table.END] = self._slots.address + size
        block[Table.SLOTS], block[Table.SCALE] = slots, self.shares
        block[Table.HELD], block[Table.MOST] = 0, self.most

    @property
    def held(self) -> int:
        """How many it holds."""
        return self._block[Table.HELD]

    def begin_with(self, states: Sequence[tuple[int, ...]]) -> None:
        """Put states, given by their words, into it, without parents."""
        numbers = [word for words in states for word in words]
        array = (ctypes.c_uint64 * len(numbers))(*numbers)
        self.kernel.call["begin_with"](
            self.kernel.worker, self._block.address, ctypes.addressof(array), len(states)
        )

    def expand(self, address: int, count: int) -> int:
        """Put in the successors of states, until it holds enough; return how many were expanded."""
        return self.kernel.call["expand_records"](
            self.kernel.worker, self._block.address, address, count
        )

    def insert(self, address: int, count: int) -> None:
        """Put in consecutive candidates; the table grows if needed."""
        if self.held + count > self.most:
            self._grow(self.held + count)
        self.kernel.call["insert_all"](self.kernel.worker, self._block.address, address, count)

    def _grow(self, needed: int) -> None:
        count, old = self.drain(), self._slots
        self._allocate(max(2 * self.most, needed))
        self.kernel.call["insert_all"](self.kernel.worker, self._block.address, old.address, count)
        old.close()

    def drain(self) -> int:
        """Move all candidates together, in order, to its beginning; return their number."""
        return self.kernel.call["drain"](self._block.address)

    @property
    def address(self) -> int:
        """The address of the candidates after :meth:`drain`."""
        return self._slots.address

    def clear(self) -> None:
        """Remove all candidates."""
        self._slots.clear(0, self._slots.size)
        self._block[Table.HELD] = 0

    def split(self, count: int, shares: int) -> Iterator[tuple[int, bytes]]:
        """Yield the drained candidates by share of all fingerprints, without empty shares."""
        size, first = self.kernel.candidate, 0
        for share in range(shares):
            end = count
            if share + 1 < shares:
                first_of_next = -(-((share + 1) << 64) // shares)
                end = self.kernel.call["rank"](self.address, count, size, first_of_next)
            if end > first:
                yield share, ctypes.string_at(self.address + first * size, (end - first) * size)
            first = end

    def close(self) -> None:
        """Free the memory."""
        self._slots.close()
        self._block.close()


class Sieve:
    """A walk along drained candidates that removes those which are in runs."""

    def __init__(self, candidates: Candidates, count: int) -> None:
        self._kernel, self._first = candidates.kernel, candidates.address
        self._walk = Region(Walk.SIZE)
        self.count = count

    def begin(self) -> None:
        """Begin with another run."""
        walk, size = self._walk, self._kernel.candidate
        walk[Walk.READ] = walk[Walk.WRITE] = self._first
        walk[Walk.END] = self._first + self.count * size

    def subtract(self, address: int, count: int) -> None:
        """Remove the candidates that are among the run's next records."""
        self._kernel.call["subtract"](self._walk.address, address, count)

    def end(self) -> None:
        """Keep the candidates after all of the run's records."""
        walk = self._walk
        rest = walk[Walk.END] - walk[Walk.READ]
        ctypes.memmove(walk[Walk.WRITE], walk[Walk.READ], rest)
        self.count = (walk[Walk.WRITE] + rest - self._first) // self._kernel.candidate
