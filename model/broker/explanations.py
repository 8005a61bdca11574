"""Explanations of rules: each stands beside its rule, which carries it under any name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Explanation = TypeVar("Explanation", bound=Callable[..., str])


def explains(rule: Callable[..., Any]) -> Callable[[Explanation], Explanation]:
    """Return a decorator that makes a function the explanation of a rule.

    The explanation receives pictures of the brokers concerned, as they are before the step, and
    returns a clause with their numbers.  A rule without one is explained by its result alone.
    """

    def attach(explanation: Explanation) -> Explanation:
        rule.explanation = explanation  # type: ignore[attr-defined]
        return explanation

    return attach


def explained(rule: Callable[..., Any], *pictures: Any) -> str:
    """Return the explanation of a rule's decision; empty if the rule has none."""
    explanation: Callable[..., str] | None = getattr(rule, "explanation", None)
    return explanation(*pictures) if explanation is not None else ""
