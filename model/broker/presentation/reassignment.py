"""How the replicas of the partition change, in words, for the option ``reassignments``."""

from __future__ import annotations

from collections.abc import Mapping

from ....core.scene import Event, Scene
from ..assignment import braced
from .pictures import (
    CLIENTS,
    CONTROLLER,
    Arguments,
    Telling,
    log_of,
    occurrence,
    partition_of,
    proposal,
    proposal_of,
)


def _request(text: str, sentence: str) -> Event:
    return occurrence(sentence, exchange=((CLIENTS, CONTROLLER, text),))


def _partition(picture: Scene) -> str:
    """Return the partition state as a clause."""
    controller = partition_of(picture)
    lines = [line for line in controller.details if line.about in ("isr", "replicas", "elr")]
    return f"{controller.role}, {', '.join(lines)}"


def _kept_eligible(before: Scene, after: Scene) -> str:
    """Say which replica stays eligible although it is removed, as a sentence; empty if none."""
    was, now = partition_of(before), partition_of(after)
    removed = was.replicas & now.elr & ~now.replicas
    if not removed:
        return ""
    return f" The ELR has {braced(removed)}, which is not a replica any more."


def _add_replica(a: Arguments, before: Scene, after: Scene) -> Event:
    added = a["broker"]
    return _request(
        f"add {added}",
        f"An administrator adds a replica on broker {added}. It is a replica from now on: "
        f"{_partition(after)}.",
    )


def _replace_replica(a: Arguments, before: Scene, after: Scene) -> Event:
    removed, added = a["broker"], a["by"]
    return _request(
        f"move {removed} to {added}",
        f"An administrator moves the replica on broker {removed} to broker {added}, which is a "
        f"replica from now on; broker {removed} stays one for now: {_partition(after)}.",
    )


def _remove_replica(a: Arguments, before: Scene, after: Scene) -> Event:
    removed = a["broker"]
    done = "It stays a replica for now"
    if not partition_of(after).replicas >> removed & 1:
        done = "It is a replica no more, and a leader epoch begins"
    return _request(
        f"remove {removed}",
        f"An administrator removes the replica on broker {removed}. {done}: {_partition(after)}."
        f"{_kept_eligible(before, after)}",
    )


def _cancel_reassignment(a: Arguments, before: Scene, after: Scene) -> Event:
    removed = partition_of(before).replicas & ~partition_of(after).replicas
    gone = f", and removes {braced(removed)} again" if removed else ""
    return _request(
        "cancel the reassignment",
        f"An administrator cancels the reassignment. The controller keeps the former replicas"
        f"{gone}: {_partition(after)}.{_kept_eligible(before, after)}",
    )


def _complete_reassignment(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, removed = a["leader"], partition_of(before).replicas & ~partition_of(after).replicas
    request = proposal_of(before, leader)
    return occurrence(
        f"The controller accepts the request of broker {leader}: "
        f"{request.text if request else 'none'}. That completes the reassignment: in the same "
        f"record {braced(removed)} leaves the replicas and the ISR, and a leader epoch begins: "
        f"{_partition(after)}.{_kept_eligible(before, after)}",
        takes=(proposal(leader),),
        drops="no broker receives the response",
    )


def _stop_replica(a: Arguments, before: Scene, after: Scene) -> str:
    number = a["broker"]
    deleted = ", ".join(str(entry) for entry in log_of(before, number).entries)
    return (
        f"Broker {number} applies the metadata of epoch {a['epoch']}, in which it has no replica, "
        f"and deletes its log{f', with {deleted}' if deleted else ''}."
    )


REASSIGNMENT: Mapping[str, Telling] = {
    "AddReplica": (CONTROLLER, _add_replica),
    "ReplaceReplica": (CONTROLLER, _replace_replica),
    "RemoveReplica": (CONTROLLER, _remove_replica),
    "CancelReassignment": (CONTROLLER, _cancel_reassignment),
    "CompleteReassignment": (CONTROLLER, _complete_reassignment),
    "StopReplica": ("broker", _stop_replica),
}
"""The actions that the option brings."""
