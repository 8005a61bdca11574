"""What is printed of a model of a user's own: its words and names, and of states what changed."""

import html
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

HEAD = """\
from dataclasses import dataclass
from enum import IntEnum
from tidegate import *


class Color(IntEnum):
    RED = 0
    BLUE = 1


@dataclass(frozen=True)
class Bounds:
    size: int = number(2, 1, 4, "how many", main=True)


"""

MAIL = """
class Reply(Record):
    color: Color = enumeration(Color, "its color")
    sent: bool = boolean("whether it is sent")


class Msg(Record):
    color: Color = enumeration(Color, "its color")
    replies: Seq[Reply] = sequence_of(Reply, 2, "its replies")


class State(Record):
    msgs: list[Msg] = array(lambda k: k.size, Msg)
    posted: int = integer(0, lambda k: k.size, "messages posted")
    last: int = optional(lambda k: k.size - 1, "the last message answered")


model = Model(Bounds, State, participants={"idler": lambda k: 2}, deadlock=False)


@model.action("sender", color=lambda k: range(2))
def post(s: State, k: Bounds, color: Color) -> bool:
    if s.posted == k.size:
        return False
    s.msgs[s.posted].color = color
    s.posted += 1
    return True


@model.action("clerk", index=lambda k: range(k.size))
def answer(s: State, k: Bounds, index: int) -> bool:
    if index >= s.posted or len(s.msgs[index].replies) == 2:
        return False
    s.msgs[index].replies.append(Reply(color=s.msgs[index].color, sent=False))
    s.last = index
    return True


@model.action("clerk", index=lambda k: range(k.size), which=lambda k: range(2))
def send(s: State, k: Bounds, index: int, which: int) -> bool:
    if which >= len(s.msgs[index].replies) or s.msgs[index].replies[which].sent:
        return False
    s.msgs[index].replies[which].sent = True
    return True


@model.invariant("No message is answered twice in blue.")
def once(s: State, k: Bounds) -> bool:
    return not any(
        len(msg.replies) == 2 and all(one.sent and one.color == Color.BLUE for one in msg.replies)
        for msg in s.msgs
    )
"""

TOKEN = """
class Worker(Record):
    mode: Color = enumeration(Color, "its mode")


class State(Record):
    worker: list[Worker] = array(lambda k: k.size, Worker, by="worker"{replica})
    token: int = optional(lambda k: k.size - 1, "who has it")


model = Model(Bounds, State, participants={{"worker": lambda k: k.size}}, deadlock=False)


@model.action("worker")
def take(s: State, k: Bounds, worker: int) -> bool:
    if s.token != NONE:
        return False
    s.token = worker
    return True


@model.action("worker", mode=lambda k: Color)
def become(s: State, k: Bounds, worker: int, mode: Color) -> bool:
    if s.worker[worker].mode == mode or s.token != worker:
        return False
    s.worker[worker].mode = mode
    return True


@model.action("world")
def lose(s: State, k: Bounds) -> bool:
    if s.token == NONE:
        return False
    s.token = NONE
    return True


@model.invariant("Never are two workers blue.")
def alone(s: State, k: Bounds) -> bool:
    return sum(one.mode == Color.BLUE for one in s.worker) < 2
"""

MODELS = {"mail": MAIL, "token": TOKEN.format(replica="")}

FOREIGN = r"replica|broker|election|\bfaults?\b|crash|epoch|\bHW\b|\bLEO\b|idler|engine is wrong"
"""Words of Kafka's, and a participant that neither has variables nor does anything."""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in MODELS.items():
        (tmp_path / f"{name}.py").write_text(HEAD + text)

    def run(*arguments):
        return CliRunner().invoke(main, list(map(str, arguments))).output

    return run


def read(page):
    """Return what a page says, without its style sheet and its script."""
    text = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)))


def test_of_nested_state_only_what_changed_is_printed(run):
    lines = [" ".join(line.split()) for line in run("check", "mail.py").splitlines()]
    said = "Once is violated. It requires: No message is answered twice in blue."
    table = lines[: lines.index(said)]
    assert [line for line in table[1:] if "──" not in line] == [
        "step shared",
        "0 initial state msgs [(color red, replies []), (color red, replies [])]",
        "posted 0",
        "last NONE",
        "1 Post msgs[0].color blue",
        "color blue posted 1",
        "2 Answer msgs[0].replies[0] (color blue, sent no)",
        "index 0 last 0",
        "3 Answer msgs[0].replies[1] (color blue, sent no)",
        "index 0",
        "4 Send msgs[0].replies[1].sent yes",
        "index 0, which 1",
        "5 Send msgs[0].replies[0].sent yes",
        "index 0, which 0",
    ]


def test_a_sequence_that_shrinks_says_what_is_gone(run, tmp_path):
    shrinks = MAIL.replace(
        "s.msgs[index].replies[which].sent = True", "s.msgs[index].replies.pop()"
    )
    (tmp_path / "mail.py").write_text(
        HEAD
        + shrinks
        + """

@model.invariant("Nothing is gone.")
def kept(s: State, k: Bounds) -> bool:
    return s.last == NONE or any(len(msg.replies) for msg in s.msgs)
"""
    )
    assert "msgs[0].replies[0] gone" in run("check", "mail.py", "-p", "Kept")


@pytest.mark.parametrize("name", MODELS)
def test_no_output_speaks_of_what_the_model_has_not(run, name, tmp_path):
    file = f"{name}.py"
    said = run("check", file, "--json", "trace.json", "--html", "page.html")
    for form in ("--markdown", "--mermaid", "--tla"):
        said += run("replay", "trace.json", "--trust", form, "-")
    said += run("explain", "trace.json", "--trust") + run("show", file)
    said += run("simulate", file, "--walks", "9", "--seed", "1", "--depth", "3")
    said += run("check", file, "-p", "none", "--max-states", "3")
    said += read((tmp_path / "page.html").read_text())
    assert not re.findall(FOREIGN, said)


@pytest.mark.parametrize(
    ("name", "texts"),
    [("mail", ["color blue", "color=blue", '"blue"']), ("token", ["mode blue", "mode=blue"])],
)
def test_members_of_enumerations_are_arguments_by_name(run, name, texts):
    said = run("check", f"{name}.py", "--json", "trace.json")
    said += run("check", f"{name}.py", "--full")
    said += run("replay", "trace.json", "--trust", "--tla", "-")
    said += run("explain", "trace.json", "--trust")
    for text in texts:
        assert text in said
    saved = json.loads(Path("trace.json").read_text())
    assert '"arguments": {' in json.dumps(saved)
    assert "blue" not in re.findall(r'"arguments": {(.*?)}', json.dumps(saved))


@pytest.mark.parametrize("name", MODELS)
def test_on_the_page_every_step_has_its_mark_in_the_lane_of_who_acts(run, name, tmp_path):
    run("check", f"{name}.py", "--html", "page.html")
    page = (tmp_path / "page.html").read_text()
    steps = len(re.findall(r'<article class="step"', page)) - 1
    assert sorted(map(int, re.findall(r'data-step="(\d+)" class="sign', page))) == [
        *range(1, steps + 1)
    ]


@pytest.mark.parametrize(
    ("name", "requires", "changed"),
    [
        ("mail", "No message is answered twice in blue.", "msgs[0].replies[0].sent: yes (was: no)"),
        ("token", "Never are two workers blue.", "worker[1].mode: blue (was: red)"),
    ],
)
def test_the_page_says_what_is_required_and_which_change_broke_it(
    run, name, requires, changed, tmp_path
):
    run("check", f"{name}.py", "--html", "page.html")
    said = read((tmp_path / "page.html").read_text())
    assert f"What went wrong It requires: {requires} Cause: Step 5 changed {changed}." in said


def test_a_guard_has_the_values_of_its_variables_by_name(run, tmp_path):
    run("check", "token.py", "--html", "page.html")
    said = read((tmp_path / "page.html").read_text())
    assert "s.worker[0].mode != Color.BLUE and s.token == 0 s.worker[0].mode = red" in said


SYMMETRY = {
    "an array, one participant": (
        ", by_replica=True",
        ("-b", "size=1"),
        "there is one worker, so",
    ),
    "no array": ("", (), "declares no replicas that could change places"),
}


@pytest.mark.parametrize("what", SYMMETRY)
def test_symmetry_says_what_is_true(run, what, tmp_path):
    replica, options, says = SYMMETRY[what]
    (tmp_path / "token.py").write_text(HEAD + TOKEN.format(replica=replica))
    assert says in " ".join(run("check", "token.py", "--symmetry", *options).split())


def test_numbers_of_replicas_without_an_array_are_refused_where_they_are_an_index(run, tmp_path):
    text = TOKEN.format(replica="").replace("optional(lambda", "replica_id(lambda")
    (tmp_path / "token.py").write_text(HEAD + text)
    said = " ".join(run("check", "token.py", "--symmetry").split())
    assert "an index of worker, which is not declared by_replica" in said


EMPTY = """
class Node(Record):
    follows: int = replica_id(lambda k: k.size - 1, "whom it follows")
    seen: int = optional(2, "what it saw")


class Lease(Record):
    node: int = replica_id(lambda k: k.size - 1, "who has it")
    acknowledged_by: list[bool] = array(2, boolean("by whom"))


class State(Record):
    node: list[Node] = array(lambda k: k.size, Node, by="node", by_replica=True)
    log: list[int] = array(2, replica_id(lambda k: k.size - 1, "who wrote"))
    lease_of_the_leader: Lease = nested(Lease)


model = Model(Bounds, State, participants={"node": lambda k: k.size}, deadlock=False)


@model.action("node")
def lead(s: State, k: Bounds, node: int) -> bool:
    s.node[node].seen = 2
    s.lease_of_the_leader.node = s.node[node].follows = node
    s.lease_of_the_leader.acknowledged_by[node] = True
    return True


@model.action("node")
def leave(s: State, k: Bounds, node: int) -> bool:
    if s.lease_of_the_leader.node != node:
        return False
    s.lease_of_the_leader.node = s.log[0] = s.node[node].follows = NONE
    s.node[node].seen = NONE
    return True


@model.invariant("Who leads goes on.")
def goes_on(s: State, k: Bounds) -> bool:
    lease = s.lease_of_the_leader
    return lease.node != NONE or not any(lease.acknowledged_by)
"""


@pytest.fixture
def empty(tmp_path, run):
    (tmp_path / "empty.py").write_text(HEAD + EMPTY, "utf-8")
    return run


def test_what_is_empty_is_none_wherever_it_is_printed(empty):
    table = " ".join(empty("check", "empty.py").split())
    assert "follows NONE" in table
    assert "seen NONE" in table
    assert "log [NONE, NONE]" in table
    assert "lease_of_the_leader.node NONE" in table
    full = empty("check", "empty.py", "--full")
    assert "log[0] = NONE" in full or "log = <<NONE, NONE>>" in full
    assert "follows |-> NONE, seen |-> NONE" in full
    assert "-1" not in table + full


def test_a_saved_trace_has_the_numbers(empty, tmp_path):
    empty("check", "empty.py", "--json", "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text("utf-8"))
    assert '"log": [{"#bigint": "-1"}, {"#bigint": "-1"}]' in json.dumps(saved)
    assert "NONE" not in json.dumps(saved["trace"])
    assert "as recorded." in empty("replay", "saved.json", "--protocol", "empty.py")


def test_a_name_too_long_for_its_column_is_broken_after_a_dot(empty):
    lines = [line.strip() for line in empty("check", "empty.py").splitlines()]
    [at] = [number for number, line in enumerate(lines) if line == "acknowledged_by[1] yes"]
    assert lines[at - 1].endswith(" lease_of_the_leader.")
