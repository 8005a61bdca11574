"""What exists when the file is loaded: what it computes is the model's code, and lowered, too."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from inspect import getattr_static
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from ...core.origins import is_library
from ...core.sources import is_own
from ..form import Constant, Expression
from ..impure import ONLY, is_users, why_impure
from ..types import Known, Number, OneOf, type_of

if TYPE_CHECKING:
    from .frame import Frame

_COMPUTED = "__getattr__", "__getattribute__"


def read(frame: Frame, owner: Constant, attr: str, node: ast.AST) -> Expression | None:
    """Return what a property of an object gives; None if the object has the attribute itself.

    Raises
    ------
    LoweringError
        If a class computes all of its attributes, or the attribute is one of Python's that differs
        from run to run.
    """
    value = owner.value
    if isinstance(value, ModuleType):
        if not is_users(value):
            refuse_impure(frame, getattr(value, attr, None), node, value.__name__, attr)
        frame.lowering.constants.add((value.__name__, attr))
        return None
    static = getattr_static(type(value), attr, None)
    getter = static.fget if isinstance(static, property) else None
    if isinstance(static, functools.cached_property):
        getter = static.func
    arguments = [owner]
    if getter is None:
        getter = getattr_static(type(static), "__get__", None)
        arguments = [Constant(Known(one), one) for one in (static, value, type(value))]
    if isinstance(getter, FunctionType) and (_is_models(getter) or _switches(frame, getter)):
        called = frame.lowering.call(frame, getter, arguments, {}, node)
        return _number(frame, value, attr) or called
    refuse_computed(frame, owner, _COMPUTED, node)
    return None


def _number(frame: Frame, value: object, attr: str) -> Constant | None:
    """Return the number that a property in the language has; None if it has none, or may change."""
    if frame.lowering.switches:
        return None
    try:
        result = getattr(value, attr)
    except Exception:  # noqa: BLE001 - the call says it where it is made
        return None
    kind = type_of(result)
    return Constant(kind, result) if isinstance(kind, Number) else None


def refuse_impure(
    frame: Frame, value: object, node: ast.AST, module: str = "", name: str = ""
) -> None:
    """Refuse what Python's library reads from outside of the model."""
    what = why_impure(value, module, name)
    if what:
        shown = node.func if isinstance(node, ast.Call) else node
        raise frame.refusal(node, f"{frame.text(shown)} {what}", ONLY)


def refuse_computed(frame: Frame, value: Expression, names: tuple[str, ...], node: ast.AST) -> None:
    """Refuse what Python asks an object's own method for, as its truth, which is a call."""
    for one in objects_of(value):
        refuse_impure(frame, None if callable(one) else one, node)
        for name in names:
            method = getattr_static(type(one), name, None)
            if isinstance(method, FunctionType) and _is_models(method):
                raise frame.refusal(
                    node,
                    f"{frame.text(node)} calls {type(one).__name__}.{name}, which is not in the "
                    "language of models",
                    "give the method a name, and call that",
                )


def objects_of(value: Expression) -> Iterator[Any]:
    """Yield what a value may be, of what exists when the file is loaded."""
    if isinstance(value.type, Known):
        yield value.type.value
    elif isinstance(value.type, OneOf):
        yield from value.type.options


def _switches(frame: Frame, getter: FunctionType) -> bool:
    """Whether a property asks for a constant that is not taken for known."""
    return not frame.lowering.switches.isdisjoint(getter.__code__.co_names)


def _is_models(function: FunctionType) -> bool:
    """Whether a method is code of somebody's, not of Python's enumerations and tables."""
    return not is_library(function.__code__.co_filename) and is_own(function)
