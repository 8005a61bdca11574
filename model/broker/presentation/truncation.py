"""Why logs are cut where they are and epoch caches change as they do, in words and numbers.

What a rule does is told for the rules that the protocols have; of any other one (a mutant's, say)
only what came of it is told.
"""

from __future__ import annotations

from ....core.layout import NONE
from ....core.scene import Log
from .pictures import Answer, Broker, cached


def _ends(who: Broker, epoch: int) -> int:
    """Return where a cached epoch ends: where the next one starts, or at the log end."""
    return min((start for it, start in who.cache if it > epoch), default=_log(who).leo)


def _log(who: Broker) -> Log:
    assert who.log is not None
    return who.log


def _largest(who: Broker, epoch: int) -> int:
    """Return the largest cached epoch up to this one, or NONE."""
    return max((it for it, _ in who.cache if it <= epoch), default=NONE)


def _knows(who: Broker) -> str:
    """Return what an epoch cache has, as what somebody knows."""
    return f"its epoch cache has {cached(who.cache)}" if who.cache else "its epoch cache is empty"


def asked_epoch(follower: Broker) -> int:
    """Return the epoch of the last record of a follower, about which it asks."""
    return _log(follower).entries[-1].epoch


def why_answer(leader: Broker, asked: int) -> str:
    """Say by which rule a leader answers about an epoch, with its numbers."""
    rule = leader.rules.end_offset_for_epoch.__name__
    larger = [(epoch, start) for epoch, start in leader.cache if epoch > asked]
    known, knows = _largest(leader, asked), _knows(leader)
    if rule == "start_of_next_epoch":
        if leader.cache and leader.cache[-1][0] == asked:
            return f"{knows}; e{asked} is its newest epoch, so it answers with its log end"
        if larger and known != NONE:
            return (
                f"{knows}; it answers with the start of its first epoch above e{asked}, which is "
                f"e{larger[0][0]} at offset {larger[0][1]}"
            )
        return f"{knows}, which does not tell where e{asked} ends"
    if rule == "largest_epoch_and_its_end":
        if known == asked:
            return f"{knows}; in its log e{asked} ends at offset {_ends(leader, asked)}"
        if not larger:
            return f"{knows}, no epoch from e{asked} on, so it cannot tell"
        if known == NONE:
            return (
                f"{knows}, no epoch up to e{asked}, so it answers with the start of its first "
                f"epoch, e{larger[0][0]}"
            )
        return (
            f"{knows}, not e{asked}; its largest smaller epoch is e{known}, which ends at offset "
            f"{_ends(leader, known)}"
        )
    return knows


def why_diverging(leader: Broker, follower: Broker) -> str:
    """Say what a leader makes of a fetch whose log diverges, with the numbers of both."""
    offset, asked = _log(follower).leo, asked_epoch(follower)
    return (
        f"The log of broker {follower.replica} ends at offset {offset}, behind a record of "
        f"e{asked}; "
        f"broker {leader.replica} compares: {why_answer(leader, asked)}. The logs diverge"
    )


def why_cut(follower: Broker, answer: Answer) -> str:
    """Say by which rule a follower cuts its log at an answer, with its numbers."""
    rule, hw = follower.rules.truncate_by_answer.__name__, _log(follower).hw
    if rule not in ("cut_to_answer", "cut_to_common_epoch"):
        return ""
    if answer.end == NONE:
        return f"the leader cannot tell, so it falls back to its own high watermark, {hw}"
    if rule == "cut_to_answer":
        return f"it keeps what is below the answered offset, {answer.end}"
    knows, smaller = _knows(follower), _largest(follower, answer.of)
    if smaller == answer.of:
        mine = _ends(follower, smaller)
        return (
            f"both know e{smaller}: it ends at offset {mine} here and at {answer.end} at the "
            f"leader, so it keeps what is below {min(mine, answer.end)}"
        )
    if smaller != NONE:
        return (
            f"{knows}, so it does not know e{answer.of}: it keeps what is below offset "
            f"{_ends(follower, smaller)}, the end of e{smaller}, its largest smaller epoch, and "
            f"{'fetches' if follower.rules.truncation_on_fetch else 'asks'} again"
        )
    if follower.rules.offset_without_common_epoch.__name__ == "empty_log":
        return (
            f"{knows}, so it knows no epoch up to e{answer.of}: nothing counts as common with the "
            "leader, and it keeps nothing"
        )
    return f"{knows}, so it knows no epoch up to e{answer.of}"


def why_cut_at_once(follower: Broker) -> str:
    """Say by which rule a broker cuts its log as it begins to follow, if the rule does that."""
    if follower.rules.begin_following.__name__ != "truncate_to_hw":
        return ""
    return f"a new follower keeps only what is below its own high watermark, {_log(follower).hw}"


def cache_told(before: Broker, after: Broker) -> str:
    """Say how and why a step changed an epoch cache."""
    was, now, log = dict(before.cache), dict(after.cache), _log(after)
    added = {epoch: start for epoch, start in now.items() if was.get(epoch) != start}
    gone = {epoch: start for epoch, start in was.items() if epoch not in now}
    dropped = cached(tuple(gone.items()))
    if not added:
        return (
            f"The epoch cache of broker {after.replica} drops {dropped}: what starts at "
            f"the log end, {log.leo}, or beyond is not kept{_still(log, gone)}."
        )
    noted = f"Broker {after.replica} notes {cached(tuple(added.items()))} in its epoch cache"
    if not gone:
        return f"{noted}."
    epoch, start = next(iter(added.items()))
    larger = any(it > epoch for it in gone)
    reason = f"later than e{epoch}" if larger else f"not before offset {start}"
    return f"{noted}, which drops {dropped} ({reason}){_still(log, gone)}."


def _still(log: Log, gone: dict[int, int]) -> str:
    """Say which records of dropped epochs a log still has."""
    held = [str(entry) for entry in log.entries if entry.epoch in gone]
    return f"; its log still holds {', '.join(held)}" if held else ""
