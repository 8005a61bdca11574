"""The roles, logs and messages of a state in Kafka's terms."""

from __future__ import annotations

from ....core.fields import NONE
from ....core.scene import Detail, Entry, Log
from ..assignment import braced
from ..bounds import Constants
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
from ..state import BrokerState, Replica

DELETED = Entry("-", NONE)
"""The entry at an offset below the log start."""

RESTARTED = "restarted"
"""The role of a broker that waits for LeaderAndIsr, or for the metadata with KRaft."""

NO_REPLICA = "no replica"
"""The role of a broker that has no log of the partition."""

FAILED = ", failed"
"""The end of the role of a follower whose fetcher has failed."""


def leadership(s: BrokerState) -> tuple[str, tuple[Detail, ...]]:
    """Return the partition state: leader, epoch, ISR and ELR."""
    leader = "no leader" if s.partition.leader == NONE else f"{s.partition.leader} leads"
    sets = {
        "replicas": s.partition.replicas,
        "adding": s.partition.adding,
        "removing": s.partition.removing,
        "elr": s.partition.elr,
    }
    details = [Detail(f"isr {braced(s.partition.isr)}", about="isr")]
    details += [
        Detail(f"{name} {braced(members)}", name) for name, members in sets.items() if members
    ]
    if s.partition.last_known_leader != NONE:
        last = f"last known leader {s.partition.last_known_leader}"
        details.append(Detail(last, about="last known leader"))
    return f"{leader} e{s.partition.epoch}", tuple(details)


def role(s: BrokerState, broker: int) -> str:
    """Return a broker's own view of its role."""
    replica = s.replica[broker]
    if not replica.alive:
        return "down"
    if s.partition.replicas and not replica.hosted:
        return NO_REPLICA
    if leads(s, broker):
        stale = "" if replica.epoch == s.partition.epoch else " (stale)"
        return f"leads e{replica.epoch} isr {braced(replica.isr)}{stale}"
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


def in_flight(s: BrokerState, k: Constants, follower: int) -> str:
    """Return the message between a follower and its leader as text; empty if there is none."""
    message = s.message[follower]
    starts = _log_start(message)
    texts = {
        FETCH: _fetch(s, k, follower),
        FETCH_RESPONSE: f"{_records(message.records)}, HW {message.hw}{starts}",
        OUT_OF_RANGE: "out of range",
        LIST_OFFSETS: "log end?",
        LIST_OFFSETS_RESPONSE: f"log end {message.end_offset}{starts}",
        EPOCH_REQUEST: f"end of e{newest_epoch(s, k, follower)}?",
        EPOCH_RESPONSE: _epoch_end(message.epoch, message.end_offset),
        DIVERGING: f"diverging, {_epoch_end(message.epoch, message.end_offset)}{starts}",
    }
    return texts.get(message.kind, "")


def _log_start(message: Message) -> str:
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


def _epoch_end(epoch: int, end_offset: int) -> str:
    if end_offset == NONE:
        return "epoch unknown"
    return f"ends at {end_offset}" if epoch == NONE else f"epoch {epoch} ends at {end_offset}"


def _records(entries: list[LogEntry]) -> str:
    """Return the records of a fetch response."""
    records = [str(Entry(f"m{e.record}", e.epoch)) for e in entries if e.record != NONE]
    return " ".join(records) or "no records"
