"""All that keeps a model from being compiled, each with its line.

Machine code ends at the first thing that is refused.  Here the lowering goes on with the next
statement, and with every function that is called, so that all of it can be repaired at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from tidegate.checker.compiled.choices import in_turn
from tidegate.checker.compiled.state_refs import StateRefs
from tidegate.checker.compiled.unit import Compiled, Unit
from tidegate.checker.compiled.values import Argument, Constant, StateRef
from tidegate.checker.liveness.formulas import predicates_of
from tidegate.checker.refusals import ENOUGH, MOST, errors_of
from tidegate.core.errors import Reason, TidegateError
from tidegate.core.sources import line_of, original_of
from tidegate.core.spec import Property, TransitionSystem
from tidegate.language.lowering.lower import Lowering
from tidegate.language.schema import Schema

Arguments = list[Argument]
Rule = tuple[Callable[..., Any], Callable[[Callable[..., Any], Arguments], Compiled], Arguments]
"""A function that the search calls, what makes code of it, and its arguments."""


def reasons(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    tick: Callable[[], None] = lambda: None,
) -> tuple[Reason, ...]:
    """Return all that keeps a search from being compiled, in the order of files and lines.

    In a large model it is all that :data:`ENOUGH` instances show, one of each action among them.
    There is none if nothing is wrong in a function, or only in an instance that is not tried: the
    error of the search says it.

    Parameters
    ----------
    tick
        Called now and then.
    """
    lowering = Lowering(Schema(system.layout))
    lowering.refusals, lowering.tabulates = [], True
    unit = Unit(StateRefs(system.layout), lowering=lowering)
    known: dict[Reason, None] = {}
    least = len(system.actions) + len(properties) + 1
    rules = _rules(unit, system, properties)
    for tried, (function, make, arguments) in enumerate(rules):
        if tried >= max(ENOUGH if known else MOST, least):
            break
        tick()
        errors = errors_of(lowering, partial(make, function, arguments))
        known |= {_reason(function, error): None for error in errors}
    return tuple(sorted(known, key=lambda reason: reason.place or ("", 0)))


def _rules(
    unit: Unit, system: TransitionSystem[Any, Any], properties: Sequence[Property]
) -> Iterator[Rule]:
    """Yield the functions that a search calls, those of each action in turn."""
    parameters: Arguments = [StateRef("%s"), Constant(system.constants)]
    predicates = [prop.predicate for prop in properties if prop.kind.is_of_state]
    predicates += [prop.predicate for _, prop in predicates_of(properties)]
    for predicate in (*predicates, *([system.constraint] if system.constraint else [])):
        yield predicate, unit.predicate, parameters
    for instance in in_turn(system.instances, lambda one: one):
        arguments = [*parameters, *map(Constant, instance.arguments)]
        yield instance.action.apply, unit.action, arguments


def _reason(function: Callable[..., Any], error: TidegateError) -> Reason:
    """Return a reason about the line that an error names, or about all of a function."""
    text = Exception.__str__(error).removesuffix(",")
    if error.place is not None:
        name = getattr(error, "function", "") or function.__name__
        return Reason(text, name, error.place)
    original = original_of(function)
    shown = getattr(original, "witness", original)
    name = str(getattr(shown, "__qualname__", shown)).rpartition("<locals>.")[2]
    return Reason(text, name, line_of(function))
