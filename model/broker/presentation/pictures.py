"""A state of the broker family as a picture: brokers, the controller, the clients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from ....core.fields import NONE
from ....core.scene import Detail, Event, Log, Message, Participant, Scene
from ..messages import IDLE
from ..rules import Rules

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
