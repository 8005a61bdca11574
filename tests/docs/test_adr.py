"""Decisions are listed, and say by which other one they are replaced."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "adr"
DECISIONS = sorted(FOLDER.glob("0*.md"))
LISTED = (FOLDER / "README.md").read_text("utf-8")


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_is_listed_under_its_title(page):
    number, title = re.match(r"# (\d+)\. (.+)\n", page.read_text("utf-8")).groups()
    assert f"{number}. [{title}]({page.name})" in LISTED


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_what_replaces_a_decision_is_named_there_and_in_the_list(page):
    status = re.search(r"^Superseded (?:in part)?.*", page.read_text("utf-8"), re.M)
    if status is None:
        assert f"{page.name}) (superseded" not in LISTED
        return
    later = re.findall(r"\[ADR (\d+)\]\((\d{4}-[\w-]+\.md)\)", status[0])
    assert later
    assert all((FOLDER / name).is_file() for _, name in later)
    where = "in part " if status[0].startswith("Superseded in part") else ""
    by = " and ".join(number for number, _ in later)
    assert f"({page.name}) (superseded {where}by {by})" in LISTED
