"""What may be under way between a follower and its leader."""

(
    IDLE,
    FETCH,
    FETCH_RESPONSE,
    OUT_OF_RANGE,
    EPOCH_REQUEST,
    EPOCH_RESPONSE,
    DIVERGING,
    DELAYED_FETCH,
) = range(8)
"""What may be under way between a follower and its leader: at most one of these at a time."""

MESSAGES = (
    "nothing",
    "fetch request",
    "fetch response",
    "offset out of range",
    "OffsetsForLeaderEpoch request",
    "OffsetsForLeaderEpoch response",
    "diverging epoch",
    "fetch request in purgatory",
)

NOTHING, REQUEST, ORPHANED, ACCEPTED, REFUSED, OUTDATED = range(6)
"""What may be under way between a leader and the controller: at most one of these at a time.

An orphan is a request whose sender has died since: it may still be carried out, and nobody hears
the response.  Refused is INELIGIBLE_REPLICA; outdated is FENCED_LEADER_EPOCH and
INVALID_UPDATE_VERSION.
"""

ALTER_PARTITION = (
    "nothing",
    "AlterPartition request",
    "AlterPartition request of a sender that has died",
    "AlterPartition response: done",
    "AlterPartition response: ineligible replica",
    "AlterPartition response: outdated",
)
