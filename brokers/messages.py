"""The requests that brokers and the harness send, by version.

Source: ``clients/src/main/resources/common/message`` of Kafka since 2.3, ``Protocol.java`` and the
request classes before.
"""

from __future__ import annotations

from .wire import Api, Field

PRODUCE = Api(
    0,
    "Produce",
    9,
    request=(
        Field("transactional_id", "string", since=3),
        Field("acks", "int16"),
        Field("timeout_ms", "int32"),
        Field(
            "topics",
            (
                Field("name", "string", until=12),
                Field("topic_id", "uuid", since=13),
                Field("partitions", (Field("index", "int32"), Field("records", "bytes"))),
            ),
        ),
    ),
    response=(
        Field(
            "topics",
            (
                Field("name", "string", until=12),
                Field("topic_id", "uuid", since=13),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("error", "int16"),
                        Field("offset", "int64"),
                        Field("append_time", "int64", since=2),
                        Field("log_start", "int64", since=5),
                        Field(
                            "errors",
                            (Field("index", "int32"), Field("message", "string")),
                            since=8,
                        ),
                        Field("error_message", "string", since=8),
                    ),
                ),
            ),
        ),
        Field("throttle_ms", "int32", since=1),
    ),
)

FETCH = Api(
    1,
    "Fetch",
    12,
    request=(
        Field("replica_id", "int32", until=14, default=-1),
        Field("max_wait_ms", "int32", default=0),
        Field("min_bytes", "int32", default=0),
        Field("max_bytes", "int32", since=3, default=1 << 20),
        Field("isolation", "int8", since=4, default=0),
        Field("session_id", "int32", since=7, default=0),
        Field("session_epoch", "int32", since=7, default=-1),
        Field(
            "topics",
            (
                Field("name", "string", until=12),
                Field("topic_id", "uuid", since=13),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("current_epoch", "int32", since=9, default=-1),
                        Field("offset", "int64"),
                        Field("last_epoch", "int32", since=12, default=-1),
                        Field("log_start", "int64", since=5, default=-1),
                        Field("max_bytes", "int32", default=1 << 20),
                    ),
                ),
            ),
        ),
        Field(
            "forgotten",
            (
                Field("name", "string", until=12),
                Field("topic_id", "uuid", since=13),
                Field("partitions", "ids"),
            ),
            since=7,
            default=(),
        ),
        Field("rack", "string", since=11, default=""),
        Field("replica", (Field("id", "int32"), Field("epoch", "int64")), tag=1),
    ),
    response=(
        Field("throttle_ms", "int32", since=1),
        Field("error", "int16", since=7),
        Field("session_id", "int32", since=7),
        Field(
            "topics",
            (
                Field("name", "string", until=12),
                Field("topic_id", "uuid", since=13),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("error", "int16"),
                        Field("hw", "int64"),
                        Field("last_stable", "int64", since=4),
                        Field("log_start", "int64", since=5),
                        Field(
                            "aborted",
                            (Field("producer_id", "int64"), Field("first_offset", "int64")),
                            since=4,
                        ),
                        Field("preferred_replica", "int32", since=11),
                        Field("records", "bytes"),
                        Field(
                            "diverging",
                            (Field("epoch", "int32"), Field("end_offset", "int64")),
                            tag=0,
                        ),
                        Field(
                            "current_leader",
                            (Field("leader", "int32"), Field("epoch", "int32")),
                            tag=1,
                        ),
                    ),
                ),
            ),
        ),
    ),
)

LIST_OFFSETS = Api(
    2,
    "ListOffsets",
    6,
    request=(
        Field("replica_id", "int32", default=-1),
        Field("isolation", "int8", since=2, default=0),
        Field(
            "topics",
            (
                Field("name", "string"),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("current_epoch", "int32", since=4, default=-1),
                        Field("timestamp", "int64"),
                        Field("most", "int32", until=0, default=1),
                    ),
                ),
            ),
        ),
    ),
    response=(
        Field("throttle_ms", "int32", since=2),
        Field(
            "topics",
            (
                Field("name", "string"),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("error", "int16"),
                        Field("offsets", (Field("offset", "int64"),), until=0),
                        Field("timestamp", "int64", since=1),
                        Field("offset", "int64", since=1),
                        Field("epoch", "int32", since=4),
                    ),
                ),
            ),
        ),
    ),
)

_PARTITION_STATE = (
    Field("topic", "string"),
    Field("partition", "int32"),
    Field("controller_epoch", "int32"),
    Field("leader", "int32"),
    Field("epoch", "int32"),
    Field("isr", "ids"),
    Field("version", "int32"),
    Field("replicas", "ids"),
)
_ADDRESS = (Field("id", "int32"), Field("host", "string"), Field("port", "int32"))

LEADER_AND_ISR = Api(
    4,
    "LeaderAndIsr",
    4,
    request=(
        Field("controller", "int32"),
        Field("controller_epoch", "int32"),
        Field("partitions", _PARTITION_STATE),
        Field("leaders", _ADDRESS),
    ),
    response=(
        Field("error", "int16"),
        Field(
            "partitions",
            (Field("topic", "string"), Field("partition", "int32"), Field("error", "int16")),
        ),
    ),
)
"""Version 0 alone, which every broker with ZooKeeper takes, from whatever controller."""

STOP_REPLICA = Api(
    5,
    "StopReplica",
    2,
    request=(
        Field("controller", "int32"),
        Field("controller_epoch", "int32"),
        Field("delete", "bool"),
        Field("partitions", (Field("topic", "string"), Field("partition", "int32"))),
    ),
    response=(Field("error", "int16"),),
)
"""Version 0 alone."""

UPDATE_METADATA = Api(
    6,
    "UpdateMetadata",
    6,
    request=(
        Field("controller", "int32"),
        Field("controller_epoch", "int32"),
        Field("partitions", _PARTITION_STATE),
        Field("brokers", _ADDRESS),
    ),
    response=(Field("error", "int16"),),
)
"""Version 0 alone."""

EPOCH = Api(
    23,
    "OffsetsForLeaderEpoch",
    4,
    request=(
        Field("replica_id", "int32", since=3, default=-2),
        Field(
            "topics",
            (
                Field("name", "string"),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("current_epoch", "int32", since=2, default=-1),
                        Field("epoch", "int32"),
                    ),
                ),
            ),
        ),
    ),
    response=(
        Field("throttle_ms", "int32", since=2),
        Field(
            "topics",
            (
                Field("name", "string"),
                Field(
                    "partitions",
                    (
                        Field("error", "int16"),
                        Field("index", "int32"),
                        Field("epoch", "int32", since=1),
                        Field("end_offset", "int64"),
                    ),
                ),
            ),
        ),
    ),
)

DELETE_RECORDS = Api(
    21,
    "DeleteRecords",
    2,
    request=(
        Field(
            "topics",
            (
                Field("name", "string"),
                Field("partitions", (Field("index", "int32"), Field("offset", "int64"))),
            ),
        ),
        Field("timeout_ms", "int32"),
    ),
    response=(
        Field("throttle_ms", "int32"),
        Field(
            "topics",
            (
                Field("name", "string"),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("low_watermark", "int64"),
                        Field("error", "int16"),
                    ),
                ),
            ),
        ),
    ),
)

NONE, OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC, NOT_LEADER, FENCED_LEADER_EPOCH = 0, 1, 3, 6, 74
REQUEST_TIMED_OUT = 7
"""Error codes (``Errors.java``)."""

ERRORS = {
    -1: "UNKNOWN_SERVER_ERROR",
    NONE: "NONE",
    OFFSET_OUT_OF_RANGE: "OFFSET_OUT_OF_RANGE",
    UNKNOWN_TOPIC: "UNKNOWN_TOPIC_OR_PARTITION",
    5: "LEADER_NOT_AVAILABLE",
    NOT_LEADER: "NOT_LEADER_OR_FOLLOWER",
    REQUEST_TIMED_OUT: "REQUEST_TIMED_OUT",
    11: "STALE_CONTROLLER_EPOCH",
    19: "NOT_ENOUGH_REPLICAS",
    20: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    FENCED_LEADER_EPOCH: "FENCED_LEADER_EPOCH",
    75: "UNKNOWN_LEADER_EPOCH",
    77: "STALE_BROKER_EPOCH",
    95: "INVALID_UPDATE_VERSION",
    107: "INELIGIBLE_REPLICA",
    108: "NEW_LEADER_ELECTED",
}


def error_name(code: int) -> str:
    """Return the name of an error code."""
    return ERRORS.get(code, f"error {code}")
