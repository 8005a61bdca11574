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
from tidegate.language.lowering.frame import LoweringError

from .mirrored import (
    LAYOUT,
    Msg,
    Pair,
    Phase,
    PythonMsg,
    PythonPair,
    State,
    Writer,
    body,
    plain,
    states,
)

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


def action_of(*lines, **more):
    """Return an action, with lines to be looked up: [-1] is meant so."""
    source = "\n    ".join(("def act(s, k):", *lines, ""))
    name, tree = f"<{lines}>", ast.parse(source)
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    space = NAMES | more
    exec(compile(tree, name, "exec"), space)
    [space["act"].syntax_tree] = tree.body
    return space["act"]


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_value_is_the_one_that_python_has_or_is_refused(seeds):
    seen = Counter()
    for seed in seeds:
        random = Random(seed)
        text = Writer(random).write("x", 3)
        ours, pythons = action_of(f"return {text}"), of_python(text)
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
            meanings = TRANSLATE(action_of(f"return int({text})"))
        except LoweringError:
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


def after(act, record, state=None):
    """Return all variables after a step, in a form that both sides share; None if it fails."""
    if state is not None:
        LAYOUT.load(state)
    try:
        act(record, None)
        if state is not None:
            LAYOUT.adopt()
            assert LAYOUT.sound()
        return {name: plain(getattr(record, name)) for name in State.__annotations__}
    except Exception:  # noqa: BLE001 - whatever random statements do
        return None
    finally:
        LAYOUT.restore()


@pytest.mark.parametrize("seeds", SEEDS)
def test_assigned_parts_are_what_python_has_in_their_place(seeds):
    same = compared = 0
    for seed in seeds:
        random = Random(seed)
        lines = [*body(random), "return True"]
        ours, pythons = action_of(*lines), action_of(*lines, Pair=PythonPair, Msg=PythonMsg)
        try:
            meanings = TRANSLATE(ours)
        except LoweringError:
            meanings = None
        for state in islice(states(random), 3):
            stored = LAYOUT.dump()
            found, expected = after(ours, LAYOUT.record, stored), after(pythons, state)
            if found is None:
                continue
            stepped = LAYOUT.dump()
            if expected is not None:
                assert found == expected, lines
                same += 1
            made = meanings and meanings.compiled(stored)
            if made:
                assert made[1] == stepped, lines
                compared += 1
    assert same > len(seeds)
    assert compared > len(seeds) / 3
