"""Models by people who had not read the tests: each says what is right, worked out independently.

The last lines of a model say what is expected: ``# expect: holds STATES``, ``# expect: violated
PROPERTY STEPS``, ``# expect: refused LINE`` or ``# expect: incomplete``; ``# bounds: a=1 b=2``,
``# properties: A B`` and ``# name: VARIANT`` are optional.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tidegate import TidegateError, check

MODELS = Path(__file__).parent / "models"
FILES = sorted(path for path in MODELS.glob("*.py") if "# expect:" in path.read_text("utf-8"))


@dataclass(frozen=True)
class Claim:
    """What a model says is right."""

    expect: tuple[str, ...]
    bounds: dict[str, str]
    properties: list[str]
    name: str


def claim_of(path: Path) -> Claim:
    """Return what a model says is right."""
    text = path.read_text("utf-8")

    def said(key: str) -> list[str]:
        found = re.search(rf"^# {key}: (.*)$", text, re.MULTILINE)
        return found[1].split() if found else []

    bounds = dict(part.split("=") if "=" in part else (part, "on") for part in said("bounds"))
    return Claim(tuple(said("expect")), bounds, said("properties"), "".join(said("name")))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy all models to one directory, since a model may import those beside it."""
    return shutil.copytree(MODELS, tmp_path_factory.mktemp("strangers") / "models")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_stranger_wrote_is_what_is_searched(
    models: Path, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    """By the engine that is chosen: in Python as long as the search is small."""
    monkeypatch.chdir(models)
    claim = claim_of(path)
    name = f"{path.name}:{claim.name}" if claim.name else path.name
    verdict, *details = claim.expect
    if verdict == "refused":
        with pytest.raises(TidegateError) as refused:
            check(name, claim.bounds, claim.properties)
        place = refused.value.place
        assert place is not None, refused.value
        assert (Path(place[0]).name, place[1]) == (path.name, int(details[0])), refused.value
        return
    checked = check(name, claim.bounds, claim.properties)
    if verdict == "holds":
        assert checked.holds, str(checked)
        assert checked.distinct_states == int(details[0])
    elif verdict == "violated":
        assert not checked.holds
        steps = len(checked.trace_of(details[0])) - 1
        assert (checked.violated[0], steps) == (details[0], int(details[1])), str(checked)
    else:
        assert verdict == "incomplete"
        assert not checked.holds, str(checked)
        assert not checked.violated
