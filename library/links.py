"""Where a ticket, a KIP or a function of Kafka that a text names can be read.

A function is linked to its line at the tag of the release that the text names with it, and else to
the newest release that has it.  ``kafka.txt`` has the lines, which ``tests/docs/sources.py`` finds
in a clone of Kafka, and the pages of the KIPs, whose addresses nothing else tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ADDRESSES = Path(__file__).parent / "kafka.txt"
"""A KIP with its page in each line, or a function with a tag, a file and a line."""

TICKETS = "https://issues.apache.org/jira/browse/"
KIPS = "https://cwiki.apache.org/confluence/display/KAFKA/"
SOURCES = "https://github.com/apache/kafka/blob/"

FUNCTION = r"(?:RFT|[A-Z][a-z]\w+)\.(?!scala\b|java\b|py\b)[a-z]\w+"
"""A function of a class of Kafka, as docstrings and pages write it."""

NAMED = re.compile(rf"\b(?:KAFKA-\d+|KIP-\d+|{FUNCTION})\b")
"""Names that become links, if they are known."""
_CALLED = re.compile(rf"({NAMED.pattern})(?:\(.*\))?")
_MORE = re.compile(r"(?:,|,? and|,? or)\s(\d{3,5})\b")
_RELEASE = re.compile(
    r"(?P<before>\bbefore (?:Kafka )?)?(?<![\w.])(?P<release>\d+(?:\.\d+){1,3})(?![\w%]| s\b)"
)
_SENTENCE = re.compile(r"\.\s|\n\s*\n|\n(?=\|)")

_SKIPPED = re.compile(
    r"""(?xms)
      ^(?P<fence>`{3,})(?!`).*?^(?P=fence)\s*?$   # A block of code
    | <[^<>\n]+>                                  # An address, or HTML
    | !?\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\[\]\n]*\])
    | ^\[[^\[\]\n]+\]:.*?$                        # The address of a link
    | (?P<ticks>`+)(?!`)(?P<code>.*?)(?<!`)(?P=ticks)(?!`)
    """
)
"""What in Markdown stays as it is, unless it is code that is a name and nothing else."""

Release = tuple[int, ...]


@dataclass(frozen=True)
class Mention:
    """A name in a text, from `start` to `end`, and where that can be read."""

    start: int
    end: int
    name: str
    address: str


def mentions(text: str, start: int = 0, end: int | None = None) -> Iterator[Mention]:
    """Yield what a part of a text names and has an address; the number alone, in a list of some."""
    for match in NAMED.finditer(text, start, len(text) if end is None else end):
        if address := _address(match[0], text, *match.span()):
            yield Mention(*match.span(), match[0], address)
        kind, _, number = match[0].partition("-")
        more = _MORE.match(text, match.end()) if number else None
        while more:
            if address := _address(f"{kind}-{more[1]}", text, *more.span(1)):
                yield Mention(*more.span(1), f"{kind}-{more[1]}", address)
            more = _MORE.match(text, more.end())


def addresses(*texts: str) -> dict[str, str]:
    """Return the address of each name in some texts, by name."""
    links: dict[str, str] = {}
    for text in texts:
        for one in mentions(text):
            links.setdefault(one.name, one.address)
    return links


def linked(markdown: str) -> str:
    """Return a page of Markdown in which each name is a link, unless it is in code or in a link."""
    parts, at = [], 0
    for skipped in _SKIPPED.finditer(markdown):
        parts.append(_linked(markdown, at, skipped.start()))
        code = _CALLED.fullmatch(skipped["code"] or "")
        address = _address(code[1], markdown, *skipped.span("code")) if code else ""
        parts.append(f"[{skipped[0]}]({address})" if address else skipped[0])
        at = skipped.end()
    return "".join([*parts, _linked(markdown, at, len(markdown))])


def pieces(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[str, str]]:
    """Yield a part of a text in pieces, each with its address, which is "" for what has none."""
    at = start
    for one in mentions(text, start, end):
        yield text[at : one.start], ""
        yield text[one.start : one.end], one.address
        at = one.end
    yield text[at:end], ""


def _linked(text: str, start: int, end: int) -> str:
    """Return a part of a text with links."""
    parts = pieces(text, start, end)
    return "".join(f"[{part}]({address})" if address else part for part, address in parts)


def _address(name: str, text: str, start: int, end: int) -> str:
    """Return where a name can be read that stands at a place in a text; "" if nobody knows."""
    if name.startswith("KAFKA-"):
        return TICKETS + name
    if name.startswith("KIP-"):
        return KIPS + kips()[name] if name in kips() else ""
    tags = functions().get(spelt_out(name))
    if not tags:
        return ""
    tag = chosen([*tags], *release_named(text, start, end))
    return f"{SOURCES}{'.'.join(map(str, tag))}/{tags[tag]}"


def spelt_out(name: str) -> str:
    """Return the name of a function with that of its class."""
    return name.replace("RFT.", "ReplicaFetcherThread.")


def chosen(tags: list[Release], release: Release, before: bool) -> Release:
    """Return the tag of those that has a function, in order, by the release that a text names.

    It is the first since that release, or the last before it; failing that, the nearest one.
    """
    older = [tag for tag in tags if tag < release]
    newer = [tag for tag in tags if tag >= release]
    if not release or not newer or (before and older):
        return (older or newer)[-1]
    return newer[0]


def release_named(text: str, start: int, end: int) -> tuple[Release, bool]:
    """Return the release that a sentence names with what stands there, and whether it is before it.

    It is the first one after the name in the sentence or row, and else the last one ahead of it.
    """
    ahead, after = text[:start], text[end:]
    line = ahead.rpartition("\n")[2]
    if line.startswith("|"):
        ahead, after = line, after.partition("\n")[0]
    else:
        ahead, after = _SENTENCE.split(ahead)[-1], _SENTENCE.split(after, maxsplit=1)[0]
    named = [*_RELEASE.finditer(after)][:1] or [*_RELEASE.finditer(ahead)][-1:]
    if not named:
        return (), False
    return tuple(map(int, named[0]["release"].split("."))), named[0]["before"] is not None


@cache
def kips() -> dict[str, str]:
    """Return the page of each KIP."""
    return dict(line.split(maxsplit=1) for line in _lines() if line.startswith("KIP-"))


@cache
def functions() -> dict[str, dict[Release, str]]:
    """Return the file and line of each function by tag, oldest first."""
    known: dict[str, dict[Release, str]] = {}
    for line in _lines():
        if not line.startswith("KIP-"):
            name, tag, place = line.split()
            known.setdefault(name, {})[tuple(map(int, tag.split(".")))] = place
    return {name: dict(sorted(places.items())) for name, places in known.items()}


def _lines() -> list[str]:
    return ADDRESSES.read_text(encoding="utf-8").splitlines()
