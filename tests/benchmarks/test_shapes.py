"""The kinds of models that users write count what TLC counts on the modules beside them."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

import tidegate

ROOT = Path(__file__).parents[2]
CASES = json.loads(Path(__file__).with_name("shapes.json").read_text("utf-8"))["cases"]


@pytest.fixture(scope="module")
def shapes():
    """Load the script, which has the name of its folder of models."""
    spec = importlib.util.spec_from_file_location("shapes_command", ROOT / "benchmarks/shapes.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield {shape.name: shape for shape in module.SHAPES}, module
    del sys.modules[spec.name]


def test_every_shape_has_a_golden_a_model_and_a_module(shapes):
    named, module = shapes
    assert [case["shape"] for case in CASES] == list(named)
    for shape in named.values():
        assert (module.FOLDER / f"{shape.name}.py").is_file()
        assert (module.FOLDER / f"{shape.module}.tla").is_file()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["shape"])
def test_a_shape_counts_as_tlc_does(shapes, case):
    named, module = shapes
    shape = named[case["shape"]]
    names = f"{shape.invariants} {shape.liveness} {shape.violated}".split()
    names += ["Deadlock"] if shape.deadlock else []
    checked = tidegate.check(
        str(module.FOLDER / f"{shape.name}.py"),
        module.read_bounds(case["bounds"]),
        names,
        keep_going=True,
    )
    assert checked.complete
    assert (checked.distinct_states, checked.depth) == (case["distinct"], case["depth"])
    assert sorted(checked.violated) == sorted(case["violated"].split())


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["shape"])
def test_tlc_itself_says_what_the_goldens_say(shapes, case):
    jar = os.environ.get("TIDEGATE_TLC_JAR")
    if not jar:
        pytest.skip("set TIDEGATE_TLC_JAR, and have Java, to run TLC")
    named, module = shapes
    assert module.golden(Path(jar), named[case["shape"]], case["bounds"]) == case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["shape"])
def test_a_shape_as_first_written_is_compiled(shapes, case):
    named, module = shapes
    shape = named[case["shape"]]
    checked = tidegate.check(
        str(module.FOLDER / f"{shape.name}.py"),
        module.read_bounds(case["bounds"]),
        shape.invariants.split(),
        engine="compiled",
    )
    assert (checked.distinct_states, checked.depth) == (case["distinct"], case["depth"])
