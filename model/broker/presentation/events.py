"""A step of the broker family as a picture: who acts, and what happens, in a sentence.

The steps that propagate ISR changes, as pictures: AlterPartition and notifications.

The steps of a follower whose log ends outside its leader's, as pictures.

Explanations of truncation offsets and of epoch cache changes, with their numbers.

A rule is explained by what stands beside it; a rule without an explanation by its result alone.

How a log start offset moves, in words, for the option ``deletions``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from ....core.fields import NONE
from ....core.scene import Event, Log, Scene
from ..assignment import braced
from ..messages import DIVERGING
from ..rules import explained
from .pictures import (
    CLIENTS,
    CONSUMER,
    CONTROLLER,
    DELAYED,
    PRODUCER,
    REASSIGNMENT,
    Announcement,
    Answer,
    Arguments,
    Broker,
    Telling,
    announced,
    answer_of,
    broker,
    broker_of,
    cached,
    clients_of,
    lags,
    log_of,
    lost_with,
    members,
    message_of,
    moves,
    occurrence,
    of,
    partition_of,
    proposal,
    proposal_of,
    proposed,
    raised,
    said,
    stored,
    yet_to_apply,
)
from .view import FAILED


def _in_flight(picture: Scene, leader: int) -> str:
    """Return the message in flight between a leader and the controller."""
    message = proposal_of(picture, leader)
    return message.text if message else "nothing"


def _isr(picture: Scene) -> str:
    return braced(partition_of(picture).isr)


def _propose_shrink(a: Arguments, before: Scene, after: Scene) -> str:
    leader, follower = a["leader"], a["follower"]
    which = "which lags" if lags(leader, follower, before) else "whose remote LEO is the log end"
    return (
        f"Broker {leader} proposes an ISR without broker {follower}, {which}: "
        f"{_in_flight(after, leader)}."
    )


def _handle_alter_partition(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    request, was = proposal_of(before, leader), partition_of(before).isr
    since = [f" ({line})" for line in request.outdated] if request else []
    done = f"It accepts: the ISR was {braced(was)} and is {_isr(after)}."
    if partition_of(after).isr == was:
        answer = proposal_of(after, leader)
        refuses = f"It rejects it ({answer.refusal}). " if answer and answer.refusal else ""
        done = f"{refuses}The ISR stays {braced(was)}."
    return occurrence(
        f"The controller handles the request of broker {leader}: {_in_flight(before, leader)}"
        f"{''.join(since)}. {done}",
        takes=(proposal(leader),),
        drops="no broker receives the response",
    )


def _handle_alter_partition_response(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    now = of(after, broker(leader)).role
    return occurrence(
        f"Broker {leader} receives the controller's response: {_in_flight(before, leader)}. "
        f"It {now}{raised(leader, before, after)}.",
        takes=(proposal(leader),),
    )


def _fence_out_of_sync(a: Arguments, before: Scene, after: Scene) -> str:
    was, now = partition_of(before), partition_of(after)
    stays = (was.leader, was.isr, was.epoch) == (now.leader, now.isr, now.epoch)
    leaves = " The leader, the ISR and the epoch stay." if stays else f" {stored(after)}."
    return f"The controller misses the heartbeats of broker {a['broker']} and fences it.{leaves}"


def _unfence(a: Arguments, before: Scene, after: Scene) -> str:
    return f"Broker {a['broker']} has registered and sends heartbeats; the controller unfences it."


def _apply_change_record(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, epoch, was = a["leader"], a["epoch"], broker_of(before, a["leader"])
    records = "a partition change record"
    if a["last"]:
        records = f"{a['last'] + 1} partition change records"
    elif epoch in partition_of(before).known:
        records += ", which it knows from a response,"
    newest = of(after, CONTROLLER).epoch
    late = "" if epoch == newest else f" This is late: the controller is already at epoch {newest}."
    becomes = was.leads != epoch
    keeps = was.remote_leos == broker_of(after, leader).remote_leos
    does = "becomes leader" if becomes else f"{'keeps' if keeps else 'changes'} its remote LEOs"
    lost = lost_with(leader, before, after) if becomes else ""
    dropped = was.proposed and not broker_of(after, leader).proposed
    proposal = f" It drops its proposal of isr {braced(was.proposed)}." if dropped else ""
    return occurrence(
        f"Broker {leader} applies {records} (epoch {epoch}) and {does}: it "
        f"{of(after, broker(leader)).role}{raised(leader, before, after)}.{proposal}{late}"
        + (f" It does so{lost}." if lost else ""),
        sign="late" if late else "",
        takes=(announced(leader, epoch),) if becomes else (),
        drops=f"dropped: broker {leader} applied epoch {epoch}",
    )


def _fence_follower(a: Arguments, before: Scene, after: Scene) -> str:
    lives = broker_of(before, a["broker"]).alive
    why = "is shutting down, or is considered dead" if lives else "is dead"
    same = partition_of(before).epoch == partition_of(after).epoch
    return (
        f"Broker {a['broker']} {why}; the controller fences it and writes a partition change "
        f"record: isr {_isr(after)}.{' No leader epoch begins.' if same else ''}"
    )


def _elect_last_known(a: Arguments, before: Scene, after: Scene) -> Event:
    number = a["broker"]
    whether = "is the last known leader"
    if not partition_of(before).isr | partition_of(before).elr:
        whether += ", as neither the ISR nor the ELR has a member"
    down = "" if broker_of(before, number).alive else ", although it is down"
    return occurrence(
        f"The controller elects broker {number}, which {whether} (unclean election){down}: "
        f"{stored(after)}{yet_to_apply(after, number)}.",
        sign="unclean",
        rule=whether,
    )


def _pass_lag_time(a: Arguments, before: Scene, after: Scene) -> str:
    leader, follower = a["leader"], a["follower"]
    return (
        f"replica.lag.time.max.ms has passed since broker {follower} had the log end of broker "
        f"{leader}, which no longer considers it caught up."
    )


def _write_notification(a: Arguments, before: Scene, after: Scene) -> Event:
    return occurrence(
        f"Broker {a['leader']} writes the notification of its ISR change to ZooKeeper.",
        exchange=((broker(a["leader"]), CONTROLLER, "the ISR has changed"),),
    )


def _read_notification(a: Arguments, before: Scene, after: Scene) -> str:
    return "The controller reads the notification that the ISR has changed."


def _refresh_cache(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"The controller reads the stored ISR, {_isr(after)}, into its cache and sends "
        "UpdateMetadata to every broker."
    )


def _delete_notification(a: Arguments, before: Scene, after: Scene) -> str:
    return "The controller deletes the notification that it has handled."


def _crash_controller(a: Arguments, before: Scene, after: Scene) -> Event:
    return occurrence(
        "The controller crashes. A notification that it had read but not deleted stays.",
        sign="crash",
    )


def _start_controller(a: Arguments, before: Scene, after: Scene) -> Event:
    return occurrence(
        f"Another broker becomes the controller and begins with the stored ISR, {_isr(after)}.",
        sign="restart",
    )


def _update_metadata(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"UpdateMetadata reaches broker {a['broker']}, which now answers metadata requests "
        f"with: {of(after, CONTROLLER).role}."
    )


def _refreshed(client: str) -> Callable[[Arguments, Scene, Scene], str]:
    """Return the event of a client's metadata refresh."""

    def refresh(a: Arguments, before: Scene, after: Scene) -> str:
        line = clients_of(after).metadata[client]
        return f"The {client} refreshes its metadata from broker {a['broker']}: {line}."

    return refresh


def _consume(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    new = [promise.text for promise in after.promises if promise not in before.promises]
    read = new[0] if new else "the consumer reads a record that was read before"
    return occurrence(
        f"Broker {leader}, the leader in the consumer's metadata, answers it: {read}.",
        exchange=((broker(leader), CLIENTS, "record"),),
    )


ISR_EVENTS: Mapping[str, Telling] = {
    "ProposeShrink": ("leader", _propose_shrink),
    "HandleAlterPartition": (CONTROLLER, _handle_alter_partition),
    "HandleAlterPartitionResponse": ("leader", _handle_alter_partition_response),
    "FenceOutOfSync": (CONTROLLER, _fence_out_of_sync),
    "Unfence": (CONTROLLER, _unfence),
    "ApplyChangeRecord": ("leader", _apply_change_record),
    "FenceFollower": (CONTROLLER, _fence_follower),
    "ElectLastKnown": (CONTROLLER, _elect_last_known),
    "PassLagTime": ("leader", _pass_lag_time),
    "WriteNotification": ("leader", _write_notification),
    "ReadNotification": (CONTROLLER, _read_notification),
    "RefreshCache": (CONTROLLER, _refresh_cache),
    "DeleteNotification": (CONTROLLER, _delete_notification),
    "CrashController": (CONTROLLER, _crash_controller),
    "StartController": (CONTROLLER, _start_controller),
    "UpdateMetadata": ("broker", _update_metadata),
    "RefreshProducer": (CLIENTS, _refreshed(PRODUCER)),
    "RefreshConsumer": (CLIENTS, _refreshed(CONSUMER)),
    "Consume": (CLIENTS, _consume),
    **REASSIGNMENT,
}
"""Every action that the options of ISR changes and elections add."""


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
        return occurrence(_truncation(follower, before, after), sign="truncation")
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


def _delete_records(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, offset = a["leader"], a["offset"]
    log = log_of(before, leader)
    deleted = ", ".join(str(entry) for entry in log.entries[log.start : offset])
    return occurrence(
        f"Broker {leader} deletes {deleted}: its log now starts at offset {offset} (DeleteRecords "
        "or retention).",
        exchange=((CLIENTS, broker(leader), f"DeleteRecords below {offset}"),),
    )


def log_start_moved(follower: int, before: Scene, after: Scene) -> str:
    """Say what the log start in a response did to a follower, as a sentence; empty if nothing."""
    if fails(follower, before, after):
        return (
            f" The log of its leader starts above its HW, {log_of(after, follower).hw}: "
            "OffsetOutOfRangeException. Its fetcher fails, and it fetches no more until it applies "
            "another epoch."
        )
    was, now = log_of(before, follower), log_of(after, follower)
    if now.start <= was.start:
        return ""
    deleted = ", ".join(str(entry) for entry in was.entries[was.start : now.start])
    return f" As its leader has, it deletes {deleted or 'what is'} below offset {now.start}."


def fails_before_truncating(a: Arguments, before: Scene, after: Scene) -> Event:
    """Return the event of a follower whose fetcher fails by a diverging epoch."""
    follower = a["follower"]
    return occurrence(
        f"Broker {follower} receives the answer of broker {a['leader']}, "
        f"“{said(before, follower)}”, and applies HW and log start before it truncates."
        f"{log_start_moved(follower, before, after)}",
        sign="crash",
        rule="a diverging answer below the log start makes the fetcher fail",
    )


def fails(follower: int, before: Scene, after: Scene) -> bool:
    """Whether a follower's fetcher fails in a step."""
    was, now = broker_of(before, follower), broker_of(after, follower)
    return now.role.endswith(FAILED) and not was.role.endswith(FAILED)


DELETION: Mapping[str, Telling] = {
    "DeleteRecords": ("leader", _delete_records),
}
"""The action that deletes."""


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
        f"“{said(before, follower)}”{reason}. {_truncation(follower, before, after)} {then}.",
        sign="truncation",
        rule=why,
    )


def _truncation(number: int, before: Scene, after: Scene) -> str:
    """Say which records a step truncated from a log."""
    end = log_of(after, number).leo
    removed = ", ".join(str(entry) for entry in log_of(before, number).entries[end:])
    if not removed:
        return "It truncates nothing."
    return f"It truncates its log to offset {end}, which removes {removed}."


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
            truncation += _truncation(follower, before, after)
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
