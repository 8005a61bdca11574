"""An action that calls another one in a guard is compiled, and means what it means in Python."""

from dataclasses import replace
from random import Random

import pytest

import tidegate
from tidegate.core.spec import ModelError
from tidegate.library.names import find_protocol
from tidegate.model import KIP_595, BrokerState, Constants
from tidegate.model.broker.actions import follower as original

HEAD = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "the largest number")

class State(Record):
    x: int = integer(0, 9, "x")
    y: int = integer(0, 9, "y")
    queue: Seq[int] = sequence_of(integer(0, 3, "n"), 2, "the queue")
    turns: int = integer(0, 3, "turns")

model = Model(Bounds, State, deadlock=False)

def bump(s: State, k: Bounds, by: int) -> bool:
    if s.x + by > k.most:
        return False
    s.x += by
    return True

def send(s: State, k: Bounds, by: int) -> bool:
    if len(s.queue) == 2 or s.y == k.most:
        return False
    s.queue.append(by)
    s.y += 1
    return True

def take(s: State, k: Bounds, by: int) -> bool:
    if not s.queue or s.queue[0] != by:
        return False
    s.queue.popleft()
    return True
"""

WRAPPERS = [
    "if not {call}:\n    return False\ns.turns = (s.turns + 1) % 4",
    "done = {call}\nif not done:\n    return False\ns.turns = (s.turns + 1) % 4",
    "if s.turns == 2:\n    return False\nif not {call}:\n    return False\ns.turns = by",
    "if s.turns == 3 or not {call}:\n    return False\ns.turns += 1",
    "if not (s.turns != 1 and {call}):\n    return False\nif s.turns < 3:\n    s.turns += 1",
    "if not ({call} if by else s.turns == 3):\n    return False\ns.turns = by",
    "if {call}:\n    s.turns = (s.turns + by) % 4\n    return True\nreturn False",
    "most = k.most\nif s.x > most or not {call}:\n    return False\nif s.y == 2:\n    s.turns = 0",
]
"""Ways in which an action calls another one, each before or within its last guard."""


def source(random):
    """Return the text of a model of random actions that wrap others."""
    text = HEAD
    for number, name in enumerate(random.sample(("bump", "send", "take") * 2, 3)):
        wrapper = random.choice(WRAPPERS).format(call=f"{name}(s, k, by)")
        inside = "\n".join(f"    {line}" for line in f"{wrapper}\nreturn True".splitlines())
        text += (
            f"\n@model.action('a', by=lambda k: range({random.choice((1, 2, 3))}))\n"
            f"def action{number}(s: State, k: Bounds, by: int) -> bool:\n{inside}\n"
        )
    text += (
        "\n@model.invariant('It is small.')\ndef small(s: State, k: Bounds) -> bool:\n"
        f"    return s.x + s.y + s.turns < {random.choice((6, 8, 99))}\n"
    )
    return text


def outcome(model, engine):
    """Return what a search came to, whichever engine did it."""
    done = tidegate.check(model, engine=engine)
    assert done.interpreted_because == ()
    return done.holds, done.distinct_states, done.depth, done.trace, done._result.taken


@pytest.mark.parametrize("seed", range(12))
def test_a_guard_that_calls_an_action_is_compiled(seed, tmp_path):
    file = tmp_path / "wraps.py"
    file.write_text(source(Random(seed)), "utf-8")
    assert outcome(str(file), "compiled") == outcome(str(file), "interpreted")


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_an_action_that_refuses_after_a_call_that_writes_is_found(engine, tmp_path):
    """Its guards cannot be tried without their writes, which both engines then miss or find."""
    file = tmp_path / "impure.py"
    file.write_text(
        f"{HEAD}\n@model.action('a')\ndef late(s: State, k: Bounds) -> bool:\n"
        "    if not bump(s, k, 1):\n        return False\n"
        "    if s.x == 3:\n        return False\n    return True\n",
        "utf-8",
    )
    with pytest.raises(ModelError, match="not enabled"):
        tidegate.check(str(file), properties=["TypeOk"], debug=engine == "interpreted",
                       engine=engine)  # fmt: skip


class State(BrokerState):
    """KIP-595, with who has received a response."""

    heard: list[bool] = tidegate.array(
        lambda k: k.replicas, tidegate.boolean("has received a response"), by_replica=True
    )


def handle_fetch_response(s: State, k: Constants, leader: int, follower: int) -> bool:
    """Note who has received a response."""
    if not original.handle_fetch_response(s, k, leader, follower):
        return False
    s.heard[follower] = True
    return True


def test_an_action_of_kafka_can_be_wrapped():
    actions = tuple(
        replace(action, apply=handle_fetch_response)
        if action.name == "HandleFetchResponse"
        else action
        for action in KIP_595.actions
    )
    wrapped = replace(KIP_595, name="wrapped", parent=KIP_595, state=State, actions=actions)
    bounds = {"records": 1, "crashes": 1, "elections": 1}
    done = [
        tidegate.check(wrapped, bounds, engine=engine) for engine in ("compiled", "interpreted")
    ]
    assert done[0].distinct_states == done[1].distinct_states
    assert done[0].distinct_states > tidegate.check("kip-595", bounds).distinct_states
    assert done[0]._result.taken == done[1]._result.taken
    assert find_protocol("kip-595") is KIP_595


def test_a_property_that_writes_is_still_refused(tmp_path, monkeypatch):
    file = tmp_path / "writes.py"
    file.write_text(
        f"{HEAD}\n@model.action('a')\ndef go(s: State, k: Bounds) -> bool:\n"
        "    return bump(s, k, 1)\n\n@model.invariant('It writes.')\n"
        "def writes(s: State, k: Bounds) -> bool:\n    return bump(s, k, 1) or s.x == 3\n",
        "utf-8",
    )
    said = "the predicate of property Writes wrote x; it may only read the state"
    with pytest.raises(tidegate.TidegateError, match=said):
        tidegate.check(str(file), engine="compiled")
    monkeypatch.setattr("tidegate.checker.engines._refuse_mistakes", lambda request: None)
    said = r"a part of the state is written where only reading is allowed \(in bump"
    with pytest.raises(tidegate.TidegateError, match=said):
        tidegate.check(str(file), engine="compiled")


DEFAULTS = """

def below(function):
    @wraps(function)
    def around(*values, most=5, step=1):
        return values[0].x + step <= most and function(*values)

    return around

@model.action("a", by=range(1, 3))
@below
def up(s: State, k: Bounds, by: int) -> bool:
    s.x += by
    return True

@model.invariant("It is small.")
def small(s: State, k: Bounds, larger=max, most=6) -> bool:
    return larger(s.x, 1) <= most
"""


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_rule_has_the_defaults_that_nobody_gives(tmp_path, engine):
    """From 0 to 4 the number grows by 1 or 2, so that it ends with 5 or 6."""
    file = tmp_path / "defaults.py"
    file.write_text("from functools import wraps\n" + HEAD + DEFAULTS, "utf-8")
    done = tidegate.check(file, engine=engine)
    assert (done.holds, done.distinct_states) == (True, 7)
