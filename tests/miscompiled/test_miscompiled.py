"""Wrong machine code is found before it answers, also where it is wrong in one state only."""

import re
from functools import cache
from itertools import count

import pytest

from tests.miscompiled.cases import HERE, Case
from tests.miscompiled.defects import functions
from tests.miscompiled.laboratory import by_chance, prepare, tried
from tidegate.checker.check import check
from tidegate.checker.compiled import tiers, verification
from tidegate.core.interrupts import LimitReachedError, Stop, Stopped
from tidegate.core.result import Resources
from tidegate.core.spec import Outcome
from tidegate.library.selection import assemble

ONE_BIT = r"%every = bitcast <64 x i1> %set to i64\n  %all = and i64 %every, 4611686018427387903"

AT_MOST = (
    r"  %most\1 = icmp eq i8 \2, {most}\n  %less\1 = sub i8 \2, 1\n"
    r"  %read\1 = select i1 %most\1, i8 %less\1, i8 \2\n  %r\1 = zext i8 %read\1 to i64"
)

CELLS = {
    "a sum below 500 is at most 500": (
        ("sums", ""), r"asked\.form\.lose\$", r"icmp slt (i64 %r\d+, 500)",
        r"icmp sle \1",
    ),
    "a field at its maximum reads as one less": (
        ("sums", ""), r"asked\.form\.lose\$", r"  %r(\d+) = zext i8 (%r\d+) to i64",
        AT_MOST.format(most=-6),
    ),
    "a clock at its maximum reads as one less": (
        ("leases", "nodes=2 time=10"), r"asked\.form\.look\$",
        r"  %r(\d+) = zext i8 (%r\d+) to i64",
        AT_MOST.format(most=10),
    ),
    "the remainder of a negative is negative": (
        ("remainders", "most=60"), r"form\.(left|right)\$",
        r"select i1 (%r\d+), i64 (%r\d+), i64 (%r\d+)", r"select i1 false, i64 \2, i64 \3",
    ),
    "a negative quotient is cut off": (
        ("remainders", "most=60"), r"form\.mirror\$", r"icmp slt (i64 %r\d+), 0",
        r"icmp slt \1, -100",
    ),
    "the last round is left out": (
        ("rounds", "most=9 weight=4"), r"form\.add\$", r"icmp sgt (i64 %r\d+), 8",
        r"icmp sgt \1, 9",
    ),
    "a product has eight bits": (
        ("rounds", "most=3 weight=17"), r"form\.add\$", r"  %r(\d+) = mul i64 (.*)",
        r"  %wide\1 = mul i64 \2\n  %r\1 = and i64 %wide\1, 255",
    ),
    "at least is more than": (
        ("rounds", "most=9 weight=4"), r"(asked\.)?form\.grow\$", r"icmp sge ", "icmp sgt ",
    ),
    "at most is less than": (
        ("leases", "nodes=2 time=10"), r"(asked\.)?form\.(grant|look|use)\$", r"icmp sle ",
        "icmp slt ",
    ),
    "one state in 64 takes no step": (
        ("sums", "most=120"), r"instance\.", r"%all = bitcast <64 x i1> %set to i64", ONE_BIT,
    ),
    "one state in 64 of a broker takes no step": (
        ("kip-320", "records=1 elections=2"), r"instance\.",
        r"%all = bitcast <64 x i1> %set to i64", ONE_BIT,
    ),
    "a level without a state is not the end": (
        ("leases", "nodes=2 time=10"), r"expand_levels\$", r"icmp sle (i64 %r\d+, 0)",
        r"icmp slt \1",
    ),
    "64 states take no step if the last of them could": (
        ("examples/lamport_mutex.py", "clock=4"), r"instance\.1$", r"icmp eq i64 %left, 0",
        r"icmp sle i64 %left, 0",
    ),
    "a state beyond the last one of a group takes a step": (
        ("kip-595", "records=1 crashes=1 replicas=3"), r"guards\.27$",
        r"icmp ult i64 %r\d+, %count", r"icmp ult i64 %each.number, %count",
    ),
    "a property that alone is violated holds": (
        ("sums", "most=120"), r"keep_violations\$",
        r"(and i64 %r\d+, 1\n.*\n  br i1 %r\d+), label %(\w+), label %(\w+)",
        r"\1, label %\3, label %\2",
    ),
    "a violation is kept of a property that is decided": (
        ("kip-101", "records=1 crashes=1"), r"keep_violations\$", r"and i64 (%r\d+), (%r\d+)\n",
        r"or i64 \1, 0\n",
    ),
    "the state with the greatest fingerprint is kept": (
        ("kip-101", "records=1 crashes=1"), r"note\$", r"icmp ult ", "icmp ugt ",
    ),
}  # fmt: skip
"""Defects that a comparison of samples of the search did not find, each in a model it is wrong in:
the function, what is changed there, and to what."""

CHANCE = [
    Case("leases", f"{HERE}/leases.py", "nodes=2 time=6", tier="second", optimise_from=200),
    Case("leases", f"{HERE}/leases.py", "nodes=2 time=6 span=2"),
    Case("paxos", "examples/paxos.py", "values=1"),
    Case("hw", "hw", "records=1 crashes=1", keep_going=True),
    Case(
        "published",
        "tidegate.examples.published:kip_320",
        "replicas=3 records=1 max_leader_epoch=1",
        symmetry=True,
    ),
]


prepared = cache(prepare)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    """Keep no wrong code for other tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/none")


@pytest.fixture
def unconfirmed(monkeypatch):
    """Have no search made again in Python, as if it were a large one."""
    monkeypatch.setattr(verification, "SMALL", 0)
    monkeypatch.setattr(verification, "BEGUN", 0.0)


def changed(text, function, pattern, replacement):
    """Return the text with every match changed in the functions of that name."""
    lines = text.split("\n")
    for name, body in functions(lines):
        if re.match(function, name):
            part = "\n".join(lines[body.start : body.stop])
            text = text.replace(part, re.sub(pattern, replacement, part))
    return text


LIKE_OTHERS = (
    "a clock at its maximum reads as one less",
    "a negative quotient is cut off",
    "at least is more than",
    "one state in 64 of a broker takes no step",
)
"""What is found as another one of these defects is, in a model of its own."""


@pytest.mark.usefixtures("unconfirmed")
@pytest.mark.parametrize(
    "cell",
    [pytest.param(cell, marks=[pytest.mark.slow] * (cell in LIKE_OTHERS)) for cell in CELLS],
)
def test_a_defect_that_samples_did_not_find_is_found(monkeypatch, cell):
    # A machine that does other work takes longer for as many questions.
    monkeypatch.setattr(verification, "PROBED", 3 * verification.PROBED)
    (model, bounds), function, pattern, replacement = CELLS[cell]
    path = f"{HERE}/{model}.py" if model.isalpha() else model
    subject = prepared(Case(model, path, bounds))
    wrong = changed(subject.text, function, pattern, replacement)
    assert wrong != subject.text
    end, answer = tried(subject, lambda text, second: text if second else wrong)
    assert end == "found", answer


REPRESENTATIVES = {
    "a comparison that decides for few": (r"icmp ne (i64 %r\d+), 2", r"icmp ule \1, 2"),
    "a bit that decides between replicas that are alike before": (
        r"(and i64 %r\d+, 4294967296\n  %r\d+ = lshr i64 %r\d+), 7", r"\1, 6"
    ),
}  # fmt: skip


@pytest.mark.usefixtures("unconfirmed")
@pytest.mark.parametrize("defect", REPRESENTATIVES)
def test_a_wrong_representative_is_found(defect):
    """It is wrong for the permutations of a few states only."""
    bounds = "records=1 crashes=1 replicas=3"
    subject = prepared(Case("symmetric", "kip-595", bounds, symmetry=True))
    wrong = changed(subject.text, "canonical", *REPRESENTATIVES[defect])
    assert wrong != subject.text
    end, answer = tried(subject, lambda text, second: text if second else wrong)
    assert end == "found", answer


@pytest.mark.usefixtures("unconfirmed")
def test_no_defect_ends_in_a_wrong_answer():
    ends = [by_chance(prepared(case), seed=2) for case in CHANCE]
    assert [end for end in ends if end["end"].startswith("wrong")] == []
    # Whether one of them changes nothing that the search needs is chance, too.
    assert "found" in {end["end"] for end in ends}, ends


def test_a_small_search_is_made_again_in_python(monkeypatch):
    """Whatever else is left out: the states that machine code loses are not lost."""
    for name in ("_count", "code"):
        monkeypatch.setattr(verification.Verification, name, lambda self: None)
    subject = prepared(CHANCE[1])
    lines = subject.text.split("\n")
    [body] = [body for name, body in functions(lines) if name.startswith("sift")]
    part = "\n".join(lines[body.start : body.stop])
    # Every successor counts as met before.
    wrong = subject.text.replace(
        part, re.sub(r"icmp ne i64 (%r\d+), (%r\d+)", r"icmp ne i64 \1, \1", part)
    )
    end, answer = tried(subject, lambda text, second: wrong)
    assert wrong != subject.text
    assert end == "found", answer


@pytest.mark.parametrize(
    ("small", "named", "times"),
    [
        (0, ["Inv"], 1),
        (verification.SMALL, ["Inv"], 0),
        (verification.SMALL, ["TerminationIsDetected"], 1),
    ],
)
def test_what_python_has_found_again_does_not_depend_on_the_code(
    monkeypatch, tmp_path, small, named, times
):
    """Unless its steps are listed afterwards, for a liveness property."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = []
    monkeypatch.setattr(verification, "SMALL", small)
    monkeypatch.setattr(verification, "BEGUN", 0.0)
    run = verification.Probes.run
    monkeypatch.setattr(
        verification.Probes, "run", lambda self, reached: asked.append(self) or run(self, reached)
    )
    system, properties = assemble("examples/ewd840.py", ["nodes=2"], named)
    assert check(system, properties, resources=Resources(engine="compiled")).complete
    assert len(asked) == times


@pytest.mark.usefixtures("unconfirmed")
def test_the_code_of_both_tiers_is_verified_once(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(tiers, "PATIENCE", 60.0)
    monkeypatch.setattr(tiers, "WORTH", 0.0)
    asked = []
    run = verification.Probes.run
    monkeypatch.setattr(
        verification.Probes, "run", lambda self, reached: asked.append(self) or run(self, reached)
    )
    system, properties = assemble(f"{HERE}/leases.py", ["nodes=2", "time=6", "span=2"], [])
    properties = [prop for prop in properties if prop.kind.is_of_state]
    resources = Resources(engine="compiled", optimise_from=200)
    for times in (2, 2):
        check(system, properties, resources=resources)
        assert len(asked) == times
        assert len(list(tmp_path.rglob("*.verified"))) == 2


@pytest.mark.usefixtures("unconfirmed")
def test_states_that_cost_python_long_leave_time_for_others(monkeypatch, tmp_path):
    """Each costs a hundredth of a second by this clock: of half a second no more than is there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    now, asked, made = [0.0], [], []
    ask, one = verification.Probes._ask, verification.MadeUp.one
    monkeypatch.setattr(verification, "thread_time", lambda: now[0])

    def take_long(self, state):
        now[0] += 0.01
        asked.append(state)
        ask(self, state)

    def note(self):
        made.append(one(self))
        return made[-1]

    monkeypatch.setattr(verification.Probes, "_ask", take_long)
    monkeypatch.setattr(verification.MadeUp, "one", note)
    system, properties = assemble("kip-101", ["records=1"], [])
    result = check(system, properties, resources=Resources(engine="compiled"))
    assert result.distinct_states > 1000
    assert now[0] <= verification.PROBED
    reached = [state for state in asked if state not in made]
    assert 20 <= len(reached) <= 26
    assert len(asked) - len(reached) >= 8


@pytest.mark.usefixtures("unconfirmed")
@pytest.mark.parametrize(("limit", "asked"), [(Stop.TIME_LIMIT, 500), (Stop.INTERRUPT, 1500)])
def test_what_was_made_up_is_no_sample_of_a_search_that_is_stopped_meanwhile(
    monkeypatch, asked, limit
):
    """In such states Python may read the last element where machine code says violated."""
    made = verification.MadeUp.one
    calls = count()
    # A slow machine makes up just as many.
    monkeypatch.setattr(verification, "thread_time", lambda: 0.0)

    def one(self):
        if next(calls) == asked:
            raise LimitReachedError(Stopped(limit))
        return made(self)

    monkeypatch.setattr(verification.MadeUp, "one", one)
    system, properties = assemble("kip-101", ["records=1"], [])
    result = check(system, properties, resources=Resources(engine="compiled"))
    assert next(calls) > asked
    assert (result.outcome, result.stopped_by.by) == (Outcome.INCOMPLETE, limit)
