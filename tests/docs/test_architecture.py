"""The page of ways through the code names modules and imports that there are."""

import ast
import re
from pathlib import Path

import pytest

from tests.docs.architecture import COLORS, PICTURE, WAYS, picture

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
IMPORTS = sorted({pair for imports in WAYS.values() for pair in imports})


def imported(module):
    """Return the files of the package that a module imports."""
    path = ROOT / module
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            found |= {folder.with_suffix(".py"), *(folder / f"{one.name}.py" for one in node.names)}
    return {str(each.relative_to(ROOT)) for each in found if each.is_file()}


@pytest.mark.parametrize(("upper", "lower"), IMPORTS)
def test_each_arrow_is_an_import(upper, lower):
    assert lower in imported(upper)


def test_every_module_on_the_page_is_on_the_picture_and_there():
    named = set(re.findall(r"`([\w/]+\.py)`", PAGE))
    assert named == {module for pair in IMPORTS for module in pair}
    assert all((ROOT / module).is_file() for module in named)


def test_every_room_on_the_page_is_a_room():
    rooms = set(re.findall(r"`(\w+)`", PAGE.partition("| --- | --- |")[2].partition("\n\n")[0]))
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert rooms == packages
    assert set(COLORS) <= rooms


def test_the_picture_is_drawn_from_these_imports():
    assert PICTURE.read_text("utf-8") == picture()


def test_the_page_is_short():
    assert len(PAGE.split()) < 500
