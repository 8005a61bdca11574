"""Defects of the lowering: the typed form of a system's rules with one node changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from random import Random
from typing import Any

from tidegate.core.fields import Record as StateRecord
from tidegate.core.fields import part_names
from tidegate.language import form, types
from tidegate.language.schema import Schema

Node = Any
"""An expression, a statement, or a clause."""

Step = tuple[str, tuple[int, ...]]
"""The field that has a part of a node, and where it is there, if the field has several."""

NODES = (form.Expression, form.Statement, form.Clause)

ONE = form.Constant(types.Number(1, 1), 1)


@dataclass(frozen=True)
class Spot:
    """A node of a function.

    Attributes
    ----------
    path
        How to get there from the function.
    is_place
        Whether it says where to write, so that only another place can stand there.
    known
        The slots that have a value there.
    """

    function: form.Function
    path: tuple[Step, ...]
    node: Node
    is_place: bool
    known: tuple[str, ...]


@dataclass(frozen=True)
class Defect:
    """One changed node: a statement may have become none, or several."""

    spot: Spot
    kind: str
    after: Node

    def body(self) -> tuple[form.Statement, ...]:
        """Return the body of the function with the change."""
        [(_, index), *rest] = self.spot.path
        body = self.spot.function.body
        return tuple(_put_among(body, index, rest, self.after))

    def __str__(self) -> str:
        function = self.spot.function
        lines = [one.line for one in _along(self.spot) if isinstance(one, form.Statement)]
        before, after = shown(self.spot.node), shown(self.after)
        where = f"{function.name}, line {lines[-1]} of {function.file.rpartition('/')[2]}"
        return f"{type(self.spot.node).__name__}, {self.kind}, in {where}: {before}  ->  {after}"


def shown(node: Node) -> str:
    """Return a node as a short text, without types and lines."""
    if isinstance(node, tuple):
        return f"({', '.join(map(shown, node))})"
    if isinstance(node, form.Constant):
        return repr(node.value)[:60]
    if isinstance(node, form.Local):
        return node.name
    if isinstance(node, form.Function):
        return node.name
    if not isinstance(node, NODES):
        return str(node)
    parts = [
        shown(getattr(node, one.name))
        for one in fields(node)
        if one.name not in ("type", "line", "label", "sure")
    ]
    return f"{type(node).__name__}({', '.join(parts)})"


def _along(spot: Spot) -> Iterator[Node]:
    """Yield the nodes on the way to one, and that."""
    node: Node = spot.function
    for name, index in spot.path:
        node = getattr(node, name)
        for place in index:
            node = node[place]
        yield node


def _put(node: Node, path: Sequence[Step], after: Node) -> Node:
    """Return a node with another one within it."""
    if not path:
        return after
    [(name, index), *rest] = path
    part = getattr(node, name)
    new = _put_among(part, index, rest, after) if index else _put(part, rest, after)
    return replace(node, **{name: new})


def _put_among(parts: Node, index: tuple[int, ...], rest: Sequence[Step], after: Node) -> Any:
    """Return the parts of a node with another one at a place among them."""
    [place, *deeper] = index
    if deeper:
        new: Node = _put_among(parts[place], tuple(deeper), rest, after)
    else:
        new = _put(parts[place], rest, after)
    # What stands for one statement may be several, or none.
    several = new if isinstance(new, tuple) and not deeper else (new,)
    return (*parts[:place], *several, *parts[place + 1 :])


# --- the nodes of a function


def functions_of(roots: Iterable[form.Function]) -> list[form.Function]:
    """Return functions with all that they call, each once."""
    every: dict[int, form.Function] = {}
    left = [*roots]
    while left:
        function = left.pop(0)
        if id(function) not in every:
            every[id(function)] = function
            nodes = (spot.node for spot in spots_of(function))
            left += [one.function for one in nodes if isinstance(one, (form.Call, form.Given))]
    return list(every.values())


def spots_of(function: form.Function) -> Iterator[Spot]:
    """Yield the nodes of a function, each before its parts."""
    yield from _block(function, "body", (), function.body, function.parameters)


def _block(
    function: form.Function,
    name: str,
    path: tuple[Step, ...],
    body: tuple[form.Statement, ...],
    known: tuple[str, ...],
) -> Iterator[Spot]:
    for number, statement in enumerate(body):
        yield from _spots(function, (*path, (name, (number,))), statement, False, known)
        if isinstance(statement, form.Bind):
            known = (*known, statement.name)


def _spots(
    function: form.Function,
    path: tuple[Step, ...],
    node: Node,
    is_place: bool,
    known: tuple[str, ...],
) -> Iterator[Spot]:
    yield Spot(function, path, node, is_place, known)
    for one in fields(node):
        part = getattr(node, one.name)
        if isinstance(part, NODES):
            placed = _is_place(node, one.name, is_place)
            yield from _spots(function, (*path, (one.name, ())), part, placed, known)
        elif isinstance(part, tuple) and part and isinstance(part[0], form.Statement):
            inner = (*known, node.slot) if isinstance(node, (form.For, form.Clause)) else known
            yield from _block(function, one.name, path, part, inner)
            known = (*inner, *(each.name for each in part if isinstance(each, form.Bind)))
        elif isinstance(part, tuple) and one.name != "type":
            known = yield from _parts(function, path, node, one.name, known)


def _parts(
    function: form.Function,
    path: tuple[Step, ...],
    node: Node,
    name: str,
    known: tuple[str, ...],
) -> Any:
    """Yield the nodes in a field with several; return the slots that have a value after it."""
    for number, part in enumerate(getattr(node, name)):
        index: tuple[int, ...] = (number,)
        if isinstance(part, tuple):
            index, part = (number, 1), part[1]
        if isinstance(part, NODES):
            placed = name == "back" or (name == "arguments" and _is_shared(node, number))
            yield from _spots(function, (*path, (name, index)), part, placed, known)
        if isinstance(part, form.Clause):
            bound = (each.name for each in part.body if isinstance(each, form.Bind))
            known = (*known, part.slot, *bound)
    return known


def _is_place(node: Node, name: str, is_place: bool) -> bool:
    """Whether a part of a node says where to write."""
    if isinstance(node, form.Store):
        return name == "target"
    if isinstance(node, (form.Change, form.Which)):
        return name == "of"
    return is_place and name == "of"


def _is_shared(node: Node, number: int) -> bool:
    """Whether an argument of a call is changed there."""
    return isinstance(node, form.Call) and node.function.parameters[number] in node.function.changes


# --- the changes of a node

Changed = Iterator[tuple[str, Node]]
"""The kinds of change that a node allows, each with what is there instead."""

OPERATORS = {
    "add": ("sub",), "sub": ("add",), "mul": ("add",), "floordiv": ("mod",), "mod": ("floordiv",),
    "and_": ("or_", "xor"), "or_": ("and_", "xor"), "xor": ("or_", "and_"),
    "lshift": ("rshift",), "rshift": ("lshift",), "min": ("max",), "max": ("min",),
    "eq": ("ne",), "ne": ("eq",), "lt": ("le", "gt", "ge"), "le": ("lt", "ge", "gt"),
    "gt": ("ge", "lt", "le"), "ge": ("gt", "le", "lt"),
}  # fmt: skip
"""What may stand for an operator."""

OF_SETS = {
    "or_": ("and_", "sub", "xor"), "and_": ("or_", "sub", "xor"), "sub": ("and_", "or_", "xor"),
    "xor": ("or_", "and_", "sub"),
}  # fmt: skip

METHODS = {
    "add": "discard", "discard": "add", "remove": "add", "append": "appendleft",
    "appendleft": "append", "pop": "popleft", "popleft": "pop", "extend": "extendleft",
    "extendleft": "extend", "update": "difference_update", "intersection_update": "update",
    "difference_update": "update", "symmetric_difference_update": "update", "sort": "reverse",
    "reverse": "sort", "remove_all": "clear",
}  # fmt: skip

LIBRARY = {"min": "max", "max": "min", "sum": "prod", "prod": "sum", "count": "index"}

ORDERED = ("lt", "le", "gt", "ge", "sub", "floordiv", "mod", "lshift", "rshift")
"""The operators whose operands cannot change places."""


class Changes:
    """Changes nodes of functions.

    Parameters
    ----------
    functions
        All that may be called instead of another one.
    """

    def __init__(self, schema: Schema, functions: Sequence[form.Function], chance: Random) -> None:
        self._schema, self._functions, self._chance = schema, functions, chance

    def of(self, spot: Spot) -> list[tuple[str, Node]]:
        """Return the changes that a node allows."""
        node = spot.node
        rule: Callable[[Spot, Any], Changed] = getattr(self, f"_{type(node).__name__.lower()}")
        changes = list(rule(spot, node))
        if isinstance(node, form.Expression) and not spot.is_place:
            changes += self._any(spot, node)
        return [(kind, after) for kind, after in changes if after != node]

    def _any(self, spot: Spot, node: form.Expression) -> Changed:
        """Yield the changes of whatever has a value of a type."""
        kind = node.type
        name, _ = spot.path[-1]
        if isinstance(kind, types.Optional):
            yield "None instead", form.Constant(kind, None)
        if not isinstance(kind, types.Number) or kind.optional:
            return
        if isinstance(node, form.Constant):
            return
        if kind.kind is bool:
            answers = isinstance(_parent(spot), form.Return)
            yield "returned value" if answers else "negated", self._negated(node)
            yield "decided", form.truth(bool(self._chance.randrange(2)))
        elif kind.kind is int:
            place = {"index": "index", "number": "index"}.get(name, "off by one")
            answers = isinstance(_parent(spot), form.Return)
            yield "returned value" if answers else place, self._beside(node, kind)
        elif isinstance(kind.kind, type) and issubclass(kind.kind, Enum):
            yield "decided", self._member(kind, None)

    def _negated(self, node: form.Expression) -> form.Expression:
        return node.of if isinstance(node, form.Not) else form.Not(types.BOOL, node)

    def _beside(self, node: form.Expression, kind: types.Number) -> form.Expression:
        """Return a number that is one more or one less."""
        low, high = max(kind.low - 1, types.WORD[0]), min(kind.high + 1, types.WORD[1])
        operator = self._chance.choice(["add", "sub"])
        return form.Arithmetic(replace(kind, low=low, high=high), operator, node, ONE)

    def _member(self, kind: types.Number, but: Any) -> form.Constant:
        """Return another member of an enumeration."""
        declared: Any = kind.kind
        some = [one for one in declared if one is not but and kind.low <= int(one) <= kind.high]
        some = some or [one for one in declared if one is not but] or [but]
        member = self._chance.choice(some)
        return form.Constant(types.Number(int(member), int(member), declared), member)

    # --- constants, names and places

    def _constant(self, spot: Spot, node: form.Constant) -> Changed:
        kind, value = node.type, node.value
        if isinstance(kind, types.Number) and value is not None:
            yield self._other_number(kind, value)
        elif isinstance(kind, types.Text):
            texts = [
                one.node.value
                for one in spots_of(spot.function)
                if isinstance(one.node, form.Constant) and isinstance(one.node.type, types.Text)
            ]
            yield "constant", replace(node, value=self._chance.choice([*texts, f"{value}?"]))
        elif isinstance(kind, types.Tuple) and value:
            place = self._chance.randrange(len(value))
            inner = kind.items[place]
            if isinstance(inner, types.Number):
                _, other = self._other_number(inner, value[place])
                items = (*value[:place], other.value, *value[place + 1 :])
                yield "entry of a table", form.Constant(types.type_of(items), items)
        elif isinstance(kind, types.CONTAINERS) and value:
            gone = self._chance.randrange(len(value))
            rest = [one for number, one in enumerate(value) if number != gone]
            if isinstance(value, dict):
                less = value.copy()
                del less[list(value)[gone]]
            else:
                less = type(value)(rest)
            yield "entry of a table", replace(node, value=less)

    def _other_number(self, kind: types.Number, value: Any) -> tuple[str, form.Constant]:
        if isinstance(value, bool):
            return "truth value", form.truth(not value)
        if isinstance(value, Enum):
            return "member", self._member(kind, value)
        other = int(value) + self._chance.choice([-1, 1])
        return "constant", form.Constant(types.Number(other, other, kind.kind), other)

    def _local(self, spot: Spot, node: form.Local) -> Changed:
        slots = spot.function.slots
        mine = slots.get(node.name)
        others = [
            name
            for name in dict.fromkeys(spot.known)
            if name != node.name and mine is not None and self._alike(slots.get(name), mine)
        ]
        if others:
            other = self._chance.choice(others)
            kind = node.type if slots[other] == mine else slots[other]
            yield "another name", form.Local(kind, other)

    def _alike(self, one: types.Type | None, other: types.Type) -> bool:
        """Whether a value of one type may stand where one of the other is."""
        if isinstance(one, types.Number) and isinstance(other, types.Number):
            return one.kind is other.kind and one.optional == other.optional
        if isinstance(one, types.Ref) and isinstance(other, types.Ref):
            return "" not in (one.form, other.form) and self._content(one) == self._content(other)
        return one == other

    def _content(self, place: types.Ref) -> Any:
        """Return what lies at a place: equal for those that can stand for one another."""
        array = self._schema.is_array(place)
        return array, self._schema.most(place) if array else 0, self._schema.value(place)

    def _part(self, spot: Spot, node: form.Part) -> Changed:
        others: list[tuple[str, types.Type]] = []
        owner = node.of.type
        if isinstance(owner, types.Ref) and isinstance(self._schema.node(owner), StateRecord):
            for name in part_names(self._schema.node(owner)):
                kind = self._schema.part(owner, name)
                if name != node.name and kind is not None and self._alike(kind, node.type):
                    others.append((name, kind))
        elif isinstance(owner, types.Record):
            others = [
                (name, kind)
                for name, kind in owner.fields
                if name != node.name and self._alike(kind, node.type)
            ]
        if others:
            name, kind = self._chance.choice(others)
            yield (
                "another variable is written" if spot.is_place else "another variable is read",
                replace(node, name=name, type=kind),
            )

    def _element(self, spot: Spot, node: form.Element) -> Changed:
        kind = node.index.type
        if isinstance(kind, types.Number) and kind.kind in (int, None):
            if isinstance(node.index, form.Constant):
                index: form.Expression = self._other_number(kind, node.index.value)[1]
            else:
                index = self._beside(node.index, kind)
            yield "index", replace(node, index=index)
        if not isinstance(node.of.type, types.Ref):
            yield "index from the end", replace(node, from_end=not node.from_end)

    def _item(self, spot: Spot, node: form.Item) -> Changed:
        items = node.of.type.items if isinstance(node.of.type, types.Tuple) else ()
        others = [
            number
            for number, kind in enumerate(items)
            if number != node.number and self._alike(kind, node.type)
        ]
        if others:
            number = self._chance.choice(others)
            yield "item", replace(node, number=number, type=items[number])
        elif not items:
            yield "item", replace(node, number=node.number + 1)

    def _lookup(self, spot: Spot, node: form.Lookup) -> Changed:
        if spot.is_place:
            return
        if node.default is not None:
            if not isinstance(node.type, types.Optional):
                yield "default", replace(node, default=None)
            yield "default", form.After(node.type, (), self._as(node.default, node.type))
        elif isinstance(node.type, types.Number) and node.type.kind is int:
            yield "default", replace(node, default=form.Constant(types.Number(0, 0), 0))

    def _as(self, value: form.Expression, kind: types.Type) -> form.Expression:
        """Return a value as one of a wider type."""
        if value.type == kind:
            return value
        return form.Choose(kind, form.truth(True), value, value)

    # --- operators

    def _arithmetic(self, spot: Spot, node: form.Arithmetic) -> Changed:
        yield from self._operators(node)
        yield from self._operand(node)

    def _operators(self, node: form.Arithmetic | form.Compare) -> Changed:
        some = OPERATORS.get(node.operator, ())
        if isinstance(node.left.type, types.Members):
            some = OF_SETS.get(node.operator, some)
        if some:
            yield "operator", replace(node, operator=self._chance.choice(some))
        if node.operator in ORDERED:
            yield "operands swapped", replace(node, left=node.right, right=node.left)

    def _operand(self, node: form.Arithmetic | form.Combine) -> Changed:
        """Yield one operand alone."""
        kept = self._chance.choice([node.left, node.right])
        if type(kept.type) is type(node.type) and kept.type != node.type:
            kept = self._as(kept, node.type)
        if kept.type == node.type:
            yield "an operand alone", kept

    def _compare(self, spot: Spot, node: form.Compare) -> Changed:
        yield from self._operators(node)

    def _not(self, spot: Spot, node: form.Not) -> Changed:
        yield "negated", node.of

    def _all(self, spot: Spot, node: form.All) -> Changed:
        yield "and, or", form.AnyOf(node.type, node.parts)
        yield from self._less(node)

    def _anyof(self, spot: Spot, node: form.AnyOf) -> Changed:
        yield "and, or", form.All(node.type, node.parts)
        yield from self._less(node)

    def _less(self, node: form.All | form.AnyOf) -> Changed:
        if len(node.parts) > 1:
            gone = self._chance.randrange(len(node.parts))
            rest = (*node.parts[:gone], *node.parts[gone + 1 :])
            yield "a condition left out", replace(node, parts=rest)

    def _choose(self, spot: Spot, node: form.Choose) -> Changed:
        yield "branches swapped", replace(node, yes=node.no, no=node.yes)
        kept = self._chance.choice([node.yes, node.no])
        yield "one branch alone", replace(node, yes=kept, no=kept)

    def _isnone(self, spot: Spot, node: form.IsNone) -> Changed:
        yield "negated", form.Not(types.BOOL, node)

    def _which(self, spot: Spot, node: form.Which) -> Changed:
        kind = node.type
        if isinstance(kind, types.Number):
            yield "another place", form.Constant(types.Number(kind.high, kind.high), kind.high)
            yield "another place", form.Constant(types.Number(kind.low, kind.low), kind.low)

    def _certain(self, spot: Spot, node: form.Certain) -> Changed:
        if isinstance(node.type, types.Number) and node.type.kind is int and not spot.is_place:
            zero = form.Constant(types.Number(0, 0), 0)
            yield "certain", form.Choose(node.type, form.IsNone(types.BOOL, node.of), zero, node)

    def _after(self, spot: Spot, node: form.After) -> Changed:
        if node.body:
            gone = self._chance.randrange(len(node.body))
            body = (*node.body[:gone], *node.body[gone + 1 :])
            yield "a statement left out", replace(node, body=body)

    # --- containers

    def _make(self, spot: Spot, node: form.Make) -> Changed:
        pairs = [
            (one, other)
            for other in range(len(node.parts))
            for one in range(other)
            if self._alike(node.parts[one].type, node.parts[other].type)
        ]
        if pairs and not isinstance(node.type, types.Members):
            one, other = self._chance.choice(pairs)
            parts = [*node.parts]
            parts[one], parts[other] = parts[other], parts[one]
            yield "parts swapped", replace(node, parts=tuple(parts))
        if isinstance(node.type, types.CONTAINERS) and node.parts:
            size = 2 if isinstance(node.type, types.Mapping) else 1
            gone = self._chance.randrange(len(node.parts) // size) * size
            rest = (*node.parts[:gone], *node.parts[gone + size :])
            yield "a part left out", replace(node, parts=rest)

    def _gather(self, spot: Spot, node: form.Gather) -> Changed:
        yield "nothing gathered", form.Make(node.type, ())
        if isinstance(node.type, types.Sequence):
            yield "begins one later", form.Slice(node.type, node, ONE, None)

    def _copy(self, spot: Spot, node: form.Copy) -> Changed:
        yield "copy left out", node.of

    def _contains(self, spot: Spot, node: form.Contains) -> Changed:
        kind = node.item.type
        if isinstance(kind, types.Number) and kind.kind is int:
            yield "another item", replace(node, item=self._beside(node.item, kind))

    def _length(self, spot: Spot, node: form.Length) -> Changed:
        kind = types.Number(0)
        yield "length", form.Arithmetic(kind, "max", node, ONE)

    def _slice(self, spot: Spot, node: form.Slice) -> Changed:
        if node.first is not None:
            yield "end of a slice", replace(node, first=None)
        if node.last is not None:
            yield "end of a slice", replace(node, last=None)
        if node.first is None and not spot.is_place:
            yield "end of a slice", replace(node, first=ONE)

    def _combine(self, spot: Spot, node: form.Combine) -> Changed:
        some = OF_SETS.get(node.operator, ())
        if some:
            yield "operator", replace(node, operator=self._chance.choice(some))
        yield from self._operand(node)
        if node.operator in ("sub", "add") and node.left.type == node.right.type:
            yield "operands swapped", replace(node, left=node.right, right=node.left)

    def _range(self, spot: Spot, node: form.Range) -> Changed:
        yield "begins one later", replace(node, start=self._more(node.start, "add"))
        yield "ends one earlier", replace(node, stop=self._more(node.stop, "sub"))

    def _more(self, one: form.Expression, operator: str) -> form.Expression:
        if isinstance(one, form.Constant):
            value = one.value + (1 if operator == "add" else -1)
            return form.Constant(types.Number(value, value), value)
        return form.Arithmetic(types.Number(), operator, one, ONE)

    def _later(self, over: form.Expression) -> Iterator[form.Expression]:
        """Yield what has all of something but its first, or its last."""
        kind = over.type
        if isinstance(over, form.Range):
            yield from (after for _, after in self._range(None, over))  # type: ignore[arg-type]
        elif isinstance(kind, types.Sequence) and kind.kind in (list, tuple):
            yield form.Slice(replace(kind, kind=list), over, ONE, None)
        elif isinstance(kind, types.Ref) and self._schema.is_sequence(kind):
            inner = self._schema.value(kind)
            if isinstance(inner, types.Sequence) and not self._schema.is_array(kind):
                yield form.Slice(inner, over, ONE, None)

    def _clause(self, spot: Spot, node: form.Clause) -> Changed:
        for over in self._later(node.over):
            yield "begins one later, or ends one earlier", replace(node, over=over)
        if node.conditions:
            gone = self._chance.randrange(len(node.conditions))
            rest = (*node.conditions[:gone], *node.conditions[gone + 1 :])
            yield "a condition left out", replace(node, conditions=rest)
        yield "no round", replace(node, conditions=(*node.conditions, form.truth(False)))

    def _comprehension(self, spot: Spot, node: form.Comprehension) -> Changed:
        *clauses, last = node.clauses
        kind = node.result.type
        if isinstance(kind, types.Number) and kind.kind is bool:
            yield "another result", replace(node, result=self._negated(node.result))
        elif isinstance(kind, types.Number) and kind.kind is int:
            yield "another result", replace(node, result=self._beside(node.result, kind))
        none = replace(last, conditions=(form.truth(False), *last.conditions))
        yield "no round", replace(node, clauses=(*clauses, none))

    def _quantify(self, spot: Spot, node: form.Quantify) -> Changed:
        yield "all, any", replace(node, every=not node.every)

    def _first(self, spot: Spot, node: form.First) -> Changed:
        if node.default is not None:
            yield "default", self._as(node.default, node.type)
        elif isinstance(node.type, types.Number) and node.type.kind is int:
            yield "default", replace(node, default=form.Constant(types.Number(0, 0), 0))

    # --- calls

    def _apply(self, spot: Spot, node: form.Apply) -> Changed:
        if node.name in LIBRARY:
            yield "another function", replace(node, name=LIBRARY[node.name])
        if node.name == "sorted":
            named = dict(node.named)
            reverse = named.get("reverse", form.truth(False))
            named["reverse"] = self._negated(reverse)
            yield "order", replace(node, named=tuple(named.items()))
        yield from self._swapped(node)

    def _given(self, spot: Spot, node: form.Given) -> Changed:
        for one, other in self._pairs(node.captured):
            captured = [*node.captured]
            captured[one], captured[other] = captured[other], captured[one]
            yield "arguments swapped", replace(node, captured=tuple(captured))
        yield from self._another(node)

    def _call(self, spot: Spot, node: form.Call) -> Changed:
        if not node.function.changes:
            yield from self._swapped(node)
        yield from self._another(node)
        if node.back:
            yield "a change is lost", replace(node, back=node.back[1:])

    def _another(self, node: form.Call | form.Given) -> Changed:
        """Yield the call of another function that takes and gives the same."""
        mine = node.function
        others = [
            one
            for one in self._functions
            if one is not mine
            and one.result == mine.result
            and not one.changes
            and not mine.changes
            and [one.slots[name] for name in one.parameters]
            == [mine.slots[name] for name in mine.parameters]
        ]
        if others:
            yield "another function", replace(node, function=self._chance.choice(others))

    def _swapped(self, node: form.Call | form.Apply) -> Changed:
        pairs = list(self._pairs(node.arguments))
        if pairs and not (isinstance(node, form.Apply) and node.name in ("is", "same")):
            one, other = self._chance.choice(pairs)
            arguments = [*node.arguments]
            arguments[one], arguments[other] = arguments[other], arguments[one]
            yield "arguments swapped", replace(node, arguments=tuple(arguments))

    def _pairs(self, some: Sequence[form.Expression]) -> Iterator[tuple[int, int]]:
        for other in range(len(some)):
            for one in range(other):
                if self._alike(some[one].type, some[other].type):
                    yield one, other

    def _change(self, spot: Spot, node: form.Change) -> Changed:
        if node.method in METHODS:
            yield "method", replace(node, method=METHODS[node.method])
        if node.type == types.NOTHING:
            yield "a change left out", form.Constant(types.NOTHING, None)

    # --- statements

    def _bind(self, spot: Spot, node: form.Bind) -> Changed:
        if node.name in spot.known:
            yield "a statement left out", ()
            slots = spot.function.slots
            others = [
                name
                for name in dict.fromkeys(spot.known)
                if name != node.name
                and name not in spot.function.parameters
                and self._alike(slots.get(name), slots[node.name])
            ]
            if others:
                yield "another name is assigned", replace(node, name=self._chance.choice(others))

    def _store(self, spot: Spot, node: form.Store) -> Changed:
        yield "a statement left out", ()

    def _do(self, spot: Spot, node: form.Do) -> Changed:
        yield "a statement left out", ()

    def _if(self, spot: Spot, node: form.If) -> Changed:
        yield "branches swapped", replace(node, body=node.orelse, orelse=node.body)
        yield "a statement left out", ()
        yield "one branch alone", self._chance.choice([node.body, node.orelse])

    def _for(self, spot: Spot, node: form.For) -> Changed:
        for over in self._later(node.over):
            yield "begins one later, or ends one earlier", replace(node, over=over)
        leave = form.Leave(node.line, node.label)
        yield "breaks at once", replace(node, body=(*node.body, leave))
        yield "no round", replace(node, body=(leave,))

    def _while(self, spot: Spot, node: form.While) -> Changed:
        leave = form.Leave(node.line, node.label)
        yield "breaks at once", replace(node, body=(*node.body, leave))
        yield "no round", ()

    def _block(self, spot: Spot, node: form.Block) -> Changed:
        yield "a statement left out", replace(node, body=node.body[:-1])
        yield "a statement left out", replace(node, body=node.body[1:])

    def _leave(self, spot: Spot, node: form.Leave) -> Changed:
        yield "a statement left out", ()
        loops = [one for one in _along(spot) if isinstance(one, (form.For, form.While))]
        if any(one.label == node.label for one in loops):
            yield "break, continue", replace(node, again=not node.again)

    def _return(self, spot: Spot, node: form.Return) -> Changed:
        yield "a statement left out", ()
        kind = node.value.type
        if isinstance(spot.function.result, types.Optional):
            yield "returned value", replace(node, value=form.Constant(types.NOTHING, None))
        if isinstance(kind, types.Number) and kind.kind is bool:
            if isinstance(node.value, form.Constant):
                value: form.Expression = form.truth(not node.value.value)
            else:
                value = self._negated(node.value)
            yield "returned value", replace(node, value=value)

    def _fail(self, spot: Spot, node: form.Fail) -> Changed:
        yield "a statement left out", ()
        yield "verdict of an assertion", replace(node, verdict=not node.verdict)


def _parent(spot: Spot) -> Node:
    """Return the node that a node is a part of; None at the top of a function."""
    along = list(_along(spot))
    return along[-2] if len(along) > 1 else None


class Lowered:
    """The typed form of some rules, of which nodes can be changed.

    Parameters
    ----------
    functions
        Those that machine code is made of.
    """

    def __init__(self, schema: Schema, functions: Sequence[form.Function]) -> None:
        self._schema, self.functions = schema, functions
        self.spots = [spot for one in functions for spot in spots_of(one)]

    def defects(self, spot: Spot, chance: Random) -> list[Defect]:
        """Return the changes that a node allows."""
        changes = Changes(self._schema, self.functions, chance).of(spot)
        return [Defect(spot, kind, after) for kind, after in changes]

    def defect(self, chance: Random) -> Defect:
        """Return a change of any node, each of which is as likely as another one."""
        while True:
            possible = self.defects(chance.choice(self.spots), chance)
            if possible:
                return chance.choice(possible)
