"""Follows what goes over several values: participants in any order, anything else in its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..core.containers import Bag, Ordered, RecordBag, Set, Sorted
from ..core.fields import Array
from ..language import form
from ..language.lowering.effects import assignments, effects
from ..language.types import Mapping, Members, Places, Ref, Tuple
from ..language.types import Sequence as SequenceType
from .expressions import Expressions, Rule, UnreachedError, held_by, is_plain
from .flow import Effects
from .joining import elements
from .refusals import NotShownError
from .relations import (
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
    Table,
    Unclear,
    has_replica,
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
    """Follows comprehensions, quantifiers, and lists, sets and dictionaries of all values."""

    def each(self, over: form.Expression, follow: Follow, symbol: int = 0) -> None:
        """Follow a round over what something yields: by the first reading that is not refused.

        Parameters
        ----------
        symbol
            The loop, if another one goes over the same participants; 0 for a loop of its own.

        Raises
        ------
        NotShownError
            If all readings are refused: the most informative refusal.
        """
        if isinstance(over, form.Comprehension):
            self._clauses(over, 0, True, follow)
        elif isinstance(over, form.Apply) and over.name in STREAMS:
            STREAMS[over.name](self, over, follow, symbol)
        else:
            ordered = isinstance(over.type, Members) and over.type.ordered
            self.over(self.value(over), follow, symbol, ordered)

    def over(self, value: Relation, follow: Follow, symbol: int = 0, ordered: bool = False) -> None:
        """Follow a round over a value that is known."""
        self.functions.depth += 1
        try:
            symbol = symbol or self.functions.depth
            self.attempted(list(self._rounds(value, symbol, ordered)), follow)
        finally:
            self.functions.depth -= 1

    def applied(self, function: form.Expression, arguments: Sequence[Relation]) -> Relation:
        """Return what a function gives that one of Python's calls."""
        raise NotImplementedError

    def settled(self, value: Relation) -> Relation:
        """Return a value after a loop: a participant of a round is then any one."""
        return without_symbols(value, self.functions.depth)

    def attempted(self, rounds: list[Round], follow: Follow) -> None:
        """Follow the first of some readings of a round that is not refused."""
        refusals: list[NotShownError] = []
        for one in rounds:
            before, begun = self.flow.copy(), self.functions.steps
            try:
                follow(one)
                return
            except NotShownError as refused:
                refused.progress = self.functions.steps - begun
                refusals.append(refused)
                self.flow = before
        if refusals:
            raise max(refusals, key=lambda refused: refused.rank)

    def _rounds(self, value: Relation, symbol: int, ordered: bool) -> Iterator[Round]:
        """Yield what a round over a value may be; nothing if there is none."""
        numbers = self.known_numbers(value)
        if numbers and len(set(numbers)) == len(numbers):
            for kind in self.group.generators:
                if self.group.is_closed(numbers, kind):
                    every = kind if numbers == [*range(self.group.count(kind))] else None
                    yield Round(Replica(kind, False, symbol), symbol, False, every)
        value = self.joining.opened(value)
        if isinstance(value, Place):
            yield self._of_place(value, symbol)
        elif isinstance(value, (Several, Listed)):
            element = self.joining.all(elements(value))
            if isinstance(element, Unclear):
                raise NotShownError(f"goes over what {element.why}")
            if not isinstance(element, Never):
                yield Round(element)
        elif isinstance(value, Indexed):
            yield Round(value.element, symbol, False, value.kind)
        elif isinstance(value, Bunch):
            # A participant may be there several times: its rounds are alike, in whatever order.
            yield from _of_set(value.element, symbol, False)
        elif isinstance(value, SetOf):
            yield from _of_set(value.element, symbol, ordered)
        elif isinstance(value, Table):
            if value.ordered and not isinstance(value.key, Never):
                yield Round(value.key)
            elif not value.ordered:
                yield from _of_set(value.key, symbol, False)
        else:
            raise NotShownError(f"goes over {described(value)}")

    def _of_place(self, place: Place, symbol: int) -> Round:
        """Return a round over an array or a container of the state."""
        declared, loads = self.places.declared(place.form), Effects()
        if isinstance(declared, Array):
            kind = self.group.index(declared)
            own = symbol if kind is not None else 0
            at = Place(f"{place.form}[]", (*place.indices, own))
            is_part = isinstance(declared.element, (type, Array))
            element = at if is_part else self.places.load(at, loads)
            self.flow.effects.add(loads)
            return Round(element, own, kind is None, kind, loads)
        assert isinstance(declared, type)
        held = self.places.load(place, loads)
        self.flow.effects.add(loads)
        if isinstance(held, SetOf) and issubclass(declared, Set):
            one = next(_of_set(held.element, symbol, True), Round(Never()))
            return replace(one, loads=loads)
        if isinstance(held, Table):
            assert issubclass(declared, (Bag, RecordBag))
            return Round(held.key, 0, not has_replica(held.key), None, loads)
        assert issubclass(declared, Ordered)
        element = held.element if isinstance(held, (SetOf, Listed)) else Never()
        # The state keeps the records of a set in an order that depends on what is in them.
        in_order = not issubclass(declared, Sorted) or not has_replica(element)
        return Round(element, 0, in_order, None, loads)

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
                    value = self._kept(node.result)
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

    def _kept(self, node: form.Expression) -> Relation:
        """Return a value, or the place of a part of the state."""
        value = self.value(node)
        keeps = isinstance(node.type, (Ref, Places))
        return value if keeps or not isinstance(value, Place) else self.loaded(node)

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
            refuse_writes(self.flow.effects)

        try:
            self.each(over, checked)
        except UnreachedError:
            self.flow.alive = True
        refuse_writes(self.flow.effects)
        changed = effects(over, reads=True)
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
        rounds: list[Round] = []

        def note(one: Round) -> None:
            rounds[:] = [one]

        self.inside(over, note, stops)
        if not rounds:
            return Round(Never())
        [one] = rounds
        return replace(one, element=self.read(self.settled(one.element)))

    def _gather(self, node: form.Gather) -> Relation:
        """Return a list, a set or a dictionary of all that something yields."""
        if not isinstance(node.of, (form.Comprehension, form.Apply)):
            value = self.joining.opened(self.loaded(node.of))
            if isinstance(value, (Several, Listed, Indexed, Bunch)) and _is_list(node.type):
                return value
        if isinstance(node.type, Mapping) and not is_counter(node.type):
            return self._dictionary(node.of)
        one = self.yielded(node.of)
        if isinstance(one.element, Unclear):
            raise NotShownError(held_by(one.element))
        if isinstance(node.type, Members):
            return SetOf(one.element)
        if isinstance(node.type, Mapping):
            return Table(one.element, Same(), one.ordered)
        if one.ordered:
            return Listed(one.element)
        return Bunch(one.element) if one.whole is None else Indexed(one.whole, one.element)

    def _dictionary(self, over: form.Expression) -> Relation:
        """Return a dictionary of all pairs that something yields."""
        results: list[Relation] = [Table(Never(), Never(), ordered=True)]

        def note(one: Round) -> None:
            pair = self.read(one.element)
            if not isinstance(pair, Several):
                raise NotShownError(f"makes a dictionary of {described(pair)}")
            key, value = pair.items
            its_own = isinstance(key, Replica) and key.symbol == one.symbol != 0
            if not one.ordered and not its_own:
                raise NotShownError("makes a dictionary of which the last value of a key counts")
            results[:] = [Table(key, value, one.ordered)]

        self.inside(over, note)
        return self.settled(results[0])

    def listed(self, node: form.Expression, stops: bool = False) -> Relation:
        """Return what something yields as a list: `stops` is whether it may end before its last."""
        one = self.yielded(node, stops)
        return Listed(one.element) if one.ordered else Bunch(one.element)

    def _quantify(self, node: form.Quantify) -> Relation:
        def ask(one: Round) -> None:
            self.group.truth(self.read(one.element))

        self.inside(node.of, ask, stops=True)
        return TRUTH

    def _first(self, node: form.First) -> Relation:
        one = self.yielded(node.of, stops=True)
        value = one.element
        if not one.ordered and known_number(value) is None and not isinstance(value, Never):
            value = picked(value)
        if node.default is None:
            return value
        return self.joining.joined(value, self.value(node.default))


def refuse_writes(done: Effects) -> None:
    """Refuse writes for each element of an expression, which may be in any order."""
    if done.writes or done.unknown:
        forms = sorted(write.location.shown for write in done.writes)
        does = f"writes {forms[0]}" if forms else f"calls {done.unknown}"
        raise NotShownError(f"{does} for each element of an expression")


def picked(value: Relation) -> Relation:
    """Return one of several values, which depends on their order."""
    if isinstance(value, (Several, Made)) or (isinstance(value, Replica) and not value.may_be_none):
        return Picked()
    return Unclear("depends on the order of replicas")


def is_counter(kind: object) -> bool:
    """Whether a type is that of a Counter."""
    return isinstance(kind, Mapping) and kind.kind is Counter


def _is_list(kind: object) -> bool:
    return isinstance(kind, (SequenceType, Tuple))


def _of_set(element: Relation, symbol: int, ordered: bool) -> Iterator[Round]:
    """Yield a round over the members of a set, or the keys of a dictionary."""
    if isinstance(element, Never):
        return
    own = isinstance(element, Replica) and not element.may_be_none
    if own:
        assert isinstance(element, Replica)
        yield Round(replace(element, symbol=symbol), symbol, False)
    else:
        yield Round(element, 0, ordered and is_plain(element))


# --- what yields values one by one


def _enumerate(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    first = self.value(over.arguments[1]) if len(over.arguments) > 1 else Same(frozenset((0,)))

    if not isinstance(first, Same):
        raise NotShownError(f"counts from {described(first)}")

    def numbered(one: Round) -> None:
        if one.ordered:
            follow(replace(one, element=Several((Same(), one.element))))
        elif one.whole is not None and known_number(first) == 0:
            number = Replica(one.whole, False, one.symbol)
            follow(replace(one, element=Several((number, one.element))))
        else:
            raise NotShownError("numbers values that come in any order")

    self.each(over.arguments[0], numbered, symbol)


def _zip(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    def paired(rest: tuple[form.Expression, ...], so_far: tuple[Round, ...]) -> None:
        if not rest:
            items = tuple(one.element for one in so_far)
            loads = Effects()
            for one in so_far:
                loads.add(one.loads)
            follow(replace(so_far[0], element=Several(items), loads=loads))
            return

        def following(one: Round) -> None:
            first = so_far[0] if so_far else one
            alike = one.ordered and first.ordered
            if not alike and (one.whole is None or one.whole != first.whole):
                raise NotShownError(
                    "takes side by side what is not of the same replicas",
                    "write a loop over the indices: for n in range(...)",
                )
            paired(rest[1:], (*so_far, one))

        self.each(rest[0], following, so_far[0].symbol if so_far else symbol)

    paired(over.arguments, ())


def _map(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    function, *several = over.arguments

    def mapped(one: Round) -> None:
        arguments = one.element.items if len(several) > 1 else (one.element,)  # type: ignore[attr-defined]
        follow(replace(one, element=self.applied(function, arguments)))

    if len(several) > 1:
        _zip(self, replace(over, arguments=tuple(several)), mapped, symbol)
    else:
        self.each(several[0], mapped, symbol)


def _filter(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    test, several = over.arguments

    def passed(one: Round) -> None:
        value = self.read(one.element)
        if not isinstance(test, form.Constant):
            value = self.applied(test, (one.element,))
        if self.group.truth(value) is not False:
            follow(replace(one, whole=None))

    self.each(several, passed, symbol)


def _chain(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    rounds = [self.yielded(one) for one in over.arguments]
    element = self.joining.all(one.element for one in rounds)
    if isinstance(element, Unclear):
        raise NotShownError(f"goes over what {element.why}")
    if not isinstance(element, Never):
        follow(Round(element, 0, all(one.ordered for one in rounds)))


def _reversed(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    self.each(over.arguments[0], lambda one: follow(replace(one, whole=None)), symbol)


def _flattened(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    outer = self.yielded(over.arguments[0])
    if isinstance(outer.element, Never):
        return

    def inner(one: Round) -> None:
        follow(replace(one, symbol=0, ordered=one.ordered and outer.ordered, whole=None))

    self.over(outer.element, inner)


def _tuples(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    """Follow pairs and tuples of what something yields, of which each is like any other."""
    overs = over.arguments if over.name == "product" else over.arguments[:1]
    for count in (*over.arguments[len(overs) :], *(value for _, value in over.named)):
        if not isinstance(value := self.value(count), Same):
            raise NotShownError(f"takes {described(value)} at a time")
    rounds = [self.yielded(one) for one in overs]
    if any(isinstance(one.element, Never) for one in rounds):
        return
    alike = all(one.ordered for one in rounds)
    if not alike and over.name in ("combinations", "pairwise", "combinations_with_replacement"):
        raise NotShownError(f"takes {over.name} of values that come in any order")
    items = [one.element for one in rounds]
    kind = over.type.element  # type: ignore[attr-defined]
    length = len(kind.items) if hasattr(kind, "items") else None
    if length is None:
        element: Relation = Listed(self.joining.all(items))
    else:
        element = Several(tuple(items[n % len(items)] for n in range(length)))
    follow(Round(element, 0, alike))


def _members(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    mask = self.value(over.arguments[0])
    number = known_number(mask)
    if isinstance(mask, ReplicaSet) and not mask.wide:
        self.over(SetOf(Replica(mask.kind)), follow, symbol)
    elif not isinstance(mask, Same):
        raise NotShownError(f"lists the members of {described(mask)}")
    elif number is not None and 0 <= number < 1 << 64:
        numbers = tuple(Same(frozenset((n,))) for n in range(64) if number >> n & 1)
        self.over(Several(numbers), follow, symbol)
    else:
        follow(Round(Same()))


def _views(self: Iteration, over: form.Apply, follow: Follow, symbol: int) -> None:
    table = self.joining.opened(self.loaded(over.arguments[0]))
    if not isinstance(table, Table):
        raise NotShownError(f"goes over {described(table)}")
    value = table.value
    if over.name == "elements" and not isinstance(value, Same):
        raise NotShownError(f"counts by {described(value)}")

    def viewed(one: Round) -> None:
        element = {"values": value, "items": Several((one.element, value))}
        follow(replace(one, element=element.get(over.name, one.element)))

    self.over(table, viewed, symbol)


STREAMS: dict[str, Callable[[Iteration, form.Apply, Follow, int], None]] = {
    "enumerate": _enumerate, "zip": _zip, "map": _map, "filter": _filter, "chain": _chain,
    "reversed": _reversed, "flattened": _flattened, "members": _members,
    **dict.fromkeys(("keys", "values", "items", "elements"), _views),
    **dict.fromkeys(
        ("product", "permutations", "combinations", "combinations_with_replacement", "pairwise"),
        _tuples,
    ),
}  # fmt: skip

STREAMED: dict[type, Rule] = {
    form.Gather: Iteration._gather, form.Comprehension: Iteration.listed,
    form.Quantify: Iteration._quantify, form.First: Iteration._first,
}  # fmt: skip
