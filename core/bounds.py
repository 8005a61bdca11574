"""Bounds: the constants that make a state space finite, each declared once.

A family of protocols declares its bounds as a frozen dataclass whose fields come from
:func:`number`, :func:`switch` and :func:`choice`.  Parsing, checking, ``tidegate list`` and the
reference pages are derived from that declaration.
"""

from __future__ import annotations

import dataclasses
import difflib
import linecache
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from .errors import (
    MisusedValueError,
    TidegateError,
    callers,
    is_ours,
    misused,
    one_line,
    place_of,
    printed,
)

B = TypeVar("B")

_TRUE = ("true", "on", "yes", "1")
_FALSE = ("false", "off", "no", "0")


class BoundsError(TidegateError):
    """A bound that does not exist, is out of range, or contradicts another, as the model says."""


class FailingBoundsError(TidegateError):
    """The ``__post_init__`` of bounds fails, and does not refuse them: the model has a mistake."""


@dataclass(frozen=True)
class Bound:
    """The declaration of one bound.

    ``low`` and ``high`` are its range, both included.  ``names`` maps what a user writes to values
    if the bound is not a plain number.  ``follows`` names the bound whose value it takes unless it
    is set.  A ``main`` bound is named in every report.
    """

    doc: str
    low: int
    high: int
    names: Mapping[str, int] | None = None
    follows: str | None = None
    main: bool = False

    def parse(self, name: str, text: str) -> int:
        """Return the value that `text` stands for.

        Raises
        ------
        BoundsError
            If it is not a value of this bound.
        """
        if self.names is not None:
            value = self.names.get(text.lower())
            if value is None:
                raise BoundsError(
                    f"bound {name}: {text!r} is not one of its values; choose {self.allowed()}"
                )
            return value
        try:
            value = int(text)
        except ValueError:
            repair = f"give one within {self.allowed()}"
            if "=" in text:
                repair = "each bound has an option of its own, -b NAME=VALUE"
            raise BoundsError(f"bound {name}: {text!r} is not a whole number; {repair}") from None
        if not self.low <= value <= self.high:
            raise BoundsError(
                f"bound {name}: {value} is out of range; give a number within {self.allowed()}"
            )
        return value

    def allowed(self) -> str:
        """Return the range or the choices, for people."""
        if self.names is None:
            return f"{self.low}..{self.high}"
        return ", ".join(self.shown_names())

    def shown_names(self) -> list[str]:
        """Return the first name of each value, in order."""
        first: dict[int, str] = {}
        for name, value in (self.names or {}).items():
            first.setdefault(value, name)
        return list(first.values())

    def show(self, value: int) -> str:
        """Return `value` as a user would write it."""
        for name, named in (self.names or {}).items():
            if named == value:
                return name
        return str(int(value))


def number(
    default: int, low: int, high: int, doc: str, *, follows: str | None = None, main: bool = False
) -> int:
    """Declare a whole number within ``low..high``.

    Raises
    ------
    ModelError
        If the default is not within it, or one of the three is not a whole number.
    """
    numbers: dict[str, object] = {"default": default, "low": low, "high": high}
    for name, one in numbers.items():
        if not isinstance(one, int):
            raise misused(f"number: {name} is {printed(one)}; it must be a whole number")
    if not low <= default <= high:
        raise misused(
            f"the default {default} of {doc!r} is not within {low}..{high}; write number(DEFAULT, "
            "LOW, HIGH, ...)",
            MisusedValueError,
        )
    metadata = {"bound": Bound(doc, low, high, follows=follows, main=main)}
    value: int = dataclasses.field(default=default, metadata=metadata)
    return value


def switch(doc: str) -> bool:
    """Declare an option that is off unless switched on."""
    names = dict.fromkeys(_FALSE, 0) | dict.fromkeys(_TRUE, 1)
    metadata = {"bound": Bound(doc, 0, 1, names=names)}
    value: bool = dataclasses.field(default=False, metadata=metadata)
    return value


def choice(default: str, names: Mapping[str, int], doc: str) -> int:
    """Declare an option that takes one of several named values.

    Raises
    ------
    ModelError
        If the values have no names, or the default is none of these.
    """
    every: object = names
    if not isinstance(every, Mapping) or not names:
        example = '{"none": 0, "some": 1}'
        raise misused(f"choice: its names are {printed(every)}; write a dictionary, {example}")
    if default not in names:
        raise misused(f"choice: the default {default!r} is none of {', '.join(names)}; name one")
    metadata = {"bound": Bound(doc, min(names.values()), max(names.values()), names=names)}
    value: int = dataclasses.field(default=names[default], metadata=metadata)
    return value


def declared(bounds: type) -> dict[str, tuple[Bound, int]]:
    """Return every bound that the dataclass `bounds` declares, with its default, by name."""
    return {
        field.name: (field.metadata["bound"], cast(int, field.default))
        for field in dataclasses.fields(bounds)
        if "bound" in field.metadata
    }


def bound_name(setting: str) -> str:
    """Return the name of the bound that a setting such as ``min-isr=2`` is of."""
    return setting.partition("=")[0].strip().replace("-", "_")


def parse(bounds: type[B], settings: Iterable[str]) -> B:
    """Make the bounds from a user's ``NAME=VALUE`` settings, the rest at their defaults.

    Raises
    ------
    BoundsError
        As by :func:`values_of`, or for bounds that the model does not allow together.
    """
    values = values_of(bounds, settings)
    return made(lambda: bounds(**values), bounds, values)


def values_of(bounds: type, settings: Iterable[str]) -> dict[str, Any]:
    """Return the value of every bound: from ``NAME=VALUE`` settings, the rest at their defaults.

    Raises
    ------
    BoundsError
        For a setting of the wrong form, an unknown name, a value out of range, or a bound that is
        set twice.
    """
    known = declared(bounds)
    values: dict[str, Any] = {}
    for setting in settings:
        _, equals, text = setting.partition("=")
        name = bound_name(setting)
        if name not in known:
            raise BoundsError(unknown("bound", name, known))
        bound, _ = known[name]
        if not equals:
            if bound.names is None or "on" not in bound.names:
                raise BoundsError(f"bound {name}: write it with a value, as {name}=VALUE")
            text = "on"
        if name in values:
            raise BoundsError(f"bound {name} is set twice; set it once")
        values[name] = bound.parse(name, text.strip())
    for name, (bound, default) in known.items():
        if bound.follows and name not in values:
            values[name] = values.get(bound.follows, known[bound.follows][1])
        elif isinstance(default, bool):
            values[name] = bool(values.get(name, default))
    return {name: values.get(name, default) for name, (_, default) in known.items()}


def made(make: Callable[[], B], bounds: type, values: Mapping[str, Any]) -> B:
    """Return the bounds that a function makes, whose ``__post_init__`` may refuse them.

    Parameters
    ----------
    bounds, values
        Their class, and their values.

    Raises
    ------
    BoundsError
        For a ValueError or an assertion that fails there: TLC's ASSUME.
    FailingBoundsError
        For any other exception, which is a mistake of the model.
    """
    try:
        return make()
    except BaseException as error:
        if is_ours(error):
            raise
        every = declared(bounds)
        default = all(values[name] == value for name, (_, value) in every.items())
        named = ", ".join(f"{name}={one.show(values[name])}" for name, (one, _) in every.items())
        which = f"the {'default ' * default}bounds {named}".rstrip()
        if isinstance(error, (ValueError, AssertionError)):
            wrong: TidegateError = BoundsError(f"{which} are not allowed: {_said(error)}")
        else:
            text = f"making {which} fails with {type(error).__name__}"
            wrong = FailingBoundsError(": ".join(filter(None, [text, one_line(str(error))])))
        wrong.place, wrong.details = place_of(error), callers(error)
        raise wrong from error


def _said(error: BaseException) -> str:
    """Return the text of a refusal; of one without a text, the line of the model that refuses."""
    place = place_of(error)
    line = linecache.getline(*place).partition("#")[0].strip() if place else ""
    return one_line(str(error)) or f"{line or type(error).__name__} fails"


def shown(bounds: object) -> dict[str, str]:
    """Return the value of every bound as a user would write it, by name."""
    known = declared(type(bounds))
    return {name: bound.show(getattr(bounds, name)) for name, (bound, _) in known.items()}


def brief(bounds: object) -> str:
    """Return the main bounds and those that are not at their default, for a line of a report."""
    values = shown(bounds)
    named = [
        name
        for name, (bound, default) in declared(type(bounds)).items()
        if bound.main
        or values[name] != (values[bound.follows] if bound.follows else bound.show(default))
    ]
    return ", ".join(f"{name}={values[name]}" for name in named)


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that there is no `what` of that name, and list the known names.

    >>> unknown("bound", "record", ["replicas", "records"])
    "there is no bound 'record'; did you mean records? Known: replicas, records"
    """
    known = list(known)
    if not known:
        return f"there is no {what} {name!r}, and no other one"
    lowered = {candidate.lower(): candidate for candidate in known}
    near = [lowered[n] for n in difflib.get_close_matches(name.lower(), lowered, n=2)]
    hint = f"did you mean {' or '.join(near)}? Known" if near else "known"
    return f"there is no {what} {name!r}; {hint}: {', '.join(known)}"
