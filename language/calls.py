"""How the arguments of a call become the parameters of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import CO_VARARGS, CO_VARKEYWORDS
from itertools import islice
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class CallError(Exception):
    """A call does not fit the parameters of its function."""


@dataclass(frozen=True)
class Arguments(Generic[T]):
    """What a call gives to a function.

    Parameters
    ----------
    values
        The argument for each parameter that gets one, by its name.
    rest
        What ``*values`` gets.
    more
        What ``**fields`` gets.
    """

    values: dict[str, T]
    rest: tuple[T, ...] = ()
    more: dict[str, T] | None = None


@dataclass(frozen=True)
class Parameters:
    """The parameters of a function.

    Parameters
    ----------
    positional
        The names of those that an argument without a name may be for.
    nameless
        How many of them no name can be for.
    named
        The names of those that only a name can be for.
    rest
        The name of ``*values``, if there is one.
    more
        The name of ``**fields``, if there is one.

    Examples
    --------
    >>> its = Parameters.of(ast.parse("def f(a, /, b, *c, d): pass").body[0].args)
    >>> its.bind([1, 2, 3], {"d": 4}, {})
    Arguments(values={'a': 1, 'b': 2, 'd': 4}, rest=(3,), more=None)
    """

    positional: tuple[str, ...]
    nameless: int = 0
    named: tuple[str, ...] = ()
    rest: str | None = None
    more: str | None = None

    @classmethod
    def of(cls, node: ast.arguments) -> Parameters:
        """Return the parameters that a function or a lambda declares."""
        return cls(
            tuple(one.arg for one in (*node.posonlyargs, *node.args)),
            len(node.posonlyargs),
            tuple(one.arg for one in node.kwonlyargs),
            node.vararg.arg if node.vararg else None,
            node.kwarg.arg if node.kwarg else None,
        )

    @classmethod
    def of_function(cls, function: Callable[..., Any]) -> Parameters:
        """Return the parameters of a function."""
        code = function.__code__
        names = iter(code.co_varnames)
        positional = tuple(islice(names, code.co_argcount))
        named = tuple(islice(names, code.co_kwonlyargcount))
        rest = next(names) if code.co_flags & CO_VARARGS else None
        more = next(names) if code.co_flags & CO_VARKEYWORDS else None
        return cls(positional, code.co_posonlyargcount, named, rest, more)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters, in the order of a function's variables."""
        rest = [name for name in (self.rest, self.more) if name is not None]
        return *self.positional, *self.named, *rest

    def bind(
        self, positional: Sequence[T], named: Mapping[str, T], defaults: Mapping[str, T]
    ) -> Arguments[T]:
        """Return what each parameter gets in a call.

        Raises
        ------
        CallError
            If Python would refuse the call.
        """
        values = dict(zip(self.positional, positional, strict=False))
        beyond = positional[len(self.positional) :]
        known = {*self.positional[self.nameless :], *self.named}
        more = {name: value for name, value in named.items() if name not in known}
        twice = values.keys() & named.keys() & known
        if (beyond and self.rest is None) or (more and self.more is None) or twice:
            raise CallError
        values |= {name: value for name, value in named.items() if name in known}
        required = (*self.positional, *self.named)
        values |= {n: defaults[n] for n in required if n not in values and n in defaults}
        if len(values) < len(required):
            raise CallError
        return Arguments(values, tuple(beyond), more if self.more is not None else None)


def called_with(
    function: Any,
    supplied: Sequence[T],
    default: Callable[[object], T],
    gathered: Callable[[tuple[T, ...]], T],
) -> dict[str, T]:
    """Return what each parameter of a function gets that is called without names.

    Parameters
    ----------
    default
        What stands for a default that is used.
    gathered
        What stands for all that ``*values`` gets.

    Raises
    ------
    CallError
        If it does not take so many arguments.
    """
    parameters = Parameters.of_function(function)
    defaults = {name: default(value) for name, value in defaults_of(function).items()}
    result = parameters.bind(supplied, {}, defaults)
    rest = {} if parameters.rest is None else {parameters.rest: gathered(result.rest)}
    return {**result.values, **rest}


def defaults_of(function: Any) -> dict[str, object]:
    """Return the defaults of a function's parameters, by their names."""
    names = Parameters.of_function(function).positional
    defaults = function.__defaults__ or ()
    by_name = dict(zip(reversed(names), reversed(defaults), strict=False))
    return by_name | (function.__kwdefaults__ or {})
