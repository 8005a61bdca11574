"""What a custom protocol adds to Kafka's is in tables, on pages and in the sentences of a trace."""

import re

import pytest
from click.testing import CliRunner

from tidegate.cli import main

PROTOCOL = '''
"""KIP-320 with audits."""

from dataclasses import replace

from tidegate import Action, Fairness, Property, array, boolean, integer
from tidegate.model import KIP_320, BrokerState, Constants, brokers, leads


class State(BrokerState):
    audits: int = integer(0, 3, "audits so far")
    audited: list[int] = array(lambda k: k.replicas, boolean("was audited"), by="broker")


def audit(s: State, k: Constants, broker: int) -> bool:
    """An auditor visits a leader."""
    if not leads(s, broker):
        return False
    if s.audits == 3:
        return False
    s.audits += 1
    s.audited[broker] = True
    return True


def few(s: State, k: Constants) -> bool:
    return s.audits < 2 or s.replica[0].leo == 0


AUDITED = replace(
    KIP_320,
    name="audited",
    parent=KIP_320,
    state=State,
    actions=(*KIP_320.actions, Action("Audit", audit, "auditor", brokers, "", Fairness.NONE)),
    properties=(Property("FewAudits", "Few audits.", "", few, lambda s, k: "Too many."),),
    default_properties=("FewAudits",),
    expected=(),
)
'''


@pytest.fixture
def printed(tmp_path, monkeypatch):
    """Search the protocol above, and return what its command prints; its page is trace.html."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "audited.py").write_text(PROTOCOL, "utf-8")

    def run(command):
        result = CliRunner(env={"COLUMNS": "100"}).invoke(main, [*command.split(), "audited.py"])
        assert result.exit_code in (0, 12), result.output
        return result.output

    return run


def test_an_added_variable_is_in_the_table_where_it_belongs(printed):
    rows = printed("check").splitlines()
    [head] = [row for row in rows if "controller" in row and "broker 0" in row]
    values = [row for row in rows if "audited yes" in row or "audits 2" in row]
    lane, shared = head.index("broker 0"), head.index("shared")
    assert {row.index("audited yes") for row in values if "audited yes" in row} == {lane}
    assert {row.index("audits 2") for row in values if "audits 2" in row} == {shared}


def test_it_is_on_the_page_beside_what_kafka_declares(printed, tmp_path):
    printed("check --html trace.html")
    page = (tmp_path / "trace.html").read_text("utf-8")
    assert '<p class="detail">audited yes</p>' in page
    assert '<p class="detail">audits 2</p>' in page
    assert ">leads e0" in page


def test_the_story_tells_added_actions_by_their_docstrings(printed):
    told = " ".join(printed("explain").split())
    assert "An auditor visits a leader (broker 0). Now audited yes at broker 0; audits 1." in told
    assert "Now audits 2." in told
    assert re.search(r"A producer writes m0 to broker 0, which appends it at offset 0", told)


def test_protocols_of_kafka_are_told_as_before(printed):
    result = CliRunner(env={"COLUMNS": "100"}).invoke(main, ["check", "kip-101", "-b", "records=1"])
    assert "shared" not in result.output
