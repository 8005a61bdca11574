"""Functions of the typed form, as machine code that calls each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....language import form
from ....language.schema import Schema
from ....language.tabulated import Table
from ....language.types import Nothing, Optional, Type
from ..emitter import FAILURE, MARKS, Emitter
from .layouts import is_flat, leaves, size
from .memory import Value
from .statements import Body
from .tables import definition_of

if TYPE_CHECKING:
    from ..unit import Unit


class Module:
    """The functions of a unit of machine code that come from the typed form.

    Parameters
    ----------
    unit
        The unit.
    schema
        What the state is made of.
    """

    def __init__(self, unit: Unit, schema: Schema) -> None:
        self.unit, self.schema, self.places = unit, schema, unit.places
        self.kept: list[object] = []
        self._names: dict[int, tuple[str, set[int], list[bool], set[str]]] = {}
        self._texts: dict[str, int] = {}
        self._tables: dict[int, str] = {}
        self._of_constants: dict[object, Table | None] = {}
        self._count = 0

    def new_name(self, name: str) -> str:
        """Return the name in LLVM of another function."""
        self._count += 1
        return f"{self.unit.prefix}form.{name}${self._count}"

    def text(self, value: str) -> int:
        """Return the number that stands for a text."""
        return self._texts.setdefault(value, len(self._texts))

    def table(self, table: Table) -> str:
        """Return the name of the constant that has the numbers of a table."""
        if id(table) not in self._tables:
            self.kept.append(table)
            name = f'@"{self.new_name("table")}"'
            self.unit.bodies.append(definition_of(name, table, self.text))
            self._tables[id(table)] = name
        return self._tables[id(table)]

    def constant_table(
        self, key: object, kept: object, make: Callable[[], Table | None]
    ) -> Table | None:
        """Return the table of a container of the file, which is made once; None if it has none.

        Parameters
        ----------
        kept
            What has to stay alive, since the key has its address.
        """
        if key not in self._of_constants:
            self.kept.append(kept)
            self._of_constants[key] = make()
        return self._of_constants[key]

    def call(
        self, body: Body, function: form.Function, arguments: list[tuple[Value, bool]]
    ) -> Value:
        """Emit the call of a function, and return what it gives."""
        name, elements, loops, reads = self.defined(function)
        out, kind = body.out, function.result
        body.called_elements |= elements
        out.loops += loops
        out.reads |= reads
        passed = [f"ptr {FAILURE}", f"ptr {MARKS}", f"ptr {body.base}"]
        for value, is_shared in arguments:
            if is_shared or not is_flat(value.type):
                passed.append(f"ptr {value.address}")
            else:
                passed += [f"i64 {out.number(leaf)}" for leaf in body.fitted(value).leaves]
        returns = _returns(kind)
        if returns == "void":
            target = ""
            if not is_flat(kind):
                target = body.block(kind)
                passed.append(f"ptr {target}")
            out.emit(f'call void @"{name}"({", ".join(passed)})')
            return Value(kind, address=target) if target else Value(kind)
        result = out.value(f'call {returns} @"{name}"({", ".join(passed)})')
        if size(kind) == 1:
            registers = [result]
        else:
            registers = [
                out.value(f"extractvalue {returns} {result}, {n}") for n in range(size(kind))
            ]
        return Value(
            kind,
            tuple(
                body.leaf(register, one)
                for register, one in zip(registers, leaves(kind), strict=True)
            ),
        )

    def defined(self, function: form.Function) -> tuple[str, set[int], list[bool], set[str]]:
        """Return the name of a function, with what its callers have to know."""
        if id(function) not in self._names:
            self.kept.append(function)
            name = self.new_name(function.name)
            out = Emitter(self.unit.points)
            body = Body(self, out, function, _return)
            declared = [f"ptr {FAILURE}", f"ptr {MARKS}", f"ptr {body.base}"]
            declared += _receive(body, function)
            returns = _returns(function.result)
            if returns == "void" and not is_flat(function.result):
                declared.append("ptr %result")
            body.statements(function.body)
            if not out.terminated:
                _fall_off(body)
            if out.gives_up:
                _give_up(out, returns)
            elements = body.marks.elements | body.called_elements
            lines = [*out.prologue, *out.lines]
            how = self.unit.sizes.attributes(name, lines)
            head = f'define internal {returns} @"{name}"({", ".join(declared)}) {how} nounwind {{'
            self.unit.bodies.append("\n".join([head, "entry:", *lines, "}"]))
            self._names[id(function)] = name, elements, list(out.loops), set(out.reads)
        return self._names[id(function)]


def _returns(kind: Type) -> str:
    """Return the LLVM type of what a function returns."""
    if not is_flat(kind) or size(kind) == 0:
        return "void"
    return "i64" if size(kind) == 1 else f"{{{', '.join(['i64'] * size(kind))}}}"


def _receive(body: Body, function: form.Function) -> list[str]:
    """Declare the parameters of a function, and give its slots what they have."""
    declared: list[str] = []
    for number, slot in enumerate(function.parameters):
        kind = function.slots[slot]
        if slot in function.changes or not is_flat(kind):
            declared.append(f"ptr %a{number}")
            if slot in function.changes:
                body.given(slot, f"%a{number}")
            else:
                body.bind(slot, Value(kind, address=f"%a{number}"))
            continue
        names = [f"%a{number}.{leaf}" for leaf in range(size(kind))]
        declared += [f"i64 {name}" for name in names]
        every = tuple(body.leaf(name, one) for name, one in zip(names, leaves(kind), strict=True))
        body.bind(slot, Value(kind, every))
    return declared


def _return(body: Body, value: Value) -> None:
    """Emit the return of a value."""
    out, kind = body.out, body.function.result
    returns = _returns(kind)
    if not is_flat(kind):
        body.store(body.held(value, kind), kind, "%result")
        out.emit("ret void")
    elif returns == "void":
        out.emit("ret void")
    else:
        every = body.fitted(body.convert(body.held(value, kind), kind)).leaves
        if len(every) == 1:
            out.emit(f"ret i64 {out.number(every[0])}")
        else:
            result = "undef"
            for number, leaf in enumerate(every):
                result = out.value(
                    f"insertvalue {returns} {result}, i64 {out.number(leaf)}, {number}"
                )
            out.emit(f"ret {returns} {result}")
    out.terminated = True


def _fall_off(body: Body) -> None:
    """Emit the end of a function after its last statement, which only some functions reach."""
    kind = body.function.result
    if isinstance(kind, (Nothing, Optional)):
        _return(body, Value(Nothing()))
    else:
        body.fail()
        _return(body, body.zero(kind))


def _give_up(out: Emitter, returns: str) -> None:
    """End a function in the middle of a failed step: its result has no meaning."""
    out.terminated = True
    out.place_label("up")
    out.emit(
        "ret void"
        if returns == "void"
        else f"ret {returns} {'0' if returns == 'i64' else 'zeroinitializer'}"
    )
