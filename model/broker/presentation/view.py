"""A state in Kafka's terms, a column per participant, for traces."""

from __future__ import annotations

from collections.abc import Callable

from ....core.fields import NONE
from ....core.scene import Detail, Entry, Log
from ..bounds import ZOOKEEPER, Constants
from ..in_flight import LogEntry, Message
from ..leadership import leads
from ..log import newest_epoch
from ..messages import (
    DELAYED_FETCH,
    DIVERGING,
    EPOCH_REQUEST,
    EPOCH_RESPONSE,
    FETCH,
    FETCH_RESPONSE,
    LIST_OFFSETS,
    LIST_OFFSETS_RESPONSE,
    OUT_OF_RANGE,
)
from ..replica_sets import replicas
from ..state import BrokerState, Replica
from .isr_view import clients, controller, isr_changes, to_controller

LEGEND = (
    "[m0@0 | m1@0] is a log: record m0, then m1, both written in leader epoch 0. Records left of "
    "the bar | are below the replica's high watermark (readable); ] is the log end. "
    "e1 is leader epoch 1; isr 0,1 the in-sync replicas."
)


ELR_LEGEND = (
    " elr 2 is an eligible leader replica: out of the ISR, but with every committed record."
)
"""For the option ``elr``."""

DELETED = Entry("-", NONE)
"""What is shown at an offset below the log start."""

DELETED_LEGEND = " - is an offset below the log start offset, whose record is deleted."
"""For the option ``deletions``."""

RESTARTED = "restarted"
"""The role of a broker that waits for LeaderAndIsr, or for the metadata with KRaft."""

NO_REPLICA = "no replica"
"""The role of a broker that has no log of the partition."""

FAILED = ", failed"
"""The end of the role of a follower whose fetcher has failed."""


def columns(s: BrokerState, k: Constants) -> dict[str, str]:
    """Return the heading and the text of each column: the controller, then every broker."""
    shown = {"controller": _controller(s, k)}
    for broker in range(k.replicas):
        parts = (
            role(s, broker),
            _log(s, k, broker),
            _in_flight(s, k, broker),
            *waiting(s, broker),
            *isr_changes(s, k, broker),
            to_controller(s, broker),
        )
        shown[f"broker {broker}"] = "\n".join(part for part in parts if part)
    if k.isr_propagation == ZOOKEEPER:
        shown["clients"] = "\n".join(clients(s, k).values())
    return shown


def record(entry: LogEntry) -> str:
    """Return a record with the leader epoch that it carries.

    >>> from types import SimpleNamespace
    >>> record(SimpleNamespace(record=1, epoch=0))
    'm1@0'
    """
    return f"m{entry.record}@{entry.epoch}"


def leadership(
    s: BrokerState, written: Callable[[int], str] = replicas
) -> tuple[str, tuple[Detail, ...]]:
    """Return the partition state: leader, epoch, ISR and ELR."""
    leader = "no leader" if s.partition.leader == NONE else f"{s.partition.leader} leads"
    sets = {
        "replicas": s.partition.replicas,
        "adding": s.partition.adding,
        "removing": s.partition.removing,
        "elr": s.partition.elr,
    }
    details = [Detail(f"isr {written(s.partition.isr)}", about="isr")]
    details += [
        Detail(f"{name} {written(members)}", name) for name, members in sets.items() if members
    ]
    if s.partition.last_known_leader != NONE:
        last = f"last known leader {s.partition.last_known_leader}"
        details.append(Detail(last, about="last known leader"))
    return f"{leader} e{s.partition.epoch}", tuple(details)


def _controller(s: BrokerState, k: Constants) -> str:
    leader, details = leadership(s)
    return "\n".join((leader, *details, *controller(s, k, replicas)))


def role(s: BrokerState, broker: int, written: Callable[[int], str] = replicas) -> str:
    """Return a broker's own view of its role; `written` writes a set of replicas."""
    replica = s.replica[broker]
    if not replica.alive:
        return "down"
    if s.partition.replicas and not replica.hosted:
        return NO_REPLICA
    if leads(s, broker):
        stale = "" if replica.epoch == s.partition.epoch else " (stale)"
        return f"leads e{replica.epoch} isr {written(replica.isr)}{stale}"
    if replica.leader != NONE:
        asks = ", truncating" if replica.truncating else FAILED if replica.failed else ""
        return f"follows {replica.leader} e{replica.epoch}{asks}"
    if s.partition.leader == NONE and s.partition.epoch == replica.epoch:
        return f"no leader e{replica.epoch}"
    return RESTARTED


def log(replica: Replica) -> Log:
    """Return the picture of a replica's log."""
    held = replica.log[replica.start : replica.leo]
    entries = [Entry(f"m{entry.record}", entry.epoch) for entry in held]
    return Log((*[DELETED] * replica.start, *entries), replica.hw, replica.start)


def _log(s: BrokerState, k: Constants, broker: int) -> str:
    replica = s.replica[broker]
    held = replica.log[replica.start : replica.leo]
    entries = [DELETED.name] * replica.start + [record(entry) for entry in held]
    entries.insert(replica.hw, "|")
    checkpoint = f" (disk {replica.checkpoint})" if k.hw_checkpoint else ""
    return f"[{' '.join(entries)}] hw {replica.hw}{checkpoint}"


def in_flight(s: BrokerState, k: Constants, follower: int) -> str:
    """Return the message between a follower and its leader as text; empty if there is none."""
    message = s.message[follower]
    starts = log_start(message)
    texts = {
        FETCH: _fetch(s, k, follower),
        FETCH_RESPONSE: f"{fetched(message.records) or 'nothing'}, hw {message.hw}{starts}",
        OUT_OF_RANGE: "out of range",
        LIST_OFFSETS: "log end?",
        LIST_OFFSETS_RESPONSE: f"log end {message.end_offset}{starts}",
        EPOCH_REQUEST: f"end of e{newest_epoch(s, k, follower)}?",
        EPOCH_RESPONSE: _epoch_end(message.epoch, message.end_offset),
        DIVERGING: f"diverging, {_epoch_end(message.epoch, message.end_offset)}{starts}",
    }
    return texts.get(message.kind, "")


def log_start(message: Message) -> str:
    """Return the log start offset in a response; empty if nothing was deleted."""
    return f", log start {message.start}" if message.start else ""


def _fetch(s: BrokerState, k: Constants, follower: int) -> str:
    """Return a fetch; since KIP-595 it carries the newest epoch of the follower's epoch cache."""
    epoch = newest_epoch(s, k, follower) if k.rules.truncation_on_fetch else NONE
    after = f", after e{epoch}" if epoch != NONE else ""
    return f"fetch at {s.replica[follower].leo}{after}"


def waiting(s: BrokerState, broker: int) -> list[str]:
    """Return the requests that wait in a broker's purgatory."""
    fetches = [
        f"fetch of {follower} at {s.replica[follower].leo} waits"
        for follower, message in enumerate(s.message)
        if message.kind == DELAYED_FETCH and s.replica[follower].leader == broker
    ]
    return fetches + [
        f"produce of m{record} waits"
        for record, produce in enumerate(s.delayed_produce)
        if produce.leader == broker
    ]


def _in_flight(s: BrokerState, k: Constants, follower: int) -> str:
    text = in_flight(s, k, follower)
    way = "->" if s.message[follower].kind in (FETCH, LIST_OFFSETS, EPOCH_REQUEST) else "<-"
    late = s.late_fetch[follower]
    lines = [f"{way} {s.replica[follower].leader}: {text}" if text else ""]
    if late.leader != NONE:
        lines.append(f"(at {late.leader}: late fetch at {late.offset})")
    return "\n".join(line for line in lines if line)


def fetched(entries: list[LogEntry]) -> str:
    """Return the records of a fetch response; empty if it has none."""
    return " ".join(record(entry) for entry in entries if entry.record != NONE)


def _epoch_end(epoch: int, end_offset: int) -> str:
    if end_offset == NONE:
        return "epoch unknown"
    return f"ends at {end_offset}" if epoch == NONE else f"epoch {epoch} ends at {end_offset}"
