"""``sh scripts/regenerate`` makes every generated page."""

import re
from pathlib import Path

import pytest

from tests.docs.commands import excerpt
from tests.docs.partial import replacing
from tests.docs.regenerate import PAGES, chosen

DOCS = Path(__file__).parents[2] / "docs"


def test_all_pages_are_regenerated_unless_some_are_named():
    assert chosen([]) == list(PAGES)
    assert chosen(["releases", "reference"]) == ["releases", "reference"]


def test_fast_leaves_out_what_takes_minutes():
    assert chosen(["--fast"]) == ["readme", "reference", "checks", "ways"]


def test_an_unknown_page_is_refused_with_the_names_of_all(capsys):
    with pytest.raises(SystemExit):
        chosen(["referense"])
    assert f"no page 'referense'; there are {', '.join(PAGES)}" in capsys.readouterr().err


def test_every_page_that_says_so_can_be_regenerated():
    pages = [path.read_text("utf-8") for path in DOCS.rglob("*.md")]
    named = {name for page in pages for name in re.findall(r"`sh scripts/regenerate (\w+)`", page)}
    assert named
    assert named <= set(PAGES)


def test_a_page_that_is_stopped_keeps_what_was_made(tmp_path, capsys):
    page, part = tmp_path / "page.md", tmp_path / "page.partial"
    page.write_text("old\n")

    def stopped():
        with replacing(page) as target:
            target.write("one row\n")
            assert part.read_text() == "one row\n"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert (page.read_text(), part.read_text()) == ("old\n", "one row\n")
    assert f"{part} has what was made so far" in capsys.readouterr().err
    with replacing(page) as target:
        target.write("new\n")
    assert page.read_text() == "new\n"
    assert not part.exists()


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("a\nb", "one 1\ntwo 2\nthree 3\nfour 4"),
        ("one 0\n...\nfour 4", "one 1\n...\nfour 4"),
        ("...\ntwo 2\nx\n...", "...\ntwo 2\nthree 3\n..."),
        ("...\nthree 3", "...\nthree 3\nfour 4"),
    ],
)
def test_a_page_leaves_out_the_lines_at_its_dots_and_no_others(shown, expected):
    lines = "one 1\ntwo 2\nthree 3\nfour 4".splitlines()
    assert excerpt(shown.splitlines(), lines) == expected.splitlines()


def test_lines_that_a_page_shows_and_no_command_prints_are_an_error():
    with pytest.raises(ValueError, match="not in list"):
        excerpt(["...", "five 5"], ["one 1"])


MOST_WORDS = 38_000
"""Of all pages together, generated ones left out."""


def test_the_pages_that_people_read_stay_short():
    generated = {f"{name}.md" for name in ("verdicts", "bounds", "catalogue", "checks")}
    pages = [*DOCS.glob("*.md"), *(DOCS / "landing").iterdir()]
    pages += [DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]
    read = [page for page in pages if page.name not in generated]
    assert sum(len(page.read_text("utf-8").split()) for page in read) <= MOST_WORDS
