"""A new leader proposes an empty ISR, which its shrink task read before it led (apache/fluss#3927)."""
from dataclasses import replace

from tidegate import Action, Fairness
from tidegate.model import KIP_595, brokers, leads
from tidegate.model.broker.messages import NOTHING, REQUEST


def shrink_stale(s, k, leader):
    """Propose an empty ISR, which the shrink task read before the broker led."""
    message = s.alter_partition[leader]
    if not leads(s, leader) or message.kind != NOTHING or s.replica[leader].proposed:
        return False
    s.replica[leader].proposed = s.replica[leader].isr
    message.kind, message.epoch, message.isr = REQUEST, s.replica[leader].epoch, 0
    return True


AS_REPORTED = replace(
    KIP_595, name="stale-shrink", parent=KIP_595, summary="fluss 3927", story=__doc__, expected=(),
    actions=(*KIP_595.actions, Action("ShrinkStale", shrink_stale, "leader", brokers, "maybeShrinkIsr", Fairness.NONE, available=lambda k: k.kraft)))

# bounds: records=1 crashes=0 elections=1 moves isr_propagation=kraft
# properties: KnownLeaderInIsr
# expect: violated KnownLeaderInIsr 2
