"""The schemas of Kafka's messages as a text: a line for each field."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LATEST = 99
"""Later than any version of a message."""

_VERSIONS = r"(?P<first>\d+)(?:-(?P<last>\d+)|(?P<open>\+))?"
_MESSAGE = re.compile(r"(?P<name>\w+) (?P<key>\d+) (?P<flexible>\d+)\+")
_FIELD = re.compile(
    rf"(?P<name>\w+) (?P<kind>\S+)(?: {_VERSIONS})?(?: tag (?P<tag>\d+))?(?: = (?P<default>.+))?"
)
_INDENT = 2


@dataclass(frozen=True)
class Field:
    """A field of a message: its type, and the versions that have it.

    Parameters
    ----------
    kind
        A number, ``bool``, ``uuid``, ``string`` or ``bytes``; ``{}`` for a structure; ``[]`` and
        one of these for an array.
    fields
        Those of a structure.
    tag
        Its number if it is a tagged field.
    default
        What it is if a caller does not say.
    """

    name: str
    kind: str
    fields: tuple[Field, ...]
    first: int
    last: int
    tag: int | None
    default: Any


@dataclass(frozen=True)
class Message:
    """A request, a response or a record of metadata.

    ``flexible`` is the first version with compact lengths and tagged fields (KIP-482).
    """

    key: int
    flexible: int
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Api:
    """A request and its response."""

    key: int
    name: str
    flexible: int
    request: tuple[Field, ...]
    response: tuple[Field, ...]


def read_messages(text: str) -> dict[str, Message]:
    """Return messages by name.

    A message is a line with its name, its key and its first flexible version.  The lines of its
    fields follow, those of a structure's fields below it with a deeper indent: name and type, then,
    where there are any, the versions (``3+``, ``0-12`` or ``0``), the tag, and the default as JSON.
    """
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    messages = {}
    while lines:
        head = _matched(_MESSAGE, lines.pop(0))
        fields = _fields(lines, _INDENT)
        messages[head["name"]] = Message(int(head["key"]), int(head["flexible"]), fields)
    return messages


def _fields(lines: list[str], indent: int) -> tuple[Field, ...]:
    """Take the lines of fields with an indent, and what is below them, off the front."""
    fields = []
    while lines and lines[0].startswith(" " * indent):
        seen = _matched(_FIELD, lines.pop(0)[indent:])
        first, last = int(seen["first"] or 0), LATEST
        if seen["first"] and not seen["open"]:
            last = int(seen["last"] or first)
        tag = None if seen["tag"] is None else int(seen["tag"])
        default = None if seen["default"] is None else json.loads(seen["default"])
        below = _fields(lines, indent + _INDENT)
        fields.append(Field(seen["name"], seen["kind"], below, first, last, tag, default))
    return tuple(fields)


def _matched(pattern: re.Pattern[str], line: str) -> re.Match[str]:
    match = pattern.fullmatch(line)
    if match is None:
        raise ValueError(f"not a line of a schema: {line!r}")
    return match


def api(messages: Mapping[str, Message], name: str) -> Api:
    """Return a request and its response."""
    request, response = messages[f"{name}Request"], messages[f"{name}Response"]
    return Api(request.key, name, request.flexible, request.fields, response.fields)
