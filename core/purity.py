"""``@tidegate.pure``: functions that are declared pure, and which of them a model reaches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial, update_wrapper
from inspect import getattr_static
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar, cast, overload

from .errors import Line, ModelError, is_users, printed, shown

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__tidegate_pure__"
"""The attribute that :func:`pure` sets; it has the :class:`DeclaredPure`."""

_MOST_ELEMENTS = 10_000
"""The most elements of a collection among which functions are looked for."""


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


def declared_pure(
    functions: Iterable[Callable[..., Any]], *spaces: object
) -> tuple[DeclaredPure, ...]:
    """Return the functions declared pure that some functions reach, in the order of their lines.

    Reached is what their code names: variables of the module and of enclosing functions, defaults,
    functions in collections, and attributes of whatever module, class or object is reached.  So a
    function may be reached that no run calls.  What a declared one calls is not looked at.

    Parameters
    ----------
    functions
        Actions, predicates and the other functions that a search calls.
    spaces
        Objects and classes that they receive as arguments: what they name may be an attribute of
        one, such as a rule, or a method of the state.
    """
    reach = _Reach(spaces)
    for function in functions:
        reach.visit_root(function)
    return tuple(sorted(reach.declared, key=lambda one: (one.line, one.function)))


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


class _Reach:
    """The functions declared pure that a walk along the names in code has met."""

    def __init__(self, spaces: Iterable[object]) -> None:
        self.declared: set[DeclaredPure] = set()
        self._names: set[str] = set()
        self._holders: list[dict[str, Any]] = [_members(space) for space in spaces]
        # What was visited is kept, so that no other object gets its number.
        self._seen: dict[int, object] = {}
        self._packages: set[str] = set()

    def visit_root(self, function: object) -> None:
        """Visit a function that a search calls, wherever it is from, with its package."""
        for one in _unwrapped(function):
            if isinstance(one, FunctionType):
                self._packages.add(_package(one))
        todo = [function]
        while todo:
            one = todo.pop()
            if id(one) in self._seen:
                continue
            self._seen[id(one)] = one
            declaration = declaration_of(one)
            if declaration is not None:
                self.declared.add(declaration)
            else:
                todo += self._next(one)

    def _next(self, value: object) -> Iterator[object]:
        """Yield what a value leads to."""
        yield from _unwrapped(value)[1:]
        if isinstance(value, FunctionType):
            if self._is_read(value):
                yield from _outside(value)
                yield from self._named(_names(value.__code__))
        elif isinstance(value, partial):
            yield from (*value.args, *value.keywords.values())
        elif isinstance(value, property):
            yield from (value.fget, value.fset)
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield from list(value)[:_MOST_ELEMENTS]
        elif isinstance(value, dict):
            yield from list(value.values())[:_MOST_ELEMENTS]
        elif isinstance(value, MethodType):
            yield value.__self__
        elif isinstance(value, ModuleType) or _is_of_user(value):
            yield from self._held(_members(value))

    def _is_read(self, function: FunctionType) -> bool:
        """Whether a function is the model's, not one of Python or of a library."""
        return _is_of_file(function.__code__.co_filename) or _package(function) in self._packages

    def _named(self, names: set[str]) -> Iterator[object]:
        """Yield the attributes with some names of all modules, classes and objects so far."""
        new = names - self._names
        self._names |= new
        for members in self._holders:
            yield from (members[name] for name in new & members.keys())

    def _held(self, members: dict[str, Any]) -> Iterator[object]:
        """Yield the attributes of a module, a class or an object that some code names."""
        self._holders.append(members)
        # An operator calls its method without naming it.
        operators = {name for name in members if isinstance(members[name], FunctionType)}
        operators = {name for name in operators if name.startswith("__")}
        yield from (members[name] for name in (self._names | operators) & members.keys())


def _outside(function: FunctionType) -> Iterator[object]:
    """Yield the values of the module, of enclosing functions and of defaults that code names."""
    space = function.__globals__
    yield from (space[name] for name in _names(function.__code__) if name in space)
    for cell in function.__closure__ or ():
        with suppress(ValueError):
            yield cell.cell_contents
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()


def _members(holder: object) -> dict[str, Any]:
    """Return the attributes of a module, of a class or of an object and its class."""
    kind = holder if isinstance(holder, type) else type(holder)
    classes = () if isinstance(holder, ModuleType) else reversed(kind.__mro__)
    members = {name: value for one in classes for name, value in vars(one).items()}
    return members | dict(own_attributes(holder))


def _names(code: CodeType) -> set[str]:
    """Return the variables and attributes that code, or code nested in it, names."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)


def _package(function: FunctionType) -> str:
    """Return the package of a function; that of a script or a file is itself."""
    return str(function.__module__).partition(".")[0]


def _is_of_user(value: object) -> bool:
    """Whether a value is a class of the user, or an object of one."""
    kind = value if isinstance(value, type) else type(value)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return isinstance(file, str) and _is_of_file(file)


@cache
def _is_of_file(file: str) -> bool:
    return is_users(file)
