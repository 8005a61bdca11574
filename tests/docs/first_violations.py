"""The first bounds of a ladder that violate each property; a ladder goes from small to large."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tidegate.checker.check import check
from tidegate.core.interrupts import Interrupted, LimitReachedError, is_interrupt
from tidegate.core.result import DEFAULT, Resources, Result
from tidegate.core.spec import Outcome, Property, TransitionSystem
from tidegate.library.ladder import BoundValues, bounds_up_to


@dataclass(frozen=True)
class LadderVerdict:
    """The verdict on one property on a ladder of bounds.

    Parameters
    ----------
    violated_at
        The first bounds that violate it and the steps of its shortest counterexample, or None.
    holds_to
        The largest bounds and their distinct states, where it holds; None if it is violated.
    """

    violated_at: tuple[BoundValues, int] | None
    holds_to: tuple[BoundValues, int] | None


def first_violations(
    build: Callable[[BoundValues], TransitionSystem[Any, Any]],
    properties: Sequence[Property],
    largest: Mapping[str, int],
    resources: Resources = DEFAULT,
) -> dict[str, LadderVerdict]:
    """Return for each property the first bounds that violate it, or the largest if it holds there.

    Whatever can happen within some bounds can happen within larger ones.  So the largest are
    searched first: if an invariant holds there, it holds within all.  A property that needs the
    state graph is searched within all bounds: with one more election allowed, fairness may require
    a behavior to take it.

    Parameters
    ----------
    build
        Makes the transition system within bounds.

    Raises
    ------
    KeyboardInterrupt
        If a search was stopped: by the user, or by a limit such as that of memory.
    """
    top = dict(largest)
    result = _full_search(build(top), properties, resources)
    verdicts: dict[str, LadderVerdict] = {}
    open_properties = []
    for verdict in result.verdicts:
        if verdict.outcome is not Outcome.VIOLATED:
            verdicts[verdict.property.name] = LadderVerdict(None, (top, result.distinct_states))
        if verdict.outcome is Outcome.VIOLATED or verdict.property.kind.needs_graph:
            open_properties.append(verdict.property)
    for bounds in bounds_up_to(largest):
        if not open_properties:
            break
        result = _full_search(build(bounds), open_properties, resources)
        for verdict in result.verdicts:
            if verdict.trace is not None:
                verdicts[verdict.property.name] = LadderVerdict(
                    (bounds, len(verdict.trace.steps)), None
                )
                open_properties.remove(verdict.property)
    return {prop.name: verdicts[prop.name] for prop in properties}


def _full_search(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], resources: Resources
) -> Result:
    """Search all states; an incomplete search is an error."""
    result = check(system, properties, keep_going=True, resources=resources)
    if is_interrupt(result.stopped_by):
        raise Interrupted
    if result.stopped_by is not None:
        raise LimitReachedError(result.stopped_by.noting(f": {system.heading}"))
    return result
