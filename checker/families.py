"""Properties that are declared once for each participant, or for each pair of them.

They are decided one by one, and reported as one: it is violated if one of them is, and the trace is
of that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..core.guards import applied_to
from ..core.result import Result, Verdict
from ..core.spec import Outcome, Property, Trace, TransitionSystem
from ..core.vocabulary import takes_more
from .verdicts import why_satisfied


def decided_one_by_one(
    system: TransitionSystem[Any, Any], properties: Iterable[Property]
) -> list[Property]:
    """Return properties, with those for each participant in place of one for all of them."""
    return [one for prop in properties for one in members(system, prop)]


def members(system: TransitionSystem[Any, Any], prop: Property) -> list[Property]:
    """Return the properties that one stands for: itself, or one for each choice of arguments."""
    if prop.each is None:
        return [prop]
    return [_member(prop, arguments) for arguments in prop.each.arguments(system.constants)]


def _member(prop: Property, arguments: tuple[int, ...]) -> Property:
    """Return a property for one choice of its arguments."""
    assert prop.each is not None
    names = prop.each.parameters
    chosen = ", ".join(f"{name}={value}" for name, value in zip(names, arguments, strict=True))

    def bound(function: Callable[..., bool]) -> Callable[..., bool]:
        return applied_to(function, arguments) if takes_more(function) else function

    def explain(s: Any, k: Any) -> str:
        more = arguments if takes_more(prop.explain) else ()
        return f"For {chosen}: {prop.explain(s, k, *more)}"

    return replace(
        prop,
        name=f"{prop.name}({chosen})",
        predicate=bound(prop.predicate),
        premise=prop.premise and bound(prop.premise),
        explain=explain,
        each=None,
    )


def together(
    system: TransitionSystem[Any, Any], result: Result, properties: Sequence[Property]
) -> None:
    """Put one verdict in a result in place of those on all members of a property."""
    verdicts = {verdict.property.name: verdict for verdict in result.verdicts}
    for prop in properties:
        if prop.each is not None:
            own = [verdicts.pop(one.name) for one in members(system, prop)]
            one = _joined(prop, own, result.first)
            verdicts[prop.name] = one
            if result.first in own:
                result.first = one
    result.verdicts = [verdicts[prop.name] for prop in properties] + [
        verdict
        for name, verdict in verdicts.items()
        if name not in {one.name for one in properties}
    ]


def _joined(prop: Property, verdicts: Sequence[Verdict], first: Verdict | None) -> Verdict:
    """Return the verdict on all members of a property together."""
    violated = [one for one in verdicts if one.outcome is Outcome.VIOLATED]
    if violated:
        chosen = first if first in violated else min(violated, key=lambda one: one.steps or 0)
        assert chosen is not None
        return replace(chosen, property=replace(chosen.property, name=prop.name))
    undecided = [one for one in verdicts if one.outcome is Outcome.INCOMPLETE]
    if undecided:
        return replace(undecided[0], property=prop)
    vacuous = bool(verdicts) and all(one.vacuous for one in verdicts)
    return Verdict(prop, Outcome.HOLDS, vacuous=vacuous)


def shown_by(system: TransitionSystem[Any, Any], prop: Property, trace: Trace) -> Property:
    """Return that member of a property which a trace violates; the first where it violates none."""
    if prop.each is None:
        return prop
    every = members(system, prop)
    violated = (one for one in every if why_satisfied(system, one, trace) is None)
    chosen = next(violated, every[0] if every else None)
    return prop if chosen is None else replace(chosen, name=prop.name)
