"""Every form in which a trace can be written, by the name of its option."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .markdown import markdown
from .narrative import Narrative
from .page import page
from .sequence import mermaid, plantuml
from .tla import tla

FORMS: Mapping[str, Callable[[Narrative, bool], str]] = {
    "html": page,
    "markdown": markdown,
    "mermaid": mermaid,
    "plantuml": plantuml,
    "tla": tla,
}
"""From the intermediate form to text; the flag asks for whole states instead of changes."""

_NUMBERS = {
    "outcome": "outcome",
    "engine": "engine",
    "distinct_states": "distinct states",
    "generated_states": "steps taken",
    "depth": "depth, in states",
    "symmetry": "symmetry",
    "complete": "all states within the bounds were explored",
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
        if report.get(name) is not None
    ]


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return str(value.get("relied_on", ""))[:300]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)[:80]
