"""What a function of a model takes for granted of every state, and every search checks.

A rule may leave out what the real system does in a state that its model never reaches.  A model
that changes something else may reach it, and then the rule is not a model of the system any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

from .origins import is_users
from .purity import read_by
from .vocabulary import Property

PREFIX = "assumed by "
"""Begins the name of the property that says what a function assumes."""

Function = TypeVar("Function", bound=Callable[..., Any])


def assumes(
    text: str, source: str, predicate: Callable[[Any, Any], bool]
) -> Callable[[Function], Function]:
    """Return a decorator that notes what an action or a rule takes for granted.

    Parameters
    ----------
    text
        What it assumes, as a clause after "assumes that".
    source
        What the real system does where that is not so.
    predicate
        ``predicate(s, k) -> bool``, true in the states that the function is written for.
    """

    def note(function: Function) -> Function:
        name = function.__name__
        function.assumption = Property(f"{PREFIX}{name}", text, source, predicate)  # type: ignore[attr-defined]
        return function

    return note


def assumptions_of(functions: Iterable[object]) -> tuple[Property, ...]:
    """Return what functions assume, and those that a user's function names: it may wrap them.

    Parameters
    ----------
    functions
        Actions and rules.
    """
    assumed: dict[str, Property] = {}
    todo, met = [*functions], set[int]()
    while todo:
        function = todo.pop()
        if not isinstance(function, FunctionType) or id(function) in met:
            continue
        met.add(id(function))
        assumption = getattr(function, "assumption", None)
        if isinstance(assumption, Property):
            assumed[assumption.name] = assumption
        if is_users(function.__code__.co_filename):
            todo += _named(function)
    return tuple(assumed[name] for name in sorted(assumed))


def _named(function: FunctionType) -> Iterator[object]:
    """Yield the objects that a function's code names, also as attributes of a module."""
    for _, look in read_by(function):
        value = look()
        yield value
        if isinstance(value, ModuleType):
            yield from (getattr(value, name, None) for name in _attributes(function.__code__))


def _attributes(code: CodeType) -> set[str]:
    """Return the names in code, and in code nested in it."""
    inner = (_attributes(part) for part in code.co_consts if isinstance(part, CodeType))
    return {*code.co_names}.union(*inner)
