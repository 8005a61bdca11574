"""What every protocol that can be checked is: a named choice of rules and actions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from inspect import Parameter, getdoc, signature
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from ..core.bounds import bound_name, parse, unknown
from ..core.errors import ModelError, about, blaming, one_line, printed
from ..core.origins import note_model
from ..core.spec import Action, JointFairness, Property, TransitionSystem

if TYPE_CHECKING:
    from .custom.model import Model


TRACK = "track_"
"""Begins the name of a constant that says whether the state includes a history."""


@dataclass(frozen=True)
class Expected:
    """A known verdict: within these bounds, exactly these default properties are violated.

    ``bounds`` is written as on the command line, separated by spaces; bounds that are not named
    have their defaults.
    """

    bounds: str
    violated: tuple[str, ...] = ()


@dataclass(frozen=True)
class Protocol:
    """One protocol: the actions of a model under its own rules.

    Parameters
    ----------
    name
        As given on the command line.
    model
        Whose state, bounds and initial states it has.
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
        What it does and its known verdicts, at length.
    expected
        Known verdicts, which ``tidegate show`` lists; of the protocols of this package they are in
        ``tidegate.toml``.
    parent
        The protocol whose rules it replaces, if any.
    limits
        Names of actions that are counted in the state, with how many steps of each a behavior may
        have; see :func:`tidegate.model.limited.limited`.
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
    declared
        What its file calls it, where it is named by the file.

    Raises
    ------
    ValueError
        If two actions have one name, or `older_rules` names a rule that does not exist.
    """

    name: str
    model: Model[Any, Any]
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
    declared: str = ""

    def __post_init__(self) -> None:
        note_model()
        # Reports print them in one line each, also those of a custom protocol.
        object.__setattr__(self, "summary", one_line(" ".join(self.summary.split())))
        object.__setattr__(self, "actions", tuple(map(_named_in_one_line, self.actions)))
        names = Counter(action.name for action in self.actions)
        if twice := next((name for name, times in names.items() if times > 1), ""):
            raise ValueError(f"actions: {twice} is there twice; rename one of them")
        _refuse_odd(self.actions)
        _refuse_other_arity(self.rules)
        known = [field.name for field in fields(self.rules)]
        for name, _ in self.older_rules:
            if name not in known:
                raise ValueError(f"older_rules: {unknown('rule', name, known)}")

    @property
    def is_kafkas(self) -> bool:
        """Whether it is a protocol of Kafka's brokers, or a custom one made from that."""
        return self.model.is_kafkas

    @property
    def is_mutant(self) -> bool:
        """Whether it is a mutant of its parent."""
        return self.parent is not None and self.name.startswith(f"{self.parent.name}~")

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
        return parse(self.model.bounds, self.with_own(settings))

    def with_own(self, settings: Iterable[str]) -> list[str]:
        """Return a user's settings, after those of the options that it comes with."""
        chosen = list(settings)
        named = set(map(bound_name, chosen))
        own = [setting for setting in self.settings if bound_name(setting) not in named]
        return [*own, *chosen]

    def system(
        self, bounds: Any, needs: frozenset[str] = frozenset()
    ) -> TransitionSystem[Any, Any]:
        """Return the transition system of this protocol within `bounds`."""
        with blaming(f"building the transition system of {self.name}"):
            return self.model.system(self, bounds, needs)


def _refuse_odd(actions: Iterable[Action]) -> None:
    """Refuse an action that is not a function, or does not name each of its arguments."""
    for action in actions:
        if not isinstance(action.apply, (FunctionType, MethodType)):
            text = f"action {action.name} is {printed(action.apply)}; write it by def"
            raise ModelError(text)
        taken = signature(action.apply)
        if any(one.kind in _WITHOUT_A_NAME for one in taken.parameters.values()):
            raise about(
                action.apply,
                f"action {action.name} takes {taken}; name each of its arguments, as in "
                "(s, k, broker), and put @functools.wraps(action) above what wraps an action",
            )


_WITHOUT_A_NAME = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD, Parameter.KEYWORD_ONLY)


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


@dataclass(frozen=True)
class NoRules:
    """The rules of a model whose variants differ in none."""


def is_extra(field: Field[Any]) -> bool:
    """Whether a field of a class of bounds is not a bound: rules, or whether a history is kept."""
    if field.name == "rules":
        return is_dataclass(field.default)
    return field.name.startswith(TRACK) and field.default is False and not field.metadata


def first_rules(bounds: type) -> Any:
    """Return the rules that a class of bounds has by default."""
    declared = (one.default for one in fields(bounds) if one.name == "rules" and is_extra(one))
    return next(declared, NoRules())


def decisions(rules: type) -> dict[str, str]:
    """Return the description of each rule, from the docstring of the class that declares them.

    It is a numpydoc docstring, whose section ``Parameters`` describes each field; one description
    may be for several.
    """
    _, _, section = (getdoc(rules) or "").partition("Parameters\n----------\n")
    said = {}
    for block in re.split(r"\n(?=\S)", section):
        names, _, text = block.partition("\n")
        for name in names.split(","):
            said[name.strip()] = " ".join(text.split())
    return said


def histories_of(bounds: type) -> tuple[str, ...]:
    """Return the names of the fields of a class of bounds that say whether a history is kept."""
    return tuple(one.name for one in fields(bounds) if one.name != "rules" and is_extra(one))
