"""A trace in ITF, Apalache's Informal Trace Format, for other programs and for replay.

Source: Apalache ADR-015, https://apalache-mc.org/docs/adr/015adr-trace.html.  Integers are written
as ``{"#bigint": "1"}`` and sets as ``{"#set": [...]}``, as that document asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.behavior import Behavior

VERSION = 1
"""The version of the trace's form; a replay refuses any other."""

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
            meta |= {"action": taken.action, "arguments": taken.arguments}
        return {"#meta": meta, **encoded(taken.state)}


def encoded(value: Any) -> Any:
    """Return a value as ITF writes it.

    >>> encoded({"isr": {1, 0}, "alive": True, "hw": 2})
    {'isr': {'#set': [{'#bigint': '0'}, {'#bigint': '1'}]}, 'alive': True, 'hw': {'#bigint': '2'}}
    """
    if isinstance(value, dict):
        return {name: encoded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [encoded(part) for part in value]
    if isinstance(value, set):
        return {"#set": [encoded(part) for part in sorted(value)]}
    if isinstance(value, int) and not isinstance(value, bool):
        return {"#bigint": str(value)}
    return value
