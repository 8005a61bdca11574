"""The parts of a state as people see them, whatever the declarations' own code does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from itertools import groupby, zip_longest
from types import FrameType, MethodType
from typing import Any

from .errors import about, place_of, shown
from .fields import NONE, Array, Field, declared_parts

SECONDS = 5.0
"""How long a function may take that says something of a state."""

_TICK = 0.2
"""Seconds between two attempts to end it: it may swallow one."""


class Unfinished(Exception):  # noqa: N818 - it is how a text ended, and no error of the reader's
    """A function that says something of a state did not return, or a signal ended it."""


_endless: set[object] = set()
"""Functions that did not return, which are not called again."""


@contextmanager
def patience(function: object) -> Iterator[None]:
    """Let a function that says something of a state take a few seconds, and never again.

    In another thread than the main one, or while SIGALRM is in use, it may take any time.

    Raises
    ------
    Unfinished
        If it takes longer, or did before.
    """
    text = f"it did not return within {SECONDS:g} s"
    if function in _endless:
        raise Unfinished(text)
    free = signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
    if threading.current_thread() is not threading.main_thread() or not free:
        yield
        return

    def give_up(number: int, frame: FrameType | None) -> None:
        _endless.add(function)
        raise Unfinished(text)

    before = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS, _TICK)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


class Nobody(int):
    """The number of no replica: NONE for people, and -1 where it is read again."""

    def __repr__(self) -> str:
        return NOTHING

    __str__ = __repr__


NOBODY = Nobody(NONE)

NOTHING = "NONE"
"""What an empty variable reads as."""


def shown_part(node: Any, declared: Any) -> object:
    """Return a part of a record as people see it.

    Where a declaration's own way to show it fails, its variables are shown with the failure.
    """
    if isinstance(declared, Field):
        is_nobody = node == NONE and declared.names == "replica"
        return NOBODY if is_nobody else declared.show(node)
    if isinstance(declared, Array):
        return [shown_part(part, declared.element) for part in node]
    own, failed = getattr(declared, "shown", None), ""
    if isinstance(own, MethodType):
        value, failed = _shown_by(own, node)
        if not failed:
            return value
    parts = {
        name: shown_part(getattr(node, name), part)
        for name, part in declared_parts(declared).items()
    }
    return {**parts, "shown()": failed} if failed else parts


def _shown_by(own: MethodType, node: object) -> tuple[object, str]:
    """Return what a declaration says of a part of a state, and how it failed.

    That text is a part of saved states, so it is the same in every run.
    """
    place, failed = None, ""
    try:
        with patience(own.__func__):
            value = own(node)
        if not _is_showable(value):
            failed = f"returned a {type(value).__name__}, which no report can hold"
            place = about(own.__func__, "").place
    except KeyboardInterrupt:
        raise
    except Unfinished as error:
        value, failed = None, str(error).removeprefix("it ")
    except BaseException as error:  # noqa: BLE001 - the model may raise anything
        value, failed, place = None, f"failed with {type(error).__name__}", place_of(error)
    return value, f"{failed} ({shown(place)})" if failed and place else failed


class Absent:
    """Stands for an element that a shorter sequence lacks."""

    def __repr__(self) -> str:
        return "gone"


ABSENT = Absent()


class Tabled(int):
    """The index of a value in a table of the model; people see the value."""

    value: object


def tabled(values: Iterable[object]) -> tuple[Tabled, ...]:
    """Return the indices of values, each with its value.

    >>> [*map(str, map(named, tabled([(0, 1), (1, 2)])))]
    ['(0, 1)', '(1, 2)']
    """
    indices = []
    for number, value in enumerate(values):
        indices.append(Tabled(number))
        indices[-1].value = value
    return tuple(indices)


def untabled(value: object) -> object:
    """Return the value that an index into a table stands for; any other value as it is."""
    return value.value if isinstance(value, Tabled) else value


def named(value: object) -> object:
    """Return a value of the model, a member of an enumeration by its name as states show it."""
    if isinstance(value, Tabled):
        return named(value.value)
    if isinstance(value, tuple):
        return f"({', '.join(str(named(part)) for part in value)})"
    return value.name.lower() if isinstance(value, Enum) else value


class Counts(dict[int, int]):
    """The members of a bag of numbers, each with its count."""


class Members(list[Any]):
    """The members of a set or a bag of records: where it changes, some come and others go."""

    def counts(self) -> list[tuple[Any, int]]:
        """Return each member with its count; equal ones are side by side.

        >>> Members([{"to": 1}, {"to": 1}, {"to": 2}]).counts()
        [({'to': 1}, 2), ({'to': 2}, 1)]
        """
        return [(member, len([*equal])) for member, equal in groupby(self)]


class SetMembers(Members):
    """The members of a set of records, of which there are no equal ones."""


def told(old: object, new: object) -> tuple[str, str]:
    """Return what a part of a state is after a change, and what it was; "" if it was not there.

    Of a set it is what this loses and gains.

    >>> told(1, True), told(Members([{"to": 1}]), Members([{"to": 2}]))
    (('yes', '1'), ('loses (to 1), gains (to 2)', ''))
    """
    if not isinstance(new, Members) or not isinstance(old, Members):
        return briefly(new), "" if old is ABSENT else briefly(old)
    changes = (("loses", old), ("gains", new))
    parts = (f"{does} {', '.join(map(briefly, some))}" for does, some in changes if some)
    return ", ".join(parts), ""


def briefly(value: object) -> str:
    """Return a part of a state as people see it in a short text.

    >>> briefly([True, {1, 0}, None, "free"])
    '[yes, {0, 1}, NONE, free]'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return NOTHING
    if isinstance(value, set):
        return f"{{{', '.join(map(str, sorted(value)))}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(briefly, value))}]"
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {briefly(part)}' for name, part in value.items())})"
    return str(value)


def differences(left: object, right: object, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield where two parts of states as people see them differ: the path, and the two values.

    An element that was added or removed at the end of a sequence is ``ABSENT`` in the other one.
    Where records have moved to other places, that is the whole sequence.
    Of sets of records these are the members that the other one lacks.

    >>> [*differences({"sent": [{"to": 1}, {"to": 2}]}, {"sent": [{"to": 1}, {"to": 3}]})]
    [('sent[1].to', 2, 3)]
    >>> [*differences({"sent": [{"to": 1}]}, {"sent": [{"to": 1}, {"to": 2}]})]
    [('sent[1]', gone, {'to': 2})]
    >>> [*differences([{"to": 1}, {"to": 2}], [{"to": 3}, {"to": 1}], "sent")]
    [('sent', [{'to': 1}, {'to': 2}], [{'to': 3}, {'to': 1}])]
    """
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for name, part in left.items():
            yield from differences(part, right[name], f"{path}.{name}" if path else name)
    elif isinstance(left, Members) and isinstance(right, Members):
        lost, gained = _without(left, right), _without(right, left)
        if lost or gained:
            yield path, lost, gained
    elif isinstance(left, list) and isinstance(right, list) and _are_in_place(left, right):
        for index, (part, other) in enumerate(zip(left, right, strict=True)):
            yield from differences(part, other, f"{path}[{index}]")
    elif isinstance(left, list) and isinstance(right, list) and _one_extends(left, right):
        for index, (part, other) in enumerate(zip_longest(left, right, fillvalue=ABSENT)):
            yield from differences(part, other, f"{path}[{index}]")
    elif left != right:
        yield path, left, right


def _without(some: Members, others: Members) -> Members:
    """Return the members that others lack, each as often as it is in excess."""
    left, alone = list(others), Members()
    for one in some:
        if one in left:
            left.remove(one)
        else:
            alone.append(one)
    return alone


def _are_in_place(one: list[Any], other: list[Any]) -> bool:
    """Whether two sequences are of one length, and no record of one is elsewhere in the other."""
    if len(one) != len(other):
        return False
    changed = [index for index, part in enumerate(one) if part != other[index]]
    return not any(
        isinstance(one[index], dict) and one[index] == other[place]
        for index in changed
        for place in changed
    )


def _one_extends(one: list[Any], other: list[Any]) -> bool:
    """Whether one of two sequences of records is the other with more behind it."""
    short, long = sorted((one, other), key=len)
    return len(long) > 0 and isinstance(long[0], (dict, list)) and long[: len(short)] == short


def _is_showable(value: object) -> bool:
    """Whether every report can hold a value."""
    if isinstance(value, Counts):
        return True
    if isinstance(value, dict):
        return all(isinstance(name, str) for name in value) and all(
            map(_is_showable, value.values())
        )
    if isinstance(value, (list, tuple)):
        return all(map(_is_showable, value))
    if isinstance(value, set):
        # The members are shown in order, so they are all of one kind.
        return any(all(isinstance(member, kind) for member in value) for kind in (int, str))
    return value is None or isinstance(value, (str, int, float))
