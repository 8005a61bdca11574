"""Variables that read as members of an enumeration or as ``bool``, though numbers are stored.

What is written to such a variable is converted there and then, so that whoever reads it next, in
the same step or in a later one, reads the member.  A number that is the value of no member stays
what it is: it is out of the variable's range, which is an error that others report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from .generated import run

Kind = type
"""What a variable reads as: ``int``, ``bool``, or an enumeration."""


class ConstantError(Exception):
    """Another value was written to a variable with only one value, which is not stored.

    Its arguments are the record, the name of the variable there, and the value.
    """


class Constant:
    """A variable with only one value, as an attribute of a record's class."""

    def __init__(self, name: str, value: int) -> None:
        self._name = name
        self._value = value

    def __get__(self, record: object, kind: type) -> int:
        return self._value

    def __set__(self, record: object, value: object) -> None:
        if value != self._value:
            raise ConstantError(record, self._name, value)


@cache
def members_of(kind: Any) -> dict[int, Any]:
    """Return what the numbers of a variable read as; empty for ``int``, as which all read."""
    if kind is int:
        return {}
    return {int(member): member for member in ((False, True) if kind is bool else kind)}


def as_kind(kind: Kind, value: Any) -> Any:
    """Return what a variable reads as, after a value was written to it.

    >>> as_kind(bool, 1), as_kind(bool, 2), as_kind(bool, 1.0)
    (True, 2, 1.0)
    """
    if type(value) is kind or not isinstance(value, int):
        return value
    return members_of(kind).get(int(value), value)


class Unlisted(dict[int, Any]):
    """What stored numbers read as: one that no member has, as itself."""

    def __missing__(self, number: int) -> int:
        return number


@cache
def table_of(kind: Any, narrow: bool) -> Any:
    """Return what stored numbers read as, by the number.

    Parameters
    ----------
    narrow
        Whether they fit into a byte.
    """
    known = Unlisted(members_of(kind))
    return tuple(known[number] for number in range(256)) if narrow else known


def stored_name(name: str) -> str:
    """Return the name of the slot that has the value of a variable."""
    return f"__stored_{name}__"


def converting(name: str, kind: Kind, slot: Any) -> property:
    """Return the attribute by which actions read and write a variable.

    Parameters
    ----------
    slot
        The attribute that has its value, as it reads.
    """
    # Generated for each variable: an attribute that one line of code reads from objects of many
    # classes is read several times slower.
    space: dict[str, Any] = {}
    run(f"def read(record):\n return record.{stored_name(name)}\n", f"<reading {name}>", space)
    store, members = slot.__set__, members_of(kind)

    def write(record: Any, value: Any) -> None:
        if type(value) is not kind and isinstance(value, int):
            value = members.get(int(value), value)
        store(record, value)

    return property(space["read"], write, slot.__delete__)


def source_of_members(
    stored: Sequence[tuple[Kind, str]], narrow: bool, space: dict[str, Any]
) -> str:
    """Return the source that puts members of enumerations and truth values into a record.

    Parameters
    ----------
    stored
        What each stored variable reads as, and the source that writes it; the stored number of the
        first one is named ``t0``.
    narrow
        Whether these numbers fit into a byte.
    space
        The names that the source uses are added.
    """
    arrays: dict[str, list[str]] = {}
    source = ""
    for number, (kind, access) in enumerate(stored):
        if kind is int:
            continue
        table = f"m{id(kind)}"
        space[table] = table_of(kind, narrow)
        if access.endswith("]"):
            members = arrays.setdefault(access.partition("[")[0], [])
            members.append(f"{table}[t{number}]")
        else:
            source += f"; {access} = {table}[t{number}]"
    # An array converts what is written to it; these are members already.
    space |= {"fill": list.__setitem__, "whole": slice(None)}
    return source + "".join(
        f"; fill({node}, whole, ({', '.join(members)},))" for node, members in arrays.items()
    )


class Members(list[Any]):
    """An array of variables that read as members of an enumeration, or as ``bool``."""

    __slots__ = ()
    kind: Kind = int

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write an element, or those of a slice."""
        if isinstance(index, slice):
            super().__setitem__(index, self._converted(value))
        else:
            super().__setitem__(index, as_kind(self.kind, value))

    def _converted(self, values: Iterable[Any]) -> list[Any]:
        return [as_kind(self.kind, value) for value in values]


@cache
def array_type(kind: Any) -> type[list[Any]]:
    """Return the type of an array of variables that read as this kind."""
    return list if kind is int else type("Members", (Members,), {"__slots__": (), "kind": kind})


def converting_record(kinds: Mapping[str, Kind]) -> Callable[[Any, str, Any], None]:
    """Return ``__setattr__`` of records outside of the state, which have no slots.

    Parameters
    ----------
    kinds
        What their variables read as, by name.
    """

    def write(record: Any, name: str, value: Any) -> None:
        object.__setattr__(record, name, as_kind(kinds.get(name, int), value))

    return write
