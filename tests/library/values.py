"""Random models that read a sequence, change it, and then use what they have read.

Each action is written once.  ``⟨...⟩`` marks what is a value in it: Tidegate's model has the
expression alone, and the oracle, whose sequences are Python's lists, copies it there.  ``«...»`` is
a sequence that a loop goes over while it may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

MOST, STEPS = 3, 3
"""Elements of a sequence, and steps of a behavior."""

HEAD = f'''\
from dataclasses import dataclass
from tidegate import (
    Model, Record, Seq, Set, array, integer, nested, number, sequence_of, set_of,
)


@dataclass(frozen=True)
class Bounds:
    boxes: int = number(2, 2, 2, "boxes")


class Inner(Record):
    x: int = integer(0, 3, "a number")


class Msg(Record):
    a: int = integer(0, 3, "a number")
    inner: Inner = nested(Inner)
    row: list[int] = array(2, integer(0, 3, "a number"))

    def plus(self, more: int) -> int:
        return self.a + self.inner.x + self.row[1] + more


class Flat(Record):
    u: int = integer(0, 3, "a number")
    v: int = integer(0, 3, "a number")


class State(Record):
    q: Seq[Msg] = sequence_of(Msg, {MOST}, "records")
    n: Seq = sequence_of(integer(0, 3, "a number"), {MOST}, "numbers")
    p: Seq[Flat] = sequence_of(Flat, {MOST}, "records that the model makes")
    lane: list[Seq] = array(2, sequence_of(integer(0, 3, "a number"), {MOST}, "numbers"))
    box: list[Msg] = array(2, Msg, by="box")
    some: Set = set_of(4, "a set")
    got: int = integer(0, 63, "what was read")
    steps: int = integer(0, {STEPS}, "steps")


model = Model(Bounds, State, participants={{"box": lambda k: k.boxes}}, deadlock=False)


def take(s: State) -> int:
    """Remove the first record, and return one of its numbers."""
    return s.q.popleft().a


def handle(s: State, m: Msg, more: int = 1) -> int:
    s.q.popleft()
    return m.plus(more)


def swap(s: State, one: int, other: int) -> int:
    s.n[one], s.n[other] = s.n[other], s.n[one]
    return s.n[one]


@model.initial
def begin(s: State, k: Bounds):
    box = s.box[1]
    for v in range(3):
        s.n.append(v)
        s.n.append(3 - v)
        s.some.add(v)
        s.box[0].a = v
        box.inner.x = v
        box.row[v & 1] = 3
        s.q.append(s.box[v & 1])
        s.q.append(s.box[1])
        s.lane[0].append(v)
        s.p.append(Flat(u=v, v=1))
        yield


'''


class Queue(list[Any]):
    """A sequence of the oracle: a list that copies what is put into it."""

    def append(self, value: Any) -> None:
        super().append(deepcopy(value))

    def extend(self, values: Any) -> None:
        super().extend(deepcopy(list(values)))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, deepcopy(value))

    def popleft(self) -> Any:
        return self.pop(0)

    def truncate(self, length: int) -> None:
        del self[length:]


class Copied:
    """A record of the oracle."""

    def assign(self, other: Any) -> None:
        vars(self).update(deepcopy(vars(other)))


@dataclass
class Inner(Copied):
    x: int = 0


@dataclass
class Msg(Copied):
    a: int = 0
    inner: Inner = field(default_factory=Inner)
    row: list[int] = field(default_factory=lambda: [0, 0])

    def plus(self, more: int) -> int:
        return self.a + self.inner.x + self.row[1] + more


@dataclass
class Flat(Copied):
    u: int = 0
    v: int = 0


@dataclass
class State:
    q: Queue = field(default_factory=Queue)
    n: Queue = field(default_factory=Queue)
    p: Queue = field(default_factory=Queue)
    lane: list[Queue] = field(default_factory=lambda: [Queue(), Queue()])
    box: list[Msg] = field(default_factory=lambda: [Msg(), Msg()])
    some: set[int] = field(default_factory=set)
    got: int = 0
    steps: int = 0


READS = (
    ("m = ⟨s.q[I]⟩", "m.plus(0)"),
    ("m, o = ⟨s.q[I]⟩, ⟨s.q[J]⟩", "m.plus(o.a)"),
    ("both = (⟨s.q[I]⟩, ⟨s.q[J]⟩)\nm = both[0]\no = both[1]", "m.plus(0) - o.row[0] + 8"),
    ("inner, row = ⟨s.q[I].inner⟩, ⟨s.q[I].row⟩\nm = ⟨s.q[J]⟩", "inner.x + row[0] * 2 + row[B]"),
    ("m = ⟨s.q[I]⟩\nb = m.row\nc = m.inner", "b[B] + c.x * 3"),
    ("m = ⟨s.q[I]⟩\nrest = ⟨s.q[A:Z]⟩", "sum(one.plus(1) for one in rest)"),
    ("m = ⟨s.q[I]⟩\nrest = ⟨s.q[A:]⟩", "len(rest) + m.a"),
    ("m = ⟨s.q[I]⟩\nrest = ⟨s.n[A:Z]⟩", "sum(one + 1 for one in rest)"),
    ("m = ⟨s.q[I]⟩\nw, rest = s.n[B], ⟨s.n[A:]⟩", "w + 2 * len(rest)"),
    ("m = ⟨s.q[I]⟩\no = s.p.pop()", "o.u + 2 * o.v"),
)
"""How an action reads, with a record ``m``, and a number that it makes of that."""

CHANGES = (
    "s.q.popleft()", "s.q.pop()", "s.q.clear()", "s.q.truncate(1)", "del s.q[B]", "del s.q[A:Z]",
    "s.q[I].a = 3 - s.q[I].a", "s.q[I].inner.x ^= 1", "s.q[J].row[B] = s.q[I].a",
    "s.q[I].assign(s.box[B])", "s.q[J] = ⟨s.q[I]⟩", "s.q[0:2] = ⟨s.q[A:2]⟩",
    "s.q[I], s.q[J] = ⟨s.q[J]⟩, ⟨s.q[I]⟩", "s.q[B].inner.assign(s.box[1].inner)",
    "s.q[0:1] = [⟨s.q[J]⟩]", "s.q[:] = s.q", "s.q[I].row[0], s.q[J].a = s.q[J].a, s.q[I].row[0]",
    "s.got = take(s)", "s.got = handle(s, ⟨s.q[I]⟩)", "s.got = handle(s, more=2, m=⟨s.q[J]⟩)",
    "s.n.clear()\ns.n.extend([B, 2])", "s.n[0], s.n[1] = s.n[1], s.n[0]", "s.n.popleft()",
    "s.got = s.n[0] * 4 + swap(s, 0, 1)",
)  # fmt: skip
"""What changes sequences that have two elements at least."""

USES = (
    "s.got = (U) & 63", "if len(s.q) < MOST:\n    s.q.append(m)", "s.box[B].assign(m)",
    "s.got = (U) & 63\ns.box[0].inner.x = m.inner.x", "s.box[B].row[B] = m.row[1 - B]",
    "s.some.add(m.a)\ns.got = int(m == s.box[B])", "s.p[:] = [Flat(u=m.a, v=m.row[B])]",
)  # fmt: skip

WHOLE = (
    "for m in «s.q»:\n    CHANGE\n    s.got = (s.got * 2 + m.plus(1)) & 63",
    "for m in ⟨s.q[A:Z]⟩:\n    CHANGE\n    s.got = (s.got * 2 + m.plus(1)) & 63",
    "for m in ⟨s.q[:]⟩:\n    s.q.popleft()\n    s.got = (s.got * 2 + m.plus(1)) & 63",
    "for m in «s.q»:\n    s.q.popleft()\n    s.got = (s.got * 2 + m.plus(1)) & 63",
    "for m in «s.q»:\n    if len(s.q) < MOST:\n        s.q.append(m)\n    s.got = s.got & 31 | m.a",
    "for w in «s.n»:\n    s.n[len(s.n) - 1] = B\n    s.got += w",
    "for w in «s.n»:\n    if len(s.n) < MOST:\n        s.n.append(w)\n    s.got += w",
    "for w in «s.n»:\n    s.n.popleft()\n    s.got += w + 1",
    "for w in ⟨s.n[:]⟩:\n    s.n[0] = 3\n    s.got += w",
    "s.got = sum(m.plus(B) for m in «s.q» if m != s.box[0])",
    "s.got = int(any(m.row[B] > 1 for m in «s.q»)) + max(w for w in «s.n»)",
    "s.got = ⟨s.q[I]⟩.plus(take(s))",
    "s.got = s.q[I].a * 4 + take(s)",
    "s.got = int(⟨s.q[0]⟩.a == take(s) and s.q[0] in s.q)",
    "s.got = int(⟨s.q[I:]⟩ == ⟨s.q[J:]⟩) + int(⟨s.n[I:]⟩ != ⟨s.n[0:J]⟩)",
    "box = s.box[B]\nbox.a = 3 - box.a\nbox.row[0] = s.box[B].a\ns.q[I].inner.x = box.row[0]",
    "lane = s.lane[B]\nlane.append(s.n[0])\ns.got = len(s.lane[B]) * 4 + lane.popleft()",
    "lane = s.lane[0]\nrest = ⟨lane[:]⟩\nlane.clear()\ns.lane[1][:] = rest",
    "s.p[0].u, s.p[0].v = s.p[0].v, s.p[0].u",
    "m = s.q[I]\nm.a = 3 - m.a\ns.got = s.q[I].a * 4 + m.a",
    "m = s.q[I]\nwas = m.inner.x\nm.inner.x ^= 1\nm.row[B] = was\ns.got = m.plus(1) + was",
    "m = s.q[I]\ns.n.popleft()\nm.assign(s.box[B])\nm.a = 1\ns.got = s.q[I].plus(J)",
    "if s.n[0] > 1:\n    m = s.q[I]\nelse:\n    m = s.q[J]\nm.row[B] = s.n[0]\ns.got = m.plus(2)",
    "one = ⟨s.p[0]⟩\ns.p[0] = Flat(u=one.v, v=one.u)\ns.got = one.u * 4 + s.p[0].u",
)
"""Whole actions."""

CHANGED = ("s.q[0].a = 3 - s.q[0].a", "s.q.truncate(2)", "s.q[1].row[0] = 2", "s.q[:] = s.q",
           "s.q[1].inner.x ^= 1", "s.q[0], s.q[1] = ⟨s.q[1]⟩, ⟨s.q[0]⟩")  # fmt: skip
"""What a round of a loop changes."""

DIGITS = {"I": "01", "J": "01", "B": "01", "A": "01", "Z": "123"}


def body(random: Random) -> str:
    """Return what an action does, with the marks."""
    if random.random() < 0.4:
        text = random.choice(WHOLE).replace("CHANGE", random.choice(CHANGED))
    else:
        (read, made), change, use = map(random.choice, (READS, CHANGES, USES))
        text = "\n".join((read, change, use.replace("U", made)))
    for letter, digits in DIGITS.items():
        text = re.sub(rf"\b{letter}\b", lambda _, some=digits: random.choice(some), text)
    return text.replace("MOST", str(MOST))


def action(number: int, text: str) -> str:
    """Return the text of an action, with the marks."""
    lines = "\n".join(f"    {line}" for line in text.split("\n"))
    return (
        f"def act{number}(s, k):\n"
        f"    if len(s.q) < 2 or len(s.n) < 2 or not s.p or s.steps == {STEPS} or s.got > 31:\n"
        f"        return False\n{lines}\n    s.steps += 1\n    return True\n"
    )


def model(actions: list[str]) -> str:
    """Return the text of a model of Tidegate."""
    text = "\n\n".join(f"@model.action('anybody')\n{one}" for one in actions)
    return HEAD + re.sub("[⟨⟩«»]", "", text)


def reachable(actions: list[str]) -> list[dict[str, Any]]:
    """Return the states that Python reaches with lists of records and explicit copies."""
    text = "\n".join(actions).replace("⟨", "value(").replace("⟩", ")")
    space: dict[str, Any] = {"value": deepcopy, "each": _each, "Flat": Flat}
    helpers = HEAD[HEAD.index("def take(") : HEAD.index("@model.initial")]
    helpers = helpers.replace("s: State", "s").replace("m: Msg", "m")
    exec(helpers + text.replace("«", "each(").replace("»", ")"), space)
    found: dict[str, State] = {}
    todo = list(_initial())
    while todo:
        state = todo.pop()
        if repr(state) in found:
            continue
        found[repr(state)] = state
        for number in range(len(actions)):
            after = deepcopy(state)
            if space[f"act{number}"](after, None):
                todo.append(after)
    return [asdict(state) for state in found.values()]


def _initial() -> Iterator[State]:
    for v in range(3):
        state = State(n=Queue([v, 3 - v]), some={v}, p=Queue([Flat(v, 1)]))
        state.box[0].a = v
        state.box[1].inner.x = v
        state.box[1].row[v & 1] = 3
        state.q.extend((state.box[v & 1], state.box[1]))
        state.lane[0].append(v)
        yield state


def _each(sequence: list[Any]) -> Iterator[Any]:
    return (deepcopy(element) for element in sequence)
