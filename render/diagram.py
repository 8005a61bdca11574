"""The geometry of a space-time diagram: a lane per participant, time downwards, a row per step.

Everything is in CSS pixels.  What it looks like (colours, dashes, fonts) is up to the page's style
sheet, by class.

Placement of texts in a diagram: they must not overlap each other, arrow heads or signs.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .narrative import IN_FLIGHT, LOST, RECEIVED, Arrow, Moment, Narrative

WIDE, LINE = 6.8, 13
"""Width of a character at most, on average, and height of a line, of the small texts."""

CHARACTERS, NARROW, LINES = 20, 14, 3
"""Characters of a line between two lanes, of one amid them, and lines of a text at most."""

_BUCKET = 64.0


@dataclass(frozen=True)
class Box:
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: Box) -> float:
        """Return the area that two rectangles have in common."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across * down if across > 0 and down > 0 else 0.0


@dataclass(frozen=True)
class Spot:
    """Where a text might go: the baseline of its first line, or of its last with `above`."""

    x: float
    y: float
    anchor: str = "start"
    above: bool = False

    def first(self, lines: int) -> float:
        """Return the baseline of the first of a number of lines."""
        return self.y - LINE * (lines - 1) if self.above else self.y

    def box(self, lines: Sequence[str]) -> Box:
        """Return the room that lines take here."""
        width = WIDE * max(map(len, lines))
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        top = self.first(len(lines)) - LINE + 2
        return Box(left, top, left + width, top + LINE * len(lines))


def wrapped(text: str, characters: int = CHARACTERS) -> list[str]:
    """Return a text in lines that fit between two lanes.

    >>> wrapped("leads e2 isr {0,1} (stale)")
    ['leads e2 isr {0,1}', '(stale)']
    """
    together = re.sub(r"(?<=isr) (?=\{)|(?<=m\d) (?=\()", "\u00a0", text)
    lines = textwrap.wrap(together, characters, max_lines=LINES, placeholder=" …")
    return [line.replace("\u00a0", " ") for line in lines]


class Room:
    """The parts of a diagram that are taken so far.

    Parameters
    ----------
    width
        Of the diagram.
    left
        Where the lanes begin: texts stay to the right of it.
    lanes
        Where the lines of the participants are, which texts avoid.
    """

    def __init__(self, width: float, left: float, lanes: Iterable[float]) -> None:
        self._width, self._left, self._lanes = width, left, tuple(lanes)
        self._taken: dict[int, list[Box]] = {}

    def take(self, box: Box) -> None:
        """Mark a part as taken: texts avoid it."""
        for bucket in self._buckets(box):
            self._taken.setdefault(bucket, []).append(box)

    def put(self, spots: Iterable[Spot], lines: Sequence[str]) -> Spot:
        """Return the first of the spots that is free, or the freest one, and take it."""
        best, least = Spot(0, 0), float("inf")
        for spot in spots:
            cost = self._cost(spot.box(lines))
            if cost < least:
                best, least = spot, cost
            if not cost:
                break
        self.take(best.box(lines))
        return best

    def _cost(self, box: Box) -> float:
        near = (
            box_taken for bucket in self._buckets(box) for box_taken in self._taken.get(bucket, ())
        )
        cost = sum(box.shared(other) for other in near)
        cost += sum(40.0 for lane in self._lanes if box.left < lane + 2 and lane - 2 < box.right)
        outside = max(0.0, self._left - box.left) + max(0.0, box.right - self._width)
        return cost + outside * LINE * 2 + (1000.0 if box.top < 0 else 0.0)

    @staticmethod
    def _buckets(box: Box) -> range:
        return range(int(box.top // _BUCKET), int(box.bottom // _BUCKET) + 1)


ROW, LANE, STEPS, HEAD = 60, 152, 176, 34
"""Height of a row; widths of a lane and of the column of steps; height of the lanes' names."""

_BACK = 3, 11
"""Where the bracket of a cycle lies, left of the numbers of steps."""

COLOURS = 8
"""Leader epochs are told apart by this many colours, and always by their number too."""

_LONGEST = 21
"""Characters of a step's arguments that fit beside the lanes."""

_LONG = 3
"""A message that takes more steps than this is labelled at both its ends."""

_APART = 9
"""The distance between the heads of messages that reach a lane from one side in one step."""


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
    """The sign where a participant acts: an event's sign, or ``dot``."""

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


def diagram(narrative: Narrative) -> Diagram:
    """Return the space-time diagram of a trace."""
    x = {lane: STEPS + LANE * (index + 0.5) for index, lane in enumerate(narrative.lanes)}
    width = STEPS + LANE * (len(narrative.lanes) + 0.3)
    room = Room(width, STEPS - 16, x.values())
    lifelines, signs, texts = [], [], []
    for moment in narrative.moments:
        lifelines += _lifelines(moment, x)
        if moment.event.actor in x:
            at = x[moment.event.actor], _y(moment.number)
            signs.append(Sign(*at, moment.event.sign or "dot", moment.number))
            room.take(Box(at[0] - 8, at[1] - 8, at[0] + 8, at[1] + 8))
    known = [arrow for arrow in narrative.arrows if arrow.sender in x and arrow.receiver in x]
    drawn = list(zip(known, _ends(known, x), strict=True))
    lines = [_arrow_line(arrow, end, x) for arrow, end in drawn]
    for line in lines:
        room.take(Box(line.x2 - 6, line.y2 - 5, line.x2 + 6, line.y2 + 5))
    for moment in narrative.moments:
        texts += _notes(narrative, moment, x, room)
    labelled: set[tuple[str, int, str]] = set()
    for line, (arrow, _) in sorted(
        zip(lines, drawn, strict=True), key=lambda pair: _slope(pair[0])
    ):
        if arrow.fate == LOST:
            texts += _lost(line, arrow, room)
        label = arrow.sender, arrow.sent, arrow.text
        texts += _labels(arrow, line, x, room, begins=label not in labelled)
        labelled.add(label)
    return Diagram(
        width=width,
        height=_y(narrative.steps) + ROW * 0.75,
        lanes=tuple(Text(x[lane], HEAD * 0.65, lane, "lane", "middle") for lane in narrative.lanes),
        rows=tuple(_row(moment) for moment in narrative.moments),
        lines=(*lifelines, *lines, *_bracket(narrative)),
        signs=tuple(signs),
        texts=tuple(texts),
    )


def _bracket(narrative: Narrative) -> list[Line]:
    """Return an arrow from the last state of a lasso back to the one that it equals."""
    if narrative.loop is None or not narrative.cycle:
        return []
    top, bottom, (left, right) = _y(narrative.loop), _y(narrative.steps), _BACK
    return [
        Line(right, bottom, left, bottom, "cycle"),
        Line(left, bottom, left, top, "cycle"),
        Line(left, top, right, top, "cycle", head=True),
    ]


def _row(moment: Moment) -> Row:
    """Return the row of a step."""
    return Row(
        moment.number,
        _y(moment.number),
        moment.title,
        _cut(moment.arguments),
        "; ".join(moment.flags),
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
    """Return each participant's line to the next step: dead, alive, or leading an epoch."""
    lines, top = [], _y(moment.number)
    for who in moment.scene.participants:
        kind = "life" if who.alive else "life dead"
        if who.leads is not None:
            kind += f" leading {colour(who.leads)}"
        lines.append(Line(x[who.name], top, x[who.name], top + ROW, kind))
    return lines


def _notes(narrative: Narrative, moment: Moment, x: dict[str, float], room: Room) -> list[Text]:
    """Return the texts below signs: what changed for a participant, or its first role.

    They are to the right of a lane, unless a message leaves there.
    """
    texts, y = [], _y(moment.number)
    to_the_right = {
        arrow.sender
        for arrow in narrative.arrows
        if arrow.sent == moment.number < arrow.ended and x[arrow.receiver] > x[arrow.sender]
    }
    for who in moment.scene.participants:
        shorts = [
            change.short for change in moment.changes if change.who == who.name and change.short
        ]
        if moment.number == 0:
            shorts = [who.role]
        elif who.log is None and who.name != moment.event.actor:
            continue
        characters = NARROW if who.log is None else CHARACTERS
        lines = wrapped(" · ".join(short for short in shorts if short), characters)
        if moment.event.sign == "unclean" and who.name == moment.event.actor:
            lines = ["UNCLEAN:", *lines]
        if lines:
            right, left = Spot(x[who.name] + 9, y + 15), Spot(x[who.name] - 9, y + 15, "end")
            sides = [left, right] if who.name in to_the_right else [right, left]
            higher = [Spot(spot.x, y - 7, spot.anchor, above=True) for spot in sides]
            texts += _written(room.put([*sides, *higher], lines), lines, "note")
    return texts


def _written(spot: Spot, lines: list[str], kind: str) -> list[Text]:
    """Return lines as texts below each other."""
    top = spot.first(len(lines))
    return [
        Text(spot.x, top + LINE * index, line, kind, spot.anchor)
        for index, line in enumerate(lines)
    ]


def _ends(arrows: list[Arrow], x: dict[str, float]) -> list[float]:
    """Return how high each message ends: those that reach a lane together are drawn apart."""
    together: dict[tuple[str, int, bool], int] = {}
    ends = []
    for arrow in sorted(arrows, key=lambda arrow_sent: -arrow_sent.sent):
        place = arrow.receiver, arrow.ended, x[arrow.sender] < x[arrow.receiver]
        before = together.setdefault(place, 0)
        together[place] += 1
        apart = _APART * before if arrow.sent < arrow.ended else 0
        ends.append((arrow, _y(arrow.ended) - apart))
    placed = {id(arrow): end for arrow, end in ends}
    return [placed[id(arrow)] for arrow in arrows]


def _arrow_line(arrow: Arrow, bottom: float, x: dict[str, float]) -> Line:
    """Return the line of a message; that of a lost one ends on its way."""
    start, end, top = x[arrow.sender], x[arrow.receiver], _y(arrow.sent)
    if arrow.fate == IN_FLIGHT:
        end = start + (end - start) * 0.4
        bottom = min(top + ROW * 0.4, bottom + ROW * 0.4)
    elif arrow.fate == LOST:
        end, bottom = start + (end - start) * 0.62, _y(arrow.ended) - ROW * 0.2
    kind = f"message {arrow.fate.replace(' ', '-')}"
    return Line(start, top, end, bottom, kind, head=arrow.fate != LOST)


def _slope(line: Line) -> tuple[float, float]:
    """Return what sorts lines, the most level first: these have the least room for labels."""
    return (abs(line.y2 - line.y1), line.y1)


def _lost(line: Line, arrow: Arrow, room: Room) -> list[Text]:
    """Return the cross at the end of a lost message, and why it is lost."""
    x, y = line.x2, line.y2
    lines = wrapped(arrow.why or "lost", NARROW)
    room.take(Box(x - 7, y - 7, x + 7, y + 7))
    spots = [
        Spot(x, y + 18, "middle"),
        Spot(x + 11, y + 4),
        Spot(x - 11, y + 4, "end"),
        Spot(x, y - 10, "middle", above=True),
    ]
    cross = Text(x, y + 5, "✕", "cross", "middle")
    return [cross, *_written(room.put(spots, lines), lines, "label lost")]


def _labels(arrow: Arrow, line: Line, x: dict[str, float], room: Room, begins: bool) -> list[Text]:
    """Return a message's labels: at its beginning if `begins`, and at its end if that is far."""
    lines = wrapped(arrow.text + (" …" if arrow.fate == IN_FLIGHT else ""))
    texts: list[Text] = []
    if not lines:
        return texts
    if begins:
        spots = _level(line, x) if line.y1 == line.y2 else _aslant(line)
        texts += _written(room.put(spots, lines), lines, "label")
    if arrow.fate == RECEIVED and arrow.ended - arrow.sent > _LONG:
        way, anchor = (1, "end") if line.x2 > line.x1 else (-1, "start")
        near = [Spot(line.x2 - way * 12, line.y2 - up, anchor, above=True) for up in (8, 22, 36)]
        along = list(_along(line, (0.8, 0.7, 0.6)))
        next_door = abs(line.x2 - line.x1) <= LANE
        near = [near[0], *along, *near[1:]] if next_door else [*near, *along]
        texts += _written(room.put(near, lines), lines, "label")
    return texts


def _level(line: Line, x: dict[str, float]) -> Iterator[Spot]:
    """Yield where the label of a level arrow may stand: between any two lanes that it passes."""
    low, high = sorted((line.x1, line.x2))
    passed = sorted(lane for lane in x.values() if low <= lane <= high)
    gaps = list(pairwise(passed))[::-1]
    for below in (False, True):
        for left, right in gaps:
            y = line.y1 + (15 if below else -6)
            yield Spot(right - 9, y, "end", above=not below)
            yield Spot(left + 9, y, above=not below)


def _aslant(line: Line) -> Iterator[Spot]:
    """Yield where the label of a slanting arrow may stand."""
    way, anchor = (1, "start") if line.x2 > line.x1 else (-1, "end")
    yield Spot(line.x1 + way * 9, line.y1 - 6, anchor, above=True)
    yield from _along(line, (0.25, 0.4, 0.55, 0.7))
    yield Spot(line.x2 - way * 12, line.y2 - 8, "end" if way > 0 else "start", above=True)


def _along(line: Line, shares: tuple[float, ...]) -> Iterator[Spot]:
    """Yield spots beside points of a line."""
    rising = (line.x2 - line.x1) * (line.y2 - line.y1) < 0
    for share in shares:
        x = line.x1 + (line.x2 - line.x1) * share
        y = line.y1 + (line.y2 - line.y1) * share
        yield Spot(x + 7, y + 9 if rising else y - 3)
        yield Spot(x - 7, y - 3 if rising else y + 11, "end")
