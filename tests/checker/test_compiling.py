"""Whether a model is compiled, and what is said while it is."""

import os
import subprocess
import sys
import threading

import pytest

from tidegate.checker import engines
from tidegate.checker.check import check
from tidegate.checker.compiled import build, object_files, unfit
from tidegate.checker.compiled.search import CompiledSearch, UnfitError
from tidegate.checker.compiled.unfit import BEYOND
from tidegate.checker.engines import EngineChoiceError
from tidegate.checker.interpreted import Pause
from tidegate.checker.request import SearchRequest
from tidegate.core.errors import shown
from tidegate.core.interrupts import Stop
from tidegate.core.result import Limits, Resources

COMPILED = Resources(engine="compiled")


def turn(s, k, cell, by):
    s.cell[cell] = s.cell[cell] + by if s.cell[cell] + by < 3 else 0
    return True


@pytest.fixture
def counters(make_system, make_action):
    """Make a system of 27 states and so many instances of an action."""

    def make(instances):
        some = [(number % 3, 1 + number % 2) for number in range(instances)]
        return make_system(make_action("Turn", turn, lambda k: some))

    return make


@pytest.fixture
def eager(monkeypatch, tmp_path):
    """Have `auto` compile as soon as it has searched for long enough, and keep nothing."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(engines, "SMALL", 1)
    monkeypatch.setattr(engines, "LEVEL_SECONDS", 0.0)


@pytest.mark.usefixtures("eager")
def test_nothing_is_compiled_that_takes_longer_than_the_search(counters, monkeypatch):
    # To interpret these takes hundredths of a second, and to compile them many seconds.
    assert check(counters(500), []).engine == "interpreted"
    monkeypatch.setattr(engines, "INTERPRETED_SECONDS", 0.0)
    result = check(counters(5), [])
    assert (result.engine, result.distinct_states) == ("compiled", 27)


def test_a_pause_is_due_as_soon_as_all_are_reached():
    pause = Pause(10, 0.5, 0.1, 3.0)
    nows = ((9, 1.0, 1), (10, 0.4, 1), (10, 0.5, 6), (10, 0.5, 5))
    assert [pause.is_due(*now) for now in nows] == [False, False, False, True]


def test_a_pause_is_due_after_a_long_time_however_few_states_there_are():
    pause = Pause(10, 0.5, 0.1, 3.0)
    assert pause.is_due(1, 3.0, 1)
    assert not pause.is_due(1, 3.0, 31)


def test_too_many_instances_are_left_to_the_interpreted_engine(counters, monkeypatch):
    monkeypatch.setattr(engines, "MOST_INSTANCES", 4)
    for least in ("SMALL", "INTERPRETED_SECONDS", "LEVEL_SECONDS"):
        monkeypatch.setattr(engines, least, 0)
    assert check(counters(5), []).engine == "interpreted"
    assert check(counters(4), []).engine == "compiled"
    for engine in ("compiled", "spark"):
        with pytest.raises(EngineChoiceError, match=r"has 5 instances .* more than 4 takes too"):
            check(counters(5), [], resources=Resources(engine=engine))


@pytest.fixture
def endless(monkeypatch):
    """Have LLVM work until the test is over."""
    over = threading.Event()
    abandoned = []
    monkeypatch.setattr(build, "_made", lambda text, optimised: over.wait() and b"")
    monkeypatch.setattr(build, "abandon", abandoned.append)
    yield abandoned
    over.set()


@pytest.mark.usefixtures("eager")
def test_the_time_limit_ends_compiling(counters, endless):
    told = []
    result = check(
        counters(5),
        [],
        resources=COMPILED,
        limits=Limits(seconds=0.5),
        report=told.append,
    )
    assert not result.complete
    assert str(result.stopped_by) == "--time-limit 0.5 while its actions were compiled"
    assert not told, "it has not taken long yet"
    assert len(endless) == 1


@pytest.mark.usefixtures("eager", "endless")
def test_what_takes_long_is_told(counters, monkeypatch):
    monkeypatch.setattr(engines, "REPORTED_AFTER", 0.1)
    told = []
    check(counters(5), [], resources=COMPILED, limits=Limits(seconds=0.5), report=told.append)
    assert {progress.doing for progress in told} == {"compiling 5 instances of actions"}


@pytest.mark.usefixtures("eager")
def test_a_lack_of_memory_for_machine_code_ends_the_search(counters, monkeypatch):
    def fail(text, optimised):
        raise MemoryError("none left")

    monkeypatch.setattr(build, "_made", fail)
    result = check(counters(5), [], resources=COMPILED)
    assert result.stopped_by.by is Stop.OUT_OF_MEMORY
    assert not result.complete


def step(s, k, cell, by):
    s.cell[cell] = (s.cell[cell] + by) % 3
    return True


def instance(s, k, cell, by):
    s.cell[cell] = (s.cell[cell] + by) % 3
    return True


def llvm(s, k, cell, by):
    s.cell[cell] = (s.cell[cell] + by) % 3
    return True


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("apply", [step, instance, llvm], ids=["step", "instance", "llvm"])
def test_a_function_is_compiled_whatever_its_name(make_system, make_action, apply):
    arguments = [(cell, by) for cell in range(3) for by in (1, 2)]
    toy = make_system(make_action("Turn", apply, lambda k: arguments))
    result = check(toy, [], resources=COMPILED)
    assert (result.engine, result.distinct_states) == ("compiled", 27)


INTERRUPTED = """
import os, signal, threading
import tidegate
from tidegate.checker.compiled import build

def soon(*arguments, make=build._made):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    return make(*arguments)

build._made = soon
try:
    tidegate.check("kip-320", {"records": 1}, engine="compiled")
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_program_may_end_while_llvm_is_at_work(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def line_of(function):
    return shown((__file__, function.__code__.co_firstlineno))


def overflow(s, k):
    s.cell[0] = ((s.cell[0] << 62) + (1 << 62)) * 3 & 1
    return True


@pytest.mark.usefixtures("eager")
def test_it_is_said_why_another_engine_goes_on(make_system, make_action):
    told = []
    toy = make_system(make_action("Overflow", overflow))
    result = check(toy, [], resources=COMPILED, report=told.append)
    assert (result.engine, result.distinct_states) == ("interpreted", 1)
    notices = [progress.notice for progress in told if progress.notice]
    why = f"a step of Overflow {BEYOND} (in overflow, {line_of(overflow)})"
    assert notices == [f"{why}; the interpreted engine continues"]
    assert list(map(str, result.interpreted_because)) == [why]


def rise(s, k, cell):
    if s.cell[cell] == 2:
        return False
    s.cell[cell] += 1
    return True


def divide(s, k, cell):
    s.cell[cell] = s.cell[1] // (2 - s.cell[cell])
    return True


@pytest.mark.usefixtures("eager")
def test_a_step_that_fails_is_named_if_it_is_found_in_time(make_system, make_action, monkeypatch):
    steps = [make_action(step.__name__, step, lambda k: [(0,), (2,)]) for step in (rise, divide)]
    search = CompiledSearch(SearchRequest(make_system(*steps), []))
    with pytest.raises(UnfitError):
        search.run()
    reason = unfit.why_unfit(search)
    initial, groups = search.begun_from, unfit._groups
    monkeypatch.setattr(unfit, "_groups", lambda search: [initial, *groups(search)])
    monkeypatch.setattr(unfit, "SECONDS", -1.0)
    late = unfit.why_unfit(search)
    search.close()
    assert reason.text == f"a step of divide(cell=0) {BEYOND}"
    assert str(reason).endswith(f"(in divide, {line_of(divide)})")
    assert str(late) == f"a step of toy {BEYOND}"


def high(s, k):
    return 1 << 62 + s.cell[0] >= s.cell[0]


@pytest.mark.usefixtures("eager")
def test_a_property_that_fails_is_named_if_there_is_no_other(
    make_system, make_action, make_invariant
):
    toy = make_system(make_action("rise", rise, lambda k: [(0,)]))
    told = []
    for names in (["High"], ["High", "Higher"]):
        properties = [make_invariant(name, high) for name in names]
        result = check(toy, properties, resources=COMPILED)
        told.append(str(result.interpreted_because[0]))
    place = f"(in high, {line_of(high)})"
    assert told == [f"the property High {BEYOND} {place}", f"a step of toy {BEYOND}"]


def test_a_model_is_compiled_where_pytest_has_rewritten_the_package(counters, eager, monkeypatch):
    """The loader of a rewritten module cannot tell its source."""
    monkeypatch.setattr(build.__spec__, "loader", object())
    object_files._recipe.cache_clear()
    assert check(counters(3), [], resources=COMPILED).engine == "compiled"
