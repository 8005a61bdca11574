"""Names for elements of sequences and for records of one's own: writes through them, everywhere."""

from enum import IntEnum
from pathlib import Path
from random import Random

import pytest

from tidegate import (
    Record,
    Seq,
    Set,
    array,
    check,
    enumeration,
    integer,
    nested,
    sequence_of,
    set_of,
)
from tidegate.core.errors import TidegateError
from tidegate.core.layout import Layout

from .conftest import action_from, agreeing, refused_or_agreeing, translator, unless_outside


class Kind(IntEnum):
    ASK = 1
    ANSWER = 2


class Inner(Record):
    a: int = integer(0, 3, "a")
    seen: Set = set_of(4, "seen")


class Msg(Record):
    kind: Kind = enumeration(Kind, "kind")
    count: int = integer(0, 7, "count")
    to: Set = set_of(4, "to")
    numbers: Seq[int] = sequence_of(4, 2, "numbers")
    pair: list[int] = array(2, integer(0, 3, "pair"))
    inner: Inner = nested(Inner)

    def itself(self):
        return self


class Node(Record):
    x: int = integer(0, 7, "x")
    inbox: Seq[Msg] = sequence_of(Msg, 2, "inbox")


class State(Record):
    node: list[Node] = array(2, Node)
    sent: Seq[Msg] = sequence_of(Msg, 3, "sent")
    x: int = integer(0, 7, "x")
    y: int = integer(0, 7, "y")


HELPERS = """
def grow(s):
    if len(s.sent) < 3:
        s.sent.append(Msg(count=1))
    return 1


def count_of(s, m):
    s.y = m.count
    return True


def bump(m):
    m.count = 0
    return True
"""

SPELLINGS = {
    "a variable": """
        m = s.sent[s.x]
        if m.count == 0:
            return False
        m.count -= 1
        s.y = m.count
        return m.kind is Kind.ASK
    """,
    "an enumeration": """
        m = s.sent[s.x]
        before = m.kind
        m.kind = Kind.ANSWER if before is Kind.ASK else Kind.ASK
        s.y = before
        return m.kind is not before
    """,
    "what another name has taken before": """
        m = s.sent[-1]
        before = m.count
        m.count = (m.count + 1) % 8
        m.count = (m.count + s.x) % 8
        s.y = before
        return m.count > before
    """,
    "a set": """
        m = s.sent[s.x]
        m.to.add(s.y % 4)
        m.to |= {1, s.x % 4}
        m.to.discard(2)
        s.y = len(m.to)
        return 3 in m.to
    """,
    "a sequence": """
        m = s.sent[-1]
        if len(m.numbers) < 2:
            m.numbers.append(s.x % 4)
        m.numbers[0] = 3
        s.y = sum(m.numbers)
        return m.numbers[-1] == 3
    """,
    "an array and a record within": """
        m = s.sent[s.x % 2]
        m.pair[s.y % 2] = m.pair[1] ^ 1
        m.pair[0] += 1 if m.pair[0] < 3 else 0
        m.inner.a = m.pair[0]
        m.inner.seen.update({s.y % 4})
        return bool(m.inner.seen) and m.inner.a > 1
    """,
    "the whole element": """
        m = s.sent[s.x]
        m.assign(s.sent[0])
        m.count = 2
        return m == s.sent[0]
    """,
    "one of several elements": """
        if s.x > 3:
            m = s.sent[0]
        else:
            m = s.sent[s.x]
        m.count = 5
        m = s.sent[-1]
        m.count = s.y
        return True
    """,
    "in a loop": """
        for i in range(len(s.sent)):
            m = s.sent[i]
            if m.kind is Kind.ASK:
                m.count = (m.count + i) % 8
        return True
    """,
    "a loop over a copy of what it changes": """
        m = s.sent[s.x]
        for v in sorted(m.numbers):
            m.numbers[0] = v
            s.y = (s.y + v) % 8
        for v in list(m.pair):
            m.pair[0] = 3 - v
        return True
    """,
    "a loop over something else": """
        m = s.sent[s.x]
        for v in m.numbers:
            m.to.add(v)
        return any(v in m.to for v in m.pair)
    """,
    "after the loop that has read it": """
        for i in range(2):
            m = s.node[i].inbox[0]
            if m.count > s.x:
                break
        m.count = s.y
        return m.kind is Kind.ANSWER
    """,
    "of an array of records": """
        n = s.node[s.x % 2]
        m = n.inbox[0]
        n.x = m.count
        n.x += 1 if n.x < 7 else 0
        m.count = n.x
        return True
    """,
    "the index changes after it": """
        m = s.sent[s.x]
        s.x = 0
        m.count = 6
        return True
    """,
    "another sequence changes before it": """
        m = s.sent[s.x]
        if len(s.node[0].inbox) == 2:
            s.node[0].inbox.pop(0)
        m.count = 3
        return True
    """,
    "the sequence has grown": "m = s.sent[s.x]\ngrow(s)\nm.count = 3\nreturn True",
    "the sequence grows meanwhile": "m = s.sent[0]\nm.count = grow(s)\nreturn True",
    "the sequence grows as it is added": "m = s.sent[0]\nm.count += grow(s)\nreturn True",
    "the sequence has moved on": """
        m = s.sent[0]
        s.sent.append(s.sent.pop(0))
        m.count = 3
        return True
    """,
    "the element was written": "m = s.sent[0]\ns.sent[0].count = s.x\nm.count = 3\nreturn True",
    "equal to the next one": "m = s.sent[0]\ns.sent[0] = s.sent[-1]\nm.count = 3\nreturn True",
    "passed to a function": "m = s.sent[s.x]\nm.count = 4\ncount_of(s, m)\nreturn True",
    "a record of its own": """
        m = Msg(kind=Kind.ANSWER, count=s.x)
        m.numbers.append(s.y % 4)
        m.numbers.extend([1])
        m.to.add(s.x % 4)
        m.to.update({3})
        m.to.discard(s.y % 4)
        if len(s.sent) == 3:
            return False
        s.sent.append(m)
        s.y = len(m.to) + m.numbers[0]
        return m.numbers[-1] == 1
    """,
    "a record that was taken out": """
        m = s.sent.pop(0)
        n = len(m.numbers)
        if n < 2:
            m.numbers.append(2)
        m.to.add(1)
        m.count = n
        s.sent.insert(0, m)
        return 2 in m.numbers
    """,
    "a record that is too long": """
        m = s.sent.pop()
        m.numbers.append(1)
        s.sent.append(m)
        return True
    """,
}
"""Bodies of an action."""

NAMES = {"Msg": Msg, "Kind": Kind}


def states():
    """Return stored states, the first one and some at random."""
    layout, random = Layout(State, None), Random(5)
    s, some = layout.record, [layout.dump()]
    for _ in range(60):
        layout.load(some[0])
        s.x, s.y = random.randrange(4), random.randrange(8)
        for queue, most in ((s.sent, 3), (s.node[0].inbox, 2), (s.node[1].inbox, 2)):
            queue.extend([message(random) for _ in range(random.randrange(most + 1))])
        some.append(layout.dump())
    return some


def message(random):
    return Msg(
        kind=random.choice([*Kind]),
        count=random.randrange(3),
        to=set(random.sample(range(4), random.randrange(4))),
        numbers=random.sample(range(4), random.randrange(3)),
        pair=[random.randrange(4), random.randrange(4)],
        inner=Inner(a=random.randrange(4), seen={random.randrange(4)}),
    )


STATES, TRANSLATE = states(), translator(Layout(State, None))


def action(body):
    return action_from(body, HELPERS, NAMES)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_writes_through_a_name_mean_what_they_mean_in_python(spelling):
    meanings = unless_outside(spelling, TRANSLATE, action(SPELLINGS[spelling]))
    fails = spelling.startswith(("the sequence grows", "the sequence has moved"))
    assert agreeing(meanings, STATES) >= (0 if fails else 5)


REFUSED = {
    "a second name": "m = s.sent[0]\nn = m\nm.count = 1\nreturn n.count == 1",
    "a name for a part that changes": "m = s.sent[0]\nt = m.to\nm.to.add(1)\nreturn 1 in t",
    "a name for its own part": "m = Msg()\nt = m.to\nm.to.add(1)\nreturn 1 in t",
    "one that grows by an operator": "m = Msg()\nt = m.numbers\nm.numbers += [1]\nreturn 1 in t",
    "a sequence that changes in a loop": """
        n = s.node[0]
        m = n.inbox[0]
        for i in range(2):
            n = s.node[i]
            if n.x > s.x:
                m = n.inbox[0]
        m.count = s.y
        return True
    """,
    "a result of the change": "m = s.sent[0]\nx = m.numbers.pop()\nreturn x == 1",
    "a slice": "m = s.sent[0:1]\nm[0].count = 1\nreturn True",
    "a record that a method returns": "m = Msg()\nt = m.itself().to\nm.to.add(1)\nreturn 1 in t",
    "this loop changes what it goes over": """
        m = Msg(count=1)
        m.numbers.append(s.x)
        for v in m.numbers:
            if len(m.numbers) < 2:
                m.numbers.append(3)
            s.y = (s.y + v) % 8
        return True
    """,
    "a loop over what an operator changes": """
        m = s.sent.pop()
        for v in m.numbers:
            if len(m.numbers) < 2:
                m.numbers += [3]
            s.y = (s.y + v) % 8
        return True
    """,
    "a loop over an array that it changes": """
        m = s.sent[0]
        for v in m.pair:
            if v < 3:
                m.pair[1] = 3
            s.y = (s.y + v) % 8
        return True
    """,
    "another function": "m = s.sent[0]\nreturn bump(m)",
    "what a loop has read": "for m in s.sent:\n    m.count = 1\nreturn True",
    "a name for other things": "m = s.sent[0]\nm.count = 1\nm = Msg()\nreturn m.count == 0",
}


@pytest.mark.parametrize("spelling", REFUSED)
def test_what_could_mean_something_else_is_refused(spelling):
    refused_or_agreeing(TRANSLATE, action(REFUSED[spelling]), STATES)


MODEL = """
from dataclasses import dataclass
from tidegate import Model, Record, Seq, array, integer, number, replica_id, sequence_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)
    most: int = number(2, 1, 5, "messages")


class Msg(Record):
    left: int = integer(0, 2, "how often it is read yet")
    last: int = replica_id(lambda k: k.nodes - 1, "who has read it", of="node")


class State(Record):
    net: Seq[Msg] = sequence_of(Msg, lambda k: k.most, "the network")
    read: list[int] = array(lambda k: k.nodes, integer(0, 3, "got"), by="node", by_replica=True)


model = Model(Bounds, State, participants={{"node": lambda k: k.nodes}}, deadlock=False)


@model.action("node", node="node")
def send(s: State, k: Bounds, node: int) -> bool:
    if len(s.net) == k.most:
        return False
    m = Msg(left=2)
    m.last = node
    s.net.append(m)
    return True


@model.action("node", node="node", i=lambda k: range(k.most))
def read(s: State, k: Bounds, node: int, i: int) -> bool:
    if i >= len(s.net):
        return False
    {reading}
    if m.left == 0 or m.last == node or s.read[node] == 3:
        return False
    m.left -= 1
    m.last = node
    s.read[node] += 1
    return True


@model.invariant("Nobody reads for ever.")
def bounded(s: State, k: Bounds) -> bool:
    return all(s.read[node] <= 3 for node in range(k.nodes))
"""


def model(tmp_path, reading="m = s.net[i]"):
    file = tmp_path / "network.py"
    file.write_text(MODEL.format(reading=reading))
    return str(file)


def test_every_engine_and_symmetry_search_the_same_states(tmp_path):
    file = model(tmp_path)
    direct = tmp_path / "direct.py"
    direct.write_text(MODEL.format(reading="m = s.net[i]").replace(
        "m.left -= 1\n    m.last = node", "s.net[i].left -= 1\n    s.net[i].last = node"
    ))  # fmt: skip
    plain = [check(file, engine="interpreted"), check(file, engine="compiled"), check(str(direct))]
    assert len({(c.distinct_states, c.depth) for c in plain}) == 1
    assert all(c.holds for c in plain)
    orbits = [check(one, symmetry=True) for one in (file, str(direct))]
    assert orbits[0].distinct_states == orbits[1].distinct_states < plain[0].distinct_states


@pytest.mark.parametrize("reading", ["m = [*s.net][i]", "m = s.net[i:][0]", "m, _ = s.net[i], 0"])
def test_a_name_for_a_copy_is_refused_where_the_model_is_read(tmp_path, reading):
    with pytest.raises(
        TidegateError, match=r"m\.left: this is a value that was read from a sequence"
    ):
        check(model(tmp_path, reading))


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("change", ["s.net[i].left = 1", "s.net.append(Msg())", "s.net.pop()"])
def test_an_element_that_changes_meanwhile_is_an_error_at_the_line_that_writes(
    tmp_path, change, engine
):
    file = Path(model(tmp_path))
    meanwhile = f"    if len(s.net) < k.most:\n        {change}\n    m.left -= 1\n"
    text = file.read_text().replace("    m.left -= 1\n", meanwhile)
    file.write_text(text)
    line = text[: text.index("m.left -= 1")].count("\n") + 1
    told = rf"sequence changes .* read the element again.*network\.py:{line}\)"
    with pytest.raises(TidegateError, match=told):
        check(str(file), engine=engine)


MESSAGES = {
    "m.left = node": "Read: m.left = node stores the number of a node in net[].left",
    "m.left -= 1; m.last = 1": "Read: m.last = 1 stores the number 1 in net[].last",
    "m.left = sum(dict.fromkeys([m.left]))": "dict.fromkeys([m.left])",
    "m.left -= 1; s.read[0] = sum(dict.fromkeys([m.left]))": "dict.fromkeys([m.left])",
}


@pytest.mark.parametrize("body", MESSAGES)
def test_messages_show_the_names_that_the_function_has(tmp_path, body):
    file = Path(model(tmp_path))
    file.write_text(file.read_text().replace("    m.left -= 1\n", f"    {body}\n"))
    symmetric = MESSAGES[body].startswith("Read")
    with pytest.raises(TidegateError) as refused:
        check(str(file), symmetry=symmetric, engine="auto" if symmetric else "compiled")
    text = str(refused.value)
    assert MESSAGES[body] in text
    assert "__" not in text.replace(str(tmp_path), "")
    assert "<function" not in text
