"""Where a model fails after some steps, the shortest behavior to that is printed, as by TLC."""

import json

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.core.spec import ModelError

MODEL = """
from dataclasses import dataclass

from tidegate import Model, Record, Seq, array, integer, number, sequence_of


@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 0, 9, "tokens that are left at first")


class State(Record):
    left: int = integer(0, 9, "tokens that are left", initial=lambda k: k.most)
    drawn: list[int] = array(2, integer(0, 9, "what a client has drawn"), by="client")
    last: Seq[int] = sequence_of(integer(0, 1, "a client"), 2, "the last clients")


model = Model(Bounds, State, participants={"client": lambda k: 2}, deadlock=False)


@model.action("client")
def draw(s, k, client):
    FIRST
    s.left -= 1
    s.drawn[client] += 1
    return True


@model.invariant("Nothing is unfair.")
def fair(s, k):
    return INVARIANT
"""

FAILING = {
    "a value leaves its range": ("pass", "True", 3),
    "a sequence has no room": ("s.last.append(client)", "True", 2),
    "an action divides by zero": ("s.left = s.left // (s.left - 1) * 0 + s.left", "True", 2),
    "an invariant divides by zero": ("pass", "6 // (s.left - 1) >= -6", 1),
}
"""The first line of the action, the invariant, and after how many steps the next one fails."""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a model."""

    def written(first, invariant):
        text = MODEL.replace("FIRST", first).replace("INVARIANT", invariant)
        (tmp_path / "tokens.py").write_text(text)
        return str(tmp_path / "tokens.py")

    return written


@pytest.mark.parametrize("engine", ["interpreted", "compiled", "auto"])
@pytest.mark.parametrize("failing", FAILING)
def test_the_steps_to_a_failure_are_printed(write, failing, engine):
    *lines, steps = FAILING[failing]
    wide = CliRunner(env={"COLUMNS": "200"})
    done = wide.invoke(main, ["check", write(*lines), "--engine", engine])
    assert done.exit_code == 70
    heads = [line for line in done.output.splitlines() if "a shortest behavior" in line]
    assert len(heads) == 1
    plural = "step" if steps == 1 else "steps"
    assert heads[0].endswith(f"a shortest behavior to a failure, {steps} {plural}")
    assert len([line for line in done.output.splitlines() if " draw" in line.lower()]) >= steps


@pytest.mark.parametrize("failing", FAILING)
def test_the_error_holds_the_behavior(write, failing):
    *lines, steps = FAILING[failing]
    with pytest.raises(ModelError) as raised:
        tidegate.check(write(*lines))
    assert [str(step).partition("(")[0] for step in raised.value.trace.steps] == ["Draw"] * steps


def test_a_failure_in_the_first_state_has_no_steps(write):
    with pytest.raises(ModelError) as raised:
        tidegate.check(write("pass", "6 // (s.left - 3) >= -6"))
    assert raised.value.trace is None


@pytest.mark.parametrize("option", [["--quiet"], ["--json", "-"]])
def test_nothing_is_printed_beside_what_machines_read(write, option):
    done = CliRunner().invoke(
        main, ["check", write(*FAILING["a sequence has no room"][:2]), *option]
    )
    assert done.exit_code == 70
    assert "behavior" not in done.stdout
    assert done.stdout == "" or json.loads(done.stdout)
