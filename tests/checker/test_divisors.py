"""Quotients and remainders by any known number, as Python has them, in every engine."""

import pytest

from tidegate.checker.check import check
from tidegate.core.fields import Record, integer
from tidegate.core.result import Resources
from tidegate.core.spec import Outcome, Property

BY = (-1_000, -9, -7, -2, -1, 1, 2, 5, 64)


class Divided(Record):
    """A number on both sides of zero, divided."""

    x: int = integer(-130, 130, "a number")
    quotient: int = integer(-130, 130, "rounded down")
    rest: int = integer(-1_000, 1_000, "the remainder")


def begin(s, k):
    s.x = s.quotient = s.rest = 0
    yield


def belong(s, k):
    return any(s.quotient * by + s.rest == s.x for by in BY)


@pytest.fixture
def divided(make_toy, make_action):
    """Return a system that divides by each of the numbers, one action for each."""

    def dividing(by):
        def divide(s, k):
            if not -120 <= s.x + by % 11 - 5 <= 120:
                return False
            s.x += by % 11 - 5
            s.quotient = s.x // by
            s.rest = s.x % by
            return True

        return make_action(f"by{BY.index(by)}", divide)

    return make_toy(Divided, None, [dividing(by) for by in BY], begin)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_every_engine_divides_as_python_does(divided, engine):
    right = Property("Right", "They belong to one divisor.", "the test", belong)
    result = check(divided, [right], resources=Resources(engine=engine))
    assert (result.outcome, result.engine) == (Outcome.HOLDS, engine)
    assert result.distinct_states == EXPECTED


def reached():
    """Return all states, without Tidegate."""
    found, new = {(0, 0, 0)}, [(0, 0, 0)]
    while new:
        x, _, _ = new.pop()
        for by in BY:
            other = x + by % 11 - 5
            state = other, other // by, other % by
            if -120 <= other <= 120 and state not in found:
                found.add(state)
                new.append(state)
    return len(found)


EXPECTED = reached()
