"""A state as a picture, in terms that all families of protocols share.

For each state a family says who takes part, what each participant has, which messages are in flight
and what clients were promised (:class:`Scene`); for each step, who acts and who receives what
(:class:`Event`).  Diagrams, pages and texts are made from that alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

from .text import ABSENT, briefly, differences, told


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

    def at(self, offset: int) -> Entry | None:
        """Return the record at an offset; None behind the log end."""
        return self.entries[offset] if offset < len(self.entries) else None

    def __str__(self) -> str:
        entries = list(map(str, self.entries))
        entries.insert(self.hw, "|")
        return f"[{' '.join(entries)}] HW {self.hw}"


class Detail(str):
    """A line about a participant, and what it is about, such as ``isr``.

    A change of the line is shown beside the former line that is about the same.  A line about a
    variable has its value, so that only the part of it that changed is shown.
    """

    about: str
    value: object

    def __new__(cls, text: str, about: str = "", value: object = ABSENT) -> Detail:
        """Return the text as a line about something."""
        detail = super().__new__(cls, text)
        detail.about, detail.value = about, value
        return detail

    @classmethod
    def of(cls, name: str, value: object) -> Detail:
        """Return the line about a variable."""
        return cls(f"{name} {briefly(value)}", name, value)

    def since(self, former: Detail) -> Iterator[tuple[str, str]]:
        """Yield each part of a variable that differs from its former line: what is, what was."""
        for path, old, new in differences({self.about: former.value}, {self.about: self.value}):
            now, was = told(old, new)
            yield f"{path} {now}", was


def changed(line: str, former: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what changed in a line about a participant: what is, and what was, empty if nothing.

    Parameters
    ----------
    former
        The lines about the participant in the state before.
    """
    if line in former:
        return
    same = [one for one in former if about(one) == about(line) != ""]
    if is_of_variable(line) and len(same) == 1:
        yield from line.since(cast(Detail, same[0]))
    else:
        yield line, ", ".join(same)


def is_of_variable(line: str) -> TypeGuard[Detail]:
    """Whether a line about a participant is about a variable."""
    return isinstance(line, Detail) and line.value is not ABSENT


def about(line: str) -> str:
    """Return what a line about a participant is about; empty for plain text."""
    return line.about if isinstance(line, Detail) else ""


@dataclass(frozen=True)
class Participant:
    """A broker, a client or another part of the system, with its own lane in diagrams.

    Parameters
    ----------
    name
        As printed, for instance ``broker 1``.
    role
        Its present role in short: ``leads e1``, ``down``.
    details
        More lines about it; a :class:`Detail` says what it is about.
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
    quiet
        Whether tables have no column for it.
    """

    name: str
    role: str = ""
    details: tuple[str, ...] = ()
    alive: bool = True
    epoch: int | None = None
    leads: int | None = None
    log: Log | None = None
    replica: int | None = None
    quiet: bool = False


@dataclass(frozen=True)
class Message:
    """A message in flight.

    Parameters
    ----------
    key
        Identifies it: while every state has a message with this key and text, it is the same one.
    sender, receiver
        Names of participants.
    text
        Its content in short.
    quiet
        Whether it is drawn only if it is received.
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

    @property
    def lines(self) -> dict[str, list[str]]:
        """The lines about each participant that has a column in a table, by its name.

        A message in flight is with its sender.
        """
        sent: dict[str, list[str]] = {}
        for message in self.messages:
            if not message.quiet:
                sent.setdefault(message.sender, []).append(f"-> {message.receiver}: {message.text}")
        return {
            who.name: [
                line
                for line in (who.role, str(who.log or ""), *who.details, *sent.get(who.name, ()))
                if line
            ]
            for who in self.participants
            if not who.quiet
        }

    @property
    def columns(self) -> dict[str, str]:
        """The same as a text for each participant, by its name."""
        return {name: "\n".join(lines) for name, lines in self.lines.items()}

    def holder(self, replica: int) -> Participant:
        """Return the participant that has a replica."""
        [holder] = [who for who in self.participants if who.replica == replica]
        return holder


@dataclass(frozen=True)
class Event:
    """What happens in a step.

    Parameters
    ----------
    actor
        Name of the participant that acts, or to which something happens.
    sentence
        What happens, in a sentence for somebody who knows the protocol but not the model.
    sign
        What makes it stand out, if anything does: ``crash``, ``restart``, ``election`` and ``loss``
        are drawn as such, ``unclean`` as an election outside the ISR; ``late`` is a step that an
        outdated message causes, ``truncation`` a decision where to truncate a log.
    takes
        Keys of the messages that are received in it; others that disappear in it are lost.
    exchange
        (sender, receiver, text) of messages that are sent and received within the step.
    drops
        Why messages that disappear are lost, in short.
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
    """How a family shows states and steps.

    Parameters
    ----------
    scene
        ``scene(s, k)``, the picture of a state.
    event
        ``event(action, arguments, before, after)``: the step between two pictures.
    legend
        ``legend(scenes)``: how to read the roles, records and messages of these pictures, in a
        sentence each.
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
