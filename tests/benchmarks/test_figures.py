"""benchmarks/README.md quotes the data files beside it, and each of these has its command."""

import re
import tomllib
from pathlib import Path

import picture
import pytest

BENCHMARKS = Path(picture.__file__).parent
PAGE = (BENCHMARKS / "README.md").read_text("utf-8")
FILES = sorted((BENCHMARKS / "figures").glob("*.toml"))
SECTIONS = re.split(r"^##+ ", PAGE, flags=re.M)
ROWS = [line for line in SECTIONS[0].splitlines() if "(figures/" in line and line[0] == "|"]

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d+\.\d+(?!\.?\d)")
"""A figure that was measured: with a decimal point, or in groups of three digits."""


def linked(text):
    """Return the text of the data files that a text links to."""
    names = re.findall(r"\(figures/(\w+)\.toml\)", text)
    return " ".join((BENCHMARKS / "figures" / f"{name}.toml").read_text("utf-8") for name in names)


def numbers(text):
    """Return the figures in a text, without those in code, links and versions."""
    text = re.sub(r"```.*?```|`.*?`|\(.*?\)", "", text, flags=re.S)
    return set(NUMBER.findall(re.sub(r"\d+\.\d+\.\d+|CPython [\d.]+|TLC\W+2\.15", "", text)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_table_has_its_command_and_every_row_all_columns(file):
    for table in tomllib.loads(file.read_text("utf-8"))["measured"]:
        assert table["what"]
        for script in re.findall(r"(?:benchmarks|scripts)/[\w.-]+", table["command"]):
            assert (BENCHMARKS.parent / script).exists(), table["command"]
        assert table.get("rows") or table["notes"]
        for row in table.get("rows", ()):
            assert len(row) == len(table["columns"]), row


@pytest.mark.parametrize("row", ROWS)
def test_the_first_table_quotes_the_file_that_it_links(row):
    figure = row.split("|")[2]
    data = linked(row)
    assert re.findall(r"\d[\d.,]*", figure), figure
    for number in re.findall(r"\d[\d.,]*\d|\d", figure):
        assert re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d]|[.,]\d)", data), number


@pytest.mark.parametrize("section", SECTIONS[1:], ids=lambda text: text.splitlines()[0])
def test_a_section_quotes_the_files_that_it_links(section):
    data = linked(section)
    assert numbers(section) <= set(NUMBER.findall(data))


def test_every_file_is_linked():
    assert {file.stem for file in FILES} == set(re.findall(r"\(figures/(\w+)\.toml\)", PAGE))


def test_the_picture_is_that_of_the_data():
    assert picture.picture() == picture.PICTURE.read_text("utf-8")
    drawn = {row["model"] for row in picture.larger()}
    assert len(drawn) == 10
