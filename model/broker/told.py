"""What comes of a step besides, in words: answers that are lost, high watermarks that rise."""

from __future__ import annotations

from ...scene import Scene
from .pictures import Answer, broker, log_of, of, proposal


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
    told, known = [], {message.key for message in before.messages}
    for number in range(len(after.participants) - 2):
        mine = [m.text for m in after.messages if m.key == proposal(number)]
        if mine and proposal(number) not in known:
            told.append(f"Broker {number} asks the controller for {mine[0]}.")
        elif mine and _pending(before, number) != (pending := _pending(after, number)) and pending:
            told.append(
                f"Broker {number} {pending}, which has to wait: an older request is under way."
            )
    return " ".join(told)


def _pending(picture: Scene, number: int) -> str:
    """Return what a broker proposes for the ISR; nothing if no change is pending."""
    details = of(picture, broker(number)).details
    return next((line for line in details if line.startswith("proposes")), "")
