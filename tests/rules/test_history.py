"""History never decides what is not history: a protocol does not depend on what is checked."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tidegate import TidegateError, check

HEAD = '''"""A protocol that a test made."""
from dataclasses import replace
from tidegate import NONE, Action, Fairness, array, integer
from tidegate.model import KIP_320, BrokerState, brokers, nobody
from tidegate.model.broker.history import note_high_watermark


class State(BrokerState):
    own: list[int] = array(lambda k: k.replicas, integer(0, 3, "own"), by_replica=True)


'''


def rule(code: str) -> str:
    """Return a protocol with some code in a rule ``serve(s, k, leader, epoch)``."""
    body = textwrap.indent(code, "    ")
    return (
        f"{HEAD}def serve(s, k, leader, epoch):\n{body}\n\n\n"
        'R = replace(KIP_320, name="r", summary="x", parent=KIP_320, expected=(),\n'
        "            rules=replace(KIP_320.rules, may_serve_fetch=serve))\n"
    )


def action(code: str) -> str:
    """Return a protocol with one more action, ``act(s, k, broker)``."""
    body = textwrap.indent(code, "    ")
    return (
        f"{HEAD}def act(s, k, broker):\n{body}\n\n\n"
        'MINE = Action("Mine", act, "broker", brokers, "here", Fairness.NONE)\n'
        'R = replace(KIP_320, name="r", summary="x", parent=KIP_320, expected=(), state=State,\n'
        "            actions=(*KIP_320.actions, MINE))\n"
    )


RULES = {
    "in its answer": "return s.aux_committed[0].record != NONE  # here",
    "in a branch": "if s.aux_acked[0].epoch != NONE:\n    return False  # here\nreturn True",
    "by a name": "seen = s.aux_committed\nreturn seen[0].epoch == NONE  # here",
    "in a loop": "for one in s.aux_acked:\n    if one.offset == 1:\n        return False  # here\nreturn True",
    "in a sum": "return sum(one.record for one in s.aux_committed) < 1  # here",
    "by any": "return not any(one.record == 0 for one in s.aux_committed)  # here",
    "in a nested function": "def seen():\n    return s.aux_hw\nreturn seen() < 2  # here",
    "as an index": "return [True, False][s.aux_hw > 0]  # here",
    "by its place": "return s.aux_acked[0].epoch + s.aux_hw < 1  # here",
    "in a while": "n = 0\nwhile n < s.aux_hw:\n    n += 1\nreturn n < 1  # here",
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_reads_history_is_refused_at_its_line(tmp_path: Path, name: str) -> None:
    refused(tmp_path, rule(RULES[name]))


ACTIONS = {
    "its guard": "if s.aux_hw == 0:\n    return False  # here\ns.own[broker] = 1\nreturn True",
    "its value": "s.own[broker] = s.aux_hw  # here\nreturn True",
    "its index": "s.own[s.aux_hw % 2] = 1  # here\nreturn True",
    "a branch": "if s.aux_hw:\n    s.own[broker] = 1  # here\nreturn True",
    "what follows a return": (
        "def work():\n    if s.aux_hw:\n        return\n    s.own[broker] = 1  # here\nwork()\nreturn True"
    ),
    "what follows an error": (
        "if s.aux_hw > 9:\n    raise ValueError\ns.own[broker] = 1  # here\nreturn True"
    ),
    "a variable before": "n = 0\nif s.aux_hw:\n    n = 1\ns.own[broker] = n  # here\nreturn True",
    "a helper": ("def put(n):\n    s.own[broker] = n  # here\nput(max(s.aux_hw, 0))\nreturn True"),
    "Kafka's own variable": "s.replica[broker].hw = min(1, s.aux_hw)  # here\nreturn True",
}


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_that_history_decides_is_refused_at_its_line(tmp_path: Path, name: str) -> None:
    refused(tmp_path, action(ACTIONS[name]))


SOUND = {
    "it records": "if s.own[broker]:\n    return False\ns.own[broker] = 1\ns.aux_hw = max(s.aux_hw, 0)\nreturn True",
    "it only writes history": "if s.aux_hw == 0:\n    return False\ns.aux_hw = s.aux_hw - 0\nreturn True",
    "it calls what records": (
        "if s.own[broker]:\n    return False\ns.own[broker] = 1\nnote_high_watermark(s, k, broker)\nreturn True"
    ),
    "it reads its own": "if s.own[broker] == 1:\n    return False\ns.own[broker] = 1\nreturn True",
}


@pytest.mark.parametrize("name", SOUND)
def test_an_action_may_record_history(tmp_path: Path, name: str) -> None:
    file = tmp_path / "made.py"
    file.write_text(action(SOUND[name]))
    assert check(f"{file}:R", {"records": 1, "crashes": 0}, ["LogMatching"]).complete


def refused(tmp_path: Path, source: str) -> None:
    """Check that a protocol is refused at the line that ends with ``# here``."""
    file = tmp_path / "made.py"
    file.write_text(source)
    line = next(n for n, text in enumerate(source.split("\n"), 1) if text.endswith("# here"))
    for properties in (["LogMatching"], ["NoCommittedRecordLost"]):
        with pytest.raises(TidegateError, match="depends on history") as error:
            check(f"{file}:R", {"records": 1, "crashes": 0}, properties)
        assert error.value.place == (str(file), line), error.value
