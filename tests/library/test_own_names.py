"""The names of properties and bounds are the user's, those of built-in properties among them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tidegate import TidegateError, check, simulate
from tidegate.checker.check import check as search
from tidegate.checker.simulate import walk
from tidegate.cli import main
from tidegate.core.spec import Kind
from tidegate.library.names import find_protocol
from tidegate.library.properties import properties_of

MODEL = '''\
"""Steps."""
from dataclasses import dataclass, field

from tidegate import Kind, Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 5, "nodes", main=True)
    last: int = number(2, 1, 9, "the last step")


class State(Record):
    at: list[int] = array(lambda k: k.nodes, integer(0, 2, "steps"), by="node", by_replica=True)


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)


@model.action("node")
def step(s: State, k: Bounds, node: int) -> bool:
    """Take a step."""
    if s.at[node] == k.last:
        return False
    s.at[node] += 1
    return True


@model.invariant("There are few steps.", explain=lambda s, k: f"There are {sum(s.at)} steps.")
def few(s: State, k: Bounds) -> bool:
    return sum(s.at) <= 3
'''

NAMES = {
    "type_ok": "TypeOk",
    "TypeOk": "TypeOk",
    "typeok": "Typeok",
    "deadlock": "Deadlock",
    "assertion": "Assertion",
    "stuck": "Stuck",
    "OneFailureLeavesCandidate": "OneFailureLeavesCandidate",
}

DEADLOCKING = MODEL.replace(", deadlock=False", "")
ASSERTING = MODEL.replace("    s.at[node] +=", "    assert s.at[node] < 1\n    s.at[node] +=")
WAYS = {"as it is": MODEL, "with deadlocks": DEADLOCKING, "with assertions": ASSERTING}
HOW = {
    "python, all violations": {"engine": "interpreted", "keep_going": True},
    "python, symmetry": {"engine": "interpreted", "symmetry": True},
    "machine code, all violations": {"engine": "compiled", "keep_going": True},
    "machine code, symmetry": {"engine": "compiled", "symmetry": True, "keep_going": True},
    "spark": {"engine": "spark", "keep_going": True},
}


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)), env={"COLUMNS": "200"})


@pytest.fixture
def named(tmp_path):
    """Write a model in which something is called otherwise."""

    def write(name, text=MODEL, old="few"):
        file = tmp_path / f"{name}_{len([*tmp_path.iterdir()])}.py"
        file.write_text(text.replace(f"def {old}(", f"def {name}("))
        return file

    return write


def said(checked):
    """What a search says, but for names."""
    steps = [(step.action, step.arguments, str(step.state)) for step in checked.trace]
    return checked.holds, checked.distinct_states, checked.depth, steps, len(checked.violated)


@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_property_of_any_name_gives_the_same_verdicts(request, named, how, text):
    if how["engine"] == "spark":
        request.getfixturevalue("java")
    plain = check(str(named("few", text)), {}, **how)
    assert plain.violated
    for name, shown in NAMES.items():
        checked = check(str(named(name, text)), {}, **how)
        assert said(checked) == said(plain)
        assert (shown in checked.violated) == ("Few" in plain.violated)
        if shown in checked.violated:
            assert "There are 4 steps." in str(checked)


@pytest.mark.parametrize(("way", "name"), [("deadlocks", "deadlock"), ("assertions", "assertion")])
def test_what_the_built_in_property_means_is_decided_all_the_same(named, way, name):
    """Of these models the built-in property is violated, and the user's, which is weak, holds."""
    file = named(name, WAYS[f"with {way}"].replace("<= 3", "<= 9"))
    for engine in ("interpreted", "compiled"):
        checked = check(str(file), {}, engine=engine)
        assert checked.violated == (f"built-in-{NAMES[name]}",)
        assert not checked.holds
    ended = run("check", file, "--json", "-")
    assert ended.exit_code == (11 if name == "deadlock" else 12)
    verdicts = {one["name"]: one["outcome"] for one in json.loads(ended.stdout)["properties"]}
    assert verdicts[f"built-in-{NAMES[name]}"] == "violated"
    walked = simulate(str(file), {}, walks=200, steps=30, seed=1)
    assert walked.violated == (f"built-in-{NAMES[name]}",)


@pytest.mark.parametrize("name", ["type_ok", "few"])
@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("properties", [[], ["none"], ["all"]])
def test_a_write_out_of_range_is_refused_whatever_the_properties(named, name, engine, properties):
    file = named(name, MODEL.replace("<= 3", "<= 9"))
    with pytest.raises(TidegateError, match=r"at\[\d\] is 3, declared 0..2"):
        check(str(file), {"last": 9}, properties, engine=engine)


@pytest.mark.parametrize("name", ["assertion", "few"])
def test_a_system_that_is_asked_for_assertions_decides_them_by_any_name(named, name):
    protocol = find_protocol(str(named(name, ASSERTING)))
    [prop] = (one for one in properties_of(protocol) if one.kind is Kind.ASSERTION)
    found = search(protocol.system(protocol.within([])), [prop])
    assert found.first.property is prop
    walked = walk(protocol.system(protocol.within([])), [prop], seed=1, number=1, longest=9)
    assert prop.name in walked.violated


def test_only_properties_of_the_users_are_named_as_not_requested(named):
    for name in ("type_ok", "deadlock"):
        report = run("check", named(name), "-b", "nodes=1", "-p", "none", "--json", "-").stdout
        assert json.loads(report)["not_requested"] == [NAMES[name]]


def test_every_property_of_the_users_is_one_of_all(named):
    text = MODEL.replace("deadlock=False", 'deadlock=False, default_properties=("TypeOk",)')
    for name in ("few", "OneFailureLeavesCandidate"):
        assert check(str(named(name, text)), {}).holds
        assert check(str(named(name, text)), {}, ["all"]).violated


def test_every_command_takes_the_name_for_the_users(named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = named("type_ok")
    for command in (["list", "properties"], ["show"]):
        listed = run(*command, file).output
        assert "There are few steps." in listed
        assert "built-in-TypeOk" in listed
    for name in ("TypeOk", "typeok"):
        ended = run("check", file, "-p", name, "--json", "trace.json")
        assert ended.exit_code == 12
        assert "There are 4 steps." in ended.output
    assert "TypeOk is violated at the end" in run("replay", "trace.json", "--protocol", file).output
    assert "There are 4 steps." in run("explain", file, "-p", "TypeOk").output
    killed = run("mutate", file, "-p", "TypeOk", "--within", "nodes=2")
    assert "built-in" not in killed.output
    assert killed.exit_code in (0, 1)
    bounds = run("bounds", file, "-p", "TypeOk")
    assert "nodes=2" in bounds.output
    assert run("check", file, "-p", "built-in-typeok").exit_code == 0
    known = run("check", file, "-p", "nope").output
    assert "Few" not in known
    assert "TypeOk, built-in-TypeOk, Deadlock" in known


def test_a_gate_takes_the_name_for_the_users(named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few, deadlock = named("type_ok"), named("deadlock", DEADLOCKING)
    own = named("assertion", ASSERTING.replace("< 1", "< 9"))
    failing = named("assertion", ASSERTING.replace("<= 3", "<= 9"))
    cases = [
        (few, "violates = { TypeOk = 4 }\nholds = ['built-in-TypeOk', 'Deadlock']", 1),
        (few, "violates = { TypeOk = 4 }\nholds = ['built-in-TypeOk']", 0),
        (few, "holds = 'default'", 1),
        (few, "bounds = 'nodes=1'\nholds = 'all'", 0),
        (deadlock, "bounds = 'nodes=1'\nholds = 'default'", 1),
        (deadlock, "bounds = 'nodes=1'\nholds = ['Deadlock']\nviolates = ['built-in-Deadlock']", 0),
        (own, "violates = ['Assertion']", 0),
        (failing, "violates = ['built-in-Assertion']", 0),
        (failing, "holds = ['Assertion']", 1),
    ]
    for file, lines, status in cases:
        Path("tidegate.toml").write_text(f"[[case]]\nprotocols = ['{file.name}']\n{lines}\n")
        ended = run("gate")
        assert ended.exit_code == status, (lines, ended.output)
    line = failing.read_text().partition("assert")[0].count("\n") + 1
    assert (
        f"built-in-Assertion is violated after 1 step; expected: holds ({failing.name}:{line}"
        in (ended.output)
    )


def test_a_search_that_goes_on_knows_it_by_its_name(named, tmp_path):
    file, kept = named("deadlock", DEADLOCKING.replace("<= 3", "<= 9")), tmp_path / "kept"
    assert run("check", file, "--checkpoint", kept, "--max-depth", 2).exit_code == 3
    ended = run("check", file, "--resume", kept)
    assert ended.exit_code == 11
    assert "built-in-Deadlock is violated after 6 steps" in ended.output


@pytest.mark.parametrize(
    ("declaration", "arguments", "holds"),
    [
        ('sometimes("All arrive.")', "s, k", True),
        ('liveness(Kind.EVENTUALLY, "All arrive.")', "s, k", True),
        ('liveness(Kind.EVENTUALLY, "Each arrives.", node="node")', "s, k, node", True),
    ],
)
@pytest.mark.parametrize("name", ["type_ok", "deadlock"])
def test_a_property_of_any_kind_may_have_the_name(named, declaration, arguments, holds, name):
    head, _, _ = MODEL.partition("@model.invariant")
    body = "s.at[node] == k.last" if "node" in arguments else "sum(s.at) == k.last * k.nodes"
    text = f"{head}@model.{declaration}\ndef few({arguments}):\n    return {body}\n"
    for engine in ("interpreted", "compiled"):
        checked = check(str(named(name, text)), {"nodes": 2}, engine=engine)
        assert checked.holds is holds
        assert NAMES[name] in str(checked)


@pytest.mark.parametrize("name", ["default", "Default", "ALL", "None_"])
def test_a_word_that_chooses_properties_is_not_a_name(named, name):
    with pytest.raises(TidegateError, match=rf"no property can be called {name}: .*; rename it"):
        check(str(named(name)), {})


def test_a_protocol_of_kafka_may_declare_one_too(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(
        "from dataclasses import replace\n"
        "from tidegate import Property\n"
        "from tidegate.model import PROTOCOLS\n"
        "def short(s, k):\n    return s.replica[0].leo < 1\n"
        "own = Property('TypeOk', 'The first log is empty.', 'the team', short)\n"
        "OWN = replace(PROTOCOLS[0], name='own', properties=(own,))\n"
    )
    for engine in ("interpreted", "compiled"):
        checked = check(str(file), {"records": 1, "log_size": 1}, engine=engine)
        assert checked.violated == ("TypeOk",)
    listed = run("list", "properties", file).output
    assert "The first log is empty." in listed
    assert "built-in-TypeOk" in listed


BOUNDS = "rules", "track_last", "k", "s", "self", "all", "none", "TypeOk", "Step", "node", "_n"
"""What Tidegate, the state or the model calls something else."""


def test_a_bound_may_have_any_name(named):
    fields = "\n    ".join(f"{name}: int = number(0, 0, 9, 'steps')" for name in BOUNDS)
    last = " + ".join(f"k.{name}" for name in BOUNDS)
    text = MODEL.replace('last: int = number(2, 1, 9, "the last step")', fields)
    text = text.replace("integer(0, 2,", f"integer(0, lambda k: {last},")
    file = named("few", text.replace("k.last", last))
    for name in BOUNDS:
        checked = check(str(file), {name: 1, "nodes": 2}, engine="interpreted")
        assert (checked.holds, checked.distinct_states) == (True, 4)
        assert run("simulate", file, "-b", f"{name}=1", "--walks", 2).exit_code == 3
    every = dict.fromkeys(BOUNDS[:2], 1)
    assert check(str(file), every, engine="compiled").violated == ("Few",)
    listed = run("list", "bounds", file).output
    assert all(f" {name} " in listed for name in BOUNDS)
    settings = [word for name in BOUNDS[:2] for word in ("-b", f"{name}=1")]
    assert "There are 4 steps." in run("explain", file, *settings).output
    assert run("bounds", file, "-b", "rules=2").exit_code == 0
