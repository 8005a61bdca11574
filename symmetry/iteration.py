"""Follows what goes over several values: participants in any order, anything else in its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..core.fields import Array
from ..language import form
from ..language.lowering.effects import assignments, effects
from ..language.types import Mapping, Members, Tuple, Type
from ..language.types import Sequence as SequenceType
from .expressions import ANOTHER, MAKES, Expressions, Rule, UnreachedError, is_plain
from .flow import Effects
from .joining import elements, made_of
from .refusals import NotShownError
from .relations import (
    NEVER,
    TRUTH,
    Bunch,
    Indexed,
    Listed,
    Made,
    Never,
    Picked,
    Place,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    SetOf,
    Several,
    Unclear,
    known_number,
    without_symbols,
)
from .words import described

FAILS = "may end before the last replica, although an assertion fails for some of them"


@dataclass(frozen=True)
class Round:
    """A round over values: any one of them.

    Parameters
    ----------
    element
        What the round has.
    symbol
        The loop, if each round has a participant of its own; 0 for any other.
    ordered
        Whether the rounds come in the same order in both runs.
    whole
        The kind of participants of whom each has a round, in the order of their numbers in each
        run; None for anything else.
    loads
        The reads as the round begins.
    """

    element: Relation
    symbol: int = 0
    ordered: bool = True
    whole: str | None = None
    loads: Effects = field(default_factory=Effects, compare=False)


Follow = Callable[[Round], None]


class Iteration(Expressions):
    """Follows comprehensions, quantifiers, and lists and sets of all values."""

    def each(self, over: form.Expression, follow: Follow) -> None:
        """Follow a round over what something yields: by the first reading that is not refused.

        Raises
        ------
        NotShownError
            If all readings are refused: the most informative refusal.
        """
        if isinstance(over, form.Comprehension):
            self._clauses(over, 0, True, follow)
        elif isinstance(over, form.Apply) and over.name in STREAMS:
            STREAMS[over.name](self, over, follow)
        else:
            self.over(self.value(over), follow, is_ordered(over.type))

    def over(self, value: Relation, follow: Follow, ordered: bool) -> None:
        """Follow a round over a value that is known; a set may be ordered."""
        self.functions.depth += 1
        refusals: list[NotShownError] = []
        try:
            for one in list(self._rounds(value, ordered)):
                before, begun = self.flow.copy(), self.functions.steps
                try:
                    follow(one)
                    return
                except NotShownError as refused:
                    refused.progress = self.functions.steps - begun
                    refusals.append(refused)
                    self.flow = before
        finally:
            self.functions.depth -= 1
        if refusals:
            raise max(refusals, key=lambda refused: refused.rank)

    def applied(self, function: form.Expression, arguments: Sequence[Relation]) -> Relation:
        """Return what a function gives that one of Python's calls."""
        raise NotImplementedError

    def settled(self, value: Relation) -> Relation:
        """Return a value after a loop: a participant of a round is then any one."""
        return without_symbols(value, self.functions.depth)

    def _rounds(self, value: Relation, ordered: bool) -> Iterator[Round]:
        """Yield what a round over a value may be; nothing if there is none."""
        value, symbol = self.joining.opened(value), self.functions.depth
        items = value.items if isinstance(value, Several) else ()
        numbers = [n for one in items if (n := known_number(one)) is not None]
        if numbers and len(set(numbers)) == len(items):
            for kind in self.group.generators:
                if self.group.is_closed(numbers, kind):
                    every = kind if numbers == [*range(self.group.count(kind))] else None
                    yield Round(Replica(kind, False, symbol), symbol, False, every)
        if isinstance(value, Place):
            yield from self._of_place(value)
        elif isinstance(value, (Several, Listed)):
            element = self.joining.all(elements(value))
            if not isinstance(element, Never):
                yield Round(element)
        elif isinstance(value, Indexed):
            yield Round(value.element, symbol, False, value.kind)
        elif isinstance(value, (Bunch, SetOf)):
            # In a list, a participant may be there several times: its rounds are alike.
            element, loose = value.element, isinstance(value, Bunch)
            if isinstance(element, Replica) and not element.may_be_none:
                yield Round(replace(element, symbol=symbol), symbol, False)
            elif not isinstance(element, Never):
                yield Round(element, 0, ordered and not loose and is_plain(element))
        else:
            raise NotShownError(f"goes over {described(value)}")

    def _of_place(self, place: Place) -> Iterator[Round]:
        """Yield what a round over an array or a container of the state may be."""
        declared, loads = self.places.declared(place.form), Effects()
        if isinstance(declared, Array):
            kind = self.group.index(declared)
            own = self.functions.depth if kind is not None else 0
            at = Place(f"{place.form}[]", (*place.indices, own))
            is_part = isinstance(declared.element, (type, Array))
            rounds = [Round(at if is_part else self.places.load(at, loads), own, not own, kind)]
        else:
            # The state keeps a set in an order that depends on what is in it.
            rounds = list(self._rounds(self.places.load(place, loads), ordered=True))
        self.flow.effects.add(loads)
        yield from (replace(one, loads=loads) for one in rounds)

    # --- comprehensions

    def _clauses(self, node: form.Comprehension, at: int, ordered: bool, follow: Follow) -> None:
        """Follow the clauses of a comprehension from one on, and what it yields."""
        clause, last = node.clauses[at], at + 1 == len(node.clauses)

        def inside(one: Round) -> None:
            before, self.flow.effects = self.flow.effects, one.loads.copy()
            self.flow.local[clause.slot] = one.element
            try:
                self.block(clause.body)
                passes = self.flow.alive and self._pass(clause.conditions)
                if passes and last:
                    inner = self.flow.effects
                    value = self.value(node.result)
                    alone = at == 0 and not clause.conditions
                    every = one.whole if alone else None
                    symbol = one.symbol if at == 0 else 0
                    loads, self.flow.effects = inner, before
                    before.add(inner)
                    follow(Round(value, symbol, ordered and one.ordered, every, loads))
                    return
                if passes:
                    self._clauses(node, at + 1, ordered and one.ordered, follow)
            except UnreachedError:
                pass
            self.flow.alive = True
            before.add(self.flow.effects)
            self.flow.effects = before

        self.each(clause.over, inside)

    def _pass(self, conditions: tuple[form.Expression, ...]) -> bool:
        """Whether a value may pass conditions, which are the same in both runs."""
        return all(self.truth(one) is not False for one in conditions)

    def inside(self, over: form.Expression, follow: Follow, stops: bool = False) -> None:
        """Follow all that something yields within an expression, whose rounds must not write.

        Parameters
        ----------
        stops
            Whether it may end before the last one.
        """
        outer, self.flow.effects = self.flow.effects, Effects()
        before = dict(self.flow.local)

        def checked(one: Round) -> None:
            follow(one)
            if stops and not one.ordered and self.flow.effects.fails:
                raise NotShownError(FAILS)

        try:
            self.each(over, checked)
        except UnreachedError:
            self.flow.alive = True
        refuse_writes(self.flow.effects)
        changed = effects(over)
        if changed:
            name = sorted(changed)[0].partition("'")[0]
            raise NotShownError(f"changes {name} for each element of an expression")
        outer.add(self.flow.effects.settled(self.functions.depth))
        self.flow.effects = outer
        bound = {slot for _, slot in assignments([over])}
        unknown = Unclear("is that of the last element of an expression")
        self.flow.local = {**before, **dict.fromkeys(bound, unknown)}

    def yielded(self, over: form.Expression, stops: bool = False) -> Round:
        """Return all that something yields, as one round: `Never` if there is nothing.

        Parameters
        ----------
        stops
            Whether the first one ends it.
        """
        one = Round(NEVER)

        def note(other: Round) -> None:
            nonlocal one
            one = other

        self.inside(over, note, stops)
        return replace(one, element=self.read(self.settled(one.element)))

    def _gather(self, node: form.Gather) -> Relation:
        """Return a list or a set of all that something yields."""
        if not isinstance(node.of, (form.Comprehension, form.Apply)):
            value = self.opened(node.of)
            if isinstance(value, (Several, Listed, Indexed, Bunch)) and _is_list(node.type):
                return value
        if isinstance(node.type, Mapping):
            raise NotShownError(MAKES)
        one = self.yielded(node.of)
        if isinstance(node.type, Members):
            return made_of(SetOf, one.element)
        if (by := one.whole) is not None:
            return made_of(lambda element: Indexed(by, element), one.element)
        return made_of(Listed if one.ordered else Bunch, one.element)

    def listed(self, node: form.Expression, stops: bool = False) -> Relation:
        """Return what something yields as a list: `stops` is whether it may end before its last."""
        one = self.yielded(node, stops)
        return made_of(Listed if one.ordered else Bunch, one.element)

    def of_mask(self, mask: Relation) -> SetOf:
        """Return the members of a bit mask."""
        if isinstance(mask, ReplicaSet) and not mask.wide:
            return SetOf(Replica(mask.kind))
        if isinstance(mask, Same):
            return SetOf(Same())
        raise NotShownError(f"lists the members of {described(mask)}")

    def _quantify(self, node: form.Quantify) -> Relation:
        def ask(one: Round) -> None:
            self.group.truth(self.read(one.element))

        self.inside(node.of, ask, stops=True)
        return TRUTH

    def _first(self, node: form.First) -> Relation:
        one = self.yielded(node.of, stops=True)
        value = one.element
        if not one.ordered and known_number(value) is None and value != NEVER:
            value = picked(value)
        return self.joining.joined(value, self.value(node.default)) if node.default else value


def refuse_writes(done: Effects) -> None:
    """Refuse writes for each element of an expression, which may be in any order."""
    if done.writes or done.unknown:
        forms = sorted(write.location.form for write in done.writes)
        does = f"writes {forms[0]}" if forms else f"calls {done.unknown}"
        raise NotShownError(f"{does} for each element of an expression")


def picked(value: Relation) -> Relation:
    """Return one of several values, which depends on their order."""
    if isinstance(value, (Several, Made)) or (isinstance(value, Replica) and not value.may_be_none):
        return Picked()
    return Unclear("depends on the order of replicas")


def is_ordered(kind: Type) -> bool:
    """Whether a type is that of a set which Python has in the order of its members."""
    return isinstance(kind, Members) and kind.ordered


def _is_list(kind: object) -> bool:
    return isinstance(kind, (SequenceType, Tuple))


# --- what yields values one by one


def _enumerate(self: Iteration, over: form.Apply, follow: Follow) -> None:
    starts = [known_number(self.plain_index(one)) for one in over.arguments[1:]]

    def numbered(one: Round) -> None:
        number: Relation = Same()
        if not one.ordered:
            if one.whole is None or starts not in ([], [0]):
                raise NotShownError("numbers values that come in any order")
            number = Replica(one.whole, False, one.symbol)
        follow(replace(one, element=Several((number, one.element))))

    self.each(over.arguments[0], numbered)


def _zip(self: Iteration, over: form.Apply, follow: Follow) -> None:
    rounds = [self.yielded(one) for one in over.arguments]
    if not all(one.ordered for one in rounds):
        raise NotShownError("takes side by side what comes in any order")
    if not any(isinstance(one.element, Never) for one in rounds):
        follow(Round(Several(tuple(one.element for one in rounds))))


def _map(self: Iteration, over: form.Apply, follow: Follow) -> None:
    function, *several = over.arguments
    if len(several) > 1:
        raise NotShownError("has no proof", ANOTHER)

    def mapped(one: Round) -> None:
        follow(replace(one, element=self.applied(function, (one.element,))))

    self.each(several[0], mapped)


def _members(self: Iteration, over: form.Apply, follow: Follow) -> None:
    self.over(self.of_mask(self.value(over.arguments[0])), follow, ordered=True)


STREAMS: dict[str, Callable[[Iteration, form.Apply, Follow], None]] = {
    "enumerate": _enumerate, "map": _map, "members": _members, "zip": _zip,
}  # fmt: skip

STREAMED: dict[type, Rule] = {
    form.Gather: Iteration._gather, form.Comprehension: Iteration.listed,
    form.Quantify: Iteration._quantify, form.First: Iteration._first,
}  # fmt: skip
