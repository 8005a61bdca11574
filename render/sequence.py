"""A trace as a sequence diagram, in Mermaid, which Markdown pages show.

An arrow is drawn in the step in which its message is received or lost, and says in which
one it was sent, where that was another.  Text is escaped, so that no name can become markup.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ..core.errors import flat
from .narrative import IN_FLIGHT, LOST, Arrow, Moment, Narrative


def mermaid(narrative: Narrative, full: bool = False) -> str:
    """Return a trace as a Mermaid sequence diagram.

    Parameters
    ----------
    full
        Say in every step what every participant is and holds, instead of what changed.
    """
    names = {lane: f"p{index}" for index, lane in enumerate(narrative.lanes)}
    lines = ["sequenceDiagram", f"  %% {_mermaid_text(narrative.title)}"]
    lines += [f"  participant {names[lane]} as {_mermaid_text(lane)}" for lane in narrative.lanes]
    heads = {"received": "->>", LOST: "-x", IN_FLIGHT: "-)"}
    for moment in narrative.moments:
        if moment.number == narrative.cycle.start and narrative.cycle:
            lines.append("  loop For ever")
        over = (
            names.get(moment.event.actor)
            or f"{names[narrative.lanes[0]]},{names[narrative.lanes[-1]]}"
        )
        text = "<br/>".join(map(_mermaid_text, _note(moment)))
        lines.append(f"  Note over {over}: {text}")
        for arrow in _drawn(narrative, moment):
            ends = f"{names[arrow.sender]}{heads[arrow.fate]}{names[arrow.receiver]}"
            lines.append(f"  {ends}: {_mermaid_text(_label(arrow))}")
        for lane, texts in _said(moment, full):
            text = "<br/>".join(map(_mermaid_text, texts))
            lines.append(f"  Note right of {names[lane]}: {text}")
    if narrative.cycle:
        lines.append("  end")
    if narrative.explanation:
        ends = f"{names[narrative.lanes[0]]},{names[narrative.lanes[-1]]}"
        lines.append(f"  Note over {ends}: {'<br/>'.join(map(_mermaid_text, _end(narrative)))}")
    return "\n".join(lines) + "\n"


def _end(narrative: Narrative) -> list[str]:
    """Return the text on the violation, in lines that are not too long for a note."""
    parts = (
        narrative.repeats,
        f"{narrative.violated} is {narrative.verb}.",
        narrative.explanation,
        narrative.cause,
    )
    return textwrap.wrap(" ".join(part for part in parts if part), 70)


def _note(moment: Moment) -> list[str]:
    """Return the text on a step itself."""
    arguments = f" ({moment.arguments})" if moment.arguments else ""
    return [f"{moment.number}. {moment.title}{arguments}", *moment.flags]


def _drawn(narrative: Narrative, moment: Moment) -> Iterator[Arrow]:
    """Yield the messages that end in a step, or are still in flight at the last one."""
    return (arrow for arrow in narrative.arrows if arrow.ended == moment.number)


def _label(arrow: Arrow) -> str:
    """Return the text at an arrow."""
    sent = "" if arrow.sent == arrow.ended else f"sent in {arrow.sent}"
    fate = "" if arrow.fate == "received" else arrow.why or arrow.fate
    more = ", ".join(part for part in (sent, fate) if part)
    return f"{arrow.text} ({more})" if more else arrow.text


def _said(moment: Moment, full: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield what changed for each participant in a step, or with `full` what each is and holds."""
    for who in moment.scene.participants:
        texts = [change.text for change in moment.changes if change.who == who.name]
        if full or (moment.number == 0 and who.log is not None):
            texts = [who.role, *who.details]
            if who.log is not None:
                entries = " ".join(map(str, who.log.entries)) or "empty"
                texts.append(f"log: {entries}; HW {who.log.hw}, LEO {who.log.leo}")
        if texts := [text for text in texts if text]:
            yield who.name, texts


def _mermaid_text(text: str) -> str:
    """Return text in which nothing is markup for Mermaid, nor for the HTML that it makes."""
    special = '#;<>&"%`\\{}'
    return "".join(f"#{ord(c)};" if c in special else c for c in flat(text))
