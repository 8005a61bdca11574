"""The smallest bounds that violate each property, by climbing from small bounds to large ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ..checker.check import check
from ..checker.interrupts import Interrupted, LimitReachedError, is_interrupt
from ..checker.result import DEFAULT, Resources, Result
from ..core.spec import Outcome, Property, TransitionSystem

Rung = dict[str, int]
"""A value for each bound that the ladder varies."""


@dataclass(frozen=True)
class Found:
    """What is known of one property on a ladder.

    Parameters
    ----------
    violated_at
        The first rung that violates it and the steps of its shortest counterexample, or None.
    holds_to
        The largest rung, which it satisfies, and its distinct states; None if it is violated.
    """

    violated_at: tuple[Rung, int] | None
    holds_to: tuple[Rung, int] | None


def rungs(largest: Mapping[str, int], smallest: Mapping[str, int] | None = None) -> Iterator[Rung]:
    """Yield all bounds up to the largest: least sum first, then in the order the bounds are named.

    Parameters
    ----------
    smallest
        Where each bound begins; 0, if not given.

    >>> [tuple(rung.values()) for rung in rungs({"records": 1, "elections": 2})]
    [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]
    """
    low = smallest or {}
    choices = product(*(range(low.get(name, 0), high + 1) for name, high in largest.items()))
    for values in sorted(choices, key=lambda values: (sum(values), values)):
        yield dict(zip(largest, values, strict=True))


def climb(
    build: Callable[[Rung], TransitionSystem[Any, Any]],
    properties: Sequence[Property],
    largest: Mapping[str, int],
    resources: Resources = DEFAULT,
) -> dict[str, Found]:
    """Find for each property the first rung that violates it, or that the largest one holds.

    Whatever can happen within some bounds can happen within larger ones.  So the largest are
    searched first: what holds there holds on every rung, and only the rest is looked for below.

    Parameters
    ----------
    build
        Makes the transition system for a rung.

    Raises
    ------
    KeyboardInterrupt
        If a search was stopped: by the user, or by a limit such as that of memory.
    """
    top = dict(largest)
    result = _whole(build(top), properties, resources)
    found: dict[str, Found] = {}
    open_properties = []
    for verdict in result.verdicts:
        if verdict.outcome is Outcome.VIOLATED:
            open_properties.append(verdict.property)
        else:
            found[verdict.property.name] = Found(None, (top, result.distinct_states))
    for rung in rungs(largest):
        if not open_properties:
            break
        result = _whole(build(rung), open_properties, resources)
        for verdict in result.verdicts:
            if verdict.trace is not None:
                found[verdict.property.name] = Found((rung, len(verdict.trace.steps)), None)
                open_properties.remove(verdict.property)
    return {prop.name: found[prop.name] for prop in properties}


def _whole(
    system: TransitionSystem[Any, Any], properties: Sequence[Property], resources: Resources
) -> Result:
    """Search all states: of a part of them it is not known what holds there."""
    result = check(system, properties, keep_going=True, resources=resources)
    if is_interrupt(result.stopped_by):
        raise Interrupted
    if result.stopped_by is not None:
        raise LimitReachedError(f"{result.stopped_by}: {system.name}, {system.headline}")
    return result
