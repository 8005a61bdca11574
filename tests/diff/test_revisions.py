"""``tidegate diff`` between git revisions: of a custom protocol, and of Tidegate's model."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.core.errors import unpacked
from tidegate.core.guards import place
from tidegate.diff import revisions

FENCE = """
from dataclasses import replace

from rules import serve
from tidegate.model.broker.protocols.kip320 import KIP_320

FENCE = replace(KIP_320, name="fence", rules=replace(KIP_320.rules, may_serve_fetch=serve))
"""

RULES = '''
def serve(s, k, leader, epoch):
    """Serve whoever is in the leader's own epoch."""
    return epoch {operator} s.replica[leader].epoch
'''


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, ["diff", *arguments])


def flat(text):
    """Return text without line breaks."""
    return " ".join(text.split())


def git(folder, *arguments):
    """Run git in a repository of its own, whatever the machine's configuration says."""
    who = {
        f"GIT_{role}_{what}": "x@y"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True
    )


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Make a repository whose protocol was changed since its only commit, in the file of a rule."""
    folder = tmp_path / "my rules"
    folder.mkdir()
    (folder / "fence.py").write_text(FENCE)
    (folder / "rules.py").write_text(RULES.format(operator="=="))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    (folder / "rules.py").write_text(RULES.format(operator="<="))
    monkeypatch.chdir(folder)
    return folder


def files(folder):
    """Return every file of a directory with its content, those of git included."""
    return {
        p: p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.suffix != ".pyc"
    }


def test_an_own_protocol_is_compared_with_a_revision_and_nothing_is_touched(repository):
    before = files(repository.parent)
    bounds = ["-b", "records=1", "-b", "crashes=0", "-b", "moves"]
    result = run("fence.py@HEAD", "fence.py", *bounds)
    assert result.exit_code == 0, result.output
    told = flat(result.output)
    assert "fence.py@HEAD: serve fence.py: serve" in told
    assert "-return epoch == s.replica[leader].epoch +return epoch <=" in told
    assert "that only fence.py reaches" in told
    assert "may_serve_fetch is serve there" in told
    assert "tidegate-revision" not in told
    assert files(repository.parent) == before


def test_a_file_is_found_from_another_directory_by_its_whole_path(
    repository, tmp_path_factory, monkeypatch
):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    path = str(repository / "fence.py")
    result = run(f"{path}@HEAD", "kip-320", "-b", "records=1", "-b", "crashes=1")
    assert result.exit_code == 0, result.output
    assert "the same states" in flat(result.output)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("fence.py@nowhere", "has no such revision; name a commit, a branch or a tag"),
        ("nothing.py@HEAD", "nothing.py@HEAD: nothing.py: cannot be read"),
        ("fence.py:OTHER@HEAD", "OTHER does not exist"),
        ("fence.py~nothing@HEAD", "has no mutant 'nothing'"),
        ("rules:FENCE@HEAD", "only a built-in protocol, or one that is named by its file"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_is_not_there_gets_one_clear_error(name, message):
    result = run(name, "kip-320")
    assert result.exit_code == 2
    assert message in flat(result.output)
    assert "Traceback" not in result.output


def test_outside_a_repository_there_are_no_revisions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "fence.py").write_text(FENCE)
    result = run("fence.py@HEAD", "kip-320")
    assert result.exit_code == 2
    assert "not a git repository" in flat(result.output)


@pytest.mark.parametrize("installed_within", [True, False])
def test_an_installed_copy_says_that_a_built_in_protocol_needs_a_clone(
    tmp_path, monkeypatch, installed_within
):
    """Whatever repository the environment stands in: that of a user has no Tidegate."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setattr(revisions, "PACKAGE", tmp_path)
    if installed_within:
        git(tmp_path, "init", "-q")
    result = run("kip-320@HEAD~1", "kip-320")
    assert result.exit_code == 2
    assert "only where Tidegate runs from a clone of its repository" in flat(result.output)
    assert "name a commit" not in result.output


def test_code_that_fails_at_a_revision_is_said_to(repository):
    (repository / "fence.py").write_text("raise ValueError('not yet')")
    git(repository, "commit", "-q", "-a", "-m", "two")
    result = run("fence.py@HEAD", "kip-320")
    assert result.exit_code == 2
    assert "fence.py cannot be imported: ValueError: not yet" in flat(result.output)


def test_code_that_is_installed_from_the_checkout_is_not_taken_for_that_of_the_revision(
    repository, tmp_path, monkeypatch
):
    """In a src layout, installed for development, an import finds the working tree."""
    source = tmp_path / "src" / "installed_rules"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text(RULES.format(operator="=="))
    (source / "fence.py").write_text(FENCE.replace("from rules", "from installed_rules"))
    (repository / "fence.py").write_text(FENCE.replace("from rules", "from installed_rules"))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "two")
    monkeypatch.syspath_prepend(str(source.parent))
    result = run("fence.py@HEAD", "kip-320", "-b", "records=1")
    assert result.exit_code == 2
    assert "was imported as it is now, not as it was at the revision" in flat(result.output)


@pytest.fixture
def model(tmp_path, monkeypatch):
    """Make a repository of Tidegate's model; return what changes it in one more commit."""
    package = tmp_path / "tidegate"
    shutil.copytree(
        revisions.PACKAGE / "model", package / "model", ignore=shutil.ignore_patterns("*.pyc")
    )
    monkeypatch.setattr(revisions, "PACKAGE", package)
    git(package, "init", "-q")

    def commit(file, old, new):
        text = (package / file).read_text()
        assert old in text
        (package / file).write_text(text.replace(old, new))
        git(package, "add", ".")
        git(package, "commit", "-q", "-m", "one")
        (package / file).write_text(text)

    return commit


def test_a_built_in_protocol_is_compared_with_a_revision(model):
    model(
        "model/broker/protocols/kip320.py",
        "return s.replica[leader].epoch == epoch",
        "return s.replica[leader].epoch >= epoch",
    )
    bounds = ["-b", "records=1", "-b", "crashes=0", "-b", "moves"]
    known = set(sys.modules)
    result = run("kip-320@HEAD", "kip-320", *bounds)
    assert result.exit_code == 0, result.output
    told = flat(result.output)
    assert "return s.replica[leader].epoch >= epoch" in told
    assert "that only kip-320@HEAD reaches" in told
    assert "model/broker/actions/leader.py:" in told
    assert "tidegate-revision" not in told
    assert not [name for name in set(sys.modules) - known if "revision_" in name]
    for name, message in (
        ("kip-32@HEAD", "no protocol 'kip-32' at that revision; did you mean kip-320?"),
        ("kip-320@nowhere", "has no such revision"),
        ("@HEAD", "there is no protocol ''"),
    ):
        result = run(name, "kip-320")
        assert (result.exit_code, message in flat(result.output)) == (2, True), result.output


def test_a_line_of_a_revision_is_named_by_it(model):
    model("model/broker/protocols/every.py", "The protocols", "These are the protocols")
    with revisions.opened("kip-320@HEAD") as protocol:
        named = place(protocol.actions[0].apply)
    assert re.fullmatch(r"model/broker/actions/\w+\.py@HEAD:\d+", named)
    assert not unpacked


def test_a_model_that_needs_another_tidegate_is_said_to(model):
    every = "model/broker/protocols/every.py"
    model(every, "protocol import Protocol", "protocol import Family")
    result = run("kip-320@HEAD", "kip-320")
    assert result.exit_code == 2
    assert "is written for another Tidegate (cannot import name 'Family'" in flat(result.output)
