"""Which rules of a protocol a search asks: each is noted at its first call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import wraps
from typing import Any, Generic, TypeVar

K = TypeVar("K")


class AskedRules(Generic[K]):
    """Notes the first call of some rules.

    Parameters
    ----------
    constants
        What actions receive as ``k``; its ``rules`` are a dataclass.
    names
        The rules to note.

    Attributes
    ----------
    constants
        To be passed in place of those: the same, but for rules that note their first call.
    """

    def __init__(self, constants: K, names: Iterable[str]) -> None:
        self._names, self._asked = tuple(names), set[str]()
        rules: Any = constants.rules  # type: ignore[attr-defined]
        noting = {name: self._noting(name, getattr(rules, name)) for name in self._names}
        self._rules = replace(rules, **noting)
        changed: Any = constants
        self.constants: K = replace(changed, rules=self._rules)

    @property
    def never(self) -> tuple[str, ...]:
        """The rules that were not called so far."""
        return tuple(name for name in self._names if name not in self._asked)

    def _noting(self, name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(rule)
        def noting(*arguments: Any) -> Any:
            self._asked.add(name)
            # Later calls cost nothing: the rule itself takes its place again.
            object.__setattr__(self._rules, name, rule)
            return rule(*arguments)

        return noting
