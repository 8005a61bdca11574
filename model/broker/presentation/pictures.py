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
    NOTHING,
    ORPHANED,
    REQUEST,
)
from ..replica_sets import braced
from ..rules import Rules
from ..state import BrokerState, LogEntry
from .isr_view import REFUSALS, alter_partition, clients, controller, isr_changes
from .view import leadership, log_entries, role, under_way, waiting

CONTROLLER, CLIENTS = "controller", "clients"


@dataclass(frozen=True)
class Partition(Participant):
    """The controller, with the partition state's leader, and its ISR and ELR as sets of bits.

    ``cached`` is the ISR in the controller's cache, where it has one.
    """

    leader: int = NONE
    isr: int = 0
    elr: int = 0
    cached: int = 0


@dataclass(frozen=True)
class Broker(Participant):
    """A broker, with what decides about its log.

    Parameters
    ----------
    cache
        The start offset of each leader epoch in its epoch cache.
    proposed
        The ISR that it has proposed to the controller, as a set of bits; 0 where none is pending.
    rules
        The protocol's rules.
    """

    cache: tuple[tuple[int, int], ...] = ()
    proposed: int = 0
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class Answer(Message):
    """What a leader answers about a log: an epoch and an end offset, NONE where it has none."""

    of: int = NONE
    end: int = NONE


@dataclass(frozen=True)
class Proposal(Message):
    """A change of the ISR under way between a leader and the controller.

    ``refusal`` is why the controller has not accepted it; empty where it has, or has yet to say.
    """

    refusal: str = ""


def broker(number: int) -> str:
    """Return the name of a broker's lane."""
    return f"broker {number}"


def scene(s: BrokerState, k: Constants) -> Scene:
    """Return the picture of a state."""
    partition = s.partition
    leads, isr = leadership(s, braced)
    everybody: list[Participant] = [
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
        )
    ]
    everybody += [_participant(s, k, number) for number in range(k.replicas)]
    details = clients(s, k) if k.isr_propagation == ZOOKEEPER else ()
    everybody.append(Participant(CLIENTS, f"{s.written} of {k.records} written", details))
    return Scene(
        tuple(everybody),
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
    details += [f"in purgatory: {it}" for it in waiting(s, number)]
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
    brought = [str(Entry(f"m{it.record}", it.epoch)) for it in entries if it.record != NONE]
    return " ".join(brought) or "no records"


def _requests(s: BrokerState, k: Constants) -> list[Answer]:
    """Return what is under way between followers and leaders."""
    found = []
    for follower in range(k.replicas):
        kind, leader = s.message[follower].kind, s.replica[follower].leader
        if kind in (IDLE, DELAYED_FETCH):
            continue
        text = under_way(s, k, follower)
        if kind == FETCH_RESPONSE:
            message = s.message[follower]
            text = f"{_records(message.records)}, HW {message.hw}"
        asks = kind in (FETCH, EPOCH_REQUEST)
        ends = (follower, leader) if asks else (leader, follower)
        it = s.message[follower]
        names = broker(ends[0]), broker(ends[1])
        found.append(Answer(f"{follower}", *names, text, of=it.epoch, end=it.end_offset))
    return found


def proposal(number: int) -> str:
    """Return the key of what is under way between a leader and the controller."""
    return f"AlterPartition {number}"


def proposal_of(picture: Scene, number: int) -> Proposal | None:
    """Return what is under way between a leader and the controller, if anything is."""
    found = [m for m in picture.messages if m.key == proposal(number)]
    return found[0] if found and isinstance(found[0], Proposal) else None


def _proposals(s: BrokerState, k: Constants) -> list[Proposal]:
    """Return what is under way between leaders and the controller."""
    found = []
    for number, it in enumerate(s.alter_partition):
        if it.kind != NOTHING:
            asks = it.kind in (REQUEST, ORPHANED)
            ends = (broker(number), CONTROLLER) if asks else (CONTROLLER, broker(number))
            text = alter_partition(s, number, braced)
            why = REFUSALS.get(it.kind, "")
            found.append(Proposal(proposal(number), *ends, text, refusal=why))
    return found


def _announcements(s: BrokerState, k: Constants) -> list[Message]:
    """Return each LeaderAndIsr that a live broker may still take up."""
    return [
        Message(
            announced(number, epoch),
            CONTROLLER,
            broker(number),
            f"e{epoch}: {'no leader' if told.leader == NONE else f'{told.leader} leads'}",
            quiet=True,
        )
        for epoch, told in enumerate(s.leader_and_isr)
        if epoch <= s.partition.epoch and (told.leader != NONE or told.isr)
        for number in range(k.replicas)
        if s.replica[number].alive and s.replica[number].epoch < epoch
    ]


def announced(number: int, epoch: int) -> str:
    """Return the key of what was said of an epoch to a broker."""
    return f"LeaderAndIsr {epoch} {number}"


def _read(s: BrokerState, k: Constants) -> list[Promise]:
    """Return what consumers have read, or may have read."""
    stale = k.isr_propagation == ZOOKEEPER and k.track_read
    consumed = [
        Promise(
            CLIENTS,
            f"m{it.record}",
            f"read in e{it.epoch}",
            f"a consumer reads m{it.record} at offset {offset}",
        )
        for offset, it in enumerate(s.aux_read)
        if stale and it.record != NONE
    ]
    return consumed + [
        Promise(
            CLIENTS,
            f"m{it.record}",
            f"committed in e{it.epoch}",
            f"m{it.record} is committed at offset {offset}: consumers "
            + ("may read it" if stale else "read it"),
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


def of(picture: Scene, name: str) -> Participant:
    """Return a participant."""
    [found] = [who for who in picture.participants if who.name == name]
    return found


def broker_of(picture: Scene, number: int) -> Broker:
    """Return a broker."""
    found = of(picture, broker(number))
    assert isinstance(found, Broker)
    return found


def partition_of(picture: Scene) -> Partition:
    """Return the controller."""
    found = of(picture, CONTROLLER)
    assert isinstance(found, Partition)
    return found


def log_of(picture: Scene, number: int) -> Log:
    """Return the log of a broker."""
    log = of(picture, broker(number)).log
    assert log is not None
    return log


def answer_of(picture: Scene, follower: int) -> Answer:
    """Return the message between a follower and its leader."""
    found = next(m for m in picture.messages if m.key == f"{follower}")
    assert isinstance(found, Answer)
    return found


def said(picture: Scene, follower: int) -> str:
    """Return what the message between a follower and its leader says."""
    return next((m.text for m in picture.messages if m.key == f"{follower}"), "nothing")
