"""A mutant with very many states is undecided; it takes no time from the others."""

import json
from time import perf_counter

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.core.spec import TYPE_OK
from tidegate.library.names import find_protocol
from tidegate.mutate.decide import Killing
from tidegate.mutate.fates import Attempt

HEAD = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 9, "the largest number")

class State(Record):
    left: int = integer(0, 10**9, "explodes without its guard")
    right: int = integer(0, 10**9, "explodes without its guard")
    small: int = integer(0, 2, "leaves its range without its guard")
    even: bool = boolean("whether small was counted an even number of times")

model = Model(Bounds, State, deadlock=False)
"""

EXPLODES = """
@model.action("a", by=lambda k: range(1, 4))
def explode(s: State, k: Bounds, by: int) -> bool:
    if s.left + s.right > k.most:
        return False
    s.left += by
    s.right += 7 - by
    return True
"""

DIES = """
@model.action("b")
def die(s: State, k: Bounds) -> bool:
    if s.small == 2:
        return False
    if s.left > 1000000000 - s.small and s.even:
        return False
    s.small += 1
    s.even = s.small % 2 == 1
    return True
"""

DIES_OF_A_PROPERTY = """
@model.action("c")
def lower(s: State, k: Bounds) -> bool:
    if s.small < 2:
        return False
    s.small -= 1
    s.even = not s.even
    return True

@model.invariant("Small is one where it was counted an odd number of times.")
def counted(s: State, k: Bounds) -> bool:
    return s.even is (s.small % 2 == 1)

@model.invariant("Small was never lowered to nothing.")
def never_none(s: State, k: Bounds) -> bool:
    return s.small > 0 or not s.even
"""

EXPLODING = "Explode: s.left + s.right > k.most"
SURVIVOR = "Die: s.left > 1000000000 - s.small and s.even"


def mutated(tmp_path, text, *options):
    """Return the result of ``mutate`` and its document."""
    file = tmp_path / "explodes.py"
    file.write_text(text, "utf-8")
    target = tmp_path / "mutants.json"
    done = CliRunner().invoke(main, ["mutate", str(file), *options, "--json", str(target)])
    assert done.exit_code in (0, 3), done.output
    return done, json.loads(target.read_text("utf-8"))


def names(fates):
    """Return the names of mutants."""
    return {fate["mutant"] for fate in fates}


@pytest.mark.parametrize(("first", "jobs"), [(True, "1"), (False, "2")])
def test_a_mutant_that_explodes_starves_nobody(first, jobs, tmp_path):
    actions = [EXPLODES, DIES, DIES_OF_A_PROPERTY]
    text = HEAD + "".join(actions if first else reversed(actions))
    done, document = mutated(tmp_path, text, "--time-limit", "3", "--jobs", jobs)
    assert done.exit_code == 3, done.output
    [undecided] = document["undecided"]
    assert undecided["mutant"] == EXPLODING
    assert "its share of the time" in undecided["undecided"]
    assert "distinct states, depth" in undecided["undecided"]
    assert names(document["survived"]) == {SURVIVOR}
    assert len(document["killed"]) == document["mutants"] - 2 == 2
    assert document["unfinished"] == [""]
    output = " ".join(done.output.split())
    assert f"UNDECIDED {EXPLODING}" in output
    assert f"SURVIVED {SURVIVOR}" in output
    assert "2 of 4 mutants killed, 1 survived, 1 undecided" in output


def test_a_mutant_that_explodes_is_undecided_though_smaller_bounds_were_decided(tmp_path):
    text = HEAD + EXPLODES.replace("range(1, 4)", "range(1, k.most)") + DIES + DIES_OF_A_PROPERTY
    steps = ["--within", "most=1", "--within", "most=4", "--time-limit", "3", "--jobs", "1"]
    done, document = mutated(tmp_path, text, *steps)
    assert done.exit_code == 3
    assert names(document["undecided"]) == {EXPLODING}
    assert document["undecided"][0]["undecided"].endswith("at most=4")
    assert document["unfinished"] == ["most=4"]
    assert names(document["survived"]) == {SURVIVOR}
    done, document = mutated(tmp_path, text, "--within", "most=1", "--jobs", "1")
    assert done.exit_code == 0
    assert names(document["survived"]) == {SURVIVOR, EXPLODING}
    assert document["undecided"] == document["not_tried"] == []


def test_what_was_not_searched_is_undecided(tmp_path):
    """No time at all: nothing survives."""
    text = HEAD + DIES + EXPLODES + DIES_OF_A_PROPERTY
    done, document = mutated(tmp_path, text, "--time-limit", "0.001")
    assert done.exit_code == 3
    assert document["survived"] == document["killed"] == document["not_tried"] == []
    assert len(document["undecided"]) == document["mutants"] == 4
    assert "SURVIVED" not in done.output


def test_what_a_search_leaves_over_goes_to_those_whose_share_was_too_small():
    """Each has a fair share of what is left, and then at least twice what was too little."""
    killing = Killing(find_protocol("hw"), [TYPE_OK], ["records=1"])
    until = perf_counter() + 1000
    numbers = killing._open("records=1")
    work = list(killing._work("records=1", numbers, until, 1))
    assert [one.number for one in work] == numbers
    fair = [1000 / (len(numbers) - begun) for begun in range(len(numbers))]
    assert [one.share for one in work] == pytest.approx(fair, abs=1)
    for number, one in zip(numbers, work, strict=True):
        stopped = "" if number in numbers[2:] else "stopped"
        killing._mutants[number].attempts["records=1"] = Attempt(
            number, stopped=stopped, share=one.share if number == numbers[0] else 900
        )
    [again] = killing._work("records=1", killing._open("records=1"), until, 1)
    assert again.number == numbers[0]
    assert again.share == pytest.approx(500, abs=1)
    # The last one gets all that is left.
    killing._mutants[numbers[1]].attempts["records=1"] = Attempt(numbers[1])
    [again] = killing._work("records=1", killing._open("records=1"), until, 2)
    assert again.share == again.left == pytest.approx(1000, abs=1)
