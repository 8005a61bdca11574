"""Mutants: a protocol without one guard or fairness, or with an older rule.

In a custom model a condition within an action is left out, or negated, too, and so is each part of
``a or b``.

Without a guard or a rule that is needed for safety, some property must be violated at some bounds.
Without the fairness of an action, some liveness property must be violated.  A mutant that nothing
kills shows a guard that is not needed, bounds that are too small, or a missing property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from ..core.guards import (
    conditions,
    guards,
    negated,
    parts,
    without,
    without_condition,
    without_part,
)
from ..core.spec import Action, Fairness
from ..model.protocol import Protocol


@dataclass(frozen=True)
class Mutant:
    """A protocol that differs from its original in one place.

    Parameters
    ----------
    name
        The weakened part: ``Action: guard``, ``rule = what it was before``, ``Action: fairness``,
        ``Action: if condition, left out`` (or ``negated``), or ``Action: a or b, without b``.
    protocol
        The weakened protocol, which is called ``PROTOCOL~MUTANT``.
    unfair
        Whether only a liveness property can notice it.
    """

    name: str
    protocol: Protocol
    unfair: bool = False


def mutants(protocol: Protocol) -> Iterator[Mutant]:
    """Yield a mutant for every rule that was replaced, every guard and every fairness.

    A rule is replaced by its form before `protocol` or an ancestor last changed it: that of an
    ancestor, or the family's first form.  It is also replaced by each of the protocol's
    ``older_rules``.
    """
    yield from _rules(protocol)
    for index, action in enumerate(protocol.actions):
        # The first guards are made for values that the state chooses, which alone are tried.
        for guard in guards(action.apply)[len(action.selections) :]:
            actions = _with(protocol, index, apply=without(action.apply, guard.number))
            about = f"without the guard of {action.name} that refuses it if {guard.test}"
            yield _mutant(protocol, f"{action.name}: {guard.test}", about, actions=actions)
    if protocol.mutates_conditions:
        yield from _parts(protocol)
        yield from _conditions(protocol)
    for index, action in enumerate(protocol.actions):
        if action.fairness is not Fairness.NONE:
            actions = _with(protocol, index, fairness=Fairness.NONE)
            about = f"where {action.name} may never be taken"
            mutant = _mutant(protocol, f"{action.name}: fairness", about, actions=actions)
            yield replace(mutant, unfair=True)
    for joint in protocol.fairness:
        rest = tuple(other for other in protocol.fairness if other is not joint)
        each = f" for each {', '.join(joint.fair_per)}" if joint.fair_per else ""
        about = f"without the fairness of {joint.named} together{each}"
        mutant = _mutant(protocol, f"{joint.named}{each}: fairness", about, fairness=rest)
        yield replace(mutant, unfair=True)


def _with(protocol: Protocol, index: int, **changed: Any) -> tuple[Action, ...]:
    """Return the actions of a protocol, one of which is changed."""
    return tuple(
        replace(action, **changed) if number == index else action
        for number, action in enumerate(protocol.actions)
    )


def _conditions(protocol: Protocol) -> Iterator[Mutant]:
    """Yield two mutants for every condition within an action: without it, and with its negation."""
    for index, action in enumerate(protocol.actions):
        inner = conditions(action.apply)
        tests = [condition.test for condition in inner]
        for condition in inner:
            which = tests[: condition.number].count(condition.test) + 1
            again = f" ({which})" if tests.count(condition.test) > 1 else ""
            for changed, how, about in (
                (without_condition, "left out", "without the condition"),
                (negated, "negated", "with the contrary of the condition"),
            ):
                actions = _with(protocol, index, apply=changed(action.apply, condition.number))
                name = f"{action.name}: if {condition.test}{again}, {how}"
                text = f"{about} of {action.name} that {condition.test}"
                yield _mutant(protocol, name, text, actions=actions)


def _parts(protocol: Protocol) -> Iterator[Mutant]:
    """Yield a mutant for every part of a condition that has several of which each suffices."""
    for index, action in enumerate(protocol.actions):
        names: list[str] = []
        for part in parts(action.apply):
            test = part.test if part.is_guard else f"if {part.test}"
            names.append(f"{action.name}: {test}, without {part.text}")
            again = f" ({names.count(names[-1])})" if names.count(names[-1]) > 1 else ""
            actions = _with(protocol, index, apply=without_part(action.apply, part.number))
            about = f"without {part.text} in the condition of {action.name} that {part.test}"
            yield _mutant(protocol, f"{names[-1]}{again}", about, actions=actions)


def _rules(protocol: Protocol) -> Iterator[Mutant]:
    """Yield a mutant for every rule that was replaced, and for each of its older forms.

    An older rule that a custom protocol inherits and already has is not a mutant.
    """
    named: set[str] = set()
    for rule, before in (*_replaced(protocol), *protocol.older_rules):
        name = f"{rule} = {before.__name__}"
        if name in named or getattr(protocol.rules, rule) is before:
            continue
        named.add(name)
        about = f"with the older rule {before.__name__} for {rule}"
        yield _mutant(protocol, name, about, rules=replace(protocol.rules, **{rule: before}))


def _replaced(protocol: Protocol) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every rule that is not in the family's first form, with its previous form."""
    first = type(protocol.rules)()
    for each in fields(protocol.rules):
        rule = getattr(protocol.rules, each.name)
        ancestor = protocol.parent
        while ancestor is not None and getattr(ancestor.rules, each.name) is rule:
            ancestor = ancestor.parent
        before = getattr(ancestor.rules if ancestor is not None else first, each.name)
        if before is not rule and callable(rule):
            yield each.name, before


def _mutant(protocol: Protocol, name: str, about: str, **changed: Any) -> Mutant:
    """Return a mutant, which has no expected verdicts."""
    summary = f"{protocol.name} {about}."
    weaker = replace(
        protocol,
        name=f"{protocol.name}~{name}",
        summary=summary,
        story=summary,
        parent=protocol,
        expected=(),
        **changed,
    )
    return Mutant(name, weaker)
