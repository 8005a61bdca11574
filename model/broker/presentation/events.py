"""A step of the broker family as a picture: who acts, and what happens, in a sentence."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ....core.fields import NONE
from ....core.scene import Event, Scene
from ..assignment import braced
from ..messages import DIVERGING
from ..rules import explained
from .delayed import DELAYED
from .deletion import DELETION, fails, fails_before_truncating, log_start_moved
from .explanations import cache_changed, why_answer, why_diverging
from .isr_events import ISR_EVENTS
from .out_of_range import OUT_OF_RANGE
from .pictures import (
    CLIENTS,
    CONTROLLER,
    Announcement,
    Answer,
    Arguments,
    Telling,
    announced,
    answer_of,
    broker,
    broker_of,
    log_of,
    members,
    message_of,
    occurrence,
    of,
    partition_of,
    said,
)
from .side_effects import lags, lost_with, moves, proposed, raised, stored, truncated, yet_to_apply


def event(action: str, arguments: Arguments, before: Scene, after: Scene) -> Event:
    """Return the event between two pictures."""
    who, tell = EVENTS[action]
    happened = tell(arguments, before, after)
    step = happened if isinstance(happened, Event) else occurrence(happened)
    actor = broker(arguments[who]) if who in arguments else who
    sentences = [step.sentence]
    exchange, forgets = step.exchange, step.forgets
    for number in range(len(after.participants) - 2):
        was, now = broker_of(before, number), broker_of(after, number)
        if was.cache != now.cache:
            sentences.append(cache_changed(was, now))
            forgets += tuple(epoch for epoch, _ in was.cache if epoch not in dict(now.cache))
    if action != "ProposeShrink" and (proposals := proposed(before, after)):
        sentences.append(proposals)
    isr = partition_of(after).isr
    if actor != CONTROLLER and isr != partition_of(before).isr:
        exchange = (*exchange, (actor, CONTROLLER, f"isr {braced(isr)}"))
    return dataclasses.replace(
        step,
        actor=actor,
        sentence=" ".join(sentences),
        takes=step.takes or _taken(arguments, actor, step, before, after),
        exchange=exchange,
        forgets=forgets,
    )


def _taken(a: Arguments, actor: str, step: Event, before: Scene, after: Scene) -> tuple[str, ...]:
    """Return the message between a follower and its leader if the actor receives it in a step."""
    message = message_of(before, f"{a.get('follower')}")
    if message is None or message.receiver != actor or step.drops != Event.drops:
        return ()
    return () if message in after.messages else (message.key,)


def _produce(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    log = log_of(after, leader)
    entry = log.entries[-1]
    return occurrence(
        f"A producer writes {entry.name} to broker {leader}, which appends it at offset "
        f"{log.leo - 1} in leader epoch {entry.epoch}{raised(leader, before, after)}.",
        exchange=((CLIENTS, broker(leader), f"write {entry.name}"),),
    )


def _send_fetch(a: Arguments, before: Scene, after: Scene) -> str:
    follower = broker_of(before, a["follower"])
    offset, last = log_of(before, a["follower"]).leo, ""
    if follower.cache and follower.rules.truncation_on_fetch:
        last = f", lastFetchedEpoch = {follower.newest_epoch}"
    return (
        f"Broker {a['follower']} sends Fetch(offset = {offset}{last}) to broker {a['leader']}. "
        "The offset is its log end offset."
    )


def _handle_fetch(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    offset = log_of(before, follower).leo
    response = f"{broker(leader)} responds: {said(after, follower)}"
    answer = message_of(after, f"{follower}")
    diverges = isinstance(answer, Answer) and answer.kind == DIVERGING
    if diverges:
        effect = why_diverging(broker_of(before, leader), broker_of(before, follower))
        if broker_of(before, leader).remote_leos != broker_of(after, leader).remote_leos:
            effect += f", yet it sets the remote LEO to the fetch offset {offset}"
    elif offset > log_of(before, leader).leo:
        effect = f"The fetch offset {offset} is beyond the log end of broker {leader}"
    elif offset < log_of(before, leader).start:
        effect = f"The fetch offset {offset} is below the log start of broker {leader}"
    elif (known := broker_of(after, leader).remote_leos[follower]) != offset:
        effect = f"Broker {leader} leaves the remote LEO of broker {follower} at {known}"
        response = f"responds: {said(after, follower)}"
    else:
        effect = f"Broker {leader} sets the remote LEO of broker {follower} to {offset}"
        response = f"responds: {said(after, follower)}"
    hw = log_of(after, leader).hw
    if partition_of(after).isr & ~partition_of(before).isr == 1 << follower:
        effect += f", adds it to the ISR ({braced(partition_of(after).isr)})"
    if moved := moves(leader, before, after):
        effect += f", {moved}"
    if answer is None and hw < log_of(after, leader).start:
        effect += f", fails to read its HW, {hw}, which is below its log start"
        response = "answers OFFSET_OUT_OF_RANGE to the whole request. The follower may retry"
    elif answer is None:
        response = "has no new data: the fetch waits in purgatory"
    mine, theirs = (of(before, broker(number)).epoch for number in (leader, follower))
    leads = f"leads epoch {mine}" if mine is not None else "leads no epoch"
    apart = "" if mine == theirs else f" It {leads}, the follower is in epoch {theirs}."
    return occurrence(
        f"{effect}, and {response}.{apart}",
        sign="late" if apart else "truncation" if diverges else "",
    )


def _handle_fetch_response(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = a["follower"]
    was, now = log_of(before, follower).hw, log_of(after, follower).hw
    moves = f" Its HW goes from {was} to {now}." if was != now else ""
    return occurrence(
        f"Broker {follower} receives the response of broker {a['leader']}: "
        f"{said(before, follower)}.{moves}{log_start_moved(follower, before, after)}",
        sign="crash" if fails(follower, before, after) else "",
    )


def _refuse_request(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    error = _error(leader, follower, before)
    return occurrence(
        f"Broker {leader} refuses the request of broker {follower}: {error}. The follower may "
        "retry.",
        exchange=((broker(leader), broker(follower), error),),
    )


def _error(leader: int, follower: int, before: Scene) -> str:
    """Return the error with which a broker refuses a request; Kafka compares epochs first."""
    mine, theirs = (broker_of(before, number).epoch for number in (leader, follower))
    if broker_of(before, follower).fenced and mine is not None and theirs is not None:
        if theirs < mine:
            return "FENCED_LEADER_EPOCH"
        if theirs > mine:
            return "UNKNOWN_LEADER_EPOCH"
    # NOT_LEADER_FOR_PARTITION was renamed in Kafka 2.6, before KIP-595.
    is_renamed = broker_of(before, leader).rules.truncation_on_fetch
    return "NOT_LEADER_OR_FOLLOWER" if is_renamed else "NOT_LEADER_FOR_PARTITION"


def _send_epoch_request(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"Before it fetches, broker {a['follower']} sends OffsetsForLeaderEpoch for the newest "
        f"epoch in its epoch cache to broker {a['leader']}: {said(after, a['follower'])}"
    )


def _handle_epoch_request(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    why = why_answer(broker_of(before, leader), broker_of(before, follower).newest_epoch)
    return occurrence(
        f"Broker {leader} handles OffsetsForLeaderEpoch of broker {follower}: "
        f"{said(before, follower)} It answers “{said(after, follower)}”: {why}.",
        sign="truncation",
    )


def _handle_epoch_response(a: Arguments, before: Scene, after: Scene) -> Event:
    asks_again = broker_of(after, a["follower"]).truncating
    then = "It must ask again" if asks_again else "It can fetch now"
    return _truncate_by_answer(a, before, after, then)


def _handle_diverging_epoch(a: Arguments, before: Scene, after: Scene) -> Event:
    if fails(a["follower"], before, after):
        return fails_before_truncating(a, before, after)
    return _truncate_by_answer(a, before, after, "It continues to fetch from there")


def _truncate_by_answer(a: Arguments, before: Scene, after: Scene, then: str) -> Event:
    """Say how a follower truncates its log by its leader's answer, and what it does next."""
    follower = a["follower"]
    was = broker_of(before, follower)
    why = explained(was.rules.truncate_by_answer, was, answer_of(before, follower))
    reason = f": {why}" if why else ""
    return occurrence(
        f"Broker {follower} receives the answer of broker {a['leader']}, "
        f"“{said(before, follower)}”{reason}. {truncated(follower, before, after)} {then}.",
        sign="truncation",
        rule=why,
    )


def _late(epoch: int, after: Scene) -> str:
    """Say so if the controller is in a newer epoch than the applied one."""
    newest = of(after, CONTROLLER).epoch
    return "" if epoch == newest else f" This is late: the controller is already at epoch {newest}."


def _leader_and_isr(epoch: int, picture: Scene) -> str:
    """Return what announces an epoch to brokers: LeaderAndIsr, or the metadata with KRaft."""
    return f"{'the metadata' if partition_of(picture).kraft else 'LeaderAndIsr'} (epoch {epoch})"


def _become_leader(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, epoch = a["leader"], a["epoch"]
    late, lost = _late(epoch, after), lost_with(leader, before, after)
    lost = f" It does so{lost}." if lost else ""
    return occurrence(
        f"Broker {leader} applies {_leader_and_isr(epoch, after)} and becomes leader"
        f"{raised(leader, before, after)}.{late}{lost}",
        sign="late" if late else "",
        takes=(announced(leader, epoch),),
        drops=f"dropped: broker {leader} applied epoch {epoch}",
    )


def _become_follower(a: Arguments, before: Scene, after: Scene) -> Event:
    follower, epoch = a["follower"], a["epoch"]
    was, now = broker_of(before, follower), broker_of(after, follower)
    old, message = was.log, message_of(before, announced(follower, epoch))
    truncation, why = "", ""
    if isinstance(message, Announcement) and message.continues:
        same = " Its leader stays the same, so it" if was.follows == now.follows else " It"
        truncation = f"{same} continues as before."
    elif now.follows != NONE and old.entries:
        why = explained(was.rules.begin_following, was)
        if why or log_of(after, follower).leo < old.leo:
            truncation = f" {why[:1].upper()}{why[1:]}. " if why else " "
            truncation += truncated(follower, before, after)
    late = _late(epoch, after)
    lost = lost_with(follower, before, after)
    lost = f" It does so{lost}." if lost else ""
    return occurrence(
        f"Broker {follower} applies {_leader_and_isr(epoch, after)}: {now.role}."
        f"{truncation}{late}{lost}",
        sign="late"
        if late
        else "truncation"
        if why or log_of(after, follower).leo < old.leo
        else "",
        takes=(announced(follower, epoch),),
        drops=f"dropped: broker {follower} applied epoch {epoch}",
        rule=why,
    )


def _shrink_isr(a: Arguments, before: Scene, after: Scene) -> str:
    leader, follower = a["leader"], a["follower"]
    why = f"although the remote LEO of broker {follower} is the log end"
    if lags(leader, follower, before):
        why = f"because broker {follower} lags"
    return (
        f"Broker {leader} shrinks the ISR to {braced(partition_of(after).isr)} {why}"
        f"{raised(leader, before, after)}."
    )


def _elect(a: Arguments, before: Scene, after: Scene) -> Event:
    isr, elr = partition_of(before).isr, partition_of(before).elr
    eligible = bool(elr & ~isr >> a["broker"] & 1)
    clean = eligible or bool(isr >> a["broker"] & 1)
    whether = f"is in the ISR {braced(isr)}"
    if eligible:
        alive = any(broker_of(before, number).alive for number in members(before, isr))
        dead = "" if alive else f", as no member of the ISR {braced(isr)} is alive"
        whether = f"is in the ELR {braced(elr)}{dead}"
    elif partition_of(before).cached >> a["broker"] & 1 and not clean:
        cached = braced(partition_of(before).cached)
        whether = f"is in the controller's cached ISR {cached}, but NOT in the stored {braced(isr)}"
    elif not clean:
        whether = f"is NOT in the ISR {braced(isr)} (unclean election)"
    return occurrence(
        f"The controller elects broker {a['broker']}, which {whether}: {stored(after)}"
        f"{yet_to_apply(after, a['broker'])}.",
        sign="election" if clean else "unclean",
        rule=whether,
    )


def _fence(a: Arguments, before: Scene, after: Scene) -> Event:
    was, now = partition_of(before), partition_of(after)
    lives = broker_of(before, a["broker"]).alive
    why = "is shutting down, or is considered dead" if lives else "is dead"
    roles = ["leadership"] * (was.leader != now.leader) + ["the ISR"] * (was.isr != now.isr)
    removes = f"removes it from {' and '.join(roles)}" if roles else "fences it"
    return occurrence(
        f"Broker {a['broker']} {why}; the controller {removes}: {stored(after)}.",
        sign="election",
    )


def _crash(a: Arguments, before: Scene, after: Scene) -> Event:
    number = a["broker"]
    lost = lost_with(number, before, after)
    return occurrence(
        f"Broker {number} crashes{lost}. Its memory is lost, its log stays on disk.",
        sign="crash",
        drops=f"dropped: broker {number} crashed",
    )


def _lose_power(a: Arguments, before: Scene, after: Scene) -> Event:
    number = a["broker"]
    lost = lost_with(number, before, after)
    return occurrence(
        f"Broker {number} loses power{lost}. Of its log, only the records below offset "
        f"{a['kept']} had reached the disk.",
        sign="crash",
        drops=f"dropped: broker {number} lost power",
        rule="a broker that loses power keeps the records on its disk, here those below "
        f"offset {a['kept']}",
    )


def _restart(a: Arguments, before: Scene, after: Scene) -> Event:
    left = partition_of(before).elr & ~partition_of(after).elr
    unclean = " It went down uncleanly, so the controller removes it from the ELR." if left else ""
    awaited = "the metadata" if partition_of(after).kraft else "LeaderAndIsr"
    return occurrence(
        f"Broker {a['broker']} restarts with the state on its disk, HW "
        f"{log_of(after, a['broker']).hw}, and waits for {awaited}.{unclean}",
        sign="restart",
    )


def _checkpoint_hw(a: Arguments, before: Scene, after: Scene) -> str:
    return f"Broker {a['broker']} writes its HW to disk (replication-offset-checkpoint)."


def _lose_message(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = a["follower"]
    return occurrence(
        f"The network loses the message in flight between broker {follower} and its leader: "
        f"{said(before, follower)}.",
        sign="loss",
        drops="lost by the network",
    )


EVENTS: Mapping[str, Telling] = {
    "Produce": ("leader", _produce),
    "SendFetch": ("follower", _send_fetch),
    "HandleFetch": ("leader", _handle_fetch),
    "HandleFetchResponse": ("follower", _handle_fetch_response),
    "RefuseRequest": ("leader", _refuse_request),
    "SendEpochRequest": ("follower", _send_epoch_request),
    "HandleEpochRequest": ("leader", _handle_epoch_request),
    "HandleEpochResponse": ("follower", _handle_epoch_response),
    "HandleDivergingEpoch": ("follower", _handle_diverging_epoch),
    "BecomeLeader": ("leader", _become_leader),
    "BecomeFollower": ("follower", _become_follower),
    "ShrinkIsr": ("leader", _shrink_isr),
    "Elect": (CONTROLLER, _elect),
    "Fence": (CONTROLLER, _fence),
    "Crash": ("broker", _crash),
    "LosePower": ("broker", _lose_power),
    "Restart": ("broker", _restart),
    "CheckpointHw": ("broker", _checkpoint_hw),
    "LoseMessage": ("follower", _lose_message),
    **ISR_EVENTS,
    **DELAYED,
    **DELETION,
    **OUT_OF_RANGE,
}
"""Every action of the family."""
