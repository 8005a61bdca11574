"""The requests that brokers and the harness send, and the records of metadata, by version."""

from __future__ import annotations

from pathlib import Path

from .schemas import api, read_messages

MESSAGES = read_messages(Path(__file__).with_name("messages.txt").read_text(encoding="utf-8"))

PRODUCE = api(MESSAGES, "Produce")
FETCH = api(MESSAGES, "Fetch")
LIST_OFFSETS = api(MESSAGES, "ListOffsets")
LEADER_AND_ISR = api(MESSAGES, "LeaderAndIsr")
STOP_REPLICA = api(MESSAGES, "StopReplica")
UPDATE_METADATA = api(MESSAGES, "UpdateMetadata")
EPOCH = api(MESSAGES, "OffsetsForLeaderEpoch")
DELETE_RECORDS = api(MESSAGES, "DeleteRecords")

API_VERSIONS = api(MESSAGES, "ApiVersions")
ALTER_PARTITION = api(MESSAGES, "AlterPartition")
BROKER_REGISTRATION = api(MESSAGES, "BrokerRegistration")
BROKER_HEARTBEAT = api(MESSAGES, "BrokerHeartbeat")
"""What brokers ask the controller of a KRaft cluster, beside their fetches of metadata."""

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
