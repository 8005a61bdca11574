"""The functions of Python and of its library that are in the language of models: one table.

The page on the language has it; a test calls each by its example.
"""

from __future__ import annotations

import builtins
import collections
import copy
import dataclasses
import functools
import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .forms import COMPARED

SAME, REFUSED, ITSELF = "does not show", "refused: sorted(...) first", "kept: a set"


@dataclass(frozen=True)
class Entry:
    """A function that a rule of a model may call.

    Parameters
    ----------
    call
        How it is called.
    gives
        What it gives.
    function
        The function.
    example
        An expression that calls it, of a state ``s`` with the number ``x`` and the sequence ``q``.
    of_set
        What becomes of the order of a set that it gets; empty if it takes none.
    """

    call: str
    gives: str
    function: Callable[..., Any]
    example: str
    of_set: str = ""


TABLE = (
    Entry("abs(n)", "a number", abs, "abs(s.x - 3)"),
    Entry("all(values)", "a truth value", all, "all(v > 0 for v in s.q)", SAME),
    Entry("any(values)", "a truth value", any, "any(v > 1 for v in s.q)", SAME),
    Entry("bool(value)", "a truth value", bool, "bool(s.q)"),
    Entry("dict(pairs)", "a dictionary", dict, "dict([(0, s.x)])[0]", REFUSED),
    Entry("divmod(n, d)", "a tuple of numbers", divmod, "divmod(s.x, 2)[1]"),
    Entry(
        "enumerate(values, start)", "pairs", enumerate, "sum(i for i, v in enumerate(s.q))", REFUSED
    ),
    Entry("filter(test, values)", "values", filter, "len(list(filter(None, s.q)))", SAME),
    Entry("frozenset(values)", "a set", frozenset, "len(frozenset(s.q))", ITSELF),
    Entry("int(value)", "a number", int, "int(s.x > 1)"),
    Entry("isinstance(value, kind)", "a truth value", isinstance, "isinstance(s.x, int)"),
    Entry("len(values)", "a number", len, "len(s.q)", SAME),
    Entry("list(values)", "a list", list, "list(s.q) == [1]", REFUSED),
    Entry("map(function, values, ...)", "values", map, "len(list(map(abs, s.q)))", SAME),
    Entry("max(values, key, default)", "an element", max, "max(s.q, default=0)", SAME),
    Entry("min(values, key, default)", "an element", min, "min(s.x, 2)", SAME),
    Entry(
        "next(generator, default)",
        "an element",
        next,
        "next((v for v in s.q if v > 1), 0)",
        REFUSED,
    ),
    Entry("pow(n, e, m)", "a number", pow, "pow(s.x, 2)"),
    Entry("range(start, stop, step)", "numbers", range, "sum(range(s.x))"),
    Entry("reversed(values)", "values", reversed, "[*reversed(s.q)] == []"),
    Entry("set(values)", "a set", set, "len(set(s.q))", ITSELF),
    Entry("sorted(values, key, reverse)", "a list", sorted, "sorted([s.x, 1])[0]", SAME),
    Entry("sum(values, start)", "a number", sum, "sum(s.q)", SAME),
    Entry("tuple(values)", "a tuple", tuple, "tuple(s.q) == (1,)", REFUSED),
    Entry("zip(values, ...)", "tuples", zip, "sum(a * b for a, b in zip(s.q, s.q))", REFUSED),
    Entry(
        "collections.Counter(values)",
        "how often each occurs",
        collections.Counter,
        "collections.Counter(s.q)[1]",
        SAME,
    ),
    Entry(
        "collections.defaultdict(kind)",
        "a dictionary",
        collections.defaultdict,
        "collections.defaultdict(int)[s.x]",
    ),
    Entry(
        "collections.deque(values)",
        "a list",
        collections.deque,
        "[*collections.deque(s.q)] == [1]",
        REFUSED,
    ),
    Entry("copy.copy(value)", "a copy", copy.copy, "len(copy.copy(s.q))"),
    Entry(
        "copy.deepcopy(value)", "a copy with copies in it", copy.deepcopy, "len(copy.deepcopy(s.q))"
    ),
    Entry(
        "functools.partial(function, ...)",
        "a function",
        functools.partial,
        "functools.partial(max, 1)(s.x)",
    ),
    Entry(
        "functools.reduce(function, values, first)",
        "a value",
        functools.reduce,
        "functools.reduce(operator.or_, s.q, 0)",
        REFUSED,
    ),
    Entry(
        "itertools.chain(values, ...)",
        "values",
        itertools.chain,
        "sum(itertools.chain(s.q, s.q))",
        SAME,
    ),
    Entry(
        "itertools.combinations(values, n)",
        "tuples",
        itertools.combinations,
        "sum(1 for a, b in itertools.combinations(range(3), 2) if a + b == s.x)",
        REFUSED,
    ),
    Entry(
        "itertools.pairwise(values)",
        "pairs",
        itertools.pairwise,
        "all(a <= b for a, b in itertools.pairwise(s.q))",
        REFUSED,
    ),
    Entry(
        "itertools.permutations(values, n)",
        "tuples",
        itertools.permutations,
        "sum(1 for a, b in itertools.permutations(range(3), 2) if a == s.x)",
        SAME,
    ),
    Entry(
        "itertools.product(values, ..., repeat)",
        "tuples",
        itertools.product,
        "sum(1 for a, b in itertools.product(range(2), repeat=2) if a + b == s.x)",
        SAME,
    ),
    Entry("math.comb(n, k)", "a number", math.comb, "math.comb(4, s.x)"),
    Entry("math.factorial(n)", "a number", math.factorial, "math.factorial(s.x)"),
    Entry("math.gcd(n, ...)", "a number", math.gcd, "math.gcd(4, s.x)"),
    Entry("math.isqrt(n)", "a number", math.isqrt, "math.isqrt(s.x)"),
    Entry("math.lcm(n, ...)", "a number", math.lcm, "math.lcm(4, s.x)"),
    Entry("math.perm(n, k)", "a number", math.perm, "math.perm(4, s.x)"),
    Entry("math.prod(values, start)", "a number", math.prod, "math.prod(s.q)", SAME),
    Entry(
        "operator.itemgetter(i), attrgetter(name)",
        "a function for `key`",
        operator.itemgetter,
        "max([(0, s.x), (1, 0)], key=operator.itemgetter(1))[0]",
    ),
)
"""What a rule may call."""


_PART = "name the attribute, as in s.x"
REPAIRS = {
    **dict.fromkeys(("str", "repr", "format", "ascii", "hex", "oct", "chr"), COMPARED),
    "bin": f"{COMPARED}; sum(n >> i & 1 for i in range(size)) counts bits",
    "float": "compare whole numbers, or divide by //; for infinity write a number beyond the range",
    "complex": "compare whole numbers, or tuples of them",
    "round": "write (n + d // 2) // d for n / d, which rounds halves up",
    **dict.fromkeys(("getattr", "setattr"), _PART),
    "hasattr": "ask isinstance(value, kind)",
    "print": "leave it out; tidegate explore shows the states",
    "ceil": "write -(-n // d) for n / d",
    "floor": "divide by //",
    "trunc": "divide by //, and where n is negative write -(-n // d)",
    "sqrt": "use math.isqrt",
    "hash": "compare the values themselves",
    "iter": "write a loop, or next(... for ... in ...)",
    "super": "name the class: Base.method(self)",
    "type": "ask isinstance(value, kind)",
}
"""What to write instead of functions that are not in the table, by their names."""

_REPAIRED = builtins.__name__, math.__name__
ELSEWHERE = (
    "compute it when the file is loaded, or call it in a function declared with @tidegate.pure"
)
"""The repair of any other function."""


def repair(function: object) -> str:
    """Return what to write instead of the call of a function that is not in the language."""
    if function is dataclasses.replace:
        return "records are not dataclasses: write new = copy.copy(old), and assign what differs"
    module, name = getattr(function, "__module__", ""), getattr(function, "__name__", "")
    return REPAIRS.get(name, ELSEWHERE) if module in _REPAIRED else ELSEWHERE
