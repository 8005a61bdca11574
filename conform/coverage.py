"""Which rules of a protocol and which guards of its actions some behaviors exercise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, wraps
from typing import Any

from ..core.guards import guards, guards_alone, refusing, requirement, without
from ..core.layout import State
from ..core.spec import Instance, Trace, TransitionSystem
from ..library.properties import with_every_history
from ..model import Protocol

RuleCalls = Counter[tuple[str, str]]
"""How often a rule was called, by its name and its answer: yes, no, or '' for anything else."""

_ANSWERS = {True: "yes", False: "no"}


class RuleCoverage:
    """Replays steps of behaviors, and records which rules they call.

    Attributes
    ----------
    asked
        The calls so far.
    rules
        The names of all rules that are functions.
    """

    def __init__(self, protocol: Protocol, bounds: Mapping[str, str]) -> None:
        self.asked: RuleCalls = Counter()
        rules = protocol.rules
        self.rules = [f.name for f in fields(rules) if callable(getattr(rules, f.name))]
        noted = {name: self._noted(name, getattr(rules, name)) for name in self.rules}
        noting = replace(protocol, rules=replace(rules, **noted))
        settings = [f"{name}={value}" for name, value in bounds.items()]
        self._system = with_every_history(noting, settings)

    def take(self, trace: Trace, steps: int) -> None:
        """Replay the first steps of a behavior."""
        for state, step in zip(trace.states, trace.steps[:steps], strict=False):
            self._system.take(state, step)

    @property
    def never(self) -> list[str]:
        """The rules that no step has called."""
        names = {name for name, _ in self.asked}
        return [name for name in self.rules if name not in names]

    def _noted(self, name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(rule)
        def noted(*arguments: Any) -> Any:
            answer = rule(*arguments)
            self.asked[name, _ANSWERS[answer] if isinstance(answer, bool) else ""] += 1
            return answer

        return noted


@dataclass(frozen=True)
class ExercisedGuard:
    """How behaviors exercise a guard.

    Parameters
    ----------
    requires
        Its requirement, as source text.
    passed
        How often a step passed it and was taken.
    refused
        How many steps it alone refused, in the states of the behaviors.
    """

    requires: str
    passed: int
    refused: int


class GuardCoverage:
    """Examines the states of behaviors, and records which guard alone refuses a step there.

    A step that several guards refuse shows for none of them that it is needed.
    """

    def __init__(self, system: TransitionSystem[Any, Any]) -> None:
        self._system = system
        self._taken: Counter[str] = Counter()
        self._refused: Counter[tuple[str, int]] = Counter()
        self._seen: set[State] = set()

    def take(self, trace: Trace, steps: int) -> None:
        """Examine the states along the first steps of a behavior."""
        self._taken.update(step.action for step in trace.steps[:steps])
        for state in trace.states[: steps + 1]:
            if state not in self._seen:
                self._seen.add(state)
                for instance in self._system.instances:
                    self._look(state, instance)

    @property
    def guards(self) -> dict[str, list[ExercisedGuard]]:
        """The guards of each action, in the order in which they are tried."""
        return {
            action.name: [
                ExercisedGuard(
                    requirement(guard.test),
                    self._taken[action.name],
                    self._refused[action.name, guard.number],
                )
                for guard in guards(action.apply)
            ]
            for action in self._system.actions
        }

    def _look(self, state: State, instance: Instance) -> None:
        apply, record = instance.action.apply, self._system.record
        arguments = (record, self._system.constants, *instance.arguments)
        self._system.layout.load(state)
        try:
            number = refusing(apply, *arguments)
        except AssertionError:
            # A step whose assertion fails leads nowhere.
            return
        # Only the first guard that refuses can be the only one.
        if number is not None and _passes_without(apply, number, arguments):
            self._refused[instance.action.name, number] += 1


def _passes_without(apply: Callable[..., bool], number: int, arguments: tuple[Any, ...]) -> bool:
    """Whether a step passes all guards but one; without that one, others may fail."""
    try:
        return refusing(_lacking(apply, number), *arguments) is None
    except Exception:  # noqa: BLE001 - what a guard kept away may fail in any way
        return False


@cache
def _lacking(apply: Callable[..., bool], number: int) -> Callable[..., bool]:
    return guards_alone(without(apply, number))


@dataclass(frozen=True)
class Coverage:
    """The coverage of rules and of guards."""

    rules: RuleCoverage
    guards: GuardCoverage

    def take(self, trace: Trace, steps: int) -> None:
        """Replay the first steps of a behavior."""
        self.rules.take(trace, steps)
        self.guards.take(trace, steps)
