"""The request for a search."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..core.memory import MemoryLimit, resident_memory
from ..core.result import DEFAULT, NO_LIMITS, Limits, Progress, Resources, StateStore
from ..core.spec import Kind, Property, TransitionSystem
from ..core.symmetry import Symmetry

if TYPE_CHECKING:
    from .purity_check import Trial


@dataclass(frozen=True)
class SearchRequest:
    """A request for a search by any engine.

    Parameters
    ----------
    properties
        The properties to decide.
    keep_going
        Explore everything and keep the first violations of every property, instead of stopping
        after the first level with a violation, or when all that must be reached is reached.
    symmetry
        Explore one representative of each set of states that differ only by the names of replicas.
    limits
        When to stop.
    resources
        The engine, and what it may use.
    trial
        Of the functions declared pure that the model reaches, if there are any.
    report
        Called now and then with the progress of the search.
    started
        The start of the clock for a limit in seconds.
    resident
        The memory of this process when the search began, in bytes, which is not the search's.
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
    trial: Trial | None = None
    report: Callable[[Progress], None] = lambda progress: None
    started: float = field(default_factory=perf_counter)
    resident: int = field(default_factory=resident_memory)
    tick: Callable[[], None] = lambda: None

    def goes_on(self, met: Collection[str]) -> bool:
        """Whether there is anything left to search for.

        Parameters
        ----------
        met
            Names of the properties that are violated, or reached if they must be, and of the broken
            assumptions.
        """
        sought = {prop.name for prop in self.properties if prop.kind is Kind.SOMETIMES}
        assumed = {prop.name for prop in self.system.assumptions}
        if not assumed.isdisjoint(met):
            # The model does not say what comes after the broken assumption.
            return False
        if self.keep_going or not met:
            return True
        decided = len(self.properties) - len(assumed)
        return sought.issuperset(met) and len(met) < decided

    @cached_property
    def memory(self) -> MemoryLimit:
        """What it may use of the memory."""
        return MemoryLimit(self.resources.memory, self.resident)

    @property
    def exact(self) -> bool:
        """Whether the compiled engine stores whole states, not fingerprints."""
        return self.resources.store == StateStore.EXACT
