"""What every protocol that can be checked is: a named choice of rules and actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from inspect import signature
from typing import Any, TypeVar

from ..core.assumptions import assumptions_of
from ..core.bounds import bound_name, brief, parse, shown, unknown
from ..core.errors import ModelError, about, blaming
from ..core.fields import declared_parts
from ..core.layout import Layout, integer
from ..core.printable import one_line
from ..core.spec import Action, JointFairness, Property, TransitionSystem
from ..core.vocabulary import is_available
from .added import Added

S = TypeVar("S")

TRACK = "track_"
"""Begins the name of a constant that says whether the state includes a history."""


@dataclass(frozen=True)
class Scenario:
    """A setting in which all protocols of a family are compared, over a range of bounds.

    ``settings`` is written as on the command line, separated by spaces; ``largest`` names the
    bounds that are varied, with the largest value of each.  ``eventually`` says that the protocols
    are compared by what must eventually happen, not by what must never happen.
    """

    title: str
    settings: str
    largest: Mapping[str, int]
    eventually: bool = False


@dataclass(frozen=True)
class Family:
    """Protocols that share a state, bounds and actions, and differ in some rules.

    Parameters
    ----------
    name
        As printed by ``tidegate list``.
    bounds
        The dataclass of the ``k`` that actions receive.  It declares the bounds of every protocol
        in the family, and may have ``rules``, and a ``track_...`` for every history.
    scenarios
        The settings in which its protocols are compared.
    mutation_bounds
        Bounds at which mutants of its protocols are searched, one after the other, each as on the
        command line.
    survivors
        The mutants that no search is expected to kill, by name, with the reason.  If the reason
        holds for one protocol only, the protocol's name comes first, as in ``hw: Produce: ...``.
    faults_and_elections
        Actions that are faults or elections, by name, and what one of their steps is called.  The
        world does these to the replicas; bounds limit them.
    build
        ``build(protocol, bounds, needs)`` makes the transition system; `needs` names the
        histories that the requested properties read.
    state
        The declaration of the state of its protocols.
    """

    name: str
    bounds: type
    scenarios: tuple[Scenario, ...]
    mutation_bounds: tuple[str, ...]
    survivors: Mapping[str, str]
    faults_and_elections: Mapping[str, str]
    build: Callable[[Protocol, Any, frozenset[str]], TransitionSystem[Any, Any]]
    state: Any = None


@dataclass(frozen=True)
class Expected:
    """A known verdict: within these bounds, exactly these default properties are violated.

    ``bounds`` is written as on the command line, separated by spaces; bounds that are not named
    have their defaults.  ``slow`` marks a search of more than a few seconds.
    """

    bounds: str
    violated: tuple[str, ...] = ()
    slow: bool = False


@dataclass(frozen=True)
class Protocol:
    """One protocol: its family's actions under its own rules.

    Parameters
    ----------
    name
        As given on the command line.
    family
        Whose state, bounds and actions it shares.
    summary
        One sentence: what it does and whether that is safe.  Unprintable characters in it, and in
        the names of actions, are escaped.
    rules
        The decisions that differ between the protocols of the family.
    actions
        Every action, in the order that breaks ties between steps.
    default_properties
        Names of the properties that are checked by default.
    story
        What it does and what is known about it, at length.
    expected
        Known verdicts, the smallest bounds of each violation first.
    parent
        The protocol whose rules it replaces, if any.
    limits
        Names of actions that are counted in the state, with how many steps of each a behavior may
        have; see :func:`tidegate.model.limits.limited`.
    older_rules
        Rules of earlier Kafka versions that this protocol's rules replaced and that no ancestor
        has, as (name of the rule, function): each is a mutant, like a rule of an ancestor.
    state
        The declaration of its state, derived from its family's, if it has more variables.
    properties
        What can be checked of it beside the properties of its family.
    fairness
        What is fair beside its actions themselves: several of them together.
    settings
        The options that it comes with, each as on the command line.

    Raises
    ------
    ValueError
        If two actions have one name, or `older_rules` names a rule that does not exist.
    """

    name: str
    family: Family
    summary: str
    rules: Any
    actions: tuple[Action, ...]
    default_properties: tuple[str, ...]
    story: str = ""
    expected: tuple[Expected, ...] = ()
    parent: Protocol | None = None
    limits: tuple[tuple[str, int], ...] = ()
    older_rules: tuple[tuple[str, Callable[..., Any]], ...] = ()
    state: type | None = None
    properties: tuple[Property, ...] = ()
    fairness: tuple[JointFairness, ...] = ()
    settings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Reports print them in one line each, also those of a custom protocol.
        object.__setattr__(self, "summary", one_line(" ".join(self.summary.split())))
        object.__setattr__(self, "actions", tuple(map(_named_in_one_line, self.actions)))
        names = Counter(action.name for action in self.actions)
        if twice := next((name for name, times in names.items() if times > 1), ""):
            raise ValueError(f"actions: {twice} is there twice; rename one of them")
        _refuse_other_arity(self.rules)
        known = [field.name for field in fields(self.rules)]
        for name, _ in self.older_rules:
            if name not in known:
                raise ValueError(f"older_rules: {unknown('rule', name, known)}")

    @property
    def mutates_conditions(self) -> bool:
        """Whether conditions within actions make mutants, and not only guards and rules."""
        return isinstance(self.rules, NoRules)

    def within(self, settings: Iterable[str]) -> Any:
        """Return the bounds that a user's settings make, over the options that it comes with.

        Raises
        ------
        BoundsError
            For bounds that do not exist or contradict each other.
        """
        chosen = list(settings)
        named = set(map(bound_name, chosen))
        own = [setting for setting in self.settings if bound_name(setting) not in named]
        return parse(self.family.bounds, [*own, *chosen])

    def system(
        self, bounds: Any, needs: frozenset[str] = frozenset()
    ) -> TransitionSystem[Any, Any]:
        """Return the transition system of this protocol within `bounds`."""
        with blaming(f"building the transition system of {self.name}"):
            return self.family.build(self, bounds, needs)


def _refuse_other_arity(rules: Any) -> None:
    """Refuse a rule that cannot be called with the arguments of the family's first form of it."""
    first = type(rules)()
    for field in fields(rules):
        usual, rule = getattr(first, field.name), getattr(rules, field.name)
        if not callable(usual) or rule is usual:
            continue
        wanted = list(signature(usual).parameters)
        if not callable(rule):
            called = ", ".join(wanted)
            text = f"the rule {field.name} is {rule!r}; it must be a function of ({called})"
            raise ModelError(text)
        try:
            signature(rule).bind(*wanted)
        except TypeError:
            name = getattr(rule, "__name__", field.name)
            raise about(
                rule,
                f"{name}{signature(rule)} cannot be the rule {field.name}, which is called with "
                f"({', '.join(wanted)})",
            ) from None


def _named_in_one_line(action: Action) -> Action:
    """Return an action whose name has its unprintable characters escaped."""
    name = one_line(action.name)
    return action if name == action.name else replace(action, name=name)


def counter(action: str) -> str:
    """Return the name of the variable that counts the steps of an action."""
    return f"taken_{action}"


def counting(state: type[S], limits: tuple[tuple[str, int], ...]) -> type[S]:
    """Return the declaration of a state that counts the steps of limited actions."""
    counters = {
        counter(action): integer(0, most, f"steps of {action} so far") for action, most in limits
    }
    return type(state.__name__, (state,), counters) if limits else state


@dataclass(frozen=True)
class NoRules:
    """The rules of a model whose variants differ in none."""


def is_extra(field: Field[Any]) -> bool:
    """Whether a field of a class of bounds is no bound: the rules, or whether to keep a history."""
    if field.name == "rules":
        return is_dataclass(field.default)
    return field.name.startswith(TRACK) and field.default is False and not field.metadata


def first_rules(bounds: type) -> Any:
    """Return the rules that a class of bounds has by default."""
    declared = (one.default for one in fields(bounds) if one.name == "rules" and is_extra(one))
    return next(declared, NoRules())


def histories_of(bounds: type) -> tuple[str, ...]:
    """Return the names of the fields of a class of bounds that say whether a history is kept."""
    return tuple(one.name for one in fields(bounds) if one.name != "rules" and is_extra(one))


def _added(protocol: Protocol, state: type) -> Added | None:
    """Return what a protocol adds to the state and the actions of its family, if it adds any.

    The sentences of a family cover the actions of its protocols in this package: an action that is
    replaced is another one.
    """
    theirs, mine = declared_parts(state), protocol.state or state
    names = tuple(name for name in declared_parts(mine) if name not in theirs)
    actions = {}
    if protocol.parent is not None:
        known = {action.name: action.apply for action in protocol.parent.actions}
        package = __name__.partition(".")[0]
        for action in protocol.actions:
            outside = getattr(action.apply, "__module__", "").partition(".")[0] != package
            if outside and known.get(action.name) is not action.apply:
                actions[action.name] = action
    return Added(mine, names, actions) if names or actions else None


def assemble(
    protocol: Protocol,
    bounds: Any,
    needs: frozenset[str],
    *,
    initialise: Callable[[Any, Any], Iterator[None]],
    columns: Callable[[Any, Any], dict[str, str]],
    **look: Any,
) -> TransitionSystem[Any, Any]:
    """Make the transition system of a protocol from what its family declares.

    Its headline names the main bounds, or all of them where none is.

    Parameters
    ----------
    needs
        The histories that the state includes.
    look
        Further arguments of :class:`TransitionSystem`.
    """
    state = protocol.family.state
    kept: dict[str, Any] = {
        name: name.removeprefix(TRACK) in needs for name in histories_of(type(bounds))
    }
    if not isinstance(protocol.rules, NoRules):
        kept["rules"] = protocol.rules
    k = replace(bounds, **kept) if kept else bounds
    actions = [action.apply for action in protocol.actions if is_available(action, k)]
    # A mutant is wrong on purpose, and a property has to notice it.
    is_mutant = protocol.parent and protocol.name.startswith(f"{protocol.parent.name}~")
    assumptions = () if is_mutant else assumptions_of([*actions, *vars(protocol.rules).values()])
    every = shown(bounds)
    if added := _added(protocol, state):
        columns = added.columns(columns)
        if view := look.get("view"):
            look["view"] = added.view(view)
    return TransitionSystem(
        name=protocol.name,
        bounds=every,
        headline=brief(bounds) or ", ".join(f"{name}={value}" for name, value in every.items()),
        constants=k,
        layout=Layout(counting(protocol.state or state, protocol.limits), k),
        actions=protocol.actions,
        initialise=initialise,
        columns=columns,
        fairness=protocol.fairness,
        assumptions=assumptions,
        **look,
    )
