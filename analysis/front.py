"""All smallest bounds that violate a property: those with no smaller ones that do, too.

Smaller is meant bound by bound, so there may be several: more crashes with fewer elections, and
fewer crashes with more elections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ..checker.check import check
from ..checker.interrupts import after_limit, is_interrupt
from ..checker.result import DEFAULT, Limits, Progress, Resources
from ..core.bounds import BoundsError, parse
from ..core.spec import Kind, Outcome, Property, TransitionSystem
from ..model import Protocol
from .ladder import Ladder, Rung, rungs

_PROBE = 0.25
"""Share of the time that is left for one search of large bounds; small ones come first."""

Build = Callable[[Rung], TransitionSystem[Any, Any]]
"""Makes the transition system for a rung."""


@dataclass(frozen=True)
class Point:
    """Bounds that violate the property, with the steps of the shortest counterexample."""

    rung: Rung
    steps: int
    distinct_states: int


@dataclass(frozen=True)
class Front:
    """The smallest bounds that violate a property.

    Parameters
    ----------
    points
        They, none of them below another.
    undecided
        Bounds that were not searched whole and are not above any of these: the property may be
        violated there, and so within smaller bounds than `points` say.
    largest
        The largest bounds.
    distinct_states
        Those of the largest bounds, where the property holds there.
    searches
        How many bounds were searched; the others are decided by these.
    stopped_by
        What ended the first search that was not finished.
    """

    points: tuple[Point, ...]
    undecided: tuple[Rung, ...]
    largest: Rung
    distinct_states: int | None
    searches: int
    stopped_by: str | None = None

    @property
    def outcome(self) -> Outcome:
        """Whether the property is violated within the largest bounds."""
        if self.points:
            return Outcome.VIOLATED
        return Outcome.INCOMPLETE if self.undecided else Outcome.HOLDS


class Climb:
    """A search for the smallest bounds that violate a property.

    Parameters
    ----------
    build
        See :data:`Build`; bounds for which it raises BoundsError cannot be, and are left out.
    prop
        The property.
    smallest, largest
        The range of each bound that is varied.
    grows
        Whether larger bounds allow everything that smaller ones do.  Then what holds within some
        bounds holds within all smaller ones, which need not be searched.
    seconds
        For all searches together.
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
        self._holding: list[tuple[Rung, int]] = []
        self._undecided: list[Rung] = []
        self._known: dict[tuple[int, ...], Outcome | None] = {}
        self._stopped_by: str | None = None
        self._hung = ""
        self._ended = False
        self._searches = 0
        self._impossible: BoundsError | None = None

    def front(self) -> Front:
        """Search, and return the smallest bounds.

        Raises
        ------
        BoundsError
            If all bounds contradict each other.
        """
        if self._grows:
            self._probe()
        for rung in rungs(self._largest, self._smallest):
            self._decide(rung)
        minimal = [
            point
            for point in self._points
            if not any(below(it.rung, point.rung) for it in self._points if it is not point)
        ]
        if self._impossible is not None and not any(self._known.values()):
            raise self._impossible
        undecided = [
            rung for rung in self._undecided if not any(below(it.rung, rung) for it in minimal)
        ]
        undecided.sort(key=lambda rung: (sum(rung.values()), tuple(rung.values())))
        top = [states for rung, states in self._holding if rung == self._largest]
        return Front(
            tuple(minimal),
            tuple(undecided),
            self._largest,
            top[0] if top else None,
            self._searches,
            self._stopped_by,
        )

    def _probe(self) -> None:
        """Search the largest bounds, then with one of them small: what holds there needs no more.

        Most rungs of a ladder are decided by these: a hole that takes two crashes is on none of
        those with one.
        """
        if self._decide(self._largest, _PROBE) is Outcome.HOLDS:
            return
        for name in self._largest:
            for value in range(self._smallest[name], self._largest[name]):
                if self._decide(self._largest | {name: value}, _PROBE) is not Outcome.HOLDS:
                    break

    def _decide(self, rung: Rung, share: float = 1.0) -> Outcome | None:
        """Search within bounds, unless what is known decides them; None where they cannot be.

        Parameters
        ----------
        share
            Of the time that is left. What this does not suffice for is searched again later.
        """
        key = tuple(rung.values())
        if key in self._known:
            return self._known[key]
        if any(below(point.rung, rung) for point in self._points):
            return Outcome.VIOLATED
        if self._grows and any(below(rung, held) for held, _ in self._holding):
            return Outcome.HOLDS
        outcome = Outcome.INCOMPLETE
        if not self._over():
            try:
                system = self._build(rung)
            except BoundsError as error:
                self._impossible = error
                self._known[key] = None
                return None
            outcome = self._search(system, rung, share)
        if outcome is Outcome.INCOMPLETE:
            if share < 1.0:
                return outcome
            self._undecided.append(rung)
        self._known[key] = outcome
        return outcome

    def _over(self) -> bool:
        """Whether no more is to be searched, for lack of time or after an interrupt."""
        if not self._ended and self._until is not None and perf_counter() >= self._until:
            self._ended = True
            self._stopped_by = self._stopped_by or self._out_of_time()
        return self._ended

    def _out_of_time(self) -> str:
        return f"--time-limit {self._seconds:g}{self._hung}"

    def _search(self, system: TransitionSystem[Any, Any], rung: Rung, share: float) -> Outcome:
        """Search within bounds, and note what was found."""
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
            self._holding.append((rung, result.distinct_states))
        elif result.first is not None and result.first.trace is not None:
            steps = len(result.first.trace.steps)
            self._points.append(Point(dict(rung), steps, result.distinct_states))
        elif is_interrupt(result.stopped_by):
            self._ended, self._stopped_by = True, result.stopped_by
        else:
            of_time = (result.stopped_by or "").startswith("--time-limit")
            self._hung = self._hung or (after_limit(result.stopped_by) if of_time else "")
            if share == 1.0 and self._stopped_by is None:
                self._stopped_by = self._out_of_time() if of_time else result.stopped_by
        return result.outcome


def find_front(
    protocol: Protocol,
    prop: Property,
    varied: Ladder,
    seconds: float | None = None,
    resources: Resources = DEFAULT,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Front:
    """Search for the smallest bounds that violate a property."""

    def build(rung: Rung) -> TransitionSystem[Any, Any]:
        settings = [*varied.fixed, *(f"{name}={value}" for name, value in rung.items())]
        return protocol.system(parse(protocol.family.bounds, settings), prop.needs)

    # Deadlock and Stuck speak of what cannot happen, which more steps can repair.
    grows = varied.grows and prop.kind in (Kind.INVARIANT, Kind.TYPE)
    climb = Climb(build, prop, varied.smallest, varied.largest, grows, seconds, resources, report)
    return climb.front()


def below(one: Rung, other: Rung) -> bool:
    """Whether no bound is larger in `one` than in `other`."""
    return all(one[name] <= other[name] for name in one)


def sufficient(fronts: Sequence[Front]) -> Rung:
    """Return bounds within which every one of some properties is violated, small ones."""
    found: Rung = {}
    for front in fronts:
        nearest = min(front.points, key=lambda point: _added(found, point.rung), default=None)
        for name, value in nearest.rung.items() if nearest else ():
            found[name] = max(value, found.get(name, 0))
    return found


def _added(found: Rung, rung: Rung) -> int:
    """Return by how much bounds have to grow to include others."""
    return sum(max(0, value - found.get(name, 0)) for name, value in rung.items())


def shown(rung: Rung) -> str:
    """Return bounds as on the command line.

    >>> shown({"records": 2, "crashes": 1})
    'records=2 crashes=1'
    """
    return " ".join(f"{name}={value}" for name, value in rung.items())


def listed(items: Sequence[Rung], most: int) -> Iterator[str]:
    """Yield bounds, the first `most` of them, then how many more there are."""
    yield from (shown(rung) for rung in items[:most])
    if len(items) > most:
        yield f"and {len(items) - most:,} more"
