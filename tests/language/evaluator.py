"""Evaluates the typed form, for tests: what a lowered function means.

A place is the part of the record of a layout; a list, a set and a dictionary are those of Python's,
and a record outside of the state is a :class:`Value`.  Wherever the form says that something gets a
value, it gets a copy.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tidegate.core.containers import Bag, Ordered, RecordBag, RecordSet, Set, Sorted
from tidegate.core.fields import Record, copy_into, declaration_of, part_names
from tidegate.core.values import ConstantError, as_kind
from tidegate.language import form, types


class StepError(Exception):
    """A step fails."""


class VerdictError(StepError):
    """An assertion of the model fails."""


class Value:
    """A record outside of the state."""

    def __init__(self, declaration: type, fields: dict[str, Any]) -> None:
        self.declaration, self.fields = declaration, fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.fields == other.fields

    def __hash__(self) -> int:
        return hash(frozen(self))

    def __repr__(self) -> str:
        return f"{self.declaration.__name__}({self.fields})"


def frozen(value: Any) -> Any:
    """Return what is equal for equal values, and has a hash."""
    if isinstance(value, Value):
        return tuple(frozen(one) for one in value.fields.values())
    if isinstance(value, (list, tuple, deque)):
        return tuple(map(frozen, value))
    if isinstance(value, (set, frozenset)):
        return frozenset(map(frozen, value))
    return frozenset((k, frozen(v)) for k, v in value.items()) if isinstance(value, dict) else value


def snapshot(node: Any) -> Any:
    """Return the present value of a part of the state."""
    if isinstance(node, Set):
        return {number for number in range(node.mask.bit_length()) if node.mask >> number & 1}
    if isinstance(node, Bag):
        return Counter({n: count for n, count in enumerate(node.counts) if count})
    if isinstance(node, Ordered):
        elements = (
            [snapshot(one) for one in list.__iter__(node.items)]
            if isinstance(node.items, list)
            else [snapshot(one) for one in tuple.__iter__(node.items)]
        )
        elements = elements[: node.length]
        if isinstance(node, RecordSet) or _is(node, RecordSet):
            return set(elements)
        return Counter(elements) if _is(node, RecordBag) else elements
    if isinstance(node, Record):
        fields = {name: snapshot(getattr(node, name)) for name in part_names(node)}
        return Value(declaration_of(node), fields)
    if isinstance(node, (list, tuple)):
        return [snapshot(one) for one in _raw(node)]
    return node


def _is(node: Any, kind: type) -> bool:
    return issubclass(declaration_of(node), kind)


def _raw(node: Any) -> Iterator[Any]:
    return list.__iter__(node) if isinstance(node, list) else tuple.__iter__(node)


def _nodes(node: Any, form_: str) -> Iterator[tuple[str, Any]]:
    """Yield each part of the state with its form."""
    yield form_, node
    if isinstance(node, Record):
        for name in part_names(node):
            yield from _nodes(getattr(node, name), f"{form_}.{name}".lstrip("."))
    elif isinstance(node, (list, tuple)):
        for one in _raw(node):
            yield from _nodes(one, f"{form_}[]")


def to_python(value: Any) -> Any:
    """Return a value as a model would have made it."""
    if isinstance(value, Value):
        made = object.__new__(value.declaration)
        for name, one in value.fields.items():
            object.__setattr__(made, name, to_python(one))
        return made
    if isinstance(value, dict):
        return (
            type(value)(None, {to_python(k): v for k, v in value.items()})
            if isinstance(value, defaultdict)
            else type(value)({to_python(k): to_python(v) for k, v in value.items()})
        )
    if isinstance(value, (set, frozenset, tuple, deque)):
        return type(value)(map(to_python, value))
    return list(map(to_python, value)) if type(value) is list else value


def copied(value: Any, kind: types.Type) -> Any:
    """Return a copy of a value; a place stays that place."""
    if isinstance(kind, types.Optional):
        return None if value is None else copied(value, kind.of)
    if isinstance(kind, types.Record) and isinstance(value, Value):
        known = dict(kind.fields)
        return Value(
            value.declaration,
            {n: copied(v, known.get(n, types.NEVER)) for n, v in value.fields.items()},
        )
    if isinstance(kind, types.Tuple):
        return tuple(copied(one, part) for one, part in zip(value, kind.items, strict=True))
    if isinstance(kind, (types.Sequence, types.Members)) and not isinstance(value, range):
        return type(value)(copied(one, kind.element) for one in value)
    if isinstance(kind, types.Mapping):
        pairs = {k: copied(v, kind.value) for k, v in value.items()}
        return (
            defaultdict(value.default_factory, pairs)
            if isinstance(value, defaultdict)
            else type(value)(pairs)
        )
    return value


class _LeftError(Exception):
    """A block, or a round of a loop, ends."""

    def __init__(self, label: int, again: bool) -> None:
        super().__init__()
        self.label, self.again = label, again


class _ReturnedError(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


LONGEST = 100_000
"""Statements of a run, beyond which it is taken not to end."""


class Run:
    """One call of a function.

    Parameters
    ----------
    state
        The record of the layout.
    """

    def __init__(
        self, function: form.Function, arguments: Iterable[Any], budget: list[int], root: Any
    ) -> None:
        self.function, self.root = function, root
        self.slots = dict(zip(function.parameters, arguments, strict=True))
        self.budget = budget

    def result(self) -> Any:
        """Run the function, and return what it returns."""
        try:
            self.block(self.function.body)
        except _ReturnedError as returned:
            return returned.value
        return None

    # --- statements

    def block(self, statements: Iterable[form.Statement]) -> None:
        for statement in statements:
            self.budget[0] -= 1
            if self.budget[0] < 0:
                raise TimeoutError
            getattr(self, f"_{type(statement).__name__.lower()}")(statement)

    def _bind(self, one: form.Bind) -> None:
        self.slots[one.name] = copied(self.value(one.value), one.value.type)

    def _do(self, one: form.Do) -> None:
        self.value(one.value)

    def _if(self, one: form.If) -> None:
        self.block(one.body if self.value(one.test) else one.orelse)

    def _for(self, one: form.For) -> None:
        for value in _steadily(self.each(one.over)):
            self.slots[one.slot] = value
            try:
                self.block(one.body)
            except _LeftError as left:
                if left.label != one.label:
                    raise
                if not left.again:
                    break

    def _while(self, one: form.While) -> None:
        while self.value(one.test):
            self.budget[0] -= 1
            if self.budget[0] < 0:
                raise TimeoutError
            try:
                self.block(one.body)
            except _LeftError as left:
                if left.label != one.label:
                    raise
                if not left.again:
                    break

    def _block(self, one: form.Block) -> None:
        try:
            self.block(one.body)
        except _LeftError as left:
            if left.label != one.label:
                raise

    def _leave(self, one: form.Leave) -> None:
        raise _LeftError(one.label, one.again)

    def _return(self, one: form.Return) -> None:
        raise _ReturnedError(copied(self.value(one.value), one.value.type))

    def _fail(self, one: form.Fail) -> None:
        raise VerdictError if one.verdict else StepError

    def _store(self, one: form.Store) -> None:
        value = copied(self.value(one.value), one.value.type)
        if isinstance(one.value.type, types.Ref) and not isinstance(one.target, form.Slice):
            value = snapshot(value)
        try:
            self._stored(one, value)
        except (ConstantError, LookupError, ValueError):
            raise StepError from None

    def _stored(self, one: form.Store, value: Any) -> None:
        target = one.target
        if isinstance(target, form.Slice):
            self._splice(target, value, one.value.type)
            return
        if isinstance(target.type, types.Ref) and not isinstance(target, (form.Part, form.Element)):
            self._write(
                self.place(target),
                snapshot(value) if isinstance(one.value.type, types.Ref) else value,
                lambda v: None,
            )
            return
        owner = self.place(target.of)
        if isinstance(target, form.Part):
            if isinstance(owner, Value):
                owner.fields[target.name] = value
            else:
                self._write(
                    getattr(owner, target.name), value, lambda v: setattr(owner, target.name, v)
                )
        elif isinstance(target, form.Lookup):
            owner[self.value(target.key)] = value
        else:
            assert isinstance(target, form.Element)
            at = self.index(owner, self.value(target.index), target)
            if isinstance(target.of.type, types.Ref):
                items = owner.items if isinstance(owner, Ordered) else owner
                self._write(_get(items, at), value, lambda v: items.__setitem__(at, v))
            else:
                owner[at] = value

    @staticmethod
    def _write(part: Any, value: Any, put: Callable[[Any], None]) -> None:
        """Write a value into a part of the state, whose object stays."""
        if isinstance(part, Record):
            value = to_python(value)
            if hasattr(part, "fill") and not isinstance(value, Record):
                part.fill(value)
            else:
                copy_into(part, value)
        elif isinstance(part, (list, tuple)):
            every = list(value)
            if len(every) != len(part):
                raise StepError
            for at, (inner, new) in enumerate(zip(_raw(part), every, strict=True)):
                Run._write(inner, new, lambda v, at=at: part.__setitem__(at, v))
        else:
            if value is None:
                raise StepError
            put(value)

    def _splice(self, target: form.Slice, value: Any, kind: types.Type) -> None:
        owner = self.place(target.of)
        first, last = self._bounds(target, owner)
        new = list(snapshot(value) if isinstance(kind, types.Ref) else value)
        if isinstance(target.of.type, types.Ref):
            kept = list(snapshot(owner))
            kept[first:last] = new
            if isinstance(owner, Ordered):
                if len(kept) > len(owner.items):
                    raise StepError
                owner.fill(to_python(kept))
            else:
                self._write(owner, kept, lambda v: None)
        else:
            owner[first:last] = new

    # --- places

    def place(self, path: form.Expression) -> Any:
        """Return what lies at a path itself, to be changed."""
        if isinstance(path, form.Local):
            return self.slots[path.name]
        if isinstance(path, form.Part):
            owner = self.place(path.of)
            return (
                owner.fields[path.name] if isinstance(owner, Value) else getattr(owner, path.name)
            )
        if isinstance(path, form.Element):
            owner = self.place(path.of)
            at = self.index(owner, self.value(path.index), path)
            if isinstance(owner, Ordered):
                return _get(owner.items, at)
            return _get(owner, at) if isinstance(path.of.type, types.Ref) else owner[at]
        if isinstance(path, form.Item):
            return self.place(path.of)[path.number]
        if isinstance(path, form.Lookup):
            owner, key = self.place(path.of), self.value(path.key)
            try:
                return owner[key]
            except KeyError:
                raise StepError from None
        if isinstance(path, form.Certain):
            value = self.place(path.of)
            if value is None:
                raise StepError
            return value
        return self.value(path)

    def index(self, owner: Any, at: int, node: form.Element) -> int:
        """Return an index, once it is clear that there is an element."""
        length = len(owner)
        if node.from_end and -length <= at < 0:
            return at + length
        if not 0 <= at < length:
            raise StepError
        return at

    # --- expressions

    def value(self, one: form.Expression) -> Any:
        """Return the value of an expression."""
        return getattr(self, f"_{type(one).__name__.lower()}_")(one)

    def _constant_(self, one: form.Constant) -> Any:
        return one.value

    def _local_(self, one: form.Local) -> Any:
        if one.name not in self.slots:
            raise StepError
        return self.slots[one.name]

    def _which_(self, one: form.Which) -> int:
        place, kind = self.value(one.of), one.of.type
        assert isinstance(kind, types.Places)
        forms = {id(node): form_ for form_, node in _nodes(self.root, "")}
        return [option.form for option in kind.options].index(forms[id(place)])

    def _part_(self, one: form.Part) -> Any:
        owner = self.value(one.of)
        if isinstance(owner, Value):
            if one.name not in owner.fields:
                raise StepError
            return owner.fields[one.name]
        return getattr(owner, one.name)

    def _element_(self, one: form.Element) -> Any:
        owner = self.value(one.of)
        at = self.index(owner, self.value(one.index), one)
        if isinstance(owner, Ordered):
            return snapshot(_get(owner.items, at))
        return _get(owner, at) if isinstance(one.of.type, types.Ref) else owner[at]

    def _item_(self, one: form.Item) -> Any:
        return self.value(one.of)[one.number]

    def _lookup_(self, one: form.Lookup) -> Any:
        owner, key = self.value(one.of), self.value(one.key)
        default = None if one.default is None else self.value(one.default)
        if one.default is not None:
            return owner.get(key, default)
        try:
            return owner[key]
        except KeyError:
            raise StepError from None

    def _arithmetic_(self, one: form.Arithmetic) -> Any:
        left, right = self.value(one.left), self.value(one.right)
        if one.operator in ("min", "max"):
            return {"min": min, "max": max}[one.operator](left, right)
        if left is None or right is None:
            raise StepError
        if one.operator in ("lshift", "pow") and right > 200:
            raise StepError
        try:
            return getattr(operator, one.operator)(left, right)
        except (ArithmeticError, ValueError):
            raise StepError from None

    def _compare_(self, one: form.Compare) -> bool:
        left, right = (self._plain(part) for part in (one.left, one.right))
        try:
            return bool(getattr(operator, one.operator)(left, right))
        except TypeError:
            raise StepError from None

    def _plain(self, one: form.Expression) -> Any:
        """Return a value that can be compared with any other."""
        found = self.value(one)
        return snapshot(found) if isinstance(one.type, types.Ref) else found

    def _not_(self, one: form.Not) -> bool:
        return not self.value(one.of)

    def _all_(self, one: form.All) -> bool:
        return all(self.value(part) for part in one.parts)

    def _anyof_(self, one: form.AnyOf) -> bool:
        return any(self.value(part) for part in one.parts)

    def _choose_(self, one: form.Choose) -> Any:
        return self.value(one.yes if self.value(one.test) else one.no)

    def _isnone_(self, one: form.IsNone) -> bool:
        return self.value(one.of) is None

    def _certain_(self, one: form.Certain) -> Any:
        found = self.value(one.of)
        if found is None:
            raise StepError
        return found

    def _after_(self, one: form.After) -> Any:
        self.block(one.body)
        return self.value(one.value)

    def _make_(self, one: form.Make) -> Any:
        kind = one.type
        parts = [copied(self.value(part), part.type) for part in one.parts]
        if isinstance(kind, types.Record):
            names = [name for name, _ in kind.fields]
            pairs = zip(names, parts, kind.fields, strict=True)
            return Value(kind.declaration, {n: _as_field(v, t) for n, v, (_, t) in pairs})
        if isinstance(kind, types.Tuple):
            return tuple(parts)
        if isinstance(kind, types.Sequence):
            return kind.kind(parts)
        if isinstance(kind, types.Members):
            return (frozenset if kind.frozen else set)(parts)
        assert isinstance(kind, types.Mapping)
        pairs_ = dict(zip(parts[::2], parts[1::2], strict=True))
        return defaultdict(kind.factory, pairs_) if kind.kind is defaultdict else kind.kind(pairs_)

    def _gather_(self, one: form.Gather) -> Any:
        kind = one.type
        every: Any = (
            self.value(one.of)
            if isinstance(one.of.type, types.Mapping) and isinstance(kind, types.Mapping)
            else [copied(v, _element_type(kind)) for v in self.each(one.of)]
        )
        if isinstance(kind, types.Sequence):
            return kind.kind(every)
        if isinstance(kind, types.Members):
            return (frozenset if kind.frozen else set)(every)
        assert isinstance(kind, types.Mapping)
        return kind.kind(every)

    def _copy_(self, one: form.Copy) -> Any:
        found = self.value(one.of)
        return snapshot(found) if isinstance(one.of.type, types.Ref) else copied(found, one.type)

    def _contains_(self, one: form.Contains) -> bool:
        item = self._plain(one.item)
        if isinstance(one.of.type, types.Stream):
            return any(item == other for other in self.each(one.of))
        found = self._plain(one.of)
        return any(item is other or item == other for other in found)

    def _length_(self, one: form.Length) -> int:
        found = self.value(one.of)
        return sum(found.counts) if isinstance(found, Bag) else len(found)

    def _bounds(self, one: form.Slice, owner: Any) -> tuple[int, int]:
        ends = [None if end is None else self.value(end) for end in (one.first, one.last)]
        if isinstance(one.of.type, types.Ref):
            written = [isinstance(end, form.Constant) for end in (one.first, one.last)]
            for end, known in zip(ends, written, strict=True):
                if end is not None and end < 0 and not known:
                    raise StepError
        first, last, _ = slice(*ends).indices(len(owner))
        return first, last

    def _slice_(self, one: form.Slice) -> Any:
        owner = self.value(one.of)
        first, last = self._bounds(one, owner)
        if isinstance(one.of.type, types.Ref):
            if isinstance(owner, Ordered):
                return snapshot(owner)[first:last]
            return list(_raw(owner))[first:last]
        if isinstance(owner, deque):
            raise StepError
        return owner[first:last]

    def _combine_(self, one: form.Combine) -> Any:
        left, right = self._listed(one.left), self._listed(one.right)
        return getattr(operator, one.operator)(left, right)

    def _listed(self, one: form.Expression) -> Any:
        """Return a list or a set that can be joined: of places it has these."""
        found = self.value(one)
        if not isinstance(one.type, types.Ref):
            return found
        return list(_raw(found)) if not isinstance(found, Record) else snapshot(found)

    def _range_(self, one: form.Range) -> range:
        try:
            return range(self.value(one.start), self.value(one.stop), self.value(one.step))
        except ValueError:
            raise StepError from None

    def _comprehension_(self, one: form.Comprehension) -> Iterator[Any]:
        return self._clauses(one, 0)

    def _clauses(self, one: form.Comprehension, number: int) -> Iterator[Any]:
        if number == len(one.clauses):
            yield self.value(one.result)
            return
        clause = one.clauses[number]
        for value in _steadily(self.each(clause.over)):
            self.slots[clause.slot] = value
            self.block(clause.body)
            if all(self.value(test) for test in clause.conditions):
                yield from self._clauses(one, number + 1)

    def _quantify_(self, one: form.Quantify) -> bool:
        return (all if one.every else any)(self.each(one.of))

    def _first_(self, one: form.First) -> Any:
        every = iter(self.each(one.of))
        default = None if one.default is None else self.value(one.default)
        for value in every:
            return value
        if one.default is None:
            raise StepError
        return default

    def _call_(self, one: form.Call) -> Any:
        arguments = [copied(self.value(part), part.type) for part in one.arguments]
        run = Run(one.function, arguments, self.budget, self.root)
        result = run.result()
        for name, where in one.back:
            self._give_back(where, run.slots[name])
        return result

    def _give_back(self, where: form.Expression, value: Any) -> None:
        if isinstance(where, form.Local):
            self.slots[where.name] = value
            return
        owner = self.place(where.of)  # type: ignore[attr-defined]
        if isinstance(where, form.Part):
            owner.fields[where.name] = value
        elif isinstance(where, form.Element):
            owner[self.value(where.index)] = value
        elif isinstance(where, form.Lookup):
            owner[self.value(where.key)] = value
        else:
            raise AssertionError(where)

    def _given_(self, one: form.Given) -> Callable[..., Any]:
        captured = [self.value(part) for part in one.captured]

        def call(*arguments: Any) -> Any:
            return Run(one.function, [*arguments, *captured], self.budget, self.root).result()

        return call

    # --- what yields values

    def each(self, one: form.Expression) -> Iterable[Any]:
        """Yield the values of something; of the state as they are in each round."""
        found = self.value(one)
        if isinstance(one.type, types.Ref):
            return self._of_place(found)
        if isinstance(one.type, types.Members) and one.type.ordered:
            return sorted(found)
        return found

    @staticmethod
    def _of_place(node: Any) -> Iterator[Any]:
        if isinstance(node, Set):
            yield from sorted(snapshot(node))
            return
        if isinstance(node, Ordered):
            index, length = 0, node.length
            while index < node.length:
                yield snapshot(_get(node.items, index))
                index += 1
                if isinstance(node, Sorted) and node.length != length:
                    raise StepError
            return
        if isinstance(node, Bag):
            raise StepError
        index = 0
        while index < len(node):
            yield _get(node, index)
            index += 1

    def _apply_(self, one: form.Apply) -> Any:
        named = dict(one.named)
        return (
            getattr(self, f"apply_{one.name}", None)(one, named)
            if hasattr(self, f"apply_{one.name}")
            else self._library(one, named)
        )

    def _library(self, one: form.Apply, named: dict[str, form.Expression]) -> Any:
        values = [self._argument(part) for part in one.arguments]
        more = {name: self._argument(part) for name, part in named.items()}
        try:
            return _LIBRARY[one.name](*values, **more)
        except (ArithmeticError, ValueError, TypeError, IndexError):
            raise StepError from None

    def _argument(self, part: form.Expression) -> Any:
        iterables = (types.Ref, types.Members, types.Stream)
        return self.each(part) if isinstance(part.type, iterables) else self.value(part)

    def apply_is(self, one: form.Apply, named: Any) -> bool:
        left, right = map(self.value, one.arguments)
        return left is right

    def apply_same(self, one: form.Apply, named: Any) -> bool:
        left, right = map(self.value, one.arguments)
        return bool(left == right)

    def apply_member(self, one: form.Apply, named: Any) -> Any:
        try:
            return self.value(one.arguments[1])(self.value(one.arguments[0]))
        except ValueError:
            raise StepError from None

    def apply_held(self, one: form.Apply, named: Any) -> Any:
        found = self._plain(one.arguments[0])
        kind = one.type
        if isinstance(kind, types.Members):
            return set(found)
        if isinstance(kind, types.Mapping):
            return Counter(found)
        return list(found)

    def apply_index(self, one: form.Apply, named: Any) -> int:
        try:
            return list(self._plain(one.arguments[0])).index(self._plain(one.arguments[1]))
        except ValueError:
            raise StepError from None

    def apply_count(self, one: form.Apply, named: Any) -> int:
        found, item = self._plain(one.arguments[0]), self._plain(one.arguments[1])
        return found[item] if isinstance(found, Counter) else list(found).count(item)

    def apply_unpacked(self, one: form.Apply, named: Any) -> tuple[Any, ...]:
        every = tuple(self.each(one.arguments[0]))
        assert isinstance(one.type, types.Tuple)
        if len(every) != len(one.type.items):
            raise StepError
        return every

    def apply_starred_apart(self, one: form.Apply, named: Any) -> tuple[Any, ...]:
        every = list(self.each(one.arguments[0]))
        at, after = (self.value(part) for part in one.arguments[1:])
        if len(every) < at + after:
            raise StepError
        end = len(every) - after
        return (*every[:at], every[at:end], *every[end:])

    def apply_backwards(self, one: form.Apply, named: Any) -> Any:
        found = self._listed(one.arguments[0])
        return found[::-1] if not isinstance(found, deque) else found

    def apply_min(self, one: form.Apply, named: dict[str, form.Expression]) -> Any:
        return self._extreme(min, one, named)

    def apply_max(self, one: form.Apply, named: dict[str, form.Expression]) -> Any:
        return self._extreme(max, one, named)

    def _extreme(self, pick: Any, one: form.Apply, named: dict[str, form.Expression]) -> Any:
        over = self.each(one.arguments[0])
        key = self.value(named["key"]) if "key" in named else None
        default = [self.value(named["default"])] if "default" in named else []
        every = list(over)
        if not every:
            if not default:
                raise StepError
            return default[0]
        return pick(every, key=key)

    # --- changes

    def _change_(self, one: form.Change) -> Any:
        name = one.method
        if name == "delete":
            return self._delete(one.of)
        of_state = isinstance(one.of.type, types.Ref)
        arguments = [self._given_value(part, of_state) for part in one.arguments]
        owner = self.place(one.of)
        if name == "sort":
            owner.sort(key=arguments[0], reverse=arguments[1])
            return None
        if (
            isinstance(owner, Counter)
            and name == "pop"
            and len(arguments) == 1
            and arguments[0] not in owner
        ):
            raise StepError
        try:
            result = getattr(owner, name)(*arguments)
        except Exception:  # noqa: BLE001 - any mistake fails the step
            raise StepError from None
        return snapshot(result) if isinstance(result, Record) else result

    def _given_value(self, part: form.Expression, of_state: bool) -> Any:
        if isinstance(part, form.Given):
            return self.value(part)
        if isinstance(part.type, (types.Stream, types.Ref, types.Members)):
            if (
                isinstance(part.type, types.Ref)
                and isinstance(self.value(part), Record)
                and not isinstance(self.value(part), (Set, Ordered, Bag))
            ):
                found = snapshot(self.value(part))
            elif isinstance(part.type, types.Members) or isinstance(self._plain(part), set):
                found = set(self._plain(part))
            else:
                found = [snapshot(v) if isinstance(v, Record) else v for v in self.each(part)]
        else:
            found = copied(self.value(part), part.type)
        return to_python(found) if of_state else found

    def _delete(self, where: form.Expression) -> None:
        owner = self.place(where.of)  # type: ignore[attr-defined]
        if isinstance(where, form.Lookup):
            key = self.value(where.key)
            if key not in owner and not isinstance(owner, Counter):
                raise StepError
            del owner[key]
        elif isinstance(where, form.Slice):
            first, last = self._bounds(where, owner)
            if isinstance(owner, Ordered):
                kept = snapshot(owner)
                del kept[first:last]
                owner.fill(to_python(kept))
            else:
                del owner[first:last]
        else:
            assert isinstance(where, form.Element)
            at = self.index(owner, self.value(where.index), where)
            if isinstance(owner, Ordered):
                kept = snapshot(owner)
                del kept[at]
                owner.fill(to_python(kept))
            else:
                del owner[at]


def _steadily(values: Iterable[Any]) -> Iterator[Any]:
    """Yield values; a set, a dictionary or a deque that changes meanwhile fails the step."""
    every = iter(values)
    while True:
        try:
            value = next(every)
        except StopIteration:
            return
        except RuntimeError:
            raise StepError from None
        yield value


def _get(items: Any, at: int) -> Any:
    return list.__getitem__(items, at) if isinstance(items, list) else tuple.__getitem__(items, at)


def _as_field(value: Any, kind: types.Type) -> Any:
    if isinstance(kind, types.Number) and kind.kind is not None:
        return as_kind(kind.kind, value)
    return value


def _element_type(kind: types.Type) -> types.Type:
    return kind.element if isinstance(kind, (types.Sequence, types.Members)) else types.NEVER


def _of_mask(mask: int) -> set[int]:
    return {number for number in range(mask.bit_length()) if mask >> number & 1}


def _concatenated(over: Iterable[Any], start: Any) -> Any:
    for one in over:
        start = start + one
    return start


def _backwards(over: Any) -> Iterator[Any]:
    return reversed(over if isinstance(over, (dict, range)) else list(over))


def _bit_count(value: int) -> int:
    if value < 0:
        raise ValueError
    return value.bit_count()


_LIBRARY: dict[str, Callable[..., Any]] = {
    "abs": abs, "pow": pow, "sum": lambda over, start: sum(over, start),
    "prod": lambda over, start: math.prod(over, start=start), "concatenated": _concatenated,
    "sorted": sorted, "enumerate": enumerate, "zip": zip, "reversed": _backwards,
    "map": map, "filter": filter, "reduce": functools.reduce, "chain": itertools.chain,
    "flattened": itertools.chain.from_iterable, "pairwise": itertools.pairwise,
    "combinations": itertools.combinations, "permutations": itertools.permutations,
    "product": itertools.product, "of_mask": _of_mask, "bit_count": _bit_count,
    "bit_length": int.bit_length,
    "members": lambda mask: sorted(_of_mask(mask)), "keys": lambda d: d.keys(),
    "values": lambda d: d.values(),
    "items": lambda d: d.items(), "elements": lambda d: list(d.elements()),
    "total": lambda d: d.total(),
    **{name: getattr(math, name) for name in ("gcd", "lcm", "comb", "perm", "isqrt", "factorial")},
}  # fmt: skip


def run(function: form.Function, arguments: Iterable[Any]) -> Any:
    """Return what a lowered function returns; what it writes is in the layout's record.

    Raises
    ------
    StepError
        If the step fails.
    """
    arguments = list(arguments)
    return Run(function, arguments, [LONGEST], arguments[0]).result()
