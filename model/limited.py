"""A protocol whose behaviors take some actions at most N times.

A family's bounds limit faults and elections; this limits any action of any protocol, also one that
has no bound, such as a restart.  The state counts the steps of those actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..core.fields import integer
from ..core.guards import counted
from .protocol import Protocol


def counter(action: str) -> str:
    """Return the name of the variable that counts the steps of an action."""
    return f"taken_{action}"


def counting(state: type, limits: tuple[tuple[str, int], ...]) -> type:
    """Return the declaration of a state that counts the steps of limited actions."""
    counters = {
        counter(action): integer(0, most, f"steps of {action} so far") for action, most in limits
    }
    return type(state.__name__, (state,), counters) if limits else state


def limited(protocol: Protocol, most: Mapping[str, int]) -> Protocol:
    """Return a protocol that takes each of some actions at most a given number of times.

    Parameters
    ----------
    most
        For the name of an action, how many of its steps a behavior may have; with 0 the protocol
        has no such action.
    """
    actions = tuple(
        replace(action, apply=counted(action.apply, counter(action.name), most[action.name]))
        if action.name in most
        else action
        for action in protocol.actions
        if most.get(action.name) != 0
    )
    kept = tuple((action.name, most[action.name]) for action in actions if action.name in most)
    return replace(protocol, actions=actions, limits=kept)
