"""What is to be searched, and how."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass, field
from time import perf_counter
from typing import Any

from ..core.spec import Kind, Property, TransitionSystem
from ..core.symmetry import Symmetry
from .result import DEFAULT, NO_LIMITS, Limits, Progress, Resources, StateStore


@dataclass(frozen=True)
class SearchRequest:
    """A search that is to be done, by whichever engine.

    Parameters
    ----------
    properties
        What to decide in every state.
    keep_going
        Explore everything and keep the first violations of every property, instead of stopping
        after the first level that holds a violation, or that reaches the last of what must be.
    symmetry
        Search only one of the states that are the same but for the names of replicas.
    limits
        Where to give up.
    resources
        Which engine searches, and with what.
    report
        Called now and then with how far the search is.
    started
        When the clock began that a limit in seconds refers to.
    tick
        Called now and then while actions are compiled.
    """

    system: TransitionSystem[Any, Any]
    properties: Sequence[Property]
    _: KW_ONLY
    keep_going: bool = False
    symmetry: Symmetry | None = None
    limits: Limits = NO_LIMITS
    resources: Resources = DEFAULT
    report: Callable[[Progress], None] = lambda progress: None
    started: float = field(default_factory=perf_counter)
    tick: Callable[[], None] = lambda: None

    def goes_on(self, met: Collection[str]) -> bool:
        """Whether there is anything left to search for.

        Parameters
        ----------
        met
            Names of the properties that a state violates, or satisfies if that must be reached.
        """
        sought = {prop.name for prop in self.properties if prop.kind is Kind.SOMETIMES}
        if self.keep_going or not met:
            return True
        return sought.issuperset(met) and len(met) < len(self.properties)

    @property
    def exact(self) -> bool:
        """Whether the compiled engine stores whole states, not fingerprints."""
        return self.resources.store == StateStore.EXACT
