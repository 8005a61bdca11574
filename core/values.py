"""What is read from a sequence of records: a value, which does not change with the sequence.

A value is a copy of an element that knows where it was read.  ``s.queue[i].term = 2`` reads a
copy, and writes the variable of the copy and of the element.  Writing through a name that holds
a copy would change nothing.  It is refused when the model is read; here, if another function has
read the copy, or a loop.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, NoReturn

from .errors import ModelError, acts_for_caller, placed
from .generated import run
from .kinds import Constant

Key = int | str | tuple[str, int]
"""Where a value was read: an index of a sequence, a name of a record, or an element of an array."""

Read = tuple[CodeType, int] | None
"""The code that read an element by its index, and how many elements there were.

None for a loop and for a slice.
"""

Copier = Callable[[Any, Any, Key, Read], Any]

_copiers: dict[type, Copier] = {}


def value(record: Any, owner: Any, key: Key, read: Read = None) -> Any:
    """Return a copy of a part of a state, which nobody can write through a name.

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
            here = f"tuple([value(p, copy, ({name!r}, i)) for i, p in enumerate({here})])"
        elif hasattr(part, "__parts__"):
            here = f"value({here}, copy, {name!r})"
        lines.append(f" copy.{name} = {here}")
    lines += [" copy._owner = owner", " copy._key = key", " copy._read = read"]
    lines += [" copy.__class__ = of_values"]
    source = "\n".join([*lines, " return copy"])
    space: dict[str, Any] = {"new": object.__new__, "value": value, "Numbers": Numbers}
    space |= {"kind": kind, "of_values": _of_values(kind)}
    run(source, f"<values of {kind.__name__}>", space)
    copied: Copier = space["copied"]
    return copied


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


class Numbers(list[int]):
    """An array of variables within a value."""

    __slots__ = ("_key", "_owner")

    def __init__(self, numbers: list[int], owner: Any, key: Key) -> None:
        super().__init__(numbers)
        self._owner, self._key = owner, key

    def __setitem__(self, index: Any, number: Any) -> None:
        written = _place(self)
        written[index] = number
        # What is written may read as a member of an enumeration.
        super().__setitem__(index, written[index])

    def _resized(self, *_: object, **__: object) -> NoReturn:
        raise _refused()

    __delitem__ = append = extend = insert = remove = __iadd__ = __imul__ = _resized
    pop = clear = sort = reverse = _resized


def _set(self: Any, name: str, new: object) -> None:
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
    frame = _caller()
    if not _is_read_by(frame.f_code, written):
        raise _refused()
    part = _read_from(written)
    if part is None:
        raise _error(
            frame,
            "the sequence changes between the reading of this element and the writing to it; "
            "compute the new value before, and give it a name",
        )
    return part


def _caller() -> FrameType:
    """Return the function of the model that is running."""
    frame = sys._getframe(1)
    while acts_for_caller(frame.f_code) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _is_read_by(code: CodeType, held: Any) -> bool:
    """Whether a function has read a value by its index, and from a sequence, not from a slice.

    A name for it within that function is refused where the model is read.
    """
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
        return getattr(part, key[0])[key[1]]
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
    return _error(
        _caller(),
        "this is a value that was read from a sequence: a copy, so writing to it would change "
        "nothing in the state; write to the element itself, as in s.queue[i].x = 1, or take it "
        "out with pop or popleft",
    )


def _error(frame: FrameType, text: str) -> ModelError:
    return placed(text, (frame.f_code.co_name, (frame.f_code.co_filename, frame.f_lineno)))
