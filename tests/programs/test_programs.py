"""Random programs mean to the compiled engine what they mean to Python; CONTRIBUTING.md says more.

    TIDEGATE_PROGRAMS=1000000 python -m pytest tests/programs -m slow

compares so many, from the programs of ``TIDEGATE_PROGRAMS_SEED`` on.
"""

import ast
import os

import pytest

from tests.programs.compare import first_difference, shown
from tests.programs.smaller import smallest
from tidegate.checker.compiled import expressions
from tidegate.checker.compiled.values import Items, Number, Static, Truth, span

FEW = 600
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
    assert sum(count.refused.values()) < count.programs / 10
    assert count.agreed > 10 * count.programs
    assert count.failed < count.agreed / 2


def drops_members(self, node, left, right, negated):
    """As membership was once translated: what is known behind what is not known is left out."""
    if isinstance(right, Static):
        right = Items(tuple(Static(value) for value in right.value))
    found = Static(False)
    for item in right.items:
        same = self._compared(ast.Eq(), left, item)
        if isinstance(found, Static):
            found = Static(True) if found.value else same
        elif isinstance(same, Truth):
            found = Truth(self.out.value(f"or i1 {self.out.truth(found)}, {same.register}"))
    if isinstance(found, Static):
        return Static(found.value != negated)
    return Truth(self.out.value(f"xor i1 {self.out.truth(found)}, true")) if negated else found


def grows_by_small_steps(out, name, left, right):
    """As sums were once translated: a small step from a number of any size was taken to fit."""
    spans = span(left), span(right)
    small = any(known and -(1 << 32) <= known[0] and known[1] <= 1 << 32 for known in spans)
    if name in ("add", "sub") and None in spans and small:
        return Number(out.arithmetic(name, left, right).register)
    return EXACT(out, name, left, right)


EXACT = expressions.exact


@pytest.mark.parametrize(
    ("where", "name", "defect", "seed"),
    [
        (expressions.Expressions, "_among", drops_members, 1),
        (expressions, "exact", grows_by_small_steps, 1),
    ],
    ids=["a member of a tuple is left out", "a sum leaves 64 bits unseen"],
)
def test_a_defect_that_was_repaired_would_be_found(monkeypatch, where, name, defect, seed):
    monkeypatch.setattr(where, name, defect)
    difference, count = first_difference(3000, seed)
    print(count.programs, shown(difference) if difference else None)
    assert difference is not None
    least = smallest(difference)
    print(shown(least))
