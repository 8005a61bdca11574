"""Sets, sequences and bags as parts of a state.

Each is a record with a few variables and the methods that one expects, written in the subset of
Python that the compiled engine translates.  So every engine runs these very methods, and what they
store is packed like any other variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast, overload

from .errors import ModelError
from .fields import NONE, Array, Field, Limit, Record, array, integer, limit_of, members, subset

T = TypeVar("T")

MOST_MEMBERS = 63
"""Of how many numbers a set can be: it is stored in one 64-bit integer with a sign."""


class Set(Record):
    """A set of the whole numbers below its size; declare it with :func:`set_of`.

    ``in``, ``len``, ``==``, ``<=`` (is a subset of), iteration and truth (has it members?) are
    those of Python's sets; it is iterated in ascending order.
    """

    mask: int

    def __contains__(self, number: int) -> bool:
        return number != NONE and self.mask >> number & 1 == 1

    def __len__(self) -> int:
        count = 0
        left = self.mask
        while left:
            left &= left - 1
            count += 1
        return count

    def __bool__(self) -> bool:
        return self.mask != 0

    def __iter__(self) -> Iterator[int]:
        return iter(members(self.mask))

    def __le__(self, other: Set) -> bool:
        return self.mask & ~other.mask == 0

    def __eq__(self, other: Set) -> bool:  # type: ignore[override]
        return self.mask == other.mask

    __hash__ = None  # type: ignore[assignment]

    def add(self, number: int) -> None:
        """Add a number, which may be a member already."""
        self.mask |= 1 << number

    def discard(self, number: int) -> None:
        """Remove a number, if it is a member."""
        self.mask &= ~(1 << number)

    def update(self, other: Set) -> None:
        """Add every member of another set."""
        self.mask |= other.mask

    def clear(self) -> None:
        """Remove every member."""
        self.mask = 0

    @classmethod
    def shown(cls, record: Set) -> set[int]:
        """Return a record of this declaration as people see it."""
        return set(members(record.mask))


class Seq(Record):
    """A sequence of whole numbers, up to a declared length; declare it with :func:`sequence_of`.

    Numbered from 0.  ``len``, ``in``, ``==``, ``seq[i]``, ``seq[i] = value``, iteration and truth
    are those of Python's lists, but an index is never negative.
    """

    length: int
    items: list[int]
    blank: int

    def __len__(self) -> int:
        return self.length

    def __bool__(self) -> bool:
        return self.length > 0

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Slice: ...
    def __getitem__(self, index: int | slice) -> int | Slice:
        return Slice(self, index) if isinstance(index, slice) else self.at(index)

    def at(self, index: int) -> int:
        """Return an element; this is what the compiled engine has for ``seq[index]``."""
        # An index beyond the last element is one beyond the array, which every engine refuses.
        return self.items[index if 0 <= index < self.length else len(self.items)]

    def __setitem__(self, index: int, value: int) -> None:
        self.items[index if 0 <= index < self.length else len(self.items)] = value

    def __iter__(self) -> Iterator[int]:
        # As in a list, a round sees what the rounds before it have written.
        for index in range(self.length):
            yield self.items[index]

    def __contains__(self, value: int) -> bool:
        for index in range(self.length):
            if self.items[index] == value:
                return True
        return False

    def __eq__(self, other: Seq) -> bool:  # type: ignore[override]
        if self.length != other.length:
            return False
        return all(self.items[index] == other.items[index] for index in range(self.length))

    __hash__ = None  # type: ignore[assignment]

    def append(self, value: int) -> None:
        """Add an element at the end."""
        self.items[self.length] = value
        self.length += 1

    def popleft(self) -> int:
        """Remove the first element and return it (TLA+'s Head and Tail)."""
        first = self[0]
        for index in range(len(self.items) - 1):
            self.items[index] = self.items[index + 1]
        self.items[len(self.items) - 1] = self.blank
        self.length -= 1
        return first

    def pop(self) -> int:
        """Remove the last element and return it."""
        last = self[self.length - 1]
        self.length -= 1
        self.items[self.length] = self.blank
        return last

    def truncate(self, length: int) -> None:
        """Keep the first elements only, as many as `length` or as there are."""
        for index in range(len(self.items)):
            if index >= length:
                self.items[index] = self.blank
        self.length = min(self.length, max(length, 0))

    def clear(self) -> None:
        """Remove every element."""
        self.truncate(0)

    @classmethod
    def shown(cls, record: Seq) -> list[object]:
        """Return a record of this declaration as people see it."""
        declared = cast(Array, cls.items).element
        assert isinstance(declared, Field)
        return [declared.show(record.items[index]) for index in range(record.length)]


class Slice:
    """Some consecutive elements of a sequence: what ``seq[first:last]`` is, to be iterated."""

    def __init__(self, owner: Seq, chosen: slice) -> None:
        self._owner = owner
        self._indices = range(*chosen.indices(owner.length))

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> Iterator[int]:
        for index in self._indices:
            yield self._owner.items[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Slice):
            raise TypeError("a slice of a sequence is compared with a slice; write queue[:]")
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class Bag(Record):
    """A bag of the whole numbers below its size: how often it holds each; see :func:`bag_of`."""

    counts: list[int]

    def __contains__(self, number: int) -> bool:
        return number != NONE and self[number] > 0

    def __getitem__(self, number: int) -> int:
        # A negative number is one beyond the array, which every engine refuses.
        return self.counts[number if number >= 0 else len(self.counts)]

    def __len__(self) -> int:
        total = 0
        for number in range(len(self.counts)):
            total += self.counts[number]
        return total

    def __bool__(self) -> bool:
        return any(self.counts[number] > 0 for number in range(len(self.counts)))

    def __eq__(self, other: Bag) -> bool:  # type: ignore[override]
        return all(
            self.counts[number] == other.counts[number] for number in range(len(self.counts))
        )

    __hash__ = None  # type: ignore[assignment]

    def add(self, number: int) -> None:
        """Put a number in once more."""
        self.counts[number if number >= 0 else len(self.counts)] += 1

    def remove(self, number: int) -> None:
        """Take a number out once, which it must hold."""
        self.counts[number if number >= 0 else len(self.counts)] -= 1

    @classmethod
    def shown(cls, record: Bag) -> dict[str, int]:
        """Return a record of this declaration as people see it."""
        return {str(number): count for number, count in enumerate(record.counts) if count}


def set_of(size: Limit, doc: str, *, of_replicas: bool = False) -> Set:
    """Declare a set of the numbers below `size`, which is 63 at most; at first it is empty.

    Parameters
    ----------
    of_replicas
        Whether they are numbers of replicas, which symmetry may exchange for others.

    Raises
    ------
    ModelError
        When it is laid out, if it can be of more numbers.
    """

    def checked(k: object) -> int:
        numbers = limit_of(size, k)
        if numbers > MOST_MEMBERS:
            raise ModelError(
                f"{doc}: a set of {numbers} numbers; it can be of {MOST_MEMBERS} at most, so "
                "declare an array of booleans"
            )
        return numbers

    return _declared(Set, {"mask": subset(checked, doc, "replicas" if of_replicas else "")})


def sequence_of(element: int, most: Limit, doc: str) -> Seq:
    """Declare a sequence of up to `most` numbers; at first it is empty.

    Parameters
    ----------
    element
        The declaration of one element, as of a variable: ``integer(0, 3, "ballot")``.
    """
    if not isinstance(field := cast(object, element), Field):
        raise ModelError(
            f"{doc}: a sequence of {element!r}; declare one element, as integer(0, 3, 'ballot')"
        )

    def low(k: object) -> int:
        return limit_of(field.low, k)

    parts = {
        "length": integer(0, most, f"length: {doc}"),
        "items": array(most, element),
        "blank": integer(low, low, "what is stored beyond the last element"),
    }
    return _declared(Seq, parts)


def bag_of(size: Limit, most: Limit, doc: str) -> Bag:
    """Declare a bag of the numbers below `size`, each up to `most` times; at first it is empty."""
    return _declared(Bag, {"counts": array(size, integer(0, most, doc))})


def _declared(kind: type[T], parts: dict[str, Any]) -> T:
    """Return a declaration of one container."""
    declaration: Any = type(kind.__name__, (kind,), parts)
    return cast(T, declaration)
