"""Initial values in declarations, and enumerations that count from anywhere."""

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main

MODEL = """\
from dataclasses import dataclass
from enum import IntEnum, auto
from tidegate import *

class Phase(IntEnum):
    IDLE = auto()
    BUSY = auto()
    DONE = auto()

class Level(IntEnum):
    NONE = 0
    LOW = -2
    HIGH = -1

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes")

def range_of(k: Bounds) -> range:
    return range(k.nodes)

class Node(Record):
    phase: Phase = enumeration(Phase, "phase", initial=Phase.BUSY)
    left: int = integer(1, 5, "steps left", initial=lambda k: k.nodes)
    level: Level = enumeration(Level, "level")

class State(Record):
    node: list[Node] = array(lambda k: k.nodes, Node)
    rank: list[int] = array(lambda k: k.nodes, integer(0, 5, "rank"), initial=range_of)
    alive: Set = set_of(lambda k: k.nodes, "who is alive", initial=range_of)
    up: bool = boolean("whether it is up", initial=True)
    mode: int = one_of(["a", "b"], "mode", initial="b")
    queue: Seq[Node] = sequence_of(Node, 2, "queue")
    seen: Seq[Phase] = sequence_of(enumeration(Phase, "phase", initial=Phase.DONE), 2, "seen")
    light: list[Phase] = array(2, enumeration(Phase, "light"), initial=[Phase.DONE, Phase.IDLE])
    leader: int = optional(lambda k: k.nodes - 1, "leader", initial=0)

model = Model(Bounds, State, deadlock=False)

@model.action("node", node=lambda k: range(k.nodes))
def step(s: State, k: Bounds, node: int) -> bool:
    me = s.node[node]
    if me.phase is Phase.DONE or node not in s.alive:
        return False
    me.phase = Phase.DONE
    me.left -= 1
    me.level = Level.HIGH if me.level is Level.LOW else Level.LOW
    s.alive.discard(node)
    if len(s.queue) < 2:
        s.queue.append(Node(phase=me.phase, left=me.left, level=-2))
        s.seen.append(me.phase)
    else:
        s.queue.clear()
        s.seen.clear()
    s.up = not s.up
    s.light[0] = s.light[1]
    return True

@model.action("node")
def again(s: State, k: Bounds) -> bool:
    if len(s.alive) > 0:
        return False
    for node in range(k.nodes):
        s.node[node].phase = 1
        s.node[node].left = 5
        s.alive.add(node)
    return True

@model.invariant("A level is a member.")
def members(s: State, k: Bounds) -> bool:
    levels = all(one.level is not Level.NONE for one in s.node)
    return levels and all(one.level is Level.LOW for one in s.queue)

@model.sometimes("All are done and again.")
def rounds(s: State, k: Bounds) -> bool:
    return s.node[0].phase is Phase.IDLE and s.node[0].level is Level.HIGH and s.node[0].left == 5
"""


@pytest.fixture
def write(tmp_path):
    def written(old="", new=""):
        assert old in MODEL
        file = tmp_path / "first.py"
        file.write_text(MODEL.replace(old, new) if old else MODEL, "utf-8")
        return str(file)

    return written


def initial_state(file, engine="interpreted"):
    """Return the state in which the shortest trace to `rounds` begins."""
    return tidegate.check(file, {}, ["Rounds"], engine=engine).trace_of("Rounds")[0].state


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_search_begins_with_the_declared_values(write, engine):
    state = initial_state(write(), engine)
    node = {"phase": "busy", "left": 3, "level": "low"}
    assert (state["node"], state["rank"], state["alive"]) == ([node] * 3, [0, 1, 2], {0, 1, 2})
    assert (state["up"], state["mode"], state["leader"]) == (True, "b", 0)
    assert (state["queue"], state["seen"], state["light"]) == ([], [], ["done", "idle"])


def test_both_engines_find_the_same_states_and_an_emptied_sequence_is_an_empty_one(write):
    found = [
        tidegate.check(write(), {}, ["TypeOk", "Members", "Rounds"], engine=engine)
        for engine in ("interpreted", "compiled")
    ]
    assert [one.holds for one in found] == [True, True]
    counted = [(one.distinct_states, one.depth, len(one.trace_of("Rounds"))) for one in found]
    assert counted[0] == counted[1]


def test_a_function_of_initial_states_begins_with_them_each_time(write):
    more = "\n@model.initial\ndef ways(s, k):\n    for mode in range(2):\n        s.mode = mode\n"
    file = write("\n@model.sometimes", f"{more}        yield\n\n@model.sometimes")
    state = initial_state(file)
    assert (state["mode"], state["alive"], state["up"]) == ("a", {0, 1, 2}, True)


def test_a_function_without_a_yield_writes_the_only_initial_state(write):
    more = "\n@model.initial\ndef begin(s, k):\n    s.mode = 1 - s.mode\n"
    result = tidegate.check(
        write("\n@model.sometimes", f"{more}\n@model.sometimes"), {}, ["Rounds"]
    )
    first = result.trace_of("Rounds")[0].state
    assert (first["mode"], first["alive"], first["up"]) == ("a", {0, 1, 2}, True)


def test_all_elements_of_an_array_may_have_one_initial_value(write):
    file = write('"rank"), initial=range_of', '"rank"), initial=lambda k: k.nodes - 1')
    assert initial_state(file)["rank"] == [2, 2, 2]
    assert (
        initial_state(write('"rank"), initial=range_of', '"rank"), initial=4'))["rank"] == [4] * 3
    )


WRONG = {
    "one member": (
        'alive", initial=range_of', 'alive", initial=0',
        "alive: Set", "its members at first are 0; write several: {0}",
    ),
    "the value of a variable": (
        '"steps left", initial=lambda k: k.nodes', '"steps left", initial=7',
        "left: int", "node[0].left: its initial value 7 is not within 1..5",
    ),
    "too few": (
        "initial=[Phase.DONE, Phase.IDLE]", "initial=[Phase.DONE]",
        "light: list", "light: 1 initial values; it needs 2 whole numbers",
    ),
    "a member": (
        'alive", initial=range_of', 'alive", initial=[3]',
        "alive: Set", "who is alive: 3 is a member at first; its members are the numbers below 3",
    ),
    "no number": (
        '"rank"), initial=range_of', "\"rank\"), initial=['a'] * 3",
        "rank: list", "rank: 'a' among its initial values; it needs 3 whole numbers",
    ),
    "a gap": (
        "NONE = 0", "NONE = 1",
        "level: Level", "its values must be consecutive numbers, and 0 is none; number its members",
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_initial_value_is_named_with_its_line(write, wrong):
    old, new, declaration, text = WRONG[wrong]
    done = CliRunner().invoke(main, ["check", write(old, new)])
    assert done.exit_code != 0
    assert text in " ".join(done.output.split())
    before, _, _ = MODEL.replace(old, new).partition(declaration)
    assert f"first.py:{before.count(chr(10)) + 1}" in done.output
