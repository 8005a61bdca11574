"""Machine code made of the typed form does what Python does, or leaves the step to Python."""

from random import Random

import pytest

from tests.checker.own_containers import Dictionaries, Lists, Queues, Sets
from tests.language import bench
from tests.language.containers_grammar import Owners
from tests.language.machine import FAILED, Machine
from tests.language.owners import cases
from tests.programs import laboratory
from tests.programs.compare import first_difference, shown
from tests.programs.smaller import smallest
from tests.strangers.test_strangers import MODELS
from tidegate import check
from tidegate.checker.compiled.emission.comparison import Comparison
from tidegate.checker.compiled.unit import Unit
from tidegate.checker.compiled.values import Constant

STATES = bench.states(10)


def differences(sources_):
    """Yield functions whose machine code differs from Python, with both answers."""
    functions = {name: bench.functions(source)["act"] for name, source in sources_.items()}
    machine = Machine(bench.LAYOUT, bench.CONSTANTS, functions)
    for name, function in functions.items():
        for state in STATES if name not in machine.refused else ():
            python, made = bench.in_python(function, state), machine.run(name, state)
            if made is FAILED:
                continue
            if python == bench.FAILED or (int(python[1]), python[2]) != made:
                yield sources_[name], state, python, made
    return machine.refused


def exhausted(some):
    """Return all that a generator yields, and what it returns."""
    every = []
    while True:
        try:
            every.append(next(some))
        except StopIteration as ended:
            return every, ended.value


OWNED = {
    f"act{number}": source
    for number, (right, _, _, source) in enumerate(cases())
    if right != "refused"
}


def test_functions_about_owners_do_what_python_does():
    wrong, refused = exhausted(differences(OWNED))
    assert wrong == []
    assert len(refused) < len(OWNED) / 10


FAILING = (
    "if s.flag:\n    n = 1\ns.x = n",
    "first = next((v for v in s.queue if v > 1), None)\ns.x = first + 1",
    "s.x = {0: 1, 2: 3}[s.y]",
    "s.queue.append(s.queue[s.y])",
    "s.x = [1, 2][s.y]",
    "s.a.remove(s.y)",
    "s.x = 7 // s.y",
    "s.x = Phase(s.x)",
    "a, b = [v for v in s.queue]\ns.x = a",
    "s.x = max(s.queue)",
)


@pytest.mark.parametrize("body", FAILING)
def test_what_fails_in_python_fails(body):
    source = bench.source_of(f"{body}\nreturn True")
    function = bench.functions(source)["act"]
    machine = Machine(bench.LAYOUT, bench.CONSTANTS, {"act": function})
    python = [bench.in_python(function, state) == bench.FAILED for state in STATES]
    assert [machine.run("act", state) is FAILED for state in STATES] == python
    assert True in python
    assert False in python


def random_functions(writer, seeds):
    """Return random functions by name."""
    made = {seed: writer(Random(seed)) for seed in seeds}
    return {
        f"act{seed}": bench.source_of(one.body(), getattr(one, "helpers", ""))
        for seed, one in made.items()
    }


WRITERS = (Dictionaries, Lists, Queues, Sets, Owners)


@pytest.mark.long
@pytest.mark.parametrize("writer", WRITERS)
def test_random_containers_do_what_python_does(writer):
    functions = random_functions(writer, range(40))
    wrong, refused = exhausted(differences(functions))
    assert wrong == []
    assert len(refused) < len(functions) * 0.8


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_many_random_containers_do_what_python_does(writer, first):
    assert exhausted(differences(random_functions(writer, range(first, first + 100))))[0] == []


@pytest.fixture
def from_form(monkeypatch):
    """Make all machine code of rules of their form."""
    monkeypatch.setattr(Unit, "from_form", True)


def test_random_programs_do_what_python_does(from_form):
    difference, count = first_difference(laboratory.PROGRAMS)
    assert difference is None, shown(smallest(difference))
    assert sum(count.refused.values()) < count.programs / 10
    assert count.agreed > 8 * count.programs


def never_equal(self, one, other):
    """Return as if no two lists were equal."""
    return Constant(False)


def first_item_alone(self, pairs, rest):
    """Return which of two tuples comes first as if only their first items mattered."""
    one, other = pairs[0]
    return self.less(one, other)


@pytest.mark.parametrize(
    ("name", "wrong"), [("_equal_lists", never_equal), ("_first_less", first_item_alone)]
)
def test_wrong_machine_code_would_be_found(monkeypatch, name, wrong):
    monkeypatch.setattr(Comparison, name, wrong)
    functions = {
        "equal": "def act(s, k):\n    s.flag = [*s.queue] == [*s.other]\n    return True\n",
        "first": "def act(s, k):\n    s.flag = (s.x // 4, s.y) < (s.y // 2, 1)\n    return True\n",
    }
    assert exhausted(differences(functions))[0] != []


IN_PYTHON_BEFORE = (
    "all_up", "row_pattern", "dead_name", "counter_of_records", "network_of_counts",
    "table_or_none",
)  # fmt: skip
"""Models that had no machine code while only what the translator knew was translated."""


@pytest.mark.parametrize("name", IN_PYTHON_BEFORE)
def test_everyday_models_compile(name, monkeypatch):
    monkeypatch.chdir(MODELS)
    compiled, python = (
        check(f"{name}.py", engine=engine, max_states=3_000)
        for engine in ("compiled", "interpreted")
    )
    assert compiled.violated == python.violated
    if python.complete:
        assert (compiled.distinct_states, compiled.depth) == (python.distinct_states, python.depth)
