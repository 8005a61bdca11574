"""What two protocols make of the same steps, and which states only one of them reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..analysis.compare import BlockedStep, Contrast, Divergence, Taken
from .contrast import Labels, heading, in_steps, variables_of_one
from .printed import Console, Text
from .summary import count
from .text import print_prose


class Contrasts:
    """Prints what the differences change.

    Parameters
    ----------
    names
        The labels of the two.
    codes
        The code of both.
    changed
        The differences of the code.
    """

    def __init__(self, console: Console, names: Labels, codes: Sequence[Any], changed: Any) -> None:
        self._console = console
        self._names = names
        self._codes = codes
        self._rules = {change.name for change in changed.rules}
        self._actions = {change.name for change in changed.actions}
        self._actions |= {user for change in changed.helpers for user in change.used_by}

    def counterexample(self, violation: Any) -> None:
        """Print what one protocol makes of the other's counterexample."""
        contrast: Contrast = violation.contrast
        here, there = self._called(contrast)
        steps = count(len(contrast.here.states) - 1, "step")
        heading(self._console, f"The counterexample of {here} in {there}")
        after = in_steps(len(contrast.here.states) - 1, violation.loop)
        violated = f"{', '.join(violation.properties)}{after}"
        self._say(f"{here} violates {violated}. {violation.explanation}")
        self._contrast(contrast)
        if contrast.there.stopped is not None:
            return
        judged = [name for name in violation.properties if name in contrast.there.judged]
        broken = [name for name in judged if name in contrast.there.violated]
        kept = [name for name in judged if name not in contrast.there.violated]
        text = f"In {there} all {steps} are enabled"
        if not contrast.departures:
            text += " and lead to the same states"
        if kept:
            text += f", and {', '.join(kept)} {'hold' if len(kept) > 1 else 'holds'} at their end"
        if broken:
            verb = "are" if len(broken) > 1 else "is"
            text += f"; {', '.join(broken)} {verb} violated there as well"
        self._say(f"{text}.")

    def states(self, states: Any, brief: bool = False) -> None:
        """Print how many states only one of the two reaches, and the shortest behaviors there.

        Parameters
        ----------
        brief
            Whether the behaviors are left out.
        """
        names = self._names
        heading(self._console, "Reachable states, histories left out")
        if states.alone is None:
            which = next(i for i, counted in enumerate(states.counts) if counted.stopped_by)
            stopped = states.counts[which].stopped_by
            line = f"not all states of {names[which]} were explored (stopped by {stopped}); "
            line += "choose smaller bounds, or a larger --max-states."
            style = ("NOT COMPARED ", "bold yellow")
            print_prose(self._console, Text.assemble(style, line))
            return
        for name, shown in variables_of_one(names, states.left_out):
            self._say(f"Compared without what only {name} has: {', '.join(shown)}.")
        if states.begun_apart:
            begun = ", ".join(states.begun_apart)
            self._say(f"Compared without what differs in the initial states: {begun}.")
        old, new = (counted.distinct_states for counted in states.counts)
        both = f"{old:,} states of {names[0]} and {new:,} of {names[1]}"
        only = [lone.count for lone in states.alone]
        if not any(only):
            apart = any(states.left_out) or states.begun_apart
            alike = "but for these variables" if apart else "states"
            self._say(f"{both}: the same {alike}. {_enabled(names, states.counts)}")
        else:
            text = "; ".join(
                f"{n:,} that only {name} reaches" if n else f"none that only {name} reaches"
                for name, n in zip(names, only, strict=True)
            )
            self._say(f"{both}: {text}.")
        for behavior in [] if brief else states.behaviors:
            self._behavior(behavior)

    def _behavior(self, contrast: Contrast) -> None:
        """Print a behavior to a state that the other protocol never reaches, step by step."""
        here, there = self._called(contrast)
        steps = count(len(contrast.here.states) - 1, "step")
        self._step(f"A shortest behavior of {here} to a state that {there} never reaches, {steps}:")
        for number, taken in enumerate(contrast.here.states[1:], 1):
            self._say(f"{number}. {taken.sentence}", indent=3)
        for line in _columns(contrast.here.states[-1]):
            self._say(line, indent=6, style="dim")
        self._contrast(contrast, listed=True)

    def _contrast(self, contrast: Contrast, listed: bool = False) -> None:
        """Print where two behaviors with the same steps become different, and where one stops.

        Parameters
        ----------
        listed
            Whether the steps were printed before, as their own protocol takes them.
        """
        for departure in contrast.departures:
            self._departure(contrast, departure, listed)
        if contrast.there.stopped is not None:
            self._stop(contrast, contrast.there.stopped, listed)

    def _departure(self, contrast: Contrast, departure: Divergence, listed: bool) -> None:
        """Print a step that leads the two to different states: what happens in each, and why."""
        here, there = self._called(contrast)
        number = departure.number
        mine, theirs = contrast.here.states[number], contrast.there.states[number]
        if mine.step is None:
            values = "; ".join(
                f"{path} is {mine.variables[path]} in {here}, {theirs.variables[path]} in {there}"
                for path in departure.variables
            )
            self._step(f"The initial states differ: {values}.")
            reasons: list[str] = []
        else:
            reasons = self._reasons(mine.step.action)
            why = f": {' and '.join(reasons)} differ" if reasons else ", as a consequence"
            why += "s" if len(reasons) == 1 else ""
            self._step(f"Step {number}, {mine.step}, leads to another state{why}.")
        sides = [(there, theirs, mine)] if listed else [(here, mine, theirs), (there, theirs, mine)]
        for name, taken, other in sides:
            self._say(f"{name}: {taken.sentence}", indent=3)
            for line in _columns(taken, other) if reasons or mine.step is None else ():
                self._say(line, indent=6, style="dim")

    def _reasons(self, action: str) -> list[str]:
        """Return what differs in the code of an action: itself, or functions among its rules."""
        if action in self._actions:
            return [f"the action {action}"]
        rules = set().union(*(self._asked(code, action) for code in self._codes))
        return [f"the rule {name}" for name in self._codes[1].rules if name in rules]

    def _asked(self, code: Any, action: str) -> set[str]:
        """Return the rules that differ, are functions and are called by an action."""
        if action not in code.actions:
            return set()
        rules: set[str] = code.rules_asked(action) & self._rules
        return {name for name in rules if code.rules[name].function is not None}

    def _stop(self, contrast: Contrast, stopped: BlockedStep, listed: bool) -> None:
        """Print the step that one protocol takes and the other refuses, and why."""
        here, there = self._called(contrast)
        number = len(contrast.there.states)
        self._step(f"Step {number}, {stopped.step}, is not enabled in {there}.")
        if not listed:
            self._say(f"{here}: {contrast.here.states[number].sentence}", indent=3)
        if stopped.reason is None:
            self._say(f"{there} has no such step.", indent=3)
            return
        values = ", ".join(f"{name} = {value}" for name, value in stopped.reason.values)
        text = f"{there}: needs {stopped.reason.needs}" + (f", but {values}" if values else "")
        self._say(f"{text} ({stopped.reason.source}).", indent=3)
        for name in stopped.rules:
            rule = self._codes[1 - contrast.of].rules.get(name)
            if rule is not None and rule.function is not None and rule.function.says:
                self._say(f"{name} is {rule.value} there: {rule.function.says}", indent=3)

    def _called(self, contrast: Contrast) -> tuple[str, str]:
        """Return the label of the protocol whose steps these are, and that of the other one."""
        return self._names[contrast.of], self._names[1 - contrast.of]

    def _say(self, text: str, indent: int = 0, style: str = "") -> None:
        print_prose(self._console, Text(text, style), indent)

    def _step(self, text: str) -> None:
        print_prose(self._console, Text(text, "bold"))


def _columns(taken: Taken, other: Taken | None = None) -> Iterator[str]:
    """Yield a line for each participant; with `other`, for each that looks different there."""
    for name, text in taken.columns.items():
        if other is None or other.columns.get(name) != text:
            yield f"{name} is now: {'; '.join(text.split(chr(10)))}"


def _enabled(names: Labels, counts: Sequence[Any]) -> str:
    """Say which actions are enabled more often in one of the two."""
    old, new = (counted.taken for counted in counts)
    differ = [name for name in {**old, **new} if old.get(name, 0) != new.get(name, 0)]
    if not differ:
        return "Every action is enabled equally often."
    text = (
        f"{name} {old.get(name, 0):,} times in {names[0]} and {new.get(name, 0):,} in {names[1]}"
        for name in differ
    )
    return f"Not every action is enabled equally often: {'; '.join(text)}."
