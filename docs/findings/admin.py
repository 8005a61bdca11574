"""The requests of an administrator: topics, reassignments, elections, configuration and Metadata.

The versions named here are taken by every release with KRaft, but for DescribeTopicPartitions,
which came with 3.8.
"""

from __future__ import annotations

from pathlib import Path

from tidegate.brokers.messages import api, read_messages

MESSAGES = read_messages(Path(__file__).with_name("admin.txt").read_text(encoding="utf-8"))

CREATE_TOPICS = api(MESSAGES, "CreateTopics")
DELETE_TOPICS = api(MESSAGES, "DeleteTopics")

ELECT_LEADERS = api(MESSAGES, "ElectLeaders")
"""Election type 0 elects the preferred leader: the first replica."""

REASSIGN = api(MESSAGES, "AlterPartitionReassignments")
"""Null replicas cancel what is in progress."""

ALTER_CONFIGS = api(MESSAGES, "IncrementalAlterConfigs")
"""Operation 0 sets a value."""

TOPIC, BROKER = 2, 4
"""Types of resources."""

DESCRIBE = api(MESSAGES, "DescribeTopicPartitions")
"""A null cursor, which is all that is sent and expected here, is the byte -1."""

METADATA = api(MESSAGES, "Metadata")

APIS = (CREATE_TOPICS, DELETE_TOPICS, ELECT_LEADERS, REASSIGN, ALTER_CONFIGS, DESCRIBE, METADATA)

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
