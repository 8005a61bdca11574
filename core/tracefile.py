"""Reads a saved trace from a file that anybody may have made.

A trace in ITF, Apalache's Informal Trace Format, for other programs and for replay.

Source: Apalache ADR-015, https://apalache-mc.org/docs/adr/015adr-trace.html.  Integers are written
as ``{"#bigint": "1"}`` and sets as ``{"#set": [...]}``, as that document asks for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from keyword import iskeyword
from pathlib import Path
from typing import Any

from .behavior import Behavior
from .bounds import unknown
from .fields import NONE
from .spec import ReplayError, Step
from .text import Counts, Members, SetMembers

VERSION = 2
"""The version of the trace's form that is written."""

READABLE = (1, VERSION)
"""The versions that a replay takes; it refuses any other."""

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf(behavior: Behavior) -> dict[str, Any]:
    """Return a behavior as an ITF document.

    The ``#meta`` of each state but the first names the action that led there, with its arguments.
    The ``#meta`` of the document names protocol, bounds and property, so that it can be replayed;
    the property is empty for a behavior that violates none.  ``loop`` of a lasso is the number of
    the state that the last one equals.  A reader that takes it for the successor of the last state
    reads one more step, which changes nothing.
    """
    document = streamed(behavior)
    return document | {"states": list(document["states"])}


def streamed(behavior: Behavior) -> dict[str, Any]:
    """Return the same, but make each state only when it is written: they take most memory."""
    name, loop = behavior.prop.name if behavior.prop else "", behavior.trace.loop
    shows = f"behavior of {behavior.system.name}" + (f" that violates {name}" if name else "")
    states = _States(behavior)
    return {
        "#meta": {
            "format": "ITF",
            "format-description": FORMAT,
            "description": shows,
            "tidegate-trace": VERSION,
            "protocol": behavior.system.name,
            "bounds": behavior.system.bounds,
            "property": name,
        },
        "vars": [name for name in states[0] if name != "#meta"],
        "states": states,
        **({} if loop is None else {"loop": loop}),
    }


@dataclass(frozen=True, eq=False)
class _States(Sequence[dict[str, Any]]):
    """The states of a trace, each made when it is asked for."""

    behavior: Behavior

    def __len__(self) -> int:
        return len(self.behavior.trace.states)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, index: int) -> dict[str, Any]:  # type: ignore[override]
        meta: dict[str, Any] = {"index": index}
        taken = self.behavior.plain(index)
        if index:
            chosen = {name: _number(value) for name, value in taken.arguments.items()}
            meta |= {"action": taken.action, "arguments": chosen}
        return {"#meta": meta, **encoded_state(taken.state)}


def _number(value: int) -> int:
    """Return a number without the class that a model gives it, which other processes lack."""
    return value if isinstance(value, bool) else int(value)


def encoded_state(state: Mapping[str, Any], version: int = VERSION) -> dict[str, Any]:
    """Return the variables of a state as a trace of some version has them."""
    encode = encoded if version == VERSION else _encoded_in_version_1
    return {name: encode(value) for name, value in state.items()}


def encoded(value: Any) -> Any:
    """Return a value as ITF writes it.

    It has no null: nothing is the number NONE, as in the state, so that all values of a variable
    have one type.  Apalache's ``Option`` would not do: itf-py cannot read a variant called None.

    >>> encoded({"isr": {1, 0}, "alive": True, "hw": 2})
    {'isr': {'#set': [{'#bigint': '0'}, {'#bigint': '1'}]}, 'alive': True, 'hw': {'#bigint': '2'}}
    >>> encoded(Counts({4: 2})), encoded(None)
    ({'#map': [[{'#bigint': '4'}, {'#bigint': '2'}]]}, {'#bigint': '-1'})
    >>> encoded({"tag": "ack", "value": True})
    {'#map': [['tag', 'ack'], ['value', True]]}
    """
    if isinstance(value, (bool, str)):
        return value
    if value is None or isinstance(value, int):
        return {"#bigint": str(NONE if value is None else int(value))}
    if isinstance(value, Counts) or (isinstance(value, dict) and not _is_record(value)):
        return _map(value.items())
    if isinstance(value, dict):
        return {name: encoded(part) for name, part in value.items()}
    if isinstance(value, (set, SetMembers)):
        return {"#set": [encoded(part) for part in _in_order(value)]}
    if isinstance(value, Members):
        return _map(value.counts())
    if isinstance(value, list):
        return [encoded(part) for part in value]
    if isinstance(value, tuple):
        return {"#tup": [encoded(part) for part in value]}
    return {"#unserializable": str(value)}


def _map(pairs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    return {"#map": [[encoded(key), encoded(value)] for key, value in pairs]}


def _is_record(fields: Iterable[str]) -> bool:
    """Whether readers take an object with these names for a record.

    A name in ITF does not begin with #, and ``tag`` with ``value`` is a variant.  itf-py makes a
    named tuple of a record, which refuses some names, such as ``_x`` and ``class``.
    """
    return {*fields} != {"tag", "value"} and all(
        name.isidentifier() and not iskeyword(name) and not name.startswith("_") for name in fields
    )


def _in_order(members: Collection[Any]) -> Collection[Any]:
    return sorted(members) if isinstance(members, set) else members


def ordered(value: Any) -> Any:
    """Return a value with the members of sets and maps in one order, which ITF leaves open.

    >>> ordered({"#set": [[True], [False]]})
    {'#set': [[False], [True]]}
    """
    if isinstance(value, list):
        return [ordered(part) for part in value]
    if not isinstance(value, dict):
        return value
    parts = {name: ordered(part) for name, part in value.items()}
    for name in ("#set", "#map"):
        if isinstance(parts.get(name), list):
            parts[name].sort(key=partial(json.dumps, sort_keys=True))
    return parts


def _encoded_in_version_1(value: Any) -> Any:
    """Return a value as version 1 wrote it: nothing as null, a bag as a record or as a list."""
    if isinstance(value, dict):
        return {str(name): _encoded_in_version_1(part) for name, part in value.items()}
    if isinstance(value, (set, SetMembers)):
        return {"#set": [_encoded_in_version_1(part) for part in _in_order(value)]}
    if isinstance(value, list):
        return [_encoded_in_version_1(part) for part in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return {"#bigint": str(int(value))}
    return value


_LONGEST_NUMBER = 40
"""The most digits of a number; Tidegate writes no longer ones."""

_LONGEST_NAME, _LONGEST_PROTOCOL = 500, 4096
"""The most characters of a name, and of a protocol's name, which may be the path of a file."""

_MOST_ARGUMENTS = 50
"""The most arguments of an action."""


@dataclass(frozen=True)
class Recorded:
    """A trace as it was saved.

    Attributes
    ----------
    protocol, bounds, property
        The names of the protocol, its bounds and the violated property; not yet looked up.
    states
        In ITF's encoding, the members of sets and maps in one order.
    version
        The version of its form.
    loop
        For a lasso, the number of the state from which its steps repeat for ever.
    report
        The other fields of the report that contains it: numbers, truth values and texts by name.
    """

    protocol: str
    bounds: dict[str, str]
    property: str
    steps: tuple[Step, ...]
    states: tuple[dict[str, Any], ...]
    report: Mapping[str, Any]
    version: int = VERSION
    loop: int | None = None


def read_trace(path: str, prop: str | None = None) -> Recorded:
    """Read a trace from an ITF file or from a report that contains one.

    Parameters
    ----------
    prop
        From a report, read the trace that violates this property instead of the first one.

    Raises
    ------
    ReplayError
        If the file is missing, empty, not JSON, not ITF, or not one of Tidegate's.
    """
    again = "make one with: tidegate check PROTOCOL --json FILE"
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ReplayError(f"{path}: not a text file; {again}") from None
    except OSError as error:
        raise ReplayError(f"{path}: cannot be read ({error.strerror}); {again}") from None
    if not text.strip():
        raise ReplayError(f"{path}: the file is empty; {again}")
    try:
        document = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_number
        )
    except RecursionError:
        raise ReplayError(f"{path}: not JSON (it is nested too deeply); {again}") from None
    except ValueError as error:
        raise ReplayError(f"{path}: not JSON ({error}); {again}") from None
    report: dict[str, Any] = {}
    if isinstance(document, dict) and "trace" in document and "outcome" in document:
        report = document
        document = report["trace"] if prop is None else _trace_of(path, report, prop)
        if document is None:
            raise ReplayError(f"{path}: this report has no trace, since nothing was violated")
    try:
        return _recorded(document, report)
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise ReplayError(f"{path}: not a trace in ITF as Tidegate writes it; {again}") from None
    except ReplayError as error:
        raise ReplayError(f"{path}: {error}; {again}") from None


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; a duplicate name is an error, since readers disagree on its value."""
    made = dict(members)
    if len(made) < len(members):
        names = [name for name, _ in members]
        twice = next(name for name in made if names.count(name) > 1)
        raise ValueError(f"the name {twice[:_LONGEST_NAME]!r} is there twice in one object")
    return made


def _integer(digits: str) -> int:
    """Return a JSON integer; JSON itself does not limit its length."""
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError(f"a number has {len(digits)} digits, {_LONGEST_NUMBER} are allowed")
    return int(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _trace_of(path: str, report: dict[str, Any], prop: str) -> Any:
    """Return the trace of one property in a report."""
    listed = report.get("properties")
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    traces = {row["name"]: row["trace"] for row in rows if row.get("trace") and _is_name(row)}
    chosen = [name for name in traces if name.lower() == prop.lower()]
    if ":" in prop:
        # The file of a custom property may have moved.
        ending = prop.rpartition(":")[1:]
        chosen += [name for name in traces if name.rpartition(":")[1:] == ending]
    if not chosen:
        raise ReplayError(f"{path}: {unknown('trace of a property', prop, traces)}")
    return traces[chosen[0]]


def _is_name(row: dict[str, Any]) -> bool:
    name = row.get("name")
    return isinstance(name, str) and len(name) <= _LONGEST_NAME


def _recorded(document: dict[str, Any], report: dict[str, Any]) -> Recorded:
    """Return the trace that an ITF document holds."""
    meta, states = document["#meta"], document["states"]
    if "protocol" not in meta:
        raise ReplayError("an ITF trace, but of another program: it names no protocol")
    version = meta.get("tidegate-trace")
    if type(version) is not int or version not in READABLE:
        raise ReplayError(
            f"written in version {_short(version)} of the trace format; this "
            f"Tidegate reads versions {' and '.join(map(str, READABLE))}"
        )
    if not isinstance(states, list) or not states:
        raise ReplayError("the trace has no states")
    return Recorded(
        protocol=_text(meta["protocol"], _LONGEST_PROTOCOL),
        bounds={_text(name): _text(value) for name, value in meta["bounds"].items()},
        property=_text(meta["property"]),
        steps=tuple(_step(state["#meta"]) for state in states[1:]),
        states=tuple(map(_state, states)),
        report={
            name: value
            for name, value in report.items()
            if isinstance(value, (bool, int, float, str))
        },
        version=version,
        loop=_loop(document.get("loop"), len(states)),
    )


def _loop(value: Any, states: int) -> int | None:
    """Return the number of the state at which the cycle of a lasso begins."""
    if value is None or (type(value) is int and 0 <= value < states):
        return value
    shown = _short(value) if isinstance(value, (bool, int, float, str)) else type(value).__name__
    raise ReplayError(
        f"loop is {shown}, but must be the number of one of its {states} states, 0 to {states - 1}"
    )


def _state(state: dict[str, Any]) -> dict[str, Any]:
    """Return the variables of a state."""
    return {name: ordered(value) for name, value in state.items() if name != "#meta"}


def _step(meta: dict[str, Any]) -> Step:
    """Return the step that led to a state."""
    arguments = meta["arguments"]
    if len(arguments) > _MOST_ARGUMENTS or any(
        type(value) not in (int, bool) for value in arguments.values()
    ):
        raise TypeError
    return Step(_text(meta["action"]), tuple(map(_text, arguments)), tuple(arguments.values()))


def _text(value: Any, longest: int = _LONGEST_NAME) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise TypeError
    return value


def _short(value: Any) -> str:
    return str(value)[:_LONGEST_NAME] if isinstance(value, (bool, int, float, str)) else "?"
