"""High watermark truncation: Kafka before leader epochs (0.8.2.0 to 0.10.2).

A broker that becomes a follower truncates its log to its own high watermark, at once.  That
watermark lags behind the leader's by a fetch, so truncation removes committed records, and the
broker may be elected before it has fetched them again.  Loses committed records within 2 replicas,
1 record, 2 crashes and 1 election, or with ``moves`` 3 elections and no crash; with 2 records and 2
crashes logs diverge as well.  A new epoch under the same leader changes nothing.

Kafka 0.8.0 and 0.8.1 truncate at every new epoch: the older rule ``has_new_leader =
at_every_epoch``, which loses after 2 elections.

Source: KIP-101, "Scenario 1" and "Scenario 2" (KAFKA-1211); Kafka 0.10.2.2.
"""

from ...protocol import Protocol
from ..family import ACTIONS, BROKER, DEFAULT_PROPERTIES
from ..older import keep_waiting, lose_checkpoint
from ..rules import Rules, at_every_epoch

HW = Protocol(
    name="hw",
    model=BROKER,
    summary="Followers truncate to their high watermark (before KIP-101): loses and diverges.",
    rules=Rules(),
    older_rules=(
        ("has_new_leader", at_every_epoch),
        ("fails_produces", keep_waiting),
        ("without_leader", lose_checkpoint),
    ),
    actions=ACTIONS,
    default_properties=DEFAULT_PROPERTIES,
    story=__doc__,
)
