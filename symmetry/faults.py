"""What is not shown to treat replicas alike, in words: each cause once, and its repair."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.symmetry import SymmetryError
from .refusals import NotShownError

_ORDER = "ask what does not depend on the order: len, in, any, all, max"
REPAIRS = {
    "side by side": "write a loop over the indices: for n in range(...)",
    "a dictionary": "keep a list with an element for each member, made in one comprehension",
    "changes an element of": "make it anew, in one comprehension",
    "what the function has itself": "let it return that",
    "replaces a part of": "make a list anew, by slices and +",
    "leaves a loop": "ask any(...) or all(...), or go over all of them",
    "by a key": "take the largest key, and ask who has it in a loop or by any(...)",
    "orders": "ask for == or !=, or order plain numbers",
    "from the others": "keep the one that differs in a variable declared by replica_id(...)",
    "compares the number": "compare it with the number of another one, or with NONE",
    "compares a set": "compare it with a set of such members, or with set()",
    "computes with a set of": "ask for ==, or count its members by bit_count()",
    "computes with": "a member's number is only a name, to compare by == and to use as an index",
    "adds up": "count them, or add up a number that each of them has",
    "may use NONE": "ask for NONE before",
    "not declared by_replica": "declare the array by_replica=True",
    "which is by ": "use a number that names a member, or declare the array without by_replica",
    "declared as a plain number": "declare the variable by replica_id(...)",
    "declared as the number": "assign a member's number, or NONE",
    "declared as a set": "assign a set of members",
    "declared as a list of": "store such values, in an order that no member's number decides",
    "in any order": _ORDER,
    "visited last": "let the loop add up a sum, a set or a list, and use that after it",
    "as the case may be": "give each of them its own name",
    "carries a value": "let the loop add up a sum, a set or a list, and use that after it",
    "depends on their order": "let the loop read before, and write in a second loop",
    "the order of": "return what holds for any of them",
    "in several ways": "end the loop in one way, or ask any(...) and all(...)",
    "an assertion fails": "assert in a loop of its own, which goes over all of them",
    "that has written": "ask in one loop, and write in another one",
    "for each element": "write a loop by for",
    "whether that names": "pass the number of a member or a constant, or read the number there",
    "as an index of a list by": "use a number that names a member, or a list of plain numbers",
    "as an index of a list": "make the list with an element for each member, in one comprehension",
    "looks up": "ask by == in if and elif, or keep it in an array by_replica",
    "by its number": "take any member by any(...), or choose one: m=lambda s, k: s.net",
    "takes an element of": "write if and elif",
    "a list by ": "keep what each member has in an array that is declared by_replica",
    "stores": "assign what the variable is declared for",
    "compares": "compare plain numbers, or members of an enumeration",
    "what a name stands for": "give each kind of value its own name",
    "too deeply": "give parts of the expression a name",
    "declared symmetric": "call it before the loop, or prove it too: leave out its declaration",
    "below NONE": "declare it with a lowest value of NONE or 0",
}  # fmt: skip
"""By a phrase of what is wrong, how to repair it: the first one that fits."""

ONLY_NAMES = "compare members by ==, use their numbers as indices, and go over all of them"

ELSE = (
    "search without --symmetry, or say in the function's docstring why it treats replicas alike "
    "('Symmetric: ...')"
)

MOST_NAMES = 3
"""The most actions and properties that a line names."""


def error(faults: Sequence[tuple[str, NotShownError]]) -> SymmetryError:
    """Return the error that says what is not proved, where, and how to repair it.

    Parameters
    ----------
    faults
        Each with the name of the action or the property.
    """
    causes: dict[tuple[str, str, str], tuple[list[str], NotShownError]] = {}
    for name, fault in faults:
        at, _, _ = fault.where.partition(", called by ")
        names, _ = causes.setdefault((fault.text, fault.why, at), ([], fault))
        if name not in names:
            names.append(name)
    lines = [_line(names, fault) for names, fault in causes.values()]
    first, *others = lines
    made = SymmetryError(f"{first}, {ELSE}")
    made.details = tuple(others)
    return made


def _line(names: Sequence[str], fault: NotShownError) -> str:
    """Return a line about one cause."""
    more = len(names) - MOST_NAMES
    named = ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    expression = f"{fault.text} " if fault.text else ""
    known = (how for phrase, how in REPAIRS.items() if phrase in fault.why)
    repair = fault.repair or next(known, ONLY_NAMES)
    return f"{named}: {expression}{fault.why} ({fault.where}); {repair}"
