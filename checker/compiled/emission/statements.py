"""Statements of the typed form, and the body of a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ....language import form
from ....language.types import (
    Mapping,
    NoJoinError,
    Places,
    Record,
    Ref,
    Sequence,
    Type,
)
from ..emitter import Emitter
from ..values import Constant, UnsupportedError
from .expressions import Expressions
from .layouts import is_flat, room, shape, size
from .memory import Value
from .registers import Slots

if TYPE_CHECKING:
    from .functions import Module


class Body(Expressions):
    """Emits the body of one function.

    Parameters
    ----------
    function
        Its typed form.
    returns
        Emits the return of a value.
    """

    def __init__(
        self,
        module: Module,
        out: Emitter,
        function: form.Function,
        returns: Callable[[Body, Value], None],
    ) -> None:
        super().__init__(module, out)
        self.function, self._returns = function, returns
        self._places: dict[str, str] = {}
        self._flags: dict[str, str] = {}
        self._registers: dict[str, Value] = {}
        self._labels: dict[int, tuple[str, str]] = {}

    # --- slots

    @cached_property
    def _slots(self) -> Slots:
        return Slots(self.function)

    def address_of(self, slot: str) -> str:
        """Return where the value of a slot lies."""
        if slot not in self._places:
            kind = self.function.slots[slot]
            self._places[slot] = self.block(kind)
            if is_flat(kind):
                for number in range(size(kind)):
                    place = self.out.register()
                    offset = f"{place} = getelementptr i64, ptr {self._places[slot]}, i64 {number}"
                    self.out.prologue += [f"  {offset}", f"  store i64 0, ptr {place}"]
        return self._places[slot]

    def given(self, slot: str, address: str) -> None:
        """Say where the value of a parameter lies that the caller sees change."""
        self._places[slot] = address

    def bind(self, slot: str, value: Value) -> None:
        """Emit that a slot gets a value."""
        kind = self.function.slots[slot]
        if slot not in self._slots.memory:
            self._registers[slot] = self.convert(self.held(value, kind), kind)
            return
        self.store(self.held(value, kind), kind, self.address_of(slot))
        if slot in self._slots.unsure:
            self.out.emit(f"store i64 1, ptr {self._flag(slot)}")

    def _flag(self, slot: str) -> str:
        if slot not in self._flags:
            self._flags[slot] = self.out.variable()
            self.out.prologue.append(f"  store i64 0, ptr {self._flags[slot]}")
        return self._flags[slot]

    def slot(self, one: form.Local) -> Value:
        """Return what a slot has; the step fails if it has nothing."""
        kind = self.function.slots.get(one.name)
        if kind is None:
            self.fail()
            return self.zero(one.type)
        if one.name not in self._slots.memory:
            return self._registers[one.name]
        if not one.sure:
            there = self.out.value(f"load i64, ptr {self._flag(one.name)}")
            self.out.fail_if(self.out.value(f"icmp eq i64 {there}, 0"))
        return self.load(kind, self.address_of(one.name))

    # --- statements

    def statements(self, body: tuple[form.Statement, ...]) -> None:
        """Emit statements, up to one after which nothing runs."""
        for statement in body:
            if self.out.terminated:
                return
            rule: Callable[[Any], None] = getattr(self, f"_run_{type(statement).__name__.lower()}")
            try:
                rule(statement)
            except UnsupportedError as error:
                raise self._placed(error, statement) from None
            except (AssertionError, NoJoinError):
                # A kind of value that this place does not know.
                text = "a value of another kind than its use has code for"
                raise self._placed(UnsupportedError(text), statement) from None

    def _placed(self, error: UnsupportedError, statement: form.Statement) -> UnsupportedError:
        """Return an error that says its line, if it does not yet."""
        if error.place is None:
            error.place = self.function.file, statement.line
            error.function = self.function.name
        return error

    def _run_bind(self, one: form.Bind) -> None:
        self.bind(one.name, self.value(one.value))

    def _run_do(self, one: form.Do) -> None:
        self.value(one.value)

    def _run_if(self, one: form.If) -> None:
        test = self.condition(one.test)
        if isinstance(test, Constant):
            self.statements(one.body if test.value else one.orelse)
            return
        out = self.out
        yes, no, end = out.label("then"), out.label("else"), out.label("end")
        out.branch(test, yes, no)
        ends = []
        for label, body in ((yes, one.body), (no, one.orelse)):
            out.place_label(label)
            self.statements(body)
            if not out.terminated:
                ends.append(label)
                out.jump(end)
        if ends:
            out.place_label(end)

    def _run_for(self, one: form.For) -> None:
        out = self.out
        end = out.label("after")

        def each(value: Value) -> None:
            again = out.label("again")
            self._labels[one.label] = (end, again)
            self.bind(one.slot, value)
            self.statements(one.body)
            out.place_label(again)

        self.each(one.over, self.watching(one.over, one.body, each))
        out.place_label(end)

    def _run_while(self, one: form.While) -> None:
        out = self.out
        out.loops.append(True)
        head, inner, end = out.label("head"), out.label("body"), out.label("after")
        out.place_label(head)
        out.begin_round()
        out.branch(self.condition(one.test), inner, end)
        out.place_label(inner)
        self._labels[one.label] = (end, head)
        self.statements(one.body)
        if not out.terminated:
            out.jump(head)
        out.place_label(end)

    def _run_block(self, one: form.Block) -> None:
        end = self.out.label("after")
        self._labels[one.label] = (end, end)
        self.statements(one.body)
        self.out.place_label(end)

    def _run_leave(self, one: form.Leave) -> None:
        end, again = self._labels[one.label]
        self.out.jump(again if one.again else end)

    def _run_return(self, one: form.Return) -> None:
        self._returns(self, self.value(one.value))
        self.out.terminated = True

    def _run_fail(self, one: form.Fail) -> None:
        if one.verdict and self.module.unit.asserts:
            self.out.assertion_fails()
        else:
            self.fail()
        self.out.gives_up = True
        self.out.jump("up")

    def _run_store(self, one: form.Store) -> None:
        self.out.loops.append(True)
        value, target = self.value(one.value), one.target
        if isinstance(target, form.Slice):
            if isinstance(value.type, Ref):
                value = self.snapshot(value)
            self.splice(target, self.kept(value))
            return
        if isinstance(target.type, Ref) and not isinstance(target, (form.Part, form.Element)):
            self.fill(self.place(target), value)
            return
        if not isinstance(value.type, Ref):
            value = self.kept(value)
        owner = self.place(target.of)  # type: ignore[attr-defined]
        if isinstance(owner.type, Ref):
            self._store_in_state(owner, target, value)
        else:
            self._store_in(owner, target, value)

    def _store_in_state(self, owner: Value, target: form.Expression, value: Value) -> None:
        if isinstance(target, form.Part):
            self.put(owner, target.name, value)
            return
        assert isinstance(target, form.Element)
        node, index = self.node(owner), self.number(target.index)
        if hasattr(node, "items"):
            items, most = self.hidden(owner, "items"), len(node.items)
            at = self.checked(index, self.length_of(owner), most)
            self.put_element(items, at, value)
        else:
            self.put_element(owner, self.checked(index, Constant(len(node)), len(node)), value)

    def _store_in(self, owner: Value, target: form.Expression, value: Value) -> None:
        """Emit the writing of a part of a value of one's own."""
        if isinstance(target, form.Part):
            self._put_field(owner, target, value)
        elif isinstance(target, form.Element):
            kind = owner.type
            assert isinstance(kind, Sequence)
            length = self.length_at(owner.address, kind)
            index = self.from_beginning(self.number(target.index), length)
            at = self.checked(index, length, room(kind))
            self.store(
                self.held(value, kind.element),
                kind.element,
                self.element_address(owner.address, at, size(kind.element)),
            )
        else:
            assert isinstance(target, form.Lookup)
            assert isinstance(owner.type, Mapping)
            key = self.snapshot(self.value(target.key))
            self.put_entry(owner, owner.type, key, self.held(value, owner.type.value), "")

    def _put_field(self, owner: Value, target: form.Part, value: Value) -> None:
        kind = owner.type
        assert isinstance(kind, Record)
        offset = 0
        for name, part in kind.fields:
            if name == target.name:
                break
            offset += size(part)
        else:
            raise UnsupportedError(f"a record that may lack {target.name}")
        if not is_flat(kind):
            self.store(self.snapshot(value), part, self.at(owner.address, offset))
            return
        new = self.convert(self.snapshot(value), part)
        every = [*owner.leaves]
        every[offset : offset + size(part)] = new.leaves
        self.write_back(target.of, Value(kind, tuple(every)))

    # --- paths

    def place(self, path: form.Expression) -> Value:
        """Return what lies at a path itself."""
        if isinstance(path, form.Local):
            value = self.slot(path)
            if isinstance(value.type, Places) and isinstance(path.type, Ref):
                return self.place_among(value, path.type)
            return value
        if isinstance(path, form.Part):
            owner = self.place(path.of)
            return (
                self.part_of(owner, path.name)
                if isinstance(owner.type, Ref)
                else self.field(owner, path.name)
            )
        if isinstance(path, form.Element):
            owner = self.place(path.of)
            if isinstance(owner.type, Ref):
                return self.element_of(owner, self.number(path.index))
            kind = owner.type
            assert isinstance(kind, Sequence)
            length = self.length_at(owner.address, kind)
            index = self.from_beginning(self.number(path.index), length)
            return self.element(owner.address, kind, self.checked(index, length, room(kind)))
        if isinstance(path, form.Item):
            return self.item(self.place(path.of), path.number)
        if isinstance(path, form.Lookup):
            return self._entry_at(path)
        if isinstance(path, form.Certain):
            return self.certain(self.place(path.of))
        return self.value(path)

    def _entry_at(self, path: form.Lookup) -> Value:
        owner = self.place(path.of)
        kind = owner.type
        assert isinstance(kind, Mapping)
        key = self.snapshot(self.value(path.key))
        place = self.find_key(owner, key)
        result = self.out.compare("slt", place, self.length_at(owner.address, kind))
        return self._found(path, owner, kind, key, place, result, None)

    def write_back(self, path: form.Expression, value: Value) -> None:
        """Emit that what lies at a path is a value in registers from now on."""
        if isinstance(path, form.Local):
            self.bind(path.name, value)
        elif isinstance(path, (form.Part, form.Element)):
            self._store_in(self.place(path.of), path, value)
        elif isinstance(path, form.Lookup):
            owner = self.place(path.of)
            assert isinstance(owner.type, Mapping)
            self.put_entry(owner, owner.type, self.snapshot(self.value(path.key)), value, "")
        else:
            raise UnsupportedError("a change of what lies in a tuple")

    # --- calls

    def _call(self, one: form.Call) -> Value:
        back = dict(one.back)
        arguments: list[tuple[Value, bool]] = []
        waiting: list[tuple[form.Expression, str, Type]] = []
        for name, part in zip(one.function.parameters, one.arguments, strict=True):
            kind = one.function.slots[name]
            if name in one.function.changes:
                arguments.append((self._shared(name, part, kind, back, waiting), True))
            else:
                value = self.held(self.value(part), kind)
                arguments.append((self.kept(self.convert(value, kind)), False))
        result = self.module.call(self, one.function, arguments)
        for where, address, kind in waiting:
            self.write_back_any(where, self.load(kind, address))
        return result

    def _shared(
        self,
        name: str,
        part: form.Expression,
        kind: Type,
        back: dict[str, form.Expression],
        waiting: list[tuple[form.Expression, str, Type]],
    ) -> Value:
        """Return an argument that the function changes: where it lies, or a copy to write back."""
        if isinstance(part, form.Local) and shape(self.function.slots[part.name]) == shape(kind):
            return Value(kind, address=self.address_of(part.name))
        address = self.block(kind)
        self.store(self.snapshot(self.value(part)), kind, address)
        if name in back:
            waiting.append((back[name], address, kind))
        return Value(kind, address=address)

    def write_back_any(self, where: form.Expression, value: Value) -> None:
        """Emit that what lies at a path has been changed elsewhere."""
        if isinstance(where, form.Local):
            self.bind(where.name, value)
            return
        there = self.place(where)
        if is_flat(there.type):
            self.write_back(where, value)
        else:
            self.store(value, there.type, there.address)

    def called(self, supplied: form.Given, values: list[Value]) -> Value:
        """Emit the call of a function that is an argument of another one."""
        names = supplied.function.parameters
        captured = [self.value(part) for part in supplied.captured]
        every = [*values, *captured]
        arguments = []
        for name, value in zip(names, every, strict=True):
            kind = supplied.function.slots[name]
            arguments.append((self.kept(self.convert(self.held(value, kind), kind)), False))
        return self.module.call(self, supplied.function, arguments)
