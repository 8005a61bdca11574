"""Arguments become parameters as in Python."""

import inspect
import random

import pytest

from tidegate.language.calls import CallError, Parameters, defaults_of
from tidegate.language.source import verified


def plain(a, b=2):
    pass


def nameless(a, /, b, c=3):
    pass


def by_name(a, *, b, c=3):
    pass


def many(a, /, *rest, b=2, **more):
    pass


FUNCTIONS = [plain, nameless, by_name, many]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_call_gives_what_python_gives(function):
    chance = random.Random(function.__name__)
    signature = inspect.signature(function)
    parameters = Parameters.of_function(function)
    assert parameters == Parameters.of(verified(function).args)
    assert parameters.names == tuple(function.__code__.co_varnames)
    fit = 0
    for _ in range(800):
        positional = [chance.randrange(10) for _ in range(chance.randrange(5))]
        named = {name: chance.randrange(10) for name in "abcd" if chance.random() < 0.3}
        try:
            expected = signature.bind(*positional, **named)
        except TypeError:
            with pytest.raises(CallError):
                parameters.bind(positional, named, defaults_of(function))
            continue
        fit += 1
        expected.apply_defaults()
        bound = parameters.bind(positional, named, defaults_of(function))
        rest = {parameters.rest: bound.rest} if parameters.rest else {}
        more = {parameters.more: bound.more} if parameters.more else {}
        assert bound.values | rest | more == expected.arguments
    assert fit > 15
