"""``tidegate check`` and ``tidegate list`` as their users meet them."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.waiting import use_processor
from tidegate.cli import main
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.properties import properties_of
from tidegate.model import PROTOCOLS

SMALL = ["-b", "records=1", "-b", "crashes=1"]


def run(*arguments, **options):
    """Run the command line in this process."""
    return CliRunner().invoke(main, arguments, **options)


def flat(result):
    """Return what was printed, without line breaks."""
    return " ".join(result.output.split())


def tidegate(*arguments, **options):
    """Start the command line as its own process."""
    command = [sys.executable, "-m", "tidegate", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, **options)


def test_hw_loses_a_committed_record_and_says_how():
    result = run("check", "hw")
    assert result.exit_code == 12
    assert "VIOLATED hw, replicas=2, records=2, elections=1, crashes=2" in result.output
    assert "NoCommittedRecordLost is violated. Record m0 was committed" in result.output
    assert re.search(r"^ 12 BecomeLeader ", result.output, re.MULTILINE)


def test_kip_101_holds_at_the_same_bounds():
    result = run("check", "kip-101")
    assert result.exit_code == 0
    assert result.output.startswith("HOLDS kip-101, replicas=2, records=2")
    assert "all states within the bounds; exact" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["check", "kip-101", *SMALL], 0),
        (["check", "hw", "-b", "acks=1"], 12),
        (["check", "hw", *SMALL, "-b", "elections=0", "-p", "Deadlock"], 0),
        (["check", "hw", "-b", "crashes=1", "-b", "replicas=1", "-p", "Deadlock"], 11),
        (["check", "hw", "--max-states", "10"], 3),
        (["check", "hw", "--max-depth", "3"], 3),
        (["check", "hw", "--time-limit", "0.001", "-b", "records=3"], 3),
        (["check", "hw", "--max-states", "200", "-b", "acks=1"], 12),
        (["check"], 2),
        (["check", "nosuch"], 2),
        (["check", "hw", "-p", "NoSuch"], 2),
        (["check", "hw", "-p", "all", "-p", "none"], 2),
        (["check", "hw", "--engine", "nosuch"], 2),
        (["check", "hw", "--max-states", "0"], 2),
        (["check", "hw", "--time-limit", "-1"], 2),
        (["list"], 0),
        (["--version"], 0),
    ],
)
def test_exit_status(arguments, status):
    result = run(*arguments)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "kip101"], "no protocol 'kip101'; did you mean kip-101"),
        (["check", "hw", "-p", "LogMaching"], "no property 'LogMaching'; did you mean LogMatching"),
        (["check", "tidegate.examples.published:hw", "-p", "LogMatching"], "LogMatchingEverywhere"),
        (["check", "hw", "-b", "record=3"], "no bound 'record'; did you mean records"),
        (["check", "hw", "-b", "records"], "write it with a value, as records=VALUE"),
        (["check", "hw", "-b", "records=many"], "'many' is not a whole number; give one within"),
        (["check", "hw", "-b", "records=1, moves=on"], "'1, moves=on' is not a whole number; each"),
        (["check", "hw", "-b", "records=99"], "99 is out of range; give a number within 0..12"),
        (["check", "hw", "-b", "records=1", "-b", "records=2"], "records is set twice"),
        (["check", "hw", "-b", "moves=perhaps"], "'perhaps' is not one of its values; choose"),
        (["check", "hw", "-b", "acks=2"], "choose 0, 1, all"),
        (["check", "hw", "-b", "min_isr=3"], "min_isr=3 can never be met by replicas=2"),
        (["check", "hw", "-b", "log_size=5"], "log_size=5 exceeds records=2"),
        (["check", "hw", "--json", "/no/such/place.json"], "cannot write"),
    ],
)
def test_bad_input_gets_one_clear_error(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    flat = " ".join(result.output.split())
    assert message in flat
    assert "Traceback" not in flat


def test_options_are_written_as_people_write_them():
    for spelling in ("moves", "moves=on", "moves=true", "moves=1"):
        result = run("check", "kip-101", *SMALL, "-b", spelling, "-q")
        assert "moves=true" in result.output
    assert run("check", "HW", "-b", "acks=ALL", *SMALL, "-p", "typeok").exit_code == 0


def test_json_has_everything(tmp_path):
    path = tmp_path / "report.json"
    assert run("check", "hw", "--json", str(path)).exit_code == 12
    report = json.loads(path.read_text())
    assert report["protocol"] == "hw"
    assert report["bounds"]["replicas"] == "2"
    assert report["bounds"]["acks"] == "all"
    assert report["engine"] == "interpreted"
    assert report["outcome"] == "violated"
    assert report["exact"] is True
    assert report["collision_probability"] == 0
    assert report["depth"] == 13
    assert report["distinct_states"] < report["generated_states"]
    assert report["generated_states"] == sum(report["actions"].values())
    assert report["seconds"] > 0
    by_name = {prop["name"]: prop for prop in report["properties"]}
    assert by_name["NoCommittedRecordLost"]["outcome"] == "violated"
    assert by_name["NoCommittedRecordLost"]["steps"] == 12
    assert by_name["LogMatching"]["outcome"] == "incomplete"
    assert by_name["LogMatching"]["steps"] is None
    assert list(tmp_path.iterdir()) == [path], "nothing half-written is left behind"


def test_a_device_or_a_pipe_is_written_and_stays_what_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with tidegate("check", "kip-101", *SMALL, "-q", "--json", str(pipe)) as process:
        assert json.loads(pipe.read_text())["outcome"] == "holds"
        assert process.wait(30) == 0
    assert pipe.is_fifo()


def test_a_link_keeps_pointing_at_the_report(tmp_path):
    target, link = tmp_path / "report.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    run("check", "kip-101", *SMALL, "--json", str(link))
    assert link.is_symlink()
    assert json.loads(target.read_text())["outcome"] == "holds"
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_gets_one_clear_error():
    result = run("check", "kip-101", *SMALL, "--json", "/dev/full")
    assert result.exit_code == 2
    assert "--json '/dev/full': cannot write (No space left on device)" in flat(result)
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "tidegate", "check", "hw"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert process.returncode == 12
    assert "cannot write the output: No space left on device" in process.stderr


def test_undecided_properties_are_named():
    output = flat(run("check", "hw", "-p", "Stuck", "-p", "NoCommittedRecordLost", "-q"))
    assert "Not decided: Stuck (without --continue)." in output


def test_json_on_standard_output_is_all_there_is():
    result = run("check", "kip-101", *SMALL, "--json", "-")
    assert json.loads(result.stdout)["outcome"] == "holds"
    assert json.loads(result.stdout)["trace"] is None


def raw_numbers(value):
    """Yield the numbers that are written as JSON numbers."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name != "#meta":
                yield from raw_numbers(part)
    elif isinstance(value, list):
        for part in value:
            yield from raw_numbers(part)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value


def test_the_trace_is_itf():
    """The form of Apalache's ADR-015."""
    trace = json.loads(run("check", "hw", "--json", "-").stdout)["trace"]
    assert trace["#meta"]["format"] == "ITF"
    assert trace["#meta"]["protocol"] == "hw"
    assert len(trace["states"]) == 13
    for index, state in enumerate(trace["states"]):
        assert state["#meta"]["index"] == index
        assert set(state) == {"#meta", *trace["vars"]}
    assert list(raw_numbers(trace["states"])) == []
    assert trace["states"][0]["partition"] == {
        "leader": {"#bigint": "0"},
        "epoch": {"#bigint": "0"},
        "isr": {"#set": [{"#bigint": "0"}, {"#bigint": "1"}]},
        "replicas": {"#set": []},
        "adding": {"#set": []},
        "removing": {"#set": []},
        "fenced": {"#set": []},
        "elr": {"#set": []},
        "last_known_leader": {"#bigint": "-1"},
    }
    assert trace["states"][-1]["#meta"]["action"] == "BecomeLeader"
    assert trace["states"][-1]["#meta"]["arguments"] == {"leader": 1, "epoch": 1}


def test_continue_reports_every_property():
    result = run("check", "hw", "--continue")
    assert result.exit_code == 12
    for name in ("NoCommittedRecordLost", "NoAckedRecordLost", "LogMatching"):
        assert f"the shortest behavior that violates {name}" in result.output


def test_all_and_none():
    report = json.loads(run("check", "kip-101", *SMALL, "-p", "all", "--json", "-").stdout)
    others = ["OneFailureLeavesCandidate", "Stuck", "Deadlock"]
    every = [p.name for p in PROPERTIES if p.name not in others]
    assert [p["name"] for p in report["properties"]] == every
    assert report["not_requested"] == others
    nothing = run("check", "kip-101", *SMALL, "-p", "none")
    assert "no property was checked; all states were explored" in " ".join(nothing.output.split())


def test_quiet_prints_the_verdict_only():
    assert len(run("check", "kip-101", *SMALL, "-q").output.split("\n\n")) == 1
    assert run("check", "hw", "-q").output.startswith("VIOLATED hw")


@pytest.mark.parametrize(
    ("columns", "environment"),
    [("80", {}), ("160", {"FORCE_COLOR": "1"}), ("80", {"NO_COLOR": "1"})],
)
def test_a_trace_fits_its_terminal(columns, environment):
    env = {**os.environ, "COLUMNS": columns, **environment}
    process = tidegate("check", "hw", env=env)
    output, errors = process.communicate()
    assert process.returncode == 12
    assert errors == ""
    assert ("\x1b[" in output) == ("FORCE_COLOR" in environment)
    for line in output.splitlines():
        if "\x1b[" not in line:
            assert len(line) <= int(columns)


@pytest.mark.parametrize("columns", [60, 80])
def test_no_width_loses_a_word(columns):
    """Whatever the width, the same words are there: folded, or as a list, but never cropped."""
    settings = ["-b", "replicas=3", "-b", "crashes=1", "-b", "records=1"]
    arguments = ["check", "kip-320", *settings, "-p", "HighWatermarkMonotonic"]
    output = CliRunner(env={"COLUMNS": str(columns)}).invoke(main, arguments).output
    assert max(map(len, output.splitlines())) <= columns
    table = output.split("HighWatermarkMonotonic is violated.")[0]
    letters = "".join(table.split())
    assert (letters.count("m0(e0)"), letters.count("HW")) == (17, 29)


def test_three_replicas_fit_in_80_columns_whole():
    """Nothing is cropped: a line that is cut off would end in half a word."""
    settings = ["-b", "replicas=3", "-b", "crashes=1", "-b", "records=1", "-b", "acks=1"]
    output = run("check", "kip-320", *settings).output
    assert "broker 2" in output.splitlines()[2]
    assert re.search(r"leads e1 isr\s", output)
    for line in output.splitlines():
        assert len(line) <= 80
        assert not line.rstrip().endswith(("follows", "follows 0", "follows 0 e", "hw"))


def test_a_narrow_terminal_gets_a_list():
    narrow = run("check", "kip-101", "-b", "replicas=5", "-b", "acks=1", "-b", "records=1")
    assert re.search(r"^3\. Elect\(broker=\d\)$", narrow.output, re.M)
    assert re.search(r"^   broker \d: leads e1 isr", narrow.output, re.M)


def test_full_shows_every_variable():
    output = run("check", "hw", "-b", "acks=1", "--full").output
    assert "* aux_acked[0] = [epoch |-> 0, offset |-> 0]" in output
    assert "4. BecomeLeader(leader=1, epoch=1)" in output


def test_list_names_everything():
    output = run("list", "--all").output
    for protocol in PROTOCOLS:
        assert protocol.name in output
    for word in ("NoCommittedRecordLost", "stale_leader_and_isr", "late_request", "1..5"):
        assert word in output
    listed = json.loads(run("list", "--json").output)
    assert {p["name"] for p in listed["protocols"]} == {p.name for p in PROTOCOLS}
    for protocol in PROTOCOLS:
        names = [p["name"] for p in listed["properties"]]
        assert {p.name for p in properties_of(protocol)} <= set(names)


def test_help_shows_examples_and_exit_status():
    for arguments in (["--help"], ["check", "--help"]):
        output = run(*arguments).output
        assert "Examples:" in output
        assert "a safety property is violated" in output


def test_ctrl_c_reports_what_was_covered():
    process = tidegate("check", "kip-320", "-b", "replicas=4", "-b", "records=4")
    use_processor(process, 2)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert "INCOMPLETE" in output
    assert "stopped by an interrupt" in " ".join(output.split())
    assert "Traceback" not in errors


def test_a_closed_pipe_is_silent():
    with tidegate("check", "hw") as process:
        process.stdout.close()
        assert process.stderr.read() == ""


def test_an_unwritable_file_is_found_before_the_search(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    result = run("check", "kip-320", "-b", "replicas=5", "--json", str(folder))
    assert result.exit_code == 2


def test_an_internal_error_shows_no_traceback(monkeypatch):
    def fail(*arguments, **options):
        raise RuntimeError("broken")

    monkeypatch.setattr("tidegate.checker.check.check", fail)
    result = run("check", "hw")
    assert result.exit_code == 70
    assert "internal error: RuntimeError: broken" in result.output


def test_debug_watches_every_action():
    assert run("check", "hw", *SMALL, "--debug").exit_code in (0, 12)


@pytest.mark.parametrize("limit", [["--max-depth", "6"], ["--max-states", "300"]])
def test_what_was_covered_before_a_limit_is_said_and_true(limit):
    """All states of the behaviors that it says were covered are among those that were found."""
    output = " ".join(run("check", "kip-320", *limit).output.split())
    [steps] = re.findall(r"Every behavior of at most (\d+) steps was covered", output)
    states = int(re.findall(r"([\d,]+) distinct states", output)[0].replace(",", ""))
    upto = ["check", "kip-320", "--max-depth", str(int(steps) + 1), "--json", "-"]
    assert json.loads(run(*upto).output)["distinct_states"] <= states
    assert f"Try a larger {limit[0]}" in output


def test_how_many_states_are_left_is_estimated_once_levels_shrink():
    """Never before, since the largest level may be still to come; within a factor of 2 after it."""
    [every] = [json.loads(run("check", "kip-320", "-p", "TypeOk", "--json", "-").output)]
    assert every["states_left"] is None
    upto = ["check", "kip-320", "-p", "TypeOk", "--json", "-", "--max-depth"]
    assert json.loads(run(*upto, "12").output)["states_left"] is None
    for depth in ("18", "22"):
        report = json.loads(run(*upto, depth).output)
        left = every["distinct_states"] - report["distinct_states"]
        assert left / 2 < report["states_left"] < left * 2
    shown = flat(run("check", "kip-320", "-p", "TypeOk", "--max-depth", "18"))
    assert "Levels are shrinking; if they go on like this, about 1,000 states are left." in shown
