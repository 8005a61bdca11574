"""High watermark truncation: Kafka before leader epochs (0.10 and earlier).

A broker that becomes a follower truncates its log to its own high watermark, at once.  That
watermark lags behind the leader's by a fetch, so truncation removes committed records, and the
broker may be elected before it has fetched them again.  Loses committed records within 2 replicas,
1 record, 1 crash and 2 elections, or 2 crashes and 1 election; with 2 records logs diverge as well.

Source: KIP-101, "Scenario 1" and "Scenario 2" (KAFKA-1211).
"""

from ...protocol import Expected, Protocol
from ..defaults import at_every_epoch
from ..family import ACTIONS, BROKER, DEFAULT_PROPERTIES
from ..older import keep_produces, lose_checkpoint
from ..rules import Rules

HW = Protocol(
    name="hw",
    family=BROKER,
    summary="Followers truncate to their high watermark (before KIP-101): loses and diverges.",
    rules=Rules(),
    older_rules=(
        ("has_new_leader", at_every_epoch),
        ("stop_leading", keep_produces),
        ("without_leader", lose_checkpoint),
    ),
    actions=ACTIONS,
    default_properties=DEFAULT_PROPERTIES,
    story=__doc__,
    expected=(
        Expected("", ("NoCommittedRecordLost", "NoAckedRecordLost", "LogMatching")),
        Expected(
            "elections=3 bounce_noticed",
            ("NoCommittedRecordLost", "NoAckedRecordLost", "LogMatching"),
        ),
        Expected("unclean_election", ("NoCommittedRecordLost", "NoAckedRecordLost", "LogMatching")),
        Expected(
            "power_losses=1 crashes=1",
            ("NoCommittedRecordLost", "NoAckedRecordLost", "LogMatching"),
        ),
        Expected("acks=1 crashes=1", ("NoAckedRecordLost",)),
    ),
)
