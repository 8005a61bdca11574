"""A state of the broker family as a picture: brokers, the controller, the clients.

The propagation of ISR changes as text, for traces and pictures.

The side effects of a step, in words: lost responses, higher high watermarks, proposals.

Requests that wait in purgatory, or outlive their sender, as pictures.

How the replicas of the partition change, in words, for the option ``reassignments``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from ....core.fields import NONE
from ....core.scene import Detail, Event, Log, Message, Participant, Scene
from ..assignment import braced
from ..bounds import ZOOKEEPER, Constants
from ..messages import ACCEPTED, IDLE, ORPHANED, OUTDATED, REFUSED, REQUEST
from ..rules import Rules
from ..state import BrokerState

Arguments = Mapping[str, int]
Telling = tuple[str, Callable[[Arguments, Scene, Scene], Event | str]]
"""Who acts, as a lane or as the argument that numbers a broker, and what a step is in words."""

occurrence = partial(Event, "")
"""An event whose actor is known from its action."""

CONTROLLER, CLIENTS = "controller", "clients"
ACKED = "acked"
"""The label of a record that was acknowledged to its producer."""


@dataclass(frozen=True)
class Partition(Participant):
    """The controller, with the partition state's leader, and its ISR and ELR as sets of bits.

    ``replicas`` are those of the partition; 0 if they never change.

    ``cached`` is the ISR in its cache, if it has one; with ``kraft`` brokers apply the metadata,
    not LeaderAndIsr, and ``known`` are epochs whose next record their leader knows from a response.
    ``unapplied`` are pairs of a leader and an epoch that it has not applied all records of.
    """

    details: tuple[Detail, ...] = ()
    leader: int = NONE
    isr: int = 0
    elr: int = 0
    replicas: int = 0
    cached: int = 0
    kraft: bool = False
    known: frozenset[int] = frozenset()
    unapplied: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Broker(Participant):
    """A broker, with the data that explains its log.

    Parameters
    ----------
    isr
        The ISR that it knows as a leader, as a set of bits; 0 if it leads no epoch.
    follows
        The leader that it follows; NONE if it follows none.
    truncating
        Whether it must first ask its leader where to truncate its log.
    fenced
        Whether the epoch of its request makes its leader refuse it.
    remote_leos
        The log end offsets that it knows of the other brokers.
    cache
        The start offset of each leader epoch in its epoch cache.
    proposed
        The ISR that it has proposed to the controller, as a set of bits; 0 if none is pending.
    rules
        The protocol's rules.
    """

    log: Log = field(default_factory=lambda: Log((), 0))
    isr: int = 0
    follows: int = NONE
    truncating: bool = False
    fenced: bool = False
    remote_leos: tuple[int, ...] = ()
    cache: tuple[tuple[int, int], ...] = ()
    proposed: int = 0
    rules: Rules = field(default_factory=Rules)

    @property
    def newest_epoch(self) -> int:
        """The newest epoch in its epoch cache, which its requests carry, or NONE."""
        return self.cache[-1][0] if self.cache else NONE

    @property
    def cache_text(self) -> str:
        """The contents of its epoch cache as a clause."""
        if not self.cache:
            return "its epoch cache is empty"
        return f"its epoch cache has {cached(self.cache)}"

    def largest_epoch(self, most: int) -> int:
        """Return the largest cached epoch up to this one, or NONE."""
        return max((epoch for epoch, _ in self.cache if epoch <= most), default=NONE)

    def end_of(self, epoch: int) -> int:
        """Return where a cached epoch ends: where the next one starts, or at the log end."""
        larger = (start for cached_epoch, start in self.cache if cached_epoch > epoch)
        return min(larger, default=self.log.leo)


@dataclass(frozen=True)
class Clients(Participant):
    """Producer and consumer, with the leader in the metadata of each."""

    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer(Message):
    """A message between a follower and its leader, of this kind.

    An answer about a log has an epoch and an end offset, NONE if the leader knows none.
    """

    kind: int = field(default=IDLE, compare=False)
    of: int = NONE
    end: int = NONE


@dataclass(frozen=True)
class Announcement(Message):
    """The LeaderAndIsr of an epoch on its way to a broker.

    ``continues`` says whether a broker that applies it as a follower continues as before.
    """

    epoch: int = NONE
    # What becomes of it may change while it is in flight; it is the same message all the same.
    continues: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Proposal(Message):
    """An ISR change in flight between a leader and the controller.

    ``refusal`` is the reason why the controller has rejected it; empty if it has not.
    ``outdated`` says, a line each, how a request has become outdated since it was sent.
    """

    refusal: str = ""
    outdated: tuple[str, ...] = field(default=(), compare=False)


def broker(number: int) -> str:
    """Return the name of a broker's lane."""
    return f"broker {number}"


def cached(cache: tuple[tuple[int, int], ...]) -> str:
    """Return an epoch cache, or a part of one.

    >>> cached(((0, 0), (2, 1)))
    'e0 from offset 0, e2 from offset 1'
    """
    return ", ".join(f"e{epoch} from offset {start}" for epoch, start in cache) or "empty"


def proposal(number: int) -> str:
    """Return the key of the message between a leader and the controller."""
    return f"AlterPartition {number}"


def proposal_of(picture: Scene, number: int) -> Proposal | None:
    """Return the message in flight between a leader and the controller, if any."""
    message = message_of(picture, proposal(number))
    return message if isinstance(message, Proposal) else None


def announced(number: int, epoch: int) -> str:
    """Return the key of the LeaderAndIsr of an epoch to a broker."""
    return f"LeaderAndIsr {epoch} {number}"


def of(picture: Scene, name: str) -> Participant:
    """Return a participant."""
    [participant] = [who for who in picture.participants if who.name == name]
    return participant


def broker_of(picture: Scene, number: int) -> Broker:
    """Return a broker."""
    participant = of(picture, broker(number))
    assert isinstance(participant, Broker)
    return participant


def members(picture: Scene, isr: int) -> list[int]:
    """Return the brokers in a set of bits."""
    return [number for number in range(len(picture.participants) - 2) if isr >> number & 1]


def partition_of(picture: Scene) -> Partition:
    """Return the controller."""
    participant = of(picture, CONTROLLER)
    assert isinstance(participant, Partition)
    return participant


def log_of(picture: Scene, number: int) -> Log:
    """Return the log of a broker."""
    return broker_of(picture, number).log


def clients_of(picture: Scene) -> Clients:
    """Return the clients."""
    participant = of(picture, CLIENTS)
    assert isinstance(participant, Clients)
    return participant


def message_of(picture: Scene, key: str) -> Message | None:
    """Return the message of this key, if it is in flight."""
    return next((message for message in picture.messages if message.key == key), None)


def answer_of(picture: Scene, follower: int) -> Answer:
    """Return the message between a follower and its leader."""
    message = message_of(picture, f"{follower}")
    if not isinstance(message, Answer):
        raise LookupError(f"no message is in flight between broker {follower} and its leader")
    return message


def said(picture: Scene, follower: int) -> str:
    """Return the text of the message between a follower and its leader."""
    message = message_of(picture, f"{follower}")
    return message.text if message else "nothing"


PRODUCER, CONSUMER = "producer", "consumer"

UNAPPLIED = "unapplied records"
"""What the lines about partition change records are about that a leader has not applied."""


def controller(s: BrokerState, k: Constants) -> tuple[Detail, ...]:
    """Return the controller's own state, beside the partition state, and its pending work."""
    if k.kraft:
        lines = [Detail(f"fenced {braced(s.partition.fenced)}", about="fenced")]
        for leader in range(k.replicas):
            lines += [Detail(line, about="requests") for line in requests(s, leader)]
        return (*lines, *_unapplied(s))
    if k.isr_propagation != ZOOKEEPER:
        return ()
    if s.controller.down:
        return (Detail("down", about="down"),)
    handles = ("", "has read a notification", "has yet to delete a notification")
    unread = "a notification is unread" if s.controller.notification else ""
    parts = (
        Detail(f"cached isr {braced(s.controller.isr)}", about="cached isr"),
        Detail(unread, about="unread"),
        Detail(handles[s.controller.handling], about="handling"),
    )
    return tuple(part for part in parts if part)


def requests(s: BrokerState, leader: int) -> tuple[str, ...]:
    """Return how a leader's request in flight has become outdated since it was sent."""
    request, lines = s.alter_partition[leader], []
    if request.kind == ORPHANED:
        lines.append(f"the request of {leader} has lost its sender")
    if request.rebooted:
        lines.append(
            f"the request of {leader} has an old broker epoch of {braced(request.rebooted)}"
        )
    if request.outdated:
        lines.append(f"the request of {leader} has an old partition epoch")
    return tuple(lines)


def unapplied(s: BrokerState) -> dict[int, list[int]]:
    """Return, by leader epoch, the ISRs of the records that its leader has not applied.

    A record that begins an epoch is in flight like LeaderAndIsr: on its own it does not count.
    """
    queues = {
        epoch: [isr for isr in sent.isrs if isr] for epoch, sent in enumerate(s.leader_and_isr)
    }
    return {
        epoch: isrs
        for epoch, isrs in queues.items()
        if len(isrs) > 1 or (isrs and s.replica[s.leader_and_isr[epoch].leader].epoch == epoch)
    }


def _unapplied(s: BrokerState) -> list[Detail]:
    """Return the partition change records that the leader of their epoch has not applied."""
    lines = []
    for epoch, queue in unapplied(s).items():
        sent, isrs = s.leader_and_isr[epoch], [braced(isr) for isr in queue]
        if sent.assignments:
            isrs = [
                f"{isr} of {braced(replicas)}"
                for isr, replicas in zip(isrs, sent.assignments, strict=False)
            ]
        known = " (known from a response)" if sent.known else ""
        records = f"isr {', then '.join(isrs)}{known}"
        line = f"broker {sent.leader} has yet to apply in e{epoch}: {records}"
        lines.append(Detail(line, about=UNAPPLIED))
    return lines


def clients(s: BrokerState, k: Constants) -> dict[str, Detail]:
    """Return a line for each client, with the leader in its metadata."""
    lines = {PRODUCER: Detail(f"{PRODUCER} -> {s.producer.leader}", about=PRODUCER)}
    if k.track_read:
        at = f"{s.aux_consumer.leader}, at {s.aux_consumer.offset}"
        lines[CONSUMER] = Detail(f"{CONSUMER} -> {at}", about=CONSUMER)
    return lines


def isr_changes(s: BrokerState, k: Constants, broker: int) -> tuple[Detail, ...]:
    """Return a broker's pending ISR change, and the leader in its metadata if outdated."""
    replica, lines = s.replica[broker], []
    if replica.proposed:
        lines.append(Detail(f"proposes isr {braced(replica.proposed)}", about="proposal"))
    if replica.change_set:
        lines.append(Detail("has not yet announced its isr", about="notification"))
    if k.isr_propagation == ZOOKEEPER and replica.alive and replica.metadata != s.partition.leader:
        named = "no leader" if replica.metadata == NONE else f"{replica.metadata}"
        lines.append(Detail(f"metadata names {named}", about="metadata"))
    return tuple(lines)


REFUSALS = {REFUSED: "ineligible replica", OUTDATED: "outdated"}
"""Why the controller has not accepted a proposal."""


def alter_partition(s: BrokerState, leader: int) -> str:
    """Return the message in flight between a leader and the controller; empty if none."""
    message = s.alter_partition[leader]
    request = f"AlterPartition e{message.epoch} isr {braced(message.isr)}"
    texts = {
        REQUEST: request,
        ORPHANED: request,
        ACCEPTED: f"e{message.epoch} isr {braced(message.isr)}",
        **{kind: f"e{message.epoch}: {why}" for kind, why in REFUSALS.items()},
    }
    return texts.get(message.kind, "")


def lost_with(number: int, before: Scene, after: Scene) -> str:
    """Say which responses to or from a broker are lost, and the high watermarks that stay."""
    text, left = "", {message.key for message in after.messages}
    for message in before.messages:
        if message.key in left or not isinstance(message, Answer):
            continue
        follower = int(message.key)
        hw = f"HW is still {log_of(after, follower).hw}"
        if message.receiver == broker(number) == broker(follower):
            text += (
                f" before the response of {message.sender} ({message.text}) reaches it: its {hw}"
            )
        elif message.sender == broker(number) != broker(follower):
            text += f", and its response ({message.text}) is lost: the {hw} on broker {follower}"
    return text


def raised(number: int, before: Scene, after: Scene) -> str:
    """Say how a high watermark moved, to end a sentence; empty if it did not."""
    moved = moves(number, before, after)
    every = log_of(after, number).hw > log_of(before, number).hw and not _missed(number, after)
    return moved and f", and {moved}{': every ISR member has the records below' if every else ''}"


def moves(number: int, before: Scene, after: Scene) -> str:
    """Say how a leader's high watermark moved, as a clause; empty if it did not."""
    was, now = log_of(before, number).hw, log_of(after, number).hw
    if now <= was:
        return f"lowers its HW from {was} to {now}" if now < was else ""
    return f"raises its HW from {was} to {now}{_missed(number, after)}"


def _missed(leader: int, picture: Scene) -> str:
    """Say which ISR members lack records below a leader's high watermark; empty if none does."""
    for whose, isr in (("the", partition_of(picture).isr), ("its", broker_of(picture, leader).isr)):
        lost = {number: _lacks(number, leader, picture) for number in members(picture, isr)}
        lacks = [f"broker {number} lacks {records}" for number, records in lost.items() if records]
        if lacks:
            return f", although {' and '.join(lacks)} ({whose} ISR is {braced(isr)})"
    return ""


def _lacks(number: int, leader: int, picture: Scene) -> str:
    """Return the records below a leader's high watermark that a log does not have."""
    log, held = log_of(picture, number), log_of(picture, leader)
    offsets = range(max(log.start, held.start), min(held.hw, held.leo))
    return ", ".join(str(held.at(at)) for at in offsets if log.at(at) != held.at(at))


def lags(leader: int, follower: int, before: Scene) -> bool:
    """Whether a follower lags by the log ends that its leader knows."""
    return broker_of(before, leader).remote_leos[follower] != log_of(before, leader).leo


def stored(picture: Scene) -> str:
    """Return what the controller has stored, as a clause."""
    controller = partition_of(picture)
    lines = (line for line in controller.details if line.about != UNAPPLIED)
    return ", ".join((controller.role, *lines))


def yet_to_apply(picture: Scene, number: int) -> str:
    """Say of which epochs a broker has records to apply, to end a sentence; empty if none."""
    unapplied = sorted(partition_of(picture).unapplied)
    epochs = ", ".join(f"e{epoch}" for leader, epoch in unapplied if leader == number)
    return f"; broker {number} has yet to apply records of {epochs}" if epochs else ""


def proposed(before: Scene, after: Scene) -> str:
    """Say which ISR change a step has proposed to the controller; empty if none."""
    sentences = []
    for number in range(len(after.participants) - 2):
        isr, in_flight = broker_of(after, number).proposed, proposal_of(after, number)
        if not isr or isr == broker_of(before, number).proposed or in_flight is None:
            continue
        if proposal_of(before, number) is None:
            sentences.append(f"Broker {number} sends {in_flight.text} to the controller.")
        else:
            sentences.append(
                f"Broker {number} proposes isr {braced(isr)}, which waits: an older request is in "
                "flight."
            )
    return " ".join(sentences)


def _handle_late_fetch(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"Broker {a['leader']} serves a fetch that broker {a['follower']} sent before it crashed"
        f"{raised(a['leader'], before, after)}."
    )


def _complete_fetch(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"Broker {a['leader']} completes the fetch of broker {a['follower']} that waits in "
        f"purgatory: {said(after, a['follower'])}."
    )


def _complete_produce(a: Arguments, before: Scene, after: Scene) -> Event | str:
    leader, record = a["leader"], a["record"]
    below = log_of(after, leader).entries[: log_of(after, leader).hw]
    passed = f"The HW of broker {leader} has passed m{record}, whose produce waited in purgatory"
    if all(entry.name != f"m{record}" for entry in below):
        passed = f"Broker {leader} completes the produce of m{record}, which waited in purgatory"
    if any(made.record == f"m{record}" and made.short == ACKED for made in after.promises):
        return f"{passed}: it is acknowledged to its producer."
    return occurrence(
        f"{passed}, but the ISR is now {braced(broker_of(after, leader).isr)}: its producer "
        "receives NotEnoughReplicasAfterAppend.",
        exchange=((broker(leader), CLIENTS, f"m{record}: NotEnoughReplicasAfterAppend"),),
    )


def _expire_produce(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, record = a["leader"], a["record"]
    return occurrence(
        f"The produce of m{record} at broker {leader} times out: its producer receives "
        "REQUEST_TIMED_OUT.",
        exchange=((broker(leader), CLIENTS, f"m{record}: REQUEST_TIMED_OUT"),),
    )


DELAYED: Mapping[str, Telling] = {
    "HandleLateFetch": ("leader", _handle_late_fetch),
    "CompleteFetch": ("leader", _complete_fetch),
    "CompleteProduce": ("leader", _complete_produce),
    "ExpireProduce": ("leader", _expire_produce),
}
"""Every action that serves, completes or fails such a request."""


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
