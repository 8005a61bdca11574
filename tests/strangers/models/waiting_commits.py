"""KAFKA-20634 (apache/kafka#22444): a coordinator's writes complete by a follower's high watermark.

The coordinator of a partition waits for its own writes to be below the high watermark.  It is
unloaded later than its broker becomes a follower, and meanwhile a follower's high watermark counts.
"""
from dataclasses import replace

from tidegate import Action, Fairness
from tidegate.model import KIP_595
from tidegate.model.broker.history import note_acked
from tidegate.model.broker.leadership import drop_produce, leads
from tidegate.model.broker.older import keep_waiting
from tidegate.model.broker.actions.leader import complete_produce


def complete_by_any_hw(s, k, broker, record):
    """Complete a coordinator's write once the broker's high watermark has passed its offset."""
    waiting = s.delayed_produce[record]
    if waiting.leader != broker or waiting.offset >= s.replica[broker].hw:
        return False
    note_acked(s, k, broker, record, waiting.offset)
    drop_produce(s, record)
    return True


def complete_while_leading(s, k, broker, record):
    """As patched: ignore the high watermark of a follower."""
    return leads(s, broker) and complete_by_any_hw(s, k, broker, record)


def unload(s, k, broker, record):
    """Unload the coordinator, which fails what waits there."""
    if s.delayed_produce[record].leader != broker or leads(s, broker):
        return False
    drop_produce(s, record)
    return True


def coordinator(name, complete):
    return replace(
        KIP_595, name=name, parent=KIP_595, summary=name, story=__doc__, expected=(),
        rules=replace(KIP_595.rules, fails_produces=keep_waiting),
        actions=(
            *(replace(a, apply=complete) if a.name == "CompleteProduce" else a for a in KIP_595.actions),
            Action("Unload", unload, "leader", next(a for a in KIP_595.actions if a.name == "CompleteProduce").arguments,
                   "KAFKA-20634", Fairness.NONE, available=lambda k: k.purgatory),
        ),
    )


AS_REPORTED = coordinator("coordinator", complete_by_any_hw)
PATCHED = coordinator("coordinator-patched", complete_while_leading)

# name: AS_REPORTED
# bounds: purgatory records=2 crashes=0 elections=1 moves
# properties: NoAckedRecordLost
# expect: violated NoAckedRecordLost 13
