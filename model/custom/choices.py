"""The values of an action's parameters: of a kind, by the bounds, by others, or by the state."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ...core.containers import Bag, RecordSeq, Seq, Set, Sorted
from ...core.errors import about
from ...core.fields import Array, Field, Record, declared_parts, limit_of
from ...core.guards import for_each_element, for_each_of, is_path, only_where
from ...core.layout import Layout
from ...core.text import tabled, untabled
from ...core.values import as_kind
from ...core.vocabulary import Selection, annotation_of
from .signatures import (
    MOST_CHOICES,
    function_of,
    refuse_empty,
    refuse_unfit,
    refuse_values,
    table_of,
    values_of,
)

Values = Callable[..., Iterable[int]]
All = str | Values | Iterable[int]
"""All values: a kind of participant, a function of the bounds, or these themselves."""

Choice = All | tuple[All, Values]
"""All values of a parameter, a function of the state, or both."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action, and where its values come from.

    Parameters
    ----------
    values
        ``values(k, *others)``: all that it can ever have.
    others
        The parameters before it on which these depend.
    chosen
        ``chosen(s, k, *more)``: those that it has in a state; None if these are all.
    more
        The other parameters on which those depend.
    by_index
        Whether they are records of a sequence, and the values are their indices.
    is_listed
        Whether the values are those that the code of `chosen` can list.
    table
        What the values are indices of, where they are tuples that the model writes.
    """

    name: str
    values: Values
    others: tuple[str, ...] = ()
    chosen: Values | None = None
    more: tuple[str, ...] = ()
    by_index: bool = False
    is_listed: bool = False
    table: tuple[object, ...] = ()


class Choices:
    """The parameters of one action.

    Parameters
    ----------
    function, name
        The action, and its name in messages.
    names
        Its parameters after the state and the bounds.
    declared
        What the model says of some of them.
    participants
        How many there are of each kind.
    state
        The declaration of the state.
    what
        Whether it is an action or a property.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        names: Sequence[str],
        declared: Mapping[str, Choice],
        participants: Mapping[str, Callable[[Any], int]],
        state: type,
        what: str = "action",
    ) -> None:
        self._function, self._name, self._names = function, name, tuple(names)
        self._participants, self._state, self._what = participants, state, what
        self._parameters = [self._parameter(one, declared.get(one, one)) for one in names]

    def arguments(self, k: Any) -> Iterator[tuple[int, ...]]:
        """Yield each choice of values for all parameters within given bounds."""
        rows: list[tuple[int, ...]] = [()]
        for one in self._parameters:
            places = [self._names.index(other) for other in one.others]
            known: dict[tuple[int, ...], tuple[int, ...]] = {}
            longer: list[tuple[int, ...]] = []
            for row in rows:
                others = tuple(row[place] for place in places)
                if others not in known:
                    known[others] = self._values(one, k, others)
                if len(longer) + len(known[others]) > MOST_CHOICES:
                    text = (
                        f"{self._what} {self._name} has more than {MOST_CHOICES:,} choices of its"
                    )
                    raise about(self._function, f"{text} parameters within these bounds")
                longer += [(*row, value) for value in known[others]]
            rows = longer
        yield from rows

    @property
    def functions(self) -> tuple[Values, ...]:
        """The functions that say which values there are."""
        return tuple(
            function
            for one in self._parameters
            for function in (one.values, one.chosen)
            if function is not None
        )

    def _values(self, one: Parameter, k: Any, others: tuple[int, ...]) -> tuple[int, ...]:
        what = f"{one.name} of {self._what} {self._name}"
        known = [untabled(other) for other in others]
        return values_of(lambda k: one.values(k, *known), k, self._function, what)

    def narrowed(self) -> Callable[..., bool]:
        """Return the action with a guard for each parameter whose values depend on the state."""
        apply = self._function
        for one in reversed(self._parameters):
            if one.chosen is not None:
                narrow = for_each_element if one.by_index else only_where
                apply = narrow(apply, one.name, one.chosen, one.more)
            elif one.table:
                apply = for_each_of(apply, one.name, one.table)
        return apply

    @property
    def are_numbers(self) -> tuple[str, ...]:
        """The parameters that are not records."""
        return tuple(one.name for one in self._parameters if not one.by_index)

    def selections(self) -> tuple[Selection, ...]:
        """Return the parameters whose values depend on the state."""
        return tuple(
            Selection(
                self._names.index(one.name),
                one.chosen,
                tuple(map(self._names.index, one.more)),
                one.by_index,
                one.values if one.is_listed else None,
            )
            for one in self._parameters
            if one.chosen is not None
        )

    def _parameter(self, name: str, choice: Choice) -> Parameter:
        """Return where the values of a parameter come from."""
        what = f"{name} of {self._what} {self._name}"
        by_index = is_listed = False
        every: Any = choice
        chosen: Values | None = None
        if isinstance(every, tuple) and len(every) == 2 and any(callable(one) for one in every):
            every, chosen = every
        is_written = not callable(every) or isinstance(every, type)
        every = self._count(name, every) if isinstance(every, str) else function_of(every)
        if chosen is None and (table := table_of(every)):
            indices = tabled(table)
            return Parameter(name, lambda k: indices, table=table)
        taken = self._taken(every, what)
        if chosen is None and self._is_of_state(taken):
            by_index, is_listed = self._is_record(name), not is_path(every)
            find = self._listed if is_listed else self._elements
            every, chosen = find(every, what, by_index), every
            taken = ("k", *taken[2:])
        elif self._is_of_state(taken):
            raise about(
                every,
                f"{what}: the first of its two functions takes the state; it has "
                "all values, so write lambda k: ...",
            )
        before = self._names[: self._names.index(name)]
        self._refuse_unknown(taken[1:], before, "parameter before it", every, what)
        if len(taken) == 1:
            refuse_empty(every, what, self._function if is_written else every)
        if chosen is None:
            return Parameter(name, every, taken[1:])
        wanted = self._taken(chosen, what)
        if not self._is_of_state(wanted):
            raise about(chosen, f"{what} takes ({', '.join(wanted)}); write lambda s, k: ...")
        others = [other for other in self._names if other != name]
        self._refuse_unknown(wanted[2:], others, "other parameter", chosen, what)
        return Parameter(name, every, taken[1:], chosen, wanted[2:], by_index, is_listed)

    def _is_record(self, name: str) -> bool:
        """Whether the action says that a parameter is a record."""
        said = annotation_of(self._function, name)
        return isinstance(said, type) and issubclass(said, Record)

    def _count(self, name: str, kind: str) -> Values:
        """Return the numbers of the participants of a kind."""
        if kind not in self._participants:
            known = ", ".join(self._participants) or "there are none"
            why = "" if name == kind else f", since {kind!r} is not a kind of participant"
            raise about(
                self._function,
                f"{self._what} {self._name}: its parameter {name} has no values{why}; "
                f"give {name}=lambda k: range(...), or a kind of participant ({known})",
            )
        count = self._participants[kind]
        return lambda k: range(count(k))

    def _taken(self, function: Any, what: str) -> tuple[str, ...]:
        """Return the names of what a function is called with; what has a default is not."""
        if not callable(function) or isinstance(function, type):
            refuse_values(function, what)
        try:
            taken = inspect.signature(function).parameters.values()
        except ValueError:
            return ("k",)
        names = tuple(one.name for one in taken if one.default is one.empty)
        self._refuse_misplaced(names, function, what)
        if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in taken) or not names:
            refuse_unfit(function, what, "k")
            return ("k",)
        return names

    def _refuse_misplaced(self, names: Sequence[str], function: Values, what: str) -> None:
        """Refuse a function with a parameter of the action where the state or the bounds belong."""
        others = {*self._names, *self._participants} - {"s", "k"}
        of_state = names[:1] == ("s",)
        if names == ("s",) or (names[of_state : of_state + 1] and names[of_state] in others):
            raise about(
                function,
                f"{what} takes ({', '.join(names)}). A function of the bounds takes k, one of the "
                "state s and k, then names of parameters: write it so",
            )

    @staticmethod
    def kind(choice: Choice) -> object:
        """Return the kind of participant that a choice names, or what it is else."""
        return choice[0] if isinstance(choice, tuple) and choice else choice

    @staticmethod
    def _is_of_state(names: Sequence[str]) -> bool:
        """Whether a function that takes these takes the state, and then the bounds."""
        return len(names) > 1 and (names[1] == "k" or names[0] == "s")

    def _refuse_unknown(
        self, names: Sequence[str], known: Sequence[str], kind: str, function: Values, what: str
    ) -> None:
        """Refuse a function that takes what is not a parameter of the action, or comes later."""
        for name in names:
            if name not in known:
                there = ", ".join(known) or "none"
                raise about(
                    function,
                    f"{what} depends on {name}, which is not a {kind}; there is {there}. A "
                    "function of the bounds takes k, one of the state s and k, then names of "
                    "parameters",
                )

    def _elements(self, chosen: Values, what: str, are_records: bool) -> Values:
        """Return the numbers that a set, bag or sequence can hold, or the indices of records."""

        def elements(k: Any, *others: int) -> Iterable[int]:
            try:
                part = chosen(Layout(self._state, k).record, k, *others)
            except Exception as error:  # noqa: BLE001 - it is the model that fails
                text = f"{what}: {type(error).__name__} in an initial state: {error}"
                raise about(chosen, text) from None
            numbers = _places(part, k) if are_records else _numbers(part, k)
            if numbers is None:
                text = f"{what} is a {type(part).__name__}"
                if isinstance(part, (RecordSeq, Sorted)):
                    raise about(
                        chosen, f"{text}; annotate the parameter with the class of a record"
                    )
                text += "; it must be a set, bag or sequence of numbers or records"
                raise about(chosen, f"{text}, else say which values there are")
            return numbers

        return elements

    def _listed(self, chosen: Values, what: str, are_records: bool) -> Values:
        """Return the numbers that a function of the state may list."""
        unknown = about(
            chosen,
            f"{what} depends on the state, so its values are not known in advance; name a set, "
            "bag or sequence of it, as in lambda s, k: s.waiting, and return False for what does "
            f"not fit, or say which values there are at all: (lambda k: range(k.items), "
            f"lambda s, k: ...)",
        )
        if are_records or not isinstance(chosen, FunctionType):
            raise unknown

        known: dict[tuple[int, tuple[int, ...]], tuple[object, list[int] | None]] = {}

        def values(k: Any, *others: int) -> Iterable[int]:
            # Most models need no reading of what lists values.
            from ...language.lowering.listing import listed

            key = id(k), others
            if key not in known:
                # The key has the address of the bounds, so they must stay alive.
                known[key] = k, listed(chosen, Layout(self._state, k), k, others, MOST_CHOICES)
            _, numbers = known[key]
            if numbers is None:
                raise unknown
            return numbers

        return values


def _places(part: Any, k: Any) -> Iterable[int] | None:
    """Return all indices of a sequence of records; None for anything else."""
    if not isinstance(part, (RecordSeq, Sorted)):
        return None
    kind: Any = type(part)
    items = declared_parts(kind.__declared__)["items"]
    return range(limit_of(items.length, k)) if isinstance(items, Array) else None


def _numbers(part: Any, k: Any) -> Iterable[int] | None:
    """Return all numbers that a container of the state can hold; None for no such container."""
    if isinstance(part, Bag):
        return range(len(part.counts))
    kind: Any = type(part)
    if isinstance(part, Set):
        mask = declared_parts(kind.__declared__)["mask"]
        assert isinstance(mask, Field)
        return range(limit_of(mask.high, k).bit_length())
    if not isinstance(part, Seq):
        return None
    items = declared_parts(kind.__declared__)["items"]
    if isinstance(items, Array) and isinstance(items.element, Field):
        element = items.element
        numbers = range(limit_of(element.low, k), limit_of(element.high, k) + 1)
        return [as_kind(element.kind, number) for number in numbers]
    return None


def refuse_unknown_choices(
    function: Callable[..., object],
    what: str,
    parameters: Sequence[str],
    choices: Mapping[str, Choice],
) -> None:
    """Refuse choices for what is not a parameter of an action or a property."""
    if extra := set(choices) - set(parameters):
        there = ", ".join(parameters) or "none but the state and the bounds"
        raise about(function, f"{what} has no parameter {min(extra)}; it has {there}")
