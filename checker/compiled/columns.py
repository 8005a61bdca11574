"""The variables of a group of states in columns, each in as few bytes as possible.

Guards are evaluated for many states at once.  Reading a variable from packed words takes a shift
and a mask of 64 bits; in a column of bytes, one vector instruction compares eight times as many.
"""

from __future__ import annotations

from typing import Any

from ...core.kinds import as_kind
from ...core.layout import Layout
from ...core.record import Variable
from .emitter import Emitter
from .memory import GROUP
from .state_refs import StateRefs
from .values import Constant, Number, StateRef, UnsupportedError, Value, fits

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

    def load(self, out: Emitter, place: StateRef) -> Value:
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
