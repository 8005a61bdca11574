"""Mutants: a protocol with one guard left out, or one rule as its parent has it.

A guard or a rule that is there for safety is needed: without it some property must be violated at
some bounds.  A mutant that nothing kills shows a guard that is not needed, bounds that are too
small, or a property that is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from ..guards import guards, without
from .protocol import Protocol


@dataclass(frozen=True)
class Mutant:
    """A protocol that differs from its original in one place.

    Parameters
    ----------
    name
        What was weakened: ``Action: guard``, or ``rule = what the parent has``.
    protocol
        The weakened protocol, which is called ``PROTOCOL~MUTANT``.
    """

    name: str
    protocol: Protocol


def mutants(protocol: Protocol) -> Iterator[Mutant]:
    """Yield a mutant for every rule that `protocol` or an ancestor replaces, then for every guard.

    A rule becomes what it was before it was replaced for the last time: that of an ancestor, or the
    family's first form.
    """
    yield from _rules(protocol)
    for index, action in enumerate(protocol.actions):
        for guard in guards(action.apply):
            weaker = replace(action, apply=without(action.apply, guard.number))
            actions = (*protocol.actions[:index], weaker, *protocol.actions[index + 1 :])
            about = f"without the guard of {action.name} that refuses it if {guard.test}"
            yield _mutant(protocol, f"{action.name}: {guard.test}", about, actions=actions)


def _rules(protocol: Protocol) -> Iterator[Mutant]:
    """Yield a mutant for every rule that is not the family's first form of it."""
    first = type(protocol.rules)()
    for field in fields(protocol.rules):
        rule = getattr(protocol.rules, field.name)
        ancestor = protocol.parent
        while ancestor is not None and getattr(ancestor.rules, field.name) is rule:
            ancestor = ancestor.parent
        before = getattr(ancestor.rules if ancestor is not None else first, field.name)
        if before is not rule and callable(rule):
            name = f"{field.name} = {before.__name__}"
            rules = replace(protocol.rules, **{field.name: before})
            about = f"with the older rule {before.__name__} for {field.name}"
            yield _mutant(protocol, name, about, rules=rules)


def _mutant(protocol: Protocol, name: str, about: str, **changed: Any) -> Mutant:
    """Return a mutant; no verdict is expected of it."""
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
