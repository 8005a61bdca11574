"""Whatever somebody else wrote, what is printed of it is text: nothing acts, and nothing hides."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
from click.testing import CliRunner

from tidegate import cli
from tidegate.cli import main
from tidegate.core.errors import inert, one_line, printable
from tidegate.render.console import Console, Text
from tidegate.render.terminal import say

NASTY = (
    "\x1b]0;x\x07\x1b[2J\x9b31m\r\x00\u202eevil\u2066\u2028\ud800\ufffe[red][/nothing]\n::error::x"
)
"""Controls of C0 and C1, bidirectional ones, a line separator, half a pair, markup, a command."""

ARGUMENT = NASTY.replace("\x00", "").replace("\ud800", "\udcff")
"""The same as far as it can be an argument or the name of a file; a byte of it is no UTF-8."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufffe]"
)
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)


def assert_plain(output):
    """Refuse output that a terminal or the log of CI would act on."""
    assert not HIDDEN.search(output), ascii(output)
    assert not COMMAND.search(output), output


OWN = f"""
from dataclasses import replace

from tidegate.model.broker.protocols.hw import HW

NASTY = {NASTY!a}
named = tuple(replace(it, name=NASTY + it.name, source=NASTY, who=NASTY) for it in HW.actions)
OWN = replace(HW, name="own", parent=HW, summary=NASTY, story=NASTY, actions=named)
"""

RAISES = f"""
from dataclasses import replace

from tidegate.model.broker.protocols.hw import HW


def serve(s, k, leader, epoch):
    raise ValueError({NASTY!a})


OWN = replace(HW, name="own", parent=HW, rules=replace(HW.rules, may_serve_fetch=serve))
"""


REPORTS = {
    "--junit": "gate.xml",
    "--sarif": "gate.sarif",
    "--json": "gate.json",
    "--summary": "gate.md",
}


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty directory, which is the present one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def own(here):
    """Write a protocol in which every name and text is an attack."""
    (here / "own.py").write_text(OWN)


SMALL = ["-b", "records=1", "-p", "NoAckedRecordLost"]
"""Bounds within which hw violates a property after few states."""

COMMANDS = [
    ["check", "own.py", *SMALL],
    ["check", "own.py", *SMALL, "--full"],
    ["show", "own.py"],
    ["show", "own.py", "--json"],
    ["explain", "own.py", "-p", "TypeOk"],
    ["simulate", "own.py", "--walks", "20"],
    ["graph", "own.py", "-b", "records=0"],
    ["graph", "own.py", "-b", "records=0", "--farthest"],
    ["diff", "hw", "own.py", "-b", "records=0", "--max-states", "100"],
]


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_names_and_texts_of_a_protocol_are_only_text(arguments):
    result = run(*arguments)
    assert result.exit_code in (0, 1, 2, 3, 12), result.output
    assert_plain(result.output)


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_the_help_of_every_command_is_text(command):
    result = run(command, "--help")
    assert result.exit_code == 0, result.output
    assert_plain(result.output)


@pytest.mark.usefixtures("own")
def test_actions_are_known_by_what_is_printed_of_them():
    """So their traces can be written in every form, and be replayed."""
    assert (
        run("check", "own.py", *SMALL, "--json", "loss.json", "--html", "loss.html").exit_code == 12
    )
    result = run("replay", "loss.json", "--protocol", "own.py")
    assert result.exit_code == 0, result.output
    assert one_line(NASTY) + "Crash" in "".join(result.output.split())
    forms = ("html", "markdown", "mermaid", "tla", "itf")
    options = [option for form in forms for option in (f"--{form}", f"out.{form}")]
    assert run("replay", "loss.json", "--protocol", "own.py", *options).exit_code == 0
    for path in (Path("loss.html"), *(Path(f"out.{form}") for form in forms)):
        text = path.read_bytes().decode("utf-8")
        assert not HIDDEN.search(text)
        assert "Crash" in text


@pytest.mark.usefixtures("own")
def test_an_exported_graph_of_a_protocol_with_such_names_is_well_formed():
    options = ["--graphml", "out.graphml", "--dot", "out.dot", "--json", "out.json"]
    result = run("graph", "own.py", "-b", "records=0", *options)
    assert result.exit_code == 0, result.output
    back = nx.read_graphml("out.graphml")
    assert back.number_of_nodes() == len(json.loads(Path("out.json").read_text())["nodes"]) > 1
    for path in (Path("out.graphml"), Path("out.dot"), Path("out.json")):
        text = path.read_bytes().decode("utf-8")
        assert not HIDDEN.search(text)
        assert "Crash" in text


@pytest.fixture(scope="module")
def loss(tmp_path_factory):
    """Return a trace of hw."""
    path = tmp_path_factory.mktemp("loss") / "loss.json"
    assert run("check", "hw", *SMALL, "--json", str(path)).exit_code == 12
    return path.read_text()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("field", ["protocol", "property", "action", "argument", "bound", "value"])
@pytest.mark.parametrize("command", [["replay"], ["explain"], ["replay", "--tla", "-"]], ids=str)
def test_names_in_a_trace_are_only_text(loss, field, command):
    document = json.loads(loss)
    meta, step = document["trace"]["#meta"], document["trace"]["states"][1]["#meta"]
    if field in ("protocol", "property"):
        meta[field] = NASTY
    elif field == "action":
        step["action"] = NASTY
    elif field == "argument":
        step["arguments"] = {NASTY: 0}
    else:
        meta["bounds"] = {NASTY: "1"} if field == "bound" else {"records": NASTY}
    Path("loss.json").write_text(json.dumps(document))
    result = run(command[0], "loss.json", *command[1:])
    assert result.exit_code == 2
    assert_plain(result.output)
    assert "evil" in result.output
    assert len(result.output.splitlines()) in (1, 2)


@pytest.mark.parametrize("command", ["check", "gate"])
def test_the_text_of_an_exception_is_only_text(here, command):
    (here / "own.py").write_text(RAISES)
    (here / "tidegate.toml").write_text("[[case]]\nprotocols = 'own.py'\nholds = 'default'\n")
    arguments = {
        "check": ["check", "own.py"],
        "gate": ["gate", *(part for option in REPORTS.items() for part in option)],
    }[command]
    result = run(*arguments)
    assert result.exit_code == 70
    assert_plain(result.output)
    assert r"\u001b[2J\u009b31m\r\u0000\u202eevil" in result.output
    assert (result.stderr if command == "check" else result.output).count("::error") == 1
    for path in here.glob("gate.*"):
        assert not HIDDEN.search(path.read_bytes().decode("utf-8")), path
        assert "evil" in path.read_text("utf-8")
    assert len(list(here.glob("gate.*"))) == (4 if command == "gate" else 0)


@pytest.mark.usefixtures("here")
def test_a_gate_s_file_is_quoted_as_text():
    """Also a NUL, which a terminal does not show and a log may end at."""
    keys = "".join(f'"{c}" = 1\n' for c in (r"\u0000", r"\u001b[2J", r"\u202e", r"\n::error::x"))
    text = f'[[case]]\nprotocols = "\\u0000\\u001b.py"\nholds = "default"\n{keys}'
    Path("tidegate.toml").write_text(text)
    result = run("gate")
    assert result.exit_code == 2
    assert_plain(result.output)
    assert "has 5 configuration errors:\n  tidegate.toml:2: " in result.output
    Path("tidegate.toml").write_text(text.removesuffix(keys))
    for arguments in (["gate", "--list"], ["gate"]):
        result = run(*arguments)
        assert_plain(result.output)
        assert r"\u0000\u001b.py" in result.output


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "command",
    ["check {}", "show {}", "replay {}", "resume {}", "graph hw {}", "check hw --{}", "{}", "--{}",
     "check hw --engine {}", "check hw -b {}", "gate --config {}", "diff hw hw@{}", "check {}.py",
     "check {0}:{0}", "check hw~{}", "graph hw -b records=0 --to {}"],
)  # fmt: skip
def test_arguments_and_names_of_files_are_only_text(command):
    result = run(*(part.format(ARGUMENT) for part in command.split()))
    assert result.exit_code == 2
    assert_plain(result.output)


def test_a_protocol_whose_name_is_no_text_is_refused(here):
    """A file may be called by any bytes, and reports hold text; a directory is not in its name."""
    Path("\udcff").mkdir()
    Path("own\udcff.py").write_text(OWN)
    Path("\udcff/own.py").write_text(OWN)
    tidegate = [sys.executable, "-m", "tidegate"]
    done = subprocess.run([*tidegate, "check", "own\udcff.py"], capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: own\\udcff.py: the name of a protocol appears in ")
    assert done.stderr.count(b"\n") == 1
    checked = [*tidegate, "check", "own.py", *SMALL, "--json", "loss\udcff.json"]
    done = subprocess.run(checked, cwd="\udcff", capture_output=True, check=False)
    assert done.returncode == 12
    assert Path("\udcff/loss\udcff.json").is_file()


def test_output_in_another_encoding_stops_nothing(here):
    (here / "trace.json").write_text("{}")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "COLUMNS": "100"}
    command = [sys.executable, "-m", "tidegate", "check", "hw", "-b", "records=1"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 12, done.stderr
    done.stdout.decode("ascii")


def test_a_line_is_one_line_and_no_command(capsys):
    say(NASTY)
    say("  ::error::y")
    say("x ##[add-path]/evil", stderr=True)
    printed = capsys.readouterr()
    assert_plain(printed.out + printed.err)
    assert printed.out.count("\n") == 2


def test_rich_prints_text_only(capsys):
    """In strings and in texts, by themselves and in tables, before they are laid out."""
    from rich.table import Table

    console = Console(width=40)
    table = Table(NASTY, "plain")
    table.add_row(NASTY, Text.assemble((NASTY, "bold"), NASTY))
    for renderable in (NASTY, Text(NASTY), Text("x").append(NASTY), table):
        console.print(renderable)
    printed = capsys.readouterr().out
    assert_plain(printed)
    assert "[red]" in "".join(printed.split())
    assert max(map(len, printed.splitlines())) <= 40


def test_a_terminal_gets_no_control_that_is_not_ours(here):
    (here / "own.py").write_text(OWN)
    primary, secondary = pty.openpty()
    command = [sys.executable, "-m", "tidegate", "check", "own.py", *SMALL]
    process = subprocess.Popen(command, stdout=secondary, stderr=secondary)
    os.close(secondary)
    printed = b""
    try:
        while part := os.read(primary, 65536):
            printed += part
    except OSError:
        pass
    process.wait()
    os.close(primary)
    # Colours, the spinner's cursor, and the ends of lines are ours.
    ours = re.sub(
        r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[0-9]*[AK]|\x1b\[2K|\r", "", printed.decode()
    )
    assert_plain(ours)
    assert "evil" in ours


@pytest.mark.parametrize(
    "char", ["\x00", "\x1b", "\x7f", "\x85", "\u202e", "\u2069", "\ud800", "\uffff"]
)
def test_a_character_that_does_not_show_is_written_out(char):
    written = f"a\\u{ord(char):04x}b"
    assert one_line(f"a{char}b") == printable(f"a{char}b") == written
    assert json.loads(f'"{written}"') == f"a{char}b"


def test_text_that_shows_stays():
    for text in ("naïve 日本語 Ελλάδα עברית 🎉", "a b\u00a0c", "C:\\x1b"):
        assert one_line(text) == printable(text) == inert(text) == text
    assert printable("a\tb\nc") == "a\tb\nc"
    assert one_line("a\tb\nc\r") == r"a\tb\nc\r"
