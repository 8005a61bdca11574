"""Functions as Python runs them and as the form means them, on the same states."""

from __future__ import annotations

import ast
import collections
import copy
import functools
import itertools
import linecache
import operator
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from random import Random
from typing import Any

from tests.language.evaluator import StepError, run
from tidegate import (
    NONE,
    Record,
    Seq,
    Set,
    array,
    bag_of,
    boolean,
    enumeration,
    integer,
    nested,
    optional,
    sequence_of,
    set_of,
)
from tidegate.core.layout import Layout
from tidegate.language.form import Function
from tidegate.language.lowering.lower import Lowering
from tidegate.language.schema import Schema
from tidegate.language.types import Known


class Phase(IntEnum):
    IDLE = 0
    BUSY = 1
    DONE = 2


class Pair(Record):
    n: int = integer(0, 7, "n")
    to: Set = set_of(4, "to")


class Node(Record):
    up: bool = boolean("up")
    log: Seq[int] = sequence_of(8, 4, "log")
    last: Pair = nested(Pair)


class Everything(Record):
    x: int = integer(0, 7, "x")
    y: int = integer(0, 3, "y")
    flag: bool = boolean("flag")
    phase: Phase = enumeration(Phase, "phase")
    leader: int = optional(4, "leader")
    a: Set = set_of(4, "a")
    b: Set = set_of(4, "b")
    banks: list[Set] = array(3, set_of(4, "bank"))
    queue: Seq[int] = sequence_of(8, 5, "queue")
    other: Seq[int] = sequence_of(8, 5, "other")
    rows: list[Seq[int]] = array(2, sequence_of(8, 3, "row"))
    pair: Pair = nested(Pair)
    spare: Pair = nested(Pair)
    pairs: list[Pair] = array(2, Pair)
    nodes: list[Node] = array(2, Node)
    net: Seq[Pair] = sequence_of(Pair, 3, "net")
    box: Set = set_of(Pair, 3, "box")
    bag = bag_of(3, 3, "bag")
    log: list[int] = array(3, integer(0, 7, "log"))
    one: int = integer(4, 4, "always 4")


@dataclass(frozen=True)
class Constants:
    n: int = 3
    few: tuple[int, ...] = (0, 2)
    yes: bool = True


LAYOUT: Layout[Any] = Layout(Everything, None)
CONSTANTS = Constants()
TABLE = {0: 1, 1: 3}
ROWS = [[1], [2, 3]]
NAMES: dict[str, Any] = {
    "__name__": "owned", "Pair": Pair, "Node": Node, "Phase": Phase, "NONE": NONE,
    "Counter": Counter, "defaultdict": defaultdict, "deque": deque, "copy": copy,
    "itertools": itertools, "functools": functools, "operator": operator,
    "collections": collections, "TABLE": TABLE, "ROWS": ROWS,
    "most": lambda *values: max(values),
}  # fmt: skip


def states(number: int = 30) -> list[Any]:
    """Return states, stored: the first one, and some at random."""
    random, s = Random(3), LAYOUT.record
    some = [LAYOUT.dump()]
    for _ in range(number):
        LAYOUT.load(some[0])
        s.x, s.y, s.flag = random.randrange(8), random.randrange(4), random.random() < 0.5
        s.phase, s.leader = Phase(random.randrange(3)), random.randrange(-1, 4)
        for numbers in (s.a, s.b, *s.banks, s.pair.to, s.spare.to, *(p.to for p in s.pairs)):
            for _ in range(random.randrange(4)):
                numbers.add(random.randrange(4))
        for sequence in (s.queue, s.other, *s.rows, *(node.log for node in s.nodes)):
            for _ in range(random.randrange(4)):
                sequence.append(random.randrange(4))
        for _ in range(random.randrange(4)):
            s.net.append(_pair(random))
        for _ in range(random.randrange(3)):
            s.box.add(_pair(random))
        for record in (s.pair, s.spare, *s.pairs):
            record.n = random.randrange(8)
        for index in range(3):
            s.log[index] = random.randrange(8)
        for _ in range(random.randrange(3)):
            s.bag.add(random.randrange(3))
        some.append(LAYOUT.dump())
    LAYOUT.reset()
    return some


def _pair(random: Random) -> Pair:
    return Pair(n=random.randrange(8), to={random.randrange(4)} if random.random() < 0.6 else set())


def functions(source: str) -> dict[str, Any]:
    """Return the functions that a text defines, each with its syntax tree."""
    name = f"<owned {hash(source)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    tree = ast.parse(source)
    space = dict(NAMES)
    exec(compile(tree, name, "exec"), space)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            space[node.name].syntax_tree = node
    return space


def source_of(body: str, helpers: str = "") -> str:
    """Return a function ``act`` with this body, behind its helpers."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{helpers}\ndef act(s, k):\n{lines}\n"


def lowered(function: Any) -> Function:
    """Return an action in the typed form."""
    lowering = Lowering(Schema(LAYOUT))
    return lowering.function(function, {"s": lowering.schema.root, "k": Known(CONSTANTS)})


class EndlessError(Exception):
    """A function goes on for longer than it is tried."""


FAILED = "fails"


def in_python(function: Any, state: Any) -> Any:
    """Return what Python makes of a state."""
    LAYOUT.load(state)
    try:
        result = function(LAYOUT.record, CONSTANTS)
        return _outcome(result)
    except Exception:  # noqa: BLE001 - whatever a function of a test does
        return FAILED
    finally:
        LAYOUT.reset()


def in_form(form: Function, state: Any) -> Any:
    """Return what the form makes of a state."""
    LAYOUT.load(state)
    try:
        return _outcome(run(form, [LAYOUT.record, CONSTANTS]))
    except StepError:
        return FAILED
    finally:
        LAYOUT.reset()


def _outcome(result: Any) -> Any:
    if not LAYOUT.sound():
        return FAILED
    return type(result), result, LAYOUT.dump()


def differences(source: str, some: list[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield states with what Python and the form make of them, where that differs."""
    function = functions(source)["act"]
    form = lowered(function)
    for state in some:
        python, meant = in_python(function, state), in_form(form, state)
        if python != meant:
            yield state, python, meant
