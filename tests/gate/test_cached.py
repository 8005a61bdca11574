"""``--cached`` skips a cell that passed, and only while nothing that decides on it has changed."""

import json
import multiprocessing
import os
import py_compile
import shutil
import sys
import zipfile

import pytest

from tidegate.analysis.named import find_protocol
from tidegate.checker.kept import Store
from tidegate.gate.cache import key, record, recorded
from tidegate.gate.document import read
from tidegate.gate.inputs import Inputs, Watch, modules, search_path
from tidegate.gate.results import CellOutcome, Status
from tidegate.gate.run import run

TEXT = """[[case]]
protocols = "own.py"
bounds = "records=1"
holds = "TypeOk"
"""


def statuses(project, text=TEXT, *options):
    report = project.gate(text, "--cached", *options)
    return [cell["status"] for cell in report["cells"]]


@pytest.fixture
def passed(project):
    """A gate that has passed once."""
    project.own("own.py")
    project.write("unused.txt", "")
    assert statuses(project) == ["pass"]
    assert statuses(project) == ["cached"]
    return project


def test_a_cached_cell_tells_what_was_counted(passed):
    report = passed.gate(TEXT, "--cached", status=0)
    [cell] = report["cells"]
    assert cell["distinct_states"] > 100
    assert [told["outcome"] for told in cell["properties"]] == ["holds"]
    assert report["counts"] == {"cached": 1}
    assert "1 passed before (cached)" in report["output"]


CHANGES = {
    "another expectation": TEXT.replace("TypeOk", "HwWithinLog"),
    "another bound": TEXT.replace("records=1", "records=1 crashes=1"),
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
    passed.write("fence.py", "def same(a, b):\n    return b == a\n")
    assert statuses(passed) == ["pass"]
    passed.write("fence.py", "def same(a, b):\n    return b > a + 3\n")
    assert statuses(passed) == ["pass"]
    passed.write("dataclasses.py", "# comes before Python's own\n")
    assert statuses(passed) != ["cached"]


def test_a_failure_is_never_recorded(passed):
    text = TEXT + "states = 1\n"
    assert statuses(passed, text) == ["fail"]
    assert statuses(passed, text) == ["fail"]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"files": {}}', '{"files": {"own.py": 3}}', "\0"]
)
def test_a_damaged_entry_is_as_none(passed, content):
    [entry] = Store("gate").folder.iterdir()
    entry.write_text(content)
    assert statuses(passed) == ["pass"]
    assert statuses(passed) == ["cached"]


def test_another_version_of_tidegate_searches_anew(passed, monkeypatch):
    monkeypatch.setattr("tidegate.gate.cache._tool", lambda: ["another"])
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


READING = """
import json, os, pathlib
import tidegate
import fence, library
from parts import rules

HERE = pathlib.Path(__file__).parent
LIMIT = json.loads((HERE / "limits.json").read_text())
MODE = os.environ.get("PROTOCOL_MODE", "strict")
NAMES = os.listdir(HERE / "tables")
LATE = []


@tidegate.pure
def late():
    if not LATE:
        with open("late.txt") as file:
            LATE.append(file.read())
        import later
    return True


"""


@pytest.fixture
def reading(project, monkeypatch):
    """The outcome of a cell whose protocol reads all sorts of things, and what could change."""
    source = project.own("version-1.py", "return late() and s.replica[leader].epoch == epoch")
    source.write_text(READING + source.read_text())
    (project.path / "own.py").symlink_to("version-1.py")
    project.write("version-2.py", source.read_text() + "# changed")
    project.write("limits.json", "3")
    project.write("late.txt", "")
    project.write("tables/one", "")
    project.write("report.json", "")
    for module in ("fence", "later", "parts/__init__", "parts/rules", "unused"):
        project.write(f"{module}.py", "")
    project.write("elsewhere/lib/site-packages/library.py", "")
    (project.path / "earlier").mkdir()
    for folder in ("elsewhere/lib/site-packages", "earlier"):
        monkeypatch.syspath_prepend(project.path / folder)
    project.write("tidegate.toml", TEXT)
    [cell] = read(project.path / "tidegate.toml")
    [outcome] = run([cell], project.path, 1)
    assert outcome.findings == []
    assert outcome.inputs.complete
    inputs = outcome.inputs.moved(project.path)
    return project, monkeypatch, lambda: inputs.are_unchanged(cell, project.path)


READ = {
    "a data file": lambda project: project.write("limits.json", "4"),
    "a file that is opened during the search": lambda project: project.write("late.txt", "x"),
    "a module": lambda project: project.write("fence.py", "x = 1"),
    "a module that is imported during the search": lambda project: project.write("later.py", "x=1"),
    "a module of a library": lambda project: project.write(
        "elsewhere/lib/site-packages/library.py", "x = 1"
    ),
    "a package": lambda project: project.write("parts/__init__.py", "x = 1"),
    "a module in a package": lambda project: project.write("parts/rules.py", "x = 1"),
    "a package before a module": lambda project: project.write("fence/__init__.py", ""),
    "a module before one of Python's": lambda project: project.write("dataclasses.py", ""),
    "a module earlier on the path": lambda project: project.write("earlier/library.py", ""),
    "a module beside one in a package": lambda project: project.write("parts/enum.py", ""),
    "the names in a directory": lambda project: project.write("tables/two", ""),
    "where a link leads": lambda project: relinked(project.path / "own.py", "version-2.py"),
    "what a link leads to": lambda project: project.write("version-1.py", "x = 1"),
}


def relinked(link, target):
    link.unlink()
    link.symlink_to(target)


def test_all_that_a_protocol_reads_decides_on_its_cell(reading):
    project, monkeypatch, unchanged = reading
    before = contents(project.path)
    assert unchanged()
    for name, change in READ.items():
        change(project)
        assert not unchanged(), name
        for path in set(project.path.rglob("*")) - set(before):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        for path, content in before.items():
            if content is not None and not path.is_symlink():
                path.write_bytes(content)
        relinked(project.path / "own.py", "version-1.py")
        assert unchanged(), f"{name}, as it was"
    for value in ("lax", ""):
        monkeypatch.setenv("PROTOCOL_MODE", value)
        assert not unchanged()
    monkeypatch.delenv("PROTOCOL_MODE")
    monkeypatch.setattr(sys, "path", [sys.path[1], sys.path[0], *sys.path[2:]])
    assert not unchanged(), "the order in which modules are looked for"


def contents(folder):
    """Return the content of every file below a directory; None for a directory."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_what_no_protocol_reads_decides_on_nothing(reading):
    project, monkeypatch, unchanged = reading
    for name in ("report.json", "unused.py", "version-2.py", "traces-of-today.txt"):
        project.write(name, "changed")
        assert unchanged(), name
    monkeypatch.setenv("SOME_OTHER_VARIABLE", "changed")
    assert unchanged()


BEYOND = {
    "another process": "import subprocess; subprocess.run(['true'])",
    "the whole environment": "import os; dict(os.environ)",
    "the network": "import socket; socket.socket().connect_ex(('127.0.0.1', 9))",
    "native code": "import ctypes; ctypes.CDLL(None)",
    "a file that changes meanwhile": "with open('unused.txt', 'r+') as file: file.write('changed')",
    "a module that changes meanwhile": "import fence; open('fence.py', 'a').write('# x')",
    "a module in an archive": "import sys; sys.path.insert(0, 'archive.zip'); import zipped",
}


def imported(cell, root, connection):
    """Import a cell's protocol and send whether all is known that it read."""
    watch = Watch(cell, root)
    find_protocol(cell.protocol)
    watch.imported()
    connection.send(watch.inputs().complete)


@pytest.fixture
def is_watched(project):
    """Whether all is known that a protocol reads when it is imported, and such a pass is kept."""
    project.own("own.py")
    project.write("tidegate.toml", TEXT)
    [cell] = read(project.path / "tidegate.toml")
    # What is watched is watched until a process ends.
    context = multiprocessing.get_context("fork")

    def run():
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=imported, args=(cell, project.path, there))
        process.start()
        complete = here.recv()
        process.join()
        names = modules(cell, project.path, search_path(), ())
        passed = CellOutcome(cell, Status.PASSED, inputs=Inputs(complete=complete, modules=names))
        record(passed, project.path)
        assert (recorded(cell, project.path) is not None) == complete
        return complete

    return run


@pytest.mark.parametrize("beyond", BEYOND)
def test_what_cannot_be_watched_is_never_remembered(project, is_watched, beyond):
    source = (project.path / "own.py").read_text()
    project.write("own.py", f"{BEYOND[beyond]}\n{source}")
    project.write("fence.py", "")
    project.write("unused.txt", "")
    with zipfile.ZipFile(project.path / "archive.zip", "w") as archive:
        archive.writestr("zipped.py", "")
    assert not is_watched()
    project.write("own.py", f"import fence, pathlib\npathlib.Path('unused.txt')\n{source}")
    assert is_watched()


def test_bytecode_that_is_older_than_its_source_is_never_remembered(project, is_watched):
    """Python takes bytecode for that of a source of the same size and of the same second."""
    source = (project.path / "own.py").read_text()
    project.write("own.py", f"import fence\n{source}")
    fence = project.write("fence.py", "LIMIT = 3\n")
    os.utime(fence, (1_600_000_000, 1_600_000_000))
    py_compile.compile(str(fence))
    project.write("fence.py", "LIMIT = 4\n")
    os.utime(fence, (1_600_000_000, 1_600_000_000))
    assert not is_watched()
    project.write("fence.py", "LIMIT = 3\n")
    os.utime(fence, (1_600_000_000, 1_600_000_000))
    assert is_watched()


def test_a_pass_that_somebody_else_wrote_is_not_believed(project, monkeypatch, tmp_path):
    project.own("own.py")
    project.write("tidegate.toml", TEXT + TEXT.replace("TypeOk", "HwWithinLog"))
    cell, other = read(project.path / "tidegate.toml")
    for passed in (cell, other):
        names = modules(passed, project.path, search_path(), ())
        record(
            CellOutcome(passed, Status.PASSED, inputs=Inputs(complete=True, modules=names)),
            project.path,
        )
    store, file = Store("gate"), Store("gate").folder / key(cell)
    entry, whole = store.read(key(cell)), file.read_bytes()
    assert json.loads(entry)["inputs"]["complete"]
    with monkeypatch.context() as others:
        others.setenv("XDG_STATE_HOME", str(tmp_path / ".others"))
        assert recorded(cell, project.path) is None
        Store("gate").keep(key(cell), entry)
        assert recorded(cell, project.path) is not None
    assert recorded(cell, project.path) is None, "that was made with another key"
    for forged in (entry, (store.folder / key(other)).read_bytes()):
        file.write_bytes(forged)
        assert recorded(cell, project.path) is None
    file.write_bytes(whole)
    assert recorded(cell, project.path) is not None
