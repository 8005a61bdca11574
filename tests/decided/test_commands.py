"""Every command says which properties it does not decide, and which it was not requested."""

import json
import re
import shlex

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.invariants import NOT_PROMISED
from tidegate.invariants.broker import PROPERTIES
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of

COUNTER = '''"""A counter that ends, or begins again."""

from dataclasses import dataclass

from tidegate import Fairness, Kind, Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 200, "where it ends")
    resets: int = number(0, 0, 1, "whether it begins again")


class State(Record):
    value: int = integer(0, lambda k: k.most, "what is counted")


def inside(s: State, k: Bounds) -> bool:
    return s.value <= 2


def too_large(s: State, k: Bounds) -> bool:
    return s.value > k.most


model = Model(Bounds, State, deadlock=False, constraint=CONSTRAINT)


@model.action("counter")
def increase(s: State, k: Bounds) -> bool:
    if s.value == k.most:
        return False
    s.value += 1
    return True


@model.action("counter", fairness=Fairness.NONE, when=lambda k: k.resets == 1)
def reset(s: State, k: Bounds) -> bool:
    if s.value == 0:
        return False
    s.value = 0
    return True


@model.invariant("It stays within its bounds.")
def small(s: State, k: Bounds) -> bool:
    return s.value <= k.most


@model.sometimes("It counts.")
def counts(s: State, k: Bounds) -> bool:
    return s.value == 1


@model.liveness(Kind.EVENTUALLY_ALWAYS, "It ends.")
def ends(s: State, k: Bounds) -> bool:
    SLOWLY
    return s.value == k.most


@model.liveness(Kind.LEADS_TO, "It recovers.", premise=too_large)
def recovers(s: State, k: Bounds) -> bool:
    return s.value == 0
'''

PREMISE = "but the premise of Recovers never held"
CONSTRAINED = "behaviors that leave the constraint are not followed"


@pytest.fixture
def counter(tmp_path, monkeypatch):
    """Write the model, with a constraint or without; return its name."""
    monkeypatch.chdir(tmp_path)

    def write(constraint="None", slowly="pass"):
        text = COUNTER.replace("CONSTRAINT", constraint).replace("SLOWLY", slowly)
        (tmp_path / "counter.py").write_text(text)
        return "counter.py"

    return write


def run(*arguments, status):
    """Run a command that ends with this status; return what it prints, in one line."""
    result = CliRunner().invoke(main, [*arguments])
    assert result.exit_code == status, result.output
    return " ".join(result.output.split())


def test_a_plain_check_names_the_liveness_properties_that_hold(counter):
    output = run("check", counter(), "-q", status=0)
    assert "every state satisfies Small" in output
    assert f"every fair behavior satisfies Ends, Recovers, {PREMISE}." in output


def test_a_liveness_property_is_violated_without_being_named(counter):
    output = run("check", counter(), "-b", "resets=1", "-q", status=13)
    assert "Ends is violated: stem of" in output
    assert f"{PREMISE.capitalize().replace('recovers', 'Recovers')}." in output


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_an_engine_notices_that_a_premise_never_held(counter, engine):
    report = json.loads(run("check", counter(), "--engine", engine, "--json", "-", status=0))
    assert report["engine"] == engine
    assert [p["name"] for p in report["properties"] if p["vacuous"]] == ["Recovers"]


def test_what_cannot_be_decided_is_listed_with_its_reason(counter):
    output = run("check", counter("inside"), status=3)
    assert "INCOMPLETE" in output
    assert f"Not decided: Ends, Recovers ({CONSTRAINED})." in output
    assert "every state satisfies Small" in output


def test_the_library_prints_it_as_well(counter):
    checked = tidegate.check(counter("inside"))
    assert checked.undecided == {"Ends": CONSTRAINED, "Recovers": CONSTRAINED}
    assert not checked.holds
    assert "Not decided: Ends, Recovers" in str(checked)


def test_a_limit_beyond_the_last_state_costs_only_what_is_open(counter):
    file = counter(slowly="assert sum(1 for _ in range(3_000_000)) > 0")
    output = run(
        "check", file, "-b", "most=150", "--engine", "interpreted", "--time-limit", "2", status=3
    )
    assert "every state satisfies Small. Not decided: Ends, Recovers (stopped by --time" in output
    assert "Every state was explored. Try a longer --time-limit, or smaller bounds." in output


def test_a_page_says_what_was_not_decided(counter, tmp_path):
    run("check", counter("inside"), "--html", "page.html", status=3)
    page = (tmp_path / "page.html").read_text()
    assert "not decided" in page
    assert f"Ends ({CONSTRAINED}); Recovers ({CONSTRAINED})" in page


def test_a_resumed_search_decides_liveness(counter):
    limited = ("--checkpoint", "kept", "--checkpoint-every", "0", "--max-states", "3")
    stopped = run("check", counter(), "-b", "resets=1", *limited, status=3)
    assert "nothing violates Small, Ends, Recovers so far" in stopped
    output = run("check", "--resume", "kept", "counter.py", "-q", status=13)
    assert "Ends is violated" in output


def test_a_simulation_says_what_no_walk_decides(counter):
    output = run("simulate", counter(), "--walks", "5", "--jobs", "1", status=3)
    assert "nothing violates Small so far" in output
    assert "Not decided: Ends, Recovers (no walk is infinite)." in output


def test_commands_of_single_states_leave_liveness_out(counter):
    assert "3 steps" in run("graph", counter(), status=0)
    assert "needs a terminal" in run("explore", counter(), status=2)


def test_explain_explains_a_violation_of_liveness_that_nobody_named(counter):
    assert "Ends is violated" in run("explain", counter(), "-b", "resets=1", status=0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mutate",), "Not decided: Ends ("),
        (("bounds", "--max", "most=3", "--max", "resets=1"), "Ends is not decided ("),
        (("diff", "counter.py"), "Ends not decided not decided"),
        (("explain",), "nothing is violated"),
    ],
)
def test_a_constraint_leaves_liveness_undecided_in_every_command(counter, arguments, said):
    command, *more = arguments
    status = {"mutate": 0, "explain": 2}.get(command, 3)
    assert said in run(command, counter("inside"), *more, status=status)


def test_a_gate_says_what_to_write_and_that_a_premise_never_held(counter, tmp_path):
    for name, constraint in (("within.py", "inside"), ("free.py", "None")):
        (tmp_path / counter(constraint)).rename(tmp_path / name)
    case = '[[case]]\nprotocols = ["within.py", "free.py"]\nholds = "default"\n'
    (tmp_path / "tidegate.toml").write_text(case)
    written = ("--json", "gate.json", "--summary", "gate.md", "--sarif", "g.sarif")
    files = (*written, "--junit", "gate.xml")
    output = run("gate", *files, status=3)
    repair = 'to gate the others only, write holds = ["Small", "Counts"]'
    assert f"not decided: Ends ({CONSTRAINED}); {repair}" in output
    assert "Recovers: its premise never held" in output
    assert r"Recovers \(its premise never held\)" in (tmp_path / "gate.md").read_text()
    assert 'type="undecided"' in (tmp_path / "gate.xml").read_text()
    kept = json.loads((tmp_path / "gate.json").read_text())["cells"]
    assert {cell["protocol"]: cell["status"] for cell in kept} == {
        "within.py": "limit",
        "free.py": "pass",
    }
    (tmp_path / "tidegate.toml").write_text(case.replace('"default"', '["Small", "Counts"]'))
    assert "PASSED" in run("gate", status=0)


def test_a_gate_knows_from_its_cache_what_was_never_enabled(counter, tmp_path):
    file = counter().replace(".py", "")
    text = (tmp_path / f"{file}.py").read_text().replace("s.value == 0:", "s.value >= 0:")
    (tmp_path / f"{file}.py").write_text(text)
    case = f'[[case]]\nprotocols = ["{file}.py"]\nbounds = ["resets=1"]\nholds = "default"\n'
    (tmp_path / "tidegate.toml").write_text(case)
    for status in ("pass", "cached"):
        run("gate", "--cached", "--json", "gate.json", status=0)
        [cell] = json.loads((tmp_path / "gate.json").read_text())["cells"]
        assert (cell["status"], cell["never_enabled"]) == (status, ["Reset"])


@pytest.mark.parametrize(
    ("protocol", "bounds"),
    [
        ("kip-101", ["records=1", "crashes=1"]),
        ("kip-279", ["records=1", "crashes=0"]),
    ],
)
def test_a_protocol_of_kafka_says_how_many_properties_were_not_requested_for(protocol, bounds):
    searched = ["check", protocol, *(part for bound in bounds for part in ("-b", bound))]
    chosen = find_protocol(protocol)
    every = [prop.name for prop in properties_of(chosen)]
    others = [name for name in every if name not in chosen.default_properties]
    output = run(*searched, status=0)
    asked = f"Not requested: {len(others)} other propert"
    assert asked in output
    listing = re.search(r"To list them: tidegate (.*)", output)[1]
    listed = run(*shlex.split(listing), status=0)
    assert all(name in listed for name in others)
    report = json.loads(run(*searched, "--json", "-", status=0))
    assert report["not_requested"] == others
    assert asked not in run(*searched, "-q", status=0)
    assert "Not requested" not in run(*searched, "-p", "TypeOk", status=0)
    numbers = dict(bound.split("=") for bound in bounds)
    assert asked in str(tidegate.check(protocol, numbers))


def test_a_mutant_and_a_file_say_where_their_properties_are_listed(tmp_path, monkeypatch):
    mutant = next(mutants(find_protocol("kip-101"))).name
    output = run("check", f"kip-101~{mutant}", "--max-states", "5", status=3)
    assert output.endswith("tidegate list properties kip-101")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from dataclasses import replace\n"
        "from tidegate.model import KIP_101\n"
        'MINE = replace(KIP_101, name="mine", parent=KIP_101)\n'
    )
    output = run("check", "mine.py", "--max-states", "5", status=3)
    listing = re.search(r"To list them: tidegate (.*)", output)[1]
    assert "Converges" in run(*shlex.split(listing), status=0)


def test_all_properties_of_kafka_are_all_but_deadlock_and_stuck():
    report = json.loads(
        run("check", "kip-320", "-b", "records=1", "-b", "crashes=0", "-p", "all", "--json", "-",
            status=0)
    )  # fmt: skip
    decided = {prop["name"] for prop in report["properties"] if prop["outcome"] == "holds"}
    others = {"Stuck", "Deadlock", *NOT_PROMISED}
    assert decided == {prop.name for prop in PROPERTIES} - others


def test_all_with_symmetry_names_the_liveness_of_kafka_as_not_decided():
    arguments = ("check", "kip-320", "-b", "records=1", "-b", "crashes=0", "--symmetry")
    output = run(*arguments, "-p", "all", "-q", status=3)
    assert "AckedIsReadable (--symmetry does not follow the steps of each replica)." in output
    run(*arguments, "-q", status=0)


def test_a_custom_model_has_no_such_line(counter):
    assert "Not requested" not in run("check", counter(), status=0)
