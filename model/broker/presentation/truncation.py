"""Explanations of truncation offsets and of epoch cache changes, with their numbers.

They cover the rules of the protocols; for any other rule (a mutant's, say) they state only its
result.
"""

from __future__ import annotations

from ....core.layout import NONE
from ....core.scene import Log
from .pictures import Answer, Broker, cached


def _ends(who: Broker, epoch: int) -> int:
    """Return where a cached epoch ends: where the next one starts, or at the log end."""
    return min(
        (start for cached_epoch, start in who.cache if cached_epoch > epoch), default=_log(who).leo
    )


def _log(who: Broker) -> Log:
    assert who.log is not None
    return who.log


def _largest(who: Broker, epoch: int) -> int:
    """Return the largest cached epoch up to this one, or NONE."""
    return max(
        (cached_epoch for cached_epoch, _ in who.cache if cached_epoch <= epoch), default=NONE
    )


def _knows(who: Broker) -> str:
    """Return the contents of an epoch cache as a clause."""
    return f"its epoch cache has {cached(who.cache)}" if who.cache else "its epoch cache is empty"


def asked_epoch(follower: Broker) -> int:
    """Return the newest epoch in a follower's cache, which its request carries, or NONE."""
    return follower.cache[-1][0] if follower.cache else NONE


def why_answer(leader: Broker, requested: int) -> str:
    """Explain a leader's answer about an epoch, with its numbers."""
    rule = leader.rules.end_offset_for_epoch.__name__
    larger = [(epoch, start) for epoch, start in leader.cache if epoch > requested]
    known, knows = _largest(leader, requested), _knows(leader)
    if rule == "start_of_next_epoch":
        if leader.cache and leader.cache[-1][0] == requested:
            return f"{knows}; e{requested} is its newest epoch, so it answers with its log end"
        if larger and known != NONE:
            return (
                f"{knows}; it answers with the start of its first epoch above e{requested}, which "
                f"is e{larger[0][0]} at offset {larger[0][1]}"
            )
        return f"{knows}, which does not show where e{requested} ends"
    if rule == "largest_epoch_and_its_end":
        if known == requested:
            return f"{knows}; in its log e{requested} ends at offset {_ends(leader, requested)}"
        if not larger:
            return f"{knows}, no epoch from e{requested} on, so it does not know"
        if known == NONE:
            return (
                f"{knows}, no epoch up to e{requested}, so it answers with the start of its first "
                f"epoch, e{larger[0][0]}"
            )
        return (
            f"{knows}, not e{requested}; its largest smaller epoch is e{known}, which ends at "
            f"offset {_ends(leader, known)}"
        )
    return knows


def why_diverging(leader: Broker, follower: Broker) -> str:
    """Explain why a leader finds that a follower's log diverges, with the numbers of both."""
    offset, requested = _log(follower).leo, asked_epoch(follower)
    return (
        f"The log of broker {follower.replica} ends at offset {offset}, and e{requested} is its "
        f"newest epoch; "
        f"broker {leader.replica} compares: {why_answer(leader, requested)}. The logs diverge"
    )


def why_truncated(follower: Broker, answer: Answer) -> str:
    """Explain a follower's truncation by an answer, with its numbers."""
    rule, hw = follower.rules.truncate_by_answer.__name__, _log(follower).hw
    if rule not in ("cut_to_answer", "cut_to_common_epoch"):
        return ""
    if answer.end == NONE:
        return f"the leader does not know, so it falls back to its own high watermark, {hw}"
    if rule == "cut_to_answer":
        return f"it keeps the records below the answered offset, {answer.end}"
    knows, smaller = _knows(follower), _largest(follower, answer.of)
    if answer.of > asked_epoch(follower):
        return f"{knows}, only older epochs: it keeps the records below the answer, {answer.end}"
    if smaller == answer.of:
        mine = _ends(follower, smaller)
        return (
            f"both know e{smaller}: it ends at offset {mine} here and at {answer.end} at the "
            f"leader, so it keeps the records below {min(mine, answer.end)}"
        )
    if smaller != NONE:
        return (
            f"{knows}, so it does not know e{answer.of}: it keeps the records below offset "
            f"{_ends(follower, smaller)}, the end of e{smaller}, its largest smaller epoch, and "
            f"{'fetches' if follower.rules.truncation_on_fetch else 'asks'} again"
        )
    knows = f"{knows}, so it knows no epoch up to e{answer.of}"
    if follower.rules.offset_without_common_epoch.__name__ == "start_of_first_epoch":
        start = min(follower.cache[0][1], answer.end)
        return f"{knows}: it keeps the records below offset {start}, where its first epoch starts"
    return knows


def why_truncated_at_once(follower: Broker) -> str:
    """Explain why a broker truncates its log when it begins to follow, if the rule does that."""
    if follower.rules.begin_following.__name__ != "truncate_to_hw":
        return ""
    return (
        f"a new follower keeps only the records below its own high watermark, {_log(follower).hw}"
    )


def continues_as_before(before: Broker, after: Broker) -> bool:
    """Whether a broker has only entered another epoch of the leader that it follows."""
    if before.role.split()[:2] != after.role.split()[:2]:
        return False
    rule = before.rules.has_new_leader.__name__
    if rule == "unless_next_epoch":
        return before.epoch is not None and after.epoch == before.epoch + 1
    return rule == "if_leader_changes"


def cache_changed(before: Broker, after: Broker) -> str:
    """Explain how a step changed an epoch cache."""
    was, now, log = dict(before.cache), dict(after.cache), _log(after)
    added = {epoch: start for epoch, start in now.items() if was.get(epoch) != start}
    gone = {epoch: start for epoch, start in was.items() if epoch not in now}
    dropped = cached(tuple(gone.items()))
    if not added:
        return (
            f"The epoch cache of broker {after.replica} drops {dropped}: it keeps no "
            f"entry that starts at the log end, {log.leo}, or beyond{_still(log, gone)}."
        )
    noted = f"Broker {after.replica} adds {cached(tuple(added.items()))} to its epoch cache"
    if not gone:
        return f"{noted}."
    epoch, start = next(iter(added.items()))
    larger = any(removed > epoch for removed in gone)
    reason = f"later than e{epoch}" if larger else f"not before offset {start}"
    return f"{noted}, which drops {dropped} ({reason}){_still(log, gone)}."


def _still(log: Log, gone: dict[int, int]) -> str:
    """Say which records of dropped epochs a log still has."""
    held = [str(entry) for entry in log.entries if entry.epoch in gone]
    return f"; its log still holds {', '.join(held)}" if held else ""
