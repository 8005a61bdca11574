"""The schemas of Kafka's messages are those that its jars carry."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from findings import admin
from tidegate.brokers.messages import MESSAGES, read_messages

ALL = range(100)

SENT = {
    "LeaderAndIsr": range(1),
    "StopReplica": range(1),
    "UpdateMetadata": range(1),
    "AlterPartition": range(2, 4),
    **{api.name: range(admin.VERSIONS[api.key], admin.VERSIONS[api.key] + 1) for api in admin.APIS},
}
"""The versions that are sent, of messages that are not known in all their versions."""

BEGINNINGS = {"ApiVersionsRequest", "StopReplicaResponse", "ListOffsetsRequest"}
"""Messages of which the rest is not read."""

RECORDS = {"records": "bytes"}
TYPES = {"Record": "metadata"}


def within(versions, version):
    """Whether a version is one of ``3+``, ``0-12``, ``0`` or ``none``."""
    first, _, last = versions.partition("-")
    if versions == "none":
        return False
    if versions.endswith("+"):
        return int(versions[:-1]) <= version
    return int(first) <= version <= int(last or first)


def of_kafka(schema, version):
    """Return the layout of a message of Kafka: types in their order, and those of tags."""
    structures = {one["name"]: one["fields"] for one in schema.get("commonStructs", ())}

    def layout(fields):
        plain, tagged = [], {}
        for field in fields:
            if not within(field["versions"], version):
                continue
            array, kind = re.fullmatch(r"((?:\[\])?)(\w+)", field["type"]).groups()
            below = field.get("fields", structures.get(kind))
            inner = layout(below) if below else RECORDS.get(kind, kind)
            if within(field.get("taggedVersions", "none"), version):
                tagged[int(field["tag"])] = (array, inner)
            else:
                plain.append((array, inner))
        return plain, tagged

    return layout(schema["fields"])


def of_ours(fields, version):
    """Return the layout of a message that is known here."""
    plain, tagged = [], {}
    for field in fields:
        if not field.first <= version <= field.last:
            continue
        array, kind = ("[]", field.kind[2:]) if field.kind.startswith("[]") else ("", field.kind)
        inner = of_ours(field.fields, version) if kind == "{}" else kind
        if field.tag is None:
            plain.append((array, inner))
        else:
            tagged[field.tag] = (array, inner)
    return plain, tagged


def agrees(ours, kafkas, begins=False):
    """Whether a layout is Kafka's; tagged fields may be unknown here."""
    if isinstance(ours, str):
        # A structure that is null is the byte -1.
        return ours == kafkas or (ours == "int8" and isinstance(kafkas, tuple))
    if isinstance(kafkas, str):
        return False
    (plain, tagged), (all_plain, all_tagged) = ours, kafkas
    pairs = [*zip(plain, all_plain, strict=False)]
    pairs += [(tagged[tag], all_tagged.get(tag, ("", ""))) for tag in tagged]
    return (len(plain) == len(all_plain) or (begins and len(plain) < len(all_plain))) and all(
        one[0] == other[0] and agrees(one[1], other[1]) for one, other in pairs
    )


def schemas(folder):
    """Return the schemas in a distribution's jars by key and type."""
    found = {}
    for jar in [*folder.glob("kafka-clients-*.jar"), *folder.glob("kafka-metadata-[3-9]*.jar")]:
        with zipfile.ZipFile(jar) as archive:
            for name in archive.namelist():
                if re.fullmatch(r"common/(message|metadata)/\w+\.json", name):
                    text = archive.read(name).decode("utf-8")
                    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE).strip()
                    schema, _ = json.JSONDecoder().raw_decode(text)
                    found[schema.get("apiKey"), schema["type"]] = schema
    return found


@pytest.mark.kafka
@pytest.mark.parametrize("release", ["2.4.0", "2.6.0", "2.8.1", "3.4.1", "3.9.2", "4.4.0"])
def test_a_message_has_the_layout_that_the_jars_of_a_release_say(release, kafka):
    said = schemas(Path(kafka(release)))
    compared, others = 0, []
    for name, message in {**MESSAGES, **admin.MESSAGES}.items():
        base, kind = re.fullmatch(r"(\w+)(Request|Response|Record)", name).groups()
        schema = said.get((message.key, TYPES.get(kind, kind.lower())))
        versions = SENT.get(base, ALL)
        for version in versions if schema else ():
            if not within(schema["validVersions"], version):
                continue
            flexible = within(schema.get("flexibleVersions", "none"), version)
            kafkas = of_kafka(schema, version)
            assert flexible == (version >= message.flexible), name
            compared += 1
            if not agrees(of_ours(message.fields, version), kafkas, name in BEGINNINGS):
                others.append((name, version))
    assert others == []
    assert compared > 80


def test_a_layout_that_is_not_kafkas_is_noticed():
    text = "TopicRecord 2 0+\n  name string\n  ids []int32 1+\n  at {} 1+ tag 0\n    one int8\n"
    [ours] = read_messages(text).values()
    name = {"name": "Name", "type": "string", "versions": "0+"}
    ids = {"name": "Ids", "type": "[]int32", "versions": "1+"}
    one = {"name": "One", "type": "int8", "versions": "1+"}
    at = {"name": "At", "type": "At", "versions": "1+", "taggedVersions": "1+", "tag": 0}
    schema = {"fields": [name, ids, at | {"fields": [one]}]}
    assert all(agrees(of_ours(ours.fields, n), of_kafka(schema, n)) for n in range(3))
    for place, change in ((0, {"type": "bytes"}), (1, {"type": "int32"}), (2, {"tag": 1})):
        fields = [*schema["fields"]]
        fields[place] = fields[place] | change
        assert not agrees(of_ours(ours.fields, 1), of_kafka({"fields": fields}, 1))
    assert not agrees(of_ours(ours.fields, 1), of_kafka({"fields": [name, at]}, 1))


@pytest.mark.parametrize(
    "line", ["Topic", "TopicRecord 2 0+\n  name", "TopicRecord 2 0+\n   name string"]
)
def test_what_is_no_line_of_a_schema_is_refused(line):
    with pytest.raises(ValueError, match="not a line of a schema"):
        read_messages(line)
