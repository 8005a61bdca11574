"""A former leader acknowledges the produces that still wait at it.

That needs two faults: an older rule, by which they go on waiting, and a step that Kafka lacks.
"""

from dataclasses import replace

from tidegate import Fairness
from tidegate.model import KIP_595, leads
from tidegate.model.broker.history import note_acked
from tidegate.model.broker.leadership import drop_produce
from tidegate.model.broker.older import keep_waiting


def answer_late(s, k, broker, record):
    """Acknowledge a produce that waits at a former leader."""
    waiting = s.delayed_produce[record]
    if waiting.leader != broker or leads(s, broker):
        return False
    note_acked(s, k, broker, record, waiting.offset)
    drop_produce(s, record)
    return True


COMPLETE = next(one for one in KIP_595.actions if one.name == "CompleteProduce")
ANSWER_LATE = replace(
    COMPLETE, name="AnswerLate", apply=answer_late, source="", fairness=Fairness.NONE
)

WAITS = replace(
    KIP_595,
    name="waits",
    parent=KIP_595,
    summary="Produces go on waiting.",
    story="",
    expected=(),
    rules=replace(KIP_595.rules, fails_produces=keep_waiting),
)

LATE = replace(
    WAITS,
    name="late",
    parent=WAITS,
    summary="A former leader answers the produces that wait.",
    rules=replace(KIP_595.rules, fails_produces=keep_waiting),
    actions=(*KIP_595.actions, ANSWER_LATE),
)

STEP_ONLY = replace(LATE, name="step-only", parent=KIP_595, rules=KIP_595.rules)
