"""Random expressions about a state, for Tidegate's containers and for Python's own.

A template's ``$l`` stands for another expression of that kind, down to the first ones of a kind,
which contain none.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from random import Random
from types import SimpleNamespace
from typing import Any

from tidegate import (
    Record,
    RecordSet,
    Seq,
    Set,
    array,
    boolean,
    enumeration,
    integer,
    sequence_of,
    set_of,
)
from tidegate.core.layout import Layout


class Phase(IntEnum):
    IDLE = 0
    BUSY = 1
    DONE = 2


class Pair(Record):
    n: int = integer(0, 3, "n")
    to: Set = set_of(3, "to")


class Msg(Record):
    kind: Phase = enumeration(Phase, "kind")
    n: int = integer(0, 2, "n")


class State(Record):
    x: int = integer(0, 3, "x")
    y: int = integer(-2, 3, "y")
    flag: bool = boolean("flag")
    a: Set = set_of(4, "a")
    b: Set = set_of(4, "b")
    q: Seq[int] = sequence_of(integer(0, 3, "v"), 3, "q")
    r: Seq[int] = sequence_of(integer(-1, 2, "v"), 3, "r")
    net: Seq[Pair] = sequence_of(Pair, 2, "net")
    pairs: list[Pair] = array(2, Pair)
    m: list[list[int]] = array(2, array(2, integer(0, 2, "m")))
    row: list[int] = array(3, integer(0, 3, "row"))
    banks: list[Set] = array(2, set_of(3, "bank"))
    rows: list[Seq[int]] = array(2, sequence_of(3, 2, "rows"))
    msgs: RecordSet[Msg] = set_of(Msg, 2, "msgs")
    phase: Phase = enumeration(Phase, "phase")
    phases: list[Phase] = array(2, enumeration(Phase, "phases"))
    todo: Seq[Phase] = sequence_of(enumeration(Phase, "phase"), 2, "todo")


LAYOUT = Layout(State, None)


class PythonPair:
    """What stands for a pair among Python's own values."""

    def __init__(self, n: int = 0, to: Any = ()) -> None:
        self.n, self.to = n, {*to}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PythonPair) and (self.n, self.to) == (other.n, other.to)

    __hash__ = None  # type: ignore[assignment]


class PythonMsg:
    """What stands for a message."""

    def __init__(self, kind: Phase = Phase.IDLE, n: int = 0) -> None:
        self.kind, self.n = kind, n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PythonMsg) and (self.kind, self.n) == (other.kind, other.n)

    def __hash__(self) -> int:
        return hash((self.kind, self.n))


def states(random: Random) -> Iterator[SimpleNamespace]:
    """Yield random states among Python's values; the record of ``LAYOUT`` holds the same one."""

    def some(most: int, low: int, high: int) -> list[int]:
        return [random.randint(low, high) for _ in range(random.randint(0, most))]

    while True:
        s, p = LAYOUT.record, SimpleNamespace()
        LAYOUT.reset()
        p.x = s.x = random.randint(0, 3)
        p.y = s.y = random.randint(-2, 3)
        p.flag = s.flag = random.random() < 0.5
        p.phase = s.phase = random.choice([*Phase])
        for name, values in (
            ("a", {*some(4, 0, 3)}), ("b", {*some(4, 0, 3)}), ("q", some(3, 0, 3)),
            ("r", some(3, -1, 2)), ("todo", random.choices([*Phase], k=random.randint(0, 2))),
        ):  # fmt: skip
            setattr(p, name, values)
            (getattr(s, name).update if isinstance(values, set) else getattr(s, name).extend)(
                values
            )
        p.pairs = [PythonPair(random.randint(0, 3), some(3, 0, 2)) for _ in range(2)]
        p.net = [PythonPair(random.randint(0, 3), some(3, 0, 2)) for _ in some(2, 0, 0)]
        p.banks, p.rows = [{*some(3, 0, 2)} for _ in range(2)], [some(2, 0, 2) for _ in range(2)]
        p.m = [[random.randint(0, 2) for _ in range(2)] for _ in range(2)]
        p.row = [random.randint(0, 3) for _ in range(3)]
        p.phases = random.choices([*Phase], k=2)
        p.msgs = {PythonMsg(random.choice([*Phase]), n) for n in some(2, 0, 2)}
        for message in p.msgs:
            s.msgs.add(Msg(kind=message.kind, n=message.n))
        for pair in p.net:
            s.net.append(Pair(n=pair.n, to=pair.to))
        for i in range(2):
            s.pairs[i].n, s.m[i][0], s.m[i][1], s.phases[i] = p.pairs[i].n, *p.m[i], p.phases[i]
            s.pairs[i].to.update(p.pairs[i].to)
            s.banks[i].update(p.banks[i])
            s.rows[i].extend(p.rows[i])
        s.row[:] = p.row
        yield p


def plain(value: Any) -> object:
    """Return a value in a form in which those of both sides are alike."""
    if isinstance(value, (int, str, type(None))):
        return type(value).__name__, value
    if isinstance(value, (Msg, PythonMsg)):
        return "Msg", plain(value.kind), plain(value.n)
    if isinstance(value, (Pair, PythonPair)):
        return "Pair", plain(value.n), plain(value.to)
    if isinstance(value, (Set, RecordSet, set, frozenset)):
        return "set", *sorted(map(repr, map(plain, value)))
    return "tuple" if type(value) is tuple else "list", *map(plain, value)


_COMPARE = ("==", "!=", "<", "<=", ">", ">=")

TEMPLATES = {
    # Numbers and truth values.
    "i": """
        s.x | s.y | int(s.flag) | 2 | -1 | len($c) | sum($n) | min($n) | max($n, default=$i)
        $l[$i] | s.m[$i][$i] | $r.n | ($i + $i) | ($i - $i) | ($i * $i) | ($i // $i) | ($i % $i)
        $l.count($i) | $l.index($i) | abs($i) | ($i if $b else $i) | s.m.index($l) | s.m.count($l)
        sum(v * $i for v in $n if v > $i) | max((v - $i for v in $n), default=0) | int($p)
        next((v for v in $n if v > $i), $i) | max($R, key=lambda e: e.n).n | sorted($n)[$i]
        $P.count($p) | s.banks.count($s) | s.rows.count($l) | $R.count($r) | $R.index($r)
        reduce(lambda u, v: u * 2 + v, $n, $i) | reduce(max, $n)
        divmod($i, 3)[1] | sum($b for v in $n) | sum(e.n for e in $R) | [*$n, $i][$i]
    """,
    "b": """
        s.flag | True | s.x > 1 | $i < $i | $i == $i | $i in $n | $i not in $n | $s ? $s
        $x == $x | $x != $x | $l ?= $l | $M ?= $M | $R ?= $R | $r ?= $r | $r in $R | $m in $S
        $m not in $S | $S ? $S | $l in $M | $s in $B | $B ?= $B | any($n) | all($n) | bool($c)
        not $c | ($b and $b) | ($b or $b) | $s.issubset($n) | $s.issuperset($n)
        $s.isdisjoint($n) | $S.issubset($S) | $S.isdisjoint([$m]) | $p ?= $p | $p is $p
        $p in $P | $p == $i | $P ?= $P | $P == $l | $i < $i <= $i | ($i, $b) == ($i, $b)
        any(v == $i for v in $n) | all(v in $n for v in $n) | any(e.n > $i for e in $S)
        all(sum(v) > $i for v in zip(*$M)) | ($i, $i) in [*zip($n, $n)]
    """,
    "p": "s.phase | Phase.BUSY | s.phases[$i] | Phase($i) | $P[$i] | max($P) | ($p if $b else $p)",
    # Lists: of numbers, of members, of lists, of sets, of records.
    "l": """
        s.q | s.r | s.row | s.m[0] | s.rows[s.flag] | [$i, $i] | [] | $l[$i:] | $l[:$i] | $l[::-1]
        $l[-2:] | ($l + $l) | sorted($n) | sorted($n, key=lambda v: -v) | [*$n] | list($n)
        [v + $i for v in $n if v > $i] | [*reversed($l)] | $M[$i] | $l.copy()
        [*map(abs, $n)] | [*filter(None, $n)] | [u - v for u, v in zip($l, $n)]
        [u * v for u, v in enumerate($l)] | [e.n for e in $R]
    """,
    "P": "s.phases | s.todo | [$p, $p] | $P[$i:] | sorted($P) | list(Phase) | ($P + $P)",
    "M": "s.m | s.rows | [$l] | [$l, $l] | $M[$i:] | list($M) | [s.row[v:] for v in $n]",
    "B": "s.banks | [$s] | [$s, $s] | [e.to for e in $R]",
    "R": "s.net | s.pairs | [] | [$r, $r] | $R[$i:] | [e for e in $R if e.n > $i] | list($R)",
    # Sets of numbers and of records, and records.
    "s": """
        s.a | s.b | s.banks[s.flag] | s.pairs[0].to | {$i} | {$i, $i} | set() | ($s ^ $s)
        ($s & $s) | ($s - $s) | ($s .or. $s) | set($l) | {v + $i for v in $n if v > $i} | $r.to
        $s.union($n) | $s.intersection($n) | $s.difference($n) | $B[$i] | frozenset($n)
        set().union(*$B) | $s.copy() | reduce(or_, $B, set()) | reduce(lambda u, v: u & v, $B)
    """,
    "S": """
        s.msgs | {$m} | {$m, $m} | ($S & $S) | ($S - $S) | ($S .or. $S) | ($S ^ $S) | set(s.msgs)
        {e for e in $S if e.n > $i} | $S.union([$m]) | $S.difference($S) | $S.intersection($S)
    """,
    "r": "s.pairs[0] | s.pairs[s.flag] | s.net[0] | Pair(n=$i, to=$s) | Pair(n=$i) | $R[$i]",
    "m": "Msg(n=$i) | Msg(kind=$p, n=$i) | min(s.msgs, key=lambda e: (e.n, e.kind))",
}
"""Expressions of each kind; ``?`` stands for any comparison, and ``?=`` for ``==`` or ``!=``."""

OF = {"c": "lsMRSBP", "n": "lls", "x": "ibplsMRSBrm"}
"""Kinds that are any one of several others."""


class Writer:
    """Writes random expressions."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._ways = {
            kind: [way.strip() for line in text.strip().splitlines() for way in line.split(" | ")]
            for kind, text in TEMPLATES.items()
        }

    def write(self, kind: str, depth: int) -> str:
        """Return an expression of a kind, with others in it so many times at most."""
        kind = self._random.choice(OF.get(kind, kind))
        ways = self._ways[kind]
        if depth <= 0:
            ways = [way for way in ways if "$" not in way] or [ways[0].replace("$i", "s.x")]
        text = self._random.choice(ways).replace(".or.", "|")
        text = re.sub(r"\?=", lambda _: self._random.choice(_COMPARE[:2]), text)
        text = re.sub(r" \? ", lambda _: f" {self._random.choice(_COMPARE)} ", text)
        return re.sub(r"\$(\w)", lambda found: self.write(found[1], depth - 1), text)


STATEMENTS = """
    s.a = $s ; s.b = $s ; s.q = $l ; s.r = list($n) ; s.row = [$i, $i, $i] ; s.msgs = $S
    s.msgs |= {$m} ; s.pairs[0].to = $s ; s.pairs = [$r, $r] ; s.net = $R ; s.banks = [$s, $s]
    s.rows = [$l, $l] ; s.m = [[0, 1], s.row[:2]] ; s.phases = [$p, $p] ; s.todo = [$p]
    s.a, s.b = s.b, s.a
    s.q, s.r = s.r, s.q ; s.a = {v for v in range(4) if v > s.x} ; s.b = set(s.a) ; s.row = [0] * 3
    s.a.add(1) ; s.b.discard(2) ; s.a |= {2} ; s.q.append(1) ; s.r.pop() ; s.row[0] = $i ; s.x = $i
    s.y = $i ; s.pairs[1].n = $i ; t = s.a ; t = s.pairs[0].to ; t.add(2) ; s.x = len(t)
    s.flag = $b
"""
"""Statements that assign parts of the state, or change them and what has their names."""


def body(random: Random) -> list[str]:
    """Return the lines of a random action."""
    writer = Writer(random)
    ways = [way.strip() for line in STATEMENTS.strip().splitlines() for way in line.split(" ; ")]

    def line() -> str:
        return re.sub(r"\$(\w)", lambda found: writer.write(found[1], 1), random.choice(ways))

    lines: list[str] = []
    for _ in range(random.randint(1, 3)):
        condition = writer.write("b", 1)
        inside = [f"    {line()}", f"    {line()}"]
        forms = [[line()], [line()], [f"if {condition}:", *inside], ["for w in range(2):", *inside]]
        lines += random.choice(forms)
    return lines
