"""docs/changed-kafka.md is typed along, and every function of Kafka leads to what models it."""

import ast
import re
import shutil
from pathlib import Path

import pytest

from tests.docs.reference import read_from
from tests.docs.tutorial import BLOCK, Shell, played
from tidegate.gate.document import read
from tidegate.library.links import FUNCTION, mentions, spelt_out

PAGE = (Path(__file__).parents[2] / "docs" / "changed-kafka.md").read_text("utf-8")
DEFINITION = (ast.Module, ast.ClassDef, ast.FunctionDef)
RELEASES = Path(__file__).parents[2] / ".kafka"

MODELLED = PAGE[: PAGE.index("## Force it on your build")]


def test_the_change_goes_as_its_page_says(tmp_path):
    assert played(MODELLED, tmp_path) == MODELLED


def test_the_gate_of_the_page_is_read(tmp_path):
    [text] = [body for language, body in BLOCK.findall(PAGE) if language == "toml"]
    played(MODELLED, tmp_path)
    (tmp_path / "tidegate.toml").write_text(text)
    assert [cell.brokers is not None for cell in read(tmp_path / "tidegate.toml")] == [True, True]


@pytest.mark.long
@pytest.mark.kafka
def test_a_release_leaves_the_trace_where_the_page_says(tmp_path):
    if not (RELEASES / "4.4.0").is_dir() or shutil.which("java") is None:
        pytest.skip("Kafka 4.4.0 is missing; run: sh scripts/kafka 4.4.0")
    played(MODELLED, tmp_path)
    (tmp_path / ".kafka").symlink_to(RELEASES)
    [command] = re.findall(r"^tidegate replay .*", PAGE, re.MULTILINE)
    [shown] = re.findall(r"```text\n(DIFFERS.*?)```", PAGE, re.DOTALL)
    assert Shell(tmp_path, columns=80).run(command, violated=True).endswith(shown.rstrip())


def test_the_index_has_the_functions_of_the_sources():
    found = read_from()
    places, _ = found["Partition.maybeExpandIsr"]
    assert "[has_committed](rules.md#has_committed): `at_or_above_hw`" in places
    family = Path(__file__).parents[2] / "model" / "broker"
    texts = [(family / "rules.py").read_text("utf-8")]
    for module in family.rglob("*.py"):
        defined = ast.walk(ast.parse(module.read_text("utf-8")))
        texts += [ast.get_docstring(one) or "" for one in defined if isinstance(one, DEFINITION)]
    named = [one.name for text in texts for one in mentions(text)]
    functions = {spelt_out(name) for name in named if re.fullmatch(FUNCTION, name)}
    assert len(functions) > 50
    assert functions <= found.keys()
