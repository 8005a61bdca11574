"""Values as TLA+ writes them: TLC evaluates each to the value that the state has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.errors import one_line
from ..core.text import NOTHING, Counts, Members, SetMembers

_RESERVED = """
ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE
DEFS DOMAIN ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL
MODULE NEW OBVIOUS OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE STRING
SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WITH
WITNESS
"""
"""Words that SANY takes for no name."""

_NAME = re.compile(r"(?![WS]F_)\w*[A-Za-z]\w*", re.ASCII)

_ESCAPES = {'"': '\\"', "\\": "\\\\"} | {"\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
"""All escapes that a string of TLA+ has: "Specifying Systems", 16.1.10; TLC's StringValue.PP."""


def variables(description: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return name and value of each variable, a line for each element of a list that has some."""
    lines = []
    for name, value in description.items():
        if isinstance(value, list) and value and not isinstance(value, Members):
            lines += [(f"{name}[{index}]", shown(part)) for index, part in enumerate(value)]
        else:
            lines.append((name, shown(value)))
    return lines


def shown(value: Any) -> str:
    """Return a value as TLA+ would write it.

    A bag is a function to counts, as in TLA+'s module Bags, and so is a record whose fields TLA+
    cannot name.

    >>> shown({"isr": {1, 0}, "alive": True, "log": [1, 2]})
    '[isr |-> {0, 1}, alive |-> TRUE, log |-> <<1, 2>>]'
    >>> shown(Counts({0: 1, 2: 3})), shown({"IN": 1})
    ('(0 :> 1 @@ 2 :> 3)', '("IN" :> 1)')
    """
    if isinstance(value, Counts):
        return _function(value.items())
    if isinstance(value, dict):
        if not value or not all(map(_is_name, value)):
            return _function(value.items())
        return f"[{', '.join(f'{name} |-> {shown(part)}' for name, part in value.items())}]"
    if isinstance(value, (set, SetMembers)):
        members = sorted(value) if isinstance(value, set) else value
        return f"{{{', '.join(map(shown, members))}}}"
    if isinstance(value, Members):
        return _function(value.counts())
    if isinstance(value, (list, tuple)):
        return f"<<{', '.join(map(shown, value))}>>"
    if isinstance(value, bool):
        return str(value).upper()
    if value is None:
        return NOTHING
    return f'"{_escaped(value)}"' if isinstance(value, str) else str(value)


def _function(pairs: Iterable[tuple[Any, Any]]) -> str:
    """Return a function as TLC prints it, of which the empty one is the empty sequence."""
    mapped = " @@ ".join(f"{shown(key)} :> {shown(value)}" for key, value in pairs)
    return f"({mapped})" if mapped else "<<>>"


def _escaped(text: str) -> str:
    r"""Return what stands between the quotes; what a file cannot hold is written out.

    >>> print(_escaped('"a\\b"\n\x1b'))
    \"a\\b\"\n\\u001b
    """
    return "".join(_ESCAPES.get(c) or one_line(c).replace("\\", "\\\\") for c in text)


def named(names: Iterable[str]) -> dict[str, str]:
    """Return what TLA+ can call variables, by their names.

    >>> named(["x", "IN", "größe"])
    {'x': 'x', 'IN': 'v_IN', 'größe': 'v_gr__e'}
    """
    known = {*names}
    called: dict[str, str] = {}
    for name in names:
        other = name
        while not _is_name(other) or (other != name and other in {*known, *called.values()}):
            other = "v_" + re.sub(r"\W", "_", other, flags=re.ASCII)
        called[name] = other
    return called


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in _RESERVED.split()
