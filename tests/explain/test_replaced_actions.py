"""What a replaced action does is told by its own words, or by what changes."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.core.spec import Step
from tidegate.library.selection import assemble

TEXT = """
from dataclasses import replace

from tidegate.model import KIP_595
from tidegate.model.broker.actions import faults


def crash(s, k, broker):{says}
    if not faults.crash(s, k, broker):
        return False
    s.replica[broker].hw = 0
    return True


CHANGED = replace(
    KIP_595, name="changed", parent=KIP_595, expected=(),
    actions=tuple(
        replace(action, apply=crash) if action.name == "Crash" else action
        for action in KIP_595.actions
    ),
)
"""


@pytest.fixture
def changed(tmp_path):
    """Write a protocol whose Crash wraps Kafka's."""

    def write(says=""):
        path = tmp_path / "changed.py"
        path.write_text(TEXT.replace("{says}", says and f'\n    """{says}"""'))
        return str(path)

    return write


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("Lose the disk of a broker.  Nobody notices.", "Lose the disk of a broker (broker 1)."),
        ("", "Crash (broker 1): broker 1 is down [|] HW 0 epoch cache: empty."),
    ],
)
def test_a_step_is_told_by_the_code_that_takes_it(changed, says, told):
    system, _ = assemble(changed(says), ["records=0"], ["TypeOk"])
    before = next(iter(system.initial_states()))
    after = system.take(before, Step("Crash", ("broker",), (1,)))
    event = system.event(Step("Crash", ("broker",), (1,)), *system.scenes([before, after]))
    assert event.sentence == told


def test_an_untouched_action_keeps_its_sentence(changed):
    system, _ = assemble(changed(), ["records=1"], ["TypeOk"])
    before = next(iter(system.initial_states()))
    step = Step("Produce", ("leader",), (0,))
    event = system.event(step, *system.scenes([before, system.take(before, step)]))
    assert "appends" in event.sentence


@pytest.mark.parametrize("order", [1, -1])
def test_diff_says_that_one_action_calls_the_other(changed, tmp_path, order):
    names = ["kip-595", changed()][::order]
    report = tmp_path / "diff.json"
    result = CliRunner().invoke(main, ["diff", *names, "-b", "records=0", "--json", str(report)])
    output = " ".join(result.output.split())
    assert "calls the one of" in output
    assert "s.replica[broker].hw = 0" in output
    assert "has no such guard" not in output
    [action] = json.loads(report.read_text())["actions"]
    assert action["wraps"] == ("new" if order == 1 else "old")
