"""Configuration errors in ``tidegate.toml``: all of a file at once, each with its line.

The line of each key, and of each element of an array, in a TOML text.

Neither ``tomllib`` nor ``tomlkit`` has it.  ``tomllib`` has read the text before, so it is valid
TOML, and it is enough to find where keys and values begin and end.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.bounds import unknown
from ..core.spec import TidegateError

Path = tuple[str | int, ...]
"""Keys and indices from the document to a value, as in ``("case", 0, "bounds", 1)``."""

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r]+|\#[^\n]*)
  | (?P<newline>\n)
  | (?P<string>\"{3}(?:\\.|[^\\])*?\"{3,5}|'{3}.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
  | (?P<mark>[\[\]{},=.])
  | (?P<bare>[^\s\[\]{},=."'\#]+)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int


def positions(text: str) -> dict[Path, int]:
    r"""Return the line, from 1, of every table, key and element.

    >>> lines = positions('[[case]]\nbounds = [\n  "records=1",\n  "records=2",\n]\n')
    >>> lines[("case", 0, "bounds", 1)]
    4
    """
    return _Scan(text).lines


class _Scan:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._tokens: list[_Token] = []
        line = 1
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or ""
            if kind != "space":
                self._tokens.append(_Token(kind, match.group(), line))
            line += match.group().count("\n")
        self._tokens.append(_Token("end", "", line))
        self._at = 0
        self._lengths: dict[Path, int] = {}
        table: Path = ()
        while self._here.kind != "end":
            if self._here.kind == "newline":
                self._at += 1
            elif self._here.text == "[":
                table = self._header()
            else:
                self._assignment(table)

    @property
    def _here(self) -> _Token:
        return self._tokens[self._at]

    def _accept(self, text: str) -> bool:
        """Step over a mark, if it comes next."""
        is_here = self._here.kind == "mark" and self._here.text == text
        self._at += is_here
        return is_here

    def _header(self) -> Path:
        """Read ``[table]`` or ``[[table]]``; return the path of the table that begins there."""
        line = self._here.line
        self._accept("[")
        of_array = self._accept("[")
        path: Path = ()
        keys = self._keys()
        for number, key in enumerate(keys):
            path = (*path, key)
            if number == len(keys) - 1 and of_array:
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        while self._accept("]"):
            pass
        self.lines[path] = line
        return path

    def _keys(self) -> list[str]:
        """Read a key, which may have parts with dots between them."""
        keys = []
        while True:
            token = self._here
            self._at += 1
            quoted = token.kind == "string"
            keys.append(tomllib.loads(f"key = {token.text}")["key"] if quoted else token.text)
            if not self._accept("."):
                return keys

    def _assignment(self, table: Path) -> None:
        """Read a key and its value."""
        line = self._here.line
        path = table
        for key in self._keys():
            path = (*path, key)
            self.lines.setdefault(path, line)
        self._accept("=")
        self._value(path)

    def _value(self, path: Path) -> None:
        if self._accept("["):
            number = 0
            while not self._ended("]"):
                self.lines[(*path, number)] = self._here.line
                self._value((*path, number))
                number += 1
        elif self._accept("{"):
            while not self._ended("}"):
                self._assignment(path)
        else:
            while self._here.kind in ("string", "bare") or self._here.text == ".":
                self._at += 1

    def _ended(self, mark: str) -> bool:
        """Step over what separates elements; whether the array or the table ends there."""
        while self._here.kind == "newline" or self._accept(","):
            self._at += self._here.kind == "newline"
        return self._accept(mark) or self._here.kind == "end"


class GateFileError(TidegateError):
    """The gate's file cannot be used; ``details`` lists the errors where it is TOML."""


@dataclass(frozen=True)
class Kind:
    """What values a key takes: in words, and as a predicate."""

    said: str
    fits: Callable[[Any], bool]


def names(value: Any) -> bool:
    """Whether a value is a string or a list of strings."""
    return isinstance(value, str) or (
        isinstance(value, list) and all(isinstance(part, str) for part in value)
    )


def whole(value: Any) -> bool:
    """Whether a value is an integer from 0 to 2**63 - 1, and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _seconds(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e9


def _limits(value: Any) -> bool:
    return names(value) or (isinstance(value, dict) and all(map(whole, value.values())))


def _pins(value: Any) -> bool:
    if isinstance(value, dict):
        return all(not isinstance(part, dict) and _pins(part) for part in value.values())
    return whole(value) or (isinstance(value, list) and all(map(whole, value)))


NAMES = Kind("a string or a list of strings", names)
TEXT = Kind("a string", lambda value: isinstance(value, str))
SWITCH = Kind("true or false", lambda value: isinstance(value, bool))
SECONDS = Kind("a number of seconds above 0", _seconds)
LIMITS = Kind(
    "a list of properties, or a table with the maximum number of steps of each, such as "
    "{ NoCommittedRecordLost = 12 }",
    _limits,
)
PINS = Kind(
    "an integer; with several bounds a list of integers, one for each; with several protocols a "
    "table of these by protocol",
    _pins,
)


@dataclass
class ConfigurationErrors:
    """Collects the configuration errors of one file."""

    file: str
    lines: Mapping[Path, int]
    found: list[tuple[int, str]] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Return the line of a key, or of the nearest table around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def add(self, path: Path, text: str) -> None:
        """Record an error at a key."""
        self.found.append((self.line(path), text))

    def keys(
        self, path: Path, table: Mapping[str, Any], known: Mapping[str, Kind]
    ) -> dict[str, Any]:
        """Return the known keys of a table; record unknown keys, and values that do not fit."""
        good = {}
        for key, value in table.items():
            if key not in known:
                self.add((*path, key), unknown("key", key, known))
            elif not known[key].fits(value):
                self.add(
                    (*path, key), f"{key} = {shown(value)} is not valid; write {known[key].said}"
                )
            else:
                good[key] = value
        return good

    def refuse(self) -> None:
        """Raise the errors, if there are any.

        Raises
        ------
        GateFileError
            With a detail for each error, in the order of the file.
        """
        if self.found:
            ordered = sorted(dict.fromkeys(self.found), key=lambda error: error[0])
            lines = [f"{self.file}:{line}: {text}" for line, text in ordered]
            count = f"{len(lines)} configuration error{'s' if len(lines) > 1 else ''}"
            error = GateFileError(f"{self.file} has {count}:")
            error.details = tuple(lines)
            raise error


def shown(value: Any) -> str:
    """Return a value as TOML writes it, truncated if it is long.

    >>> shown(True), shown({"a": [1]})
    ('true', '{ a = [1] }')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        text = '"' + value.replace('"', '\\"') + '"'
    elif isinstance(value, list):
        text = f"[{', '.join(map(shown, value))}]"
    elif isinstance(value, dict):
        text = f"{{ {', '.join(f'{key} = {shown(part)}' for key, part in value.items())} }}"
    elif isinstance(value, int):
        # Python refuses to convert very long integers to decimal.
        text = f"{value:d}" if abs(value) < 2**256 else f"{value:#x}"
    else:
        text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
