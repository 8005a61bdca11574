"""A refusal names what the user wrote, says why, and what to write instead."""

import re
from pathlib import Path

import pytest

import tidegate
from tests.checker.diagnosis import reasons
from tidegate import TidegateError
from tidegate.core.symmetry import Symmetry
from tidegate.library.names import find_protocol
from tidegate.library.properties import find_properties, system_for
from tidegate.symmetry.proof import show

NOT_A_USERS = re.compile(
    r" at 0x|\w\?|is not analysed|repair that|the expression |\b(a collection|an iterable)[).\[]|"
    r"the call (a|an) \w+ "
)
"""Addresses, names that the translator made, and what gives no reason."""

HEAD = """\
import functools
import operator
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from tidegate import *

class Order:
    def __init__(self, *names):
        self.names = names

    def __call__(self, s, k, node=0) -> bool:
        return True

    def __contains__(self, name):
        return name in self.names

class Role(IntEnum):
    FOLLOWER = 0
    LEADER = 1

    @property
    def other(self):
        return Role(1 - self)

ORDER, ORDERS = Order(1, 2), (Order(1), Order(2))
offset_of = attrgetter("offset")

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 3, "nodes")

class Entry(Record):
    offset: int = integer(0, 9, "its offset")

class State(Record):
    x: int = integer(0, 9, "a number")
    role: Role = enumeration(Role, "a role")
    up: list[bool] = array(lambda k: k.nodes, boolean("up"), by="node", by_replica=True)
    ends: list[int] = array(lambda k: k.nodes, integer(0, 9, "ends"), by="node", by_replica=True)
    q: Seq[int] = sequence_of(integer(0, 9, "a number"), 3, "numbers")
    log: Seq[Entry] = sequence_of(Entry, 3, "entries")

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

def total(values) -> int:
    return sum(values) % 10

@pure
def digit(number, most=9) -> int:
    return int(str(min(number, most))[0])

@model.action("steps", node=lambda k: range(k.nodes))
def step(s: State, k: Bounds, node: int) -> bool:
"""

TAIL = """
    return True

@model.invariant("It is small.")
def small(s: State, k: Bounds) -> bool:
    return s.x <= 9
"""

COMPILED = {
    "if s.x in ORDER: s.x = 0": "s.x in ORDER calls Order.__contains__",
    "s.x = 1 if ORDERS[0] == s.x else 2": "ORDERS[0] == s.x compares <Order object> with a number",
    "s.x = total(v for v in s.q)": "a generator or an iterator has a name, or is stored",
    "n = reversed(s.q) if s.x else s.q; s.x = sum(n)": "a generator or an iterator has a name",
    "s.x = s.q": "s.x is a number, and gets a part of the state",
    "s.q[:] = s.log": "s.q[:] puts a record among numbers",
    "s.x = s.x.real": "s.x.real: a number has no real",
}
"""By a line that is not compiled, what is said."""

SYMMETRIC = {
    "s.up[node] = True; s.x = node": "stores the number of a node in x, declared as a plain number",
    "if s.up[node] and node > 0: s.x = 1": "node > 0 orders the number of a node and the number 0",
    "if s.up[0]: s.x = 1": "s.up[0] uses the number 0 as an index of up, which is by node",
    "for a, b in zip(s.ends, s.q): s.x = a": "takes side by side what comes in any order",
    "s.x = sum(n for n in range(k.nodes) if s.up[n])": "adds up the number of a node",
    "for n in range(k.nodes): s.x = s.ends[n]": "changes x for each replica in a way",
    "v = [0 for n in range(k.nodes)]; s.x = v[0] + s.ends[node]": "use a number that names a",
    "s.q[:] = [s.ends[n] for n in range(k.nodes)]": "stores a list by node in q",
    "s.x = max(range(k.nodes), key=lambda n: s.ends[n])": "by a key, where the first of several",
    "s.up[node] = True; s.x = digit(node)": "computes with the number",
    "s.x = digit(s.ends[node], node)": "computes with the number",
    "w = {n: 1 for n in range(2)}; s.x = w[0]": "makes a dictionary",
    "s.x = total([*s.q]) ": "has no proof",
}
"""By a line that is not proved to treat nodes alike, what is said."""

ACCEPTED = [
    "s.x = total([v for v in s.q])",
    "n = 3; s.x = min(n, s.x)",
    "s.x = min(2, s.x) if s.up[node] else max(2, s.x)",
    "s.x = 1 if s.x == 0 else 2 if s.x == 1 else 0",
    "s.x = (min if s.up[node] else max)(s.x, 2)",
    "s.x = min(n := 3, s.x)",
    "pick = lambda v: v + 1; s.x = pick(0)",
    "w = {0: 1, 1: 2}; s.x = w.get(s.x, 0)",
    "s.x = max(s.q, key=abs, default=0)",
    "match s.x:\n        case int(): s.x = 1",
    "def plus(v): return v + 1\n    s.x = plus(2)",
    "s.x = isinstance(s.x, int)",
    "s.role = s.role.other",
    "s.x = digit(s.ends[node], most=7)",
    "s.x = max(s.ends[n] for n in range(k.nodes))",
]
"""Lines that are accepted by both."""


def written(folder: Path, line: str) -> str:
    """Return the file of a model with a line in its action."""
    file = folder / "model.py"
    file.write_text(f"{HEAD}    {line}{TAIL}", "utf-8")
    return str(file)


@pytest.mark.parametrize("line", COMPILED)
def test_what_is_not_compiled_is_named_as_it_is_written(tmp_path, line):
    protocol = find_protocol(written(tmp_path, line))
    properties = find_properties(protocol, [])
    system = protocol.system(protocol.within([]), frozenset())
    said = "\n".join(map(str, reasons(system, properties)))
    assert COMPILED[line] in said
    assert not NOT_A_USERS.search(said), said


@pytest.mark.parametrize("line", SYMMETRIC)
def test_what_symmetry_refuses_is_named_with_its_reason_and_repair(tmp_path, line):
    with pytest.raises(TidegateError) as refused:
        tidegate.check(written(tmp_path, line), symmetry=True)
    assert SYMMETRIC[line] in str(refused.value)
    assert not NOT_A_USERS.search(str(refused.value)), refused.value
    assert "is not known" not in str(refused.value), "what was not followed is blamed again"


@pytest.mark.parametrize("line", ACCEPTED)
def test_a_line_of_the_language_that_treats_nodes_alike_is_accepted(tmp_path, line):
    file = written(tmp_path, line)
    protocol = find_protocol(file)
    properties = find_properties(protocol, [])
    assert reasons(system_for(protocol, (), properties), properties) == ()
    assert tidegate.check(file, symmetry=True).holds


STRANGERS = sorted(Path(__file__).parents[1].glob("strangers/models/*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("file", STRANGERS, ids=lambda file: file.stem)
def test_no_refusal_of_a_strangers_model_shows_what_they_did_not_write(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    texts = []
    try:
        protocol = find_protocol(file.name)
        properties = find_properties(protocol, [])
        system = system_for(protocol, (), properties)
        texts += map(str, reasons(system, properties))
        show(system, Symmetry(system), properties)
    except TidegateError as error:
        texts += [str(error), *getattr(error, "details", ())]
    assert not [text for text in texts if NOT_A_USERS.search(text)]
