"""Random expressions in the subset of Python that the compiled engine translates.

They have constants in every position, numbers at the ends of 32, 63 and 64 bits, and truth values
as numbers: where a translator reckons beforehand, these are what it may get wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from tests.programs import limits, sequences

T = TypeVar("T")

SMALL = (-3, -2, -1, 0, 0, 1, 1, 2, 3, 4, 5, 7, 9)
EDGES = (
    "255", "256", "(1 << 31)", "((1 << 31) - 1)", "-(1 << 31)", "(1 << 32)", "((1 << 32) + 1)",
    "(1 << 62)", "-(1 << 62)", "((1 << 63) - 1)", "-(1 << 63)", "((1 << 63) - 3)",
    "(-(1 << 63) + 2)",
)  # fmt: skip
KNOWN = ("True", "False", "(2, 5)[1]", "1", "3")
CONSTANTS = ("k.zero", "k.one", "k.few", "k.minus", "k.yes", "k.no", "k.table[1][0]", "k.pair[0]",
             "len(s.cell)")  # fmt: skip
LARGE = ("k.edge", "k.least", "k.big")
READS = (
    "s.a", "s.a", "s.b", "s.flag", "s.flag", "s.cell[0]", "s.cell[2]", "s.part[1].low",
    "s.part[0].fixed", "s.part[2].row[1]", "s.some", "s.wide", "s.dozen", "s.more[1]", "s.top",
    "s.full", "s.one[0]", "s.odd[3]", "len(s.queue)", "len(s.chosen)",
)  # fmt: skip
ARRAYS = {"s.cell": 3, "s.more": 2, "s.one": 1, "s.odd": 5, "s.part[1].row": 2, "s.none": 0}
"""Arrays of numbers, and how long they are."""

ARITHMETIC = ("+", "+", "+", "-", "-", "*", "&", "|", "^", "<<", ">>", "//", "%")
COMPARISONS = ("<", "<=", "==", "==", "!=", ">", ">=")


@dataclass(frozen=True)
class Helper:
    """A function that others call: how, what it returns, and whether it writes."""

    name: str
    source: str
    kind: str
    pure: bool


@dataclass
class Scope:
    """The names that can be read in a block: those of numbers, truths, pairs and records.

    ``values``, ``flats`` and ``slices`` are read from sequences of the one or the other record, and
    of numbers.
    """

    numbers: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    flats: list[str] = field(default_factory=list)
    slices: list[str] = field(default_factory=list)
    loops: int = 0
    rounds: int = 1

    def inner(self, rounds: int = 0) -> Scope:
        """Return the scope of a block within, which may be a loop of some rounds."""
        return Scope(
            list(self.numbers), self.variables, list(self.pairs), list(self.records),
            list(self.values), list(self.flats), list(self.slices), self.loops + (rounds > 0),
            self.rounds * max(1, rounds),
        )  # fmt: skip


class Expressions:
    """Writes random expressions.

    Parameters
    ----------
    helpers
        Functions that may be called.
    pure
        Whether it must write nothing to the state.
    state
        Whether there are a state and constants at all.
    arguments
        Names of arguments that are known while translating.
    """

    def __init__(
        self,
        random: Random,
        helpers: Sequence[Helper],
        pure: bool = False,
        state: bool = True,
        arguments: Sequence[str] = (),
    ) -> None:
        self.random = random
        self.helpers = helpers
        self.pure = pure
        self.state = state
        self.known = (*KNOWN, *(CONSTANTS if state else ()), *arguments, *arguments)
        self.edges = (*EDGES, *(LARGE if state else ()))
        self.scope = Scope()
        self.fresh = 0
        self.result = "int"
        self.quantified = 0

    def one_of(self, options: Sequence[T]) -> T:
        """Return one of some texts."""
        return options[int(self.random.random() * len(options))]

    def chance(self, percent: int) -> bool:
        """Return true in so many of a hundred cases."""
        return self.random.random() * 100 < percent

    def new(self, hint: str) -> str:
        """Return a name that nothing has."""
        self.fresh += 1
        return f"{hint}{self.fresh}"

    def atom(self) -> str:
        """Write a number without operands."""
        draw = self.random.random()
        if draw < 0.30 and self.scope.numbers:
            return self.one_of(self.scope.numbers)
        if draw < 0.62 and self.state:
            return self.read()
        if draw < 0.72:
            return self.static()
        if draw < 0.80:
            return self.one_of(self.edges)
        return str(SMALL[int(self.random.random() * len(SMALL))])

    def static(self) -> str:
        """Write what is known while translating, as a number."""
        return self.one_of(self.known)

    def read(self) -> str:
        """Write a variable of the state."""
        draw = self.random.random()
        if draw < 0.6:
            return self.one_of(READS)
        if draw < 0.8:
            array = self.one_of(("s.cell", "s.more", "s.odd", "s.one", "s.part[1].row"))
            return f"{array}[{self.index(ARRAYS[array])}]"
        if draw < 0.88:
            return sequences.element(self)
        record = self.one_of(self.scope.values) if self.scope.values else self.record()
        return f"{record}.low" if self.chance(60) else f"{record}.row[{self.index(2)}]"

    def record(self) -> str:
        """Write a record of the state."""
        if self.chance(10):
            return f"s.parts[{self.index(2)}]"
        if self.scope.records and self.chance(50):
            return self.one_of(self.scope.records)
        return f"s.part[{self.index(3)}]"

    def index(self, length: int) -> str:
        """Write an index of an array, which most often lies in it."""
        draw = self.random.random()
        if draw < 0.4:
            return str(int(self.random.random() * max(1, length)))
        if draw < 0.6:
            return f"min(max({self.atom()}, 0), {length - 1})"
        if draw < 0.8 and length > 1:
            return f"{self.atom()} & 1"
        if draw < 0.85 and length > 1:
            return "s.flag" if length == 2 else "s.cell[1]"
        return self.static() if draw < 0.95 else self.atom()

    def number(self, size: int) -> str:
        """Write an expression whose value is a number, of about so many operators."""
        if size <= 0:
            return self.atom()
        return NUMBERS[int(self.random.random() * len(NUMBERS))](self, size - 1)

    def split(self, size: int) -> tuple[int, int]:
        """Divide what is left between two operands."""
        first = int(self.random.random() * (size + 1))
        return first, size - first

    def two(self, size: int) -> tuple[str, str]:
        """Write two numbers."""
        one, other = self.split(size)
        return self.number(one), self.number(other)

    def binary(self, size: int) -> str:
        """Write an operation on two numbers."""
        operator = self.one_of(ARITHMETIC)
        if operator in ("<<", ">>"):
            distance = self.one_of(("1", "2", "3", "31", "62", "63", f"{self.atom()} & 7"))
            if self.chance(20):
                # What Python shifts further takes all memory.
                distance = self.one_of(("64", "-1", "s.a" if self.state else "65"))
                distance = self.one_of((distance, f"{self.atom()} & 127"))
            return f"({self.number(size)} {operator} ({distance}))"
        one, other = self.two(size)
        return f"({one} {operator} {other})"

    def stepped(self, size: int) -> str:
        """Write a sum beside an end of 64 bits, of which no range is known, and a step from it."""
        far = self.one_of(("s.full", "s.full", "s.top") if self.state else self.edges)
        first, second = self.one_of(("+", "-")), self.one_of(("+", "-"))
        return f"(({far} {first} {self.number(size // 2)}) {second} {self.number(size // 2)})"

    def unary(self, size: int) -> str:
        """Write an operation on one number."""
        return f"({self.one_of(('-', '-', '~', '+'))}{self.number(size)})"

    def chosen(self, size: int) -> str:
        """Write a choice between two numbers."""
        one, other = self.two(size // 2)
        return f"({one} if {self.condition(size // 2)} else {other})"

    def extreme(self, size: int) -> str:
        """Write the least or the greatest of some numbers."""
        one, other = self.two(size)
        more = f", {self.atom()}" if self.chance(20) else ""
        return f"{self.one_of(('min', 'max'))}({one}, {other}{more})"

    def relying(self, size: int) -> str:
        """Write a number that relies on what is known of another one."""
        if self.quantified > 1:
            return self.atom()
        return limits.relying(self, size)

    def as_number(self, size: int) -> str:
        """Write a truth value where a number is meant."""
        truth = self.truth(size)
        return self.one_of((f"int({truth})", f"({truth})", f"({truth} + {self.atom()})"))

    def known_operand(self, size: int) -> str:
        """Write a choice by what is known: Python has the operand that decides."""
        operator = self.one_of(("and", "or"))
        return f"({self.static()} {operator} {self.number(size)})"

    def item(self, size: int) -> str:
        """Write an item of a tuple."""
        if self.scope.pairs and self.chance(40):
            return f"{self.one_of(self.scope.pairs)}[{self.one_of(('0', '1', '-1'))}]"
        one, other = self.two(size)
        return f"({one}, {other})[{self.one_of(('0', '1', '-2', 'True'))}]"

    def called(self, size: int) -> str:
        """Write a call whose value is a number."""
        call = self.call(("int", "bool", "two", "plain", "part"), size)
        if call is None:
            return self.binary(size)
        kind, text = call
        return f"{text}[{self.one_of(('0', '1'))}]" if kind == "two" else text

    def call(self, kinds: Sequence[str], size: int) -> tuple[str, str] | None:
        """Write a call of a helper of some kind; None where there is none."""
        fitting = [
            h for h in self.helpers
            if h.kind in kinds and (h.pure or not self.pure) and (self.state or h.kind == "plain")
        ]  # fmt: skip
        if not fitting:
            return None
        helper = fitting[int(self.random.random() * len(fitting))]
        one, other = self.two(size)
        if helper.kind == "part":
            return helper.kind, f"{helper.name}({self.record()}, {one})"
        if helper.kind == "plain":
            passed = self.one_of((f"{one}", f"{one}, {other}", f"m={other}, n={one}"))
            return helper.kind, f"{helper.name}({passed})"
        return helper.kind, f"{helper.name}(s, k, {one})"

    def truth(self, size: int) -> str:
        """Write an expression whose value is True, False, 1 or 0."""
        return TRUTHS[int(self.random.random() * len(TRUTHS))](self, max(0, size - 1))

    def compared(self, size: int) -> str:
        """Write a comparison."""
        one, other = self.two(size)
        return f"({one} {self.one_of(COMPARISONS)} {other})"

    def compared_known(self, size: int) -> str:
        """Write a comparison of what is known, or with it."""
        other = self.static() if self.chance(30) else self.number(size)
        return f"({self.static()} {self.one_of(COMPARISONS)} {other})"

    def chain(self, size: int) -> str:
        """Write a chain of comparisons, any part of which may be known."""
        parts = [self.member() if self.chance(50) else self.number(size // 3) for _ in range(3)]
        first, second = self.one_of(COMPARISONS), self.one_of(COMPARISONS)
        return f"({parts[0]} {first} {parts[1]} {second} {parts[2]})"

    def member(self) -> str:
        """Write a member of a tuple: known, small, or neither."""
        return self.one_of((self.atom(), self.static(), str(self.random.randrange(-1, 4))))

    def among(self, size: int) -> str:
        """Write whether a number is one of some, known and unknown ones."""
        left = self.static() if self.chance(50) else self.number(size // 2)
        members = [self.member() for _ in range(self.random.randrange(1, 4))]
        if self.state and self.chance(10):
            return f"({left} in {self.one_of(('s.queue', 's.chosen'))})"
        if self.chance(8):
            return f"({left} in {self.one_of(('k.pair', '(1, 3)', 'k.table[0]'))})"
        return f"({left} {self.one_of(('in', 'not in'))} ({', '.join(members)},))"

    def negated(self, size: int) -> str:
        """Write the negation of a condition."""
        return f"(not {self.condition(size)})"

    def both(self, size: int) -> str:
        """Write a conjunction or disjunction of truth values."""
        one, other = self.split(size)
        return f"({self.truth(one)} {self.one_of(('and', 'or'))} {self.truth(other)})"

    def converted(self, size: int) -> str:
        """Write the truth of a number."""
        return f"bool({self.number(size)})"

    def plain_truth(self, size: int) -> str:
        """Write a truth value without operands."""
        if self.state and self.chance(60):
            return "s.flag"
        return self.one_of(("True", "False"))

    def identical(self, size: int) -> str:
        """Write whether two truth values are the same object, which Python has of each once."""
        one = self.plain_truth(0) if self.chance(60) else self.converted(size // 2)
        other = self.compared(size // 2)
        if self.chance(30):
            one, other = f"({one} and {other})", self.plain_truth(0)
        return f"({one} {self.one_of(('is', 'is not'))} {other})"

    def missing(self, size: int) -> str:
        """Write whether something is None."""
        call = self.call(("maybe",), size)
        asked = self.one_of(("is None", "is not None"))
        if call is None or self.chance(10):
            return f"(max({self.number(0)}, 0) {asked})"
        return f"({call[1]} {asked})"

    def quantifier(self, size: int) -> str:
        """Write any() or all() over numbers, an array, a tuple or a set."""
        if self.state and self.chance(20):
            return sequences.compared(self)
        if not self.state or self.quantified > 1:
            return self.compared(size)
        return self.generated(size, self.one_of(("any", "all")), self.condition)

    def folded(self, size: int) -> str:
        """Write sum(), min() or max() over numbers, an array, a tuple or a set."""
        if not self.state or self.quantified > 1:
            return self.atom()
        which = self.one_of(("sum", "min", "max"))
        default = f", default={self.atom()}" if which != "sum" and self.chance(70) else ""
        return self.generated(size, which, self.number, default)

    def generated(
        self, size: int, which: str, element: Callable[[int], str], more: str = ""
    ) -> str:
        """Write a call over one generator."""
        name = self.new("q") if self.chance(80) else self.one_of(("x", "y"))
        one, other = self.split(size)
        over, kind = self.iterated(one, in_expression=True)
        outer, self.scope = self.scope, self.scope.inner(6)
        getattr(self.scope, kind).extend([name] * 2)
        self.scope.loops = 0
        self.quantified += 1
        tests = [f" if {self.condition(other // 2)}" for _ in range(self.random.randrange(3) // 2)]
        body = element(other)
        self.quantified -= 1
        self.scope = outer
        generator = f"{body} for {name} in {over}{''.join(tests)}"
        return f"{which}(({generator}){more})" if more else f"{which}({generator})"

    def condition(self, size: int) -> str:
        """Write an expression of which only the truth matters."""
        draw = self.random.random()
        if draw < 0.7:
            return self.truth(size)
        if draw < 0.85:
            return self.number(size)
        one, other = self.split(size)
        operator = self.one_of(("and", "or"))
        return f"({self.condition(one)} {operator} {self.condition(other)})"

    def iterated(self, size: int, in_expression: bool = False) -> tuple[str, str]:
        """Write what a loop goes over; return it and what the names for that are in a scope."""
        draw = self.random.random()
        if draw < 0.05:
            return self.one_of(("s.queue", "s.chosen")), "numbers"
        if draw < 0.12:
            return self.one_of((f"s.queue[{self.slice()}]", *self.scope.slices)), "numbers"
        if draw < 0.16:
            return self.one_of(("s.cell", "s.more", "s.odd", "s.one", "s.none")), "numbers"
        if draw < 0.20:
            return self.one_of(("s.part", "(s.part[0], s.part[2])")), "records"
        if draw < 0.25:
            return self.one_of(("s.parts", f"s.parts[{self.slice()}]")), "values"
        if draw < 0.29:
            return self.one_of(("s.pairs", f"s.pairs[{self.slice()}]")), "flats"
        if draw < 0.38:
            return f"({self.number(size // 2)}, {self.static()}, {self.atom()})", "numbers"
        if draw < 0.45:
            return self.one_of(("k.pair", "(3, 1)", "members(5)", "k.table[1]")), "numbers"
        if draw < 0.56:
            return self.one_of(("members(s.some)", f"members({self.number(size)} & 7)")), "numbers"
        return self.span(size, in_expression), "numbers"

    def slice(self) -> str:
        """Write the bounds of a slice; one that may be negative now and then."""
        bounds = [
            self.one_of(("", "0", "1", "2", "5", "s.flag", f"{self.atom()} & 3", self.atom()))
            for _ in range(2)
        ]
        return ":".join(bounds)

    def span(self, size: int, in_expression: bool) -> str:
        """Write a range."""
        few, known = f"{self.number(size)} & 3", self.static()
        ways = [
            "range(3)", f"range({few})", f"range({self.atom()} & 3, 5)", f"range({few}, {known})",
            f"range(5, {few}, -1)", f"range({few}, 9, 3)", f"range({few}, -3, -2)", "range(s.a)",
            f"range({self.static()}, {self.static()})", "range(s.cell[0], s.a)", "range(2, 2)",
            "range((1 << 63) - 3, (1 << 63) - 1)", "range(-(1 << 63) + 3, -(1 << 63), -2)",
            "range(s.top | (1 << 63) - 4, (1 << 63) - 1, 2)", f"range(s.flag, s.a, {known})",
        ]  # fmt: skip
        if not in_expression and self.scope.rounds < 3:
            ways += ["range(20)", "range(s.b >> 2)", "range(s.b, 30, -7)"]
        return self.one_of(ways)


NUMBERS: list[Callable[[Expressions, int], str]] = [
    *[Expressions.binary] * 9, *[Expressions.unary] * 2, *[Expressions.chosen] * 3,
    *[Expressions.extreme] * 3, *[Expressions.as_number] * 3, Expressions.known_operand,
    Expressions.item, *[Expressions.called] * 2, Expressions.stepped, Expressions.folded,
    Expressions.relying,
]  # fmt: skip
TRUTHS: list[Callable[[Expressions, int], str]] = [
    *[Expressions.compared] * 7, *[Expressions.chain] * 2, *[Expressions.among] * 4,
    *[Expressions.negated] * 2, *[Expressions.both] * 3, *[Expressions.converted] * 2,
    *[Expressions.plain_truth] * 2, *[Expressions.missing] * 2, *[Expressions.quantifier] * 3,
    *[Expressions.compared_known] * 2, Expressions.identical,
]  # fmt: skip
