"""A state and a step of the published family as pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ...core.layout import NONE, members
from ...core.scene import Entry, Event, Log, Message, Participant, Promise, Scene, View
from ...core.spec import Action
from ..broker.replica_sets import braced
from .bounds import Constants
from .state import PublishedState
from .view import leadership, role

CONTROLLER, CLIENTS = "controller", "clients"


def replica(number: int) -> str:
    """Return the name of a replica's lane."""
    return f"replica {number}"


def scene(s: PublishedState, k: Constants) -> Scene:
    """Return the picture of a state."""
    participants = [Participant(CONTROLLER, *leadership(s, braced), epoch=s.partition.epoch)]
    participants += [_participant(s, number) for number in range(k.replicas)]
    participants.append(Participant(CLIENTS, f"{s.written} of {k.records} written"))
    promises = [
        Promise(
            CLIENTS,
            f"m{record}",
            "committed",
            f"m{record} is committed: consumers read it",
        )
        for record in members(s.aux_committed)
    ]
    return Scene(tuple(participants), tuple(_announcements(s, k)), tuple(promises))


def _participant(s: PublishedState, number: int) -> Participant:
    mine = s.replica[number]
    entries = tuple(Entry(f"m{entry.record}", entry.epoch) for entry in mine.log[: mine.leo])
    return Participant(
        name=replica(number),
        role=role(s, number, braced),
        epoch=mine.epoch if mine.leader != NONE else None,
        leads=mine.epoch if mine.leader == number else None,
        log=Log(entries, mine.hw),
        replica=number,
    )


def _announcements(s: PublishedState, k: Constants) -> list[Message]:
    """Return each LeaderAndIsr that a replica may still apply."""
    return [
        Message(
            _announced(number, epoch),
            CONTROLLER,
            replica(number),
            f"e{epoch}: {'no leader' if sent.leader == NONE else f'{sent.leader} leads'}",
            quiet=True,
        )
        for epoch, sent in enumerate(s.leader_and_isr)
        if epoch <= s.partition.epoch
        for number in range(k.replicas)
        if s.replica[number].epoch < epoch
    ]


def _announced(number: int, epoch: int) -> str:
    """Return the key of the LeaderAndIsr of an epoch to a replica."""
    return f"LeaderAndIsr {epoch} {number}"


def event(
    actors: Mapping[str, str],
    action: str,
    arguments: Mapping[str, int],
    before: Scene,
    after: Scene,
) -> Event:
    """Return the event between two pictures.

    The actor is the controller, or the argument named after the role that acts; a fetch and a
    truncation concern a follower and its leader.

    Parameters
    ----------
    actors
        Who takes an action, by its name.
    """
    who_acts = actors[action]
    roles = [arguments[name] for name in ("follower", "leader", "replica") if name in arguments]
    acts = arguments.get(who_acts, roles[0])
    now = {who.name: who for who in after.participants}
    truncation = ""
    if who_acts == CONTROLLER:
        actor, sign = CONTROLLER, "election"
        role_now = f"{now[CONTROLLER].role}, {', '.join(now[CONTROLLER].details)}"
    else:
        actor, role_now = replica(acts), now[replica(acts)].role
        late = arguments.get("epoch", now[CONTROLLER].epoch) != now[CONTROLLER].epoch
        truncation = _truncation(actor, before, after)
        sign = "late" if late else "truncation" if truncation else ""
    takes: tuple[str, ...] = ()
    exchange: tuple[tuple[str, str, str], ...] = ()
    if "epoch" in arguments:
        takes = (_announced(acts, arguments["epoch"]),)
    log = now[replica(roles[0])].log
    last = log.entries[-1] if log and log.entries else None
    if action == "FollowerFetch" and log:
        text = f"{last}, HW {log.hw}"
        exchange = ((replica(arguments["leader"]), replica(roles[0]), text),)
    if action == "LeaderWrite" and last:
        exchange = ((CLIENTS, actor, f"write {last.name}"),)
    sentence = _SENTENCES.get(action, "{action}").format(
        action=action, role=role_now, last=last, first=roles[0], **{"leader": "", **arguments}
    )
    if truncation:
        sentence += f" {truncation[:1].upper()}{truncation[1:]}."
    isr = now[CONTROLLER].details
    if actor != CONTROLLER and isr not in [who.details for who in before.participants]:
        exchange = (*exchange, (actor, CONTROLLER, ", ".join(isr)))
    return Event(actor, sentence, sign, takes, exchange, rule=truncation)


def _truncation(name: str, before: Scene, after: Scene) -> str:
    """Say which records a step truncated from a log, and where; empty if none."""
    old, new = (
        next((who.log for who in s.participants if who.name == name), None) for s in (before, after)
    )
    if not old or not new or new.leo >= old.leo:
        return ""
    removed = ", ".join(str(entry) for entry in old.entries[new.leo :])
    whose = ", its own high watermark" if new.leo == old.hw else ""
    return f"it truncates its log to offset {new.leo}{whose}, which removes {removed}"


_SENTENCES = {
    "ControllerElectLeader": "The controller elects replica {first}: {role}.",
    "ControllerShrinkIsr": "The controller removes replica {first} from the ISR and from "
    "leadership, as if it had failed: {role}.",
    "BecomeLeader": "Replica {leader} applies LeaderAndIsr (epoch {epoch}) and becomes leader.",
    "BecomeFollower": "Replica {first} applies LeaderAndIsr (epoch {epoch}): {role}.",
    "LeaderExpandIsr": "Replica {leader} adds replica {first} to the ISR.",
    "LeaderShrinkIsr": "Replica {leader} removes replica {first}, which lags, from the ISR.",
    "LeaderWrite": "Replica {leader}, which presumes leadership, appends a producer's record: "
    "{last}.",
    "LeaderIncHighWatermark": "The ISR of replica {leader} has acknowledged one more record: it "
    "advances its high watermark.",
    "FollowerFetch": "Replica {first} copies {last} and the high watermark from replica {leader}.",
    "FollowerTruncate": "Replica {first} truncates its log, whose end contradicts the log of "
    "replica {leader}.",
}

LEGEND = (
    "m0, m1, … are records in the order in which producers wrote them; m0 (e1) is m0, written in "
    "leader epoch 1.",
    "“leads e1 isr {0,2}” is a replica that presumes it leads leader epoch 1 with replicas 0 and 2 "
    "in sync; “(stale)” marks a former leader; “follows 0 e1” is a replica that follows replica 0 "
    "in epoch 1.",
    "A fetch is one step here, so its arrow is level; “e1: 1 leads” is the controller's "
    "LeaderAndIsr of epoch 1.",
)


def legend(scenes: Sequence[Scene]) -> tuple[str, ...]:
    """Return the legend."""
    return LEGEND


def view_of(actions: Iterable[Action]) -> View:
    """Return how the family shows states and the steps of some actions."""
    return View(scene, partial(event, {action.name: action.who for action in actions}), legend)
