"""Refuses a model that is not a function of its state, or whose code says what it does not mean.

Everything that a model's actions, rules, properties, constraint and initial states reach is read
before they run, whichever branch they take.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from inspect import unwrap
from types import FunctionType
from typing import Any

from ...core.errors import ModelError, shown
from ...core.fields import Array, Field, Record, declared_parts
from ...core.sources import is_own
from ...core.spec import Property, TransitionSystem
from .declared import WITNESS, annotation
from .notes import Objection, Part
from .reader import Reader, Summary
from .values import ANYTHING, NUMBER, TRUTH, Known, Number, Place, Value

MOST_OBJECTIONS = 12
"""The most lines of an error that lists what else is wrong."""


@dataclass(frozen=True)
class Root:
    """A function that a search calls.

    Parameters
    ----------
    arguments
        What it is called with.
    expected
        The class of its answers, if it does not declare one itself.
    decides
        What depends on its answer: nothing that depends on history may.
    part
        What it is for.
    """

    function: FunctionType
    arguments: tuple[Value, ...]
    expected: str = ""
    decides: str = ""
    part: Part = Part.RULE


def refuse_unreadable(
    system: TransitionSystem[Any, Any],
    properties: Iterable[Property],
    histories: Collection[str] = (),
    everything: bool = False,
) -> None:
    """Read a model's functions, those outside of this package, and refuse what they must not do.

    Parameters
    ----------
    histories
        The variables that the state holds only if a property needs them, and the constants that say
        which it holds.
    everything
        Whether to read the functions of this package as well.

    Raises
    ------
    ModelError
        With the first line that is wrong; ``details`` lists the others.
    """
    roots = list(roots_of(system, properties, everything))
    if not roots:
        return
    reader = Reader(histories)
    objections: list[Objection] = []
    for kind in (type(system.constants), *records_of(system.layout.declaration)):
        if module := sys.modules.get(kind.__module__):
            space = vars(module)
            objections += reader.loaded(str(space.get("__file__")), space, kind.__name__)
    recording: set[str] = set()
    for root in roots:
        reader.part = root.part
        summary = reader.summary(root.function, root.arguments, {}, False, root.expected)
        if _only_records(summary):
            recording.add(root.decides.removeprefix("action "))
        objections += summary.objections
        if root.decides.removeprefix("whether action ").removesuffix(" exists") not in recording:
            objections += _by_history(root, summary)
    objections += reader.rest()
    _refuse(objections)
    # Reading leaves open whether that is data of the module, so it is watched.
    system.writes_unseen = reader.writes_unseen
    system.declared_pure = tuple(sorted(reader.declared, key=lambda one: (one.line, one.function)))


def _refuse(objections: Sequence[Objection]) -> None:
    each = list(dict.fromkeys(objections))
    if not each:
        return
    first, *others = each
    error = ModelError(first.text)
    error.place = first.line
    error.details = tuple(
        f"{shown(other.line)}: {other.text}" for other in others[: MOST_OBJECTIONS - 1]
    )
    raise error


def roots_of(
    system: TransitionSystem[Any, Any], properties: Iterable[Property], everything: bool = False
) -> Iterator[Root]:
    """Yield the functions that a search of a system calls: the user's, or with `everything` all."""
    for root in _every_root(system, properties):
        if everything or is_own(root.function):
            yield root


def _every_root(
    system: TransitionSystem[Any, Any], properties: Iterable[Property]
) -> Iterator[Root]:
    state = Place(system.layout.declaration, root=True)
    k = Known(system.constants)
    yield from _before(system.initialise, (state, k))
    chosen: dict[str, list[tuple[int, ...]]] = {}
    for instance in system.instances:
        chosen.setdefault(instance.action.name, []).append(instance.arguments)
    for limit in limits_of(system.layout.declaration):
        yield from _before(limit, (k,))
    for action in system.declared_actions:
        columns = zip(*chosen.get(action.name, ()), strict=True)
        arguments = (state, k, *map(_kind, columns))
        yield from _root(action.apply, arguments, decides=f"action {action.name}")
        for made in (action.arguments, action.available):
            # What a model's own action is made from holds that action, too.
            for root in _before(made, (k,), f"whether action {action.name} exists"):
                if root.function is not action.apply:
                    yield root if is_own(root.function) else replace(root, decides="")
    yield from _rules(system, state, k)
    if system.constraint is not None:
        yield from _root(system.constraint, (state, k), decides="the constraint")
    for prop in properties:
        yield from _root(prop.witness, (state, k), WITNESS)
        if prop.each is not None:
            yield from _before(prop.each.arguments, (k,))
        for function in (None if prop.witness else prop.predicate, prop.premise):
            yield from _root(function, (state, k, *_arguments(function, prop)))


def records_of(declaration: type[Record]) -> Iterator[type[Record]]:
    """Yield a class of records, and those of its parts."""
    yield declaration
    for part in declared_parts(declaration).values():
        element = part
        while isinstance(element, Array):
            element = element.element
        if not isinstance(element, Field):
            yield from records_of(element)


def limits_of(declaration: type[Record]) -> Iterator[Any]:
    """Yield the limits and lengths that a state declares; some are functions of the bounds."""
    for kind in records_of(declaration):
        for part in declared_parts(kind).values():
            element = part
            while isinstance(element, Array):
                yield from (element.length, element.initial)
                element = element.element
            if isinstance(element, Field):
                yield from (element.low, element.high, element.initial)


def _rules(system: TransitionSystem[Any, Any], state: Value, k: Value) -> Iterator[Root]:
    """Yield the rules in which protocols of a family differ."""
    rules = getattr(system.constants, "rules", None)
    if not is_dataclass(rules) or isinstance(rules, type):
        return
    usual = type(rules)()
    for field in fields(rules):
        rule, first = getattr(rules, field.name), getattr(usual, field.name)
        if not callable(rule) or not isinstance(first, FunctionType):
            continue
        count = first.__code__.co_argcount
        names = first.__code__.co_varnames[:count]
        parts = {"s": state, "k": k}
        arguments = tuple(parts.get(name, NUMBER) for name in names)
        yield from _root(rule, arguments, annotation(first), f"rule {field.name}")


def _kind(column: Sequence[Any]) -> Value:
    """Return any of the values of an action's parameter."""
    kinds = set(map(type, column))
    [kind] = kinds if len(kinds) == 1 else {int}
    return TRUTH if kind is bool else Number(kind) if issubclass(kind, int) else ANYTHING


def _arguments(function: Any, prop: Property) -> tuple[Value, ...]:
    """Return the arguments of a predicate that is declared for each participant."""
    more = prop.each.parameters if prop.each and isinstance(function, FunctionType) else ()
    return (NUMBER,) * min(len(more), function.__code__.co_argcount - 2) if more else ()


def _before(function: Any, arguments: tuple[Value, ...], decides: str = "") -> Iterator[Root]:
    """Yield a function that is called before the search."""
    for root in _root(function, arguments, decides=decides):
        yield replace(root, part=Part.OTHER)


def _root(
    function: Any, arguments: tuple[Value, ...], expected: str = "", decides: str = ""
) -> Iterator[Root]:
    """Yield a function, or what a function of this package was made from."""
    plain = unwrap(function) if function is not None else None
    if not isinstance(plain, FunctionType):
        return
    if is_own(plain):
        yield Root(plain, arguments, expected, decides)
        return
    yield Root(plain, arguments, expected, decides)
    held = [cell.cell_contents for cell in plain.__closure__ or ()]
    for value in (*held, *getattr(plain, "made_from", ())):
        yield from _inside(value)


def _inside(value: Any) -> Iterator[Root]:
    """Yield the user's functions that a function of this package holds."""
    for one in value if isinstance(value, (list, tuple)) else (value,):
        if isinstance(one, FunctionType) and one.__closure__ and not is_own(one):
            for cell in one.__closure__:
                yield from _inside(cell.cell_contents)
        elif isinstance(one, FunctionType) and is_own(one):
            count = one.__code__.co_argcount
            yield Root(one, (ANYTHING,) * count)


def _only_records(summary: Summary) -> bool:
    """Whether all that a function writes is history."""
    return bool(summary.effects) and all(effect.history for effect in summary.effects)


def _by_history(root: Root, summary: Summary) -> Iterator[Objection]:
    """Yield the lines by which history decides what is not history."""
    if not root.decides or (root.decides.startswith("action") and _only_records(summary)):
        return
    lines = [(one.line, "write") for one in summary.effects if one.depends and not one.history]
    lines += [(one.line, "answer") for one in summary.answers if one.value.history]
    for line, what in sorted(lines):
        yield Objection(line, f"{root.decides}: this {what} depends on {_HISTORY}")


_HISTORY = (
    "history (aux_...), which is part of the state only if a property reads it, so that the "
    "protocol would change with the properties that are checked; use a variable of your own"
)
