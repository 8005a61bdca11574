"""What the pages on the gate show can be used as it is shown."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import tidegate
from tests.docs.pages import blocks
from tidegate.cli import main
from tidegate.gate.document import CASE, CONFORM, read
from tidegate.gate.results import STATUSES

ROOT = Path(__file__).parents[2]
GATE = (ROOT / "docs" / "gate.md").read_text()
CI = (ROOT / "docs" / "ci.md").read_text()


COMMANDS = [
    shlex.split(line, comments=True)[1:]
    for block in blocks(GATE, "sh")
    for line in block.splitlines()
]


def named(arguments):
    """Return a command as a parameter; all of a nightly tier is for the slow tests."""
    marks = [pytest.mark.slow] if "nightly" in arguments else []
    return pytest.param(arguments, id=" ".join(arguments), marks=marks)


@pytest.mark.parametrize("arguments", [named(it) for it in COMMANDS])
def test_every_command_of_the_page_runs_in_a_new_project(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "gate":
        CliRunner().invoke(main, ["init"])
        if "-k" not in arguments:
            arguments = [*arguments, "-k", "the gate sees"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output


def test_the_file_on_the_page_passes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, _ = blocks(GATE, "toml")
    (tmp_path / "tidegate.toml").write_text(text)
    assert len(read(Path("tidegate.toml"))) == 5
    result = CliRunner().invoke(main, ["gate"])
    assert result.exit_code == 0, result.output


def test_conform_cases_on_the_page_are_read(tmp_path):
    """tests/brokers/test_gate.py runs them on real brokers."""
    text = blocks(GATE, "toml")[-1]
    (tmp_path / "tidegate.toml").write_text(text)
    cells = read(tmp_path / "tidegate.toml")
    assert len(cells) == text.count("[[conform]]") > 0


def test_the_protocol_on_the_page_can_be_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [source] = blocks(GATE, "python")
    (tmp_path / "half_fence.py").write_text(source)
    result = CliRunner().invoke(main, ["check", "half_fence.py:HALF_FENCE", "-b", "records=1"])
    assert result.exit_code == 0, result.output


def test_every_key_and_every_status_is_on_the_page():
    assert [key for key in [*CASE, *CONFORM] if f"`{key}`" not in GATE] == []
    assert [status for status in STATUSES if f"`{status}`" not in GATE] == []


def test_every_option_of_a_report_is_on_the_page():
    for option in ("--junit", "--sarif", "--json", "--summary", "--traces", "--jobs", "--quiet"):
        assert option in GATE


ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
[HOOK] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())


def test_the_hook_runs_in_a_new_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(main, ["init"])
    command, *arguments = shlex.split(HOOK["entry"])
    assert command == "tidegate"
    result = CliRunner().invoke(main, [*arguments, "-k", "the gate sees"])
    assert result.exit_code == 0, result.output
    changed = ("tidegate.toml", "my_protocol.py", "rules/fence.py")
    assert all(re.search(HOOK["files"], name) for name in changed)
    assert not re.search(HOOK["files"], "README.md")


def test_actions_of_others_are_pinned_to_a_commit():
    used = re.findall(r"uses: (\S+)(.*)", (ROOT / "action.yml").read_text() + CI)
    others = [name + rest for name, rest in used if not name.startswith("./")]
    assert len(others) == 5
    assert [it for it in others if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", it)] == []


def test_a_clone_where_the_page_puts_it_is_not_imported(tmp_path):
    [folder] = re.findall(r"git submodule add \S.*\" (\S+)$", CI, re.MULTILINE)
    assert f"uses: ./{folder}\n" in CI
    used = Path(tidegate.__file__).parent
    for clone, imported in ((folder, used), ("tidegate", tmp_path / "tidegate")):
        (tmp_path / clone).mkdir(parents=True)
        (tmp_path / clone / "__init__.py").touch()
        command = [sys.executable, "-c", "import tidegate; print(tidegate.__file__)"]
        shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert Path(shown.stdout.strip()).parent == imported


def test_the_action_is_one():
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "uses" in step or step["shell"] == "bash"
        # What a user gives reaches a script by its environment only, and is no script itself.
        assert "${{" not in step.get("run", "")
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])


def test_the_inputs_of_the_action_are_on_the_page():
    shown = dict(re.findall(r"^\| `([\w-]+)` \| (?:`([^`]+)` )?\|", CI, re.MULTILINE))
    assert shown == {name: it["default"] for name, it in ACTION["inputs"].items()}


def run_step(name, folder, path, given):
    """Run a shell step of the action as GitHub does: the exit status, and what it printed."""
    [step] = [it for it in ACTION["runs"]["steps"] if it.get("name") == name]
    assert set(step.get("env", {})) <= set(given)
    known = {name: value for name, value in os.environ.items() if "GITHUB" not in name}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**known, **given, "PATH": f"{path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def gate_of(tmp_path, number):
    """Write a gate of one case of the template, and return what the action is given."""
    CliRunner().invoke(main, ["init", str(tmp_path)])
    # With a name of a file that would be a script if it were pasted in.
    config = tmp_path / "$(touch broken).toml"
    case = (tmp_path / "tidegate.toml").read_text().split("[[case]]")[number]
    config.write_text(f"[[case]]{case}")
    reports = {"REPORTS": str(tmp_path / "reports")}
    return {"CONFIG": config.name, "TIER": "pr", "CACHED": "true", **reports}


REPORTS = {"gate.xml", "gate.sarif", "gate.json", "traces"}


def test_the_step_of_the_action_runs(tmp_path):
    given = gate_of(tmp_path, 3)
    status, printed = run_step("tidegate gate", tmp_path, Path(sys.executable).parent, given)
    assert status == 0, printed
    assert {it.name for it in (tmp_path / "reports").iterdir()} == REPORTS
    assert not (tmp_path / "broken").exists()


@pytest.mark.slow
def test_the_action_installs_and_runs_the_gate_and_fails_with_it(tmp_path):
    """In an environment that has Python and nothing else, from a clone as a submodule is one."""
    clone, environment = tmp_path / "tidegate", tmp_path / "environment"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    given = {**gate_of(tmp_path, 3), "GITHUB_ACTION_PATH": str(clone)}
    status, printed = run_step("Install Tidegate", tmp_path, environment / "bin", given)
    assert status == 0, printed
    status, printed = run_step("tidegate gate", tmp_path, environment / "bin", given)
    assert status == 0, printed
    config = tmp_path / given["CONFIG"]
    config.write_text(config.read_text().replace("NoCommittedRecordLost = 5", "TypeOk = 5"))
    status, printed = run_step("tidegate gate", tmp_path, environment / "bin", given)
    assert status != 0, printed
    assert {it.name for it in (tmp_path / "reports").iterdir()} == REPORTS


@pytest.mark.parametrize("text", blocks(CI, "yaml"), ids=["github", "pre-commit", "gitlab"])
def test_the_examples_are_yaml_that_runs_the_gate(text):
    document = yaml.safe_load(text)
    if "jobs" in document:
        [_, step] = document["jobs"]["gate"]["steps"]
        assert set(step["with"]) <= set(ACTION["inputs"])
    elif "repos" in document:
        [repo] = document["repos"]
        assert repo["hooks"] == [{"id": HOOK["id"]}]
    else:
        [command] = [it for it in document["protocol"]["script"] if it.startswith("tidegate")]
        shown = CliRunner().invoke(main, ["gate", "--help"]).output
        assert all(option in shown for option in re.findall(r"--\w+", command))


def test_jenkins_runs_options_that_there_are():
    [pipeline] = blocks(CI, "groovy")
    assert pipeline.count("{") == pipeline.count("}")
    shown = CliRunner().invoke(main, ["gate", "--help"]).output
    [command] = re.findall(r"tidegate gate ([^']*)'", pipeline)
    assert all(option in shown for option in re.findall(r"--\w+", command))
