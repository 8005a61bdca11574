"""Conditions within the actions of a custom model are mutated, too."""

import json
import re

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol

MODEL = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(3, 1, 9, "the largest number")

class State(Record):
    bit: int = integer(0, 1, "the bit that is due")
    sent: int = integer(0, 1, "the bit of the message")
    taken: int = integer(0, lambda k: k.most, "messages that were taken")
    lost: bool = boolean("whether a message was taken twice")

model = Model(Bounds, State, deadlock=False, survivors={"Send: if s.sent == 5, left out": "never"})

@model.action("sender")
def send(s: State, k: Bounds) -> bool:
    if s.taken == k.most:
        return False
    s.sent = s.taken & 1
    if s.sent == 5:
        s.lost = False
    return True

@model.action("receiver", bit=lambda k: range(2))
def receive(s: State, k: Bounds, bit: int) -> bool:
    if s.taken == k.most or bit != s.sent:
        return False
    if bit == s.bit:
        s.taken += 1
        s.bit = 1 - bit
    elif s.taken > k.most:
        return False
    s.lost = s.bit != s.taken & 1
    return True

@model.invariant("The bit that is due is that of the number of messages that were taken.")
def in_step(s: State, k: Bounds) -> bool:
    return not s.lost and s.bit == s.taken & 1
"""


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "bit.py"
    file.write_text(MODEL, "utf-8")
    return str(file)


def test_every_condition_makes_two_mutants_every_guard_one_and_each_part_one(file):
    names = [mutant.name for mutant in mutants(find_protocol(file)) if not mutant.unfair]
    assert names == [
        "Send: s.taken == k.most",
        "Receive: s.taken == k.most or bit != s.sent",
        "Receive: s.taken == k.most or bit != s.sent, without s.taken == k.most",
        "Receive: s.taken == k.most or bit != s.sent, without bit != s.sent",
        "Send: if s.sent == 5, left out",
        "Send: if s.sent == 5, negated",
        "Receive: if bit == s.bit, left out",
        "Receive: if bit == s.bit, negated",
        "Receive: if s.taken > k.most, left out",
        "Receive: if s.taken > k.most, negated",
    ]


def test_a_condition_that_is_left_out_is_always_taken_and_a_refusal_never(file):
    """Where the bit is not asked for, a message is taken again; both engines say how often."""
    every = {mutant.name: mutant.protocol for mutant in mutants(find_protocol(file))}
    counts = {}
    for name in ("if bit == s.bit, left out", "if s.taken > k.most, left out"):
        found = {
            tidegate.check(every[f"Receive: {name}"], {}, ["TypeOk"], engine=engine).distinct_states
            for engine in ("interpreted", "compiled")
        }
        [counts[name]] = found
    plain = tidegate.check(file, {}, ["TypeOk"]).distinct_states
    assert counts["if s.taken > k.most, left out"] == plain != counts["if bit == s.bit, left out"]


def test_the_command_reports_conditions_and_says_why_a_survivor_may_survive(file, tmp_path):
    target = tmp_path / "mutants.json"
    done = CliRunner().invoke(main, ["mutate", file, "--jobs", "1", "--json", str(target)])
    assert done.exit_code == 0, done.output
    document = json.loads(target.read_text("utf-8"))
    survived = {fate["mutant"]: fate["note"] for fate in document["survived"]}
    assert survived["Send: if s.sent == 5, left out"] == "never"
    assert "Receive: if s.taken > k.most, left out" in survived
    assert "Receive: if bit == s.bit, left out" in {fate["mutant"] for fate in document["killed"]}


LOCK = """\
from dataclasses import dataclass
from tidegate import Model, Record, number, set_of

@dataclass(frozen=True)
class Bounds:
    clients: int = number(2, 1, 5, "clients")

class State(Record):
    saw_it_free = set_of(lambda k: k.clients, "clients that saw the lock free")
    holders = set_of(lambda k: k.clients, "clients that hold the lock")

model = Model(Bounds, State, participants={"client": lambda k: k.clients})

@model.action("client")
def look(s: State, k: Bounds, client: int) -> bool:
    if not s.holders:
        s.saw_it_free.add(client)
    return not s.holders

@model.action("client")
def take(s: State, k: Bounds, client: int) -> bool:
    if client in s.saw_it_free:
        s.holders.add(client)
    return client in s.saw_it_free

@model.invariant("At most one client holds the lock.")
def exclusive(s: State, k: Bounds) -> bool:
    return len(s.holders) <= 1
"""


def test_a_mutant_that_writes_before_it_answers_not_enabled_is_killed(tmp_path):
    """As ``check`` refuses it; what it wrote would be in the state of the next action."""
    (tmp_path / "lock.py").write_text(LOCK, "utf-8")
    done = CliRunner().invoke(main, ["mutate", str(tmp_path / "lock.py")])
    assert done.exit_code == 0, done.output
    output = " ".join(done.output.split())
    failing = "answered 'not enabled' after writing"
    for name, step in (
        ("Look: if not s.holders, left out", f"Look(client=1) {failing} saw_it_free"),
        ("Take: if client in s.saw_it_free, left out", f"Take(client=0) {failing} holders"),
        ("Take: if client in s.saw_it_free, negated", f"Take(client=0) {failing} holders"),
    ):
        assert f"killed {name} -- fails: {step}" in output


@pytest.mark.parametrize("command", ["bounds", "diff", "graph", "simulate"])
def test_every_search_of_such_a_model_is_watched(command, tmp_path, monkeypatch):
    """Unwatched, an action would begin in a state that another one had written to."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lock.py").write_text(LOCK, "utf-8")
    early = LOCK.replace("    if not s.holders:\n        s", "    s")
    assert early != LOCK
    (tmp_path / "early.py").write_text(early, "utf-8")
    before = ["lock.py"] if command == "diff" else []
    # A walk ends at the first violation.
    after = ["-p", "TypeOk"] if command == "simulate" else []
    done = CliRunner().invoke(main, [command, *before, "early.py", *after])
    assert done.exit_code not in (0, 12), done.output
    said = " ".join(f"{done.output} {done.stderr}".split())
    assert re.search(r"Look\(client=[01]\) answered 'not enabled' after writing saw_it_free", said)
    assert "an engine is wrong" not in said


def test_a_note_on_a_mutant_that_there_is_not_is_refused(file):
    with open(file, encoding="utf-8") as text:
        model = text.read()
    with open(file, "w", encoding="utf-8") as text:
        text.write(model.replace("s.sent == 5, left", "s.sent == 6, left"))
    done = CliRunner().invoke(main, ["mutate", file])
    assert done.exit_code == 2
    assert "no mutant in survivors= 'Send: if s.sent == 6, left out'" in done.output


def test_a_mutant_of_a_condition_is_checked_by_its_name(file):
    name = f"{file}~Receive: if bit == s.bit, left out"
    assert CliRunner().invoke(main, ["check", name, "-q"]).exit_code == 12


PARTS = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    pass

class State(Record):
    a: int = integer(0, 3, "one")
    b: int = integer(0, 3, "another")

model = Model(Bounds, State, deadlock=False)

@model.action("it")
def step(s: State, k: Bounds) -> bool:
    if s.a == 3 or not (s.a == s.b and s.b != 2) or s.a == 3:
        return False
    if s.a == 1 and (s.b == 3 or not s.b):
        s.b = 0
    s.a += 1
    s.b += 1
    return True
"""


def test_each_part_of_nested_and_negated_conditions_is_left_out(tmp_path):
    file = tmp_path / "parts.py"
    file.write_text(PARTS, "utf-8")
    every = {one.name: one.protocol for one in mutants(find_protocol(str(file)))}
    guard = "s.a == 3 or not (s.a == s.b and s.b != 2) or s.a == 3"
    inner = "if s.a == 1 and (s.b == 3 or not s.b)"
    assert [name for name in every if ", without " in name] == [
        f"Step: {guard}, without s.a == 3",
        f"Step: {guard}, without not (s.a == s.b and s.b != 2)",
        f"Step: {guard}, without s.a == 3 (2)",
        f"Step: {guard}, without s.a == s.b",
        f"Step: {guard}, without s.b != 2",
        f"Step: {inner}, without s.b == 3",
        f"Step: {inner}, without not s.b",
    ]
    weaker = every[f"Step: {guard}, without s.b != 2"]
    counts = [tidegate.check(one, {}, ["TypeOk"]).distinct_states for one in (str(file), weaker)]
    assert counts == [3, 4]


LIVE = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    jobs: int = number(2, 1, 4, "jobs")

class State(Record):
    printed: list[bool] = array(lambda k: k.jobs, boolean("whether a job is printed"), by="job")
    turn: int = integer(0, lambda k: k.jobs - 1, "the job whose turn it is")

model = Model(Bounds, State, participants={"job": lambda k: k.jobs}, deadlock=False)

@model.action("job")
def print_it(s: State, k: Bounds, job: int) -> bool:
    if s.turn != job:
        return False
    s.printed[job] = True
    if job < k.jobs - 1:
        s.turn = job + 1
    return True

@model.invariant("Jobs are printed in turn.")
def in_turn(s: State, k: Bounds) -> bool:
    return all(s.printed[job] for job in range(s.turn))

@model.liveness(Kind.EVENTUALLY, "Every job is printed.")
def is_printed(s: State, k: Bounds) -> bool:
    return all(s.printed)
"""


@pytest.mark.parametrize("chosen", [[], ["-p", "IsPrinted"]])
def test_a_liveness_property_kills_a_mutant_that_no_invariant_notices(tmp_path, chosen):
    file = tmp_path / "jobs.py"
    file.write_text(LIVE, "utf-8")
    stuck = "PrintIt: if job < k.jobs - 1, negated"
    done = CliRunner().invoke(main, ["mutate", str(file), *chosen, "--json", str(tmp_path / "j")])
    killed = {fate["mutant"]: fate for fate in json.loads((tmp_path / "j").read_text())["killed"]}
    assert killed[stuck]["killed_by"] == "IsPrinted", done.output
    checked = CliRunner().invoke(main, ["check", f"{file}~{stuck}", "-p", "IsPrinted"])
    assert checked.exit_code == 13, checked.output
