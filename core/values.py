"""What the numbers of a state read as, and the values that a sequence of records gives.

A value assigned to a variable that reads as a member of an enumeration, or as a truth value, is
converted there and then, so that whoever reads it next, in the same step or in a later one, reads
the member.  A number that is the value of no member stays what it is: it is out of the variable's
range, which is an error that others report.

A value is a copy of an element that knows where it was read.  ``s.queue[i].term = 2`` reads a
copy, and writes the variable of the copy and of the element; so does ``m.term = 2``, if the same
function has read ``m`` by an index.  It is refused if another function has read the copy, or a
loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from operator import getitem
from types import CodeType
from typing import Any, NoReturn

from .errors import ModelError, caller, misused
from .generated import run
from .indices import Variables, records

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
    """What stored numbers read as: one that no member has, as the number that it stands for."""

    def __init__(self, known: Mapping[int, Any]) -> None:
        self._low = min(known)
        super().__init__({number - self._low: member for number, member in known.items()})

    def __missing__(self, number: int) -> int:
        return number + self._low


@cache
def table_of(kind: Any, narrow: bool) -> Any:
    """Return what stored numbers, which are counted from the least member, read as.

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


def source_of_writes(
    stored: Sequence[tuple[Kind, str, int | None]], narrow: bool, space: dict[str, Any]
) -> str:
    """Return the source that puts members of enumerations and truth values into a record.

    It fills the arrays that look at each index, too.

    Parameters
    ----------
    stored
        What each stored variable reads as, the source that writes it, and its lowest value if it is
        an element of such an array; the stored number of the first one is named ``t0``.
    narrow
        Whether these numbers fit into a byte.
    space
        The names that the source uses are added.
    """
    arrays: dict[str, list[str]] = {}
    source = ""
    for number, (kind, access, low) in enumerate(stored):
        read = f"t{number}+{low}" if low else f"t{number}"
        if kind is not int:
            table = f"m{id(kind)}"
            space[table] = table_of(kind, narrow)
            read = f"{table}[t{number}]"
        elif low is None:
            continue
        if access.endswith("]"):
            arrays.setdefault(access.partition("[")[0], []).append(read)
        else:
            source += f"; {access} = {read}"
    # An array converts assigned values; these are members already.
    space |= {"fill": list.__setitem__, "whole": slice(None)}
    return source + "".join(
        f"; fill({node}, whole, ({', '.join(members)},))" for node, members in arrays.items()
    )


class Members(Variables):
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
def array_type(kind: Any, of_container: bool) -> type[list[Any]]:
    """Return the type of an array of variables that read as this kind.

    The methods of a container look at each index themselves.
    """
    if kind is int:
        return list if of_container else Variables
    space: dict[str, Any] = {"__slots__": (), "kind": kind}
    if of_container:
        space["__getitem__"] = list.__getitem__
    return type("Members", (Members,), space)


Key = int | str | tuple[Any, ...]
"""Where a value was read: an index of a sequence, a name of a record, or that and indices there."""

Read = tuple[CodeType, int] | None
"""The code that read an element by its index, and how many elements there were.

None for a loop and for a slice.
"""

Copier = Callable[[Any, Any, Key, Read], Any]

_copiers: dict[type, Copier] = {}


def value(record: Any, owner: Any, key: Key, read: Read = None) -> Any:
    """Return a copy of a part of a state, which only the function that reads it may write.

    Parameters
    ----------
    owner, key
        The sequence, and the index there; None for an element of a slice.
    """
    kind = type(record)
    copier = _copiers.get(kind)
    if copier is None:
        copier = _copiers[kind] = _copier(record)
    return copier(record, owner, key, read)


def _copier(record: Any) -> Copier:
    """Generate the function that copies records of a class."""
    kind: Any = plain(type(record))
    lines = ["def copied(record, owner, key, read):", " copy = new(kind)"]
    for name in kind.__parts__:
        part, here = getattr(record, name), f"record.{name}"
        if isinstance(vars(kind).get(name), Constant):
            continue
        if isinstance(part, list):
            here = f"Numbers({here}, copy, {name!r})"
        elif isinstance(part, tuple):
            here = f"elements({here}, copy, ({name!r},))"
        elif hasattr(part, "__parts__"):
            here = f"value({here}, copy, {name!r})"
        lines.append(f" copy.{name} = {here}")
    lines += [" copy._owner = owner", " copy._key = key", " copy._read = read"]
    lines += [" copy.__class__ = of_values"]
    source = "\n".join([*lines, " return copy"])
    space: dict[str, Any] = {"new": object.__new__, "value": value, "Numbers": Numbers}
    space["elements"] = _elements
    space |= {"kind": kind, "of_values": _of_values(kind)}
    run(source, f"<values of {kind.__name__}>", space)
    copied: Copier = space["copied"]
    return copied


def _elements(array: Any, owner: Any, key: tuple[Any, ...]) -> Any:
    """Return a copy of an array within a value."""
    if isinstance(array, list):
        return Numbers(array, owner, key)
    if isinstance(array, tuple):
        return records([_elements(part, owner, (*key, i)) for i, part in enumerate(array)])
    return value(array, owner, key)


_kinds: dict[type, type] = {}


def _of_values(kind: type) -> type:
    """Return the class of the values of a class of records."""
    if kind not in _kinds:
        own = {"__slots__": (), "__setattr__": _set, "__delattr__": _delete, "__plain__": kind}
        _kinds[kind] = type(kind.__name__, (kind,), own)
    return _kinds[kind]


def plain(kind: type) -> type:
    """Return the class of records whose values have this class; any other class itself."""
    own: type = getattr(kind, "__plain__", kind)
    return own


class Numbers(Variables):
    """An array of variables within a value."""

    __slots__ = ("_key", "_owner")

    def __init__(self, numbers: list[int], owner: Any, key: Key) -> None:
        super().__init__(numbers)
        self._owner, self._key = owner, key

    def __setitem__(self, index: Any, number: Any) -> None:
        written = _place(self)
        written[index] = number
        # The new value may read as a member of an enumeration.
        super().__setitem__(index, written[index])

    def _resized(self, *_: object, **__: object) -> NoReturn:
        raise _refused()

    __delitem__ = append = extend = insert = remove = __iadd__ = __imul__ = _resized
    pop = clear = sort = reverse = _resized


def _set(self: Any, name: str, new: object) -> None:
    if hasattr(new, "_owner") and getattr(self, name, None) is new:
        # After m.acks |= {1}, which has changed the set where it is.
        return
    setattr(_place(self), name, new)
    object.__setattr__(self, name, new)


def _delete(self: Any, name: str) -> None:
    delattr(_place(self), name)
    object.__delattr__(self, name)


def _place(written: Any) -> Any:
    """Return the part of the state that a value was read from, if it is written there directly.

    Raises
    ------
    ModelError
        If another function has read it, or it is no longer what the state has there.
    """
    if not _is_read_by(caller().f_code, written):
        raise _refused()
    part = _read_from(written)
    if part is None:
        raise misused(
            "the sequence changes between the reading of this element and the writing to it; "
            "read the element again, or compute the new value before that",
        )
    return part


def _is_read_by(code: CodeType, held: Any) -> bool:
    """Whether a function has read a value by its index, and from a sequence, not from a slice."""
    while (owner := getattr(held, "_owner", None)) is not None:
        if isinstance(held._key, int) and (held._read is None or held._read[0] is not code):
            return False
        held = owner
    return getattr(held, "__plain__", None) is None


def _read_from(held: Any) -> Any:
    """Return the part that a value was read from; None if that has other values now."""
    owner = getattr(held, "_owner", None)
    if owner is None:
        return held
    part, key = _read_from(owner), held._key
    if part is None:
        return None
    if isinstance(key, str):
        return getattr(part, key)
    if isinstance(key, tuple):
        return reduce(getitem, key[1:], getattr(part, key[0]))
    element = part.items[key] if part.length == held._read[1] else None
    return element if element is not None and _same(element, held) else None


def _same(one: Any, other: Any) -> bool:
    """Whether two parts of one declaration have the same values, whatever their own ``==`` says."""
    if isinstance(one, (list, tuple)):
        return all(_same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, int):
        return bool(one == other)
    return all(_same(getattr(one, name), getattr(other, name)) for name in one.__parts__)


def _refused() -> ModelError:
    return misused(
        "this is a value that was read from a sequence: a copy, so writing to it would change "
        "nothing in the state; write to the element itself, as in s.queue[i].x = 1, or take it "
        "out with pop or popleft",
    )
