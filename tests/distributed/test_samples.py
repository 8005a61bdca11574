"""What executors sampled comes back with a level, and the driver asks Python the same."""

from dataclasses import replace

import pytest

from tests.checker.conftest import action, assemble
from tidegate.checker.check import check
from tidegate.checker.compiled.emission.expressions import Expressions
from tidegate.core.fields import Record, integer
from tidegate.core.result import Cluster, Resources
from tidegate.core.spec import EngineError

pytestmark = pytest.mark.spark


class Square(Record):
    """A point of a square, and whether it was met."""

    x: int = integer(0, 3, "to the right")
    y: int = integer(0, 3, "up")
    met: bool = integer(0, 1, "a flag")


def right(s, k):
    if s.x == 3:
        return False
    s.x += 1
    return True


def up(s, k):
    if s.y == 3:
        return False
    s.y += 1
    return True


def meet(s, k):
    if s.met or s.x != 2 or s.y != 1:
        return False
    s.met = (s.x + 77775) & 1
    return s.met != 0


def origin(s, k):
    yield


def searched():
    """Search in jobs of Spark alone; return the result, and how many levels were jobs."""
    square = assemble(Square, None, [action(it.__name__, it) for it in (right, up, meet)], origin)
    cluster = Cluster(partitions=2, local_levels=0)
    return check(square, [], resources=Resources(engine="spark", cluster=cluster))


@pytest.mark.usefixtures("spark")
def test_a_wrong_constant_in_what_executors_run_ends_the_search(monkeypatch):
    result = searched()
    assert (result.distinct_states, result.spark_levels) == (22, 8)

    def broken(self, one):
        return translated(self, replace(one, value=77776) if one.value == 77775 else one)

    translated = Expressions._constant
    monkeypatch.setattr(Expressions, "_constant", broken)
    with pytest.raises(EngineError, match=r"about meet\(\): machine code says not enabled"):
        searched()
