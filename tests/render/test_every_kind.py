"""Every kind of variable comes through ITF as what it is, empty or full, and back."""

import json

import pytest
from click.testing import CliRunner
from itf_py import trace_from_json, trace_to_json
from itf_py.itf import ITFUnserializable, value_from_json

from tidegate.cli import main
from tidegate.core.tracefile import encoded

MODEL = """\
from dataclasses import dataclass
from enum import IntEnum

from tidegate import *


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 3, "nodes")


class Phase(IntEnum):
    IDLE = 0
    BUSY = 1


class Message(Record):
    tag: Phase = enumeration(Phase, "tag")
    value: int = optional(3, "value")


class Note(Record):
    kind: Phase = enumeration(Phase, "kind")
    who: int = replica_id(lambda k: k.nodes - 1, "who")
    read: Set = set_of(3, "who has read it")
    counts: Bag = bag_of(3, 2, "how often")
    times: list[int] = array(2, integer(-9, 9, "times"))
    about: Message = nested(Message)


class Odd(Record):
    _id: int = integer(0, 3, "its number")


class State(Record):
    least: int = integer(-(2**62), 2**62, "least")
    large: int = integer(0, 2**62, "large")
    flag: bool = boolean("flag")
    phase: list[Phase] = array(lambda k: k.nodes, enumeration(Phase, "phase"), by="node")
    mode: int = one_of(["slow", "so \\"fast\\""], "mode")
    leader: int = optional(lambda k: k.nodes - 1, "leader")
    voted: list[int] = array(2, optional(3, "votes"))
    owner: int = replica_id(lambda k: k.nodes - 1, "owner")
    acks: Set = set_of(lambda k: k.nodes, "acks")
    mask: int = subset(5, "mask")
    queue: Seq[int] = sequence_of(integer(-3, 3, "number"), 3, "queue")
    inbox: Seq[Note] = sequence_of(Note, 2, "inbox")
    bag: Bag = bag_of(3, 5, "bag")
    bags: list[Bag] = array(2, bag_of(2, 2, "bags"))
    sent: RecordSet[Message] = set_of(Message, 3, "sent")
    net: RecordBag[Message] = bag_of(Message, 3, "net")
    seen: RecordBag[Note] = bag_of(Note, 3, "seen")
    matrix: list[list[int]] = array(2, array(2, integer(0, 2, "matrix")))
    last: Message = nested(Message)
    odd: Odd = nested(Odd)


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node")
def fill(s: State, k: Bounds, node: int) -> bool:
    if s.flag:
        return False
    s.least, s.large, s.flag, s.mode = -(2**62), 2**53 + 1, True, 1
    s.phase[1], s.leader, s.voted[1], s.owner = Phase.BUSY, 1, 2, 1
    s.acks |= {0, 1}
    s.mask = 0b101
    s.queue.extend([-3, 2])
    s.bag.add(2)
    note = Note(kind=Phase.BUSY, who=0, read={0, 2}, counts=s.bag, times=[-9, 9])
    s.inbox.append(note)
    for number in (0, 2):
        s.bag.add(number)
    s.bags[1].add(1)
    s.sent |= {Message(tag=Phase.BUSY, value=1), Message(tag=Phase.IDLE)}
    for _ in range(2):
        s.net.add(Message(tag=Phase.BUSY))
        s.seen.add(note)
    s.matrix[1][0] = 2
    s.last = Message(tag=Phase.BUSY, value=3)
    s.odd._id = 3
    return True


@model.invariant("It stays empty.")
def empty(s: State, k: Bounds) -> bool:
    return not s.flag
"""

EMPTY = {
    "least": -(2**62), "large": 0, "flag": False, "phase": ["idle", "idle"], "mode": "slow",
    "leader": -1, "voted": [-1, -1], "owner": -1, "acks": set(), "mask": set(), "queue": [],
    "inbox": [], "bag": {}, "bags": [{}, {}], "sent": set(), "net": {}, "seen": {},
    "matrix": [[0, 0], [0, 0]], "last": {"tag": "idle", "value": -1}, "odd": {"_id": 0},
}  # fmt: skip

NOTE = ("busy", 0, {0, 2}, {2: 1}, [-9, 9], {"tag": "idle", "value": -1})
"""A record as itf-py has it; one whose names it would refuse, or take for a variant, is a map."""

FULL = {
    "least": -(2**62), "large": 2**53 + 1, "flag": True, "phase": ["idle", "busy"],
    "mode": 'so "fast"', "leader": 1, "voted": [-1, 2], "owner": 1, "acks": {0, 1}, "mask": {0, 2},
    "queue": [-3, 2], "inbox": [NOTE], "bag": {0: 1, 2: 2}, "bags": [{}, {1: 1}],
    "matrix": [[0, 0], [2, 0]], "last": {"tag": "busy", "value": 3}, "odd": {"_id": 3},
}  # fmt: skip


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return the folder of the model and its trace."""
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.py").write_text(MODEL, "utf-8")
    done = run("check", folder / "kinds.py", "-q", "--itf", folder / "kinds.itf.json")
    assert done.exit_code == 12, done.output
    return folder


def states(folder):
    return trace_from_json(json.loads((folder / "kinds.itf.json").read_text("utf-8")))


@pytest.mark.parametrize("variable", EMPTY)
def test_another_reader_has_the_value_that_is_empty(written, variable):
    assert states(written).states[0].values[variable] == EMPTY[variable]


@pytest.mark.parametrize("variable", FULL)
def test_another_reader_has_the_value_that_is_not_empty(written, variable):
    assert states(written).states[1].values[variable] == FULL[variable]


def test_another_reader_has_sets_and_bags_of_records(written):
    values = states(written).states[1].values
    busy, idle = ({"tag": "busy", "value": 1}, {"tag": "idle", "value": -1})
    assert sorted(map(dict, values["sent"]), key=str) == [busy, idle]
    assert [*values["net"].items()] == [({"tag": "busy", "value": -1}, 2)]
    [(note, count)] = values["seen"].items()
    assert (note, count) == (NOTE, 2)
    assert note._fields == ("kind", "who", "read", "counts", "times", "about")


def test_what_another_program_has_written_is_replayed(written, tmp_path):
    """It may write the members of sets and maps in any order."""
    for state in (document := trace_to_json(states(written)))["states"]:
        for name, key in (("sent", "#set"), ("acks", "#set"), ("bag", "#map")):
            state[name][key].reverse()
    path = tmp_path / "again.itf.json"
    path.write_text(json.dumps(document), "utf-8")
    done = run("replay", path, "--trust")
    assert done.exit_code == 0, done.output
    document["states"][1]["bag"]["#map"][0][1] = {"#bigint": "4"}
    path.write_text(json.dumps(document), "utf-8")
    assert "State 1 is not as recorded" in run("replay", path, "--trust").output


IN_VERSION_1 = {
    "leader": None, "voted": [None, None], "bag": {}, "bags": [{}, {}], "net": [], "seen": [],
    "last": {"tag": "idle", "value": None}, "odd": {"_id": {"#bigint": "0"}},
}  # fmt: skip


def test_a_trace_of_version_1_is_replayed(written, tmp_path):
    """It had null for nothing, a bag was a record, and one of records was a list."""
    document = json.loads((written / "kinds.itf.json").read_text("utf-8"))
    document["#meta"]["tidegate-trace"] = 1
    document["states"][0] |= IN_VERSION_1
    message = {"tag": "busy", "value": None}
    one, two = {"#bigint": "1"}, {"#bigint": "2"}
    note = {
        "kind": "busy", "who": {"#bigint": "0"}, "read": {"#set": [{"#bigint": "0"}, two]},
        "counts": {"2": one}, "times": [{"#bigint": "-9"}, {"#bigint": "9"}],
        "about": {"tag": "idle", "value": None},
    }  # fmt: skip
    document["states"][1] |= {
        "voted": [None, two], "bag": {"0": one, "2": two}, "bags": [{}, {"1": one}],
        "net": [message, message], "inbox": [note], "seen": [note, note],
        "last": {"tag": "busy", "value": {"#bigint": "3"}}, "odd": {"_id": {"#bigint": "3"}},
        "sent": {"#set": [{"tag": "idle", "value": None}, {"tag": "busy", "value": one}]},
    }  # fmt: skip
    path = tmp_path / "before.itf.json"
    path.write_text(json.dumps(document), "utf-8")
    done = run("replay", path, "--trust")
    assert done.exit_code == 0, done.output
    document["states"][1]["net"].pop()
    path.write_text(json.dumps(document), "utf-8")
    assert "State 1 is not as recorded" in run("replay", path, "--trust").output


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ({"two words": 1, "#set": 2}, {"two words": 1, "#set": 2}),
        ({"class": None}, {"class": -1}),
        ({}, ()),
        ((1, ("a", True)), (1, ("a", True))),
        ({"b", "a"}, {"a", "b"}),
        (-(10**30), -(10**30)),
        (0.5, ITFUnserializable("0.5")),
    ],
)
def test_another_reader_has_what_a_model_says_of_its_record(shown, read):
    assert value_from_json(json.loads(json.dumps(encoded(shown)))) == read
