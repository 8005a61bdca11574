"""However an action says whether it is enabled, every command takes the same steps."""

import json

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main

MODEL = '''"""A counter that two hands raise in turn."""

from dataclasses import dataclass
from functools import wraps

from tidegate import Model, Record, Seq, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    most: int = number(4, 1, 9, "where it ends")


class State(Record):
    x: int = integer(0, 9, "the counter")
    queue: Seq[int] = sequence_of(integer(0, 1, "a hand"), 3, "who may lower it")


model = Model(Bounds, State, deadlock=False)


def raised(s: State, hand: int) -> bool:
    """Raise the counter, if it is this hand's turn."""
    if s.x % 2 != hand:
        return False
    s.x += 1
    return True


def while_low(action):
    """Return an action that is enabled while the counter is low, too."""

    @wraps(action)
    def low(s, k, *others):
        return s.x < k.most and action(s, k, *others)

    return low


@model.action("hand", sign="fault", hand=range(2))
UP


@model.action("hand", hand=lambda s, k: s.queue)
@while_low
def lower(s: State, k: Bounds, hand: int) -> bool:
    """Lower the counter."""
    s.queue.remove(hand)
    s.x -= 1
    return True


@model.action("hand", hand=range(2))
def wait(s: State, k: Bounds, hand: int) -> bool:
    """Ask for the counter to be lowered."""
    if s.x < 2 or hand in s.queue:
        return False
    s.queue.append(hand)
    return True


@model.invariant("The counter stays below 4.")
def below_4(s: State, k: Bounds) -> bool:
    return s.x < 4
'''

DEF = "def up(s: State, k: Bounds, hand: int) -> bool:\n    "

UP = {
    "guards": f"{DEF}if s.x >= k.most:\n        return False\n    return raised(s, hand)",
    "a guard that writes": (
        f"{DEF}if s.x >= k.most or not raised(s, hand):\n        return False\n    return True"
    ),
    "an expression": f"{DEF}return s.x < k.most and raised(s, hand)",
    "a conditional expression": f"{DEF}return raised(s, hand) if s.x < k.most else False",
    "a variable": f"{DEF}done = s.x < k.most and raised(s, hand)\n    return done",
    "a function within": (
        f"{DEF}def full():\n        return s.x >= k.most\n    return not full() and raised(s, hand)"
    ),
    "a decorator": f"@while_low\n{DEF}return raised(s, hand)",
    "another state": (
        f"{DEF}if s.x >= k.most or not raised(s, hand):\n        return False\n    "
        "s = k\n    return True"
    ),
}
"""The same step, in several ways."""


@pytest.fixture(params=UP)
def file(request, tmp_path):
    """Return the file of a model whose step is written in one of these ways."""
    made = tmp_path / "hands.py"
    made.write_text(MODEL.replace("UP", UP[request.param]))
    return str(made)


def run(*arguments):
    """Run a command; return what it printed, without line breaks."""
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def reachable(most):
    """Return the states that the hands reach, worked out without Tidegate."""
    todo, seen = [(0, ())], {(0, ())}
    for x, queue in todo:
        following = [(x + 1, queue)] if x < most else []
        following += [(x, (*queue, hand)) for hand in range(2) if x > 1 and hand not in queue]
        if x < most:
            following += [(x - 1, tuple(one for one in queue if one != hand)) for hand in queue]
        todo += [one for one in dict.fromkeys(following) if one not in seen]
        seen.update(following)
    return seen


def test_a_choice_of_the_state_leaves_a_decorator_what_it_decides(file):
    checked = tidegate.check(file, {"most": 3}, engine="interpreted")
    assert (checked.holds, checked.distinct_states) == (True, len(reachable(3)))


def test_explain_counts_its_steps(file):
    told = run("explain", file)
    assert "4 faults (hand 0 at step 1, hand 1 at step 2, hand 0 at step 3, hand 1 at" in told
    assert "with at most 3, no behavior within these bounds violates Below4" in told


def test_diff_and_replay_tell_a_refused_step_from_one_that_there_is_not(file, tmp_path):
    other, trace = tmp_path / "other.py", tmp_path / "trace.json"
    other.write_text(MODEL.replace("UP", UP["an expression"].replace("< k.most", "< 2")))
    told = run("diff", file, str(other))
    assert "new: the step passes every guard, and its action returns False." in told
    assert "has no such step" not in told
    CliRunner().invoke(main, ["check", file, "--json", str(trace)])
    told = CliRunner().invoke(main, ["replay", str(trace), "--protocol", str(other)]).output
    assert "is not enabled. It passes every guard, and its action returns False." in " ".join(
        told.split()
    )
    assert json.loads(trace.read_text())["outcome"] == "violated"
