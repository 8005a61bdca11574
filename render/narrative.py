"""The intermediate form of a trace, from which every diagram, page and text is made.

It is data alone: lanes, what happened in each step and why it could, what changed, messages as
arrows between steps, and where the property is violated.  What a state looks like comes from the
family (:mod:`tidegate.core.scene`); a system without such a view is shown by its columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..checker.reasons import Reason, why
from ..core.behavior import Behavior
from ..core.scene import Event, LogOffset, Message, Scene
from ..core.spec import Step
from ..core.text import told
from .cause import cause
from .changes import Change, changes, turning_points
from .text import fairness, marks, repeats, violated_after
from .values import variables

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
