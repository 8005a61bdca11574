"""The messages between a follower and its leader, and between a leader and the controller."""

(
    IDLE,
    FETCH,
    FETCH_RESPONSE,
    OUT_OF_RANGE,
    LIST_OFFSETS,
    LIST_OFFSETS_RESPONSE,
    EPOCH_REQUEST,
    EPOCH_RESPONSE,
    DIVERGING,
    DELAYED_FETCH,
) = range(10)
"""What may be in flight between a follower and its leader: at most one message at a time."""

MESSAGES = (
    "nothing",
    "fetch request",
    "fetch response",
    "offset out of range",
    "ListOffsets request",
    "ListOffsets response",
    "OffsetsForLeaderEpoch request",
    "OffsetsForLeaderEpoch response",
    "diverging epoch",
    "fetch request in purgatory",
)

NOTHING, REQUEST, ORPHANED, ACCEPTED, REFUSED, OUTDATED = range(6)
"""What may be in flight between a leader and the controller: at most one message at a time.

ORPHANED is a request whose sender has crashed: until that registers again, the controller may still
apply it, and no broker receives the response.  REFUSED is INELIGIBLE_REPLICA; OUTDATED is
FENCED_LEADER_EPOCH or INVALID_UPDATE_VERSION.
"""

ALTER_PARTITION = (
    "nothing",
    "AlterPartition request",
    "AlterPartition request of a sender that has died",
    "AlterPartition response: done",
    "AlterPartition response: ineligible replica",
    "AlterPartition response: outdated",
)
