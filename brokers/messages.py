"""The requests that brokers and the harness send, and the records of metadata, by version.

The schemas of Kafka's messages as a text: a line for each field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
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


MESSAGES = read_messages(Path(__file__).with_name("messages.txt").read_text(encoding="utf-8"))

PRODUCE = api(MESSAGES, "Produce")
FETCH = api(MESSAGES, "Fetch")
LIST_OFFSETS = api(MESSAGES, "ListOffsets")
LEADER_AND_ISR = api(MESSAGES, "LeaderAndIsr")
STOP_REPLICA = api(MESSAGES, "StopReplica")
UPDATE_METADATA = api(MESSAGES, "UpdateMetadata")
EPOCH = api(MESSAGES, "OffsetsForLeaderEpoch")
DELETE_RECORDS = api(MESSAGES, "DeleteRecords")

API_VERSIONS = api(MESSAGES, "ApiVersions")
ALTER_PARTITION = api(MESSAGES, "AlterPartition")
BROKER_REGISTRATION = api(MESSAGES, "BrokerRegistration")
BROKER_HEARTBEAT = api(MESSAGES, "BrokerHeartbeat")
"""What brokers ask the controller of a KRaft cluster, beside their fetches of metadata."""

NONE, OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC, NOT_LEADER, FENCED_LEADER_EPOCH = 0, 1, 3, 6, 74
REQUEST_TIMED_OUT = 7
"""Error codes (``Errors.java``)."""

ERRORS = {
    -1: "UNKNOWN_SERVER_ERROR",
    NONE: "NONE",
    OFFSET_OUT_OF_RANGE: "OFFSET_OUT_OF_RANGE",
    UNKNOWN_TOPIC: "UNKNOWN_TOPIC_OR_PARTITION",
    5: "LEADER_NOT_AVAILABLE",
    NOT_LEADER: "NOT_LEADER_OR_FOLLOWER",
    REQUEST_TIMED_OUT: "REQUEST_TIMED_OUT",
    11: "STALE_CONTROLLER_EPOCH",
    19: "NOT_ENOUGH_REPLICAS",
    20: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    FENCED_LEADER_EPOCH: "FENCED_LEADER_EPOCH",
    75: "UNKNOWN_LEADER_EPOCH",
    77: "STALE_BROKER_EPOCH",
    95: "INVALID_UPDATE_VERSION",
    107: "INELIGIBLE_REPLICA",
    108: "NEW_LEADER_ELECTED",
}


def error_name(code: int) -> str:
    """Return the name of an error code."""
    return ERRORS.get(code, f"error {code}")
