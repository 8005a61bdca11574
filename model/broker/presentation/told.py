"""What comes of a step besides, in words: answers that are lost, high watermarks that rise."""

from __future__ import annotations

from ....core.scene import Scene
from ..replica_sets import braced
from .pictures import Answer, broker, broker_of, log_of, proposal_of


def lost_with(number: int, before: Scene, after: Scene) -> str:
    """Say which answers to a broker, or of it, are gone, and what is not known therefore."""
    told, left = "", {message.key for message in after.messages}
    for message in before.messages:
        if message.key in left or not isinstance(message, Answer):
            continue
        follower = int(message.key)
        hw = f"HW is still {log_of(after, follower).hw}"
        if message.receiver == broker(number) == broker(follower):
            told += f" before the answer of {message.sender} ({message.text}) reaches it: its {hw}"
        elif message.sender == broker(number) != broker(follower):
            told += f", and its answer ({message.text}) never reaches broker {follower}, whose {hw}"
    return told


def raised(number: int, before: Scene, after: Scene) -> str:
    """Say that a high watermark rose, and why, as the end of a sentence; nothing if it did not."""
    was, now = log_of(before, number).hw, log_of(after, number).hw
    if now <= was:
        return ""
    return f", and raises its HW from {was} to {now}: all of the ISR has what is below"


def proposed(before: Scene, after: Scene) -> str:
    """Say which change of the ISR a step has asked the controller for; nothing if it has not."""
    told = []
    for number in range(len(after.participants) - 2):
        isr, under_way = broker_of(after, number).proposed, proposal_of(after, number)
        if not isr or isr == broker_of(before, number).proposed or under_way is None:
            continue
        if proposal_of(before, number) is None:
            told.append(f"Broker {number} asks the controller for {under_way.text}.")
        else:
            told.append(
                f"Broker {number} proposes isr {braced(isr)}, which has to wait: an older request "
                "is under way."
            )
    return " ".join(told)
