"""Configuration errors in ``tidegate.toml``: all of a file at once, each with its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..core.bounds import unknown
from ..core.spec import TidegateError
from .positions import Path


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
