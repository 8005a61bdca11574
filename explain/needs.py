"""What a violation needs: how many faults and elections, and which options.

A need is reported only if a search without it explored all states within the same bounds and found
no violation of the same property.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ..checker.check import check
from ..core.interrupts import Stopped, is_interrupt
from ..core.result import Limits, Progress, Result
from ..core.spec import Outcome, Property, Step, Trace, TransitionSystem

Build = Callable[[Mapping[str, int], Mapping[str, str]], TransitionSystem[Any, Any]]
"""Makes the system of a trace with limits on how often some actions are taken, and other bounds."""

Counts = dict[str, int]
"""The number of steps of each kind of fault or election, by action."""


@dataclass(frozen=True)
class Need:
    """How much a violation needs one kind of fault or election, or an option.

    Parameters
    ----------
    name
        The action, or the option.
    numbers
        The steps of the trace that are of this kind, from 1; none for an option.
    least
        The fewest with which any behavior within the bounds violates the property, as far as
        searches showed; for an option 1 if it must be on, and 0 if it need not.
    decided
        Whether that is exact: with fewer, all states were explored and none violates it.
    instead
        If fewer are enough: the faults and elections of a behavior with fewer.
    steps
        The number of steps of that behavior.
    distinct_states, stopped_by
        The states of the search with fewer, and what stopped it.
    """

    name: str
    numbers: tuple[int, ...]
    least: int
    decided: bool
    instead: Counts | None
    steps: int | None
    distinct_states: int
    stopped_by: Stopped | None


@dataclass(frozen=True)
class Smallest:
    """A minimal subset of the faults and elections of a trace.

    Parameters
    ----------
    counts
        How many of each kind.
    trace
        A shortest behavior with these.
    decided
        Whether every search for a smaller subset was finished.
    """

    counts: Counts
    trace: Trace
    decided: bool


class Needs:
    """Finds out what a violation needs.

    Parameters
    ----------
    build
        See :data:`Build`.
    prop
        The property that the trace violates.
    trace
        The violation.
    kinds
        Actions that are faults or elections.
    seconds
        Time limit of all searches together.
    report
        Called with the progress of a search.
    """

    def __init__(
        self,
        build: Build,
        prop: Property,
        trace: Trace,
        kinds: Iterable[str],
        seconds: float,
        report: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._build = build
        self._property = prop
        self._trace = trace
        self._kinds = tuple(kinds)
        self._until = perf_counter() + seconds
        self._report = report
        self.interrupted = False

    def used(self) -> dict[str, tuple[int, ...]]:
        """Return the step numbers of each kind of fault or election, in the order of kinds."""
        return {
            kind: numbers
            for kind in self._kinds
            if (numbers := tuple(i for i, s in enumerate(self._trace.steps, 1) if s.action == kind))
        }

    def of_kind(self, kind: str) -> Need:
        """Find the fewest faults or elections of one kind that any violating behavior has."""
        numbers = self.used()[kind]
        least, best = len(numbers), None
        while True:
            result = self._search({kind: least - 1}, {})
            if result.first is None or result.first.trace is None:
                break
            best = result.first.trace
            least = self.counts(best.steps).get(kind, 0)
            if not least:
                break
        return self._need(kind, numbers, least, result, best)

    def of_option(self, name: str, off: str) -> Need:
        """Find out whether any behavior violates the property with an option switched off."""
        result = self._search({}, {name: off})
        trace = result.first.trace if result.first else None
        least = 0 if result.outcome is Outcome.VIOLATED else 1
        return self._need(name, (), least, result, trace)

    def _need(
        self, name: str, numbers: tuple[int, ...], least: int, last: Result, instead: Trace | None
    ) -> Need:
        """Return a need, from the last search and the behavior with fewer, if there is one."""
        # Of a violation without its trace it is not known what it takes.
        untraced = next((verdict.untraced for verdict in last.verdicts), None)
        return Need(
            name,
            numbers,
            least,
            last.outcome is not Outcome.INCOMPLETE and untraced is None,
            self.counts(instead.steps) if instead else None,
            len(instead.steps) if instead else None,
            last.distinct_states,
            untraced or last.stopped_by,
        )

    def smallest(self) -> Smallest:
        """Remove faults and elections of the trace, one by one, as long as a violation remains.

        Other steps may differ from the trace, but no other faults or elections occur.
        """
        counts, trace, decided = self.counts(self._trace.steps), self._trace, True
        needed: set[str] = set()
        while todo := [kind for kind in counts if kind not in needed]:
            kind = todo[0]
            fewer = dict.fromkeys(self._kinds, 0) | counts | {kind: counts[kind] - 1}
            result = self._search(fewer, {})
            if result.first is not None and result.first.trace is not None:
                trace = result.first.trace
                counts, needed = self.counts(trace.steps), set()
            else:
                needed.add(kind)
                decided = decided and result.outcome is Outcome.HOLDS
        return Smallest(counts, trace, decided)

    def counts(self, steps: Sequence[Step]) -> Counts:
        """Return the number of faults and elections of each kind among steps."""
        taken = Counter(step.action for step in steps)
        return {kind: taken[kind] for kind in self._kinds if taken[kind]}

    def _search(self, most: Mapping[str, int], changed: Mapping[str, str]) -> Result:
        """Search for a violation with fewer faults and elections, or with other options."""
        seconds = max(0.1, round(self._until - perf_counter(), 1))
        result = check(
            self._build(most, changed),
            [self._property],
            limits=Limits(seconds=0.1 if self.interrupted else seconds),
            report=self._report,
        )
        self.interrupted = self.interrupted or is_interrupt(result.stopped_by)
        return result
