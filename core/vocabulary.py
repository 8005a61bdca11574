"""The vocabulary of Tidegate: actions, steps, properties and traces.

The terms are TLA+'s.  A *transition system* has initial states and *actions*; an action with its
arguments is a *step*; steps chained from an initial state are a *behavior*, and a printed behavior
is a *trace*.  A *property* is what the checker decides.  Import these from ``spec``, which also has
the transition system.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, EnumMeta
from functools import cache, cached_property
from typing import Any

from .errors import ModelError, about, blaming, printed
from .fault_location import truth
from .layout import State
from .origins import note_model
from .scene import LogOffset
from .sources import original_of
from .text import Tabled, named
from .values import as_kind


class Outcome(Enum):
    """The result of a search; ``INCOMPLETE`` must never be read as ``HOLDS``."""

    HOLDS = "holds"
    VIOLATED = "violated"
    INCOMPLETE = "incomplete"


class Fairness(Enum):
    """The fairness of an action: none, weak or strong (TLA+'s WF and SF).

    Only steps that change the state count as taken or enabled: fairness is over ⟨A⟩_vars.
    """

    NONE = "none"
    """It may never be taken."""
    WEAK = "weak"
    """It is taken infinitely often, unless it is disabled infinitely often."""
    STRONG = "strong"
    """It is taken infinitely often, unless it is enabled only finitely often."""


class Kind(Enum):
    """The kind of statement that a property makes; P is its predicate, Q its premise."""

    INVARIANT = "invariant"
    TYPE = "type"
    DEADLOCK = "deadlock"
    ASSERTION = "assertion"
    STUCK = "stuck"
    SOMETIMES = "sometimes"
    """EF P (CTL): some reachable state satisfies P."""
    EVENTUALLY = "eventually"
    """◇P: every behavior reaches a state that satisfies P."""
    ALWAYS_EVENTUALLY = "always-eventually"
    """□◇P: P holds infinitely often."""
    INFINITELY_OFTEN = ALWAYS_EVENTUALLY
    EVENTUALLY_ALWAYS = "eventually-always"
    """◇□P: from some state on, P holds for ever."""
    LEADS_TO = "leads-to"
    """Q ~> P: whenever Q holds, P holds then or later."""

    @property
    def is_liveness(self) -> bool:
        """Whether only an infinite behavior can violate it."""
        return self in _LIVENESS

    @property
    def is_of_state(self) -> bool:
        """Whether one state, with the predicate, violates or satisfies it."""
        return self in (Kind.INVARIANT, Kind.SOMETIMES)

    @property
    def is_of_steps(self) -> bool:
        """Whether the steps of a state decide it: a search knows it once it has expanded that."""
        return self in (Kind.DEADLOCK, Kind.ASSERTION)

    @property
    def is_invariant(self) -> bool:
        """Whether what a behavior has done violates it, so that no longer one satisfies it."""
        return self in (Kind.INVARIANT, Kind.TYPE, Kind.ASSERTION)

    @property
    def needs_graph(self) -> bool:
        """Whether deciding it takes all states, with the steps between them."""
        return self is Kind.STUCK or self.is_liveness


_LIVENESS = frozenset(
    (Kind.EVENTUALLY, Kind.ALWAYS_EVENTUALLY, Kind.EVENTUALLY_ALWAYS, Kind.LEADS_TO)
)


INDEX = "_index"
"""What the name of a parameter ends with that is the index of a record, or of what a table has."""


@dataclass(frozen=True)
class Selection:
    """A parameter of an action whose values depend on the state.

    Its guard says so, too; where few of many values are enabled, this tells which to try.

    Parameters
    ----------
    place
        Which argument it is.
    values
        ``values(s, k, *others)``: those that it may have in a state.
    others
        Which arguments that is called with.
    by_index
        Whether they are a sequence, of which the argument is an index.
    known
        ``known(k, *others)``: all values that the code of `values` can list, where nobody else
        says which there are.
    """

    place: int
    values: Callable[..., Iterable[int]]
    others: tuple[int, ...]
    by_index: bool = False
    known: Callable[..., Iterable[int]] | None = None


@dataclass(frozen=True)
class Action:
    """A named kind of step.

    Parameters
    ----------
    name
        As printed, for instance ``HandleFetch``.
    apply
        ``apply(s, k, *arguments) -> bool``: its guards first, then its writes.  ``False`` means
        "not enabled" and leaves ``s`` untouched.
    who
        Who acts: ``leader``, ``follower``, ``broker``, ``controller``, ``client``, ``network``.
    arguments
        From the constants, every tuple of arguments that the action may be taken with, in order.
    source
        The KIP, paper or specification that says so.
    fairness
        Weak for what a correct system does eventually, none for what may never happen.
    fair_per
        Names of the arguments for each choice of which the fairness condition is separate; None
        for all of them, so that each instance has its own, and ``()`` for the action as a whole.
    available
        Whether the action exists with these constants; one that an option switches off is left
        out, so that "never enabled" is reported only for an action that was tried.
    selections
        The parameters whose values depend on the state.
    """

    name: str
    apply: Callable[..., bool]
    who: str
    arguments: Callable[[Any], Iterable[tuple[int, ...]]]
    source: str
    fairness: Fairness = Fairness.WEAK
    available: Callable[[Any], bool] = lambda k: True
    fair_per: tuple[str, ...] | None = None
    selections: tuple[Selection, ...] = ()

    @property
    def owed(self) -> str:
        """Its fairness, in words.

        >>> Action("Elect", lambda s, k, broker: True, "", lambda k: ((0,),), "", fair_per=()).owed
        'weak, as a whole'
        """
        if self.fairness is Fairness.NONE:
            return "none"
        per = self.parameters if self.fair_per is None else self.fair_per
        if not self.parameters:
            return str(self.fairness.value)
        which = f"for each {', '.join(per)}" if per else "as a whole"
        return f"{self.fairness.value}, {which}"

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the arguments: those of ``apply`` after the state and the constants."""
        return tuple(inspect.signature(self.apply).parameters)[2:]

    @cached_property
    def kinds(self) -> tuple[Any, ...]:
        """What its arguments read as: an enumeration, where the parameter is annotated as one."""
        said = (annotation_of(self.apply, name) for name in self.parameters)
        return tuple(kind if isinstance(kind, EnumMeta) else int for kind in said)


def annotation_of(function: Callable[..., Any], name: str) -> object:
    """Return what a function says of one of its parameters; None for nothing that is known."""
    written = inspect.unwrap(original_of(function))
    said = getattr(written, "__annotations__", {}).get(name)
    return written.__globals__.get(said) if isinstance(said, str) else said


@dataclass(frozen=True)
class JointFairness:
    """The fairness of several actions together: WF or SF of their disjunction.

    Parameters
    ----------
    fairness
        Weak or strong.
    actions
        Their names; None for all actions of the system, so that it is WF or SF of Next.
    fair_per
        Names of parameters that each of them has, for each choice of which the condition is
        separate; none for one condition.
    """

    fairness: Fairness
    actions: tuple[str, ...] | None = None
    fair_per: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """What it is about, in words.

        >>> JointFairness(Fairness.WEAK, ("Take", "Release"), ("client",)).named
        'Take and Release'
        """
        return "all actions" if self.actions is None else " and ".join(self.actions)

    @property
    def owed(self) -> str:
        """The fairness, in words.

        >>> JointFairness(Fairness.WEAK, ("Take", "Release"), ("client",)).owed
        'weak, together, for each client'
        """
        each = f", for each {', '.join(self.fair_per)}" if self.fair_per else ""
        return f"{self.fairness.value}, together{each}"

    def includes(self, action: Action) -> bool:
        """Whether it is about an action."""
        return self.actions is None or action.name in self.actions


@dataclass(frozen=True)
class Step:
    """An action with its arguments."""

    action: str
    parameters: tuple[str, ...] = ()
    arguments: tuple[int, ...] = ()

    @property
    def chosen(self) -> dict[str, object]:
        """Its arguments by name, as people see them: a member of an enumeration is its name."""
        names = (
            name.removesuffix(INDEX) if isinstance(argument, Tabled) else name
            for name, argument in zip(self.parameters, self.arguments, strict=True)
        )
        return dict(zip(names, map(named, self.arguments), strict=True))

    def __str__(self) -> str:
        return called(self.action, self.chosen)


def called(action: str, arguments: Mapping[str, object]) -> str:
    """Return a step as text, such as ``Elect(leader=1)``."""
    return f"{action}({', '.join(f'{name}={value}' for name, value in arguments.items())})"


def _undeclared(s: Any, k: Any) -> bool:
    """Stand in for the predicate of a property that has none."""
    return True


@cache
def _lacks(witness: Callable[[Any, Any], tuple[int, ...] | None]) -> Callable[[Any, Any], bool]:
    """Return the predicate that holds if there is no witness of a violation.

    It has the name and the docstring of the witness, for errors and for the proof of symmetry.
    """

    def predicate(s: Any, k: Any) -> bool:
        return witness(s, k) is None

    predicate.__name__, predicate.__doc__ = witness.__name__, witness.__doc__
    predicate.witness = witness  # type: ignore[attr-defined]
    return predicate


@dataclass(frozen=True)
class Each:
    """The choices of arguments for each of which a property is declared.

    Parameters
    ----------
    parameters
        Their names.
    arguments
        From the constants, every choice of them.
    """

    parameters: tuple[str, ...]
    arguments: Callable[[Any], Iterable[tuple[int, ...]]]


def takes_more(function: Callable[..., object]) -> bool:
    """Whether a function takes more than the state and the bounds."""
    taken = inspect.signature(function).parameters.values()
    return sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in taken) > 2


def _refuse_other_needs(name: str, needs: object) -> None:
    """Refuse what is not a tuple of names of actions."""
    if isinstance(needs, tuple) and all(isinstance(one, str) for one in needs):
        return
    repair = f"({needs!r},)" if isinstance(needs, str) else '("Elect",)'
    raise ModelError(
        f"property {name}: needs={needs!r} is not a tuple of names of actions; write needs={repair}"
    )


@dataclass(frozen=True)
class Property:
    """A property of a transition system, for the checker to decide.

    Parameters
    ----------
    name
        As used with ``--property``.
    statement
        What it says, in one English sentence.
    source
        Where it is stated: KIP, specification or paper.
    predicate
        ``predicate(s, k) -> bool``, true in a state that satisfies it.  The kinds ``TYPE``,
        ``DEADLOCK`` and ``ASSERTION`` need none: the transition system decides them.  For the kind
        ``STUCK``: true in a state that has recovered; a state violates the property if steps of
        fair actions alone lead to no such state.  For the kind ``SOMETIMES``: true in the states of
        which one must be reachable.  For a liveness property: what must eventually hold.
    explain
        ``explain(s, k, *witness) -> str``: for a state that violates it, what exactly went wrong.
        For a liveness property: for a state of the cycle that does not satisfy the predicate.  For
        the kind ``SOMETIMES``: for a state that satisfies it, what it shows.
    places
        ``places(s, k, *witness)``: for a state that violates it, the offsets of logs at which it
        does.
    premise
        For the kind ``LEADS_TO``: ``premise(s, k) -> bool``, after which the predicate must hold.
    witness
        Instead of a predicate: ``witness(s, k) -> tuple | None``, the integers that say what
        violates it (the brokers, the offset), and None in a state that satisfies it.  ``explain``
        and ``places`` receive them after ``s`` and ``k``; with a predicate there are none.

    each
        For a liveness property of each participant: its predicate, premise and explanation may take
        the arguments that this chooses, after ``s`` and ``k``.
    needs
        Names of actions without which it says nothing, such as ``("Elect",)``: a check reports
        those that a protocol lacks within its bounds, or that are never enabled.

    Raises
    ------
    ModelError
        If it has both a predicate and a witness, or neither, or a witness though it is of the kind
        ``SOMETIMES``, which nothing violates; or if `needs` has anything but names in a tuple.
    """

    name: str
    statement: str
    source: str
    predicate: Callable[[Any, Any], bool] = _undeclared
    explain: Callable[..., str] = lambda s, k, *witness: ""
    kind: Kind = Kind.INVARIANT
    places: Callable[..., tuple[LogOffset, ...]] = lambda s, k, *witness: ()
    premise: Callable[[Any, Any], bool] | None = None
    witness: Callable[[Any, Any], tuple[int, ...] | None] | None = None
    each: Each | None = None
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _refuse_other_needs(self.name, self.needs)
        note_model()
        declared = self.predicate is not _undeclared and not hasattr(self.predicate, "witness")
        if self.witness is None:
            decided = self.kind is Kind.TYPE or self.kind.is_of_steps
            if self.predicate is _undeclared and not decided:
                raise ModelError(
                    f"property {self.name} has neither a predicate nor a witness; it needs one"
                )
        elif self.kind is Kind.SOMETIMES:
            raise ModelError(
                f"property {self.name} is of the kind sometimes, which no state violates; give it "
                "a predicate instead of the witness"
            )
        elif declared:
            raise ModelError(
                f"property {self.name} has both a predicate and a witness; leave one of them out"
            )
        else:
            object.__setattr__(self, "predicate", _lacks(self.witness))

    @property
    def verb(self) -> str:
        """What its trace shows: that it is ``violated``, or ``reached``."""
        return "reached" if self.kind is Kind.SOMETIMES else "violated"


DEADLOCK = Property(
    name="Deadlock",
    kind=Kind.DEADLOCK,
    statement="In every state some action is enabled.",
    source="TLA+ (Lamport, Specifying Systems, 14.2.2)",
    explain=lambda s, k: "No action is enabled here: nothing can happen any more.",
)


ASSERTION = Property(
    name="Assertion",
    kind=Kind.ASSERTION,
    statement="No assertion of an action fails.",
    source="TLC's Assert (Lamport, Specifying Systems, 14.4); SPIN's assert",
)


TYPE_OK = Property(
    name="TypeOk",
    kind=Kind.TYPE,
    statement="Every variable holds a value within its declared range.",
    source="Lamport, Specifying Systems, 3.1; TypeOk in hachikuji/kafka-specification",
)


def built_in(prop: Property, own: Iterable[Property]) -> Property:
    """Return a built-in property, under another name if a property of the user's has its name.

    What the built-in one means is decided all the same: a model that declares ``deadlock`` must
    not lose the check for deadlocks.  No function has the other name in CamelCase.
    """
    taken = {one.name.lower() for one in own}
    return replace(prop, name=f"built-in-{prop.name}") if prop.name.lower() in taken else prop


@dataclass(frozen=True)
class Trace:
    """A behavior: ``states[0]`` is initial, and ``steps[i]`` leads from state i to state i + 1.

    Parameters
    ----------
    loop
        For a *lasso*, an infinite behavior: the number of the state that the last one equals, from
        which the steps repeat for ever.  If it is the last state itself, the behavior stutters
        there for ever.  None for a finite behavior.
    """

    states: tuple[State, ...]
    steps: tuple[Step, ...]
    loop: int | None = None


@dataclass(frozen=True)
class Instance:
    """An action with one choice of its arguments."""

    action: Action
    arguments: tuple[int, ...]

    @cached_property
    def step(self) -> Step:
        """The step that this instance takes."""
        kinds = self.action.kinds
        read = (as_kind(kind, one) for kind, one in zip(kinds, self.arguments, strict=True))
        return Step(self.action.name, self.action.parameters, tuple(read))


def is_available(action: Action, constants: object) -> bool:
    """Whether an action exists with these constants."""
    with blaming(who := f"available() of action {action.name}"):
        answer = action.available(constants)
    return truth(answer, who, action.available)


def choices(action: Action, constants: object) -> list[tuple[int, ...]]:
    """Return the tuples of arguments that an action may be taken with.

    Raises
    ------
    ModelError
        If they do not fit the parameters of the action.
    """
    with blaming(who := f"arguments() of action {action.name}"):
        listed: list[Any] = list(action.arguments(constants))
    with blaming(f"the signature of action {action.name}"):
        names = action.parameters
    for choice in listed:
        integers = isinstance(choice, tuple) and all(isinstance(number, int) for number in choice)
        if not integers or len(choice) != len(names):
            what = f"a tuple of {len(names)} integers ({', '.join(names)})" if names else "()"
            raise about(action.arguments, f"{who} returned {printed(choice)}, not {what}")
    return listed
