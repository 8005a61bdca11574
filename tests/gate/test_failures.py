"""Each way in which a cell can fail, provoked for real; the other cells still run."""

import pytest

PASSES = "[[case]]\nprotocols = 'tidegate.examples.async_isr:async_isr'\nholds = 'TypeOk'\n"
"""A cell that passes; it stands after those that fail."""

HW = "[[case]]\nprotocols = 'hw'\nbounds = 'records=1'\n"
"""The beginning of a cell that violates NoCommittedRecordLost."""


def only(report):
    """Return the first cell of a report; the one after it must have passed."""
    first, second = report["cells"]
    assert second["status"] == "pass"
    return first


def kinds(cell):
    return [finding["kind"] for finding in cell["findings"]]


def test_a_property_is_violated_that_must_hold(project):
    text = f"{HW}holds = 'NoCommittedRecordLost'\n"
    report = project.gate(text + PASSES, status=1)
    cell = only(report)
    assert (cell["status"], kinds(cell)) == ("fail", ["violated"])
    assert cell["findings"][0]["text"] == (
        "NoCommittedRecordLost is violated after 12 steps; expected: holds"
    )
    assert len(cell["traces"][0]["states"]) == 13
    assert "the shortest behavior that violates NoCommittedRecordLost, 12" in report["output"]


def test_a_violation_has_stopped_appearing(project):
    text = f"{HW}violates = 'NoCommittedRecordLost'\n".replace("hw", "kip-101")
    cell = only(project.gate(text + PASSES, status=1))
    assert (cell["status"], kinds(cell)) == ("fail", ["not violated"])
    assert "holds in all" in cell["findings"][0]["text"]


def test_the_wrong_property_is_violated(project):
    text = f"{HW}violates = 'EpochLogMatching'\n"
    cell = only(project.gate(text + PASSES, status=1))
    assert kinds(cell) == ["not violated", "other property"]
    assert cell["findings"][1]["text"].startswith(
        "instead NoCommittedRecordLost is violated after 12 steps"
    )


def test_a_violation_takes_more_steps_than_it_may(project):
    text = f"{HW}violates = {{ NoCommittedRecordLost = 11 }}\n"
    cell = only(project.gate(text + PASSES, status=1))
    assert (cell["status"], kinds(cell)) == ("fail", ["longer"])
    assert len(cell["traces"]) == 1


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        ("states = 1555", "distinct states: 1,556, 1 more than the pinned 1,555"),
        ("states = 1557", "distinct states: 1,556, 1 fewer than the pinned 1,557"),
        ("depth = 99", "depth: 24, 75 fewer than the pinned 99"),
    ],
)
def test_a_pinned_count_has_changed(project, pin, said):
    text = "[[case]]\nprotocols = 'kip-320'\nbounds = 'records=1'\nholds = 'default'\n"
    cell = only(project.gate(f"{text}{pin}\n{PASSES}", status=1))
    assert (cell["status"], kinds(cell)) == ("fail", ["count"])
    assert cell["findings"][0]["text"] == said


def test_pins_speak_of_all_states_also_where_something_must_be_violated(project):
    pins = "states = 353\ndepth = 12\n"
    text = (
        "[[case]]\nprotocols = 'tidegate.examples.published:hw'\nbounds = 'records=1'\n"
        "violates = { WeakIsr = 8 }\n"
    )
    project.gate(text + pins, status=0)


def test_the_time_is_up(project):
    large = "bounds = 'replicas=3 records=3 elections=3'\nseconds = 0.5\nengine = 'interpreted'\n"
    text = f"[[case]]\nprotocols = 'kip-320'\n{large}holds = 'default'\n"
    cell = only(project.gate(text + PASSES, status=3))
    assert (cell["status"], set(kinds(cell))) == ("limit", {"limit"})
    assert "stopped by the limit of 0.5 s" in cell["findings"][0]["text"]


@pytest.mark.parametrize(
    "engine", [pytest.param("interpreted", marks=pytest.mark.slow), "compiled"]
)
def test_the_memory_is_used_up(project, engine):
    large = f"bounds = 'replicas=3 records=3 elections=3'\nmemory = '64M'\nengine = '{engine}'\n"
    text = f"[[case]]\nprotocols = 'kip-320'\n{large}holds = 'TypeOk'\n"
    cell = only(project.gate(text + PASSES, status=3))
    assert cell["status"] == "limit"
    assert "stopped by the limit of 64M of memory" in cell["findings"][0]["text"]


def test_a_wrong_verdict_counts_more_than_a_limit_or_an_error(project):
    wrong = f"{HW}holds = 'NoCommittedRecordLost'\n"
    project.write("empty.py", "")
    gone = "[[case]]\nprotocols = 'empty.py'\nholds = 'default'\n"
    assert project.gate(gone + PASSES, status=70)
    assert project.gate(gone + wrong, status=1)


def errors(project, body, settings="bounds = 'records=1'\n", name="own.py"):
    """Return the only finding of a cell whose protocol has a rule with this body."""
    project.own(name, body)
    text = f"[[case]]\nprotocols = '{name}'\nstalled = 1\nholds = 'LogMatching'\n{settings}"
    cell = only(project.gate(text + PASSES, status=70))
    assert (cell["status"], kinds(cell)) == ("error", ["error"])
    return cell["findings"][0]


MISTAKES = [
    ("raise ValueError('no')", 10, "HandleFetch(leader=0, follower=1) failed with ValueError: no"),
    ("while True:\n    pass", 11, "handle_fetch(leader=0, follower=1) has not ended after 1 s"),
    ("s.replica[0].hw = 2\nreturn True", 10, "wrote a value out of range: replica[0].hw is 2"),
    ("s.replica[0].hw = 1\nreturn False", 10, "answered 'not enabled' after writing replica[0].hw"),
    ("raise SystemExit(4)", 10, "HandleFetch(leader=0, follower=1) failed with SystemExit: 4"),
]


@pytest.mark.parametrize(("body", "line", "said"), MISTAKES)
def test_an_action_of_an_own_protocol_misbehaves(project, body, line, said):
    finding = errors(project, body)
    assert said in finding["text"]
    assert finding["place"]["file"] == "own.py"
    # The loop is on either of its two lines when somebody looks.
    assert finding["place"]["line"] in ((10, 11) if "while" in body else (line,))


def test_a_process_that_ends_without_a_word(project):
    finding = errors(project, "outside('import os; os.kill(os.getpid(), 9)')\nreturn False")
    assert "its process ended with signal 9" in finding["text"]


@pytest.mark.parametrize("elections", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_loop_in_machine_code_is_found_and_named(project, elections):
    """The compiled engine is used from the first state on, and one that hangs says nothing."""
    body = f"while s.partition.epoch >= {elections}:\n    pass\nreturn True"
    finding = errors(project, body, "engine = 'compiled'\n")
    assert "handle_fetch(leader=0, follower=1) has not ended after 1 s" in finding["text"]
    assert finding["place"]["file"] == "own.py"


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("\nx = (\n", 2, "own.py cannot be imported: SyntaxError: '(' was never closed"),
        ("\nimport nonsense\n", 2, "No module named 'nonsense'"),
        ("x = 1\n", 1, "own.py defines no Protocol"),
        ("\nwhile True: pass\n", 2, "the import of the file has not ended after 1 s"),
    ],
)
def test_a_file_that_cannot_be_imported(project, source, line, said):
    project.write("own.py", source)
    text = "[[case]]\nprotocols = 'own.py'\nholds = 'default'\nstalled = 1\n"
    [finding] = only(project.gate(text + PASSES, status=70))["findings"]
    assert said in finding["text"]
    assert (finding["place"]["file"], finding["place"]["line"]) in (
        ("own.py", line),
        ("tidegate.toml", 1),
    )


def test_what_an_own_protocol_prints_does_not_mix_with_a_report(project):
    file = project.own("own.py", "return s.replica[leader].epoch == epoch")
    file.write_text(f"{file.read_text()}\nprint('noise')\n")
    project.write(
        "tidegate.toml", "[[case]]\nprotocols = 'own.py'\nbounds = 'records=0'\nholds = 'TypeOk'\n"
    )
    done = project.start("gate", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{\n")
    assert "noise" not in done.stdout
