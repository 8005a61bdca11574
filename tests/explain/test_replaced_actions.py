"""What a replaced action does is told by its own words, or by what changes."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.core.spec import Step
from tidegate.diff.code import code
from tidegate.diff.code_changes import differences
from tidegate.library.names import find_protocol
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


WRAPPING = """
from dataclasses import replace
from functools import partial, wraps

from tidegate.model import KIP_595
from tidegate.model.broker.actions import faults


def quietly(action):
    @wraps(action)
    def act(s, k, *others):
        return k.records < 9 and action(s, k, *others)

    return act


class Crashing:
    def crash(self, s, k, broker):
        if k.records == 9:
            return False
        return faults.crash(s, k, broker)


CHANGED = replace(
    KIP_595, name="changed", parent=KIP_595, expected=(),
    actions=tuple(
        replace(action, apply=APPLY) if action.name == "Crash" else action
        for action in KIP_595.actions
    ),
)
"""


@pytest.fixture
def applying(tmp_path):
    """Write a protocol whose Crash is an object."""

    def write(apply):
        path = tmp_path / "changed.py"
        path.write_text(WRAPPING.replace("APPLY", apply))
        return str(path)

    return write


@pytest.mark.parametrize(
    ("apply", "told"),
    [
        ("quietly(faults.crash)", "return k.records < 9 and action(s, k, *others)"),
        ("lambda s, k, broker: k.records < 9 and faults.crash(s, k, broker)", "k.records < 9 and"),
        ("Crashing().crash", "if k.records == 9: return False return faults.crash(s, k, broker)"),
    ],
)
def test_diff_tells_what_a_decorator_a_lambda_and_a_method_do(applying, apply, told):
    old, new = (code(find_protocol(name)) for name in ("kip-595", applying(apply)))
    [action] = differences(old, new).actions
    assert action.wraps == "new"
    assert told in " ".join(new.actions["Crash"].function.source.split())


@pytest.mark.parametrize(
    ("apply", "wrong"),
    [
        ("partial(faults.crash)", "action Crash is functools.partial(<function crash>); write it"),
        ("Crashing()", "action Crash is <Crashing object>; write it by def"),
        (
            "lambda s, k, *others: faults.crash(s, k, *others)",
            "action Crash takes (s, k, *others); name each of its arguments, as in (s, k, broker)",
        ),
        ("lambda s, k, *, broker: True", "action Crash takes (s, k, *, broker); name each of its"),
    ],
)
def test_an_action_that_names_no_arguments_is_refused(applying, apply, wrong):
    for command in ("check", "show"):
        refused = CliRunner().invoke(main, [command, applying(apply)])
        assert refused.exit_code == 2, refused.output
        assert wrong in " ".join(refused.output.split())
