"""Step through a state space by hand: enabled steps, disabled steps with the reason, and undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.asserting import Assertion
from ..core.layout import State
from ..core.spec import Property, Step, Trace, TransitionSystem
from .reasons import why_not


@dataclass(frozen=True)
class Disabled:
    """A step that cannot be taken now, and the guard that refuses it, in words."""

    step: Step
    why: str


class Exploration:
    """A behavior that the user extends and shortens.

    Parameters
    ----------
    system
        The system to explore, from its first initial state on.
    properties
        Judged in every state.

    Attributes
    ----------
    initial_states
        The possible first states of a behavior.
    start
        The number of the initial state in which it begins, from 0.
    """

    def __init__(self, system: TransitionSystem[Any, Any], properties: Sequence[Property]) -> None:
        self.system = system
        self.properties = [prop for prop in properties if not prop.kind.needs_graph]
        self.initial_states = tuple(system.initial_states())
        self.start = 0
        self._states: list[State] = [self.initial_states[0]]
        self._steps: list[Step] = []

    def begin(self, start: int) -> None:
        """Begin again, in the initial state of that number."""
        self.start = start
        self._states, self._steps = [self.initial_states[start]], []

    @property
    def state(self) -> State:
        """The last state of the behavior."""
        return self._states[-1]

    @property
    def trace(self) -> Trace:
        """The behavior so far."""
        return Trace(tuple(self._states), tuple(self._steps))

    def enabled(self) -> list[Step]:
        """Return the steps that can be taken now, in the order of the action table."""
        enabled = [index for index, _ in self._successors(self.state)]
        return [self.system.instances[index].step for index in enabled]

    def _successors(self, state: State) -> list[tuple[int, State]]:
        """Return the enabled instances with their successors; none outside the constraint."""
        self.system.layout.load(state)
        return list(self.system.successors(state)) if self.system.inside() else []

    def disabled(self) -> list[Disabled]:
        """Return the steps that cannot be taken now, each with the guard that refuses it."""
        enabled = set(self.enabled())
        steps = (instance.step for instance in self.system.instances)
        return [Disabled(step, self._refusal(step)) for step in steps if step not in enabled]

    def _refusal(self, step: Step) -> str:
        """Say which guard refuses a step, and with which values."""
        self.system.layout.load(self.state)
        if not self.system.inside():
            return "this state is outside the bounds that the constraint sets"
        refused = why_not(self.system, self.state, step)
        if isinstance(refused, Assertion):
            return f"it fails {refused}"
        if refused is None:
            return "it is not enabled"
        values = ", ".join(f"{text} = {value}" for text, value in refused.values.items())
        guard = refused.guard
        return f"{guard.test} ({values}; {guard.file}:{guard.line})"

    def peek(self, step: Step) -> Trace | None:
        """Return the behavior of one step from here, without taking it."""
        following = self.system.take(self.state, step)
        return None if following is None else Trace((self.state, following), (step,))

    def take(self, step: Step) -> bool:
        """Take a step; return whether it was enabled."""
        following = self.system.take(self.state, step)
        if following is None:
            return False
        self._states.append(following)
        self._steps.append(step)
        return True

    def back(self) -> bool:
        """Undo the last step; return whether there was one."""
        if not self._steps:
            return False
        self._states.pop()
        self._steps.pop()
        return True

    def violated(self) -> list[Property]:
        """Return the properties that the present state violates."""
        return [prop for prop in self.properties if self.system.violates(prop, self.state)]

    def jump(self, most: int) -> str:
        """Continue to the nearest state that violates a property; return a message.

        Parameters
        ----------
        most
            The most states to look at.
        """
        start = self.state
        known = set(self.violated())
        parents: dict[State, tuple[State, Step] | None] = {start: None}
        todo = [start]
        for here in todo:
            for index, successor in self._successors(here):
                if successor not in parents:
                    parents[successor] = (here, self.system.instances[index].step)
                    todo.append(successor)
            if here is not start and (news := self._news(here, known)):
                return self._follow(here, parents, news)
            if len(parents) > most:
                return f"nothing found among {most:,} states"
        return "no state that can be reached from here violates anything else"

    def _news(self, state: State, known: set[Property]) -> list[str]:
        """Return the names of properties that a state violates, without the known ones."""
        judged = (prop for prop in self.properties if prop not in known)
        return [prop.name for prop in judged if self.system.violates(prop, state)]

    def _follow(
        self,
        end: State,
        parents: dict[State, tuple[State, Step] | None],
        news: Sequence[str],
    ) -> str:
        """Take the steps that lead to a state."""
        way: list[Step] = []
        while (parent := parents[end]) is not None:
            end, step = parent
            way.append(step)
        for step in reversed(way):
            self.take(step)
        return f"{', '.join(news)} violated, {len(way)} steps on"
