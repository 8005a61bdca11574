"""What happens in each step of a behavior, as the family of its protocol describes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    return [first, *(system.event(step, before, after) for step, before, after in pairs)]
