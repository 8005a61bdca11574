"""Shortest behaviors to actions that random walks do not reach."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from copy import copy
from typing import Any
from zlib import crc32

from ..checker.check import check
from ..core.generated import run
from ..core.guards import guards_alone
from ..core.interrupts import is_interrupt
from ..core.result import Limits
from ..core.spec import Action, Kind, Property, Trace, TransitionSystem
from ..core.vocabulary import choices
from ..model.broker.bounds import Constants
from ..model.broker.state import BrokerState

MOST_STATES = 10_000_000
"""The most distinct states of a search for one in which an action is enabled."""


def shortest_ways(system: TransitionSystem[Any, Any], names: Collection[str]) -> dict[str, Trace]:
    """Return for each of some actions a shortest behavior after which it is enabled.

    An action is left out if there is none among the first distinct states.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended the search.
    """
    sought = list(_reachable(system, names))
    if not sought:
        return {}
    faultless = copy(system)
    faultless.constraint = _without_faults
    result = check(faultless, sought, limits=Limits(max_states=MOST_STATES))
    if is_interrupt(result.stopped_by):
        raise KeyboardInterrupt
    return {
        verdict.property.name: verdict.trace
        for verdict in result.verdicts
        if verdict.trace is not None
    }


def _without_faults(s: BrokerState, k: Constants) -> bool:
    """Whether nothing has failed so far, which makes the search several times smaller.

    A state after a fault is reached but not expanded: a fault is at most the last step.
    """
    return s.crashed == 0 and s.lost_power == 0 and s.lost == 0


def _reachable(system: TransitionSystem[Any, Any], names: Collection[str]) -> Iterator[Property]:
    """Yield for each of some actions the property that it is enabled in some state."""
    for action in system.actions:
        if action.name in names and choices(action, system.constants):
            yield Property(
                action.name,
                f"{action.name} is enabled in some state.",
                action.source,
                _may_be_taken(action, system.constants),
                kind=Kind.SOMETIMES,
            )


def _may_be_taken(action: Action, constants: object) -> Callable[[Any, Any], bool]:
    """Return the predicate that holds if some instance of an action passes its guards."""
    calls = [f"passes(s, k, {', '.join(map(str, one))})" for one in choices(action, constants)]
    disjunction = "\n        or ".join(calls)
    source = f"def may_be_taken(s, k):\n    return (\n        {disjunction}\n    )\n"
    names: dict[str, Any] = {"passes": guards_alone(action.apply)}
    run(source, f"<where {action.name} may be taken, {crc32(source.encode()):x}>", names)
    predicate: Callable[[Any, Any], bool] = names["may_be_taken"]
    return predicate
