"""Saved traces: read one, replay it, and return it as a narrative with every history variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..analysis.named import find_protocol
from ..analysis.saved import replayed_as_recorded, systems_with_history
from ..analysis.selection import refuse_unknown_property
from ..checker.replay import Replayed, retaken, start_of, without_failure
from ..checker.result import Verdict
from ..checker.tracefile import Recorded, read_trace
from ..checker.violation import why_satisfied
from ..core.spec import (
    ModelError,
    Property,
    ReplayError,
    Step,
    Trace,
    TransitionSystem,
)
from ..invariants import properties_of
from ..model import Protocol
from ..render.terminal import say
from .trust import protocol_to_replay

if TYPE_CHECKING:
    from ..render.narrative import Narrative


@dataclass(frozen=True)
class Saved:
    """A saved trace, replayed.

    Parameters
    ----------
    settings
        Its bounds, as on the command line.
    property
        The property that it violates; None for a behavior that violates nothing.
    """

    protocol: Protocol
    system: TransitionSystem[Any, Any]
    settings: tuple[str, ...]
    property: Property | None
    trace: Trace


def saved(path: str, prop_name: str | None, named: str | None, trusted: bool) -> Saved:
    """Read a trace and replay it, as :func:`replay_file` does.

    Raises
    ------
    ReplayError
        If it cannot be replayed, or does not violate its property.
    """
    protocol, recorded, system, replayed = replay_file(path, prop_name, named, trusted)
    prop = {prop.name: prop for prop in properties_of(protocol)}.get(recorded.property)
    if why := changed(path, system, prop, replayed):
        raise ReplayError(f"{path}: {why}; see 'tidegate replay {path}'")
    settings = tuple(f"{name}={value}" for name, value in recorded.bounds.items())
    return Saved(protocol, system, settings, prop, replayed.trace)


def replay_file(
    path: str, prop_name: str | None, named: str | None, trusted: bool
) -> tuple[Protocol, Recorded, TransitionSystem[Any, Any], Replayed]:
    """Read a trace and replay it, with every history.

    Parameters
    ----------
    prop_name
        The property that the wanted trace violates, where a report has several traces; a custom
        property is Python code, which runs if it is named.
    named, trusted
        As for :func:`~tidegate.commands.trust.recorded_protocol`.
    """
    recorded = read_trace(path, prop_name)
    names = [prop_name] if prop_name else []
    protocol, recorded = protocol_to_replay(path, recorded, named, trusted, names)
    refuse_unknown_property(path, protocol, recorded)
    return protocol, recorded, *replayed_as_recorded(path, protocol, recorded)


def changed(
    path: str, system: TransitionSystem[Any, Any], prop: Property | None, replayed: Replayed
) -> str:
    """Return how a replay differs from what was recorded; nothing where it does not."""
    if replayed.stopped or replayed.differs is not None or replayed.open is not None:
        return "its steps lead to other states than when it was saved"
    if prop is not None and not violated_at_end(path, system, [prop], replayed):
        which = "it" if prop.kind.is_liveness else "its last state"
        return f"{which} does not violate {prop.name}"
    return ""


def violated_at_end(
    path: str,
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    replayed: Replayed,
) -> list[Property]:
    """Return the properties that are violated where a replay ends, or by its cycle.

    Raises
    ------
    ReplayError
        If one cannot be judged there: the protocol is wrong, not the trace.
    """
    try:
        return [prop for prop in properties if why_satisfied(system, prop, replayed.trace) is None]
    except ModelError as error:
        raise ReplayError(f"{path}: its last state cannot be judged: {error}") from None


def narrated(
    name: str,
    settings: Sequence[str],
    start: int,
    steps: Sequence[Step],
    prop: Property | None,
    numbers: Iterable[tuple[str, str]] = (),
    loop: int | None = None,
) -> Narrative:
    """Return the behavior from initial state number `start` as a narrative."""
    from ..render.narrative import narrate

    protocol = find_protocol(name)
    return without_failure(
        systems_with_history(protocol, settings, prop),
        lambda system: narrate(
            system, retaken(system, start, steps, loop), prop, numbers, protocol.summary
        ),
    )


def counterexample_page(
    system: TransitionSystem[Any, Any],
    first: Verdict | None,
    settings: Sequence[str],
    report: Mapping[str, Any],
    full: bool,
    unfinished: bool = False,
) -> str:
    """Return the first counterexample as a page; empty, with a message, if there is none.

    Parameters
    ----------
    unfinished
        Whether the trace of a violation was not finished.
    """
    from ..render.forms import FORMS, numbers

    if first is None or first.trace is None:
        why = "the trace was not finished" if unfinished else "nothing is violated"
        say(f"--html: {why}; no page was written", stderr=True)
        return ""
    start, trace = start_of(system, first.trace), first.trace
    narrative = narrated(
        system.name, settings, start, trace.steps, first.property, numbers(report), trace.loop
    )
    return FORMS["html"](narrative, full)
