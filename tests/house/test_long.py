"""The list of tests that take long names tests that there are."""

import ast
from pathlib import Path

import pytest

from tests.long import SECONDS, listed, measured

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", sorted({test.partition("::")[0] for test in listed()}))
def test_a_listed_test_is_there(file):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    functions = {
        test.partition("::")[2].partition("[")[0] for test in listed() if test.startswith(file)
    }
    assert functions <= there, "write the list again, as tests/long.py says"


def test_a_function_is_listed_if_all_its_tests_take_long(tmp_path):
    times = {"one": SECONDS * 2, "two[1]": SECONDS * 2, "two[2]": 0, "three[1]": SECONDS * 2}
    cases = [
        f'<testcase classname="tests.cli.test_x" name="{name}" time="{time}"/>'
        for name, time in times.items()
    ]
    report = tmp_path / "times.xml"
    report.write_text(f"<testsuites>{''.join(cases)}</testsuites>")
    file = "tests/cli/test_x.py"
    assert measured(report) == [f"{file}::one", f"{file}::three", f"{file}::two[1]"]
