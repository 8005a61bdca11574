"""Replay: take the steps of a saved trace once more, and say where that stops being possible."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bounds import unknown
from ..guards import Refusal
from ..layout import State
from ..spec import ReplayError, Step, Trace, TransitionSystem
from .reasons import why_not
from .render.itf import VERSION, encoded


@dataclass(frozen=True)
class Recorded:
    """A trace as it was saved: what it is of, the steps, and the states in ITF's encoding."""

    protocol: str
    bounds: dict[str, str]
    property: str
    steps: tuple[Step, ...]
    states: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Replayed:
    """How far a recorded trace can be taken.

    Attributes
    ----------
    trace
        The behavior up to where it stopped, or all of it.
    stopped
        The step that is not enabled, with the guard that refuses it; None if all were.
    differs
        Number of the first state that is not as recorded, from 0; None if all are, and under
        another protocol than the recorded one, whose states are bound to differ.
    """

    trace: Trace
    stopped: tuple[Step, Refusal | None] | None
    differs: int | None


def read_trace(path: str, prop: str | None = None) -> Recorded:
    """Read a trace from an ITF file or from a report that holds one.

    Parameters
    ----------
    prop
        Of a report, the trace that violates this property instead of the first one.

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
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ReplayError(f"{path}: not JSON ({error}); {again}") from None
    if isinstance(document, dict) and "trace" in document and "outcome" in document:
        document = document["trace"] if prop is None else _trace_of(path, document, prop)
        if document is None:
            raise ReplayError(f"{path}: this report has no trace, since nothing was violated")
    try:
        return _recorded(document)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ReplayError(f"{path}: not a trace in ITF as Tidegate writes it; {again}") from None
    except ReplayError as error:
        raise ReplayError(f"{path}: {error}; {again}") from None


def _trace_of(path: str, report: dict[str, Any], prop: str) -> Any:
    """Return the trace of one property in a report."""
    listed = report.get("properties")
    rows = [it for it in listed if isinstance(it, dict)] if isinstance(listed, list) else []
    traces = {str(it.get("name")): it["trace"] for it in rows if it.get("trace")}
    named = {name.lower(): trace for name, trace in traces.items()}
    if prop.lower() not in named:
        raise ReplayError(f"{path}: {unknown('trace of a property', prop, traces)}")
    return named[prop.lower()]


def _recorded(document: dict[str, Any]) -> Recorded:
    """Return the trace that an ITF document holds."""
    meta, states = document["#meta"], document["states"]
    if "protocol" not in meta:
        raise ReplayError("an ITF trace, but of another program: it names no protocol")
    if meta.get("tidegate-trace") != VERSION:
        raise ReplayError(
            f"written in version {meta.get('tidegate-trace')} of the trace format; this Tidegate "
            f"reads version {VERSION}"
        )
    if not isinstance(states, list) or not states:
        raise ReplayError("the trace has no states")
    steps = []
    for state in states[1:]:
        arguments = state["#meta"]["arguments"]
        values = tuple(int(value) for value in arguments.values())
        steps.append(Step(str(state["#meta"]["action"])[:80], tuple(arguments), values))
    plain = [{name: value for name, value in s.items() if name != "#meta"} for s in states]
    bounds = {str(name): str(value) for name, value in meta["bounds"].items()}
    return Recorded(
        str(meta["protocol"]), bounds, str(meta["property"]), tuple(steps), tuple(plain)
    )


def retaken(system: TransitionSystem[Any, Any], start: int, steps: Sequence[Step]) -> Trace:
    """Return the behavior of `system` that takes `steps` from its initial state number `start`."""
    states = [list(system.initial_states())[start]]
    for step in steps:
        following = system.take(states[-1], step)
        assert following is not None, f"{step} is not enabled"
        states.append(following)
    return Trace(tuple(states), tuple(steps))


def replay(system: TransitionSystem[Any, Any], recorded: Recorded) -> Replayed:
    """Take the recorded steps in `system`, from its initial state, as far as they are enabled.

    Raises
    ------
    ReplayError
        If a recorded step does not exist in `system` at all.
    """
    states: list[State] = [next(iter(system.initial_states()))]
    steps: list[Step] = []
    stopped = None
    for step in recorded.steps:
        following = system.take(states[-1], step)
        if following is None:
            stopped = (step, why_not(system, states[-1], step))
            break
        states.append(following)
        steps.append(step)
    differs = None
    if system.name == recorded.protocol:
        differs = _first_difference(system, states, recorded)
    return Replayed(Trace(tuple(states), tuple(steps)), stopped, differs)


def _first_difference(
    system: TransitionSystem[Any, Any], states: list[State], recorded: Recorded
) -> int | None:
    """Return the number of the first state that is not as recorded.

    History is left out: how much of it is kept depends on the properties asked for.
    """
    for number, state in enumerate(states):
        now = encoded(system.layout.describe(state))
        before = recorded.states[number]
        if {name for name in now if not name.startswith("aux_")} - set(before):
            return number
        if any(now.get(name) != before[name] for name in before if not name.startswith("aux_")):
            return number
    return None
