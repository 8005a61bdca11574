"""Finds names that nothing defines, and attributes that the state and the constants do not have.

A function is read, not run.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from typing import Any

from ..core.containers import Ordered
from ..core.errors import ModelError, TidegateError, lacks, nearest
from ..core.fields import Record, declaration_of, getter_of
from ..core.guards import read_tree
from ..core.origins import is_users
from ..core.sources import global_names
from ..core.spec import TransitionSystem
from ..model.protocol import Protocol

_UNKNOWN = object()
"""Stands for a value that is known only at run time."""


def refuse_misspelt(protocol: Protocol) -> None:
    """Refuse a protocol with a rule, action or property that reads a name that does not exist.

    Raises
    ------
    ModelError
        With the line of the first wrong name.
    """
    functions = [
        function for function in _functions(protocol) if is_users(function.__code__.co_filename)
    ]
    for function in functions:
        for name in global_names(function.__code__):
            if not (name in function.__globals__ or hasattr(builtins, name)):
                here = function.__code__.co_varnames, function.__globals__, vars(builtins)
                near = next(filter(None, (nearest(name, names) for names in here)), "")
                hint = f"; did you mean {near}?" if near else ""
                raise _error(function, _line_of(function, name), f"nothing defines {name!r}{hint}")
    if not functions:
        return
    try:
        system = protocol.system(protocol.within(()))
    except TidegateError:
        return  # The search with the requested bounds will report it.
    others = filter(inspect.isfunction, (system.initialise, system.constraint))
    own = [function for function in others if is_users(function.__code__.co_filename)]
    for function in [*functions, *own]:
        _refuse_unknown_attributes(function, system)


def _functions(protocol: Protocol) -> Iterator[Any]:
    """Yield the functions of a protocol that are called with the state and the constants."""
    rules = (getattr(protocol.rules, field.name) for field in fields(protocol.rules))
    candidates: list[Callable[..., Any]] = [
        *filter(callable, rules),
        *(action.apply for action in protocol.actions),
        *(prop.witness or prop.predicate for prop in protocol.properties),
        *(prop.explain for prop in protocol.properties),
    ]
    yield from filter(inspect.isfunction, map(inspect.unwrap, candidates))


def _line_of(function: Any, name: str) -> int:
    """Return the first line of a function that has a name, if its source is at hand."""
    with suppress(OSError, AssertionError):
        for node in ast.walk(read_tree(function)):
            if isinstance(node, ast.Name) and node.id == name:
                return node.lineno
    return int(function.__code__.co_firstlineno)


def _refuse_unknown_attributes(function: Any, system: TransitionSystem[Any, Any]) -> None:
    """Refuse a function that reads an attribute that the state or the constants do not have."""
    with suppress(OSError, AssertionError):
        definition = read_tree(function)
        parameters = list(inspect.signature(function).parameters)[:2]
        if len(parameters) < 2:
            return
        values = dict(zip(parameters, (system.record, system.constants), strict=True))
        wrong = sorted(
            _read(definition, values), key=lambda one: (one[1].lineno, one[1].col_offset)
        )
        for owner, node in wrong[:1]:
            raise _error(function, node.lineno, lacks(type(owner).__name__, dir(owner), node.attr))


def _read(definition: ast.FunctionDef, values: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each unknown attribute, with the part of the state or the constants that lacks it."""
    known: dict[ast.AST, Any] = {}
    for node in ast.walk(definition):
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=source):
                known[target] = _value(source, values)
            case (
                ast.For(target=ast.Name() as target, iter=source)
                | ast.comprehension(target=ast.Name() as target, iter=source)
            ):
                known[target] = _element(_value(source, values))
            case ast.Name(id=name, ctx=ast.Store()):
                value = known.get(node, _UNKNOWN)
                values[name] = value if values.get(name, value) is value else _UNKNOWN
            case ast.arg(arg=name) if node not in definition.args.args:
                values[name] = _UNKNOWN
    for node in ast.walk(definition):
        if isinstance(node, ast.Attribute):
            owner = _value(node.value, values)
            if owner is _UNKNOWN or _is_computed(owner, node.attr):
                continue
            if not hasattr(owner, node.attr):
                yield owner, node


def _value(node: ast.expr, values: dict[str, Any]) -> Any:
    """Return the part of the state or the constants that an expression denotes."""
    if isinstance(node, ast.Name):
        return values.get(node.id, _UNKNOWN)
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, values)
        if owner is _UNKNOWN or isinstance(owner, (int, str)) or _is_computed(owner, node.attr):
            return _UNKNOWN
        return getattr(owner, node.attr, _UNKNOWN)
    if isinstance(node, ast.Subscript):
        owner = _value(node.value, values)
        return _UNKNOWN if isinstance(node.slice, ast.Slice) else _element(owner)
    return _UNKNOWN


def _element(owner: Any) -> Any:
    """Return what an array, a sequence or a set of records of the state has for each element."""
    items = owner.items if isinstance(owner, Ordered) else owner
    return items[0] if isinstance(items, (list, tuple)) and items else _UNKNOWN


def _is_computed(owner: Any, name: str) -> bool:
    """Whether an attribute is a property of a record, which need not work in every state."""
    return isinstance(owner, Record) and getter_of(declaration_of(owner), name) is not None


def _error(function: Any, line: int, text: str) -> ModelError:
    """Return an error at a line of a function."""
    error = ModelError(f"{text} (in {function.__name__}())")
    error.place = (function.__code__.co_filename, line)
    return error
