"""From a plain Python function to LLVM: lists and sets of its own, outside of the state.

A list lies in memory, with room for a few elements; a step that needs more fails, and Python takes
over.  A set is a bit mask, whose last bit is -1, which stands for nobody.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .arithmetic import from_beginning
from .emitter import Emitter
from .second_names import SecondNames
from .slots import Shape, count, kinds, put_together, taken_apart, united
from .values import (
    NOWHERE,
    WORD,
    Bits,
    Cells,
    Constant,
    Items,
    Number,
    Truth,
    UnsupportedError,
    Value,
    integer_of,
    span,
)

ROOM = 64
"""The most elements of a list."""

MOST_BIT = 62
"""The largest member of a set that is a bit mask."""

IN_ORDER = 7
"""The largest member up to which CPython iterates any set in ascending order.

A set's table has at least 8 slots, and a small number is its own hash (Objects/setobject.c).
"""


NEGATIVE = "a set with a negative number (leave NONE out),"


def may_have_none(bits: Bits) -> bool:
    """Whether a set may have -1, which stands for nobody."""
    known = span(bits.mask)
    return not bits.ordered and known is not None and known[0] < 0


def known_mask(value: object) -> int | None:
    """Return a set that is known while translating as a bit mask; None for what is none."""
    if type(value) not in (set, frozenset):
        return None
    numbers = [integer_of(part) for part in value]  # type: ignore[attr-defined]
    if any(number is None or not -1 <= number <= MOST_BIT for number in numbers):
        return None
    mask = sum(1 << number for number in numbers if number is not None and number >= 0)
    return mask + WORD[0] if -1 in numbers else mask


def plain_mask(value: Any) -> int | None:
    """Return a set of plain numbers as a bit mask; None for one with members of enumerations."""
    mask = known_mask(value)
    return mask if mask is not None and all(type(member) is int for member in value) else None


def _changeable(value: Value) -> Value:
    """Return a value as an element of a list that may have another one: sets are bit masks."""
    if isinstance(value, Items):
        return Items(tuple(map(_changeable, value.items)), value.kind)
    mask = plain_mask(value.value) if isinstance(value, Constant) else None
    return value if mask is None else Bits(Constant(mask))


def _is_nowhere(value: Value) -> bool:
    """Whether a value, or a part of a tuple, is an element that is not there."""
    return value is NOWHERE or (isinstance(value, Items) and any(map(_is_nowhere, value.items)))


class Lists:
    """Lists and sets of one function.

    Parameters
    ----------
    expected
        The shape of an element of some lists, by the order in which they are made: a translation
        before this one read an element before it came to what adds one.

    Attributes
    ----------
    kept
        Emits the loading of what lies in memory of a value.
    """

    def __init__(self, out: Emitter, expected: Mapping[int | str, Shape]) -> None:
        self.out, self._expected = out, expected
        self.kept: Callable[[Value], Value] = lambda value: value
        self.second_names = SecondNames()
        self._made: list[Cells] = []
        self._read_early: list[Cells] = []

    @property
    def early(self) -> dict[int | str, Shape]:
        """The shapes of elements that were read before the code that adds one was translated."""
        return {
            number: cells.shapes[0]
            for number, cells in enumerate(self._made)
            if cells.shapes and any(cells is early for early in self._read_early)
        }

    def new(self, kind: type = list, most: int = ROOM) -> Cells:
        """Return an empty list.

        Its memory is reserved when the shape of an element is known, for as many leaves as it has.
        """
        length = self.out.variable()
        self.out.emit(f"store i64 0, ptr {length}")
        changes = self.counter() if kind is deque else ""
        cells = Cells(self.out.register(), length, max(most, 1), [], kind, changes)
        if len(self._made) in self._expected:
            self._learn(cells, self._expected[len(self._made)])
        self._made.append(cells)
        self.second_names.made(cells.base)
        return cells

    def counter(self) -> str:
        """Return the address of a number of changes, which is 0 at first."""
        address = self.out.variable()
        self.out.emit(f"store i64 0, ptr {address}")
        return address

    def note_change(self, counter: str) -> None:
        """Emit that something has changed whose changes count."""
        if counter:
            before = self.out.value(f"load i64, ptr {counter}")
            after = self.out.value(f"add i64 {before}, 1")
            self.out.emit(f"store i64 {after}, ptr {counter}")

    def length_in_loop(self, cells: Cells, counter: str) -> Callable[[], Value]:
        """Return what emits the length before a round, and before the end, of a loop.

        In Python a loop fails after a change of a dictionary or a deque, and so it does here, if
        `counter` has the number of changes.
        """
        if not counter:
            return lambda: self.length(cells)
        begun = Number(self.out.value(f"load i64, ptr {counter}"))

        def length() -> Value:
            now = Number(self.out.value(f"load i64, ptr {counter}"))
            self.out.fail_if(self.out.truth(self.out.compare("ne", now, begun)))
            return self.length(cells)

        return length

    def note_early(self, cells: Cells) -> None:
        """Note that an element of a list is read of which none is known yet."""
        self._read_early.append(cells)

    def length(self, cells: Cells) -> Number:
        """Return how many elements a list has."""
        return Number(self.out.value(f"load i64, ptr {cells.length}"), (0, cells.most), int)

    def append(self, cells: Cells, value: Value) -> None:
        """Emit the addition of an element at the end."""
        out, length = self.out, self.length(cells)
        out.fail_if(out.value(f"icmp uge i64 {length.register}, {cells.most}"))
        index = out.extreme("min", length, Constant(cells.most - 1))
        self.put(cells, index, value)
        self.set_length(cells, Number(out.value(f"add i64 {out.number(index)}, 1")))

    def set_length(self, cells: Cells, length: Value) -> None:
        """Emit a new number of elements."""
        self.second_names.change(cells.base)
        self.out.emit(f"store i64 {self.out.number(length)}, ptr {cells.length}")

    def put(self, cells: Cells, index: Value, value: Value) -> None:
        """Emit the writing of an element, whose index must be within its room."""
        self.second_names.change(cells.base)
        out = self.out
        if _is_nowhere(value):
            # Such a step has failed, and nothing is known of what it would add.
            return
        try:
            shape, leaves = taken_apart(self.kept(_changeable(value)))
        except UnsupportedError as error:
            raise UnsupportedError(f"a list that has {error} in it,") from None
        self._learn(cells, shape)
        for number, leaf in enumerate(leaves):
            out.emit(f"store i64 {out.number(leaf)}, ptr {self._at(cells, index, number)}")

    def expect(self, cells: Cells, value: Value) -> None:
        """Note what elements a list will have, which are added later."""
        self._learn(cells, taken_apart(value)[0])

    def _learn(self, cells: Cells, shape: Shape) -> None:
        """Note the shape of an element."""
        if not cells.shapes:
            cells.shapes.append(shape)
            room = max(count(shape), 1) * cells.most
            self.out.prologue.append(f"  {cells.base} = alloca [{room} x i64]")
            if cells.kind is not set:
                # Of a set only added elements are read.
                cleared = f"ptr {cells.base}, i8 0, i64 {8 * room}, i1 false"
                self.out.prologue.append(f"  call void @llvm.memset.p0.i64({cleared})")
            return
        both, is_read = united(cells.shapes[0], shape), len(cells.shapes) > 1
        if is_read and kinds(both) != kinds(cells.shapes[0]):
            if any(
                cells is one for number, one in enumerate(self._made) if number in self._expected
            ):
                raise UnsupportedError("a list whose elements are of several types")
            # It has been read as if all its elements were like the first one.
            self.note_early(cells)
        cells.shapes[0] = both

    def _at(self, cells: Cells, index: Value, leaf: int) -> str:
        """Return the address of a leaf of an element."""
        out, width = self.out, max(count(cells.shapes[0]), 1)
        first = out.value(f"mul i64 {out.number(index)}, {width}")
        return out.element(cells.base, out.value(f"add i64 {first}, {leaf}"))

    def at(self, cells: Cells, index: Value) -> Value:
        """Return an element, whose index must be within its room."""
        if not cells.shapes:
            # The list is empty here, unless a later statement of a loop adds to it.
            self.note_early(cells)
            self.out.fail_if("true")
            return NOWHERE
        shape: Shape = cells.shapes[0]
        if len(cells.shapes) == 1:
            cells.shapes.append("read")
        leaves = [
            Number(self.out.value(f"load i64, ptr {self._at(cells, index, number)}"))
            for number in range(count(shape))
        ]
        return put_together(self.out, shape, leaves)

    def element(self, cells: Cells, index: Value) -> Value:
        """Return an element as Python finds it: a negative index counts from the end."""
        return self.at(cells, self.clamped(index, self.length(cells), cells.most))

    def clamped(self, index: Value, length: Value, most: int) -> Value:
        """Return an index of a list, and emit the failure of one that is beyond it."""
        out = self.out
        index = from_beginning(out, index, length)
        out.fail_if(out.value(f"icmp uge i64 {out.number(index)}, {out.number(length)}"))
        within = self._within(most, Number(out.number(index)))
        return Number(out.number(within), (0, most - 1), int)

    def take_out(self, cells: Cells, index: Value) -> Value:
        """Emit the removal of an element, whose index must be within the list; return it."""
        taken, last = self.at(cells, index), self._last(cells)
        if cells.shapes:
            self._shift(cells, index, last, 1)
        self.set_length(cells, self.out.extreme("max", last, Constant(0)))
        return taken

    def insert(self, cells: Cells, index: Value, value: Value) -> None:
        """Emit the addition of an element before the one at an index, which is within it."""
        self.append(cells, value)
        if cells.shapes:
            self._shift(cells, self._last(cells), index, -1)
            self.put(cells, index, value)

    def _last(self, cells: Cells) -> Number:
        return Number(self.out.value(f"sub i64 {self.length(cells).register}, 1"))

    def _within(self, most: int, index: Value) -> Value:
        """Return an index within so much room, whatever it is."""
        upper = self.out.extreme("min", index, Constant(most - 1))
        return self.out.extreme("max", upper, Constant(0))

    def _shift(self, cells: Cells, first: Value, last: Value, step: int) -> None:
        """Emit that places get what is one step further, up or down from one to before another."""
        out, place = self.out, self.out.variable()
        out.emit(f"store i64 {out.number(first)}, ptr {place}")
        head, shift, end = (out.label(hint) for hint in ("shift", "move", "end"))
        out.loops.append(True)
        out.place_label(head)
        here = Number(out.value(f"load i64, ptr {place}"), (0, cells.most - 1))
        out.branch(out.compare("slt" if step > 0 else "sgt", here, last), shift, end)
        out.place_label(shift)
        further = Number(out.value(f"add i64 {here.register}, {step}"))
        self.put(cells, here, self.at(cells, self._within(cells.most, further)))
        out.emit(f"store i64 {further.register}, ptr {place}")
        out.jump(head)
        out.place_label(end)

    def insert_sorted(
        self, cells: Cells, value: Value, before: Callable[[Value, Value], Value]
    ) -> None:
        """Emit the addition of an element where it belongs, behind those that are equal.

        `before` emits whether one element comes before another.
        """
        if _is_nowhere(value):
            return
        out = self.out
        self.append(cells, value)
        place = out.variable()
        last = out.value(f"sub i64 {self.length(cells).register}, 1")
        out.emit(f"store i64 {last}, ptr {place}")
        head, test, move, end = (out.label(hint) for hint in ("sort", "sort", "move", "end"))
        out.loops.append(True)
        out.place_label(head)
        index = out.value(f"load i64, ptr {place}")
        out.branch(Truth(out.value(f"icmp sgt i64 {index}, 0")), test, end)
        out.place_label(test)
        previous = Number(out.value(f"sub i64 {index}, 1"), (0, cells.most - 1))
        here = Number(index, (0, cells.most - 1))
        left = self.at(cells, previous)
        out.branch(before(value, left), move, end)
        out.place_label(move)
        self.put(cells, here, left)
        self.put(cells, previous, value)
        out.emit(f"store i64 {previous.register}, ptr {place}")
        out.jump(head)
        out.place_label(end)

    # Sets.

    def mask(self, bits: Bits) -> Value:
        """Return the present mask of a set."""
        if not bits.address:
            return bits.mask
        return Number(self.out.value(f"load i64, ptr {bits.address}"), span(bits.mask))

    def bit(self, number: Value, least: int = -1) -> Value:
        """Return the mask of one number, and emit the failure of one that is none of a set.

        Raises
        ------
        UnsupportedError
            If it is certainly below the least number of the set.
        """
        out, known = self.out, span(number)
        if known and known[1] < least:
            raise UnsupportedError(NEGATIVE)
        if known is None or known[0] < least or known[1] > MOST_BIT:
            above = out.value(f"sub i64 {out.number(number)}, {least}")
            out.fail_if(out.value(f"icmp ugt i64 {above}, {MOST_BIT - least}"))
            known = max(known[0], least) if known else least, MOST_BIT
        # Of a negative distance the last bit is taken.
        distance = out.distance(out.number(number))
        high = (1 << min(known[1], MOST_BIT) + 1) - 1
        return Number(out.value(f"shl i64 1, {distance}"), (WORD[0] if known[0] < 0 else 0, high))

    def bit_if_member(self, number: Value) -> Number:
        """Return the mask of one number; 0 if no set that changes can have it."""
        out, register = self.out, self.out.number(number)
        moved = out.value(f"shl i64 1, {out.distance(register)}")
        within = out.value(f"icmp ule i64 {register}, {MOST_BIT}")
        return Number(out.value(f"select i1 {within}, i64 {moved}, i64 0"), (0, WORD[1]))

    def has(self, bits: Bits, number: Value) -> Value:
        """Return whether a number is in a set."""
        out, mask = self.out, self.mask(bits)
        register, least = out.number(number), -1 if may_have_none(bits) else 0
        moved = out.value(f"lshr i64 {out.number(mask)}, {out.distance(register)}")
        set_ = out.truth(Number(out.value(f"and i64 {moved}, 1")))
        above = out.value(f"sub i64 {register}, {least}") if least else register
        within = out.value(f"icmp ule i64 {above}, {MOST_BIT - least}")
        return Truth(out.value(f"and i1 {set_}, {within}"))

    def merged(self, operator: str, one: Value, other: Value) -> Number:
        """Return the result of an operator on two masks."""
        result, known = self.out.arithmetic(operator, one, other), [span(one), span(other)]
        lows = [part is None or part[0] < 0 for part in known]
        if self.out.wraps or not (all(lows) if operator == "and" else any(lows)):
            return result
        highs = [WORD[1] if part is None else part[1] for part in known]
        most = min(highs) if operator == "and" else max(highs)
        return Number(result.register, (WORD[0], (1 << most.bit_length()) - 1))

    def lacking(self, one: Value, other: Value) -> Number:
        """Return the mask of a set without the members of another one."""
        rest = self.out.arithmetic("xor", other, Constant(-1))
        left = self.out.arithmetic("and", one, rest)
        low, high = span(one) or WORD
        known = (WORD[0] if low < 0 else 0), (1 << high.bit_length()) - 1
        return Number(left.register, None if self.out.wraps else known)

    def without_none(self, bits: Bits) -> Bits:
        """Return a set as one of the state takes it: the step fails if it has -1."""
        return replace(bits, mask=self.certain(bits.mask)) if may_have_none(bits) else bits

    def certain(self, mask: Value) -> Value:
        """Return a mask without -1; the step fails if the set has it."""
        known = span(mask) or WORD
        if known[0] >= 0:
            return mask
        out, register = self.out, self.out.number(mask)
        out.fail_if(out.value(f"icmp slt i64 {register}, 0"))
        return Number(out.value(f"and i64 {register}, {WORD[1]}"), (0, known[1]))

    def growing_set(self, least: int = 0) -> Bits:
        """Return an empty set that may change; its least number is 0 or -1."""
        address = self.out.variable()
        self.out.emit(f"store i64 0, ptr {address}")
        self.second_names.made(address)
        return Bits(Number("0", (WORD[0] if least < 0 else 0, WORD[1])), address)

    def change(self, bits: Bits, mask: Value) -> None:
        """Emit a new mask of a set."""
        if not bits.address:
            raise UnsupportedError("a change of a set that has another name")
        self.second_names.change(bits.address)
        if not may_have_none(bits):
            mask = self.certain(mask)
        self.out.emit(f"store i64 {self.out.number(mask)}, ptr {bits.address}")

    def settled(self, bits: Bits) -> Bits:
        """Return a set as it is now."""
        return replace(bits, mask=self.mask(bits), address="")
