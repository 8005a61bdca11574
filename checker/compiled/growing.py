"""From a plain Python function to LLVM: dictionaries that grow, or whose keys are not known.

Such a dictionary is a list of pairs in the order in which Python has them; a key is looked for from
the first one on.  ``defaultdict`` and ``Counter`` differ in what a key gives that is not there.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .function import Scope
from .tables import Indexed
from .values import (
    NOWHERE,
    Bits,
    Closure,
    Constant,
    Dictionary,
    Entries,
    Items,
    Number,
    Truth,
    UnsupportedError,
    Value,
    View,
    is_none,
)

if TYPE_CHECKING:
    from .expressions import Expressions

KINDS = (dict, defaultdict, Counter)
"""The classes that make such a dictionary."""

_PARTS = {"keys": 0, "values": 1, "items": None}
"""The methods that show it, and which part of a pair each of them yields."""


_MOST = 2
"""The most arguments of a method: a key, and what stands for a value that is missing."""


@dataclass(frozen=True)
class Entry:
    """What belongs to a key of a dictionary, as the target of an assignment."""

    entries: Entries
    key: Value


class GrowingDictionaries:
    """Translates what makes, reads and changes dictionaries that are lists of pairs."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.scope, self.out, self.expressions = scope, scope.out, expressions

    def called(self, kind: type, node: ast.Call) -> Entries:
        """Return what ``dict()``, ``defaultdict(int)`` or ``Counter(votes)`` makes."""
        if node.keywords or len(node.args) > 1 or (kind is defaultdict and not node.args):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        if kind is defaultdict:
            return self.new(kind, self.expressions.expression(node.args[0]))
        made = self.new(kind)
        if node.args:
            self._fill(made, node)
        return made

    def _fill(self, made: Entries, node: ast.Call) -> None:
        """Emit the addition of what an argument yields: of pairs, or of what a Counter counts."""
        [argument] = node.args
        generated = isinstance(argument, (ast.GeneratorExp, ast.ListComp))
        if not generated:
            value = self.expressions.known(argument)
            if is_dictionary(value):
                raise UnsupportedError(f"the call {ast.unparse(node)}")

        def add(element: Value) -> None:
            element = self.expressions.certain(element)
            if made.kind is Counter:
                self.put(made, element, self._more(self.element(made, element)))
            else:
                self.put(made, *self.expressions.taken_apart(element, 2))

        self.expressions.calls.comprehensions.elements(argument, add)

    def _more(self, count: Value) -> Value:
        return self.expressions.computed(ast.Add(), count, Constant(1))

    def new(self, kind: type = dict, default: Value | None = None) -> Entries:
        """Return an empty dictionary; `default` is what a ``defaultdict`` calls."""
        lists = self.scope.lists
        return Entries(lists.new(), lists.counter(), kind, default)

    def copied(self, into: Entries, value: Value) -> None:
        """Emit that a dictionary has the pairs of another one, and nothing else."""
        self.scope.lists.note_change(into.changes)
        self.scope.lists.set_length(into.cells, Constant(0))
        if isinstance(value, Entries):
            self.expressions.calls.collections.add_all(into.cells, value.cells)
            return
        for key, part in pairs_of(value):
            self.scope.lists.append(into.cells, Items((key, part)))

    def element(self, entries: Entries, key: Value) -> Value:
        """Return what belongs to a key, as Python's ``d[key]`` finds it."""
        out, at = self.out, self._place(entries, key)
        missing = self._is_missing(at)
        if entries.kind is dict:
            out.fail_if(out.truth(missing))
        elif entries.default is not None:
            with self._where(missing):
                self._add(entries, key, self._made(entries.default))
            at = self._place(entries, key)
        value = self._value(entries, at)
        if entries.kind is not Counter:
            return value
        return (
            Constant(0)
            if value is NOWHERE
            else self.expressions.either(missing, Constant(0), value)
        )

    def put(self, entries: Entries, key: Value, value: Value) -> None:
        """Emit the assignment of a value to a key, which stays where it is if it is there."""
        out, lists = self.out, self.scope.lists
        at = self._place(entries, key)
        place = out.extreme("max", at, Constant(0))
        there, other, end = (out.label(hint) for hint in ("there", "other", "end"))
        out.branch(self._is_missing(at), other, there)
        out.place_label(there)
        pair = lists.at(entries.cells, place)
        old = pair.items[0] if isinstance(pair, Items) else key
        if entries.cells.shapes:
            lists.put(entries.cells, place, Items((old, value)))
        out.jump(end)
        out.place_label(other)
        self._add(entries, key, value)
        out.place_label(end)

    def among(self, value: Value, of: Entries | View) -> Value:
        """Return whether a value is a key, or what a method shows."""
        if isinstance(of, View) and of.part != "keys":
            listed = self.scope.lists.new()
            self.expressions.calls.collections.add_all(listed, of)
            member = self.expressions.calls.collections.among(value, listed)
            assert member is not None
            return member
        at = self._place(of.entries if isinstance(of, View) else of, value)
        return Truth(self.out.truth(self.out.compare("sge", at, Constant(0))))

    def indexed(self, of: Entries | View) -> Indexed:
        """Return how keys, values or pairs are found; an addition or a removal meanwhile fails."""
        view = of if isinstance(of, View) else View(of, "keys")
        cells, out, lists = view.entries.cells, self.out, self.scope.lists
        part = _PARTS[view.part]

        def at(index: Value) -> Value:
            pair = lists.at(cells, out.extreme("min", index, Constant(cells.most - 1)))
            return pair.items[part] if part is not None and isinstance(pair, Items) else pair

        return Indexed(cells.most, lists.length_in_loop(cells, view.entries.changes), at)

    def method(self, entries: Entries, name: str, node: ast.Call) -> Value:
        """Return the value of the call of a method."""
        arguments = node.args
        if node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        if name in _PARTS and not arguments:
            return View(entries, name)
        if name == "get" and 1 <= len(arguments) <= _MOST:
            key, *rest = map(self.expressions.value, arguments)
            return self._or_default(entries, key, rest[0] if rest else Constant(None))
        if name == "setdefault" and len(arguments) == _MOST:
            key, default = map(self.expressions.known, arguments)
            with self._where(self._is_missing(self._place(entries, key))):
                self._add(entries, key, default)
            return self._value(entries, self._place(entries, key))
        if name == "pop" and 1 <= len(arguments) <= _MOST:
            return self.taken(entries, *map(self.expressions.value, arguments))
        if name == "update" and len(arguments) == 1 and entries.kind is not Counter:
            self.update(entries, self.expressions.value(arguments[0]))
            return Constant(None)
        if name == "clear" and not arguments:
            self.scope.lists.note_change(entries.changes)
            self.scope.lists.set_length(entries.cells, Constant(0))
            return Constant(None)
        if name == "most_common" and entries.kind is Counter and len(arguments) <= 1:
            return self._most_common(node)
        raise UnsupportedError(f"the call {ast.unparse(node)}")

    def taken(self, entries: Entries, key: Value, default: Value | None = None) -> Value:
        """Emit the removal of a key, which must be there without a default; return its value."""
        out, at = self.out, self._place(entries, key)
        missing = self._is_missing(at)
        if default is None:
            out.fail_if(out.truth(missing))
        value = self._value(entries, at)
        if value is NOWHERE:
            return value if default is None else default
        there = Truth(out.value(f"xor i1 {out.truth(missing)}, true"))
        with self._where(there):
            self.scope.lists.take_out(entries.cells, out.extreme("max", at, Constant(0)))
            self.scope.lists.note_change(entries.changes)
        if default is None:
            return value
        if is_none(default):
            return self.expressions.unless(missing, value)
        return self.expressions.either(missing, default, value)

    def update(self, entries: Entries, value: Value) -> None:
        """Emit that a dictionary has the keys of another one, or of pairs, too."""
        if is_dictionary(value) and not isinstance(value, Entries):
            for key, part in pairs_of(value):
                self.put(entries, key, part)
            return

        def put(pair: Value, following: str, end: str) -> None:
            self.put(entries, *self.expressions.taken_apart(pair, 2))

        pairs = value.cells if isinstance(value, Entries) else value
        self.expressions.calls.loops.over(_SOME, pairs, put)

    def from_keys(self, node: ast.Call) -> Entries:
        """Return what ``dict.fromkeys(keys, value)`` makes."""
        if not 1 <= len(node.args) <= _MOST or node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        keys, *rest = map(self.expressions.value, node.args)
        made, value = self.new(), rest[0] if rest else Constant(None)
        loop = self.expressions.calls.loops.over
        loop(node, keys, lambda key, following, end: self.put(made, key, value))
        return made

    def _most_common(self, node: ast.Call) -> Value:
        """Return the pairs with the highest counts; of equal ones, the earlier ones first."""
        assert isinstance(node.func, ast.Attribute)
        owner = ast.unparse(node.func.value)
        most = [one.value if isinstance(one, ast.Constant) else None for one in node.args]
        if any(type(number) is not int for number in most):
            raise UnsupportedError(f"the call {ast.unparse(node)}, of a number that is computed,")
        spelled = f"sorted({owner}.items(), key=lambda pair: -pair[1])[:{''.join(map(str, most))}]"
        return self.expressions.expression(ast.parse(spelled, mode="eval").body)

    def _or_default(self, entries: Entries, key: Value, default: Value) -> Value:
        missing = self._is_missing(at := self._place(entries, key))
        value = self._value(entries, at)
        if value is NOWHERE:
            return default
        if is_none(default):
            return self.expressions.unless(missing, value)
        return self.expressions.either(missing, default, value)

    def _place(self, entries: Entries, key: Value) -> Value:
        """Return the place of a key; -1 if it is not there."""
        out, key = self.out, self.expressions.certain(key)
        if not entries.cells.shapes:
            # It has no key yet, unless a later statement of a loop adds one.
            self.scope.lists.note_early(entries.cells)
            return Constant(-1)
        result, number = out.variable(), out.variable()
        out.emit(f"store i64 -1, ptr {result}")
        out.emit(f"store i64 0, ptr {number}")

        def look(pair: Value, following: str, end: str) -> None:
            other = pair.items[0] if isinstance(pair, Items) else pair
            here, on = out.label("here"), out.label("on")
            out.branch(self.expressions.equal(ast.Eq(), key, other), here, on)
            out.place_label(here)
            out.emit(f"store i64 {out.value(f'load i64, ptr {number}')}, ptr {result}")
            out.jump(end)
            out.place_label(on)
            more = out.value(f"add i64 {out.value(f'load i64, ptr {number}')}, 1")
            out.emit(f"store i64 {more}, ptr {number}")

        self.expressions.calls.loops.over(_SOME, entries.cells, look)
        known = (-1, entries.cells.most - 1)
        return Number(out.value(f"load i64, ptr {result}"), known, int)

    def _is_missing(self, at: Value) -> Value:
        return self.out.compare("slt", at, Constant(0))

    def _value(self, entries: Entries, at: Value) -> Value:
        """Return the value at a place, or anything if that is none."""
        if not entries.cells.shapes:
            return NOWHERE
        pair = self.scope.lists.at(entries.cells, self.out.extreme("max", at, Constant(0)))
        return pair.items[1] if isinstance(pair, Items) else pair

    def _add(self, entries: Entries, key: Value, value: Value) -> None:
        pair = Items((self.expressions.certain(key), self.expressions.certain(value)))
        self.scope.lists.append(entries.cells, pair)
        self.scope.lists.note_change(entries.changes)

    def _made(self, factory: Value) -> Value:
        """Return what a ``defaultdict`` calls for a key that is missing."""
        if isinstance(factory, Constant) and factory.value in (int, bool):
            return Constant(factory.value())
        if isinstance(factory, Constant) and factory.value in (set, frozenset):
            return Bits(Constant(0))
        if isinstance(factory, Closure):
            return self.expressions.calls.called_with(factory, [], _SOME)
        raise UnsupportedError("a defaultdict of anything but numbers and sets")

    @contextmanager
    def _where(self, test: Value) -> Iterator[None]:
        """Run the code that this block emits only where a test holds."""
        inside, end = self.out.label("inside"), self.out.label("end")
        self.out.branch(test, inside, end)
        self.out.place_label(inside)
        yield
        self.out.place_label(end)


_SOME = ast.Name("dictionary", ast.Load())


def is_dictionary(value: Value) -> bool:
    """Whether a value is a dictionary outside of the state."""
    is_known = isinstance(value, Constant) and type(value.value) is dict
    return is_known or isinstance(value, (Dictionary, Entries))


def pairs_of(value: Value) -> Iterator[tuple[Value, Value]]:
    """Yield the keys and values of a dictionary whose keys are known."""
    if isinstance(value, Dictionary):
        yield from zip(map(Constant, value.keys), value.values, strict=True)
    elif isinstance(value, Constant):
        for key, part in value.value.items():
            yield Constant(key), Constant(part)
