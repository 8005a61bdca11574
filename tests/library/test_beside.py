"""A model imports what lies beside its file, and no other model in the process does."""

import random
import sys
from importlib.machinery import PathFinder

import pytest

import tidegate
from tidegate.core.errors import SelectionError
from tidegate.core.imports import PREFIX
from tidegate.library.names import find_protocol

HEAD = """\
from dataclasses import dataclass

{imports}

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(6, 1, 9, "the most", main=True)


class State(Record):
    x: int = integer(0, 9, "a number")


model = Model(Bounds, State)


@model.initial
def begin(s: State, k: Bounds):
{inside}
    yield


@model.action("somebody")
def step(s: State, k: Bounds) -> bool:
    if s.x == k.most:
        return False
    s.x += 1
    return True


@model.invariant("x is at most the limit of the folder.")
def small(s: State, k: Bounds) -> bool:
    return s.x <= {limit}
"""

# Each way to import, with the files that it needs and how the limit is then called.
WAYS = {
    "import": ("import {top}", {"{top}.py": "LIMIT = {n}\n"}, "{top}.LIMIT"),
    "import a name": ("from {top} import LIMIT", {"{top}.py": "LIMIT = {n}\n"}, "LIMIT"),
    "a package": (
        "import {top}.low as low",
        {"{top}/__init__.py": "", "{top}/low.py": "from .deep import LIMIT\n",
         "{top}/deep.py": "LIMIT = {n}\n"},
        "low.LIMIT",
    ),
    "a module of a package": (
        "from {top} import low",
        {"{top}/__init__.py": "", "{top}/low.py": "LIMIT = {n}\n"},
        "low.LIMIT",
    ),
    "a dotted name": (
        "import {top}.low",
        {"{top}/__init__.py": "", "{top}/low.py": "LIMIT = {n}\n"},
        "{top}.low.LIMIT",
    ),
    "a directory": ("import {top}.low", {"{top}/low.py": "LIMIT = {n}\n"}, "{top}.low.LIMIT"),
    "by another": (
        "import {top}",
        {"{top}.py": "from {top}2 import LIMIT\n", "{top}2.py": "LIMIT = {n}\n"},
        "{top}.LIMIT",
    ),
    "a star": ("from {top} import *", {"{top}.py": "LIMIT = {n}\n"}, "LIMIT"),
}  # fmt: skip


def written(folder, way, top, limit, within):
    """Write a model, and what it imports; if `within`, its initial state imports that once more."""
    statement, files, called = WAYS[way]
    for name, text in files.items():
        path = folder / name.format(top=top)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(top=top, n=limit))
    statement = statement.format(top=top)
    imports, inside = statement, "    pass"
    if within and "*" not in statement:
        inside = f"    {statement}\n    assert {called.format(top=top)} == {limit}"
    file = folder / "mine.py"
    called = called.format(top=top)
    file.write_text(HEAD.format(imports=imports, inside=inside, limit=called))
    return file


def plan(seed):
    """Return models for many folders, of which most share the names of their modules."""
    draw = random.Random(seed)
    # Also names of the standard library, imported before or not, and of what is installed.
    tops = ("helpers", "queue", "colorsys", "statistics", "networkx")
    models = [
        (way, draw.choice(tops), draw.randint(1, 8), draw.random() < 0.5)
        for way in WAYS
        for _ in range(2)
    ]
    return draw.sample(models, len(models))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))]
)
def test_models_with_helpers_of_one_name_have_each_their_own(tmp_path, seed):
    path, known, finders = list(sys.path), dict(sys.modules), len(sys.meta_path)
    models = []
    for number, (way, top, limit, within) in enumerate(plan(seed)):
        # What has no __init__.py comes after what is installed, as everywhere in Python.
        top = "helpers" if way == "a directory" else top
        folder = tmp_path / f"{number}"
        folder.mkdir()
        models.append((written(folder, way, top, limit, within), limit, (way, top)))
    # All are loaded before the first one runs.
    for file, _, _ in models:
        find_protocol(str(file))
    for file, limit, what in models:
        result = tidegate.check(str(file), properties=["Small"], engine="interpreted")
        assert result.holds == (limit >= 6), what
    assert sys.path == path
    assert len(sys.meta_path) <= finders + 1
    for name in ("helpers", "helpers2", "queue", "colorsys", "statistics", "networkx"):
        file = getattr(sys.modules.get(name), "__file__", None)
        assert file is None or not file.startswith(str(tmp_path))
    assert all(sys.modules[name] is module for name, module in known.items())


def test_a_module_in_the_present_directory_is_that_directorys(tmp_path, monkeypatch):
    """As with the command, whose path has no present directory."""
    monkeypatch.setattr(sys, "path", [part for part in sys.path if part])
    before = list(sys.path)
    for limit in (3, 7):
        folder = tmp_path / str(limit)
        folder.mkdir()
        file = written(folder, "import", "helpers", limit, within=True)
        (folder / "rules").mkdir()
        (folder / "rules" / "fence.py").write_text(file.read_text())
        monkeypatch.chdir(folder)
        for name in ("mine:model", "rules.fence:model"):
            assert tidegate.check(name, properties=["Small"]).holds == (limit >= 6)
    assert sys.path == before
    assert PathFinder.find_spec("mine") is None


def test_what_a_test_has_imported_from_there_is_the_same_module(tmp_path, monkeypatch):
    """Otherwise the members of an enumeration there would differ from those in the states."""
    written(tmp_path, "import", "beside_a_test", 3, within=False)
    monkeypatch.syspath_prepend(tmp_path)
    import beside_a_test

    find_protocol(str(tmp_path / "mine.py"))
    [module] = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(PREFIX) and getattr(module, "__file__", "") == f"{tmp_path}/mine.py"
    ]
    assert module.beside_a_test is beside_a_test
    del sys.modules["beside_a_test"]


def test_no_folder_takes_the_place_of_tidegate_or_of_what_python_starts_with(tmp_path):
    for name in ("tidegate", "sys", "os", "time"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('the wrong one')\n")
    file = written(tmp_path, "import", "helpers", 8, within=False)
    file.write_text("import os, sys, time\n" + file.read_text())
    assert tidegate.check(str(file), properties=["Small"]).holds


@pytest.mark.parametrize(
    ("source", "text", "line"),
    [
        ("\nimport gone\n", "ModuleNotFoundError: No module named 'gone'", "helpers.py:2"),
        ("import low.gone\n", "No module named 'low.gone'; 'low' is not a package", "helpers.py:1"),
        ("from low import gone\n", "cannot import name 'gone' from 'low'", "helpers.py:1"),
        ("x = 1\n\n1 / 0\n", "ZeroDivisionError: division by zero", "helpers.py:3"),
    ],
)
def test_an_error_names_modules_as_the_user_does(tmp_path, source, text, line):
    file = written(tmp_path, "import", "helpers", 8, within=False)
    (tmp_path / "helpers.py").write_text(source)
    (tmp_path / "low.py").write_text("")
    with pytest.raises(SelectionError) as caught:
        find_protocol(str(file))
    assert text in str(caught.value)
    assert line in str(caught.value)
    assert PREFIX not in str(caught.value)
