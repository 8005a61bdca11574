"""The steps of requests that wait in purgatory as pictures, for the option ``purgatory``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...core.scene import Event, Scene
from .presentation.pictures import CLIENTS, broker, said

Arguments = Mapping[str, int]


def _complete_fetch(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["leader"]),
        f"Broker {a['leader']} completes the fetch of broker {a['follower']} that waits in "
        f"purgatory, with {said(after, a['follower'])}.",
    )


def _complete_produce(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, record = a["leader"], a["record"]
    passed = f"The HW of broker {leader} has passed m{record}, whose produce waited in purgatory"
    if any(it.record == f"m{record}" and it.short == "acked" for it in after.promises):
        return Event(broker(leader), f"{passed}: its producer is told that it is written.")
    return Event(
        broker(leader),
        f"{passed}, but the ISR has fewer than min.insync.replicas members by now: its producer "
        "is told NotEnoughReplicasAfterAppend.",
        exchange=((broker(leader), CLIENTS, f"m{record}: NotEnoughReplicasAfterAppend"),),
    )


def _expire_produce(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, record = a["leader"], a["record"]
    return Event(
        broker(leader),
        f"The produce of m{record} has waited for too long at broker {leader}: its producer is "
        "told of a timeout.",
        exchange=((broker(leader), CLIENTS, f"m{record}: timeout"),),
    )


DELAYED: Mapping[str, Callable[[Arguments, Scene, Scene], Event]] = {
    "CompleteFetch": _complete_fetch,
    "CompleteProduce": _complete_produce,
    "ExpireProduce": _expire_produce,
}
"""Every action that completes or fails such a request."""
