"""KIP-595 with the repair that Kafka lacks: a leader that missed an epoch forgets its followers.

What happens without it: broker 0 leads epoch 1, and its followers have fetched up to some offset.
Another broker leads epoch 2, and a follower truncates.  Broker 0 is elected again in epoch 3 before
it has applied epoch 2.  It led already, so it keeps the remote LEOs of epoch 1
(Partition.makeLeader, since Kafka 0.9.0.0), and it commits and acknowledges a record that the
follower no longer has.  The follower cannot correct it first: the high watermark moves inside
makeLeader, and before that the follower's fetches are answered with UNKNOWN_LEADER_EPOCH.  If that
follower is elected next, the record is lost.

With ZooKeeper the controller that announced epoch 2 may fail before it has sent LeaderAndIsr to
broker 0; with KRaft a broker applies all committed batches at once, and sees the last epoch only.
Read off Kafka's sources, 0.9.0.0 to 4.3.1; there is no ticket for it.

Source: Partition.makeLeader and Replica.resetReplicaState of Kafka 3.8.
"""

from dataclasses import replace

from ...protocol import Expected
from ..bounds import Constants
from ..state import BrokerState
from .kip595 import KIP_595


def unless_next(s: BrokerState, k: Constants, broker: int, epoch: int) -> bool:
    """Reset the remote LEOs also of a broker that leads already, if it has missed an epoch.

    In an epoch that it missed another broker may have led, and its followers may have truncated.
    """
    replica = s.replica[broker]
    return replica.leader != broker or epoch > replica.epoch + 1


KIP_595_RESET = replace(
    KIP_595,
    name="kip-595-reset",
    parent=KIP_595,
    story=__doc__,
    summary="A leader that missed an epoch resets its remote LEOs: mends kip-595 (not in Kafka).",
    rules=replace(KIP_595.rules, forgets_remote_leos=unless_next),
    expected=(
        Expected(""),
        Expected("elections=3 moves"),
        Expected("replicas=3 records=1 elections=3 crashes=0 moves", slow=True),
    ),
)
