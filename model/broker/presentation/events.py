"""A step of the broker family as a picture: who acts, and what happens, in a sentence."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ....core.scene import Event, Scene
from ..delayed import DELAYED
from ..replica_sets import braced
from . import isr_events
from .pictures import (
    CLIENTS,
    CONTROLLER,
    announced,
    answer_of,
    broker,
    broker_of,
    log_of,
    of,
    partition_of,
    said,
)
from .told import lost_with, proposed, raised
from .truncation import asked_epoch, cache_told, why_answer, why_cut, why_cut_at_once, why_diverging

Arguments = Mapping[str, int]


def event(action: str, arguments: Arguments, before: Scene, after: Scene) -> Event:
    """Return what a step between two pictures is."""
    told = EVENTS[action](arguments, before, after)
    sentences = [told.sentence]
    exchange, forgets = told.exchange, told.forgets
    for number in range(len(after.participants) - 2):
        was, now = broker_of(before, number), broker_of(after, number)
        if was.cache != now.cache:
            sentences.append(cache_told(was, now))
            forgets += tuple(epoch for epoch, _ in was.cache if epoch not in dict(now.cache))
    if action != "ProposeShrink" and (asks := proposed(before, after)):
        sentences.append(asks)
    isr = partition_of(after).isr
    if told.actor != CONTROLLER and isr != partition_of(before).isr:
        exchange = (*exchange, (told.actor, CONTROLLER, f"isr {braced(isr)}"))
    return dataclasses.replace(
        told, sentence=" ".join(sentences), exchange=exchange, forgets=forgets
    )


def _produce(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    log = log_of(after, leader)
    entry = log.entries[-1]
    return Event(
        broker(leader),
        f"A producer writes {entry.name} to broker {leader}, which appends it at offset "
        f"{log.leo - 1} in leader epoch {entry.epoch}{raised(leader, before, after)}.",
        exchange=((CLIENTS, broker(leader), f"write {entry.name}"),),
    )


def _send_fetch(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = broker_of(before, a["follower"])
    offset, last = log_of(before, a["follower"]).leo, ""
    if offset and follower.rules.truncation_on_fetch:
        last = f", and that its last record is of e{asked_epoch(follower)}"
    return Event(
        broker(a["follower"]),
        f"Broker {a['follower']} asks broker {a['leader']} for records from offset {offset} on, "
        f"its log end: that also tells the leader what it has{last}.",
    )


def _handle_fetch(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    offset = log_of(before, follower).leo
    diverges = said(after, follower).startswith("diverging")
    if diverges:
        learns = why_diverging(broker_of(before, leader), broker_of(before, follower))
        if broker_of(before, leader).rules.counts_diverging_fetch.__name__ != "not_if_diverging":
            learns += f", yet it counts the fetch offset {offset}"
    elif offset > log_of(before, leader).leo:
        learns = f"The fetch offset {offset} is beyond the log end of broker {leader}"
    else:
        learns = f"Broker {leader} learns that broker {follower} has all below offset {offset}"
    hw, was = log_of(after, leader).hw, log_of(before, leader).hw
    joined = partition_of(after).isr != partition_of(before).isr
    if joined:
        learns += f", lets it join the ISR ({braced(partition_of(after).isr)})"
    if hw != was:
        learns += f", raises its HW from {was} to {hw}"
    answers = f"answers: {said(after, follower)}"
    if not any(message.key == f"{follower}" for message in after.messages):
        answers = "has nothing for it: the fetch waits in purgatory"
    mine, theirs = (of(before, broker(number)).epoch for number in (leader, follower))
    leads = f"leads epoch {mine}" if mine is not None else "leads no epoch"
    apart = "" if mine == theirs else f" It {leads}, the follower is in epoch {theirs}."
    return Event(
        broker(leader),
        f"{learns}, and {answers}.{apart}",
        sign="late" if apart else "truncation" if diverges else "",
        takes=(f"{follower}",),
    )


def _handle_fetch_response(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = a["follower"]
    was, now = log_of(before, follower).hw, log_of(after, follower).hw
    moves = f" Its HW goes from {was} to {now}." if was != now else ""
    return Event(
        broker(follower),
        f"The response of broker {a['leader']} reaches broker {follower}: "
        f"{said(before, follower)}.{moves}",
        takes=(f"{follower}",),
    )


def _handle_out_of_range(a: Arguments, before: Scene, after: Scene) -> Event:
    follower, end = a["follower"], log_of(after, a["follower"]).leo
    return Event(
        broker(follower),
        f"Broker {follower} is told that its fetch offset is out of range, and cuts its log to "
        f"the log end of broker {a['leader']}, {end}.",
        sign="truncation",
        takes=(f"{follower}",),
        rule=f"a fetch offset that is out of range is answered with the leader's log end, {end}",
    )


def _refuse_request(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    return Event(
        broker(leader),
        f"Broker {leader} answers the request of broker {follower} with an error: it does not "
        "lead, or the leader epoch is not its own. The follower may ask again.",
        takes=(f"{follower}",),
        exchange=((broker(leader), broker(follower), "error"),),
    )


def _handle_late_fetch(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["leader"]),
        f"Broker {a['leader']} serves a fetch of broker {a['follower']}, which has died since"
        f"{raised(a['leader'], before, after)}.",
    )


def _send_epoch_request(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["follower"]),
        f"Before it fetches, broker {a['follower']} asks broker {a['leader']} where the epoch of "
        f"its own last record ends there: {said(after, a['follower'])}",
    )


def _handle_epoch_request(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    why = why_answer(broker_of(before, leader), asked_epoch(broker_of(before, follower)))
    return Event(
        broker(leader),
        f"Broker {leader} is asked by broker {follower}: {said(before, follower)} It answers "
        f"“{said(after, follower)}”: {why}.",
        sign="truncation",
        takes=(f"{a['follower']}",),
    )


def _handle_epoch_response(a: Arguments, before: Scene, after: Scene) -> Event:
    asks = "truncating" in broker_of(after, a["follower"]).role
    then = "It must ask once more" if asks else "It can fetch now"
    return _cut_by_answer(a, before, after, then)


def _handle_diverging_epoch(a: Arguments, before: Scene, after: Scene) -> Event:
    return _cut_by_answer(a, before, after, "It fetches on from there")


def _cut_by_answer(a: Arguments, before: Scene, after: Scene, then: str) -> Event:
    """Say how a follower cuts its log by what its leader answers, and what it does then."""
    follower = a["follower"]
    why = why_cut(broker_of(before, follower), answer_of(before, follower))
    reason = f": {why}" if why else ""
    return Event(
        broker(follower),
        f"Broker {follower} takes the answer of broker {a['leader']}, "
        f"“{said(before, follower)}”{reason}. {_cut(follower, before, after)} {then}.",
        sign="truncation",
        takes=(f"{follower}",),
        rule=why,
    )


def _cut(number: int, before: Scene, after: Scene) -> str:
    """Say what a step cut from a log."""
    end = log_of(after, number).leo
    gone = ", ".join(str(entry) for entry in log_of(before, number).entries[end:])
    if not gone:
        return "Nothing is cut from its log."
    return f"It cuts {gone} from its log, which ends at offset {end} now."


def _late(epoch: int, after: Scene) -> str:
    """Say so where the controller is in a newer epoch than the one that is taken up."""
    newest = of(after, CONTROLLER).epoch
    return "" if epoch == newest else f" It is late: the controller is at epoch {newest} by now."


def _become_leader(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, epoch = a["leader"], a["epoch"]
    late, lost = _late(epoch, after), lost_with(leader, before, after)
    lost = f" It does so{lost}." if lost else ""
    return Event(
        broker(leader),
        f"Broker {leader} hears that it leads epoch {epoch} and begins to lead"
        f"{raised(leader, before, after)}.{late}{lost}",
        sign="late" if late else "",
        takes=(announced(leader, epoch),),
        drops=f"dropped: broker {leader} took up epoch {epoch}",
    )


def _become_follower(a: Arguments, before: Scene, after: Scene) -> Event:
    follower, epoch = a["follower"], a["epoch"]
    now, old = of(after, broker(follower)).role, log_of(before, follower)
    told, why = "", ""
    if now.startswith("follows") and old.entries:
        why = why_cut_at_once(broker_of(before, follower))
        if why or log_of(after, follower).leo < old.leo:
            told = f" {why[:1].upper()}{why[1:]}. " if why else " "
            told += _cut(follower, before, after)
    late = _late(epoch, after)
    lost = lost_with(follower, before, after)
    lost = f" It does so{lost}." if lost else ""
    return Event(
        broker(follower),
        f"Broker {follower} hears of leader epoch {epoch} and takes it up: {now}.{told}{late}"
        f"{lost}",
        sign="late" if late else "truncation" if told else "",
        takes=(announced(follower, epoch),),
        drops=f"dropped: broker {follower} took up epoch {epoch}",
        rule=why,
    )


def _shrink_isr(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    return Event(
        broker(leader),
        f"Broker {leader} takes broker {a['follower']}, which is behind, out of the ISR, which is "
        f"{braced(partition_of(after).isr)} now{raised(leader, before, after)}.",
    )


def _elect(a: Arguments, before: Scene, after: Scene) -> Event:
    now, isr, elr = of(after, CONTROLLER), partition_of(before).isr, partition_of(before).elr
    eligible = bool(elr >> a["broker"] & 1)
    clean = eligible or bool(isr >> a["broker"] & 1)
    whether = f"is in the ISR {braced(isr)}"
    if eligible:
        whether = f"is in the ELR {braced(elr)}, as no member of the ISR {braced(isr)} is alive"
    elif partition_of(before).cached >> a["broker"] & 1 and not clean:
        cached = braced(partition_of(before).cached)
        whether = f"is in the controller's cached ISR {cached}, but NOT in the stored {braced(isr)}"
    elif not clean:
        whether = f"is NOT in the ISR {braced(isr)} (unclean election)"
    return Event(
        CONTROLLER,
        f"The controller elects broker {a['broker']}, which {whether}: {now.role}, "
        f"{', '.join(now.details)}.",
        sign="election" if clean else "unclean",
        rule=whether,
    )


def _fence(a: Arguments, before: Scene, after: Scene) -> Event:
    now = of(after, CONTROLLER)
    return Event(
        CONTROLLER,
        f"The controller holds broker {a['broker']} for dead and takes it out of the ISR and the "
        f"lead: {now.role}, {', '.join(now.details)}.",
        sign="election",
    )


def _crash(a: Arguments, before: Scene, after: Scene) -> Event:
    number = a["broker"]
    lost = lost_with(number, before, after)
    return Event(
        broker(number),
        f"Broker {number} crashes{lost}. Its memory is lost, its log stays on disk.",
        sign="crash",
        drops=f"dropped: broker {number} crashed",
    )


def _lose_power(a: Arguments, before: Scene, after: Scene) -> Event:
    number = a["broker"]
    lost = lost_with(number, before, after)
    return Event(
        broker(number),
        f"Broker {number} loses power{lost}. Of its log, only what is below offset {a['kept']} "
        "had reached the disk.",
        sign="crash",
        drops=f"dropped: broker {number} lost power",
        rule=f"a broker that loses power keeps what had reached its disk, here what is below "
        f"offset {a['kept']}",
    )


def _restart(a: Arguments, before: Scene, after: Scene) -> Event:
    left = partition_of(before).elr & ~partition_of(after).elr
    unclean = " As it went down uncleanly, the controller takes it out of the ELR." if left else ""
    return Event(
        broker(a["broker"]),
        f"Broker {a['broker']} starts again with what is on its disk, HW "
        f"{log_of(after, a['broker']).hw}, and waits for word from the controller.{unclean}",
        sign="restart",
    )


def _checkpoint_hw(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["broker"]),
        f"Broker {a['broker']} writes its high watermark to its disk.",
    )


def _lose_message(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = a["follower"]
    return Event(
        broker(follower),
        f"The network loses what is under way between broker {follower} and its leader: "
        f"{said(before, follower)}.",
        sign="loss",
        drops="lost by the network",
    )


EVENTS: Mapping[str, Callable[[Arguments, Scene, Scene], Event]] = {
    "Produce": _produce,
    "SendFetch": _send_fetch,
    "HandleFetch": _handle_fetch,
    "HandleFetchResponse": _handle_fetch_response,
    "HandleOutOfRange": _handle_out_of_range,
    "RefuseRequest": _refuse_request,
    "HandleLateFetch": _handle_late_fetch,
    "SendEpochRequest": _send_epoch_request,
    "HandleEpochRequest": _handle_epoch_request,
    "HandleEpochResponse": _handle_epoch_response,
    "HandleDivergingEpoch": _handle_diverging_epoch,
    "BecomeLeader": _become_leader,
    "BecomeFollower": _become_follower,
    "ShrinkIsr": _shrink_isr,
    "Elect": _elect,
    "Fence": _fence,
    "Crash": _crash,
    "LosePower": _lose_power,
    "Restart": _restart,
    "CheckpointHw": _checkpoint_hw,
    "LoseMessage": _lose_message,
    **isr_events.EVENTS,
    **DELAYED,
}
"""Every action of the family."""
