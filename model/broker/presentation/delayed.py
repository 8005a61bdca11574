"""The steps of requests that wait in purgatory, or outlive their sender, in words."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.scene import Event, Scene
from ..assignment import braced
from .pictures import (
    ACKED,
    CLIENTS,
    Arguments,
    Telling,
    broker,
    broker_of,
    log_of,
    occurrence,
    said,
)
from .side_effects import raised


def _handle_late_fetch(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"Broker {a['leader']} serves a fetch that broker {a['follower']} sent before it crashed"
        f"{raised(a['leader'], before, after)}."
    )


def _complete_fetch(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"Broker {a['leader']} completes the fetch of broker {a['follower']} that waits in "
        f"purgatory: {said(after, a['follower'])}."
    )


def _complete_produce(a: Arguments, before: Scene, after: Scene) -> Event | str:
    leader, record = a["leader"], a["record"]
    below = log_of(after, leader).entries[: log_of(after, leader).hw]
    passed = f"The HW of broker {leader} has passed m{record}, whose produce waited in purgatory"
    if all(entry.name != f"m{record}" for entry in below):
        passed = f"Broker {leader} completes the produce of m{record}, which waited in purgatory"
    if any(made.record == f"m{record}" and made.short == ACKED for made in after.promises):
        return f"{passed}: it is acknowledged to its producer."
    return occurrence(
        f"{passed}, but the ISR is now {braced(broker_of(after, leader).isr)}: its producer "
        "receives NotEnoughReplicasAfterAppend.",
        exchange=((broker(leader), CLIENTS, f"m{record}: NotEnoughReplicasAfterAppend"),),
    )


def _expire_produce(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, record = a["leader"], a["record"]
    return occurrence(
        f"The produce of m{record} at broker {leader} times out: its producer receives "
        "REQUEST_TIMED_OUT.",
        exchange=((broker(leader), CLIENTS, f"m{record}: REQUEST_TIMED_OUT"),),
    )


DELAYED: Mapping[str, Telling] = {
    "HandleLateFetch": ("leader", _handle_late_fetch),
    "CompleteFetch": ("leader", _complete_fetch),
    "CompleteProduce": ("leader", _complete_produce),
    "ExpireProduce": ("leader", _expire_produce),
}
"""Every action that serves, completes or fails such a request."""
