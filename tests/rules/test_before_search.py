"""What runs before the search gives the same in every run: it is lowered, or tried."""

from __future__ import annotations

import pytest

from tidegate import TidegateError, check
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

MODEL = """\
import itertools
from dataclasses import dataclass
from enum import IntEnum, auto
from tidegate import *

SETUP

@dataclass(frozen=True)
class Bounds:
    n: int = number(1, 1, 2, "n")

class State(Record):
    x: int = integer(0, 3, "x")

model = Model(Bounds, State, deadlock=False)

@model.initial
def begin(s: State, k: Bounds):
    BEGIN
    yield

@model.action()
def step(s: State, k: Bounds) -> bool:
    if s.x == 3:
        return False
    s.x += 1
    return True

@model.invariant("It holds.")
def holds(s: State, k: Bounds) -> bool:
    return HOLDS
"""


def written(tmp_path, setup="", begin="s.x = 0", holds="s.x < 4"):
    """Return the path of a model with some code in three places."""
    file = tmp_path / "model.py"
    text = MODEL.replace("SETUP", setup).replace("BEGIN", begin.replace("\n", "\n    "))
    file.write_text(text.replace("HOLDS", holds), "utf-8")
    return str(file)


SURE = {
    "a table": ("TABLE = {n: n * n for n in range(4)}", "TABLE[s.x] < 10"),
    "a table of another": ("SIZES = (1, 2)\nTABLE = [n + 1 for n in SIZES]", "TABLE[0] == 2"),
    "names in order": ('NAMES = sorted({"b", "a"})', 'NAMES[0] == "a"'),
    "a set": ('NAMES = {"b", "a"}', '"a" in NAMES'),
    "several at once": ("LOW, HIGH = 0, 3", "LOW <= s.x <= HIGH"),
    "members": ("class Way(IntEnum):\n    UP = auto()\n    DOWN = auto()", "Way.UP < Way.DOWN"),
    "a function": ("LIMIT = 3\ndef below(s, limit=LIMIT):\n    return s.x <= limit", "below(s)"),
    "combinations": ("PAIRS = list(itertools.combinations(range(3), 2))", "len(PAIRS) == 3"),
}


@pytest.mark.parametrize("name", SURE)
def test_a_constant_in_the_language_needs_no_trial(tmp_path, name):
    setup, holds = SURE[name]
    protocol = find_protocol(written(tmp_path, setup, holds=holds))
    assert system_for(protocol, [], protocol.properties).unproven == ()


UNSURE = {
    "a loop": ("TABLE = {}\nfor n in range(4):\n    TABLE[n] = n", "TABLE[s.x] < 4"),
    "an object": ("class Own:\n    low = 0\n    def __init__(self):\n        self.n = 3\nOWN = Own()",
                  "s.x <= OWN.n"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSURE)
def test_a_constant_outside_of_it_is_named(tmp_path, name):
    setup, holds = UNSURE[name]
    protocol = find_protocol(written(tmp_path, setup, holds=holds))
    [one] = system_for(protocol, [], protocol.properties).unproven
    assert one.name in ("TABLE", "OWN")
    assert one.line[0].endswith("model.py")


def test_a_constant_that_differs_in_another_process_is_refused(tmp_path):
    setup = 'NAMES = {"ann", "bob", "cid", "dee"}\nRANK = {}\nfor name in NAMES:\n    RANK[name] = len(RANK)'
    with pytest.raises(TidegateError, match="RANK is different when the model is loaded") as said:
        check(written(tmp_path, setup, holds='RANK["ann"] < 9'))
    assert said.value.place[1] in (7, 8)


def test_what_an_object_computes_is_not_asked_for(tmp_path):
    """A class that fails for every attribute is none of those that Python's library has."""
    setup = (
        "class Odd:\n    def __getattr__(self, name):\n        raise RuntimeError(name)\n"
        "    def low(self):\n        try:\n            return 0\n        except [KeyError]:\n"
        "            return 1\nODD = Odd()"
    )
    assert check(written(tmp_path, setup, "s.x = ODD.low()")).holds
