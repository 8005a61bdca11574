"""Reads what records and other objects outside of the state are made of."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter, methodcaller
from typing import TYPE_CHECKING, Any

from ...core.fields import Record, declared_parts, kinds_of
from ...core.kinds import members_of
from .comparisons import shortened
from .values import Known, Value

if TYPE_CHECKING:
    from .body import Body


MADE_OF_CONSTANTS: tuple[Any, ...] = (partial, attrgetter, itemgetter, methodcaller)
"""Classes of which an object is made as the model does, where all that it is made of is known."""


def of_constants(kind: Any, arguments: Sequence[Value], named: Mapping[str, Value]) -> Known | None:
    """Return an object that is made of known values; None if one is not known, or it fails."""
    known = [value.value for value in arguments if isinstance(value, Known)]
    by_name = {name: value.value for name, value in named.items() if isinstance(value, Known)}
    if len(known) + len(by_name) != len(arguments) + len(named):
        return None
    try:
        return Known(kind(*known, **by_name))
    except TypeError:
        return None


def refuse_parts(body: Body, kind: type[Record], named: Mapping[str, Value], node: ast.AST) -> None:
    """Refuse a constant that no member of an enumeration has, and neither truth value."""
    for name, reads_as in kinds_of(declared_parts(kind)).items():
        value = named.get(name)
        if isinstance(value, Known) and value.value not in members_of(reads_as):
            text = f"{shortened(node)}: {name} is a {reads_as.__name__}, never {value.value!r}"
            body.find(node, text)
