"""The older rule of KAFKA-2960 alone: produce requests go on waiting for acknowledgement."""
from dataclasses import replace

from tidegate.model import KIP_595
from tidegate.model.broker.older import keep_waiting

WAITS_ONLY = replace(
    KIP_595, name="waits-only", parent=KIP_595, summary="Produce requests go on waiting.", story="", expected=(),
    rules=replace(KIP_595.rules, fails_produces=keep_waiting),
)

# bounds: purgatory records=2 crashes=0 elections=1 moves
# properties: NoAckedRecordLost
# expect: holds 5196
