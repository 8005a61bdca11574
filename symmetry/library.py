"""What functions of Python's library give, and what methods change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..language import form
from ..language.lowering.owners import root_of
from ..language.types import Mapping, Number
from .expressions import ANOTHER, EXPRESSIONS, MAKES, UnreachedError, is_plain
from .iteration import STREAMED, STREAMS, Iteration, Round, refuse_writes
from .joining import LISTS, elements, made_of
from .refusals import NotShownError
from .relations import (
    NOTHING,
    ORDER,
    TRUTH,
    Bunch,
    Carried,
    Listed,
    Never,
    Place,
    Relation,
    ReplicaSet,
    Same,
    SetOf,
    Several,
    Unclear,
    exactly,
)
from .words import described

_WAYS = {
    "append": "append", "extend": "append", "add": "add", "update": "add", "discard": "discard",
    "difference_update": "discard", "intersection_update": "discard", "remove": "remove",
    "clear": "=clear",
}  # fmt: skip
"""By method what it does, if its calls by several rounds may be in any order."""

_LESS = ("discard", "remove", "difference_update", "intersection_update")

_TAKING = ("pop", "popleft")
"""The methods of lists that return what they take out."""

IN_ORDER = "orders what comes in any order by a key, where the first of several equal ones counts"


class Library(Iteration):
    """Follows calls of Python's functions, and of methods that change their owner."""

    def accumulate(self, slot: str, how: str, value: Relation) -> None:
        """Note that a round adds to what other rounds may have added."""
        raise NotImplementedError

    def assign(self, path: form.Expression, value: Relation) -> None:
        """Note that what the function has itself lies at a path from a name now."""
        raise NotImplementedError

    @property
    def here(self) -> str:
        """The function, with the line that is followed."""
        raise NotImplementedError

    def applied(self, function: form.Expression, arguments: Sequence[Relation]) -> Relation:
        """Return what a function gives that one of Python's calls."""
        assert isinstance(function, form.Given)
        captured = self.values(function.captured)
        return self._called(function.function, (*arguments, *captured), writes=False)

    def _called(
        self, function: form.Function, arguments: tuple[Relation, ...], writes: bool
    ) -> Relation:
        """Return what a function gives, and note what it does."""
        summary = self.functions.summary(function, arguments, self.here)
        if not writes:
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
        if not isinstance(node.type, Number):
            raise NotShownError("has no proof", ANOTHER)
        for argument in (*node.arguments, *(one for _, one in node.named)):
            if not is_plain(value := self.loaded(argument)):
                raise NotShownError(f"computes with {described(value)}")
        return Same()

    def call(self, node: form.Call) -> Relation:
        """Return what a function of the model gives."""
        if node.back:
            raise NotShownError(f"lets {node.function.name} change what the function has itself")
        return self._called(node.function, tuple(self.values(node.arguments)), writes=True)

    # --- methods that change

    def change(self, node: form.Change) -> Relation:
        """Return what a method gives, and note what it changes."""
        if node.method == "delete":
            self.replace_slice(node.of, Several(()))
            return NOTHING
        owner = self.raw(node.of)
        if isinstance(node.of.type, Mapping):
            raise NotShownError(MAKES)
        if isinstance(owner, Place):
            return self._change_place(node, owner)
        if isinstance(owner, Never):
            raise UnreachedError
        carried = isinstance(owner, Carried)
        how = _WAYS.get(node.method, "")
        # A removal fails where another round has removed the same.
        if carried and (not isinstance(node.of, form.Local) or how in ("", "remove")):
            raise NotShownError(ORDER)
        owner = self.joining.opened(owner.value if isinstance(owner, Carried) else owner)
        after = self._changed(node, owner, in_order=not carried)
        if isinstance(after, Unclear):
            raise NotShownError(after.why)
        if carried and isinstance(node.of, form.Local):
            self.accumulate(node.of.name, how, after)
        elif root_of(node.of) is not None:
            self.assign(node.of, after)
        takes = node.method in _TAKING and isinstance(owner, LISTS)
        return self.joining.all(elements(owner)) if takes else NOTHING

    def replace_slice(self, target: form.Expression, value: Relation) -> None:
        """Note that a part of a sequence of the state is replaced, or one element is deleted."""
        if not isinstance(target, (form.Slice, form.Element)):
            raise NotShownError(MAKES)
        if isinstance(target, form.Slice):
            self.plain_index(target.first)
        self.plain_index(target.last if isinstance(target, form.Slice) else target.index)
        owner = self.raw(target.of)
        if not isinstance(owner, Place):
            raise NotShownError(f"replaces a part of {described(owner)}")
        self._rebuilt(owner, self.joining.opened(value))

    def _rebuilt(self, place: Place, added: Relation) -> None:
        """Note that a sequence of the state is read and written, with these elements, too."""
        self.places.load(place, self.flow.effects)
        self.places.store(place, added, self.flow.effects)

    def _change_place(self, node: form.Change, place: Place) -> Relation:
        """Follow a method of a container of the state."""
        held, name = self.places.value(self.places.declared(place.form)), node.method
        how = _WAYS.get(name, "")
        if name == "clear":
            self.places.written(place, self.flow.effects, how)
            return NOTHING
        if isinstance(held, SetOf):
            self.places.store(place, self._changed_set(node, held), self.flow.effects, how)
            return NOTHING
        assert isinstance(held, Listed)
        self._rebuilt(place, self._added_to(node, held.element))
        return held.element if name in _TAKING else NOTHING

    def _changed(self, node: form.Change, owner: Relation, in_order: bool) -> Relation:
        """Return what a container of the function's own is after a method.

        Parameters
        ----------
        in_order
            Whether this is done in the same order in both runs.
        """
        if isinstance(owner, SetOf):
            return self._changed_set(node, owner)
        in_order = in_order and isinstance(owner, (Several, Listed))
        adds = _WAYS.get(node.method) == "append" and isinstance(owner, (Several, Listed, Bunch))
        if not in_order and not adds:
            raise NotShownError(f"changes {described(owner)} by {node.method}")
        if node.method == "clear":
            return Several(())
        element = self.joining.all(elements(owner))
        start = Listed(element) if in_order else Bunch(element)
        return self.together(start, self._added_to(node, element))

    def _added_to(self, node: form.Change, element: Relation) -> Relation:
        """Return the list that a method adds to another one; empty if it takes elements out."""
        name, arguments = node.method, node.arguments
        if name in ("append", "appendleft"):
            return Several((self.loaded(arguments[0]),))
        if name in ("extend", "extendleft"):
            return self.listed(arguments[0])
        if name == "insert":
            self.plain_index(arguments[0])
            return Several((self.loaded(arguments[1]),))
        if name == "remove":
            self.compared(element, self.loaded(arguments[0]))
        elif name in (*_TAKING, "truncate", "rotate"):
            for index in arguments:
                self.plain_index(index)
        else:
            raise NotShownError(f"changes a list by {name}")
        return Several(())

    def _changed_set(self, node: form.Change, owner: SetOf) -> Relation:
        """Return a set or a bag after a method."""
        name, element = node.method, owner.element
        if name == "clear":
            return SetOf(Never())
        several = name.endswith("update")
        for argument in node.arguments:
            one = self.yielded(argument).element if several else self.loaded(argument)
            if name in _LESS:
                self.compared(element, one)
            else:
                element = self.joining.joined(element, one)
        return made_of(SetOf, element)

    # --- functions of Python's library

    def _sum(self, node: form.Apply) -> Relation:
        def add(one: Round) -> None:
            value = self.read(one.element)
            if not isinstance(value, Same):
                raise NotShownError(f"adds up {described(value)}")

        self.inside(node.arguments[0], add)
        start = self.value(node.arguments[1])
        if not isinstance(start, Same):
            raise NotShownError(f"adds up {described(start)}")
        return Same()

    def _in_order(self, node: form.Apply) -> Relation:
        """Return the least or the largest value, or all of them in their order."""
        named, results = dict(node.named), list[Relation]()
        if "reverse" in named:
            self.truth(named["reverse"])

        def ask(one: Round) -> None:
            value = self.read(one.element)
            loose = not is_plain(value)
            if "key" in named:
                key = self.joining.opened(self.applied(named["key"], (value,)))
                if not is_plain(key):
                    raise NotShownError(f"orders {described(key)}")
                loose = not one.ordered
            if node.name == "sorted":
                value = made_of(Bunch if loose else Listed, value)
            elif loose:
                raise NotShownError(IN_ORDER if "key" in named else f"orders {described(value)}")
            results[:] = [value]

        self.inside(node.arguments[0], ask)
        if "default" in named:
            results.append(self.value(named["default"]))
        if node.name == "sorted" and not results:
            return Several(())
        return self.joining.all(map(self.settled, results))

    def _found(self, node: form.Apply) -> Relation:
        owner = self.opened(node.arguments[0])
        item, counts = self.loaded(node.arguments[1]), node.name == "count"
        if not isinstance(owner, (*LISTS, SetOf) if counts else (Several, Listed)):
            raise NotShownError(f"looks for {described(item)} in {described(owner)}")
        for one in elements(owner):
            self.compared(one, item)
        return Same()

    def _bit_count(self, node: form.Apply) -> Relation:
        value = self.value(node.arguments[0])
        counts = node.name == "bit_count" and isinstance(value, ReplicaSet) and not value.wide
        if not counts and not isinstance(value, Same):
            raise NotShownError(f"computes with {described(value)}")
        return Same()

    def _of_mask(self, node: form.Apply) -> Relation:
        return self.of_mask(self.value(node.arguments[0]) if node.arguments else exactly(0))

    def _unpacked(self, node: form.Apply) -> Relation:
        """Return the elements of a list as those of a tuple."""
        owner = self.opened(node.arguments[0])
        if not isinstance(owner, (Several, Listed)):
            raise NotShownError(f"takes apart {described(owner)}")
        items = node.type.items  # type: ignore[attr-defined]
        if isinstance(owner, Several) and len(owner.items) == len(items):
            return owner
        return Several((self.joining.all(elements(owner)),) * len(items))

    def _same(self, node: form.Apply) -> Relation:
        one, other = map(self.loaded, node.arguments)
        self.compared(one, other)
        return TRUTH

    def _held(self, node: form.Apply) -> Relation:
        return self.loaded(node.arguments[0])


_FUNCTIONS: dict[str, Callable[[Library, form.Apply], Relation]] = {
    "sum": Library._sum, "prod": Library._sum, "min": Library._in_order, "max": Library._in_order,
    "sorted": Library._in_order, "index": Library._found, "count": Library._found,
    "bit_count": Library._bit_count, "bit_length": Library._bit_count,
    "of_mask": Library._of_mask, "unpacked": Library._unpacked, "is": Library._same,
    "same": Library._same, "held": Library._held,
}  # fmt: skip

Library.rules = {
    **EXPRESSIONS, **STREAMED,
    form.Apply: Library._apply, form.Call: Library.call, form.Change: Library.change,
    form.Given: Library._given_value,
}  # fmt: skip
