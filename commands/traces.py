"""Traces: one is read and replayed with every history, or written in the requested forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..checker.replay import Replayed
from ..checker.verdicts import why_satisfied
from ..core.behavior import Behavior
from ..core.spec import ModelError, Property, ReplayError
from ..core.tracefile import Recorded, read_trace
from ..library.full_history import refuse_unknown_property, replayed_as_recorded, with_histories
from ..library.problem import Problem
from ..model import Protocol
from ..render.output import Reports
from ..render.terminal import say
from .trust import protocol_to_replay

if TYPE_CHECKING:
    from ..render.narrative import Narrative


def saved(
    path: str, prop_name: str | None, named: str | None, trusted: bool
) -> tuple[Protocol, Behavior]:
    """Read a trace and replay it, as :func:`replay_file` does.

    Raises
    ------
    ReplayError
        If it cannot be replayed, or does not violate its property.
    """
    protocol, _, replayed = replay_file(path, prop_name, named, trusted)
    if why := changed(path, replayed):
        raise ReplayError(f"{path}: {why}; see 'tidegate replay {path}'")
    return protocol, replayed.behavior


def replay_file(
    path: str, prop_name: str | None, named: str | None, trusted: bool
) -> tuple[Protocol, Recorded, Replayed]:
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
    return protocol, recorded, replayed_as_recorded(path, protocol, recorded)


def changed(path: str, replayed: Replayed) -> str:
    """Return how a replay differs from the recorded trace; nothing where it does not."""
    if replayed.stopped or replayed.differs is not None or replayed.open is not None:
        return "its steps lead to other states than when it was saved"
    prop = replayed.behavior.prop
    if prop is not None and not violated_at_end(path, [prop], replayed.behavior):
        which = "it" if prop.kind.is_liveness else "its last state"
        return f"{which} does not violate {prop.name}"
    return ""


def violated_at_end(
    path: str, properties: Sequence[Property], behavior: Behavior
) -> list[Property]:
    """Return the properties that are violated where a replay ends, or by its cycle.

    Raises
    ------
    ReplayError
        If one cannot be judged there: the protocol is wrong, not the trace.
    """
    system, trace = behavior.system, behavior.trace
    try:
        return [prop for prop in properties if why_satisfied(system, prop, trace) is None]
    except ModelError as error:
        raise ReplayError(f"{path}: its last state cannot be judged: {error}") from None


def write_counterexample(
    reports: Reports,
    forms: Iterable[str],
    problem: Problem,
    behavior: Behavior | None,
    report: Callable[[], Mapping[str, Any]],
    full: bool,
    unfinished: bool = False,
) -> None:
    """Write a counterexample in the requested forms; a message where there is none.

    It is shown with every history, where that is possible.

    Parameters
    ----------
    unfinished
        Whether the trace of a violation was not finished.
    """
    from ..render.forms import numbers, write_forms
    from ..render.narrative import narrate

    def narrated(behavior: Behavior) -> Narrative:
        shown = with_histories(behavior, problem.protocol, problem.settings)
        return narrate(shown, numbers(report()))

    if behavior is not None:
        write_forms(reports, forms, partial(narrated, behavior), full)
        return
    for name in forms:
        why = "the trace was not finished" if unfinished else "nothing is violated"
        say(f"--{name}: {why}; no file was written", stderr=True)
