"""Every ticket, KIP and function of Kafka that a text names is linked to where it can be read."""

import json
import re

import pytest
from click.testing import CliRunner

from tests.docs.checks import checks
from tests.docs.reference import read_from
from tests.docs.sources import ROOT, texts
from tidegate.cli import main
from tidegate.gate.document import Cell, Expectation
from tidegate.gate.reports.sarif import sarif
from tidegate.gate.results import CellOutcome, Finding, PropertyOutcome, Status
from tidegate.library.links import (
    FUNCTION,
    KIPS,
    NAMED,
    SOURCES,
    TICKETS,
    addresses,
    chosen,
    functions,
    kips,
    linked,
    mentions,
    release_named,
    spelt_out,
)
from tidegate.model import PROTOCOLS

KIP_101 = KIPS + kips()["KIP-101"]
CLASSES = {name.partition(".")[0] for name in functions()}


def is_kafkas(name):
    """Whether a name is one of Kafka's: there are classes here, too."""
    return "-" in name or spelt_out(name).partition(".")[0] in CLASSES


def file(place):
    """Return where a function is, as its only address in a text."""
    return f"{SOURCES}{place}"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Log.truncateTo of Kafka 0.11.0 to 2.6.0.", "0.11.0.0/core/src/main/scala/kafka/"),
        ("Since Kafka 2.6.1 Log.truncateTo does so.", "2.6.1/core/src/"),
        ("Partition.maybeUpdateIsrAndVersion of Kafka before 2.8.", "2.6.3/"),
        ("Kafka 0.8 differs. RFT.maybeTruncate does so.", "2.0.1/core/src/"),
        ("| `Partition.makeLeader` | KIP-841. So it is | 3.3.0 and later |\n0.8.0", "3.3.0/"),
        ("PartitionChangeBuilder.electAnyLeader", "4.3.1/metadata/src/main/java/org/apache/kafka/"),
    ],
)  # fmt: skip
def test_a_function_is_read_at_the_release_of_its_sentence_or_row(text, place):
    [address] = [one.address for one in mentions(text) if "." in one.name]
    assert address.startswith(file(place))
    assert re.search(r"#L\d+$", address)


def test_the_nearest_tag_stands_for_a_release_without_the_function():
    tags = [(2, 7, 0), (2, 7, 2), (3, 0, 0)]
    assert chosen(tags, (), False) == (3, 0, 0)
    assert chosen(tags, (2, 7), False) == chosen(tags, (0, 8), True) == (2, 7, 0)
    assert chosen(tags, (2, 7, 1), False) == chosen(tags, (3, 0), True) == (2, 7, 2)
    assert chosen(tags, (4, 0), False) == (3, 0, 0)


def test_a_release_is_a_number_of_its_own():
    assert release_named("In v1.2, 12.5% and 0.9 s of f x", 29, 30) == ((), False)


def test_names_become_links_outside_of_code_and_links():
    text = "KAFKA-1, `KIP-101` and [KIP-101](x) <KIP-101> ![KIP-101][y]; `check KIP-101`\n"
    assert linked(text) == (
        f"[KAFKA-1]({TICKETS}KAFKA-1), [`KIP-101`]({KIP_101}) and [KIP-101](x) <KIP-101> "
        "![KIP-101][y]; `check KIP-101`\n"
    )
    block = "```text\nKIP-101 `KIP-101`\n```\n"
    assert linked(f"{block}KIP-101\n\n[KIP-101]: KIP-101\n") == (
        f"{block}[KIP-101]({KIP_101})\n\n[KIP-101]: KIP-101\n"
    )


def test_a_list_of_tickets_is_linked_by_its_numbers():
    assert addresses("KAFKA-6638, 9672 and 13790, and 5 others; KIP-101, 99999.") == {
        **{f"KAFKA-{number}": f"{TICKETS}KAFKA-{number}" for number in (6638, 9672, 13790)},
        "KIP-101": KIP_101,
    }
    assert linked("KAFKA-1 or 9672") == (
        f"[KAFKA-1]({TICKETS}KAFKA-1) or [9672]({TICKETS}KAFKA-9672)"
    )


def test_what_is_linked_stays_so():
    for path in [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/catalogue/*.md")]:
        once = linked(path.read_text("utf-8"))
        assert linked(once) == once


def test_the_readme_has_all_of_its_links():
    text = (ROOT / "README.md").read_text("utf-8")
    assert TICKETS in text or KIPS in text
    assert linked(text) == text


@pytest.mark.parametrize("option", [[], ["--rules"]], ids=["story", "rules"])
def test_show_prints_the_address_of_everything_that_it_names(option):
    named = set()
    for protocol in PROTOCOLS:
        done = CliRunner(env={"COLUMNS": "1000"}).invoke(main, ["show", protocol.name, *option])
        printed = done.output
        addressed = set(re.findall(rf"^ *({NAMED.pattern}): https://\S+$", printed, re.M))
        names = {name for name in NAMED.findall(printed) if is_kafkas(name)}
        assert names - addressed == set(), protocol.name
        named |= names
    assert len(named) > 40


def test_show_json_has_the_addresses_where_the_names_are():
    told = json.loads(CliRunner().invoke(main, ["show", "kip-320", "--json"]).output)
    assert told["links"]["KIP-320"] == KIPS + kips()["KIP-320"]
    [lost] = [row for row in told["properties"] if row["name"] == "HighWatermarkMonotonic"]
    assert lost["links"] == addresses("KAFKA-2334 KIP-207")
    places = [told, *told["rules"], *told["older_rules"], *told["actions"], *told["properties"]]
    for one in places:
        text = " ".join(one.get(key, "") for key in ("summary", "story", "what", "source"))
        assert addresses(text).keys() <= one["links"].keys()


def test_sarif_leads_to_the_source_of_a_property():
    cell = Cell("own.py", "", (Expectation("HighWatermarkMonotonic"),))
    finding = Finding("violated", "HighWatermarkMonotonic", "It is that of KAFKA-7415")
    prop = PropertyOutcome(
        finding.about, "holds", statement="It rises.", source="KAFKA-2334, KIP-207"
    )
    outcome = CellOutcome(cell, Status.FAILED, [finding], [prop])
    [run] = sarif([outcome])["runs"]
    [rule] = run["tool"]["driver"]["rules"]
    assert rule["helpUri"] == f"{TICKETS}KAFKA-2334"
    assert rule["help"]["markdown"] == f"Source: {linked('KAFKA-2334, KIP-207')}"
    assert f"[KAFKA-7415]({TICKETS}KAFKA-7415)" in run["results"][0]["message"]["text"]


def test_every_kip_and_function_of_a_text_has_its_address():
    names = {name for text in texts() for name in NAMED.findall(text) if is_kafkas(name)}
    assert len(names) > 200
    assert [name for name in sorted(names) if not addresses(name)] == []
    rows = {name for row in checks() for name in re.findall(rf"`({FUNCTION})`", row.function)}
    assert len(rows) > 100
    assert [name for name in sorted(rows | {*read_from()}) if not addresses(name)] == []


PAGES = [
    page
    for folder in (ROOT, ROOT / "docs", ROOT / "benchmarks")
    for page in (folder.rglob("*.md") if folder.name == "docs" else folder.glob("*.md"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_links_whatever_it_names(page):
    text = page.read_text("utf-8")
    assert linked(text) == text, "write what linked(text) of tidegate.library.links returns"
