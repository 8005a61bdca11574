"""The geometry of a space-time diagram: a lane per participant, time downwards, a row per step.

Everything is in CSS pixels.  What it looks like (colours, dashes, fonts) is up to the page's style
sheet, by class.
"""

from __future__ import annotations

from dataclasses import dataclass

from .narrative import LOST, UNDER_WAY, Arrow, Moment, Narrative

ROW, LANE, STEPS, HEAD = 46, 138, 176, 34
"""Height of a row; widths of a lane and of the column of steps; height of the lanes' names."""

COLOURS = 8
"""Leader epochs are told apart by this many colours, and always by their number too."""

_LONGEST = 21
"""Characters of a text that fit within a lane."""


_LONG = 3
"""A message that takes more steps than this is labelled at both its ends."""


@dataclass(frozen=True)
class Text:
    """A text; ``anchor`` is SVG's."""

    x: float
    y: float
    text: str
    kind: str
    anchor: str = "start"


@dataclass(frozen=True)
class Line:
    """A line; ``kind`` names classes."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str
    head: bool = False


@dataclass(frozen=True)
class Sign:
    """What is drawn where somebody acts: an event's sign, or ``dot``."""

    x: float
    y: float
    kind: str
    step: int


@dataclass(frozen=True)
class Row:
    """The row of a step."""

    number: int
    y: float
    title: str
    arguments: str
    flag: str


@dataclass(frozen=True)
class Diagram:
    """A space-time diagram."""

    width: float
    height: float
    lanes: tuple[Text, ...]
    rows: tuple[Row, ...]
    lines: tuple[Line, ...]
    signs: tuple[Sign, ...]
    texts: tuple[Text, ...]


def diagram(told: Narrative) -> Diagram:
    """Return the space-time diagram of a trace."""
    x = {lane: STEPS + LANE * (index + 0.5) for index, lane in enumerate(told.lanes)}
    lifelines, signs, texts = [], [], []
    for moment in told.moments:
        lifelines += _lifelines(moment, x)
        if moment.event.actor in x:
            at = x[moment.event.actor], _y(moment.number)
            signs.append(Sign(*at, moment.event.sign or "dot", moment.number))
        texts += _notes(told, moment, x)
    lines = []
    labelled: set[tuple[str, int, str]] = set()
    for arrow in told.arrows:
        lines += _arrow_lines(arrow, x)
        if (label := (arrow.sender, arrow.sent, arrow.text)) not in labelled:
            labelled.add(label)
            texts += _arrow_texts(arrow, x)
    return Diagram(
        width=STEPS + LANE * (len(told.lanes) + 0.3),
        height=_y(told.steps) + ROW * 0.75,
        lanes=tuple(Text(x[lane], HEAD * 0.65, lane, "lane", "middle") for lane in told.lanes),
        rows=tuple(
            Row(
                moment.number,
                _y(moment.number),
                moment.title,
                _cut(moment.arguments),
                "; ".join(moment.flags),
            )
            for moment in told.moments
        ),
        lines=(*lifelines, *lines),
        signs=tuple(signs),
        texts=tuple(texts),
    )


def colour(epoch: int) -> str:
    """Return the class of a leader epoch."""
    return f"epoch{epoch % COLOURS}" if epoch >= 0 else "no-epoch"


def _y(number: int) -> float:
    """Return where a step's row has its middle."""
    return (number + 0.5) * ROW


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _lifelines(moment: Moment, x: dict[str, float]) -> list[Line]:
    """Return how everybody is from a step to the next one: dead, alive, or leading an epoch."""
    lines, top = [], _y(moment.number)
    for who in moment.scene.participants:
        kind = "life" if who.alive else "life dead"
        if who.leads is not None:
            kind += f" leading {colour(who.leads)}"
        lines.append(Line(x[who.name], top, x[who.name], top + ROW, kind))
    return lines


def _notes(told: Narrative, moment: Moment, x: dict[str, float]) -> list[Text]:
    """Return what is written below a sign: what changed for whom, or who is what at first.

    It is written to the right of a lane, unless a message leaves there.
    """
    texts, y = [], _y(moment.number)
    to_the_right = {
        arrow.sender
        for arrow in told.arrows
        if arrow.sent == moment.number < arrow.ended and x[arrow.receiver] > x[arrow.sender]
    }
    for who in moment.scene.participants:
        shorts = [it.short for it in moment.changes if it.who == who.name and it.short]
        if moment.number == 0:
            shorts = [who.role]
        elif who.log is None and who.name != moment.event.actor:
            continue
        if note := _cut(" · ".join(short for short in shorts if short)):
            if who.name in to_the_right:
                texts.append(Text(x[who.name] - 9, y + 15, note, "note", "end"))
            else:
                texts.append(Text(x[who.name] + 9, y + 15, note, "note"))
    return texts


def told_lane(moment: Moment) -> str:
    """Return the lane of whoever leads by the word of the one that elects: the first one."""
    return moment.scene.participants[0].name


def _arrow_lines(arrow: Arrow, x: dict[str, float]) -> list[Line]:
    """Return the line of a message, and the cross at the end of one that is lost."""
    if arrow.sender not in x or arrow.receiver not in x:
        return []
    start, end = x[arrow.sender], x[arrow.receiver]
    top, bottom = _y(arrow.sent), _y(arrow.ended)
    if arrow.fate == UNDER_WAY:
        end = start + (end - start) * 0.4
        bottom = min(top + ROW * 0.4, bottom + ROW * 0.4)
    elif arrow.fate == LOST:
        end, bottom = start + (end - start) * 0.62, bottom - ROW * 0.2
    kind = f"message {arrow.fate.replace(' ', '-')}"
    return [Line(start, top, end, bottom, kind, head=arrow.fate != LOST)]


def _arrow_texts(arrow: Arrow, x: dict[str, float]) -> list[Text]:
    """Return what a message says, above its beginning, and what became of a lost one."""
    if arrow.sender not in x or arrow.receiver not in x:
        return []
    right = x[arrow.receiver] > x[arrow.sender]
    way, anchor = (1, "start") if right else (-1, "end")
    at_once = arrow.sent == arrow.ended and arrow.fate == "received"
    label = _cut(arrow.text)
    if at_once and right:
        texts = [Text(x[arrow.receiver] - 8, _y(arrow.sent) - 6, label, "label", "end")]
    else:
        y = _y(arrow.sent) - 6
        texts = [Text(x[arrow.sender] + way * 9, y, label, "label", anchor)]
    if arrow.fate == "received" and arrow.ended - arrow.sent > _LONG:
        near = x[arrow.receiver] - way * 12, _y(arrow.ended) - 8
        texts.append(Text(*near, label, "label", "end" if right else "start"))
    if arrow.fate == LOST:
        end = x[arrow.sender] + (x[arrow.receiver] - x[arrow.sender]) * 0.62
        y = _y(arrow.ended) - ROW * 0.2
        texts += [
            Text(end, y + 5, "✕", "cross", "middle"),
            Text(end, y + 18, "lost", "label lost", "middle"),
        ]
    elif arrow.fate == UNDER_WAY:
        texts[0] = Text(texts[0].x, texts[0].y, f"{label} …", "label", anchor)
    return texts
