"""A constant table of functions is read as calls of its functions are."""

import pytest

import tidegate
from tidegate.core.errors import ModelError
from tidegate.library.names import find_protocol
from tidegate.library.properties import system_for

MODEL = """\
from dataclasses import dataclass
from collections import defaultdict
from functools import reduce
from operator import or_
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    n: int = number(1, 1, 2, "n")

class State(Record):
    x: int = integer(0, 3, "x")
    bags: list[Set] = array(2, set_of(3, "bags"))

model = Model(Bounds, State, deadlock=False)
SEEN = []
COUNTS = {0: 0}

def up(s, v):
    s.x = (s.x + v) % 4
    return True

def back(s, v):
    HERE
    s.x = 0
    return True

STEPS = {0: up, 1: up, 2: up, 3: back}
ROW = [up, up, back, up]

@model.action(v=range(1, 3))
def act(s: State, k: Bounds, v: int) -> bool:
    return TABLE(s, v)

@model.invariant("They are few.")
def few(s: State, k: Bounds) -> bool:
    return len(reduce(or_, s.bags, set())) < 3
"""


def system_of(tmp_path, table, here="pass"):
    """Return the system of a model that calls functions of a table."""
    file = tmp_path / "model.py"
    file.write_text(MODEL.replace("TABLE", table).replace("HERE", here), "utf-8")
    protocol = find_protocol(str(file))
    system = system_for(protocol, [], protocol.properties)
    return file, system


@pytest.mark.parametrize("table", ["STEPS[s.x]", "ROW[s.x]", "STEPS[v]"])
def test_it_is_searched(tmp_path, table):
    file, _ = system_of(tmp_path, table)
    assert tidegate.check(str(file)).distinct_states == 4


def test_what_a_defaultdict_makes_is_its_own(tmp_path):
    """Whoever changes it changes nothing that outlives the call."""
    here = "by = defaultdict(set)\n    by[0].discard(1)"
    file, _ = system_of(tmp_path, "STEPS[s.x]", here)
    assert tidegate.check(str(file)).distinct_states == 4


def test_what_a_defaultdict_shares_is_not(tmp_path):
    with pytest.raises(ModelError, match="a function of one's own"):
        system_of(tmp_path, "STEPS[s.x]", "by = defaultdict(lambda: SEEN)\n    by[0].append(1)")


@pytest.mark.parametrize("table", ["STEPS[s.x]", "ROW[s.x]", "[*ROW][s.x]", "dict(STEPS)[s.x]"])
@pytest.mark.parametrize("here", ["SEEN.append(1)", "COUNTS[0] += 1", "global SEEN\n    SEEN = []"])
def test_a_function_of_a_table_that_writes_elsewhere_is_refused(tmp_path, table, here):
    with pytest.raises(ModelError, match=r"outlives the step|takes pairs|global is not in"):
        system_of(tmp_path, table, here)
