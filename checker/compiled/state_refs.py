"""Reads and writes the variables of a packed state, in the words where its layout puts them.

The variables of a group of states in columns, each in as few bytes as possible.

Guards are evaluated for many states at once.  Reading a variable from packed words takes a shift
and a mask of 64 bits; in a column of bytes, one vector instruction compares eight times as many.
"""

from __future__ import annotations

import re
from typing import Any

from ...core.layout import Layout
from ...core.record import Variable, unnumbered
from ...core.values import as_kind
from .emitter import Emitter
from .memory import GROUP
from .values import Constant, Number, StateRef, UnsupportedError, Value, fits

ALL = (1 << 64) - 1


class StateRefs:
    """The variables of a layout, found by the form of their path and its indices.

    A state has one more word, its *error word*: it becomes 1 if a step reads beyond an array or
    writes a value out of its declared range.  The packed state is meaningless then, and the
    interpreted engine takes over the search and says what is wrong.
    """

    def __init__(self, layout: Layout[Any]) -> None:
        self.layout = layout
        self.words = layout.words
        self._variables: dict[str, dict[tuple[int, ...], Variable]] = {}
        for variable in layout.variables:
            if not fits((variable.low, variable.high)):
                raise UnsupportedError(f"{variable.path}, which takes more than 64 bits,")
            form = unnumbered(variable.path)
            indices = tuple(map(int, re.findall(r"\[(\d+)\]", variable.path)))
            self._variables.setdefault(form, {})[indices] = variable

    def lowest(self, place: StateRef) -> Constant:
        """Return the lowest value of a variable."""
        variable = next(iter(self._candidates(place).values()))
        return Constant(as_kind(variable.kind, variable.low))

    def load(self, out: Emitter, place: StateRef) -> Constant | Number:
        """Emit the reading of a variable."""
        variables = self._candidates(place)
        sample = next(iter(variables.values()))
        known = sample.low, sample.high
        if not sample.width:
            return Constant(as_kind(sample.kind, sample.low))
        position = self._position(out, place, variables)
        if position is not None:
            word, shift = position
            bits = out.value(f"lshr i64 {self._word(out, place, word)}, {shift}")
        else:
            bits = self._chosen(out, place, variables)
        bits = out.value(f"and i64 {bits}, {_mask(sample)}")
        if sample.low:
            bits = out.value(f"add i64 {bits}, {sample.low}")
        return Number(bits, known, sample.kind)

    def store(self, out: Emitter, place: StateRef, value: Value) -> None:
        """Emit the writing of a variable, and of the error word if the value is out of range."""
        variables = self._candidates(place)
        sample = next(iter(variables.values()))
        bits = out.number(value)
        if sample.low:
            bits = out.value(f"sub i64 {bits}, {sample.low}")
        span = value.range if isinstance(value, Number) else None
        if span is None or span[0] < sample.low or span[1] > sample.high:
            out.fail_if(out.value(f"icmp ugt i64 {bits}, {sample.high - sample.low}"))
        if not sample.width:
            return
        position = self._position(out, place, variables)
        if position is not None:
            self._write(out, place, *position, bits, _mask(sample))
            return
        for indices, variable in variables.items():
            kept = self._word(out, place, variable.word)
            cleared = out.value(f"and i64 {kept}, {ALL ^ _mask(variable) << variable.shift}")
            placed = out.value(f"shl i64 {bits}, {variable.shift}")
            written = out.value(f"or i64 {cleared}, {placed}")
            here = self._at(out, place, indices)
            word = out.value(f"select i1 {here}, i64 {written}, i64 {kept}")
            out.emit(f"store i64 {word}, ptr {self._address(out, place, variable.word)}")

    @staticmethod
    def beyond(out: Emitter, index: Number, length: int) -> None:
        """Emit the check that an index lies within an array."""
        if index.range is None or index.range[0] < 0 or index.range[1] >= length:
            out.fail_if(out.value(f"icmp uge i64 {index.register}, {length}"))

    def _candidates(self, place: StateRef) -> dict[tuple[int, ...], Variable]:
        """Return the variables that a place may refer to, by their indices."""
        variables = self._variables.get(place.form)
        if not variables:
            raise UnsupportedError(f"{place.form} is not a variable of the state")
        candidates = {
            indices: variable
            for indices, variable in variables.items()
            if all(
                not isinstance(wanted, Constant) or wanted.value == index
                for wanted, index in zip(place.indices, indices, strict=True)
            )
        }
        assert candidates, place
        return candidates

    def _position(
        self, out: Emitter, place: StateRef, variables: dict[tuple[int, ...], Variable]
    ) -> tuple[int, str] | None:
        """Return word and shift, if all candidates are in one word at regular distances."""
        first = next(iter(variables.values()))
        if len(variables) == 1:
            return first.word, str(first.shift)
        if any(variable.word != first.word for variable in variables.values()):
            return None
        strides = self._strides(place, variables)
        if strides is None:
            return None
        shift = str(first.shift)
        for register, stride in strides:
            scaled = out.value(f"mul i64 {register}, {stride}")
            shift = out.value(f"add i64 {scaled}, {shift}")
        return first.word, out.distance(shift)

    @staticmethod
    def _strides(
        place: StateRef, variables: dict[tuple[int, ...], Variable]
    ) -> list[tuple[str, int]] | None:
        """Return for every unknown index its register, and by how many bits it moves."""
        first = next(iter(variables))
        strides: list[int] = []
        for number, wanted in enumerate(place.indices):
            following = (*first[:number], first[number] + 1, *first[number + 1 :])
            if isinstance(wanted, Constant) or following not in variables:
                strides.append(0)
            else:
                strides.append(variables[following].shift - variables[first].shift)
        for indices, variable in variables.items():
            moved = zip(indices, first, strides, strict=True)
            expected = variables[first].shift + sum((i - f) * step for i, f, step in moved)
            if variable.shift != expected:
                return None
        return [
            (wanted.register, strides[number])
            for number, wanted in enumerate(place.indices)
            if isinstance(wanted, Number)
        ]

    def _chosen(
        self, out: Emitter, place: StateRef, variables: dict[tuple[int, ...], Variable]
    ) -> str:
        """Emit a choice by index between candidates at irregular positions; return the bits."""
        bits = "0"
        for indices, variable in variables.items():
            word = self._word(out, place, variable.word)
            these = out.value(f"lshr i64 {word}, {variable.shift}")
            here = self._at(out, place, indices)
            bits = out.value(f"select i1 {here}, i64 {these}, i64 {bits}")
        return bits

    @staticmethod
    def _at(out: Emitter, place: StateRef, indices: tuple[int, ...]) -> str:
        """Emit whether the unknown indices of a place are these."""
        here = ""
        for wanted, index in zip(place.indices, indices, strict=True):
            if isinstance(wanted, Number):
                same = out.value(f"icmp eq i64 {wanted.register}, {index}")
                here = out.value(f"and i1 {here}, {same}") if here else same
        return here

    def _address(self, out: Emitter, place: StateRef, word: int) -> str:
        return out.value(f"getelementptr i64, ptr {place.base}, i64 {word}") if word else place.base

    def _word(self, out: Emitter, place: StateRef, word: int) -> str:
        return out.value(f"load i64, ptr {self._address(out, place, word)}")

    def _write(
        self, out: Emitter, place: StateRef, word: int, shift: str, bits: str, mask: int
    ) -> None:
        """Emit the replacement of some bits of a word."""
        address = self._address(out, place, word)
        kept = out.value(f"load i64, ptr {address}")
        if shift.isdigit():
            hole = str(ALL ^ mask << int(shift))
        else:
            hole = out.value(f"xor i64 {out.value(f'shl i64 {mask}, {shift}')}, -1")
        cleared = out.value(f"and i64 {kept}, {hole}")
        placed = out.value(f"shl i64 {bits}, {shift}")
        out.emit(f"store i64 {out.value(f'or i64 {cleared}, {placed}')}, ptr {address}")


def _mask(variable: Variable) -> int:
    return (1 << variable.width) - 1


ALIGNED = 64
"""Bytes of a vector, to which a column is aligned."""


class Columns(StateRefs):
    """The variables of one state as a guard reads them, each in a slot of 64 bits.

    The error word comes before the slots.  A variable that is read gets a column, from which
    :meth:`slots` fills its slot.
    """

    def __init__(self, layout: Layout[Any]) -> None:
        super().__init__(layout)
        self._slot = {variable.path: 1 + number for number, variable in enumerate(layout.stored)}
        self._offsets: dict[str, int] = {}
        self._read: list[Variable] = []
        self.bytes = 0

    def load(self, out: Emitter, place: StateRef) -> Constant | Number:
        """Emit the reading of a variable from its slot."""
        variables = self._candidates(place)
        sample = next(iter(variables.values()))
        if not sample.width:
            return Constant(as_kind(sample.kind, sample.low))
        bits = ""
        for indices, variable in variables.items():
            these = self._loaded(out, place, variable)
            if bits:
                here = self._at(out, place, indices)
                these = out.value(f"select i1 {here}, i64 {these}, i64 {bits}")
            bits = these
        if sample.low:
            # The sum may be declared to fit only if it does for all bits; the bits of a variable
            # that takes all 64 may be those of a negative number.
            most = (1 << sample.width) - 1
            exact = "nsw " if fits((sample.low, most)) and fits((0, sample.low + most)) else ""
            bits = out.value(f"add {exact}i64 {bits}, {sample.low}")
        return Number(bits, (sample.low, sample.high), sample.kind)

    def store(self, out: Emitter, place: StateRef, value: Value) -> None:
        """Refuse: a guard writes nothing."""
        raise UnsupportedError(f"a guard that writes {place.form}")

    def slots(self, out: Emitter, columns: str, state: str, reads: set[str]) -> tuple[str, str]:
        """Emit the slots of a state, by its number in the group.

        Parameters
        ----------
        reads
            Paths of the variables that are wanted.

        Returns
        -------
        str, str
            The address of the slots, and a byte that depends on all that was read.  Using that byte
            at the end keeps LLVM from moving a load to the one place where it is needed: a
            conditional load is done state by state, and takes most of a guard's time.
        """
        slots = out.room(1 + len(self._slot))
        out.emit(f"store i64 0, ptr {slots}")
        everything = "0"
        for variable in self._read:
            if variable.path not in reads:
                continue
            kind = _kind(variable)
            element = self._element(out, columns, variable, state)
            value = out.value(f"load {kind}, ptr {element}")
            out.emit(f"store {kind} {value}, ptr {out.element(slots, self._slot[variable.path])}")
            byte = value if kind == "i8" else out.value(f"trunc {kind} {value} to i8")
            everything = out.value(f"or i8 {everything}, {byte}")
        return slots, everything

    def fill(self, out: Emitter, columns: str, state: str, words: list[str]) -> None:
        """Emit the filling of all columns for one state of the group, from its words."""
        for variable in self._read:
            kind = _kind(variable)
            bits = out.value(f"lshr i64 {words[variable.word]}, {variable.shift}")
            bits = out.value(f"and i64 {bits}, {(1 << variable.width) - 1}")
            if kind != "i64":
                bits = out.value(f"trunc i64 {bits} to {kind}")
            element = self._element(out, columns, variable, state)
            out.emit(f"store {kind} {bits}, ptr {element}")

    def _loaded(self, out: Emitter, place: StateRef, variable: Variable) -> str:
        """Emit the reading of one variable; return its distance from its lowest value."""
        out.reads.add(variable.path)
        if variable.path not in self._offsets:
            self._offsets[variable.path] = self.bytes
            self._read.append(variable)
            size = int(_kind(variable)[1:]) // 8 * GROUP
            self.bytes += -(-size // ALIGNED) * ALIGNED
        kind = _kind(variable)
        slot = out.element(place.base, self._slot[variable.path])
        value = out.value(f"load {kind}, ptr {slot}")
        return value if kind == "i64" else out.value(f"zext {kind} {value} to i64")

    def _element(self, out: Emitter, columns: str, variable: Variable, state: str) -> str:
        """Return the address of a variable of one state in its column."""
        column = out.after(columns, self._offsets[variable.path])
        return out.value(f"getelementptr {_kind(variable)}, ptr {column}, i64 {state}")


def _kind(variable: Variable) -> str:
    """Return the type of a variable's column."""
    return f"i{next(bits for bits in (8, 16, 32, 64) if variable.width <= bits)}"
