"""What the searches of all engines have in common: a breadth-first search, level by level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.errors import Reason
from ..core.interrupts import Stopped
from ..core.layout import State
from ..core.spec import Property
from .liveness.lasso import Decided
from .manifest import Manifest
from .request import SearchRequest


class LevelSearch:
    """A breadth-first search by any engine, and its results so far.

    Attributes
    ----------
    name
        That of the engine.
    exact
        Whether states are compared themselves, not by fingerprints.
    collision_probability
        Probability that some state was taken for another one.
    manifest
        The counts of its levels; an engine that keeps a search on disk writes it there.
    violations
        For every violated property the first level that violates it, with the violating states; for
        a property that must be reached, the first level that reaches it.
    stopped_by
        What ended the search before it had explored everything, if anything did.
    because
        Why it, or liveness alone, was left to Python when it was large enough to be compiled.
    """

    name: str
    exact: bool = True
    manifest: Manifest

    def __init__(self, request: SearchRequest) -> None:
        self.request = request
        self.system, self.properties = request.system, request.properties
        self.symmetry = request.symmetry
        self.manifest = Manifest(about=request.resources.about, code="")
        self.violations: dict[str, tuple[int, list[State]]] = {}
        self.stopped_by: Stopped | None = None
        self.because: tuple[Reason, ...] = ()

    @property
    def collision_probability(self) -> float:
        """Probability that some state was taken for another one."""
        return 0.0

    @property
    def distinct_states(self) -> int:
        """Distinct states found."""
        return self.manifest.states

    @property
    def depth(self) -> int:
        """How many levels were found; the last one that is recorded may have no state."""
        levels = self.manifest.levels
        return len(levels) - (1 if levels and not levels[-1].states else 0)

    @property
    def taken(self) -> Sequence[int]:
        """How often each instance of an action was taken."""
        raise NotImplementedError

    @property
    def spark_levels(self) -> int | None:
        """How many levels were found by Spark; None with another engine."""
        return None

    def least_parents(self, level: int, children: set[State]) -> dict[State, State]:
        """Return for each child its parent with the least fingerprint on the level before it."""
        raise NotImplementedError

    def states(self) -> list[list[State]]:
        """Return all states, level by level."""
        raise NotImplementedError

    def some(self, most: int) -> list[State]:
        """Return states that were found, spread over all levels, about so many at most."""
        raise NotImplementedError

    def decided(self, properties: Sequence[Property]) -> Iterable[Decided]:
        """Decide liveness properties once it has seen all states; a limit can leave some out."""
        raise NotImplementedError

    def close(self) -> None:
        """Release its resources; it cannot be used any more."""

    def _within_limits(self, distinct: int, seconds: float) -> bool:
        """Whether a search that has found so many states may continue; record why it may not."""
        self.stopped_by = self.request.limits.reached(distinct, seconds=seconds) or self.stopped_by
        return self.stopped_by is None

    def _largest(self, taken: Sequence[int]) -> str:
        """Return the name of the most frequent action; empty if none was taken."""
        most = max(taken, default=0)
        return self.system.instances[taken.index(most)].action.name if most else ""

    def _active(self) -> int:
        """Return a bit for every property that is still to be decided."""
        return sum(
            1 << number
            for number, prop in enumerate(self.properties)
            if prop.name not in self.violations
        )
