"""The rules of a transition system, lowered: its actions, its properties and its constraint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from types import FunctionType
from typing import Any

from ...core.errors import printed
from ...core.spec import TransitionSystem
from ...core.vocabulary import Action, Instance, Property
from ..calls import CallError, called_with
from ..form import Function
from ..schema import Schema
from ..types import Known, NoJoinError, Tuple, Type, join_all, type_of
from .frame import LoweringError
from .lower import Lowering
from .meaning import WITNESS


@dataclass(frozen=True)
class Rule:
    """A rule of a system, for arguments of some types.

    Parameters
    ----------
    name
        What it is, for messages.
    function
        What the model has.
    instances
        The numbers of the instances of an action that it stands for.
    """

    name: str
    function: Any
    kinds: tuple[Type, ...]
    instances: tuple[int, ...] = ()


class Rules:
    """Lowers the rules of a system."""

    def __init__(self, system: TransitionSystem[Any, Any]) -> None:
        self.system = system
        self.lowering = Lowering(Schema(system.layout))
        for name, rule in self.of_family():
            self.lowering.expected[rule] = self._declared(name)

    def of_family(self) -> Iterator[tuple[str, FunctionType]]:
        """Yield the rules in which protocols of a family differ, by their names."""
        rules = getattr(self.system.constants, "rules", None)
        if is_dataclass(rules) and not isinstance(rules, type):
            for field in fields(rules):
                rule = getattr(rules, field.name)
                if isinstance(rule, FunctionType):
                    yield field.name, rule

    def _declared(self, name: str) -> str:
        """Return what a rule of a family has to return: what the usual one declares."""
        usual = getattr(type(self.system.constants.rules)(), name)
        return str(getattr(usual, "__annotations__", {}).get("return", ""))

    def actions(self) -> Iterator[Rule]:
        """Yield each action, once for all of its instances whose arguments are numbers.

        Where an argument is a function or an object of the file, there is one for each.
        """
        of: dict[int, list[tuple[int, Instance]]] = {}
        for number, instance in enumerate(self.system.instances):
            of.setdefault(id(instance.action), []).append((number, instance))
        for every in of.values():
            action = every[0][1].action
            yield from self._of_action(action, every)

    def _of_action(self, action: Action, every: list[tuple[int, Instance]]) -> Iterator[Rule]:
        groups: dict[Any, list[tuple[int, Instance]]] = {}
        for number, instance in every:
            kinds = tuple(map(type_of, instance.arguments))
            known = tuple(kind if isinstance(kind, Known) else None for kind in kinds)
            groups.setdefault(known, []).append((number, instance))
        for group in groups.values():
            arguments = [instance.arguments for _, instance in group]
            numbers = tuple(number for number, _ in group)
            rule = Rule(f"action {action.name}", action.apply, (), numbers)
            try:
                kinds = tuple(join_all(map(type_of, some)) for some in zip(*arguments, strict=True))
            except NoJoinError:
                yield from self.alone(rule)
            else:
                yield replace(rule, kinds=kinds)

    def alone(self, rule: Rule) -> Iterator[Rule]:
        """Yield a rule for each of the instances that it stands for."""
        for number in rule.instances:
            kinds = tuple(map(type_of, self.system.instances[number].arguments))
            yield replace(rule, kinds=kinds, instances=(number,))

    def properties(self, some: Sequence[Property]) -> Iterator[Rule]:
        """Yield what decides properties, as a search calls it, and the constraint.

        Parameters
        ----------
        some
            Properties that are declared for each participant come one by one.
        """
        for prop in some:
            if prop.witness is not None:
                self.lowering.expected[prop.witness] = WITNESS
            if prop.kind.is_of_state or prop.kind.is_liveness:
                for function in (prop.predicate, prop.premise):
                    if function is not None:
                        yield Rule(f"property {prop.name}", function, ())
        if self.system.constraint is not None:
            yield Rule("the constraint", self.system.constraint, ())

    def lowered(self, rule: Rule) -> Function:
        """Return a rule in the typed form; its parameters are the state, the bounds and the rest.

        Raises
        ------
        LoweringError
            If a line of it, or of what it calls, is not in the language.
        """
        if not isinstance(rule.function, FunctionType):
            what = f"{rule.name} is {printed(rule.function)}, which Tidegate cannot read"
            raise LoweringError(f"{what}; write a def")
        supplied = [self.lowering.schema.root, Known(self.system.constants), *rule.kinds]
        return self.called(rule.function, supplied)

    def called(self, function: FunctionType, supplied: Sequence[Type]) -> Function:
        """Return a function in the typed form, for arguments of these types.

        Raises
        ------
        LoweringError
            If a line of it, or of what it calls, is not in the language.
        """
        return self.lowering.function(function, bound(function, supplied))


def rules_of(system: TransitionSystem[Any, Any], tables: bool = False) -> Rules:
    """Return what lowers the rules of a system, each of them once for all who ask.

    Parameters
    ----------
    tables
        Whether to make tables of the functions declared pure that are not in the language.
    """
    known = system.lowered
    if not isinstance(known, Rules) or (tables and not known.lowering.tabulates):
        known = system.lowered = Rules(system)
        known.lowering.tabulates = tables
    return known


def bound(function: FunctionType, supplied: Sequence[Type]) -> dict[str, Type]:
    """Return the type of each parameter of a rule that gets arguments of these types.

    Raises
    ------
    LoweringError
        If it does not take so many.
    """
    try:
        return called_with(function, supplied, type_of, Tuple)
    except CallError:
        text = f"{function.__name__} does not take {len(supplied)} arguments"
        raise LoweringError(text) from None
