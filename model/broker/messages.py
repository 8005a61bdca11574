"""What may be under way between a follower and its leader."""

IDLE, FETCH, FETCH_RESPONSE, OUT_OF_RANGE, EPOCH_REQUEST, EPOCH_RESPONSE, DELAYED_FETCH = range(7)
"""What may be under way between a follower and its leader: at most one of these at a time."""

MESSAGES = (
    "nothing",
    "fetch request",
    "fetch response",
    "offset out of range",
    "OffsetsForLeaderEpoch request",
    "OffsetsForLeaderEpoch response",
    "fetch request in purgatory",
)
