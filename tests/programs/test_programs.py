"""Random programs mean to the compiled engine what they mean to Python; CONTRIBUTING.md says more.

    TIDEGATE_PROGRAMS=1000000 python -m pytest tests/programs -m slow

compares so many, from the programs of ``TIDEGATE_PROGRAMS_SEED`` on.
"""

import os

import pytest

from tests.programs import laboratory
from tests.programs.compare import first_difference, shown
from tests.programs.expressions import Helper
from tests.programs.grammar import Program
from tests.programs.laboratory import FEWER, Workbench, batch, run
from tests.programs.smaller import smallest
from tidegate.checker.compiled.emission import expressions
from tidegate.checker.compiled.values import Number, span

FEW = 150
MANY = int(os.environ.get("TIDEGATE_PROGRAMS", "20000"))
SEED = int(os.environ.get("TIDEGATE_PROGRAMS_SEED", "1000"))


@pytest.mark.parametrize(
    ("programs", "seed"),
    [pytest.param(FEW, 0, id="few"), pytest.param(MANY, SEED, id="many", marks=pytest.mark.slow)],
)
def test_random_programs_mean_what_python_means(programs, seed):
    difference, count = first_difference(programs, seed)
    assert difference is None, shown(smallest(difference))
    assert count.programs >= programs
    # Comparing what was refused, or what machine code leaves to Python, would show nothing.
    assert sum(count.refused.values()) < count.programs / 8
    assert count.agreed > 10 * count.programs
    assert count.failed < count.agreed / 2


def grows_by_small_steps(out, name, left, right):
    """As sums were once translated: a small step from a number of any size was taken to fit."""
    spans = span(left), span(right)
    small = any(known and max(map(abs, known)) <= 1 << 32 for known in spans)
    if name in ("add", "sub") and None in spans and small:
        return Number(out.arithmetic(name, left, right).register)
    return EXACT(out, name, left, right)


EXACT = expressions.exact


def test_a_sum_beyond_64_bits_would_be_found_and_shown_in_a_small_program(monkeypatch):
    monkeypatch.setattr(expressions, "exact", grows_by_small_steps)
    difference, _ = first_difference(600, seed=1)
    assert difference is not None
    least = smallest(difference)
    assert "s.full " in least.program.source
    assert len(least.program.source.splitlines()) <= 5
    assert f"--only {difference.seed}." in shown(least)


ADDING = """\
def help0(s, k, n) -> int:
    s.queue[0] = n
    s.queue.append(3)
    return 1
"""


@pytest.mark.parametrize(
    "text",
    [
        "return len(s.queue[help0(s, k, 1):])",
        "s.queue.extend([help0(s, k, 1)])",
        "s.queue[help0(s, k, 7):] = s.queue[:2]",
        "s.queue[help0(s, k, 7):] = s.queue",
    ],
)
def test_a_sequence_is_read_after_what_its_bounds_call(text):
    helper = Helper("help0", ADDING, "int", False)
    source = (
        f"def program0(s, k, i, j) -> int:\n    s.queue.truncate(1)\n    {text}\n    return 0\n"
    )
    bench = Workbench(
        [helper], [Program("program0", source, "whole", (0, 0), True)], optimised=False
    )
    assert list(bench.differences(batch(0, 1).states)) == []
    assert bench.count.agreed > 0 or bench.count.refused


def test_a_program_is_the_same_each_time():
    assert batch(3) == batch(3) != batch(4)


ENDLESS = """\
def program0(s, k, i, j) -> int:
    while s.b < 300:
        i += 1
    return 1
"""


def test_a_program_that_never_ends_is_left_to_python(monkeypatch):
    monkeypatch.setattr(laboratory, "LONGEST", 0.1)
    endless = Program("program0", ENDLESS, "whole", (0, 0), True)
    bench = Workbench([], [endless], optimised=False)
    states = batch(0, 1).states
    assert list(bench.differences(states)) == []
    assert bench.count.agreed == 0
    assert bench.count.failed == FEWER
    # Were machine code to answer, Python would be asked, and would be stopped.
    assert run(bench.space["program0"], states[0], endless) is None
