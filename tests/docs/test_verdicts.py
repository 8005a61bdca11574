"""The page of verdicts, and the script that makes it."""

import re

import pytest

from tests.docs.first_violations import LadderVerdict
from tests.docs.scenarios import SCENARIOS
from tests.docs.verdicts import PAGE, compared_properties, letters, section, write_verdicts
from tidegate.invariants.broker import INVARIANTS
from tidegate.model import PROTOCOLS


def test_a_section_shows_violations_with_bounds_and_steps_and_what_holds():
    largest = {"records": 2, "elections": 1}
    columns = {
        "hw": {
            "A": LadderVerdict(({"records": 1, "elections": 1}, 7), None),
            "B": LadderVerdict(None, (largest, 9)),
        }
    }
    page = section("Title", "replicas=2", largest, columns, ["A", "B"])
    assert "| A | **R1 E1**, 7 steps |" in page
    assert "| B | holds |" in page
    assert "| *distinct states at R2 E1* | 9 |" in page
    assert letters(largest) == "R2 E1"


@pytest.mark.slow
def test_the_script_writes_the_page(tmp_path):
    path = tmp_path / "page.md"
    with path.open("w") as target:
        write_verdicts(target, PROTOCOLS[:1], "noticed, 3", 2)
    [shown] = [t for t in sections(path.read_text()) if "noticed, 3" in t]
    [kept] = [t for t in sections(PAGE.read_text()) if "noticed, 3" in t]
    names = [*(prop.name for prop in INVARIANTS), "*distinct states at R2 C1 E2*"]
    made, page = rows(shown, 1), rows(kept, 1)
    assert {n: made[n] for n in names} == {n: page[n] for n in names}, "the page is out of date"


def sections(page):
    return page.split("\n## ")[1:]


def rows(text, column):
    """Return one column of a table by its first."""
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {row[0]: row[column] for row in cells if len(row) > column}


def test_the_page_covers_every_protocol_property_and_scenario():
    page = PAGE.read_text()
    for text, scenario in zip(sections(page), SCENARIOS, strict=True):
        assert text.startswith(scenario.title)
        compared = {prop.name for prop in compared_properties(PROTOCOLS[0], scenario)}
        assert compared <= set(rows(text, 1))
        assert all(f" {protocol.name} |" in text for protocol in PROTOCOLS)


CELLS = [
    ("Clean elections", "hw", "NoCommittedRecordLost"),
    ("Clean elections", "hw", "LogMatching"),
    ("Unclean election", "kip-320", "NoAckedRecordLost"),
    ("acks=1", "kip-101", "NoAckedRecordLost"),
    ("Power loss", "kip-279", "NoCommittedRecordLost"),
    ("What must eventually happen", "hw", "AckedIsReadable"),
]


@pytest.mark.parametrize(("title", "protocol", "name"), CELLS)
def test_a_cell_of_the_page_comes_out_again(search, title, protocol, name):
    """Violated at the bounds and in the steps on the page, and not with one bound smaller by 1."""
    [scenario] = [s for s in SCENARIOS if s.title == title]
    [text] = [t for t in sections(PAGE.read_text()) if t.startswith(f"{title}\n")]
    column = 1 + [p.name for p in PROTOCOLS].index(protocol)
    match = re.fullmatch(r"\*\*(.*)\*\*, (\d+) steps", rows(text, column)[name])
    values = [int(letter[1:]) for letter in match[1].split()]
    bounds = dict(zip(scenario.largest, values, strict=True))

    def at(bounds):
        given = " ".join(f"{bound}={value}" for bound, value in bounds.items())
        return search(protocol, f"{scenario.settings} {given}", [name])

    assert len(at(bounds).first.trace.steps) == int(match[2])
    for bound, value in bounds.items():
        if value:
            assert at({**bounds, bound: value - 1}).first is None
