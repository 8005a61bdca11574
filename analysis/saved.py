"""Replays a saved trace with every history that its protocol can keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..checker.replay import Replayed, replay, without_failure
from ..checker.tracefile import Recorded
from ..core.spec import ModelError, Property, ReplayError, TidegateError, TransitionSystem
from ..invariants import properties_of
from ..model import Protocol
from .properties import system_for, with_every_history


def systems_with_history(
    protocol: Protocol, settings: Sequence[str], prop: Property | None
) -> Iterator[TransitionSystem[Any, Any]]:
    """Yield a protocol's system with all histories, then with those that a property reads.

    For a liveness property only the latter: with more history a cycle may not close.
    """
    if prop is None or not prop.kind.is_liveness:
        yield with_every_history(protocol, settings)
    yield system_for(protocol, settings, [prop] if prop else [])


def replayed_as_recorded(
    path: str, protocol: Protocol, recorded: Recorded
) -> tuple[TransitionSystem[Any, Any], Replayed]:
    """Take the steps of a trace within its bounds, with every history where that is possible.

    Raises
    ------
    ReplayError
        If the bounds or a step do not exist.
    ModelError
        If a step fails.
    """
    prop = {prop.name: prop for prop in properties_of(protocol)}.get(recorded.property)
    settings = [f"{name}={value}" for name, value in recorded.bounds.items()]
    try:
        systems = systems_with_history(protocol, settings, prop)
        return without_failure(systems, lambda system: (system, replay(system, recorded)))
    except ModelError:
        raise
    except TidegateError as error:
        raise ReplayError(f"{path}: {error}") from None
