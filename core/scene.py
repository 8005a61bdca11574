"""A state as a picture, in words that belong to no family of protocols.

A family says of a state who takes part, what each holds, what is in flight between them and what
clients were promised (:class:`Scene`); and of a step who acts and what is received in it
(:class:`Event`).  Diagrams, pages and texts are drawn from that alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """A record in a log: its name, and the leader epoch that it carries; -1 for a deleted one."""

    name: str
    epoch: int

    def __str__(self) -> str:
        return f"{self.name} (e{self.epoch})" if self.epoch >= 0 else self.name


@dataclass(frozen=True)
class Log:
    """A log: its entries from offset 0 on, its high watermark and its log start offset.

    Entries below the log start offset are deleted.
    """

    entries: tuple[Entry, ...]
    hw: int
    start: int = 0

    @property
    def leo(self) -> int:
        """The log end offset."""
        return len(self.entries)


@dataclass(frozen=True)
class Participant:
    """Somebody with a lane of their own.

    Parameters
    ----------
    name
        As printed, for instance ``broker 1``.
    role
        What it is at this moment, shortly: ``leads e1``, ``down``.
    details
        What else there is to say of it, a line each.
    alive
        Whether it is up.
    epoch
        Its leader epoch; None if it has none.
    leads
        The leader epoch in which it believes to be the leader; None if it does not.
    log
        Its log, if it has one.
    replica
        Its number, if it has a replica.
    """

    name: str
    role: str = ""
    details: tuple[str, ...] = ()
    alive: bool = True
    epoch: int | None = None
    leads: int | None = None
    log: Log | None = None
    replica: int | None = None


@dataclass(frozen=True)
class Message:
    """A message in flight.

    Parameters
    ----------
    key
        What tells it from other messages: while a message of this key and text is in every state,
        it is the same one.
    sender, receiver
        Names of participants.
    text
        What it says, shortly.
    quiet
        Of interest only when it is received: one that never is need not be drawn.
    """

    key: str
    sender: str
    receiver: str
    text: str
    quiet: bool = False


@dataclass(frozen=True)
class Promise:
    """What a client knows about a record and relies on from then on.

    ``short`` says it in a word or two, ``text`` in a sentence.
    """

    holder: str
    record: str
    short: str
    text: str


@dataclass(frozen=True)
class Scene:
    """A state: its participants, the messages in flight, and what clients were promised so far."""

    participants: tuple[Participant, ...]
    messages: tuple[Message, ...] = ()
    promises: tuple[Promise, ...] = ()


@dataclass(frozen=True)
class Event:
    """What happens in a step.

    Parameters
    ----------
    actor
        Name of the participant that acts, or upon whom something is done.
    sentence
        What happens, in a sentence for somebody who knows the protocol but not the model.
    sign
        What makes it stand out, if anything does: ``crash``, ``restart``, ``election`` and ``loss``
        are drawn as such, ``unclean`` as an election outside the ISR; ``late`` is what was meant
        for another time, ``truncation`` a decision about what to cut.
    takes
        Keys of the messages that are received in it; others that disappear in it are lost.
    exchange
        (sender, receiver, text) of messages that are sent and received within the step.
    drops
        Why those are lost, shortly.
    rule
        The rule by which it changes a log, in a sentence without a full stop.
    forgets
        Leader epochs that it drops from an epoch cache.
    """

    actor: str
    sentence: str
    sign: str = ""
    takes: tuple[str, ...] = ()
    exchange: tuple[tuple[str, str, str], ...] = ()
    drops: str = "lost"
    rule: str = ""
    forgets: tuple[int, ...] = ()


@dataclass(frozen=True)
class View:
    """How a family shows its states and steps.

    Parameters
    ----------
    scene
        ``scene(s, k)``, the picture of a state.
    event
        ``event(action, arguments, before, after)``: the step between two pictures.
    legend
        ``legend(scenes)``: how to read roles, records and messages, a sentence each, with what
        these pictures of a behavior have of them.
    """

    scene: Callable[[Any, Any], Scene]
    event: Callable[[str, Mapping[str, int], Scene, Scene], Event]
    legend: Callable[[Sequence[Scene]], tuple[str, ...]] = lambda scenes: ()


@dataclass(frozen=True)
class LogOffset:
    """Where a state violates a property: an offset of a replica's log.

    ``missing`` names the record that should be there, if one is missing.
    """

    replica: int
    offset: int
    missing: str = ""
