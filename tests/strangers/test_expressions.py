"""An expression that means something else in the next run is refused, and no other one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.strangers.expressions import ACCEPTED, HEAD, REFUSED, TAIL
from tests.strangers.generated import FORMS, NAMES
from tidegate import TidegateError, check


def written(folder: Path, setup: str, expression: str = "0", initial: str = "0") -> str:
    """Return the path of a model whose action, or initial state, has the value of an expression."""
    path = folder / "model.py"
    tail = TAIL.replace("{expression}", expression).replace("{initial}", initial)
    path.write_text(HEAD + setup + tail)
    return str(path)


def cases(table: tuple[tuple[str, tuple[str, ...]], ...]) -> list[tuple[str, str]]:
    """Return the set-up and the expression of each model."""
    return [(setup, expression) for setup, several in table for expression in several]


def some(table: tuple[tuple[str, tuple[str, ...]], ...]) -> list[Any]:
    """Return all of these models, those of one set-up that are alike as slow ones."""
    return [
        pytest.param(setup, expression, marks=[pytest.mark.slow] * (number % 4 > 0))
        for setup, several in table
        for number, expression in enumerate(several)
    ]


@pytest.mark.parametrize(("setup", "expression"), some(REFUSED))
def test_what_is_no_function_of_the_state_is_refused(tmp_path, setup, expression):
    with pytest.raises(TidegateError):
        check(written(tmp_path, setup, expression), engine="interpreted")


@pytest.mark.parametrize(("setup", "expression"), some(ACCEPTED))
def test_what_is_a_function_of_the_state_is_accepted(tmp_path, setup, expression):
    assert check(written(tmp_path, setup, initial=expression), engine="interpreted").holds


def values(seed: int) -> dict[str, int]:
    """Return what each generated expression is with one seed of Python's hashes."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.strangers.generated"]
    where = os.environ | {"PYTHONHASHSEED": str(seed)}
    return json.loads(subprocess.run(command, env=where, check=True, capture_output=True).stdout)


@pytest.mark.slow
@pytest.mark.parametrize("held", [False, True], ids=["in the action", "in a constant"])
def test_whatever_depends_on_the_order_of_a_set_is_refused(tmp_path, held):
    first, *others = map(values, range(4))
    differ = [
        one
        for one in first
        if all(one in o for o in others) and {o[one] for o in others} != {first[one]}
    ]
    assert len(differ) > 1_000
    accepted = []
    for one in differ:
        module, _, expression = one.partition(" ")
        setup = NAMES + (f"import {module}\n" if module != "builtins" else "")
        if held:
            before, after = next(f.split("{}") for f in reversed(FORMS) if _fits(f, expression))
            made = expression[len(before) : len(expression) - len(after)]
            setup, expression = f"{setup}HELD = {made}\n", f"{before}HELD{after}"
        try:
            check(written(tmp_path, setup, expression), engine="interpreted")
            accepted.append(one)
        except TidegateError:
            pass
    assert accepted == []


def _fits(form: str, expression: str) -> bool:
    """Whether an expression was made by a form."""
    before, after = form.split("{}")
    return expression.startswith(before) and expression.endswith(after)
