"""Small models that look like functions of their state: those that are none are refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tidegate import TidegateError, check

from .small import HEAD, MODELS, TAIL


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_is_searched_as_it_is_written_or_refused(tmp_path: Path, name: str) -> None:
    right, text = MODELS[name]
    file = tmp_path / "model.py"
    file.write_text(f"{HEAD}\n{text}\n\n\n{TAIL}")
    if right in ("refused", "outside"):
        with pytest.raises(TidegateError) as refused:
            check(str(file), engine="interpreted")
        assert refused.value.place is not None
        assert refused.value.place[0] == str(file)
        errors = str(refused.value), *refused.value.details
        says = any("is not in the language of models; " in text for text in errors)
        assert says or right == "refused"
    else:
        checked = check(str(file), engine="interpreted")
        assert (checked.holds, checked.distinct_states) == (True, int(right))


def test_an_assertion_that_python_skips_is_no_part_of_the_model(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    _, text = MODELS["assertion"]
    file.write_text(f"{HEAD}\n{text}\n\n\n{TAIL}")
    run = [sys.executable, "-O", "-m", "tidegate", "check", str(file)]
    checked = subprocess.run(run, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert checked.returncode == 70
    assert "python -O skips this assertion" in checked.stderr
