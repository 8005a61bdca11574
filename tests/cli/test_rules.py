"""``tidegate show --rules`` and the preconditions that ``tidegate show`` prints."""

import json
import re
from dataclasses import fields

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.model.broker.protocols.kip320 import KIP_320


def test_every_rule_in_force_has_its_decision_signature_and_release():
    listed = json.loads(CliRunner().invoke(main, ["show", "kip-320", "--rules", "--json"]).output)[
        "rules"
    ]
    assert [row["rule"] for row in listed] == [field.name for field in fields(KIP_320.rules)]
    assert all(row["decides"] for row in listed)
    by_name = {row["rule"]: row for row in listed}
    fence = by_name["may_serve_fetch"]
    assert fence["signature"].endswith("(s, k, leader, epoch)")
    assert fence["from"] == "kip-320"
    assert fence["releases"].startswith("2.1 to ")
    assert {"hw", "kip-101", "kip-279", "kip-320"} == {row["from"] for row in listed}


SOURCE = re.compile(r"Kafka|KIP-\d|KAFKA-\d|\b[A-Z]\w+\.[a-z]\w+")


@pytest.mark.parametrize("name", ["hw", "kip-595"])
def test_every_rule_names_its_source_in_kafka(name):
    listed = json.loads(CliRunner().invoke(main, ["show", name, "--rules", "--json"]).output)[
        "rules"
    ]
    said = {row["rule"]: f"{row['what']} {row['source']}" for row in listed if row["signature"]}
    assert [rule for rule, text in said.items() if not SOURCE.search(text)] == []


def test_a_rule_of_an_option_is_in_the_releases_that_have_it():
    listed = json.loads(CliRunner().invoke(main, ["show", "kip-595", "--rules", "--json"]).output)[
        "rules"
    ]
    releases = {row["rule"]: row["releases"] for row in listed}
    assert releases["eligible_leaders"] == "4.1 to 4.4 (kraft)"
    assert releases["may_propose"] == "3.3 to 4.4 (kraft)"
    assert releases["may_still_be_members"] == "3.5 to 4.4 (kraft)"


def test_rules_are_printed_with_their_place():
    output = " ".join(CliRunner().invoke(main, ["show", "hw", "--rules"]).output.split())
    assert "may_serve_fetch = serve_anyone(s, k, leader, epoch)" in output
    assert "model/broker/rules.py:" in output


def test_guards_are_printed_as_what_enables_the_action():
    output = " ".join(CliRunner().invoke(main, ["show", "hw"]).output.split())
    produce = output.partition("Produce(leader)")[2].partition("by the")[2]
    assert "- s.written != k.records" in produce.partition("SendFetch(")[0]
