"""The cause of a violation in a sentence or two, derived from the trace."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.scene import Entry, Event, LogOffset, Participant, Scene

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
