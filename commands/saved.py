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
from ..checker.tracefile import read_trace
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
    report
        The report that contains the trace; empty for a trace alone.
    """

    protocol: Protocol
    system: TransitionSystem[Any, Any]
    settings: tuple[str, ...]
    property: Property | None
    trace: Trace
    report: Mapping[str, Any]


def saved(path: str, prop_name: str | None, named: str | None, trusted: bool) -> Saved:
    """Read a trace and replay it, with every history.

    Parameters
    ----------
    prop_name
        For a report with several traces: the property that the wanted trace violates.
    named, trusted
        As for :func:`~tidegate.analysis.selection.recorded_protocol`.

    Raises
    ------
    ReplayError
        If it cannot be replayed, or does not violate its property.
    """
    recorded = read_trace(path, prop_name)
    if prop_name and recorded.property.lower() != prop_name.lower():
        raise ReplayError(
            f"{path}: this trace violates {recorded.property or 'no property'}, not {prop_name}; "
            "leave out --property, or name a report with several traces"
        )
    protocol, recorded = protocol_to_replay(
        path, recorded, named, trusted, [prop_name] if prop_name else []
    )
    refuse_unknown_property(path, protocol, recorded)
    system, replayed = replayed_as_recorded(path, protocol, recorded)
    prop = {prop.name: prop for prop in properties_of(protocol)}.get(recorded.property)
    again = f"; see 'tidegate replay {path}'"
    if replayed.stopped or replayed.differs is not None or replayed.open is not None:
        raise ReplayError(f"{path}: its steps lead to other states than when it was saved{again}")
    if prop is not None and not violated_at_end(path, system, [prop], replayed):
        which = "it" if prop.kind.is_liveness else "its last state"
        raise ReplayError(f"{path}: {which} does not violate {prop.name}{again}")
    settings = tuple(f"{name}={value}" for name, value in recorded.bounds.items())
    return Saved(protocol, system, settings, prop, replayed.trace, recorded.report)


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
