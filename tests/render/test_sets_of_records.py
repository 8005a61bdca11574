"""A set of records is a set where traces are written, also an empty one."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main

MODEL = """\
from collections import Counter
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    n: int = number(2, 1, 3, "n")

class Msg(Record):
    to: int = integer(0, 3, "to")

class State(Record):
    sent: RecordSet[Msg] = set_of(Msg, 3, "sent")
    queue: Seq[int] = sequence_of(4, 3, "queue")

model = Model(Bounds, State, deadlock=False)

@model.action("env", to=(1, 2))
def send(s: State, k: Bounds, to: int) -> bool:
    if Msg(to=to) in s.sent:
        return False
    s.sent |= {Msg(to=to)}
    return True

@model.action("env")
def drop(s: State, k: Bounds) -> bool:
    if len(s.sent) < k.n:
        return False
    s.sent.clear()
    s.queue.append(1)
    return True

@model.invariant("Nothing is dropped.")
def kept(s: State, k: Bounds) -> bool:
    return not s.queue
"""

TLA = """\
State 1: <Initial predicate>
/\\ sent = {}
/\\ queue = <<>>

State 2: <Send(1)>
/\\ sent = {[to |-> 1]}

State 3: <Send(2)>
/\\ sent = {[to |-> 1], [to |-> 2]}

State 4: <Drop>
/\\ sent = {}
/\\ queue = <<1>>
"""


@pytest.fixture
def written(tmp_path):
    file = tmp_path / "sent.py"
    file.write_text(MODEL, "utf-8")

    def write(form):
        trace = tmp_path / "trace"
        done = CliRunner().invoke(main, ["check", str(file), "-q", f"--{form}", str(trace)])
        assert done.exit_code == 12, done.output
        return trace.read_text("utf-8")

    return write


def test_tla_shows_a_set(written):
    assert TLA in written("tla")


def test_itf_has_a_set(written):
    states = [state["sent"] for state in json.loads(written("itf"))["states"]]
    one, two = ({"to": {"#bigint": number}} for number in "12")
    assert states == [{"#set": some} for some in ([], [one], [one, two], [])]
