"""What an expression changes, and what would be seen of that before the whole is evaluated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from ..form import (
    After,
    Apply,
    Bind,
    Call,
    Change,
    Clause,
    Combine,
    Compare,
    Comprehension,
    Element,
    Expression,
    For,
    Function,
    Given,
    Item,
    Local,
    Lookup,
    Part,
    Slice,
    Statement,
    Store,
    fields_of,
)
from ..types import Mapping, Places, Ref, Stream, is_changeable
from .owners import root_of

_FIELDS: dict[type, tuple[str, ...]] = {}


def _fields(kind: type) -> tuple[str, ...]:
    """Return the fields of a kind of nodes that hold nodes, in the order of their evaluation."""
    if kind not in _FIELDS:
        held = ("Expression", "Statement", "Clause")
        names = (one.name for one in fields(kind) if any(name in str(one.type) for name in held))
        _FIELDS[kind] = tuple(names)
    return _FIELDS[kind]


_KEPT = "_children"
"""Where a node keeps its parts: they are asked for again and again, and never change."""


def children(node: Expression | Statement) -> tuple[Expression | Statement, ...]:
    """Return the parts of a node, in the order in which they are evaluated."""
    known: tuple[Expression | Statement, ...] | None = vars(node).get(_KEPT)
    if known is None:
        known = vars(node)[_KEPT] = tuple(_children(node))
    return known


def _children(node: Expression | Statement) -> Iterator[Expression | Statement]:
    for field in _fields(type(node)):
        part = getattr(node, field)
        for one in part if isinstance(part, tuple) else (part,):
            if isinstance(one, (Expression, Statement)):
                yield one
            elif isinstance(one, tuple):
                yield from (inner for inner in one if isinstance(inner, Expression))
            elif isinstance(one, Clause):
                yield one.over
                yield from one.body
                yield from one.conditions


def assignments(body: Iterable[Expression | Statement]) -> Iterator[tuple[int, str]]:
    """Yield the line and the slot of each assignment in a part of a function."""
    for node in body:
        if isinstance(node, Bind):
            yield node.line, node.name
        elif isinstance(node, For):
            yield node.line, node.slot
        yield from assignments(children(node))


def is_simple(value: Expression) -> bool:
    """Whether an expression calls nothing, assigns nothing and changes nothing."""
    if isinstance(value, (Call, Change, After)):
        return False
    return all(isinstance(part, Expression) and is_simple(part) for part in children(value))


def effects(node: Expression | Statement, reads: bool = False) -> set[str]:
    """Return the names whose values a part of a function changes where they are.

    Parameters
    ----------
    reads
        Whether to include those of which the reading adds an entry, as in a defaultdict.
    """
    result: set[str] = set()
    if reads and isinstance(node, Lookup) and adds_entry(node):
        root = root_of(node.of)
        result |= {root} if root else set()
    if isinstance(node, Call):
        result |= {root for _, where in node.back if (root := root_of(where))}
    if isinstance(node, (Change, Store)):
        place = node.of if isinstance(node, Change) else node.target
        root = root_of(place.of if isinstance(place, Slice) else place)
        result |= {root} if root else set()
    for part in children(node):
        result |= effects(part, reads)
    return result


def adds_entry(one: Lookup) -> bool:
    """Whether the reading of a key adds it to the dictionary, if it is not there."""
    kind = one.of.type
    return one.default is None and isinstance(kind, Mapping) and kind.kind is defaultdict


def parts_within(node: Any) -> Iterator[Any]:
    """Yield a part of a function with all parts of it, and those of functions that it calls."""
    seen: set[int] = set()
    todo: list[Any] = [node]
    while todo:
        here = todo.pop()
        if isinstance(here, tuple):
            todo += here
        elif isinstance(here, Function):
            if id(here) not in seen:
                seen.add(id(here))
                todo += here.body
        elif isinstance(here, (Expression, Statement, Clause)):
            yield here
            todo += [value for name, value in fields_of(here) if name != "type"]


def writes_state(node: Expression | Statement) -> bool:
    """Whether a part of a function, or a function that it calls, may write to the state."""
    changes = (one for one in parts_within(node) if isinstance(one, (Change, Store)))
    return any(map(_in_state, changes))


def writing(function: Function) -> tuple[Function, int] | None:
    """Return a function and its line where the state is written to, at or below another one."""
    for statement in function.body:
        if not writes_state(statement):
            continue
        for part in parts_within(statement):
            if isinstance(part, Call) and (inner := writing(part.function)) is not None:
                return inner
        lines = (part.line for part in parts_within(statement) if _writes_itself(part))
        return function, next(lines, statement.line)
    return None


def _writes_itself(part: Any) -> bool:
    return isinstance(part, Statement) and any(
        isinstance(one, (Change, Store)) and _in_state(one) for one in (part, *children(part))
    )


def _in_state(one: Change | Store) -> bool:
    return _written_by(one) is not None


def _written_by(one: Change | Store) -> str | None:
    """Return the part of the state that changes; None if it is a value of the function's own."""
    place = one.of if isinstance(one, Change) else one.target
    while not (isinstance(place.type, Ref) or _is_of_state(place)):
        if not isinstance(place, (Part, Element, Item, Lookup, Slice)):
            return None
        place = place.of
    return form_of(place)


def _is_of_state(one: Any) -> bool:
    """Whether something is a part or an element of a part of the state."""
    return isinstance(one, (Part, Element)) and isinstance(one.of.type, Ref)


def written(nodes: Iterable[Expression | Statement]) -> Iterator[str]:
    """Yield the parts of the state that parts of a function, and what they call, may write to."""
    for node in nodes:
        for one in parts_within(node):
            if isinstance(one, (Change, Store)) and (part := _written_by(one)) is not None:
                yield part


def form_of(place: Expression) -> str:
    """Return the path of a place of the state, with [] for each index."""
    if isinstance(place.type, Ref):
        return place.type.form
    if isinstance(place, Part):
        owner = form_of(place.of)
        return f"{owner}.{place.name}" if owner else place.name
    return f"{form_of(place.of)}[]" if isinstance(place, Element) else ""


def is_in(form: str, place: str) -> bool:
    """Whether a place is a part of another one, or that itself."""
    return form == place or not place or form.startswith((f"{place}.", f"{place}["))


def overlaps(one: str, other: str) -> bool:
    """Whether one of two places lies in the other one, or is that."""
    return is_in(one, other) or is_in(other, one)


def names_in(one: Expression) -> set[str]:
    """Return the names that an expression reads."""
    return {part.name for part in parts_within(one) if isinstance(part, Local)}


def read(one: Expression) -> Iterator[str]:
    """Yield the parts of the state that an expression reads, but not what only leads to them."""
    if isinstance(one.type, Ref):
        yield one.type.form
    for part in parts_within(one):
        if isinstance(part, Clause):
            continue
        leads = _is_of_state(part)
        if leads and not isinstance(part.type, Ref):
            yield form_of(part)
        for child in children(part):
            if isinstance(child, Expression) and not (leads and child is part.of):
                if isinstance(child.type, Ref):
                    yield child.type.form
                elif isinstance(child.type, Places):
                    yield from (option.form for option in child.type.options)


def whole(value: Expression) -> set[str]:
    """Return the names of which an expression gives the values themselves, or parts of them."""
    if isinstance(value, (Change, Call, Bind)):
        return set()
    if isinstance(value, Local):
        return {value.name}
    if isinstance(value, After):
        return whole(value.value)
    return {
        name
        for part in children(value)
        if isinstance(part, Expression) and is_changeable(part.type)
        for name in whole(part)
    }


def iterated(over: Expression) -> Iterator[Expression]:
    """Yield what Python makes iterators of when a loop goes over something."""
    if isinstance(over, Comprehension):
        for clause in over.clauses:
            yield from iterated(clause.over)
    elif isinstance(over, Apply) and isinstance(over.type, Stream):
        for part in over.arguments:
            yield from () if isinstance(part, Given) else iterated(part)
    else:
        yield over


def acts(node: Expression) -> bool:
    """Whether the evaluation of an expression changes anything that others see.

    Slots of the lowering's own, whose names have a quote, are nobody else's.
    """
    if effects(node) or writes_state(node):
        return True
    return any("'" not in slot for _, slot in assignments([node]))


def early(function: Function) -> tuple[int, str] | None:
    """Return a line with a name that is read as a whole, and changes before that is used.

    Python has the list itself there, and sees the change; the form has its value.
    """
    for statement in function.body:
        result = _early(statement, function.line)
        if result is not None:
            return result
    return None


def early_in(value: Expression) -> str | None:
    """Return a name that an expression reads as a whole, and changes before that is used."""
    result = _early(value, 0)
    return None if result is None else result[1]


def _early(node: Expression | Statement, line: int) -> tuple[int, str] | None:
    line = node.line if isinstance(node, Statement) else line
    parts = children(node)
    if isinstance(node, (Compare, Combine, Apply)):
        # Python has the container itself there, and sees what a later operand changes.
        kinds = [part.type for part in parts if isinstance(part, Expression)]
        read = [kind.form for kind in kinds if isinstance(kind, Ref)]
        if read and any(map(writes_state, parts)):
            return line, read[0]
    if isinstance(node, Expression) and not isinstance(node, After):
        held: set[str] = set()
        for part in parts:
            # A dictionary that an entry is added to ends a comprehension over it.
            reads = not isinstance(node, Comprehension)
            if held and (changed := held & effects(part, reads)):
                return line, min(changed)
            # What a method changes is a place, which both have when the arguments are known.
            is_place = isinstance(node, Change) and part is node.of
            if isinstance(part, Expression) and is_changeable(part.type) and not is_place:
                held |= whole(part)
    for part in parts:
        result = _early(part, line)
        if result is not None:
            return result
    return None
