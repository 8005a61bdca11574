"""What a gate consists of: cells, each a protocol within some bounds and what is expected there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ..analysis.named import is_custom
from ..analysis.properties import find_properties
from ..checker.result import Reason, Result
from ..core.spec import Outcome, Property
from ..model import Protocol

TIERS = ("pr", "nightly", "weekly")
"""When a cell runs; a tier includes those before it."""

DEFAULT_BOUNDS = "default bounds"
"""What reports say where a case names no bounds."""

EVERY = ("default", "all")
"""Names in ``holds`` that stand for several properties: the protocol's own, or all."""


@dataclass(frozen=True)
class Expectation:
    """What is expected of one property: that it holds, or that it is violated.

    ``steps`` is the longest that its shortest counterexample may be; None for any length.
    """

    name: str
    violated: bool = False
    steps: int | None = None

    def __str__(self) -> str:
        """Return it as in a report.

        >>> str(Expectation("LogMatching", True, 12)), str(Expectation("TypeOk"))
        ('violates LogMatching in at most 12 steps', 'holds TypeOk')
        """
        limit = "" if self.steps is None else f" in at most {self.steps} steps"
        return f"{'violates' if self.violated else 'holds'} {self.name}{limit}"


@dataclass(frozen=True)
class CellLimits:
    """What a cell may use.

    Parameters
    ----------
    seconds
        Wall time.
    memory
        Bytes; None for its share of what is free.
    stalled
        Seconds that one action may take before it is considered endless.
    engine
        Which engine searches.
    """

    seconds: float = 600.0
    memory: int | None = None
    stalled: float = 20.0
    engine: str = "auto"


@dataclass(frozen=True, kw_only=True)
class GateCell(ABC):
    """What every cell has: limits, a tier, a title, and the place of its case."""

    limits: CellLimits = CellLimits()
    tier: str = TIERS[0]
    title: str = ""
    file: str = "tidegate.toml"
    line: int = 1

    @property
    @abstractmethod
    def subject(self) -> str:
        """What is judged."""

    @property
    @abstractmethod
    def within(self) -> str:
        """Within what it is judged."""

    @property
    @abstractmethod
    def expected(self) -> tuple[tuple[str, str], ...]:
        """Name and text of each thing that is expected."""

    @property
    @abstractmethod
    def custom(self) -> bool:
        """Whether it runs a custom protocol."""

    @property
    def name(self) -> str:
        """Its name in reports."""
        return f"{self.subject}, {self.within}"


@dataclass(frozen=True)
class Cell(GateCell):
    """A protocol within some bounds, and what is expected of it there.

    Parameters
    ----------
    bounds
        As on the command line, separated by spaces.
    states, depth
        What a search of all states must count; None where nothing is pinned.
    """

    protocol: str
    bounds: str
    expectations: tuple[Expectation, ...]
    states: int | None = None
    depth: int | None = None

    @property
    def subject(self) -> str:
        """The protocol."""
        return self.protocol

    @property
    def within(self) -> str:
        """The bounds."""
        return self.bounds or DEFAULT_BOUNDS

    @property
    def expected(self) -> tuple[tuple[str, str], ...]:
        """Each property with what is expected of it."""
        return tuple((expectation.name, str(expectation)) for expectation in self.expectations)

    @property
    def custom(self) -> bool:
        """Whether the protocol or a property is custom: Python code from a user's file."""
        return any(
            map(
                is_custom, (self.protocol, *(expectation.name for expectation in self.expectations))
            )
        )


def expanded(
    expectations: Sequence[Expectation], protocol: Protocol
) -> dict[Expectation, Property]:
    """Return each expectation with its property; ``default`` and ``all`` leave out what is named.

    Raises
    ------
    SelectionError
        If a property does not exist in the protocol's family.
    """
    pairs: dict[str, tuple[Expectation, Property]] = {}
    for expectation in sorted(expectations, key=lambda one: one.name.lower() in EVERY):
        name = expectation.name.lower()
        for prop in find_properties(protocol, () if name == EVERY[0] else (expectation.name,)):
            single = Expectation(prop.name, expectation.violated, expectation.steps)
            pairs.setdefault(prop.name, (single, prop))
    return dict(pairs.values())


@dataclass(frozen=True)
class Seen:
    """The result of one property.

    ``steps``, ``explanation`` and ``loop`` are those of the shortest counterexample; ``reason``
    says why it cannot be decided, and ``vacuous`` that its premise never held.
    """

    outcome: Outcome
    steps: int | None = None
    explanation: str = ""
    loop: int | None = None
    reason: str = ""
    vacuous: bool = False


@dataclass
class CellVerdicts:
    """What the searches of a cell found, in numbers.

    ``never_enabled`` are the actions that were enabled in no state, where all were explored.
    ``instead`` is an unexpected violation and its number of steps, if an expected violation is
    missing.
    """

    seen: dict[str, Seen]
    states: int = 0
    depth: int = 0
    complete: bool = False
    never_enabled: tuple[str, ...] = ()
    stopped_by: str | None = None
    engine: str = ""
    declared_pure: str = ""
    instead: tuple[str, int] | None = None
    interpreted_because: tuple[Reason, ...] = ()

    def add(self, result: Result, explanations: dict[str, str]) -> None:
        """Add the result of one search."""
        for verdict in result.verdicts:
            name, trace = verdict.property.name, verdict.trace
            loop = trace.loop if trace else None
            self.seen[name] = Seen(
                verdict.outcome,
                verdict.steps,
                explanations.get(name, ""),
                loop,
                verdict.reason,
                verdict.vacuous,
            )
        self.states = max(self.states, result.distinct_states)
        self.depth = max(self.depth, result.depth)
        self.complete = result.complete
        self.never_enabled = tuple(result.never_taken) if result.complete else ()
        self.engine = result.engine
        reasons = dict.fromkeys((*self.interpreted_because, *result.interpreted_because))
        self.interpreted_because = tuple(reasons)
