"""docs/engines.md: what it shows of a search that stays in Python is what happens."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tests.checker.renaming import body, difference, function, shown
from tidegate.cli import main
from tidegate.core.result import FASTER
from tidegate.core.symmetry import SymmetryError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "engines.md").read_text("utf-8")
SECTION = PAGE[PAGE.index("## What stays in Python") : PAGE.index("## Memory")]


def block(language):
    """Return the only fenced block of a language in the section."""
    [text] = re.findall(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)
    return text


def without_time(text):
    """Return text without what differs from run to run."""
    text = re.sub(r"\([\d,]+\sstates evaluated", "(N states evaluated", text.strip())
    # Of eight processes six have to answer; a machine that is busy waits for no more.
    text = re.sub(r"in [678] other", "in N other", text)
    return re.sub(r"\d+\.\d s\.", "N s.", text)


COUNTERS = """\
from dataclasses import dataclass
from math import isqrt

from tidegate import Model, Record, array, integer, number, pure


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(5, 1, 6, "nodes", main=True)
    most: int = number(6, 1, 9, "the highest counter")


class State(Record):
    counter: list[int] = array(lambda k: k.nodes, integer(0, 9, "the counter of a node"))


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node")
def count(s: State, k: Bounds, node: int) -> bool:
    if s.counter[node] == k.most or s.counter[node] > mean(s) + 2:
        return False
    s.counter[node] += 1
    return True


def mean(s: State):
    return isqrt(sum(s.counter))


@model.invariant("Some counter is not far from the highest one.")
def close(s: State, k: Bounds) -> bool:
    return gap(list(s.counter)) < 7


@pure("sorts its arguments")
def gap(counters):
    values = sorted(dict.fromkeys(counters))
    return values[-1] - values[-2] if len(values) > 1 else 0
"""


def test_the_model_that_stays_in_python_says_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("counters.py").write_text(COUNTERS, "utf-8")
    [command] = block("sh").splitlines()
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, command.split()[1:])
    assert result.exit_code == 0, result.output
    assert without_time(result.output) == without_time(block("text"))
    reasons = tidegate.check("counters.py").interpreted_because
    said = " ".join(block("text").split())
    assert said.endswith(" ".join(f"- {reason}" for reason in reasons))


def test_the_figure_is_that_of_the_benchmark():
    """Of the data file with the command that makes it."""
    figures = tomllib.loads((ROOT / "benchmarks" / "figures" / "speedup.toml").read_text("utf-8"))
    [table] = figures["measured"]
    column = table["columns"].index("times")
    times = [int(row[column]) for row in table["rows"]]
    low, high = map(int, re.findall(r"\d+", FASTER))
    assert len(times) > 8
    assert all(low <= number <= high for number in times)


SYMMETRY = PAGE[PAGE.index("## Symmetry") : PAGE.index("## Files kept between runs")]


def rows():
    """Return each example of the table, and whether it is accepted."""
    for line in SYMMETRY.splitlines():
        if line.startswith("| ") and "`" in line:
            _, _, *columns, _ = re.split(r"(?<!\\)\|", line)
            for accepted, column in zip((True, False), columns, strict=True):
                for code in re.findall("`(.*?)`", column):
                    yield pytest.param(code.replace("\\|", "|"), accepted, id=f"{code} {accepted}")


def is_condition(code):
    """Whether a line of code is an expression that is true or false."""
    [node] = ast.parse(code).body
    call = node.value if isinstance(node, ast.Expr) else None
    writes = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return call is not None and not writes


FILLED = """
up, terms, seen = [], [], {s.board.first}
for p in range(k.peers):
    terms.append(s.peer[p].term)
    if s.peer[p].up:
        up.append(p)
"""


@pytest.mark.parametrize(("code", "accepted"), [*rows()])
def test_symmetry_accepts_and_refuses_what_the_page_says(code, accepted):
    text = f"return {code}" if is_condition(code) else f"{code}\nreturn True"
    if re.search(r"(?<!\.)\b(up|terms|seen)\b", code):
        text = FILLED + text
    if accepted:
        assert shown(body(text)).declared == ()
        assert difference(function(body(text))) is None
    else:
        with pytest.raises(SymmetryError):
            shown(body(text))
