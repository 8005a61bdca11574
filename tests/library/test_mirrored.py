"""What Tidegate's containers say is what Python's own say, or a refusal; in machine code, too."""

import ast
import linecache
from collections import Counter
from functools import reduce
from itertools import islice
from operator import or_
from random import Random

import pytest

from tests.checker.conftest import translator
from tidegate import TidegateError
from tidegate.checker.compiled.values import UnsupportedError

from .mirrored import LAYOUT, Msg, Pair, Phase, PythonMsg, PythonPair, Writer, plain, states

NAMES = {"Phase": Phase, "Pair": Pair, "Msg": Msg, "reduce": reduce, "or_": or_}
TRANSLATE = translator(LAYOUT)

SEEDS = [
    pytest.param(range(150), id="few"),
    pytest.param(range(1_000, 21_000), id="many", marks=pytest.mark.slow),
]

REFUSALS = (TidegateError, TypeError)
"""How what means nothing, or might mean another thing, is refused."""


def value_of(function, state):
    """Return what an expression is, in a form that both sides share, or the error."""
    try:
        return plain(function(state))
    except Exception as error:  # noqa: BLE001 - whatever a random expression does
        return error


def of_python(text):
    return eval(f"lambda s: {text}", {**NAMES, "Pair": PythonPair, "Msg": PythonMsg})


def action_of(text):
    """Return an action that returns an expression, with lines to be looked up: [-1] is meant so."""
    source = f"def act(s, k):\n    return {text}\n"
    name, tree = f"<{text}>", ast.parse(source)
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    space = dict(NAMES)
    exec(compile(tree, name, "exec"), space)
    [space["act"].syntax_tree] = tree.body
    return space["act"]


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_value_is_the_one_that_python_has_or_is_refused(seeds):
    seen = Counter()
    for seed in seeds:
        random = Random(seed)
        text = Writer(random).write("x", 3)
        ours, pythons = action_of(text), of_python(text)
        for state in islice(states(random), 4):
            before = LAYOUT.dump()
            expected = value_of(pythons, state)
            value = value_of(lambda s, ours=ours: ours(s, None), LAYOUT.record)
            assert LAYOUT.dump() == before
            if isinstance(value, Exception):
                assert isinstance(expected, Exception) or isinstance(value, REFUSALS), text
            else:
                assert value == expected, text
                seen["same"] += 1
    assert seen["same"] > 3 * len(seeds)


@pytest.mark.parametrize("seeds", SEEDS)
def test_machine_code_has_the_value_that_python_has(seeds):
    refused = compared = 0
    for seed in seeds:
        random = Random(seed)
        text = Writer(random).write("i" if seed % 2 else "b", 2)
        try:
            meanings = TRANSLATE(action_of(f"int({text})"))
        except UnsupportedError:
            refused += 1
            continue
        for _ in islice(states(random), 6):
            state = LAYOUT.dump()
            found = meanings.compiled(state)
            # Where machine code gives up, Python takes over.
            if found is not None:
                assert found == meanings.python(state), text
                compared += 1
    assert refused < len(seeds) / 5
    assert compared > 3 * len(seeds)
