"""``--cached`` skips a cell that passed, and only while nothing that decides on it has changed."""

import os
import sys
import zipfile
from pathlib import Path
from shutil import copytree
from subprocess import run

import pytest

from tests.gate.conftest import Project
from tidegate.core.files import DiskCache
from tidegate.gate import cache
from tidegate.gate.cache import digest, key
from tidegate.gate.document import read

TEXT = """[[case]]
protocols = "own.py"
bounds = "records=1 crashes=0 elections=0"
holds = "TypeOk"
"""


def statuses(project, text=TEXT, *options):
    report = project.gate(text, "--cached", *options)
    return [
        cell["findings"][0]["text"] if cell["status"] == "error" else cell["status"]
        for cell in report["cells"]
    ]


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """A directory in which a gate has passed once, with its cache."""
    path = tmp_path_factory.mktemp("once")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        patch.setenv("XDG_CACHE_HOME", str(path / ".cache"))
        project = Project(path)
        project.own("own.py")
        project.write("unused.txt", "")
        assert statuses(project) == ["pass"]
    return path


@pytest.fixture
def passed(once, project):
    """A copy of a gate that has passed once."""
    copytree(once, project.path, dirs_exist_ok=True)
    return project


def test_a_cached_cell_tells_what_was_counted(passed):
    report = passed.gate(TEXT, "--cached", status=0)
    [cell] = report["cells"]
    assert cell["distinct_states"] > 10
    assert [told["outcome"] for told in cell["properties"]] == ["holds"]
    assert report["counts"] == {"cached": 1}
    assert "1 passed before (cached)" in report["output"]


CHANGES = {
    "another expectation": TEXT.replace("TypeOk", "HwWithinLog"),
    "another bound": TEXT.replace("records=1", "records=0"),
    "a limit": TEXT + "seconds = 100\n",
    "another engine": TEXT + "engine = 'interpreted'\n",
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_cell_is_searched(passed, change):
    assert statuses(passed, CHANGES[change]) == ["pass"]
    assert statuses(passed) == ["cached"]


def test_a_pin_is_searched_for(passed):
    [cell] = passed.gate(TEXT, "--cached")["cells"]
    pinned = f"{TEXT}depth = {cell['depth']}\n"
    assert [statuses(passed, pinned) for _ in range(2)] == [["pass"], ["cached"]]


def test_what_decides_on_nothing_may_change(passed):
    text = "# A comment.\n" + TEXT + "title = 'as before'\ntier = 'nightly'\n"
    assert statuses(passed, text, "--tier", "nightly") == ["cached"]
    passed.write("unused.txt", "other")
    assert statuses(passed) == ["cached"]


def test_a_change_of_the_protocol_counts_also_in_what_it_imports(passed):
    source = passed.own("own.py", "return fence.same(s.replica[leader].epoch, epoch)").read_text()
    passed.write("own.py", "import fence\n" + source)
    passed.write("fence.py", "def same(a, b):\n    return a == b\n")
    assert statuses(passed) == ["pass"]
    assert statuses(passed) == ["cached"]
    # Within a second, Python notices a change by the file's size.
    passed.write("fence.py", "def same(a, b):\n    return (b == a)\n")
    assert statuses(passed) == ["pass"]
    passed.write("fence.py", "def same(a, b):\n    return b > a + 3\n")
    assert statuses(passed) == ["pass"]
    passed.write("dataclasses.py", "# comes before Python's own\n")
    assert statuses(passed) != ["cached"]


def test_a_failure_is_never_recorded(passed):
    text = TEXT + "states = 1\n"
    assert statuses(passed, text) == ["fail"]
    assert statuses(passed, text) == ["fail"]


@pytest.mark.parametrize("content", ["{", "[]", '{"files": {}}', '{"files": {"own.py": 3}}', "\0"])
def test_a_damaged_entry_is_as_none(passed, content):
    [entry] = DiskCache("gate").folder.iterdir()
    entry.write_text(content)
    assert statuses(passed) == ["pass"]
    assert statuses(passed) == ["cached"]


def test_another_version_of_tidegate_searches_anew(passed, monkeypatch):
    monkeypatch.setattr("tidegate.gate.cache._tool", lambda: ["another"])
    assert statuses(passed) == ["pass"]


@pytest.mark.parametrize("package", ["llvmlite", "numpy"])
def test_another_version_of_a_package_that_decides_searches_anew(passed, monkeypatch, package):
    libraries = cache._libraries()
    [known] = [one for one in libraries if one.startswith(f"{package} ")]
    others = [f"{package} 0" if one == known else one for one in libraries]
    monkeypatch.setattr(cache, "_libraries", lambda: others)
    assert statuses(passed) == ["pass"]


def test_without_a_place_to_keep_anything_everything_is_searched(project, monkeypatch):
    project.own("own.py")
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.write("file", "")))
    assert statuses(project) == ["pass"]
    assert statuses(project) == ["pass"]


def test_a_project_may_move(passed, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("clone")
    for name in ("own.py", "tidegate.toml"):
        (elsewhere / name).write_bytes((passed.path / name).read_bytes())
    monkeypatch.chdir(elsewhere)
    passed.path = elsewhere
    assert statuses(passed) == ["cached"]


def test_a_protocol_in_a_package_is_known_with_all_of_the_package(project):
    project.own("rules/fence.py")
    project.write("rules/__init__.py", "")
    text = TEXT.replace("own.py", "rules.fence:OWN")
    assert [statuses(project, text) for _ in range(2)] == [["pass"], ["cached"]]
    project.write("rules/__init__.py", "changed = True\n")
    assert statuses(project, text) == ["pass"]
    project.own("rules/fence.py", "return s.replica[leader].epoch - epoch == 0")
    assert statuses(project, text) == ["pass"]
    project.own("rules/fence.py", "raise ValueError(s.written)")
    [cell] = project.gate(text, "--cached", status=70)["cells"]
    assert cell["findings"][0]["place"]["file"] == "rules/fence.py"


CHANGED = {
    "a module": lambda project: project.write("fence.py", "x = 1"),
    "a module that is imported during the search": lambda project: project.write("later.py", "x=1"),
    "a package": lambda project: project.write("parts/__init__.py", "x = 1"),
    "a module in a package": lambda project: project.write("parts/rules.py", "x = 1"),
    "a package before a module": lambda project: project.write("fence/__init__.py", ""),
    "a module before one of Python's": lambda project: project.write("dataclasses.py", ""),
    "where a link leads": lambda project: relinked(project.path / "own.py", "version-2.py"),
    "what a link leads to": lambda project: project.write("version-1.py", "x = 1"),
}


def relinked(link, target):
    link.unlink()
    link.symlink_to(target)


IMPORTING = """
import tidegate
import fence
from parts import rules


@tidegate.pure
def late():
    import later
    return True


"""


@pytest.fixture
def importing(project):
    """A project whose model imports much of it, with the hash of its sources."""
    source = project.own("version-1.py", "return late() and s.replica[leader].epoch == epoch")
    source.write_text(IMPORTING + source.read_text())
    relinked(project.write("own.py", ""), "version-1.py")
    project.write("version-2.py", source.read_text() + "# changed")
    for module in ("fence", "later", "parts/__init__", "parts/rules"):
        project.write(f"{module}.py", "")
    project.write("tidegate.toml", TEXT)
    [cell] = read(project.path / "tidegate.toml")
    return project, cell, lambda: digest(cell, project.path)


def test_a_model_that_imports_is_searched_once(importing):
    assert [statuses(importing[0]) for _ in range(2)] == [["pass"], ["cached"]]


@pytest.mark.parametrize("change", CHANGED)
def test_all_sources_of_the_project_decide_on_its_cells(importing, change):
    project, _, sources = importing
    before = sources()
    CHANGED[change](project)
    assert sources() != before


def test_what_is_no_source_of_the_project_decides_on_nothing(importing):
    project, _, sources = importing
    before = sources()
    project.write("report.txt", "changed")
    project.write(".hidden/module.py", "x = 1")
    project.write("venv/pyvenv.cfg", "")
    project.write("venv/lib/module.py", "x = 1")
    assert sources() == before


def test_where_modules_are_looked_for_decides(importing, monkeypatch):
    project, cell, _ = importing
    before = key(cell, "sources", project.path)
    assert key(cell, "others", project.path) != before
    monkeypatch.setattr(sys, "path", [str(project.path / "earlier"), *sys.path])
    assert key(cell, "sources", project.path) != before


BEYOND = {
    "another process": "import subprocess; subprocess.run(['true'])",
    "the environment": "import os; MODE = os.environ.get('MODE')",
    "a variable by another function": "from os import getenv; MODE = getenv('MODE')",
    "the network": "import socket; socket.socket().connect_ex(('127.0.0.1', 9))",
    "native code": "import ctypes; ctypes.CDLL(None)",
    "a file": "import pathlib; TEXT = pathlib.Path('unused.txt').read_text()",
    "the names in a directory": "import os; NAMES = os.listdir('.')",
    "a module that changes meanwhile": "import fence; open('fence.py', 'a').write('# x')",
    "a module in an archive": "import sys; sys.path.insert(0, 'archive.zip'); import zipped",
    "a module elsewhere": "import sys; sys.path.insert(0, 'elsewhere'); import module",
}


@pytest.mark.parametrize("beyond", BEYOND)
def test_a_model_that_reads_more_is_searched_every_time(project, tmp_path_factory, beyond):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "module.py").write_text("")
    source = project.own("own.py").read_text()
    setup = BEYOND[beyond].replace("'elsewhere'", repr(str(elsewhere)))
    project.write("own.py", f"{setup}\n{source}")
    project.write("fence.py", "")
    project.write("unused.txt", "")
    with zipfile.ZipFile(project.path / "archive.zip", "w") as archive:
        archive.writestr("zipped.py", "")
    assert [statuses(project) for _ in range(2)] == [["pass"], ["pass"]]


COUNTER = """
from dataclasses import dataclass
from tidegate import Model, Record, integer


@dataclass(frozen=True)
class Bounds:
    pass


class State(Record):
    x: int = integer(0, 3, "x")


model = Model(Bounds, State, deadlock=False)


@model.action("env")
def count(s, k):
    if s.x == 3:
        return False
    s.x += 1
    return True


@model.invariant("x is small.")
def Small(s, k):
    return s.x < 4
"""


def test_a_package_behind_a_link_is_tidegates(tmp_path):
    library, project = tmp_path / "library", tmp_path / "project"
    library.mkdir()
    project.mkdir()
    (library / "tidegate").symlink_to(Path(cache.__file__).parents[1])
    (project / "counter.py").write_text(COUNTER)
    cell = 'protocols = "counter.py"\nbounds = [""]\nholds = "Small"\n'
    (project / "tidegate.toml").write_text(f"[[case]]\n{cell}")
    places = {"PYTHONPATH": str(library), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tidegate", "gate", "--cached"]
    first, second = (
        run(command, cwd=project, env={**os.environ, **places}, capture_output=True, text=True)
        for _ in range(2)
    )
    assert first.stdout.startswith("pass"), first.stdout + first.stderr
    assert second.stdout.startswith("cached"), second.stdout + second.stderr


def test_an_example_that_has_changed_is_another_tool(tmp_path, monkeypatch):
    """A gate elsewhere names ``tidegate.examples.raft``, which is none of its own files."""
    monkeypatch.setattr(cache, "PACKAGE", tmp_path)
    (tmp_path / "examples").mkdir()
    tools = []
    for text in ("x = 1", "x = 2"):
        (tmp_path / "examples" / "raft.py").write_text(text)
        tools.append(cache._tool.__wrapped__())
    assert tools[0] != tools[1]
