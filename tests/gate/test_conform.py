"""``[[conform]]``: how it is read, judged and reported.  tests/brokers runs real brokers for it."""

import json

import pytest

from tests.gate.test_document import errors_in
from tests.gate.test_reports import OPTIONS, validate_sarif, validated_junit
from tidegate.brokers.report import Difference, ForcedBehavior, ForcedStep, Observed, Report
from tidegate.conform.conformance import Conformance, Departure
from tidegate.core.spec import Step, Trace
from tidegate.gate.cells import Brokers, Cell, Expectation
from tidegate.gate.document import read
from tidegate.gate.judge import judge_replay, judge_walks
from tidegate.gate.reports.document import document
from tidegate.gate.reports.github import workflow_commands
from tidegate.gate.reports.junit import junit
from tidegate.gate.reports.sarif import sarif
from tidegate.gate.reports.summary import summary
from tidegate.gate.results import CellOutcome, PropertyOutcome, Ran, Shown, Status, status_of

FILE = """
[defaults]
tier = "nightly"
seconds = 50
bounds = "records=2"

[[conform]]
kafka = "build/libs"
protocol = "hw"
bounds = "records=1  crashes=2"
property = "NoCommittedRecordLost"
expect = "diverges at  step 9"

[[conform]]
title = "a saved one"
kafka = "build/libs"
trace = "traces/loss.json"
expect = "reproduces"
tier = "pr"

[[conform]]
kafka = "build/libs"
walks = 20
seed = 12
expect = "agrees"
optional = true
seconds = 900

[[case]]
protocols = "hw"
holds = "TypeOk"
"""


def test_a_conform_case_is_one_cell_and_comes_after_those_that_search(project):
    searched, *conforming = read(project.write("tidegate.toml", FILE))
    assert searched.brokers is None
    shortest, saved, walks = conforming
    assert (shortest.protocol, shortest.bounds) == ("hw", "records=1 crashes=2")
    assert shortest.brokers == Brokers("build/libs", property="NoCommittedRecordLost")
    assert shortest.expectations == (Expectation("diverges", steps=9),)
    assert (shortest.tier, shortest.limits.seconds, shortest.line) == ("nightly", 50, 7)
    assert saved.brokers == Brokers("build/libs", trace="traces/loss.json")
    assert (saved.expectations, saved.tier) == ((Expectation("reproduces"),), "pr")
    assert walks.brokers == Brokers("build/libs", walks=20, steps=25, seed=12, optional=True)
    assert walks.expectations == (Expectation("agrees"),)
    assert (walks.limits.seconds, walks.line) == (900, 21)


def test_bounds_of_the_defaults_are_not_those_of_walks(project):
    [*_, walks] = read(project.write("tidegate.toml", FILE))
    assert walks.bounds == ""


HEAD = '[[conform]]\nkafka = "libs"\n'
WALKS = f'{HEAD}expect = "agrees"\nwalks = 3\n'
LOSS = f'{HEAD}expect = "reproduces"\nprotocol = "hw"\nproperty = "NoAckedRecordLost"\n'

ERRORS = [
    (f"{WALKS}step = 3", 5, "there is no key 'step'; did you mean steps?"),
    (f"{WALKS}protocols = 'hw'", 5, "there is no key 'protocols'; did you mean protocol"),
    (f"{WALKS}steps = 0", 5, "steps = 0 is not valid; write an integer from 1 to 1,000"),
    (f"{WALKS}steps = true", 5, "steps = true is not valid; write an integer from 1 to 1,000"),
    (f"{WALKS}seed = -1", 5, "seed = -1 is not valid; write an integer of at least 0"),
    (f"{WALKS}optional = 'yes'", 5, 'optional = "yes" is not valid; write true or false'),
    (f"{WALKS}tier = 'daily'", 5, "there is no tier 'daily'"),
    (f"{WALKS}bounds = ['records=1']", 5, 'bounds = ["records=1"] is not valid; write a string'),
    (f"{WALKS}bounds = 'record=1'", 5, "there is no bound 'record'; did you mean records"),
    (f"{WALKS}protocol = 'kip-32'", 5, "there is no protocol 'kip-32'; did you mean kip-320"),
    (f"{WALKS}protocol = ''", 5, 'protocol = "" is empty; name one, or leave it out'),
    (f"{WALKS}memory = '2G'", 5, "memory belongs to property, and this case has walks; remove"),
    (f"{WALKS}trace = 'loss.json'", 5, "trace and walks exclude each other; keep one of them"),
    (
        WALKS.replace("= 3", "= 0"),
        4,
        "walks = 0 is not valid; write an integer from 1 to 1,000,",
    ),
    (WALKS.replace("agrees", "agree"), 3, 'expect = "agree" is not valid; write "reproduces", "di'),
    (
        WALKS.replace("agrees", "diverges at step 0"),
        3,
        '"diverges at step 0" is not valid',
    ),
    (WALKS.replace("agrees", "diverges"), 3, 'expect = "diverges" is not valid'),
    (
        WALKS.replace("agrees", "reproduces"),
        3,
        'property or trace; of walks, expect "agrees"',
    ),
    (WALKS.replace('"libs"', '" "'), 2, "a conform case needs kafka, the directory of a distribut"),
    (WALKS.replace('"libs"', "3"), 2, "kafka = 3 is not valid; write a string"),
    (WALKS.replace('kafka = "libs"\n', ""), 1, 'such as kafka = "build/libs"'),
    (f'{HEAD}expect = "agrees"', 1, "a conform case needs property, trace or walks"),
    (f"{HEAD}walks = 3", 1, 'a conform case needs expect: "reproduces", "diverges at step N" or'),
    (f"{LOSS}steps = 3", 6, "steps belongs to walks, and this case has property; remove steps"),
    (LOSS.replace("reproduces", "agrees"), 3, 'expect = "agrees" needs walks; of a property'),
    (LOSS.replace('protocol = "hw"\n', ""), 1, "a conform case with property needs protocol"),
    (LOSS.replace("NoAcked", "NoAckd"), 5, "no property 'NoAckdRecordLost'; did you mean NoAcked"),
    (LOSS.replace("NoAckedRecordLost", "all"), 5, 'property = "all" is not a single property'),
    (f'{HEAD}expect = "reproduces"\ntrace = ""', 4, 'trace = "" is empty; name the file'),
    (
        f'{HEAD}expect = "reproduces"\ntrace = "loss.json"\nbounds = "records=1"',
        5,
        "bounds belongs to property or walks, and this case has trace; remove bounds",
    ),
    (
        LOSS + LOSS.replace("reproduces", "diverges at step 9"),
        8,
        "libs, hw, default bounds, NoAckedRecordLost: diverges at step 9, but line 1 expects: rep",
    ),
    ("conform = [3]", 1, "3 is not a case; start each case with [[conform]]"),
    ("[conform]\nwalks = 3", 1, "write cases, each as [[conform]]"),
]


@pytest.mark.parametrize(("text", "line", "expected"), ERRORS)
def test_a_configuration_error_is_named_with_its_line(project, text, line, expected):
    [(number, said)] = errors_in(project, text)
    assert number == line
    assert expected in said


MISSING = """
[[conform]]
kafka = "build/libs"
walks = 3
expect = "agrees"
OPTIONAL

[[case]]
protocols = "kip-320"
bounds = "records=0"
holds = "TypeOk"
"""


def test_a_missing_distribution_is_an_error_that_names_the_repair(project):
    report = project.gate(MISSING.replace("OPTIONAL", ""), *OPTIONS, status=70)
    searched, conforming = report["cells"]
    assert (searched["status"], conforming["status"]) == ("pass", "error")
    [finding] = conforming["findings"]
    assert "optional = true" in finding["text"]
    assert finding["place"] == {"file": "tidegate.toml", "line": 2, "what": "the case"}
    root = validated_junit((project.path / "gate.xml").read_text())
    assert (root.get("failures"), root.get("errors")) == ("0", "1")


def test_an_optional_case_is_skipped_where_its_distribution_is_missing(project):
    text = MISSING.replace("OPTIONAL", "optional = true")
    report = project.gate(text, *OPTIONS, status=0)
    assert report["counts"] == {"pass": 1, "skipped": 1}
    assert report["output"].index("pass ") < report["output"].index("skipped build/libs")
    assert "PASSED 2 cells: 1 passed, 1 skipped" in report["output"]
    root = validated_junit((project.path / "gate.xml").read_text())
    [skipped] = root.findall(".//skipped")
    assert skipped.get("message").startswith("skipped: ")
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    log = json.loads((project.path / "gate.sarif").read_text())
    validate_sarif(log)
    assert log["runs"][0]["results"] == []
    done = project.start("gate", GITHUB_ACTIONS="true")
    assert "::notice file=tidegate.toml,line=2," in done.stdout


def test_conform_cases_can_be_listed_and_chosen(project):
    text = MISSING.replace("OPTIONAL", "optional = true")
    shown = project.gate(text, "--list", "-k", "AGREES", status=0)["output"]
    assert shown == "pr      build/libs  3 walks of 25 steps, seed 0  agrees  tidegate.toml:2\n"
    chosen = project.gate(text, "-k", "build/libs", status=0)
    assert [cell["status"] for cell in chosen["cells"]] == ["skipped"]


BEHAVIOR = ForcedBehavior({}, tuple(ForcedStep("Crash", {"broker": n}, {}) for n in range(3)), {})


def replayed(differs_at=None):
    """Return what brokers made of three steps."""
    report = Report("9.9.9")
    for number in range(1, 4):
        different = (Difference("broker 0: log", "m0", "nothing"),)
        report.steps.append(Observed(number, different if number == differs_at else ()))
        if number == differs_at:
            break
    if differs_at == 0:
        report.steps = [Observed(0, (Difference("broker 0: role", "leads", "follows"),))]
    return report


@pytest.mark.parametrize(
    ("step", "differs_at", "said"),
    [
        (0, None, None),
        (2, 2, None),
        (0, 2, "Kafka 9.9.9 diverges at step 2 of 3, Crash(broker=1); expected: reproduces; "),
        (
            3,
            2,
            "Kafka 9.9.9 diverges at step 2 of 3, Crash(broker=1); expected: diverges",
        ),
        (1, None, "Kafka 9.9.9 follows all 3 steps; expected: diverges at step 1"),
        (0, 0, "Kafka 9.9.9 differs before the first of 3 steps; expected: reproduces; "),
        (1, 0, "Kafka 9.9.9 differs before the first of 3 steps; expected: diverges at step 1; "),
    ],
)
def test_a_replay_passes_only_where_the_brokers_diverge_as_expected(step, differs_at, said):
    expected = Expectation("diverges", steps=step) if step else Expectation("reproduces")
    findings = judge_replay(expected, BEHAVIOR, replayed(differs_at))
    if said is None:
        assert findings == []
    else:
        [finding] = findings
        assert finding.text.startswith(said)
        assert status_of(findings) is Status.FAILED


def test_walks_pass_only_where_none_differs_and_all_were_taken():
    done = Conformance("9.9.9", complete=True, walks=5, steps=60)
    assert judge_walks(done, "") == []
    assert status_of(judge_walks(done, "stopped by the limit of 9 s")) is Status.LIMITED
    steps = tuple(Step("Crash", ("broker",), (n,)) for n in range(3))
    done.departures.append(Departure(4, Trace(((), (), ()), steps[:2]), replayed(2), again=False))
    findings = judge_walks(done, "stopped by the limit of 9 s")
    assert findings[0].text == (
        "Kafka 9.9.9 differs in walk 4, at step 2, Crash(broker=1), but not a second time; "
        "expected: agrees; broker 0: log: the model says m0, Kafka 9.9.9 has nothing"
    )
    assert findings[1].text == (
        "not decided: stopped by the limit of 9 s, after 5 walks and 60 steps"
    )
    assert status_of(findings) is Status.FAILED


def test_every_report_of_a_conform_case_names_the_divergence():
    brokers = Brokers("libs", property="NoAckedRecordLost")
    cell = Cell("hw", "", (Expectation("reproduces"),), brokers=brokers, line=7)
    findings = judge_replay(cell.expectations[0], BEHAVIOR, replayed(2))
    shown = Shown(
        "reproduces", 3, "the steps", "# The steps", {"states": []}, label="replayed trace"
    )
    seen = [PropertyOutcome("reproduces", "reproduces", "diverges", 2)]
    outcome = CellOutcome(
        cell, Status.FAILED, findings, seen, traces=[shown], ran=Ran("9.9.9", steps=2)
    )
    [failure] = validated_junit(junit([outcome])).findall("testsuite/testcase/failure")
    assert failure.get("message").startswith("Kafka 9.9.9 diverges at step 2 of 3")
    assert "the steps" in failure.text
    log = sarif([outcome])
    validate_sarif(log)
    [result] = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("brokers", "error")
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    [line] = workflow_commands([outcome])
    assert line.startswith("::error file=tidegate.toml,line=7,")
    text = summary([outcome])
    assert "| FAIL | libs | hw, default bounds, NoAckedRecordLost | reproduces | 2 steps |" in text
    assert "replayed trace: 3 steps" in text
    [written] = document([outcome], "tidegate.toml", "pr", 1.0)["cells"]
    assert written["conform"] == {
        "kafka": "libs",
        "property": "NoAckedRecordLost",
        "trace": "",
        "walks": 0,
        "steps": 25,
        "seed": 0,
        "expect": "reproduces",
        "optional": False,
        "forced": {"version": "9.9.9", "walks": 0, "steps": 2},
    }
