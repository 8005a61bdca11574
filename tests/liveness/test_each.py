"""A liveness property that is declared once for each participant, or for each pair."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main

MODEL = """\
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    clients: int = number(3, 1, 4, "clients")

class Client(Record):
    waits: bool = boolean("whether it waits for the lock")
    holds: bool = boolean("whether it holds the lock")

class State(Record):
    client: list[Client] = array(lambda k: k.clients, Client, by="client")

model = Model(Bounds, State, participants={"client": lambda k: k.clients})

@model.action("client", fairness=Fairness.NONE)
def ask(s: State, k: Bounds, client: int) -> bool:
    if s.client[client].waits or s.client[client].holds:
        return False
    s.client[client].waits = True
    return True

@model.action("client", fairness=Fairness.FAIR)
def take(s: State, k: Bounds, client: int) -> bool:
    if not s.client[client].waits or any(other.holds for other in s.client):
        return False
    if client == 1 and s.client[2].waits:
        return False
    s.client[client].waits = False
    s.client[client].holds = True
    return True

@model.action("client")
def release(s: State, k: Bounds, client: int) -> bool:
    if not s.client[client].holds:
        return False
    s.client[client].holds = False
    return True

def waits(s: State, k: Bounds, client: int) -> bool:
    return s.client[client].waits

def somebody(s: State, k: Bounds) -> bool:
    return any(one.waits for one in s.client)
"""

EACH = """
@model.liveness(Kind.KIND, "It is so for each.", PREMISEclient="client", explain=
    lambda s, k, client: f"It is {client}.")
def holds(s: State, k: Bounds, client: int) -> bool:
    return PREDICATE
"""

ONE = """
def premise_NUMBER(s: State, k: Bounds) -> bool:
    return waits(s, k, NUMBER)

@model.liveness(Kind.KIND, "It is so for NUMBER.", PREMISE)
def holds_NUMBER(s: State, k: Bounds) -> bool:
    client = NUMBER
    return PREDICATE
"""

CASES = [
    ("WEAK", "LEADS_TO", "s.client[client].holds"),
    ("STRONG", "LEADS_TO", "s.client[client].holds"),
    ("WEAK", "ALWAYS_EVENTUALLY", "not s.client[client].waits"),
    ("STRONG", "ALWAYS_EVENTUALLY", "client != 1 or not s.client[client].waits"),
    ("WEAK", "EVENTUALLY_ALWAYS", "not s.client[client].holds"),
    ("WEAK", "EVENTUALLY", "not s.client[client].waits"),
]


@pytest.fixture
def write(tmp_path):
    def written(text, fair="WEAK", name="each.py"):
        file = tmp_path / name
        file.write_text(MODEL.replace("FAIR)", f"{fair})") + text, "utf-8")
        return str(file)

    return written


def declared(text, kind, predicate, number=""):
    premise = "premise=waits, " if not number else f"premise=premise_{number}, "
    text = text.replace("PREMISE", premise if kind == "LEADS_TO" else "")
    return text.replace("KIND", kind).replace("PREDICATE", predicate).replace("NUMBER", number)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(("fair", "kind", "predicate"), CASES)
def test_it_is_decided_as_one_property_for_each(write, engine, fair, kind, predicate):
    together = write(declared(EACH, kind, predicate), fair)
    apart = write("".join(declared(ONE, kind, predicate, str(n)) for n in range(3)), fair, "one.py")
    found = tidegate.check(together, {}, ["Holds"], engine=engine)
    names = [f"Holds{number}" for number in range(3)]
    each = [tidegate.check(apart, {}, [name], engine=engine) for name in names]
    assert found.holds == all(one.holds for one in each)
    if not found.holds:
        assert found.violated == ("Holds",)
        lengths = [len(one.trace) for one in each if not one.holds]
        first = next(number for number, one in enumerate(each) if not one.holds)
        assert len(found.trace) in lengths
        number = int(str(found).split("Holds is violated. For client=")[1][0])
        assert not each[number].holds
        assert f"For client={number}: It is {number}." in str(found)
        assert len(found.trace) == len(each[number].trace), (first, number)


def test_its_trace_is_replayed_explained_and_judged_by_a_gate(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(declared(EACH, "LEADS_TO", "s.client[client].holds"))
    invoke = CliRunner().invoke
    assert invoke(main, ["check", "each.py", "-p", "Holds", "--json", "t.json"]).exit_code == 13
    again = invoke(main, ["replay", "t.json", "--protocol", "each.py"])
    assert again.exit_code == 0, again.output
    assert "Holds is violated, as recorded" in again.output
    assert "For client=" in again.output
    explained = invoke(main, ["explain", "each.py", "-p", "Holds"])
    assert explained.exit_code == 0, explained.output
    assert "Holds is violated. For client=" in explained.output
    gate = '[[case]]\nprotocols = "each.py"\nviolates = "Holds"\n'
    (tmp_path / "tidegate.toml").write_text(gate, "utf-8")
    judged = invoke(main, ["gate", "--json", "gate.json"])
    assert judged.exit_code == 0, judged.output
    [cell] = json.loads((tmp_path / "gate.json").read_text("utf-8"))["cells"]
    assert cell["properties"][0]["outcome"] == "violated"


def test_fairness_that_it_needs_kills_a_mutant(write, tmp_path):
    file = write(declared(EACH, "LEADS_TO", "s.client[client].holds or client == 1"), "STRONG")
    target = tmp_path / "mutants.json"
    CliRunner().invoke(main, ["mutate", file, "--jobs", "1", "--json", str(target)])
    killed = {one["mutant"]: one["killed_by"] for one in json.loads(target.read_text())["killed"]}
    assert killed["Take: fairness"] == killed["Release: fairness"] == "Holds"


PAIR = """
@model.liveness(Kind.ALWAYS_EVENTUALLY, "One rests.", one="client", two="client", distinct=True)
def rests(s: State, k: Bounds, one: int, two: int) -> bool:
    return not (s.client[one].holds and s.client[two].holds) and one != two
"""


def test_a_pair_is_each_two_of_them(write):
    file = write(PAIR)
    assert tidegate.check(file, {}, ["Rests"]).holds
    found = tidegate.check(write(PAIR.replace(", distinct=True", "")), {}, ["Rests"])
    assert "For one=0, two=0: " in str(found)


def test_without_a_decision_it_is_named_once(write):
    file = write(declared(EACH, "LEADS_TO", "s.client[client].holds"))
    found = tidegate.check(file, {}, store="fingerprint", engine="compiled")
    assert list(found.undecided) == ["Holds"]
    none = write(
        declared(EACH, "LEADS_TO", "s.client[client].holds")
        .replace("premise=waits", "premise=never")
        .replace("\n@model", "\ndef never(s, k):\n    return False\n\n@model")
    )
    text = str(tidegate.check(none, {}, ["Holds"]))
    assert "the premise of Holds never held" in " ".join(text.split())


@pytest.mark.parametrize("engine", ["auto", "interpreted", "compiled"])
@pytest.mark.parametrize("where", ["holds", "waits"])
def test_its_predicate_and_its_premise_are_in_the_language(write, where, engine):
    there, outside = f"return s.client[client].{where}", "return 0 not in {True: 1}.popitem()"
    text = declared(EACH, "LEADS_TO", "s.client[client].holds")
    file = Path(write(text))
    file.write_text(file.read_text("utf-8").replace(there, outside), "utf-8")
    assert outside in file.read_text("utf-8")
    with pytest.raises(tidegate.TidegateError, match=r"has no popitem in the language of models"):
        tidegate.check(str(file), {}, engine=engine)


WRONG = {
    'client="client"': ('client="clint"', "or a kind of participant (client)"),
    'PREMISEclient="client"': ('other="client"', "has no parameter other; it has client"),
    'client="client", ': ("client=lambda s, k: s.client, ", "cannot depend on the state"),
}


@pytest.mark.parametrize("old", WRONG)
def test_a_wrong_declaration_is_named(write, old):
    new, text = WRONG[old]
    source = EACH.replace(old, new)
    done = CliRunner().invoke(main, ["check", write(declared(source, "EVENTUALLY", "True"))])
    assert done.exit_code != 0
    assert text in " ".join(done.output.split())


def test_the_page_shows_what_happens(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "eventually.md").read_text("utf-8")
    shown = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    [whole] = [block for block in shown if "def lock_is_taken" in block]
    [each] = [block for block in shown if "def served" in block]
    file = tmp_path / "lock.py"
    file.write_text(f"{whole}\n\n{each}", "utf-8")
    found = tidegate.check(str(file), {}, ["Served", "OneRests"], keep_going=True)
    assert found.violated == ("Served",)
    said = "Served is violated. For client=1: Client 1 waits for ever."
    assert said in str(found)
    assert said in page
