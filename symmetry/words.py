"""Relations and refusals in words."""

from __future__ import annotations

from inspect import isroutine

from ..core.errors import printed
from .relations import (
    Bunch,
    Carried,
    Data,
    Indexed,
    Listed,
    Made,
    Maybe,
    Never,
    Nothing,
    Picked,
    Place,
    Position,
    Relation,
    Replica,
    ReplicaSet,
    Same,
    SetOf,
    Several,
    Shifted,
    Unclear,
)

LONGEST = 60
"""The longest text of a constant in a message."""

_DESCRIBED: dict[type, str] = {
    Same: "a plain value",
    Nothing: "None",
    Never: "an element of an empty list",
    Place: "a part of the state",
    Position: "the number of a member of a set",
    Made: "a record",
    Several: "a tuple",
    Picked: "a result that depends on the order of replicas",
    Carried: "what other rounds of a loop over replicas may have changed",
}

_OF_KIND: dict[type, str] = {
    Replica: "the number of {0}",
    ReplicaSet: "a set of {1}",
    Shifted: "a shifted set of {1}, of which only & 1 is known",
    Indexed: "a list by {2}",
}


def described(value: Relation) -> str:
    """Return what a value is, in words."""
    if isinstance(value, Same):
        known = sorted(value.numbers or ())
        return f"the number {known[0]}" if len(known) == 1 else "a plain number"
    if isinstance(value, Data):
        return _told(value.value)
    if isinstance(value, Unclear):
        return f"what {value.why}"
    if isinstance(value, Maybe):
        return f"None or {described(value.of)}"
    if isinstance(value, Several) and value.items:
        return f"a tuple of {' and '.join(map(described, value.items))}"
    if isinstance(value, (Listed, Bunch, SetOf)):
        return _held(value)
    if isinstance(value, (Replica, ReplicaSet, Shifted, Indexed)):
        kind = value.kind or "replica"
        article = "an" if kind[0] in "aeiou" else "a"
        return _OF_KIND[type(value)].format(f"{article} {kind}", f"{kind}s", kind)
    return _DESCRIBED[type(value)]


def _held(value: Listed | Bunch | SetOf) -> str:
    """Return a list or a set in words, with what is in it."""
    element, what = value.element, "a set" if isinstance(value, SetOf) else "a list"
    if isinstance(element, Replica):
        what += f" of {element.kind or 'replica'}s"
    elif isinstance(element, Same):
        what += " of plain numbers"
    return f"{what} in any order" if isinstance(value, Bunch) else what


def _told(value: object) -> str:
    """Return a constant in words, of a large one its beginning."""
    if isroutine(value):
        return f"the function {value.__name__}"
    text = printed(set(value) if isinstance(value, frozenset) else value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def why_not_computed(name: str, left: Relation, right: Relation) -> str:
    """Say why the result of an operation is not known to be renamed with its operands."""
    compares = name in ("eq", "ne", "lt", "le", "gt", "ge")
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Replica):
            if name in ("eq", "ne") and isinstance(other, Same) and other.numbers:
                known = sorted(other.numbers)
                if len(known) == 1:
                    return f"tells {value.kind or 'replica'} {known[0]} from the others"
            verb = "orders" if compares or name in ("min", "max") else "computes with"
            verb = "compares" if name in ("eq", "ne") else verb
            return f"{verb} {described(value)} and {described(other)}"
    verb = "compares" if compares else "computes with"
    return f"{verb} {described(left)} and {described(right)}"
