"""What a gate consists of: cells, each a protocol within some bounds and the expectations there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.spec import Kind, Property
from ..library.names import is_custom
from ..library.properties import find_properties
from ..model import Protocol
from ..render.summary import count

TIERS = ("pr", "nightly", "weekly")
"""When a cell runs; a tier includes those before it."""

DEFAULT_BOUNDS = "default bounds"
"""What reports say where a case names no bounds."""

EVERY = ("default", "all")
"""Names in ``holds`` that stand for several properties: the protocol's own, or all."""


REPRODUCES, DIVERGES, AGREES = "reproduces", "diverges", "agrees"
"""What can be expected of real brokers."""


@dataclass(frozen=True)
class Expectation:
    """The expectation of one property, or of real brokers.

    Parameters
    ----------
    name
        The property; of real brokers ``REPRODUCES``, ``DIVERGES`` or ``AGREES``.
    violated
        Whether the property must be violated; else it must hold.
    steps
        The longest that its shortest counterexample may be, None for any length; or the step at
        which brokers must diverge.
    """

    name: str
    violated: bool = False
    steps: int | None = None

    def __str__(self) -> str:
        """Return it as in a report.

        >>> str(Expectation("LogMatching", True, 12)), str(Expectation("TypeOk"))
        ('violates LogMatching in at most 12 steps', 'holds TypeOk')
        >>> str(Expectation(DIVERGES, steps=9)), str(Expectation(AGREES))
        ('diverges at step 9', 'agrees')
        """
        if self.name in (REPRODUCES, DIVERGES, AGREES):
            return self.name if self.steps is None else f"{self.name} at step {self.steps}"
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


@dataclass(frozen=True)
class Brokers:
    """The real brokers that decide a cell, and the behaviors forced on them: one of three things.

    Parameters
    ----------
    kafka
        The directory of the distribution, relative to that of the gate's file.
    property
        The property whose shortest counterexample is forced.
    trace
        The file of a trace, which is forced under the cell's protocol, or under the one it names.
    walks, steps, seed
        Random walks through the cell's protocol, or through the rules of the brokers' release.
    optional
        Whether the cell is skipped where the distribution or Java is missing.
    """

    kafka: str
    property: str = ""
    trace: str = ""
    walks: int = 0
    steps: int = 25
    seed: int = 0
    optional: bool = False


@dataclass(frozen=True)
class Cell:
    """A protocol within some bounds, and the expectations of it there.

    Parameters
    ----------
    bounds
        As on the command line, separated by spaces.
    states, depth
        What a search of all states must count; None where nothing is pinned.
    symmetry
        Whether it is searched with ``--symmetry``, which changes the counts.
    brokers
        The real brokers that decide it; None where a search does.
    file, line
        The place of its case.
    """

    protocol: str
    bounds: str
    expectations: tuple[Expectation, ...]
    states: int | None = None
    depth: int | None = None
    symmetry: bool = False
    brokers: Brokers | None = None
    limits: CellLimits = CellLimits()
    tier: str = TIERS[0]
    title: str = ""
    file: str = "tidegate.toml"
    line: int = 1

    @property
    def subject(self) -> str:
        """The subject of the cell: the protocol, or the distribution."""
        return self.brokers.kafka if self.brokers else self.protocol

    @property
    def within(self) -> str:
        """The scope of the cell: the bounds, or the behaviors forced on real brokers.

        >>> Cell("hw", "records=2", (), brokers=Brokers("libs", walks=1, steps=1)).within
        '1 walk of 1 step, seed 0, hw, records=2'
        >>> Cell("hw", "records=2", (), symmetry=True).within
        'records=2, symmetry'
        """
        bounds, forced = self.bounds or DEFAULT_BOUNDS, self.brokers
        if forced is None:
            return f"{bounds}, symmetry" if self.symmetry else bounds
        if forced.property:
            return f"{self.protocol}, {bounds}, {forced.property}"
        walks = f"{count(forced.walks, 'walk')} of {count(forced.steps, 'step')}"
        what = [forced.trace] if forced.trace else [walks, f"seed {forced.seed}"]
        return ", ".join([*what, *filter(None, (self.protocol, self.bounds))])

    @property
    def name(self) -> str:
        """Its name in reports."""
        return f"{self.subject}, {self.within}"

    @property
    def custom(self) -> bool:
        """Whether the protocol or a property is custom: Python code from a user's file."""
        names = (self.protocol, *(expectation.name for expectation in self.expectations))
        return any(map(is_custom, names))


def distinct_names(cells: Sequence[Cell]) -> list[str]:
    """Return the name of each cell in reports whose readers know it by this alone.

    Cells of several cases may have one name; the line of the case tells them apart.
    """
    named = Counter(cell.name for cell in cells)
    return [
        cell.name if named[cell.name] == 1 else f"{cell.name} ({cell.file}:{cell.line})"
        for cell in cells
    ]


def expanded(
    expectations: Sequence[Expectation], protocol: Protocol
) -> dict[Expectation, Property]:
    """Return each expectation with its property; ``default`` and ``all`` leave out named ones.

    Where something has to hold, so do the assertions of the actions, unless they are named.

    Raises
    ------
    SelectionError
        If a property does not exist in the protocol's family.
    """
    pairs: dict[str, tuple[Expectation, Property]] = {}
    implied: tuple[Expectation, Property] | None = None
    for expectation in sorted(expectations, key=lambda one: one.name.lower() in EVERY):
        name = expectation.name.lower()
        for prop in find_properties(protocol, () if name == EVERY[0] else (expectation.name,)):
            single = Expectation(prop.name, expectation.violated, expectation.steps)
            if prop.kind is not Kind.ASSERTION or name in (*EVERY, prop.name.lower()):
                pairs.setdefault(prop.name, (single, prop))
            elif not expectation.violated:
                implied = Expectation(prop.name, violated=False), prop
    if implied is not None:
        pairs.setdefault(implied[0].name, implied)
    return dict(pairs.values())
