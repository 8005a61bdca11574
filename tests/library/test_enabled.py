"""ENABLED: whether a step is enabled, as a predicate of states."""

import pytest

import tidegate
from tidegate.core.errors import TidegateError
from tidegate.library.names import find_protocol

MODEL = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "the largest number")

class State(Record):
    left: int = integer(0, lambda k: k.most, "what is left", initial=lambda k: k.most)
    chosen: Set = set_of(3, "what may be taken", initial=[0, 2])

model = Model(Bounds, State, deadlock=False)

@model.action("one", item=lambda s, k: s.chosen)
def take(s: State, k: Bounds, item: int) -> bool:
    least = item
    if s.left <= least:
        return False
    s.left -= 1
    if s.left == 1:
        s.chosen.discard(2)
    return True

can_take = model.enabled(take)

@model.invariant("Two can be taken.")
def two(s: State, k: Bounds) -> bool:
    return can_take(s, k, 2)

@model.invariant("One can never be taken.")
def one(s: State, k: Bounds) -> bool:
    return not can_take(s, k, 1)

@model.sometimes("Nothing can be taken.")
def nothing(s: State, k: Bounds) -> bool:
    return not any(can_take(s, k, item) for item in range(3))
"""


@pytest.fixture
def write(tmp_path):
    def written(old="", new=""):
        file = tmp_path / "taking.py"
        file.write_text(MODEL.replace(old, new) if old else MODEL, "utf-8")
        return str(file)

    return written


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_property_asks_whether_a_step_is_enabled(write, engine):
    file = write()
    found = tidegate.check(file, {}, ["One", "Nothing"], engine=engine)
    assert found.holds
    assert found.trace_of("Nothing")[-1].state["left"] == 0
    wrong = tidegate.check(file, {}, ["Two"], engine=engine)
    # With 2 left, 2 <= 2 refuses it.
    assert [step.state["left"] for step in wrong.trace] == [3, 2]


def test_it_is_what_the_action_answers_in_every_state(write):
    protocol = find_protocol(write())
    system = protocol.system(protocol.within([]))
    module = protocol.model
    can_take = module.enabled(protocol.actions[0].apply.copy_of)
    todo, seen = list(system.initial_states()), set()
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        steps = dict(system.successors(state))
        system.layout.load(state)
        said = [can_take(system.record, system.constants, item) for item in range(3)]
        assert system.layout.dump() == state
        assert said == [index in steps for index in range(3)]
        todo += steps.values()
    assert len(seen) == 4


WRONG = {
    "a guard after a write": ("s.chosen.discard(2)", "return False", 19),
    "an answer within a condition": (
        "s.chosen.discard(2)", "s.left = 1\n        return s.left == 1", 22,
    ),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_an_action_that_decides_behind_its_guards_is_refused_with_its_line(write, wrong):
    old, new, line = WRONG[wrong]
    with pytest.raises(
        TidegateError, match="take is enabled or not by more than its guards"
    ) as error:
        tidegate.check(write(old, new), {})
    assert f"taking.py:{line}" in str(error.value)


def test_what_is_no_action_is_refused(write):
    with pytest.raises(TidegateError, match=r"model\.enabled names Bounds, which is not an action"):
        tidegate.check(write("model.enabled(take)", "model.enabled(Bounds)"), {})
