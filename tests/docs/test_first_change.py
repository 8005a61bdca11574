"""docs/first-change.md is typed along, and says what is printed."""

import re
from pathlib import Path

from tests.docs.tutorial import BLOCK, played

PAGE = (Path(__file__).parents[2] / "docs" / "first-change.md").read_text("utf-8")


def settled(text):
    """Return the blocks of a page without seconds."""
    return [body for _, body in BLOCK.findall(re.sub(r" +\d+\.\d s\b", " N s", text))]


def test_the_first_change_goes_as_its_page_says(tmp_path):
    assert settled(played(PAGE, tmp_path)) == settled(PAGE)


def test_the_page_goes_from_the_rule_to_the_pull_request():
    commands = re.findall(r"^(?:\$ )?tidegate (\w+)", PAGE, re.MULTILINE)
    assert [*dict.fromkeys(commands)] == ["init", "check", "explain", "diff", "gate"]
