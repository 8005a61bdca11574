"""One of two compared protocols, which answers as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...analysis.code import Code, code
from ...analysis.diff import Followed, Projected, Ranges, Reached, follow, ranges
from ...analysis.named import find_protocol
from ...analysis.properties import (
    find_violable,
    select_violable,
    system_for,
    with_custom,
    with_every_history,
)
from ...checker.check import check
from ...checker.result import Limits
from ...checker.stop import Stopped
from ...checker.violation import explained
from ...core.spec import Step, TidegateError, TransitionSystem
from ...invariants import properties_of
from ...model import Protocol
from ...render.terminal import progress


class NothingReachedError(TidegateError):
    """States were requested before a search."""


@dataclass(frozen=True)
class About:
    """A protocol: its family, the bounds to try, and the properties of interest."""

    name: str
    family: str
    summary: str
    ladder: tuple[str, ...]
    properties: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """The verdict on a property.

    Parameters
    ----------
    steps
        Those of a shortest counterexample.
    loop
        Where the counterexample is a lasso: the steps of its stem.
    """

    name: str
    outcome: str
    steps: tuple[Step, ...] | None
    explanation: str = ""
    loop: int | None = None


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of an exhaustive search."""

    headline: str
    rows: tuple[Row, ...]
    distinct_states: int
    depth: int
    stopped_by: Stopped | None


@dataclass(frozen=True)
class Count:
    """How many states a protocol reaches, and in how many each action is enabled."""

    distinct_states: int
    taken: dict[str, int]
    stopped_by: Stopped | None


class Side:
    """A protocol in this process.

    Parameters
    ----------
    name
        As for :func:`find_protocol`.
    """

    def __init__(self, name: str) -> None:
        self._protocol: Protocol = find_protocol(name)
        self._name = name
        self._reached: Reached | None = None

    def about(self, names: Sequence[str]) -> About:
        """Return the protocol's summary; `names` are the requested properties."""
        protocol = self._protocol
        properties = find_violable(protocol, names)
        return About(
            protocol.name,
            protocol.family,
            protocol.summary,
            protocol.model.mutation_bounds,
            tuple(prop.name for prop in properties),
        )

    def code(self) -> Code:
        """Return what its rules and actions say and do."""
        return code(self._protocol)

    def verdicts(
        self, settings: Sequence[str], names: Sequence[str], limits: Limits, quiet: bool
    ) -> Verdicts:
        """Decide properties in all states within bounds."""
        selection = select_violable(self._protocol, names)
        properties = selection.properties
        system = system_for(self._protocol, settings, properties)
        with progress(quiet) as show:
            result = check(
                system,
                properties,
                named=selection.named,
                limits=limits,
                keep_going=True,
                report=show,
            )
        rows = tuple(
            Row(
                verdict.property.name,
                verdict.outcome.value,
                verdict.trace.steps if verdict.trace else None,
                explained(system, verdict.property, verdict.trace) if verdict.trace else "",
                verdict.trace.loop if verdict.trace else None,
            )
            for verdict in result.verdicts
        )
        untraced = (verdict.untraced for verdict in result.verdicts if verdict.untraced)
        stopped_by = result.stopped_by or next(untraced, None)
        return Verdicts(system.headline, rows, result.distinct_states, result.depth, stopped_by)

    def variables(self, settings: Sequence[str]) -> Ranges:
        """Return the range of every variable that its states have within bounds."""
        return ranges(self._system(settings))

    def legend(self, settings: Sequence[str]) -> str:
        """Return how to read what is shown of a state in a few words."""
        return self._system(settings).legend

    def follow(
        self, settings: Sequence[str], names: Sequence[str], steps: Sequence[Step]
    ) -> Followed:
        """Take steps from its initial state as far as they are enabled; judge where that ends."""
        system = with_every_history(self._protocol, settings)
        known = properties_of(with_custom(self._protocol, names))
        # That a finite behavior says nothing of a liveness property.
        judged = [prop for prop in known if prop.name in names and not prop.kind.is_liveness]
        return follow(system, judged, steps)

    def reach(self, settings: Sequence[str], limits: Limits, quiet: bool) -> Count:
        """Find all states within bounds, and keep them for what follows."""
        with progress(quiet) as show:
            reached = Reached(self._system(settings), limits, show)
        self._reached = reached
        return Count(reached.distinct_states, reached.taken, reached.stopped_by)

    def levels(self, variables: Sequence[str]) -> list[set[Projected]]:
        """Return the values that some variables have together, by steps from an initial state."""
        return self._states().levels(variables)

    def behavior(self, level: int, projected: Projected) -> tuple[Step, ...]:
        """Return the steps of a shortest behavior to a state with these values."""
        return self._states().behavior(level, projected)

    def close(self) -> None:
        """Release the states."""
        if self._reached is not None:
            self._reached.close()

    def _states(self) -> Reached:
        if self._reached is None:
            raise NothingReachedError(f"{self._name}: no states were searched")
        return self._reached

    def _system(self, settings: Sequence[str]) -> TransitionSystem[Any, Any]:
        """Return its system without histories."""
        return system_for(self._protocol, settings, [])
