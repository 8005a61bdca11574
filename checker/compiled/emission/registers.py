"""Which slots of a function need memory, and which are only names for registers."""

from __future__ import annotations

from collections.abc import Iterable

from ....language import form
from ....language.lowering.effects import children, effects
from ....language.types import Ref
from .layouts import is_flat

NOTHING = frozenset[str]()


class Slots:
    """Follows a function in the order in which its code is emitted.

    Attributes
    ----------
    memory
        The slots whose values have to lie in memory.  A register holds the value of all others:
        wherever one is read, the last assignment before, in the order of the code, is on every
        way that leads there.
    unsure
        The slots that may have nothing where they are read.
    """

    def __init__(self, function: form.Function) -> None:
        changed = set[str]().union(*map(effects, function.body))
        self.unsure: set[str] = set()
        self.memory = set(function.changes) | {
            name
            for name, kind in function.slots.items()
            if not is_flat(kind) or (name in changed and not isinstance(kind, Ref))
        }
        self._held = set(function.parameters)
        self._known: dict[int, frozenset[str]] = {}
        for statement in function.body:
            self._note(statement)
        self._statements(function.body)

    def _statements(self, body: Iterable[form.Statement]) -> None:
        """Follow statements, one after the other."""
        for one in body:
            if isinstance(one, form.Bind):
                self._expression(one.value)
                self._held.add(one.name)
            elif isinstance(one, form.If):
                self._expression(one.test)
                self._apart(one.body)
                self._apart(one.orelse)
            elif isinstance(one, (form.For, form.While)):
                self._loop(one)
            elif isinstance(one, form.Block):
                self._apart(one.body)
            else:
                self._parts(one)

    def _apart(self, body: tuple[form.Statement, ...], slot: str | None = None) -> None:
        """Follow statements that other ways lead past."""
        before = set(self._held)
        if slot is not None:
            self._held.add(slot)
        self._statements(body)
        self._held = before - self._assigned(*body)

    def _loop(self, one: form.For | form.While) -> None:
        # What a round assigns, the next one reads, and so do the conditions of a generator.
        assigned = self._assigned(one)
        self._held -= assigned
        self._expression(one.over if isinstance(one, form.For) else one.test)
        self._held -= assigned
        self._apart(one.body, one.slot if isinstance(one, form.For) else None)
        self._held -= assigned

    def _expression(self, one: form.Expression) -> None:
        if isinstance(one, form.Constant):
            return
        if isinstance(one, form.Local):
            if not one.sure:
                self.unsure.add(one.name)
            if not one.sure or one.name not in self._held:
                self.memory.add(one.name)
        elif isinstance(one, form.After):
            self._statements(one.body)
            self._expression(one.value)
        elif isinstance(one, form.Comprehension):
            self._clauses(one)
        else:
            if isinstance(one, form.Call):
                self._shared(one)
            self._parts(one)

    def _parts(self, one: form.Expression | form.Statement) -> None:
        """Follow the parts of what may leave some of them out, or ask them many times."""
        assigned = self._assigned(one)
        if assigned:
            self._held -= assigned
        for part in children(one):
            assert isinstance(part, form.Expression)
            self._expression(part)
            if assigned:
                self._held -= assigned

    def _clauses(self, one: form.Comprehension) -> None:
        assigned = self._assigned(one)
        self._held -= assigned
        for clause in one.clauses:
            self._expression(clause.over)
            self._held -= self._assigned(clause.over)
            self._held.add(clause.slot)
            self._statements(clause.body)
            for condition in clause.conditions:
                self._expression(condition)
                self._held -= self._assigned(condition)
        self._expression(one.result)
        self._held -= assigned | {clause.slot for clause in one.clauses}

    def _shared(self, one: form.Call) -> None:
        """Note the slots that a function gets to change them."""
        for name, part in zip(one.function.parameters, one.arguments, strict=True):
            if name in one.function.changes and isinstance(part, form.Local):
                self.memory.add(part.name)

    def _assigned(self, *parts: form.Expression | form.Statement) -> frozenset[str]:
        """Return the slots that parts of the function give values."""
        some = [self._known[id(part)] for part in parts if id(part) in self._known]
        return some[0] if len(some) == 1 else NOTHING.union(*some)

    def _note(self, one: form.Expression | form.Statement) -> set[str]:
        """Note the slots that a part and each part of it give values, and return them."""
        result = set[str]()
        for part in children(one):
            if not isinstance(part, (form.Local, form.Constant)):
                result |= self._note(part)
        if isinstance(one, form.Bind):
            result.add(one.name)
        elif isinstance(one, form.For):
            result.add(one.slot)
        elif isinstance(one, form.Comprehension):
            result.update(clause.slot for clause in one.clauses)
        if result:
            self._known[id(one)] = frozenset(result)
        return result
