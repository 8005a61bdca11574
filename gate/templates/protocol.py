"""My protocol: KIP-320 with one change.

Describe the change, the verdicts that you expect, and your sources here.
"""

from dataclasses import replace

from tidegate.model.broker.bounds import Constants
from tidegate.model.broker.protocols.kip320 import KIP_320
from tidegate.model.broker.state import BrokerState


def has_committed(s: BrokerState, k: Constants, leader: int, offset: int) -> bool:
    """Let a follower join the ISR once its LEO has reached the leader's high watermark.

    This is Kafka's own rule, copied so that you can change it.  If it always returns True,
    'tidegate gate' shows in seven steps how an acknowledged record is lost.
    """
    return offset >= s.replica[leader].hw


MY_PROTOCOL = replace(
    KIP_320,
    name="my-protocol",
    summary="KIP-320 with one change.",
    parent=KIP_320,
    story=__doc__,
    expected=(),
    rules=replace(KIP_320.rules, has_committed=has_committed),
)
