"""A name of 0.1.0 that is gone is answered with what stands for it now."""

import re

import click
import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import COMMANDS, main
from tidegate.library.names import find_protocol
from tidegate.library.successors import SUCCESSORS, successor

FORMER_COMMANDS = ("render", "resume", "rules", "verdicts")
"""Those that 0.1.0 had and this version does not; the other fourteen are there still."""

FORMER_PROTOCOLS = (
    "published/async-isr", "published/hw", "published/kip-101", "published/kip-279",
    "published/kip-320", "published/kip-320-first-try",
)  # fmt: skip


def refused(*arguments):
    """Return the only error of a command line that is wrong, in one line."""
    result = CliRunner(env={"COLUMNS": "300"}).invoke(main, arguments)
    assert result.exit_code == 2, result.output
    [error] = [line for line in result.output.splitlines() if line.startswith("Error: ")]
    return error.removeprefix("Error: ")


def of_kind(pattern):
    return sorted(name for name in SUCCESSORS if re.fullmatch(pattern, name))


@pytest.mark.parametrize("name", FORMER_COMMANDS)
@pytest.mark.parametrize("rest", [[], ["kip-320", "--json"], ["--help"]], ids=str)
def test_a_former_command_names_its_successor(name, rest):
    assert refused(name, *rest) == successor(f"tidegate {name}") != ""


@pytest.mark.parametrize("name", of_kind("tidegate .* --.*"))
def test_a_former_option_names_its_successor(name):
    _, command, option = name.split()
    assert refused(command, "hw", option, "x") == successor(name)
    assert refused(command, f"{option}=x") == successor(name)


@pytest.mark.parametrize("name", FORMER_PROTOCOLS)
def test_a_former_protocol_names_its_successor_and_that_is_the_same_protocol(name):
    for written in (name, name.upper(), f"{name}~may_follow = any_leader"):
        assert refused("check", written) == successor(name)
    _, now = successor(name).removesuffix(" now").split(" is ")
    assert find_protocol(now).declared.removeprefix("published/") == name.partition("/")[2]


@pytest.mark.parametrize("command", ["show", "diff hw", "mutate", "explain", "bounds", "graph"])
def test_every_command_that_takes_a_protocol_names_the_successor(command):
    assert refused(*command.split(), "published/hw") == successor("published/hw")


def test_an_old_trace_and_an_old_gate_name_the_successor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    assert run(main, ["check", "hw", "--json", "loss.json"]).exit_code == 12
    loss = tmp_path / "loss.json"
    loss.write_text(loss.read_text("utf-8").replace('"hw"', '"published/hw"'), "utf-8")
    assert refused("replay", "loss.json") == successor("published/hw")
    case = '[[case]]\nprotocols = ["published/hw"]\nholds = "default"\n'
    (tmp_path / "tidegate.toml").write_text(case, "utf-8")
    result = CliRunner(env={"COLUMNS": "300"}).invoke(main, ["gate"])
    assert result.exit_code == 2
    assert f"tidegate.toml:2: {successor('published/hw')}" in result.output


def test_successors_on_the_command_line_exist():
    """What an error tells people to write: a command, and options of it or of the present one."""
    for name, said in SUCCESSORS.items():
        other = re.search(r"'tidegate (\w+)", said)
        command = other[1] if other else name.split()[1] if " --" in name else ""
        if command:
            assert command in COMMANDS
            assert set(re.findall(r"--[a-z]+", said)) <= set(flags(command)), name


def flags(command):
    """Return the options of a command."""
    context = click.Context(main)
    for parameter in main.get_command(context, command).params:
        yield from parameter.opts


def test_no_former_name_exists():
    for name in SUCCESSORS:
        tool, *words = name.split()
        if len(words) == 1:
            assert words[0] not in COMMANDS
        elif words:
            assert words[1] not in flags(words[0])
        elif tool.startswith("tidegate."):
            assert tool.removeprefix("tidegate.") not in tidegate.__all__
        elif "." in tool:
            owner, _, attribute = tool.partition(".")
            assert not hasattr(getattr(tidegate, owner), attribute)


def test_a_state_is_shown_as_the_successors_of_columns_and_scene_say():
    system = find_protocol("hw").system(find_protocol("hw").within(()), frozenset())
    [state] = system.initial_states()
    assert system.scenes([state])[0].columns


@pytest.mark.parametrize("name", of_kind(r"tidegate\.\w+"))
def test_a_former_export_names_its_successor(name, shell):
    exported = name.removeprefix("tidegate.")
    with pytest.raises(AttributeError, match=re.escape(successor(name))):
        getattr(tidegate, exported)
    shell.write("my.py", f"import tidegate\nfrom tidegate import {exported}\n")
    said = f"my.py cannot be imported: {successor(name)} (my.py:2)"
    assert refused("check", "my.py") == said
    shell.write("my.py", f"import tidegate\n\n\ntidegate.{exported}\n")
    assert f"{successor(name)} (my.py:4)" in refused("check", "my.py")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Expected('', slow=True)", "Expected.slow"),
        ("replace(Expected(''), slow=True)", "Expected.slow"),
        ("print(KIP_320.family)", "Protocol.family"),
        ("replace(KIP_320, family='x')", "Protocol.family"),
        ("Protocol(name='x', family='broker')", "Protocol.family"),
        ("print(SYSTEM.columns(FIRST))", "TransitionSystem.columns"),
        ("print(SYSTEM.scene(FIRST))", "TransitionSystem.scene"),
    ],
)
def test_a_former_field_of_an_exported_class_names_its_successor(line, name, shell):
    begin = (
        "from dataclasses import replace\nfrom tidegate import Expected, Protocol\n"
        "from tidegate.model import KIP_320\n"
        "SYSTEM = KIP_320.system(KIP_320.model.bounds(), frozenset())\n"
        "FIRST = next(SYSTEM.initial_states())\n"
    )
    shell.write("my.py", f"{begin}{line}\n")
    assert refused("check", "my.py") == f"my.py cannot be imported: {successor(name)} (my.py:6)"
    assert name in of_kind(r"[A-Z]\w+\.\w+")


def test_names_that_never_were_are_answered_as_before():
    assert "there is no command 'rulez'" in refused("rulez")
    assert "there is no protocol 'published/kip-595'" in refused("check", "published/kip-595")
    assert refused("graph", "hw", "--vew", "x").startswith("No such option")
    with pytest.raises(AttributeError, match="module 'tidegate' has no attribute 'Famly'"):
        tidegate.Famly  # noqa: B018 - it is read for its error
