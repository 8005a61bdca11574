"""Takes the steps of a trace again, with every history that its protocol can keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..checker.families import shown_by
from ..checker.replay import Replayed, replay, retaken, without_failure
from ..core.behavior import Behavior
from ..core.spec import ModelError, Property, ReplayError, TidegateError, TransitionSystem
from ..core.tracefile import Recorded
from ..model import Protocol
from .properties import properties_of, system_for, with_every_history


def refuse_unknown_property(file: str, protocol: Protocol, recorded: Recorded) -> None:
    """Refuse a trace whose property its protocol does not have.

    Raises
    ------
    ReplayError
        With the properties that there are.
    """
    known = [prop.name for prop in properties_of(protocol)]
    if recorded.property and recorded.property not in known:
        raise ReplayError(
            f"{file}: {protocol.name} has no property {recorded.property!r}; it has "
            f"{', '.join(known)}"
        )


def systems_with_history(
    protocol: Protocol, settings: Sequence[str], prop: Property | None
) -> Iterator[TransitionSystem[Any, Any]]:
    """Yield a protocol's system with all histories, then with those that a property reads.

    For a liveness property only the latter: with more history a cycle may not close.
    """
    if prop is None or not prop.kind.is_liveness:
        yield with_every_history(protocol, settings)
    yield system_for(protocol, settings, [prop] if prop else [])


def with_histories(behavior: Behavior, protocol: Protocol, settings: Sequence[str]) -> Behavior:
    """Return a behavior that a search found, with every history where that is possible."""
    trace, prop = behavior.trace, behavior.prop
    # The initial state has the same number in a system that keeps more history.
    start = list(behavior.system.initial_states()).index(trace.states[0])
    return without_failure(
        systems_with_history(protocol, settings, prop),
        lambda system: Behavior(
            system, retaken(system, start, trace.steps, trace.loop), prop, protocol.summary
        ),
    )


def replayed_as_recorded(path: str, protocol: Protocol, recorded: Recorded) -> Replayed:
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
        replayed = without_failure(systems, lambda system: replay(system, recorded))
    except ModelError:
        raise
    except TidegateError as error:
        raise ReplayError(f"{path}: {error}") from None
    behavior = replayed.behavior
    if prop is not None:
        prop = shown_by(behavior.system, prop, behavior.trace)
    behavior = replace(behavior, prop=prop, about=protocol.summary)
    return replace(replayed, behavior=behavior)
