"""What is asked of a search in machine code before its answer is believed.

While it runs, samples of it are compared with Python (``comparison.py``).  At its end, or when
other machine code takes over:

- small searches are made again in Python, and the first levels of larger ones;
- of states all over the levels, Python takes all steps, and each successor must be among the stored
  states, once, and one level further at most (``census.py``);
- what violates a property there must be known to the search;
- the code is asked about states that are made up (``probes.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...core.layout import State
from ...core.spec import DisagreementError, Kind
from ..interpreted import Search
from ..result import Limits
from .census import Sought
from .comparison import REPORT, compare_levels
from .memory import Region
from .probes import Probes

if TYPE_CHECKING:
    from .search import CompiledSearch

SMALL = 100_000
"""States up to which a search is made again in Python, if the time allows."""

WHOLE, BEGUN = 2.0, 0.25
"""Seconds for that, and for the first levels of a larger search."""

REACHED = 400
"""States all over the levels of which all steps are compared."""

PROBED = 0.5
"""Seconds for states that are made up."""


class Verification:
    """The verification of a search in machine code."""

    def __init__(self, search: CompiledSearch) -> None:
        self._search = search
        self._system = search.system

    def code(self) -> None:
        """Verify the code that the search is using."""
        search = self._search
        probes = Probes(self._system, search.comparison.properties, search.machine.sampler, PROBED)
        probes.run([state for _, state in self._some()])

    def end(self) -> None:
        """Verify a search that has ended."""
        self._confirm()
        self._count()
        self.code()

    def _some(self) -> list[tuple[int, State]]:
        """Return states of every level, with the numbers of their levels."""
        search, found = self._search, []
        per_level = max(REACHED // max(len(search.levels), 1), 1)
        for number, level in enumerate(search.levels):
            total = sum(count for _, count in level)
            step = max(total // per_level, 1)
            passed = 0
            for first, count in level:
                for place in range(first + -passed % step, first + count, step):
                    found += [(number, state) for state in search.read(place, 1)]
                passed += count
        return found

    def _confirm(self) -> None:
        """Search in Python, and compare the levels that it finishes."""
        search, request = self._search, self._search.request
        states = search.distinct_states
        seconds = WHOLE if states <= SMALL else BEGUN
        limits = Limits(max_depth=request.limits.max_depth, seconds=seconds)
        again = Search(
            replace(
                request,
                limits=limits,
                started=perf_counter(),
                report=lambda progress: None,
                trial=None,
            )
        )
        again.run()
        ended = again.stopped_by is None and search.stopped_by is None
        compare_levels(self._system, again, search, ended)

    def _count(self) -> None:
        """Look for the successors of some states among all that are stored."""
        search = self._search
        stored = sum(count for level in search.levels for _, count in level)
        if stored != search.distinct_states:
            self._wrong(f"stores {stored} states and counts {search.distinct_states}")
        partial = search.stopped_by is not None
        canonical = search.symmetry.canonical if search.symmetry else lambda state: state
        sought: dict[State, int] = {}
        expanded = len(search.levels) - (2 if partial or search.violations else 1)
        dead = {p.name for p in search.properties if p.kind is Kind.DEADLOCK}
        for level, state in self._some():
            sought.setdefault(state, level)
            if level > expanded and (partial or search.violations):
                continue
            after = self._system.attempt(range(len(self._system.instances)), state).values()
            if not after:
                for name in dead - search.violations.keys():
                    self._wrong(f"does not say that {name} is violated")
            for successor in after:
                if self._system.admits(successor):
                    other = canonical(successor)
                    sought[other] = min(level + 1, sought.get(other, level + 1))
        self._look_for(sought)

    def _look_for(self, sought: dict[State, int]) -> None:
        search, layout = self._search, self._system.layout
        words = layout.words
        size = 8 * words + Sought.SIZE
        entries = Region(size * max(len(sought), 1))
        slots = 1 << (2 * len(sought)).bit_length()
        table = Region(8 * slots)
        for number, state in enumerate(sought):
            for word, value in enumerate(layout.pack(state)):
                entries[size * number + 8 * word] = value
            slot = layout.fingerprint(state) & slots - 1
            while table[8 * slot]:
                slot = slot + 1 & slots - 1
            table[8 * slot] = number + 1
        census = search.machine.code.function("census", 6)
        for number, level in enumerate(search.levels):
            for first, count in level:
                search.census(census, first, count, number, table.address, slots - 1, entries.address)
        for number, (state, level) in enumerate(sought.items()):
            times, found = entries.numbers(size * number + 8 * words, 2)
            if times != 1 or found > level:
                self._wrong(
                    f"stores the state {layout.describe(state)} {times} times"
                    f"{f', in level {found}' if times else ''}, and it is {level} steps from the "
                    "start at most"
                )
        entries.close()
        table.close()

    def _wrong(self, what: str) -> None:
        raise DisagreementError(f"machine code {what}{REPORT}")
