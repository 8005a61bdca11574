"""Proves from the typed form that a transition system and its properties treat replicas alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from ..core.errors import shown
from ..core.fields import NONE
from ..core.result import Declared, Grounds
from ..core.spec import Action, Property, TransitionSystem
from ..core.symmetry import Symmetry
from ..language.calls import called_with
from ..language.form import Function
from ..language.lowering.rules import Rule, rules_of
from ..language.types import Nothing, Number
from .faults import error
from .flow import Effects
from .functions import Functions, Summary, line_of
from .group import Group
from .joining import wrapped
from .places import Places
from .refusals import NotShownError
from .relations import (
    NOTHING,
    Place,
    Position,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    Several,
    Unclear,
    exactly,
)
from .statements import Statements

MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""The errors of Python if a value that is known in advance does not fit its use."""

_DECLARED = re.compile(r"^Symmetric: (.+(?:\n.+)*)", re.MULTILINE)


class Analysis(Functions):
    """Follows the functions of a system.

    Attributes
    ----------
    declared
        The functions met so far that are declared symmetric.
    """

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self.declared: dict[tuple[str, int], Declared] = {}
        self._known: dict[object, Summary | NotShownError] = {}

    def summary(
        self, function: Function, arguments: tuple[Relation, ...], called_from: str = ""
    ) -> Summary:
        """Return what a function does with some arguments, as :class:`.Functions` has it."""
        key = id(function), arguments
        if key not in self._known:
            try:
                self._known[key] = self._followed(function, arguments)
            except NotShownError as refused:
                self._known[key] = refused
        known = self._known[key]
        if isinstance(known, NotShownError):
            if not called_from or not known.where:
                raise known
            raise known.called_from(called_from)
        return known

    def _followed(self, function: Function, arguments: tuple[Relation, ...]) -> Summary:
        reason = _DECLARED.search(function.doc)
        if reason is not None:
            self._check_declared(function, arguments)
            return self._as_declared(function, " ".join(reason[1].split()))
        run = Statements(self, function)
        run.flow.local = dict(zip(function.parameters, arguments, strict=True))
        run.block(function.body)
        if run.flow.alive:
            run.end(NOTHING)
        ends = run.flow.results
        result = self.places.joining.all(one.value for one in ends) if ends else None
        return Summary(result, run.flow.effects)

    def _check_declared(self, function: Function, arguments: Iterable[Relation]) -> None:
        """Refuse a call of a declared function with a number that may be a replica or a plain one.

        The declaration is about permuted replicas, also in its arguments.
        """
        for name, one in zip(function.parameters, arguments, strict=True):
            if not isinstance(one, Same) or not isinstance(function.slots[name], Number):
                continue
            if not one.numbers or not self.places.group.is_fixed(one.numbers):
                raise NotShownError(
                    f"passes a plain number to {function.name}, which is declared symmetric: its "
                    "docstring does not say whether that names a replica"
                )

    def _as_declared(self, function: Function, reason: str) -> Summary:
        """Return what a function does that is declared symmetric."""
        at = function.file, function.line
        self.declared[at] = Declared(function.name, shown(at), reason)
        result: Relation = NOTHING
        if isinstance(function.result, Number):
            result = Same()
        elif not isinstance(function.result, Nothing):
            result = Unclear(f"is what {function.name} returns, which is declared symmetric")
        return Summary(result, Effects(unknown=function.name))


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
    proof = _Proof(system, symmetry)
    for rule in proof.rules.actions():
        proof.action(rule)
    # The others follow from the declared ranges, and from which steps there are.
    for prop in properties:
        if prop.kind.is_of_state:
            proof.predicate(Rule(prop.name, prop.predicate, ()))
    if system.constraint is not None:
        proof.predicate(Rule("the constraint", system.constraint, ()))
    if proof.faults:
        raise error(proof.faults)
    declared = tuple(proof.analysis.declared.values())
    return Grounds(len(system.actions), len(properties), declared)


class _Proof:
    """Proves it for one rule after the other.

    Attributes
    ----------
    faults
        What was not proved, each with the name of the action or the property.
    """

    def __init__(self, system: TransitionSystem[Any, Any], symmetry: Symmetry) -> None:
        self.rules = rules_of(system, tables=bool(system.declared_pure))
        self._system, self._group = system, Group(symmetry)
        self.analysis = Analysis(Places(system, self._group))
        self.faults: list[tuple[str, NotShownError]] = []

    def action(self, rule: Rule) -> None:
        """Prove it for an action, whose participants are replicas or plain numbers."""
        instances = [self._system.instances[number] for number in rule.instances]
        action, arguments = instances[0].action, [one.arguments for one in instances]
        function = self.rules.lowered(rule)
        columns = list(zip(*arguments, strict=True))
        # The index of an element is a plain number, however many elements there are.
        indices = {chosen.place for chosen in action.selections if chosen.by_index}
        each_of = (
            [Same(), Position()] if n in indices else self._readings(column)
            for n, column in enumerate(columns)
        )
        refusals: list[tuple[bool, NotShownError]] = []
        for readings in product(*each_of):
            if not self._is_closed(readings, arguments):
                continue
            each = zip(readings, columns, strict=True)
            values = [_participant(*one) for one in each]
            begun = self.analysis.steps
            try:
                self._show(rule, function, values)
                return
            except NotShownError as refused:
                refused.progress = self.analysis.steps - begun
                refusals.append((_acts(action, readings), refused))
        _, best = max(refusals, key=lambda one: (one[0], one[1].rank))
        self.faults.append((action.name, best))

    def predicate(self, rule: Rule) -> None:
        """Prove it for a property or the constraint."""
        function = self.rules.lowered(rule)
        try:
            self._show(rule, function, ())
        except NotShownError as refused:
            self.faults.append((rule.name, refused))

    def _show(self, rule: Rule, function: Function, values: Iterable[Relation]) -> None:
        supplied: list[Relation] = [Place(""), Same(), *values]
        bound = called_with(rule.function, supplied, wrapped, Several)
        arguments = tuple(bound[name] for name in function.parameters)
        try:
            result = self.analysis.summary(function, arguments).result
            if result is not None:
                self._group.truth(result)
        except (NotShownError, RecursionError, *MISTAKES) as failed:
            refused = failed if isinstance(failed, NotShownError) else _mistaken(failed)
            refused.where = refused.where or line_of(function, function.line)
            raise refused from None

    def _readings(self, numbers: Sequence[Any]) -> list[Relation]:
        """Return what an argument of an action may be, from all of its values."""
        group, none = self._group, NONE in numbers
        alone = [Replica(kind, none) for kind in group.generators]
        sets = [ReplicaSet(kind) for kind in group.generators]
        # A number is a set in few models, so that is tried last.
        return [
            *(one for one in alone if group.may_be(one, numbers)),
            Same(),
            *(one for one in sets if group.may_be(one, numbers)),
        ]

    def _is_closed(self, readings: Sequence[Relation], arguments: list[tuple[Any, ...]]) -> bool:
        """Whether renaming the participants in arguments of an action gives arguments of it."""
        known = set(arguments)
        columns = list(zip(*arguments, strict=True))
        for place, reading in enumerate(readings):
            if isinstance(reading, Position) and any(
                (*each[:place], other, *each[place + 1 :]) not in known
                for each in known
                for other in set(columns[place])
            ):
                return False
        return all(
            tuple(
                self._group.renamed(one, p, number)
                for one, number in zip(readings, each, strict=True)
            )
            in known
            for p in self._group.permutations
            for each in known
        )


def _mistaken(failed: Exception) -> NotShownError:
    """Return the refusal of what cannot be followed."""
    if isinstance(failed, RecursionError):
        return NotShownError("is nested too deeply to be followed")
    return NotShownError(f"cannot be followed ({type(failed).__name__}: {failed})")


def _participant(reading: Relation, values: Sequence[Any]) -> Relation:
    """Return an argument of an action, from all of its values."""
    alone = isinstance(reading, Same) and isinstance(values[0], int) and len(set(values)) == 1
    return exactly(values[0]) if alone else reading


def _acts(action: Action, readings: Sequence[Relation]) -> bool:
    """Whether the argument that names who acts is taken for one of these."""
    return any(
        name == action.who and isinstance(one, Replica) and one.kind in ("", name)
        for name, one in zip(action.parameters, readings, strict=False)
    )
