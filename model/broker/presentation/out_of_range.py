"""The steps of a follower whose log ends outside its leader's, as pictures."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.scene import Event, Scene
from .pictures import Arguments, Telling, broker_of, log_of, occurrence


def _handle_out_of_range(a: Arguments, before: Scene, after: Scene) -> str:
    leader, follower = a["leader"], a["follower"]
    return (
        f"Broker {follower} receives OFFSET_OUT_OF_RANGE and sends ListOffsets to broker {leader}."
    )


def _handle_list_offsets(a: Arguments, before: Scene, after: Scene) -> str:
    leader, follower, log = a["leader"], a["follower"], log_of(before, a["leader"])
    return (
        f"Broker {leader} answers broker {follower} with its log end, "
        f"{log.leo}{f', and its log start, {log.start}' if log.start else ''}."
    )


def _handle_list_offsets_response(a: Arguments, before: Scene, after: Scene) -> Event | str:
    follower, end = a["follower"], log_of(after, a["follower"]).leo
    if not broker_of(after, follower).alive:
        return occurrence(
            f"The log of broker {follower} is longer than that of broker {a['leader']}, and "
            "unclean elections are not allowed: its process exits.",
            sign="crash",
            takes=(f"{follower}",),
            drops=f"dropped: broker {follower} exited",
            rule="a follower whose log is longer than its leader's exits",
        )
    if end > log_of(before, follower).leo:
        return occurrence(
            f"The log of broker {a['leader']} starts above the log end of broker {follower}, "
            f"{log_of(before, follower).leo}. Broker {follower} removes its whole log and starts "
            f"over at offset {end}, with HW {log_of(after, follower).hw}.",
            sign="truncation",
            rule=f"a log that ends below the leader's log start starts over there, at {end}",
        )
    if end == log_of(before, follower).leo:
        return (
            f"The log of broker {a['leader']} now reaches the fetch offset of broker {follower}, "
            "which continues to fetch."
        )
    return occurrence(
        f"Broker {follower} truncates its log to the log end of broker {a['leader']}, {end}.",
        sign="truncation",
        rule=f"after OFFSET_OUT_OF_RANGE a follower truncates to the leader's log end, {end}",
    )


OUT_OF_RANGE: Mapping[str, Telling] = {
    "HandleOutOfRange": ("follower", _handle_out_of_range),
    "HandleListOffsets": ("leader", _handle_list_offsets),
    "HandleListOffsetsResponse": ("follower", _handle_list_offsets_response),
}
"""Every action that follows OFFSET_OUT_OF_RANGE."""
