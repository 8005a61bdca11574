"""A state and a step of the broker family as pictures: brokers, the controller, the clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...layout import NONE
from ...scene import Entry, Event, Log, Message, Participant, Promise, Scene, View
from .bounds import ACKS_ALL, Constants
from .messages import EPOCH_REQUEST, FETCH, FETCH_RESPONSE, IDLE
from .state import BrokerState
from .view import fetched, leadership, log_entries, role, under_way

CONTROLLER, CLIENTS = "controller", "clients"

Arguments = Mapping[str, int]


def broker(number: int) -> str:
    """Return the name of a broker's lane."""
    return f"broker {number}"


def scene(s: BrokerState, k: Constants) -> Scene:
    """Return the picture of a state."""
    everybody = [Participant(CONTROLLER, *leadership(s), epoch=s.quorum.epoch)]
    everybody += [_participant(s, k, number) for number in range(k.replicas)]
    everybody.append(Participant(CLIENTS, f"{s.written} of {k.records} written"))
    return Scene(
        tuple(everybody), (*_requests(s, k), *_announcements(s, k)), (*_read(s, k), *_acked(s, k))
    )


def _participant(s: BrokerState, k: Constants, number: int) -> Participant:
    replica = s.replica[number]
    details = []
    if k.hw_checkpoint:
        details.append(f"HW on disk: {replica.checkpoint}")
    if k.rules.epoch_cache:
        cached = [
            f"e{epoch} from {start}"
            for epoch, start in enumerate(replica.epoch_cache)
            if start != NONE
        ]
        details.append(f"epoch cache: {', '.join(cached) or 'empty'}")
    if s.late_fetch[number].leader != NONE:
        late = s.late_fetch[number]
        details.append(f"its fetch at {late.offset} is still at broker {late.leader}")
    return Participant(
        name=broker(number),
        role=role(s, number),
        details=tuple(details),
        alive=bool(replica.alive),
        epoch=replica.epoch if replica.leader != NONE else None,
        leads=replica.epoch if replica.leader == number else None,
        log=Log(tuple(Entry(f"m{e.record}", e.epoch) for e in log_entries(replica)), replica.hw),
        replica=number,
    )


def _requests(s: BrokerState, k: Constants) -> list[Message]:
    """Return what is under way between followers and leaders."""
    found = []
    for follower in range(k.replicas):
        kind, leader = s.message[follower].kind, s.replica[follower].leader
        if kind == IDLE:
            continue
        text = under_way(s, k, follower)
        if kind == FETCH_RESPONSE:
            message = s.message[follower]
            text = f"{fetched(message.records) or 'no records'}, HW {message.hw}"
        asks = kind in (FETCH, EPOCH_REQUEST)
        ends = (follower, leader) if asks else (leader, follower)
        found.append(Message(f"{follower}", broker(ends[0]), broker(ends[1]), text))
    return found


def _announcements(s: BrokerState, k: Constants) -> list[Message]:
    """Return each LeaderAndIsr that a live broker may still take up."""
    return [
        Message(
            _announced(number, epoch),
            CONTROLLER,
            broker(number),
            f"e{epoch}: {'no leader' if told.leader == NONE else f'{told.leader} leads'}",
            quiet=True,
        )
        for epoch, told in enumerate(s.leader_and_isr)
        if epoch <= s.quorum.epoch and (told.leader != NONE or told.isr)
        for number in range(k.replicas)
        if s.replica[number].alive and s.replica[number].epoch < epoch
    ]


def _announced(number: int, epoch: int) -> str:
    """Return the key of what was said of an epoch to a broker."""
    return f"LeaderAndIsr {epoch} {number}"


def _read(s: BrokerState, k: Constants) -> list[Promise]:
    """Return what consumers have read."""
    return [
        Promise(
            CLIENTS,
            f"m{it.record}",
            "committed",
            f"m{it.record} is committed at offset {offset}: consumers read it",
        )
        for offset, it in enumerate(s.aux_committed)
        if it.record != NONE
    ]


def _acked(s: BrokerState, k: Constants) -> list[Promise]:
    """Return what producers have been told is written."""
    acks = "all" if k.acks == ACKS_ALL else k.acks
    return [
        Promise(
            CLIENTS,
            f"m{record}",
            "acked",
            f"m{record} is acknowledged to its producer (acks={acks})",
        )
        for record, it in enumerate(s.aux_acked)
        if it.epoch != NONE
    ]


def event(action: str, arguments: Arguments, before: Scene, after: Scene) -> Event:
    """Return what a step between two pictures is."""
    return _EVENTS[action](arguments, before, after)


def _of(picture: Scene, name: str) -> Participant:
    [found] = [who for who in picture.participants if who.name == name]
    return found


def _log(picture: Scene, number: int) -> Log:
    log = _of(picture, broker(number)).log
    assert log is not None
    return log


def _message(picture: Scene, follower: int) -> str:
    """Return what the message between a follower and its leader says."""
    return next((m.text for m in picture.messages if m.key == f"{follower}"), "nothing")


def _produce(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    log = _log(after, leader)
    entry = log.entries[-1]
    return Event(
        broker(leader),
        f"A producer writes {entry.name} to broker {leader}, which appends it at offset "
        f"{log.leo - 1} in leader epoch {entry.epoch}.",
        exchange=((CLIENTS, broker(leader), f"write {entry.name}"),),
    )


def _send_fetch(a: Arguments, before: Scene, after: Scene) -> Event:
    offset = _log(before, a["follower"]).leo
    return Event(
        broker(a["follower"]),
        f"Broker {a['follower']} asks broker {a['leader']} for records from offset {offset} on, "
        "its log end: that also tells the leader what it has.",
    )


def _handle_fetch(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    offset = _log(before, follower).leo
    if offset > _log(before, leader).leo:
        learns = f"The fetch offset {offset} is beyond the log end of broker {leader}"
    else:
        learns = f"Broker {leader} learns that broker {follower} has all below offset {offset}"
    mine, theirs = (_of(before, broker(number)).epoch for number in (leader, follower))
    apart = "" if mine == theirs else f" It leads epoch {mine}, the follower is in epoch {theirs}."
    return Event(
        broker(leader),
        f"{learns}, and answers: {_message(after, follower)}.{apart}",
        sign="late" if apart else "",
        takes=(f"{follower}",),
    )


def _handle_fetch_response(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = a["follower"]
    return Event(
        broker(follower),
        f"The response of broker {a['leader']} reaches broker {follower}: "
        f"{_message(before, follower)}.",
        takes=(f"{follower}",),
    )


def _handle_out_of_range(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = a["follower"]
    return Event(
        broker(follower),
        f"Broker {follower} is told that its fetch offset is out of range, and cuts its log to "
        f"the log end of broker {a['leader']}.",
        takes=(f"{follower}",),
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
        f"Broker {a['leader']} serves a fetch of broker {a['follower']}, which has died since.",
    )


def _send_epoch_request(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["follower"]),
        f"Before it fetches, broker {a['follower']} asks broker {a['leader']} where the epoch of "
        f"its own last record ends there: {_message(after, a['follower'])}",
    )


def _handle_epoch_request(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, follower = a["leader"], a["follower"]
    known = " and ".join(_of(before, broker(leader)).details)
    return Event(
        broker(leader),
        f"Broker {follower} has asked: {_message(before, follower)} Broker {leader}, with {known}, "
        f"answers: {_message(after, follower)}.",
        sign="truncation",
        takes=(f"{a['follower']}",),
    )


def _handle_epoch_response(a: Arguments, before: Scene, after: Scene) -> Event:
    follower = a["follower"]
    now, was = _of(after, broker(follower)), _of(before, broker(follower))
    end = _log(after, follower).leo
    cut = (
        f"cuts its log back to offset {end}" if end < _log(before, follower).leo else "cuts nothing"
    )
    then = "must ask once more" if "truncating" in now.role else "can fetch now"
    return Event(
        broker(follower),
        f"Broker {follower}, with {' and '.join(was.details)}, takes the answer of broker "
        f"{a['leader']} ({_message(before, follower)}): it {cut} and {then}.",
        sign="truncation",
        takes=(f"{follower}",),
    )


def _late(epoch: int, after: Scene) -> str:
    """Say so where the controller is in a newer epoch than the one that is taken up."""
    newest = _of(after, CONTROLLER).epoch
    return "" if epoch == newest else f" It is late: the controller is at epoch {newest} by now."


def _become_leader(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, epoch = a["leader"], a["epoch"]
    late = _late(epoch, after)
    return Event(
        broker(leader),
        f"Broker {leader} hears that it leads epoch {epoch} and begins to lead.{late}",
        sign="late" if late else "",
        takes=(_announced(leader, epoch),),
    )


def _become_follower(a: Arguments, before: Scene, after: Scene) -> Event:
    follower, epoch = a["follower"], a["epoch"]
    now = _of(after, broker(follower)).role
    old, end = _log(before, follower), _log(after, follower).leo
    cut = ""
    if end < old.leo:
        whose = ", its own high watermark" if end == old.hw else ""
        cut = f" It cuts its log back to offset {end}{whose}."
    late = _late(epoch, after)
    return Event(
        broker(follower),
        f"Broker {follower} hears of leader epoch {epoch} and takes it up: {now}.{cut}{late}",
        sign="late" if late else "truncation" if cut else "",
        takes=(_announced(follower, epoch),),
    )


def _shrink_isr(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["leader"]),
        f"Broker {a['leader']} takes broker {a['follower']}, which is behind, out of the ISR.",
    )


def _elect(a: Arguments, before: Scene, after: Scene) -> Event:
    now = _of(after, CONTROLLER)
    return Event(
        CONTROLLER,
        f"The controller elects broker {a['broker']}: {now.role}, {', '.join(now.details)}.",
        sign="election",
    )


def _fence(a: Arguments, before: Scene, after: Scene) -> Event:
    now = _of(after, CONTROLLER)
    return Event(
        CONTROLLER,
        f"The controller holds broker {a['broker']} for dead and takes it out of the ISR and the "
        f"lead: {now.role}, {', '.join(now.details)}.",
        sign="election",
    )


def _crash(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["broker"]),
        f"Broker {a['broker']} crashes: its memory is lost, its log stays on disk.",
        sign="crash",
    )


def _lose_power(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["broker"]),
        f"Broker {a['broker']} loses power: of its log, only what is below offset {a['kept']} "
        "had reached the disk.",
        sign="crash",
    )


def _restart(a: Arguments, before: Scene, after: Scene) -> Event:
    return Event(
        broker(a["broker"]),
        f"Broker {a['broker']} starts again with what is on its disk, and waits for word from "
        "the controller.",
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
        f"{_message(before, follower)}.",
        sign="loss",
    )


_EVENTS: Mapping[str, Callable[[Arguments, Scene, Scene], Event]] = {
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
}
"""Every action of the family."""

LEGEND = (
    "m0, m1, … are records in the order in which producers wrote them; m0@1 is m0, written in "
    "leader epoch 1.",
    "“leads e1 isr 0,2” is a broker that believes it leads leader epoch 1 with replicas 0 and 2 "
    "in sync, “(stale)” one that is not the controller's leader any more; “follows 0 e1” one that "
    "follows broker 0 in epoch 1, “restarted” one that has yet to hear from the controller.",
    "“m1@0, HW 1” is a fetch response with that record and the leader's high watermark; “e1: 1 "
    "leads” is what the controller says of epoch 1 (LeaderAndIsr).",
)

VIEW = View(scene, event, LEGEND)
