"""A state and a step of the async-isr family as pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ...core.layout import NONE, members
from ...core.scene import Event, Message, Participant, Scene, View
from ...core.spec import Action
from ..broker.replica_sets import braced
from .actions import high_watermark
from .bounds import LEADER, Constants
from .state import AsyncIsrState

CONTROLLER = "controller"


def replica(number: int) -> str:
    """Return the name of a replica's lane."""
    return f"replica {number}"


def scene(s: AsyncIsrState, k: Constants) -> Scene:
    """Return the picture of a state; a log is only its end here, since none is ever truncated."""
    role = f"v{s.controller.version} isr {braced(s.controller.isr)}"
    participants = [Participant(CONTROLLER, role, epoch=s.controller.version)]
    participants += [_participant(s, k, number) for number in range(k.replicas)]
    return Scene(tuple(participants), (*_requests(s), *_updates(s)))


def _participant(s: AsyncIsrState, k: Constants, number: int) -> Participant:
    end = f"leo {s.leader.offset[number]}"
    if number != LEADER:
        return Participant(replica(number), end)
    known = [f"knows v{s.leader.version} isr {braced(s.leader.isr)}"]
    if s.leader.pending_version != NONE:
        known.append(f"requested {braced(s.leader.pending_isr)}")
    role = f"{end} hw {high_watermark(s, k)}"
    return Participant(replica(number), role, tuple(known), epoch=s.leader.version, leads=0)


def _requests(s: AsyncIsrState) -> list[Message]:
    """Return the leader's requests; the controller may handle them at any later time."""
    return [
        Message(
            _request(version, number),
            replica(LEADER),
            CONTROLLER,
            f"v{version}: isr {braced(s.update[version] ^ 1 << number)}",
            quiet=True,
        )
        for version, requested in enumerate(s.request)
        for number in members(requested)
    ]


def _updates(s: AsyncIsrState) -> list[Message]:
    """Return each version of the ISR that the leader does not know yet."""
    return [
        Message(
            _update(version),
            CONTROLLER,
            replica(LEADER),
            f"v{version}: isr {braced(s.update[version])}",
            quiet=True,
        )
        for version in range(s.leader.version + 1, s.controller.version + 1)
    ]


def _request(version: int, number: int) -> str:
    """Return the key of a request."""
    return f"request {version} {number}"


def _update(version: int) -> str:
    """Return the key of an update."""
    return f"update {version}"


def event(
    actors: Mapping[str, str],
    action: str,
    arguments: Mapping[str, int],
    before: Scene,
    after: Scene,
) -> Event:
    """Return the event between two pictures.

    Parameters
    ----------
    actors
        Who takes an action, by its name.
    """
    number, version = arguments.get("replica", LEADER), arguments.get("version", 0)
    lanes = {CONTROLLER: CONTROLLER, "follower": replica(number), "leader": replica(LEADER)}
    actor = lanes.get(actors[action], replica(LEADER))
    takes: tuple[str, ...] = ()
    exchange: tuple[tuple[str, str, str], ...] = ()
    if action == "ControllerHandleRequest":
        takes = (_request(version, number),)
    if action == "LeaderHandleUpdate":
        takes = (_update(version),)
    if action == "FollowerReplicate":
        exchange = ((replica(LEADER), replica(number), "next record"),)
    sign = "election" if actor == CONTROLLER else ""
    sentence = _SENTENCES[action].format(number=number, version=version)
    return Event(actor, sentence, sign, takes, exchange)


_SENTENCES = {
    "ControllerShrinkIsr": "The controller removes replica {number} from the ISR, as if it had "
    "failed, without a request.",
    "ControllerHandleRequest": "The controller applies the leader's request of version {version} "
    "to change replica {number} in the ISR.",
    "LeaderRequestShrinkIsr": "The leader requests to remove replica {number} from the ISR.",
    "LeaderRequestExpandIsr": "The leader requests to add replica {number} to the ISR.",
    "LeaderWrite": "The leader appends a record.",
    "LeaderHandleUpdate": "The leader applies version {version} of the ISR.",
    "FollowerReplicate": "Replica {number} copies the leader's next record; the leader knows at "
    "once.",
}

LEGEND = (
    "“v1 isr {0,1}” is version 1 of the ISR; replica 0 is always the leader.",
    "“requested {0,1}” names the members of all ISRs that the leader has requested since its last "
    "update; leo is the log end offset, hw the high watermark.",
)


def legend(scenes: Sequence[Scene]) -> tuple[str, ...]:
    """Return the legend."""
    return LEGEND


def view_of(actions: Iterable[Action]) -> View:
    """Return how the family shows states and the steps of some actions."""
    return View(scene, partial(event, {action.name: action.who for action in actions}), legend)
