"""The published protocols: what they make fair, and TLC's verdicts on their liveness.

The goldens are TLC's, and say which version's.  To ask TLC again, with Java, a tla2tools.jar and a
clone of hachikuji/kafka-specification:

    .venv/bin/python benchmarks/tlc_liveness.py --jar tla2tools.jar --specs kafka-specification

With ``TIDEGATE_TLC_JAR`` and ``TIDEGATE_TLC_SPECS`` a test asks it about one protocol.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.published import NAMES, PUBLISHED
from tidegate.checker.check import check
from tidegate.checker.liveness.formulas import demands_of
from tidegate.core.spec import Kind, Outcome, Property
from tidegate.library.properties import properties_of

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "tlc_liveness.py"
ROWS = json.loads((Path(__file__).parent / "goldens.json").read_text("utf-8"))["rows"]
FORMULAS = (Path(__file__).parent / "tla" / "LastEpoch.tla").read_text("utf-8")

EVENTUALLY = [prop for prop in properties_of(PUBLISHED[0]) if prop.kind.is_liveness]
[STRONG_ISR] = [prop for prop in properties_of(PUBLISHED[0]) if prop.name == "StrongIsr"]


def somebody_leads(s, k):
    return s.partition.leader >= 0


UNPROMISED = (
    Property(
        "SomebodyLeads",
        "Some replica is eventually elected.",
        "",
        somebody_leads,
        lambda s, k: "Nobody is ever elected.",
        Kind.EVENTUALLY,
    ),
    replace(STRONG_ISR, name="StrongIsrReturns", kind=Kind.EVENTUALLY_ALWAYS),
)
"""What no variant promises: these two are not among a user's properties."""

WORDS = {
    "tidegate.examples.published:kip_101": {
        "LastEpochIsApplied": r"replica \d stays in epoch \d, with its log end at 1, the leader's",
    },
    "tidegate.examples.published:kip_320": {
        "CaughtUpFollowerJoins": r"Replica \d is not in the ISR",
        "FollowerAtHwJoins": r"the leader's high watermark is 0, its log end 1",
    },
    "tidegate.examples.published:hw": {
        "FollowersMatch": r"keeps m\d at offset \d, where the leader has m\d",
    },
    "tidegate.examples.published:kip_320_first_try": {
        "IsrIsCommitted": r"the leader's high watermark stays there",
    },
}
"""What is said of a state of the cycle, for some properties."""


@pytest.fixture
def checked(system):
    """Decide all liveness properties of a protocol."""

    def decide(protocol, bounds):
        chosen = system(protocol, bounds, needs=frozenset())
        return check(chosen, (*EVENTUALLY, *UNPROMISED), keep_going=True)

    return decide


@pytest.mark.parametrize("protocol", NAMES)
def test_the_modules_fairness_is_of_actions_as_a_whole(system, protocol):
    assert [str(demand) for demand in demands_of(system(protocol))] == [
        "WF(BecomeLeader)",
        "SF(LeaderExpandIsr)",
        "SF(LeaderWrite)",
        "SF(LeaderIncHighWatermark)",
        "WF(BecomeFollower)",
    ]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=f"{row['protocol']} {row['bounds']}".strip(),
            marks=[pytest.mark.slow] if row.get("slow") else [],
        )
        for row in ROWS
    ],
)
def test_liveness_of_a_published_protocol_is_what_tlc_says(checked, row):
    result = checked(row["protocol"], row["bounds"])
    verdicts = {outcome: [] for outcome in Outcome}
    for verdict in result.verdicts:
        verdicts[verdict.outcome].append(verdict.property.name)
    assert verdicts[Outcome.HOLDS] == row["holds"].split()
    assert verdicts[Outcome.VIOLATED] == row["violated"].split()
    assert result.distinct_states == row["distinct"]


def test_every_property_has_a_formula_and_a_verdict_of_tlc_at_every_bound():
    names = {prop.name for prop in (*EVENTUALLY, *UNPROMISED)}
    assert all({*row["holds"].split(), *row["violated"].split()} == names for row in ROWS)
    assert names <= set(re.findall(r"^(\w+) ==", FORMULAS, re.MULTILINE))


def test_the_properties_tell_the_published_protocols_apart():
    violated = {}
    for row in ROWS:
        violated.setdefault(row["protocol"], set()).update(row["violated"].split())
    assert len({frozenset(names) for names in violated.values()}) == len(violated) == 4


@pytest.mark.parametrize(
    ("protocol", "bounds"),
    [
        ("tidegate.examples.published:kip_101", ""),
        ("tidegate.examples.published:kip_320_first_try", ""),
        pytest.param(
            "tidegate.examples.published:hw", "max_leader_epoch=2", marks=pytest.mark.slow
        ),
        pytest.param(
            "tidegate.examples.published:kip_320", "replicas=3 records=1", marks=pytest.mark.slow
        ),
    ],
)
def test_the_explanation_says_what_never_happens(system, checked, protocol, bounds):
    verdicts = {v.property.name: v for v in checked(protocol, bounds).verdicts}
    for name, pattern in WORDS[protocol].items():
        verdict = verdicts[name]
        assert verdict.trace is not None
        text = system(protocol, bounds, needs=frozenset()).explain(
            verdict.property, verdict.trace.states[-1]
        )
        assert re.search(pattern, text), text


@pytest.fixture
def tlc():
    """Run the script that asks TLC."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, check=False
        )

    return run


def test_tlc_itself_gives_the_golden_verdicts(tlc):
    ready = os.environ.get("TIDEGATE_TLC_JAR") and os.environ.get("TIDEGATE_TLC_SPECS")
    if not ready or not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("set TIDEGATE_TLC_JAR and TIDEGATE_TLC_SPECS, and have Java, to run TLC")
    done = tlc("tidegate.examples.published:kip_101", "")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "TLC says violated" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["kip-320"], "there is no protocol with goldens 'kip-320'"),
        (
            ["tidegate.examples.published:hw", "records=9"],
            "there is no golden of tidegate.examples.published:hw with bounds",
        ),
        (
            ["tidegate.examples.published:hw", "", "--jar", "nowhere.jar"],
            "there is no tla2tools.jar at nowhere.jar",
        ),
    ],
)
def test_the_script_refuses_what_it_cannot_ask_tlc(tlc, arguments, line):
    done = tlc(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
