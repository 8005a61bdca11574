"""Guards are read from the action itself."""

import ast
import functools
import importlib.util
import inspect
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tidegate.checker.reasons import lacking, why_not
from tidegate.core.guards import guards, only_where, passed, refusal, syntax_tree, without
from tidegate.core.spec import Step
from tidegate.model import PROTOCOLS

LIMIT = 3

SMALL = "records=1 crashes=1 power_losses=1 moves"
"""Bounds under which the actions are tried."""


@dataclass
class Cell:
    value: int = 0
    row: list = field(default_factory=lambda: [5, 6])


def positive(number):
    return number > 0


def act(s, k, index):
    """Write, unless something is in the way."""
    doubled = s.row[index] * 2
    if s.value >= LIMIT:
        return False
    if not positive(s.value) and doubled > 11:
        return False
    if s.value == 2:
        s.row[index] = 0
    s.value += 1
    return True


def test_a_guard_is_an_if_that_returns_false():
    assert [guard.test for guard in guards(act)] == [
        "s.value >= LIMIT",
        "not positive(s.value) and doubled > 11",
    ]
    lines = Path(__file__).read_text().splitlines()
    assert all(lines[guard.line - 1].strip().startswith("if ") for guard in guards(act))


def dumped(tree):
    """Return a syntax tree as text, with the place of everything in it."""
    return ast.dump(tree, include_attributes=True)


def test_a_tree_is_that_of_the_functions_own_source():
    functions = [action.apply for protocol in PROTOCOLS for action in protocol.actions]
    for function in [act, positive, *functions]:
        [own] = ast.parse(inspect.getsource(function)).body
        ast.increment_lineno(own, function.__code__.co_firstlineno - 1)
        assert dumped(syntax_tree(function)) == dumped(own)


def test_two_modules_of_one_text_have_trees_of_their_own(tmp_path):
    text = "\n\ndef first(s):\n    return s\n\n\ndef second(s, of=lambda s: 1):\n    return of(s)\n"
    trees = []
    for name in ("one", "other"):
        (tmp_path / f"{name}.py").write_text(text)
        spec = importlib.util.spec_from_file_location(name, tmp_path / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        trees.append([dumped(syntax_tree(f)) for f in (module.second, module.first)])
    assert trees[0] == trees[1]
    assert "lineno=7" in trees[0][0]


def test_a_refusal_tells_the_guard_and_the_values_it_looked_at():
    first = refusal(act, Cell(value=3), None, 0)
    assert (first.guard.number, first.values) == (0, {"s.value": 3, "LIMIT": 3})
    second = refusal(act, Cell(value=0), None, 1)
    assert second.guard.number == 1
    assert second.values == {"positive(s.value)": False, "doubled": 12, "s.value": 0}


def test_a_refusal_by_a_rule_tells_the_values_that_the_rule_looked_at(begin):
    """Under kip-320 a leader does not serve a follower that has not heard of the new epoch."""
    behavior = begin("kip-320", "replicas=3 elections=1 crashes=1").follow(
        "SendFetch 0 1\nCrash 2\nFence 2\nBecomeLeader 0 1"
    )
    step = Step("HandleFetch", ("leader", "follower"), (0, 1))
    refused = why_not(behavior.system, behavior.state, step)
    values = list(refused.values.items())[1:]
    assert values == [("s.replica[leader].epoch", 1), ("s.replica[follower].epoch", 0)]
    told = str(lacking(behavior.system, behavior.state, step))
    assert told.endswith("(s.replica[0].epoch = 1, s.replica[1].epoch = 0)")


def test_an_enabled_step_is_not_refused():
    cell = Cell(value=0)
    assert refusal(act, cell, None, 0) is None
    assert cell.value == 1


def test_a_refusal_agrees_with_the_action_for_every_step_of_every_protocol(system):
    for protocol in PROTOCOLS:
        small = system(protocol.name, SMALL)
        states = list(small.initial_states())
        for state in states[:40]:
            enabled = {index for index, _ in small.successors(state)}
            for index, instance in enumerate(small.instances):
                small.layout.load(state)
                refused = refusal(
                    instance.action.apply, small.record, small.constants, *instance.arguments
                )
                assert (refused is None) == (index in enabled), instance.step
            if len(states) < 40:
                states += [successor for _, successor in small.successors(state)]


def test_every_action_has_guards():
    assert all(guards(action.apply) for protocol in PROTOCOLS for action in protocol.actions)


def test_the_guards_of_a_copy_that_lacks_one_are_those_that_are_left():
    copy = without(act, 0)
    [guard] = guards(copy)
    assert guard == replace(guards(act)[1], number=0)
    assert refusal(copy, Cell(value=3), None, 0) is None
    assert refusal(copy, Cell(value=0), None, 1).guard == guard
    assert [it.guard for it in passed(copy, Cell(value=3), None, 0)] == [guard]
    assert guards(without(copy, 0)) == ()


def bumped(s):
    s.value += 1
    return s.value < LIMIT


def even(number):
    return number == 0 or not even(number - 1)


LOW = lambda s: s.value < LIMIT  # noqa: E731


def bump(s, k, index):
    """Write in a guard, behind other ones."""
    if not LOW(s) or not even(index):
        return False
    if index == 6 or not bumped(s):
        return False
    if s.row[index] == 0:
        return False
    s.row[index] = 0
    return True


def begun(cell, value):
    """Return what gives a cell a value again."""

    def again():
        cell.value = value

    return again


def test_a_guard_that_writes_is_told_with_the_values_before():
    cell = Cell(value=1, row=[5] * 8)
    told = passed(bump, cell, None, 0, again=begun(cell, 1))
    assert [one.guard.number for one in told] == [0, 1, 2]
    assert told[1].values == {"index": 0, "bumped(s)": True}
    cell = Cell(value=1, row=[5] * 8)
    refused = refusal(bump, cell, None, 6, again=begun(cell, 1))
    assert refused.values == {"index": 6, "bumped(s)": True}
    assert cell.value == 1


def test_a_guard_may_call_a_lambda_and_what_calls_itself():
    refused = refusal(bump, Cell(value=LIMIT), None, 1)
    assert refused.values == {
        "LOW(s)": False, "even(index)": False, "s.value": LIMIT,
        "even(index - 1)": True,
    }  # fmt: skip


def limited(action):
    """Return an action that is enabled while a value is low, too."""

    @functools.wraps(action)
    def low(s, k, index):
        if s.value >= LIMIT:
            return False
        return action(s, k, index)

    return low


def handing_on(action):
    """Return an action that hands its arguments on."""
    return functools.wraps(action)(lambda *arguments: action(*arguments))


@limited
def put(s, k, index):
    """Put a value."""
    if s.row[index] == 9:
        return False
    s.row[index] = 9
    return True


@handing_on
def put_anywhere(s, k, index):
    """Put a value."""
    if s.row[index] == 9:
        return False
    s.row[index] = 9
    return True


class Putting:
    """Puts a value of its own."""

    def __init__(self, value):
        self.value = value

    def put(self, s, k, index):
        """Put a value."""
        if s.row[index] == self.value:
            return False
        s.row[index] = self.value
        return True


UNSEEN = {}
exec("def put(s, k, index):\n    s.row[index] = 7\n    return s.value < 3", UNSEEN)


@pytest.mark.parametrize(
    ("action", "tests"),
    [(put, ["s.value >= LIMIT"]), (put_anywhere, []), (Putting(8).put, []), (UNSEEN["put"], [])],
)
def test_a_copy_of_an_action_does_what_the_action_does(action, tests):
    """Whatever a decorator, an object or the text of a program adds to its source."""
    assert [guard.test for guard in guards(action)] == tests
    copy = only_where(action, "index", lambda s, k: (0, 1), ())
    for value in (0, LIMIT):
        for index in (0, 1, 2):
            original, changed = (Cell(value=value, row=[5, 9, 5]) for _ in range(2))
            before = Cell(value=value, row=[5, 9, 5])
            enabled = index < 2 and action(original, None, index)
            assert copy(changed, None, index) == enabled
            assert changed == (before if index == 2 else original)
    assert (copy.__name__, copy.__doc__) == (action.__name__, action.__doc__)


def test_debuggers_show_the_source_of_generated_functions(system):
    layout, [action, *_] = system("hw").layout, PROTOCOLS[0].actions
    assert inspect.getsource(layout.load).startswith("def load(state):\n")
    assert inspect.getsource(layout.unpack).startswith("def unpack(words):\n")
    assert inspect.getsource(without(action.apply, 0)) == inspect.getsource(action.apply)
