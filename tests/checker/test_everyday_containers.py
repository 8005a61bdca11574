"""Everyday Python about sets, sequences and what they hold: alike in every engine."""

from enum import IntEnum
from random import Random

import pytest

from tests.checker.diagnosis import reasons
from tidegate import Record, Seq, Set, array, bag_of, boolean, check, integer, sequence_of, set_of
from tidegate.core.layout import Layout
from tidegate.language.lowering.frame import LoweringError
from tidegate.library.names import find_protocol

from .conftest import action_from, agreeing, refused_or_agreeing, translator, unless_outside


class Phase(IntEnum):
    IDLE = 0
    BUSY = 1


class Pair(Record):
    n: int = integer(0, 3, "n")
    to: Set = set_of(3, "to")


class Everything(Record):
    x: int = integer(0, 7, "x")
    y: int = integer(0, 3, "y")
    flag: bool = boolean("flag")
    a: Set = set_of(4, "a")
    b: Set = set_of(4, "b")
    banks: list[Set] = array(3, set_of(4, "bank"))
    queue: Seq[int] = sequence_of(4, 5, "queue")
    other: Seq[int] = sequence_of(4, 5, "other")
    rows: list[Seq[int]] = array(2, sequence_of(3, 3, "row"))
    pair: Pair = Pair
    pairs: list[Pair] = array(2, Pair)
    net: Seq[Pair] = sequence_of(Pair, 2, "net")
    box: Set = set_of(Pair, 3, "box")
    bag = bag_of(3, 3, "bag")
    log: list[int] = array(3, integer(0, 3, "log"))


LAYOUT = Layout(Everything, None)


def states():
    """Return states of every kind, stored: the first one, and some at random."""
    random, s, some = Random(3), LAYOUT.record, [LAYOUT.dump()]
    for _ in range(60):
        LAYOUT.load(some[0])
        s.x, s.y, s.flag = random.randrange(8), random.randrange(4), random.random() < 0.5
        for numbers in (s.a, s.b, *s.banks):
            for _ in range(random.randrange(4)):
                numbers.add(random.randrange(4))
        for sequence in (s.queue, s.other, *s.rows):
            for _ in range(random.randrange(4)):
                sequence.append(random.randrange(3))
        for index in range(3):
            s.log[index] = (s.x * 5 + s.y * index + len(s.queue)) % 4
        for pair in (s.pair, *s.pairs):
            pair.n, pair.to.mask = random.randrange(4), random.randrange(8)
        for _ in range(random.randrange(3)):
            s.net.append(Pair(n=random.randrange(4), to={random.randrange(3)}))
        for _ in range(random.randrange(4)):
            s.box.add(Pair(n=random.randrange(4), to={random.randrange(3)}))
        some.append(LAYOUT.dump())
    return some


STATES = states()
TRANSLATE = translator(LAYOUT)
NAMES = {"Pair": Pair, "Phase": Phase}

PUT = """
def put(where, what):
    where |= what
    where -= {0}
    return where

def smaller(s):
    s.a.discard(1)
    s.a.add(0)
    return s.b

def popped(s):
    s.net.popleft()
    return s.b & {0, 1}
"""

IN_PLACE = {
    "a name for a set in an array": """
        here = s.banks[0]
        here -= {1}
        here |= {3}
        here ^= s.a
        here &= {0, 1, 2}
        s.x = len(here)
        return 1 in here
    """,
    "the same place afterwards": """
        here = s.banks[s.y % 3]
        here |= {1}
        here.add(2)
        s.banks[s.y % 3].discard(1)
        return 1 in here
    """,
    "two names": """
        here = other = s.a
        here |= s.b
        other -= {2}
        return len(here) == len(other)
    """,
    "a name for a sequence": """
        q = s.queue
        q += [1]
        q += s.other[:1]
        q += (2,)
        return len(q) > 2
    """,
    "a sequence twice": """
        q = s.rows[s.y % 2]
        q += q
        return True
    """,
    "a function that is given the set": """
        there = put(s.a, s.b)
        there ^= put(s.pair.to, s.pairs[1].to)
        return 2 in there
    """,
    "a function within": """
        def put(where):
            where |= {1}
            return where
        there = put(s.a)
        there -= {0}
        return True
    """,
    "a part of a record": """
        to = s.pair.to
        to |= {s.y % 3}
        to -= {0}
        return len(to) > 1
    """,
    "an element": """
        if not s.net:
            return False
        s.net[0].to |= {1}
        m = s.net[-1]
        m.to ^= {1, 2}
        return True
    """,
    "the operand changes the set": """
        here = s.a
        here |= smaller(s)
        return True
    """,
    "one of two sets": """
        here = s.b if s.flag else s.a
        here |= {1}
        here -= {2}
        here &= s.a
        return len(here) > 1
    """,
    "one of two sets by a statement": """
        here = s.a
        if s.flag:
            here = s.b
        here |= {1, s.y}
        return 2 in here
    """,
    "one of two sequences": """
        q = s.queue if s.flag else s.other
        q += [1, s.y]
        q += [s.queue.pop()]
        return q[0] == 1
    """,
    "a part of one of two records": """
        r = s.pair if s.flag else s.pairs[s.y % 2]
        r.to |= {1}
        r.n += 1
        return True
    """,
    "two of an array": """
        here, there = (s.banks[1], s.banks[0]) if s.flag else (s.banks[0], s.banks[1])
        here -= {1, 2}
        there |= {1, 2}
        return True
    """,
    "a walrus": """
        here = s.b if s.flag else s.a
        here |= {(w := s.y)}
        return w > 1
    """,
    "loops": """
        for here in s.banks:
            here -= {1}
            here |= s.a
        for i in range(3):
            here = s.banks[i]
            here ^= {i}
        there = s.a
        i = 0
        while i < s.x:
            there ^= {i % 4}
            i += 1
        for r in s.pairs:
            to = r.to
            to -= {0}
        return True
    """,
    "perhaps none": """
        here = None
        if s.flag:
            here = s.a
        if here is not None:
            here |= {1}
        there = s.b if s.y else None
        if there is None:
            return False
        there |= {v + 1 for v in there if v < 3}
        return True
    """,
    "one of a list": """
        banks = [s.banks[0], s.banks[1]]
        banks[s.y % 2] |= {1}
        return True
    """,
    "an own set": """
        here = s.a | s.b
        here |= {1}
        here -= s.b
        s.a.update(here)
        return True
    """,
}
"""Bodies of an action that change what has another name."""

REFUSED = {
    "if not s.net:\n    return False\nto = s.net[0].to\nto |= {1}\nreturn True": "to is a part",
    "m = Pair(n=1, to={1})\nto = m.to\nto |= {2}\nreturn len(m.to) > 1": "to lies in m, which",
    "s.net[0].to |= popped(s)\nreturn True": "s.net[0].to |= popped(s) changes the list of its",
    "s.a |= [1, 2]\nreturn True": "s.a |= [1, 2]: a list in place of a set",
    "here = s.a\nhere += {1}\nreturn True": "a part of the state and a set have no such operator",
    "s.box |= {1}\nreturn True": "s.box |= {1} puts a number among records",
    "here = s.a | s.b\nother = here\nhere |= {1}\nreturn 1 in other": "here and other are two",
    "sets = [set() for _ in range(3)]\na = sets[0]\nsets[0] |= {1}\nreturn 1 in a": "sets has",
    "i = None\ns.queue[i] = 1\nreturn True": "i is None, where a number is needed",
    "i = None\ndel s.queue[i]\nreturn True": "i is None, where a number is needed",
    "return s.banks[None] == {1}": "None is None, where a number is needed",
    "here = s.b if s.flag else s.a\nhere.add(w := s.y)\nreturn w > 1": "s.b if s.flag else s.a",
}

FINDS = {
    "next": "i = next((i for i, y in enumerate(s.queue) if y == s.y), None)\n",
    "a conditional expression": "i = s.y if s.y in s.queue else None\n",
    "a function": "i = where(s)\n",
    "a loop": """i = None
for n, y in enumerate(s.queue):
    if y == s.y:
        i = n
""",
}
"""Ways to find an index that may be None."""

INDEXED = (
    "s.queue[i] = (s.queue[i] + 1) % 4",
    "s.queue[i] += 1\ndel s.queue[i]",
    "s.x = s.queue.pop(i) + s.pairs[i % 2].n",
    "s.queue.insert(i, 2)\ns.queue[0], s.queue[i] = s.queue[i], s.queue[0]",
    "s.other[:] = s.queue[i:]\ns.queue[i:] = [1]",
    "del s.queue[:i]\ns.other[:i] = s.other[i : i + 1]",
    "s.rows[i % 2].append(i % 3)\ns.banks[i % 3] |= {i}",
    "own = [1, 2, 3, 4, 5]\nown[i] += s.y\ns.x = own[i]\ns.y = (3, 2, 1, 0, 0)[i]",
    "s.flag = s.queue[i:] == s.other[:i]\ns.a.add(min(i, 3))",
    "s.flag = s.x == i or i == s.x + 1 or i != len(s.other)",
    "s.flag = i in (0, 2) or s.x not in {i, 3}\ns.x = sum(range(i))",
)
"""What is done with it."""

FOUND = """
def where(s):
    for n, y in enumerate(s.queue):
        if y == s.y:
            return n
    return None
"""


@pytest.mark.parametrize("way", FINDS)
@pytest.mark.parametrize("used", INDEXED)
def test_an_index_that_may_be_none_is_a_number_after_its_guard(way, used):
    guarded = f"{FINDS[way]}if i is None:\n    return False\n{used}\nreturn True"
    assert agreeing(TRANSLATE(act(guarded, FOUND)), STATES) >= 5
    inner = used.replace("\n", "\n    ")
    inside = f"{FINDS[way]}if i is not None:\n    {inner}\nreturn True"
    assert agreeing(TRANSLATE(act(inside, FOUND)), STATES) >= 5


@pytest.mark.parametrize("used", INDEXED)
def test_an_index_that_may_be_none_means_the_same_without_a_guard(used):
    agreeing(TRANSLATE(act(f"{FINDS['next']}{used}\nreturn True")), STATES)
    agreeing(TRANSLATE(act(f"{FINDS['next']}j = s.x if s.flag else None\nreturn i == j")), STATES)


SETS = """
NEXT = [{0, 1}, {1, 2}, {0, 2}, set()]
NEAR = {0: {1, 2}, 1: {0}, 2: {0, 1}, 3: {3}}
FAR = {0: {9, 1}, 1: {17, 2}, 2: {3}, 3: set()}
EDGES = {(0, 1), (1, 2), (2, 0)}
FROM = {0: {(0, 1), (1, 1)}, 1: {(1, 2)}, 2: set(), 3: {(2, 2)}}
WORDS = {"a", "bcd"}
FULL = frozenset({0, 1, 2})
"""

OF_KNOWN_SETS = (
    "s.a |= NEXT[s.y]\nreturn True",
    "s.a.update(NEXT[s.y])\ns.b.difference_update(NEXT[s.y], NEAR[s.y])\nreturn True",
    "s.b |= NEAR.get(s.x, set())\nreturn s.y in NEAR.get(s.x, ())",
    "s.a &= NEXT[s.y]\ns.flag = len(s.b & NEXT[s.y]) == len(NEXT[s.y])\nreturn s.x in NEXT[s.y]",
    "return NEXT[s.y] <= s.a or s.b < NEAR[s.y] or s.a - NEXT[s.y] == NEXT[s.y] - s.b",
    "s.flag = NEXT[s.y] == s.a or s.b != NEAR[s.y]\nreturn NEXT[s.y] == {0, 1}",
    "return NEXT[s.y].union(s.a) == NEAR[s.y] | s.b or FULL.issuperset(s.a)",
    "return FULL.isdisjoint(s.b) or not NEXT[s.y] or NEXT[s.y].issubset(s.a)",
    "s.banks[0] = NEXT[s.y]\ns.pairs[0] = Pair(n=1, to=NEXT[s.y])\nreturn True",
    "n = NEAR[s.y]\nif s.flag:\n    n = NEAR[3 - s.y]\nreturn s.y in n and len(n) > 1",
    "return any(s.y == m for m in NEAR[s.y]) or all(m in s.a for m in NEXT[s.y])",
    "s.x = sum(m + s.y for m in NEAR[s.y])\ns.y = max(NEAR[s.y])\nreturn True",
    "s.x = max((m + 1 for m in NEXT[s.y]), default=5) + min(NEXT[s.y], default=1)\nreturn True",
    "s.a.update({(m + 1) % 4 for m in NEXT[s.y]})\nfor m in NEAR[s.y]:\n    s.x = m\nreturn True",
    "s.x = [m for m in FULL][s.y % 3]\nreturn tuple(NEXT[s.y]) == (0, 1)",
    "s.x = sum(FAR[s.y]) % 8\nreturn any(m > s.x for m in FAR[s.y])",
    "s.a |= {m % 4 for m in FAR[s.y]}\nfor m in sorted(FAR[s.y]):\n    s.x = m % 8\nreturn True",
    "return sum(1 for p in {Phase.IDLE, Phase.BUSY} if isinstance(p, Phase) and p == s.y) == 1",
    "s.flag = any(a == s.x for a, b in EDGES)\nreturn all(b in s.a for a, b in FROM[s.y])",
    "s.x = max((b + s.x for a, b in FROM[s.y]), default=7)\nreturn (s.y, s.x) in FROM[s.y]",
    "return sum(1 for a, b in EDGES for c in NEAR[b] if c in s.a) > 2",
    "return any(len(w) == s.x for w in WORDS) and len(FROM[s.y]) == 1",
)


@pytest.mark.parametrize("body", OF_KNOWN_SETS)
def test_known_sets_are_indexed_by_variables(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body, SETS)), STATES) >= 5


IN_ORDER = {
    "for m in FAR[s.y]:\n    s.x = m % 8\nreturn True": "write sorted(...)",
    "return max(FAR[s.y], key=lambda m: m % 3, default=0) > 1": "write sorted(...)",
    "return [m for m in FAR[s.y]] == [9, 1]": "write sorted(...)",
    "return sum(i * m for i, m in enumerate(FAR[s.y])) > 2": "write sorted(...)",
    "for a, b in EDGES:\n    s.x = a\nreturn True": "write sorted(...)",
    "return 1 in sorted({frozenset({s.x}), frozenset({1, 2})})[0]": "write sorted(...)",
    "first, *others = FAR[s.y]\nreturn first > 3": "write sorted(...)",
    "first, other = FAR[s.y]\nreturn first > other": "write sorted(...)",
    "found = [1]\nfound[:] = FAR[s.y]\nreturn found[0] > 3": "write sorted(...)",
    "found = [1]\nfound[1:1] = {s.x * 9, 17}\nreturn found[1] > 3": "write sorted(...)",
}


@pytest.mark.parametrize("body", IN_ORDER)
def test_the_order_of_a_set_is_refused_with_its_repair(body):
    with pytest.raises(LoweringError, match="the order of a set shows here") as refused:
        TRANSLATE(act(body, SETS))
    assert IN_ORDER[body] in str(refused.value)


LISTS = {
    "records before a guard": """
        found = [m for m in s.box if m.n > 1]
        if len(found) < 2:
            return False
        s.box.remove(found[0])
        s.pair.assign(found[-1])
        return True
    """,
    "records in tuples": """
        found = [(m.n, m) for m in s.net if m.n]
        if not found:
            return False
        s.x = found[0][0]
        s.pair.assign(found[-1][1])
        return True
    """,
    "records in order": """
        found = sorted(s.box, key=lambda m: -m.n)
        first = min(s.net, key=lambda m: m.n, default=None)
        if not found or first is None:
            return False
        s.pair.assign(found[0])
        s.pairs[0].assign(first)
        return True
    """,
    "an element on two ways": """
        if not s.net:
            return False
        m = s.net[0] if s.flag else s.net[-1]
        n = s.net[0]
        if s.x > 3:
            n = s.net[-1]
        if m.n > 2:
            return False
        s.net.popleft()
        s.pair.assign(m)
        s.pairs[1].assign(n)
        return True
    """,
    "slices on several ways": """
        rest = s.queue[1:]
        if s.flag:
            rest = [1]
        elif s.y:
            rest = s.other[:2] + [1]
        s.other[:] = rest
        return rest == [1] or rest in ([], s.queue)
    """,
    "a conditional slice": """
        rest = s.queue[1:] if s.flag else []
        other = s.queue[:1] if s.y else s.other[1:]
        s.other[:] = rest
        s.queue[:] = other
        return rest == [1]
    """,
    "a slice that grows": """
        rest = s.queue[1:]
        rest.append(s.y)
        rest += [1]
        s.other[:] = rest
        same = again = s.queue[:2]
        return len(rest) > 2 and same == again
    """,
    "a slice that a function returns": """
        rest = part(s)
        other = part(s)
        rest.append(1)
        s.other[:] = rest
        return len(other) > 1
    """,
    "an assignment of a list to itself": """
        rest = []
        if s.flag:
            rest = [s.y]
        rest = rest
        return len(rest) == 1
    """,
}

PART = """
def part(s):
    if s.flag:
        return s.queue[1:]
    return s.other[1:]
"""


@pytest.mark.parametrize("spelling", LISTS)
def test_lists_of_what_the_state_holds(spelling):
    assert agreeing(TRANSLATE(act(LISTS[spelling], PART)), STATES) >= 5


NOT_KEPT = {
    "a = s.queue[1:]\nb = a\na += [1]\nreturn len(b) > 2": "a and b are two names for one value,",
    "a = s.queue[1:]\nb = a\nb.append(1)\nreturn len(a) > 2": "b and a are two names for one",
    "a = b = s.queue[1:]\nb.append(1)\nreturn len(a) > 2": "b and a are two names for one value,",
    "a = s.queue[1:], 1\nb = a[0]\nb.append(1)\nreturn len(a[0]) > 2": "b lies in a, which may be",
    "a = [1]\nb = a if s.flag else s.queue[:1]\na.append(2)\nreturn len(b) > 1": "a and b are",
    "a = [s.queue[n:] + s.queue[:n] for n in range(len(s.queue))]\nreturn min(a) == a[0]": (
        "a list that has a list or a tuple of unknown length in it"
    ),
    "return min(range(3), key=lambda n: tuple(v for v in s.queue if v > n)) > 1": (
        "the key that min() or max() compares, a list or a tuple of unknown length"
    ),
    "return (n := s.queue[1:]) and n[0] == 1": "(n := s.queue[1:]) and n[0] == 1 gives values of",
}


@pytest.mark.parametrize("body", NOT_KEPT)
def test_a_list_that_is_not_kept_is_named(body):
    why = refused_or_agreeing(TRANSLATE, act(body), STATES)
    assert NOT_KEPT[body] in why or not why


MAIL = """
class Msg(Record):
    up = boolean("up")
    src = integer(0, 2, "sender")


class State(Record):
    box = set_of(Msg, 6, "mailbox")


model = Model(Bounds, State)


@model.action("net", src=lambda k: range(3), up=lambda k: (0, 1))
def send(s, k, src, up):
    s.box.add(Msg(up=up == 1, src=src))
    return True


@model.action("node")
def take(s, k):
    ups = [m for m in s.box if m.up]
    if len(ups) < 2:
        return False
    s.box.remove(ups[0])
    return True
"""


def test_every_engine_makes_a_list_of_records_before_a_guard(tmp_path):
    assert alike(tmp_path, MAIL) == 64


LOOPS = {
    "of another type": """
        for m in s.a:
            s.b.discard(m)
        for m in [m for m in s.box if m.n > 1]:
            s.box.remove(m)
        return True
    """,
    "pairs": """
        t = 0
        for i, v in enumerate(s.queue):
            t += i * v
        for v in s.pairs:
            v.n = min(t, 3)
        for i in s.net:
            t += i.n
        s.x = t % 8
        return True
    """,
    "that end early": """
        for v in s.queue:
            if v == 1:
                break
            s.y = 0
        for v in s.pairs:
            if v.n == 1:
                v.to |= {0}
                break
            if v.n > 2:
                continue
            v.n += 1
        return True
    """,
    "within others": """
        t = 0
        for i in range(s.y):
            for v in s.queue:
                t += v
            for v in s.pairs:
                t += v.n
        for i in range(s.x * 9):
            t += i
        for i in range(s.y * 20):
            t += i * 2
        s.x = t % 8
        return True
    """,
    "of one name, one within the other": """
        t = 0
        for v in s.queue:
            for v in s.other:
                t += v
            t += v
        s.x = t % 8
        return True
    """,
    "whose name is read afterwards": """
        v = 0
        for v in s.queue:
            if v == 1:
                break
        for v in s.other:
            if v == 2:
                break
        return v > 1
    """,
    "that change what they go over": """
        for v in s.queue:
            if v == 1:
                s.queue.remove(1)
        for v in s.net:
            if v.n > 1:
                s.net.popleft()
        return True
    """,
}


@pytest.mark.parametrize("spelling", LOOPS)
def test_loops_may_share_the_name_of_their_variable(spelling):
    assert agreeing(TRANSLATE(act(LOOPS[spelling])), STATES) >= 5


WRONG = """
from math import prod


class Msg(Record):
    up = boolean("up")


class State(Record):
    box = set_of(Msg, 2, "mailbox")
    log = array(2, sequence_of(3, 3, "log"))
    x = integer(0, 3, "x")


model = Model(Bounds, State, deadlock=False)


def rest(numbers, some):
    return prod(numbers + [some])


@model.action("node")
def take(s, k):
    m = s.x
    if s.x > 1:
        m = [n for n in s.box if n.up]
    for n in m:
        s.box.remove(n)
    return rest([n for n in s.log[0] if n], m) > 1


@model.action("node")
def put(s, k):
    s.log[s.x] = rest([n for n in s.log[0]], s.x)
    s.log[1] |= {s.x}
    s.box.remove(s.x)
    return True
"""


def test_reasons_are_about_what_the_user_wrote(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(HEAD + WRONG)
    protocol = find_protocol(str(file))
    texts = list(map(str, reasons(protocol.system(protocol.within([]), frozenset()), [])))
    line = (HEAD + WRONG).split("\n").index
    assert [text.rpartition(" (in ")[0] for text in texts] == [
        "m is of another kind on another way to here; write if and else, or give each kind a name "
        "of its own",
        "s.log[s.x] is a list, and gets a number",
        "s.log[1] |= {s.x}: a part of the state and a set have no such operator; write a loop over "
        "what they have",
        "s.box.remove(s.x) puts a number among records; make a record: Msg(...)",
    ]
    assert f":{line('    for n in m:') + 1})" in texts[0]
    assert not any("?" in text or "core/" in text for text in texts)


WALRUS = """
class State(Record):
    q = sequence_of(3, 3, "queue")
    x = integer(0, 3, "x")


model = Model(Bounds, State, deadlock=False)


@model.action("a", x=lambda k: range(3))
def put(s, k, x):
    if (n := len(s.q)) == 3 or n > x:
        return False
    s.q.append(x)
    return True


@model.action("a")
def take(s, k):
    if s.x == 3:
        return False
    if not (n := len(s.q)) or s.q[0] > n:
        return False
    if n == 2 and s.q[1] == 2:
        return False
    s.q[n - 1] = 0
    s.x = n
    return True
"""


def test_a_name_that_a_guard_gives_is_read_after_it(tmp_path):
    assert alike(tmp_path, WALRUS, ["none"]) == 36


GENERATED = (
    "s.a.update(m.n for m in s.box if m.n)\nreturn True",
    "s.a.difference_update(v + 1 for v in s.a)\nreturn s.b.issuperset(v for v in s.queue)",
    "s.b.intersection_update(v for v in s.queue if v in s.b)\nreturn s.a.isdisjoint(s.other)",
    "s.banks[s.y % 3].symmetric_difference_update(v + 1 for v in s.queue)\nreturn True",
    "return s.a.union(v for v in s.queue) == s.b",
    "s.a.update(v + 2 for v in s.queue)\nreturn True",
)


@pytest.mark.parametrize("body", GENERATED)
def test_a_method_of_a_set_takes_a_generator(body):
    assert agreeing(TRANSLATE(act(body)), STATES) >= 5


PRODUCTS = (
    "return any(sum(c * v for c, v in zip(by, s.queue)) == 1 for by in product((-1, 1), repeat=2))",
    "return any(s.banks[a] == s.banks[b] for a, b in combinations([0, 1, 2], 2))",
    "return sum(1 for a, b in product((0, 1), (1, 2)) if a in s.a and b in s.b) > 1",
)


@pytest.mark.parametrize("body", PRODUCTS)
def test_itertools_takes_what_is_written(body):
    meanings = TRANSLATE(act(body, "from itertools import combinations, product\n"))
    assert agreeing(meanings, STATES) >= 5


CHOSEN = (
    "s.b.add(s.y)\ns.a |= s.b - {s.y} or {0}\nreturn True",
    "s.a |= {0, 1} if s.flag else s.b - {1}\nreturn True",
    "one = {s.y} if s.flag else s.b & {1}\ntwo = one | {3}\nreturn len(two) > 1 or 2 in one",
    "one = {1} if s.flag else NEXT[s.y]\nreturn len(one) > 1",
    "for v in {1, 3} if s.flag else s.b | {2}:\n    s.x = v\nreturn True",
    "one = s.b & s.a or {5}\ntwo = one\nreturn one == two and 5 in two",
)


@pytest.mark.parametrize("body", CHOSEN)
def test_one_of_two_sets_is_chosen(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body, SETS)), STATES) >= 5


@pytest.mark.parametrize(
    "body",
    [
        "return [*s.queue, s.queue.pop(), *s.queue] == [s.x, s.y]",
        "return [s.queue.pop(), *s.queue, 4][-2:] == [1, 4]",
        "return (*s.queue, s.x) == (*s.other, s.y)",
        "return len({*s.a, *s.queue, s.x})",
        "return sum([*s.a, *[v for v in s.queue if v > s.y], *s.queue])",
        "return sum(map(max, zip(*[s.queue, s.other])))",
        "return total(*s.rows, s.x) + total(*s.rows, *[s.y])",
        "return max([s.queue.pop(), *s.queue])",
        "return sorted(s.queue)[s.y - 1 : s.x] == sorted(s.other)[: s.y]",
        "return [v + 1 for v in s.queue][::-1][1:] == s.other[::-1]",
        "return (s.queue + s.other)[-s.y :] == [s.x]",
    ],
)
def test_stars_and_slices_take_what_was_there(body):
    total = "def total(one, other, number):\n    return len(one) + 2 * len(other) + number\n"
    assert agreeing(unless_outside(body, TRANSLATE, act(body, total)), STATES) >= 5


STALE = {
    "one = s.a if s.flag else {1}\ns.a.add(0)\nreturn len(one) > 1": "one is of another kind",
    "t = set()\nt.add(s.y)\none = t if s.flag else {1}\nt.add(0)\nreturn len(one) > 1": "t and one",
    "one = {1} if s.flag else s.b | {1}\none.add(s.y)\nreturn len(one) > 1": "another name of a",
    "one = {9} if s.flag else s.b | {2}\nfor v in one:\n    s.x = v\nreturn True": "the order of",
}


@pytest.mark.parametrize("body", STALE)
def test_a_chosen_set_that_could_change_is_refused(body):
    why = refused_or_agreeing(TRANSLATE, act(body), STATES)
    assert STALE[body] in why or not why


STARRED = (
    "first, *rest = s.queue\ns.x = first\ns.queue[:] = rest\ns.queue.append(1)\nreturn True",
    "first, *rest, last = s.queue\ns.other[:] = rest\nreturn first == last",
    "*rest, one, two = s.queue[0:]\nrest.append(one)\ns.other[:] = rest\nreturn two == 1",
    "m, *rest = s.net\ns.net[:] = rest\ns.pair.assign(m)\nreturn True",
    "m, *rest = s.box\nn, *others = s.a\nreturn len(rest) > m.n or len(others) > n",
    "(a, b), *rest = zip(s.queue, s.other)\nreturn len(rest) > a or b > 1",
    "own = [v for v in s.queue if v]\none, *rest = own\nrest.append(1)\nreturn len(own) > one",
)


@pytest.mark.parametrize("body", STARRED)
def test_a_star_takes_what_others_leave(body):
    assert agreeing(unless_outside(body, TRANSLATE, act(body)), STATES) >= 5


OF_ARRAYS = (
    "return sum(s.log[: s.y]) > 2 or s.log[1:] == [1, 2]",
    "rest = s.log[s.y :]\nrest.append(1)\ns.log[0] = 3\nreturn len(rest) > 2 and rest[0] == 1",
    "i = s.y if s.flag else None\nreturn len(s.log[:i]) == 3 and max(s.log[i:], default=0) > 1",
    "return s.log[1:2][0] == 1 and s.log[s.y : s.y + 2][0] == 2",
    "s.log[:] = s.log[s.y :] + s.log[: s.y]\ns.queue[:] = s.log[: s.x]\nreturn True",
    "return all(v > 0 for v in s.log[s.y - 1 :])",
)


@pytest.mark.parametrize("body", OF_ARRAYS)
def test_a_slice_of_an_array_is_a_list(body):
    assert agreeing(TRANSLATE(act(body)), STATES) >= 5


ROW = """
class State(Record):
    v = array(3, integer(0, 3, "v"))


model = Model(Bounds, State)


@model.action("a", i=lambda k: range(3))
def step(s, k, i):
    last, first = s.v[-2:], s.v[:-1]
    s.v[i] = (last[0] + 2 * first[-1] + first[0] + 1 + len(s.v[i:-1]) * i) % 4
    return True
"""


def test_a_bound_of_a_slice_of_an_array_may_be_negative(tmp_path):
    assert alike(tmp_path, ROW) == 48


TWO_KINDS = (
    "here = s.a\nhere |= {1}\nhere = here | s.b\nhere |= {2}\nreturn len(here) > 2",
    "here = s.a\nhere.add(1)\nhere = here | s.b\nhere.add(2)\nreturn len(here) > 2",
    "here = s.a\nif s.flag:\n    here = {1}\n    here |= {2}\nreturn len(here) > 1",
    "here = {1}\nhere |= {s.y}\nif s.flag:\n    here = s.a\nreturn len(here) > 1",
    "here = s.queue\nif s.flag:\n    here = s.queue[1:]\nreturn len(here) > 1",
    "here = either(s)\ns.queue.append(1)\nreturn len(here) > 1",
    "t = tuple(v for v in s.queue)\nif s.flag:\n    t = [v for v in s.other]\nreturn t == (1, 2)",
    "a = [1]\na.append(2)\nif s.flag:\n    a = s.log\ns.log[0] = 3\nreturn len(a) == 3",
)

EITHER = """
def either(s):
    if s.flag:
        return s.queue[1:]
    return s.queue

def numbers(s):
    if s.flag:
        return tuple(v for v in s.queue)
    return tuple(s.other[:1])
"""


@pytest.mark.parametrize("body", TWO_KINDS)
def test_a_list_on_one_way_and_none_on_another_is_refused(body):
    why = refused_or_agreeing(TRANSLATE, act(body, EITHER), STATES)
    assert "kind" in why or not why


TUPLES = (
    "t = tuple(v for v in s.queue)\nif s.flag:\n    t = tuple(s.other)\nreturn t in ((1, 2), (0,))",
    "return numbers(s) == (1,) or numbers(s) in ((0,), (0, 1))",
)


@pytest.mark.parametrize("body", TUPLES)
def test_a_tuple_on_several_ways_stays_a_tuple(body):
    assert agreeing(TRANSLATE(act(body, EITHER)), STATES) >= 5


def act(body, helpers=""):
    """Return an action with this body."""
    return action_from(body, PUT + helpers, NAMES)


@pytest.mark.parametrize("spelling", IN_PLACE)
def test_a_set_or_a_sequence_changes_where_it_is(spelling):
    meanings = unless_outside(spelling, TRANSLATE, act(IN_PLACE[spelling]))
    assert agreeing(meanings, STATES) >= 5


@pytest.mark.parametrize("body", REFUSED)
def test_what_would_mean_something_else_is_refused(body):
    why = refused_or_agreeing(TRANSLATE, act(body), STATES)
    assert REFUSED[body] in why or not why


HEAD = """
from dataclasses import dataclass
from tidegate import Model, Record, array, boolean, integer, sequence_of, set_of


@dataclass(frozen=True)
class Bounds:
    pass

"""

BOAT = """
class State(Record):
    west = boolean("west")
    bank = array(2, set_of(3, "people", initial={0, 1, 2}))
    seen = set_of(3, "people who were seen")


model = Model(Bounds, State)


@model.action("boat", who=lambda k: range(3))
def move(s, k, who):
    here, there = (s.bank[1], s.bank[0]) if s.west else (s.bank[0], s.bank[1])
    if who not in here:
        return False
    here -= {who}
    there |= {who}
    if s.west:
        s.seen |= {who}
    else:
        there |= {who}
    s.west = not s.west
    return True
"""


def alike(tmp_path, text, properties=()):
    """Check a model by both engines; return how many states they find."""
    file = tmp_path / "everyday.py"
    file.write_text(HEAD + text)
    engines = ("compiled", "interpreted")
    found = [check(str(file), engine=engine, properties=properties) for engine in engines]
    assert found[0].distinct_states == found[1].distinct_states
    assert found[0].holds == found[1].holds
    return found[0].distinct_states


def test_every_engine_finds_what_a_name_changes(tmp_path):
    assert alike(tmp_path, BOAT) == 84


FILLED_LATER = (
    "out = []\nfor v in s.queue:\n    if out and out[-1] == v:\n        continue\n"
    "    out.append(v)\nreturn len(out) > 2",
    "seen = []\nfor i, v in enumerate(s.queue):\n    for j, w in seen:\n        if v == w:\n"
    "            s.x = i - j\n    seen.append((i, v))\nreturn True",
    "sums = []\nfor v in s.queue:\n    sums.append(sums[-1] + v if sums else v)\n"
    "return sums[-1] > 3 if sums else s.flag",
    "runs = []\nfor v in s.queue:\n    if runs and runs[-1][0] == v:\n"
    "        v, count = runs.pop()\n        runs.append((v, count + 1))\n    else:\n"
    "        runs.append((v, 1))\nreturn max((count for _, count in runs), default=0) == 2",
    "one, two = [], []\nwhile len(one) < len(s.queue):\n    if two and max(two) > 1 and 1 in one:\n"
    "        break\n    one.append(s.queue[len(one)])\n    two += [one[-1]]\nreturn sum(two) > 2",
    "net = []\nfor m in s.net:\n    if any(m.n == one.n for one in net):\n        return False\n"
    "    net.append(m)\nreturn len(net) == 2",
    "none = []\nif s.x > 3 and none[0] == 1:\n    return False\nreturn s.x < 3",
)


@pytest.mark.parametrize("body", FILLED_LATER)
def test_a_list_is_read_by_a_loop_before_it_adds_to_it(body):
    assert agreeing(TRANSLATE(act(body)), STATES) >= 5


EXTENDED = (
    "own = [s.y]\nown.extend(v + 1 for v in s.queue if v != s.y)\nreturn sum(own) > 4",
    "own = [s.y]\nown += (v + 1 for v in s.queue if v != s.y)\nreturn own[-1] > 2",
    "one, two = [s.x], [s.y]\ntwo.extend(v for v in one)\nreturn two[-1] == two[0]",
)


@pytest.mark.parametrize("body", EXTENDED)
def test_a_list_takes_all_of_a_generator(body):
    assert agreeing(TRANSLATE(act(body)), STATES) >= 5


@pytest.mark.parametrize(
    "body",
    [
        "own = [1]\nown.extend(v for v in s.queue if v not in own)\nreturn len(own) > 1",
        "own = [1]\nnew = lambda v: v not in own\nown += (v for v in s.queue if new(v))\n"
        "return len(own) > 1",
        "one, two = [s.x], [s.y]\none, two = two, one\none.append(1)\nreturn len(two) == 1",
    ],
)
def test_what_tells_when_a_list_grows_is_refused(body):
    refused_or_agreeing(TRANSLATE, act(body), STATES)


KNOWN_EMPTY = """
from functools import reduce


class State(Record):
    x: list[int] = array(3, integer(0, 2, "x"))
    y: int = integer(0, 6, "y")


model = Model(Bounds, State, name="groups", deadlock=False)


def enough(n):
    return n > 1


@model.action("a", i=lambda k: range(3))
def add(s, k, i):
    if s.x[i] == 2:
        return False
    s.x[i] += 1
    return True


@model.action("a", group=lambda k: range(8))
def look(s, k, group):
    members = [i for i in range(3) if group >> i & 1]
    if not enough(len(members)) or s.y:
        return False
    top = max(s.x[i] for i in members)
    first = next(i for i in members if s.x[i] == top)
    best = max(members, key=lambda i: s.x[i])
    pair = reduce(lambda p, q: p + q, (s.x[i] for i in range(3) if group >> i & 1))
    s.y = first + best + pair % 3
    return True


@model.action("a", group=lambda k: range(8))
def take(s, k, group):
    members = [i for i in range(3) if group >> i & 1]
    for q in range(2):
        for m in members:
            if s.x[m] == q:
                members = [*members, q]
    if len(members) < 5:
        return False
    s.y = 0
    return True
"""


def test_what_a_choice_leaves_empty_is_an_empty_list(tmp_path):
    assert alike(tmp_path, KNOWN_EMPTY, ["none"]) > 27
