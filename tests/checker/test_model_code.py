"""Predicates, guards, initial states: what they raise or answer never becomes a verdict."""

import asyncio
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from tidegate.checker.check import check
from tidegate.checker.explore import Exploration
from tidegate.checker.graph import state_graph
from tidegate.checker.simulate import walk as random_walk
from tidegate.core.fields import Record, integer
from tidegate.core.result import Resources
from tidegate.core.spec import DEADLOCK, Kind, ModelError, Outcome, Property

ERRORS = [
    SystemExit(0),
    SystemExit(),
    GeneratorExit(),
    StopIteration(),
    asyncio.CancelledError("no"),
    BaseException("no"),
    RecursionError("no"),
    AssertionError("no"),
]


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


@pytest.fixture
def counter(make_toy, make_action):
    """Make a system that counts to 5, with the given constraint."""

    def make(constraint=None, actions=(count,), initialise=at_zero):
        made = [make_action(step.__name__, step) for step in actions]
        toy = make_toy(Counter, None, made, initialise)
        toy.constraint = constraint
        return toy

    return make


def property_of(predicate, explain=lambda s, k: "it is so", kind=Kind.INVARIANT, **more):
    return Property("Good", "Good.", "toy", predicate, explain, kind, **more)


def raising(error):
    """Return a function of the model that raises an error in its third state, on line 2 of it."""

    def fail(s, k):
        if s.at == 2:
            raise error
        return True

    return fail


LINE = raising(None).__code__.co_firstlineno + 2

SEARCHES = {
    "check": lambda toy, prop: check(toy, [prop], resources=Resources(engine="interpreted")),
    "auto": lambda toy, prop: check(toy, [prop]),
    "graph": lambda toy, prop: state_graph(toy, [prop], 100),
    "walk": lambda toy, prop: random_walk(toy, [prop], 0, 0, 100),
    "explore": lambda toy, prop: Exploration(toy, [prop]).jump(100),
}


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("how", SEARCHES)
def test_what_a_predicate_raises_is_an_error_of_the_model(counter, how, error):
    with pytest.raises(ModelError) as caught:
        SEARCHES[how](counter(), property_of(raising(error)))
    said = f"the predicate of property Good failed with {type(error).__name__}"
    assert said in str(caught.value)
    assert "in fail(); in the state {'at': 2}" in str(caught.value)
    assert caught.value.place == (__file__, LINE)


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("how", ["check", "auto", "graph", "walk"])
def test_what_an_action_raises_is_an_error_of_the_model(counter, how, error):
    def act(s, k):
        return raising(error)(s, k) and False

    with pytest.raises(ModelError) as caught:
        SEARCHES[how](counter(actions=(count, act)), DEADLOCK)
    assert str(caught.value).startswith(f"act() failed with {type(error).__name__}")
    assert "in fail(); in the state {'at': 2}" in str(caught.value)
    assert caught.value.place == (__file__, LINE)


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_what_the_constraint_raises_is_an_error_of_the_model(counter, error):
    with pytest.raises(ModelError, match=r"^the constraint failed with .*, in fail\(\); in the st"):
        check(counter(raising(error)), [])


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_what_says_what_has_recovered_may_fail_too(counter, error):
    stuck = property_of(raising(error), kind=Kind.STUCK)
    with pytest.raises(ModelError, match=r"^the predicate of property Good failed with"):
        check(counter(), [stuck])
    toy = counter()
    with pytest.raises(ModelError, match=r"^the predicate of property Good failed with"):
        toy.violates(stuck, bytes([2]))


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_what_explains_a_violation_may_fail_too(counter, error):
    toy, fail = counter(), raising(error)
    prop = property_of(lambda s, k: False, explain=fail, places=fail)
    with toy.noting() as failed:
        said = toy.explain(prop, bytes([2]))
        assert toy.places(prop, bytes([2])) == ()
    for text, who in ((said, "explain"), (*failed, "places")):
        assert text.startswith(f"{who}() of property Good failed with"), text
        assert f"{Path(__file__).name}:{LINE}" in text
    assert toy.explain(prop, bytes([1])).startswith("explain() of property Good returned True")


def test_an_interrupt_is_no_failure_of_the_model(counter):
    result = check(counter(), [property_of(raising(KeyboardInterrupt()))])
    assert (result.outcome, str(result.stopped_by)) == (Outcome.INCOMPLETE, "an interrupt")


def test_an_exception_that_cannot_be_printed_is_named_all_the_same(counter):
    class MuteError(Exception):
        def __str__(self):
            raise ValueError

    with pytest.raises(ModelError, match="failed with MuteError: an exception without a text"):
        check(counter(), [property_of(raising(MuteError()))])


def test_a_search_may_be_left_at_any_step(counter):
    """Closing it raises GeneratorExit at the same place as an action could."""
    steps = counter().successors(bytes([0]))
    next(steps)
    steps.close()


def test_an_error_crosses_processes_whole(counter):
    with pytest.raises(ModelError) as caught:
        check(counter(), [property_of(raising(SystemExit(0)))])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.place) == (str(caught.value), caught.value.place)


ANSWERS = {
    "None": "None",
    "'yes'": "'yes'",
    "1.5": "1.5",
    "(True,)": "(True,)",
    "[]": "[]",
    "(part for part in ())": "<generator object",
    "NotImplemented": "NotImplemented",
}
"""What a function of the model returns that is no truth value, and what is said of it."""


def answering(answer):
    """Return a function of the model that answers something in the third state."""
    space = {}
    text = f"def answer(s, k):\n    if s.at == 2:\n        return {answer}\n    return True\n"
    exec(compile(text, "rule.py", "exec"), space)
    return space["answer"]


@pytest.mark.parametrize("engine", ["interpreted", "auto"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_predicate_that_answers_neither_true_nor_false_decides_nothing(counter, answer, engine):
    """A generator counts as true, and so would hold; None comes of a forgotten return."""
    with pytest.raises(ModelError) as caught:
        check(counter(), [property_of(answering(answer))], resources=Resources(engine=engine))
    said = f"the predicate of property Good returned {ANSWERS[answer]}"
    assert str(caught.value).startswith(said)
    assert "it must return True or False" in str(caught.value)
    assert caught.value.place == ("rule.py", 1)


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_action_or_a_constraint_that_answers_neither_is_refused(counter, answer):
    with pytest.raises(ModelError, match=r"^answer\(\) returned .*; it must return True or False"):
        check(counter(actions=(count, answering(answer))), [])
    with pytest.raises(ModelError, match=r"^the constraint returned .*; it must return True or F"):
        check(counter(answering(answer)), [])


def forgets(s, k):
    if s.at < 3:
        return
    s.at = 0


def falls_off(s, k):  # noqa: RET503 - it is about that
    if s.at < 3:
        return False
    s.at = 0


def says_one(s, k):
    if s.at == 5:
        return False
    s.at += 1
    return 1


def good_as_number(s, k):
    return s.at - 3


def forgets_to_judge(s, k) -> bool:
    if s.at == 2:
        return None
    return s.at >= 0


@pytest.mark.parametrize("engine", ["interpreted", "compiled", "auto"])
@pytest.mark.parametrize("how_many", [0, 20_000])
def test_engines_agree_on_answers(counter, engine, how_many, monkeypatch):
    """None is refused in each, and so is a number, which would count as its truth."""
    monkeypatch.setattr("tidegate.checker.engines.SMALL", how_many)
    resources = Resources(engine=engine)
    with pytest.raises(ModelError, match="returned 1; it must return True or False; write a comp"):
        check(counter(actions=(says_one,)), [], resources=resources)
    with pytest.raises(ModelError, match="the predicate of property Good returned -3; it must"):
        check(counter(), [property_of(good_as_number)], resources=resources)
    for step in (forgets, falls_off):
        with pytest.raises(Exception, match="return"):
            check(counter(actions=(count, step)), [], resources=resources)
    with pytest.raises(Exception, match="return"):
        check(counter(), [property_of(forgets_to_judge)], resources=resources)


ENGINES = ["interpreted", "compiled", "auto"]


def too_high(s, k):
    s.at = 2
    yield
    s.at = 6
    yield


def no_integer(s, k):
    s.at = 1.5
    yield


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("initialise", "said", "line"),
    [(too_high, "at is 6, declared 0..5", 3), (no_integer, "at is 1.5 (float), declared 0..5", 1)],
)
def test_an_initial_state_out_of_range_is_an_error(counter, engine, initialise, said, line):
    with pytest.raises(ModelError) as caught:
        check(counter(initialise=initialise), [], resources=Resources(engine=engine))
    name = initialise.__name__
    assert str(caught.value).startswith(f"{name} wrote a value out of range: {said}, in {name}()")
    assert caught.value.place == (__file__, initialise.__code__.co_firstlineno + line)


def nothing(s, k):
    yield from ()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_system_without_initial_states_is_an_error(counter, engine):
    with pytest.raises(ModelError, match="nothing of toy yields no initial state") as caught:
        check(counter(initialise=nothing), [], resources=Resources(engine=engine))
    assert caught.value.place == (__file__, nothing.__code__.co_firstlineno)


def no_generator(s, k):
    s.at = 1


@pytest.mark.parametrize("engine", ENGINES)
def test_an_initialise_without_a_yield_is_an_error(counter, engine):
    with pytest.raises(ModelError, match="no_generator failed with TypeError"):
        check(counter(initialise=no_generator), [], resources=Resources(engine=engine))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (lambda k: [0], r"returned 0, not a tuple of 1 integers \(target\)"),
        (lambda k: [(0, 1)], r"returned \(0, 1\), not a tuple of 1 integers \(target\)"),
        (lambda k: [("a",)], r"returned \('a',\), not a tuple"),
        (lambda k: None, "failed with TypeError"),
    ],
)
def test_arguments_that_do_not_fit_an_action_are_refused(make_toy, make_action, arguments, said):
    def go(s, k, target):
        s.at = target
        return True

    with pytest.raises(ModelError, match=rf"^arguments\(\) of action go {said}"):
        make_toy(Counter, None, [make_action("go", go, arguments)], at_zero)


def test_an_action_whose_availability_is_not_said_is_not_left_out(make_toy, make_action):
    """It would never be tried, and what it does would hold."""
    action = replace(make_action("count", count), available=lambda k: None)
    with pytest.raises(ModelError, match=r"^available\(\) of action count returned None"):
        make_toy(Counter, None, [action], at_zero)


def writes(s, k):
    s.at = 3
    return True


@pytest.mark.parametrize("who", ["the predicate of property Good", "the constraint"])
def test_what_only_reads_is_watched_in_debug_mode(counter, who):
    toy = counter(writes if who == "the constraint" else None)
    toy.debug = True
    with pytest.raises(ModelError, match=f"^{who} wrote at; it may only read the state"):
        check(toy, [] if toy.constraint else [property_of(writes)])


def test_an_action_whose_signature_cannot_be_read_is_named(make_toy, make_action):
    with pytest.raises(ModelError, match="the signature of action min failed with ValueError"):
        make_toy(Counter, None, [make_action("min", min)], at_zero)
