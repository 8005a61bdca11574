"""What brokers ask the controller of a KRaft cluster, beside their fetches of metadata."""

from __future__ import annotations

from .wire import API_VERSIONS_KEY, Api, Field

API_VERSIONS = Api(
    API_VERSIONS_KEY,
    "ApiVersions",
    3,
    request=(),
    response=(
        Field("error", "int16"),
        Field("keys", (Field("key", "int16"), Field("least", "int16"), Field("most", "int16"))),
        Field("throttle_ms", "int32", since=1, default=0),
    ),
)
"""What the request says of the client is not read."""

ALTER_PARTITION = Api(
    56,
    "AlterPartition",
    0,
    request=(
        Field("broker", "int32"),
        Field("broker_epoch", "int64"),
        Field(
            "topics",
            (
                Field("id", "uuid"),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("epoch", "int32"),
                        Field("isr", "ids", until=2),
                        Field(
                            "members",
                            (Field("id", "int32"), Field("broker_epoch", "int64")),
                            since=3,
                        ),
                        Field("recovery", "int8"),
                        Field("partition_epoch", "int32"),
                    ),
                ),
            ),
        ),
    ),
    response=(
        Field("throttle_ms", "int32", default=0),
        Field("error", "int16", default=0),
        Field(
            "topics",
            (
                Field("id", "uuid"),
                Field(
                    "partitions",
                    (
                        Field("index", "int32"),
                        Field("error", "int16"),
                        Field("leader", "int32"),
                        Field("epoch", "int32"),
                        Field("isr", "ids"),
                        Field("recovery", "int8", default=0),
                        Field("partition_epoch", "int32"),
                    ),
                ),
            ),
        ),
    ),
)
"""Since version 2, which names topics by their ids."""

LISTENERS_AND_FEATURES = (
    Field(
        "listeners",
        (
            Field("name", "string"),
            Field("host", "string"),
            Field("port", "uint16"),
            Field("security", "int16"),
        ),
    ),
    Field(
        "features",
        (Field("name", "string"), Field("least", "int16"), Field("most", "int16")),
    ),
)
"""How a broker registers where it listens and what it supports; the metadata record repeats it."""

BROKER_REGISTRATION = Api(
    62,
    "BrokerRegistration",
    0,
    request=(
        Field("broker", "int32"),
        Field("cluster", "string"),
        Field("incarnation", "uuid"),
        *LISTENERS_AND_FEATURES,
        Field("rack", "string"),
        Field("migrating", "bool", since=1),
        Field("directories", "uuids", since=2),
        Field("previous_epoch", "int64", since=3),
    ),
    response=(
        Field("throttle_ms", "int32", default=0),
        Field("error", "int16", default=0),
        Field("broker_epoch", "int64"),
    ),
)

BROKER_HEARTBEAT = Api(
    63,
    "BrokerHeartbeat",
    0,
    request=(
        Field("broker", "int32"),
        Field("broker_epoch", "int64"),
        Field("metadata_offset", "int64"),
        Field("wants_fence", "bool"),
        Field("wants_shutdown", "bool"),
    ),
    response=(
        Field("throttle_ms", "int32", default=0),
        Field("error", "int16", default=0),
        Field("caught_up", "bool"),
        Field("fenced", "bool"),
        Field("should_shut_down", "bool", default=False),
    ),
)
