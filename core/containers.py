"""Sets and bags as parts of a state.

Each is a record with a few variables and the usual methods, written in the subset of Python that
the compiled engine translates.  So every engine runs the same methods, and their variables are
packed like all others.  Sequences are such records, too: see :mod:`sequences`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast

from .errors import ModelError
from .fields import NONE, Limit, Record, array, integer, limit_of, members, subset

T = TypeVar("T")

MOST_MEMBERS = 63
"""The largest size of a set: it is stored in one signed 64-bit integer."""


class Set(Record):
    """A set of the whole numbers below its size; declare it with :func:`set_of`.

    ``in``, ``len``, ``==``, ``<=`` (subset), iteration and truth (not empty) are those of Python's
    sets; iteration is in ascending order.
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

    def __repr__(self) -> str:
        return f"{{{', '.join(map(str, self))}}}" if self.mask else "set()"

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


class Bag(Record):
    """A bag of the whole numbers below its size, with a count for each; see :func:`bag_of`."""

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

    def __repr__(self) -> str:
        return repr({number: count for number, count in enumerate(self.counts) if count})

    def add(self, number: int) -> None:
        """Add one occurrence of a number."""
        self.counts[number if number >= 0 else len(self.counts)] += 1

    def remove(self, number: int) -> None:
        """Remove one occurrence of a number, which must be there."""
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
        Whether they are numbers of replicas, which symmetry may permute.

    Raises
    ------
    ModelError
        When it is laid out, if its size is larger.
    """

    def checked(k: object) -> int:
        numbers = limit_of(size, k)
        if numbers > MOST_MEMBERS:
            raise ModelError(
                f"{doc}: a set of {numbers} numbers; it can have {MOST_MEMBERS} at most, so "
                "declare an array of booleans"
            )
        return numbers

    return declared(Set, {"mask": subset(checked, doc, "replicas" if of_replicas else "")})


def bag_of(size: Limit, most: Limit, doc: str) -> Bag:
    """Declare a bag of the numbers below `size`, each up to `most` times; at first it is empty."""
    return declared(Bag, {"counts": array(size, integer(0, most, doc))})


def declared(kind: type[T], parts: dict[str, Any]) -> T:
    """Return the declaration of a container."""
    declaration: Any = type(kind.__name__, (kind,), parts)
    return cast(T, declaration)
