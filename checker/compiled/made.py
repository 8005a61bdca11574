"""From a plain Python function to LLVM: records that are made by name, ``Msg(kind=1, log=[])``."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.containers import Seq, Set
from ...core.fields import Array, Field, Record, declared_parts, lowest
from ...core.values import as_kind, members_of
from .function import Scope
from .sequences import Contents, New, declared_by
from .values import (
    LEFT_OUT,
    Constant,
    Items,
    Made,
    Number,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    ask,
    is_left_out,
    kind_of,
    span,
)

if TYPE_CHECKING:
    from .expressions import Expressions


class Making:
    """Translates the making of records outside of the state."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.unit, self.out, self.expressions = scope.unit, scope.out, expressions
        self.sequences, self.records = expressions.sequences, expressions.records

    def made(self, declaration: type[Record], node: ast.Call) -> Made:
        """Return a record outside of the state."""
        declared = declared_parts(declaration)
        named = {str(part.arg): part.value for part in node.keywords}
        if node.args or not named.keys() <= declared.keys():
            raise UnsupportedError(f"{ast.unparse(node)}, which names another variable,")
        passed = {name: self._passed(declared[name], part) for name, part in named.items()}
        if all(isinstance(part, Field) for part in declared.values()):
            lows = {f".{name}": ask(lowest, part) for name, part in declared.items()}
            contents: Contents = {
                path: LEFT_OUT if low is None else Constant(low) for path, low in lows.items()
            }
            sample: Any = declaration
        else:
            place = self.unit.places.of(declaration)
            blank, sample = ask(declaration), place.sample
            contents = {
                path: LEFT_OUT if _is_left_out(blank, path) else self.unit.places.lowest(leaf)
                for path, leaf in self.sequences.leaves(place).items()
            }
        for name, value in passed.items():
            part = declared[name]
            if isinstance(part, Field):
                contents[f".{name}"] = self._as_kind(value, part.kind)
                continue
            inner = self._part(part, self.records.part(place, name), value, node)
            contents |= {f".{name}{path}": part for path, part in inner.items()}
        return Made(tuple(contents), tuple(contents.values()), sample)

    def replaced(self, node: ast.Call) -> Made:
        """Return a record outside of the state with another value of one part."""
        record, part, value, made = node.args
        before, name = self.expressions.value(record), self._name(part)
        parts = declared_parts(declared_by(before)) if isinstance(before, Made) else {}
        declared = parts.get(name)
        if not isinstance(before, Made) or declared is None:
            raise UnsupportedError(f"{name}, which is not a variable of a record, as a target")
        is_made = isinstance(made, ast.Constant) and bool(made.value)
        if not (is_made or isinstance(declared, Field)):
            raise UnsupportedError(f"{name}, a part of a record that was taken out, as a target")
        passed = self._passed(declared, value)
        if isinstance(declared, Field):
            written = {f".{name}": self._as_kind(passed, declared.kind)}
        else:
            place = self.records.part(self.unit.places.of(declared_by(before)), name)
            inner = self._part(declared, place, passed, value)
            written = {f".{name}{path}": part for path, part in inner.items()}
        contents = dict(zip(before.paths, before.values, strict=True)) | written
        return replace(before, values=tuple(contents[path] for path in before.paths))

    @staticmethod
    def _name(node: ast.expr) -> str:
        """Return the name of the part that is written."""
        assert isinstance(node, ast.Constant)
        return str(node.value)

    def _passed(self, declared: Any, node: ast.expr) -> Any:
        """Return the argument of a part, as Python keeps it until the others are evaluated."""
        if isinstance(declared, Field):
            return self.expressions.known(node)
        if isinstance(declared, Array) or issubclass(declared, Seq):
            values = self.sequences.values(node)
            return self.sequences.fixed(values) if isinstance(values, Span) else values
        return self.expressions.value(node)

    def _part(self, declared: Any, place: StateRef, passed: Any, node: ast.expr) -> Contents:
        """Return the values of a part that is passed, by their paths in it."""
        leaves = self.sequences.leaves(place)
        if isinstance(declared, Array) and isinstance(declared.element, Array):
            return self._rows(declared.element, place, passed, node)
        if isinstance(declared, Array):
            elements, count = self._elements(passed, len(place.sample))
            self._unless("ne", count, len(place.sample))
            contents = {
                f"[{number}]{path}": value
                for number, element in enumerate(elements)
                for path, value in element.items()
            }
        elif issubclass(declared, Seq):
            contents = self._sequence(place, passed, leaves)
        elif issubclass(declared, Set):
            contents = {".mask": self.expressions.calls.collections.mask_of(passed, node)}
        else:
            contents = self.sequences.contents(passed)
        if contents.keys() != leaves.keys():
            raise UnsupportedError(f"{ast.unparse(node)}, with another kind of {place.form},")
        return {
            path: self._as_kind(contents[path], self.unit.places.kind(leaf))
            for path, leaf in leaves.items()
        }

    def _rows(self, declared: Array, place: StateRef, passed: Any, node: ast.expr) -> Contents:
        """Return the values of an array of arrays."""
        if isinstance(passed, (StateRef, Made)):
            passed = [self.records.item(passed, Constant(n)) for n in range(len(passed.sample))]
        if not isinstance(passed, list) or len(passed) != len(place.sample):
            raise UnsupportedError(f"{ast.unparse(node)}, with other rows of {place.form},")
        contents: Contents = {}
        for number, row in enumerate(passed):
            inside = self.records.element(place, Constant(number))
            assert inside is not None
            new = list(row.items) if isinstance(row, Items) else row
            inner = self._part(declared, inside, new, node)
            contents |= {f"[{number}]{path}": value for path, value in inner.items()}
        return contents

    def _sequence(self, place: StateRef, passed: New, leaves: dict[str, StateRef]) -> Contents:
        """Return the values of a sequence with these elements."""
        lows: Contents = {path: self.unit.places.lowest(leaf) for path, leaf in leaves.items()}
        most = len(place.sample.items)
        elements, count = self._elements(passed, most)
        # A longer list is one of Python's: it only must not be stored.
        self._unless("sgt", count, most)
        contents = {**lows, ".length": count}
        for number, element in enumerate(elements[:most]):
            there = self.out.compare("sgt", count, Constant(number))
            for inner, value in element.items():
                path = f".items[{number}]{inner}"
                sure = isinstance(there, Constant) or path not in lows
                contents[path] = value if sure else self.records.chosen(there, value, lows[path])
        return contents

    def _elements(self, passed: Any, most: int) -> tuple[list[Contents], Value]:
        """Return what the elements of a sequence, an array or a list hold, and how many."""
        if isinstance(passed, (StateRef, Made)) and isinstance(passed.sample, (list, tuple)):
            indices = map(Constant, range(len(passed.sample)))
            passed = [self.records.item(passed, index) for index in indices]
        return self.sequences.loaded(passed, most)

    def _unless(self, comparison: str, count: Value, length: int) -> None:
        """Leave the step to Python if a number of elements compares so with a length."""
        self.out.fail_if(self.out.truth(self.out.compare(comparison, count, Constant(length))))

    def _as_kind(self, value: Value, kind: type) -> Value:
        """Return what a variable of a record outside of the state reads as, once it is written."""
        if kind is int or is_left_out(value) or kind_of(value) is kind:
            return value
        if isinstance(value, Constant):
            return Constant(ask(as_kind, kind, value.value))
        if not isinstance(value, (Number, Truth)):
            return value
        known, members = span(value), members_of(kind)
        surely = known is not None and known[0] >= min(members) and known[1] <= max(members)
        return Number(self.out.number(value), known, kind if surely else None)


def _is_left_out(record: Any, path: str) -> bool:
    """Whether Python's record lacks a variable; a sequence is a list there."""
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        if name and isinstance(record, list):
            return False
        if name and not hasattr(record, name):
            return True
        record = getattr(record, name) if name else record[int(index)]
    return False
