"""What is asked of a search in machine code before its answer is believed.

While it runs, samples of it are compared with Python (``comparison.py``).  At its end, or when
other machine code takes over:

- small searches are made again in Python, and the first levels of larger ones;
- of states all over the levels, Python takes all steps, and each successor must be among the stored
  states, once, and one level further at most (``census.py``);
- what violates a property there must be known to the search;
- the code is asked about states that are made up (``probes.py``);
- its table is filled, and violations are kept, with contents that are made up (``table_trial.py``,
  ``violation_trial.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from ...core.layout import State
from ...core.spec import DisagreementError, EngineError, Kind, Property
from ..interpreted import Search, spread
from ..result import Limits
from ..stop import Stop
from .census import Census
from .comparison import (
    compare_level,
    compare_made_up,
    compare_results,
    disagreement,
    verify_symmetry,
)
from .levels import spread_over
from .probes import Probes
from .sampler import Sample
from .sampling import Query
from .table_trial import try_table
from .violation_trial import try_violations

if TYPE_CHECKING:
    from .search import CompiledSearch

SMALL = 100_000
"""States up to which a search is made again in Python, if the time allows."""

WHOLE, BEGUN = 1.0, 0.03
"""Seconds for that, and for the first levels of a larger search."""

REACHED = 400
"""States all over the levels of which all steps are compared."""

PROBED = 0.5
"""Seconds for states that are made up."""


class Verification:
    """The verification of a search in machine code.

    Parameters
    ----------
    python
        The same search by the interpreted engine, as far as it is: what machine code finds has to
        agree.
    """

    def __init__(self, search: CompiledSearch, python: Search) -> None:
        self.python = python
        self._search = search
        self._system = search.system
        self._compared = 0

    def level_begins(self) -> None:
        """Check that the permutations of some states to be expanded are treated alike."""
        search = self._search
        if search.symmetry:
            [(first, count), *_] = search.frontier
            places = range(first, first + count)
            verify_symmetry(
                search.symmetry, search.properties, search.read, places, search.machine.represent
            )

    @property
    def compares_next(self) -> int | None:
        """How many levels there have to be for the next comparison of all; None for none."""
        levels = len(self.python.levels)
        return levels if self._compared < levels else None

    def level_ended(self) -> None:
        """Compare a complete level with Python's; on Python's last one, verdicts and counts too."""
        number = len(self._search.levels) - 1
        if number < len(self.python.levels):
            compare_level(self.python, number, self._search)
            self._compared = number + 1
            if self._compared == len(self.python.levels):
                compare_results(self.python, self._search)

    def end(self) -> None:
        """Verify a search that has ended."""
        try:
            with self._unwatched():
                self._count()
                self._confirm()
            self.code()
        except DisagreementError as error:
            if not self._search.request.resources.resume:
                raise
            # Another search has left these states, and they may have changed since.
            raise EngineError(str(error)) from None

    def code(self) -> None:
        """Verify the code that the search is using, unless that was done before."""
        search = self._search
        if search.tiers.verified():
            return
        machine, properties = search.machine, search.comparison.properties
        with self._unwatched():
            probes = Probes(self._system, properties, machine.sampler, PROBED)
            # Where the constraint excludes every initial state, there are none but these.
            reached = [state for _, state in self._some()] or list(self._system.initial_states())
            inside = probes.run(reached)
        if search.symmetry:
            states = compare_made_up(search.symmetry, inside, machine.represent, PROBED)
        else:
            states = [self._system.layout.pack(state) for state in inside]
        states = list(dict.fromkeys(states))
        try_table(machine, states, len(search.properties))
        try_violations(machine, states, len(search.properties))
        search.tiers.note_verified()

    @contextmanager
    def _unwatched(self) -> Iterator[None]:
        """Take steps without watching actions, as machine code does."""
        debug, self._system.debug = self._system.debug, False
        try:
            yield
        finally:
            self._system.debug = debug

    def _some(self) -> Iterator[tuple[int, State]]:
        """Yield states all over the levels, each with the number of its level."""
        search = self._search
        for number in spread(range(len(search.levels)), REACHED):
            level = search.levels[number]
            for place in spread_over([level], max(REACHED // len(search.levels), 1)):
                yield from ((number, state) for state in search.read(place, 1))

    def _confirm(self) -> None:
        """Go on with the search in Python for a while, and compare the levels that it finishes."""
        search, python = self._search, self.python
        seconds = WHOLE if search.distinct_states <= SMALL else BEGUN
        python.request = replace(
            python.request,
            limits=Limits(seconds=seconds),
            started=perf_counter(),
            report=lambda progress: None,
        )
        python.run()
        if python.stopped_by and python.stopped_by.by is Stop.INTERRUPT:
            search.stopped_by = python.stopped_by
        # The last level of a search that was stopped is not finished.
        finished = len(python.levels) - (1 if python.stopped_by else 0)
        if finished > len(search.levels) or (
            finished < len(search.levels) and not python.stopped_by
        ):
            self._wrong(f"finds {len(search.levels)} levels, and Python {finished}")
        for number in range(self._compared, finished):
            compare_level(python, number, search)
        compare_results(python, search, finished - 2 if python.stopped_by else None)

    def _count(self) -> None:
        """Look for some states and their successors among all that are stored."""
        search = self._search
        counts = [sum(count for _, count in level) for level in search.levels]
        if 0 in counts:
            self._wrong(f"finds no state in level {counts.index(0)}, and goes on")
        stored = sum(counts)
        if stored != search.distinct_states:
            self._wrong(f"stores {stored} states and counts {search.distinct_states}")
        sought: dict[State, int] = {}
        # After a violation, the last level is not expanded.
        last = len(search.levels) - (0 if search.request.goes_on(search.violations) else 1)
        for level, state in self._some():
            sought[state] = min(level, sought.get(state, level))
            if level < last:
                for successor in self._successors(state):
                    sought[successor] = min(level + 1, sought.get(successor, level + 1))
        self._look_for(sought)

    def _successors(self, state: State) -> Iterator[State]:
        """Yield the successors of a state that the search should have stored."""
        search, system = self._search, self._system
        after = system.attempt(range(len(system.instances)), state).values()
        for prop in search.properties:
            if prop.kind is Kind.DEADLOCK and not after and prop.name not in search.violations:
                self._wrong(f"does not find {prop.name} violated")
        for successor in filter(system.admits, after):
            yield search.symmetry.canonical(successor) if search.symmetry else successor

    def _look_for(self, sought: dict[State, int]) -> None:
        """Look for states, each of which has to be stored once, in that level or before."""
        search, layout, machine = self._search, self._system.layout, self._search.machine
        with Census(machine.code, layout, list(sought)) as census:
            for number, level in enumerate(search.levels):
                for some in search.pieces(level) if level else ():
                    for first, count in some:
                        place = machine.ahead.address + first * machine.state_bytes
                        census.take(place, count, number)
            for (state, most), (times, last) in zip(sought.items(), census.found(), strict=True):
                if times != 1 or last > most:
                    where = f", in level {last}" if times else ""
                    self._wrong(
                        f"stores the state {layout.describe(state)} {times} times{where}; it is "
                        f"at most {most} steps from the start"
                    )

    def _wrong(self, what: str) -> None:
        raise disagreement(f"machine code {what}")


def refuse_forgotten(
    samples: Iterable[Sample], properties: Sequence[Property], violations: Collection[str]
) -> None:
    """Check that what samples violate, or reach, is among the violations that a search has found.

    Raises
    ------
    DisagreementError
        If it is not.
    """
    for sample in samples:
        if sample.query is Query.PROPERTY:
            prop = properties[sample.number]
            is_found = bool(sample.answer) == (prop.kind is Kind.SOMETIMES)
            if is_found and prop.kind.is_of_state and prop.name not in violations:
                raise disagreement(
                    f"machine code finds {prop.name} {prop.verb} in a state, and forgets it"
                )
