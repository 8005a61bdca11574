"""The pages on custom models show what happens."""

import enum
import json
import re
import shlex
import sys
import types
from pathlib import Path

import pytest
from click.testing import CliRunner

import tidegate
from tests.docs.pages import blocks
from tests.docs.tutorial import Shell
from tidegate import model
from tidegate.cli import main
from tidegate.commands.pytest_plugin import pytest_assertrepr_compare
from tidegate.core.errors import ModelError
from tidegate.core.layout import Layout

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FIRST, LIBRARY, TLA, PROMELA = (
    (DOCS / name).read_text("utf-8")
    for name in ("first-model.md", "library.md", "coming-from-tla.md", "coming-from-promela.md")
)
EXAMPLE = (ROOT / "examples" / "two_phase_commit.py").read_text("utf-8")


NOT_MODEL = "    if ", "import tidegate", "from two_phase", "@model.liveness"


def commands(text):
    """Return the arguments of each tidegate command."""
    lines = [shlex.split(line) for block in blocks(text, "sh") for line in block.splitlines()]
    return [line[1:] for line in lines if line[:1] == ["tidegate"]]


def broken(model):
    """Return the first model with the change that breaks it."""
    old, new = (block for block in blocks(FIRST, "python") if block.startswith("    if "))
    before, action = model.split("def choose_to_abort")
    return f"{before}def choose_to_abort{action.replace(old, new, 1)}"


def test_the_first_model_goes_as_its_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write, check, again, explain, mutate = commands(FIRST)
    assert CliRunner().invoke(main, write).exit_code == 0
    model = tmp_path / "two_phase.py"
    result = CliRunner().invoke(main, check)
    assert result.exit_code == 0, result.output
    assert "288 distinct states" in result.output
    text = model.read_text("utf-8")
    assert text == EXAMPLE
    model.write_text(broken(text), "utf-8")
    result = CliRunner().invoke(main, again)
    assert result.exit_code == 12, result.output
    trace = json.loads((tmp_path / "broken.json").read_text("utf-8"))["trace"]
    actions = [state["#meta"]["action"] for state in trace["states"][1:]]
    assert actions == [
        "Prepare", "Prepare", "ReceivePrepared", "ReceivePrepared", "Commit", "ChooseToAbort",
        "ObeyCommit",
    ]  # fmt: skip
    assert (tmp_path / "broken.html").stat().st_size > 10_000
    for arguments in (explain, mutate):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output


def test_what_the_first_page_shows_is_in_the_model():
    shown = [b for b in blocks(FIRST, "python") if not b.startswith(NOT_MODEL)]
    assert len(shown) == 5
    for block in shown:
        for line in block.splitlines():
            assert line in EXAMPLE, line


def test_what_the_first_page_adds_to_the_model_holds(tmp_path):
    [added] = [block for block in blocks(FIRST, "python") if block.startswith("@model.liveness")]
    file = tmp_path / "two_phase.py"
    file.write_text(f"{EXAMPLE}\nfrom tidegate import Kind\n{added}", "utf-8")
    checked = tidegate.check(str(file), engine="compiled")
    assert checked.holds
    assert "Finishes" in str(checked)


def test_the_tests_on_the_first_page_pass_beside_the_model(tmp_path):
    python = blocks(FIRST, "python")
    tests = [block for block in python if block.startswith(("import tidegate", "from two_phase"))]
    assert len(tests) == 2
    for number, test in enumerate(tests):
        (tmp_path / f"test_{number}.py").write_text(test, "utf-8")
    (tmp_path / "two_phase.py").write_text(EXAMPLE, "utf-8")
    shell = Shell(tmp_path)
    assert "2 passed" in shell.run("pytest -q -p no:cacheprovider")
    (tmp_path / "two_phase.py").write_text(broken(EXAMPLE), "utf-8")
    assert "is violated" in shell.run("pytest -q -p no:cacheprovider", violated=True)


def test_the_test_of_an_action_on_the_first_page_passes(tmp_path, monkeypatch):
    (tmp_path / "two_phase.py").write_text(EXAMPLE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    [test] = [block for block in blocks(FIRST, "python") if block.startswith("from two_phase")]
    space = {}
    exec(test, space)
    space["test_a_manager_prepares"]()
    one, other = (space["model"].state(managers=2) for _ in range(2))
    one.manager[0] = space["Phase"].PREPARED
    said = "\n".join(pytest_assertrepr_compare("==", one, other))
    assert said in {block.strip() for block in blocks(FIRST, "text")}
    sys.modules.pop("two_phase")


def test_the_reference_has_everything_that_is_exported():
    for name in tidegate.__all__:
        assert re.search(rf"`[^`]*\b{name}\b[^`]*`", LIBRARY), name
    for module, names in re.findall(r"from (tidegate\S*) import (.*)", LIBRARY):
        for name in names.split(", "):
            assert hasattr({"tidegate": tidegate, "tidegate.model": model}[module], name)


def test_the_first_block_of_the_reference_runs(capsys):
    exec(blocks(LIBRARY, "python")[0], {})
    assert "NoCommittedRecordLost is violated" in capsys.readouterr().out


BALANCER = """\
import hashlib
from dataclasses import dataclass

from tidegate import Model, Record, integer, number, pure


@dataclass(frozen=True)
class Bounds:
    servers: int = number(3, 1, 8, "servers")


class State(Record):
    key: int = integer(0, 15, "the key of the next request")
    server: int = integer(0, 7, "the server that took the last one")


model = Model(Bounds, State, name="balancer", deadlock=False)


...


@model.action("client")
def request(s: State, k: Bounds) -> bool:
    s.server = server_of(s.key, k.servers)
    s.key = (s.key + 1) % 16
    return True


@model.invariant("A request goes to one of the servers.")
def known_server(s: State, k: Bounds) -> bool:
    return s.server < k.servers
"""


def test_the_model_with_a_declared_function_is_as_its_section_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [shown] = [block for block in blocks(LIBRARY, "python") if "@pure(" in block]
    before, after = BALANCER.split("...\n")
    Path("balancer.py").write_text(f"{before}{shown}{after}", "utf-8")
    result = CliRunner().invoke(main, ["check", "balancer.py"])
    assert result.exit_code == 0, result.output
    [shown] = re.findall(r"`(Declared pure, .*?) \(17 states", " ".join(LIBRARY.split()))
    assert f"{shown} (17 states evaluated again in" in " ".join(result.output.split())


class Replica(tidegate.Record):
    hw: int = tidegate.integer(0, 9, "high watermark")


class Message(tidegate.Record):
    term: int = tidegate.integer(0, 9, "term")
    value: int = tidegate.integer(0, 9, "value")


class Places(tidegate.Record):
    replica: list[Replica] = tidegate.array(2, Replica)
    inbox: tidegate.Seq[Message] = tidegate.sequence_of(Message, 3, "received")
    queue: tidegate.Seq[Message] = tidegate.sequence_of(Message, 3, "waiting")
    numbers: tidegate.Seq = tidegate.sequence_of(tidegate.integer(0, 9, "a number"), 4, "numbers")
    got: int = tidegate.integer(0, 9, "what arrived")


def test_places_and_values_are_what_the_reference_says():
    [source] = [block for block in blocks(LIBRARY, "python") if block.startswith("replica = ")]
    s = Layout(Places, None).record
    for value in (1, 2):
        s.inbox.append(Message(term=0, value=value))
        s.queue.append(Message(term=value, value=value))
    s.numbers.extend([1, 2, 3, 4])
    other = Message(term=7, value=7)
    exec(source, {"s": s, "i": 1})
    assert (s.got, [m.value for m in s.queue], list(s.numbers)) == (1, [2, 1], [2, 3])
    written = re.findall(r"`(s\.queue\[i\]\S+ .*?|s\.queue\[i\].assign\(other\))`", LIBRARY)
    assert len(written) == 3
    for statement in written:
        exec(statement, {"s": s, "i": 0, "other": other})
    assert (s.queue[0].term, s.queue[1].term) == (7, 1)
    with pytest.raises(ModelError, match="this is a value that was read from a sequence"):
        exec("(lambda m: m.assign(other))(s.queue[0])", {"s": s, "other": other})


@pytest.mark.parametrize("arguments", commands(LIBRARY), ids=" ".join)
def test_the_commands_of_the_reference_run(arguments, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, [*arguments, "--max-states", "3000"])
    assert result.exit_code in (0, 3), result.output


@pytest.mark.parametrize("page", [TLA, PROMELA], ids=["TLA+", "Promela"])
def test_functions_that_a_table_calls_exist(page):
    ours = [line.rsplit("|", 2)[1] for line in page.splitlines() if line.startswith("|")]
    text = " ".join(ours)
    known = set(tidegate.__all__) | {
        "any", "all", "len", "next", "min", "set", "list", "range", "permutations", "factorial",
        "prepare", "add", "discard", "append", "popleft", "action",
        "invariant", "liveness", "fairness", "enabled", "can_a", "name", "Node", "P", "Entry",
        "Message",
    }  # fmt: skip
    assert set(re.findall(r"\b(\w+)\(", text)) <= known


EXAMPLES = (DOCS / "examples.md").read_text("utf-8")
SAID = re.findall(
    r"^tidegate (check \S+.*?) +# (holds|violated), (\d+) (?:states|steps)$", EXAMPLES, re.M
)


def test_every_example_has_a_section():
    files = {file.name for file in (ROOT / "examples").glob("*.py")}
    shown = {Path(command.split()[1].partition(":")[0]).name for command, _, _ in SAID}
    assert shown == files
    assert len(SAID) == EXAMPLES.count("\ntidegate check")


def most(said):
    """Return parameter sets; the states of Raft are counted in tests/examples too, for seconds."""
    for command, *rest in said:
        marks = [pytest.mark.slow] if command == "check examples/raft.py" else []
        yield pytest.param(command, *rest, marks=marks)


@pytest.mark.parametrize(("command", "verdict", "number"), [*most(SAID)])
def test_what_the_page_of_examples_says_is_true(command, verdict, number, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, [*shlex.split(command), "--json", "-"])
    report = json.loads(result.stdout)
    steps = [prop["steps"] for prop in report["properties"] if prop["steps"] is not None]
    assert report["outcome"] == verdict
    assert int(number) == (steps[0] if verdict == "violated" else report["distinct_states"])


def test_initial_values_are_what_the_reference_says():
    [source] = [block for block in blocks(LIBRARY, "python") if "class Ring(" in block]
    space = {name: getattr(tidegate, name) for name in tidegate.__all__}
    space |= {"IntEnum": enum.IntEnum, "auto": enum.auto, "__name__": __name__}
    exec(source, space)
    s = Layout(space["Ring"], types.SimpleNamespace(nodes=2)).record
    assert [(one.phase.name, one.credit) for one in s.node] == [("BUSY", 2)] * 2
    assert (s.after, set(s.alive), s.mode) == ([1, 2, 0], {0, 1}, 1)


def test_choices_by_the_state_are_what_the_reference_says(tmp_path):
    python = blocks(LIBRARY, "python")
    [source] = [block for block in python if "s, k, node: s.inbox" in block]
    [read] = [block for block in python if "def read(" in block]
    begin = """
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes")
    items: int = number(2, 1, 4, "items")

class Msg(Record):
    to: int = integer(0, 1, "to whom")
    number: int = integer(0, 3, "its number")

class State(Record):
    sent: Seq[Msg] = sequence_of(Msg, 2, "what was sent")
    seen: int = integer(0, 3, "the last number that was read")
    waiting: Set = set_of(2, "to send", initial=[0, 1])
    inbox: list[Set] = array(2, set_of(2, "what was sent to it"))
    got: list[int] = array(2, integer(0, 9, "the last one"))
    time: int = integer(0, 1, "the time")

model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

@model.initial
def begin(s: State, k: Bounds):
    s.sent.append(Msg(to=0, number=1))
    s.sent.append(Msg(to=1, number=2))
    yield

@model.sometimes("The second was read.")
def second(s: State, k: Bounds) -> bool:
    return s.seen == 2
"""
    file = tmp_path / "items.py"
    file.write_text(f"{begin}\n{source}\n{read}", "utf-8")
    found = tidegate.check(str(file), {}, ["TypeOk", "Second"])
    assert found.holds
    assert "Read(node=1, m_index=1)" in map(str, found.trace_of("Second"))
    printed = CliRunner().invoke(main, ["check", str(file), "-p", "Second"])
    assert "m (to 1, number 2)" in printed.output
    assert "m (to 1, number 2)" in LIBRARY


def test_bounds_that_an_assumption_excludes_are_refused_as_the_reference_says(
    tmp_path, monkeypatch
):
    [source] = [block for block in blocks(LIBRARY, "python") if "assert 2 * self.majority" in block]
    [shown] = [block for block in blocks(LIBRARY, "text") if "two majorities have to meet" in block]
    begin = """\
\"\"\"A majority.\"\"\"

from dataclasses import dataclass

from tidegate import Model, Record, integer, number


"""
    rest = """

class State(Record):
    written: int = integer(0, lambda k: k.servers, "servers that have written")


model = Model(Bounds, State, deadlock=False)


@model.action("server")
def write(s: State, k: Bounds) -> bool:
    if s.written == k.majority:
        return False
    s.written += 1
    return True


@model.invariant("A majority has not written.")
def few(s: State, k: Bounds) -> bool:
    return s.written < k.majority
"""
    (tmp_path / "majority.py").write_text(f"{begin}{source}{rest}", "utf-8")
    monkeypatch.chdir(tmp_path)
    command, said = shown.strip().split("\n")
    result = CliRunner().invoke(main, command.split()[2:])
    assert (result.exit_code, result.output.strip()) == (2, said)
    assert CliRunner().invoke(main, ["check", "majority.py"]).exit_code == 12


def test_an_assertion_is_the_verdict_that_the_reference_says(tmp_path, monkeypatch):
    [source] = [block for block in blocks(LIBRARY, "python") if "assert len(s.owners)" in block]
    [shown] = [block for block in blocks(LIBRARY, "text") if block.startswith("Assertion is")]
    begin = """\
\"\"\"A lock.\"\"\"
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    nodes: int = number(2, 1, 4, "nodes")

"""
    declared, _, action = source.partition("\n\n\n")
    model = 'model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)'
    (tmp_path / "lock.py").write_text(f"{begin}\n{declared}\n\n{model}\n\n\n{action}", "utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["check", "lock.py", "-p", "none"])
    assert result.exit_code == 12
    # The page has another line, since it shows less of the file.
    said = re.sub(r"lock.py:\d+", "lock.py:26", " ".join(result.stdout.split()))
    assert " ".join(shown.split()) in said


STEPS = """
from dataclasses import dataclass
from tidegate import *

@dataclass(frozen=True)
class Bounds:
    most: int = number(2, 1, 3, "the largest number")

class State(Record):
    x: int = integer(0, 3, "a number")
    p_held: bool = boolean("whether x was 1 some time")

model = Model(Bounds, State, participants={"peer": lambda k: 2}, deadlock=False)

@model.action("peer", to=lambda k: range(1, 4))
def go(s: State, k: Bounds, peer: int, to: int) -> bool:
    before = s.x
    if to > k.most or before == to:
        return False
    s.x = to
    assert s.x >= before, "x falls"
    if s.x == 1:
        s.p_held = True
    return True

@model.invariant("Once x is 1, it is 1 for ever.")
def for_ever(s: State, k: Bounds) -> bool:
    return not s.p_held or s.x == 1
"""


def test_properties_of_steps_and_of_what_was_are_written_as_the_page_says(tmp_path):
    """A step from 1 to 2 ends what was to hold for ever; one from 2 to 1 lets the number fall."""
    (tmp_path / "steps.py").write_text(STEPS, "utf-8")
    names = ["ForEver", "Assertion"]
    found = tidegate.check(str(tmp_path / "steps.py"), {}, names, keep_going=True)
    assert sorted(found.violated) == ["Assertion", "ForEver"]
    ended = [step.arguments["to"] for step in found.trace_of("ForEver")[1:]]
    assert ended == [1, 2]
    assert tidegate.check(str(tmp_path / "steps.py"), {"most": 1}, names).holds
