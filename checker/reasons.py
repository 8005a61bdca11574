"""Why a step is enabled in a state, or not: the guards of its action with their values.

Variables are shown as people see them: ``message[1].kind`` is ``nothing``, not 0, and a participant
is shown by its number in the step, not by the name of an argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import Any

from ..core.asserting import Assertion, assertion_of, is_verdict
from ..core.errors import blaming
from ..core.guards import Refusal, passed, refusal, requirement
from ..core.layout import State
from ..core.spec import Step, TransitionSystem
from ..core.text import named


@dataclass(frozen=True)
class Reason:
    """A condition that a step had to meet, the values it read, and its place in the source."""

    needs: str
    values: tuple[tuple[str, str], ...]
    source: str

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.values)
        return f"{self.needs} ({values})" if values else self.needs


def why(system: TransitionSystem[Any, Any], state: State, step: Step) -> tuple[Reason, ...]:
    """Return the guards that `step` passes in `state`, in which it is enabled."""
    apply, arguments, again = _call(system, state, step)
    with blaming(f"the guards of {step}", lambda: system.layout.describe(state)):
        guards = passed(apply, *arguments, again=again)
    return tuple(_reason(guard, _values(system, guard, step), step) for guard in guards)


def _call(
    system: TransitionSystem[Any, Any], state: State, step: Step
) -> tuple[Callable[..., bool], tuple[Any, ...], Callable[[], None]]:
    """Return the action of a step, its arguments, and what puts the state into the record again."""
    instance = system.instances[system.number_of(step)]

    def again() -> None:
        system.layout.restore()
        system.layout.load(state)

    again()
    return instance.action.apply, (system.record, system.constants, *instance.arguments), again


def lacking(
    system: TransitionSystem[Any, Any], state: State, step: Step
) -> Reason | Assertion | None:
    """Return what `step` does not meet in `state`: see :func:`why_not`."""
    refused = why_not(system, state, step)
    if isinstance(refused, Refusal):
        return _reason(refused, refused.values.items(), step)
    return refused


def _reason(refused: Refusal, values: Iterable[tuple[str, object]], step: Step) -> Reason:
    """Return what a guard requires, with the values that it read, without redundant ones."""
    needs = _named(requirement(refused.guard.test), step)
    read = [(_named(text, step), value) for text, value in values]
    telling = [
        (text, _text(value))
        for text, value in read
        if text != needs and not text.isdecimal() and not text.isupper()
        if not (isinstance(value, Enum) and text.endswith(f".{value.name}"))
    ]
    return Reason(needs, tuple(telling), f"{refused.guard.file}:{refused.guard.line}")


def why_not(
    system: TransitionSystem[Any, Any], state: State, step: Step
) -> Refusal | Assertion | None:
    """Return the guard that refuses `step` in `state`, with the values it read as people see them.

    Or it is the assertion that fails; None if the step is enabled, or refused by no guard.
    """
    apply, arguments, again = _call(system, state, step)
    with blaming(f"the guards of {step}", lambda: system.layout.describe(state)):
        try:
            refused = refusal(apply, *arguments, again=again)
        except AssertionError as error:
            if not (system.asserts and is_verdict(error)):
                raise
            return assertion_of(error)
        finally:
            again()
    if refused is None:
        return None
    return Refusal(refused.guard, dict(_values(system, refused, step)))


def _named(text: str, step: Step) -> str:
    """Return source text in which the arguments of a step replace their names."""
    for name, argument in zip(step.parameters, step.arguments, strict=True):
        written = str(argument)
        if isinstance(argument, IntEnum):
            written = f"{type(argument).__name__}.{argument.name}"
        text = re.sub(rf"(?<![.\w]){name}\b", written, text)
    return text


def _values(
    system: TransitionSystem[Any, Any], refused: Refusal, step: Step
) -> list[tuple[str, object]]:
    """Return the values that a guard read, by their source text, as people see them."""
    shown = {variable.path: variable.shown for variable in system.layout.variables}
    values: list[tuple[str, object]] = []
    for text, value in refused.values.items():
        path = _named(text, step).removeprefix("s.")
        if text.startswith("s.") and path in shown and isinstance(value, int):
            values.append((text, shown[path](value)))
        else:
            values.append((text, value))
    return values


def _text(value: object) -> str:
    if isinstance(value, set):
        return ", ".join(map(str, sorted(value))) or "none"
    return str(named(value))
