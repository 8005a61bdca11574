"""Search a mutant by the steps that it changes: all others are known from its original.

A mutant changes one action, or one rule that some actions call.  In a state that its original
reaches, too, only the steps of these actions are taken again: its other steps there, and the
violations of the state, are the original's.  From all other states all steps are taken.  So the
answer is that of a search from scratch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import Any

from ..checker.graph import GraphError, StateGraph, state_graph
from ..core.layout import State
from ..core.spec import Property, TransitionSystem
from ..model.protocol import Protocol

MOST = 100_000
"""The most states of an original that are kept with their steps: about 250 bytes each."""

BEYOND = 10_000
"""The most states that only a mutant reaches; beyond, compiling it is faster than Python."""

_NO_ACTION = ""
"""The caller of a rule that is no action: a property, or the function for initial states."""


@dataclass(frozen=True)
class Explored:
    """The state graph of a protocol within its bounds, and what is violated there.

    Attributes
    ----------
    violated
        The properties that a state violates, by its number.
    first
        The fewest steps after which a property is violated.
    callers
        For each rule that was called, the names of the actions that called it.
    """

    graph: StateGraph
    violated: Mapping[int, list[str]]
    first: Mapping[str, int]
    callers: Mapping[str, set[str]]


def explored(
    protocol: Protocol,
    properties: Sequence[Property],
    system_of: Callable[[Protocol], TransitionSystem[Any, Any]],
) -> Explored | None:
    """Return the state graph of a protocol; None if it is too large, or has a constraint.

    Parameters
    ----------
    system_of
        Makes the system of a protocol within the bounds of the search.
    """
    watched, callers = _watched(protocol)
    system = system_of(watched)
    if system.constraint is not None:
        return None
    try:
        graph = state_graph(system, most=MOST)
    except GraphError:
        return None
    judge, violated, first = system.judge(properties), dict[int, list[str]](), dict[str, int]()
    for number, state in enumerate(graph.states):
        system.layout.load(state)
        if names := [prop.name for prop in judge()]:
            violated[number] = names
            first = dict.fromkeys(names, graph.depths[number]) | first
    return Explored(graph, violated, first, callers)


def _watched(protocol: Protocol) -> tuple[Protocol, Mapping[str, set[str]]]:
    """Return an equivalent protocol that records which action calls a rule, and the record."""
    callers: defaultdict[str, set[str]] = defaultdict(set)
    acting = [_NO_ACTION]

    def noting_action(name: str, apply: Callable[..., bool]) -> Callable[..., bool]:
        @wraps(apply)
        def noting(*arguments: Any) -> bool:
            acting[0] = name
            answer = apply(*arguments)
            acting[0] = _NO_ACTION
            return answer

        return noting

    def noting_call(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(rule)
        def noting(*arguments: Any, **named: Any) -> Any:
            callers[name].add(acting[0])
            return rule(*arguments, **named)

        return noting

    rules = {
        rule.name: noting_call(rule.name, function)
        for rule in fields(protocol.rules)
        if callable(function := getattr(protocol.rules, rule.name))
    }
    actions = tuple(
        replace(action, apply=noting_action(action.name, action.apply))
        for action in protocol.actions
    )
    return replace(protocol, rules=replace(protocol.rules, **rules), actions=actions), callers


def changed_actions(original: Protocol, mutant: Protocol) -> set[str]:
    """Return the names of the actions whose code or fairness differs in a mutant."""
    return {
        weaker.name
        for action, weaker in zip(original.actions, mutant.actions, strict=True)
        if action.apply is not weaker.apply or action.fairness is not weaker.fairness
    }


def changed_instances(
    known: Explored, original: Protocol, mutant: Protocol, system: TransitionSystem[Any, Any]
) -> list[int] | None:
    """Return the instances whose steps a mutant may change, in states that its original reaches.

    Returns
    -------
    list of int or None
        None if something else may differ, too: the declaration, an initial state or a property.
    """
    if _declared(system) != _declared(known.graph.system):
        return None
    names = changed_actions(original, mutant)
    for rule in fields(original.rules):
        if getattr(original.rules, rule.name) is not getattr(mutant.rules, rule.name):
            names |= known.callers.get(rule.name, set())
    if _NO_ACTION in names:
        return None
    return [i for i, instance in enumerate(system.instances) if instance.action.name in names]


def _declared(system: TransitionSystem[Any, Any]) -> object:
    """Return the variables of a system and its steps."""
    variables = [(one.path, one.low, one.high) for one in system.layout.variables]
    return variables, [instance.step for instance in system.instances]


def killer(
    known: Explored,
    system: TransitionSystem[Any, Any],
    changed: Sequence[int],
    properties: Sequence[Property],
) -> tuple[str, int] | None:
    """Return the (property, steps) that kills a mutant, ("", 0) if none does.

    Parameters
    ----------
    system
        The system of the mutant.
    changed
        The instances whose steps may differ in the states of the graph.

    Returns
    -------
    tuple or None
        None if it reaches too many states that its original does not: machine code is faster then.
    """
    for depth, violated in enumerate(_levels(known, system, changed, properties)):
        if violated is None:
            return None
        for prop in properties:
            # A violation kills no mutant if the original has it in as few steps.
            if prop.name in violated and known.first.get(prop.name, depth + 1) > depth:
                return prop.name, depth
    return "", 0


def _levels(
    known: Explored,
    system: TransitionSystem[Any, Any],
    changed: Sequence[int],
    properties: Sequence[Property],
) -> Iterator[set[str] | None]:
    """Yield for each level of a mutant the properties violated there; None if it is too large.

    The states of a level that the original reaches are known by number; the others are beyond it.
    """
    taken_anew, attempt = frozenset(changed), system.attempting(changed)
    judge, layout, graph = system.judge(properties), system.layout, known.graph
    states = graph.states
    seen, beyond = bytearray(len(states)), set[State]()
    reached: list[int] = []
    outside: list[State] = []
    violated: set[str] = set()

    def meet_known(number: int) -> None:
        if not seen[number]:
            seen[number] = 1
            reached.append(number)
            violated.update(known.violated.get(number, ()))

    def meet(state: State) -> None:
        number = graph.numbers.get(state)
        if number is not None:
            meet_known(number)
        elif state not in beyond:
            beyond.add(state)
            outside.append(state)
            layout.load(state)
            violated.update(prop.name for prop in judge())

    for number in range(graph.depths.count(0)):
        meet_known(number)
    while reached or outside:
        yield violated
        inner, others = reached, outside
        reached, outside, violated = [], [], set()
        for number in inner:
            for index, target in graph.steps_from(number):
                if index not in taken_anew and not seen[target]:
                    meet_known(target)
            for successor in attempt(states[number]).values():
                meet(successor)
        for state in others:
            for _, successor in list(system.successors(state)):
                meet(successor)
            if len(beyond) > BEYOND:
                yield None
