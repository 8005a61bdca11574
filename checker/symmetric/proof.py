"""Proves from the code that a transition system and its properties treat replicas alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from itertools import product
from typing import Any

from ...core.fields import NONE
from ...core.result import Grounds
from ...core.spec import Action, Property, TransitionSystem
from ...core.symmetry import Symmetry
from .analysis import Analysis, place
from .faults import error
from .names import Names
from .values import Constant, NotShownError, Number, Part, Replica, ReplicaSet, Value

MISTAKES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The errors of Python if a value that is known in advance does not fit its use."""


def show(
    system: TransitionSystem[Any, Any], symmetry: Symmetry, properties: Sequence[Property]
) -> Grounds:
    """Prove that actions, constraint and properties treat permuted replicas alike.

    Raises
    ------
    SymmetryError
        If some of them do not, or there is no proof; it names each function, line and expression.
    """
    if len(symmetry.group) == 1:
        return Grounds(len(system.actions), len(properties), alone=symmetry.alone)
    analysis = Analysis(Names(symmetry), system.constants)
    proof = _Proof(analysis, system)
    taken: dict[tuple[Action, int], list[tuple[int, ...]]] = {}
    for instance in system.instances:
        action, arguments = instance.action, instance.arguments
        taken.setdefault((action, len(arguments)), []).append(arguments)
    for (action, _), each in taken.items():
        proof.action(action, each)
    for prop in properties:
        # The others follow from the declared ranges, and from which steps there are.
        if prop.kind.is_of_state:
            proof.function(prop.name, prop.predicate)
    if system.constraint is not None:
        proof.function("the constraint", system.constraint)
    if proof.faults:
        raise error(proof.faults)
    return Grounds(len(system.actions), len(properties), tuple(analysis.declared.values()))


class _Proof:
    """Proves it for one function after the other.

    Attributes
    ----------
    faults
        What was not proved, each with the name of the action or the property.
    """

    def __init__(self, analysis: Analysis, system: TransitionSystem[Any, Any]) -> None:
        self._analysis = analysis
        self._state = Part(system.layout.declaration, "", ())
        self._constants = Constant(system.constants)
        self.faults: list[tuple[str, NotShownError]] = []

    def action(self, action: Action, arguments: list[tuple[int, ...]]) -> None:
        """Prove it for an action, whose participants are replicas or plain numbers."""
        refusals: list[tuple[bool, NotShownError, list[Value]]] = []
        columns = list(zip(*arguments, strict=True))
        # The index of an element is a plain number, however many elements there are.
        indices = {chosen.place for chosen in action.selections if chosen.by_index}
        each_of = ([Number()] if n in indices else self._readings(c) for n, c in enumerate(columns))
        for readings in product(*each_of):
            if self._is_closed(readings, arguments):
                each = zip(readings, columns, strict=True)
                values = [_participant(n, *one) for n, one in enumerate(each)]
                begun = self._analysis.steps
                try:
                    self._show(action.apply, values)
                    return
                except NotShownError as refused:
                    refused.progress = self._analysis.steps - begun
                    refusals.append((_acts(action, readings), refused, values))
        _, best, values = max(refusals, key=lambda one: (one[0], one[1].rank))
        self._note(action.name, action.apply, values, best)

    def function(self, name: str, function: Callable[..., bool]) -> None:
        """Prove it for a predicate."""
        try:
            self._show(function, ())
        except NotShownError as refused:
            self._note(name, function, (), refused)

    def _note(
        self,
        name: str,
        function: Callable[..., bool],
        values: Sequence[Value],
        refused: NotShownError,
    ) -> None:
        """Note that a function is refused, with all its faults that do not follow from others."""
        proof = copy(self)
        proof._analysis = Analysis(self._analysis.names, self._analysis.constants, goes_on=True)
        try:
            proof._show(function, values)
        except NotShownError as first:
            if first.where == refused.where:
                refused = first
        self.faults += [(name, fault) for fault in (refused, *refused.others)]

    def _show(self, function: Callable[..., bool], values: Iterable[Value]) -> None:
        try:
            self._analysis.answers(function, (self._state, self._constants, *values))
        except MISTAKES as failed:
            node = ast.Name(getattr(function, "__name__", "it"), ast.Load())
            refused = NotShownError(node, f"cannot be analysed ({type(failed).__name__}: {failed})")
            refused.where = place(function)
            raise refused from failed

    def _readings(self, numbers: Sequence[int]) -> list[Value]:
        """Return what an argument of an action may be, from all of its values."""
        names, none = self._analysis.names, NONE in numbers
        alone = [Replica(kind, none, 0) for kind in names.generators]
        sets = [ReplicaSet(kind) for kind in names.generators]
        # A number is a set in few models, so that is tried last.
        return [
            *(one for one in alone if names.may_be(one, numbers)),
            Number(),
            *(one for one in sets if names.may_be(one, numbers)),
        ]

    def _is_closed(self, readings: Sequence[Value], arguments: list[tuple[int, ...]]) -> bool:
        """Whether renaming the replicas in arguments of an action gives arguments of it."""
        known, names = set(arguments), self._analysis.names
        return all(
            tuple(names.renamed(one, p, number) for one, number in zip(readings, each, strict=True))
            in known
            for p in names.group
            for each in known
        )


def _participant(index: int, reading: Value, numbers: Sequence[int]) -> Value:
    """Return an argument of an action, from all of its values."""
    if isinstance(reading, Number):
        values = frozenset(map(int, numbers))
        return Number(values if len(values) == 1 else None, -1 - index, member=True)
    return replace(reading, symbol=-1 - index) if isinstance(reading, Replica) else reading


def _acts(action: Action, readings: Sequence[Value]) -> bool:
    """Whether the argument that names who acts is taken for one of these."""
    return any(
        name == action.who and isinstance(one, Replica) and one.kind in ("", name)
        for name, one in zip(action.parameters, readings, strict=False)
    )
