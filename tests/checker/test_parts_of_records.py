"""Parts that are chosen, replaced or computed, and sets of tuples: alike in every engine."""

from enum import IntEnum
from itertools import permutations
from random import Random

import pytest

from tidegate import (
    NONE,
    Record,
    Seq,
    Set,
    array,
    check,
    enumeration,
    integer,
    nested,
    optional,
    sequence_of,
    set_of,
)
from tidegate.core.errors import TidegateError
from tidegate.core.layout import Layout

from .conftest import action_from, agreeing, refused_or_agreeing, translator, unless_outside


class Phase(IntEnum):
    IDLE = 1
    BUSY = 2


class Entry(Record):
    term: int = integer(0, 3, "term")
    value: int = optional(2, "value")
    phase: Phase = enumeration(Phase, "phase")

    @property
    def key(self) -> tuple[int, int]:
        return self.term, self.value

    @property
    def is_old(self) -> bool:
        return self.term < 2 and self.phase is not Phase.BUSY

    def bumped(self):
        return Entry(term=min(self.term + 1, 3), value=self.value)


class Node(Record):
    log: Seq[Entry] = sequence_of(Entry, 3, "log")
    last: Entry = nested(Entry)
    x: int = integer(0, 7, "x")

    @property
    def last_term(self):
        return self.log[-1].term if self.log else 0

    @property
    def newest(self):
        return self.log[-1]


class Msg(Record):
    kind: int = integer(0, 3, "kind")
    entry: Entry = nested(Entry)
    numbers: Seq[int] = sequence_of(4, 3, "numbers")
    pair: list[int] = array(2, integer(0, 3, "pair"))
    acks: Set = set_of(4, "acks")


class State(Record):
    up: Set = set_of(4, "up")
    down: Set = set_of(4, "down")
    one: Node = nested(Node)
    other: list[Node] = array(2, Node)
    rows: list[list[int]] = array(2, array(3, integer(0, 3, "row")))
    sets: list[Set] = array(2, set_of(4, "sets"))
    queues: list[Seq[int]] = array(2, sequence_of(4, 3, "queues"))
    entries: list[Entry] = array(3, Entry)
    sent: Seq[Msg] = sequence_of(Msg, 2, "sent")
    x: int = integer(0, 7, "x")
    y: int = integer(0, 7, "y")


HELPERS = """
WALLS = {(0, 1), (1, 2), (2, 2)}


def side(s, up):
    if up:
        return s.up
    return s.down


def node(s):
    return s.one if s.x == 0 else s.other[s.x % 2]


def cells(s, i):
    return {(s.entries[i].term + dx, s.entries[i].value + dy) for dx in range(2) for dy in range(2)}
"""

SPELLINGS = {
    "a method of a chosen set": "side(s, s.x % 2).add(s.y % 4)\nreturn True",
    "an operator of a chosen set": "return bool(side(s, s.x % 2) & s.up | {s.y % 4} - s.down)",
    "a member of a chosen set": "return s.y in side(s, s.x > 3) or s.x not in side(s, s.x < 4)",
    "the truth and length of one": "return bool(side(s, s.x % 2)) and len(side(s, s.y % 2)) > 1",
    "a loop over a chosen set": "for v in side(s, s.x % 2):\n    s.y = (s.y + v) % 8\nreturn True",
    "a chosen record": "n = node(s)\ns.y = n.x\nn.x = s.x\nn.x += n.last_term\nreturn True",
    "a part of a chosen record": "n = node(s)\nn.last.term = 2\nn.last.value = NONE\nreturn True",
    "a sequence of a chosen record": """
        n = node(s)
        if len(n.log) < 3:
            n.log.append(Entry(term=s.x % 4))
        if n.log and n.log[0].term > 1:
            s.y = n.log.pop().term
        return n.newest.term > 1 if n.log else False
    """,
    "chosen by a conditional expression": """
        log = s.one.log if s.x > 3 else s.other[1].log
        if not log:
            return False
        s.y = sum(e.term for e in log) % 8
        return log[0].is_old
    """,
    "chosen by statements": """
        best = s.one
        if s.other[1].x > s.one.x:
            best = s.other[1]
        best.x = 0
        s.y = best.last_term
        return True
    """,
    "a property that is a tuple": "return s.entries[0].key >= (s.one.last_term, s.x)",
    "a property in a generator": "return any(e.is_old for e in s.one.log)",
    "a property that is a record": """
        if not s.one.log:
            return False
        s.one.newest.term
        s.x = s.one.newest.term + s.one.newest.key[0]
        return True
    """,
    "a method that returns a record": "s.entries[0] = s.entries[1].bumped()\nreturn True",
    "a record of an array is replaced": """
        s.entries[s.x % 3] = Entry(term=s.y % 4, phase=Phase.BUSY)
        return True
    """,
    "by an element of a sequence": """
        if not s.one.log:
            return False
        s.entries[1] = s.one.log[0]
        s.one.log[0].term = 3
        return True
    """,
    "a row is replaced": "s.rows[s.x % 2] = [s.y % 4, 1, s.x % 3]\nreturn True",
    "a row of all": "s.rows[1][:] = [s.x % 4] * len(s.rows[1])\nreturn True",
    "a row by another": "s.rows[1][:] = s.rows[0]\ns.rows[0][:] = sorted(s.rows[1])\nreturn True",
    "a row by a comprehension": "s.rows[0][:] = [(v + s.x) % 4 for v in s.rows[1]]\nreturn True",
    "a set of an array is replaced": "s.sets[s.x % 2] = {s.y % 4, 1} | s.up\nreturn True",
    "a set of an array changes": "s.sets[s.x % 2] |= s.up\ns.sets[0] -= {s.y % 4}\nreturn True",
    "a sequence of an array": "s.queues[s.x % 2] = [s.y % 4, 2]\ns.queues[0] += [1]\nreturn True",
    "parts of a made record": """
        m = Msg(kind=s.x % 4)
        if s.one.log:
            m.entry = s.one.log[0]
        else:
            m.entry = Entry(term=2, value=0)
        m.numbers = [s.y % 4, 1]
        m.pair = [s.x % 3, 2]
        m.acks = s.up - {s.y % 4}
        s.one.last.term = m.entry.term
        if len(s.sent) < 2:
            s.sent.append(m)
        return True
    """,
    "a set of tuples": "return bool(cells(s, 0) & cells(s, 1))",
    "tuples that are disjoint": "return cells(s, 0).isdisjoint(cells(s, 2))",
    "tuples that are compared": """
        moved = {(a + s.x % 2, b) for a, b in cells(s, 0)}
        if moved <= cells(s, 1) | cells(s, 2) or moved == cells(s, 2):
            s.x = 1
        s.y = len(moved ^ cells(s, 1))
        return moved != cells(s, 0)
    """,
    "a known set of tuples": """
        free = cells(s, 0) - WALLS
        s.x = sum(a for a, b in free) % 8
        return (s.x, s.y) in WALLS or all(0 <= a < 3 for a, b in free)
    """,
    "written tuples": """
        both = {(s.x, s.y), (s.y, s.x), (1, 1)}
        s.x = len(both)
        return (s.y, 1) in both
    """,
    "permutations of a set": """
        orders = list(permutations(sorted(s.up | s.down)))
        if s.x >= len(orders):
            return False
        s.queues[0].clear()
        s.queues[0].extend(orders[s.x])
        s.one.x = sum((i + 1) * v for i, v in enumerate(orders[s.x])) % 8
        return True
    """,
    "permutations that are iterated": """
        s.y = sum(1 for p in permutations(s.up) if p and p[0] > p[-1]) % 8
        return any(p[0] == s.x for p in permutations(s.queues[0]) if len(p) > 1)
    """,
    "sorted tuples": "s.x, s.y = [abs(v) for v in sorted(cells(s, 0))[0]]\nreturn True",
}
"""Bodies of an action."""

NAMES = {
    "Entry": Entry, "Phase": Phase, "Msg": Msg, "NONE": NONE, "permutations": permutations,
}  # fmt: skip


def entry(random):
    return Entry(
        term=random.randrange(4),
        value=random.choice((NONE, 0, 1, 2)),
        phase=random.choice([*Phase]),
    )


def states():
    """Return stored states, the first one and some at random."""
    layout, random = Layout(State, None), Random(11)
    s, some = layout.record, [layout.dump()]
    for _ in range(40):
        layout.load(some[0])
        s.x, s.y = random.randrange(8), random.randrange(8)
        for part in (s.up, s.down, *s.sets):
            part.update(random.sample(range(4), random.randrange(4)))
        for one in (s.one, *s.other):
            one.x = random.randrange(8 - 4)
            one.last.assign(entry(random))
            one.log.extend([entry(random) for _ in range(random.randrange(3))])
        for number in range(3):
            s.entries[number].assign(entry(random))
            for row in s.rows:
                row[number] = random.randrange(4)
        for queue in s.queues:
            queue.extend(random.sample(range(4), random.randrange(3)))
        some.append(layout.dump())
    return some


STATES, TRANSLATE = states(), translator(Layout(State, None))


def action(body):
    return action_from(body, HELPERS, NAMES)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_parts_mean_what_they_mean_in_python(spelling):
    meanings = unless_outside(spelling, TRANSLATE, action(SPELLINGS[spelling]))
    assert agreeing(meanings, STATES) >= 5


REFUSED = {
    "a loop in the order of a set": "for a, b in cells(s, 0):\n    s.x = a\nreturn True",
    "a list of a set": "return list(cells(s, 0))[0] == (1, 1)",
    "tuples and numbers": "return (s.x, 1) in {(1, 1), s.y}",
    "an element by its number": "return cells(s, 0)[0] == (1, 1)",
    "a sum of sets": "return bool(cells(s, 0) + cells(s, 1))",
    "a part of a popped record": "m = s.sent.pop()\nm.entry = s.entries[0]\nreturn m.kind > 1",
    "a slice of an array": "s.rows[0][s.x:] = [1, 2]\nreturn True",
}


@pytest.mark.parametrize("spelling", REFUSED)
def test_what_could_mean_something_else_is_refused(spelling):
    refused_or_agreeing(TRANSLATE, action(REFUSED[spelling]), STATES)


def test_a_part_that_is_written_to_a_made_record_is_a_copy():
    e = Entry(term=1)
    m = Msg(entry=e)
    m.entry = e
    m.numbers = numbers = [1]
    e.term = 2
    numbers.append(3)
    assert (m.entry.term, m.numbers) == (1, [1])


MODEL = """
from dataclasses import dataclass
from tidegate import Model, Record, Set, array, integer, number, set_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 5, "nodes")


class Entry(Record):
    term: int = integer(0, 3, "term")

    @property
    def grown(self) -> bool:
        {getter}


class State(Record):
    entries: list[Entry] = array(2, Entry)


model = Model(Bounds, State, deadlock=False)


@model.action("node")
def act(s: State, k: Bounds) -> bool:
    {body}
    return True


@model.invariant("Entries are small.")
def small(s: State, k: Bounds) -> bool:
    return all(e.term < 4 for e in s.entries)
"""

ALIASES = {
    "s.entries[0], s.entries[1] = s.entries[1], s.entries[0]": "another name for an element",
    "s.entries[0] = s.entries[1]": "another name for an element",
}


@pytest.mark.parametrize("body", ALIASES)
def test_an_element_is_not_replaced_where_lists_would_do_something_else(tmp_path, body):
    file = tmp_path / "aliases.py"
    file.write_text(MODEL.format(getter="return self.term > 0", body=body))
    with pytest.raises(TidegateError, match=ALIASES[body]) as refused:
        check(str(file))
    assert "aliases.py:" in str(refused.value)


def test_a_property_that_writes_is_refused(tmp_path):
    file = tmp_path / "writing.py"
    text = MODEL.format(getter="self.term = 1; return True", body="s.entries[0].grown")
    file.write_text(text)
    with pytest.raises(TidegateError, match="is a property that writes"):
        check(str(file))


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_property_of_a_record_is_read_in_every_engine(tmp_path, engine):
    file = tmp_path / "grown.py"
    body = "if s.entries[0].grown: return False\n    s.entries[0] = Entry(term=1)"
    file.write_text(MODEL.format(getter="return self.term > 0", body=body))
    checked = check(str(file), engine=engine)
    assert (checked.holds, checked.distinct_states) == (True, 2)
