"""``tidegate replay`` and ``tidegate show`` as their users meet them."""

import json

import pytest
from click.testing import CliRunner

from tidegate.cli import main
from tidegate.core.guards import guards, requirement
from tidegate.model import PROTOCOLS


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the report of a violated search, which is made once."""
    path = tmp_path_factory.mktemp("loss") / "loss.json"
    assert run("check", "hw", "-q", "--json", str(path)).exit_code == 12
    return path.read_text()


@pytest.fixture
def saved(report, tmp_path):
    """Save the report of a violated search."""
    path = tmp_path / "loss.json"
    path.write_text(report)
    return path


def test_a_saved_trace_replays(saved):
    result = run("replay", str(saved))
    assert result.exit_code == 0
    assert "NoCommittedRecordLost is violated at the end, as recorded." in flat(result)
    assert "NoCommittedRecordLost is violated." in result.output


def test_the_itf_trace_alone_replays_too(saved):
    saved.write_text(json.dumps(json.loads(saved.read_text())["trace"]))
    assert run("replay", str(saved)).exit_code == 0


def test_a_cycle_that_is_none_is_not_as_recorded(saved):
    """The last state is not the one to which the file says that the steps lead back."""
    trace = json.loads(saved.read_text())["trace"]
    saved.write_text(json.dumps({**trace, "loop": 2}))
    result = run("replay", str(saved))
    assert result.exit_code == 1
    assert "DIFFERS hw: 12 steps taken. State 12 is not state 2:" in flat(result)
    assert "as recorded" not in flat(result)


def test_a_trace_of_every_property_replays(tmp_path):
    path = tmp_path / "all.json"
    run("check", "hw", "-p", "all", "--continue", "-q", "--json", str(path))
    for prop in json.loads(path.read_text())["properties"]:
        if prop["trace"]:
            path.with_name("one.json").write_text(json.dumps(prop["trace"]))
            result = run("replay", str(path.with_name("one.json")))
            assert result.exit_code == 0
            where = "" if "loop" in prop["trace"] else " at the end"
            assert f"is violated{where}, as recorded." in flat(result)


def test_another_protocol_averts_the_loss(saved):
    result = run("replay", str(saved), "--protocol", "kip-101")
    assert result.exit_code == 0
    assert "NoCommittedRecordLost is not violated at the end." in flat(result)


def test_a_trace_of_one_family_is_not_replayed_in_another(saved):
    result = run("replay", str(saved), "--protocol", "tidegate.examples.published:hw")
    assert result.exit_code == 2
    assert "the trace is of hw, whose steps differ" in flat(result)


def test_a_trace_of_a_published_protocol_replays(tmp_path):
    path = tmp_path / "weak.json"
    run("check", "tidegate.examples.published:hw", "-q", "--json", str(path))
    assert (
        "REPLAYED tidegate.examples.published:hw: 8 steps taken; WeakIsr is violated at the end"
        in flat(run("replay", str(path), "--trust"))
    )
    stopped = run("replay", str(path), "--protocol", "tidegate.examples.published:kip_320")
    assert "STOPPED tidegate.examples.published:kip_320" in stopped.output


def test_the_guard_that_stops_a_trace_is_told_with_its_values(tmp_path):
    """Under kip-101 a restarted follower may not fetch before it has asked."""
    path = tmp_path / "trace.json"
    options = ["-b", "unclean_election", "-p", "CommittedSomewhere"]
    run("check", "hw", *options, "-q", "--json", str(path))
    result = run("replay", str(path), "--protocol", "kip-101")
    assert result.exit_code == 2
    assert "STOPPED kip-101" in result.output
    stopped = "SendFetch(leader=1, follower=0), is not enabled. Its guard at"
    assert f"{stopped} model/broker/actions/follower.py:" in flat(result)
    assert "s.replica[follower].truncating, with s.replica[follower].truncating = True" in flat(
        result
    )


def test_a_trace_of_a_mutant_that_fails_with_every_history_replays_without(tmp_path):
    """It writes a record that it has no number for, which no history has a place for either."""
    mutant = ["kip-320~Produce: s.written == k.records", "-b", "records=1", "-b", "crashes=1"]
    path, page = str(tmp_path / "wrong.json"), str(tmp_path / "wrong.html")
    result = run("check", *mutant, "-p", "TypeOk", "-q", "--json", path, "--html", page)
    assert result.exit_code == 12, result.output
    result = run("replay", path)
    assert result.exit_code == 0, result.output
    assert "TypeOk is violated at the end, as recorded." in flat(result)
    assert run("replay", path, "--tla", "-").exit_code == 0


def edit(path, change):
    """Change a saved trace in place."""
    document = json.loads(path.read_text())
    document["trace"] = change(document["trace"]) or document["trace"]
    path.write_text(json.dumps(document))


def test_a_step_that_is_not_enabled_stops_it(saved):
    def produce_first(trace):
        trace["states"][1]["#meta"] = {
            "index": 1, "action": "HandleFetch", "arguments": {"leader": 0, "follower": 1},
        }  # fmt: skip

    edit(saved, produce_first)
    result = run("replay", str(saved))
    assert result.exit_code == 2
    assert "Step 1, HandleFetch(leader=0, follower=1), is not enabled" in flat(result)
    assert "s.message[follower].kind = nothing" in flat(result)


def test_a_stuck_trace_is_judged_by_its_own_property(tmp_path):
    path = tmp_path / "stuck.json"
    mutant = "kip-320~may_propose = nothing_proposed"
    bounds = ["records=0", "crashes=0", "elections=2", "moves", "isr_propagation=kraft"]
    options = [part for bound in bounds for part in ("-b", bound)]
    result = run("check", mutant, *options, "-p", "Stuck", "-q", "--json", str(path))
    assert result.exit_code == 11
    result = run("replay", str(path))
    assert result.exit_code == 0
    assert "Stuck is violated at the end, as recorded." in flat(result)


def test_a_trace_that_no_longer_violates_is_said_so(saved):
    """A trace cut short replays, but its violation is not there."""

    def cut(trace):
        del trace["states"][5:]

    edit(saved, cut)
    result = run("replay", str(saved))
    assert result.exit_code == 1
    assert "NoCommittedRecordLost is not violated at the end." in flat(result)


def test_a_state_that_differs_is_named(saved):
    def other_hw(trace):
        trace["states"][3]["written"] = {"#bigint": "2"}

    edit(saved, other_hw)
    result = run("replay", str(saved))
    assert result.exit_code == 1
    assert "State 3 is not as recorded" in flat(result)


def no_such_action(trace):
    trace["states"][2]["#meta"]["action"] = "Explode"


def no_such_broker(trace):
    trace["states"][2]["#meta"]["arguments"] = {"leader": 0, "follower": 7}


def other_protocol(trace):
    trace["#meta"]["protocol"] = "raft"


def other_version(trace):
    trace["#meta"]["tidegate-trace"] = 99


def other_bounds(trace):
    trace["#meta"]["bounds"]["replicas"] = "17"


def other_program(trace):
    del trace["#meta"]["protocol"]


def no_states(trace):
    trace["states"] = []


def nested_protocol(trace):
    trace["#meta"]["protocol"] = ["hw"]


def long_property(trace):
    trace["#meta"]["property"] = "x" * 10_000


def list_as_state(trace):
    trace["states"][0] = [3]


def deep_state(trace):
    for _ in range(800):
        trace["states"][0]["partition"] = [trace["states"][0]["partition"]]


def number_as_bound(trace):
    trace["#meta"]["bounds"]["records"] = 2


def other_property(trace):
    trace["#meta"]["property"] = "Everything"


def argument(value):
    """Return what makes a value the argument of a step."""

    def edited(trace):
        trace["states"][1]["#meta"]["arguments"] = {"leader": value, "follower": 1}

    return edited


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (no_such_action, "hw has no step Explode(leader=0, follower=1)"),
        (no_such_broker, "hw has no step SendFetch(leader=0, follower=7)"),
        (other_protocol, "no protocol 'raft'"),
        (other_version, "version 99 of the trace format; this Tidegate reads versions 1 and 2"),
        (other_bounds, "bound replicas: 17 is out of range"),
        (other_program, "names no protocol"),
        (no_states, "the trace has no states"),
        (nested_protocol, "not a trace in ITF"),
        (long_property, "not a trace in ITF"),
        (list_as_state, "not a trace in ITF"),
        (deep_state, "not a trace in ITF"),
        (number_as_bound, "not a trace in ITF"),
        (other_property, "hw has no property 'Everything'; it has "),
        *((argument(it), "not a trace in ITF") for it in (1.5, "0", None, [0], {})),
        (argument(True), "hw has no step Produce(leader=True"),
    ],
)
def test_a_wrong_trace_gets_one_clear_error(saved, change, message):
    edit(saved, change)
    result = run("replay", str(saved))
    assert result.exit_code == 2
    assert message in flat(result)
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        (b"", "the file is empty"),
        (b"\x80\xff\x00", "not a text file"),
        (b"{", "not JSON"),
        (b"[1, 2]", "not a trace in ITF"),
        (b'"text"', "not a trace in ITF"),
        (b'{"vars": []}', "not a trace in ITF"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": ' * 100_000, "not JSON (it is nested too deeply)"),
        (b'{"a": 1' + b"0" * 5000 + b"}", "not JSON (a number has 5001 digits"),
        (b'{"a": -Infinity}', "not JSON (-Infinity is not a JSON number"),
        (b'{"#meta": {}, "#meta": {}}', "the name '#meta' is there twice in one object"),
        (b'{"a": "\xed\xa0\x80"}', "not a text file"),
    ],
)
def test_a_file_that_is_no_trace_gets_one_clear_error(tmp_path, contents, message):
    path = tmp_path / "bad.json"
    path.write_bytes(contents)
    result = run("replay", str(path))
    assert result.exit_code == 2
    assert message in flat(result)
    assert "tidegate check PROTOCOL --json FILE" in flat(result)


def test_a_missing_file_gets_one_clear_error(tmp_path):
    assert "No such file" in flat(run("replay", str(tmp_path / "none.json")))
    assert "Is a directory" in flat(run("replay", str(tmp_path)))


def test_a_report_without_a_trace_gets_one_clear_error(tmp_path):
    path = tmp_path / "holds.json"
    run("check", "kip-101", "-b", "records=1", "-q", "--json", str(path))
    result = run("replay", str(path))
    assert result.exit_code == 2
    assert "no trace, since nothing was violated" in flat(result)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_show_tells_the_story_the_rules_the_actions_and_the_verdicts(protocol):
    result = run("show", protocol.name)
    assert result.exit_code == 0
    told = flat(result)
    assert " ".join(protocol.story.split()) in told
    assert "Actions, and what enables each" in told
    assert requirement(guards(protocol.actions[0].apply)[0].test) in told
    shown = json.loads(run("show", protocol.name, "--json").output)
    assert shown["parent"] == (protocol.parent.name if protocol.parent else None)
    assert len(shown["actions"]) == len(protocol.actions)
    assert shown["expected"]


def test_show_names_only_the_rules_that_a_protocol_replaces():
    shown = json.loads(run("show", "kip-320", "--json").output)
    assert {rule["rule"] for rule in shown["rules"]} == {
        "has_new_leader",
        "may_lag",
        "may_serve_fetch",
        "may_serve_epoch_request",
        "raises_hw",
        "finds_low_hw",
    }
    assert run("show", "kip-999").exit_code == 2


def test_show_names_the_older_rules_as_protocols_that_can_be_checked():
    shown = json.loads(run("show", "kip-595", "--json").output)["older_rules"]
    told = flat(run("show", "kip-595"))
    assert "Older rules, each a protocol by this name" in told
    for older in shown:
        assert f"{older['mutant']} {older['what']}" in told
        assert run("check", older["mutant"], "-b", "records=0", "-q").exit_code == 0
    told = {older["mutant"].partition("~")[2]: older["what"] for older in shown}
    mended = told["counts_diverging_fetch = also_if_diverging"]
    assert mended.endswith("diverges (KAFKA-13141).")
    assert "Older rules" not in run("show", "tidegate.examples.published:hw").output
