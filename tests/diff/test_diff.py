"""``tidegate diff``: code, verdicts, counterexamples and states of two protocols."""

import json
import re
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.waiting import use_processor
from tidegate.cli import main
from tidegate.core.result import NO_LIMITS
from tidegate.core.spec import Step
from tidegate.diff.code import code
from tidegate.diff.code_changes import differences
from tidegate.diff.protocols import _agreeing, plain_system
from tidegate.diff.systems import Reached, follow, ranges, values
from tidegate.library.names import find_protocol
from tidegate.library.selection import assemble

PUBLISHED = "tidegate.examples.published"

WEAKER = "kip-320~HandleFetch: not leads(s, leader)"


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, ["diff", *arguments])


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def report(*arguments):
    """Return the JSON of a comparison."""
    result = run(*arguments, "--json", "-")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_mutant_is_told_from_its_code_alone():
    told = flat(run("kip-320", WEAKER))
    assert "old refuses it if not leads(s, leader); new has no such guard." in told
    assert "NoCommittedRecordLost: violated by new, satisfied by old." in told
    assert "Step 6, HandleFetch(leader=0, follower=1), is not enabled in old." in told
    assert "old: needs leads(s, 0), but s.replica[0].leader = -1" in told
    assert "none that only old reaches; 690 that only new reaches" in told


def test_a_rule_without_a_docstring_is_told_by_its_source(tmp_path, monkeypatch):
    (tmp_path / "silent.py").write_text(
        "from dataclasses import replace\n"
        "from tidegate.model.broker.protocols.kip320 import KIP_320\n"
        "def serve(s, k, leader, epoch):\n"
        "    if epoch > s.replica[leader].epoch:\n"
        "        return False\n"
        "    return True\n"
        "SILENT = replace(\n"
        "    KIP_320, name='silent', rules=replace(KIP_320.rules, may_serve_fetch=serve)\n"
        ")\n"
    )
    monkeypatch.chdir(tmp_path)
    told = flat(run("kip-320", "silent.py", "-b", "records=1"))
    assert "-return s.replica[leader].epoch == epoch" in told
    assert "+if epoch > s.replica[leader].epoch:" in told


def test_without_bounds_those_that_tell_the_two_apart_are_found(tmp_path):
    file = tmp_path / "diff.json"
    told = flat(run(f"{PUBLISHED}:kip_101", f"{PUBLISHED}:kip_279", "--json", str(file)))
    assert "Also searched, with the same verdicts for both: the defaults; records=1; log_si" in told
    found = json.loads(file.read_text())
    assert found["verdicts"]["settings"] == ["max_leader_epoch=2"]
    assert found["verdicts"]["alike"] == ["", "records=1", "log_size=1"]
    [violated] = found["counterexamples"]
    assert violated["properties"] == ["WeakIsr", "StrongIsr"]


@pytest.mark.parametrize(
    ("old", "new", "bounds"),
    [
        ("hw", "kip-101", "records=1"),
        pytest.param("kip-101", "hw", "", marks=pytest.mark.slow),
        ("kip-320", WEAKER, "records=1 crashes=1"),
        pytest.param(
            "tidegate.examples.published:hw",
            "tidegate.examples.published:kip_101",
            "max_leader_epoch=2",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_is_reported_is_so(old, new, bounds):
    """Every behavior is taken once more: it goes where only one goes, and stops where said."""
    settings = [part for it in bounds.split() for part in ("-b", it)]
    found = report(old, new, *settings)
    systems = [assemble(name, bounds.split(), ["none"])[0] for name in (old, new)]
    both = [name for name in ranges(systems[0]) if name in ranges(systems[1])]
    reachable = [projections(system, both) for system in systems]
    alone = [len(reachable[0] - reachable[1]), len(reachable[1] - reachable[0])]
    assert [part["count"] for part in found["states"]["alone"]] == alone
    for behavior in found["states"]["behaviors"]:
        end = list(values(taken(systems[behavior["of"]], steps_of(behavior)).behavior))[-1]
        other = reachable[1 - behavior["of"]]
        assert tuple(str(end[name]) for name in both) not in other
    for properties, it in [
        *((one["properties"], one["behavior"]) for one in found["counterexamples"]),
        *(([], behavior) for behavior in found["states"]["behaviors"]),
    ]:
        there, stopped = taken(systems[1 - it["of"]], steps_of(it)), it["there"]["stopped"]
        assert (stopped is None) == (there.stopped is None)
        assert len(there.behavior.trace.states) == len(it["there"]["behavior"]["states"])
        same = properties and set(properties) <= set(it["there"]["violated"])
        assert stopped or it["departures"] or same, "something must be different"


def steps_of(behavior):
    """Return the steps of a behavior."""
    return [state["#meta"] for state in behavior["here"]["behavior"]["states"][1:]]


def taken(system, steps):
    """Return a behavior as far as a system can take it."""
    kinds = {action.name: action for action in system.actions}
    found = []
    for step in steps:
        names = tuple(step["arguments"])
        known = kinds[step["action"]].parameters if step["action"] in kinds else names
        assert names == known
        found.append(Step(step["action"], names, tuple(step["arguments"].values())))
    return follow(system, [], found)


def projections(system, variables):
    """Return all reachable states by the values of some variables, found without the engines."""
    todo = list(system.initial_states())
    seen = set(todo)
    for state in todo:
        for _, successor in system.successors(state):
            if successor not in seen:
                seen.add(successor)
                todo.append(successor)
    found = set()
    for state in seen:
        system.layout.load(state)
        values = zip(system.layout.variables, system.layout.values(), strict=True)
        shown = {variable.path: variable.field.show(value) for variable, value in values}
        found.add(tuple(str(shown[name]) for name in variables))
    return found


def test_variables_that_only_one_has_are_left_out_and_named():
    found = report("hw", "kip-101", "-b", "records=1")
    before, after = found["states"]["left_out"]
    assert before == []
    names = {re.sub(r"\[\d+\]", "", name) for name in after}
    assert names == {"replica.epoch_cache", "message.epoch"}


CACHE = """
from dataclasses import dataclass

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "where the counter ends")


class State(Record):
    at: int = integer(0, 9, "what is counted")
    cache: int = integer(0, 9, "what is remembered")


model = Model(Bounds, State, deadlock=False)


@model.initial
def begin(s: State, k: Bounds):
    s.cache = {begins}
    yield


@model.action("counter")
def increase(s: State, k: Bounds) -> bool:
    if s.at == {ends}:
        return False
    s.at += 1
    return True


@model.invariant("The counter is small.")
def small(s: State, k: Bounds) -> bool:
    return s.at < 9
"""


@pytest.fixture
def caches(tmp_path, monkeypatch):
    """Write models whose counters begin with a cache and end at a number."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def write(name, begins, ends):
        (tmp_path / name).write_text(CACHE.replace("{begins}", begins).replace("{ends}", ends))
        return name

    return write


def test_a_variable_that_differs_at_first_is_named_and_the_rest_is_compared(caches):
    one, other = caches("one.py", "4", "k.most"), caches("other.py", "5", "k.most")
    found = report(one, other)["states"]
    assert found["begun_apart"] == ["cache"]
    assert [part["count"] for part in found["alone"]] == [0, 0]
    told = flat(run(one, other))
    assert "Compared without what differs in the initial states: cache." in told
    assert "4 states of one.py and 4 of other.py: the same but for these variables." in told


def test_a_behavior_of_one_alone_begins_with_what_differs_at_first(caches):
    one, other = caches("one.py", "4", "k.most"), caches("other.py", "5", "k.most + 1")
    told = flat(run(one, other))
    assert "none that only one.py reaches; 1 that only other.py reaches" in told
    assert "The initial states differ: cache is 5 in other.py, 4 in one.py." in told
    assert "Step 4, Increase(), is not enabled in one.py." in told
    assert "shared is now: at 4; cache 5" in told
    assert "counter is now" not in told


def test_equal_protocols_have_the_same_states():
    told = flat(run("hw", "hw", "-b", "records=1"))
    assert "The rules and the actions are the same, line by line." in told
    assert "the same states. Every action is enabled equally often." in told


def test_a_guard_that_changes_no_state_is_seen_in_how_often_its_action_is_enabled():
    mutant = "hw~HandleOutOfRange: s.replica[follower].leader != leader"
    told = flat(run("hw", mutant, "-b", "records=1", "-b", "crashes=1"))
    assert "the same states" in told


def test_what_was_not_searched_whole_is_said_to_be_incomplete(monkeypatch, tmp_path):
    # A search that was large before is compiled at once, which may take longer than the limit.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = run("kip-279", "kip-320", "-b", "replicas=3", "--time-limit", "1", "--max-states", "9")
    assert result.exit_code == 3
    assert "INCOMPLETE kip-279" in flat(result)
    assert "NoCommittedRecordLost not decided not decided" in flat(result)
    assert (
        "NOT COMPARED kip-279 has more states than are compared (--max-states 9); choose smaller"
        in flat(result)
    )
    found = run(
        "hw", "hw", "-b", "records=1", "--max-states", "9", "--json", "-"
    )  # fmt: skip
    assert found.exit_code == 3
    assert json.loads(found.stdout)["states"]["alone"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hw", "kip-999"], "there is no protocol 'kip-999'"),
        (
            ["hw", "tidegate.examples.published:hw"],
            "hw and tidegate.examples.published:hw have different states and steps",
        ),
        (
            ["tidegate.examples.published:hw", "tidegate.examples.async_isr:async_isr"],
            "hw and tidegate.examples.async_isr:async_isr have different states and steps",
        ),
        (["hw", "kip-101", "-b", "records=99"], "bound records: 99 is out of range"),
        (["hw", "kip-101", "-p", "Nothing"], "there is no property 'Nothing'"),
        (["hw", "kip-320~nothing"], "kip-320 has no mutant 'nothing'"),
        (["hw", "kip-101", "--json", "/no/such/place.json"], "cannot write"),
    ],
)
def test_wrong_usage_gets_one_clear_error_before_anything_is_printed(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in flat(result)


def test_ctrl_c_reports_what_was_covered(tmp_path):
    path = tmp_path / "diff.json"
    bounds = ["-b", "replicas=3", "-b", "elections=3", "-b", "records=3"]
    command = [sys.executable, "-m", "tidegate", "diff", "kip-279", "kip-320", *bounds]
    process = subprocess.Popen([*command, "--json", str(path)], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "may_serve_epoch_request" in line:
            break
    use_processor(process, 2)
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped by an interrupt" in " ".join(told.split())
    assert json.loads(path.read_text())["states"] is None


EXTRA = '''"""KIP-595 with a variable that nothing reads."""

from dataclasses import replace

from tidegate import integer
from tidegate.model import KIP_595, BrokerState


class State(BrokerState):
    spare: int = integer(0, 1, "nothing")


EXTRA = replace(KIP_595, name="extra", parent=KIP_595, state=State)
'''


def test_a_variable_of_one_is_named_before_the_verdicts_and_the_states_are_not_the_same(tmp_path):
    (tmp_path / "extra.py").write_text(EXTRA)
    told = flat(run("kip-595", str(tmp_path / "extra.py"), "-b", "records=1", "-b", "crashes=1"))
    assert "The variable spare: only in new." in told.partition("Verdicts within")[0]
    assert "the same but for these variables." in told
    assert "the same states" not in told


def test_quiet_prints_verdicts_and_counts_only():
    told = flat(run("hw", "kip-101", "-b", "records=1", "-q"))
    assert "distinct states" in told
    assert "Rules and actions" not in told
    assert "How to read it" not in told


def test_a_lasso_is_described_by_its_stem_and_its_cycle():
    calm = [part for bound in ("records", "crashes", "elections") for part in ("-b", f"{bound}=0")]
    arguments = ["kip-279", "kip-320", "-b", "replicas=3", *calm, "-p", "Converges"]
    told = flat(run(*arguments))
    assert "violated: stem of 1 step, cycle of 8" in told
    assert "kip-279 violates Converges: stem of 1 step, cycle of 8." in told


RULES = """
from dataclasses import replace

from tidegate.model import KIP_595
from tidegate.model.broker.protocols.kip595 import fetch_at_once


def isr_for_hw(s, k, leader):
    return {isr_for_hw}


def begin_following(s, k, follower):
    fetch_at_once(s, k, follower){also}


OWN = replace(
    KIP_595, name="own", parent=KIP_595,
    rules=replace(KIP_595.rules, isr_for_hw=isr_for_hw, begin_following=begin_following),
)
"""


@pytest.mark.parametrize(
    ("isr_for_hw", "also", "bounds", "agreeing"),
    [
        ("s.replica[leader].proposed or s.replica[leader].isr", "", [], 2),
        ("s.replica[leader].proposed or s.replica[leader].isr", "", ["isr_propagation=kraft"], 1),
        ("s.replica[leader].isr", "; s.replica[follower].hw += 0", ["isr_propagation=kraft"], 1),
        ("s.replica[leader].isr | s.replica[leader].proposed", "", ["isr_propagation=kraft"], 1),
        ("s.replica[leader].isr + 8 - 8", "; s.message[follower].hw = 1", [], 1),
        ("s.replica[leader].isr", "; s.replica[99].hw = 1", [], 0),
    ],
)
def test_a_changed_rule_that_no_state_distinguishes_is_named(
    tmp_path, monkeypatch, isr_for_hw, also, bounds, agreeing
):
    """A copy is no change; one that writes something else, or fails, is distinguished."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(RULES.format(isr_for_hw=isr_for_hw, also=also))
    settings = [*bounds, "records=1", "elections=1", "crashes=1"]
    both = find_protocol("kip-595"), find_protocol("own.py:OWN")
    changed = [rule.name for rule in differences(*map(code, both)).rules]
    seen = list(Reached(plain_system(both[0], settings), NO_LIMITS).states)
    assert len(_agreeing(both, settings, changed, seen)) == agreeing


def test_equal_states_under_a_changed_rule_are_not_said_to_be_equality(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    isr = "s.replica[leader].proposed or s.replica[leader].isr"
    (tmp_path / "own.py").write_text(RULES.format(isr_for_hw=isr, also=""))
    told = flat(run("kip-595", "own.py", "-b", "records=1", "-b", "crashes=0"))
    assert (
        "the two never decide differently, at other bounds they may: begin_following, isr" in told
    )
    assert "never decide" not in flat(run("kip-595", "kip-595", "-b", "records=1"))
