"""Reads and writes the variables of a packed state, in the words where its layout puts them."""

from __future__ import annotations

import re
from typing import Any

from ...core.kinds import as_kind
from ...core.layout import Layout
from ...core.record import Variable
from .emitter import Emitter
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
            form = re.sub(r"\[\d+\]", "[]", variable.path)
            indices = tuple(map(int, re.findall(r"\[(\d+)\]", variable.path)))
            self._variables.setdefault(form, {})[indices] = variable

    def load(self, out: Emitter, place: StateRef) -> Value:
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
