"""Proves from the code that a transition system and its properties treat replicas alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from ...core.fields import NONE
from ...core.result import Grounds
from ...core.spec import Action, Property, TransitionSystem
from ...core.symmetry import Symmetry, SymmetryError
from ..compiled.element_names import as_written
from .analysis import Analysis, place
from .names import Names
from .values import Constant, NotShownError, Number, Part, Replica, ReplicaSet, Value

MISTAKES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The errors of Python if a value that is known in advance does not fit its use."""

REPAIR = (
    "repair that, search without --symmetry, or say in the function's docstring why it treats "
    "replicas alike ('Symmetric: ...')"
)


def show(
    system: TransitionSystem[Any, Any], symmetry: Symmetry, properties: Sequence[Property]
) -> Grounds:
    """Prove that actions, constraint and properties treat permuted replicas alike.

    Raises
    ------
    SymmetryError
        If one of them does not, or there is no proof; it names the function, the line and the
        expression.
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
    return Grounds(len(system.actions), len(properties), tuple(analysis.declared.values()))


class _Proof:
    """Proves it for one function after the other."""

    def __init__(self, analysis: Analysis, system: TransitionSystem[Any, Any]) -> None:
        self._analysis = analysis
        self._state = Part(system.layout.declaration, "", ())
        self._constants = Constant(system.constants)

    def action(self, action: Action, arguments: list[tuple[int, ...]]) -> None:
        """Prove it for an action, whose participants are replicas or plain numbers."""
        refusals: list[tuple[bool, NotShownError]] = []
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
                    return self._show(action.apply, values)
                except NotShownError as refused:
                    refused.progress = self._analysis.steps - begun
                    refusals.append((_acts(action, readings), refused))
        raise _error(action.name, max(refusals, key=lambda one: (one[0], one[1].rank))[1])

    def function(self, name: str, function: Callable[..., bool]) -> None:
        """Prove it for a predicate."""
        try:
            self._show(function, ())
        except NotShownError as refused:
            raise _error(name, refused) from None

    def _show(self, function: Callable[..., bool], values: Iterable[Value]) -> None:
        try:
            self._analysis.answers(function, (self._state, self._constants, *values))
        except MISTAKES as error:
            node = ast.Name(getattr(function, "__name__", "it"), ast.Load())
            refused = NotShownError(node, f"cannot be analysed ({type(error).__name__}: {error})")
            refused.where = place(function)
            raise refused from error

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
        return Number(values if len(values) == 1 else None, -1 - index)
    return replace(reading, symbol=-1 - index) if isinstance(reading, Replica) else reading


def _acts(action: Action, readings: Sequence[Value]) -> bool:
    """Whether the argument that names who acts is taken for one of these."""
    return any(
        name == action.who and isinstance(one, Replica) and one.kind in ("", name)
        for name, one in zip(action.parameters, readings, strict=False)
    )


def _error(name: str, refused: NotShownError) -> SymmetryError:
    """Return the error that says what is not proved, where, and how to repair it."""
    expression = as_written(ast.unparse(refused.node).split("\n")[0].removesuffix(":"))
    return SymmetryError(f"{name}: {expression} {refused.why} ({refused.where}); {REPAIR}")
