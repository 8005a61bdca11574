"""What machine code has no room or no way for, in a function that is lowered.

Python could run it; as each engine takes the same models, it is refused for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from ...core.fields import declared_parts
from ..form import (
    Apply,
    Change,
    Compare,
    Comprehension,
    Constant,
    Contains,
    Element,
    Expression,
    For,
    Function,
    Gather,
    Length,
    Lookup,
    Make,
    Range,
    Slice,
    Statement,
    Store,
)
from ..schema import Schema
from ..tabulated import is_indexed, is_value
from ..types import (
    CONTAINERS,
    LEAST_MEMBER,
    MOST_MEMBER,
    WORD,
    Mapping,
    Members,
    Number,
    Record,
    Type,
    overriding,
    parts_of,
)
from .effects import children
from .rounds import is_noticed, watched

MOST_ELEMENTS = 64
"""The most elements of a container that a function makes."""

_DEEPEST = 3
"""How deep containers outside of the state may lie in each other."""


class Limit(NamedTuple):
    """A refusal, and what to write instead."""

    line: int
    what: str
    repair: str


def beyond(function: Function, schema: Schema) -> Limit | None:
    """Return the first limit that a function exceeds, without the functions that it calls."""
    for statement in function.body:
        for limit in _within(statement, function.line, schema):
            return limit
    return None


def _within(node: Any, line: int, schema: Schema) -> Iterator[Limit]:
    line = getattr(node, "line", line)
    kind = getattr(node, "type", None)
    if isinstance(kind, Number) and kind.kind is not None and overriding(kind.kind):
        name = kind.kind.__name__
        yield Limit(line, f"a number of {name}, which overrides arithmetic", "write a function")
    rule = _RULES.get(type(node))
    if rule is not None:
        for what, repair in rule(node, schema):
            yield Limit(line, what, repair)
    for part in children(node):
        # A value is compared with each of those among which it is looked for.
        among = isinstance(node, Contains) and part is node.of and isinstance(part, Make)
        for one in children(part) if among else (part,):
            yield from _within(one, line, schema)
        if isinstance(part, Constant) and not _has_room(part, node):
            yield Limit(line, _NO_ROOM.format(len(part.value)), "read it by its name: TABLE[i]")


_NO_ROOM = "a container of the file with {} elements has no room outside of it"

_READING = Element, Slice, Lookup, Contains, Length, For, Comprehension, Apply, Gather
"""What reads a container of the file where it lies."""


def _has_room(one: Constant, read_by: Expression | Statement) -> bool:
    """Whether a container of the file is small, or is read where it lies, in a table."""
    kind = one.type
    if not isinstance(kind, CONTAINERS) or len(one.value) <= MOST_ELEMENTS:
        return True
    if not isinstance(read_by, _READING):
        return False
    if isinstance(read_by, (Lookup, Contains)):
        return is_indexed(kind.key if isinstance(kind, Mapping) else kind.element)
    return is_value(kind.key if isinstance(kind, Mapping) else kind.element)


Said = Iterator[tuple[str, str]]


def _range(node: Range, schema: Schema) -> Said:
    if not isinstance(node.step, Constant) or node.step.value == 0:
        yield "a range whose step another state may say", "write a while loop"


def _apply(node: Apply, schema: Schema) -> Said:
    count = None
    if node.name == "product":
        [(_, count)] = node.named
    elif node.name in ("combinations", "permutations"):
        count = node.arguments[1] if len(node.arguments) > 1 else None
    if count is not None and not isinstance(count, Constant):
        yield (
            f"{node.name} of so many as another state may say",
            "take the number from the bounds, or write a loop for each number",
        )
    if node.name in ("count", "index"):
        yield from _whole(node.arguments[1].type)


def _store(node: Store, schema: Schema) -> Said:
    if isinstance(node.target, Slice):
        yield from _whole(node.value.type)


def _loop(node: For, schema: Schema) -> Said:
    yield from _meanwhile(node.over, node.body, schema)


def _comprehension(node: Comprehension, schema: Schema) -> Said:
    for number, clause in enumerate(node.clauses, 1):
        rest = replace(node, clauses=node.clauses[number:])
        yield from _meanwhile(clause.over, (*clause.body, *clause.conditions, rest), schema)


def _meanwhile(over: Expression, parts: tuple[Expression | Statement, ...], schema: Schema) -> Said:
    if not all(is_noticed(one, parts, schema) for one in watched(over, parts, schema)):
        yield "this loop changes what it goes over", "go over a copy of it: list(...)"


def _compare(node: Compare, schema: Schema) -> Said:
    for side in (node.left, node.right):
        yield from _whole(side.type)


def _contains(node: Contains, schema: Schema) -> Said:
    yield from _whole(node.item.type)


def _change(node: Change, schema: Schema) -> Said:
    # A record at the end of a sequence gets the lowest values there.
    if node.method != "append":
        for one in node.arguments:
            yield from _whole(one.type)


def _whole(kind: Type) -> Said:
    """Yield what a record lacks, which is compared with others."""
    if isinstance(kind, Record):
        for name in declared_parts(kind.declaration):
            if kind.field(name) is None:
                yield (
                    f"{kind.declaration.__name__}(...) is made without {name}, whose lowest value "
                    "the bounds say, and compared",
                    f"write {name}=...",
                )
    for part in parts_of(kind):
        yield from _whole(part)


def _made(node: Make | Gather, schema: Schema) -> Said:
    kind = node.type
    if isinstance(kind, Members):
        yield from _whole(kind.element)
        yield from _members(kind)
    if _depth(kind) > _DEEPEST:
        yield (
            f"containers in containers, more than {_DEEPEST} deep",
            "use tuples as keys of one dictionary: d[i, j, n]",
        )


def _members(kind: Members) -> Said:
    element = kind.element
    if not isinstance(element, Number):
        return
    if element.low > MOST_MEMBER or element.high < LEAST_MEMBER:
        numbers = f"{element.low:,} or more" if element.low > 0 else f"{element.high:,} or less"
        yield (
            f"a set of numbers that are {numbers}; sets have numbers from {LEAST_MEMBER} to "
            f"{MOST_MEMBER}",
            "use a list, or a dictionary with these numbers as keys",
        )


def _depth(kind: Type) -> int:
    inner = max(map(_depth, parts_of(kind)), default=0)
    return inner + isinstance(kind, CONTAINERS)


def _constant(node: Constant, schema: Schema) -> Said:
    kind = node.type
    if isinstance(kind, Number) and not WORD[0] <= kind.low <= WORD[1]:
        yield f"the number {node.value}, which takes more than 64 bits", "use a smaller one"


_RULES: dict[type, Callable[[Any, Schema], Said]] = {
    Range: _range, Apply: _apply, For: _loop, Comprehension: _comprehension, Compare: _compare,
    Contains: _contains, Change: _change, Make: _made, Gather: _made, Constant: _constant,
    Store: _store,
}  # fmt: skip
