"""A state of the broker family as a picture: brokers, the controller, the clients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ....core.layout import NONE
from ....core.scene import Entry, Log, Message, Participant, Promise, Scene
from ..bounds import ACKS_ALL, ZOOKEEPER, Constants
from ..leadership import leads
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
from .isr_view import REFUSALS, alter_partition, clients, controller, isr_changes, requests
from .view import in_flight, leadership, log, log_start, role, waiting

CONTROLLER, CLIENTS = "controller", "clients"
ACKED = "acked"
"""What is shown of a record that was acknowledged to its producer."""


@dataclass(frozen=True)
class Partition(Participant):
    """The controller, with the partition state's leader, and its ISR and ELR as sets of bits.

    ``cached`` is the ISR in its cache, if it has one; with ``kraft`` brokers apply the metadata,
    not LeaderAndIsr, and ``known`` are epochs whose next record their leader knows from a response.
    """

    leader: int = NONE
    isr: int = 0
    elr: int = 0
    cached: int = 0
    kraft: bool = False
    known: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Broker(Participant):
    """A broker, with the data that explains its log.

    Parameters
    ----------
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


def scene(s: BrokerState, k: Constants) -> Scene:
    """Return the picture of a state."""
    partition = s.partition
    role_text, isr = leadership(s, braced)
    participants: list[Participant] = [
        Partition(
            CONTROLLER,
            role_text,
            (*isr, *controller(s, k)),
            alive=not s.controller.down,
            epoch=partition.epoch,
            leader=partition.leader,
            isr=partition.isr,
            elr=partition.elr,
            cached=s.controller.isr,
            kraft=k.kraft,
            known=frozenset(epoch for epoch, sent in enumerate(s.leader_and_isr) if sent.known),
        )
    ]
    participants += [_participant(s, k, number) for number in range(k.replicas)]
    metadata = clients(s, k) if k.isr_propagation == ZOOKEEPER else {}
    written = f"{s.written} of {k.records} written"
    participants.append(Clients(CLIENTS, written, tuple(metadata.values()), metadata=metadata))
    return Scene(
        tuple(participants),
        (*_requests(s, k), *_proposals(s, k), *_announcements(s, k)),
        (*_read(s, k), *_acked(s, k)),
    )


def _participant(s: BrokerState, k: Constants, number: int) -> Broker:
    replica = s.replica[number]
    details = []
    starts = enumerate(replica.epoch_cache)
    cache = tuple((epoch, start) for epoch, start in starts if start != NONE)
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
        log=log(replica),
        replica=number,
        follows=replica.leader if replica.alive and not leads(s, number) else NONE,
        truncating=bool(replica.truncating),
        fenced=_is_fenced(s, k, number),
        remote_leos=tuple(replica.remote_leo),
        cache=cache,
        proposed=replica.proposed,
        rules=k.rules,
    )


def _is_fenced(s: BrokerState, k: Constants, follower: int) -> bool:
    """Whether the broker that a follower follows refuses a request of the follower's epoch."""
    leader, epoch = s.replica[follower].leader, s.replica[follower].epoch
    if leader == NONE:
        return False
    if s.message[follower].kind == EPOCH_REQUEST:
        return not k.rules.may_serve_epoch_request(s, k, leader, epoch)
    return not k.rules.may_serve_fetch(s, k, leader, epoch)


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
            text = f"{_records(message.records)}, HW {message.hw}{log_start(message)}"
        asks = kind in (FETCH, LIST_OFFSETS, EPOCH_REQUEST)
        ends = (follower, leader) if asks else (leader, follower)
        names = broker(ends[0]), broker(ends[1])
        messages.append(
            Answer(f"{follower}", *names, text, kind=kind, of=message.epoch, end=message.end_offset)
        )
    return messages


def proposal(number: int) -> str:
    """Return the key of the message between a leader and the controller."""
    return f"AlterPartition {number}"


def proposal_of(picture: Scene, number: int) -> Proposal | None:
    """Return the message in flight between a leader and the controller, if any."""
    message = message_of(picture, proposal(number))
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
            outdated = requests(s, number, braced)
            proposals.append(
                Proposal(proposal(number), *ends, text, refusal=why, outdated=outdated)
            )
    return proposals


def _announcements(s: BrokerState, k: Constants) -> list[Announcement]:
    """Return each LeaderAndIsr that a live broker may still apply."""
    return [
        Announcement(
            announced(number, epoch),
            CONTROLLER,
            broker(number),
            f"e{epoch}: {'no leader' if sent.leader == NONE else f'{sent.leader} leads'}",
            quiet=True,
            epoch=epoch,
            continues=number != sent.leader != NONE
            and not k.rules.has_new_leader(s, k, number, epoch),
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
            ACKED,
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
