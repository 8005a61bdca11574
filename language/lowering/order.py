"""Where a rule depends on the order in which Python keeps a set.

That order depends on the hashes of its members, which for texts and records differ from process to
process, and on what the set had before.  Where it cannot show, as in ``any`` and ``len``, a set may
be gone over as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..form import (
    Apply,
    Change,
    Clause,
    Combine,
    Comprehension,
    Contains,
    Expression,
    First,
    For,
    Function,
    Gather,
    Given,
    Length,
    Quantify,
    Slice,
    Statement,
    Store,
)
from ..types import Mapping, Members, Never, Number, Sequence, Stream, Type, parts_of
from .effects import acts, children

SHOWN = (
    "the order of a set shows here, which depends on how Python stores it; write sorted(...), with "
    "a key for records"
)

OF_OBJECTS = (
    "the order of a set of objects differs from process to process; write a tuple where it is made"
)

_IN_ORDER, _BESIDE_NONE = 7, 5
"""The largest member up to which CPython iterates any set in ascending order.

A set's table has at least 8 slots, and a small number is its own hash (Objects/setobject.c).  The
hash of -1 is -2, so it comes last where no other member is above the latter.
"""


def order_shown(function: Function) -> int | None:
    """Return the first line of a function where the order of a set shows; None if none does."""
    for statement in function.body:
        for line in _within(statement, function.line):
            return line
    return None


def is_shown(over: Expression, line: int) -> bool:
    """Whether what something yields has the order of a set."""
    return any(_stream(over, True, line))


def has_order_of_a_set(kind: Type) -> bool:
    """Whether values of a type are dictionaries, or have some, with the order of a set."""
    own = isinstance(kind, Mapping) and kind.of_a_set
    return own or any(map(has_order_of_a_set, parts_of(kind)))


def is_unordered(kind: Type) -> bool:
    """Whether values of a type are kept in an order that a model must not depend on."""
    if isinstance(kind, Mapping):
        return kind.of_a_set
    if not isinstance(kind, Members) or kind.ordered or isinstance(kind.element, Never):
        return False
    element = kind.element
    if not isinstance(element, Number):
        return True
    return element.high > (_IN_ORDER if element.low >= 0 else _BESIDE_NONE)


def _within(node: Expression | Statement, line: int) -> Iterator[int]:
    """Yield the lines in a part of a function where the order of a set shows."""
    line = getattr(node, "line", line)
    gone_over = list(_gone_over(node))
    for over, shows in gone_over:
        yield from _stream(over, shows, line)
    for part in children(node):
        if not any(part is over for over, _ in gone_over):
            yield from _within(part, line)


def _gone_over(node: Expression | Statement) -> Iterator[tuple[Expression, bool]]:
    """Yield what a node goes over, and whether it shows which value comes first."""
    if isinstance(node, For):
        yield node.over, True
    elif isinstance(node, (Quantify, First)):
        yield node.of, isinstance(node, First)
    elif isinstance(node, Contains):
        yield node.of, False
    elif isinstance(node, Gather):
        # What a dictionary is made of has its order.
        yield node.of, not isinstance(node.type, Members) and not _counts(node.type)
    elif isinstance(node, Combine) and isinstance(node.type, Sequence):
        yield from ((side, True) for side in (node.left, node.right))
    elif isinstance(node, Change):
        fills = node.method == "update" and isinstance(node.of.type, Mapping)
        shows = fills or node.method in ("extend", "extendleft")
        yield from ((one, shows) for one in node.arguments)
    elif isinstance(node, Store) and isinstance(node.target, Slice):
        yield node.value, True
    elif isinstance(node, Length) and isinstance(node.of.type, Sequence):
        yield node.of, False
    elif isinstance(node, Apply):
        yield from _by_library(node)


def _counts(kind: Type) -> bool:
    return isinstance(kind, Mapping) and kind.kind is Counter


def _has_sets(kind: Type) -> bool:
    """Whether values are sets, or have some in them: of two neither need be less."""
    return isinstance(kind, Members) or any(map(_has_sets, parts_of(kind)))


def _by_library(node: Apply) -> Iterator[tuple[Expression, bool]]:
    name, arguments = node.name, node.arguments
    if name in ("sum", "prod"):
        yield arguments[0], False
    elif name in ("min", "max", "sorted"):
        # Of several that are equal by a key, or not in order, the first one comes first.
        yield arguments[0], "key" in dict(node.named) or _has_sets(node.type)
    elif name == "reduce":
        yield arguments[1], True
    elif name == "held":
        yield arguments[0], isinstance(node.type, Sequence)
    elif isinstance(node.type, Stream):
        yield node, True
    elif name not in _AS_A_WHOLE:
        yield from ((one, True) for one in arguments)


_AS_A_WHOLE = "is", "same", "member", "of_mask", "operation", "count", "total"
"""What asks for no element after the other; whatever else there is may show which comes first."""


def _stream(over: Expression, shows: bool, line: int) -> Iterator[int]:
    """Yield the lines where the order of a set shows in what something yields."""
    lazily = isinstance(over.type, Stream)
    # What each round changes is seen by the next one.
    shows = shows or (lazily and acts(over))
    if isinstance(over, Comprehension):
        for clause in over.clauses:
            yield from _clause(clause, shows, line)
        yield from _within(over.result, line)
    elif isinstance(over, Apply) and lazily:
        several = sum(not isinstance(one, Given) for one in over.arguments) > 1
        shows = shows or over.name in _SHOWING or (over.name == "map" and several)
        for one in over.arguments:
            yield from _stream(one, shows, line)
            inner = [is_unordered(kind) for kind in parts_of(one.type)]
            if shows and over.name == "flattened" and any(inner):
                yield line
    elif isinstance(over, Gather) and isinstance(over.type, Sequence):
        yield from _stream(over.of, shows, line)
    else:
        if shows and is_unordered(over.type):
            yield line
        yield from _within(over, line)


_SHOWING = "enumerate", "zip", "pairwise", "combinations", "reversed"
"""What puts each value beside its number, or beside others."""


def _clause(clause: Clause, shows: bool, line: int) -> Iterator[int]:
    yield from _stream(clause.over, shows, line)
    parts: list[Expression | Statement] = [*clause.body, *clause.conditions]
    for part in parts:
        yield from _within(part, line)
