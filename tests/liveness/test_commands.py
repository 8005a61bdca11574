"""A lasso as users meet it: printed, explained, drawn, saved and replayed."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.diff.code import code
from tidegate.diff.code_changes import differences
from tidegate.library.names import find_protocol

PENDING = "kip-595~may_propose = nothing_proposed"
BOUNDS = ("-b", "isr_propagation=kraft", "-b", "records=1", "-b", "crashes=1")
LOOP, STEPS = 15, 18


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def flat(text):
    """Return a text without line breaks."""
    return " ".join(text.split())


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Find an ISR change that stays pending for ever; return the report's path and the output."""
    path = tmp_path_factory.mktemp("lasso") / "pending.json"
    result = run("check", PENDING, *BOUNDS, "-p", "IsrChangeResolves", "--json", path)
    assert result.exit_code == 13
    return path, result.output


@pytest.fixture
def document(checked):
    """The report, to be changed."""
    return json.loads(checked[0].read_text())


@pytest.fixture
def replay(tmp_path):
    """Replay a changed report."""

    def saved_and_replayed(document, command="replay"):
        path = tmp_path / "changed.json"
        path.write_text(json.dumps(document))
        return run(command, path)

    return saved_and_replayed


def test_check_prints_where_the_cycle_begins_what_repeats_and_why_it_is_fair(checked):
    output = flat(checked[1])
    assert f"IsrChangeResolves is violated: stem of {LOOP} steps, cycle of 3." in output
    assert "From here on, steps 16 to 18 repeat for ever." in output
    assert "the cycle begins" in output
    assert "back to state 15" in output
    assert (
        "Fairness: the cycle takes SendFetch, HandleFetch, HandleFetchResponse (leader=0, "
        "follower=1); every other fair step is disabled in some state of it." in output
    )


def test_full_output_answers_each_demand_of_fairness():
    result = run("check", PENDING, *BOUNDS, "-p", "IsrChangeResolves", "--full")
    assert "WF(SendFetch(leader=0, follower=1)): taken in step 17" in result.output
    assert "WF(SendFetch(leader=1, follower=0)): not enabled in state 15" in result.output


def test_holds_says_that_it_speaks_of_fair_behaviors():
    bounds = ("-b", "records=1", "-b", "crashes=0")
    result = run("check", "kip-320", *bounds, "-p", "Converges", "-p", "TypeOk", "-q")
    assert result.exit_code == 0
    assert "every state satisfies TypeOk; every fair behavior satisfies Converges." in flat(
        result.output
    )


def test_the_itf_trace_has_the_number_of_the_state_that_the_last_one_equals(document):
    trace = document["trace"]
    assert trace["loop"] == LOOP
    assert len(trace["states"]) == STEPS + 1
    variables = [{k: v for k, v in state.items() if k != "#meta"} for state in trace["states"]]
    assert variables[LOOP] == variables[-1]


def test_a_saved_lasso_replays(checked):
    result = run("replay", checked[0])
    assert result.exit_code == 0
    assert "18 steps taken; IsrChangeResolves is violated, as recorded." in flat(result.output)


@pytest.mark.parametrize("loop", [19, -1, 1.5, "15", True, [15]])
def test_a_loop_that_is_no_number_of_a_state_is_refused_with_one_line(document, replay, loop):
    document["trace"]["loop"] = loop
    result = replay(document)
    assert result.exit_code == 2
    assert "must be the number of one of its 19 states, 0 to 18" in result.output
    assert len(result.output.splitlines()) == 1


def test_a_lasso_whose_cycle_does_not_close_is_not_violated(document, replay):
    document["trace"]["loop"] = LOOP - 1
    result = replay(document)
    assert result.exit_code == 1
    assert "is not violated: state 18 is not state 14, so the steps end here." in flat(
        result.output
    )
    assert replay(document, "explain").exit_code == 2


def test_a_lasso_that_leaves_a_demand_of_fairness_unmet_is_not_violated(document, replay):
    trace = document["trace"]
    trace["states"] = trace["states"][: LOOP + 1]
    result = replay(document)
    assert result.exit_code == 1
    assert "is not violated: the cycle of the lasso leaves WF(" in flat(result.output)


def test_a_lasso_without_its_loop_is_no_violation(document, replay):
    del document["trace"]["loop"]
    result = replay(document)
    assert result.exit_code == 1
    assert "only a behavior that repeats steps for ever can violate it" in flat(result.output)


def test_a_lasso_with_another_state_is_not_as_recorded(document, replay):
    document["trace"]["states"][5]["written"] = {"#bigint": "0"}
    result = replay(document)
    assert result.exit_code == 1
    assert "State 5 is not as recorded" in result.output


def test_the_repair_averts_the_lasso(checked):
    result = run("replay", checked[0], "--protocol", "kip-595")
    assert "is not enabled" in result.output or "is not violated" in result.output


def test_explain_tells_what_repeats(checked, tmp_path):
    target = tmp_path / "told.json"
    result = run("explain", checked[0], "--json", target)
    assert result.exit_code == 0
    output = flat(result.output)
    assert "18. Broker 0" in output
    assert "From here on, steps 16 to 18 repeat for ever." in output
    assert "1 crash (broker 1 at step 1): cannot be left out" in output
    assert "Not searched: fences, ISR shrinks, restarts. Fairness demands these" in output
    assert "can be dropped" not in output
    told = json.loads(target.read_text())
    assert told["not_searched"] == ["Fence", "ProposeShrink", "Restart"]
    assert (told["loop"], told["repeats"]) == (
        LOOP,
        "From here on, steps 16 to 18 repeat for ever.",
    )


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("mermaid", ["  loop For ever\n  Note over p2: 16.", "  end\n  Note over p0"]),
        ("tla", ["Temporal property IsrChangeResolves is violated", "Back to state 16: <"]),
        ("markdown", ["**From here on, steps 16 to 18 repeat for ever.**"]),
        ("html", ['class="cycle" marker-end', "steps 16 to 18 repeat for ever"]),
        ("itf", ['"loop": 15']),
    ],
)
def test_every_form_shows_the_cycle(checked, form, expected):
    result = run("replay", checked[0], f"--{form}", "-")
    assert result.exit_code == 0
    for text in expected:
        assert text in result.output


def test_tla_does_not_print_the_state_that_the_cycle_comes_back_to_twice(checked):
    text = run("replay", checked[0], "--tla", "-").output
    assert text.count("\nState ") == STEPS


def test_show_says_what_fairness_owes_to_each_action():
    output = run("show", "hw").output
    assert "Fairness: weak, for each leader, follower." in output
    told = json.loads(run("show", "hw", "--json").output)
    owed = {action["name"]: action["owed"] for action in told["actions"]}
    assert (owed["Crash"], owed["Elect"]) == ("none", "weak, for each broker")


def test_list_says_the_kind_of_a_property_and_the_fairness_of_actions():
    told = json.loads(run("list", "--json").output)
    kinds = {prop["name"]: prop["kind"] for prop in told["properties"]}
    assert (kinds["Converges"], kinds["LogMatching"]) == ("always-eventually", "invariant")
    assert {"action": "Crash", "owed": "none"} in told["fairness"]
    assert "always-eventually: Once faults have ceased" in flat(run("list", "--all").output)


def test_diff_sees_for_what_fairness_is_owed():
    import dataclasses

    before = find_protocol("hw")
    as_a_whole = tuple(
        dataclasses.replace(action, fair_per=()) if action.name == "Elect" else action
        for action in before.actions
    )
    after = dataclasses.replace(before, actions=as_a_whole)
    [change] = differences(code(before), code(after)).actions
    assert (change.name, change.fairness) == (
        "Elect",
        ("weak, for each broker", "weak, as a whole"),
    )


def test_bounds_finds_the_smallest_that_violate_a_liveness_property():
    result = run(
        "bounds", PENDING, *BOUNDS[:4], "-p", "IsrChangeResolves",
        "--max", "crashes=1", "--max", "elections=1", "-q",
    )  # fmt: skip
    assert "crashes=1 elections=1: 18 steps" in result.output


def test_diff_decides_liveness_of_both(tmp_path):
    target = tmp_path / "diff.json"
    run("diff", PENDING, "kip-595", *BOUNDS, "-p", "IsrChangeResolves", "-q", "--json", target)
    verdicts = json.loads(target.read_text())["verdicts"]
    [old], [new] = verdicts["old"]["rows"], verdicts["new"]["rows"]
    assert (old["outcome"], new["outcome"]) == ("violated", "holds")
