"""Whatever a custom protocol raises, and wherever: an error of the model, status 70, and the line.

Never 0, and never nothing: a search that ended early has decided nothing.
"""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate.cli import main

OWN = '''"""A protocol of my own, any part of which may fail."""

from dataclasses import replace

from tidegate.core.scene import Event, Participant, Scene, View
import tidegate.examples.async_isr as original
from tidegate import Model




class Odd(BaseException):
    """Neither an Exception nor one that Python knows."""


def fail(part):
    if part == "PART":
        ERROR  # line 18
    return True


def rule(s, k, version):
    return fail("rule") and version == s.controller.version


def act(s, k):
    fail("action")
    return original.leader_write(s, k)


def arguments(k):
    fail("arguments")
    return [()]


def available(k):
    return fail("available")


def initialise(s, k):
    fail("initialise")
    yield from original.initialise(s, k)


def constraint(s, k):
    return fail("constraint") and original.within(s, k)


def scene(s, k):
    fail("view")
    return Scene((Participant("leader", f"isr {s.leader.isr}"),))


def build(k):
    fail("build")
    return 1


def custom():
    model = Model(
        original.Constants,
        original.AsyncIsrState,
        participants={"leader": build},
        constraint=constraint,
        view=View(scene, lambda action, *rest: Event("leader", action)),
    )
    model.initial(initialise)
    return model


def changed(action):
    if action.name != "LeaderWrite":
        return action
    return replace(action, apply=act, arguments=arguments, available=available)


OWN = replace(
    original.async_isr,
    name="own",
    parent=original.async_isr,
    model=custom(),
    actions=tuple(changed(action) for action in original.async_isr.actions),
    rules=replace(original.async_isr.rules, may_apply=rule),
)
'''

ERRORS = {
    "raise SystemExit(0)": "SystemExit: 0",
    "raise SystemExit": "SystemExit",
    "raise GeneratorExit": "GeneratorExit",
    "raise StopIteration": "StopIteration",
    "raise Odd('odd')": "Odd: odd",
    "raise KeyError('no')": "KeyError: 'no'",
    "raise OSError(28, 'no')": "OSError: [Errno 28] no",
}

PARTS = {
    "rule": "ControllerHandleRequest(version=0, replica=1) failed with",
    "action": "LeaderWrite() failed with",
    "arguments": "arguments() of action LeaderWrite failed with",
    "available": "available() of action LeaderWrite failed with",
    "initialise": "initialise failed with",
    "constraint": "the constraint failed with",
    "build": "building the transition system of own.py failed with",
}

SMALL = ["-b", "max_offset=1", "-b", "max_version=2"]

COMMANDS = {
    "check": ["check", "own.py", *SMALL],
    "check --engine interpreted": ["check", "own.py", *SMALL, "--engine", "interpreted"],
    "check --debug": ["check", "own.py", *SMALL, "--debug"],
    "graph": ["graph", "own.py", *SMALL, "--json", "graph.json"],
    "diff": ["diff", "tidegate.examples.async_isr:async_isr", "own.py", *SMALL],
    "bounds": ["bounds", "own.py", "--max", "max_offset=1", "--max", "max_version=2"],
    "explain": ["explain", "own.py", *SMALL],
    "simulate": ["simulate", "own.py", *SMALL, "--walks", "9", "--jobs", "1"],
    "simulate --jobs 2": ["simulate", "own.py", *SMALL, "--walks", "99", "--jobs", "2"],
    "replay": ["replay", "trace.json", "--protocol", "own.py"],
    "mutate": ["mutate", "own.py", "--within", "max_offset=1 max_version=1", "--jobs", "1"],
}


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Write a protocol of which one part raises something, into the present directory."""
    monkeypatch.chdir(tmp_path)

    def write(part, error, weaker=False):
        text = OWN.replace("PART", part).replace("ERROR", error.replace("PART", part))
        if weaker:
            text = text.replace("and version == s.controller.version", "")
        (tmp_path / "own.py").write_text(text)

    return write


@pytest.fixture
def trace(own):
    """Save a trace of a weaker protocol, which violates a property."""
    own("nothing", "pass", weaker=True)
    assert run("check", "own.py", *SMALL, "--json", "trace.json").exit_code == 12


def refused(result, part, error):
    """Check that a command ended with the error of a part of the model."""
    said = flat(result)
    assert result.exit_code == 70, said
    # Of several behaviors at once, none is sure to fail first.
    said = re.sub(r"version=\d", "version=0", said)
    assert re.search(rf"Error: own\.py:\d+: {re.escape(f'{PARTS[part]} {error}')}", said), said
    assert "in fail()" in said
    assert "own.py:18: " in said
    assert "Traceback" not in said


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("part", PARTS)
def test_whatever_a_part_of_the_model_raises_is_an_error_of_the_model(own, part, error):
    own(part, error)
    result = run(*COMMANDS["check"])
    if (part, error) == ("initialise", "raise StopIteration"):
        # Python itself makes another error of it in a generator.
        assert result.exit_code == 70
        assert "initialise failed with RuntimeError: generator raised StopI" in flat(result)
    else:
        refused(result, part, ERRORS[error])


@pytest.mark.usefixtures("trace")
@pytest.mark.parametrize("part", ["rule", "initialise"])
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_ends_with_0_where_the_model_asks_for_that(own, part, command):
    own(part, "raise SystemExit(0)")
    refused(run(*COMMANDS[command]), part, "SystemExit: 0")


SHOWING = {
    "check": ("the view", ["check", "own.py", *SMALL]),
    "check --html": ("the view", ["check", "own.py", *SMALL, "--html", "page.html"]),
    "graph": ("the view", ["graph", "own.py", *SMALL, "--graphml", "graph.xml"]),
    "replay": ("the view", ["replay", "trace.json", "--protocol", "own.py"]),
    "replay --markdown": (
        "the view",
        ["replay", "trace.json", "--protocol", "own.py", "--markdown", "-"],
    ),
}


@pytest.mark.usefixtures("trace")
@pytest.mark.parametrize(("part", "arguments"), SHOWING.values(), ids=SHOWING)
def test_what_shows_states_costs_no_verdict_if_it_fails(own, part, arguments):
    own(part.removeprefix("the "), "raise SystemExit(0)", weaker=True)
    result = run(*arguments)
    # A view of the graph needs what the states show; nothing else does.
    expected = {"check": 12, "graph": 70 if "--view" in arguments else 0}
    assert result.exit_code == expected.get(arguments[0], 0), flat(result)
    page = Path("page.html")
    said = " ".join(page.read_text().split()) if page.exists() else flat(result).replace("\\", "")
    assert f"{part}() of own.py failed with SystemExit: 0".replace("the view()", "The view") in said
    assert "own.py:18" in said
