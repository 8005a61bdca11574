"""What a step changed in a picture, and in which steps of a trace things went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..core.scene import Entry, Log, LogOffset, Scene, changed


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
