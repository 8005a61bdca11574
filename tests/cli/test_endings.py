"""Exit status 0 is for a command that has said what it found; whatever else ends it is an error."""

import os
import signal

import click
import pytest
from click.testing import CliRunner

from tests.cli.conftest import children, runs, wait_until
from tidegate.cli import main

EXITS = {
    "SystemExit(0)": "raise SystemExit(0)",
    "sys.exit()": "import sys\nsys.exit()",
    "another BaseException": "raise BaseException('no')",
    "click's Exit": "import click\nraise click.exceptions.Exit(0)",
}

COMMANDS = {
    "check": ["check", "own.py", "--json", "report.json"],
    "diff": ["diff", "tidegate.examples.async_isr:async_isr", "own.py", "--json", "report.json"],
    "simulate, two jobs": ["simulate", "own.py", "--jobs", "2", "--json", "report.json"],
    "mutate": ["mutate", "own.py", "--jobs", "2", "-p", "TypeOk"],
}


@pytest.mark.parametrize("body", EXITS.values(), ids=EXITS)
def test_a_rule_that_ends_the_process_never_makes_a_search_end_with_0(shell, body):
    shell.own(body)
    result = CliRunner().invoke(main, COMMANDS["check"])
    assert result.exit_code == 70, result.output
    assert "own.py:1" in result.output.replace("\n", "")
    assert shell.names() == {"own.py"}, "no report of what was not found out"


@pytest.mark.parametrize("command", ["diff", "simulate, two jobs"])
def test_a_rule_that_ends_the_process_makes_a_command_end_with_70(shell, command):
    """As the processes that they are; tests/cli/test_model_failures.py calls every command."""
    shell.own(EXITS["SystemExit(0)"])
    done = shell.run(*COMMANDS[command])
    assert done.returncode == 70, done.output
    assert "SystemExit: 0" in done.errors
    assert "own.py:10" in done.errors
    assert shell.names() == {"own.py"}


DEATHS = {
    "os._exit(0)": ("outside('import os; os._exit(0)')\nreturn False", "ended with status 0"),
    "kill -9": (
        "outside('import os; os.kill(os.getpid(), 9)')\nreturn False",
        "ended with signal 9",
    ),
}


@pytest.mark.parametrize("command", ["simulate, two jobs", "mutate"])
@pytest.mark.parametrize(("body", "said"), DEATHS.values(), ids=DEATHS)
def test_a_worker_that_dies_ends_the_command_with_70(shell, command, body, said):
    shell.own(body)
    done = shell.run(*COMMANDS[command])
    assert done.returncode == 70, done.output
    assert f"a worker process {said} during its work" in done.errors


def test_a_worker_that_is_killed_from_outside_ends_the_command_and_leaves_none_behind(shell):
    shell.own()
    endless = ["--walks", "100000000", "--steps", "1000"]
    with shell.start("simulate", "own.py", "--jobs", "2", *endless) as process:
        wait_until(lambda: len(children(process.pid)) == 2, process)
        one, other = children(process.pid)
        os.kill(one, signal.SIGKILL)
        done = shell.ended(process)
    assert done.returncode == 70
    assert "a worker process ended with signal 9 during its work" in done.errors
    assert not runs(one)
    assert not runs(other)


def test_no_worker_outlives_a_command_that_is_killed(shell):
    shell.own("while True:\n    pass")
    with shell.start("simulate", "own.py", "--jobs", "2") as process:
        wait_until(lambda: len(children(process.pid)) == 2, process)
        workers = children(process.pid)
        process.send_signal(signal.SIGKILL)
    wait_until(lambda: not any(map(runs, workers)))


def test_a_command_that_does_not_say_how_it_ended_is_an_internal_error(monkeypatch):
    """Whatever a command returns: only an explicit statement counts."""
    monkeypatch.setattr("tidegate.commands.catalogue.print_catalogue", print)
    for answer in (None, 0, False, "held"):
        monkeypatch.setattr("tidegate.commands.catalogue.Ended", lambda status, it=answer: it)
        result = CliRunner().invoke(main, ["list"])
        assert result.exit_code == 70, answer
        assert "internal error: RuntimeError: the command returned no exit status" in result.output


def test_a_command_that_leaves_by_click_is_an_internal_error(monkeypatch):
    def leave(*arguments):
        click.get_current_context().exit(0)

    monkeypatch.setattr("tidegate.commands.catalogue.print_catalogue", leave)
    assert CliRunner().invoke(main, ["list"]).exit_code == 70


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["list"], ["gate", "--help"], ["show", "hw"]]
)
def test_help_and_what_only_tells_end_with_0(arguments):
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert main(arguments, standalone_mode=False) == 0


def test_the_completion_of_a_shell_ends_with_0(shell):
    environment = {**os.environ, "_TIDEGATE_COMPLETE": "bash_source"}
    done = shell.run(env=environment)
    assert done.returncode == 0
    assert "_tidegate_completion" in done.output


def test_mutants_that_nobody_had_time_for_do_not_end_with_0(shell):
    result = CliRunner().invoke(
        main,
        [
            "mutate",
            "tidegate.examples.async_isr:async_isr",
            "-p",
            "TypeOk",
            "--time-limit",
            "0.001",
        ],
    )
    assert result.exit_code == 3
    assert "stopped by a limit: not every mutant was decided" in " ".join(result.output.split())
