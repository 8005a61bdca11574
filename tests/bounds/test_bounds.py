"""``tidegate bounds``, and the page of bounds that a gate needs."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.bounds import known_violations, minimal_bounds_of, write_known_violations
from tidegate.checker.check import check
from tidegate.cli import main
from tidegate.core.spec import Outcome
from tidegate.library.names import find_protocol
from tidegate.library.selection import assemble
from tidegate.model import PROTOCOLS

PAGE = (Path(__file__).parents[2] / "docs" / "bounds.md").read_text()


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, ["bounds", *arguments])


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def test_all_smallest_bounds_of_the_loss_of_hw_are_found():
    result = run("hw", "-p", "NoCommittedRecordLost")
    assert result.exit_code == 0
    assert "violated from\n   records=1 crashes=2 elections=1: 12 steps" in result.output
    larger = "any other violating bounds are larger than this. It took 8 searches."
    assert f"records=3 crashes=2 elections=3, {larger}" in flat(result)


WITHIN = [
    "hw", "-p", "NoCommittedRecordLost", "-b", "moves",
    "--max", "records=1", "--max", "crashes=2", "--max", "elections=3",
]  # fmt: skip
"""Bounds of which none are the smallest that lose a record."""


def test_where_no_bounds_are_the_smallest_each_is_found_that_has_none_below():
    result = run(*WITHIN)
    assert result.exit_code == 0
    assert "the smallest bounds that violate it" in result.output
    assert "records=1 crashes=0 elections=3: 12 steps" in result.output
    assert "records=1 crashes=1 elections=1: 11 steps" in result.output


def test_with_one_less_of_any_the_property_holds():
    """Each point is checked by itself, and so is each of its neighbours below."""
    result = run(*WITHIN, "--json", "-")
    [found] = json.loads(result.stdout)["properties"]
    assert len(found["smallest"]) == 2
    for point in found["smallest"]:
        assert outcome("hw", point["bounds"]) is Outcome.VIOLATED
        below = {name: value - 1 for name, value in point["bounds"].items() if value}
        assert len(below) > 1
        for name, value in below.items():
            assert outcome("hw", point["bounds"] | {name: value}) is Outcome.HOLDS


def outcome(protocol, bounds):
    """Decide NoCommittedRecordLost within bounds, where a live leader may be replaced."""
    settings = ["moves", *(f"{name}={value}" for name, value in bounds.items())]
    return check(*assemble(protocol, settings, ["NoCommittedRecordLost"])).outcome


def test_what_holds_is_decided_by_one_search():
    result = run("kip-320", "-p", "LogMatching", "--max", "records=1", "--max", "elections=1")
    assert result.exit_code == 0
    within = "kip-320, replicas=2, crashes=2: LogMatching up to records=1 elections=1"
    assert f"HOLDS {within}" in flat(result)
    found = run("kip-320", "-p", "LogMatching", "--max", "records=1", "--json", "-")
    document = json.loads(found.stdout)
    assert document["properties"][0]["searches"] == 1
    assert document["fixed"] == ["replicas=2", "elections=1", "crashes=2"]


def test_replicas_can_be_varied_too():
    """With more replicas not everything can happen that can with fewer: each number is searched."""
    found = run(
        "tidegate.examples.published:kip_279", "-p", "StrongIsr", "-b", "records=1",
        "--max", "replicas=3", "--max", "max_leader_epoch=1", "--json", "-",
    )  # fmt: skip
    [row] = json.loads(found.stdout)["properties"]
    assert row["smallest"] == [{"bounds": {"replicas": 3, "max_leader_epoch": 1}, "steps": 11}]
    assert row["searches"] > 3


def test_a_time_limit_leaves_it_incomplete():
    result = run("kip-279", "-p", "NoCommittedRecordLost", "--time-limit", "0.05")
    assert result.exit_code == 3
    assert "INCOMPLETE kip-279, replicas=2: NoCommittedRecordLost is not decided at" in flat(result)
    assert "HOLDS" not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kip-999"], "there is no protocol 'kip-999'"),
        (["hw", "-p", "Nothing"], "there is no property 'Nothing'"),
        (["hw", "-p", "none"], "cannot be violated"),
        (["hw", "--max", "acks=1"], "bound acks is not a number and cannot be varied"),
        (["hw", "--max", "record=1"], "there is no bound 'record'; did you mean records?"),
        (["hw", "--max", "records=99"], "bound records: 99 is out of range"),
        (["hw", "--max", "records"], "write it with a value, as records=VALUE"),
        (["hw", "-b", "records=1", "--max", "records=2"], "bound records is both fixed (-b) and"),
        (["hw", "-b", "min_isr=2", "--max", "replicas=1"], "min_isr=2 can never be met by repl"),
        (["hw", "-b", "records=1", "-b", "crashes=1", "-b", "elections=1"], "every bound is fixed"),
        ([], "Missing argument 'PROTOCOL'"),
    ],
)
def test_wrong_usage_gets_one_clear_error(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in flat(result)
    assert "Traceback" not in result.output


def rows():
    """Return the rows of the page: protocol, settings, property, and bounds with their steps."""
    found = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[0].startswith("`"):
            points = re.findall(r"`(.*?)`", cells[3])
            steps = [int(it) for it in cells[4].split("<br>")]
            key = cells[0].strip("`"), cells[1].strip("`"), cells[2]
            found[key] = list(zip(points, steps, strict=True))
    return found


KNOWN = [violation for protocol in PROTOCOLS for violation in known_violations(protocol)]


def test_the_page_has_a_row_for_every_known_violation():
    assert set(rows()) == {(v.protocol, " ".join(v.fixed), v.property) for v in KNOWN}


QUICK = {("hw", (), "LogMatching"), ("kip-320", ("acks=1",), "NoAckedRecordLost")}
"""Rows that take seconds; the others take minutes together."""


@pytest.mark.parametrize(
    "violation",
    [
        pytest.param(
            violation,
            id=" ".join((violation.protocol, *violation.fixed, violation.property)),
            marks=[]
            if (violation.protocol, violation.fixed, violation.property) in QUICK
            or (violation.protocol.startswith("published") and not violation.fixed)
            else [pytest.mark.slow],
        )
        for violation in KNOWN
    ],
)
def test_a_row_of_the_page_is_what_the_search_finds(violation):
    minimal = minimal_bounds_of(violation)
    shown = rows()[violation.protocol, " ".join(violation.fixed), violation.property]
    assert minimal.undecided == ()
    assert shown == [
        (" ".join(f"{name}={value}" for name, value in point.bounds.items()), point.steps)
        for point in minimal.smallest
    ]


def test_a_page_of_one_protocol_can_be_written(tmp_path):
    path = tmp_path / "page.md"
    with path.open("w") as target:
        write_known_violations(target, [find_protocol("examples/published.py:hw")], 1)
    page = path.read_text()
    row = "| `examples/published.py:hw` |  | WeakIsr | `records=1 max_leader_epoch=1` | 8 |"
    assert row in page
    assert "- `records=1 max_leader_epoch=1`" in page


COUNTER = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes"MAIN)
    most: int = number(2, 1, 9, "the largest number")

class State(Record):
    sum: int = integer(0, 40, "sum")

model = Model(Bounds, State, deadlock=False)

@model.action("node")
def add(s: State, k: Bounds) -> bool:
    if s.sum == k.nodes * k.most:
        return False
    s.sum += 1
    return True

@model.invariant("The sum is small.")
def small(s: State, k: Bounds) -> bool:
    return s.sum < 5
"""


@pytest.mark.parametrize(
    ("main", "points"),
    [
        ("", "nodes=2 most=3: 5 steps\\n   nodes=3 most=2: 5 steps"),
        (", main=True", "nodes=3: 5 steps"),
    ],
)
def test_bounds_that_begin_at_1_are_varied_from_there(tmp_path, main, points):
    file = tmp_path / "sum.py"
    file.write_text(COUNTER.replace("MAIN", main), "utf-8")
    result = run(str(file))
    assert result.exit_code == 0, result.output
    assert points.replace("\\n", "\n") in result.output


QUEUE = """\
from dataclasses import dataclass

from tidegate import Model, Record, Seq, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    room: int = number(2, 1, 9, "room in the queue", main=True)


class State(Record):
    queue: Seq[int] = sequence_of(integer(0, 1, "an item"), lambda k: k.room, "a queue")


model = Model(Bounds, State, deadlock=False)


@model.action("producer")
def put(s: State, k: Bounds) -> bool:
    if len(s.queue) == MOST:
        return False
    s.queue.append(1)
    return True


@model.invariant("The queue has no two items.")
def short(s: State, k: Bounds) -> bool:
    return len(s.queue) < 2
"""


def test_bounds_within_which_the_model_fails_are_not_decided(tmp_path):
    file = tmp_path / "queue.py"
    file.write_text(QUEUE.replace("MOST", "2"), "utf-8")
    result = run(str(file))
    assert result.exit_code == 3, result.output
    told = " ".join(result.output.split())
    assert "room=2: 2 steps" in told
    assert "not decided at room=1 (stopped by an error of the model within room=1: " in told
    assert "the sequence holds 1 at most, in put()" in told
    assert "queue.py:22" in told


def test_a_model_that_fails_within_all_bounds_is_an_error(tmp_path):
    file = tmp_path / "queue.py"
    file.write_text(QUEUE.replace("== MOST", "// 0 == 1"), "utf-8")
    result = run(str(file))
    assert result.exit_code == 70, result.output
    assert "ZeroDivisionError" in result.output
