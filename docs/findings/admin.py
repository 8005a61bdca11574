"""The requests of an administrator: topics, reassignments, elections, configuration and Metadata.

Source: ``clients/src/main/resources/common/message`` of Kafka 3.9.  The versions named here are
taken by every release with KRaft, but for DescribeTopicPartitions, which came with 3.8.
"""

from __future__ import annotations

from tidegate.brokers.wire import Api, Field

_TOPIC_ERROR = (
    Field("name", "string"),
    Field("error", "int16"),
    Field("message", "string"),
)

CREATE_TOPICS = Api(
    19,
    "CreateTopics",
    5,
    request=(
        Field(
            "topics",
            (
                Field("name", "string"),
                Field("num_partitions", "int32", default=-1),
                Field("replication_factor", "int16", default=-1),
                Field("assignments", (Field("partition", "int32"), Field("replicas", "ids"))),
                Field("configs", (Field("name", "string"), Field("value", "string"))),
            ),
        ),
        Field("timeout_ms", "int32"),
        Field("validate_only", "bool", default=False),
    ),
    response=(Field("throttle_ms", "int32"), Field("topics", _TOPIC_ERROR)),
)

DELETE_TOPICS = Api(
    20,
    "DeleteTopics",
    4,
    request=(Field("topics", (Field("name", "string"),)), Field("timeout_ms", "int32")),
    response=(
        Field("throttle_ms", "int32"),
        Field("topics", (Field("name", "string"), Field("error", "int16"))),
    ),
)

_PARTITION_ERROR = (
    Field("index", "int32"),
    Field("error", "int16"),
    Field("message", "string"),
)

ELECT_LEADERS = Api(
    43,
    "ElectLeaders",
    2,
    request=(
        Field("election_type", "int8", default=0),
        Field("topics", (Field("name", "string"), Field("partitions", "ids"))),
        Field("timeout_ms", "int32"),
    ),
    response=(
        Field("throttle_ms", "int32"),
        Field("error", "int16"),
        Field("topics", (Field("name", "string"), Field("partitions", _PARTITION_ERROR))),
    ),
)
"""Election type 0 elects the preferred leader: the first replica."""

REASSIGN = Api(
    45,
    "AlterPartitionReassignments",
    0,
    request=(
        Field("timeout_ms", "int32"),
        Field(
            "topics",
            (
                Field("name", "string"),
                Field("partitions", (Field("index", "int32"), Field("replicas", "ids"))),
            ),
        ),
    ),
    response=(
        Field("throttle_ms", "int32"),
        Field("error", "int16"),
        Field("message", "string"),
        Field("topics", (Field("name", "string"), Field("partitions", _PARTITION_ERROR))),
    ),
)
"""Null replicas cancel what is in progress."""

ALTER_CONFIGS = Api(
    44,
    "IncrementalAlterConfigs",
    1,
    request=(
        Field(
            "resources",
            (
                Field("type", "int8"),
                Field("name", "string"),
                Field(
                    "configs",
                    (
                        Field("name", "string"),
                        Field("operation", "int8", default=0),
                        Field("value", "string"),
                    ),
                ),
            ),
        ),
        Field("validate_only", "bool", default=False),
    ),
    response=(
        Field("throttle_ms", "int32"),
        Field(
            "resources",
            (
                Field("error", "int16"),
                Field("message", "string"),
                Field("type", "int8"),
                Field("name", "string"),
            ),
        ),
    ),
)
"""Operation 0 sets a value."""

TOPIC, BROKER = 2, 4
"""Types of resources."""

DESCRIBE = Api(
    75,
    "DescribeTopicPartitions",
    0,
    request=(
        Field("topics", (Field("name", "string"),)),
        Field("limit", "int32", default=2000),
        Field("cursor", "int8", default=-1),
    ),
    response=(
        Field("throttle_ms", "int32"),
        Field(
            "topics",
            (
                Field("error", "int16"),
                Field("name", "string"),
                Field("id", "uuid"),
                Field("internal", "bool"),
                Field(
                    "partitions",
                    (
                        Field("error", "int16"),
                        Field("index", "int32"),
                        Field("leader", "int32"),
                        Field("epoch", "int32"),
                        Field("replicas", "ids"),
                        Field("isr", "ids"),
                        Field("elr", "ids"),
                        Field("last_known_elr", "ids"),
                        Field("offline", "ids"),
                    ),
                ),
                Field("operations", "int32"),
            ),
        ),
        Field("cursor", "int8"),
    ),
)
"""A null cursor, which is all that is sent and expected here, is the byte -1."""

METADATA = Api(
    3,
    "Metadata",
    9,
    request=(
        Field("topics", (Field("name", "string"),)),
        Field("auto_create", "bool", default=False),
    ),
    response=(
        Field("throttle_ms", "int32"),
        Field(
            "brokers",
            (
                Field("id", "int32"),
                Field("host", "string"),
                Field("port", "int32"),
                Field("rack", "string"),
            ),
        ),
        Field("cluster_id", "string"),
        Field("controller", "int32"),
        Field(
            "topics",
            (
                Field("error", "int16"),
                Field("name", "string"),
                Field("internal", "bool"),
                Field(
                    "partitions",
                    (
                        Field("error", "int16"),
                        Field("index", "int32"),
                        Field("leader", "int32"),
                        Field("epoch", "int32"),
                        Field("replicas", "ids"),
                        Field("isr", "ids"),
                        Field("offline", "ids"),
                    ),
                ),
            ),
        ),
    ),
)

VERSIONS = {
    CREATE_TOPICS.key: 4,
    DELETE_TOPICS.key: 3,
    ELECT_LEADERS.key: 1,
    REASSIGN.key: 0,
    ALTER_CONFIGS.key: 0,
    DESCRIBE.key: 0,
    METADATA.key: 7,
}
"""The version in which each is sent."""
