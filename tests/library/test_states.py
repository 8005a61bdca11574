"""A state of one's own, with which a test calls actions and predicates."""

import copy

import pytest

from tidegate.commands.pytest_plugin import pytest_assertrepr_compare
from tidegate.core.errors import TidegateError
from tidegate.examples import raft
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


def test_no_such_bound_is_refused():
    with pytest.raises(TidegateError, match="no bound 'manager'; did you mean managers"):
        model.state(manager=2)
    with pytest.raises(TidegateError, match="99 is out of range"):
        model.state(managers=99)


def test_the_declaration_itself_says_where_a_state_comes_from():
    with pytest.raises(AttributeError, match=r"was left out.*model\.state\(\)"):
        _ = State().manager
