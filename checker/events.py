"""What happens in each step of a behavior, as the family of its protocol describes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.errors import ModelError, blaming
from ..core.scene import Event, Scene
from ..core.spec import Step, TransitionSystem


def events_of(
    system: TransitionSystem[Any, Any], steps: Sequence[Step], scenes: Sequence[Scene]
) -> list[Event]:
    """Return an event for the initial state, then one for each step.

    Parameters
    ----------
    scenes
        The pictures of the states: one more than there are steps.
    """
    first = Event("", "The initial state.")
    pairs = zip(steps, scenes, scenes[1:], strict=False)
    return [first, *(_event(system, step, before, after) for step, before, after in pairs)]


def _event(system: TransitionSystem[Any, Any], step: Step, before: Scene, after: Scene) -> Event:
    """Return what happens in a step."""
    if system.view is None:
        return Event("", f"{step}.")
    arguments = dict(zip(step.parameters, step.arguments, strict=True))
    try:
        with blaming(f"the view of {system.name}"):
            return system.view.event(step.action, arguments, before, after)
    except ModelError as error:
        if not isinstance(error.__cause__, (LookupError, StopIteration, ValueError)):
            raise
        # An action that lacks a guard may do something that has no sentence.
        return Event("", f"{step}.")
