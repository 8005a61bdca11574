"""Proves from the code that a transition system and its properties treat replicas alike."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from ...core.fields import NONE
from ...core.result import Grounds
from ...core.spec import Property, TransitionSystem
from ...core.symmetry import Symmetry, SymmetryError, renamed
from .analysis import Analysis, place
from .names import Names
from .values import Constant, NotShownError, Number, Part, Replica, Unclear, Value

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
        return Grounds(len(system.actions), len(properties))
    analysis = Analysis(Names(symmetry.group), system.constants)
    proof = _Proof(analysis, system)
    taken: dict[tuple[str, Callable[..., bool], int], list[tuple[int, ...]]] = {}
    for instance in system.instances:
        action, arguments = instance.action, instance.arguments
        taken.setdefault((action.name, action.apply, len(arguments)), []).append(arguments)
    for (name, apply, _), each in taken.items():
        proof.action(name, apply, each)
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

    def action(
        self, name: str, apply: Callable[..., bool], arguments: list[tuple[int, ...]]
    ) -> None:
        """Prove it for an action, whose participants are replicas or plain numbers."""
        refusals: list[NotShownError] = []
        columns = list(zip(*arguments, strict=True))
        for kinds in product((True, False), repeat=len(columns)):
            if self._is_closed(kinds, arguments):
                each = zip(kinds, columns, strict=True)
                values = [_participant(n, *kind) for n, kind in enumerate(each)]
                try:
                    return self._show(apply, values)
                except NotShownError as refused:
                    refusals.append(refused)
        raise _error(name, max(refusals, key=lambda refused: refused.rank))

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

    def _is_closed(self, kinds: Sequence[bool], arguments: list[tuple[int, ...]]) -> bool:
        """Whether renaming the replicas in arguments of an action gives arguments of it."""
        known = set(arguments)
        count = len(self._analysis.names.generators[0])
        return all(
            type(argument) is int and NONE <= argument < count
            for known_argument in known
            for argument, is_replica in zip(known_argument, kinds, strict=True)
            if is_replica
        ) and all(
            tuple(
                renamed(a, p) if kind else a for a, kind in zip(known_argument, kinds, strict=True)
            )
            in known
            for p in self._analysis.names.generators
            for known_argument in known
        )


def _participant(index: int, is_replica: bool, numbers: Sequence[int]) -> Value:
    """Return an argument of an action, from all of its values."""
    if is_replica:
        return Replica(NONE in numbers, -1 - index)
    if any(type(number) is not int for number in numbers):
        return Unclear("is an argument that is no number")
    values = frozenset(numbers)
    return Number(values if len(values) == 1 else None, -1 - index)


def _error(name: str, refused: NotShownError) -> SymmetryError:
    """Return the error that says what is not proved, where, and how to repair it."""
    expression = ast.unparse(refused.node).split("\n")[0].removesuffix(":")
    return SymmetryError(f"{name}: {expression} {refused.why} ({refused.where}); {REPAIR}")
