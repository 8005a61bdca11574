"""Whether what a model declares can be called as it will be."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from enum import EnumMeta, IntEnum
from itertools import islice
from typing import Any

from ...core.bounds import declared, unknown
from ...core.errors import about, misfit, misused, one_line, printed
from ...core.fields import Array, Record, about_class, declared_parts
from ...core.scene import View
from ...core.vocabulary import Fairness
from ..protocol import is_extra

MOST_CHOICES = 100_000
"""Values of a parameter, and choices of all of an action: more could not be searched."""


def refuse_unfit(function: Any, what: str, *names: str, others: Collection[str] = ()) -> None:
    """Refuse what is not a function, or cannot be called with these values.

    Parameters
    ----------
    what
        What it is, for the message.
    names
        What it is called with.
    others
        What a function is called with behind the state and the bounds, if at all: where one of its
        first two parameters has such a name, another value than the one it means would be in it.

    Raises
    ------
    ModelError
        If it does not fit.
    """
    called = ", ".join(names)
    if not callable(function):
        raise misused(f"{what} is {function!r}; it must be a function of ({called})")
    try:
        signature = inspect.signature(function)
    except ValueError:
        return
    exchanged = names[:2] == ("s", "k") and misplaced([*signature.parameters], others)
    with suppress(TypeError):
        signature.bind(*names)
        if not exchanged:
            return
    raise about(function, f"{what} takes {signature}, and is called with ({called}); write it so")


def misplaced(parameters: Sequence[str], others: Collection[str]) -> bool:
    """Whether a parameter stands where the state or the bounds belong, and means something else.

    >>> misplaced(["s", "node"], ["node"]), misplaced(["s", "k", "node"], ["node"])
    (True, False)
    """
    first, second = [*parameters, "", ""][:2]
    wrong = (first in others and first != "s") or (second in others and second != "k")
    return wrong or first == "k" or second == "s"


def behind_the_bounds(parameters: Sequence[str], others: Collection[str]) -> list[str]:
    """Return the parameters of an action or a property behind the state and the bounds.

    >>> behind_the_bounds(["s", "node"], ["node"]), behind_the_bounds(["a", "b", "c"], ["node"])
    (['node'], ['c'])
    """
    if not misplaced(parameters, others):
        return list(parameters[2:])
    begin = next((at for at, one in enumerate(parameters[:2]) if one in others), 2)
    return [one for one in parameters[begin:] if one not in ("s", "k")]


def refuse_other_kinds(function: Callable[..., Any], what: str) -> None:
    """Refuse what is not a plain function, or does not return an answer.

    Raises
    ------
    ModelError
        If it is an object of a class, or yields, or is asynchronous.
    """
    if not inspect.isfunction(function):
        raise misused(f"{what} is {printed(function)}; write it by def")
    name = function.__name__
    if name == "<lambda>":
        raise about(function, f"{what} is a lambda, which has no name; write it by def")
    for wrong, kind in (
        (inspect.isgeneratorfunction, "yields"),
        (inspect.iscoroutinefunction, "is asynchronous"),
        (inspect.isasyncgenfunction, "is asynchronous"),
    ):
        if wrong(function):
            raise about(function, f"{name}: {what} {kind}; it must return True or False")


def values_of(
    values: Callable[[Any], Iterable[object]], k: object, function: Callable[..., Any], name: str
) -> tuple[int, ...]:
    """Return the values of a parameter within given bounds."""
    try:
        chosen: tuple[Any, ...] = tuple(islice(values(k), MOST_CHOICES + 1))
    except TypeError as error:
        raise about(function, f"{name} has no values: {error}") from None
    if len(chosen) > MOST_CHOICES:
        raise about(function, f"{name} has more than {MOST_CHOICES:,} values")
    if wrong := [value for value in chosen if not isinstance(value, int)]:
        one = name.partition(" ")[0]
        several = f"{one.upper()}S"
        raise about(
            function,
            f"{name} has the value {printed(wrong[0])}; it must be a whole number, such as an "
            f"index into a constant list: write {one}=lambda k: range(len({several})), and "
            f"{several}[{one}] in the action",
        )
    return chosen


def refuse_empty(
    values: Callable[[Any], Iterable[object]], name: str, where: Callable[..., Any]
) -> None:
    """Refuse a parameter that has no values within any bounds: its action is never enabled.

    Parameters
    ----------
    where
        What the message points at.

    Raises
    ------
    ModelError
        If the function returns nothing, and does not read the bounds.
    """
    if _without_bounds(values, 1) == []:
        raise about(
            where,
            f"{name} has no values within any bounds; write some: range(1, 4) are the numbers from "
            "1 to 3",
        )


def function_of(chosen: object) -> object:
    """Return a function of the bounds for values that are written themselves; else what it is."""
    if isinstance(chosen, type) and issubclass(chosen, IntEnum):
        members: tuple[Any, ...] = tuple(chosen)
    elif chosen is bool:
        members = (False, True)
    elif isinstance(chosen, (range, list, set, frozenset)) or (
        isinstance(chosen, tuple) and not any(map(callable, chosen))
    ):
        members = tuple(chosen)
    else:
        return chosen
    return lambda k: members


def table_of(values: object) -> tuple[object, ...]:
    """Return values that are tuples and do not depend on the bounds; nothing if they are not."""
    chosen = _without_bounds(values, MOST_CHOICES + 1) or []
    return tuple(chosen) if all(type(one) is tuple for one in chosen) else ()


def _without_bounds(values: Any, most: int) -> list[object] | None:
    """Return the first of a parameter's values if they do not depend on the bounds; else None."""
    # The bounds that it gets have nothing to be read.
    with suppress(Exception):
        return list(islice(values(object()), most))
    return None


def counted(count: Callable[[Any], int] | int) -> Callable[[Any], int]:
    """Return a function of the bounds for a number of participants, which may be written itself."""
    return count if callable(count) else lambda k: count


def refuse_values(chosen: object, name: str) -> None:
    """Refuse what are not the values of a parameter.

    Parameters
    ----------
    name
        Of the parameter and what has it, for the text.

    Raises
    ------
    ModelError
        With what to write.
    """
    one = name.partition(" ")[0]
    text = chosen.__name__ if isinstance(chosen, type) else printed(chosen)
    if isinstance(chosen, EnumMeta):
        raise misused(f"{name} is {text}, an Enum; derive it from IntEnum")
    values = f"range({chosen})" if type(chosen) is int and chosen > 0 else "range(3)"
    raise misused(
        f"{name} is {text}; write its values, {one}={values}, or a function of the bounds, "
        f"{one}=lambda k: ..."
    )


TEXTS = tuple[str, ...]

OF_MODEL = {
    "deadlock": bool, "liveness_within_constraint": bool, "legend": str,
    "mutation_bounds": TEXTS, "largest_bounds": dict[str, int] | None, "default_properties": TEXTS,
}  # fmt: skip
"""The types of options of a model."""

OF_ACTION = {
    "who": str, "source": str, "fairness": Fairness | None, "fair_per": TEXTS | None, "sign": str,
    "distinct": bool,
}  # fmt: skip
"""The types of options of an action."""


def refuse_other_types(what: str, kinds: Mapping[str, Any], *values: object) -> None:
    """Refuse options that are of another type.

    Parameters
    ----------
    what
        What has the options, for the text.
    kinds
        The type of each option, in order.
    values
        What they are.
    """
    for (name, kind), value in zip(kinds.items(), values, strict=True):
        if wrong := misfit(value, kind):
            repair = f": ({value!r},)" if wrong.endswith("a tuple belongs") else ""
            raise misused(f"{name} of {what}: {wrong}{repair}")


def refuse_wrong_looks(name: object, view: object, survivors: object) -> None:
    """Refuse a name that reports cannot print, what is not a view, and what are not reasons."""
    if not isinstance(name, str) or one_line(name) != name:
        raise misused(f"the name of the model is {name!r}; it must be text in one line")
    if view is not None and not isinstance(view, View):
        raise misused(f"the view is {view!r}; write View(scene, event)")
    text = isinstance(survivors, str) and (not survivors or "\n    " in survivors)
    if not text and not isinstance(survivors, Mapping):
        raise misused(f"survivors is {survivors!r}; write a dictionary, mutant: reason")


def refuse_other_classes(bounds: object, state: object) -> None:
    """Refuse bounds that are not a frozen dataclass of them, and a state that is not a record."""
    settings = getattr(bounds, "__dataclass_params__", None)
    if settings is None or not settings.frozen or not isinstance(bounds, type):
        raise misused(
            f"{_name_of(bounds)} is not a frozen dataclass; write @dataclass(frozen=True)"
        )
    for field in fields(bounds):
        if "bound" not in field.metadata and not is_extra(field):
            raise about_class(
                bounds,
                f"{_name_of(bounds)}.{field.name} declares no bound; write "
                f"{field.name}: int = number(3, 1, 9, 'what it bounds')",
                field.name,
            )
    for name, (bound, _) in declared(bounds).items():
        if bound.follows and bound.follows not in declared(bounds):
            wrong = unknown("bound", bound.follows, declared(bounds))
            raise about_class(
                bounds, f"{_name_of(bounds)}.{name} follows another one: {wrong}", name
            )
    if not _is_record(state):
        raise misused(f"{_name_of(state)} is not a Record; derive the state's class from Record")


def _is_record(state: object) -> bool:
    return isinstance(state, type) and issubclass(state, Record)


def _name_of(value: object) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)


def refuse_bare(first: object, repair: str) -> None:
    """Refuse a decorator without parentheses, which would be given the function itself."""
    if callable(first):
        raise about(first, f"{getattr(first, '__name__', first)}: write {repair} above it")


def refuse_unknown_bounds(bounds: type, names: Iterable[str]) -> None:
    """Refuse options of a model that name bounds which it does not have."""
    for name in names:
        if name not in declared(bounds):
            raise misused(unknown("bound", name, declared(bounds)))


def refuse_unknown_kinds(state: Any, participants: Any) -> None:
    """Refuse what declares no participants, and arrays by a kind of which there are none."""
    if not isinstance(participants, Mapping):
        raise misused(
            f"participants is {printed(participants)}; write a dictionary, "
            "{'node': lambda k: k.nodes}"
        )
    for kind, count in participants.items():
        if type(count) is int and count > 0:
            continue
        refuse_unfit(count, f"how many there are of the participant {kind}", "k")
    for name, part in declared_parts(state).items():
        if isinstance(part, Array) and part.by and part.by not in participants:
            wrong = unknown("kind of participant", part.by, participants)
            repair = f"; Model(..., participants={{{part.by!r}: lambda k: 3}}) declares it"
            raise about_class(state, f"{state.__name__}.{name}: {wrong}{repair}", name)


LIKE = 0.85
"""From what likeness on a word is a misspelt kind of participant; reader and leader have 0.83."""


def refuse_misspelt(
    function: Callable[..., Any], name: str, who: str, kinds: Iterable[str]
) -> None:
    """Refuse an action of somebody who is called nearly like a kind of participant.

    Raises
    ------
    ModelError
        If so: its steps would be drawn on a lane of their own.
    """
    known = list(kinds)
    if who not in known and difflib.get_close_matches(who, known, n=1, cutoff=LIKE):
        wrong = unknown("kind of participant", who, known)
        raise about(
            function,
            f"action {name}: {wrong}; to name somebody else, choose a word that differs more",
        )


OPTIONS: dict[str, Any] = {
    "source": "", "fairness": None, "fair_per": None, "sign": "", "when": lambda k: True,
    "distinct": False,
}  # fmt: skip
"""The options of :meth:`.model.Model.action`, with what they are by default."""


def refuse_others(who: object, others: Sequence[object]) -> None:
    """Refuse a second kind of participant that acts."""
    if others:
        raise misused(
            f"@model.action: {printed(others[0])} after {printed(who)}; one kind acts, and a "
            "parameter of the function that is called like another kind takes each of it"
        )


def taken_by_parameters(
    function: Callable[..., Any], said: Sequence[object]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the choices of parameters that are called like options, and what the options are.

    Parameters
    ----------
    said
        What the model says of each of :data:`OPTIONS`, in their order.
    """
    options = dict(zip(OPTIONS, said, strict=True))
    own = [name for name in inspect.signature(function).parameters if name in options]
    more = {name: options[name] for name in own if options[name] is not OPTIONS[name]}
    return more, options | {name: OPTIONS[name] for name in own}
