"""Choices that depend on the state, or on another choice, in every engine."""

import json

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.core.guards import guards
from tidegate.language.lowering import listing
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol

HEAD = """\
from dataclasses import dataclass
from enum import IntEnum, auto
from tidegate import *

class Color(IntEnum):
    RED = auto()
    GREEN = auto()

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes")
    items: int = number(2, 1, 9, "items")

class Node(Record):
    inbox: Set = set_of(lambda k: k.items, "what was sent to it")
    got: int = integer(0, 2, "how many it received")

class State(Record):
    node: list[Node] = array(lambda k: k.nodes, Node)
    waiting: Set = set_of(lambda k: k.items, "to send", initial=lambda k: range(k.items))
    colors: Seq[Color] = sequence_of(enumeration(Color, "color"), 2, "colors")
    bag: Bag = bag_of(2, 2, "a bag")
    last: Color = enumeration(Color, "the last one")

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
"""

BODY = """
@model.action("node", item=ITEM, to=TO)
def send(s: State, k: Bounds, node: int, item: int, to: int) -> bool:
    GUARD1
    s.waiting.discard(item)
    s.node[to].inbox.add(item)
    return True

@model.action("node", item=INBOX)
def receive(s: State, k: Bounds, node: int, item: int) -> bool:
    GUARD2
    if s.node[node].got == 2:
        return False
    s.node[node].inbox.discard(item)
    s.node[node].got += 1
    s.bag.add(item) if False else None
    return True

@model.action("painter", color=COLORS)
def wash(s: State, k: Bounds, color: Color) -> bool:
    GUARD3
    s.last = color
    s.colors.popleft()
    return True

@model.action("painter", color=lambda k: Color)
def paint(s: State, k: Bounds, color: Color) -> bool:
    if len(s.colors) == 2:
        return False
    s.colors.append(color)
    return True

@model.action("box", item=RANGE)
def again(s: State, k: Bounds, item: int) -> bool:
    GUARD4
    if any(item in one.inbox for one in s.node):
        return False
    s.waiting.add(item)
    return True

@model.action("box", item=BAG)
def fill(s: State, k: Bounds, item: int) -> bool:
    GUARD5
    if s.bag[1 - item] == 2:
        return False
    s.bag.add(1 - item)
    return True

@model.invariant("Nobody gets two while green was washed.")
def few(s: State, k: Bounds) -> bool:
    return s.node[1].got < 2 or s.last is not Color.GREEN
"""

BY_STATE = {
    "ITEM": "lambda s, k: s.waiting",
    "TO": "lambda k, node: [(node + 1) % k.nodes]",
    "INBOX": "lambda s, k, node: s.node[node].inbox",
    "COLORS": "lambda s, k: s.colors",
    "RANGE": "(lambda k: range(k.items), lambda s, k: range(s.node[0].got, 2))",
    "BAG": "lambda s, k: s.bag",
    **{f"GUARD{n}": "pass" for n in range(1, 6)},
}

LISTED = {
    **BY_STATE,
    "ITEM": "lambda s, k: [n for n in sorted(s.waiting)]",
    "COLORS": "lambda s, k: (color for color in s.colors)",
    "RANGE": "free",
    "HELPER": "def free(s, k):\n    return range(s.node[0].got, min(2, k.items))\n",
}
"""Functions of the state that compute what they list: all values are known from their types."""

BY_HAND = {
    "ITEM": "lambda k: range(k.items)",
    "TO": "lambda k: range(k.nodes)",
    "INBOX": "lambda k: range(k.items)",
    "COLORS": "lambda k: Color",
    "RANGE": "lambda k: range(k.items)",
    "BAG": "lambda k: range(2)",
    "GUARD1": "if item not in s.waiting or to != (node + 1) % k.nodes:\n        return False",
    "GUARD2": "if item not in s.node[node].inbox:\n        return False",
    "GUARD3": "if color not in s.colors:\n        return False",
    "GUARD4": "if not s.node[0].got <= item < 2:\n        return False",
    "GUARD5": "if item not in s.bag:\n        return False",
}


def model(choices):
    text = BODY
    for name, value in choices.items():
        text = text.replace(name, value)
    # A bag with something in it at first, so that there is something to choose.
    first = "\n@model.initial\ndef begin(s: State, k: Bounds):\n    s.bag.add(0)\n    yield\n"
    return (
        HEAD
        + choices.get("HELPER", "")
        + first
        + text.replace("    s.bag.add(item) if False else None\n", "")
    )


@pytest.fixture
def write(tmp_path):
    def written(text, name="choices.py"):
        file = tmp_path / name
        file.write_text(text, "utf-8")
        return str(file)

    return written


@pytest.mark.parametrize("by_state", [BY_STATE, LISTED], ids=["named", "listed"])
@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_choices_by_the_state_are_those_of_guards_by_hand(write, engine, by_state):
    files = write(model(by_state)), write(model(BY_HAND), "hand.py")
    counts = []
    for file in files:
        every = tidegate.check(file, {}, ["TypeOk"], engine=engine)
        few = tidegate.check(file, {}, ["Few"], engine=engine)
        steps = [(step.action, step.arguments, step.state) for step in few.trace]
        counts.append((every.distinct_states, every.depth, steps))
        assert every.holds
    assert counts[0] == counts[1]
    assert "Receive" in {action for action, _, _ in counts[0][2]}


def test_only_what_the_state_chooses_is_tried(write):
    protocol = find_protocol(write(model(BY_STATE)))
    system = protocol.system(protocol.within(["items=9"]))
    [first] = system.initial_states()
    calls = []
    for index, (number, apply, arguments) in enumerate(system._tried):

        def counted(*values, apply=apply, name=system.instances[index].action.name):
            calls.append(name)
            return apply(*values)

        system._tried[index] = number, counted, arguments
    assert len(list(system.successors(first))) > 0
    every = [instance.action.name for instance in system.instances]
    assert (every.count("Receive"), calls.count("Receive")) == (18, 0)
    assert (every.count("Again"), calls.count("Again")) == (9, 2)
    assert (every.count("Send"), calls.count("Send")) == (18, 18)


def test_a_trace_of_chosen_steps_is_explained_and_replayed(write, tmp_path):
    file, saved = write(model(BY_STATE)), str(tmp_path / "few.json")
    done = CliRunner().invoke(main, ["check", file, "-p", "Few", "--json", saved])
    assert done.exit_code == 12, done.output
    again = CliRunner().invoke(main, ["replay", saved, "--protocol", file])
    assert again.exit_code == 0, again.output
    trace = json.loads((tmp_path / "few.json").read_text("utf-8"))["trace"]
    received = [s["#meta"] for s in trace["states"] if s["#meta"].get("action") == "Receive"]
    assert len(received) == 2
    explained = CliRunner().invoke(main, ["explain", file, "-p", "Few"])
    assert explained.exit_code == 0, explained.output
    assert "6. Receive (node 1, item 0)." in explained.output


def test_the_guard_of_a_choice_is_what_reports_show(write):
    action = {one.name: one for one in find_protocol(write(model(BY_STATE))).actions}
    assert guards(action["Receive"].apply)[0].test == "item not in s.node[node].inbox"
    assert guards(action["Again"].apply)[0].test == "not s.node[0].got <= item < 2"


WRONG = {
    "unknown": ("TO", "lambda k, other: [0]", "to of action Send depends on other, which is not a"),
    "later": ("ITEM", "lambda k, to: [0]", "item of action Send depends on to, which is not a"),
    "tuples": (
        "ITEM", "lambda s, k: [(x, x) for x in s.waiting]", "its values are not known in advance",
    ),
    "of any size": (
        "ITEM", "lambda s, k: [sum(s.waiting) ** 9]",
        "its values are not known in advance",
    ),
    "no container": ("ITEM", "lambda s, k: s.last", "it must be a set, bag or sequence of numbers"),
    "fails": ("ITEM", "lambda s, k: s.wating", "has no attribute 'wating'"),
    "two of the state": (
        "RANGE", "(lambda s, k: s.waiting, lambda s, k: s.waiting)", "write lambda k: ...",
    ),
    "two of the bounds": (
        "RANGE", "(lambda k: range(2), lambda k: range(2))", "write lambda s, k: ...",
    ),
    "a clock": (
        "RANGE", "(lambda k: range(2), lambda s, k: range(int(__import__('time').time())))",
        "runs code that cannot be read",
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_choice_is_named_with_its_line(write, wrong):
    name, value, text = WRONG[wrong]
    source = model({**BY_STATE, name: value})
    done = CliRunner().invoke(main, ["check", write(source)])
    assert done.exit_code != 0
    said = " ".join(done.output.split())
    assert text in said
    line = source[: source.index(value)].count("\n") + 1
    assert f"choices.py:{line}" in said, (line, said)


SYMMETRIC = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 4, "nodes")

def ALL(k: Bounds) -> range:
    return range(k.nodes)

class State(Record):
    alive: Set = set_of(lambda k: k.nodes, "alive", of_replicas=True, initial=ALL)
    got: list[int] = array(lambda k: k.nodes, integer(0, 2, "steps"), by_replica=True)

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

@model.action("node", node=CHOICE)
def step(s: State, k: Bounds, node: int) -> bool:
    GUARD
    if s.got[node] == 2:
        return False
    s.got[node] += 1
    return True

@model.action("node", node=CHOICE)
def die(s: State, k: Bounds, node: int) -> bool:
    GUARD
    s.alive.discard(node)
    return True
"""


def test_with_symmetry_a_choice_by_the_state_is_a_guard(write):
    by_state = SYMMETRIC.replace("CHOICE", "lambda s, k: s.alive").replace("GUARD", "pass")
    by_hand = SYMMETRIC.replace("CHOICE", '"node"').replace(
        "GUARD", "if node not in s.alive:\n        return False"
    )
    counts = [
        tidegate.check(file, {}, ["TypeOk"], symmetry=symmetry).distinct_states
        for file in (write(by_state), write(by_hand, "hand.py"))
        for symmetry in (False, True)
    ]
    assert counts == [216, 56, 216, 56]


TOLD_APART = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes")

class Msg(Record):
    term: int = integer(0, 2, "term")

class State(Record):
    inbox: list[Seq[Msg]] = array(
        lambda k: k.nodes, sequence_of(Msg, 2, "inbox"), by="node", by_replica=True
    )
    team: Set = set_of(2, "chosen")
    leader: int = replica_id(lambda k: k.nodes - 1, "who leads", of="node")
    term: int = integer(0, 2, "term")

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

@model.action("node")
def send(s: State, k: Bounds, node: int) -> bool:
    if len(s.inbox[node]) == 2:
        return False
    s.inbox[node].append(Msg(term=s.term))
    return True

@model.action("node", CHOICE)
def take(s: State, k: Bounds, node: int, VALUE) -> bool:
    s.leader = node
    FAULT
    return True
"""

CHOICES = {
    "nothing": ("node='node'", ""),
    "a number": ("item=lambda k: range(2)", "item: int"),
    "a number by the state": ("item=lambda s, k: s.team", "item: int"),
    "a message": ("m=lambda s, k, node: s.inbox[node]", "m: Msg"),
}
FAULTS = {
    "s.term = min(2, s.term + node)": "s.term + node ",
    "s.leader = 0": "s.leader = 0 stores the number 0 ",
    "s.leader = max(node, s.leader)": "max(node, s.leader) ",
    "s.leader = node if node > 0 else NONE": "node > 0 ",
    "s.term = int(node == 0)": "node == 0 ",
    "s.leader = s.term": "s.leader = s.term stores a plain number ",
    "s.term = int(s.term == node)": "s.term == node ",
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("fault", FAULTS)
def test_what_tells_nodes_apart_is_refused_at_its_line_whatever_is_chosen(write, choice, fault):
    chosen, value = CHOICES[choice]
    text = TOLD_APART.replace("CHOICE", chosen).replace("VALUE", value).replace("FAULT", fault)
    with pytest.raises(tidegate.TidegateError) as error:
        tidegate.check(write(text), {}, ["TypeOk"], symmetry=True)
    assert str(error.value).startswith(f"Take: {FAULTS[fault]}")
    line = text[: text.index(fault)].count("\n") + 1
    assert f":{line}); " in str(error.value)


def test_an_index_of_a_message_is_never_taken_for_the_number_of_a_node(write):
    text = TOLD_APART.replace("CHOICE", CHOICES["a message"][0]).replace("VALUE", "m: Msg")
    with pytest.raises(tidegate.TidegateError, match=r"^Take: s.inbox\[s.term\].* uses a plain"):
        tidegate.check(
            write(text.replace("FAULT", "s.inbox[s.term].clear()")), {}, ["TypeOk"], symmetry=True
        )


RECORDS = """\
from dataclasses import dataclass
from enum import IntEnum, auto
from tidegate import *

class Step(IntEnum):
    ASK = auto()
    TELL = auto()

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes")

class Msg(Record):
    step: Step = enumeration(Step, "what it says")
    to: int = integer(0, 3, "to whom")

class State(Record):
    sent: Seq[Msg] = sequence_of(Msg, 3, "what was sent")
    left: int = integer(0, 4, "what may be sent", initial=4)
    heard: Set = set_of(lambda k: k.nodes, "who was told")

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

@model.action("node")
def ask(s: State, k: Bounds, node: int) -> bool:
    if s.left == 0 or len(s.sent) == 3:
        return False
    s.left -= 1
    s.sent.append(Msg(step=Step.ASK, to=node))
    return True

RECEIVE

def is_question(m: Msg) -> bool:
    return m.step is Step.ASK

@model.invariant("Not all were told.")
def some(s: State, k: Bounds) -> bool:
    return len(s.heard) < k.nodes
"""

RECEIVED = """
    if m.to != node:
        return False
    s.sent.popleft()
    if is_question(m) and len(s.sent) < 3:
        s.sent.append(Msg(step=Step.TELL, to=m.to))
    else:
        s.heard.add(m.to)
    return True
"""

BY_ELEMENT = '''@model.action("node", m=lambda s, k: s.sent)
def receive(s: State, k: Bounds, node: int, m: Msg) -> bool:
    """Receive a message."""'''

BY_INDEX = '''@model.action("node", m_index=lambda k: range(3), fair_per=("node",))
def receive(s: State, k: Bounds, node: int, m_index: int) -> bool:
    """Receive a message."""
    if m_index >= len(s.sent):
        return False
    m = s.sent[m_index]'''


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_record_that_the_state_chooses_is_a_step_for_each_index(write, engine):
    files = [
        write(RECORDS.replace("RECEIVE", begin + RECEIVED), f"{name}.py")
        for name, begin in (("element", BY_ELEMENT), ("index", BY_INDEX))
    ]
    found = []
    for file in files:
        every = tidegate.check(file, {}, ["TypeOk"], engine=engine)
        told = tidegate.check(file, {}, ["Some"], engine=engine)
        steps = [(step.action, step.arguments, step.state) for step in told.trace]
        owed = {one.name: one.owed for one in find_protocol(file).actions}
        found.append((every.holds, every.distinct_states, every.depth, steps, owed))
    assert found[0] == found[1]
    assert found[0][4]["Receive"] == "weak, for each node"


def test_a_guard_that_is_made_for_what_the_state_chooses_has_no_mutant(write):
    made = [(write(model(BY_STATE), "states.py"), 5)]
    made.append((write(RECORDS.replace("RECEIVE", BY_ELEMENT + RECEIVED), "records.py"), 1))
    for file, chosen in made:
        actions = find_protocol(file).actions
        every = {f"{one.name}: {guard.test}" for one in actions for guard in guards(one.apply)}
        left = every - {mutant.name for mutant in mutants(find_protocol(file))}
        assert len(left) == chosen
        assert all(" not in s." in one or "_index >= " in one or " <= item" in one for one in left)


def test_a_sequence_of_records_needs_a_parameter_that_is_one(write):
    source = RECORDS.replace("RECEIVE", BY_ELEMENT.replace("m: Msg", "m: int") + RECEIVED)
    done = CliRunner().invoke(main, ["check", write(source)])
    said = " ".join(done.output.split())
    assert "annotate the parameter with the class of a record" in said
    line = source[: source.index("m=lambda s, k: s.sent")].count("\n") + 1
    assert f"choices.py:{line}" in said


@pytest.mark.parametrize("declared", ["Seq[Msg] = sequence_of(", "RecordSet[Msg] = set_of("])
def test_a_choice_of_records_says_that_the_parameter_must_be_annotated(write, declared):
    bare = BY_ELEMENT.replace("m: Msg", "m")
    text = RECORDS.replace("RECEIVE", bare + RECEIVED.replace("popleft()", "remove(m)"))
    done = CliRunner().invoke(
        main, ["check", write(text.replace("Seq[Msg] = sequence_of(", declared))]
    )
    said = " ".join(done.output.split())
    assert "m of action Receive is a Record" in said
    assert "; annotate the parameter with the class of a record" in said


def test_a_parameter_that_is_called_an_index_keeps_its_name(write):
    broken = RECORDS.replace("RECEIVE", BY_INDEX + RECEIVED).replace("< k.nodes\n", "< 1\n")
    done = CliRunner().invoke(main, ["check", write(broken), "-p", "Some"])
    assert "m_index 0" in " ".join(done.output.split())


INDICES = """\
from dataclasses import dataclass
from enum import IntEnum
from tidegate import *

PAIRS = [(0, 1), (1, 2), (2, 0)]

class Code(IntEnum): LOW = 0; HIGH = 1

@dataclass(frozen=True)
class Bounds: pass

class State(Record):
    x: int = integer(0, 2, "x")
    code: Code = enumeration(Code, "code")

model = Model(Bounds, State)

@model.action("a", pair=lambda k: range(len(PAIRS)), code=lambda k: list(Code))
def go(s: State, k: Bounds, pair: int, code: Code) -> bool:
    one, other = PAIRS[pair]
    if s.x != one or s.code is code:
        return False
    s.x, s.code = other, code
    return True
"""


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_choice_is_an_index_into_a_constant_or_a_member_of_an_enumeration(write, engine):
    found = tidegate.check(write(INDICES), properties=["TypeOk", "Deadlock"], engine=engine)
    assert (found.holds, found.distinct_states) == (True, 6)


def test_a_choice_may_have_no_values_within_some_bounds(write):
    text = INDICES.replace("class Bounds: pass", 'class Bounds: n: int = number(0, 0, 9, "n")')
    file = write(text.replace("range(len(PAIRS))", "range(min(k.n, 3))"))
    assert tidegate.check(file, properties=["TypeOk"]).distinct_states == 1
    assert tidegate.check(file, {"n": 3}, properties=["TypeOk"]).distinct_states == 6


WRITTEN = """\
from dataclasses import dataclass
from enum import IntEnum
from tidegate import *

class Code(IntEnum):
    A = 0
    B = 1
    C = 2

@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "most")

class State(Record):
    x: list[int] = array(2, integer(0, lambda k: k.most, "x"), by="node", by_replica=True)
    code: Code = enumeration(Code, "code")
    flag: bool = boolean("flag")

model = Model(Bounds, State, participants={"node": NODES}, deadlock=False)

@model.action("node", step=STEPS)
def add(s: State, k: Bounds, node: int, step: int) -> bool:
    if s.x[node] + step > k.most:
        return False
    s.x[node] += step
    return True

@model.action("env", code=CODES, flag=FLAGS)
def put(s: State, k: Bounds, code: Code, flag: bool) -> bool:
    if s.code is code and s.flag is flag:
        return False
    s.code, s.flag = code, flag
    return True

@model.action("env", code=SOME)
def drop(s: State, k: Bounds, code: Code) -> bool:
    if s.code is not code:
        return False
    s.code = Code.A
    return True
"""

AS_FUNCTIONS = {
    "NODES": "lambda k: 2", "STEPS": "lambda k: (1, 3)", "CODES": "lambda k: list(Code)",
    "FLAGS": "lambda k: [False, True]", "SOME": "lambda k: [Code.B, Code.C]",
}  # fmt: skip
AS_VALUES = {
    "NODES": "2", "STEPS": "(1, 3)", "CODES": "Code", "FLAGS": "bool", "SOME": "[Code.B, Code.C]",
}  # fmt: skip


def test_values_may_be_written_themselves(tmp_path):
    found = []
    for written in AS_FUNCTIONS, AS_VALUES:
        text = WRITTEN
        for name, value in written.items():
            text = text.replace(name, value)
        file = tmp_path / f"written{len(found)}.py"
        file.write_text(text, "utf-8")
        for how in ({"engine": "interpreted"}, {"engine": "compiled"}, {"symmetry": True}):
            checked = tidegate.check(file, properties=["TypeOk"], **how)
            found.append((checked.complete, checked.distinct_states, checked.depth))
    assert found[:3] == found[3:]
    assert found[0] == found[1]
    assert found[2][1] < found[1][1]


TUPLES = """\
from dataclasses import dataclass
from enum import IntEnum
from tidegate import *

class Way(IntEnum):
    BACK = 0
    ON = 1

@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 9, "most")

class State(Record):
    at: list[int] = array(3, integer(0, lambda k: k.most, "tokens"))

EDGES = [(0, 1), (1, 2), (2, 0), (0, 2)]
model = Model(Bounds, State, deadlock=False)

@model.initial
def begin(s: State, k: Bounds):
    s.at[0] = k.most
    yield

@model.action("env", edge=VALUES)
def move(s: State, k: Bounds, edge: tuple[int, int]) -> bool:
    a, b = edge
    if not s.at[a]:
        return False
    s.at[a] -= 1
    s.at[b] += 1
    return True

@model.action("env", turn=[(Way.BACK, 2), (Way.ON, 2)])
def jump(s: State, k: Bounds, turn: tuple[Way, int]) -> bool:
    way, much = turn
    if s.at[1] < much or way is Way.BACK:
        return False
    s.at[1] -= much
    s.at[2] += much
    return True

@model.invariant("Few are there.")
def few(s: State, k: Bounds) -> bool:
    return s.at[2] < 2
"""


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("values", ["EDGES", "lambda k: EDGES", "((0, 1), (1, 2), (2, 0), (0, 2))"])
def test_tuples_are_values(tmp_path, engine, values):
    file = tmp_path / "tokens.py"
    file.write_text(TUPLES.replace("VALUES", values), "utf-8")
    checked = tidegate.check(file, engine=engine)
    # Two tokens among three places: their positions, as many as there are multisets.
    assert tidegate.check(file, properties=["TypeOk"], engine=engine).distinct_states == 6
    assert checked.violated == ("Few",)
    assert [str(step) for step in checked.trace[1:]] == ["Move(edge=(0, 2))"] * 2
    assert checked.trace[1].arguments == {"edge_index": 3}
    assert "edge (0, 2)" in str(checked)
    jump = find_protocol(str(file)).actions[1]
    assert [str(one) for one in jump.arguments(None)] == ["(0,)", "(1,)"]


WRITTEN_OUT = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 4, "n", main=True)

class State(Record):
    x: int = integer(0, 6, "x")
    flag: bool = boolean("flag")
    q: Set = set_of(7, "q", initial=[3, 5])

model = Model(Bounds, State, deadlock=False)
TOP = 6

@model.action("env", v=(lambda k: range(7), CHOICE))
def go(s: State, k: Bounds, v: int) -> bool:
    others, TOP_ = [s.x], 1
    if v == s.x or others[0] < 0:
        return False
    s.x, s.flag = v, not s.flag
    return True
"""

BRACKETED = {
    "lambda s, k: [1, 2] if s.x == 0 else [6]": lambda x, flag: [1, 2] if x == 0 else [6],
    "lambda s, k: range(s.x or 5)": lambda x, flag: range(x or 5),
    "lambda s, k: range(s.x + 2 if s.flag else 2)": lambda x, flag: range(x + 2 if flag else 2),
    "lambda s, k: range(s.x and 1, s.x or 4)": lambda x, flag: range(x and 1, x or 4),
    "lambda s, k: [1, 2] if s.flag else [3]": lambda x, flag: [1, 2] if flag else [3],
    "lambda st, k: [s for s in st.q if s > st.x]": lambda x, flag: [v for v in (3, 5) if v > x],
    "lambda s, k: [others for others in (4, TOP)]": lambda x, flag: [4, 6],
    "lambda s, k, t=2: [t, s.x + t]": lambda x, flag: [2, x + 2],
}


def reached(choose):
    """Return how many states there are, searched without Tidegate."""
    known, todo = {(0, False)}, [(0, False)]
    for x, flag in todo:
        for v in choose(x, flag):
            after = v, not flag
            if v != x and v in range(7) and after not in known:
                known.add(after)
                todo.append(after)
    return len(known)


@pytest.mark.parametrize("choice", BRACKETED)
@pytest.mark.parametrize("engine", ["interpreted", "auto"])
def test_a_choice_means_in_the_action_what_it_means_by_itself(tmp_path, choice, engine):
    path = tmp_path / "written_out.py"
    path.write_text(WRITTEN_OUT.replace("CHOICE", choice))
    found = tidegate.check(str(path), engine=engine, properties=["none"])
    assert found.distinct_states == reached(BRACKETED[choice])


FACTORY = (
    WRITTEN_OUT[: WRITTEN_OUT.index("@model.action")]
    + """
def made(step):
    @model.action("env", v=(lambda k: range(7), lambda s, k: [s.x + step]))
    def go(s: State, k: Bounds, v: int) -> bool:
        if s.x + step > 6:
            return False
        s.x = v
        return True

    return go


ONE = made(2)
"""
)


def test_an_action_of_a_factory_has_choices(tmp_path):
    path = tmp_path / "factory.py"
    path.write_text(FACTORY)
    found = tidegate.check(str(path), properties=["none"])
    assert found.distinct_states == 4


OF_TUPLES = (
    WRITTEN_OUT[: WRITTEN_OUT.index("@model.action")]
    + """
@model.action("env", e=[(0, 1), (4, 6)], w=LATER)
def go(s: State, k: Bounds, e: tuple[int, int], w: int) -> bool:
    if w == s.x or w == e[1]:
        return False
    s.x = w
    return True
"""
)


@pytest.mark.parametrize(
    "later",
    [
        "lambda k, e: range(e[0], e[1] + 1)",
        "(lambda k: range(7), lambda s, k, e: range(e[0], e[1] + 1))",
    ],
)
@pytest.mark.parametrize("engine", ["interpreted", "auto"])
def test_a_choice_reads_a_tuple_that_was_chosen_before(tmp_path, later, engine):
    path = tmp_path / "tuples.py"
    path.write_text(OF_TUPLES.replace("LATER", later))
    found = tidegate.check(str(path), engine=engine, properties=["none"])
    # 1 and 6 are the ends of their tuples.
    assert found.distinct_states == len({0, 4, 5})


def test_a_value_that_the_code_seemed_not_to_list_is_an_error(write, monkeypatch):
    """Were a type too narrow, states would be missed in every engine."""
    right = listing.values_of
    monkeypatch.setattr(listing, "values_of", lambda kind: right(kind)[:-1])
    done = CliRunner().invoke(main, ["check", write(model(LISTED)), "--engine", "interpreted"])
    assert done.exit_code == 70, done.output
    assert "it lists 1, which its code does not seem to" in " ".join(done.output.split())


@pytest.mark.parametrize("option", ["source", "fairness", "fair_per", "sign", "when", "distinct"])
def test_a_parameter_may_be_called_like_an_option(write, option):
    text = model(BY_STATE)
    # What is said of such a name is said of the parameter.
    other = (
        text.replace(
            "def send(s: State, k: Bounds, node: int, item: int, to: int)",
            f"def send(s: State, k: Bounds, node: int, {option}: int, to: int)",
        )
        .replace("item=lambda s, k: s.waiting, to=", f"{option}=lambda s, k: s.waiting, to=")
        .replace("s.waiting.discard(item)", f"s.waiting.discard({option})")
        .replace("inbox.add(item)", f"inbox.add({option})", 1)
    )
    results = [
        tidegate.check(write(one, f"{n}.py"), {}, ["TypeOk"]) for n, one in enumerate((text, other))
    ]
    assert results[0].distinct_states == results[1].distinct_states > 100
