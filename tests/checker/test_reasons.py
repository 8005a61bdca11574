"""Why a search stays in Python: everything that cannot be compiled, each with its own line."""

import json
from random import Random

import pytest
from click.testing import CliRunner

import tidegate
from tests.checker.diagnosis import reasons
from tidegate.checker import engines, llvm
from tidegate.checker.check import check
from tidegate.checker.engines import EngineChoiceError
from tidegate.cli import main
from tidegate.core.errors import ModelError, Reason, shown
from tidegate.core.result import Resources, Verdict
from tidegate.core.spec import Outcome, Property
from tidegate.gate.cells import Cell, Expectation
from tidegate.gate.judge import judge
from tidegate.gate.results import CellOutcome, Deviation, Status
from tidegate.library.names import find_protocol
from tidegate.library.properties import find_properties
from tidegate.model import PROTOCOLS

HEAD = """\
from dataclasses import dataclass
from itertools import combinations
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "the largest number")

class Part(Record):
    low: int = integer(0, 3, "the low one")
METHODS
class State(Record):
    x: int = integer(0, 9, "x")
    y: int = integer(0, 9, "y")
    part: Part = nested(Part)

""".splitlines()

PARTS = (
    ("first", "", ["def first(s, k) -> int:"], [], "return v"),
    ("second", "", ["def second(s, k) -> int:"], ["first(s, k)"], "return v"),
    ("limit", "", ["def limit(s: State, k: Bounds) -> bool:"], [], "return v < 1000"),
    ("up", "", ["model = Model(Bounds, State, deadlock=False, constraint=limit)", "",
                "@model.action('a')", "def up(s: State, k: Bounds) -> bool:",
                "    if s.x == k.most:", "        return False", "    s.x += 1"],
     ["second(s, k)", "s.part.more(s)"], "return True"),
    ("down", "", ["@model.action('a')", "def down(s: State, k: Bounds) -> bool:",
                  "    if s.y == k.most or first(s, k) > 100:", "        return False",
                  "    s.y += 1"], [], "return True"),
    ("fine", "", ["@model.invariant('It is fine.')", "def fine(s: State, k: Bounds) -> bool:"],
     [], "return v < 1000"),
)  # fmt: skip
"""The functions of a model: name, indentation, first lines, what it calls, last line."""

METHOD = "Part.more", "    ", ["", "    def more(self, s) -> int:"], [], "return v"

WRONG = [
    ["v = {s.x: 1}.popitem()[1]  #! {s.x: 1}.popitem()"],
    ["v = sum(dict.fromkeys([s.x]))  #! dict.fromkeys([s.x])"],
    ["v = (", "    s.y", "    + sum(dict.fromkeys([s.x]))  #! dict.fromkeys([s.x])", ")"],
    ["w = sum(dict.fromkeys([s.y]))  #! dict.fromkeys([s.y])", "v = min(w, 3) + w % 2", "w = w - v",
     "v = w if w > v else v + w"],
    ["for w, _ in combinations(s.x, 2):  #! combinations(s.x, 2)", "    v = 1",
     "    if v > 2:", "        continue"],
    ["for w, _ in combinations(s.x, 2):  #! combinations(s.x, 2)",
     "    v = sum(dict.fromkeys([s.y]))  #! dict.fromkeys(", "    break"],
    ["if {s.x: 1}.popitem()[1]:  #! {s.x: 1}.popitem()", "    v = s.x", "else:",
     "    v = sum(dict.fromkeys([s.x]))  #! dict.fromkeys([s.x])"],
    ["if {s.y: 1}.popitem()[0]:  #! {s.y: 1}.popitem()", "    w = s.x", "else:",
     "    w = 2",
     "v = w"],
    ["v = s.x if sum(dict.fromkeys([s.y])) > 1 else s.y  #! dict.fromkeys([s.y])"],
    ["v = sum(dict.fromkeys([s.x + s.y])) + w  #! dict.fromkeys(", "w = max(v, 1)"],
]  # fmt: skip
"""Statements that are not translated; after a mark, what is to be said of the line."""

RIGHT = [
    ["v = s.x + s.y"],
    ["if s.x > s.y:", "    v = s.x - s.y"],
    ["for w in range(s.y):", "    v += w", "    if v > 7:", "        break"],
    ["v = max(v, s.x, s.part.low)"],
    ["v = 1 if any(n == s.x for n in range(3)) else v"],
]

CALLS = ["v = {}", "v = sum(dict.fromkeys([{}]))  #! dict.fromkeys(", "if {} > 20:\n    v = 1"]
"""How a function is called; what calls it in vain hides nothing that is wrong in it."""


def body(random, called, wrong):
    """Return the statements of a random function: those asked for, and some that are right."""
    parts = [random.choice(WRONG) for _ in range(wrong)]
    parts += [random.choice(RIGHT) for _ in range(random.randrange(3))]
    parts += [random.choice(CALLS).format(call).splitlines() for call in called]
    # What a name that is lost hides is no part of this test, so each begins with a value.
    random.shuffle(parts)
    return ["v = 0", "w = 0", *(line for part in parts for line in ["v = 0", "w = 0", *part])]


def model(random):
    """Return the lines of a random model, and what is to be said, by function and line."""
    lines, expected = [], {}

    def add(name, indent, first, called, last):
        lines.extend(first)
        for statement in body(random, called, random.choice((0, 0, 1, 1, 2))):
            lines.append(f"{indent}    {statement}")
            if "#! " in statement:
                expected[name, len(lines)] = statement.partition("#! ")[2]
        lines.extend([f"{indent}    {last}", ""])

    at = HEAD.index("METHODS")
    lines.extend(HEAD[:at])
    add(*METHOD)
    lines.extend(HEAD[at + 1 :])
    for part in PARTS:
        add(*part)
    return lines, expected


def made(tmp_path, seed):
    """Return the file of a random model, and what is to be said of it."""
    lines, expected = model(Random(seed))
    file = tmp_path / f"made{seed}.py"
    file.write_text("\n".join(lines), "utf-8")
    return str(file), expected


def diagnosed(name, settings=()):
    """Return the reasons why a protocol is not compiled."""
    protocol = find_protocol(name)
    # A model that is not in the language is no problem yet.
    system = protocol.system(protocol.within(settings), frozenset())
    return reasons(system, find_properties(protocol, []))


@pytest.mark.parametrize("seeds", [range(n, n + 20) for n in range(0, 40, 20)], ids=str)
def test_exactly_the_lines_that_cannot_be_compiled_are_named(seeds, tmp_path):
    for seed in seeds:
        file, expected = made(tmp_path, seed)
        named = diagnosed(file)
        said = {(reason.function, reason.place[1]): reason.text for reason in named}
        assert said.keys() == expected.keys(), file
        assert all(said[where].startswith(text) for where, text in expected.items()), said
        assert {reason.place[0] for reason in named} <= {file}
        assert list(named) == sorted(named, key=lambda reason: reason.place), "not in order"
        assert len(named) == len(said), "a line is named twice"


FOLLOWING = """\
    pair = 0
    pair = {s.x: 1}.popitem()
    first, _ = pair
    if first:
        v = pair[1]
    v = first + 1
"""


def test_what_needs_a_line_that_is_refused_is_not_blamed_again(tmp_path):
    lines, _ = model(Random(3))
    at = next(number for number, line in enumerate(lines) if line.startswith("def first")) + 1
    text = "\n".join([*lines[:at], FOLLOWING, *lines[at:]])
    file = tmp_path / "following.py"
    file.write_text(text, "utf-8")
    named = [one for one in diagnosed(str(file)) if at < one.place[1] <= at + 6]
    assert [(one.function, one.place[1]) for one in named] == [("first", at + 2)]


def test_each_way_of_asking_gives_the_same_list(tmp_path):
    """No engine takes a model that is not in the language, and all lines are named."""
    file, expected = made(tmp_path, 1)
    assert len(expected) > 2
    first, *others = diagnosed(file)
    for engine in ("auto", "interpreted", "compiled"):
        with pytest.raises(ModelError) as refused:
            tidegate.check(file, engine=engine)
        assert (Exception.__str__(refused.value), refused.value.place) == (first.text, first.place)
        assert refused.value.details == tuple(f"{shown(one.place)}: {one.text}" for one in others)
    kept = CliRunner().invoke(main, ["check", file, "--checkpoint", str(tmp_path / "kept")])
    assert kept.exit_code == 70
    assert all(line in kept.output for line in refused.value.details)


def test_the_report_and_the_verdict_name_the_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(engines, "SMALL_WATCHED", 0)
    monkeypatch.setattr(engines, "SMALL", 0)
    monkeypatch.setattr(engines, "LEVEL_SECONDS", 0.0)
    monkeypatch.setattr(engines, "INTERPRETED_SECONDS", 0.0)
    file = tmp_path / "large.py"
    file.write_text(LARGE, "utf-8")
    target = tmp_path / "report.json"
    done = CliRunner().invoke(main, ["check", str(file), "--json", str(target)])
    assert "compiled code, once made, is typically" in " ".join(done.output.split())
    document = json.loads(target.read_text("utf-8"))
    named = {(one["function"], one["line"]) for one in document["interpreted_because"]}
    assert named == {("up", 21), ("fine", 26)}
    assert {one["file"] for one in document["interpreted_because"]} == {str(file)}


def test_a_search_that_is_small_or_is_to_be_interpreted_gives_no_reasons(tmp_path):
    file = tmp_path / "large.py"
    file.write_text(LARGE, "utf-8")
    for engine in ("auto", "interpreted"):
        checked = tidegate.check(file, {"most": 1}, engine=engine)
        assert checked.interpreted_because == ()
        assert "compiled code" not in str(checked)


EXAMPLES = ["bounded_buffer", "chang_roberts", "dining_philosophers", "ewd998", "paxos", "raft"]


@pytest.mark.parametrize(
    "name",
    [*(protocol.name for protocol in PROTOCOLS), *(f"examples/{name}.py" for name in EXAMPLES)],
)
def test_of_what_is_compiled_nothing_is_named(name):
    assert diagnosed(name) == ()


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("llvmlite", "compiling needs llvmlite, which is not installed"),
        ("instances", "instances of actions, and to compile more than 0 takes too long"),
        ("space", "LLVM needs 400M of address space"),
    ],
)
def test_what_is_missing_to_compile_at_all_is_said(missing, said, jugs, monkeypatch):
    monkeypatch.setattr(engines, "SMALL", 0)
    monkeypatch.setattr(engines, "LEVEL_SECONDS", 0.0)
    monkeypatch.setattr(engines, "INTERPRETED_SECONDS", 0.0)
    if missing == "llvmlite":
        monkeypatch.setattr(engines, "find_spec", lambda name: None)
    elif missing == "instances":
        monkeypatch.setattr(engines, "MOST_INSTANCES", 0)
    else:
        monkeypatch.setattr(llvm, "address_space", lambda: 1 << 20)
    result = check(jugs, [], resources=Resources())
    assert result.complete
    [reason] = result.interpreted_because
    assert said in str(reason)
    with pytest.raises(EngineChoiceError, match=said.removeprefix("compiling needs ")):
        check(jugs, [], resources=Resources(engine="compiled"))


LARGE = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(6, 1, 9, "the largest number")

class State(Record):
    a: list[int] = array(5, integer(0, 9, "a"))

model = Model(Bounds, State, deadlock=False)

@pure("a dictionary that the language lacks")
def least(values):
    return sum(dict.fromkeys([min(values)]))

@model.action("a", node=lambda k: range(5))
def up(s: State, k: Bounds, node: int) -> bool:
    if s.a[node] == k.most:
        return False
    s.a[node] = least([s.a[node] + 1])
    return True

@model.invariant("It is fine.")
def fine(s: State, k: Bounds) -> bool:
    return least(s.a) < 9
"""


def test_a_cell_of_the_gate_says_why_it_was_searched_in_python(tmp_path):
    file = tmp_path / "large.py"
    file.write_text(LARGE, "utf-8")
    gate = '[[case]]\nprotocols = ["large.py"]\nholds = "all"\nbounds = "most=9"\n'
    (tmp_path / "tidegate.toml").write_text(gate, "utf-8")
    target = tmp_path / "gate.json"
    arguments = ["gate", "--config", str(tmp_path / "tidegate.toml"), "--jobs", "1"]
    done = CliRunner().invoke(main, [*arguments, "--json", str(target)])
    output = " ".join(done.output.split())
    [cell] = json.loads(target.read_text("utf-8"))["cells"]
    assert cell["interpreted_because"] == [str(reason) for reason in diagnosed(str(file))]
    assert output.count("searched in Python, compiled code is typically") == 1
    assert "least is declared pure, and Python alone calls it: it gets a list" in output
    assert "large.py:21) (and 1 more)" in output


def test_a_cell_that_was_too_slow_says_why():
    reason = Reason("the expression [1, 2]", "up", ("/models/large.py", 17))
    stopped = {"stopped_by": "the limit of 2 s", "interpreted_because": (reason,)}
    seen = {"Fine": Verdict(Property("Fine", "", "", bool), Outcome.INCOMPLETE)}
    cell = Cell(protocol="large.py", bounds="", expectations=(Expectation("Fine", False, None),))
    [finding] = judge(CellOutcome(cell, Status.PASSED, **stopped), cell.expectations, seen)
    assert finding.kind is Deviation.LIMIT
    assert "the expression [1, 2] (in up, /models/large.py:17)" in finding.text
