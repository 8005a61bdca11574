"""What functions of Python's library give, and what methods change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.containers import Bag, RecordBag
from ..language import form
from ..language.lowering.owners import root_of
from ..language.types import Mapping, Number
from .expressions import EXPRESSIONS, UnreachedError, is_plain
from .flow import Write
from .iteration import STREAMED, STREAMS, Iteration, is_counter, refuse_writes
from .joining import LISTS, elements
from .refusals import NotShownError
from .relations import (
    NOTHING,
    ORDER,
    TRUTH,
    Bunch,
    Carried,
    Indexed,
    Listed,
    Never,
    Place,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    SetOf,
    Several,
    Table,
    Unclear,
    exactly,
)
from .words import described

_UNITING = ("add", "update")
_INTERSECTING = ("discard", "remove", "difference_update", "intersection_update")
_ONE = ("add", "append", "appendleft", "discard", "remove")
"""The methods of containers that take one element."""

_TAKING = ("pop", "popleft")
"""The methods of lists that return what they take out."""

IN_ORDER = "orders what comes in any order by a key, where the first of several equal ones counts"


class Library(Iteration):
    """Follows calls of Python's functions, and of methods that change their owner."""

    def accumulate(self, slot: str, how: str, value: Relation) -> None:
        """Note that a round adds to what other rounds may have added."""
        raise NotImplementedError

    @property
    def here(self) -> str:
        """The function, with the line that is followed."""
        raise NotImplementedError

    def applied(self, function: form.Expression, arguments: Sequence[Relation]) -> Relation:
        """Return what a function gives that one of Python's calls."""
        assert isinstance(function, form.Given)
        captured = self.values(function.captured)
        summary = self.functions.summary(function.function, (*arguments, *captured), self.here)
        refuse_writes(summary.effects)
        self.flow.effects.add(summary.effects)
        if summary.result is None:
            raise UnreachedError
        return summary.result

    def _given_value(self, node: form.Given) -> Relation:
        return Same()

    def _apply(self, node: form.Apply) -> Relation:
        if node.name in STREAMS:
            return self.listed(node)
        rule = _FUNCTIONS.get(node.name)
        if rule is not None:
            return rule(self, node)
        values = [self.loaded(one) for one in (*node.arguments, *(one for _, one in node.named))]
        for value in values:
            if not is_plain(value) or not isinstance(node.type, Number):
                raise NotShownError(f"computes with {described(value)}")
        return Same()

    def call(self, node: form.Call) -> Relation:
        """Return what a function of the model gives, and note what it changes."""
        function, arguments = node.function, list[Relation]()
        for name, one in zip(function.parameters, node.arguments, strict=True):
            value = self.raw(one)
            if not (isinstance(value, Carried) and name in function.changes):
                value = self.value(one)
            arguments.append(value)
        summary = self.functions.summary(function, tuple(arguments), self.here)
        self.flow.effects.add(summary.effects)
        if summary.result is None:
            raise UnreachedError
        for name, where in node.back:
            self.assign(where, summary.changed[name])
        return summary.result

    # --- methods that change

    def change(self, node: form.Change) -> Relation:
        """Return what a method gives, and note what it changes."""
        if node.method == "delete":
            self.replace_slice(node.of, Listed(Never()))
            return NOTHING
        owner = self.raw(node.of)
        if isinstance(owner, Place):
            return self._change_place(node, owner)
        if isinstance(owner, Carried):
            if not isinstance(node.of, form.Local):
                raise NotShownError(ORDER)
            how = _how(node.method)
            if isinstance(owner.value, Table):
                # Counters add up; in another dictionary the last one counts.
                adds = node.method in ("update", "subtract") and is_counter(node.of.type)
                how = "add" if adds else ""
            if not how or how == "remove":
                raise NotShownError(ORDER)
            after, _ = self._changed(node, owner.value, in_order=False)
            self.accumulate(node.of.name, how, after)
            return NOTHING
        if isinstance(owner, Never):
            raise UnreachedError
        after, gives = self._changed(node, owner, in_order=True)
        if root_of(node.of) is not None:
            self.assign(node.of, after)
        return gives

    def replace_slice(self, target: form.Expression, value: Relation) -> None:
        """Note that a part of a list is replaced, or one element is deleted."""
        if isinstance(target, form.Slice):
            for bound in (target.first, target.last):
                self._plain_index(bound)
        elif isinstance(target, form.Element):
            self._plain_index(target.index)
        elif isinstance(target, form.Lookup):
            self._deleted(target)
            return
        else:
            raise NotShownError("deletes what is not in a list")
        owner = self.raw(target.of)
        value = self.joining.opened(value)
        if isinstance(owner, Place):
            self._rebuilt(owner, value)
            return
        owner = self.joining.opened(self.value(target.of))
        if not isinstance(owner, (Several, Listed)) or not isinstance(value, LISTS):
            raise NotShownError(f"replaces a part of {described(owner)}")
        self.assign(target.of, self.together(Listed(self.joining.all(elements(owner))), value))

    def _deleted(self, target: form.Lookup) -> None:
        """Note that an entry of a dictionary is deleted."""
        owner, key = self.holder(target.of), self.loaded(target.key)
        if isinstance(owner, Carried):
            raise NotShownError(ORDER)
        self.entry(owner, key)
        if at := self.entry_of(target.of, key):
            self.flow.effects.writes.add(Write(at))
        if not isinstance(target.of, form.Local):
            self.assign(target.of, self.joining.opened(owner))

    def _plain_index(self, index: form.Expression | None) -> None:
        if index is not None and not isinstance(value := self.value(index), Same):
            raise NotShownError(f"counts from or up to {described(value)}")

    def _rebuilt(self, place: Place, added: Relation) -> None:
        """Note that a sequence of the state is read and written, with these elements, too."""
        self.places.load(place, self.flow.effects)
        if isinstance(added, (Bunch, Indexed)):
            raise NotShownError(f"puts {described(added)} into a sequence")
        self.places.store(place, added, self.flow.effects)

    def _change_place(self, node: form.Change, place: Place) -> Relation:
        """Follow a method of a container of the state."""
        declared = self.places.declared(place.form)
        assert isinstance(declared, type)
        held, name = self.places.value(declared), node.method
        if name == "clear":
            self.places.written(place, self.flow.effects, "=clear")
            return NOTHING
        if isinstance(held, SetOf):
            after, _ = self._changed(node, held, in_order=False)
            self.places.store(place, after, self.flow.effects, _how(name))
            return NOTHING
        if issubclass(declared, (Bag, RecordBag)):
            [item] = [self.loaded(one) for one in node.arguments] or [Never()]
            if name in ("add", "remove", "discard"):
                self.places.store(place, Table(item, Same()), self.flow.effects, name)
                return NOTHING
        assert isinstance(held, Listed)
        self._rebuilt(place, self._added_to(node, held.element))
        return held.element if name in _TAKING else NOTHING

    def _changed(
        self, node: form.Change, owner: Relation, in_order: bool
    ) -> tuple[Relation, Relation]:
        """Return what a container is after a method, and what that gives.

        Parameters
        ----------
        in_order
            Whether this is done in the same order in both runs.
        """
        name = node.method
        if isinstance(self.joining.opened(owner), SetOf):
            return self._changed_set(node, owner), NOTHING
        owner = self.joining.opened(owner)
        if isinstance(owner, Table):
            return self._changed_table(node, owner)
        if not isinstance(owner, LISTS):
            raise NotShownError(f"changes {described(owner)}")
        element = self.joining.all(elements(owner))
        if name == "clear":
            return Listed(Never()), NOTHING
        if name in ("reverse", "sort"):
            return self._in_order(node, owner, element), NOTHING
        added = self._added_to(node, element)
        is_ordered = in_order and not isinstance(owner, Bunch)
        adds = name in ("append", "extend", "appendleft", "extendleft")
        if isinstance(owner, Indexed) or not (is_ordered or adds):
            raise NotShownError(f"changes {described(owner)} by {name}")
        start = Listed(element) if is_ordered else Bunch(element)
        return self.together(start, added), element if name in _TAKING else NOTHING

    def _added_to(self, node: form.Change, element: Relation) -> Relation:
        """Return the list that a method adds to another one; empty if it takes elements out."""
        name, arguments = node.method, node.arguments
        if name in ("append", "appendleft"):
            return Several((self.loaded(arguments[0]),))
        if name in ("extend", "extendleft"):
            return self.listed(arguments[0])
        if name == "insert":
            self._plain_index(arguments[0])
            return Several((self.loaded(arguments[1]),))
        if name == "remove":
            self.compared(element, self.loaded(arguments[0]))
        elif name in (*_TAKING, "truncate", "rotate"):
            for index in arguments:
                self._plain_index(index)
        else:
            raise NotShownError(f"changes a list by {name}")
        return Listed(Never())

    def _in_order(self, node: form.Change, owner: Relation, element: Relation) -> Relation:
        """Return a list after it is reversed or sorted."""
        if node.method == "reverse" and isinstance(owner, (Several, Listed)):
            return Listed(element)
        if node.method == "sort":
            key, reverse = node.arguments
            self.truth(reverse)
            named = (("key", key),) if isinstance(key, form.Given) else ()
            return self._sorted_of(element, not isinstance(owner, (Bunch, Indexed)), named)
        raise NotShownError(f"changes {described(owner)} by {node.method}")

    def _changed_set(self, node: form.Change, owner: Relation) -> Relation:
        """Return a set after a method."""
        name = node.method
        if name == "clear":
            return SetOf(Never())
        if name in _ONE:
            each = [self.loaded(node.arguments[0])]
        else:
            each = [self.yielded(one).element for one in node.arguments]
        for one in each:
            if isinstance(one, Unclear):
                raise NotShownError(one.why)
            owner, _ = self.joining.alike(owner, SetOf(one))
        owner = self.joining.opened(owner)
        assert isinstance(owner, SetOf)
        element = owner.element
        for one in each:
            if name in _INTERSECTING:
                self.compared(element, one)
            else:
                element = self.joining.joined(element, one)
        return self.clear(SetOf, element)

    def _changed_table(self, node: form.Change, owner: Table) -> tuple[Relation, Relation]:
        """Return a dictionary after a method."""
        name = node.method
        if name == "clear":
            return Table(Never(), Never(), ordered=True), NOTHING
        if name == "pop":
            value = self.entry(owner, self.loaded(node.arguments[0]))
            others = [self.loaded(one) for one in node.arguments[1:]]
            return owner, self.joining.all([value, *others])
        if name in ("update", "subtract"):
            added = self.joining.opened(self._table_of(node))
            joined = self.joining.joined(owner, added)
            if isinstance(joined, Unclear):
                raise NotShownError(joined.why)
            if is_counter(node.of.type) and not _counts(joined):
                raise NotShownError(f"adds up {described(joined)}")
            return joined, NOTHING
        raise NotShownError(f"changes {described(owner)} by {name}")

    def _table_of(self, node: form.Change) -> Relation:
        """Return what a dictionary is updated by."""
        [several] = node.arguments
        if isinstance(several.type, Mapping):
            return self.loaded(several)
        one = self.yielded(several)
        if is_counter(node.of.type):
            return Table(one.element, Same(), one.ordered)
        if isinstance(one.element, Never):
            return Table(Never(), Never(), ordered=True)
        if not isinstance(one.element, Several) or not one.ordered:
            raise NotShownError(f"updates a dictionary by {described(one.element)}")
        key, value = one.element.items
        return Table(key, value, ordered=True)

    def _sorted_of(
        self, element: Relation, ordered: bool, named: tuple[tuple[str, form.Expression], ...]
    ) -> Relation:
        """Return a list that is sorted."""
        key = dict(named).get("key")
        if key is not None and not isinstance(element, Never):
            self._plain_key(self.applied(key, (element,)))
            return Listed(element) if ordered else Bunch(element)
        return Listed(element) if is_plain(element) else Bunch(element)

    def _plain_key(self, value: Relation) -> None:
        if not is_plain(self.joining.opened(value)):
            raise NotShownError(f"orders {described(value)}")

    # --- functions of Python's library

    def _sum(self, node: form.Apply) -> Relation:
        def add(one: Any) -> None:
            value = self.read(one.element)
            if not isinstance(value, Same):
                raise NotShownError(f"adds up {described(value)}")

        self.inside(node.arguments[0], add)
        start = self.value(node.arguments[1])
        if not isinstance(start, Same):
            raise NotShownError(f"adds up {described(start)}")
        return Same()

    def _concatenated(self, node: form.Apply) -> Relation:
        one, start = (
            self.yielded(node.arguments[0]),
            self.joining.opened(self.loaded(node.arguments[1])),
        )
        if isinstance(one.element, Never):
            return start
        inner = self.joining.opened(one.element)
        if not isinstance(inner, LISTS) or not isinstance(start, LISTS):
            raise NotShownError(f"adds up {described(inner)}")
        held = inner if one.ordered else Bunch(self.joining.all(elements(inner)))
        return self.together(self.together(start, held), held)

    def _extreme(self, node: form.Apply) -> Relation:
        named = dict(node.named)
        results: list[Relation] = []

        def ask(one: Any) -> None:
            value = self.read(one.element)
            if "key" in named:
                self._plain_key(self.applied(named["key"], (value,)))
                if not one.ordered:
                    raise NotShownError(IN_ORDER)
            elif not is_plain(value):
                raise NotShownError(f"orders {described(value)}")
            results[:] = [self.settled(value)]

        self.inside(node.arguments[0], ask)
        if "default" in named:
            results.append(self.value(named["default"]))
        return self.joining.all(map(self.settled, results))

    def _sorted(self, node: form.Apply) -> Relation:
        named = dict(node.named)
        if "reverse" in named:
            self.truth(named["reverse"])
        results: list[Relation] = []

        def ask(one: Any) -> None:
            results[:] = [self._sorted_of(self.read(one.element), one.ordered, node.named)]

        self.inside(node.arguments[0], ask)
        return self.settled(results[0]) if results else Listed(Never())

    def _reduce(self, node: form.Apply) -> Relation:
        step, over, *first = node.arguments
        assert isinstance(step, form.Given)
        one = self.yielded(over)
        value = self.value(first[0]) if first else one.element
        if isinstance(one.element, Never):
            return value
        if not one.ordered and not _commutes(step.function):
            raise NotShownError("depends on the order of what it goes over")
        for _ in range(10):
            after = self.joining.joined(value, self.applied(step, (value, one.element)))
            if after == value:
                return value
            value = after
        return Unclear("changes with each element")

    def _found(self, node: form.Apply) -> Relation:
        owner = self.joining.opened(self.loaded(node.arguments[0]))
        item = self.loaded(node.arguments[1])
        if isinstance(owner, LISTS):
            for one in elements(owner):
                self.compared(one, item)
            if node.name == "count" or isinstance(owner, (Several, Listed)):
                return Same()
        elif isinstance(owner, Table):
            self.compared(owner.key, item)
            return Same()
        raise NotShownError(f"looks for {described(item)} in {described(owner)}")

    def _total(self, node: form.Apply) -> Relation:
        table = self.joining.opened(self.loaded(node.arguments[0]))
        if not _counts(table):
            raise NotShownError(f"adds up {described(table)}")
        return Same()

    def _bit_count(self, node: form.Apply) -> Relation:
        value = self.value(node.arguments[0])
        counts = node.name == "bit_count" and isinstance(value, ReplicaSet) and not value.wide
        if not counts and not isinstance(value, Same):
            raise NotShownError(f"computes with {described(value)}")
        return Same()

    def _table(self, node: form.Apply) -> Relation:
        for value in map(self.loaded, node.arguments):
            if not is_plain(value):
                raise NotShownError(f"calls a function declared pure with {described(value)}")
        return Same()

    def _of_mask(self, node: form.Apply) -> Relation:
        value = self.value(node.arguments[0]) if node.arguments else exactly(0)
        if isinstance(value, ReplicaSet) and not value.wide:
            return SetOf(Replica(value.kind))
        if isinstance(value, Same):
            return SetOf(Same())
        raise NotShownError(f"lists the members of {described(value)}")

    def _unpacked(self, node: form.Apply) -> Relation:
        """Return the elements of a list as those of a tuple."""
        owner = self.joining.opened(self.loaded(node.arguments[0]))
        if not isinstance(owner, (Several, Listed)):
            raise NotShownError(f"takes apart {described(owner)}")
        items = node.type.items  # type: ignore[attr-defined]
        element = self.joining.all(elements(owner))
        if node.name == "unpacked":
            if isinstance(owner, Several) and len(owner.items) == len(items):
                return owner
            return Several((element,) * len(items))
        at = node.arguments[1]
        assert isinstance(at, form.Constant)
        return Several(
            tuple(Listed(element) if n == at.value else element for n in range(len(items)))
        )

    def _backwards(self, node: form.Apply) -> Relation:
        owner = self.joining.opened(self.loaded(node.arguments[0]))
        if not isinstance(owner, (Several, Listed)):
            raise NotShownError(f"takes a slice of {described(owner)}")
        return Listed(self.joining.all(elements(owner)))

    def _is(self, node: form.Apply) -> Relation:
        self.values(node.arguments)
        return TRUTH

    def _same(self, node: form.Apply) -> Relation:
        one, other = (self.loaded(part) for part in node.arguments)
        self.compared(one, other)
        return TRUTH

    def _held(self, node: form.Apply) -> Relation:
        return self.loaded(node.arguments[0])


def _how(method: str) -> str:
    """Return the way in which a method adds to a container; empty if others may not commute."""
    if method in ("append", "extend"):
        return "append"
    if method in _UNITING:
        return "or_"
    if method == "remove":
        # It fails where another round has removed the same.
        return method
    return "and_" if method in _INTERSECTING else "=clear" if method == "clear" else ""


def _counts(value: Relation) -> bool:
    """Whether the values of a dictionary are plain numbers."""
    return isinstance(value, Table) and isinstance(value.value, (Same, Never))


def _commutes(function: form.Function) -> bool:
    """Whether a function is an operator for which the order of several operands does not matter."""
    end = function.body[0]
    value = end.value if isinstance(end, form.Return) else None
    if not isinstance(value, (form.Arithmetic, form.Combine)):
        return False
    names = [one.name for one in (value.left, value.right) if isinstance(one, form.Local)]
    if sorted(names) != sorted(function.parameters):
        return False
    numbers = isinstance(value, form.Arithmetic)
    more = ("add", "mul", "min", "max") if numbers else ()
    return value.operator in ("or_", "and_", "xor", *more)


_FUNCTIONS: dict[str, Callable[[Library, form.Apply], Relation]] = {
    "sum": Library._sum, "prod": Library._sum, "concatenated": Library._concatenated,
    "min": Library._extreme, "max": Library._extreme, "sorted": Library._sorted,
    "reduce": Library._reduce, "index": Library._found, "count": Library._found,
    "total": Library._total, "bit_count": Library._bit_count, "bit_length": Library._bit_count,
    "of_mask": Library._of_mask, "table": Library._table, "unpacked": Library._unpacked,
    "starred_apart": Library._unpacked, "backwards": Library._backwards, "is": Library._is,
    "same": Library._same, "held": Library._held,
}  # fmt: skip

Library.rules = {
    **EXPRESSIONS, **STREAMED,
    form.Apply: Library._apply, form.Call: Library.call, form.Change: Library.change,
    form.Given: Library._given_value,
}  # fmt: skip
