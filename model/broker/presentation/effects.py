"""The side effects of a step, in words: lost responses, higher high watermarks, proposals."""

from __future__ import annotations

from ....core.scene import Scene
from ..replica_sets import braced
from .isr_view import UNAPPLIED
from .pictures import Answer, broker, broker_of, log_of, partition_of, proposal_of


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
    """Say that a high watermark advanced, and why, to end a sentence; empty if it did not."""
    was, now = log_of(before, number).hw, log_of(after, number).hw
    if now <= was:
        return ""
    return f", and raises its HW from {was} to {now}: every ISR member has the records below"


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
