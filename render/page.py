"""A trace as one HTML file: no network, no other files, readable without scripts too.

The policy in its head allows the one style sheet and the one script that it contains, by their
hashes, and nothing else, so that even a bug in the escaping could not run or fetch anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..core.scene import LogOffset
from ..library.links import pieces
from .changes import differs_from
from .diagram import HEAD, ROW, STEPS, colour, diagram
from .narrative import LOST, Moment, Narrative

if TYPE_CHECKING:
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
_NOTHING_SEEN: Mapping[int, Seen] = MappingProxyType({})


@dataclass(frozen=True)
class Box:
    """An offset of a log on the page.

    ``wrong`` says what is wrong with it, if the property is violated there; ``read`` whether
    consumers can read it; a box without a name is a record that is missing.
    """

    offset: int
    name: str
    epoch: int
    colour: str
    read: bool
    wrong: str


@dataclass(frozen=True)
class Shown:
    """A participant at one step on the page."""

    name: str
    role: str
    details: tuple[str, ...]
    alive: bool
    boxes: tuple[Box, ...] | None
    hw: int
    leo: int
    changed: bool


@dataclass(frozen=True)
class Seen:
    """What real brokers did in a step, on the page.

    ``rows`` are the comparisons: what, in the model, and on the brokers.
    """

    verdict: str
    differs: bool
    rows: tuple[tuple[str, str, str], ...]
    events: tuple[str, ...]
    log: tuple[str, ...]


def page(narrative: Narrative, full: bool = False, seen: Mapping[int, Seen] = _NOTHING_SEEN) -> str:
    """Return a trace as an HTML page.

    Parameters
    ----------
    full
        Show every variable at every step instead of those that changed.
    seen
        What real brokers did, by the number of the step.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["linked"] = _linked
    style = (_TEMPLATES / "page.css").read_text(encoding="utf-8")
    script = (_TEMPLATES / "page.js").read_text(encoding="utf-8")
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}"
    since = _since(narrative)
    drawn = diagram(narrative)
    signs = {sign.kind for sign in drawn.signs}
    signs |= {"loss" for arrow in narrative.arrows if arrow.fate == LOST}
    return environment.get_template("page.html").render(
        narrative=narrative,
        full=full,
        seen=seen,
        drawn=drawn,
        signs=signs,
        shown=[_shown(narrative, moment, since) for moment in narrative.moments],
        policy=policy,
        style=style,
        script=script,
        sizes={"row": ROW, "steps": STEPS, "head": HEAD},
        epochs=_epochs(narrative),
        logs=any(who.log for who in narrative.moments[0].scene.participants),
        falls=any(
            not who.alive for moment in narrative.moments for who in moment.scene.participants
        ),
        sends=any(moment.scene.messages or moment.event.exchange for moment in narrative.moments),
    )


def _linked(text: str) -> Markup:
    """Return a text as HTML in which each ticket, KIP and function of Kafka is a link."""
    from markupsafe import Markup

    link = Markup('<a href="{}">{}</a>')
    return Markup("").join(
        link.format(address, part) if address else part for part, address in pieces(text)
    )


def _since(narrative: Narrative) -> dict[LogOffset, int]:
    """Return the step from which on each place is marked.

    Records differ only once both are there; one that is missing may be so before others are.
    """
    scenes = [moment.scene for moment in narrative.moments]
    since = {place: differs_from(scenes, place) for place in narrative.places}
    both = max((since[place] for place in narrative.places if not place.missing), default=0)
    return {place: since[place] if place.missing else both for place in narrative.places}


def _hash(text: str) -> str:
    """Return what a content security policy allows `text` by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _epochs(narrative: Narrative) -> list[tuple[int, str]]:
    """Return the leader epochs that any record carries, with their colours."""
    epochs = {
        entry.epoch
        for moment in narrative.moments
        for who in moment.scene.participants
        if who.log
        for entry in who.log.entries[who.log.start :]
    }
    leads = {
        who.leads
        for moment in narrative.moments
        for who in moment.scene.participants
        if who.leads is not None
    }
    return [(epoch, colour(epoch)) for epoch in sorted(epochs | leads)]


def _shown(narrative: Narrative, moment: Moment, since: dict[LogOffset, int]) -> list[Shown]:
    """Return the participants at one step."""
    changed = {change.who for change in moment.changes}
    shown = []
    for who in moment.scene.participants:
        if not (who.role or who.details or who.log):
            continue
        wrong = {
            place.offset: place.missing
            for place in narrative.places
            if place.replica == who.replica and moment.number >= since[place]
        }
        boxes = None
        if who.log is not None:
            boxes = tuple(
                Box(
                    offset,
                    entry.name,
                    entry.epoch,
                    colour(entry.epoch) if offset >= who.log.start else "no-epoch",
                    offset < who.log.hw,
                    _wrong(wrong, offset),
                )
                for offset, entry in enumerate(who.log.entries)
            )
            boxes += tuple(
                Box(offset, "", -1, "no-epoch", False, f"{missing} is missing")
                for offset, missing in wrong.items()
                if offset >= who.log.leo and missing
            )
        shown.append(
            Shown(
                who.name,
                who.role,
                who.details,
                who.alive,
                boxes,
                who.log.hw if who.log else 0,
                who.log.leo if who.log else 0,
                who.name in changed,
            )
        )
    return shown


def _wrong(wrong: dict[int, str], offset: int) -> str:
    """Say what is wrong with a record that is there, if anything is."""
    if offset not in wrong:
        return ""
    return f"not {wrong[offset]}" if wrong[offset] else "differs"
