"""What the documentation shows is what the program does."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.commands import excerpt
from tests.docs.pages import blocks
from tests.docs.readme import with_excerpts, without_seconds
from tests.published import ASYNC_ISR, PUBLISHED
from tidegate.cli import main
from tidegate.library.names import find_protocol
from tidegate.model import PROTOCOLS

ROOT = Path(__file__).parents[2]
README, COMMAND_LINE = ((ROOT / name).read_text() for name in ("README.md", "docs/command-line.md"))


def without_time(text):
    """Return text without trailing spaces, and without what differs from run to run."""
    lines = (line.rstrip() for line in text.strip().splitlines())
    return re.sub(r"\d+\.\d s\.", "N s.", "\n".join(lines))


def test_the_output_in_the_readme_is_real(tmp_path):
    assert without_seconds(with_excerpts(README, tmp_path)) == without_seconds(README)
    assert len(blocks(README, "text")) == README.count("\n$ tidegate ") == 3


def test_the_readme_is_read_in_minutes():
    assert len(README.splitlines()) <= 140


def test_the_model_in_the_readme_breaks_its_promise_as_it_says(tmp_path, monkeypatch):
    [code] = blocks(README, "python")
    monkeypatch.chdir(tmp_path)
    Path("lock.py").write_text(code)
    result = CliRunner().invoke(main, ["check", "lock.py"])
    assert "Exclusive is violated after 4 steps" in " ".join(result.output.split())
    assert "holders {0, 1}" in result.output


def test_the_json_on_the_page_has_the_fields_and_numbers_of_a_report():
    [shown] = [json.loads(block) for block in blocks(COMMAND_LINE, "json")]
    report = json.loads(CliRunner().invoke(main, ["check", "kip-101", "--json", "-"]).stdout)
    assert set(shown) <= set(report)
    for name in ("distinct_states", "generated_states", "depth", "outcome", "exact", "complete"):
        assert shown[name] == report[name]
    assert shown["actions"]["Produce"] == report["actions"]["Produce"]


def commands(text):
    """Return the tidegate commands that a text shows in shell blocks."""
    lines = [
        shlex.split(line, comments=True)
        for block in blocks(text, "sh")
        for line in block.splitlines()
    ]
    return [line[1:] for line in lines if line[:1] == ["tidegate"]]


TRACES = (ROOT / "docs" / "traces.md").read_text()
DIFF, EXPLAIN, EVENTUALLY = (
    (ROOT / "docs" / name).read_text() for name in ("diff.md", "explain.md", "eventually.md")
)

PAGES = [README, TRACES, DIFF, EXPLAIN, EVENTUALLY]
"""Revisions of an own file are tried where there is one; see tests/diff/test_revisions.py.

Real brokers are tried in tests/brokers.
"""

ELSEWHERE = re.compile("@|--kafka")


def outputs(page):
    """Return the commands whose output a page shows, with that output."""
    found = [block.split("\n", 1) for block in blocks(page, "text") if block.startswith("$ ")]
    return [pytest.param(*it, id=it[0]) for it in found]


COMPARED = (ROOT / "tests" / "docs" / "outputs.md").read_text()

OUTPUTS = [param for page in (DIFF, EXPLAIN, EVENTUALLY, COMPARED) for param in outputs(page)]

SHOWN = [shlex.split(it.values[0])[2:] for it in OUTPUTS]
"""These run below, to their end."""


@pytest.mark.parametrize(
    "arguments",
    [
        it
        for page in PAGES
        for it in commands(page)
        if it not in SHOWN and not ELSEWHERE.search(" ".join(it))
    ],
    ids=" ".join,
)
def test_every_command_on_these_pages_runs(arguments, tmp_path, monkeypatch):
    """Searches are cut short: what counts here is that the command is right."""
    monkeypatch.chdir(tmp_path)
    if arguments[0] in ("check", "diff"):
        arguments = [*arguments, "--max-states", "3000"]
    if arguments[0] == "diff" and "-b" not in arguments:
        # It looks for bounds that tell the two apart, which takes long.
        arguments = [*arguments, "-b", "records=1"]
    if arguments[0] == "mutate":
        arguments = [it.replace("records=1", "records=0") for it in arguments]
    if arguments[0] == "simulate":
        arguments = [*arguments, "--walks", "2", "--jobs", "1"]
    if arguments[0] == "replay" or arguments[-1] == "divergence.json":
        CliRunner().invoke(main, ["check", "hw", "--json", arguments[1]])
    if "--resume" in arguments:
        CliRunner().invoke(main, ["check", "hw", "--checkpoint", arguments[2]])
    if "two_phase.py" in arguments and arguments[0] == "check":
        CliRunner().invoke(main, ["init", "--model", "two_phase.py"])
    if arguments[0] == "gate":
        CliRunner().invoke(main, ["init"])
        arguments = [*arguments, "-k", "the gate sees"]
    if arguments[0] == "explore":
        arguments = [*arguments, "--help"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (0, 3, 12, 13), result.output


@pytest.mark.parametrize(("command", "shown"), OUTPUTS)
def test_the_output_on_these_pages_is_real(command, shown):
    """What each KIP changed, in words; when this fails, read the new ones before you regenerate."""
    result = CliRunner(env={"COLUMNS": "100"}).invoke(main, shlex.split(command)[2:])
    assert result.exit_code == 0
    lines = excerpt(shown.splitlines(), result.output.splitlines())
    assert without_time("\n".join(lines)) == without_time(shown)


def test_every_picture_that_is_shown_is_there():
    shown = re.findall(r"!\[.*?\]\((.*?)\)", TRACES)
    assert len(shown) == 2
    for name in shown:
        assert (ROOT / "docs" / name).stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.browser
def test_the_pictures_can_be_made_anew(tmp_path):
    if not shutil.which("chromium") and os.environ.get("TIDEGATE_REQUIRE_BROWSER") != "1":
        pytest.skip("pictures need chromium")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    command = ["sh", str(ROOT / "scripts" / "pictures"), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"loss.png", "explore.png"}


def test_the_exit_status_table_of_the_page_is_that_of_the_help():
    shown = CliRunner().invoke(main, ["--help"]).output
    for status, meaning in re.findall(r"^\| (\d+) \| (.*) \|$", COMMAND_LINE, re.MULTILINE):
        assert re.search(rf"^\s*{status}\s+{re.escape(meaning.replace('`', ''))}$", shown, re.M)


def test_every_action_is_described():
    """By the reference, or where `tidegate show` gets its words from."""
    text = (ROOT / "docs" / "reference" / "actions.md").read_text()
    for protocol in PROTOCOLS:
        assert all(f"\n## {action.name}\n" in text for action in protocol.actions)
    for protocol in [*PUBLISHED, find_protocol(ASYNC_ISR)]:
        assert all(action.apply.__doc__ for action in protocol.actions)


@pytest.fixture(scope="module")
def with_half_fence(tmp_path_factory):
    """Follow CONTRIBUTING in a copy of the project; return what runs a command of the copy."""
    beside = tmp_path_factory.mktemp("copy")
    root = beside / "tidegate"
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.txt",
         "tidegate.toml"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split():  # fmt: skip
        if not name.startswith("tests/") and (ROOT / name).exists():
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text((ROOT / name).read_text())
    [source] = blocks((ROOT / "docs" / "gate.md").read_text(), "python")
    source = source.replace("from tidegate.model import", "from .kip320 import")
    source = source.replace("    rules=", "    summary='Half.',\n    story=__doc__,\n    rules=")
    file = root / "model/broker/protocols/half_fence.py"
    file.write_text(f'"""KIP-320 with half a fence."""\n{source}')
    registry = root / "model/broker/protocols/every.py"
    text = registry.read_text()
    text = text.replace("KIP_595_RESET)\n", "KIP_595_RESET, HALF_FENCE)\n", 1)
    text = text.replace("from .hw ", "from .half_fence import HALF_FENCE\nfrom .hw ", 1)
    registry.write_text(text)

    def run(*arguments, begin="from tidegate.cli import main; main()"):
        launch = LAUNCH.format(path=str(beside), tests=str(ROOT), begin=begin)
        command = [sys.executable, "-c", launch, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        return " ".join(result.stdout.split())

    return run


def test_a_protocol_takes_one_file_and_one_line(with_half_fence):
    """It can be listed, shown and checked."""
    assert "half-fence" in with_half_fence("list")
    shown = with_half_fence("show", "half-fence")
    assert "KIP-320 with half a fence" in shown
    assert "serve_up_to_own_epoch" in shown
    result = with_half_fence("check", "half-fence", "-b", "records=1", "--debug")
    assert "HOLDS half-fence" in result


def test_a_new_protocol_is_mutated_by_itself(with_half_fence):
    """The rule that it replaces is undone, and every guard left out; notes are the family's."""
    result = with_half_fence(
        "mutate", "half-fence", "--within", "records=0 crashes=1", "--jobs", "1"
    )
    assert "may_serve_fetch = serve_same_epoch" in result
    assert "killed Elect: s.partition.epoch == k.elections" in result
    assert "- RefuseRequest: s.replica[follower].leader != leader: drops a request" in result


@pytest.mark.slow
def test_a_new_protocol_gets_its_column_on_the_page_of_verdicts(with_half_fence, tmp_path):
    page = tmp_path / "verdicts.md"
    chosen = ("--protocol", "half-fence", "--scenario", "noticed, 3")
    write = "from tests.docs.verdicts import write; write(sys.argv[1:])"
    with_half_fence(*chosen, "--output", str(page), "--jobs", "1", begin=write)
    assert "| | half-fence |" in page.read_text()


LAUNCH = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in str(f)]
sys.path[:] = [{path!r}] + [p for p in sys.path if "__editable__" not in p] + [{tests!r}]
import tidegate
assert tidegate.__file__.startswith({path!r}), tidegate.__file__
{begin}
"""
"""Runs the copy, not the installed project."""
