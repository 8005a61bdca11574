"""The line of each key, and of each element of an array, in a TOML text.

Neither ``tomllib`` nor ``tomlkit`` has it.  ``tomllib`` has read the text before, so it is valid
TOML, and it is enough to find where keys and values begin and end.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

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
