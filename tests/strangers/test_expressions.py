"""An expression that means something else in the next run is refused, and no other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.strangers.expressions import ACCEPTED, HEAD, REFUSED, TAIL
from tidegate import TidegateError, check


def written(folder: Path, setup: str, expression: str) -> str:
    """Return the path of a model that stores the value of an expression."""
    path = folder / "model.py"
    path.write_text(HEAD + setup + TAIL.replace("{expression}", expression))
    return str(path)


def cases(table: tuple[tuple[str, tuple[str, ...]], ...]) -> list[tuple[str, str]]:
    """Return the set-up and the expression of each model."""
    return [(setup, expression) for setup, several in table for expression in several]


@pytest.mark.parametrize(("setup", "expression"), cases(REFUSED))
def test_what_is_no_function_of_the_state_is_refused(tmp_path, setup, expression):
    with pytest.raises(TidegateError):
        check(written(tmp_path, setup, expression), engine="interpreted")


@pytest.mark.parametrize(("setup", "expression"), cases(ACCEPTED))
def test_what_is_a_function_of_the_state_is_accepted(tmp_path, setup, expression):
    assert check(written(tmp_path, setup, expression), engine="interpreted").holds
