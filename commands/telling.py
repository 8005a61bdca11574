"""From a trace to the forms that people look at: told with every history that there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..bounds import parse
from ..checker.render.terminal import make_console
from ..checker.replay import read_trace, replay, retaken
from ..checker.result import Verdict
from ..invariants import PROPERTIES
from ..invariants.named import every_history
from ..spec import ModelError, Property, ReplayError, Step, TidegateError, Trace, TransitionSystem
from .selection import find_protocol

if TYPE_CHECKING:
    from ..checker.render.narrative import Narrative


def with_every_history(name: str, settings: Sequence[str]) -> TransitionSystem[Any, Any]:
    """Return a protocol's system whose states hold what any property of its family reads.

    No guard reads histories, so every behavior of the protocol is one of this system.
    """
    protocol = find_protocol(name)
    return protocol.system(parse(protocol.family.bounds, settings), every_history(protocol))


@dataclass(frozen=True)
class Saved:
    """A trace that was saved, taken once more.

    Parameters
    ----------
    settings
        Its bounds, as on the command line.
    property
        What its last state violates; None for a behavior that violates nothing.
    """

    system: TransitionSystem[Any, Any]
    settings: tuple[str, ...]
    property: Property | None
    trace: Trace


def saved(path: str, asked: str | None) -> Saved:
    """Read a trace and take its steps, with every history.

    Parameters
    ----------
    asked
        Of a report that holds several traces, the property that the wanted one violates.

    Raises
    ------
    ReplayError
        If its steps cannot be taken any more, or it does not violate what it says.
    """
    recorded = read_trace(path, asked)
    if asked and recorded.property.lower() != asked.lower():
        raise ReplayError(
            f"{path}: this trace is of {recorded.property or 'no property'}, not of {asked}; leave "
            "out --property, or name a report that holds several traces"
        )
    protocol = find_protocol(recorded.protocol)
    known = {prop.name: prop for prop in PROPERTIES[protocol.family.name]}
    try:
        settings = [f"{name}={value}" for name, value in recorded.bounds.items()]
        parse(protocol.family.bounds, settings)
        system = with_every_history(recorded.protocol, settings)
        replayed = replay(system, recorded)
    except ModelError:
        raise
    except TidegateError as error:
        raise ReplayError(f"{path}: {error}") from None
    prop = known.get(recorded.property)
    if recorded.property and prop is None:
        raise ReplayError(
            f"{path}: its property {recorded.property!r} is none of the {protocol.family.name} "
            f"family; known: {', '.join(known)}"
        )
    again = f"; 'tidegate replay {path}' says more"
    if replayed.stopped or replayed.differs is not None:
        raise ReplayError(f"{path}: its steps do not lead where they did when it was saved{again}")
    if prop is not None and not system.violates(prop, replayed.trace.states[-1]):
        raise ReplayError(f"{path}: its last state does not violate {prop.name}{again}")
    return Saved(system, tuple(settings), prop, replayed.trace)


def tell(
    name: str,
    settings: Sequence[str],
    steps: Sequence[Step],
    prop: Property | None,
    numbers: Iterable[tuple[str, str]] = (),
) -> Narrative:
    """Return a behavior in the intermediate form, from which every other one is made."""
    from ..checker.render.narrative import narrate

    system = with_every_history(name, settings)
    about = find_protocol(name).summary
    return narrate(system, retaken(system, 0, steps), prop, numbers, about)


def found_page(
    system: TransitionSystem[Any, Any],
    first: Verdict | None,
    settings: Sequence[str],
    report: Mapping[str, Any],
    full: bool,
) -> str:
    """Return the behavior that was found as a page; nothing if nothing is violated, and say so."""
    from ..checker.render.forms import FORMS, numbers

    if first is None or first.trace is None:
        make_console(stderr=True).print("--html: nothing is violated, so no page is written")
        return ""
    told = tell(system.name, settings, first.trace.steps, first.property, numbers(report))
    return FORMS["html"](told, full)
