"""A custom model: what one Python file declares, as every command takes it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from ...core.assumptions import assumptions_of
from ...core.bounds import bound_name, brief, declared, made, shown, unknown
from ...core.callbacks import state_followers
from ...core.errors import about, misused, placed, printed, spot_of_caller
from ...core.fields import Record
from ...core.guards import enabled
from ...core.layout import Layout
from ...core.origins import note_model
from ...core.scene import LogOffset, View
from ...core.sources import original_of
from ...core.spec import DEADLOCK, TYPE_OK, Action, Fairness, Kind, Property, TransitionSystem
from ...core.vocabulary import Each, built_in, is_available, takes_more
from ..added import added
from ..limited import counting
from ..protocol import TRACK, Expected, NoRules, Protocol, first_rules, histories_of
from .choices import Choice, Choices, refuse_unknown_choices
from .fairness import Fair
from .signatures import (
    OF_ACTION,
    OF_MODEL,
    OPTIONS,
    behind_the_bounds,
    counted,
    misplaced,
    refuse_bare,
    refuse_misspelt,
    refuse_other_classes,
    refuse_other_kinds,
    refuse_other_types,
    refuse_others,
    refuse_unfit,
    refuse_unknown_bounds,
    refuse_unknown_kinds,
    refuse_wrong_looks,
    taken_by_parameters,
)
from .view import Lanes, Sentence, first_sentence


def notes_of(text: str) -> dict[str, str]:
    """Return each mutant that a text explains, and the reason why no search kills it.

    A paragraph is a reason, and below it, indented, are its mutants.  After ``[hw kip-101]`` a
    mutant is one of these protocols only; its name then begins with the protocol's.
    """
    notes = {}
    for paragraph in text.rstrip().split("\n\n"):
        reason, *mutants = paragraph.split("\n    ")
        for mutant in mutants:
            names, _, rest = mutant.partition("] ") if mutant.startswith("[") else ("", "", mutant)
            for protocol in names[1:].split() or [""]:
                notes[f"{protocol}: {rest}".removeprefix(": ")] = " ".join(reason.split())
    return notes


S = TypeVar("S", bound=Record)
K = TypeVar("K")
F = TypeVar("F", bound=Callable[..., bool])
P = TypeVar("P", bound=Callable[..., object])

Count = Callable[[Any], int]


_WORDS = {
    "all": "-p all checks every property",
    "none": "-p none checks no property",
    "default": "holds = 'default' in a gate names those that are checked by default",
}
"""Words of ``-p`` and of gates that are not names of properties, and what each means."""

_KINDS = ", ".join(f"Kind.{kind.name}" for kind in Kind if kind.is_liveness)


class Model(Fair, Generic[S, K]):
    """A protocol that one file declares: bounds, state, initial states, actions, properties.

    Parameters
    ----------
    bounds
        A frozen dataclass whose fields come from ``number``, ``switch`` and ``choice``.  Actions
        and properties receive an object of it as ``k``.  A field ``rules`` holds the decisions in
        which variants differ; a field ``track_NAME``, which is false by default, says whether the
        state includes a history: it does if a requested property reads that.
    state
        The declaration of the state, derived from ``Record``; they receive the state as ``s``.
    participants
        For each kind of participant, how many there are: ``{"manager": lambda k: k.managers}``, or
        ``{"manager": 3}``.
        They have lanes in diagrams, and a parameter of that name takes each of them.
    name
        By default that of the file.
    deadlock
        Whether a state without an enabled action is an error, as for TLC.
    constraint
        ``constraint(s, k) -> bool``: TLC's CONSTRAINT.  Steps from states outside are not taken.
    liveness_within_constraint
        Whether liveness is decided for the behaviors alone that never leave the constraint, which
        the verdict repeats; without it a model with a constraint leaves liveness undecided.
    view
        How states and steps are drawn; by default a lane for each participant.
    columns
        ``columns(s, k)``: where there is no `view`, a text about a state for each lane, by its
        heading; by default each participant's variables.
    legend
        How to read the display of a state.
    survivors
        Why ``tidegate mutate`` need not kill a mutant, by the name that it prints.  Where only one
        variant has it, the name of the variant comes first.  Or a text: a paragraph is a reason,
        and below it, indented, are its mutants, after ``[VARIANT]`` if they are of that only.
    mutation_bounds
        Bounds at which ``tidegate mutate`` searches, one after the other.
    largest_bounds
        How far ``tidegate bounds`` varies which bounds; by default each main bound that may be 0,
        up to one above its default.
    default_properties
        Names of the properties that are checked by default; all that it declares where none is.

    Raises
    ------
    ModelError
        If the bounds are not a frozen dataclass, or the state is not a ``Record``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from tidegate import Model, Record, check, integer, number
    >>> @dataclass(frozen=True)
    ... class Bounds:
    ...     most: int = number(3, 1, 9, "where the counter ends")
    >>> class Counter(Record):
    ...     value: int = integer(0, lambda k: k.most, "the count")
    >>> model = Model(Bounds, Counter, name="counter", deadlock=False)
    >>> @model.action("counter")
    ... def increase(s: Counter, k: Bounds) -> bool:
    ...     if s.value == k.most:
    ...         return False
    ...     s.value += 1
    ...     return True
    >>> check(model, {"most": 5}, ["TypeOk"]).distinct_states
    6
    """

    is_kafkas = False
    """Whether its protocols are those of Kafka's brokers."""

    def __init__(
        self,
        bounds: type[K],
        state: type[S],
        *,
        participants: Mapping[str, Count | int] | None = None,
        name: str = "",
        deadlock: bool = True,
        constraint: Callable[[S, K], bool] | None = None,
        liveness_within_constraint: bool = False,
        view: View | None = None,
        columns: Callable[[S, K], Mapping[str, str]] | None = None,
        legend: str = "",
        survivors: Mapping[str, str] | str = "",
        mutation_bounds: Sequence[str] = ("",),
        largest_bounds: Mapping[str, int] | None = None,
        default_properties: Sequence[str] = (),
    ) -> None:
        super().__init__()
        note_model()
        refuse_other_classes(bounds, state)
        self._spot = spot_of_caller()
        flags = deadlock, liveness_within_constraint
        chosen = mutation_bounds, largest_bounds, default_properties
        refuse_other_types("Model", OF_MODEL, *flags, legend, *chosen)
        refuse_unknown_bounds(bounds, largest_bounds or ())
        refuse_unknown_bounds(bounds, map(bound_name, " ".join(mutation_bounds).split()))
        if constraint is not None:
            refuse_unfit(constraint, "the constraint", "s", "k", others=participants or {})
        if columns is not None:
            refuse_unfit(columns, "the columns", "s", "k", others=participants or {})
        refuse_wrong_looks(name, view, survivors)
        self.bounds: Any = bounds
        self.declaration: Any = state
        refuse_unknown_kinds(state, participants or {})
        self._participants = {kind: counted(n) for kind, n in (participants or {}).items()}
        module = sys.modules.get(state.__module__)
        file = getattr(module, "__file__", None)
        self._name = name or (Path(file).stem if file else state.__name__.lower())
        self._doc = inspect.cleandoc(getattr(module, "__doc__", None) or "")
        self._deadlock = deadlock
        self._constraint = constraint
        if liveness_within_constraint and constraint is None:
            raise misused("liveness_within_constraint needs a constraint; leave it out")
        self._within_constraint = liveness_within_constraint
        self._view = view
        self._columns = columns
        self._legend = legend
        self.survivors = notes_of(survivors) if isinstance(survivors, str) else {**survivors}
        self.mutation_bounds = tuple(mutation_bounds)
        self.largest_bounds = largest_bounds
        self._default_properties = tuple(default_properties)
        self._initialise: Callable[[S, K], Iterator[None]] = _as_declared
        self._sentences: dict[str, Sentence] = {}
        self._properties: dict[str, Property] = {}

    def initial(self, function: Callable[[S, K], Iterator[None] | None]) -> Any:
        """Declare the initial states: write each into ``s``, and yield.

        A function without a ``yield`` writes the only one.
        Without it there is one, in which every variable has its initial value.
        """
        if self._initialise is not _as_declared:
            raise about(
                function, "there are initial states already; yield all of them in one function"
            )
        refuse_unfit(function, function.__name__, "s", "k", others=self._participants)
        several = inspect.isgeneratorfunction(function)
        self._initialise = cast(Any, function) if several else _of_one(function)
        return function

    def action(
        self,
        who: str = "",
        /,
        *others: object,
        source: str = "",
        fairness: Fairness | None = None,
        fair_per: tuple[str, ...] | None = None,
        sign: str = "",
        when: Callable[[K], bool] = OPTIONS["when"],
        distinct: bool = False,
        **choices: Choice,
    ) -> Callable[[F], F]:
        """Declare an action: ``function(s, k, *arguments) -> bool``, its guards before its writes.

        It returns False, and writes nothing, where it is not enabled.  Its name is the
        function's in CamelCase; the first sentence of its docstring describes its steps in traces.

        Parameters
        ----------
        who
            Who acts: a kind of participant, a parameter that numbers one, or any other word.
        source
            Where it is stated: a paper, or a specification.
        fairness
            Weak for what happens sooner or later if it can, none for faults.  By default weak, or
            none if :meth:`fairness` is about the action.
        fair_per
            The parameters for whose choices it is separate: by default all, none with ``()``.
        sign
            For faults and elections: ``"crash"``, ``"restart"``, ``"election"`` or ``"loss"``.
        when
            Whether there is such an action at all within given bounds.
        distinct
            Whether its parameters always differ from each other, as a leader and its follower do.
        choices
            For each parameter after ``s`` and ``k`` its values: a kind of participant, the values
            themselves, ``item=range(3)``, or a function of the bounds and of parameters before it,
            ``to=lambda k, node: NEXT[node]``.  One that is called like a kind of participant needs
            none.  A function of the state names a container, ``m=lambda s, k: s.sent``, or lists
            numbers; with all values before it, it may be any:
            ``m=(lambda k: range(k.items), lambda s, k, node: ...)``.

        Raises
        ------
        ModelError
            If a parameter has no values, or the name is taken.
        """
        refuse_bare(who, "@model.action('who')")
        refuse_others(who, others)
        said = source, fairness, fair_per, sign, when, distinct

        def declare(function: F) -> F:
            refuse_other_kinds(function, "an action")
            self._refuse_taken("action", function, [one.apply for one in self.actions])
            more, options = taken_by_parameters(function, said)
            self._declare(function, who, choices={**choices, **more}, **options)
            return function

        return declare

    def invariant(
        self,
        statement: str,
        *,
        source: str = "",
        explain: Callable[..., str] | None = None,
        places: Callable[..., tuple[LogOffset, ...]] | None = None,
        needs: tuple[str, ...] = (),
    ) -> Callable[[P], P]:
        """Declare an invariant: ``function(s, k) -> bool``, true in every state that is right.

        A function that is annotated to return a tuple is a witness: it returns the numbers that say
        what is wrong, and None in a state that is right.

        Parameters
        ----------
        statement
            What it says, in one sentence; its name is the function's in CamelCase.
        source, explain
            Where it is stated; and ``explain(s, k, *witness) -> str``: what exactly is wrong in a
            state.
        places
            ``places(s, k, *witness)``: the offsets of logs at which that is.
        needs
            Names of actions without which it says nothing: a check reports those that are missing
            within its bounds, or never enabled.

        Raises
        ------
        ModelError
            If the name is taken.
        """
        refuse_bare(statement, "@model.invariant('What must hold.')")
        return self._property(Kind.INVARIANT, statement, None, source, explain, needs, places)

    def sometimes(
        self,
        statement: str,
        *,
        source: str = "",
        explain: Callable[..., str] | None = None,
        needs: tuple[str, ...] = (),
    ) -> Callable[[P], P]:
        """Declare what must be reachable: ``function(s, k) -> bool``, true in such a state."""
        refuse_bare(statement, "@model.sometimes('What can happen.')")
        return self._property(Kind.SOMETIMES, statement, None, source, explain, needs)

    def liveness(
        self,
        kind: Kind,
        statement: str,
        *,
        premise: Callable[[S, K], bool] | None = None,
        source: str = "",
        explain: Callable[..., str] | None = None,
        places: Callable[..., tuple[LogOffset, ...]] | None = None,
        needs: tuple[str, ...] = (),
        distinct: bool = False,
        **choices: Choice,
    ) -> Callable[[P], P]:
        """Declare what must eventually happen, as :meth:`invariant` what must always hold.

        With parameters after ``s`` and ``k`` it is declared for each choice of their values:
        ``served(s, k, person)`` for each person.

        Parameters
        ----------
        kind
            ``EVENTUALLY``, ``ALWAYS_EVENTUALLY``, ``EVENTUALLY_ALWAYS`` or ``LEADS_TO``.
        premise
            For ``LEADS_TO``: ``premise(s, k) -> bool``, after which it must happen.  It and
            `explain` may take the same parameters.
        distinct
            Whether the parameters always differ from each other.
        choices
            The values of each parameter, as of an action: ``person="person"``.
        """
        if not getattr(kind, "needs_graph", False):
            raise misused(f"liveness: {printed(kind)} is not a kind of liveness; write {_KINDS}")
        if (premise is None) == (kind is Kind.LEADS_TO):
            repair = "give premise=lambda s, k: ..." if premise is None else "leave the premise out"
            raise misused(f"liveness: only Kind.LEADS_TO has a premise, and needs one; {repair}")
        return self._property(
            kind, statement, premise, source, explain, needs, places, (distinct, choices)
        )

    def _property(
        self,
        kind: Kind,
        statement: str,
        premise: Callable[..., bool] | None,
        source: str,
        explain: Callable[..., str] | None,
        needs: tuple[str, ...] = (),
        places: Callable[..., tuple[LogOffset, ...]] | None = None,
        choices: tuple[bool, Mapping[str, Choice]] | None = None,
    ) -> Callable[[P], P]:
        """Return a decorator that adds a function as the predicate of a property."""

        def declare(function: P) -> P:
            refuse_other_kinds(function, "an invariant")
            name = _camel(function.__name__)
            each = self._each(function, name, *choices) if choices else None
            more = each.parameters if each else ()
            others = {*self._participants, *(choices[1] if choices else ())}
            called = "invariant" if kind is Kind.INVARIANT else "property"
            refuse_unfit(function, f"{called} {name}", "s", "k", *more, others=others)
            finds = str(inspect.signature(function).return_annotation).startswith("tuple")
            if finds and each:
                raise about(
                    function,
                    f"property {name} is one for each {more[0]}, so that it needs "
                    "no witness; return whether all is well",
                )
            for other, what in ((premise, "premise"), (None if finds else explain, "explain")):
                if other is not None:
                    means = more and misplaced([*inspect.signature(other).parameters], more)
                    takes = more if means or (more and takes_more(other)) else ()
                    refuse_unfit(other, f"{what} of {name}", "s", "k", *takes, others=others)
            functions = [one.witness or one.predicate for one in self.properties]
            self._refuse_taken("property", function, functions)
            if word := _WORDS.get(name.lower()):
                text = f"no property can be called {function.__name__}: {word}; rename it"
                raise about(function, text)
            kinds = {"statement": str, "source": str}
            refuse_other_types(f"property {name}", kinds, statement, source)
            said = explain or (lambda s, k, *witness: f"It requires: {statement}")
            how: dict[str, Any] = {"witness" if finds else "predicate": function, "needs": needs}
            if places is not None:
                how["places"] = places
            self._properties[name] = Property(
                name, statement, source, explain=said, kind=kind, premise=premise, each=each, **how
            )
            return function

        return declare

    def _each(
        self,
        function: Callable[..., object],
        name: str,
        distinct: bool,
        choices: Mapping[str, Choice],
    ) -> Each | None:
        """Return the choices of arguments for each of which a property is declared, if any."""
        others = {*self._participants, *choices}
        parameters = behind_the_bounds([*inspect.signature(function).parameters], others)
        refuse_unknown_choices(function, f"property {name}", parameters, choices)
        if not parameters:
            return None
        chosen = Choices(
            function, name, parameters, choices, self._participants, self.declaration, "property"
        )
        if chosen.selections():
            raise about(function, f"property {name}: its parameters cannot depend on the state")

        def arguments(k: Any) -> Iterator[tuple[int, ...]]:
            rows = chosen.arguments(k)
            return (one for one in rows if len({*one}) == len(one)) if distinct else rows

        arguments.made_from = chosen.functions  # type: ignore[attr-defined]
        return Each(tuple(parameters), arguments)

    def _refuse_taken(
        self, what: str, function: Callable[..., object], others: Sequence[Callable[..., object]]
    ) -> None:
        """Refuse a function that reports call as they call another one, in capitals or not."""
        name = function.__name__
        for other in map(original_of, others):
            if _camel(other.__name__).lower() == _camel(name).lower():
                same = f"there is {'an' * (what == 'action') or 'a'} {what} {name} already"
                if other.__name__ != name:
                    same = f"{other.__name__} and {name} are one {what} in reports, {_camel(name)}"
                raise about(function, f"{same}; rename one of them")

    def enabled(self, action: Callable[..., bool]) -> Callable[..., bool]:
        """Return the predicate that a step of an action is enabled: TLA+'s ENABLED.

        It is called as the action is, ``can_take(s, k, client)``, and writes nothing.

        Parameters
        ----------
        action
            An action that is declared above, whose guards alone say whether it is enabled.

        Raises
        ------
        ModelError
            If it is not an action of the model, or decides that behind its guards, too.
        """
        return enabled(self._actions[self._name_of(action, "model.enabled")].apply)

    def variant(
        self,
        summary: str,
        /,
        *,
        name: str = "",
        parent: Protocol | None = None,
        actions: Sequence[Callable[..., bool]] = (),
        expected: Sequence[Expected] = (),
    ) -> Callable[[Callable[[Any], Any]], Protocol]:
        """Declare a variant: ``function(rules) -> rules``, the decisions that it takes otherwise.

        The function receives the rules of the parent, or those that the bounds have by default.
        Its docstring is the story of the variant.  It becomes a protocol, which ``tidegate check
        file.py:NAME`` names.

        Parameters
        ----------
        summary
            One sentence: what it does, and which verdicts it is known for.
        name
            As in reports; by default that of the model and of the function, ``locks/with_lease``.
        parent
            The variant whose rules and actions it takes over.  Without one it has the actions and
            the properties that are declared above it.
        actions
            Further actions that it has, which the parent has not.
        expected
            The known violations, and their bounds.
        """
        refuse_bare(summary, "@model.variant('What it does.')")

        def declare(function: Callable[[Any], Any]) -> Protocol:
            refuse_unfit(function, f"the variant {function.__name__}", "rules")
            every = {original_of(action.apply): action for action in self.actions}
            inherited = parent.actions if parent else tuple(every.values())
            return self._protocol(
                name=name or f"{self._name}/{function.__name__.replace('_', '-')}",
                summary=summary,
                story=inspect.getdoc(function) or "",
                parent=parent,
                rules=function(parent.rules if parent else first_rules(self.bounds)),
                actions=(*inherited, *(every[one] for one in actions)),
                expected=tuple(expected),
            )

        return declare

    @property
    def protocol(self) -> Protocol:
        """The model as a protocol, which every command takes.

        Raises
        ------
        ModelError
            If it declares no action, or checks a property by default that it does not declare.
        """
        summary, _, story = self._doc.partition("\n\n")
        return self._protocol(
            name=self._name,
            summary=summary,
            story=story,
            rules=first_rules(self.bounds),
            actions=self.actions,
        )

    def _protocol(self, **own: Any) -> Protocol:
        """Make a protocol of the declarations so far."""
        if not self._actions:
            text = f"{self._name} declares no action; write one under @model.action(...)"
            raise placed(text, self._spot)
        type_ok, deadlock = (built_in(one, self.properties) for one in (TYPE_OK, DEADLOCK))
        properties = (*self.properties, type_ok, deadlock)
        known = [prop.name for prop in properties]
        if wrong := [one for one in self._default_properties if one not in known]:
            raise placed(f"default_properties: {unknown('property', wrong[0], known)}", self._spot)
        checked = self._default_properties or (
            *self._properties,
            *([deadlock.name] if self._deadlock else []),
        )
        return Protocol(
            model=self,
            fairness=tuple(self._together),
            default_properties=checked,
            properties=properties,
            **own,
        )

    def state(self, k: K | None = None, /, **bounds: int) -> S:
        """Return a state of one's own, for a test: the first initial one within these bounds.

        Actions and predicates are called with it as they are written: ``act(s, k)``.

        Parameters
        ----------
        k
            The bounds, as actions receive them.
        bounds
            Or those by name that are not at their defaults: ``model.state(managers=2)``.

        Raises
        ------
        BoundsError
            If there is no such bound, or it has not that value.
        """
        protocol = self.protocol
        settings = (f"{name}={value}" for name, value in bounds.items())
        system = protocol.system(protocol.within(settings) if k is None else k)
        system.layout.load(next(system.initial_states()))
        for follow in state_followers:
            follow(system.layout)
        return cast(S, system.record)

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that are declared so far."""
        return tuple(self._properties.values())

    @property
    def faults_and_elections(self) -> dict[str, str]:
        """Actions that the world does to the participants, and what a step of each is called."""
        return {name: said.sign for name, said in self._sentences.items() if said.sign}

    def system(
        self, protocol: Protocol, bounds: K, needs: frozenset[str]
    ) -> TransitionSystem[Any, Any]:
        """Make the transition system of this model, or of a protocol that was made from it.

        Its headline names the main bounds, or all of them where none is.

        Parameters
        ----------
        needs
            The histories that the state includes.
        """
        for kind, count in self._participants.items():
            number: Any = count(bounds)
            if not isinstance(number, int) or number < 0:
                text = f"there are {number!r} of the participant {kind}; its function must return"
                raise about(count, f"{text} a whole number from 0 on")
        kept: dict[str, Any] = {
            name: name.removeprefix(TRACK) in needs for name in histories_of(self.bounds)
        }
        if not isinstance(protocol.rules, NoRules):
            kept["rules"] = protocol.rules
        k: Any = bounds
        if kept:
            values = {name: getattr(bounds, name) for name in declared(type(bounds))}
            k = made(lambda: replace(k, **kept), type(bounds), values)
        actions = [action.apply for action in protocol.actions if is_available(action, k)]
        rules = vars(protocol.rules).values()
        lanes = Lanes(self.declaration, self._participants, self._sentences, self._columns)
        view = self._view or View(lanes.scene, lanes.event)
        if extra := added(protocol):
            view = extra.view(view)
        every = shown(bounds)
        return TransitionSystem(
            name=protocol.name,
            bounds=every,
            headline=brief(bounds) or ", ".join(f"{name}={value}" for name, value in every.items()),
            constants=k,
            layout=Layout(counting(protocol.state or self.declaration, protocol.limits), k),
            actions=protocol.actions,
            initialise=self._initialise,
            legend=self._legend,
            constraint=self._constraint,
            within_constraint=self._within_constraint,
            view=view,
            fairness=protocol.fairness,
            # A mutant is wrong on purpose, and a property has to notice it.
            assumptions=() if protocol.is_mutant else assumptions_of([*actions, *rules]),
        )

    def _declare(
        self,
        function: Callable[..., bool],
        who: str,
        source: str,
        fairness: Fairness | None,
        fair_per: tuple[str, ...] | None,
        when: Callable[[K], bool],
        choices: Mapping[str, Choice],
        sign: str,
        distinct: bool,
    ) -> None:
        """Add an action whose parameters take each of their values."""
        options = who, source, fairness, fair_per, sign, distinct
        refuse_other_types(f"action {function.__name__}", OF_ACTION, *options)
        name = _camel(function.__name__)
        refuse_unfit(when, f"when of action {name}", "k")
        others = {*self._participants, *choices}
        parameters = behind_the_bounds([*inspect.signature(function).parameters], others)
        refuse_unfit(function, f"action {name}", "s", "k", *parameters, others=others)
        if who not in parameters:
            refuse_misspelt(function, name, who, self._participants)
        chosen = Choices(function, name, parameters, choices, self._participants, self.declaration)
        refuse_unknown_choices(function, f"action {name}", parameters, choices)

        def arguments(k: Any) -> Iterator[tuple[int, ...]]:
            rows = chosen.arguments(k)
            return (one for one in rows if len({*one}) == len(one)) if distinct else rows

        arguments.made_from = chosen.functions  # type: ignore[attr-defined]
        fair = Fairness.WEAK if fairness is None else fairness
        own = fair_per
        if strange := [one for one in own or () if one not in parameters]:
            wrong = unknown("parameter", strange[0], parameters)
            raise about(function, f"fair_per of action {name}: {wrong}")
        if own is None and len(chosen.are_numbers) < len(parameters):
            # An index is where a record is, not which one.
            own = chosen.are_numbers
        self._actions[name] = Action(
            name,
            chosen.narrowed(),
            who,
            arguments,
            source,
            fair,
            when,
            own,
            chosen.selections(),
        )
        if fairness is None and fair_per is None:
            self._fair_by_default.add(name)
        kinds = {one: chosen.kind(choices.get(one, one)) for one in parameters}
        acting = next((one for one in parameters if who in (one, kinds[one])), "")
        kind = kinds.get(acting, acting)
        lane = kind if isinstance(kind, str) and kind in self._participants else who
        text = first_sentence(function) or name
        self._sentences[name] = Sentence(text, lane, acting, sign, chosen.are_numbers)


def _as_declared(s: Any, k: Any) -> Iterator[None]:
    """Let every variable have the initial value that it is declared with."""
    yield


def _of_one(function: Callable[[Any, Any], object]) -> Callable[[Any, Any], Iterator[None]]:
    """Return a function that writes the only initial state, as one that yields."""

    @wraps(function)
    def initialise(s: Any, k: Any) -> Iterator[None]:
        answer = function(s, k)
        if answer is not None:
            raise about(
                function,
                f"{function.__name__} returns {printed(answer)}; write an initial state into s, "
                "and yield where there are several",
            )
        yield

    return initialise


def _camel(name: str) -> str:
    """Return the name of a function as that of an action or a property.

    Digits stay apart, so that these two are two:

    >>> _camel("become_leader"), _camel("TypeOk"), _camel("ac3_1"), _camel("ac31")
    ('BecomeLeader', 'TypeOk', 'Ac3_1', 'Ac31')
    """
    parts = re.split(r"_(?!\d)|(?<!\d)_", name)
    return "".join(part[:1].upper() + part[1:] for part in parts)
