"""Lines of models, in the language or not: what is in it has code, which does what Python does.

``lines.txt`` has them, some of several lines: whatever somebody may write about each kind of
variables, constants of a file, and functions of Python's.
"""

import importlib.util
from pathlib import Path
from random import Random

import pytest

from tests.language.machine import FAILED, Machine
from tidegate.core.layout import Layout
from tidegate.language.lowering.frame import LoweringError
from tidegate.language.lowering.lower import Lowering
from tidegate.language.schema import Schema
from tidegate.language.types import Known, Number

HEAD = """\
import copy, dataclasses, functools, itertools, math, operator
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from tidegate import *

class Role(IntEnum):
    FOLLOWER = 0
    LEADER = 1

class Own(IntEnum):
    A = 0
    B = 1
    def __add__(self, other):
        return 5

class Op:
    n = 1

TABLE = list(range(100))
BIG = {i: i * 2 % 10 for i in range(200)}
PAIRS = [(i, i % 3) for i in range(80)]
FUNCS = {"a": min, "b": max}
NAMES = ("a", "b")
OBJECTS = [Op(), Op()]
BIGSET = {1, 100, 200}
FROZEN = frozenset(range(0, 90, 3))

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 3, "nodes")
    low: int = number(0, 0, 3, "low")

class Entry(Record):
    offset: int = integer(0, 9, "its offset")
    epoch: int = integer(lambda k: k.low, 9, "its epoch")

EMPTY = Entry(offset=1, epoch=1)

class Big(Record):
    rows: list[Seq[int]] = array(3, sequence_of(9, 3, "row"))
    n: int = integer(0, 9, "n")

class WithBag(Record):
    n: int = integer(0, 3, "n")
    bag: Bag = bag_of(3, 3, "bag")

class State(Record):
    x: int = integer(0, 9, "a number")
    y: int = integer(0, 9, "another number")
    big: int = integer(0, 1000, "a big number")
    neg: int = integer(-5, 5, "negative")
    role: Role = enumeration(Role, "a role")
    up: list[bool] = array(lambda k: k.nodes, boolean("up"), by="node", by_replica=True)
    ends: list[int] = array(lambda k: k.nodes, integer(0, 9, "ends"), by="node", by_replica=True)
    q: Seq[int] = sequence_of(integer(0, 9, "a number"), 3, "numbers")
    log: Seq[Entry] = sequence_of(Entry, 3, "entries")
    a: Set = set_of(4, "a")
    b: Set = set_of(4, "b")
    box: RecordSet[Entry] = set_of(Entry, 3, "box")
    bag: Bag = bag_of(3, 3, "bag")
    other: Bag = bag_of(3, 3, "other")
    few: Bag = bag_of(2, 3, "few")
    rbag: RecordBag[Entry] = bag_of(Entry, 3, "rbag")
    e: Entry = nested(Entry)
    w: WithBag = nested(WithBag)
    entries: list[Entry] = array(2, Entry)
    long: Seq[int] = sequence_of(9, 100, "long")

"""

LINES = (Path(__file__).parent / "lines.txt").read_text("utf-8").strip().split("\n---\n")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Import a file in which each text is the body of a function."""
    place = tmp_path_factory.mktemp("lines") / "lines.py"
    bodies = ("\n    ".join(text.splitlines()) for text in LINES)
    functions = (f"def line{n}(s, k, node=1):\n    {body}\n" for n, body in enumerate(bodies))
    place.write_text(HEAD + "\n".join(functions), "utf-8")
    spec = importlib.util.spec_from_file_location("lines", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def layout(file):
    """Return the layout of its states."""
    return Layout(file.State, file.Bounds())


def states(file, layout, count=40):
    """Return the first state, and random ones, stored."""
    chance, s = Random(1), layout.record
    some = [layout.dump()]

    def entry():
        return file.Entry(offset=chance.randrange(4), epoch=chance.randrange(3))

    def fill(container, most, make):
        for _ in range(chance.randrange(most)):
            container.add(make()) if hasattr(container, "add") else container.append(make())

    for _ in range(count):
        layout.load(some[0])
        s.x, s.y, s.neg = chance.randrange(10), chance.randrange(10), chance.randrange(-5, 6)
        s.big = chance.choice([chance.randrange(12), chance.randrange(1001)])
        s.role = file.Role(chance.randrange(2))
        for n in range(3):
            s.up[n], s.ends[n] = chance.random() < 0.5, chance.randrange(10)
        for numbers in (s.a, s.b):
            fill(numbers, 4, lambda: chance.randrange(4))
        fill(s.q, 4, lambda: chance.randrange(10))
        fill(s.bag, 3, lambda: chance.randrange(3))
        fill(s.long, chance.choice([2, 6, 90]), lambda: chance.randrange(9))
        for records in (s.log, s.box, s.rbag):
            fill(records, 3, entry)
        for record in (s.e, *s.entries):
            record.assign(entry())
        some.append(layout.dump())
    layout.reset()
    return some


def in_python(layout, function, k, state):
    """Return the state after a function in Python; FAILED if it fails there."""
    layout.load(state)
    try:
        function(layout.record, k)
        layout.adopt()
        return layout.dump() if layout.sound() else FAILED
    except Exception:  # noqa: BLE001 - whatever a line does
        return FAILED
    finally:
        layout.reset()


@pytest.fixture(scope="module")
def accepted(file, layout):
    """Return the functions that are in the language, by name."""
    some = {}
    for n in range(len(LINES)):
        lowering, function = Lowering(Schema(layout)), getattr(file, f"line{n}")
        kinds = {"s": lowering.schema.root, "k": Known(file.Bounds()), "node": Number(1, 1)}
        try:
            lowering.function(function, kinds)
        except LoweringError:
            continue
        some[function.__name__] = function
    return some


def test_most_lines_are_in_the_language(accepted):
    assert len(accepted) > len(LINES) * 0.6


def test_what_is_in_the_language_has_code_that_does_what_python_does(file, layout, accepted):
    machine = Machine(layout, file.Bounds(), accepted)
    assert machine.refused == {}
    wrong, compared = {}, 0
    for state in states(file, layout):
        for name in accepted:
            function = accepted[name]
            made = machine.run(name, state)
            if made is FAILED:
                continue
            compared += 1
            if in_python(layout, function, file.Bounds(), state) != made[1]:
                wrong[LINES[int(name.removeprefix("line"))]] = layout.describe(state)
    assert wrong == {}
    assert compared > 20 * len(accepted)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("one = s.entries[0]", "one"),
        ("one = s.entries[:]", "one[0]"),
        ("_, one = s.entries", "one"),
    ],
)
def test_a_name_for_an_element_ends_where_all_elements_are_replaced(tmp_path, name, read):
    """A list of Python's would have other elements then; those of the state are written to."""
    place = tmp_path / "replaced.py"
    lines = f"{name}; s.entries[:] = [EMPTY, EMPTY]; s.x = {read}.offset"
    place.write_text(f"{HEAD}\ndef replace(s, k):\n    {lines}\n", "utf-8")
    spec = importlib.util.spec_from_file_location("replaced", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lowering = Lowering(Schema(Layout(module.State, module.Bounds())))
    kinds = {"s": lowering.schema.root, "k": Known(module.Bounds())}
    with pytest.raises(LoweringError, match="one stands for entries"):
        lowering.function(module.replace, kinds)
