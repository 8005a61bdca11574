"""Sets and bags of records are kept in one order, in every engine, and are changed as sets."""

from collections import Counter
from random import Random

import pytest
from click.testing import CliRunner

import tidegate
from tidegate import Record, RecordBag, RecordSet, bag_of, boolean, integer, nested, set_of
from tidegate import Set as NumberSet
from tidegate.checker.compiled.comparison import MadeUp
from tidegate.cli import main
from tidegate.core.errors import TidegateError
from tidegate.core.layout import Layout
from tidegate.core.text import Members, differences, told

from .conftest import from_source, translator, unless_outside


class Item(Record):
    low: int = integer(-2, 2, "may be negative")
    fixed: int = integer(3, 3, "always 3")
    flag: bool = boolean("a flag")


class Scratch(Record):
    few: RecordSet[Item] = set_of(Item, 4, "few")
    many: RecordSet[Item] = set_of(Item, 20, "more than are written out")
    bag: RecordBag[Item] = bag_of(Item, 5, "with equal ones")
    one: Item = nested(Item)
    n: int = integer(0, 100, "a number")


LAYOUT = Layout(Scratch, None)


def scratches():
    random, states = Random(7), []
    for _ in range(60):
        LAYOUT.reset()
        s = LAYOUT.record
        for kept, most in (s.few, 4), (s.many, 9), (s.bag, 5):
            for _ in range(random.randint(0, most)):
                kept.add(Item(low=random.randint(-2, 2), fixed=3, flag=random.random() < 0.5))
        s.one.low, s.one.flag = random.randint(-2, 2), random.random() < 0.5
        states.append(LAYOUT.dump())
    return states


STATES = scratches()

BODIES = [
    "s.few.add(s.one)",
    "s.many.add(s.one)",
    "s.bag.add(s.one)",
    "s.bag.add(s.bag[0])",
    "s.few.remove(s.one)",
    "s.many.discard(s.one)",
    "s.bag.remove(s.one)",
    "s.few.clear()",
    "s.few.add(Item(low=-1, fixed=3, flag=True))",
    "s.n = (s.one in s.many) + 2 * s.bag.count(s.one) + 20 * len(s.few)",
    "s.n = sum(m.low + 2 for m in s.many)",
    "s.n = s.few == s.many",
    "s.n = s.many[2].low + 2",
    "for m in s.many:\n  if m.flag:\n   s.many.remove(m)\n   break",
    "for m in s.few:\n  if m.flag:\n   s.few.remove(m)",
    "for m in s.many:\n  if m.flag:\n   s.many.remove(m)",
    "for i, m in enumerate(s.many):\n  if m.flag:\n   s.many.remove(m)",
    "for m in s.many[:]:\n  if m.flag:\n   s.many.remove(m)",
    "for m in s.few:\n  s.bag.discard(m)",
    "m = s.many[0]\n s.many.remove(m)\n s.few.add(m)",
    "s.few |= s.many",
    "s.many |= {s.one, Item(low=1, fixed=3)}",
    "s.many -= s.few",
    "s.many &= {m for m in s.few if m.flag}",
    "s.many ^= {s.one}",
    "s.many ^= s.many",
    "s.many.update(m for m in s.few if m.low > 0)",
    "s.many.update([s.one, Item(fixed=3, flag=True)])",
    "s.many.difference_update(s.few)",
    "s.few.intersection_update([s.one])",
    "s.few.symmetric_difference_update(s.many)",
    "s.n = len(s.few | s.many) + 10 * len(s.few & s.many) + len(s.few - s.many)",
    "s.n = len({s.one} | s.few) + 10 * len({s.one} - s.few) + len(s.few ^ {s.one})",
    "s.n = (s.few <= s.many) + 2 * (s.few < s.many) + 4 * (s.many > {s.one})",
    "s.n = (s.few == {m for m in s.many if m.low < 0}) + 2 * (s.few != {s.one})",
    "s.n = s.few.issubset(s.many) + 2 * s.few.issuperset([s.one]) + 4 * s.few.isdisjoint(s.many)",
    "s.n = len(s.few.union([])) + len(s.few.intersection(s.bag)) + len(s.few.difference(s.bag))",
    "s.n = len(s.few.symmetric_difference(s.bag)) + len(s.few.copy())",
    "some = {m for m in s.many if m.flag}\n s.n = sum(m.low + 2 for m in some) + (s.one in some)",
    "s.n = len(set(s.bag)) + len(frozenset(s.many) & {s.one})",
    "s.n = any(m.flag for m in s.few | s.many) + 2 * all(m.low < 2 for m in {s.one, *s.few})",
]


@pytest.mark.parametrize("body", BODIES)
def test_machine_code_does_to_a_set_what_python_does(body):
    meanings = unless_outside(
        body, translator(LAYOUT), from_source(f"def f(s, k):\n {body}", {"Item": Item})
    )
    outcomes = []
    for state in STATES if meanings else ():
        expected = meanings.python(state)
        got = meanings.compiled(state)
        assert (got and got[1]) == (expected and expected[1])
        outcomes.append(got)
    assert any(outcomes) or not meanings


def test_members_are_in_order():
    for state in STATES:
        LAYOUT.load(state)
        for kept in (LAYOUT.record.few, LAYOUT.record.many, LAYOUT.record.bag):
            listed = [(m.low, m.flag) for m in kept]
            assert listed == sorted(listed)
            assert isinstance(kept, RecordBag) or len({*listed}) == len(listed)


HEAD = '''
from dataclasses import dataclass
from enum import IntEnum

from tidegate import (
    Model, Record, RecordBag, RecordSet, array, bag_of, boolean, enumeration, integer, number,
    replica_id, set_of,
)


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 5, "nodes", main=True)
    most: int = number(6, 1, 60, "messages", main=True)
    top: int = number(2, 1, 9, "values", main=True)


class Kind(IntEnum):
    ASK = 0
    TELL = 1


class Msg(Record):
    kind: Kind = enumeration(Kind, "what")
    urgent: bool = boolean("urgent")
    src: int = integer(0, lambda k: k.nodes - 1, "from")
    dst: int = integer(0, lambda k: k.nodes - 1, "to")
    a: int = integer(-1, 9, "a")


class State(Record):
    value: list[int] = array(lambda k: k.nodes, integer(0, 9, "value"), by="node")
    net: RecordSet[Msg] = set_of(Msg, lambda k: k.most, "the network")
    bag: RecordBag[Msg] = bag_of(Msg, lambda k: k.most, "the bag")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node", other="node")
def tell(s: State, k: Bounds, node: int, other: int) -> bool:
    """A node raises its value and tells another one."""
    if node == other or s.value[node] >= k.top or len(s.bag) >= k.most - 1:
        return False
    s.value[node] += 1
    message = Msg(kind=Kind.TELL, urgent=node == 0, src=node, dst=other, a=s.value[node] - 1)
    s.net.add(message)
    s.bag.add(message)
    s.bag.add(s.bag[0])
    return True
'''

REST = '''

@model.action("network", m=lambda k: range(k.most))
def receive(s: State, k: Bounds, m: int) -> bool:
    """A message arrives, and is answered if it is news."""
    if m >= len(s.net):
        return False
    msg = s.net[m]
    s.net.remove(msg)
    if msg.a > s.value[msg.dst]:
        s.value[msg.dst] = msg.a
        s.net.add(Msg(kind=Kind.ASK, urgent=False, src=msg.dst, dst=msg.src, a=msg.a))
    s.bag.discard(msg)
    return True


@model.action("network")
def lose(s: State, k: Bounds) -> bool:
    """The first message that is urgent is lost."""
    for m in s.net:
        if m.urgent:
            s.net.discard(m)
            return True
    return False


@model.invariant("Members are members.")
def members(s: State, k: Bounds) -> bool:
    return all(m in s.net for m in s.net) and all(s.bag.count(m) > 0 for m in s.bag)
'''


def test_states_that_are_made_up_have_records_in_order():
    """As those of a search: to be found, a record is looked for where it would lie."""
    made, state = MadeUp(LAYOUT, STATES, Random(0)), LAYOUT.record
    lengths = Counter()
    for _ in range(300):
        made.known.append(made.one())
        LAYOUT.load(made.known[-1])
        for kept in (state.few, state.many, state.bag):
            records = [(one.low, one.fixed, one.flag) for one in kept]
            assert records == sorted(records if kept is state.bag else set(records))
            lengths[len(records)] += 1
    assert lengths[3] > 100


@pytest.fixture
def model(tmp_path):
    def make(body=REST, head=HEAD):
        file = tmp_path / "net.py"
        file.write_text(head + body)
        return str(file)

    return make


def reference(nodes, most, top):
    """Count the states with Python's own sets and bags."""

    def steps(value, net, bag):
        bag = Counter(dict(bag))
        for node in range(nodes):
            for other in range(nodes):
                if node == other or value[node] >= top or bag.total() >= most - 1:
                    continue
                message = (1, node == 0, node, other, value[node])
                more = bag + Counter([message])
                more[min(more)] += 1
                raised = (*value[:node], value[node] + 1, *value[node + 1 :])
                yield raised, net | {message}, more
        for message in net:
            _, _, source, to, a = message
            new, values = net - {message}, value
            if a > value[to]:
                values = (*value[:to], a, *value[to + 1 :])
                new |= {(0, False, to, source, a)}
            yield values, new, bag - Counter([message])
        for message in [message for message in sorted(net) if message[1]][:1]:
            yield value, net - {message}, bag

    seen = {((0,) * nodes, frozenset(), frozenset())}
    todo = list(seen)
    while todo:
        for value, net, bag in steps(*todo.pop()):
            state = value, frozenset(net), frozenset(bag.items())
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return len(seen)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_sets_and_bags_of_records_have_the_states_of_pythons(model, engine):
    bounds = {"nodes": 2, "most": 6, "top": 3}
    answer = tidegate.check(model(), bounds, engine=engine)
    assert answer.holds
    assert answer.distinct_states == reference(**bounds)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_member_of_a_set_is_chosen_by_the_state(model, engine):
    chosen = REST.replace("m=lambda k: range(k.most)", "m=lambda s, k: s.net")
    chosen = chosen.replace("k: Bounds, m: int", "k: Bounds, msg: Msg").replace(
        "m=lambda s", "msg=lambda s"
    )
    chosen = chosen.replace(
        "    if m >= len(s.net):\n        return False\n    msg = s.net[m]\n", ""
    )
    bounds = {"nodes": 2, "most": 6, "top": 2}
    answer = tidegate.check(model(chosen), bounds, engine=engine)
    assert answer.distinct_states == reference(**bounds)


BAD = """

@model.action("network")
def bad(s: State, k: Bounds) -> bool:
    if len(s.net) < 2:
        return False
    {}
    return True


@model.invariant("Nothing.")
def nothing(s: State, k: Bounds) -> bool:
    return True
"""

MISUSES = {
    "for m in s.net: s.net.remove(m)": "the set changes its size while it is iterated",
    "for i, m in enumerate(s.net): s.net.remove(m)": "changes its size while it is iterated",
    "s.net.remove(Msg(kind=Kind.ASK, urgent=False, src=0, dst=0, a=9))": "): not in the set",
    "for a in range(9): s.net.add(Msg(kind=Kind.ASK, urgent=False, src=0, dst=0, a=a))": (
        "the set holds 6 at most"
    ),
    "s.net.append(s.net[0])": "a set of records has no 'append'; write add (in",
    "s.net.pop()": "a set of records has no 'pop'",
    "s.net.insert(0, s.net[0])": "a set of records has no 'insert'; write add (in",
    "s.net == [s.net[0]]": "s.net == [s.net[0]] compares a part of the state with a list",
    "s.net |= [s.net[0]]": "a list in place of a set; write s.net.update(...)",
    "s.net.update([1])": "puts a number among records; make a record: ",
    "s.net[0] = s.net[1]": "'RecordSet' object does not support item assignment",
    "s.net[0].a = 3": "s.net[0].a is written, and is a value of a set",
}


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("line", MISUSES)
def test_a_set_of_records_is_changed_as_a_set(model, line, engine):
    with pytest.raises(TidegateError) as error:
        tidegate.check(model(BAD.format(line)), engine=engine)
    assert MISUSES[line] in str(error.value)
    assert "net.py:57" in str(error.value)


def test_the_annotation_of_a_set_of_records_is_named():
    with pytest.raises(TidegateError, match=r"^Set\[int\]: a set of records is RecordSet\[int\]"):
        NumberSet[int]


@pytest.mark.parametrize("line", ["s.net[0:1] = []", "del s.net[0]", "s.net += [s.net[0]]"])
def test_what_would_break_the_order_is_refused(model, line):
    for engine in ("interpreted", "compiled"):
        with pytest.raises(TidegateError, match="a part of the state"):
            tidegate.check(model(BAD.format(line)), engine=engine)


def test_a_record_that_names_a_replica_is_followed_into_a_set(model):
    head = HEAD.replace(
        'src: int = integer(0, lambda k: k.nodes - 1, "from")', 'src: int = replica_id(1, "from")'
    )
    head = head.replace('by="node"', "by_replica=True")
    with pytest.raises(TidegateError, match=r"^Tell: node == 0 tells replica 0 from the others"):
        tidegate.check(model(REST, head), symmetry=True)


PLAIN = """
from dataclasses import dataclass

from tidegate import (
    Model, Record, RecordBag, RecordSet, array, bag_of, boolean, integer, number, set_of
)


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)


class Note(Record):
    value: int = integer(0, 2, "value")
    urgent: bool = boolean("urgent")


class State(Record):
    inbox: list[RecordSet[Note]] = array(
        lambda k: k.nodes, set_of(Note, 2, "unread"), by="node", by_replica=True
    )
    kept: RecordBag[Note] = bag_of(Note, 3, "read, by whomever")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node", value=lambda k: range(2))
def tell(s: State, k: Bounds, node: int, value: int) -> bool:
    note = Note(value=value, urgent=not s.inbox[node])
    if len(s.inbox[node]) == 2 or note in s.inbox[node]:
        return False
    s.inbox[node].add(note)
    return True


@model.action("node", m=lambda s, k, node: s.inbox[node])
def read(s: State, k: Bounds, node: int, m: Note) -> bool:
    if s.kept.count(m) > 1 or len(s.kept) == 3:
        return False
    s.inbox[node].remove(m)
    s.kept.add(m)
    s.kept.discard(Note(value=2))
    return True


@model.action("clock")
def forget(s: State, k: Bounds) -> bool:
    if Note(value=1, urgent=True) not in s.kept:
        return False
    s.kept.clear()
    return True


@model.invariant("What is kept is not in excess.")
def few(s: State, k: Bounds) -> bool:
    return all(s.kept.count(m) < 3 for m in s.kept) and not any(
        n in s.kept and len(inbox) > 2 for inbox in s.inbox for n in inbox
    )
"""


def orbits(nodes):
    """Count the states of PLAIN, each set of inboxes in any order once, by Python's own sets."""

    def steps(inboxes, kept):
        def changed(node, inbox):
            return (*inboxes[:node], inbox, *inboxes[node + 1 :])

        for node, inbox in enumerate(inboxes):
            for value in range(2):
                note = (value, not inbox)
                if len(inbox) < 2 and note not in inbox:
                    yield changed(node, inbox | {note}), kept
            for note in inbox:
                if kept.count(note) < 2 and len(kept) < 3:
                    yield changed(node, inbox - {note}), tuple(sorted((*kept, note)))
        if (1, True) in kept:
            yield inboxes, ()

    seen = {((frozenset(),) * nodes, ())}
    todo = list(seen)
    while todo:
        more = set(steps(*todo.pop())) - seen
        seen |= more
        todo += more
    return len(seen), len({repr((sorted(map(sorted, each)), kept)) for each, kept in seen})


@pytest.mark.parametrize(("engine", "nodes"), [("interpreted", 2), ("compiled", 3)])
def test_sets_and_bags_whose_records_name_no_replica_have_symmetry(model, engine, nodes):
    file, (states, representatives) = model(PLAIN, head=""), orbits(nodes)
    assert tidegate.check(file, {"nodes": nodes}, engine=engine).distinct_states == states
    answer = tidegate.check(file, {"nodes": nodes}, engine=engine, symmetry=True)
    assert answer.distinct_states == representatives
    assert answer.holds


@pytest.mark.parametrize(
    "code",
    [
        "s.kept.add(Note(value=node))",
        "m = Note(value=node)\n    s.inbox[node].discard(m)",
        "s.kept.remove(Note(value=node))",
        "if Note(value=node) in s.kept: return False",
    ],
)
def test_a_number_of_a_replica_in_a_set_of_records_is_refused_at_its_line(model, code):
    old = "s.inbox[node].add(note)"
    line = PLAIN[: PLAIN.index(old)].count("\n") + len(code.splitlines())
    text = code.splitlines()[-1].strip().removeprefix("if ").removesuffix(": return False")
    with pytest.raises(TidegateError) as error:
        tidegate.check(model(PLAIN.replace(old, code), head=""), symmetry=True)
    assert str(error.value).startswith(f"Tell: {text} ")
    assert f"net.py:{line})" in str(error.value)


def status(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_search_of_sets_of_records_is_resumed(model, tmp_path):
    file, directory = model(), tmp_path / "run"
    search = ("-b", "top=3", "--checkpoint", directory)
    assert status("check", file, *search, "--max-states", 100).exit_code == 3
    resumed = status("check", "--resume", directory, file)
    assert resumed.exit_code == 0, resumed.output
    assert f"{reference(2, 6, 3)} distinct states" in resumed.output


FEW = """

@model.invariant("Few messages are in the bag.")
def few(s: State, k: Bounds) -> bool:
    return len(s.bag) < 4
"""


def test_a_trace_with_a_set_of_records_is_replayed(model, tmp_path):
    file, saved, itf = model(REST + FEW), tmp_path / "few.json", tmp_path / "few.itf.json"
    found = status("check", file, "-p", "Few", "--json", saved, "--itf", itf)
    assert found.exit_code == 12, found.output
    assert "urgent" in itf.read_text()
    assert status("replay", saved, "--trust").exit_code == 0


def test_a_trace_says_what_a_set_of_records_gains_and_loses(model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    file = model(PLAIN.replace("s.kept.count(m) < 3", "s.kept.count(m) < 1"), head="")
    done = CliRunner().invoke(main, ["check", file, "-p", "Few"])
    assert "inbox gains (value 0, urgent yes)" in done.output
    assert "inbox loses (value 0, urgent yes)" in done.output
    assert "kept gains (value 0, urgent yes)" in done.output


def test_members_that_a_bag_has_more_often_are_gained_or_lost():
    begun = {"kept": Members([{"value": 1}, {"value": 1}, {"value": 2}])}
    ended = {"kept": Members([{"value": 1}, {"value": 2}, {"value": 3}])}
    [(path, lost, gained)] = differences(begun, ended)
    assert (path, *told(lost, gained)) == ("kept", "loses (value 1), gains (value 3)", "")
    assert [*differences(begun, begun)] == []
