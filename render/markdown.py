"""A trace as Markdown, for issues and pages."""

from __future__ import annotations

import re

from ..core.errors import flat
from ..core.scene import Participant
from .narrative import Moment, Narrative


def markdown(narrative: Narrative, full: bool = False) -> str:
    """Return a trace as Markdown.

    Parameters
    ----------
    full
        Say in every step what every participant is and holds, instead of what changed.
    """
    lines = [f"# {escaped(narrative.title)}", ""]
    if narrative.explanation:
        lines += [escaped(narrative.explanation), ""]
        if narrative.cause:
            lines += [escaped(f"Cause: {narrative.cause}"), ""]
        if narrative.statement not in narrative.explanation:
            lines += [f"*{escaped(narrative.statement)}*", ""]
    if narrative.repeats:
        lines += [f"**{escaped(narrative.repeats)}** {escaped(narrative.fairness)}", ""]
    if narrative.key_moments:
        lines += ["What matters:", ""]
        lines += [
            f"- step {moment.number}: {escaped(_key_moment(moment))}"
            for moment in narrative.key_moments
        ]
        lines.append("")
    lines += ["| | step | what happens | what changes |", "| --- | --- | --- | --- |"]
    lines += [_row(moment) for moment in narrative.moments]
    states = narrative.moments if full else narrative.moments[-1:]
    for moment in states:
        lines += ["", f"## State {moment.number}: {escaped(moment.title)}", ""]
        logs = any(who.log is not None for who in moment.scene.participants)
        heads = ["", "is", *(["log", "HW", "LEO"] if logs else [])]
        lines += [f"|{'|'.join(f' {head} ' if head else ' ' for head in heads)}|"]
        lines += [f"|{' --- |' * len(heads)}"]
        shown = (who for who in moment.scene.participants if who.role or who.details or who.log)
        lines += [_state_row(who, logs) for who in shown]
    lines += ["", "## Bounds", ""]
    lines += [f"- {escaped(name)}: {escaped(value)}" for name, value in narrative.bounds.items()]
    if narrative.numbers:
        lines += ["", "## The run", ""]
        lines += [f"- {escaped(name)}: {escaped(value)}" for name, value in narrative.numbers]
    return "\n".join(lines) + "\n"


def _key_moment(moment: Moment) -> str:
    """Return what happens in a step, and what went wrong there."""
    meant = f" → {'; '.join(moment.flags)}." if moment.flags else ""
    return f"{moment.event.sentence}{meant}"


def _row(moment: Moment) -> str:
    """Return the row of a step."""
    step = f"**{escaped(moment.title)}**"
    if moment.arguments:
        step += f" {escaped(moment.arguments)}"
    changes = "<br>".join(escaped(f"{change.who}: {change.text}") for change in moment.changes)
    return f"| {moment.number} | {step} | {escaped(moment.event.sentence)} | {changes} |"


def _state_row(who: Participant, logs: bool) -> str:
    """Return the row of a participant in a state; any of them may have a log, or none has."""
    is_ = "<br>".join(escaped(line) for line in (who.role, *who.details) if line)
    if who.log is None:
        return f"| {escaped(who.name)} | {is_} |{' | | |' if logs else ''}"
    log = escaped(" ".join(map(str, who.log.entries)) or "empty")
    return f"| {escaped(who.name)} | {is_} | {log} | {who.log.hw} | {who.log.leo} |"


_FIRST = re.compile(r"^(\d*)(?=(?:[-+.]|[-=]+)(?: |$))")
"""Where a text begins that Markdown would take for an item of a list, or for a line."""


def escaped(text: str) -> str:
    r"""Return text in which nothing is Markdown or HTML.

    >>> escaped("a|b <script> *c*")
    'a\\|b &lt;script&gt; \\*c\\*'
    >>> escaped("- a"), escaped("12. a"), escaped("-1.5")
    ('\\- a', '12\\. a', '-1.5')
    """
    plain = flat(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _FIRST.sub(r"\1\\", re.sub(r"([\\`*_{}\[\]()#|~!])", r"\\\1", plain))
