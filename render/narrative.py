"""The intermediate form of a trace, from which every diagram, page and text is made.

It is data alone: lanes, what happened in each step and why it could, what changed, messages as
arrows between steps, and where the property is violated.  What a state looks like comes from the
family (:mod:`tidegate.core.scene`); a system without such a view is shown by its columns.

The cause of a violation in a sentence or two, derived from the trace.

What a step changed in a picture, and in which steps of a trace things went wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..checker.reasons import Reason, why
from ..core.behavior import Behavior
from ..core.scene import Entry, Event, Log, LogOffset, Message, Participant, Scene, changed
from ..core.spec import Step
from ..core.text import told
from .text import fairness, marks, repeats, violated_after
from .values import variables

ELECTIONS = ("election", "unclean")
"""Signs of the steps that elect a leader."""


def cause(scenes: Sequence[Scene], events: Sequence[Event], places: Sequence[LogOffset]) -> str:
    """Return which steps caused what is wrong at `places`, and by which rules.

    Parameters
    ----------
    scenes
        The states, the initial one first.
    events
        What happened in the step to each of them.
    places
        Where the last state violates the property.
    """
    missing = [place for place in places if place.missing]
    if missing:
        return _of_loss(scenes, events, missing[0])
    if len(places) == 2:
        return _of_difference(scenes, events, *places)
    return ""


def _of_loss(scenes: Sequence[Scene], events: Sequence[Event], place: LogOffset) -> str:
    """Say how the replica that should have a record lost it."""
    name = scenes[-1].holder(place.replica).name
    elected = max(
        (i for i, event in enumerate(events) if event.sign in ELECTIONS and event.rule), default=0
    )
    which = f" {name}, which {events[elected].rule}" if elected else ""
    held = [_entry(scene.holder(place.replica), place.missing) for scene in scenes]
    if not any(held):
        return _of_absence(scenes, place, elected, which)
    removed = max((i for i in range(1, len(held)) if held[i - 1] and not held[i]), default=0)
    if not removed:
        return ""
    rule = f": {events[removed].rule}" if events[removed].rule else ""
    text = f"Step {removed} removed {held[removed - 1]} from the log of {name}{rule}."
    epoch = lost.epoch if (lost := held[removed - 1]) else -1
    actors = [i for i, event in enumerate(events[:removed]) if event.actor == name]
    if forgot := [i for i in actors if epoch in events[i].forgets]:
        text += f" Its epoch cache had dropped e{epoch} in step {forgot[-1]}."
    if elected:
        had = "had" if elected < removed else "then"
        text += f" Step {elected} {had} elected{which}."
    return text


def _of_absence(scenes: Sequence[Scene], place: LogOffset, elected: int, which: str) -> str:
    """Say which replicas had a record that never reached the one that lacks it."""
    name, record = scenes[-1].holder(place.replica).name, place.missing
    text = f"{record} was never replicated to {name}"
    if not elected:
        return f"{text}."
    holders = [who.name for who in scenes[elected].participants if _entry(who, record)]
    if holders:
        return f"{text}: only {' and '.join(holders)} had it when step {elected} elected{which}."
    for number, scene in enumerate(scenes):
        if later := [who.name for who in scene.participants if _entry(who, record)]:
            return (
                f"{text}: step {number} wrote it to {later[0]} after step {elected} had "
                f"elected{which}."
            )
    return f"{text}."


def _of_difference(
    scenes: Sequence[Scene], events: Sequence[Event], first: LogOffset, second: LogOffset
) -> str:
    """Say how two logs came to have different records at one offset."""
    origins = []
    for place in (first, second):
        held = [_at(scene, place) for scene in scenes]
        came = max((i for i in range(1, len(held)) if held[i] != held[i - 1]), default=0)
        origins.append((came, scenes[-1].holder(place.replica).name, held))
    origins.sort(key=lambda origin: origin[0])
    (earlier, one, ours), (later, other, theirs) = origins
    if not earlier or not ours[-1] or not theirs[-1]:
        return ""
    text = (
        f"Step {earlier} put {ours[-1]} at offset {first.offset} of {one}, step {later} put "
        f"{theirs[-1]} there on {other}"
    )
    cut = max((i for i in range(1, later) if theirs[i - 1] and not theirs[i]), default=0)
    if cut:
        rule = f" ({events[cut].rule})" if events[cut].rule else ""
        text += f", whose log had held {theirs[cut - 1]} until step {cut} truncated it{rule}"
    kept = [i for i in range(later + 1, len(events)) if events[i].rule]
    kept = [i for i in kept if events[i].actor in (one, other)]
    if kept:
        text += f". Step {kept[-1]} did not repair that: {events[kept[-1]].rule}"
    return f"{text}."


def _at(scene: Scene, place: LogOffset) -> Entry | None:
    """Return what a replica has at an offset."""
    log = scene.holder(place.replica).log
    return log.at(place.offset) if log else None


def _entry(who: Participant, record: str) -> Entry | None:
    """Return a record's entry in a log, None if it has none."""
    entries = who.log.entries if who.log else ()
    return next((entry for entry in entries if entry.name == record), None)


@dataclass(frozen=True)
class Change:
    """What changed for a participant; ``short`` is for diagrams, or empty."""

    who: str
    text: str
    short: str = ""


def changes(before: Scene, after: Scene) -> Iterator[Change]:
    """Yield what differs between two pictures, participant by participant."""
    for old, new in zip(before.participants, after.participants, strict=True):
        if old.log is not None and new.log is not None:
            yield from _log_changes(new.name, old.log, new.log)
        if old.role != new.role:
            short = new.role
            if new.log is not None and new.alive and not old.alive:
                short += f", HW {new.log.hw}"
            yield Change(new.name, f"{old.role} → {new.role}", short)
        gone = [line for line in old.details if line not in new.details]
        for line in new.details:
            for now, was in changed(line, gone) if line not in old.details else ():
                yield Change(new.name, f"{now}{was and f' (was: {was})'}")
    for promise in after.promises:
        if promise not in before.promises:
            yield Change(promise.holder, promise.text)


def _log_changes(name: str, old: Log, new: Log) -> Iterator[Change]:
    """Yield the deleted, truncated and appended records, and how the high watermark changed."""
    same = max(old.start, new.start)
    if new.start > old.start:
        deleted = ", ".join(map(str, old.entries[old.start : new.start]))
        what = f"deletes {deleted}: its log starts" if deleted else "starts its log"
        yield Change(name, f"{what} at offset {new.start}", f"log start {new.start}")
    while same < min(old.leo, new.leo) and old.entries[same] == new.entries[same]:
        same += 1
    if truncated := old.entries[same:]:
        names = ", ".join(map(str, truncated))
        short = f"truncates {names}" + (f", HW {new.hw}" if old.hw == new.hw else "")
        yield Change(name, f"truncates {names} from its log, which now ends at {same}", short)
    if added := new.entries[same:]:
        names = ", ".join(map(str, added))
        yield Change(name, f"appends {names} at offset {same}", f"+ {names}")
    if old.hw != new.hw:
        way = "rises" if new.hw > old.hw else "falls"
        yield Change(name, f"HW {way} from {old.hw} to {new.hw}", f"HW {new.hw}")


def turning_points(scenes: Sequence[Scene], places: Sequence[LogOffset]) -> dict[int, list[str]]:
    """Return the steps in which it went wrong, each with notes on what happened there.

    For a record that is missing or differs at a place: when it entered a log, was promised to
    clients, and left a log.  For one that differs, also when it was written at its offset, and when
    that offset was below the high watermark.  For any record that clients were promised: when it
    left a log.
    """
    notes: dict[int, list[str]] = {}

    def note(number: int, text: str) -> None:
        texts = notes.setdefault(number, [])
        if text not in texts:
            texts.append(text)

    concerned = {place.missing for place in places if place.missing}
    arrived: set[tuple[int, str]] = set()
    for place in places:
        held = [_held(scene, place) for scene in scenes]
        last = max((i for i in range(1, len(held)) if held[i][0] != held[i - 1][0]), default=0)
        name, (entry, below) = held[-1][2], held[-1][:2]
        if place.missing or not last or not entry:
            continue
        concerned.add(entry.name)
        arrived.add((last, name))
        note(last, f"{entry} is written at offset {place.offset} of {name}")
        settled = max((i for i in range(1, len(held)) if not held[i - 1][1]), default=0)
        if below and settled > last:
            note(settled, f"offset {place.offset} of {name} is now below its HW")
    for number in range(1, len(scenes)):
        for name, enters, text in _moved(scenes[number - 1], scenes[number], concerned):
            if not (enters and (number, name) in arrived):
                note(number, text)
    for record in sorted(concerned):
        for number, text in _promised(scenes, record):
            note(number, text)
    return dict(sorted(notes.items()))


def _moved(before: Scene, after: Scene, concerned: set[str]) -> Iterator[tuple[str, bool, str]]:
    """Yield whose log a record entered or left in a step, whether it entered, and a sentence.

    Only concerned records are reported; of those that leave, also those promised to clients.
    """
    promised = {promise.record for promise in before.promises}
    for old, new in zip(before.participants, after.participants, strict=True):
        was, now = (set(who.log.entries) if who.log else set() for who in (old, new))
        for entry in sorted(now - was, key=str):
            if entry.name in concerned:
                yield new.name, True, f"{entry} enters the log of {new.name}"
        for entry in sorted(was - now, key=str):
            if entry.name in concerned or entry.name in promised:
                yield new.name, False, f"{entry} leaves the log of {new.name}"


def _held(scene: Scene, place: LogOffset) -> tuple[Entry | None, bool, str]:
    """Return what a replica has at an offset, whether that is below its HW, and its name."""
    who = scene.holder(place.replica)
    log = who.log or Log((), 0)
    return log.at(place.offset), log.hw > place.offset, who.name


def _promised(scenes: Sequence[Scene], record: str) -> Iterator[tuple[int, str]]:
    """Yield each step in which something was promised of a record, with what it was."""
    for number in range(1, len(scenes)):
        for promise in scenes[number].promises:
            if promise.record == record and promise not in scenes[number - 1].promises:
                yield number, f"{record} {promise.short}"


def differs_from(scenes: Sequence[Scene], place: LogOffset) -> int:
    """Return the last step that changed what a replica has at an offset."""
    held = [_held(scene, place)[0] for scene in scenes]
    return max((i for i in range(1, len(held)) if held[i] != held[i - 1]), default=len(held) - 1)


RECEIVED, LOST, IN_FLIGHT = "received", "lost", "in flight"


@dataclass(frozen=True)
class Arrow:
    """A message: sent in one step, and received or lost in another, or still in flight.

    ``why`` is the reason of a lost one.
    """

    sender: str
    receiver: str
    text: str
    sent: int
    ended: int
    fate: str
    why: str = ""


@dataclass(frozen=True)
class Moment:
    """A state, with the step that led to it.

    Parameters
    ----------
    number
        How many steps led there; 0 for the initial state.
    step
        The step, None for the initial state.
    arguments
        The arguments of the step, as ``leader 0, follower 1``.
    event
        What happened in it.
    scene
        The state as a picture.
    changes
        What the step changed, by participant.
    reasons
        The guards that the step passed.
    flags
        Why this step matters to the violation, if it does.
    variables
        Every variable of the state, as TLA+ would write it.
    written
        Names of the variables that the step changed.
    """

    number: int
    step: Step | None
    arguments: str
    event: Event
    scene: Scene
    changes: tuple[Change, ...]
    reasons: tuple[Reason, ...]
    flags: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    written: frozenset[str]

    @property
    def title(self) -> str:
        """The action, or what stands for it."""
        return self.step.action if self.step else "Initial state"


@dataclass(frozen=True)
class Narrative:
    """A trace as every form shows it: in sentences, pictures and messages.

    Parameters
    ----------
    behavior
        The trace itself.
    protocol, about, headline
        The protocol, its summary, and the bounds that differ from the defaults.
    bounds
        Every bound.
    violated, statement, explanation
        The violated property, what it says, and how the last state violates it, or the cycle;
        empty strings for a behavior that violates nothing.
    cause
        Which steps caused that, and by which rules; empty if unknown.
    places
        Where the last state violates it.
    lanes
        Names of the participants, in order.
    moments
        The states, the initial one first.
    arrows
        The messages.
    legend
        How to read the display of states, a sentence each.
    numbers
        Names and values of figures of the run.
    loop
        Of a lasso, the number of the state from which the steps repeat for ever.
    after
        What follows "is violated", such as its length.
    verb
        What it shows of the property: that it is ``violated``, or ``reached``.
    repeats, fairness
        What happens for ever after the last step, and why that is fair; empty without a cycle.
    """

    behavior: Behavior
    protocol: str
    about: str
    headline: str
    bounds: Mapping[str, str]
    violated: str
    statement: str
    explanation: str
    cause: str
    places: tuple[LogOffset, ...]
    lanes: tuple[str, ...]
    moments: tuple[Moment, ...]
    arrows: tuple[Arrow, ...]
    legend: tuple[str, ...]
    numbers: tuple[tuple[str, str], ...] = ()
    loop: int | None = None
    after: str = ""
    verb: str = "violated"
    repeats: str = ""
    fairness: str = ""

    @property
    def steps(self) -> int:
        """How many steps it takes."""
        return len(self.moments) - 1

    @property
    def title(self) -> str:
        """What it shows, in one line."""
        steps = f"{self.steps} step{'' if self.steps == 1 else 's'}"
        if not self.violated:
            return f"{self.protocol}: a behavior of {steps}"
        return f"{self.protocol}: {self.violated} is {self.verb}{self.after}"

    @property
    def cycle(self) -> range:
        """The numbers of the steps that repeat for ever; none if it stops."""
        return range(0) if self.loop is None else range(self.loop + 1, self.steps + 1)

    @property
    def key_moments(self) -> tuple[Moment, ...]:
        """The steps that matter to the violation, and faults and elections."""
        if not self.violated:
            return ()
        return tuple(moment for moment in self.moments if moment.flags or moment.event.sign)


def narrate(behavior: Behavior, numbers: Iterable[tuple[str, str]] = ()) -> Narrative:
    """Return a behavior in the intermediate form.

    Parameters
    ----------
    numbers
        Figures of the run.
    """
    with behavior.system.noting() as failed:
        narrative = _narrated(behavior, numbers)
    said = [f"{text}." for text in failed]
    if behavior.prop is None:
        return replace(narrative, legend=(*narrative.legend, *said))
    # Every form shows the explanation.
    return replace(narrative, explanation=" ".join([narrative.explanation, *said]))


def _narrated(behavior: Behavior, numbers: Iterable[tuple[str, str]]) -> Narrative:
    """Return a behavior in the intermediate form, without what failed while it was told."""
    system, trace, prop = behavior.system, behavior.trace, behavior.prop
    happened, places = behavior.events, behavior.places
    scenes = _with_what_matters(behavior.scenes, happened)
    flags = turning_points(scenes, places)
    for number, mark in marks(trace).items():
        flags.setdefault(number, []).append(mark)
    if prop is not None and trace.loop is None:
        flags.setdefault(len(trace.steps), []).append(f"{prop.name} is {prop.verb} here")
    return Narrative(
        behavior=behavior,
        protocol=system.name,
        about=behavior.about,
        headline=system.headline,
        bounds=system.bounds,
        violated=prop.name if prop else "",
        statement=prop.statement if prop else "",
        explanation=behavior.explanation,
        cause=cause(scenes, happened, places) or _breaking(behavior),
        places=places,
        lanes=tuple(who.name for who in scenes[0].participants),
        moments=tuple(_moments(behavior, scenes, flags)),
        arrows=tuple(_arrows(scenes, happened)),
        legend=system.legends(scenes),
        numbers=tuple(numbers),
        loop=trace.loop,
        after=violated_after(len(trace.steps), trace.loop),
        verb=prop.verb if prop else "",
        repeats=repeats(trace),
        fairness=fairness(behavior),
    )


def _breaking(behavior: Behavior) -> str:
    """Say what the last step of a trace changed to violate an invariant; nothing of logs."""
    if any(who.log is not None for who in behavior.scenes[-1].participants):
        return ""
    changed = ((path, *told(old, new)) for path, old, new in behavior.breaking)
    parts = [f"{path}: {now}" + (f" (was: {was})" if was else "") for path, now, was in changed]
    return f"Step {len(behavior.steps)} changed {'; '.join(parts)}." if parts else ""


def _with_what_matters(scenes: Sequence[Scene], events: Sequence[Event]) -> Sequence[Scene]:
    """Return pictures without the participants of whom they say nothing, and who do nothing."""
    matters = {event.actor for event in events}
    for scene in scenes:
        matters |= {who.name for who in scene.participants if who.role or who.log or who.details}
        matters |= {end for one in scene.messages for end in (one.sender, one.receiver)}
        matters |= {promise.holder for promise in scene.promises}
    matters |= {end for event in events for one in event.exchange for end in one[:2]}
    return [
        replace(one, participants=tuple(who for who in one.participants if who.name in matters))
        for one in scenes
    ]


def _moments(
    behavior: Behavior, scenes: Sequence[Scene], flags: Mapping[int, list[str]]
) -> Iterable[Moment]:
    """Yield the moments of a trace."""
    system, trace = behavior.system, behavior.trace
    before: dict[str, str] = {}
    for number, state in enumerate(trace.states):
        step = trace.steps[number - 1] if number else None
        values = dict(variables(system.layout.describe(state)))
        written = {name for name in values if number and before.get(name) != values[name]}
        yield Moment(
            number=number,
            step=step,
            arguments=behavior.arguments(number) if step else "",
            event=behavior.events[number],
            scene=scenes[number],
            changes=tuple(changes(scenes[number - 1], scenes[number])) if step else (),
            reasons=why(system, trace.states[number - 1], step) if step else (),
            flags=tuple(flags.get(number, ())),
            variables=tuple(values.items()),
            written=frozenset(written),
        )
        before = values


def _arrows(scenes: Sequence[Scene], events: Sequence[Event]) -> list[Arrow]:
    """Return every message with when it was sent and what became of it, in order of sending."""
    in_flight: dict[str, tuple[Message, int]] = {}
    arrows: list[Arrow] = []

    def end(key: str, number: int, fate: str, why: str = "") -> None:
        message, sent = in_flight.pop(key)
        if fate == RECEIVED or not message.quiet:
            ends = message.sender, message.receiver
            arrows.append(Arrow(*ends, message.text, sent, number, fate, why))

    for number, (scene, event) in enumerate(zip(scenes, events, strict=True)):
        present = {message.key: message for message in scene.messages}
        for key in list(in_flight):
            if key in event.takes:
                end(key, number, RECEIVED)
            elif present.get(key) != in_flight[key][0]:
                end(key, number, LOST, event.drops)
        for key, message in present.items():
            in_flight.setdefault(key, (message, number))
        for sender, receiver, text in event.exchange:
            arrows.append(Arrow(sender, receiver, text, number, number, RECEIVED))
        # A step without an actor has no lane.
        if number and event.actor:
            arrows += _promises(scenes[number - 1], scene, event, number)
    for key in list(in_flight):
        end(key, len(scenes) - 1, IN_FLIGHT)
    return sorted(arrows, key=lambda arrow: (arrow.sent, arrow.ended))


def _promises(before: Scene, after: Scene, event: Event, number: int) -> Iterable[Arrow]:
    """Yield an arrow to each client that is promised something new in a step."""
    new: dict[str, dict[str, list[str]]] = {}
    for promise in after.promises:
        if promise not in before.promises:
            new.setdefault(promise.holder, {}).setdefault(promise.record, []).append(promise.short)
    for holder, records in new.items():
        text = "; ".join(f"{record} {', '.join(shorts)}" for record, shorts in records.items())
        yield Arrow(event.actor, holder, text, number, number, RECEIVED)
