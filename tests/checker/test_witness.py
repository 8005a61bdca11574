"""A witness is the predicate and what its explanation names, in every engine."""

import re
from dataclasses import replace

import pytest

from tidegate.checker.check import check
from tidegate.core.fields import Record, integer
from tidegate.core.result import Resources
from tidegate.core.scene import LogOffset
from tidegate.core.spec import Kind, ModelError, Outcome, Property


class Counter(Record):
    """A counter."""

    at: int = integer(0, 5, "how far it is")


def at_zero(s, k):
    yield


def count(s, k):
    if s.at == 5:
        return False
    s.at += 1
    return True


def above_three(s, k) -> tuple[int, int] | None:
    """Return how far the counter is, and how far beyond three."""
    if s.at > 3:
        return s.at, s.at - 3
    return None


def from_above(limit):
    """Return a witness that has a limit of its own."""

    def above(s, k) -> tuple[int] | None:
        if s.at > limit:
            return (s.at,)
        return None

    return above


def below_three(s, k):
    return s.at < 3


LOW = Property(
    "Low",
    "The counter is at most three.",
    "toy",
    witness=above_three,
    explain=lambda s, k, at, beyond: f"at {at}, {beyond} too far",
    places=lambda s, k, at, beyond: (LogOffset(0, beyond),),
)


@pytest.fixture
def counter(make_toy, make_action):
    return make_toy(Counter, None, [make_action("count", count)], at_zero)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(("limit", "steps"), [(0, 1), (3, 4), (5, None)])
def test_engines_find_the_first_state_with_a_witness(counter, engine, limit, steps):
    prop = Property("Low", "It is low.", "toy", witness=from_above(limit))
    result = check(counter, [prop], resources=Resources(engine=engine))
    assert result.outcome is (Outcome.HOLDS if steps is None else Outcome.VIOLATED)
    assert steps is None or len(result.first.trace.steps) == steps


def test_a_declared_result_of_two_numbers_is_compiled_too(counter):
    result = check(counter, [LOW], resources=Resources(engine="compiled"))
    assert counter.layout.describe(result.first.trace.states[-1]) == {"at": 4}


def test_the_explanation_and_the_places_receive_the_witness(counter):
    assert counter.explain(LOW, bytes([5])) == "at 5, 2 too far"
    assert counter.places(LOW, bytes([5])) == (LogOffset(0, 2),)


def test_a_state_without_a_witness_has_no_explanation_and_no_places(counter):
    assert counter.explain(LOW, bytes([3])) == ""
    assert counter.places(LOW, bytes([3])) == ()


def test_an_explanation_without_a_witness_receives_the_state_alone(counter):
    prop = Property("Low", "It is low.", "toy", below_three, lambda s, k: f"at {s.at}")
    assert counter.explain(prop, bytes([4])) == "at 4"


def test_a_property_has_a_predicate_or_a_witness():
    with pytest.raises(ModelError, match="Both has both a predicate and a witness; leave one"):
        Property("Both", "It is low.", "toy", below_three, witness=above_three)
    with pytest.raises(ModelError, match="None has neither a predicate nor a witness; it needs"):
        Property("None", "It is low.", "toy")


def test_a_changed_copy_has_the_predicate_of_its_own_witness(counter):
    copy = replace(LOW, witness=from_above(4), name="Lower")
    counter.layout.load(bytes([4]))
    assert counter.judge([copy, LOW])() == [LOW]
    with pytest.raises(ModelError, match="both a predicate and a witness"):
        replace(LOW, predicate=below_three)


@pytest.mark.parametrize("answer", [False, 3, "no"])
def test_what_a_witness_returns_is_a_tuple_or_none(counter, answer):
    prop = Property("Low", "It is low.", "toy", witness=lambda s, k: answer)
    said = counter.explain(prop, bytes([1]))
    assert re.search(r"the witness returned .* tuple or None", said), said
    with pytest.raises(ModelError, match=r"the witness of property Low .* tuple or None"):
        check(counter, [prop])


def test_what_a_witness_raises_is_an_error_of_the_model_with_its_line(counter):
    def fail(s, k):
        return 1 // (s.at - 2) and None

    prop = Property("Low", "It is low.", "toy", witness=fail, kind=Kind.INVARIANT)
    with pytest.raises(ModelError, match=r"ZeroDivisionError.*in fail") as caught:
        check(counter, [prop], resources=Resources(engine="interpreted"))
    assert caught.value.place == (__file__, fail.__code__.co_firstlineno + 1)


def test_a_witness_that_depends_on_chance_is_refused_with_its_line(counter):
    calls = []

    def chance(s, k):
        calls.append(s.at)
        return None if len(calls) % 3 else ()

    counter.debug = True
    prop = Property("Low", "It is low.", "toy", witness=chance)
    with pytest.raises(ModelError, match="returned another value when it was called") as caught:
        check(counter, [prop], resources=Resources(engine="interpreted"))
    assert caught.value.place == (__file__, chance.__code__.co_firstlineno)
