"""From a plain Python function to LLVM: its expressions.

From a plain Python function to LLVM: whether two values are the same object.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from enum import Enum
from operator import attrgetter, contains, getitem
from typing import TypeVar

from ...core.containers import Seq, Set
from ...core.errors import printed
from .arithmetic import ARITHMETIC, COMPARISONS, DIVISIONS, FOLDED, UNARY, exact, folds
from .calls import Calls, written_out
from .containers import is_fixed_set
from .dictionaries import keys_of
from .distinct import is_member
from .emitter import Aside, is_cheap, is_marked
from .function import Mode, Scope
from .growing import Entry
from .second_names import memories
from .sequences import Records, Sequences, is_ours, is_value
from .slots import is_leaf, told
from .tables import Indexed, known_values
from .values import (
    NOWHERE,
    PLAIN,
    Bits,
    Cells,
    Choice,
    Closure,
    Constant,
    Dictionary,
    Elements,
    Entries,
    Items,
    KindError,
    Made,
    Method,
    Number,
    Orders,
    Perhaps,
    Places,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    View,
    ask,
    common,
    is_none,
    is_truth,
    kind_of,
    known_items,
    span,
    union,
)


@dataclass(frozen=True)
class Cell:
    """An element of a list outside of the state, whose index is within it.

    ``written`` is the index as the model has it, which may count from the end.
    """

    cells: Cells
    index: Value
    written: Value


_Owned = TypeVar("_Owned", ast.Attribute, ast.Subscript)


def _of(node: _Owned, owner: ast.Name) -> _Owned:
    """Return an expression with another owner of the attribute or the element."""
    other = copy(node)
    other.value = owner
    return other


Written = StateRef | Places | Cell | Entry | tuple[Method, Value] | None
"""Where a target is written: see :meth:`Expressions.written_place`."""

_UNPACKED = ast.Name("a tuple", ast.Load())

_WITHOUT_VALUE: dict[type[ast.expr], str] = {
    ast.GeneratorExp: "a generator that is passed on (write a list),",
    ast.Starred: "several values by a star (name each of them),",
    ast.Slice: "a slice of what is not a sequence,",
}
"""Why an expression is not translated, of those that never are."""

_OUTSIDE = "which is not in the language of models,"


class Identities:
    """Translates comparisons by ``is`` in one function."""

    def __init__(self, scope: Scope, expressions: Expressions) -> None:
        self.unit, self.out, self.expressions = scope.unit, scope.out, expressions

    def compared(self, node: ast.Compare) -> Value:
        """Return whether two values are the same object: None, a member or a truth value."""
        [right] = node.comparators
        negated = isinstance(node.ops[0], ast.IsNot)
        if isinstance(right, ast.Constant) and right.value is None:
            return self._is_none(node, negated)
        one, other = self.expressions.expression(node.left), self.expressions.expression(right)
        if one is NOWHERE or other is NOWHERE:
            return Constant(False)
        kinds = [type(v.value) if isinstance(v, Constant) else kind_of(v) for v in (one, other)]
        kind = common(*kinds)
        if kind is not bool and not (isinstance(kind, type) and issubclass(kind, Enum)):
            raise UnsupportedError(
                f"the comparison {ast.unparse(node)}, of what are not two truth values or two "
                "members of one enumeration,"
            )
        if isinstance(one, Constant) and isinstance(other, Constant):
            return Constant((one.value is other.value) is not negated)
        same = self.out.compare("eq", one, other)
        return self.expressions.negation(same) if negated else same

    def _is_none(self, node: ast.Compare, negated: bool) -> Value:
        """Return whether a call returns None."""
        if isinstance(node.left, ast.Call) and self._is_function(node.left):
            result = self.expressions.calls.called(node.left, Mode.IS_NONE)
            assert isinstance(result, Truth)
            return Truth(self.out.value(f"xor i1 {result.register}, true")) if negated else result
        value = self.expressions.expression(node.left)
        if isinstance(value, Perhaps):
            return self.expressions.negation(Truth(value.none)) if negated else Truth(value.none)
        if isinstance(value, StateRef) or (isinstance(value, Number) and value.kind):
            raise UnsupportedError(
                f"{ast.unparse(node)}, since a variable is never None: write `== NONE`,"
            )
        return Constant(is_known_none(value, node.left) != negated)

    def none(self, node: ast.expr) -> bool:
        """Return whether an expression is None, which must be known."""
        return is_known_none(self.expressions.expression(node), node)

    def _is_function(self, node: ast.Call) -> bool:
        """Return whether the callee is a plain Python function that is not written out."""
        with self.out.aside():
            callee = self.expressions.expression(node.func)
        return (
            isinstance(callee, Constant)
            and isinstance(callee.value, types.FunctionType)
            and not written_out(callee.value)
        )


def _never_none(value: Value) -> bool:
    """Whether a value equals None in no way, so that Python answers a comparison with None."""
    return isinstance(value, (Number, Truth, Items, Choice))


def _has_value(kind: type) -> bool:
    """Whether the value of each member of an enumeration is its number."""
    return issubclass(kind, Enum) and not any(
        "value" in vars(part) for part in kind.__mro__ if part is not Enum
    )


def _length_of_list(value: Value) -> int | None:
    """Return how many elements a list has, if it is one of a known length."""
    items = known_items(value)
    kind = value.kind if isinstance(value, Items) else type(getattr(value, "value", None))
    return len(items) if items is not None and kind is list else None


def is_known_none(value: Value, node: ast.expr) -> bool:
    """Whether the value of an expression is None, which must be known."""
    if isinstance(value, Truth) and value.truth_only:
        raise UnsupportedError(f"whether {ast.unparse(node)} is None")
    return isinstance(value, Constant) and value.value is None


def _owner_of_view(node: ast.expr) -> str:
    """Return the name whose dictionary an expression shows, or has a method of; none for others."""
    path = node.func if isinstance(node, ast.Call) else node
    if not isinstance(path, ast.Attribute) or not isinstance(path.value, ast.Name):
        return ""
    is_view = path.attr in ("items", "keys", "values") if path is not node else path.attr == "get"
    return path.value.id if is_view else ""


class Expressions:
    """Translates expressions: known ones are computed now, for others code is emitted."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.unit, self.out = scope, scope.unit, scope.out
        # Whether an operand of the last `and` or `or` was a list, a set or a sequence.
        self._had_collection = False
        self.mark, self.records = scope.marks.mark, Records(scope)
        self.sequences = Sequences(scope, self)
        scope.lists.kept = scope.slots.kept = self.sequences.kept
        self.calls = Calls(scope, self)
        self.identities = Identities(scope, self)

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise UnsupportedError(
                f"{ast.unparse(node)}, {_WITHOUT_VALUE.get(type(node), _OUTSIDE)}"
            )
        try:
            value: Value = method(node)
        except KindError as error:
            raise UnsupportedError(f"{error}, in {ast.unparse(node)}") from None
        return value

    def known(self, node: ast.expr) -> Value:
        """Return the value of an expression to compute with; 0 for an element beyond an array."""
        value = self.certain(self.expression(node))
        return Constant(0) if value is NOWHERE else value

    def certain(self, value: Value) -> Value:
        """Return a value that is not None; the step fails if it is."""
        if not isinstance(value, Perhaps):
            return value
        if value.value is None:
            # A later statement of a loop gives it another value, or the step fails.
            self.out.fail_if("true")
            return NOWHERE
        self.out.fail_if(value.none)
        return value.value

    def value(self, node: ast.expr) -> Value:
        """Return what Python keeps of an expression in a name, a tuple or an argument."""
        return self.sequences.fixed(self.known(node))

    def operand(self, node: ast.expr, following: list[ast.expr]) -> Value:
        """Return an operand that is used after others are evaluated."""
        calls = any(isinstance(part, ast.Call) for other in following for part in ast.walk(other))
        return self.value(node) if calls else self.known(node)

    def condition(self, node: ast.expr) -> Value:
        """Return the truth of an expression: a `Truth`, or `Constant`."""
        if isinstance(node, ast.BoolOp):
            return self.truth_of(self._all_or_any(node))
        return self.truth_of(self.expression(node))

    def truth_of(self, value: Value) -> Value:
        """Return the truth of a value: a `Truth`, or `Constant`."""
        if isinstance(value, Perhaps):
            if value.value is None:
                return Constant(False)
            truth = self.out.truth(self.truth_of(value.value))
            something = self.out.value(f"xor i1 {value.none}, true")
            return Truth(self.out.value(f"and i1 {something}, {truth}"))
        if isinstance(value, Choice):
            return self.truth_of(self.scope.tables.mapped(value, bool))
        value = self.calls.filled(Constant(0) if value is NOWHERE else value)
        if isinstance(value, Constant):
            return Constant(self.true(value))
        return value if isinstance(value, Truth) else Truth(self.out.truth(value))

    def decision(self, node: ast.expr) -> Value:
        """Return the truth of an expression on which a branch depends, and mark both ways."""
        value = self.condition(node)
        if not is_marked(node):
            self.mark(value, node)
        return value

    def true(self, value: Constant) -> bool:
        """Whether a value that is known is true."""
        return bool(ask(bool, value.value))

    def _constant(self, node: ast.Constant) -> Value:
        return Constant(node.value)

    def owner(self, node: ast.expr) -> Value:
        """Return the value of an expression of which only a part is wanted now."""
        if isinstance(node, ast.Name) and node.id in self.scope.rebound:
            self._refuse_undefined(node)
            return self.scope.local[node.id]
        return self.expression(node)

    def _refuse_undefined(self, node: ast.Name) -> None:
        definite = self.out.definite
        if node.id in self.scope.assigned and definite is not None and node.id not in definite:
            raise UnsupportedError(f"{node.id}, which may have no value yet,")

    def _bound(self, name: str) -> Value:
        """Return the value of a name; of a list that is overwritten later, what it is now."""
        value, rebound = self.scope.local[name], self.scope.rebound
        if name not in rebound or rebound[name] or name in self.scope.hidden:
            return value
        copied = self.calls.collections.now(value)
        if copied is not value:
            # What a function returns has no name of its own.
            self.scope.share(value, told(name), name if name.endswith("?") else "", copied)
        return copied

    def _name(self, node: ast.Name) -> Value:
        self._refuse_undefined(node)
        definite = self.out.definite
        if node.id in self.scope.slots and node.id not in self.scope.hidden:
            return self.scope.slots.load(node.id)
        if node.id in self.scope.variables:
            known = definite[node.id] if definite is not None else None
            return Number(self.out.value(f"load i64, ptr {self.scope.variables[node.id]}"), known)
        if node.id in self.scope.local:
            return self._bound(node.id)
        if node.id in self.scope.assigned:
            # It was assigned where its place in memory is no longer known.
            raise UnsupportedError(f"{node.id}, which is assigned within another expression,")
        return self.unit.lookup(self.scope.function, node.id)

    def _tuple(self, node: ast.Tuple) -> Value:
        return self._displayed(node.elts, tuple)

    def _list(self, node: ast.List) -> Value:
        return self._displayed(node.elts, list)

    def _displayed(self, nodes: list[ast.expr], kind: type) -> Items | Cells:
        """Return a tuple or a list of values, of which a star may spread an unknown number."""
        parts = self.parts_of(nodes)
        if not any(isinstance(part, Indexed) for part in parts):
            return Items(tuple(parts), kind)  # type: ignore[arg-type]
        cells = self.scope.lists.new(kind)
        for part in parts:
            if isinstance(part, Indexed):
                self.sequences.append_all(cells, part)
            else:
                self.scope.lists.append(cells, part)
        return cells

    def refuse_kept(self, node: ast.expr) -> None:
        """Refuse what another value or a name would keep, and what would then change.

        That is a list that changes where it is, and is also overwritten, and an iterator, which
        reads later, and only once.
        """
        if isinstance(node, ast.Call):
            made = self.calls.comprehensions.named(node.func, node)
            if made is iter or (isinstance(made, type) and hasattr(made, "__next__")):
                raise UnsupportedError(f"{ast.unparse(node)}, an iterator that is kept,")
        shown = _owner_of_view(node)
        if shown in self.scope.rebound or shown in self.scope.slots:
            raise UnsupportedError(f"{ast.unparse(node)}, with a name, when {shown} has another")
        if isinstance(node, ast.Name) and self.scope.rebound.get(node.id):
            raise UnsupportedError(f"{told(node.id)}, another name of a list that changes,")

    def parts_of(self, nodes: list[ast.expr]) -> list[Value | Indexed]:
        """Return the values of expressions side by side, and what a star spreads."""
        parts: list[Value | Indexed] = []
        for node in nodes:
            self.refuse_kept(node)
            if not isinstance(node, ast.Starred):
                parts.append(self.sequences.fixed(self.expression(node)))
                continue
            chosen = self.calls.loops.indexed(self.value(node.value), node)
            length = chosen.length()
            if isinstance(length, Constant):
                parts += [chosen.at(Constant(number)) for number in range(length.value)]
                continue
            # Python has taken these before it evaluates what comes after them.
            taken = self.scope.lists.new(most=max(chosen.most or 0, 1))
            self.sequences.append_all(taken, chosen)
            if taken.shapes:
                parts.append(self.calls.loops.indexed(taken, node))
        return parts

    def items_of(self, nodes: list[ast.expr]) -> list[Value]:
        """Return the values of expressions, of which a star spreads a known number."""
        parts = self.parts_of(nodes)
        items = [part for part in parts if not isinstance(part, Indexed)]
        if len(items) < len(parts):
            stars = ", ".join(ast.unparse(n) for n in nodes if isinstance(n, ast.Starred))
            raise UnsupportedError(f"{stars}, of unknown length,")
        return items

    def taken_apart(self, value: Value, count: int) -> list[Value]:
        """Return the parts of a value that Python takes apart, which must be so many."""
        if value is NOWHERE:
            return [NOWHERE] * count
        chosen = self.calls.loops.indexed(self.certain(value), _UNPACKED)
        length = chosen.length()
        if isinstance(length, Constant) and length.value != count:
            raise UnsupportedError("a tuple of another length is unpacked")
        if not isinstance(length, Constant):
            self.out.fail_if(self.out.truth(self.out.compare("ne", length, Constant(count))))
            if chosen.most is None or chosen.most < count:
                raise UnsupportedError("a tuple of another length is unpacked")
        return [chosen.at(Constant(number)) for number in range(count)]

    def _set(self, node: ast.Set) -> Value:
        parts = self.parts_of(node.elts)
        items = [part for part in parts if not isinstance(part, Indexed)]
        return self._set_of(items) if len(items) == len(parts) else self._set_with(parts)

    def _set_with(self, parts: list[Value | Indexed]) -> Value:
        """Return a set of values, and of an unknown number that stars spread."""

        def add_all(add: Callable[[Value], None]) -> None:
            for part in parts:
                if isinstance(part, Indexed):
                    self.sequences.each_of(part, add)
                else:
                    add(self.certain(part))

        return self.calls.comprehensions.gathered(add_all)

    def _possible(self, node: ast.expr) -> Value:
        """Return what a value may be in; a set of numbers is compared with one by one."""
        if not isinstance(node, ast.Set):
            return self.known(node)
        items = self.items_of(node.elts)
        return Items(tuple(items)) if all(map(is_leaf, items)) else self._set_of(items)

    def _set_of(self, items: list[Value]) -> Value:
        """Return a set of values that are evaluated."""
        if all(isinstance(item, Constant) for item in items):
            return Constant(ask(frozenset, [item.value for item in items]))  # type: ignore[union-attr]
        if any(map(is_member, items)):
            return self.calls.collections.distinct.made_of(items)
        mask: Value = Constant(0)
        for item in items:
            bit = self.scope.lists.bit(self.certain(item))
            mask = self.scope.lists.merged("or", mask, bit)
        return Bits(mask)

    def _dict(self, node: ast.Dict) -> Value:
        return self.calls.dictionaries.displayed(node)

    def _dictcomp(self, node: ast.DictComp) -> Value:
        return self.calls.dictionaries.comprehended(node)

    def _listcomp(self, node: ast.ListComp) -> Value:
        return self.calls.comprehensions.collected(node, list)

    def _setcomp(self, node: ast.SetComp) -> Value:
        return self.calls.comprehensions.members(node)

    def _lambda(self, node: ast.Lambda) -> Value:
        return self.closure(node)

    def closure(self, node: ast.Lambda | ast.FunctionDef) -> Closure:
        """Return a function that is defined here, with the defaults that it has now."""
        for part in node.args.defaults:
            self.refuse_kept(part)
        defaults = [self.sequences.fixed(self.value(part)) for part in node.args.defaults]
        hidden = {name: self.scope.local[name] for name in self.scope.hidden}
        return Closure(node, self.scope.function, tuple(defaults), hidden)

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        self.refuse_kept(node.value)
        value = self.sequences.fixed(self.expression(node.value))
        value = Constant(0) if value is NOWHERE else value
        assert isinstance(node.target, ast.Name)
        if any(memories(self.scope.local.get(node.target.id))):
            # What Python has evaluated before it in the expression is the list as it was.
            raise UnsupportedError(f"{node.target.id}, a list that an expression makes anew,")
        self.scope.assign(node, value)
        return self.expression(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))

    def _attribute(self, node: ast.Attribute) -> Value:
        return self.attribute_of(self.certain(self.expression(node.value)), node)

    def attribute_of(self, owner: Value, node: ast.Attribute) -> Value:
        """Return the attribute that a node names, of a value that is evaluated."""
        if isinstance(owner, Places):
            return self.each_place(owner, node, lambda name: self._attribute(_of(node, name)))
        if isinstance(owner, (StateRef, Made)):
            getter = self.records.getter(owner, node.attr)
            if getter is not None:
                return self.calls.got(getter)
            method = self.records.method(owner, node.attr)
            return method or self.records.variable(owner, node.attr)
        if owner is NOWHERE:
            return NOWHERE
        if isinstance(owner, Number) and owner.kind is not None and node.attr == "value":
            if not _has_value(owner.kind):
                raise UnsupportedError(f"{ast.unparse(node)}, which its enumeration computes,")
            return Number(owner.register, owner.range, int)
        if isinstance(owner, Choice):
            return self.scope.tables.mapped(owner, attrgetter(node.attr))
        if isinstance(owner, (Dictionary, Entries)) and node.attr == "get":
            # What min() and max() ask for the value of each key.
            spelled = ast.parse(f"lambda key: {ast.unparse(node)}(key)", mode="eval").body
            assert isinstance(spelled, ast.Lambda)
            return self.closure(spelled)
        if not isinstance(owner, Constant):
            kind = kind_of(owner)
            of_member = isinstance(kind, type) and issubclass(kind, Enum)
            what = "a value that is not a record"
            if of_member:
                what = "a member of an enumeration (write a function that compares it)"
            raise UnsupportedError(f"{ast.unparse(node)}, an attribute of {what},")
        return Constant(ask(getattr, owner.value, node.attr))

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.certain(self.owner(node.value))
        if isinstance(owner, Places):
            return self.each_place(owner, node, lambda name: self._subscript(_of(node, name)))
        if isinstance(node.slice, ast.Slice) and owner is not NOWHERE:
            if isinstance(owner, (Items, Constant)):
                return self._part_of_tuple(owner, node, node.slice)
            if ast.unparse(node.slice) == "::-1":
                return self.sequences.reversed_list(owner)
            if isinstance(owner, (Cells, Elements, Span)):
                return self.sequences.slice_of_list(owner, node, node.slice)
            if isinstance(owner, (StateRef, Made)) and isinstance(owner.sample, list):
                return self.sequences.slice_of_array(owner, node, node.slice)
            return self.sequences.span_of(owner, node, node.slice)
        if isinstance(owner, Entries):
            return self.calls.growing.element(owner, self.known(node.slice))
        with self.scope.reading(is_value(owner)):
            index = self.sequences.index(owner, node.slice)
        if isinstance(owner, (StateRef, Made)):
            return self.sequences.element_of(owner, index)
        if owner is NOWHERE:
            return NOWHERE
        if isinstance(owner, (Items, Constant)) and isinstance(index, Constant):
            return self.records.item_of(owner, index, node)
        if isinstance(owner, Constant):
            return self.scope.tables.looked_up(owner.value, index)
        if isinstance(owner, Choice):
            return self.scope.tables.chosen_element(owner, index)
        if isinstance(owner, Dictionary):
            return self.calls.dictionaries.element(owner, index)
        lists = self.scope.lists
        if isinstance(owner, Cells):
            return lists.element(owner, index)
        if isinstance(owner, (Items, Elements, Span, Orders)) and isinstance(
            index, (Constant, Number)
        ):
            chosen = self.calls.loops.indexed(owner, node)
            if not chosen.most:
                self.out.fail_if("true")
                return NOWHERE
            return chosen.at(lists.clamped(index, chosen.length(), chosen.most))
        raise UnsupportedError(
            f"{ast.unparse(node)}, an element of what is not a list, a tuple or a table,"
        )

    def each_place(self, places: Places, node: ast.AST, make: Callable[[ast.Name], Value]) -> Value:
        """Return a value made of one of several parts of the state, whichever it is.

        Parameters
        ----------
        make
            Emits it for the name of one of them.
        """

        def of(number: int) -> Value:
            name = self.scope.new_name("place")
            with self.calls.comprehensions.bound(
                ast.Name(name, ast.Store()), places.options[number]
            ):
                return self.sequences.fixed(make(ast.Name(name, ast.Load())))

        return self.one_of(places.which, len(places.options), node, of)

    def one_of(
        self, which: Value, count: int, node: ast.AST, make: Callable[[int], Value]
    ) -> Value:
        """Return one of several values, of which only the chosen one is computed.

        Parameters
        ----------
        which
            Its number, which is below `count`.
        make
            Emits the value of a number.
        """
        out, slots = self.out, self.scope.slots
        result, end = self.scope.new_name("either"), out.label("end")
        values = []
        for number in range(count):
            here, on = out.label("here"), out.label("on")
            if number < count - 1:
                test = out.compare("eq", which, Constant(number))
                self.mark(test, node, number)
                out.branch(test, here, on)
                out.place_label(here)
            values.append(make(number))
            if not is_none(values[-1]):
                slots.store(result, values[-1])
            out.jump(end)
            if number < count - 1:
                out.place_label(on)
        out.place_label(end)
        if all(map(is_none, values)):
            return Constant(None)
        if any(map(is_none, values)):
            raise UnsupportedError(f"{ast.unparse(node)}, which is None on some way,")
        return slots.load(result)

    def _part_of_tuple(
        self, owner: Items | Constant, node: ast.Subscript, chosen: ast.Slice
    ) -> Value:
        """Return a slice of a tuple, or of a list whose elements are known."""
        parts = [
            Constant(None) if part is None else self.known(part)
            for part in (chosen.lower, chosen.upper, chosen.step)
        ]
        if isinstance(owner, Items) and not all(isinstance(part, Constant) for part in parts):
            return self.sequences.slice_of_list(owner, node, chosen)
        wanted = slice(*known_values(node, parts))
        if isinstance(owner, Items):
            return Items(owner.items[wanted], owner.kind)
        return Constant(ask(getitem, owner.value, wanted))

    def written_place(self, node: ast.expr) -> Written:
        """Return the part of the state that a target names; None if that is beyond an array.

        For an element that a record sets by its own method it is that method, and the index.
        """
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            owner = self.certain(self.expression(node.value))
            if isinstance(owner, Cells) and isinstance(node, ast.Subscript):
                lists, index = self.scope.lists, self.known(node.slice)
                clamped = lists.clamped(index, lists.length(owner), owner.most)
                return Cell(owner, clamped, index)
            if isinstance(owner, Entries) and isinstance(node, ast.Subscript):
                return Entry(owner, self.known(node.slice))
            self.scope.write(f"writing {ast.unparse(node)}")
            if owner is NOWHERE:
                return None
            if isinstance(owner, Places) and isinstance(node, ast.Attribute):
                parts = tuple(self.records.part(one, node.attr) for one in owner.options)
                if all(isinstance(part.sample, (int, Seq, Set)) for part in parts):
                    return Places(owner.which, parts)
            if isinstance(owner, StateRef) and isinstance(node, ast.Attribute):
                return self.records.part(owner, node.attr)
            if isinstance(owner, StateRef) and isinstance(node, ast.Subscript):
                with self.scope.reading(is_value(owner)):
                    index = self.sequences.index(owner, node.slice)
                setter = self.records.element_method(owner, "__setitem__")
                if setter and is_value(owner) and not is_ours(setter):
                    raise UnsupportedError(
                        f"{ast.unparse(node)}, a copy of an element, as a target"
                    )
                return (setter, index) if setter else self.records.element(owner, index)
        written = ast.unparse(node)
        raise UnsupportedError(f"{written}, which is not a part of the state, as a target")

    def _binop(self, node: ast.BinOp) -> Value:
        left, right = self.operand(node.left, [node.right]), self.known(node.right)
        if isinstance(node.op, ast.Pow):
            return self.calls.builtins.power(node, left, right)
        return self.operated(node.op, left, right)

    def operated(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Return the result of an operator on collections or on integers."""
        joined = self.calls.collections.combined(operator, left, right)
        return self.computed(operator, left, right) if joined is None else joined

    def computed(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Return the result of an operator on two integers, as Python computes it."""
        if type(operator) not in ARITHMETIC:
            raise UnsupportedError(f"the operator {type(operator).__name__}")
        left, right = (Constant(0) if one is NOWHERE else one for one in (left, right))
        if isinstance(left, Constant) and isinstance(right, Constant):
            if not folds(operator, right.value):
                # The model may never get there.
                self.out.fail_if("true")
                return Constant(0)
            return Constant(ask(FOLDED[type(operator)], left.value, right.value))
        name = ARITHMETIC[type(operator)]
        if self.out.wraps and name not in DIVISIONS:
            return self.out.arithmetic(name, left, right)
        return exact(self.out, name, left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.negation(self.condition(node.operand))
        value = self.known(node.operand)
        if isinstance(value, Constant):
            return Constant(ask(UNARY[type(node.op)], value.value))
        if isinstance(node.op, ast.USub):
            return self.computed(ast.Sub(), Constant(0), value)
        if isinstance(node.op, ast.UAdd):
            return self.computed(ast.Add(), value, Constant(0))
        return self.computed(ast.BitXor(), value, Constant(-1))

    def negation(self, value: Value) -> Value:
        """Return the opposite of a truth value."""
        if isinstance(value, Constant):
            return Constant(not value.value)
        return Truth(self.out.value(f"xor i1 {self.out.truth(value)}, true"))

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return self.identities.compared(node)
        if len(node.ops) > 1:
            return self._chained(
                self.operand(node.left, node.comparators), node.ops, node.comparators
            )
        [operator], [compared] = node.ops, node.comparators
        if isinstance(operator, (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            left = self.expression(node.left)
            left = Constant(0) if left is NOWHERE else left
            if any(isinstance(part, ast.Call) for part in ast.walk(compared)):
                left = self.sequences.fixed(left)
        else:
            left = self.operand(node.left, node.comparators)
        if isinstance(operator, (ast.In, ast.NotIn)):
            return self._member(operator, left, self._possible(compared))
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            return self.equal(operator, left, self.expression(compared))
        return self.compared(operator, left, self.known(compared))

    def _chained(
        self, left: Value, comparisons: list[ast.cmpop], operands: list[ast.expr]
    ) -> Value:
        """Return whether a chain of comparisons holds; it ends with the first false one."""
        right = self.operand(operands[0], operands[1:])
        truth = self.compared(comparisons[0], left, right)
        self.mark(truth, operands[0])
        if len(operands) == 1:
            return truth
        if isinstance(truth, Constant):
            if not self.true(truth):
                return truth
            return self._chained(right, comparisons[1:], operands[1:])
        with self.out.aside() as aside:
            rest = self._chained(right, comparisons[1:], operands[1:])
        return self._joined(True, truth, rest, aside)

    def compared(self, comparison: ast.cmpop, left: Value, right: Value) -> Value:
        """Return how two values compare."""
        if isinstance(comparison, (ast.In, ast.NotIn)):
            return self._among(comparison, left, right, isinstance(comparison, ast.NotIn))
        if type(comparison) not in COMPARISONS:
            raise UnsupportedError(f"the comparison {type(comparison).__name__}")
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(ask(FOLDED[type(comparison)], left.value, right.value))
        several = self.calls.collections.compared(comparison, left, right)
        if several is not None:
            return several
        compound = (StateRef, Made, Span, Elements)
        if isinstance(left, compound) or isinstance(right, compound):
            return self.sequences.records_compared(comparison, left, right)
        return self.out.compare(COMPARISONS[type(comparison)], left, right)

    def equal(self, comparison: ast.cmpop, left: Value, right: Value) -> Value:
        """Return whether two values are equal, or are not; either may be None."""
        left, right = (Constant(0) if one is NOWHERE else one for one in (left, right))
        plain = not isinstance(left, Perhaps) and not isinstance(right, Perhaps)
        pairs = (left, right), (right, left)
        if plain and not any(is_none(none) and _never_none(other) for none, other in pairs):
            return self.compared(comparison, left, right)
        (one, no_one), (other, no_other) = map(self._apart, (left, right))
        out = self.out
        equal = out.value(f"and i1 {no_one}, {no_other}")
        if one is not None and other is not None:
            same = out.truth(self.compared(ast.Eq(), one, other))
            either = out.value(f"or i1 {no_one}, {no_other}")
            both = out.value(f"and i1 {out.value(f'xor i1 {either}, true')}, {same}")
            equal = out.value(f"or i1 {equal}, {both}")
        truth = Truth(equal)
        return truth if isinstance(comparison, ast.Eq) else self.negation(truth)

    def _apart(self, value: Value) -> tuple[Value | None, str]:
        """Return a value if it is not None, and the bit that says whether it is."""
        if isinstance(value, Perhaps):
            return value.value, value.none
        return (None, "true") if is_none(value) else (value, "false")

    def _member(self, comparison: ast.cmpop, left: Value, right: Value) -> Value:
        """Return whether a value, which may be None, is in a collection, or is not."""
        negated = isinstance(comparison, ast.NotIn)
        if not isinstance(left, Perhaps):
            return self._among(comparison, left, right, negated)
        if left.value is None or not isinstance(right, (Items, Bits, Constant)):
            return self._among(comparison, self.certain(left), right, negated)
        out, way = self.out, ast.In()
        inside = out.truth(self._among(way, left.value, right, False))
        none = Constant(None)
        if isinstance(right, Items):
            is_none_inside = self._among(way, none, right, False)
        else:
            is_none_inside = Constant(isinstance(right, Constant) and None in right.value)
        without = out.truth(is_none_inside)
        truth = Truth(out.value(f"select i1 {left.none}, i1 {without}, i1 {inside}"))
        return self.negation(truth) if negated else truth

    def _among(self, node: ast.cmpop, left: Value, right: Value, negated: bool) -> Value:
        """Return whether a number is one of a few."""
        if isinstance(right, (Entries, View)):
            member = self.calls.growing.among(left, right)
            self.mark(member, node)
            return self.negation(member) if negated else member
        right = keys_of(right) if isinstance(right, Dictionary) else right
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(ask(contains, right.value, left.value) is not negated)
        if isinstance(right, Places):
            way = ast.In()
            member = self.each_place(
                right, node, lambda name: self._among(way, left, self.known(name), False)
            )
            return self.negation(member) if negated else member
        method = None
        if isinstance(right, (StateRef, Made)):
            method = self.records.method(right, "__contains__")
        if method is not None:
            is_member = self.calls.asked(method, [left])
            self.mark(is_member, node)
            return self.negation(is_member) if negated else is_member
        listed = self.calls.collections.among(left, right)
        if listed is not None:
            self.mark(listed, node)
            return self.negation(listed) if negated else listed
        if isinstance(right, Constant):
            if type(right.value) not in (tuple, list, range, set, frozenset, dict):
                raise UnsupportedError(f"membership in {printed(right.value)}")
            right = Items(tuple(map(Constant, right.value)))
        if not isinstance(right, Items):
            raise UnsupportedError("membership in what is not a collection (compare by ==),")
        result: Value = Constant(False)
        for number, item in enumerate(right.items):
            same = self.equal(ast.Eq(), left, item)
            self.mark(same, node, number)
            if any(isinstance(known, Constant) and self.true(known) for known in (result, same)):
                result = Constant(True)
            elif isinstance(result, Truth) and isinstance(same, Truth):
                result = Truth(self.out.value(f"or i1 {result.register}, {same.register}"))
            elif isinstance(same, Truth):
                result = same
        if isinstance(result, Constant):
            return Constant(self.true(result) is not negated)
        return (
            Truth(self.out.value(f"xor i1 {self.out.truth(result)}, true")) if negated else result
        )

    def _boolop(self, node: ast.BoolOp) -> Value:
        """Return the operand that decides, which is the truth of all of them if each is one."""
        self._had_collection = False
        with self.out.aside() as aside:
            truth = self._all_or_any(node)
        if isinstance(truth, Truth) and truth.truth_only:
            return self._deciding(node, node.values)
        if isinstance(truth, Constant) and self._had_collection:
            return self._deciding(node, node.values)
        self.out.append(aside)
        return truth

    def _deciding(self, node: ast.BoolOp, operands: list[ast.expr]) -> Value:
        """Return the first operand that decides, or the last one."""
        left = self.sequences.fixed(self.expression(operands[0]))
        if len(operands) == 1:
            return left
        is_any, truth = isinstance(node.op, ast.Or), self.truth_of(left)
        if isinstance(truth, Constant):
            decides = self.true(truth) is is_any
            return left if decides else self._deciding(node, operands[1:])
        self.mark(truth, node, operands[0])
        with self.out.aside() as aside:
            right = self._deciding(node, operands[1:])
        if is_any and isinstance(left, Perhaps) and left.value is not None:
            # What is true is not None.
            left = left.value
        ways = [(Aside([]), left), (aside, right)]
        return self._either_way(truth, *(ways if is_any else reversed(ways)))

    def _all_or_any(self, node: ast.BoolOp) -> Value:
        """Return the truth of all, or of any, jumping only over expensive operands."""
        wanted = isinstance(node.op, ast.And)
        truth = self._operand(node.values[0])
        kinds = {kind_of(truth)}
        for part in node.values[1:]:
            if isinstance(truth, Constant):
                if self.true(truth) is wanted:
                    truth = self._operand(part)
                    kinds = {kind_of(truth)}
                continue
            truth = self._truth_of(truth, node)
            with self.out.aside() as aside:
                operand = self._operand(part)
                value = self._truth_of(operand, node)
            kinds.add(kind_of(operand))
            truth_only = "" if is_truth(truth) and is_truth(value) else ast.unparse(node)
            truth = self._joined(wanted, truth, value, aside)
            if truth_only:
                truth = Truth(self.out.truth(truth), truth_only)
        return truth if len(kinds) == 1 else self._of_some_kind(truth)

    def _of_some_kind(self, truth: Value) -> Value:
        """Return the result of `and` or `or`, which Python takes from operands of several types."""
        if isinstance(truth, Truth):
            return replace(truth, kind=None)
        return Constant(int(self.true(truth))) if isinstance(truth, Constant) else truth

    def _operand(self, part: ast.expr) -> Value:
        """Return the value of an operand of `and` or `or`, and mark both ways of its truth."""
        if isinstance(part, ast.BoolOp):
            value = self._all_or_any(part)
        else:
            operand = self._something(self.expression(part))
            value = self.calls.filled(operand)
            self._had_collection |= value is not operand
            if value is not operand and isinstance(value, (Number, Truth)):
                # Of a set or a sequence, `and` and `or` give more than this truth.
                value = Truth(self.out.truth(value), ast.unparse(part))
        if self.out.points and isinstance(value, (Number, Truth)) and not is_marked(part):
            self.mark(Truth(self.out.truth(value)), part)
        return value

    def _something(self, value: Value) -> Value:
        """Return a value for its truth; of one that may be None, its truth."""
        if isinstance(value, Perhaps):
            truth = self.truth_of(value)
            return replace(truth, truth_only="None") if isinstance(truth, Truth) else truth
        return Constant(0) if value is NOWHERE else value

    def _truth_of(self, value: Value, node: ast.BoolOp) -> Value:
        """Return an operand as itself if it is known, else its truth."""
        if isinstance(value, Constant) and type(value.value) not in PLAIN:
            return Truth("true" if self.true(value) else "false", ast.unparse(node))
        if isinstance(value, (Constant, Truth)):
            return value
        return Truth(self.out.truth(value), "" if is_truth(value) else ast.unparse(node))

    def _joined(self, wanted: bool, left: Value, right: Value, aside: Aside) -> Value:
        out = self.out
        if is_cheap(aside.lines):
            out.inline(aside, out.truth(left), wanted)
            if isinstance(right, Constant):
                return left if self.true(right) is wanted else right
            name = "and" if wanted else "or"
            return Truth(out.value(f"{name} i1 {out.truth(left)}, {out.truth(right)}"))
        result = out.variable()
        inside, end = out.label("also"), out.label("end")
        out.emit(f"store i64 {0 if wanted else 1}, ptr {result}")
        out.branch(left, *((inside, end) if wanted else (end, inside)))
        out.place_label(inside)
        out.append(aside)
        out.emit(f"store i64 {out.number(Truth(out.truth(right)))}, ptr {result}")
        out.place_label(end)
        loaded = out.value(f"load i64, ptr {result}")
        return Truth(out.value(f"icmp ne i64 {loaded}, 0"))

    def unless(self, missing: Value, value: Value) -> Value:
        """Return a value that is None if something holds, and may be None by itself."""
        none = self.out.truth(missing)
        if isinstance(value, Perhaps):
            return Perhaps(value.value, self.out.value(f"or i1 {none}, {value.none}"))
        return value if is_none(value) else Perhaps(value, none)

    def _ifexp(self, node: ast.IfExp) -> Value:
        out = self.out
        test = self.decision(node.test)
        if isinstance(test, Constant):
            return self.expression(node.body if test.value else node.orelse)
        with out.aside() as first:
            yes = self.expression(node.body)
        with out.aside() as second:
            no = self.expression(node.orelse)
        if not (is_leaf(yes) and is_leaf(no)):
            return self._either_way(test, (first, yes), (second, no))
        known, kind = union(span(yes), span(no)), common(kind_of(yes), kind_of(no))
        if is_cheap(first.lines + second.lines):
            out.inline(first, out.truth(test), True)
            out.inline(second, out.truth(test), False)
            return Number(out.number(out.select(test, yes, no, known)), known, kind)
        result = out.variable()
        one, other, end = out.label("then"), out.label("else"), out.label("end")
        out.branch(test, one, other)
        for label, aside, value in ((one, first, yes), (other, second, no)):
            out.place_label(label)
            out.append(aside)
            out.emit(f"store i64 {out.number(value)}, ptr {result}")
            out.jump(end)
        out.place_label(end)
        return Number(out.value(f"load i64, ptr {result}"), known, kind)

    def _are_lists(self, values: list[Value]) -> bool:
        """Whether values are lists, and not all of the same known length."""
        slices = [
            isinstance(value, (Span, Elements)) or (isinstance(value, Cells) and value.kind is list)
            for value in values
        ]
        lengths = [_length_of_list(value) for value in values]
        literal = [length is not None for length in lengths]
        return all(map(max, slices, literal)) and (any(slices) or len(set(lengths)) > 1)

    def _either_way(self, test: Value, *ways: tuple[Aside, Value]) -> Value:
        """Return one of two values of several parts, each of which is evaluated aside."""
        out, slots, name = self.out, self.scope.slots, self.scope.new_name("either")
        are_sets = all(is_fixed_set(value) for _, value in ways)
        ordered = all(isinstance(value, Bits) and value.ordered for _, value in ways)
        listed = self.scope.lists.new() if self._are_lists([one for _, one in ways]) else None
        if any(isinstance(value, Perhaps) or value == Constant(None) for _, value in ways):
            slots.nullable.add(name)
        labels, end = (out.label("then"), out.label("else")), out.label("end")
        out.branch(test, *labels)
        for label, (aside, value) in zip(labels, ways, strict=True):
            out.place_label(label)
            out.append(aside)
            if are_sets:
                bits = self.calls.collections.bits(value)
                assert bits is not None
                slots.store(name, replace(bits, ordered=ordered))
            elif listed is None:
                slots.store(name, self.sequences.fixed(value))
            else:
                self.calls.collections.add_all(listed, value)
            out.jump(end)
        out.place_label(end)
        if listed is None:
            return slots.load(name)
        for value in (*(value for _, value in ways), listed):
            for memory in memories(value):
                self.scope.lists.second_names.copy(memory, "a list that is chosen")
        return listed

    def either(self, test: Value, yes: Value, no: Value) -> Value:
        """Return one of two values that are both evaluated."""
        if is_leaf(yes) and is_leaf(no):
            known = union(span(yes), span(no))
            chosen = self.out.number(self.out.select(test, yes, no, known))
            return Number(chosen, known, common(kind_of(yes), kind_of(no)))
        nothing = Aside([])
        return self._either_way(test, (nothing, yes), (nothing, no))

    def _call(self, node: ast.Call) -> Value:
        return self.calls.called(node, Mode.WHOLE)
