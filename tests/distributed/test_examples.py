"""Custom models are searched by Spark as well, with TLC's counts."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

ROOT = Path(__file__).parents[2]
GOLDENS = ROOT / "tests" / "examples" / "goldens"
MOST = 10_000
"""Distinct states up to which a case is searched here; Spark takes seconds a level."""


def _cases():
    """Yield the largest case of each example that is not too large, and each violation."""
    for file in sorted(GOLDENS.glob("*.json")):
        cases = json.loads(file.read_text("utf-8"))["cases"]
        counted = [c for c in cases if "steps" not in c and c["distinct"] <= MOST]
        chosen = [max(counted, key=lambda case: case["distinct"])] if counted else []
        chosen += [c for c in cases if "steps" in c and not c.get("slow")][:1]
        for case in chosen:
            yield pytest.param(file.stem, case, id=f"{file.stem} {case['bounds']}")


@pytest.mark.slow
@pytest.mark.parametrize(("example", "case"), list(_cases()))
def test_spark_counts_as_tlc_does(spark, example, case):
    bounds = [part for setting in case["bounds"].split() for part in ("-b", setting)]
    chosen = [part for name in case.get("properties", ()) for part in ("-p", name)]
    file = str(ROOT / "examples" / f"{example}.py")
    options = ["--engine", "spark", "--local-levels", "0", "--json", "-"]
    result = CliRunner().invoke(main, ["check", file, *bounds, *chosen, *options])
    report = json.loads(result.stdout)
    assert report["spark_levels"] > 0
    if "steps" in case:
        [steps] = [p["steps"] for p in report["properties"] if p["name"] == case["violated"]]
        assert (report["outcome"], steps) == ("violated", case["steps"])
    else:
        assert report["outcome"] == "holds"
        assert (report["distinct_states"], report["depth"]) == (case["distinct"], case["depth"])
