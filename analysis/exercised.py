"""Which rules of a protocol behaviors exercise, and what the rules answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import wraps
from typing import Any

from ..core.spec import Trace
from ..model import Protocol
from .properties import with_every_history

Asked = Counter[tuple[str, str]]
"""How often a rule was asked, by its name and its answer: yes, no, or nothing where it has none."""

_ANSWERS = {True: "yes", False: "no"}


class RuleCoverage:
    """Takes steps of behaviors again, and notes which rules decide them.

    Attributes
    ----------
    asked
        What was noted so far.
    rules
        The names of all rules that decide something.
    """

    def __init__(self, protocol: Protocol, bounds: Mapping[str, str]) -> None:
        self.asked: Asked = Counter()
        rules = protocol.rules
        self.rules = [f.name for f in fields(rules) if callable(getattr(rules, f.name))]
        noted = {name: self._noted(name, getattr(rules, name)) for name in self.rules}
        noting = replace(protocol, rules=replace(rules, **noted))
        settings = [f"{name}={value}" for name, value in bounds.items()]
        self._system = with_every_history(noting, settings)

    def take(self, trace: Trace, steps: int) -> None:
        """Take the first steps of a behavior."""
        for state, step in zip(trace.states, trace.steps[:steps], strict=False):
            self._system.take(state, step)

    @property
    def never(self) -> list[str]:
        """The rules that no step has asked."""
        names = {name for name, _ in self.asked}
        return [name for name in self.rules if name not in names]

    def _noted(self, name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(rule)
        def noted(*arguments: Any) -> Any:
            answer = rule(*arguments)
            self.asked[name, _ANSWERS[answer] if isinstance(answer, bool) else ""] += 1
            return answer

        return noted
