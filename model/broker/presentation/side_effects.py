"""The side effects of a step, in words: lost responses, high watermarks, truncation, proposals."""

from __future__ import annotations

from ....core.scene import Scene
from ..assignment import braced
from .pictures import Answer, broker, broker_of, log_of, members, partition_of, proposal_of
from .propagation import UNAPPLIED


def lost_with(number: int, before: Scene, after: Scene) -> str:
    """Say which responses to or from a broker are lost, and the high watermarks that stay."""
    text, left = "", {message.key for message in after.messages}
    for message in before.messages:
        if message.key in left or not isinstance(message, Answer):
            continue
        follower = int(message.key)
        hw = f"HW is still {log_of(after, follower).hw}"
        if message.receiver == broker(number) == broker(follower):
            text += (
                f" before the response of {message.sender} ({message.text}) reaches it: its {hw}"
            )
        elif message.sender == broker(number) != broker(follower):
            text += f", and its response ({message.text}) is lost: the {hw} on broker {follower}"
    return text


def raised(number: int, before: Scene, after: Scene) -> str:
    """Say how a high watermark moved, to end a sentence; empty if it did not."""
    moved = moves(number, before, after)
    every = log_of(after, number).hw > log_of(before, number).hw and not _missed(number, after)
    return moved and f", and {moved}{': every ISR member has the records below' if every else ''}"


def moves(number: int, before: Scene, after: Scene) -> str:
    """Say how a leader's high watermark moved, as a clause; empty if it did not."""
    was, now = log_of(before, number).hw, log_of(after, number).hw
    if now <= was:
        return f"lowers its HW from {was} to {now}" if now < was else ""
    return f"raises its HW from {was} to {now}{_missed(number, after)}"


def _missed(leader: int, picture: Scene) -> str:
    """Say which ISR members lack records below a leader's high watermark; empty if none does."""
    for whose, isr in (("the", partition_of(picture).isr), ("its", broker_of(picture, leader).isr)):
        lost = {number: _lacks(number, leader, picture) for number in members(picture, isr)}
        lacks = [f"broker {number} lacks {records}" for number, records in lost.items() if records]
        if lacks:
            return f", although {' and '.join(lacks)} ({whose} ISR is {braced(isr)})"
    return ""


def _lacks(number: int, leader: int, picture: Scene) -> str:
    """Return the records below a leader's high watermark that a log does not have."""
    log, held = log_of(picture, number), log_of(picture, leader)
    offsets = range(max(log.start, held.start), min(held.hw, held.leo))
    return ", ".join(str(held.at(at)) for at in offsets if log.at(at) != held.at(at))


def truncated(number: int, before: Scene, after: Scene) -> str:
    """Say which records a step truncated from a log."""
    end = log_of(after, number).leo
    removed = ", ".join(str(entry) for entry in log_of(before, number).entries[end:])
    if not removed:
        return "It truncates nothing."
    return f"It truncates its log to offset {end}, which removes {removed}."


def lags(leader: int, follower: int, before: Scene) -> bool:
    """Whether a follower lags by the log ends that its leader knows."""
    return broker_of(before, leader).remote_leos[follower] != log_of(before, leader).leo


def stored(picture: Scene) -> str:
    """Return what the controller has stored, as a clause."""
    controller = partition_of(picture)
    lines = (line for line in controller.details if line.about != UNAPPLIED)
    return ", ".join((controller.role, *lines))


def yet_to_apply(picture: Scene, number: int) -> str:
    """Say of which epochs a broker has records to apply, to end a sentence; empty if none."""
    unapplied = sorted(partition_of(picture).unapplied)
    epochs = ", ".join(f"e{epoch}" for leader, epoch in unapplied if leader == number)
    return f"; broker {number} has yet to apply records of {epochs}" if epochs else ""


def proposed(before: Scene, after: Scene) -> str:
    """Say which ISR change a step has proposed to the controller; empty if none."""
    sentences = []
    for number in range(len(after.participants) - 2):
        isr, in_flight = broker_of(after, number).proposed, proposal_of(after, number)
        if not isr or isr == broker_of(before, number).proposed or in_flight is None:
            continue
        if proposal_of(before, number) is None:
            sentences.append(f"Broker {number} sends {in_flight.text} to the controller.")
        else:
            sentences.append(
                f"Broker {number} proposes isr {braced(isr)}, which waits: an older request is in "
                "flight."
            )
    return " ".join(sentences)
