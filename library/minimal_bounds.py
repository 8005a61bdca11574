"""The minimal bounds that violate a property: no smaller bounds violate it.

Bounds are compared component by component, so there may be several: more crashes with fewer
elections, and fewer crashes with more elections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from ..checker.check import check
from ..core.bounds import BoundsError
from ..core.errors import ImpureError, ModelError
from ..core.interrupts import Stop, Stopped, is_interrupt
from ..core.result import DEFAULT, Limits, Progress, Resources
from ..core.spec import Outcome, Property, TransitionSystem
from ..model import Protocol
from .ladder import BoundValues, Ladder, below, bounds_up_to, shown
from .names import is_custom
from .properties import system_for

_PROBE = 0.25
"""The share of the remaining time for one early search of large bounds."""

Build = Callable[[BoundValues], TransitionSystem[Any, Any]]
"""Makes the transition system within bounds."""


@dataclass(frozen=True)
class Point:
    """Bounds that violate the property, with the steps of the shortest counterexample."""

    bounds: BoundValues
    steps: int


@dataclass(frozen=True)
class MinimalBounds:
    """The minimal bounds that violate a property.

    Parameters
    ----------
    smallest
        These bounds; none is below another.
    undecided
        Bounds whose search was not finished and that are not above any of `smallest`: the property
        may be violated there too.
    largest
        The largest bounds.
    distinct_states
        States within the largest bounds, if the property holds there.
    searches
        How many bounds were searched; they decide the others.
    stopped_by
        What ended the first unfinished search.
    """

    smallest: tuple[Point, ...]
    undecided: tuple[BoundValues, ...]
    largest: BoundValues
    distinct_states: int | None
    searches: int
    stopped_by: Stopped | None = None

    @property
    def outcome(self) -> Outcome:
        """Whether the property is violated within the largest bounds."""
        if self.smallest:
            return Outcome.VIOLATED
        return Outcome.INCOMPLETE if self.undecided else Outcome.HOLDS


class MinimalBoundsSearch:
    """A search for the minimal bounds that violate a property.

    Parameters
    ----------
    build
        See :data:`Build`; bounds for which it raises BoundsError are contradictory, and skipped.
    prop
        The property.
    smallest, largest
        The range of each bound that is varied.
    grows
        Whether larger bounds allow everything that smaller ones do.  Then what holds within some
        bounds holds within all smaller ones, which need not be searched.
    seconds
        Time limit of all searches together.
    """

    def __init__(
        self,
        build: Build,
        prop: Property,
        smallest: Mapping[str, int],
        largest: Mapping[str, int],
        grows: bool,
        seconds: float | None = None,
        resources: Resources = DEFAULT,
        report: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._build = build
        self._property = prop
        self._smallest = smallest
        self._largest = dict(largest)
        self._grows = grows
        self._seconds = seconds
        self._until = None if seconds is None else perf_counter() + seconds
        self._resources = resources
        self._report = report
        self._points: list[Point] = []
        self._holding: list[tuple[BoundValues, int]] = []
        self._undecided: list[BoundValues] = []
        self._known: dict[tuple[int, ...], Outcome | None] = {}
        self._stopped_by: Stopped | None = None
        self._hung = ""
        self._ended = False
        self._searches = 0
        self._impossible: BoundsError | None = None
        self._failures: list[ModelError] = []

    def run(self) -> MinimalBounds:
        """Search, and return the minimal bounds.

        Raises
        ------
        BoundsError
            If all bounds contradict each other.
        ModelError
            If the model fails within all bounds.
        """
        if self._grows:
            self._probe()
        for bounds in bounds_up_to(self._largest, self._smallest):
            self._decide(bounds)
        minimal = [
            point
            for point in self._points
            if not any(
                below(other.bounds, point.bounds) for other in self._points if other is not point
            )
        ]
        if self._impossible is not None and not any(self._known.values()):
            raise self._impossible
        if self._failures and len(self._failures) == self._searches and not self._ended:
            raise self._failures[0]
        undecided = [
            bounds
            for bounds in self._undecided
            if not any(below(point.bounds, bounds) for point in minimal)
        ]
        undecided.sort(key=lambda bounds: (sum(bounds.values()), tuple(bounds.values())))
        top = [states for bounds, states in self._holding if bounds == self._largest]
        return MinimalBounds(
            tuple(minimal),
            tuple(undecided),
            self._largest,
            top[0] if top else None,
            self._searches,
            self._stopped_by,
        )

    def _probe(self) -> None:
        """Search the largest bounds, then these with one bound smaller.

        If the property holds there, all smaller bounds are decided.  That decides most bounds of a
        ladder: a violation that takes two crashes occurs nowhere with one crash.
        """
        if self._decide(self._largest, _PROBE) is Outcome.HOLDS:
            return
        for name in self._largest:
            for value in range(self._smallest[name], self._largest[name]):
                if self._decide(self._largest | {name: value}, _PROBE) is not Outcome.HOLDS:
                    break

    def _decide(self, bounds: BoundValues, share: float = 1.0) -> Outcome | None:
        """Search within bounds, unless known results decide them; None for contradictory bounds.

        Parameters
        ----------
        share
            Share of the remaining time; if it does not suffice, the bounds are searched later.
        """
        key = tuple(bounds.values())
        if key in self._known:
            return self._known[key]
        if any(below(point.bounds, bounds) for point in self._points):
            return Outcome.VIOLATED
        if self._grows and any(below(bounds, held) for held, _ in self._holding):
            return Outcome.HOLDS
        outcome = Outcome.INCOMPLETE
        if not self._over():
            try:
                system = self._build(bounds)
            except BoundsError as error:
                self._impossible = error
                self._known[key] = None
                return None
            try:
                outcome = self._search(system, bounds, share)
            except ImpureError:
                raise
            except ModelError as error:
                # A model may have no room within bounds that nobody asked for.
                note = f" within {shown(bounds)}: {error.head()}"
                self._failures.append(error)
                self._stopped_by = self._stopped_by or Stopped(Stop.FAILED, note=note)
        if outcome is Outcome.INCOMPLETE:
            if share < 1.0:
                return outcome
            self._undecided.append(bounds)
        self._known[key] = outcome
        return outcome

    def _over(self) -> bool:
        """Whether the search is over: the time is up, or the user interrupted."""
        if not self._ended and self._until is not None and perf_counter() >= self._until:
            self._ended = True
            self._stopped_by = self._stopped_by or self._out_of_time()
        return self._ended

    def _out_of_time(self) -> Stopped:
        return Stopped(Stop.TIME_LIMIT, f"{self._seconds:g}", self._hung)

    def _search(
        self, system: TransitionSystem[Any, Any], bounds: BoundValues, share: float
    ) -> Outcome:
        """Search within bounds, and record the outcome."""
        limits = Limits()
        if self._until is not None:
            seconds = share * (self._until - perf_counter())
            limits = Limits(seconds=max(0.01, round(seconds, 2)))
        self._searches += 1
        result = check(
            system,
            [self._property],
            limits=limits,
            report=self._report,
            resources=self._resources,
        )
        if result.outcome is Outcome.HOLDS:
            self._holding.append((bounds, result.distinct_states))
        elif result.outcome is Outcome.VIOLATED and (steps := result.verdicts[0].steps) is not None:
            self._points.append(Point(dict(bounds), steps))
        elif is_interrupt(result.stopped_by):
            self._ended, self._stopped_by = True, result.stopped_by
        else:
            stopped = result.stopped_by
            if stopped is not None and stopped.by is Stop.TIME_LIMIT:
                self._hung = self._hung or stopped.note
                stopped = self._out_of_time()
            if share == 1.0:
                self._stopped_by = self._stopped_by or stopped
        return result.outcome


def find_minimal_bounds(
    protocol: Protocol,
    prop: Property,
    varied: Ladder,
    seconds: float | None = None,
    resources: Resources = DEFAULT,
    report: Callable[[Progress], None] = lambda progress: None,
) -> MinimalBounds:
    """Search for the minimal bounds that violate a property."""

    def build(bounds: BoundValues) -> TransitionSystem[Any, Any]:
        return system_for(protocol, varied.within(bounds), [prop])

    # Deadlock and Stuck are about steps that are missing; larger bounds may add them.
    grows = varied.grows and prop.kind.is_invariant
    search = MinimalBoundsSearch(
        build,
        prop,
        varied.smallest,
        varied.largest,
        grows,
        seconds,
        replace(resources, watch=is_custom(protocol.name)),
        report,
    )
    return search.run()
