"""A trace with the system that it is of, and the property that it shows something of.

Every form of a trace is made from this one value: columns and pages from its scenes and events,
files for other programs from the plain values of its states.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .layout import State
from .scene import Event, LogOffset, Scene
from .spec import Kind, Property, Step, TidegateError, Trace, TransitionSystem
from .text import ABSENT, briefly, differences, shown_part
from .vocabulary import INDEX, called


@dataclass(frozen=True)
class TraceStep:
    """A state of a trace, and the step that leads to it.

    Parameters
    ----------
    action
        Name of the action that was taken; empty for the initial state.
    arguments
        With which arguments, by name.
    state
        Every variable after it: records as dictionaries, arrays and sequences as lists, sets of
        numbers as sets, bags of numbers as dictionaries of counts, sets and bags of records as
        lists in order.
    """

    action: str
    arguments: Mapping[str, int]
    state: Mapping[str, Any]

    def __str__(self) -> str:
        step = Step(self.action, tuple(self.arguments), tuple(self.arguments.values()))
        return str(step) if self.action else "initial state"


@dataclass(frozen=True)
class Behavior:
    """A trace of a system.

    Parameters
    ----------
    prop
        The property that it violates or reaches; None for a behavior that is just shown.
    about
        The protocol in a sentence.
    """

    system: TransitionSystem[Any, Any]
    trace: Trace
    prop: Property | None = None
    about: str = ""

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its steps."""
        return self.trace.steps

    @cached_property
    def scenes(self) -> list[Scene]:
        """The states as pictures."""
        return self.system.scenes(self.trace.states)

    @cached_property
    def events(self) -> list[Event]:
        """What happens in the initial state and in each step, as the model says it."""
        pairs = zip(self.steps, self.scenes, self.scenes[1:], strict=False)
        happened = [self.system.event(step, before, after) for step, before, after in pairs]
        said = [self._with_values(number, event) for number, event in enumerate(happened, 1)]
        return [Event("", "The initial state."), *said]

    def _with_values(self, number: int, event: Event) -> Event:
        """Return what a step is, with the records and tuples that it is taken with.

        To the model's sentence they are indices.
        """
        indices = {name.removesuffix(INDEX) for name in self.steps[number - 1].parameters}
        indices -= {*self.steps[number - 1].parameters}
        chosen = self.chosen(number) if indices else {}
        values = [f"{name} {value}" for name, value in chosen.items() if name in indices]
        more = ", ".join(value for value in values if value not in event.sentence)
        if not more:
            return event
        text = event.sentence.removesuffix(".")
        text = f"{text[:-1]}, {more})." if text.endswith(")") else f"{text} ({more})."
        return replace(event, sentence=text)

    def chosen(self, number: int) -> dict[str, object]:
        """Return the arguments of a step as people see them, by name.

        Of an argument that is the index of a record, as ``m_index``, that is the record, ``m``.
        """
        step, system = self.steps[number - 1], self.system
        chosen = list(step.chosen.items())
        actions = (one for one in system.actions if one.name == step.action)
        for each in (each for one in actions for each in one.selections if each.by_index):
            system.layout.load(self.trace.states[number - 1])
            others = (step.arguments[place] for place in each.others)
            records: Any = each.values(system.record, system.constants, *others)
            record = records[step.arguments[each.place]]
            name = step.parameters[each.place].removesuffix(INDEX)
            chosen[each.place] = name, briefly(shown_part(record, record.__declared__))
        return dict(chosen)

    def arguments(self, number: int) -> str:
        """Return the arguments of a step as text, such as ``node 1, m (to 2)``."""
        return ", ".join(f"{name} {value}" for name, value in self.chosen(number).items())

    def label(self, number: int) -> str:
        """Return the step that leads to a state as text, such as ``Take(node=1, m=(to 2))``."""
        if not number:
            return "initial state"
        return called(self.steps[number - 1].action, self.chosen(number))

    def plain(self, number: int) -> TraceStep:
        """Return a state as plain values, with the step that leads to it."""
        step = self.steps[number - 1] if number else Step("")
        arguments = dict(zip(step.parameters, step.arguments, strict=True))
        state = self.system.layout.describe(self.trace.states[number])
        return TraceStep(step.action, arguments, state)

    @property
    def telling_state(self) -> State:
        """The state that shows how it violates the property.

        For a lasso it is the last state of the cycle that does not satisfy the predicate.
        """
        trace, prop = self.trace, self.prop
        if prop is not None and prop.kind.is_liveness and trace.loop is not None:
            for state in reversed(trace.states[trace.loop :]):
                self.system.layout.load(state)
                if not self.system.satisfies(prop):
                    return state
        return trace.states[-1]

    @property
    def explanation(self) -> str:
        """How it violates the property, in words; empty without one."""
        return self.system.explain(self.prop, self.telling_state) if self.prop else ""

    @property
    def breaking(self) -> list[tuple[str, Any, Any]]:
        """What the last step changed so that an invariant is violated: each path, old and new.

        These are the parts of variables without whose change the last state would satisfy it.  If
        it takes several of them, these are all that changed.
        """
        trace, prop, layout = self.trace, self.prop, self.system.layout
        if prop is None or prop.kind is not Kind.INVARIANT or not trace.steps:
            return []
        last = trace.states[-2:]
        before, after = map(layout.describe, last)
        changed = [*differences(before, after)]

        def satisfied_without(change: tuple[str, Any, Any]) -> bool:
            path, old, new = change
            owner = path.rpartition("[")[0] if ABSENT in (old, new) else path
            kept = tuple(
                former
                if re.match(rf"{re.escape(path)}($|[.\[])", variable.label)
                or variable.label == f"len({owner})"
                else now
                for variable, former, now in zip(layout.stored, *last, strict=True)
            )
            layout.load(bytes(kept) if isinstance(last[0], bytes) else kept)
            try:
                return self.system.satisfies(prop)
            except TidegateError:
                return False

        return [change for change in changed if satisfied_without(change)] or changed

    @property
    def places(self) -> tuple[LogOffset, ...]:
        """Where it violates the property: offsets of logs that its last picture shows."""
        if self.prop is None:
            return ()
        shown = {who.replica for who in self.scenes[-1].participants if who.log is not None}
        places = self.system.places(self.prop, self.telling_state)
        return tuple(place for place in places if place.replica in shown)
