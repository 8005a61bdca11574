"""A state of the broker family as a picture: brokers, the controller, the clients."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....core.layout import NONE
from ....core.scene import Entry, Log, Message, Participant, Promise, Scene
from ..bounds import ACKS_ALL, ZOOKEEPER, Constants
from ..messages import (
    DELAYED_FETCH,
    EPOCH_REQUEST,
    FETCH,
    FETCH_RESPONSE,
    IDLE,
    LIST_OFFSETS,
    NOTHING,
    ORPHANED,
    REQUEST,
)
from ..replica_sets import braced
from ..rules import Rules
from ..state import BrokerState, LogEntry
from .isr_view import REFUSALS, alter_partition, clients, controller, isr_changes
from .view import in_flight, leadership, log_entries, role, waiting

CONTROLLER, CLIENTS = "controller", "clients"


@dataclass(frozen=True)
class Partition(Participant):
    """The controller, with the partition state's leader, and its ISR and ELR as sets of bits.

    ``cached`` is the ISR in the controller's cache, if it has one; ``kraft`` says whether brokers
    apply the metadata rather than LeaderAndIsr.
    """

    leader: int = NONE
    isr: int = 0
    elr: int = 0
    cached: int = 0
    kraft: bool = False


@dataclass(frozen=True)
class Broker(Participant):
    """A broker, with the data that explains its log.

    Parameters
    ----------
    cache
        The start offset of each leader epoch in its epoch cache.
    proposed
        The ISR that it has proposed to the controller, as a set of bits; 0 if none is pending.
    rules
        The protocol's rules.
    """

    cache: tuple[tuple[int, int], ...] = ()
    proposed: int = 0
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class Answer(Message):
    """A leader's answer about a log: an epoch and an end offset, NONE if it has none."""

    of: int = NONE
    end: int = NONE


@dataclass(frozen=True)
class Proposal(Message):
    """An ISR change in flight between a leader and the controller.

    ``refusal`` is the reason why the controller has rejected it; empty if it has not.
    """

    refusal: str = ""


def broker(number: int) -> str:
    """Return the name of a broker's lane."""
    return f"broker {number}"


def scene(s: BrokerState, k: Constants) -> Scene:
    """Return the picture of a state."""
    partition = s.partition
    leads, isr = leadership(s, braced)
    participants: list[Participant] = [
        Partition(
            CONTROLLER,
            leads,
            (*isr, *controller(s, k)),
            alive=not s.controller.down,
            epoch=partition.epoch,
            leader=partition.leader,
            isr=partition.isr,
            elr=partition.elr,
            cached=s.controller.isr,
            kraft=k.kraft,
        )
    ]
    participants += [_participant(s, k, number) for number in range(k.replicas)]
    details = clients(s, k) if k.isr_propagation == ZOOKEEPER else ()
    participants.append(Participant(CLIENTS, f"{s.written} of {k.records} written", details))
    return Scene(
        tuple(participants),
        (*_requests(s, k), *_proposals(s, k), *_announcements(s, k)),
        (*_read(s, k), *_acked(s, k)),
    )


def _participant(s: BrokerState, k: Constants, number: int) -> Broker:
    replica = s.replica[number]
    details = []
    cache = tuple(
        (epoch, start) for epoch, start in enumerate(replica.epoch_cache) if start != NONE
    )
    if k.hw_checkpoint:
        details.append(f"HW on disk: {replica.checkpoint}")
    if k.rules.epoch_cache:
        details.append(f"epoch cache: {cached(cache)}")
    if s.late_fetch[number].leader != NONE:
        late = s.late_fetch[number]
        details.append(f"its fetch at {late.offset} is still at broker {late.leader}")
    details += isr_changes(s, k, number, braced)
    details += [f"in purgatory: {request}" for request in waiting(s, number)]
    return Broker(
        name=broker(number),
        role=role(s, number, braced),
        details=tuple(details),
        alive=bool(replica.alive),
        epoch=replica.epoch if replica.leader != NONE else None,
        leads=replica.epoch if replica.leader == number else None,
        log=Log(tuple(Entry(f"m{e.record}", e.epoch) for e in log_entries(replica)), replica.hw),
        replica=number,
        cache=cache,
        proposed=replica.proposed,
        rules=k.rules,
    )


def cached(cache: tuple[tuple[int, int], ...]) -> str:
    """Return an epoch cache, or a part of one.

    >>> cached(((0, 0), (2, 1)))
    'e0 from offset 0, e2 from offset 1'
    """
    return ", ".join(f"e{epoch} from offset {start}" for epoch, start in cache) or "empty"


def _records(entries: list[LogEntry]) -> str:
    """Return the records of a fetch response."""
    records = [str(Entry(f"m{e.record}", e.epoch)) for e in entries if e.record != NONE]
    return " ".join(records) or "no records"


def _requests(s: BrokerState, k: Constants) -> list[Answer]:
    """Return the messages in flight between followers and leaders."""
    messages = []
    for follower in range(k.replicas):
        message = s.message[follower]
        kind, leader = message.kind, s.replica[follower].leader
        if kind in (IDLE, DELAYED_FETCH):
            continue
        text = in_flight(s, k, follower)
        if kind == FETCH_RESPONSE:
            text = f"{_records(message.records)}, HW {message.hw}"
        asks = kind in (FETCH, LIST_OFFSETS, EPOCH_REQUEST)
        ends = (follower, leader) if asks else (leader, follower)
        names = broker(ends[0]), broker(ends[1])
        messages.append(
            Answer(f"{follower}", *names, text, of=message.epoch, end=message.end_offset)
        )
    return messages


def proposal(number: int) -> str:
    """Return the key of the message between a leader and the controller."""
    return f"AlterPartition {number}"


def proposal_of(picture: Scene, number: int) -> Proposal | None:
    """Return the message in flight between a leader and the controller, if any."""
    message = next((m for m in picture.messages if m.key == proposal(number)), None)
    return message if isinstance(message, Proposal) else None


def _proposals(s: BrokerState, k: Constants) -> list[Proposal]:
    """Return the messages in flight between leaders and the controller."""
    proposals = []
    for number, message in enumerate(s.alter_partition):
        if message.kind != NOTHING:
            asks = message.kind in (REQUEST, ORPHANED)
            ends = (broker(number), CONTROLLER) if asks else (CONTROLLER, broker(number))
            text = alter_partition(s, number, braced)
            why = REFUSALS.get(message.kind, "")
            proposals.append(Proposal(proposal(number), *ends, text, refusal=why))
    return proposals


def _announcements(s: BrokerState, k: Constants) -> list[Message]:
    """Return each LeaderAndIsr that a live broker may still apply."""
    return [
        Message(
            announced(number, epoch),
            CONTROLLER,
            broker(number),
            f"e{epoch}: {'no leader' if sent.leader == NONE else f'{sent.leader} leads'}",
            quiet=True,
        )
        for epoch, sent in enumerate(s.leader_and_isr)
        if epoch <= s.partition.epoch and (sent.leader != NONE or sent.isr or k.change_records)
        for number in range(k.replicas)
        if s.replica[number].alive and s.replica[number].epoch < epoch
    ]


def announced(number: int, epoch: int) -> str:
    """Return the key of the LeaderAndIsr of an epoch to a broker."""
    return f"LeaderAndIsr {epoch} {number}"


def _read(s: BrokerState, k: Constants) -> list[Promise]:
    """Return what consumers have read, or may have read."""
    stale = k.isr_propagation == ZOOKEEPER and k.track_read
    consumed = [
        Promise(
            CLIENTS,
            f"m{entry.record}",
            f"read in e{entry.epoch}",
            f"a consumer reads m{entry.record} at offset {offset}",
        )
        for offset, entry in enumerate(s.aux_read)
        if stale and entry.record != NONE
    ]
    return consumed + [
        Promise(
            CLIENTS,
            f"m{entry.record}",
            f"committed in e{entry.epoch}",
            f"m{entry.record} is committed at offset {offset}: consumers "
            + ("may read it" if stale else "read it"),
        )
        for offset, entry in enumerate(s.aux_committed)
        if entry.record != NONE
    ]


def _acked(s: BrokerState, k: Constants) -> list[Promise]:
    """Return the records that were acknowledged to their producers."""
    acks = "all" if k.acks == ACKS_ALL else k.acks
    return [
        Promise(
            CLIENTS,
            f"m{record}",
            "acked",
            f"m{record} is acknowledged to its producer (acks={acks})",
        )
        for record, entry in enumerate(s.aux_acked)
        if entry.epoch != NONE
    ]


def of(picture: Scene, name: str) -> Participant:
    """Return a participant."""
    [participant] = [who for who in picture.participants if who.name == name]
    return participant


def broker_of(picture: Scene, number: int) -> Broker:
    """Return a broker."""
    participant = of(picture, broker(number))
    assert isinstance(participant, Broker)
    return participant


def partition_of(picture: Scene) -> Partition:
    """Return the controller."""
    participant = of(picture, CONTROLLER)
    assert isinstance(participant, Partition)
    return participant


def log_of(picture: Scene, number: int) -> Log:
    """Return the log of a broker."""
    log = of(picture, broker(number)).log
    assert log is not None
    return log


def answer_of(picture: Scene, follower: int) -> Answer:
    """Return the message between a follower and its leader."""
    message = next(m for m in picture.messages if m.key == f"{follower}")
    assert isinstance(message, Answer)
    return message


def said(picture: Scene, follower: int) -> str:
    """Return the text of the message between a follower and its leader."""
    return next((m.text for m in picture.messages if m.key == f"{follower}"), "nothing")
