"""A record that holds containers is made by name, and stored, alike in every engine."""

from enum import IntEnum
from random import Random

import pytest

from tidegate import (
    Record,
    RecordBag,
    RecordSet,
    Seq,
    Set,
    array,
    bag_of,
    boolean,
    enumeration,
    integer,
    nested,
    sequence_of,
    set_of,
)
from tidegate.core.errors import TidegateError
from tidegate.core.layout import Layout
from tidegate.language.lowering.frame import LoweringError

from .conftest import from_source, translator, unless_outside


class Kind(IntEnum):
    FETCH = 2
    APPEND = 3


class Entry(Record):
    term: int = integer(1, 4, "term")
    kind: Kind = enumeration(Kind, "kind")


class Msg(Record):
    kind: Kind = enumeration(Kind, "kind")
    low: int = integer(lambda k: -k, 4, "lowest by the bounds")
    entries: Seq[Entry] = sequence_of(Entry, 3, "entries")
    numbers: Seq[int] = sequence_of(integer(2, 5, "number"), 2, "numbers")
    acks: Set = set_of(4, "acks")
    last: Entry = nested(Entry)
    pair: list[Entry] = array(2, Entry)
    flags: list[bool] = array(lambda k: k, boolean("flag"))


class Scratch(Record):
    log: Seq[Entry] = sequence_of(Entry, 4, "log")
    sent: Seq[Msg] = sequence_of(Msg, 3, "sent")
    slots: list[Msg] = array(2, Msg)
    net: RecordSet[Msg] = set_of(Msg, 3, "net")
    bag: RecordBag[Msg] = bag_of(Msg, 3, "bag")
    numbers: Seq[int] = sequence_of(integer(2, 5, "number"), 3, "numbers")
    acks: Set = set_of(4, "acks")
    flags: list[bool] = array(3, boolean("flag"))
    n: int = integer(0, 100, "a number")


LAYOUT = Layout(Scratch, 3)


def entry(random):
    return Entry(term=random.randint(1, 4), kind=random.choice([*Kind]))


def message(random):
    parts = {
        "kind": random.choice([*Kind]),
        "low": random.choice([-3, 0]),
        "entries": [entry(random) for _ in range(random.choice([0, 0, 1, 3]))],
        "numbers": [random.randint(2, 5) for _ in range(random.randint(0, 1))],
        "acks": {random.randint(0, 3)},
        "flags": [random.random() < 0.5 for _ in range(3)],
    }
    return Msg(**{name: part for name, part in parts.items() if random.random() < 0.4})


def scratches():
    random, states = Random(7), []
    for _ in range(60):
        LAYOUT.reset()
        s = LAYOUT.record
        fills = (s.log.append, entry), (s.sent.append, message), (s.net.add, message)
        for fill, make in (*fills, (s.bag.add, message)):
            for _ in range(random.randint(0, 3)):
                fill(make(random))
        s.slots[0].assign(message(random))
        s.numbers[:] = [random.randint(2, 5) for _ in range(random.randint(0, 3))]
        s.acks |= {random.randint(0, 3), 1}
        s.flags[random.randint(0, 2)] = True
        states.append(LAYOUT.dump())
    return states


STATES = scratches()

BODIES = [
    "s.sent.append(Msg())",
    "s.sent.append(Msg(kind=Kind.APPEND, entries=s.log[1:]))",
    "s.sent.append(Msg(kind=3, entries=s.log[:2], acks={1, 2}, low=1))",
    "s.slots[1].assign(Msg(entries=[Entry(term=2), s.log[0]], last=Entry(kind=Kind.APPEND)))",
    "s.slots[1].assign(Msg(entries=s.log))",
    "s.slots[1].assign(Msg(entries=s.sent[0].entries, pair=s.sent[0].pair, acks=s.acks))",
    "s.slots[1].assign(Msg(pair=[Entry(term=3), s.sent[0].last], flags=s.flags))",
    "s.slots[1].assign(Msg(flags=[True, s.flags[0], 1 < len(s.log)]))",
    "s.slots[1].assign(Msg(last=s.log[0], numbers=[len(s.log) + 1, 5]))",
    "s.slots[1].assign(Msg(numbers=[n for n in s.numbers if n > 2]))",
    "s.slots[1].assign(Msg(numbers=s.numbers[1:]))",
    "s.slots[1].assign(Msg(numbers=s.numbers))",
    "s.slots[1].assign(Msg(acks=s.acks - {1}))",
    "s.slots[1].assign(Msg(entries=s.log[:1], last=s.log.pop()))",
    "s.slots[1].assign(Msg(numbers=s.numbers, low=s.numbers.pop()))",
    "s.net.add(Msg(kind=2, entries=s.log[2:]))",
    "s.bag.add(Msg(kind=2))\n s.n = s.bag.count(Msg())",
    "s.n = (Msg() in s.net) + 2 * (Msg() in s.bag)",
    "s.net.discard(Msg())",
    "s.net.remove(Msg(kind=2))",
    "m = Msg(entries=s.log[1:3])\n s.log.clear()\n s.sent.append(m)\n s.n = len(m.entries)",
    "m = Msg(entries=s.log[1:], acks=s.acks)\n s.acks.clear()\n"
    " s.n = sum(e.term for e in m.entries) + len(m.acks)",
    "m = Msg(entries=s.log[1:])\n s.n = m.entries == s.log",
    "m = Msg(entries=s.log[1:])\n s.n = m.entries[0].term + m.last.term + m.pair[1].term",
    "m = Msg(low=1, flags=s.flags)\n s.n = (m == s.sent[0]) + 2 * m.flags[1]",
    "m = Msg(low=-3, flags=[False, False, False])\n s.n = m == s.sent[0]",
    "m = Msg(entries=s.log[:1]) if s.flags[0] else Msg(numbers=s.numbers[:2])\n s.sent.append(m)",
    "s.sent[0].assign(Msg(kind=Kind.APPEND))",
    "s.sent[0] = Msg(kind=Kind.APPEND, numbers=[2])",
    "s.sent[:] = [Msg(kind=Kind.APPEND), Msg(entries=s.log[:1])]",
    "s.sent.insert(0, Msg(numbers=[3, 4]))",
    "for e in s.log:\n  s.net.add(Msg(last=e))",
]


@pytest.mark.parametrize("body", BODIES)
def test_machine_code_makes_the_records_that_python_makes(body):
    function = from_source(f"def f(s, k):\n {body}", {"Msg": Msg, "Entry": Entry, "Kind": Kind})
    meanings = unless_outside(body, translator(LAYOUT), function)
    outcomes = []
    for state in STATES if meanings else ():
        expected = meanings.python(state)
        got = meanings.compiled(state)
        assert (got and got[1]) == (expected and expected[1])
        outcomes.append(got)
    assert any(outcomes) or not meanings


def test_what_is_left_out_is_at_its_lowest():
    LAYOUT.reset()
    s = LAYOUT.record
    s.log.append(Entry(term=3))
    made = Msg(entries=s.log, acks=s.acks)
    s.acks.add(1)
    s.log[0].term = 2
    for store in s.sent.append, s.net.add, s.bag.add, s.slots[0].assign:
        store(made)
    lowest = {"term": 1, "kind": "fetch"}
    expected = {
        "kind": "fetch",
        "low": -3,
        "entries": [{"term": 3, "kind": "fetch"}],
        "numbers": [],
        "acks": set(),
        "last": lowest,
        "pair": [lowest, lowest],
        "flags": [False, False, False],
    }
    shown = LAYOUT.describe(LAYOUT.dump())
    for stored in (shown["sent"], shown["net"], shown["bag"], shown["slots"]):
        assert stored[0] == expected


WRONG = {
    "s.sent.append(Msg(entries=[Entry()] * 4))": "the sequence holds 3 at most; 4 do not fit",
    "s.sent.append(Msg(flags=[True]))": "flags has 3 elements, and not 1",
    "s.sent.append(Msg(last=Msg()))": "a record of term, kind is needed, not a Msg",
    "s.sent.append(Msg(acks=[1]))": "a set is needed",
    "s.sent.append(Msg(entry=[]))": "Msg(entry): write Msg(kind=..., low=...",
    "s.n = Msg().low": "was left out, and only the bounds say what its lowest value is",
    "s.n = len(Msg().flags)": "was left out",
    "s.n = Msg() == s.sent[0]": "was left out",
}


@pytest.mark.parametrize("body", WRONG)
def test_what_no_record_can_hold_is_an_error_and_never_machine_code(body):
    names = {"Msg": Msg, "Entry": Entry, "Kind": Kind}
    function = from_source(f"def f(s, k):\n s.sent.append(Msg())\n {body}", names)
    LAYOUT.reset()
    with pytest.raises((TypeError, AttributeError, TidegateError)) as error:
        function(LAYOUT.record, None)
    assert WRONG[body] in str(error.value)
    try:
        meanings = translator(LAYOUT)(function)
    except (LoweringError, TypeError):
        return
    LAYOUT.reset()
    assert meanings.compiled(LAYOUT.dump()) is None
