"""Options: what a user can set, declared once, as fields of records.

A field has the option's type, default, help and range.  The command line, Python and files read
the option from there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar

from .bounds import unknown
from .errors import TidegateError

T = TypeVar("T")
Seconds = TypeVar("Seconds", float, float | None)


class OptionError(TidegateError):
    """An option that does not exist, or a value that it cannot have."""


@dataclass(eq=False, repr=False)
class Unit:
    """A unit in which users write a quantity.

    Parameters
    ----------
    name
        What stands for such a quantity in help texts.
    base
        The name of 1.
    read
        Makes a number of a text; None of a wrong one.
    wrong
        What a message says of a wrong text.
    """

    name: str
    base: str
    read: Callable[[str], float | None]
    wrong: str


def parse_size(text: str) -> int | None:
    """Return an amount of memory in bytes, written in bytes or in K, M, G or T (powers of 1024).

    None for any other text, and for less than 64M.

    >>> parse_size("500M"), parse_size("1.5 GiB"), parse_size("much")
    (524288000, 1610612736, None)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?B)?", text, re.IGNORECASE)
    size = float(match[1]) * _BYTES[match[2].upper()] if match else 0
    return int(size) if 64 << 20 <= size <= 1 << 50 else None


def parse_time(text: str) -> float | None:
    """Return a time in seconds, written in seconds or in ``s``, ``m``, ``h`` or ``d``.

    >>> parse_time("1h30m"), parse_time("2.5"), parse_time("soon")
    (5400.0, 2.5, None)
    """
    parts = re.findall(r"(\d+(?:[.]\d+)?)([smhd])", text)
    written = "".join(number + unit for number, unit in parts)
    try:
        seconds = float(text)
    except ValueError:
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        seconds = seconds if written == text else 0
    return seconds if 0 < seconds <= LONGEST else None


_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

SHORTEST, LONGEST = 1e-9, 1e9
"""Seconds of the shortest and the longest time limit."""

SIZE = Unit(
    "SIZE",
    "bytes",
    parse_size,
    "is not an amount of memory of at least 64M, such as 500M or 12G",
)
TIME = Unit(
    "TIME", "seconds", parse_time, "is not a time; write seconds, or such as 90s, 5m or 1h30m"
)


@dataclass(eq=False, repr=False)
class Option:
    """How an option is set.

    Parameters
    ----------
    help
        What it does.
    name
        Its name, where that is not the field's.
    flags
        How it is written on the command line, where that is not its name after two hyphens.
    low, high
        The range of a number; None for no limit.
    choices
        The values of a text; empty for any.
    metavar
        What stands for a value in help texts.
    unset
        The default in words, where None stands for one that is chosen later.
    unit
        The unit in which users write a quantity.
    """

    help: str
    name: str = ""
    flags: Sequence[str] = ()
    low: float | None = None
    high: float | None = None
    choices: Sequence[str] = ()
    metavar: str | None = None
    unset: str = ""
    unit: Unit | None = None


@dataclass(eq=False, repr=False)
class Declared:
    """An option as a record declares it.

    Parameters
    ----------
    field
        Its field in the record.
    name
        Its name in Python and, with hyphens for underscores, on the command line.
    kind
        Its type: ``int``, ``float``, ``bool``, ``str``, ``Path`` or ``tuple``.
    optional
        Whether it can be None.
    """

    field: str
    name: str
    kind: str
    default: Any
    optional: bool
    option: Option

    def refuse(self, value: object) -> None:
        """Refuse a value that this option cannot have.

        Raises
        ------
        OptionError
            With the values that it can have.
        """
        if value is None and self.optional:
            return
        if self.option.choices and value not in self.option.choices:
            raise OptionError(unknown(self.name, str(value), self.option.choices))
        if self.kind in _TYPES and not self._is_fit(value):
            none = ", or None for no limit" if self.optional else ""
            raise OptionError(f"{self.name}={value!r}: give {self._range()}{none}")

    def _is_fit(self, value: Any) -> bool:
        low, high = self.option.low, self.option.high
        is_type = isinstance(value, _TYPES[self.kind]) and (
            self.kind == "bool" or not isinstance(value, bool)
        )
        return is_type and (low is None or low <= value) and (high is None or value <= high)

    def _range(self) -> str:
        low, high = self.option.low, self.option.high
        if self.kind == "bool":
            return "True or False"
        kind = "a whole number" if self.kind == "int" else "a number"
        kind = self.option.unit.base if self.option.unit else kind
        if high is not None:
            return f"{kind} from {low or 0:g} to {high:g}"
        return kind if low is None else f"{kind} of {low:g} or more"


_TYPES: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (int, float)}


def option(default: T, text: str, **more: Any) -> T:
    """Declare a field of a record as an option.

    Parameters
    ----------
    default, text, more
        Its default, its help, and the parameters of :class:`Option`.
    """
    made: T = field(default=default, metadata={"option": Option(text, **more)})
    return made


def time_limit(default: Seconds, text: str, **more: Any) -> Seconds:
    """Declare a field of a record as a time limit, in seconds."""
    text = f"{text} TIME is in seconds, or such as 90s, 5m or 1h30m."
    return option(default, text, low=SHORTEST, high=LONGEST, unit=TIME, **more)


@cache
def options(record: type) -> tuple[Declared, ...]:
    """Return the options that a record declares, in order."""
    declared = []
    for one in fields(record):
        if known := one.metadata.get("option"):
            kind, _, none = str(one.type).partition(" | ")
            declared.append(
                Declared(
                    one.name,
                    known.name or one.name,
                    kind.partition("[")[0],
                    one.default,
                    bool(none),
                    known,
                )
            )
    return tuple(declared)


def made(records: Collection[type], values: Mapping[str, Any]) -> list[Any]:
    """Return records whose options have values by their names, and else their defaults.

    Raises
    ------
    OptionError
        For a name that none of them has, or a value that its option cannot have.
    """
    known = {one.name: one for record in records for one in options(record)}
    for name, value in values.items():
        if name not in known:
            raise OptionError(unknown("option", name, known))
        known[name].refuse(value)
    return [
        record(**{one.field: values[one.name] for one in options(record) if one.name in values})
        for record in records
    ]
