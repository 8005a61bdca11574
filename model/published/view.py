"""A state in Kafka's terms, a column per participant, for traces."""

from __future__ import annotations

from collections.abc import Callable

from ...core.layout import NONE
from ..broker.replica_sets import replicas
from .actions import leads
from .bounds import Constants
from .state import PublishedState


def columns(s: PublishedState, k: Constants) -> dict[str, str]:
    """Return the heading and the text of each column: the controller, then every replica."""
    shown = {"controller": _controller(s)}
    for replica in range(k.replicas):
        shown[f"replica {replica}"] = f"{role(s, replica)}\n{_log(s, replica)}"
    return shown


def leadership(
    s: PublishedState, written: Callable[[int], str] = replicas
) -> tuple[str, tuple[str, ...]]:
    """Return the partition state: leader, epoch and ISR."""
    leader = "no leader" if s.partition.leader == NONE else f"{s.partition.leader} leads"
    epoch = "" if s.partition.epoch == NONE else f" e{s.partition.epoch}"
    return f"{leader}{epoch}", (f"isr {written(s.partition.isr)}",)


def _controller(s: PublishedState) -> str:
    leader, details = leadership(s)
    return "\n".join((leader, *details))


def role(s: PublishedState, replica: int, written: Callable[[int], str] = replicas) -> str:
    """Return a replica's own view of its role; `written` writes a set of replicas."""
    mine = s.replica[replica]
    if leads(s, replica):
        stale = "" if mine.epoch == s.partition.epoch else " (stale)"
        return f"leads e{mine.epoch} isr {written(mine.isr)}{stale}"
    return "idle" if mine.leader == NONE else f"follows {mine.leader} e{mine.epoch}"


def _log(s: PublishedState, replica: int) -> str:
    mine = s.replica[replica]
    entries = [f"m{entry.record}@{entry.epoch}" for entry in mine.log[: mine.leo]]
    entries.insert(mine.hw, "|")
    return f"[{' '.join(entries)}] hw {mine.hw}"
