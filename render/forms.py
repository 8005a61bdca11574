"""Every form in which a trace can be written, by the name of its option."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .narrative import Narrative
    from .output import Reports


@dataclass(frozen=True)
class Form:
    """A form of a trace.

    Parameters
    ----------
    what
        Its content, for the help of its option.
    by
        The module of this package and its function that returns the text of a narrative; its flag
        asks for whole states instead of changes.  It is imported when it is needed.
    """

    what: str
    by: str

    def __call__(self, narrative: Narrative, full: bool) -> str:
        """Return a narrative in this form."""
        module, function = self.by.split(".")
        text: str = getattr(import_module(f".{module}", __package__), function)(narrative, full)
        return text


FORMS: Mapping[str, Form] = {
    "html": Form("a self-contained HTML page", "page.page"),
    "markdown": Form("Markdown", "markdown.markdown"),
    "mermaid": Form("a Mermaid sequence diagram", "sequence.mermaid"),
    "tla": Form("text as TLC prints a trace", "tla.tla"),
    "itf": Form("ITF, Apalache's trace format", "report.itf_text"),
}


def write_forms(
    reports: Reports, names: Iterable[str], narrative: Callable[[], Narrative], full: bool
) -> None:
    """Write a trace in the requested forms.

    Parameters
    ----------
    narrative
        Makes the trace in the intermediate form, once.
    """
    made = cache(narrative)

    def write(name: str, target: IO[str]) -> None:
        target.write(FORMS[name](made(), full))

    for name in names:
        reports.write(f"--{name}", partial(write, name))


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
    "never_asked": "rules never asked",
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
