"""Functions declared pure that are not in the language: what they answer for every argument.

A table has a row for each combination of arguments, the last one fastest.  The index of a value is
that among the values of its type, as :func:`values_of` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import product
from math import prod
from time import perf_counter
from typing import Any

from ..core.errors import printed
from .types import (
    LEAST_MEMBER,
    MOST_MEMBER,
    Known,
    Members,
    Never,
    NoJoinError,
    Nothing,
    Number,
    OneOf,
    Optional,
    Text,
    Tuple,
    Type,
    join_all,
    named,
    type_of,
)

MOST_ROWS = 10**6
"""The most combinations of arguments for which a function is asked."""

SECONDS = 20.0
"""How long all of them may take."""


class UntabulatedError(Exception):
    """There is no table of a function, for this reason."""


class Row(Enum):
    """What a row has instead of an answer."""

    FAILS = auto()
    """The function raises an exception, or there are no such arguments."""


@dataclass(frozen=True, eq=False)
class Table:
    """What a function answers.

    Parameters
    ----------
    rows
        Its answers, one for each combination of arguments; :attr:`Row.FAILS` where there is none.
    type
        The type of all answers.
    """

    rows: Sequence[Any]
    type: Type


def table_of(entries: Mapping[Any, Any], key: Type) -> Table | None:
    """Return the table of a dictionary of the file; None if its keys or values have no index.

    Parameters
    ----------
    key
        The type of its keys.
    """
    try:
        kind = join_all(map(type_of, entries.values()))
    except NoJoinError:
        return None
    if not is_indexed(key) or not is_value(kind):
        return None
    return Table([entries.get(one, Row.FAILS) for one in values_of(key)], kind)


def is_indexed(kind: Type) -> bool:
    """Whether the values of a type have indices, of which a table has not too many."""
    try:
        return count_of(kind) <= MOST_ROWS
    except UntabulatedError:
        return False


def count_of(kind: Type) -> int:
    """Return how many values a type has, gaps between members of an enumeration included.

    Raises
    ------
    UntabulatedError
        If that is not known, or they cannot be listed.
    """
    if isinstance(kind, Number) and kind.kind is not None:
        return kind.high - kind.low + 1
    if isinstance(kind, (Nothing, Known)):
        return 1
    if isinstance(kind, OneOf):
        return len(kind.options)
    if isinstance(kind, Optional):
        return 1 + count_of(kind.of)
    if isinstance(kind, Tuple):
        return prod(map(count_of, kind.items))
    raise UntabulatedError(f"it gets {named(kind)}; pass it numbers, or tuples of numbers")


def values_of(kind: Type) -> list[Any]:
    """Return the values of a type that :func:`count_of` counts, in the order of their indices."""
    if isinstance(kind, Number):
        return [_number(kind, one) for one in range(kind.low, kind.high + 1)]
    if isinstance(kind, Optional):
        return [None, *values_of(kind.of)]
    if isinstance(kind, Tuple):
        combinations = product(*map(values_of, kind.items))
        return [Row.FAILS if Row.FAILS in one else one for one in combinations]
    if isinstance(kind, OneOf):
        return list(kind.options)
    return [kind.value if isinstance(kind, Known) else None]


def _number(kind: Number, number: int) -> Any:
    assert kind.kind is not None
    try:
        return kind.kind(number)
    except ValueError:
        # No member of the enumeration has this number.
        return Row.FAILS


def tabulate(function: Callable[..., Any], domains: Sequence[Type], names: Sequence[str]) -> Table:
    """Ask a function for all combinations of its arguments, twice.

    Parameters
    ----------
    domains
        The types of its arguments.
    names
        The names of the last arguments.

    Raises
    ------
    UntabulatedError
        If there are more than :data:`MOST_ROWS`, or they take more than :data:`SECONDS`; or if the
        answers differ the second time, or can be changed, or are of a kind that the language lacks.
    """
    count = prod(map(count_of, domains))
    if count > MOST_ROWS:
        raise UntabulatedError(
            f"its arguments have {count:,} combinations, and a table has at most {MOST_ROWS:,}"
        )
    every = list(product(*map(values_of, domains)))
    until = perf_counter() + SECONDS
    rows = [_answer(function, one, names, until) for one in every]
    kind = _type_of_answers(rows)
    for arguments, row in zip(reversed(every), reversed(rows), strict=True):
        again = _answer(function, arguments, names, until)
        if (type(again), again) != (type(row), row):
            shown = ", ".join(map(printed, arguments))
            raise UntabulatedError(
                f"it answers {printed(row)} for ({shown}), then {printed(again)}"
            )
    return Table(rows, kind)


def _answer(
    function: Callable[..., Any], arguments: tuple[Any, ...], names: Sequence[str], until: float
) -> Any:
    if perf_counter() > until:
        raise UntabulatedError(f"a table of it takes more than {SECONDS:g} s")
    if Row.FAILS in arguments:
        return Row.FAILS
    first = len(arguments) - len(names)
    try:
        return function(*arguments[:first], **dict(zip(names, arguments[first:], strict=True)))
    except Exception:  # noqa: BLE001 - whatever the model raises
        # A step that comes here fails, and Python says why.
        return Row.FAILS


def _type_of_answers(rows: Sequence[Any]) -> Type:
    answers = [row for row in rows if row is not Row.FAILS]
    changeable = next((row for row in answers if not _has_hash(row)), None)
    distinct = {(type(row), row): row for row in answers} if changeable is None else {}
    try:
        kind = (
            type_of(changeable)
            if changeable is not None
            else join_all(map(type_of, distinct.values()))
        )
    except NoJoinError:
        raise UntabulatedError("its answers are of several kinds") from None
    if isinstance(kind, Never):
        raise UntabulatedError("it raises an exception for all arguments")
    if not is_value(kind):
        raise UntabulatedError(
            f"it returns {named(kind)}; let it return a number, a member, a text, a tuple of "
            "these, or a frozenset of numbers up to 62"
        )
    return kind


def _has_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_value(kind: Type) -> bool:
    """Whether a step may compute with the answers, which nothing can change."""
    if isinstance(kind, Tuple):
        return all(map(is_value, kind.items))
    if isinstance(kind, Optional):
        return is_value(kind.of)
    if isinstance(kind, Members) and kind.frozen:
        one = kind.element
        return isinstance(one, Never) or (
            isinstance(one, Number) and one.low >= LEAST_MEMBER and one.high <= MOST_MEMBER
        )
    return isinstance(kind, (Number, Nothing, Text))
