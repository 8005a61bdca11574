"""A state of one's own, with which a test calls actions and predicates."""

import copy
import subprocess
import sys

import pytest

from tidegate import Model, Record, Seq, Set, array, boolean, integer, sequence_of, set_of
from tidegate.commands.pytest_plugin import pytest_assertrepr_compare
from tidegate.core.errors import TidegateError
from tidegate.examples import paxos, raft
from tidegate.examples.two_phase_commit import Bounds, Phase, State, consistent, model, prepare


def test_an_action_is_called_with_a_state_of_given_bounds():
    s, k = model.state(managers=2), Bounds(managers=2)
    assert len(s.manager) == 2
    assert prepare(s, k, 0)
    assert s.manager[0] is Phase.PREPARED
    assert not prepare(s, k, 0)
    assert consistent(s, k)


def test_bounds_are_given_as_actions_receive_them_or_by_name_or_left_out():
    assert model.state(Bounds(managers=2)) == model.state(managers=2)
    assert len(model.state().manager) == Bounds().managers


def test_two_states_are_two_objects_and_compare_by_their_variables():
    one, other = model.state(managers=2), model.state(managers=2)
    assert one == other
    one.manager[1] = Phase.ABORTED
    assert one != other
    assert copy.deepcopy(one) == one
    assert model.state(managers=3) != other


def test_a_state_prints_as_its_variables():
    assert repr(model.state(managers=1)) == (
        "State(manager=[<Phase.WORKING: 0>], decided=False, prepared=set(), sent_prepared=set(), "
        "sent_commit=False, sent_abort=False)"
    )


def test_pytest_shows_the_variables_that_differ():
    one, other = raft.model.state(), raft.model.state()
    one.server[1].term = 2
    lines = pytest_assertrepr_compare("==", one, other)
    assert lines[0] == "State == State"
    assert lines[1:] == [f"server[1].term: 2 != {other.server[1].term}"]
    assert pytest_assertrepr_compare("<", one, other) is None
    assert pytest_assertrepr_compare("==", one, other.server[0]) is None
    assert pytest_assertrepr_compare("==", 1, 2) is None


class Line(Record):
    key: int = integer(0, 3, "its address")
    dirty: bool = boolean("whether it was written")


class Cache(Record):
    log: Seq[int] = sequence_of(3, 3, "what was written")
    lines: Seq[Line] = sequence_of(Line, 2, "its lines")
    sent: Set = set_of(Line, 2, "lines on their way")


class Caches(Record):
    cache: list[Cache] = array(2, Cache)


caches = Model(Bounds, Caches)


@caches.action("cpu")
def rest(s, k):
    return False


def warm():
    s = caches.state()
    s.cache[0].log.append(1)
    s.cache[0].lines.append(Line(key=1))
    s.cache[0].sent.add(Line(key=2))
    return s


@pytest.mark.parametrize(
    ("left", "right", "lines"),
    [
        (
            warm().cache[0],
            Cache(log=[2], lines=[Line(key=1, dirty=True)], sent=[Line(key=2)]),
            ["Cache == Cache", "log[0]: 1 != 2", "lines[0].dirty: False != True"],
        ),
        (Cache(), Cache(log=[0]), ["Cache == Cache", "log: [] != [0]"]),
        ([Line(key=1)], [Line(key=1, dirty=True)], ["list == list", "[0].dirty: False != True"]),
        (
            warm().cache,
            (warm().cache[0], Cache(log=[1])),
            ["list == list", "[1].log: [] != [1]"],
        ),
        (warm().cache[0].log, [1, 2], ["list == list", "list: [1] != [1, 2]"]),
        (warm().cache[0].lines, [Line(key=3)], ["list == list", "[0].key: 1 != 3"]),
        (
            warm().cache[0].sent,
            {Line(key=3), Line(key=2)},
            ["set == set", "set: [] != [(key 3, dirty no)]"],
        ),
        ([1], [2], None),
        ([Line()], 3, None),
    ],
)
def test_pytest_shows_what_differs_in_sequences_and_in_records_made_by_name(left, right, lines):
    assert pytest_assertrepr_compare("==", left, right) == lines


def test_pytest_shows_an_empty_variable_as_traces_do():
    one, other = raft.model.state(), raft.model.state()
    one.server[1].voted = 2
    assert pytest_assertrepr_compare("==", one, other)[1:] == ["server[1].voted: 2 != NONE"]
    vote, none = paxos.model.state(), paxos.model.state()
    vote.acceptor[0].ballot = 1
    assert pytest_assertrepr_compare("==", none, vote)[1:] == ["acceptor[0].ballot: NONE != 1"]


ACCOUNTS = """\
from dataclasses import dataclass

import pytest
from tidegate import Model, Record, array, integer, set_of


@dataclass(frozen=True)
class Bounds:
    pass


class State(Record):
    balance = array(2, integer(0, 6, "what is on it"))
    closed = set_of(2, "closed accounts")


model = Model(Bounds, State)


@model.action("customer")
def pay(s, k):
    s.balance[0] += 9
    s.balance[0] -= 8
    return True


@pytest.fixture
def state():
    return model.state()


def test_right(state):
    state.balance[1] = 99
    state.balance[1] = 6
    assert pay(state, Bounds())


def test_too_high():
    s = model.state()
    s.balance[0] = 98
    assert pay(s, Bounds())


def test_action(state):
    for _ in range(7):
        assert pay(state, Bounds())


def test_set(state):
    state.closed.add(5)


def test_replaced(state):
    state.closed = {5}


def test_without_a_state():
    pass
"""


def test_a_test_whose_state_is_out_of_range_fails(tmp_path):
    file = tmp_path / "test_accounts.py"
    file.write_text(ACCOUNTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "4 failed, 2 passed" in done.stdout
    for said in (
        "called, wrote a value out of range: balance[0] is 99, declared 0..6",
        "called, wrote a value out of range: balance[0] is 7, declared 0..6",
        "called, wrote a value out of range: closed has 5, declared for the numbers below 2",
    ):
        assert said in done.stdout


def test_no_such_bound_is_refused():
    with pytest.raises(TidegateError, match="no bound 'manager'; did you mean managers"):
        model.state(manager=2)
    with pytest.raises(TidegateError, match="99 is out of range"):
        model.state(managers=99)


def test_the_declaration_itself_says_where_a_state_comes_from():
    with pytest.raises(AttributeError, match=r"was left out.*model\.state\(\)"):
        _ = State().manager
