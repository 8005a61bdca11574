"""What is not in the language is refused at once, however many instances of actions a model has."""

import pytest

import tidegate
from tests.checker.diagnosis import reasons
from tidegate.checker import engines
from tidegate.checker.compiled import build, tiers
from tidegate.checker.compiled.choices import in_turn
from tidegate.core.errors import ModelError
from tidegate.language.lowering.lower import Lowering
from tidegate.library.names import find_protocol
from tidegate.library.properties import find_properties, system_for

MODEL = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(4, 1, 4, "nodes")
    offsets: int = number(64, 1, 64, "offsets")

class Message(Record):
    source: int = integer(0, 3, "its sender")
    offset: int = integer(0, 63, "its offset")

class Node(Record):
    up: bool = boolean("whether it runs")
    end: int = integer(0, 63, "its log end offset")
    inbox: Seq[Message] = sequence_of(Message, 2, "requests")

class State(Record):
    nodes: list[Node] = array(lambda k: k.nodes, Node)
    sent: int = integer(0, 3, "requests sent")

model = Model(Bounds, State, deadlock=False)
NODES = lambda k: range(k.nodes)

def total(s: State) -> int:
    return min(s.sent, 3)  # TOTAL

@model.action("sends", sender=NODES, target=NODES, offset=lambda k: range(k.offsets))
def send(s: State, k: Bounds, sender: int, target: int, offset: int) -> bool:
    if sender == target or not s.nodes[sender].up or s.sent == 3:
        return False
    if len(s.nodes[target].inbox) == 2 or offset < s.nodes[sender].end:
        return False
    s.nodes[target].inbox.append(Message(source=sender, offset=offset))
    s.sent += 1  # SEND
    return True

@model.action("handles", node=NODES)
def handle(s: State, k: Bounds, node: int) -> bool:
    if not s.nodes[node].inbox:
        return False
    m = s.nodes[node].inbox.pop(0)
    s.nodes[node].end = max(s.nodes[node].end, m.offset)
    return True

@model.action("starts", node=NODES)
def start(s: State, k: Bounds, node: int) -> bool:
    if s.nodes[node].up:
        return False
    s.nodes[node].up = True
    return True

@model.action("stops", node=NODES)
def stop(s: State, k: Bounds, node: int) -> bool:
    if not s.nodes[node].up:
        return False
    s.nodes[node].up = False
    s.nodes[node].end = 0  # STOP
    return True

@model.invariant("Few requests are in flight.")
def few_in_flight(s: State, k: Bounds) -> bool:
    return total(s) <= 3
"""

INSTANCES = 4 * 4 * 64 + 3 * 4

LATE = {
    "the last action": (
        "s.nodes[node].end = 0  # STOP",
        "s.nodes[node].end = sum(dict.fromkeys([s.sent]))",
    ),
    "a property's helper": ("min(s.sent, 3)  # TOTAL", "sum(dict.fromkeys([s.sent]))"),
    "an action of all nodes and offsets": (
        "s.sent += 1  # SEND",
        "s.sent = sum(dict.fromkeys([s.sent])) + 1",
    ),
    "some instances of the last action": (
        "s.nodes[node].end = 0  # STOP",
        "s.nodes[node].end = sum(dict.fromkeys([s.sent])) if node == 3 else 0",
    ),
    "the last sender": (
        "s.sent += 1  # SEND",
        "s.sent += 1 if sender < 3 else sum(dict.fromkeys([s.sent]))",
    ),
    "some offsets": (
        "s.sent += 1  # SEND",
        "s.sent += 1 if offset % 8 else sum(dict.fromkeys([s.sent]))",
    ),
}
"""By its place, what is replaced and by what; the language has no dict.fromkeys()."""


@pytest.fixture
def translated(monkeypatch):
    """Return the list of functions that are lowered from now on."""
    names, lowered = [], Lowering._lowered

    def noting(self, frame, *others):
        names.append(frame.made.name)
        return lowered(self, frame, *others)

    monkeypatch.setattr(Lowering, "_lowered", noting)
    return names


@pytest.fixture
def late(request, tmp_path):
    """Return the file of the model with what is not translated at a place."""
    file = tmp_path / "late.py"
    file.write_text(MODEL.replace(*LATE[request.param]), "utf-8")
    return str(file)


@pytest.fixture
def no_llvm(monkeypatch):
    """Fail the test if LLVM is called; that Python looks for a mistake is not its business."""

    def refuse(*arguments, **named):
        raise AssertionError("LLVM is called")

    for module in (build, tiers):
        monkeypatch.setattr(module, "object_code", refuse)
    monkeypatch.setattr(engines, "MISTAKE_SECONDS", 0.01)


@pytest.mark.parametrize("engine", ["auto", "compiled", "interpreted"])
@pytest.mark.parametrize("late", LATE, indirect=True)
def test_a_late_mistake_is_refused_before_most_instances_are_lowered(
    late, engine, translated, no_llvm
):
    with pytest.raises(ModelError, match=r"dict.fromkeys\(\[s.sent\]\)"):
        tidegate.check(late, engine=engine, max_states=100)
    # The other 900 would take seconds, twice: to lower them, and to say all that is wrong.
    assert len(translated) < INSTANCES // 4


def test_reasons_are_looked_for_in_some_instances_only(tmp_path, translated):
    """What is in no function, such as too many properties, is refused as soon as the rest."""
    file = tmp_path / "sound.py"
    file.write_text(MODEL, "utf-8")
    protocol = find_protocol(str(file))
    properties = find_properties(protocol, [])
    assert reasons(system_for(protocol, (), properties), properties) == ()
    assert len(translated) < INSTANCES


def test_the_instances_of_actions_are_taken_in_turn():
    protocol = find_protocol("hw")
    instances = system_for(protocol, (), []).instances
    order = list(in_turn(instances, lambda one: one))
    actions = [one.action.name for one in order]
    names = {one.action.name for one in instances}
    assert set(actions[: len(names)]) == names, "an action waits for another one's instances"
    assert sorted(order, key=instances.index) == list(instances)
    assert order == list(in_turn(instances, lambda one: one)), "the order is left to chance"
