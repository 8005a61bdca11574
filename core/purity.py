"""``@tidegate.pure``: functions that are declared pure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, update_wrapper
from inspect import getattr_static
from types import CodeType, MethodType
from typing import Any, TypeVar, cast, overload

from .errors import Line, ModelError, printed, shown

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__tidegate_pure__"
"""The attribute that :func:`pure` sets; it has the :class:`DeclaredPure`."""


@dataclass(frozen=True)
class DeclaredPure:
    """A function that is declared pure.

    Parameters
    ----------
    function
        Its name.
    line
        Where it is defined; of a function of another module, where it is declared.
    reason
        Why it is pure, if the declaration says so.
    """

    function: str
    line: Line
    reason: str

    def __str__(self) -> str:
        return f"{self.function} ({shown(self.line)})"


@overload
def pure(declared: F, /) -> F: ...


@overload
def pure(declared: str = "", /) -> Callable[[F], F]: ...


def pure(declared: object = "", /) -> object:
    """Declare that a function's answer depends on its arguments only, and that it changes nothing.

    Tidegate reads the functions of a model.  A function whose code it cannot read is used if it is
    declared; it is then tried instead, and each verdict names it.

    Parameters
    ----------
    declared
        The function; or a text that says why it is pure, as in ``@tidegate.pure("a table")``.

    Returns
    -------
    Callable
        The function.  One of another module is left as it is: the result is a wrapper of it, as in
        ``digest = tidegate.pure(library.digest)``.  So is a class, and a method of an object.

    Raises
    ------
    ModelError
        If it is not callable.
    """
    frame = sys._getframe(1)
    module, line = frame.f_globals.get("__name__"), (frame.f_code.co_filename, frame.f_lineno)
    if isinstance(declared, str):
        return lambda function: _marked(function, declared, module, line)
    return _marked(declared, "", module, line)


def is_declared_pure(function: object) -> bool:
    """Whether a function is declared pure, or wraps one that is."""
    return declaration_of(function) is not None


def declaration_of(function: object) -> DeclaredPure | None:
    """Return what is declared of a function, of what it wraps, or of its object's ``__call__``."""
    for one in (*_unwrapped(function), getattr_static(type(function), "__call__", None)):
        mark = own_attributes(one).get(_MARK)
        if isinstance(mark, DeclaredPure):
            return mark
    return None


def _marked(declared: Any, reason: str, module: object, line: Line) -> Any:
    """Return a function, or a wrapper of it, that says what is declared of it."""
    if isinstance(declared, property):
        _marked(declared.fget, reason, module, line)
        return declared
    if isinstance(declared, (staticmethod, classmethod)):
        _marked(declared.__func__, reason, module, line)
        return declared
    if not callable(declared):
        error = ModelError(
            f"tidegate.pure declares a function, and {printed(declared)} is none; write "
            "@tidegate.pure above a def, or name = tidegate.pure(library.function)"
        )
        error.place = line
        raise error
    name = getattr(declared, "__name__", type(declared).__name__)
    own = getattr(declared, "__module__", None) == module and not isinstance(
        declared, (type, MethodType)
    )
    code = getattr(_unwrapped(declared)[-1], "__code__", None)
    if own and isinstance(code, CodeType):
        line = code.co_filename, code.co_firstlineno
    function = declared if own and hasattr(declared, "__dict__") else _wrapper(declared)
    setattr(function, _MARK, DeclaredPure(name, line, " ".join(reason.split())))
    return function


def _wrapper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return another object that does the same; a call of it has no frame of Tidegate's."""
    return update_wrapper(partial(function), function, updated=())


def _unwrapped(function: object) -> list[Any]:
    """Return a function and what it wraps, the innermost last."""
    chain = [function]
    while len(chain) < 100:
        last = chain[-1]
        if isinstance(last, partial):
            inner: object = last.func
        elif isinstance(last, (MethodType, staticmethod, classmethod)):
            inner = last.__func__
        else:
            inner = own_attributes(last).get("__wrapped__")
        if inner is None:
            break
        chain.append(inner)
    return chain


def own_attributes(value: object) -> Mapping[str, Any]:
    """Return the attributes of a value itself, without any code of its class."""
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return cast(Mapping[str, Any], attributes)
