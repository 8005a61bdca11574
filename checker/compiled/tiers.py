"""The machine code of a search in two tiers: compiled quickly at first, optimised if that pays.

The first tier marks every way of every branch (``emitter.py``), and keeps states for each to
compare with Python.  The second tier does not mark the ways that were taken often enough by then:
marking costs more than all the rest of the comparison.  Instead, states that take these ways are
cached with it, and every search that uses it begins by comparing them with Python.

The second tier is made beside the search (``optimiser.py``).  If that takes longer than the search,
nothing is lost but the time of one processor.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from ...core.files import DiskCache
from ..request import SearchRequest
from .build import object_code
from .choices import SHARED_FROM
from .comparison import Comparison
from .generate import generator_of
from .machine import Machine
from .object_files import FILES, cached, name_of
from .optimiser import LEAST, MOST, Optimiser
from .sampler import Sampler

_LENGTH = 8
"""Bytes of the length of the entries that precede a second tier's code."""

SHARE = 4
"""A second tier may take this part of the memory that a search has left."""

PATIENCE = 0.0
"""Seconds that a search waits for its second tier between two levels."""

WORTH = 1.0
"""How often a search runs for as long as translating takes before it translates once more.

Both are CPU seconds of the process.
"""

FIRST = 8
"""How many times that the first search with some code runs: the second tier takes as long to make.

A later search shows that the code is used again, and what it makes is kept.
"""


class Tiers:
    """The two tiers of one search.

    Attributes
    ----------
    module
        The description of the translation.
    is_optimised
        Whether the second tier is in use.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._request = request
        began = process_time()
        self._text, self.module = generator_of(request).module(tick=request.tick)
        self._began = process_time()
        self._translating = self._began - began
        self.is_optimised = False
        self._entries = self._begun = self._code = b""
        self._name = ""
        self._optimiser: Optimiser | None = None
        self._left_out = False
        self._times = 1

    def begin(self, search: str) -> bytes:
        """Return the code to begin with: the second tier, if it is cached.

        Parameters
        ----------
        search
            A hash of the code and the initial states.
        """
        self._name, self._began = name_of("second tier", search), process_time()
        kept = DiskCache(FILES).read(self._name)
        if kept:
            self.use_second()
            return self._second(kept)
        self._left_out = bool(DiskCache(FILES).read(self._late))
        code = cached(self._first_name, self._first)
        self._text = ""
        return code

    def _first(self) -> bytes:
        """Return the first tier, which no earlier search has kept."""
        self._times = FIRST
        return object_code(self._text, self._request.tick, optimised=False)

    def _is_due(self, distinct: int) -> bool:
        """Whether a second tier should be begun; the search stops while that is translated."""
        if self.due_at is None or distinct < self.due_at:
            return False
        return process_time() - self._began >= WORTH * self._times * self._translating

    @property
    def due_at(self) -> int | None:
        """From how many states on a second tier should be begun; None if it never should."""
        if self.is_optimised or self._left_out or self._optimiser is not None:
            return None
        # A state takes as long as it has choices to try.
        times = max(len(self._request.system.instances) // SHARED_FROM, 1)
        return -(-self._request.resources.optimise_from // times)

    def begin_second(self, machine: Machine, memory: int, tick: Callable[[], None]) -> None:
        """Begin the second tier if it is due; it marks the ways that were met too rarely.

        Parameters
        ----------
        machine
            It uses the first tier, whose counts of ways are lost.
        memory
            Bytes that the search may use.
        tick
            Called now and then.
        """
        if not self._is_due(machine.inserted):
            return
        most = min((memory - machine.bytes_used) // SHARE, MOST)
        if most < LEAST:
            self._left_out = True
            return
        entries = machine.sampler.few()
        compared = machine.sampler.compared()
        # They were compared before.
        machine.sampler.take()
        text, _ = generator_of(self._request, compared).module(tick=tick)
        self._begun = len(entries).to_bytes(_LENGTH, "little") + entries
        self._optimiser = Optimiser(text, most)

    def memory(self) -> int:
        """Return how many bytes the second tier may take while it is made."""
        return self._optimiser.memory if self._optimiser else 0

    def is_ready(self) -> bool:
        """Whether a second tier was begun and is ready."""
        if not self.memory():
            return False
        assert self._optimiser is not None
        self._code = self._optimiser.wait(PATIENCE)
        return bool(self._code)

    def second(self) -> bytes:
        """Return the second tier, which is ready, and keep it."""
        kept = self._begun + self._code
        DiskCache(FILES).keep(self._name, kept)
        return self._second(kept)

    def give_up(self) -> bool:
        """Give up a second tier that is not ready; False if none is made."""
        if not self.memory():
            return False
        assert self._optimiser is not None
        self._optimiser.close()
        return True

    def end(self) -> None:
        """Keep a second tier that is ready only when the search has ended.

        A search with the same code takes about as long again, so it begins none that was not ready.
        """
        if self.is_optimised:
            return
        if self.is_ready():
            self.second()
        elif self.give_up():
            DiskCache(FILES).keep(self._late, b"late")

    def _second(self, kept: bytes) -> bytes:
        end = _LENGTH + int.from_bytes(kept[:_LENGTH], "little")
        self._entries = kept[_LENGTH:end]
        return kept[end:]

    def verified(self) -> bool:
        """Whether the code in use was verified, by this process or another one."""
        return bool(DiskCache(FILES).read(self._mark))

    def note_verified(self) -> None:
        """Remember that, if there is a cache."""
        DiskCache(FILES).keep(self._mark, b"verified")

    @property
    def _first_name(self) -> str:
        return name_of("first tier", self.module.digest)

    @property
    def _mark(self) -> str:
        """The name of the file that says that the code in use was verified."""
        return f"{self._name if self.is_optimised else self._first_name}.verified"

    @property
    def _late(self) -> str:
        """The name of the file that says that a search ended before its second tier was ready."""
        return f"{self._name}.late"

    def use_second(self) -> None:
        """Say that the second tier is in use from now on."""
        self.is_optimised = True

    def compare(self, sampler: Sampler, comparison: Comparison) -> None:
        """Compare the second tier with Python on the ways that it does not mark, if it is in use.

        Raises
        ------
        DisagreementError
            If they disagree.
        """
        if self._entries:
            comparison.compare_rows(sampler.ask_again(self._entries, comparison.properties))
            # The search may meet the same states again.
            sampler.forget()
