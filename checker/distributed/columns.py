"""The columns of exported tables, as a description that is sent to executors.

They have the names and the nesting of the state's declaration: ``replica[0].log[1].epoch`` is the
``epoch`` of a record in a list ``log`` in a record in a list ``replica``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.layout import Layout
from ...core.record import Variable
from ...core.spec import Kind, Property, TidegateError, TransitionSystem

OWN = ("fingerprint", "depth")
"""Columns of the table of states that are not variables."""

MOST_SHOWN = 1 << 16
"""The most values of a variable that is exported by its names."""


class ExportError(TidegateError):
    """Tables cannot be written, with the reason."""


@dataclass(frozen=True)
class Leaf:
    """A variable, or the same variable of all elements of an array.

    Attributes
    ----------
    low, high
        Its range.
    places
        Its positions in a state: for each element the word, the shift and the width in bits.
    shown
        For an enumeration, a truth value or a set: the meaning of each value of the range.
    """

    low: int
    high: int
    places: tuple[tuple[int, int, int], ...]
    shown: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class Items:
    """An array, whose length is the same in every state."""

    length: int
    element: Column


@dataclass(frozen=True)
class Struct:
    """A record."""

    fields: tuple[tuple[str, Column], ...]


Column = Leaf | Items | Struct


@dataclass(frozen=True)
class Export:
    """What executors need to write tables.

    Attributes
    ----------
    address
        The directory of the tables.
    columns
        The variables of a state.
    steps
        For each instance of an action its name, its parameters and its arguments.
    properties
        Their names.
    """

    address: str
    columns: Struct
    steps: tuple[tuple[str, tuple[str, ...], tuple[int, ...]], ...]
    properties: tuple[str, ...]


def described(
    address: str, system: TransitionSystem[Any, Any], properties: Sequence[Property]
) -> Export:
    """Return what executors need to write the tables of a search.

    Raises
    ------
    ExportError
        If the tables cannot represent a property or a variable.
    """
    for prop in properties:
        if prop.kind is Kind.SOMETIMES:
            raise ExportError(
                f"--export cannot be combined with -p {prop.name}: no state violates that "
                "property, and the table of violations would list those that satisfy it; "
                "leave one out"
            )
        if prop.kind.needs_graph:
            raise ExportError(
                f"--export cannot be combined with -p {prop.name}: that property is decided when "
                "all states are known, and its violations would be missing; leave one out"
            )
    columns = columns_of(system.layout)
    for name, _ in columns.fields:
        if name in OWN:
            raise ExportError(
                f"--export: {system.name} has a variable {name}, but the table of states has "
                "another column of that name; rename the variable"
            )
    steps = tuple(
        (instance.action.name, instance.action.parameters, instance.arguments)
        for instance in system.instances
    )
    return Export(address, columns, steps, tuple(prop.name for prop in properties))


def columns_of(layout: Layout[Any]) -> Struct:
    """Return the columns of a state, including those of variables that never change."""
    tree: dict[str, Any] = {}
    lengths: dict[str, int] = {}
    for variable in layout.variables:
        node: Any = tree
        form = ""
        parts = re.findall(r"\w+|\[\d+\]", variable.path)
        for number, part in enumerate(parts):
            key = part
            if part.startswith("["):
                lengths[form] = max(lengths.get(form, 0), int(part[1:-1]) + 1)
                key = "[]"
            form += key
            node = node.setdefault(key, [] if number == len(parts) - 1 else {})
        node.append(variable)
    column = _column(tree, "", lengths)
    assert isinstance(column, Struct)
    return column


def _column(node: Any, form: str, lengths: dict[str, int]) -> Column:
    if isinstance(node, list):
        return _leaf(node)
    if "[]" in node:
        return Items(lengths[form], _column(node["[]"], f"{form}[]", lengths))
    return Struct(tuple((name, _column(node[name], form + name, lengths)) for name in node))


def _leaf(variables: list[Variable]) -> Leaf:
    first = variables[0]
    places = tuple((v.word, v.shift, v.width) for v in variables)
    return Leaf(first.low, first.high, places, _shown(first))


def _shown(variable: Variable) -> tuple[Any, ...] | None:
    """Return the meaning of each value of a variable that is not shown as a number."""
    if variable.field.show is int or variable.high - variable.low >= MOST_SHOWN:
        return None
    shown = [variable.shown(value) for value in range(variable.low, variable.high + 1)]
    if all(isinstance(value, set) for value in shown):
        return tuple(sorted(value) for value in shown if isinstance(value, set))
    return tuple(shown) if all(isinstance(value, (str, bool)) for value in shown) else None
