"""The steps that propagate ISR changes, in words: AlterPartition and notifications."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ....core.scene import Event, Scene
from ..assignment import braced
from .pictures import (
    CLIENTS,
    CONTROLLER,
    Arguments,
    Telling,
    announced,
    broker,
    broker_of,
    clients_of,
    occurrence,
    of,
    partition_of,
    proposal,
    proposal_of,
)
from .propagation import CONSUMER, PRODUCER
from .reassignment import REASSIGNMENT
from .side_effects import lags, lost_with, raised, stored, yet_to_apply


def _in_flight(picture: Scene, leader: int) -> str:
    """Return the message in flight between a leader and the controller."""
    message = proposal_of(picture, leader)
    return message.text if message else "nothing"


def _isr(picture: Scene) -> str:
    return braced(partition_of(picture).isr)


def _propose_shrink(a: Arguments, before: Scene, after: Scene) -> str:
    leader, follower = a["leader"], a["follower"]
    which = "which lags" if lags(leader, follower, before) else "whose remote LEO is the log end"
    return (
        f"Broker {leader} proposes an ISR without broker {follower}, {which}: "
        f"{_in_flight(after, leader)}."
    )


def _handle_alter_partition(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    request, was = proposal_of(before, leader), partition_of(before).isr
    since = [f" ({line})" for line in request.outdated] if request else []
    done = f"It accepts: the ISR was {braced(was)} and is {_isr(after)}."
    if partition_of(after).isr == was:
        answer = proposal_of(after, leader)
        refuses = f"It rejects it ({answer.refusal}). " if answer and answer.refusal else ""
        done = f"{refuses}The ISR stays {braced(was)}."
    return occurrence(
        f"The controller handles the request of broker {leader}: {_in_flight(before, leader)}"
        f"{''.join(since)}. {done}",
        takes=(proposal(leader),),
        drops="no broker receives the response",
    )


def _handle_alter_partition_response(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    now = of(after, broker(leader)).role
    return occurrence(
        f"Broker {leader} receives the controller's response: {_in_flight(before, leader)}. "
        f"It {now}{raised(leader, before, after)}.",
        takes=(proposal(leader),),
    )


def _fence_out_of_sync(a: Arguments, before: Scene, after: Scene) -> str:
    was, now = partition_of(before), partition_of(after)
    stays = (was.leader, was.isr, was.epoch) == (now.leader, now.isr, now.epoch)
    leaves = " The leader, the ISR and the epoch stay." if stays else f" {stored(after)}."
    return f"The controller misses the heartbeats of broker {a['broker']} and fences it.{leaves}"


def _unfence(a: Arguments, before: Scene, after: Scene) -> str:
    return f"Broker {a['broker']} has registered and sends heartbeats; the controller unfences it."


def _apply_change_record(a: Arguments, before: Scene, after: Scene) -> Event:
    leader, epoch, was = a["leader"], a["epoch"], broker_of(before, a["leader"])
    records = "a partition change record"
    if a["last"]:
        records = f"{a['last'] + 1} partition change records"
    elif epoch in partition_of(before).known:
        records += ", which it knows from a response,"
    newest = of(after, CONTROLLER).epoch
    late = "" if epoch == newest else f" This is late: the controller is already at epoch {newest}."
    becomes = was.leads != epoch
    keeps = was.remote_leos == broker_of(after, leader).remote_leos
    does = "becomes leader" if becomes else f"{'keeps' if keeps else 'changes'} its remote LEOs"
    lost = lost_with(leader, before, after) if becomes else ""
    dropped = was.proposed and not broker_of(after, leader).proposed
    proposal = f" It drops its proposal of isr {braced(was.proposed)}." if dropped else ""
    return occurrence(
        f"Broker {leader} applies {records} (epoch {epoch}) and {does}: it "
        f"{of(after, broker(leader)).role}{raised(leader, before, after)}.{proposal}{late}"
        + (f" It does so{lost}." if lost else ""),
        sign="late" if late else "",
        takes=(announced(leader, epoch),) if becomes else (),
        drops=f"dropped: broker {leader} applied epoch {epoch}",
    )


def _fence_follower(a: Arguments, before: Scene, after: Scene) -> str:
    lives = broker_of(before, a["broker"]).alive
    why = "is shutting down, or is considered dead" if lives else "is dead"
    same = partition_of(before).epoch == partition_of(after).epoch
    return (
        f"Broker {a['broker']} {why}; the controller fences it and writes a partition change "
        f"record: isr {_isr(after)}.{' No leader epoch begins.' if same else ''}"
    )


def _elect_last_known(a: Arguments, before: Scene, after: Scene) -> Event:
    number = a["broker"]
    whether = "is the last known leader"
    if not partition_of(before).isr | partition_of(before).elr:
        whether += ", as neither the ISR nor the ELR has a member"
    down = "" if broker_of(before, number).alive else ", although it is down"
    return occurrence(
        f"The controller elects broker {number}, which {whether} (unclean election){down}: "
        f"{stored(after)}{yet_to_apply(after, number)}.",
        sign="unclean",
        rule=whether,
    )


def _pass_lag_time(a: Arguments, before: Scene, after: Scene) -> str:
    leader, follower = a["leader"], a["follower"]
    return (
        f"replica.lag.time.max.ms has passed since broker {follower} had the log end of broker "
        f"{leader}, which no longer considers it caught up."
    )


def _write_notification(a: Arguments, before: Scene, after: Scene) -> Event:
    return occurrence(
        f"Broker {a['leader']} writes the notification of its ISR change to ZooKeeper.",
        exchange=((broker(a["leader"]), CONTROLLER, "the ISR has changed"),),
    )


def _read_notification(a: Arguments, before: Scene, after: Scene) -> str:
    return "The controller reads the notification that the ISR has changed."


def _refresh_cache(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"The controller reads the stored ISR, {_isr(after)}, into its cache and sends "
        "UpdateMetadata to every broker."
    )


def _delete_notification(a: Arguments, before: Scene, after: Scene) -> str:
    return "The controller deletes the notification that it has handled."


def _crash_controller(a: Arguments, before: Scene, after: Scene) -> Event:
    return occurrence(
        "The controller crashes. A notification that it had read but not deleted stays.",
        sign="crash",
    )


def _start_controller(a: Arguments, before: Scene, after: Scene) -> Event:
    return occurrence(
        f"Another broker becomes the controller and begins with the stored ISR, {_isr(after)}.",
        sign="restart",
    )


def _update_metadata(a: Arguments, before: Scene, after: Scene) -> str:
    return (
        f"UpdateMetadata reaches broker {a['broker']}, which now answers metadata requests "
        f"with: {of(after, CONTROLLER).role}."
    )


def _refreshed(client: str) -> Callable[[Arguments, Scene, Scene], str]:
    """Return the event of a client's metadata refresh."""

    def refresh(a: Arguments, before: Scene, after: Scene) -> str:
        line = clients_of(after).metadata[client]
        return f"The {client} refreshes its metadata from broker {a['broker']}: {line}."

    return refresh


def _consume(a: Arguments, before: Scene, after: Scene) -> Event:
    leader = a["leader"]
    new = [promise.text for promise in after.promises if promise not in before.promises]
    read = new[0] if new else "the consumer reads a record that was read before"
    return occurrence(
        f"Broker {leader}, the leader in the consumer's metadata, answers it: {read}.",
        exchange=((broker(leader), CLIENTS, "record"),),
    )


ISR_EVENTS: Mapping[str, Telling] = {
    "ProposeShrink": ("leader", _propose_shrink),
    "HandleAlterPartition": (CONTROLLER, _handle_alter_partition),
    "HandleAlterPartitionResponse": ("leader", _handle_alter_partition_response),
    "FenceOutOfSync": (CONTROLLER, _fence_out_of_sync),
    "Unfence": (CONTROLLER, _unfence),
    "ApplyChangeRecord": ("leader", _apply_change_record),
    "FenceFollower": (CONTROLLER, _fence_follower),
    "ElectLastKnown": (CONTROLLER, _elect_last_known),
    "PassLagTime": ("leader", _pass_lag_time),
    "WriteNotification": ("leader", _write_notification),
    "ReadNotification": (CONTROLLER, _read_notification),
    "RefreshCache": (CONTROLLER, _refresh_cache),
    "DeleteNotification": (CONTROLLER, _delete_notification),
    "CrashController": (CONTROLLER, _crash_controller),
    "StartController": (CONTROLLER, _start_controller),
    "UpdateMetadata": ("broker", _update_metadata),
    "RefreshProducer": (CLIENTS, _refreshed(PRODUCER)),
    "RefreshConsumer": (CLIENTS, _refreshed(CONSUMER)),
    "Consume": (CLIENTS, _consume),
    **REASSIGNMENT,
}
"""Every action that the options of ISR changes and elections add."""
