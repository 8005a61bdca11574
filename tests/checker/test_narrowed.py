"""Of many choices machine code tries those that some state of a group makes, as Python does."""

import pytest

from tidegate import TidegateError, check
from tidegate.checker.compiled import expansion

HEAD = '''\
"""Many choices."""
from dataclasses import dataclass

from tidegate import (
    Model, NONE, Record, Seq, Set, array, integer, nested, number, sequence_of, set_of
)


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes")
    items: int = number(200, 1, 1000, "items")


class Msg(Record):
    to: int = integer(0, 3, "to whom")


class State(Record):
    time: int = integer(0, lambda k: k.items, "time")
    queue: Seq[int] = sequence_of(integer(0, 199, "item"), 2, "a queue")
    sent: Seq[Msg] = sequence_of(Msg, 70, "what was sent")
    at: list[int] = array(lambda k: k.nodes, integer(0, 99, "where"))


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("clock")
def put(s: State, k: Bounds) -> bool:
    """Put two items, the same one twice now and then."""
    if s.queue or s.time > 40:
        return False
    s.time += 1
    s.queue.append(s.time * 31 % 200)
    s.queue.append(s.time * 62 % 200 if s.time % 5 else s.queue[0])
    return True


@model.invariant("It does not get far.")
def near(s: State, k: Bounds) -> bool:
    return s.at[0] < 90
'''

OF_A_SEQUENCE = '''
@model.action("node", item=lambda s, k: s.queue)
def take(s: State, k: Bounds, item: int) -> bool:
    """Take an item."""
    s.queue.remove(item)
    s.at[0] = item // 2
    return True
'''

FOR_EACH_NODE = '''
@model.action("node", item=lambda s, k: s.queue)
def take(s: State, k: Bounds, node: int, item: int) -> bool:
    """Take an item, with an argument that the state does not choose."""
    if item % k.nodes != node:
        return False
    s.queue.remove(item)
    s.at[node] = item // 2
    return True
'''

OF_A_RANGE = '''
@model.action("node", item=(lambda k: range(0, k.items, 3), lambda s, k: range(s.time, s.time + 9)))
def take(s: State, k: Bounds, item: int) -> bool:
    """Take an item that is a multiple of three."""
    s.at[0] = item % 100
    return True
'''

ONE_BY_THE_OTHER = '''
def near_to(s: State, k: Bounds, a: int) -> range:
    """Numbers that depend on another argument."""
    return range(a, a + s.time % 3)


@model.action(
    "node", a=lambda s, k: s.queue, b=(lambda k, a: range(a - a % 2, a + 2), near_to)
)
def take(s: State, k: Bounds, a: int, b: int) -> bool:
    """Take an item, of two arguments."""
    s.queue.remove(a)
    s.at[0] = b % 100
    return True
'''

OF_RECORDS = '''
@model.action("node")
def send(s: State, k: Bounds, node: int) -> bool:
    """Send."""
    if len(s.sent) == 3:
        return False
    s.sent.append(Msg(to=node))
    return True


@model.action("node", m=lambda s, k: s.sent)
def take(s: State, k: Bounds, m: Msg) -> bool:
    """Take the first of what is equal."""
    s.at[m.to] = len(s.sent)
    s.sent.remove(m)
    return True
'''

WAYS = {
    name: value
    for name, value in globals().items()
    if isinstance(value, str) and name.isupper() and name != "HEAD"
}


@pytest.fixture
def narrowed(monkeypatch):
    """Note what is translated to go over the choices of an action."""
    made = []
    marker = expansion.marker

    def noting(*arguments):
        text = marker(*arguments)
        made.append(text)
        return text

    monkeypatch.setattr(expansion, "marker", noting)
    monkeypatch.setattr(expansion, "LONGER", 10**6)
    return made


def write(tmp_path, text):
    file = tmp_path / "model.py"
    file.write_text(f"{HEAD}\n\n{text}")
    return str(file)


def outcome(checked):
    said = " ".join(str(checked).split())
    return checked.violated, checked.distinct_states, checked.depth, said.partition("exact")[0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("options", [{}, {"keep_going": True, "workers": 2}])
def test_machine_code_takes_the_steps_that_python_takes(tmp_path, narrowed, way, options):
    file = write(tmp_path, WAYS[way])
    python = check(file, {}, ["Near"], engine="interpreted", **options)
    compiled = check(file, {}, ["Near"], engine="compiled", **options)
    assert narrowed
    assert "compiled engine" in " ".join(str(compiled).split())
    assert outcome(compiled) == outcome(python)


FAILS_LATE = '''
@model.action(
    "node", item=(lambda k: range(k.items), lambda s, k: range(s.at[s.time // 20], k.items))
)
def take(s: State, k: Bounds, item: int) -> bool:
    """Take an item; there is no third node after a time."""
    if item not in s.queue:
        return False
    s.queue.remove(item)
    return True
'''


def test_a_choice_that_fails_is_the_error_of_python(tmp_path, narrowed):
    for engine in ("interpreted", "compiled"):
        with pytest.raises(TidegateError, match="IndexError"):
            check(write(tmp_path, FAILS_LATE), {}, ["Near"], engine=engine)
    assert narrowed


FAR_APART = '''
@model.action("node", item=(lambda k: [2**n % 99991 * 10**6 for n in range(99)], lambda s, k: []))
def take(s: State, k: Bounds, item: int) -> bool:
    """Take what no state chooses."""
    s.at[0] = 1
    return True
'''


def test_choices_that_are_far_apart_are_all_tried_unless_they_are_many(tmp_path, monkeypatch):
    file = write(tmp_path, FAR_APART)
    assert check(file, {}, ["Near"], engine="compiled").holds
    monkeypatch.setattr(expansion, "MOST_TRIED", 10)
    with pytest.raises(TidegateError, match="far apart"):
        check(file, {}, ["Near"], engine="compiled")
