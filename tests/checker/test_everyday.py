"""Everyday Python means the same in machine code: each spelling, on states of every kind."""

import itertools
import math
import textwrap
from enum import IntEnum
from random import Random

import pytest

from tidegate import (
    NONE,
    Bag,
    Record,
    RecordSet,
    Seq,
    Set,
    array,
    bag_of,
    boolean,
    check,
    enumeration,
    integer,
    sequence_of,
    set_of,
)
from tidegate.core.layout import Layout
from tidegate.language.lowering.frame import LoweringError

from . import everyday
from .conftest import action_from, agreeing, refused_or_agreeing, translator, unless_outside


class Phase(IntEnum):
    IDLE = 0
    BUSY = 1
    DONE = 2


class Entry(Record):
    term: int = integer(0, 3, "term")
    phase: Phase = enumeration(Phase, "phase")


class Everything(Record):
    x: int = integer(0, 7, "x")
    y: int = integer(-2, 9, "y")
    phase: Phase = enumeration(Phase, "phase")
    log: list[int] = array(3, integer(0, 2, "log"))
    parts: list[Entry] = array(2, Entry)
    done: Set = set_of(4, "done")
    queue: Seq[int] = sequence_of(integer(0, 3, "queue"), 3, "queue")
    entries: Seq[Entry] = sequence_of(Entry, 2, "entries")
    flag: bool = boolean("flag")
    bag: Bag = bag_of(2, 2, "bag")
    other: Bag = bag_of(2, 2, "another bag")
    sent: RecordSet[Entry] = set_of(Entry, 2, "sent")


TABLES = """
PAIRS = ((0, 1), (1, 2), (2, 0))
ROW = (2, 0, 1, 3, 5, 4, 7, 6)
TABLE = ((1, 2, 0), (0, 1, 2), (2, 2, 1))
NEXT = {Phase.IDLE: Phase.BUSY, Phase.BUSY: Phase.DONE, Phase.DONE: Phase.IDLE}
COST = {0: 3, 1: 1, 2: 2, 3: 0}
BY_NAME = {"a": 1, "b": 2}
MOVES = {0: (1, 2), 1: (3,), 2: (0, 3), 3: ()}
"""

NAMES = {
    "Entry": Entry, "Phase": Phase, "State": Everything, "itertools": itertools, "math": math,
    "combinations": itertools.combinations, "product": itertools.product, "NONE": NONE,
}  # fmt: skip

BUMPED = """
def bumped(s):
    s.x = (s.x + 1) % 8
    return s.queue
"""

SPELLINGS = {
    "a method of what a call returns": ("return bumped(s).count(1) == 1", BUMPED),
    "a method that changes what a call returns": ("bumped(s).append(1)\nreturn True", BUMPED),
    "an operand that decides": ("s.x = s.log[0] or 3\ns.y = s.log[1] and s.x\nreturn True", ""),
    "enumerate": (
        """
        t = 0
        for i, v in enumerate(s.log):
            if v > i:
                t += v
        s.x = t
        return True
    """,
        "",
    ),
    "enumerate start": (
        """
        t = 0
        for i, v in enumerate(s.log, start=1):
            t = max(t, i * v)
        s.x = t
        return True
    """,
        "",
    ),
    "enumerate set": (
        """
        t = 0
        for i, v in enumerate(s.done):
            t += i * v
        s.x = t % 8
        return True
    """,
        "",
    ),
    "enumerate seq": (
        """
        t = 0
        for i, v in enumerate(s.queue):
            t += (i + 1) * v
        s.x = t % 8
        return True
    """,
        "",
    ),
    "zip": (
        """
        t = 0
        for a, b in zip(s.log, ROW):
            t += a * b
        s.x = t % 8
        return True
    """,
        "",
    ),
    "zip seq": (
        """
        t = 0
        for a, b in zip(s.queue, s.log):
            t += a * b
        s.x = t % 8
        return True
    """,
        "",
    ),
    "pairs": (
        """
        t = 0
        for a, b in PAIRS:
            t += s.log[a] * (b + 1)
        s.x = t % 8
        return True
    """,
        "",
    ),
    "reversed": (
        """
        t = 0
        for v in reversed(s.log):
            t = t * 3 + v
        s.x = t % 8
        return True
    """,
        "",
    ),
    "reversed range": (
        """
        t = 0
        for i in reversed(range(3)):
            t = t * 3 + s.log[i]
        s.x = t % 8
        return True
    """,
        "",
    ),
    "table": (
        """
        s.x = ROW[s.x]
        return True
    """,
        "",
    ),
    "table2": (
        """
        s.x = TABLE[s.log[0]][s.log[1]]
        return True
    """,
        "",
    ),
    "dict enum": (
        """
        s.phase = NEXT[s.phase]
        return True
    """,
        "",
    ),
    "dict num": (
        """
        s.x = COST[s.log[0]]
        return True
    """,
        "",
    ),
    "dict get": (
        """
        s.x = COST.get(s.x, 0)
        return True
    """,
        "",
    ),
    "dict in": (
        """
        if s.x not in COST:
            return False
        s.x = COST[s.x] + 4
        return True
    """,
        "",
    ),
    "dict tuples": (
        """
        if s.x > 3:
            return False
        for m in MOVES[s.x]:
            s.x = m
            return True
        s.x = 5
        return True
    """,
        "",
    ),
    "dict items": (
        """
        t = 0
        for a, b in COST.items():
            if s.log[0] == a:
                t += b
        s.x = t
        return True
    """,
        "",
    ),
    "dict keys": (
        """
        t = 0
        for a in COST:
            t += a
        for b in COST.values():
            t += b
        s.x = t % 8
        return True
    """,
        "",
    ),
    "min set": (
        """
        if not s.done:
            return False
        s.x = min(s.done)
        return True
    """,
        "",
    ),
    "max array": (
        """
        s.x = max(s.log)
        return True
    """,
        "",
    ),
    "min key": (
        """
        s.x = min(range(3), key=lambda i: s.log[i])
        return True
    """,
        "",
    ),
    "max key tuple": (
        """
        s.x = max(range(3), key=lambda i: (s.log[i], -i))
        return True
    """,
        "",
    ),
    "max set key": (
        """
        if not s.done:
            return False
        s.x = max(s.done, key=lambda d: COST[d])
        return True
    """,
        "",
    ),
    "max default": (
        """
        s.x = max(s.done, default=7)
        return True
    """,
        "",
    ),
    "sum array": (
        """
        s.x = sum(s.log)
        return True
    """,
        "",
    ),
    "sum gen": (
        """
        s.x = sum(v for v in s.log if v)
        return True
    """,
        "",
    ),
    "sum bool": (
        """
        s.x = sum(v > 0 for v in s.log)
        return True
    """,
        "",
    ),
    "sum start": (
        """
        s.x = sum(s.log, 1)
        return True
    """,
        "",
    ),
    "sum list": (
        """
        s.x = sum([v for v in s.log])
        return True
    """,
        "",
    ),
    "any array": (
        """
        s.flag = any(s.log)
        return True
    """,
        "",
    ),
    "all array": (
        """
        s.flag = all(s.log)
        return True
    """,
        "",
    ),
    "any listcomp": (
        """
        s.flag = any([v == 2 for v in s.log])
        return True
    """,
        "",
    ),
    "two fors": (
        """
        s.flag = any(s.log[a] == s.log[b] for a in range(3) for b in range(a))
        return True
    """,
        "",
    ),
    "two fors sum": (
        """
        s.x = sum(1 for a in range(3) for b in range(3) if a != b and s.log[a] < s.log[b])
        return True
    """,
        "",
    ),
    "gen tuple": (
        """
        s.flag = all(s.log[a] <= s.log[b] for a, b in PAIRS)
        return True
    """,
        "",
    ),
    "in array": (
        """
        s.flag = 2 in s.log
        return True
    """,
        "",
    ),
    "in range": (
        """
        s.flag = s.y in range(1, 5)
        return True
    """,
        "",
    ),
    "in listcomp": (
        """
        s.flag = s.x in [v + 1 for v in s.log]
        return True
    """,
        "",
    ),
    "in set literal": (
        """
        s.flag = s.x in {1, 2, 5}
        return True
    """,
        "",
    ),
    "abs": (
        """
        s.x = abs(s.y)
        s.y = -2 if s.flag else s.log[0]
        return True
    """,
        "",
    ),
    "divmod": (
        """
        a, b = divmod(s.x, 3)
        s.x = a + b
        return True
    """,
        "",
    ),
    "pow": (
        """
        s.x = 2 ** s.log[0] % 8
        return True
    """,
        "",
    ),
    "pow call": (
        """
        s.x = pow(2, s.log[0]) % 8
        return True
    """,
        "",
    ),
    "listcomp len": (
        """
        s.x = len([v for v in s.log if v > 0])
        return True
    """,
        "",
    ),
    "listcomp index": (
        """
        a = [v + 1 for v in s.log]
        s.x = a[0] + a[2]
        return True
    """,
        "",
    ),
    "listcomp iter": (
        """
        free = [i for i in range(3) if s.log[i] == 0]
        if not free:
            return False
        s.log[free[0]] = 1
        return True
    """,
        "",
    ),
    "setcomp": (
        """
        free = {i for i in range(3) if s.log[i] == 0}
        if not free:
            return False
        s.x = len(free) + min(free)
        return True
    """,
        "",
    ),
    "setcomp len": (
        """
        s.x = len({v for v in s.log})
        return True
    """,
        "",
    ),
    "set call": (
        """
        s.x = len(set(s.log))
        return True
    """,
        "",
    ),
    "nested def": (
        """
        def twice(v):
            return 2 * v
        s.x = twice(s.log[0])
        return True
    """,
        "",
    ),
    "nested def closure": (
        """
        t = s.log[1]
        def plus(v: int) -> int:
            if v > 1:
                return v + t
            return v
        s.x = plus(s.log[0]) + plus(s.log[2])
        return True
    """,
        "",
    ),
    "lambda": (
        """
        f = lambda v: v + s.log[0]
        s.x = f(1) + f(2)
        return True
    """,
        "",
    ),
    "match value": (
        """
        match s.phase:
            case Phase.IDLE:
                s.phase = Phase.BUSY
            case Phase.BUSY | Phase.DONE:
                s.phase = Phase.IDLE
        return True
    """,
        "",
    ),
    "match capture": (
        """
        match s.x:
            case 0:
                s.x = 1
            case n if n > 3:
                s.x = n - 2
            case n:
                s.x = n + 1
        return True
    """,
        "",
    ),
    "match tuple": (
        """
        match s.phase, s.log[0]:
            case Phase.IDLE, 0:
                return False
            case Phase.IDLE, n:
                s.x = n
            case _, 2:
                s.x = 5
            case _:
                s.x = 0
        s.phase = Phase.BUSY
        return True
    """,
        "",
    ),
    "ret enum": (
        """
        s.phase = after(s.phase)
        return True
    """,
        """
        def after(p: Phase) -> Phase:
            return Phase.BUSY if p is Phase.IDLE else Phase.IDLE
    """,
    ),
    "ret enum unannotated": (
        """
        s.phase = after(s.phase)
        return True
    """,
        """
        def after(p):
            return Phase.BUSY if p is Phase.IDLE else Phase.IDLE
    """,
    ),
    "ret tuple": (
        """
        a, b = both(s)
        s.x = a + b
        return True
    """,
        """
        def both(s):
            return s.log[0], s.log[1]
    """,
    ),
    "ret tuple annot": (
        """
        a, b = both(s)
        s.x = a + b
        return True
    """,
        """
        def both(s: State) -> tuple[int, int]:
            return s.log[0], s.log[1]
    """,
    ),
    "ret list": (
        """
        a = both(s)
        s.x = a[0] + len(a)
        return True
    """,
        """
        def both(s: State) -> list[int]:
            return [v for v in s.log if v > 0] + [1]
    """,
    ),
    "ret list2": (
        """
        for i in free(s):
            s.log[i] = 1
            return True
        return False
    """,
        """
        def free(s: State) -> list[int]:
            return [i for i in range(3) if s.log[i] == 0]
    """,
    ),
    "ret record2": (
        """
        if len(s.entries) >= 2:
            return False
        s.entries.append(newest(s))
        return True
    """,
        """
        def newest(s: State) -> Entry:
            if s.flag:
                return Entry(term=0, phase=Phase.DONE)
            return Entry(term=s.log[0], phase=s.phase)
    """,
    ),
    "ret bool or none": (
        """
        v = first(s)
        if v is None:
            return False
        s.x = v
        return True
    """,
        """
        def first(s: State) -> int | None:
            for i in range(3):
                if s.log[i] == 1:
                    return i
            return None
    """,
    ),
    "ret part": (
        """
        part = busiest(s)
        part.term = 0
        return True
    """,
        """
        def busiest(s: State) -> Entry:
            return s.parts[0] if s.flag else s.parts[1]
    """,
    ),
    "phase of": (
        """
        s.phase = Phase(s.log[0])
        return True
    """,
        "",
    ),
    "phase of mod": (
        """
        s.phase = Phase((s.phase + 1) % 3)
        return True
    """,
        "",
    ),
    "wrap": (
        """
        if not original(s, k):
            return False
        s.y = 3
        return True
    """,
        """
        def original(s: State, k) -> bool:
            if s.x >= 7:
                return False
            s.x += 1
            return True
    """,
    ),
    "tuple assign": (
        """
        a, b = s.log[0], s.log[1]
        a, b = b, a
        s.x = 2 * a + b
        return True
    """,
        "",
    ),
    "tuple branch": (
        """
        if s.flag:
            t = (1, 2)
        else:
            t = (2, 3)
        s.x = t[0] + t[1]
        return True
    """,
        "",
    ),
    "enum branch": (
        """
        if s.flag:
            p = Phase.IDLE
        else:
            p = Phase.DONE
        s.phase = p
        s.flag = not s.flag
        return True
    """,
        "",
    ),
    "ifexp enum": (
        """
        s.phase = Phase.IDLE if s.flag else Phase.DONE
        s.flag = not s.flag
        return True
    """,
        "",
    ),
    "list build": (
        """
        free = []
        for i in range(3):
            if s.log[i] == 0:
                free.append(i)
        if not free:
            return False
        s.log[free[-1]] = 1
        return True
    """,
        "",
    ),
    "set build": (
        """
        free = set()
        for i in range(3):
            if s.log[i] == 0:
                free.add(i)
        if 1 not in free:
            return False
        s.x = len(free)
        return True
    """,
        "",
    ),
    "iter enum": (
        """
        t = 0
        for p in Phase:
            if s.phase is p:
                t += p.value + 1
        s.x = t
        return True
    """,
        "",
    ),
    "len enum": (
        """
        s.phase = Phase((s.phase + 1) % len(Phase))
        return True
    """,
        "",
    ),
    "sorted": (
        """
        a = sorted(s.log)
        s.x = a[1]
        return True
    """,
        "",
    ),
    "pairs that are combined": (
        """
        for q in combinations(range(3), 2):
            if all(s.log[i] == 1 for i in q):
                s.x = 7
                return True
        return False
    """,
        "",
    ),
    "product": (
        """
        s.flag = any(s.log[a] > s.log[b] for a, b in product(range(3), repeat=2))
        return True
    """,
        "",
    ),
    "next gen": (
        """
        i = next((i for i in range(3) if s.log[i] == 1), None)
        if i is None:
            return False
        s.x = i
        return True
    """,
        "",
    ),
    "next gen2": (
        """
        i = next((i for i in range(3) if s.log[i] == 1), 5)
        s.x = i
        return True
    """,
        "",
    ),
    "records loop": (
        """
        t = 0
        for p in s.parts:
            t += p.term
        s.x = t
        return True
    """,
        "",
    ),
    "records any": (
        """
        s.flag = any(p.phase is Phase.BUSY for p in s.parts)
        return True
    """,
        "",
    ),
    "records max": (
        """
        s.x = max(p.term for p in s.parts)
        return True
    """,
        "",
    ),
    "records write": (
        """
        for p in s.parts:
            p.term = 0
        return True
    """,
        "",
    ),
    "entry branch": (
        """
        if len(s.entries) >= 2:
            return False
        if s.flag:
            e = Entry(term=1, phase=Phase.IDLE)
        else:
            e = Entry(term=2, phase=Phase.BUSY)
        s.entries.append(e)
        return True
    """,
        "",
    ),
    "count": (
        """
        s.x = s.log.count(1)
        return True
    """,
        "",
    ),
    "index": (
        """
        if 1 not in s.log:
            return False
        s.x = s.log.index(1)
        return True
    """,
        "",
    ),
    "slice const": (
        """
        s.x = sum(ROW[:3])
        return True
    """,
        "",
    ),
    "int bool": (
        """
        s.x = int(s.flag) + int(s.log[0] > 1)
        return True
    """,
        "",
    ),
    "bool sub": (
        """
        s.x = s.flag + s.log[0]
        s.flag = True
        return True
    """,
        "",
    ),
    "fstring assert": (
        """
        assert s.x < 7, f'{s.x}'
        s.x = 0
        return True
    """,
        "",
    ),
    "raise": (
        """
        if s.x > 6:
            raise ValueError(s.x)
        s.x = 0
        return True
    """,
        "",
    ),
    "not all": (
        """
        if not all(v for v in s.log):
            return False
        s.x = 1
        return True
    """,
        "",
    ),
    "chain": (
        """
        s.flag = 0 < s.log[0] < s.log[1] <= 2
        return True
    """,
        "",
    ),
    "ternary nested": (
        """
        s.x = 1 if s.log[0] == 0 else 2 if s.log[0] == 1 else 3
        return True
    """,
        "",
    ),
    "math gcd": (
        """
        s.x = math.gcd(4, 6)
        return True
    """,
        "",
    ),
    "closure over loop": (
        """
        for i in range(3):
            def ok(j):
                return s.log[j] > i
            if ok(0):
                s.x = i
                return True
        return False
    """,
        "",
    ),
    "star args": (
        """
        a, *rest = s.log[0], s.log[1], s.log[2]
        s.x = a + len(rest) + rest[0]
        return True
    """,
        "",
    ),
    "max args star": (
        """
        s.x = max(*s.log)
        return True
    """,
        "",
    ),
    "two level": (
        """
        t = [[s.log[i] + j for j in range(2)] for i in range(2)]
        s.x = t[0][1] + t[1][0]
        return True
    """,
        "",
    ),
    "map int": (
        """
        s.x = sum(map(int, s.log))
        return True
    """,
        "",
    ),
    "filter": (
        """
        s.x = len(list(filter(None, s.log)))
        return True
    """,
        "",
    ),
    "kwargs call": (
        """
        s.x = plus(a=s.log[0], b=1)
        return True
    """,
        """
        def plus(a: int, b: int = 2) -> int:
            return a + b
    """,
    ),
    "global const attr": (
        """
        s.x = Config.limit
        return True
    """,
        """
        class Config:
            limit = 3
    """,
    ),
    "pass tuple": (
        """
        s.x = add((s.log[0], s.log[1]))
        return True
    """,
        """
        def add(p):
            return p[0] + p[1]
    """,
    ),
    "pass list": (
        """
        s.x = add([v for v in s.log if v])
        return True
    """,
        """
        def add(p):
            return sum(p)
    """,
    ),
    "pass lambda": (
        """
        s.x = apply(lambda v: v + 1, s.log[0])
        return True
    """,
        """
        def apply(f, v):
            return f(v)
    """,
    ),
    "array eq": (
        """
        s.flag = s.log == [0, 1, 2]
        return True
    """,
        "",
    ),
    "array all eq": (
        """
        s.flag = all(v == s.log[0] for v in s.log)
        return True
    """,
        "",
    ),
    "neg const index": (
        """
        s.x = ROW[-1] - s.log[2]
        return True
    """,
        "",
    ),
    "majority": (
        """
        votes = sum(1 for i in range(3) if s.log[i] == 1)
        s.flag = votes * 2 > 3
        return True
    """,
        "",
    ),
    "a record made without all its variables": (
        """
        s.entries[:] = [Entry(), Entry(term=s.x)]
        return s.parts[0] == Entry()
    """,
        "",
    ),
    "a record of its own that is written": (
        """
        m = Entry(term=s.log[0])
        if s.x > 3:
            m.term += s.log[1]
            m.phase = s.log[2]
        for v in s.log:
            if v == 1 or m.term == 0:
                m.term = v
        s.entries[:] = [m]
        m.phase = Phase.DONE
        s.flag = m in s.entries
        if is_first(s, m) and len(s.entries) < 2:
            s.entries.append(m)
        m = Entry(phase=m.phase)
        m.term = m.phase
        s.y = m.term
        return m.phase is Phase.DONE
    """,
        """
        def is_first(s, m) -> bool:
            return s.entries[0].term == m.term
    """,
    ),
    "a record that is taken out and written": (
        """
        if not s.entries:
            return False
        m = s.entries.popleft()
        m.term = 3 - m.term
        s.entries.insert(0, m)
        m.term = 0
        s.parts[1].assign(m)
        return True
    """,
        "",
    ),
    "next or another value": (
        """
        if s.x < 4:
            v = 3
        else:
            v = next(e for e in s.log if e > 0)
        w = next((e for e in s.queue if e), None)
        s.y = v if w is None else next(p.term for p in s.parts if p.term != w)
        return v > 1
    """,
        "",
    ),
    "a match of a record": (
        """
        if not s.entries:
            return False
        match s.entries[0]:
            case Entry(term=0 | 1, phase=Phase.IDLE as phase):
                s.entries[0].term = 3
                s.x = phase
            case Entry(phase=Phase.BUSY, term=term) if term > 1:
                s.entries.clear()
                s.x = term
            case Entry(term=term) as entry:
                s.entries.pop()
                s.x = entry.term + term + entry.phase
        match s.parts[1]:
            case Entry(term=2):
                s.y = 2
            case _:
                s.y = 3
        return True
    """,
        "",
    ),
    "an own set of large numbers": (
        """
        a = {v + 8 * w for v in s.log for w in range(s.x)}
        b = {v + 1 for v in a if v != s.y}
        s.flag = any(v % 9 > 6 for v in b) or all(v > 20 and plain(v) for v in a)
        s.x = sum(v for v in a) % 8
        s.y = sum(1 for v in a for w in b if v < w) % 9
        s.phase = (max(a, default=0) + min((v % 9 for v in b), default=1)) % 3
        return sorted(v % 16 for v in b) == sorted(a) or {v // 8 for v in set(b)} == {1, 2}
    """,
        """
        def plain(v) -> bool:
            return v % 3 > 0
    """,
    ),
    "a dictionary of values of the state": (
        """
        counts = {v: sum(1 for w in s.log if w == v) for v in range(3)}
        s.x = counts[s.log[0]] + counts.get(s.x, 5) + len(counts)
        s.phase = max(counts, key=lambda v: counts[v])
        for v, count in counts.items():
            s.y = (s.y + v * count) % 9
        return s.x in counts or max(counts.values()) > 2 or (2, 1) in counts.items()
    """,
    ),
    "a display with values of the state": (
        """
        cost = {Phase.IDLE: s.x, Phase.BUSY: s.y, Phase.DONE: 2}
        both = {(0, 1): s.log[0], (1, 1): s.y}
        s.x = abs(cost[s.phase] + both.get((s.log[1], 1), 7)) % 8
        if not s.flag:
            cost = {Phase.IDLE: 1, Phase.BUSY: s.x, Phase.DONE: s.log[2]}
        return cost[s.phase] > 1 and sum(cost.values()) > 2
    """,
    ),
    "a dictionary of lists, records and pairs": (
        """
        ways = {0: (s.x, s.y), 1: (s.y, 1), 2: (3, s.log[1])}
        a, b = ways[s.log[0]]
        last = {i: part for i, part in enumerate(s.parts)}
        s.x = (abs(a) + abs(b) + last[s.log[2] % 2].term) % 8
        names = {"a": s.x, "b": 1}
        return names["a"] > names["b"] and bool(ways) and list(ways) == [0, 1, 2]
    """,
    ),
    "a key that is missing": (
        """
        few = {1: s.x, 2: s.y}
        if s.log[0] in few.keys():
            s.x = abs(few[s.log[0]]) % 8
        s.y = few[s.log[1]] if s.log[1] else 0
        some = few.get(s.log[2] + s.x)
        if some is not None and some > 3:
            s.flag = few.get(s.y % 3) == some or few.get(7) == some
        return few[s.log[2]] > 0
    """,
    ),
    "nobody in a display of a set": (
        """
        who = s.log[0] - 1
        chosen = {NONE, s.x}
        if s.log[1] - 1 not in {NONE, who, 100 * s.x}:
            s.x = 0
        s.flag = who in chosen and s.y not in {who, NONE} or s.y in {s.x - 9, 70, s.log[2]}
        return s.x not in {NONE} and who not in chosen
    """,
        "",
    ),
    "sets with nobody": (
        """
        a = {v - 1 for v in s.log}
        b = {NONE, s.x, s.log[0]} & a
        c = a | {s.log[1]} if s.flag else a - {NONE}
        d = a ^ {NONE, 1}
        s.flag = a == b or NONE in c or b <= {NONE, 1} or not b or a.isdisjoint(c) or d > b
        s.x = len(a - {NONE}) + len(c)
        t = sum(a | c) + max(b, default=9) - min(d, default=0)
        for v in sorted(d | c):
            t = (3 * t + v) % 7
        for v in set(s.log) & {NONE, 0, 2}:
            t = (5 * t + v) % 8
        s.y = t % 9
        return any(v < 0 for v in c) or len({v % 2 - 1 for v in d}) == 2
    """,
        "",
    ),
    "sets with nobody on several ways": (
        """
        a = {NONE}
        for v in s.log:
            if v in a:
                a = a - {v, NONE} | {s.x, v - 1}
            elif v:
                a = {NONE, 40 + v}
            s.y = (2 * s.y + len(a) + sum(a)) % 9
        return NONE in a and a.union(s.done) != a.union(s.queue) and s.y in a
    """,
        "",
    ),
    "sets of the state and nobody": (
        """
        a = {v - 1 for v in s.log}
        if s.x > 4:
            s.done &= a
        elif s.x > 2:
            s.flag = s.done <= a or s.done - a == {1} or len(a & s.done) > 1
        else:
            s.done.difference_update(a - {NONE})
            s.flag = a.issuperset(s.done) or {NONE, s.x}.union(s.done) == a
        return (s.done | {1}).union({s.log[1] - 1}) == a
    """,
        "",
    ),
    "nobody is discarded": (
        """
        a = set(s.log)
        if s.x > 4:
            a.add(s.x - 5)
        a.discard(NONE)
        a.discard(s.log[1] - 1)
        a.discard(s.y)
        if s.flag:
            a.remove(s.log[2] - 1)
        return sorted(a) == [0, 2] or sum(a) == s.y
    """,
        "",
    ),
    "tables of sets with nobody": (
        """
        a = {v - 1 for v in s.log}
        some = SETS[s.log[0]]
        s.flag = some <= a or a == SETS[s.log[1]] or a.isdisjoint(some) or s.y in some
        either = some if s.x > 3 else {NONE, 1}
        other = SETS[s.log[2]] if s.x % 2 else a
        s.x = len(either & a) + len(other | {NONE}) + (NONE in either)
        t = sum(some ^ a) + max(some & a, default=5) + sum(either)
        for v in sorted(either | other):
            t = (3 * t + v) % 9
        s.y = t
        return len(a - some) == 1 or len({NONE} or {0}) > len(some)
    """,
        "SETS = ({NONE, 0}, {1}, {NONE, 2})",
    ),
    "a default that fails though it is not wanted": (
        """
        s.x = next((v for v in s.log if v == 1), ROW[s.y])
        return next((v > 2 for v in s.queue if s.flag), 6 // s.x > 1)
    """,
    ),
    "a table with None": (
        """
        s.x, answer = MAYBE[s.x % 3]
        if answer is not None:
            s.queue[:] = [answer]
        if answer:
            s.y = answer
        if answer == s.log[1] or s.log[2] != answer or None == answer:
            s.flag = answer in (0, 2) or answer not in {1, s.log[0]} and answer != None
        return answer is None or answer + s.log[0] > 1
    """,
        "MAYBE = {0: (1, None), 1: (0, 1), 2: (5, 0)}",
    ),
    "what a dictionary lacks": (
        """
        cost, move = COST.get(s.x), MOVES.get(s.y)
        s.flag = cost is None
        if move is not None:
            s.y = len(move)
        if (v := ONLY.get(s.log[0])) is not None and v > 0:
            s.x = v
        s.log[1] = ONLY.get(s.log[1], 2) or 0
        w = ONLY.get(s.log[2])
        if s.x == 7:
            w = s.log[0]
        match w:
            case None:
                return cost == 1
            case 1 | 0 as u:
                return u > 0
        return MOVES.get(s.y, (9, 9)) == (3,)
    """,
        "ONLY = {0: None, 1: 1}",
    ),
    "rows with None": (
        """
        t = 0
        for a, b in ROWS:
            if b is None:
                t += a
            elif b > s.log[0]:
                t += b
        one, other = ROWS[s.log[1]]
        last = ROWS[s.log[2] - 3][1] or 4
        for v in NONES[s.log[0]]:
            if v is not None:
                t += v
            else:
                t *= 2
        s.flag = None in NONES[s.log[0]] or last in NONES[1]
        s.y = t % 8 + (1 if other is None else 0) - (one == other)
        return [b for a, b in ROWS if a == s.x and b is not None] == [last]
    """,
        "ROWS = [(1, None), (0, 1), (2, 2)]\nNONES = ((1, None), (None, 3), (None, None))",
    ),
    "a function that looks in a table with None": (
        """
        n = found(s.x)
        if n is None:
            return found(s.log[0]) is None
        s.x = n
        m = found(s.log[1])
        return n == m or m == found(s.log[2])
    """,
        """
        ONLY = {0: None, 1: 1, 3: 4}
        def found(x) -> int | None:
            return ONLY.get(x)
    """,
    ),
    "a match of what may be None": (
        """
        match next((e for e in s.entries if e.term == s.log[0]), None):
            case Entry(term=0, phase=p):
                s.x = p
            case None:
                s.x = 7
            case Entry(term=t):
                s.x = t
        match next(((v, w) for v, w in zip(s.log, s.queue) if v < w), None):
            case (1, v):
                s.y = v
            case (v, w):
                s.y = v + w
        return True
    """,
        "",
    ),
    "keywords that are passed on": (
        """
        send(s, term=s.log[0], phase=Phase.BUSY)
        send(s, where=1, **{"term": s.log[1]})
        put(s, 0, by=s.log[2], term=2)
        m = Entry(**LOWEST, term=rest(x=s.x, y=s.log[0]))
        s.flag = m == s.parts[1] or m in s.entries
        s.y = rest() + rest(y=1)
        return s.parts[0].term == only(s, at=1, low=s.log[0] % 2)
    """,
        """
        LOWEST = {"phase": 1}
        def put(s, at: int, *, by: int = 1, **fields):
            s.parts[at].assign(Entry(phase=by, **fields))
        def send(s, where: int = 0, **fields) -> None:
            if "phase" in fields:
                s.phase = fields["phase"]
            if len(s.entries) < 2:
                s.entries.append(Entry(**fields))
            elif "phase" not in fields:
                put(s, where, **fields, by=fields.get("phase", 0))
        def rest(**given) -> int:
            t = 0
            for name, value in given.items():
                t += value if name == "y" else 1
            return t % 4
        def only(s, *, at: int, low: int, high: int = 3) -> int:
            return min(max(s.log[at], low), high)
    """,
    ),
    "a bag and a set of records compared": (
        """
        if s.x == 1:
            s.bag.add(s.log[0] % 2)
        if s.x == 2:
            s.bag.add(0)
            s.bag.add(0)
        if s.flag:
            s.sent.add(Entry(term=s.x % 3))
        s.y = 4 * (s.bag == {}) + 2 * (s.bag != {0: 2}) + ({1: 1, 0: 0} == s.bag)
        s.log[0] = (s.bag == {0: 1, 7: 0}) + (s.bag == {0: 1, 7: 1})
        if s.sent != set():
            s.x = 3
        s.log[1] = (s.sent == set()) + (frozenset() != s.sent)
        return s.bag == s.other and s.sent == s.sent
    """,
        "",
    ),
    "map of several": (
        """
        s.log[:] = map(min, s.log, ROW)
        s.flag = any(map(lambda v, w, u: v + w > u, s.log, s.queue, reversed(s.log)))
        s.x = sum(map(max, s.log, s.queue)) % 8
        a = list(map(less, s.log, (1, 2, 0)))
        if len(s.queue) == 2:
            s.queue[:] = map(lambda v: (v + 1) % 4, s.queue)
        s.y = sum(a * b + c for a, b, c in zip(s.log, ROW, s.queue)) % 9
        return all(map(less, s.queue, s.log)) or list(map(divmod, s.log, (1, 2, 3)))[1] == (1, 0)
    """,
        """
        def less(a, b) -> bool:
            return a < b
    """,
    ),
    "neighbours and chains": (
        """
        s.flag = any(a < b for a, b in itertools.pairwise(s.log))
        s.x = sum(b - a for a, b in itertools.pairwise(s.queue) if a < b) % 8
        t = 0
        for a, b in list(itertools.pairwise(s.queue)):
            s.queue[0] = 3
            t = (3 * t + a - b) % 9
        s.y = t
        if all(v < 3 for v in itertools.chain(s.log, s.queue, [s.x])):
            return sum(filter(None, itertools.chain(s.queue, s.done))) > 2
        return sorted(itertools.chain(s.log, s.queue[1:])) == [0, 0, 1]
    """,
        "",
    ),
    "str dispatch": (
        """
        s.x = kind('b', s)
        return True
    """,
        """
        def kind(name: str, s: State) -> int:
            return BY_NAME[name] + s.log[0]
    """,
    ),
}
"""Bodies of an action, each with the functions that it calls."""


def states():
    """Return states of every kind, stored: the first one, and some at random."""
    layout, random = Layout(Everything, None), Random(7)
    s, some = layout.record, [layout.dump()]
    for _ in range(60):
        layout.load(some[0])
        s.x, s.y = random.randrange(8), random.randrange(-2, 10)
        s.phase, s.flag = random.choice(list(Phase)), random.random() < 0.5
        for index in range(3):
            s.log[index] = random.choice((0, 0, 1, 1, 2))
        for part in s.parts:
            part.term, part.phase = random.randrange(4), random.choice(list(Phase))
        for number in range(random.randrange(5)):
            s.done.add(random.choice((number, random.randrange(4))))
        for _ in range(random.randrange(4)):
            s.queue.append(random.randrange(4))
        for _ in range(random.randrange(3)):
            s.entries.append(Entry(term=random.randrange(4), phase=random.choice(list(Phase))))
        some.append(layout.dump())
    return some


STATES = states()
TRANSLATE = translator(Layout(Everything, None))


def action(body, helpers=""):
    """Return an action with this body."""
    return action_from(body, f"{TABLES}\n{textwrap.dedent(helpers)}", NAMES)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_everyday_python_means_what_it_means_in_python(spelling):
    meanings = unless_outside(spelling, TRANSLATE, action(*SPELLINGS[spelling]))
    assert agreeing(meanings, STATES) >= 5


MODEL = """
from dataclasses import dataclass
from tidegate import Kind, Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 5, "nodes")


class State(Record):
    count: list[int] = array(lambda k: k.nodes, integer(0, 3, "count"), by="node")


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)
twice = lambda v: v * 2
TURNED = (
    lambda v: v,
    lambda v, by: (
        v
        + by
    ),
)


@model.action("node")
def rise(s: State, k: Bounds, node: int) -> bool:
    if twice(s.count[node]) >= 6:
        return False
    s.count[node] = TURNED[1](s.count[node], 1)
    return True


@model.liveness(
    Kind.LEADS_TO,
    "Who is low rises.",
    premise=lambda s, k, n: s.count[n] < 2,
    n="node",
)
def rises(s: State, k: Bounds, n: int) -> bool:
    return s.count[n] == 3
"""


def test_lambdas_of_a_model_are_translated(tmp_path):
    file = tmp_path / "rising.py"
    file.write_text(MODEL)
    compiled, interpreted = (check(str(file), engine=e) for e in ("compiled", "interpreted"))
    assert compiled.holds
    assert interpreted.holds
    assert compiled.distinct_states == interpreted.distinct_states == 16


HELPERS = """
def add(v):
    v.append(1)
def same(v):
    return v
def alter(v):
    v.term = 1
def keep(b, v) -> int:
    b.append(v)
    return v
def astore(s, v) -> int:
    s.x = v
    return v
def number(s) -> bool:
    return s.x
def alter_all(s, **fields):
    s.parts[0].assign(Entry(**fields))
def alters(s) -> int:
    s.log[1] = 0
    return 1
"""

REFUSED = {
    "for v in {s.log[0] + 8, 1}:\n    return v": "the order of a set",
    "c = {0: s.x, **s.log}\nreturn len(c)": "{0: s.x, **s.log}: a part of the state has no keys",
    "c = {0: s.x}\nreturn c == {0: 1}": "a number is needed",
    "return len(str(s.x))": "str(s.x) is not in the language of models",
    "a = []\nb = a\nb.append(1)\nreturn len(a)": "b and a are two names for one value, which",
    "a = [1]\nadd(a)\nreturn len(a)": "a list that a function gets, and changes",
    "a = b = []\nb.append(1)\nreturn len(a)": "b and a are two names for one value, which",
    "for a in [[1], [2]]:\n    a.append(1)\nreturn 1": "another name of a list",
    "a = []\na.append(1)\nb = same(a)\nb.append(2)\nreturn len(a)": "b lies in a, which may be",
    "def add():\n    nonlocal t\n    t += 1\nt = 0\nadd()\nreturn t": "nonlocal is not in",
    "v = None\nif s.flag:\n    v = 1\nif s.x:\n    v = (1, 2)\nreturn v is None": "another kind",
    "m = Entry()\nn = m\nm.term = 1\nreturn n.term": "m and n are two names for one value, which",
    "m = Entry()\na = [m]\nm.term = 1\nreturn a[0].term": "m lies in a, which may be read later,",
    "a = []\nm = Entry()\na.append(m)\nm.term = 1\nreturn a[0].term": "m lies in a, which may be",
    "m = Entry()\nn = same(m)\nm.term = 1\nreturn n.term": "m lies in n, which may be read",
    "m = Entry()\nalter(m)\nreturn m.term": "v.term, which is not a part of the state",
    "m = Entry()\nm.term, m.phase = 1, 2\nreturn m.term": "m.term, which is not a part of",
    "m = Entry()\ng = lambda: m\nm.term = 1\nreturn g().term": "m.term, which is not a part",
    "m = Entry()\nfor m in s.parts:\n    m.term = 1\nm = Entry()\nreturn 1": "of another kind",
    "a = {s.x + 8, 1}\nreturn [v for v in a][0]": "the order of a set",
    "a = {s.x + 8, 1}\nreturn max(a, key=lambda v: v % 7)": "the order of a set",
    "a = {s.x + 8, 1}\nb = {(m := v) for v in a}\nreturn m": "the order of a set",
    "a = {s.x + 8, 1}\nb = []\nc = {b.append(v) is None for v in a}\nreturn b[0]": "order of",
    "a = {s.x + 8, 1}\nb = [9]\nc = {keep(b, v) for v in a}\nreturn b[1]": "the order of a set",
    "a = {s.x + 8, 1}\nb = {astore(s, v) for v in a}\nreturn s.x": "the order of a set",
    "a = {s.x}\na.add(NONE)\nreturn len(a)": "a set with a negative number (leave NONE out)",
    "alter_all(s, term=1, **{'term': 2})\nreturn 1": "2}): arguments by **",
    "alter_all(s, **s.parts[0])\nreturn 1": "alter_all(s, **s.parts[0]): arguments by **",
    "alter_all(s, **{'other': 1})\nreturn 1": "alter_all(s, **{'other': 1}): arguments by **",
    "a = {s.parts[0]}\ns.parts[0].term = 1\nreturn len(a)": "parts of the state in a set",
    "for a, b in itertools.pairwise(s.log):\n    s.log[1] = a\nreturn 1": "this loop changes",
    "return sum(v + alters(s) for v in itertools.chain(s.log, [1]))": "this loop changes",
    "a = [s.x]\nfor v in itertools.chain(a, a):\n    a.append(v)\nreturn 1": "this loop changes",
    "s.log[:] = map(lambda v: astore(s, v), s.log)\nreturn 1": "log changes in this line after",
    "return set(s.log) - s.x": "set(s.log) - s.x: a set and a number have no such operator",
    "s.x = MOVES[s.x]\nreturn 1": "s.x is a number, and gets a list",
    "return len({s.x - 40, -2})": "a set of numbers that are -2 or less",
    "for v in {NONE, s.x}:\n    s.y = v\nreturn 1": "the order of a set shows here",
    "return number(s) + 1": "number() declares that it returns bool, and returns a number here",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_would_mean_something_else_is_refused(body):
    why = refused_or_agreeing(TRANSLATE, action(body, HELPERS), STATES)
    assert REFUSED[body] in why or not why


def difference(seeds):
    """Return the first random function that means something else, and how many are refused."""
    refused = 0
    for seed in seeds:
        text = everyday.body(Random(seed))
        try:
            meanings = TRANSLATE(action(text, everyday.HELPERS))
        except LoweringError:
            refused += 1
            continue
        for state in STATES:
            if meanings.compiled(state) != meanings.python(state):
                return f"seed {seed}\n{text}", refused
    return None, refused


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(50), id="few"),
        pytest.param(range(10_000, 15_000), id="many", marks=pytest.mark.slow),
    ],
)
def test_random_functions_mean_what_python_means(seeds):
    wrong, refused = difference(seeds)
    assert wrong is None
    assert refused < len(seeds) / 5
