"""Every form in which a trace can be written, by the name of its option."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .markdown import markdown
from .narrative import Narrative
from .page import page
from .sequence import mermaid
from .tla import tla

FORMS: Mapping[str, Callable[[Narrative, bool], str]] = {
    "html": page,
    "markdown": markdown,
    "mermaid": mermaid,
    "tla": tla,
}
"""From the intermediate form to text; the flag asks for whole states instead of changes."""

_NUMBERS = {
    "outcome": "outcome",
    "not_decided": "not decided",
    "engine": "engine",
    "distinct_states": "distinct states",
    "generated_states": "steps taken",
    "depth": "depth, in states",
    "symmetry": "symmetry",
    "complete": "all states within the bounds were explored",
    "never_enabled": "never enabled",
    "exact": "exact (no fingerprints)",
    "seconds": "seconds",
    "walks": "walks",
    "seed": "seed",
}


def numbers(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the figures of a run, for people; only those that its report has.

    >>> numbers({"distinct_states": 3416, "complete": False})
    [('distinct states', '3,416'), ('all states within the bounds were explored', 'no')]
    """
    return [
        (text, _shown(report[name]))
        for name, text in _NUMBERS.items()
        if report.get(name) not in (None, {}, [])
    ]


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))[:300]
    if isinstance(value, Mapping):
        reasons = "; ".join(f"{name} ({why})" for name, why in value.items())
        return str(value.get("relied_on", reasons))[:300]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)[:80]
