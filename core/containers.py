"""Sets, bags and sequences as parts of a state.

Each is a record with a few variables and the usual methods, written in the subset of Python that
the compiled engine translates.  So every engine runs the same methods, and their variables are
packed like all others.  Sequences are such records, too.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from inspect import isfunction
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeVar, cast, overload

from .errors import (
    MisusedIndexError,
    MisusedKeyError,
    MisusedValueError,
    ModelError,
    misused,
    printed,
)
from .fields import (
    NONE,
    Array,
    Field,
    Limit,
    Record,
    Several,
    array,
    copied,
    copy_into,
    declaration_of,
    declared_parts,
    hashable,
    integer,
    is_record,
    limit_of,
    members,
    part_names,
    refuse_other_limits,
    several_of,
    size,
    subset,
    value_of,
)
from .indices import Listed, Records, beyond, bounded, from_end, owner_written
from .text import Counts, Members, SetMembers, shown_part
from .values import value

T = TypeVar("T")

MOST_MEMBERS = 63
"""The largest size of a set: it is stored in one signed 64-bit integer."""


def mask_of(numbers: object) -> int:
    """Return a set, one of the state or one of Python, as a bit mask."""
    if isinstance(numbers, Set):
        return numbers.mask
    if not isinstance(numbers, (set, frozenset)):
        raise misused(f"a set is needed, not {printed(numbers)}")
    return mask_of_all(numbers)


def mask_of_all(numbers: Iterable[int]) -> int:
    """Return some numbers as a bit mask."""
    mask = 0
    for number in numbers:
        if not number >= 0:
            raise misused(f"a set has numbers from 0 on, not {printed(number)}")
        mask |= 1 << number
    return mask


class Set(Record):
    """A set of the whole numbers below its size; declare it with :func:`set_of`.

    It has the operators and methods of Python's sets, with others of the state or of Python's.
    Iteration is in ascending order, also of what an operator returns.
    """

    mask: int

    def __class_getitem__(cls, element: object) -> NoReturn:
        name = getattr(element, "__name__", element)
        raise misused(
            f"Set[{name}]: a set of records is RecordSet[{name}], and a set of numbers is Set alone"
        )

    def __contains__(self, number: int) -> bool:
        return number >= 0 and self.mask >> number & 1 == 1

    def __len__(self) -> int:
        return size(self.mask)

    def __bool__(self) -> bool:
        return self.mask != 0

    def __iter__(self) -> Iterator[int]:
        return iter(members(self.mask))

    def __le__(self, other: Numbers) -> bool:
        return self.mask & ~mask_of(other) == 0

    def __lt__(self, other: Numbers) -> bool:
        return self.mask & ~mask_of(other) == 0 and self.mask != mask_of(other)

    def __ge__(self, other: Numbers) -> bool:
        return mask_of(other) & ~self.mask == 0

    def __gt__(self, other: Numbers) -> bool:
        return mask_of(other) & ~self.mask == 0 and self.mask != mask_of(other)

    def __eq__(self, other: object) -> bool:
        return self.mask == mask_of(other)

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Numbers) -> Set:
        return free_set(self.mask | mask_of(other))

    def __and__(self, other: Numbers) -> Set:
        return free_set(self.mask & mask_of(other))

    def __sub__(self, other: Numbers) -> Set:
        return free_set(self.mask & ~mask_of(other))

    def __rsub__(self, other: Numbers) -> Set:
        return free_set(mask_of(other) & ~self.mask)

    def __xor__(self, other: Numbers) -> Set:
        return free_set(self.mask ^ mask_of(other))

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __ior__(self, other: Numbers) -> Self:
        self.mask |= mask_of(other)
        return self

    def __iand__(self, other: Numbers) -> Self:
        self.mask &= mask_of(other)
        return self

    def __isub__(self, other: Numbers) -> Self:
        self.mask &= ~mask_of(other)
        return self

    def __ixor__(self, other: Numbers) -> Self:
        self.mask ^= mask_of(other)
        return self

    def __repr__(self) -> str:
        return f"{{{', '.join(map(str, self))}}}" if self.mask else "set()"

    def add(self, number: int) -> None:
        """Add a number, which may be a member already."""
        if number < 0:
            raise _failed("set", f"add({number})", "a set has numbers from 0 on")
        self.mask |= 1 << number

    def remove(self, number: int) -> None:
        """Remove a member."""
        if number not in self:
            raise _failed("set", f"remove({number})", "not in the set", MisusedKeyError)
        self.mask &= ~(1 << number)

    def discard(self, number: int) -> None:
        """Remove a number, if it is a member."""
        if number in self:
            self.mask &= ~(1 << number)

    def update(self, *others: Iterable[int]) -> None:
        """Add every member of other sets."""
        for other in others:
            self.unite(as_set(other))

    def unite(self, other: Set) -> None:
        """Add every member of another set; the analysis of symmetry reads ``update`` as this."""
        self.mask |= mask_of(other)

    def intersection_update(self, *others: Iterable[int]) -> None:
        """Keep only what is in other sets, too."""
        for other in others:
            self.mask &= as_set(other).mask

    def difference_update(self, *others: Iterable[int]) -> None:
        """Remove every member of other sets."""
        for other in others:
            self.mask &= ~as_set(other).mask

    def symmetric_difference_update(self, other: Iterable[int]) -> None:
        """Keep what is in one of two sets only."""
        self.mask ^= as_set(other).mask

    def clear(self) -> None:
        """Remove every member."""
        self.mask = 0

    def fill(self, values: Numbers) -> None:
        """Replace all members; used where a set of Python's is stored."""
        self.mask = mask_of(values)

    def union(self, *others: Iterable[int]) -> Set:
        """Return the members of any of the sets."""
        result = self.copy()
        result.update(*others)
        return result

    def intersection(self, *others: Iterable[int]) -> Set:
        """Return what is in all of the sets."""
        result = self.copy()
        result.intersection_update(*others)
        return result

    def difference(self, *others: Iterable[int]) -> Set:
        """Return the members that the other sets lack."""
        result = self.copy()
        result.difference_update(*others)
        return result

    def symmetric_difference(self, other: Iterable[int]) -> Set:
        """Return the members of one of two sets only."""
        return self ^ as_set(other)

    def issubset(self, other: Iterable[int]) -> bool:
        """Whether another set has all members."""
        return self <= as_set(other)

    def issuperset(self, other: Iterable[int]) -> bool:
        """Whether it has all members of another set."""
        return self >= as_set(other)

    def isdisjoint(self, other: Iterable[int]) -> bool:
        """Whether it has no member of another set."""
        return self.mask & as_set(other).mask == 0

    def copy(self) -> Set:
        """Return its members as of now."""
        return free_set(self.mask)

    @classmethod
    def _copied(cls, *source: object) -> Set:
        return free_set(mask_of(*source) if source else 0)

    @classmethod
    def shown(cls, record: Set) -> set[int]:
        """Return a record of this declaration as people see it."""
        return set(members(record.mask))


class FreeSet(Set):
    """A set outside of the state: what an operator or a method of a set returns."""

    mask: int = subset(MOST_MEMBERS, "its members")


def free_set(mask: int) -> Set:
    """Return a set outside of the state."""
    made = object.__new__(FreeSet)
    made.mask = mask
    return made


def as_set(numbers: Iterable[int]) -> Set:
    """Return any numbers as a set, as the methods of sets take them."""
    return numbers if isinstance(numbers, Set) else free_set(mask_of_all(numbers))


Numbers = Set | set[int] | frozenset[int]
"""What the operators of sets take."""


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

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Bag):
            return self.same(other)
        if not isinstance(other, dict):
            raise misused(f"a bag is compared with {printed(other)}: write a dict of counts")
        counts = {number: count for number, count in enumerate(self.counts) if count}
        return counts == {number: count for number, count in other.items() if count != 0}

    def same(self, other: Bag) -> bool:
        """Whether two bags are equal; the compiled engine translates ``==`` to this."""
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
    def shown(cls, record: Bag) -> Counts:
        """Return a record of this declaration as people see it."""
        return Counts((number, count) for number, count in enumerate(record.counts) if count)


@overload
def set_of(
    size: Limit,
    doc: str,
    *,
    of_replicas: bool = False,
    of: str = "",
    initial: Several | None = None,
) -> Set: ...
@overload
def set_of(size: type[R], most: Limit, doc: str) -> RecordSet[R]: ...
def set_of(  # type: ignore[misc]  # what is second has another name in each form
    size: Any,
    most: Any = None,
    doc: Any = None,
    *,
    of_replicas: bool = False,
    of: str = "",
    initial: Several | None = None,
) -> object:
    """Declare a set of the numbers below `size`, which is 63 at most; or of up to `most` records.

    A set of numbers is declared by ``set_of(size, doc)``, one of records, which is empty at first,
    by ``set_of(Message, most, doc)``.

    Parameters
    ----------
    size
        A number, or the class of the records.
    of_replicas
        Whether they are numbers of replicas, which symmetry may permute.
    of
        Their kind of participant, ``"manager"``: then they are numbers of replicas.
    initial
        Its members at first, or a function of the bounds that returns these; by default none.

    Raises
    ------
    ModelError
        When it is laid out, if its size is larger.
    """
    if is_record(size):
        if of_replicas or of or initial:
            raise misused(f"{doc}: a set of records takes no of_replicas, of and initial")
        if doc is None:
            name = size.__name__
            raise misused(f"a set of records has a limit: write set_of({name}, 3, {most!r})")
        _refuse_own_equality(size, "set_of")
        refuse_other_limits("set_of", doc, most=most)
        return declared(RecordSet, _parts(size, most, doc))
    # The text of a set of numbers comes second.
    text = most if doc is None else doc
    if not isinstance(text, str) or not (most is None or doc is None):
        raise misused("write set_of(size, doc), or set_of(Message, most, doc) for records")
    refuse_other_limits("set_of", text, size=size)
    return _set_of_numbers(size, text, of_replicas, of, initial)


def _refuse_own_equality(kind: type[Record], call: str) -> None:
    """Refuse members that are equal by a method of their own: all of their variables tell them."""
    for name in ("__eq__", "__hash__"):
        if getattr(kind, name) is not getattr(Record, name):
            raise misused(
                f"{call}: {kind.__name__} has its own {name}; members are equal if all of their "
                "variables are, so leave it out"
            )


def _set_of_numbers(
    size: Limit, doc: str, of_replicas: bool, of: str, initial: Several | None
) -> Set:
    def at_first(k: object) -> int:
        chosen = several_of(() if initial is None else initial, k)
        if wrong := [one for one in chosen if one not in range(limit_of(size, k))]:
            text = f"{doc}: {wrong[0]!r} is a member at first; its members are the numbers below"
            raise ModelError(f"{text} {limit_of(size, k)}")
        return sum(1 << number for number in {*chosen})

    def checked(k: object) -> int:
        numbers = limit_of(size, k)
        if numbers > MOST_MEMBERS:
            raise ModelError(
                f"{doc}: a set of {numbers} numbers; it can have {MOST_MEMBERS} at most, so "
                "declare an array of booleans"
            )
        return numbers

    names = "replicas" if of_replicas else ""
    return declared(
        Set,
        {"mask": subset(checked, doc, names, of=of, initial=None if initial is None else at_first)},
    )


@overload
def bag_of(size: Limit, most: Limit, doc: str) -> Bag: ...
@overload
def bag_of(size: type[R], most: Limit, doc: str) -> RecordBag[R]: ...
def bag_of(size: Any, most: Limit, doc: str) -> object:
    """Declare a bag of the numbers below `size`, each up to `most` times; at first it is empty.

    A bag of records, ``bag_of(Message, most, doc)``, holds up to `most` in all.
    """
    refuse_other_limits("bag_of", doc, most=most)
    if is_record(size):
        _refuse_own_equality(size, "bag_of")
        return declared(RecordBag, _parts(size, most, doc))
    refuse_other_limits("bag_of", doc, size=size)
    return declared(Bag, {"counts": array(size, integer(0, most, doc))})


def declared(kind: type[T], parts: dict[str, Any]) -> T:
    """Return the declaration of a container, whose arrays have nothing in them at first."""
    parts = {
        name: replace(part, vacant=True) if isinstance(part, Array) else part
        for name, part in parts.items()
    }
    declaration: Any = type(kind.__name__, (kind,), parts)
    return cast(T, declaration)


if TYPE_CHECKING:
    import typing_extensions

    E = typing_extensions.TypeVar("E", default=int)
else:
    E = TypeVar("E")

R = TypeVar("R", bound=Record)


class Ordered(Record, Generic[E]):
    """What a sequence and a set of records share: elements one after another, to be read."""

    length: int
    items: list[E]
    blank: E

    def __len__(self) -> int:
        return self.length

    def __bool__(self) -> bool:
        return self.length > 0

    @overload
    def __getitem__(self, index: int) -> E: ...
    @overload
    def __getitem__(self, index: slice) -> list[E]: ...
    def __getitem__(self, index: int | slice) -> E | list[E]:
        if isinstance(index, slice):
            return self.sliced(bounded(index))
        at = index if index >= 0 else from_end(index, self.length)
        if at >= self.length:
            raise beyond(index, self.length)
        return self.at(at)

    def at(self, index: int) -> E:
        """Return an element; the compiled engine translates ``seq[index]`` to this."""
        # An index beyond the last element becomes one beyond the array, which every engine refuses.
        return self.items[index if 0 <= index < self.length else len(self.items)]

    def __iter__(self) -> Iterator[E]:
        # As in a list, an iteration sees what earlier rounds have written, removed and added.
        index = 0
        while index < self.length:
            yield self.items[index]
            index += 1

    def __contains__(self, value: E) -> bool:
        for index in range(self.length):
            if self.items[index] == value:
                return True
        return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Seq, list, Records)):
            raise misused(f"a sequence is compared with {printed(other)}: write a list")
        return self.same(other) if isinstance(other, Seq) else self.sliced(slice(None)) == other

    __hash__ = None  # type: ignore[assignment]

    def same(self, other: Ordered[E]) -> bool:
        """Whether two sequences are equal; the compiled engine translates ``==`` to this."""
        if self.length != other.length:
            return False
        return all(self.items[index] == other.items[index] for index in range(self.length))

    def __repr__(self) -> str:
        return repr(list(self))

    def put(self, index: int, value: E) -> None:
        """Write an element, also beyond the last one; used by the other methods."""
        self.items[index] = value

    def sliced(self, chosen: slice) -> list[E]:
        """Return elements as values; used by the other methods."""
        return self.items[: self.length][chosen]

    @classmethod
    def _copied(cls, *source: object) -> object:
        element = cast(Array, cls.items).element
        return [copied(element, value) for value in cast(Any, list)(*source)]

    def _hashed(self) -> object:
        return tuple(map(hashable, self.items[: self.length]))

    @classmethod
    def shown(cls, record: Ordered[E] | list[E]) -> list[object]:
        """Return a record of this declaration as people see it, or the list in one made by name."""
        element = cast(Array, cls.items).element
        parts = record if isinstance(record, list) else record.items[: record.length]
        return [shown_part(part, element) for part in parts]


class Seq(Ordered[E], Listed):
    """A sequence of numbers or records, up to a declared length; see :func:`sequence_of`.

    Numbered from 0.  ``len``, ``in``, ``==``, ``seq[i]``, ``seq[i] = value``, iteration, truth, and
    slices are those of Python's lists.  A negative index counts from the end only where it is
    written as a number, ``seq[-1]``; a slice that is written to has no step.

    An element read from a sequence is a value: it stays as it was when it was read, also if it is a
    record.  An element that is a record is changed where it is, ``seq[i].term = 2``, or through a
    name that has read it so, ``m = seq[i]``.  Assigning a record to it copies that record's values;
    ``pop`` and ``popleft`` return a record of one's own.
    """

    @overload
    def __setitem__(self, index: int, value: E) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[E]) -> None: ...
    def __setitem__(self, index: int | slice, value: E | Iterable[E]) -> None:
        if isinstance(index, slice):
            self._splice(index, cast("Iterable[E]", value))
        else:
            at = index if index >= 0 else from_end(index, self.length)
            if at >= self.length:
                raise beyond(index, self.length)
            self.set(at, cast(E, value))

    def set(self, index: int, value: E) -> None:
        """Replace an element; the compiled engine translates ``seq[index] = value`` to this."""
        self.put(index if 0 <= index < self.length else len(self.items), value)

    def __delitem__(self, index: int | slice) -> None:
        if isinstance(index, slice):
            self._splice(index, ())
        else:
            at = index if index >= 0 else from_end(index, self.length)
            # Reading the element checks that it exists.
            self.at(at)
            self._splice(slice(at, at + 1), ())

    def _splice(self, chosen: slice, values: Iterable[E]) -> None:
        """Put values in place of the elements of a slice."""
        if chosen.step is not None:
            raise misused("a slice that is written to has no step")
        bounded(chosen)
        new, kept = list(values), self.sliced(slice(None))
        kept[chosen] = new
        if len(kept) > len(self.items):
            raise misused(f"{_full(self)}; {len(kept)} do not fit")
        for index, element in enumerate(kept):
            self.put(index, element)
        for index in range(len(kept), len(self.items)):
            self.put(index, self.blank)
        self.length = len(kept)

    def copied(self, value: E) -> E:
        """Return an element that does not change with the sequence; used by the other methods."""
        return value

    def __add__(self, other: Iterable[E]) -> list[E]:
        return [*self.sliced(slice(None)), *_list(other)]

    def __radd__(self, other: Iterable[E]) -> list[E]:
        return [*_list(other), *self.sliced(slice(None))]

    def __iadd__(self, other: Iterable[E]) -> Self:
        self.extend(other)
        return self

    def copy(self) -> list[E]:
        """Return the elements as of now."""
        return self.sliced(slice(None))

    def index(self, value: E) -> int:
        """Return where an element is first."""
        for index in range(self.length):
            if self.items[index] == value:
                return index
        raise _failed("sequence", f"index({printed(value)})", _ABSENT, MisusedValueError)

    def count(self, value: E) -> int:
        """Return how often an element occurs."""
        total = 0
        for index in range(self.length):
            if self.items[index] == value:
                total += 1
        return total

    def append(self, value: E) -> None:
        """Add an element at the end."""
        if self.length == len(self.items):
            raise _failed("sequence", f"append({printed(value)})", _full(self))
        self.put(self.length, value)
        self.length += 1

    def extend(self, values: Iterable[E]) -> None:
        """Add the elements of a sequence, a slice or a list at the end."""
        self[self.length :] = values

    def insert(self, index: int, value: E) -> None:
        """Add an element before another one, or at the end."""
        at = min(index, self.length) if index >= 0 else from_end(index, self.length)
        self._splice(slice(at, at), [value])

    def remove(self, value: E) -> None:
        """Remove the first element that is equal to a value."""
        if value not in self:
            raise _failed("sequence", f"remove({printed(value)})", _ABSENT, MisusedValueError)
        self.pop(self.index(value))

    def popleft(self) -> E:
        """Remove the first element and return it (TLA+'s Head and Tail)."""
        if not self.length:
            raise _failed("sequence", "popleft()", _EMPTY, MisusedIndexError)
        first = self.copied(self.items[0])
        self.drop_first()
        return first

    def pop(self, index: int | None = None) -> E:
        """Remove the last element, or another one, and return it."""
        if index is not None:
            return self._taken(index if index >= 0 else from_end(index, self.length))
        if not self.length:
            raise _failed("sequence", "pop()", _EMPTY, MisusedIndexError)
        last = self.copied(self.items[self.length - 1])
        self.drop_last()
        return last

    def _taken(self, index: int) -> E:
        """Remove an element and return it."""
        if index >= self.length:
            why = f"it has {self.length} elements"
            raise _failed("sequence", f"pop({index})", why, MisusedIndexError)
        taken = self.copied(self.items[index])
        self._splice(slice(index, index + 1), ())
        return taken

    def drop_first(self) -> None:
        """Remove the first element; the sequence must not be empty."""
        for index in range(len(self.items) - 1):
            self.put(index, self.items[index + 1])
        self.put(len(self.items) - 1, self.blank)
        self.length -= 1

    def drop_last(self) -> None:
        """Remove the last element; the sequence must not be empty."""
        self.length -= 1
        self.put(self.length, self.blank)

    def truncate(self, length: int) -> None:
        """Keep the first `length` elements only, or all if there are fewer."""
        for index in range(len(self.items)):
            if index >= length:
                self.put(index, self.blank)
        self.length = min(self.length, max(length, 0))

    def clear(self) -> None:
        """Remove every element."""
        self.truncate(0)

    def fill(self, values: Iterable[E]) -> None:
        """Replace all elements; used where a list of Python's is stored."""
        self[:] = values if isinstance(values, tuple) else _list(values)


class _OfRecords(Ordered[R]):
    """Elements that are records, which are never replaced: only their values are."""

    def sliced(self, chosen: slice) -> list[R]:
        """Return elements as values; used by the other methods."""
        return [value(element, None, 0) for element in self.items[: self.length][chosen]]

    def put(self, index: int, value: R) -> None:
        """Write the values of a record into an element."""
        copy_into(self.items[index], value)


class RecordSeq(_OfRecords[R], Seq[R]):
    """A sequence of records: its elements are never replaced, only their values."""

    def at(self, index: int) -> R:
        """Return an element as a value; the compiled engine translates ``seq[index]`` to this."""
        element = self.items[index if 0 <= index < self.length else len(self.items)]
        read: R = value(element, self, index, (sys._getframe(2).f_code, self.length))
        return read

    def __iter__(self) -> Iterator[R]:
        index = 0
        while index < self.length:
            yield value(self.items[index], self, index)
            index += 1

    def copied(self, value: R) -> R:
        """Return a record with the same values."""
        return value_of(value)


class Sorted(_OfRecords[R]):
    """What a set and a bag of records share: they are kept in ascending order, field by field."""

    @classmethod
    def shown(cls, record: Any) -> list[object]:
        """Return a record of this declaration as people see it."""
        if not isinstance(record, (Ordered, list)):
            # What a record that is made by name has in its place.
            record = sorted(_elements(record), key=_in_order)
        return Members(super().shown(record))

    def at(self, index: int) -> R:
        """Return a member as a value; the compiled engine translates ``records[index]`` to this."""
        read: R = value(
            self.items[index if 0 <= index < self.length else len(self.items)], self, index
        )
        return read

    def __iter__(self) -> Iterator[R]:
        index, length = 0, self.length
        while index < length:
            yield value(self.items[index], self, index)
            index += 1
            if self.length != length:
                raise misused("the set changes its size while it is iterated")

    def __contains__(self, record: R) -> bool:
        first, last = self._equal(record)
        return first < last

    __hash__ = None  # type: ignore[assignment]

    def _equal(self, record: R) -> tuple[int, int]:
        """Return where the members that are equal to a record begin and end in the order."""
        wanted, first = fitted(record, self.items), 0
        while first < self.length and precedes(self.items[first], wanted):
            first += 1
        last = first
        while last < self.length and not precedes(wanted, self.items[last]):
            last += 1
        return first, last

    def add(self, record: R) -> None:
        """Add a record, which may be a member already."""
        first, last = self._equal(record)
        if first == last:
            self._put_in(first, record)

    def remove(self, record: R) -> None:
        """Remove a record, which must be a member."""
        first, last = self._equal(record)
        if first == last:
            raise _failed("set", f"remove({printed(record)})", "not in the set", MisusedKeyError)
        self._take_out(first)

    def discard(self, record: R) -> None:
        """Remove a record, if it is a member."""
        first, last = self._equal(record)
        if first < last:
            self._take_out(first)

    def _put_in(self, index: int, record: R) -> None:
        """Insert a record where it belongs."""
        last = self.length
        if last == len(self.items):
            raise _failed("set", f"add({printed(record)})", _full(self, "set"))
        while last > index:
            self.put(last, self.items[last - 1])
            last -= 1
        self.put(index, record)
        self.length += 1

    def _take_out(self, index: int) -> None:
        """Remove the member with that number."""
        while index < self.length - 1:
            self.put(index, self.items[index + 1])
            index += 1
        self.put(self.length - 1, self.blank)
        self.length -= 1

    def clear(self) -> None:
        """Remove every member."""
        for index in range(len(self.items)):
            self.put(index, self.blank)
        self.length = 0

    def fill(self, values: Iterable[R]) -> None:
        """Replace all members; used where a list or a Counter of Python's is stored."""
        self.clear()
        for record in _elements(values):
            self.add(record)


def _elements(values: Iterable[T]) -> Iterable[T]:
    """Return the elements of a set, or those of a bag as often as they are in it."""
    return values.elements() if isinstance(values, Counter) else values


class RecordSet(Sorted[R]):
    """A set of records, up to a declared number; see :func:`set_of`.

    It is kept in ascending order, field by field, so that equal sets are equal states.  It has the
    operators and methods of Python's sets, which return sets of Python's, and ``records[i]`` reads
    the member with that number.  A member is never written: remove it, and add another one.
    """

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (set, frozenset)):
            return len(other) == self.length and all(record in self for record in other)
        if not isinstance(other, RecordSet):
            raise misused(f"a set of records is compared with {printed(other)}: write a set")
        return self.same(other)

    __hash__ = None

    def __le__(self, other: SetOfRecords[R]) -> bool:
        return {*self} <= records_of(other)

    def __lt__(self, other: SetOfRecords[R]) -> bool:
        return {*self} < records_of(other)

    def __ge__(self, other: SetOfRecords[R]) -> bool:
        return {*self} >= records_of(other)

    def __gt__(self, other: SetOfRecords[R]) -> bool:
        return {*self} > records_of(other)

    def __or__(self, other: SetOfRecords[R]) -> set[R]:
        return {*self} | records_of(other)

    def __and__(self, other: SetOfRecords[R]) -> set[R]:
        return {*self} & records_of(other)

    def __sub__(self, other: SetOfRecords[R]) -> set[R]:
        return {*self} - records_of(other)

    def __rsub__(self, other: SetOfRecords[R]) -> set[R]:
        return {*records_of(other)} - {*self}

    def __xor__(self, other: SetOfRecords[R]) -> set[R]:
        return {*self} ^ records_of(other)

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __ior__(self, other: SetOfRecords[R]) -> Self:
        self.fill(self | other)
        return self

    def __iand__(self, other: SetOfRecords[R]) -> Self:
        self.fill(self & other)
        return self

    def __isub__(self, other: SetOfRecords[R]) -> Self:
        self.fill(self - other)
        return self

    def __ixor__(self, other: SetOfRecords[R]) -> Self:
        self.fill(self ^ other)
        return self

    def update(self, *others: Iterable[R]) -> None:
        """Add every member of other sets."""
        self.fill(self.union(*others))

    def intersection_update(self, *others: Iterable[R]) -> None:
        """Keep only what is in other sets, too."""
        self.fill(self.intersection(*others))

    def difference_update(self, *others: Iterable[R]) -> None:
        """Remove every member of other sets."""
        self.fill(self.difference(*others))

    def symmetric_difference_update(self, other: Iterable[R]) -> None:
        """Keep what is in one of two sets only."""
        self.fill(self.symmetric_difference(other))

    def union(self, *others: Iterable[R]) -> set[R]:
        """Return the members of any of the sets."""
        return {*self}.union(*others)

    def intersection(self, *others: Iterable[R]) -> set[R]:
        """Return what is in all of the sets."""
        return {*self}.intersection(*others)

    def difference(self, *others: Iterable[R]) -> set[R]:
        """Return the members that the other sets lack."""
        return {*self}.difference(*others)

    def symmetric_difference(self, other: Iterable[R]) -> set[R]:
        """Return the members of one of two sets only."""
        return {*self}.symmetric_difference(other)

    def issubset(self, other: Iterable[R]) -> bool:
        """Whether another set has all members."""
        return {*self}.issubset(other)

    def issuperset(self, other: Iterable[R]) -> bool:
        """Whether it has all members of another set."""
        return {*self}.issuperset(other)

    def isdisjoint(self, other: Iterable[R]) -> bool:
        """Whether it has no member of another set."""
        return {*self}.isdisjoint(other)

    def copy(self) -> set[R]:
        """Return its members as of now."""
        return {*self}

    @classmethod
    def shown(cls, record: Any) -> list[object]:
        """Return a record of this declaration as people see it."""
        return SetMembers(super().shown(record))

    @classmethod
    def _copied(cls, *source: object) -> object:
        return {*cast("list[R]", super()._copied(*source))}

    def fill(self, values: Iterable[R]) -> None:
        """Replace all members; used where a set of Python's is stored."""
        # The class of a record of the state has copies of the methods, and not their bases.
        Sorted.fill(self, records_of(cast(Any, values)))

    def _hashed(self) -> object:
        return frozenset(self)


SetOfRecords = RecordSet[R] | set[R] | frozenset[R]
"""What the operators of sets of records take."""


def records_of(records: SetOfRecords[R]) -> set[R] | frozenset[R]:
    """Return a set of records, one of the state or one of Python, as one of Python."""
    if isinstance(records, RecordSet):
        return {*records}
    if not isinstance(records, (set, frozenset)):
        raise misused(f"a set of records is needed, not {printed(records)}")
    return records


class RecordBag(Sorted[R]):
    """A bag of records, which may be in it several times; see :func:`bag_of`.

    It is kept in ascending order, as a :class:`RecordSet` is, and equal members lie side by side:
    ``len`` counts each of them.
    """

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Counter):
            equal = all(self.count(one) == times for one, times in other.items())
            return equal and len(self) == other.total()
        if not isinstance(other, RecordBag):
            text = f"a bag of records is compared with {printed(other)}"
            raise misused(f"{text}: compare it with a bag or a Counter")
        return self.same(other)

    __hash__ = None

    def add(self, record: R) -> None:
        """Add one occurrence of a record."""
        first, _ = self._equal(record)
        self._put_in(first, record)

    def count(self, record: R) -> int:
        """Return how often a record is in the bag."""
        first, last = self._equal(record)
        return last - first

    @classmethod
    def _copied(cls, *source: object) -> object:
        return Counter(cast("list[R]", super()._copied(*map(_elements, cast(Any, source)))))

    def _hashed(self) -> object:
        return frozenset(Counter(self).items())


def fitted(record: R, items: Sequence[R]) -> R:
    """Return a record as it is stored among others."""
    if hasattr(type(record), "__parts__") or not items:
        return record
    stored = value_of(items[0])
    copy_into(stored, record)
    return stored


def precedes(one: Record, other: object) -> bool:
    """Whether a record comes before another one of its declaration, field by field."""
    if type(one) is not type(other) and (
        not isinstance(other, Record) or part_names(one) != part_names(other)
    ):
        raise TypeError("a record can be compared only with one of the same declaration")
    before: bool = _in_order(one) < _in_order(other)
    return before


def _in_order(part: Any) -> Any:
    """Return the values of a part of a record as something that is ordered."""
    key = _keys.get(type(part))
    if key is not None:
        return key(part)
    if not isinstance(part, Record):
        return tuple(map(_in_order, part)) if isinstance(part, (list, tuple)) else part
    names = part_names(part)
    declared = declared_parts(declaration_of(part))
    if len(names) > 1 and all(isinstance(one, Field) for one in declared.values()):
        # Of a record of variables they are read at once, which is ten times as fast.
        _keys[type(part)] = attrgetter(*names)
    return tuple(_in_order(getattr(part, name)) for name in names)


_keys: dict[type, Callable[[Any], tuple[Any, ...]]] = {}
"""What returns the values of a record's variables, by its class."""


_EMPTY, _ABSENT = "the sequence is empty", "not in the sequence"


def _failed(kind: str, call: str, why: str, error: type[ModelError] = ModelError) -> ModelError:
    """Return the error of a call of a container's method, which names the container."""
    return misused(f"{owner_written(kind)}.{call}: {why}", error)


def _full(sequence: Ordered[Any], what: str = "sequence") -> str:
    return f"the {what} holds {len(sequence.items)} at most"


def _list(values: object) -> Iterable[Any]:
    """Return what can be joined with a sequence."""
    if not isinstance(values, (Seq, list, Records)):
        raise misused(f"a list or a sequence is needed, not {printed(values)}")
    return values


@overload
def sequence_of(element: type[R], most: Limit, doc: str) -> Seq[R]: ...
@overload
def sequence_of(element: Limit, most: Limit, doc: str) -> Seq[int]: ...
def sequence_of(element: object, most: Limit, doc: str) -> object:
    """Declare a sequence of up to `most` numbers or records; at first it is empty.

    Parameters
    ----------
    element
        The declaration of one element, as of a variable, ``integer(0, 3, "ballot")``, or the class
        of the records; or how many numbers there are: those below it may be elements.
    """
    if isinstance(element, int) or isfunction(element):
        size: Limit = element
        element = Field(0, lambda k: limit_of(size, k) - 1, f"element: {doc}")
    kind: type[Ordered[Any]] = Seq
    if is_record(element):
        kind = RecordSeq
    elif not isinstance(element, Field):
        kind_of_it = element.__name__ if isinstance(element, type) else printed(element)
        raise misused(
            f"{doc}: a sequence of {kind_of_it}; declare one element, as integer(0, 3, 'ballot'), "
            "or name a class that derives from Record"
        )
    refuse_other_limits("sequence_of", doc, most=most)
    return declared(kind, _parts(element, most, doc))


def _parts(element: Any, most: Limit, doc: str) -> dict[str, Any]:
    """Return the variables of a sequence."""
    return {
        "length": integer(0, most, f"length: {doc}"),
        "items": array(most, element),
        "blank": _blank(element),
    }


def _blank(element: Any) -> Any:
    """Return the declaration of the storage beyond the last element: only lowest values."""
    if isinstance(element, Field):

        def low(k: object) -> int:
            return limit_of(element.low, k)

        return Field(low, low, "the storage beyond the last element")
    if isinstance(element, Array):
        return replace(element, element=_blank(element.element))
    parts = {name: _blank(part) for name, part in declared_parts(element).items()}
    return type(element.__name__, (Record,), parts)
