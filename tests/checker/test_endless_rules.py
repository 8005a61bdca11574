"""A rule that does not end keeps no search: machine code gives up after so many rounds."""

import textwrap

import pytest

from tidegate.checker.compiled.emitter import MOST_ROUNDS
from tidegate.checker.compiled.search import CompiledSearch, UnfitError
from tidegate.checker.request import SearchRequest
from tidegate.core.fields import Record, integer, subset
from tidegate.core.result import Resources


class Walk(Record):
    """A walk over many states, so that groups of them are expanded at once."""

    x: int = integer(0, 30, "how far east")
    y: int = integer(0, 30, "how far north")
    some: int = subset(6, "a set")


def at_home(s, k):
    yield


def east(s, k):
    if s.x == 30:
        return False
    s.x += 1
    return True


def north(s, k):
    if s.y == 30:
        return False
    s.y += 1
    return True


IS_SMALL = """
def is_small(number) -> bool:
    while number != 7:
        number = number & 3
    return True
"""


def in_a_predicate(s, k):
    while s.x + s.y > 12:
        pass
    return True


def in_an_action(s, k):
    if s.x < 9 or s.y < 9:
        return False
    while s.x == s.x:
        s.some = s.some ^ 1
    return True


def in_a_guard(s, k):
    if s.x > 5 and any(y < 0 for y in range(s.y << 40)):
        return False
    s.some = s.some ^ 1
    return True


@pytest.mark.parametrize("rule", [in_a_predicate, in_an_action, in_a_guard])
def test_machine_code_gives_up(make_toy, make_action, make_invariant, rule):
    is_step = rule is not in_a_predicate
    steps = [east, north, *([rule] if is_step else [])]
    toy = make_toy(Walk, None, [make_action(step.__name__, step) for step in steps], at_home)
    properties = [] if is_step else [make_invariant("Rule", rule)]
    give_up(CompiledSearch(SearchRequest(toy, properties, resources=Resources(workers=2))))


def give_up(search):
    """Run a search that must not say anything."""
    try:
        with pytest.raises(UnfitError):
            search.run()
    finally:
        search.close()


def test_an_endless_constraint_is_given_up_too(make_toy, make_action):
    toy = make_toy(
        Walk, None, [make_action(step.__name__, step) for step in (east, north)], at_home
    )
    toy.constraint = in_a_predicate
    give_up(CompiledSearch(SearchRequest(toy, [])))


ENDLESS = {
    "in a function without a state": "return is_small(s.b)",
    "in loops within loops": """
        n = 0
        for one in range(s.b << 30):
            for other in range(s.b << 30):
                for third in range(s.b << 30):
                    n = n ^ one + other
        return n
    """,
    "in loops of functions": """
        return all(is_small(number) or is_small(number + 1) for number in range(14, s.b + 99))
    """,
    "in a loop that continues": """
        while s.b:
            if s.wide:
                continue
            return 1
        return 1
    """,
    "in a loop beside one that fails": """
        while s.cell[s.a + 7] < 4:
            while s.b >= 0:
                s.flag = s.b + 5
        return 3
    """,
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_a_function_gives_up_wherever_its_loop_is(translated, body):
    text = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    meanings = translated(f"{IS_SMALL}\ndef f(s, k):\n{text}\n")
    assert meanings.compiled((3, 100, 1, *[0] * 6, 9, *[0] * 3)) is None


@pytest.mark.parametrize("more", [0, 1])
def test_as_many_rounds_as_are_allowed_are_taken(translated, more):
    source = f"""
def f(s, k):
    n = 0
    while n < {MOST_ROUNDS + more - 1}:
        n += 1
    return n
"""
    state = (0,) * 13
    answer = translated(source).compiled(state)
    assert answer == (None if more else (MOST_ROUNDS - 1, state))


def test_what_is_counted_at_once_takes_no_round(translated):
    source = """
def f(s, k):
    n = 0
    while n < 60000:
        n += size(s.some)
    return n
"""
    state = (0,) * 8 + (7,) + (0,) * 4
    assert translated(source).compiled(state) == (60000, state)
