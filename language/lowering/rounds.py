"""What the rounds of a loop ask of what it goes over, and whether a change of that is noticed.

Python's iterators of sets, dictionaries and deques fail at the next round after some changes: where
the length is another one.  A list is followed as it changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from ...core.containers import Bag, Set, Sorted
from ..form import (
    Apply,
    Call,
    Certain,
    Change,
    Choose,
    Combine,
    Comprehension,
    Constant,
    Copy,
    Element,
    Expression,
    Gather,
    Item,
    Local,
    Lookup,
    Make,
    Part,
    Slice,
    Statement,
    Store,
)
from ..schema import Schema
from ..types import Mapping, Members, Never, Number, Ref, Sequence, Span, Stream, Tuple
from .effects import (
    adds_entry,
    assignments,
    effects,
    names_in,
    overlaps,
    parts_within,
    read,
    written,
)
from .owners import root_of

Parts = tuple[Expression | Statement, ...]

BY_NUMBER = {"enumerate": 1, "zip": 0, "reversed": 1, "pairwise": 1}
"""What has elements by number if its arguments have, and how many of them; 0 for all."""

_READ_EACH_ROUND = {
    "enumerate": slice(1),
    "filter": slice(1, None),
    "map": slice(1, None),
    "zip": slice(None),
}
"""What asks its iterables for one element a round, and which of its arguments these are."""

VIEWS = "keys", "values", "items"
"""What gives the entries of a dictionary, one after the other."""

_FRESH = (Make, Gather, Combine, Copy, Slice, Constant, Call)
"""What gives a container that nothing else has, before the first round."""

_GROWING = {"add", "append", "appendleft", "extend", "extendleft", "insert", "setdefault"}
"""Methods that only add to a container."""


def is_numbered(one: Expression, schema: Schema) -> bool:
    """Whether the elements of something are found by number, not only one after the other."""
    kind = one.type
    if isinstance(one, Apply) and one.name in BY_NUMBER and isinstance(kind, Stream):
        parts = one.arguments[: BY_NUMBER[one.name]] or one.arguments
        return all(is_numbered(part, schema) for part in parts)
    if isinstance(kind, Ref):
        return not isinstance(schema.node(kind), (Set, Bag))
    return not isinstance(kind, (Members, Stream))


def reads_each_round(over: Expression, schema: Schema) -> bool:
    """Whether each round reads its element when it begins, like the iterator of a list.

    That of records in a set, of a function's own set or dictionary, or of a deque fails once its
    length is another one; `reversed` and others keep what they have read.  Numbers in a set of the
    state are read before the first round, in Python as well.
    """
    kind = over.type
    if isinstance(over, Comprehension):
        return all(reads_each_round(clause.over, schema) for clause in over.clauses)
    if isinstance(over, Apply) and isinstance(kind, Stream):
        if over.name == "reversed":
            [part] = over.arguments
            fixed = isinstance(part.type, Ref) and schema.is_array(part.type)
            return fixed or isinstance(part.type, (Tuple, Span))
        if over.name not in _READ_EACH_ROUND:
            return False
        some = over.arguments[_READ_EACH_ROUND[over.name]]
        return all(reads_each_round(part, schema) for part in some)
    if isinstance(kind, Ref):
        return not isinstance(schema.node(kind), Sorted)
    if isinstance(kind, Sequence):
        return kind.kind is not deque
    return isinstance(kind, (Tuple, Span, Never))


def watched(over: Expression, parts: Parts, schema: Schema) -> Iterator[Expression]:
    """Yield what a round may change of what it goes over, and not as a list may change.

    Parameters
    ----------
    parts
        What a round runs.
    """
    if reads_each_round(over, schema):
        return
    if isinstance(over, Apply) and over.name in _READ_EACH_ROUND:
        for part in over.arguments[_READ_EACH_ROUND[over.name]]:
            yield from watched(part, parts, schema)
    elif isinstance(over.type, Ref):
        # Numbers in a set of the state are read before the first round.
        node = schema.node(over.type)
        if not isinstance(node, Set) and any(
            overlaps(over.type.form, other) for other in written(parts)
        ):
            yield over
    elif not _is_fresh(over):
        names = {name for part in parts for name in effects(part, reads=True)}
        changed = names_in(over) & (names | {slot for _, slot in assignments(parts)})
        if changed or any(overlaps(one, other) for one in read(over) for other in written(parts)):
            yield over


def is_noticed(one: Expression, parts: Parts, schema: Schema) -> bool:
    """Whether each change that Python notices gives another length."""
    kind = one.type
    if isinstance(kind, Ref) and isinstance(schema.node(kind), Sorted):
        return True
    if isinstance(one, Apply) and one.name in VIEWS:
        [one] = one.arguments
        kind = one.type
    if not isinstance(one, Local) or any(one.name == slot for _, slot in assignments(parts)):
        return False
    if isinstance(kind, Members) and isinstance(kind.element, (Number, Never)):
        return True
    return isinstance(kind, (Mapping, Sequence)) and _one_way(one.name, parts)


def _is_fresh(one: Expression) -> bool:
    """Whether a container is nobody else's, or is never changed."""
    if isinstance(one, Choose):
        return _is_fresh(one.yes) and _is_fresh(one.no)
    while True:
        if isinstance(one, (Element, Lookup, Item, Part, Certain)):
            one = one.of
        elif isinstance(one, Apply) and one.name in VIEWS:
            [one] = one.arguments
        else:
            return isinstance(one, _FRESH)


def _one_way(name: str, parts: Iterable[Expression | Statement]) -> bool:
    """Whether parts of a function only add to a container, or only take away from it.

    Else it may be another one, and be as long as before.
    """
    ways = set()
    for part in (inner for one in parts for inner in parts_within(one)):
        if isinstance(part, Call) and any(root_of(where) == name for _, where in part.back):
            return False
        if isinstance(part, Change) and root_of(part.of) == name:
            ways.add(part.method in _GROWING)
        elif isinstance(part, Store):
            ways |= {True} if root_of(part.target) == name else set()
        elif isinstance(part, Lookup) and adds_entry(part):
            ways |= {True} if root_of(part.of) == name else set()
            ways.add(True)
    return len(ways) < 2
