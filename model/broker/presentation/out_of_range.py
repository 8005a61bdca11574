"""The steps of a follower whose log ends outside its leader's, in words."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.scene import Event, Scene
from .pictures import Arguments, Telling, answer_of, broker_of, log_of, occurrence
from .side_effects import truncated


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
    theirs = log_of(before, a["leader"]).leo
    if not broker_of(after, follower).alive:
        return occurrence(
            f"The log of broker {follower} ends at offset {end}, that of broker {a['leader']} at "
            f"{theirs}: the process of broker {follower} exits.",
            sign="crash",
            takes=(f"{follower}",),
            drops=f"dropped: broker {follower} exited",
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
        reaches = "now reaches" if theirs >= end else "does not reach"
        return (
            f"The log of broker {a['leader']} {reaches} the fetch offset of broker {follower}, "
            "which continues to fetch."
        )
    if answer_of(before, follower).end != end:
        return occurrence(truncated(follower, before, after), sign="truncation")
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
