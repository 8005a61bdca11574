"""Cells that real brokers decide: a distribution, what is forced on it, and what is expected."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..analysis.named import is_custom
from .cells import DEFAULT_BOUNDS, GateCell

REPRODUCES, DIVERGES, AGREES = "reproduces", "diverges", "agrees"

EXPECTABLE = f'"{REPRODUCES}", "{DIVERGES} at step N" or "{AGREES}"'
"""What can be expected, as the gate's file writes it."""

_DIVERGES = re.compile(rf"{DIVERGES} +at +step +([1-9]\d{{0,5}})", re.ASCII)


@dataclass(frozen=True)
class ConformExpectation:
    """What is expected of real brokers.

    Parameters
    ----------
    name
        ``REPRODUCES``, ``DIVERGES`` or ``AGREES``.
    step
        The step at which they must diverge; 0 where they must not.
    """

    name: str
    step: int = 0

    def __str__(self) -> str:
        """Return it as in the gate's file.

        >>> str(ConformExpectation(DIVERGES, 9)), str(ConformExpectation(AGREES))
        ('diverges at step 9', 'agrees')
        """
        return f"{self.name} at step {self.step}" if self.step else self.name


def parse_expected(text: str) -> ConformExpectation | None:
    """Return what a text of the gate's file expects; None if it is not valid.

    >>> parse_expected("diverges at step 9")
    ConformExpectation(name='diverges', step=9)
    >>> parse_expected("diverges")
    """
    if text in (REPRODUCES, AGREES):
        return ConformExpectation(text)
    match = _DIVERGES.fullmatch(text)
    return ConformExpectation(DIVERGES, int(match[1])) if match else None


@dataclass(frozen=True)
class ShortestTrace:
    """The shortest trace of a protocol that violates a property."""

    protocol: str
    bounds: str
    property: str

    def __str__(self) -> str:
        return f"{self.protocol}, {self.bounds or DEFAULT_BOUNDS}, {self.property}"


@dataclass(frozen=True)
class SavedTrace:
    """A trace in a file, under `protocol`, or under the one that it names."""

    file: str
    protocol: str = ""

    def __str__(self) -> str:
        return f"{self.file}, {self.protocol}" if self.protocol else self.file


@dataclass(frozen=True)
class Walks:
    """Random walks through `protocol`, or through the rules of the brokers' release."""

    count: int
    steps: int
    seed: int
    protocol: str = ""
    bounds: str = ""

    def __str__(self) -> str:
        """Return it as in a report.

        >>> str(Walks(20, 30, 12)), str(Walks(1, 1, 0, "hw", "records=2"))
        ('20 walks of 30 steps, seed 12', '1 walk of 1 step, seed 0, hw, records=2')
        """
        walks = f"{self.count} walk{'s' if self.count != 1 else ''}"
        steps = f"{self.steps} step{'s' if self.steps != 1 else ''}"
        more = filter(None, (self.protocol, self.bounds))
        return ", ".join([f"{walks} of {steps}", f"seed {self.seed}", *more])


Forced = ShortestTrace | SavedTrace | Walks
"""What is forced on real brokers."""


@dataclass(frozen=True)
class ConformCell(GateCell):
    """A distribution of Kafka, what is forced on its brokers, and what is expected of them.

    Parameters
    ----------
    kafka
        The directory of the distribution, relative to that of the gate's file.
    optional
        Whether the cell is skipped where the distribution, Java or kazoo is missing.
    """

    kafka: str
    forced: Forced
    expectation: ConformExpectation
    optional: bool = False

    @property
    def subject(self) -> str:
        """The distribution."""
        return self.kafka

    @property
    def within(self) -> str:
        """What is forced."""
        return str(self.forced)

    @property
    def expected(self) -> tuple[tuple[str, str], ...]:
        """What is expected of the brokers."""
        return ((self.expectation.name, str(self.expectation)),)

    @property
    def custom(self) -> bool:
        """Whether what is forced comes from a custom protocol."""
        return is_custom(self.forced.protocol)
