"""A function that is declared pure is tried, and named: an impure one is refused in every run."""

import json
import linecache
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import sleep
from types import ModuleType

import pytest
from click.testing import CliRunner

import tidegate
from tests.library.impure import IMPURE, USES, impure, model, variants, written
from tidegate.checker import engines, reevaluation
from tidegate.cli import main
from tidegate.core.errors import TidegateError
from tidegate.core.purity import declaration_of, is_declared_pure


def refused(folder, kind, use, rare, run=0):
    """Check a model whose declared function is not pure, and return the error."""
    file = written(folder, model(impure(IMPURE[kind], rare), use) + f"# {run}\n")
    properties = ["Fine", "Settled"] if use == "a liveness property" else []
    with pytest.raises(TidegateError) as caught:
        tidegate.check(file, {}, properties)
    assert "declared pure: what a declared function returns" in str(caught.value)
    assert "pick (" in str(caught.value)
    assert caught.value.place[0] == file
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "use", "rare"), list(variants(39, 1)), ids=lambda one: str(one).replace(" ", "-")
)
def test_a_declared_function_that_is_not_pure_is_refused(kind, use, rare, tmp_path):
    refused(tmp_path, kind, use, rare)


@pytest.mark.slow
@pytest.mark.parametrize("run", range(4))
@pytest.mark.parametrize(
    ("kind", "use", "rare"),
    list(variants(7, len(USES))),
    ids=lambda one: str(one).replace(" ", "-"),
)
def test_it_is_refused_wherever_it_is_called_and_in_every_run(kind, use, rare, run, tmp_path):
    refused(tmp_path, kind, use, rare, run)


PURE = {
    "a cache": "@tidegate.pure\n@functools.cache\ndef pick(x):\n    return TABLE[x]\n",
    "a declared function in a cache": (
        "@functools.cache\n@tidegate.pure\ndef pick(x):\n    return TABLE[x]\n"
    ),
    "a table that is filled": (
        "memo = {}\n@tidegate.pure('a table')\ndef pick(x):\n    if x not in memo:\n"
        "        memo[x] = TABLE[x]\n    return memo[x]\n"
    ),
    "a digest": (
        "@tidegate.pure\ndef pick(x):\n"
        "    return 2 * (hashlib.sha256(bytes([x])).digest()[0] % 8)\n"
    ),
    "a C function": ("get = tidegate.pure(TABLE.__getitem__)\ndef pick(x):\n    return get(x)\n"),
    "a method": (
        "class Table:\n    @tidegate.pure\n    def at(self, x):\n        return TABLE[x]\n"
        "table = Table()\ndef pick(x):\n    return table.at(x)\n"
    ),
    "a class": ("Number = tidegate.pure(int)\ndef pick(x):\n    return Number(TABLE[x])\n"),
    "a set whose order does not matter": (
        "@tidegate.pure\ndef pick(x):\n    return TABLE[x] + len({'a', 'b', 'c'}) - 3\n"
    ),
}


@pytest.fixture
def two_processes(monkeypatch):
    """Try declared functions in two other processes only: what is pure answers alike in each."""
    monkeypatch.setattr(reevaluation, "_MOST", 2)


@pytest.mark.usefixtures("two_processes")
@pytest.mark.parametrize("kind", PURE)
def test_a_pure_function_is_accepted_and_named(kind, tmp_path):
    use = list(USES)[list(PURE).index(kind) % 5]
    declared = tidegate.check(written(tmp_path, model(PURE[kind], use), "declared"))
    plain = "def pick(x):\n    return TABLE[x]\n"
    if kind == "a digest":
        # What a file computes while it is loaded may call any function.
        digits = "2 * (hashlib.sha256(bytes([x])).digest()[0] % 8) for x in range(32)"
        plain = f"DIGITS = [{digits}]\ndef pick(x):\n    return DIGITS[x]\n"
    read = tidegate.check(written(tmp_path, model(plain, use), "read"))
    assert (declared.holds, declared.distinct_states) == (read.holds, read.distinct_states)
    assert declared.depth == read.depth
    assert declared.holds
    assert not read.declared_pure
    [named] = declared.declared_pure
    assert "declared.py:" in named
    text = " ".join(str(declared).split())
    assert f"Declared pure, tried, not read: {named}" in text
    assert "other processes" in text


def running():
    """Return the command lines of the processes that evaluate models for this one."""
    lines = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parent = status.read_text().rpartition(")")[2].split()[1]
            line = os.fsdecode(status.with_name("cmdline").read_bytes())
            if int(parent) == os.getpid() and "tidegate.checker.reevaluation" in line:
                lines.append(line)
    return lines


def test_no_process_is_left(tmp_path):
    tidegate.check(written(tmp_path, model(PURE["a digest"], "an action")))
    with pytest.raises(TidegateError):
        tidegate.check(written(tmp_path, model(impure(IMPURE["a hash of a string"], 3), "a rule")))
    assert not running()


def test_a_process_that_does_not_answer_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(reevaluation, "_PATIENCE", 0.5)
    seen = []
    monkeypatch.setattr(
        reevaluation, "sleep", lambda seconds: seen.extend(running()) or sleep(seconds)
    )
    text = model(PURE["a digest"], "an action")
    hangs = "if 'pytest' not in sys.modules:\n    time.sleep(60)\n"
    checked = tidegate.check(written(tmp_path, text + hangs))
    assert checked.holds
    assert seen
    assert "not tried in another process, since another process took more" in text_of(checked)
    assert not running()


def text_of(checked):
    return " ".join(str(checked).split())


def test_a_search_that_ends_with_its_first_state_is_tried_beyond_it(tmp_path):
    function = impure(IMPURE["the argument before"], None)
    text = model(function, "an invariant").replace("last = 99", "last = 0")
    with pytest.raises(TidegateError, match="declared pure: what a declared"):
        tidegate.check(written(tmp_path, text))


RULE = """\
import time
from dataclasses import replace
import tidegate
from tidegate.model import KIP_320

@tidegate.pure
def may(epoch: int, other: int) -> bool:
    return BODY

def serve(s, k, leader, epoch):
    return may(s.replica[leader].epoch, epoch)

OWN = replace(KIP_320, name="own", parent=KIP_320,
    rules=replace(KIP_320.rules, may_serve_fetch=serve))
"""


def test_a_declared_function_that_a_rule_of_kafka_calls_is_tried(tmp_path):
    bounds = {"records": 1}
    good = tidegate.check(written(tmp_path, RULE.replace("BODY", "epoch == other"), "good"), bounds)
    same = tidegate.check("kip-320", bounds)
    assert (good.holds, good.distinct_states) == (same.holds, same.distinct_states)
    assert good.declared_pure[0].startswith("may (")
    clock = "epoch == other and time.perf_counter_ns() % 2 == 0"
    with pytest.raises(TidegateError, match="reaches may"):
        tidegate.check(written(tmp_path, RULE.replace("BODY", clock), "bad"), bounds)


def test_a_model_in_memory_is_not_tried_elsewhere_and_the_verdict_says_so():
    module = ModuleType("in_memory")
    text = model(PURE["a cache"], "an action").replace("__file__", "'x'")
    # As a notebook does, so that tracebacks, and whoever reads code, find the lines.
    linecache.cache["<cell>"] = len(text), None, text.splitlines(keepends=True), "<cell>"
    exec(compile(text, "<cell>", "exec"), vars(module))
    checked = tidegate.check(module.model)
    assert checked.holds
    assert "not tried in another process, since the model exists in this process only" in text_of(
        checked
    )


def test_a_model_that_no_other_process_can_load_is_accepted_with_the_reason(tmp_path):
    text = model(PURE["a cache"], "an action")
    gone = "if 'pytest' not in sys.modules:\n    1 / 0\n"
    checked = tidegate.check(written(tmp_path, text + gone))
    assert checked.holds
    assert "cannot be loaded in another process: SelectionError" in text_of(checked)
    assert "ZeroDivisionError" in text_of(checked)


def test_a_model_whose_actions_depend_on_the_process_is_refused(tmp_path):
    text = model("MORE = 'pytest' in sys.modules\n" + PURE["a cache"], "an action").replace(
        "range(k.n))", "range(k.n + MORE))"
    )
    with pytest.raises(TidegateError, match="MORE is different when"):
        tidegate.check(written(tmp_path, text))


LARGE = (
    model("@tidegate.pure\ndef pick(x):\n    return 2 * (x * 5 % 8)\n", "an action")
    .replace("integer(0, 7, ", "integer(0, 4095, ")
    .replace("integer(0, 31, ", "integer(0, 31, ")
    .replace("% 8\n    return True", "% 4096\n    return True")
    .replace("pick(s.x)", "pick(s.x % 8)")
    .replace("s.x < 8", "s.x < 4096")
)


@pytest.mark.usefixtures("two_processes")
@pytest.mark.parametrize("engine", ["auto", "compiled", "interpreted"])
def test_every_engine_tries_and_names_declared_functions(engine, tmp_path, monkeypatch):
    # Its levels have eight states, so that only a slow machine would compile it.
    monkeypatch.setattr(engines, "LEVEL_SECONDS", 0)
    checked = tidegate.check(written(tmp_path, LARGE), engine=engine)
    assert checked.holds
    assert checked.distinct_states == 4096 * 8
    assert len(checked.declared_pure) == 1
    assert "other processes" in text_of(checked)
    assert checked._result.engine == ("interpreted" if engine == "interpreted" else "compiled")


NOT_IN_THE_LANGUAGE = LARGE.replace("2 * (x * 5 % 8)", "2 * (hash(float(x)) * 5 % 8)")


@pytest.mark.usefixtures("two_processes")
def test_one_that_is_not_in_the_language_is_compiled_from_a_table(tmp_path):
    checked = tidegate.check(written(tmp_path, NOT_IN_THE_LANGUAGE), engine="compiled")
    assert (checked.holds, checked.distinct_states) == (True, 4096 * 8)
    assert len(checked.declared_pure) == 1
    assert "by Python alone" not in text_of(checked)


@pytest.mark.usefixtures("two_processes")
def test_the_verdict_says_which_function_python_alone_calls(tmp_path):
    text = NOT_IN_THE_LANGUAGE.replace("def pick(x)", "def pick(x, *unused)")
    file = written(tmp_path, text.replace("pick(s.x % 8)", "pick(s.x % 8, s.x, s.x)"))
    checked = tidegate.check(file, {}, engine="auto")
    assert checked._result.engine == "interpreted"
    first = text_of(checked).partition("evaluated again")[0]
    assert ", by Python alone (" in first
    with pytest.raises(TidegateError, match="134,217,728 combinations") as caught:
        tidegate.check(file, {}, engine="compiled")
    assert "pick is declared pure, and Python alone calls it" in str(caught.value)


@pytest.mark.usefixtures("two_processes")
def test_the_command_and_its_report_name_declared_functions(tmp_path):
    file = written(tmp_path, model(PURE["a table that is filled"], "a rule"))
    target = tmp_path / "report.json"
    result = CliRunner().invoke(main, ["check", file, "--json", str(target)])
    assert result.exit_code == 0, result.output
    assert "Declared pure, tried, not read: pick (" in " ".join(result.output.split())
    report = json.loads(target.read_text())["declared_pure"]
    [function] = report["functions"]
    assert (function["function"], function["reason"]) == ("pick", "a table")
    assert function["place"].endswith("model.py:31")
    assert report["states"] > 0
    assert report["processes"] > 0
    assert report["relied_on"].startswith("declared pure, tried, not read: pick")


def test_a_gate_names_declared_functions_and_refuses_impure_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tidegate.toml").write_text(
        '[[case]]\nprotocols = ["good.py", "bad.py"]\nholds = "default"\n'
    )
    written(tmp_path, model(PURE["a digest"], "a rule"), "good")
    written(tmp_path, model(impure(IMPURE["the order of a set"], 5), "a rule"), "bad")
    result = CliRunner().invoke(main, ["gate", "--json", "gate.json"])
    assert result.exit_code == 70
    good, bad = json.loads((tmp_path / "gate.json").read_text())["cells"]
    assert (good["status"], bad["status"]) == ("pass", "error")
    assert good["declared_pure"].startswith("declared pure, tried, not read: pick (good.py:30)")
    assert good["declared_pure"] in result.output
    assert "the model reaches pick (bad.py:" in bad["findings"][0]["text"]


class Table:
    values = (3, 1)

    @tidegate.pure
    def at(self, x):
        return self.values[x]

    @tidegate.pure("a static table")
    @staticmethod
    def of(x):
        return x

    def __call__(self, x):
        return self.at(x)


@tidegate.pure("  doubles,\n  nothing else ")
def twice(x):
    return 2 * x


def test_a_declared_function_is_the_same_function_with_its_place_and_reason():
    assert twice(4) == 8
    assert twice.__name__ == "twice"
    declared = declaration_of(twice)
    assert (declared.function, declared.reason) == ("twice", "doubles, nothing else")
    assert declared.line == (__file__, twice.__code__.co_firstlineno)
    assert is_declared_pure(Table().at)
    assert is_declared_pure(Table.of)


@pytest.mark.parametrize(
    "theirs", [json.dumps, len, [2].index, int, replace], ids=lambda one: one.__name__
)
def test_a_function_of_another_module_is_left_as_it_is(theirs):
    ours = tidegate.pure(theirs)
    assert is_declared_pure(ours)
    assert not is_declared_pure(theirs)
    assert declaration_of(ours).line[0] == __file__
    assert tidegate.pure(len)([1, 2]) == 2


@pytest.mark.parametrize("value", [3, None, [1], 2.5], ids=repr)
def test_what_is_no_function_cannot_be_declared(value):
    with pytest.raises(TidegateError, match=r"declares a function, and .* is none") as caught:
        tidegate.pure(value)
    assert caught.value.place[0] == __file__
    with pytest.raises(TidegateError, match="declares a function"):
        tidegate.pure("why")(value)


REACHED = """\
def declare(name):
    def twice(x):
        return 2 * x
    twice.__name__ = name
    return tidegate.pure(twice)
one, two, three, four, five, six = map(declare, "one two three four five six".split())
TABLES = {"table": (two,)}
def made():
    inner = five
    return lambda x: inner(x)
of_closure = made()
def pick(x, f=three, *, g=four):
    some = one(x) + TABLES["table"][0](x) + f(x) + g(x) + of_closure(x)
    return max([six(each) for each in (some,)])
"""


@pytest.mark.usefixtures("two_processes")
def test_a_declared_function_is_found_wherever_it_is_reached(tmp_path):
    checked = tidegate.check(written(tmp_path, model(REACHED, "an invariant")))
    named = {one.partition(" ")[0] for one in checked.declared_pure}
    assert named == {"one", "two", "three", "four", "five", "six"}
