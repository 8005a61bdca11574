"""The page on the language of models: each rule has what is accepted and what is refused."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from tests.checker.diagnosis import reasons
from tidegate import TidegateError, check
from tidegate.language.forms import NOT_IN_IT, REPAIRS
from tidegate.language.table import REFUSED, TABLE, Entry
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "language.md").read_text("utf-8")
[HEAD, *FENCED] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

ROWS = [
    [re.findall(r"`([^`]+)`", cell) for cell in line.strip("| ").split(" | ")[-2:]]
    for line in PAGE.splitlines()
    if line.startswith("| ")
    and line.count(" | ") == 2
    and "Accepted" not in line
    and "---" not in line
]
OF_TABLES = {code: number == 0 for row in ROWS for number in (0, 1) for code in row[number]}
OF_BLOCKS = {code: code.startswith("# Accepted") for code in FENCED}
EXAMPLES = OF_TABLES | OF_BLOCKS

MODEL = """{head}

model = Model(Bounds, State, deadlock=False)


@model.action("node")
def act(s: State, k: Bounds) -> bool:
{body}
    return True
"""


def model_with(folder: Path, body: str) -> Path:
    """Return the file of a model whose action has some lines."""
    file = folder / "model.py"
    file.write_text(MODEL.format(head=HEAD, body=textwrap.indent(body.strip(), "    ")), "utf-8")
    return file


def refusal(file: Path) -> TidegateError | None:
    """Return why a model is refused, if it is."""
    try:
        check(str(file), properties=["TypeOk"], engine="interpreted")
    except TidegateError as error:
        return error
    return None


@pytest.mark.parametrize("code", [code for code, accepted in EXAMPLES.items() if accepted])
def test_what_the_page_accepts_is_searched(tmp_path: Path, code: str) -> None:
    assert refusal(model_with(tmp_path, code)) is None


@pytest.mark.parametrize("code", [code for code, accepted in EXAMPLES.items() if not accepted])
def test_what_the_page_refuses_is_refused_at_its_line(tmp_path: Path, code: str) -> None:
    file = model_with(tmp_path, code)
    error = refusal(file)
    assert error is not None
    assert error.place is not None
    assert error.place[0] == str(file)
    if code.startswith("# Refused: "):
        what = code.splitlines()[0].removeprefix("# Refused: ")
        assert str(error).startswith(f"{what} {NOT_IN_IT}; ")


SHOWN = (
    'if s.x > 8: raise ValueError("x" + NAMES[0].upper())',
    "if s.x > 8: raise ValueError(str(s.x / 2)) from KeyError(hash(s.x))",
    'assert s.x < 9, str(s.x) + "y"',
    "assert s.x < 9, [v / 2 for v in s.q]",
    "if s.x > 8: raise Odd(s.x)",
    "if s.x > 8: raise Odd",
)

ODD = """
class Odd(Exception):
    def __init__(self, n=0):
        super().__init__(f"{n} is odd")
        self.half = n / 2


model ="""


@pytest.mark.parametrize("code", SHOWN)
def test_what_only_shows_something_is_plain_python(tmp_path: Path, code: str) -> None:
    file = model_with(tmp_path, code)
    file.write_text(file.read_text("utf-8").replace("\nmodel =", ODD), "utf-8")
    assert refusal(file) is None
    # Beside it the language is meant.
    file.write_text(file.read_text("utf-8").replace("    return True\n", "    return Odd(1)\n"))
    error = refusal(file)
    assert error is not None
    assert f"an object of a class of the model, {NOT_IN_IT}" in str(error)


def test_the_page_has_an_example_of_every_kind() -> None:
    assert len(ROWS) > 10
    assert all(accepted and refused for accepted, refused in ROWS)
    assert {"try", "nonlocal"} <= REPAIRS.keys()
    assert len(PAGE.split()) < 1_500


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.call)
def test_a_function_of_the_table_is_accepted(tmp_path: Path, entry: Entry) -> None:
    file = model_with(tmp_path, f"s.x = int({entry.example}) % 7")
    assert refusal(file) is None


OF_SETS = [entry for entry in TABLE if entry.of_set and "s.q" in entry.example]


@pytest.mark.parametrize("entry", OF_SETS, ids=lambda entry: entry.call)
def test_the_order_of_a_set_shows_where_the_table_says_so(tmp_path: Path, entry: Entry) -> None:
    shows = entry.of_set == REFUSED
    # Python has small numbers in ascending order, whatever the set had before.
    members = "frozenset({1, 30})" if shows else "frozenset({1, 3})"
    text = entry.example.replace("s.q", "MEMBERS")
    file = model_with(tmp_path, f"s.x = len([{text}])")
    file.write_text(file.read_text("utf-8").replace("\nmodel =", f"\nMEMBERS = {members}\nmodel ="))
    error = refusal(file)
    assert (error is not None) == shows
    assert error is None or "the order of a set" in str(error)


def test_machine_code_lacks_nothing_of_the_table_and_the_page(tmp_path: Path) -> None:
    bodies = {entry.call: f"s.x = int({entry.example}) % 7" for entry in TABLE}
    bodies |= {code: code for code, accepted in EXAMPLES.items() if accepted}
    lacking = []
    for name, body in bodies.items():
        protocol = find_protocol(str(model_with(tmp_path, body)))
        if reasons(system_for(protocol, [], []), []):
            lacking.append(name)
    assert lacking == []
