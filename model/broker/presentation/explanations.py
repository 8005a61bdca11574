"""Explanations of truncation offsets and of epoch cache changes, with their numbers.

A rule is explained by what stands beside it; a rule without an explanation by its result alone.
"""

from __future__ import annotations

from ....core.scene import Log
from ..rules import explained
from .pictures import Broker, cached


def why_answer(leader: Broker, requested: int) -> str:
    """Explain a leader's answer about an epoch, with its numbers."""
    rule = leader.rules.end_offset_for_epoch
    return explained(rule, leader, requested) or leader.cache_text


def why_diverging(leader: Broker, follower: Broker) -> str:
    """Explain why a leader finds that a follower's log diverges, with the numbers of both."""
    offset, requested = follower.log.leo, follower.newest_epoch
    return (
        f"The log of broker {follower.replica} ends at offset {offset}, and e{requested} is its "
        f"newest epoch; "
        f"broker {leader.replica} compares: {why_answer(leader, requested)}. The logs "
        f"{'diverge' if _diverge(leader.log, follower.log) else 'do not diverge'}"
    )


def _diverge(leader: Log, follower: Log) -> bool:
    """Whether a follower's log has at some offset what its leader's has not."""
    offsets = range(max(leader.start, follower.start), follower.leo)
    return any(follower.at(offset) != leader.at(offset) for offset in offsets)


def cache_changed(before: Broker, after: Broker) -> str:
    """Explain how a step changed an epoch cache."""
    was, now, log = dict(before.cache), dict(after.cache), after.log
    added = {epoch: start for epoch, start in now.items() if was.get(epoch) != start}
    gone = {epoch: start for epoch, start in was.items() if epoch not in now}
    dropped = cached(tuple(gone.items()))
    if log.start > before.log.start and added:
        also = f", and drops {dropped}" if gone else ""
        return (
            f"The epoch cache of broker {after.replica} now begins with "
            f"{cached(tuple(added.items()))}{also}."
        )
    if not added:
        beyond = all(start >= log.leo for start in gone.values())
        reason = f": it keeps no entry that starts at the log end, {log.leo}, or beyond"
        return (
            f"The epoch cache of broker {after.replica} drops {dropped}{reason if beyond else ''}"
            f"{_still(log, gone)}."
        )
    noted = f"Broker {after.replica} adds {cached(tuple(added.items()))} to its epoch cache"
    if not gone:
        return f"{noted}."
    epoch, start = next(iter(added.items()))
    larger = all(removed > epoch for removed in gone)
    reason = f" (later than e{epoch})" if larger else ""
    if not larger and all(began >= start for began in gone.values()):
        reason = f" (not before offset {start})"
    return f"{noted}, which drops {dropped}{reason}{_still(log, gone)}."


def _still(log: Log, gone: dict[int, int]) -> str:
    """Say which records of dropped epochs a log still has."""
    held = [str(entry) for entry in log.entries if entry.epoch in gone]
    return f"; its log still holds {', '.join(held)}" if held else ""
