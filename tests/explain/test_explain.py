"""``tidegate explain``: a trace in words, and what its violation needs."""

import json

import pytest
from click.testing import CliRunner

from tidegate.checker.check import check
from tidegate.checker.replay import retaken
from tidegate.cli import main
from tidegate.core.behavior import Behavior
from tidegate.core.spec import Outcome, Step
from tidegate.core.tracefile import itf
from tidegate.library.selection import assemble
from tidegate.library.shortening import dispensable


def run(*arguments):
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def explained(*arguments):
    """Return the JSON of an explanation, and the exit status."""
    result = run("explain", *arguments, "--json", "-")
    return json.loads(result.stdout), result.exit_code


def test_the_loss_of_hw_needs_two_crashes_a_restart_and_an_election():
    told = flat(run("explain", "hw"))
    assert "10. Broker 0 crashes. Its memory is lost, its log stays on disk. 11. The cont" in told
    assert "2 crashes (broker 1 at step 7, broker 0 at step 10): cannot be left out" in told
    assert "needs 2 crashes, 1 restart and 1 election: with fewer of any, no" in told
    assert "None of the 12 steps can be dropped" in told


@pytest.mark.parametrize(
    ("protocol", "settings", "prop", "action", "bound"),
    [
        ("hw", "", "NoCommittedRecordLost", "Crash", "crashes"),
        ("hw", "crashes=1 moves", "LogMatching", "Crash", "crashes"),
        (
            "hw",
            "records=1 elections=3 crashes=0 moves",
            "NoCommittedRecordLost",
            "Elect",
            "elections",
        ),
    ],
)
def test_what_cannot_be_left_out_is_what_the_bounds_of_the_family_say(
    protocol, settings, prop, action, bound
):
    """Crashes and elections have bounds of their own, which decide the same in another way."""
    given = [part for it in settings.split() for part in ("-b", it)]
    found, status = explained(protocol, *given, "-p", prop)
    assert (status, found["decided"]) == (0, True)
    needs = {need["name"]: need for need in found["needs"]}
    values, least = found["bounds"], needs[action]["least"]
    assert outcome(protocol, values | {bound: least}, prop) is Outcome.VIOLATED
    assert outcome(protocol, values | {bound: least - 1}, prop) is Outcome.HOLDS


def outcome(protocol, values, prop):
    """Search a protocol within bounds for a violation of one property."""
    system, properties = assemble(protocol, [f"{n}={v}" for n, v in values.items()], [prop])
    return check(system, properties).outcome


def test_where_fewer_crashes_are_enough_another_behavior_is_named():
    found, status = explained("hw", "-b", "records=1", "-b", "elections=3", "-b", "moves")
    assert status == 0
    needs = {need["name"]: need for need in found["needs"]}
    assert (len(needs["Crash"]["steps"]), needs["Crash"]["least"]) == (1, 0)
    assert needs["Crash"]["instead"] == {"Elect": 3}
    assert found["all_needed"] is False
    assert found["smallest"]["needs"] == {"Crash": 1, "Restart": 1, "Elect": 1}
    assert found["smallest"]["decided"] is True


def test_an_option_that_has_to_be_on_is_named():
    found, _ = explained("kip-320", "-b", "unclean_election", "-b", "records=1")
    assert [(it["name"], it["least"], it["decided"]) for it in found["options"]] == [
        ("unclean_election", 1, True)
    ]
    told = flat(run("explain", "kip-320", "-b", "unclean_election", "-b", "records=1"))
    assert "option unclean_election: has to be on; without it, no behavior" in told
    assert "(unclean: broker 1 at step" in told


def test_an_option_that_another_one_needs_is_left_on():
    """Without elr the bounds would contradict themselves."""
    bounds = ["records=1", "power_losses=1", "crashes=0", "elections=2", "elr", "last_known_leader"]
    given = [word for bound in bounds for word in ("-b", bound)]
    found, _ = explained("kip-595", *given, "-p", "NoAckedRecordLost")
    assert [it["name"] for it in found["options"]] == ["last_known_leader"]


@pytest.fixture(scope="module")
def detoured():
    """Return a behavior that violates NoCommittedRecordLost with more than it needs."""
    system, properties = assemble("hw", ["elections=3"], ["NoCommittedRecordLost"])
    first = check(system, properties).first
    steps = list(first.trace.steps)
    crash = Step("Crash", ("broker",), (1,))
    restart = Step("Restart", ("broker",), (1,))
    at = next(i for i, step in enumerate(steps) if step.action == "Restart") + 1
    assert [step.action for step in steps[at - 2 : at]] == ["Crash", "Restart"]
    system, properties = assemble("hw", ["elections=3", "crashes=3"], ["NoCommittedRecordLost"])
    trace = retaken(system, 0, [*steps[:at], crash, restart, *steps[at:]])
    return json.dumps(itf(Behavior(system, trace, properties[0])))


@pytest.fixture
def detour(detoured, tmp_path):
    """Save that behavior."""
    path = tmp_path / "detour.json"
    path.write_text(detoured)
    return path


def test_what_a_trace_has_too_much_is_found(detour):
    found, status = explained(str(detour))
    assert status == 0
    crashes = next(need for need in found["needs"] if need["name"] == "Crash")
    assert crashes["least"] < len(crashes["steps"])
    assert found["smallest"]["decided"]
    assert sum(found["smallest"]["needs"].values()) < sum(
        len(need["steps"]) for need in found["needs"]
    )
    assert found["dispensable_steps"]
    assert found["steps_left"] < len(found["steps"])


def test_a_step_is_dispensable_only_if_the_rest_still_violates(detour):
    system, [prop] = assemble("hw", ["elections=3", "crashes=3"], ["NoCommittedRecordLost"])
    states = json.loads(detour.read_text())["states"][1:]
    steps = [
        Step(it["#meta"]["action"], tuple(it["#meta"]["arguments"]),
             tuple(it["#meta"]["arguments"].values()))
        for it in states
    ]  # fmt: skip
    trace = retaken(system, 0, steps)
    for number in dispensable(system, prop, trace):
        state, violated = trace.states[0], False
        for step in [*steps[: number - 1], *steps[number:]]:
            state = system.take(state, step) or state
            violated = violated or system.violates(prop, state)
        assert violated


def test_states_that_a_search_kept_less_of_are_as_recorded(detour):
    """Produces that wait are kept only if acknowledgements are; a replay keeps both."""
    assert "REPLAYED hw: 14 steps taken" in flat(run("replay", str(detour)))
    document = json.loads(detour.read_text())
    document["states"][3]["replica"][0]["hw"] = {"#bigint": "1"}
    detour.write_text(json.dumps(document))
    assert "State 3 is not as recorded" in flat(run("replay", str(detour)))


def test_a_saved_trace_of_each_kind_is_told(tmp_path):
    path = tmp_path / "report.json"
    run("check", "hw", "--continue", "-q", "--json", str(path))
    told = flat(run("explain", str(path), "-p", "LogMatching"))
    assert "hw: LogMatching is violated after 15 steps" in told
    assert ": with fewer of any, no behavior" in told
    run("graph", "hw", "-b", "records=1", "-b", "crashes=0", "--farthest", "--trace", str(path))
    result = run("explain", str(path))
    assert result.exit_code == 0
    assert "hw: a behavior of" in flat(result)
    assert "What it needs" not in flat(result)


def test_a_stuck_state_is_told_and_not_searched(tmp_path):
    bounds = ["records=0", "crashes=0", "elections=2", "moves", "isr_propagation=kraft"]
    given = [part for bound in bounds for part in ("-b", bound)]
    result = run("explain", "kip-320~may_propose = nothing_proposed", *given, "-p", "Stuck")
    assert result.exit_code == 0
    assert "Not searched: leaving out faults or elections" in flat(result)


def test_what_was_not_decided_is_said_so(tmp_path):
    """The loss in bounds that no search of a tenth of a second sees whole."""
    system, properties = assemble("hw", [], ["NoCommittedRecordLost"])
    steps = check(system, properties).first.trace.steps
    settings = ["records=6", "crashes=6", "elections=6"]
    system, [prop] = assemble("hw", settings, ["NoCommittedRecordLost"])
    path = tmp_path / "loss.json"
    path.write_text(json.dumps(itf(Behavior(system, retaken(system, 0, steps), prop))))
    result = run("explain", str(path), "--time-limit", "0.1")
    assert result.exit_code == 3
    assert "not decided; " in flat(result)
    assert "violate nothing so far (stopped by --time-limit 0.1)" in flat(result)
    assert "1 election (broker 1 at step 10): cannot be left out" not in flat(result)
    assert ": with fewer of any, no behavior" not in flat(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.json"], "nothing.json: cannot be read (No such file"),
        (["kip-999"], "there is no protocol 'kip-999'"),
        (["kip-320"], "kip-320, replicas=2, records=2, elections=1, crashes=2: nothing is viol"),
        (["hw", "-b", "records=99"], "bound records: 99 is out of range"),
        (["hw", "-p", "Nothing"], "there is no property 'Nothing'"),
    ],
)
def test_wrong_usage_gets_one_clear_error(arguments, message):
    result = run("explain", *arguments)
    assert result.exit_code == 2
    assert message in flat(result)
    assert "Traceback" not in result.output
