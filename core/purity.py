"""``@tidegate.pure``, and changes of what a model's code reads outside of the state."""

from __future__ import annotations

import inspect
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial, update_wrapper
from inspect import getattr_static
from itertools import chain
from types import (
    BuiltinMethodType,
    CellType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any, TypeVar, cast, overload

from .errors import Line, ModelError, about, printed, shown
from .origins import is_users
from .sources import global_names

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
    """Return the declaration on a function, on what it wraps, or on its object's ``__call__``."""
    for one in (*_unwrapped(function), getattr_static(type(function), "__call__", None)):
        mark = own_attributes(one).get(_MARK)
        if isinstance(mark, DeclaredPure):
            return mark
    return None


def _marked(declared: Any, reason: str, module: object, line: Line) -> Any:
    """Return a function, or a wrapper of it, with the declaration on it."""
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


_DATA = (
    bool, bytes, float, int, str, type(None), tuple, frozenset, bytearray, deque, dict, list, set,
    MappingProxyType,
)  # fmt: skip

_PLAIN = (bool, bytes, complex, float, int, str, type(None))

_PLAIN_KINDS = frozenset(_PLAIN)

_HOLDERS = (FunctionType, MethodType, SimpleNamespace, partial)
"""Classes of Python whose objects hold data, beside those of collections."""

_DEFAULTS = {"_field_defaults"}
"""What a named tuple that is made with fewer arguments holds."""

Look = Callable[[], object]
"""Returns the present value of a name."""


@dataclass
class _Place:
    """A name that a function reads, with what it stood for at the start."""

    function: FunctionType
    name: str
    look: Look
    before: str


@dataclass(frozen=True)
class Unproven:
    """What runs before the search, or a constant, that nothing shows to be the same in every run.

    Parameters
    ----------
    name, line
        Of a function; or of a constant and the statement that makes it.
    value
        What a constant is here, as a text that is the same for equal values.
    """

    name: str
    line: Line | None
    value: str = ""


class Outside:
    """The data outside of the state that functions of a model read, as of the start of the search.

    Parameters
    ----------
    functions
        Actions, predicates and the other functions that a search calls.
    """

    def __init__(self, functions: Iterable[Callable[..., Any]]) -> None:
        self._seen: set[int] = set()
        self._places: list[_Place] = []
        for function in functions:
            self._add(function)

    def refuse_writes(self) -> None:
        """Refuse data that has changed since.

        Raises
        ------
        ModelError
            If a variable of a module or of an enclosing function, or a default has changed: a step
            then depends on the steps that were tried before.
        """
        for place in self._places:
            if _written(place.look()) != place.before:
                raise about(
                    place.function,
                    f"{place.name} changed while the model was searched: what an action or a "
                    "property writes must be a variable of the state",
                )

    def _add(self, function: object) -> None:
        if not isinstance(function, FunctionType) or id(function) in self._seen:
            return
        if is_declared_pure(function):
            return
        self._seen.add(id(function))
        if not is_users(function.__code__.co_filename):
            return
        for name, look in read_by(function):
            value = look()
            if is_declared_pure(value):
                continue
            self._add(own_attributes(value).get("__wrapped__", value))
            if isinstance(value, _DATA) or _has_data(value):
                self._places.append(_Place(function, name, look, _written(value)))


def read_by(function: FunctionType) -> Iterator[tuple[str, Look]]:
    """Yield the names that a function reads and that are not local to it."""
    space = function.__globals__
    for name in set(global_names(function.__code__)):
        if name in space:
            yield name, lambda name=name: space.get(name)  # type: ignore[misc]
    cells: tuple[CellType, ...] = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        yield name, lambda cell=cell: _content(cell)  # type: ignore[misc]
    for value in function.__defaults__ or ():
        yield f"a default of {function.__name__}", lambda value=value: value  # type: ignore[misc]


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _has_data(value: object) -> bool:
    """Whether a value is a user's function, class or object, or a library's that holds data."""
    if isinstance(value, BuiltinMethodType):
        return not isinstance(value.__self__, ModuleType)
    if isinstance(value, _HOLDERS):
        return True
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__ == "collections" or _is_of_user(kind)


def _is_of_user(kind: type) -> bool:
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return file is not None and is_users(file)


def _written(value: object) -> str:
    """Return all data in a value as text that differs once some of it has changed."""
    return repr(_shape(value, {}))


def _shape(value: Any, seen: dict[int, object]) -> object:
    """Return the data in a value and in what it holds, each object once."""
    if isinstance(value, _PLAIN):
        return value
    name = type(value).__name__
    if id(value) in seen:
        return name
    seen[id(value)] = value
    parts = list(_data_in(value))
    if not _PLAIN_KINDS.issuperset(map(type, parts)):
        parts = [_shape(part, seen) for part in parts]
    return name, sorted(map(repr, parts)) if isinstance(value, (set, frozenset)) else parts


def _data_in(value: Any) -> Iterable[object]:
    """Return what a value holds that may be, or hold, data."""
    if isinstance(value, (dict, MappingProxyType)):
        return chain.from_iterable(value.items())
    if isinstance(value, (tuple, frozenset, bytearray, deque, list, set)):
        return value
    if isinstance(value, partial):
        return (value.func, value.args, value.keywords)
    if isinstance(value, (MethodType, BuiltinMethodType)):
        return (value.__self__,)
    if isinstance(value, Enum):
        return (value.value,)
    if isinstance(value, FunctionType):
        if is_declared_pure(value) or not is_users(value.__code__.co_filename):
            return ()
        held = (value.__defaults__, value.__kwdefaults__, *map(_content, value.__closure__ or ()))
        return (*held, *_attributes(value))
    return _attributes(value) if _has_data(value) else ()


def _attributes(value: object) -> list[object]:
    """Return the attributes of an object, but for private ones and what cached properties keep.

    The getter of a cached property is read, and a write to what it keeps is refused there.
    """
    kind = type(value)
    slots = {
        name: getattr(value, name, None)
        for base in kind.__mro__
        for name in vars(base).get("__slots__", ())
        if isinstance(inspect.getattr_static(kind, name, None), MemberDescriptorType)
    }
    return [
        part
        for name, part in (slots | dict(own_attributes(value))).items()
        if (name in _DEFAULTS or not name.startswith("_"))
        and not isinstance(inspect.getattr_static(kind, name, None), cached_property)
    ]
