"""Small models that look like functions of their state: those that are none are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidegate import TidegateError, check

from .small import HEAD, MODELS, TAIL


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_is_searched_as_it_is_written_or_refused(tmp_path: Path, name: str) -> None:
    right, text = MODELS[name]
    file = tmp_path / "model.py"
    file.write_text(f"{HEAD}\n{text}\n\n\n{TAIL}")
    if right == "refused":
        with pytest.raises(TidegateError) as refused:
            check(str(file), engine="interpreted")
        assert refused.value.place is not None
        assert refused.value.place[0] == str(file)
    else:
        checked = check(str(file), engine="interpreted")
        assert (checked.holds, checked.distinct_states) == (True, int(right))
