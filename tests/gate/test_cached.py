"""``--cached`` skips a cell that passed, and only while nothing that decides on it has changed."""

import pytest

from tidegate.checker.kept import Store

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
