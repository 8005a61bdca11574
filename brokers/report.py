"""What a replay on real brokers is told, and what it tells; and why Kafka could not be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.errors import TidegateError

State = Mapping[str, Any]
"""A state of the model: the values of its variables by name."""

LISTED = "listed"
"""What each replica answers to ListOffsets if it leads, beside the variables of a state."""


class KafkaError(TidegateError):
    """Kafka cannot be started or controlled as it should be."""


class MissingKafkaError(KafkaError):
    """A distribution, or what it needs, is not on this machine."""


@dataclass(frozen=True)
class ForcedStep:
    """A step to force, with its arguments by name and the state that it leads to."""

    action: str
    arguments: dict[str, int]
    after: State

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.action}({arguments})"


@dataclass(frozen=True)
class ForcedBehavior:
    """What to force: a first state, steps, and the bounds that they are within.

    Parameters
    ----------
    truncates_on_fetch
        Whether fetch responses say where logs diverge.
    """

    first: State
    steps: tuple[ForcedStep, ...]
    bounds: Mapping[str, str]
    truncates_on_fetch: bool = False


@dataclass(frozen=True)
class Difference:
    """What a broker has, mostly otherwise than the model: whose it is, and what."""

    what: str
    expected: str
    observed: str


@dataclass(frozen=True)
class Observed:
    """What real brokers did in a step.

    Parameters
    ----------
    number
        Of the step, from 1; 0 for the beginning.
    differences
        Where they differ from the model when patience ends; none if they follow it.
    events
        What travelled on the wire.
    log
        What the brokers reported meanwhile, if they differ.
    compared
        All that was compared last, as the model has it and as the brokers have.
    """

    number: int
    differences: tuple[Difference, ...] = ()
    events: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    compared: tuple[Difference, ...] = ()


@dataclass
class Report:
    """How far real brokers follow a behavior.

    Attributes
    ----------
    version
        Of Kafka.
    first
        The beginning, unless the brokers differ there already.
    steps
        One for each step that was forced; the last one may differ.
    acked
        The offset of each record that was acknowledged, by its number.
    leader
        The broker that leads at the end; None if none does.
    readable
        The records that a consumer reads from it, in order: those below its high watermark.
    log
        The records that it has.
    """

    version: str
    first: Observed | None = None
    steps: list[Observed] = field(default_factory=list)
    acked: dict[int, int] = field(default_factory=dict)
    leader: int | None = None
    readable: tuple[str, ...] = ()
    log: tuple[str, ...] = ()

    @property
    def differs(self) -> Observed | None:
        """The step in which brokers do otherwise."""
        return self.steps[-1] if self.steps and self.steps[-1].differences else None

    @property
    def gone(self) -> tuple[str, ...]:
        """Records that were acknowledged, and that the leader at the end no longer has."""
        if self.leader is None:
            return ()
        names = (f"m{record}" for record in sorted(self.acked))
        return tuple(name for name in names if name not in self.log)
