"""From a plain Python function to LLVM: its own tuples, lists and sets, outside of the state."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...core.containers import RecordSeq, RecordSet, Seq, Set
from ...core.fields import members
from ...language.methods import COMPARISONS, METHODS, OPERATIONS, UPDATES
from .arithmetic import FOLDED, from_beginning
from .distinct import DistinctSets, is_record_set
from .function import Scope
from .growing import is_dictionary
from .lists import known_mask, plain_mask
from .second_names import memories
from .values import (
    NOWHERE,
    WORD,
    Backwards,
    Bits,
    Cells,
    Choice,
    Closure,
    Constant,
    Distinct,
    Elements,
    Entries,
    Items,
    Made,
    Mapped,
    Method,
    Neighbours,
    Number,
    Numbers,
    Places,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    Zipped,
    as_constant,
    as_numbers,
    ask,
    known_items,
)

if TYPE_CHECKING:
    from .calls import Calls
    from .expressions import Expressions

_OF_MASKS: dict[type[ast.operator], str] = {
    ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor",
}  # fmt: skip
_OF_QUEUES = frozenset({"append", "appendleft", "clear", "popleft", "remove"})
"""Methods of a deque that are translated."""

_UNCHANGING = frozenset({*OPERATIONS, *COMPARISONS, "isdisjoint"})
OF_SETS = frozenset(vars(kind)[name] for kind in (Set, RecordSet) for name in METHODS)
"""Methods of the state's sets that take other collections, or return sets."""


class Collections:
    """Translates operations on tuples, lists and sets of a function's own."""

    def __init__(self, scope: Scope, expressions: Expressions, calls: Calls) -> None:
        self.scope, self.out, self.expressions = scope, scope.out, expressions
        self.calls, self.loops, self.lists = calls, calls.loops, scope.lists
        self.distinct = DistinctSets(scope, expressions)

    def bits(self, value: Value) -> Bits | None:
        """Return a set outside of the state as bits; None for what is none."""
        if isinstance(value, Bits):
            return self.lists.settled(value)
        if not isinstance(value, (Choice, Constant)):
            return None
        options = value.options if isinstance(value, Choice) else (value.value,)
        masks = [mask for mask in map(known_mask, options) if mask is not None]
        if len(masks) < len(options):
            return None
        if isinstance(value, Constant):
            mask: Value = Constant(masks[0])
        else:
            mask = self.scope.tables.chosen(Choice(value.number, tuple(masks)))
        return Bits(mask if min(masks) >= 0 else Number(self.out.number(mask), _reach(masks)))

    def of_state(self, value: Value) -> Bits | None:
        """Return a set of the state as bits; None for what is none."""
        if isinstance(value, Places):
            if not all(map(self.of_state, value.options)):
                return None
            mask = ast.Attribute(_SOME, "mask", ast.Load())
            return Bits(self.expressions.attribute_of(value, mask), ordered=True)
        if not isinstance(value, (StateRef, Made)):
            return None
        method = self.expressions.records.method(value, "__contains__")
        if method is None or method.function is not Set.__contains__:
            return None
        return Bits(self.expressions.records.variable(value, "mask"), ordered=True)

    def mask_of(self, value: Value, node: ast.expr) -> Value:
        """Return the mask of a set."""
        bits = self.numbers(value)
        if bits is None:
            raise UnsupportedError(f"{ast.unparse(node)}, of what is not a set of numbers,")
        return self.lists.without_none(bits).mask

    def numbers(self, value: Value) -> Bits | None:
        """Return a set, one of the state or another one, as bits; None for what is none."""
        return self.of_state(value) or self.bits(value)

    def combined(self, operator: ast.operator, left: Value, right: Value) -> Value | None:
        """Return the result of an operator on collections; None for anything else."""
        if (distinct := self.distinct.combined(operator, left, right)) is not None:
            return distinct
        if isinstance(operator, ast.BitOr) and is_dictionary(left) and is_dictionary(right):
            return self.calls.dictionaries.joined(left, right)
        one, other = self._alike(self.numbers(left), self.numbers(right))
        if one and other and is_set_operator(operator):
            mask = self._masks(operator, one.mask, other.mask)
            return Bits(mask, ordered=one.ordered or other.ordered)
        if isinstance(operator, ast.Add) and self._adds(left, right):
            return self._joined(left, right)
        if isinstance(operator, ast.Mult) and isinstance(left, Items):
            if not isinstance(right, Constant):
                raise UnsupportedError("a tuple repeated a number of times that is not known")
            return Items(ask(lambda count: left.items * count, right.value), left.kind)
        return None

    def _alike(self, one: Bits | None, other: Bits | None) -> tuple[Bits | None, Bits | None]:
        """Return two sets; what a set of the state is combined with must not have -1."""
        if one and other and (one.ordered or other.ordered):
            return self.lists.without_none(one), self.lists.without_none(other)
        return one, other

    def _adds(self, left: Value, right: Value) -> bool:
        """Whether two collections are of one kind, so that Python joins them."""
        kinds = [
            list if self._is_sequence(value) or _is_array(value) else _kind(value)
            for value in (left, right)
        ]
        return kinds[0] is not None and kinds[0] is kinds[1]

    def _is_sequence(self, value: Value) -> bool:
        """Whether a value is a sequence of the state, or a slice of one."""
        if isinstance(value, (Span, Elements)):
            return True
        if not isinstance(value, (StateRef, Made)):
            return False
        method = self.expressions.records.method(value, "__iter__")
        return method is not None and method.function in (Seq.__iter__, RecordSeq.__iter__)

    def change(self, place: StateRef, operator: ast.operator, other: Bits) -> None:
        """Emit the change of a set of the state for `|=` and the like."""
        before = self.of_state(place)
        assert before is not None
        mask = self._masks(operator, before.mask, self.lists.without_none(other).mask)
        self.scope.unit.places.store(self.out, self.expressions.records.part(place, "mask"), mask)

    def set_call(self, method: Method, node: ast.Call) -> Value:
        """Return the value of the call of one of ``OF_SETS``."""
        owner, name = method.owner, method.function.__name__
        if is_record_set(owner):
            return self._record_set_call(owner, name, node)
        if node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        with self.scope.reading(isinstance(owner, StateRef) and owner.element):
            arguments = [self._passed(part, node) for part in node.args]
            others = [self.lists.without_none(self._as_bits(one, node)) for one in arguments]
        bits = self.of_state(owner)
        assert bits is not None
        if name not in UPDATES:
            known = self._of_sets(bits, name, others)
            if known is None:
                raise UnsupportedError(f"the call {ast.unparse(node)}")
            return known
        self.scope.write(f"the call {ast.unparse(node)}")
        if isinstance(owner, Made):
            raise UnsupportedError(f"the call {ast.unparse(node)} for a copy of a set")
        mask = bits.mask
        for other in others:
            mask = self._masks(UPDATES[name](), mask, other.mask)
        place = self.expressions.records.part(owner, "mask")
        self.scope.unit.places.store(self.out, place, mask)
        return Constant(None)

    def _record_set_call(self, owner: StateRef | Made, name: str, node: ast.Call) -> Value:
        """Return the value of the call of a method of a set of records."""
        with self.scope.reading(isinstance(owner, StateRef) and owner.element):
            others = [self._as_set(part) for part in node.args]
        changes = UPDATES.get(name)
        if node.keywords or (changes and (isinstance(owner, Made) or len(others) != 1)):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        if changes:
            assert isinstance(owner, StateRef)
            self.scope.write(f"the call {ast.unparse(node)}")
            self.distinct.change(owner, changes(), others[0], node)
            return Constant(None)
        return self.distinct.method(owner, name, others, node)

    def _as_set(self, node: ast.expr) -> Value:
        """Return what a method of a set of records takes as a set."""
        if isinstance(node, ast.GeneratorExp):
            return self.calls.comprehensions.members(node)
        value = self.expressions.value(node)
        if isinstance(value, Distinct) or is_record_set(value):
            return value
        loop = self.loops.over
        return self.calls.comprehensions.gathered(
            lambda add: loop(node, value, lambda element, following, end: add(element), (), True)
        )

    def _passed(self, part: ast.expr, node: ast.Call) -> Value:
        """Return an argument of a method of a set, which takes all of a generator first."""
        if isinstance(part, ast.GeneratorExp) and len(node.args) == 1:
            return self.calls.comprehensions.members(part)
        return self.expressions.value(part)

    def _masks(self, operator: ast.operator, one: Value, other: Value) -> Value:
        if isinstance(operator, ast.Sub):
            return self.lists.lacking(one, other)
        return self.lists.merged(_OF_MASKS[type(operator)], one, other)

    def _joined(self, left: Value, right: Value) -> Value:
        """Return one collection after the other."""
        parts = [known_items(value) for value in (left, right)]
        if parts[0] is not None and parts[1] is not None:
            return Items((*parts[0], *parts[1]), _kind(left) or tuple)
        joined = self.lists.new(_kind(left) or list)
        for value in (left, right):
            self.add_all(joined, value)
        return joined

    def add_all(self, cells: Cells, value: Value) -> None:
        """Emit the addition of all elements of a value at the end of a list."""

        def add(element: Value, following: str, end: str) -> None:
            self.lists.append(cells, element)

        self.loops.over(_SOME, value, add)

    def now(self, value: Value) -> Value:
        """Return what a list, a set or a dictionary is now, whatever it becomes."""
        if isinstance(value, Bits):
            return replace(value, mask=self.lists.mask(value), address="")
        if isinstance(value, Cells):
            return self._copy(value)
        if isinstance(value, Entries):
            made = self.calls.growing.new(value.kind, value.default)
            self.calls.growing.copied(made, value)
            return made
        return value

    def _copy(self, cells: Cells) -> Cells:
        copied = self.lists.new(cells.kind, cells.most)
        self.add_all(copied, cells)
        return copied

    def extend(self, cells: Cells, node: ast.expr) -> None:
        """Emit the addition of what an expression yields at the end of a list."""
        if isinstance(node, ast.GeneratorExp):
            self._refuse_own(cells, node)
            self.add_all(cells, self.calls.comprehensions.collected(node, list))
        else:
            self.add_all(cells, self.expressions.value(node))

    def _refuse_own(self, cells: Cells, node: ast.GeneratorExp) -> None:
        """Refuse a generator that may read the list which its elements are added to."""
        local = self.scope.local
        for part in ast.walk(node):
            value = local.get(part.id) if isinstance(part, ast.Name) else None
            if value is cells or isinstance(value, Closure):
                self.calls.comprehensions.refuse_lazy(node, own=True)

    def compared(self, comparison: ast.cmpop, left: Value, right: Value) -> Value | None:
        """Return how two collections compare; None for anything else."""
        if left is NOWHERE or right is NOWHERE:
            return None
        if (distinct := self.distinct.compared(comparison, left, right)) is not None:
            return distinct
        for choice, other, swapped in ((left, right, False), (right, left, True)):
            known = constant_of(other)
            if isinstance(choice, Choice) and isinstance(known, Constant):
                apply = _operator(comparison)
                value = known.value
                return self.scope.tables.mapped(
                    choice,
                    lambda o: apply(value, o) if swapped else apply(o, value),  # noqa: B023
                )
        one, two = self._alike(self.numbers(left), self.numbers(right))
        if one and two:
            return self._sets_compared(comparison, one.mask, two.mask)
        if self._is_sequence(left) or self._is_sequence(right):
            equality = isinstance(comparison, (ast.Eq, ast.NotEq))
            slices = all(isinstance(value, (Span, Elements)) for value in (left, right))
            alike = all(isinstance(value, (StateRef, Made)) for value in (left, right))
            arrays = _is_array(left) or _is_array(right)
            lists = self._adds(left, right) and not slices and (arrays or not alike)
            return self._equal(comparison, left, right) if equality and lists else None
        if not (_kind(left) or _is_array(left)) or not (_kind(right) or _is_array(right)):
            return None
        if isinstance(comparison, (ast.Eq, ast.NotEq)):
            return self._equal(comparison, left, right)
        items, others = known_items(left), known_items(right)
        if items is None or others is None:
            raise UnsupportedError("the order of two lists of unknown length")
        return self._in_order(comparison, list(items), list(others))

    def _sets_compared(self, comparison: ast.cmpop, one: Value, other: Value) -> Value:
        out = self.out
        if isinstance(comparison, (ast.Gt, ast.GtE)):
            one, other = other, one
        if isinstance(comparison, (ast.Eq, ast.NotEq)):
            name = "eq" if isinstance(comparison, ast.Eq) else "ne"
            return out.compare(name, one, other)
        within = out.compare("eq", self._masks(ast.Sub(), one, other), Constant(0))
        if isinstance(comparison, (ast.LtE, ast.GtE)):
            return within
        differ = out.truth(out.compare("ne", one, other))
        return Truth(out.value(f"and i1 {out.truth(within)}, {differ}"))

    def _equal(self, comparison: ast.cmpop, left: Value, right: Value) -> Value:
        """Return whether two collections have the same elements; a tuple is not a list."""
        negated = isinstance(comparison, ast.NotEq)
        if _type(left) is not _type(right):
            if _is_array(left) or _is_array(right):
                # Python refuses that: an array would equal no tuple.
                self.out.fail_if("true")
            return Constant(negated)
        one, other = self.loops.indexed(left, _SOME), self.loops.indexed(right, _SOME)
        count, other_count = one.length(), other.length()
        if isinstance(count, Constant) and isinstance(other_count, Constant):
            if count.value != other_count.value:
                return Constant(negated)
            equal = "true"
        else:
            equal = self.out.truth(self.out.compare("eq", count, other_count))
        most = min(part for part in (one.most, other.most) if part is not None)
        for number in range(most):
            index = Constant(number)
            same = self.out.truth(
                self.expressions.compared(ast.Eq(), one.at(index), other.at(index))
            )
            if not isinstance(count, Constant):
                beyond = self.out.truth(self.out.compare("sle", count, index))
                same = self.out.value(f"or i1 {beyond}, {same}")
            equal = self.out.value(f"and i1 {equal}, {same}")
        truth = Truth(equal)
        return self.expressions.negation(truth) if negated else truth

    def _in_order(self, comparison: ast.cmpop, items: list[Value], others: list[Value]) -> Value:
        """Return how two tuples compare: as the first items that differ do."""
        if not items or not others:
            return Constant(_operator(comparison)(len(items), len(others)))
        rest = self._in_order(comparison, items[1:], others[1:])
        here = self.expressions.compared(_STRICT[type(comparison)](), items[0], others[0])
        same = self.expressions.compared(ast.Eq(), items[0], others[0])
        out = self.out
        later = out.value(f"and i1 {out.truth(same)}, {out.truth(rest)}")
        return Truth(out.value(f"or i1 {out.truth(here)}, {later}"))

    def among(self, left: Value, right: Value) -> Value | None:
        """Return whether a value is in a collection; None for what is none of these."""
        tables = self.scope.tables
        right = as_numbers(right)
        if isinstance(right, Numbers):
            return self._in_range(left, right)
        if isinstance(right, Bits):
            return self.lists.has(right, left)
        if isinstance(right, Distinct):
            return self.distinct.has(right, left)
        if isinstance(right, Choice):
            return tables.among(left, right, self._same)
        if not isinstance(right, _ITERATED) and not _is_array(right):
            return None
        return self.out.compare("ne", self._count(right, left, _SOME), Constant(0))

    def _same(self, one: Value, other: Value) -> Value:
        return self.expressions.compared(ast.Eq(), one, other)

    def _in_range(self, value: Value, numbers: Numbers) -> Value:
        """Return whether a number is in a range."""
        out, start, stop = self.out, numbers.start, numbers.stop
        if stop is None:
            raise UnsupportedError("membership in what has no end")
        first, last = ("sge", "slt") if numbers.step > 0 else ("sle", "sgt")
        one = out.truth(out.compare(first, value, start))
        other = out.truth(out.compare(last, value, stop))
        within = out.value(f"and i1 {one}, {other}")
        if abs(numbers.step) != 1:
            distance = self.expressions.computed(ast.Sub(), value, start)
            rest = self.expressions.computed(ast.Mod(), distance, Constant(abs(numbers.step)))
            fits = out.truth(out.compare("eq", rest, Constant(0)))
            within = out.value(f"and i1 {within}, {fits}")
        return Truth(within)

    def method(self, owner: Value, name: str, node: ast.Call) -> Value | None:
        """Return the value of the call of a method of a collection; None if it is none."""
        if isinstance(owner, Cells):
            return self._of_list(owner, name, node)
        if isinstance(owner, Distinct):
            others = [self._as_set(part) for part in node.args]
            return self.distinct.method(owner, name, others, node)
        if isinstance(owner, Constant) and type(owner.value) is dict and name == "get":
            key, *rest = [self.expressions.value(part) for part in node.args]
            default = constant_of(rest[0]) if rest else Constant(None)
            if isinstance(key, Constant) and key.value not in owner.value:
                return default
            return self.scope.tables.looked_up(owner.value, key, default)
        if (bits := self.bits(owner)) is not None:
            return self._of_set(owner, bits, name, node)
        counted = _kind(owner) or _is_array(owner) or isinstance(owner, (Span, Elements))
        if name in ("count", "index") and counted:
            return self._found(owner, name, node)
        return None

    def _of_list(self, cells: Cells, name: str, node: ast.Call) -> Value:
        if name == "extend" and len(node.args) == 1 and cells.kind in (list, deque):
            self.extend(cells, node.args[0])
            self.lists.note_change(cells.changes)
            return Constant(None)
        if name in ("count", "index"):
            return self._found(cells, name, node)
        if name == "sort" and not node.args and cells.kind is list:
            return self._sort(cells, node)
        lists, arguments = self.lists, [self.expressions.value(part) for part in node.args]
        is_queue = cells.kind is deque and (name in _OF_QUEUES or (name == "pop" and not node.args))
        if node.keywords or not (cells.kind is list or is_queue):
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        lists.note_change(cells.changes)
        if name == "append" and len(arguments) == 1:
            lists.append(cells, self.expressions.certain(arguments[0]))
        elif name == "clear" and not arguments:
            lists.set_length(cells, Constant(0))
        elif name == "pop" and len(arguments) <= 1:
            return self._popped(cells, arguments[0] if arguments else Constant(-1))
        elif name == "popleft" and is_queue and not arguments:
            return self._popped(cells, Constant(0))
        elif name == "appendleft" and is_queue and len(arguments) == 1:
            lists.insert(cells, Constant(0), self.expressions.certain(arguments[0]))
        elif name == "insert" and len(arguments) == 2:
            self._insert(cells, *map(self.expressions.certain, arguments))
        elif name == "remove" and len(arguments) == 1:
            self._popped(cells, self._first(cells, self.expressions.certain(arguments[0]), node))
        elif name == "reverse" and not arguments:
            self._refill(cells, Backwards(cells))
        elif name == "copy" and not arguments:
            copied = lists.new()
            self.add_all(copied, cells)
            return copied
        else:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        return Constant(None)

    def _popped(self, cells: Cells, index: Value) -> Value:
        """Emit the removal of an element of a list, which must be there, and return it."""
        index = self.lists.clamped(index, self.lists.length(cells), cells.most)
        return self.lists.take_out(cells, index)

    def _insert(self, cells: Cells, index: Value, value: Value) -> None:
        """Emit the addition of an element before another one; beyond either end, at that end."""
        length = self.lists.length(cells)
        index = from_beginning(self.out, index, length)
        index = self.out.extreme("max", self.out.extreme("min", index, length), Constant(0))
        self.lists.insert(cells, index, value)

    def _sort(self, cells: Cells, node: ast.Call) -> Value:
        """Emit that the elements of a list are in order."""
        assert isinstance(node.func, ast.Attribute)
        [memory, *_] = memories(cells)
        names = {name for name, one in self.scope.local.items() if memory in memories(one)}
        for part in node.keywords:
            value = self.expressions.expression(part.value)
            read = [part.value, *([value.tree] if isinstance(value, Closure) else [])]
            parts = [one for tree in read for one in ast.walk(tree)]
            if memory in memories(value) or any(
                isinstance(one, ast.Name) and one.id in names for one in parts
            ):
                # In Python a list is empty while it is sorted.
                raise UnsupportedError(f"{ast.unparse(node)}, whose key reads the list,")
        call = ast.copy_location(ast.Call(node.func, [node.func.value], node.keywords), node)
        self._refill(cells, self.calls.comprehensions.ordered(call))
        return Constant(None)

    def _refill(self, cells: Cells, value: Value) -> None:
        """Emit that a list has other elements, which were computed from those before."""
        new = self.lists.new()
        self.add_all(new, value)
        self.lists.set_length(cells, Constant(0))
        self.add_all(cells, new)

    def remove_at(self, cells: Cells, node: ast.expr) -> None:
        """Translate ``del`` of an element of a list."""
        self._popped(cells, self.expressions.known(node))

    def _of_set(self, owner: Value, bits: Bits, name: str, node: ast.Call) -> Value | None:
        lists, mask = self.lists, bits.mask
        if node.keywords or (not isinstance(owner, Bits) and name not in _UNCHANGING):
            return None
        arguments = [self.expressions.value(part) for part in node.args]
        if not isinstance(owner, Bits):
            return self._of_sets(bits, name, [self._as_bits(value, node) for value in arguments])
        if name in ("add", "discard", "remove") and len(arguments) == 1:
            number = self.expressions.certain(arguments[0])
            if name == "remove":
                there = self.out.truth(lists.has(bits, number))
                self.out.fail_unless(there)
            if name == "add":
                lists.change(owner, lists.merged("or", mask, lists.bit(number, 0)))
            else:
                lists.change(owner, lists.lacking(mask, lists.bit_if_member(number)))
            return Constant(None)
        if name == "clear" and not arguments:
            lists.change(owner, Constant(0))
            return Constant(None)
        others = [self._as_bits(value, node) for value in arguments]
        if bits.ordered:
            others = list(map(lists.without_none, others))
        if name in UPDATES:
            for other in others:
                mask = self._masks(UPDATES[name](), mask, other.mask)
            lists.change(owner, mask)
            return Constant(None)
        known = self._of_sets(bits, name, others)
        if known is None:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        return known

    def _of_sets(self, bits: Bits, name: str, others: list[Bits]) -> Value | None:
        """Return the value of a method of a set that changes nothing; None if it is none."""
        if name in OPERATIONS:
            for other in others:
                mask = self._masks(OPERATIONS[name](), bits.mask, other.mask)
                bits = Bits(mask, ordered=bits.ordered)
            return bits
        if name == "copy" and not others:
            return bits
        if name in COMPARISONS and len(others) == 1:
            return self._sets_compared(COMPARISONS[name](), bits.mask, others[0].mask)
        if name == "isdisjoint" and len(others) == 1:
            both = self.out.arithmetic("and", bits.mask, others[0].mask)
            return self.out.compare("eq", both, Constant(0))
        return None

    def _as_bits(self, value: Value, node: ast.expr) -> Bits:
        """Return the numbers of any collection as a set."""
        known = self.numbers(value)
        if known is not None:
            return known
        loop, certain = self.loops.over, self.expressions.certain
        bits = self.calls.comprehensions.gathered(
            lambda add: loop(node, value, lambda element, following, end: add(certain(element)))
        )
        if isinstance(bits, Distinct):
            raise UnsupportedError(
                f"{ast.unparse(node)}, with tuples or records in a set of numbers,"
            )
        return bits

    def _found(self, owner: Value, name: str, node: ast.Call) -> Value:
        """Return how often a value is in a collection, or where it is first."""
        if len(node.args) != 1 or node.keywords:
            raise UnsupportedError(f"the call {ast.unparse(node)}")
        wanted = self.expressions.known(node.args[0])
        where = self._first if name == "index" else self._count
        return where(owner, wanted, node)

    def _count(self, owner: Value, wanted: Value, node: ast.expr) -> Number:
        """Return how often a value is in a collection."""
        out = self.out
        result = out.variable()
        out.emit(f"store i64 0, ptr {result}")

        def look(element: Value, following: str, end: str) -> None:
            same = out.value(f"zext i1 {out.truth(self._same(element, wanted))} to i64")
            before = out.value(f"load i64, ptr {result}")
            out.emit(f"store i64 {out.value(f'add i64 {before}, {same}')}, ptr {result}")

        self.loops.over(node, owner, look)
        return Number(out.value(f"load i64, ptr {result}"), None, int)

    def _first(self, owner: Value, wanted: Value, node: ast.expr) -> Number:
        """Return where a value is first in a collection, in which it must be."""
        out = self.out
        place, end_of_search = out.variable(), out.label("found")
        out.emit(f"store i64 0, ptr {place}")

        def look(element: Value, following: str, end: str) -> None:
            on = out.label("on")
            out.branch(self._same(element, wanted), end_of_search, on)
            out.place_label(on)
            one = out.value(f"add i64 {out.value(f'load i64, ptr {place}')}, 1")
            out.emit(f"store i64 {one}, ptr {place}")

        self.loops.over(node, owner, look)
        if not out.terminated:
            out.fail_if("true")
        out.place_label(end_of_search)
        return Number(out.value(f"load i64, ptr {place}"), None, int)


_ITERATED = (Backwards, Cells, Elements, Mapped, Neighbours, Span, Zipped)

_SOME = ast.Name("a collection", ast.Load())

_STRICT: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Lt, ast.LtE: ast.Lt, ast.Gt: ast.Gt, ast.GtE: ast.Gt,
}  # fmt: skip


def _operator(comparison: ast.cmpop) -> Callable[[Any, Any], bool]:
    return FOLDED[type(comparison)]


def _kind(value: Value) -> type | None:
    """Return whether a value is a tuple or a list outside of the state; None for neither."""
    if isinstance(value, (Items, Cells)):
        return value.kind
    if isinstance(value, Constant) and type(value.value) in (tuple, list):
        return type(value.value)
    return None


def constant_of(value: Value) -> Value:
    """Return a tuple, a list or a set of known values as a constant; anything else as it is."""
    if isinstance(value, Bits) and isinstance(value.mask, Constant) and not value.address:
        return Constant(frozenset(members(value.mask.value)))
    return as_constant(value)


def _reach(masks: list[int]) -> tuple[int, int]:
    """Return the range of masks some of which have NONE, which is the sign."""
    most = max((mask & WORD[1]).bit_length() for mask in masks)
    return WORD[0], (1 << most) - 1


def is_fixed_set(value: Value) -> bool:
    """Whether a value is a set of plain numbers outside of the state that does not change."""
    if isinstance(value, Bits):
        return not value.address
    if not isinstance(value, (Choice, Constant)):
        return False
    options = value.options if isinstance(value, Choice) else (value.value,)
    return None not in map(plain_mask, options)


def is_set_operator(operator: ast.operator) -> bool:
    """Whether an operator takes two sets and returns one."""
    return type(operator) in (*_OF_MASKS, ast.Sub)


def is_list(value: Value) -> bool:
    """Whether a value is a list, a set or a dictionary outside of the state."""
    if isinstance(value, Constant):
        return type(value.value) in (list, set, frozenset, dict)
    return (
        is_dictionary(value)
        or isinstance(value, (Bits, Cells, Elements, Span))
        or (isinstance(value, Items) and value.kind is list)
    )


def _is_array(value: Value) -> bool:
    return isinstance(value, StateRef) and isinstance(value.sample, (list, tuple))


def _type(value: Value) -> type | None:
    """Return whether Python has a tuple or a list there."""
    if isinstance(value, (StateRef, Made, Span, Elements)):
        return list
    return _kind(value)
