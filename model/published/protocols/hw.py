"""High watermark truncation, as published: Kafka before leader epochs.

A replica that becomes a follower truncates its log to its own high watermark.  That lags behind the
leader's, so truncation removes committed records, and the replica may be elected before it has
fetched them again.  Fails WeakIsr and StrongIsr within 2 replicas, 1 record and 2 epochs.

Source: hachikuji/kafka-specification, KafkaTruncateToHighWatermark.tla.
"""

from ...protocol import Expected, Protocol
from ..family import ACTIONS, DEFAULT_PROPERTIES, PUBLISHED
from ..rules import Rules

HW = Protocol(
    name="published/hw",
    family=PUBLISHED,
    summary="As specified in TLA+: followers truncate to their high watermark; not safe.",
    rules=Rules(),
    actions=ACTIONS,
    default_properties=DEFAULT_PROPERTIES,
    story=__doc__,
    expected=(
        Expected("records=1", ("WeakIsr", "StrongIsr")),
        Expected("", ("WeakIsr", "StrongIsr")),
    ),
)
