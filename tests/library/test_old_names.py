"""What is assigned to a part of the state is copied there, and an old name for that is refused."""

import pytest

import tidegate
from tidegate import TidegateError

MODEL = """\
from collections import Counter
from copy import copy, deepcopy
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    n: int = number(1, 1, 2, "n")

class Msg(Record):
    n: int = integer(0, 3, "n")

class Pair(Record):
    n: int = integer(0, 3, "n")
    to: Set = set_of(3, "to")

class Cell(Record):
    box: RecordSet[Msg] = set_of(Msg, 3, "box")
    bag: RecordBag[Msg] = bag_of(Msg, 3, "bag")

class State(Record):
    step: int = integer(0, 1, "step")
    x: int = integer(0, 3, "x")
    pairs: list[Pair] = array(2, Pair)
    banks: list[Set] = array(2, set_of(3, "banks"))
    m: list[list[int]] = array(2, array(2, integer(0, 3, "m")))
    net: Seq[Pair] = sequence_of(Pair, 3, "net")
    boxes: list[RecordSet] = array(2, set_of(Msg, 3, "boxes"))
    cell: Cell = nested(Cell)
    some: Set = set_of(3, "some")
    row: list[int] = array(3, integer(0, 3, "row"))
    one: Pair = nested(Pair)
    two: Pair = nested(Pair)
    q: Seq[int] = sequence_of(4, 3, "q")
    note: Msg = nested(Msg)
    msg: Msg = nested(Msg)

model = Model(Bounds, State, deadlock=False)

def put(s: State) -> None:
    s.pairs[0] = Pair(n=3)

def hold(s: State, p) -> None:
    s.one = p

def hold_it(s: State, p) -> None:
    q = p
    hold(s, q)

def same(value):
    return value

def hold_some(s: State, some) -> None:
    s.some = some

@model.action("env")
def act(s: State, k: Bounds) -> bool:
    if s.step:
        return False
    s.step = 1
    BODY
    return True

@model.invariant("It is as in Python.")
def right(s: State, k: Bounds) -> bool:
    return not s.step or (AFTER)
"""

OLD = {
    "old = s.pairs[0]\ns.pairs[0] = Pair(n=3)\ns.x = old.n": "old",
    "before = list(s.banks)\ns.banks[0] = {1}\ns.x = len(before[0])": "before",
    "before = [*s.m]\ns.m[0] = [1, 2]\ns.x = before[0][0]": "before",
    "before = [p for p in s.pairs]\ns.pairs[0] = Pair(n=3)\ns.x = before[0].n": "before",
    "both = s.pairs[0], s.pairs[1]\ns.pairs[0] = Pair(n=3)\ns.x = both[0].n": "both",
    "old = {i: p for i, p in enumerate(s.pairs)}\ns.pairs[0] = Pair(n=3)\ns.x = old[0].n": "old",
    "old = sorted(s.pairs, key=lambda p: p.n)\ns.pairs[0] = Pair(n=3)\ns.x = old[0].n": "old",
    "old = s.pairs[:]\ns.pairs[0] = Pair(n=3)\ns.x = old[0].n": "old",
    "to = s.pairs[0].to\ns.pairs[0] = Pair(n=3, to={1})\ns.x = len(to)": "to",
    "old = s.pairs[0]\nput(s)\ns.x = old.n": "old",
    "old = s.pairs[0]\ndef now():\n    s.pairs[0] = Pair(n=3)\nnow()\ns.x = old.n": "old",
    "old = s.pairs[0]\nfor i in range(2):\n    s.x = old.n\n    s.pairs[i] = Pair(n=3)": "old",
}
"""Actions that read an old name, and that name."""

FITS = {
    "old = s.pairs[0]\ns.x = old.n + 1\ns.pairs[0] = Pair(n=3)": "s.x == 1 and s.pairs[0].n == 3",
    "for i, p in enumerate(s.pairs):\n    s.x += p.n + 1\n    s.pairs[i] = Pair(n=3)": "s.x == 2",
    "old = s.pairs[0].n\ns.pairs[0] = Pair(n=3)\ns.x = old": "s.x == 0",
    "p = s.pairs[0]\nput(s)\np = s.pairs[0]\ns.x = p.n": "s.x == 3",
    "s.boxes[0] = {Msg(n=1)}\ns.boxes[1] = s.boxes[0] | {Msg(n=2)}": "len(s.boxes[1]) == 2",
    "s.net.append(Pair())\np = s.net.pop()\np.to = {1}\ns.net.append(p)": "1 in s.net[0].to",
    "s.x = Cell(box={Msg(n=3), Msg()}) == Cell(box={Msg(), Msg(n=3)})": "s.x == 1",
    "c = Cell(box={Msg(n=1)})\nc.box.add(Msg(n=2))\ns.cell.assign(c)": "len(s.cell.box) == 2",
    "c = Cell(box={Msg(n=1)}, bag=[Msg(), Msg()])\ns.cell.assign(c)\ns.x = c == s.cell": "s.x == 1",
    "s.x = len({Pair(to={1}), Pair(to={1}), Pair(to={2})})": "s.x == 2",
    "f = lambda v=s.x: v\ns.x = 2\ns.x += f()": "s.x == 2",
    "s.banks[0].add(1)\ns.some = s.banks[0] | {2}": "s.some == {1, 2}",
    "s.some = {v for v in range(3) if v}": "s.some == {1, 2}",
    "old = copy(s.pairs[0])\ns.pairs[0] = Pair(n=3)\ns.x = old.n\nold.n = 2": "s.x == 0",
    "s.net.append(deepcopy(s.pairs[0]))\nm = copy(s.net[0])\nm.n = 2\ns.net.append(m)": (
        "s.net[0].n == 0 and s.net[1].n == 2"
    ),
    "s.pairs[0], s.pairs[1] = Pair(n=2), copy(s.pairs[0])": "s.pairs[1].n == 0",
    "s.q = [s.x, 1]\ns.row = [2] * 3": "s.q == [0, 1] and s.row == [2, 2, 2]",
    "s.cell.box = {Msg(n=1), Msg(n=2)}": "len(s.cell.box) == 2",
    "s.one = Pair(n=2, to={1})": "s.one.n == 2 and s.one.to == {1}",
    "s.net.append(Pair(n=3))\ns.one = s.net.pop(0)": "s.one.n == 3 and not s.net",
    "p = s.pairs[1]\np.to = {2}": "s.pairs[1].to == {2}",
    "if s.x == 0:\n    s.some = {0}\nelse:\n    s.some = {1}": "s.some == {0}",
    "s.some = {1}\ns.x = len(s.some)": "s.x == 1",
    "for v in range(3):\n    s.some = {v} | {w for w in s.some}": "s.some == {0, 1, 2}",
    "w = 1\ndef f(v, w=w):\n    return v + w\nw = 2\ns.x = f(1)": "s.x == 2",
    "s.q.extend([1, 2, 3])\nfor v in s.q[::-1]:\n    s.q.clear()\n    s.x += 1": "s.x == 3",
    "for i in range(2):\n    p = Pair(n=i)\n    p.to.add(i)\n    s.net.append(p)": (
        "s.net[1].n == 1"
    ),
    "p = Pair(n=1)\ns.net.append(copy(p))\np.n = 2\ns.net.append(p)": "s.net[0].n == 1",
    "for i in range(2):\n    p = Pair(n=i)\n    p.n = 3\n    hold(s, p)": "s.one.n == 3",
    "t = {1}\nt.add(2)\ns.some = t": "s.some == {1, 2}",
    "s.note = Msg(n=1)\ns.x = s.note.n + 1\ns.note.n = 3": "s.x == 2 and s.note.n == 3",
    "if s.x:\n    s.x = s.note.n\nelse:\n    s.note = Msg(n=2)\n    s.msg = copy(s.note)": (
        "s.note.n == 2 and s.msg.n == 2"
    ),
    "s.some = {1}\nif 1 in s.some:\n    s.some.add(2)\ns.x = len(s.some)": "s.x == 2",
    "s.row = [1, 2, 3]\ns.row[0] += s.row[2] - 1\ns.x = max(s.row)": "s.x == 3",
    "for v in range(2):\n    s.some = {v}\n    s.some |= {v + 1}": "s.some == {1, 2}",
    "s.some = {2, 1}\nfor v in s.some:\n    s.x = s.x + v": "s.x == 3",
    "row = []\nfor v in (1, 2, 3, 1):\n    row.append(v)\n    if len(row) == 2:\n"
    "        s.m[0] = row\n        row = []": "s.m[0] == [3, 1]",
    "p = Pair()\nfor v in range(3):\n    p.n = v\n    s.net.append(p)\n    p = Pair()": (
        "s.net[2].n == 2"
    ),
    "s.banks = [set(), {1}]\ns.banks[0].add(2)": "s.banks == [{2}, {1}]",
}
"""Actions, and what they make of the state."""


LIMITS = {
    "for v in reversed(s.q):\n    s.q.clear()\n    s.x += 1": "this loop changes what it goes",
    "for v in reversed(s.q):\n    s.q.pop()\n    s.x += v % 2": "this loop changes what it goes",
}
"""Actions for which machine code has no room or no way."""


TWO_NAMES = {
    "old = s.some\ns.some = {1}\ns.x = len(old)": "old stands for some",
    "new = {1}\ns.some = new\nnew.add(2)": "new changes after it was stored",
    "s.some = s.pairs[0].to\ns.some.add(1)": "s.some and s.pairs[].to are one object",
    "s.one, s.two = s.two, s.one\ns.one.n = 1": "s.two and s.one are one object",
    "xs = [1]\ns.q[:] = xs\nxs.append(2)\ns.some.update(xs)\nxs.clear()": (
        "xs changes after it was stored"
    ),
    "p = Pair(n=1)\ns.one = p\np.n = 3": "p changes after it was stored",
    "p = Pair(n=1)\nhold(s, p)\np.n = 3": "p changes after it was stored",
    "p = Pair(n=1)\nhold_it(s, p)\np.to.add(1)": "p changes after it was stored",
    "p = Pair()\nfor i in range(2):\n    hold(s, p)\n    p.n = i + 1": (
        "p changes after it was stored"
    ),
    "t = {1}\nboth = s.x, t\ns.some = both[1]\nt.add(2)": "t changes after it was stored",
    "t = [1]\nboth = s.x, t\ns.q = both[1]\nt.append(2)": "t changes after it was stored",
    "t = {1}\nhold_some(s, t)\nt.add(2)": "t changes after it was stored",
    "m = Msg(n=1)\ns.note = m\ns.note.n = 2\ns.x = m.n": "m was assigned to note",
    "m = Msg(n=1)\ns.note = same(m)\ns.note.n = 2\ns.x = m.n": "m was assigned to note",
    "new = {1}\ns.some = new\ns.some.add(2)\ns.x = len(new)": "new was assigned to some",
    "new = {1}\ns.some = same(new)\ns.some.add(2)\ns.x = len(new)": "new was assigned to some",
    "s.cell.bag.add(Msg(n=1))\ns.x = s.cell.bag == Counter([Msg(n=1)])": (
        "compares a part of the state with a dictionary"
    ),
}
"""Actions that change what has two names, and what is said of it."""


STORED = {
    "t = {1}\ns.banks[0] = t\nt.add(2)": "t",
    "t = {1}\nfor i in range(2):\n    s.banks[i] = t\n    t.add(2)": "t",
    "p = Pair(n=1)\ns.pairs[0] = p\np.n = 2": "p",
    "p = Pair(n=1)\ns.net.append(p)\np.to.add(1)": "p",
    "p = Pair(n=1)\ns.net.insert(0, p)\np.n += 1": "p",
    "m = Msg(n=1)\ns.boxes[0].add(m)\nm.n = 2": "m",
    "row = [1, 2]\ns.m[0] = row\nrow[0] = 3": "row",
}
"""Actions that change what they have stored, and its name."""


OUTLIVES = {
    "s.one = EMPTY\ns.one.n = 1": True,
    "s.some = SOME\ns.some.add(1)": True,
    "for v in range(2):\n    s.x = len(s.some)\n    s.some = SOME": True,
    "s.some = SOME": False,
    "s.some = set(SOME)\ns.some.add(1)": False,
}
"""Actions that assign a constant, and whether they may change it."""


def model(tmp_path, body, after="True"):
    file = tmp_path / "copied.py"
    lines = body.replace("\n", "\n    ")
    file.write_text(MODEL.replace("BODY", lines).replace("AFTER", after), "utf-8")
    return file


@pytest.mark.parametrize("body", OLD)
def test_an_old_name_of_what_is_replaced_is_refused(tmp_path, body):
    with pytest.raises(TidegateError) as refused:
        tidegate.check(model(tmp_path, body))
    assert f"{OLD[body]} stands for " in str(refused.value)
    assert "copied.py:6" in str(refused.value)


@pytest.mark.parametrize("body", STORED)
def test_a_change_of_what_was_stored_is_refused(tmp_path, body):
    with pytest.raises(TidegateError) as refused:
        tidegate.check(model(tmp_path, body))
    assert f"{STORED[body]} changes after it was stored in the state" in str(refused.value)


def test_a_write_to_an_element_of_what_was_replaced_is_refused(tmp_path):
    body = "s.net.append(Pair())\ne = s.net[0]\ns.net = s.net[:]\ne.n = 3"
    with pytest.raises(TidegateError, match=r"e\.n: this is a value that was read from a sequence"):
        tidegate.check(model(tmp_path, body))


@pytest.mark.parametrize("engine", ["interpreted", "auto"])
@pytest.mark.parametrize("body", FITS)
def test_what_is_assigned_is_copied(tmp_path, body, engine):
    assert tidegate.check(model(tmp_path, body, FITS[body]), engine=engine).holds


@pytest.mark.parametrize("engine", ["interpreted", "auto", "compiled"])
@pytest.mark.parametrize("body", LIMITS)
def test_what_machine_code_has_no_way_for_is_refused_by_each_engine(tmp_path, body, engine):
    with pytest.raises(TidegateError, match=LIMITS[body]):
        tidegate.check(model(tmp_path, body), engine=engine)


# Bags that are assigned have no machine code yet.
@pytest.mark.parametrize("body", [one for one in FITS if "Cell(" not in one])
def test_machine_code_copies_what_is_assigned(tmp_path, body):
    assert tidegate.check(model(tmp_path, body, FITS[body]), engine="compiled").holds


@pytest.mark.parametrize("body", TWO_NAMES)
def test_a_change_by_two_names_is_refused(tmp_path, body):
    with pytest.raises(TidegateError) as refused:
        tidegate.check(model(tmp_path, body), engine="interpreted")
    assert TWO_NAMES[body] in str(refused.value)


@pytest.mark.parametrize("body", OUTLIVES)
def test_a_constant_is_not_changed_by_way_of_the_state(tmp_path, body):
    file = model(tmp_path, body)
    text = file.read_text("utf-8")
    file.write_text(text.replace("def put(", "EMPTY = Pair()\nSOME = {0}\n\ndef put("), "utf-8")
    if not OUTLIVES[body]:
        assert tidegate.check(file).holds
        return
    with pytest.raises(TidegateError, match=r"a value of the file was assigned to|and gets Pair"):
        tidegate.check(file)


def test_members_with_an_equality_of_their_own_are_refused(tmp_path):
    file = model(tmp_path, "s.x = 1")
    own = "\n    def __eq__(self, other):\n        return True\n"
    text = file.read_text("utf-8").replace('    n: int = integer(0, 3, "n")\n', own, 1)
    file.write_text(text, "utf-8")
    with pytest.raises(TidegateError, match="set_of: Msg has its own __eq__"):
        tidegate.check(file)


@pytest.mark.parametrize("written", ["s.some = {1}", "s.one = Pair(n=1)", "s.row = [1, 2, 3]"])
def test_a_property_that_assigns_a_part_is_refused(tmp_path, written):
    file = model(tmp_path, "s.x = 1")
    text = file.read_text("utf-8")
    file.write_text(text.replace("    return not s.step", f"    {written}\n    return not s.step"))
    name = written.partition(" ")[0].removeprefix("s.")
    with pytest.raises(TidegateError, match=f"Right wrote {name}; it may only read the state"):
        tidegate.check(file)
