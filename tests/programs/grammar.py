"""Random programs in the subset of Python that the compiled engine translates.

A program is the text of a function over the state of :mod:`scratch`, with some that it calls.
It has every kind of statement and loop; loops end by construction, as Python has to run it too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tests.programs.expressions import ARRAYS, SMALL, Expressions, Helper
from tests.programs.limits import failing, positive
from tests.programs.sequences import exchanged, resized, taken

RANGES = {
    "s.a": (-1, 5), "s.b": (0, 200), "s.flag": (0, 1), "s.some": (0, 7), "s.dozen": (0, 3000),
    "s.wide": (-(1 << 40), 1 << 40), "s.top": (0, (1 << 63) - 1), "s.one[0]": (-1, 3),
    "s.full": (-(1 << 63), (1 << 63) - 1), "s.cell": (0, 2), "s.more": (-5, 100_000),
    "s.odd": (0, 8_000_000), "s.one": (-1, 3), "s.part[1].row": (0, 2), "low": (-1, 5),
    "row": (0, 2), "s.part[0].fixed": (4, 4), "s.none": (0, 1),
}  # fmt: skip
"""What may be written where, both ends included."""


@dataclass(frozen=True)
class Program:
    """A function with the helpers that it may call.

    ``kind`` is ``"whole"``, or ``"action"`` for one whose guards are asked first; ``static`` are
    the arguments that are known while translating.
    """

    name: str
    source: str
    kind: str
    static: tuple[int | bool, ...]
    exact: bool


class Writer(Expressions):
    """Writes random statements."""

    def block(self, size: int, rounds: int = 0) -> str:
        """Write some statements, in a scope of their own."""
        outer, self.scope = self.scope, self.scope.inner(rounds)
        text = self.statements(size)
        self.scope = outer
        return textwrap.indent(text, "    ")

    def statements(self, size: int) -> str:
        """Write statements of about so many lines."""
        lines = []
        while size > 0:
            cost = 1 + int(self.random.random() * min(size, 5))
            lines.append(self.statement(cost))
            size -= cost
        return "\n".join(lines) or "pass"

    def statement(self, size: int) -> str:
        """Write a statement."""
        if size > 1 and self.chance(75):
            return self.compound(size - 1)
        kind = STATEMENTS[int(self.random.random() * len(STATEMENTS))]
        return kind(self)

    def size(self) -> int:
        """Return how many operators an expression of a statement has."""
        return int(self.random.random() * 3.3)

    def local(self) -> str:
        """Write an assignment to a local variable."""
        if not self.scope.variables:
            return self.held()
        name, number = self.one_of(self.scope.variables), self.number(self.size())
        ways = (f"{name} = {number}", f"{name} = {number}", f"{name} = {name} + {number}",
                f"{name}: int = {number}", f"{name} = {self.one_of(self.edges)}",
                f"{name} = {self.truth(2)}")  # fmt: skip
        return self.one_of(ways)

    def changed(self) -> str:
        """Write an augmented assignment to a local variable."""
        if not self.scope.variables:
            return self.held()
        operator = self.one_of(("+", "+", "-", "|", "&", "^", "*"))
        return f"{self.one_of(self.scope.variables)} {operator}= {self.number(self.size())}"

    def held(self) -> str:
        """Write a name for a value, a pair or a record."""
        name, draw = self.new("h"), self.random.random()
        if draw < 0.55 or not self.state:
            text = f"{name} = {self.number(self.size())}"
            self.scope.numbers.append(name)
        elif draw < 0.7:
            text = f"{name} = {self.truth(self.size())}"
            self.scope.numbers.append(name)
        elif draw < 0.8:
            text = f"{name} = {self.number(1)}, {self.number(1)}"
            self.scope.pairs.append(name)
        elif draw < 0.92:
            kind, read = taken(self)
            text = f"{name} = {read}"
            getattr(self.scope, kind).extend([name] * 2)
        else:
            text = f"{name} = {self.record()}"
            self.scope.records.append(name)
        return text

    def target(self) -> tuple[str, tuple[int, int]]:
        """Write a target, with what may be written there."""
        draw = self.random.random()
        if draw < 0.45:
            name = self.one_of(("s.a", "s.b", "s.flag", "s.some", "s.dozen", "s.wide", "s.top",
                                "s.full", "s.one[0]", "s.part[0].fixed"))  # fmt: skip
            return name, RANGES[name]
        if draw < 0.75:
            array = self.one_of(tuple(ARRAYS))
            return f"{array}[{self.index(ARRAYS[array])}]", RANGES[array]
        record = self.record()
        if self.chance(70):
            return f"{record}.low", RANGES["low"]
        return f"{record}.row[{self.index(2)}]", RANGES["row"]

    def written(self) -> str:
        """Write an assignment to the state."""
        if self.pure or not self.state:
            return self.held()
        target, (low, high) = self.target()
        number = self.number(self.size())
        ways = (
            f"min(max({number}, {low}), {high})", f"({number} & {min(high, 1)})",
            f"min(max({number}, {low}), {high})", number, str(high), str(low),
        )  # fmt: skip
        value = self.one_of(ways)
        if self.chance(15):
            operator = self.one_of(("+", "-", "|", "^", "&"))
            return f"{target} {operator}= {self.atom()}"
        if self.chance(8):
            return f"{target} = {self.one_of(self.scope.variables or ['s.flag'])} = {value}"
        return f"{target} = {value}"

    def apart(self) -> str:
        """Write an assignment to several targets at once."""
        if len(self.scope.variables) < 2:
            return self.held()
        one, other = self.random.sample(self.scope.variables, 2)
        call = self.call(("two",), 1) if self.chance(40) else None
        if call is not None:
            return f"{one}, {other} = {call[1]}"
        if self.chance(30) and self.state and not self.pure:
            return f"{one}, s.cell[{one} & 1] = {other}, {self.atom()} & 1"
        return f"{one}, {other} = {other}, {self.number(1)}"

    def effect(self) -> str:
        """Write the call of a helper for what it does."""
        if self.state and not self.pure and self.chance(30):
            return self.contained()
        call = self.call(("none", "int", "bool"), 1)
        return self.written() if call is None else call[1]

    def contained(self) -> str:
        """Write a change of a sequence or a set."""
        number = f"min(max({self.number(self.size())}, 0), 4)"
        return self.one_of(
            (
                f"s.queue.append({number})", f"s.queue[{self.index(3)}] = {number}",
                "s.queue.pop()", "s.queue.popleft()", f"s.queue.truncate({self.atom()})",
                "s.queue.clear()", exchanged(self), resized(self), resized(self), resized(self),
                f"s.chosen.add({number})", f"s.chosen.discard({number})",
            )
        )  # fmt: skip

    def failing(self) -> str:
        """Write what fails in many states, and goes on."""
        return failing(self, self.one_of(self.scope.variables) if self.scope.variables else "_")

    def leave(self) -> str:
        """Write a way out of a loop or of the function."""
        jumps = ["return " + self.returned(0)]
        if self.scope.loops:
            jumps += ["break", "continue"] * 2
        return f"if {self.condition(1)}:\n    {self.one_of(jumps)}"

    def returned(self, size: int) -> str:
        """Write what a function returns."""
        if self.result == "none":
            return self.one_of(("", "None"))
        if self.result == "two":
            return f"{self.number(size)}, {self.number(0)}"
        if self.result == "positive":
            return positive(self, size)
        if self.result == "bool":
            return self.truth(size)
        if self.result == "truth":
            return self.condition(size)
        if self.result == "maybe":
            return self.one_of(("None", self.static() if self.state else "1", "None"))
        return self.number(size)

    def compound(self, size: int) -> str:
        """Write a branch or a loop."""
        draw = self.random.random()
        if draw < 0.45 or self.scope.loops > 1 or not self.state:
            return self.branch(size)
        if draw < 0.8:
            return self.for_loop(size)
        return self.while_loop(size)

    def branch(self, size: int) -> str:
        """Write an if, with what else may be."""
        one, other = self.split(size)
        text = f"if {self.condition(self.size())}:\n{self.block(max(1, one))}"
        if other and self.chance(20):
            text += f"\nelif {self.condition(1)}:\n{self.block(1)}"
        return text + (f"\nelse:\n{self.block(other)}" if other else "")

    def for_loop(self, size: int) -> str:
        """Write a loop over numbers, an array, a tuple or a set."""
        over, kind = self.iterated(self.size())
        held = kind != "numbers" or self.chance(60) or not self.scope.variables
        name = self.new("v") if held else self.one_of(self.scope.variables)
        rounds = 50 if "20)" in over or "s.b" in over else 5
        outer, self.scope = self.scope, self.scope.inner(rounds)
        if held:
            getattr(self.scope, kind).extend([name] * 2)
        body = textwrap.indent(self.statements(size), "    ")
        self.scope = outer
        return f"for {name} in {over}:\n{body}"

    def while_loop(self, size: int) -> str:
        """Write a while loop, which ends after some rounds whatever becomes of its condition."""
        name, most = self.new("w"), self.one_of(("3", "4", "k.few", "20"))
        if int(most == "20") and self.scope.rounds > 1:
            most = "3"
        outer, self.scope = self.scope, self.scope.inner(20 if most == "20" else 4)
        self.scope.numbers.append(name)
        body = textwrap.indent(self.statements(size), "    ")
        self.scope = outer
        draw = self.random.random()
        if draw < 0.35:
            test = f"{name} < {most} and {self.condition(1)}"
            return f"{name} = 0\nwhile {test}:\n    {name} += 1\n{body}"
        if draw < 0.55:
            return f"{name} = {self.atom()} & 7\nwhile {name} > 0:\n    {name} -= 1\n{body}"
        if draw < 0.75:
            stop = f"    if {name} > {most} or {self.condition(1)}:\n        break"
            return f"{name} = 0\nwhile True:\n    {name} += 1\n{stop}\n{body}"
        counted = self.one_of(self.scope.variables or ["s.b"])
        step = self.one_of(("1", "1", "2", "-3", "(1 << 62)"))
        text = f"{name} = size({self.number(1)} & 63)\nwhile {name}:\n    {name} -= 1\n"
        return text + (body if counted == "s.b" or self.chance(20) else f"    {counted} += {step}")


STATEMENTS: list[Callable[[Writer], str]] = [
    *[Writer.local] * 4, *[Writer.changed] * 3, *[Writer.held] * 2, *[Writer.written] * 7,
    Writer.apart, Writer.effect, Writer.failing, *[Writer.leave] * 2,
]  # fmt: skip

RETURNS = {"int": " -> int", "bool": " -> bool", "truth": " -> bool", "none": " -> None",
           "two": " -> tuple[int, int]", "maybe": "", "plain": " -> int",
           "part": " -> int", "positive": " -> int"}  # fmt: skip


def helper(random: Random, number: int, before: Sequence[Helper]) -> Helper:
    """Return a random function to be called, of any kind."""
    kind = random.choice(("int", "int", "bool", "truth", "none", "two", "maybe", "plain", "part",
                          "positive"))  # fmt: skip
    pure = kind in ("plain", "maybe") or random.random() < 0.5
    calls = before if random.random() < 0.3 else ()
    writer = Writer(random, calls, pure=pure, state=kind not in ("plain", "part"))
    writer.result = {"plain": "int", "part": "int"}.get(kind, kind)
    names = {"plain": "n, m=3", "part": "p, n"}.get(kind, "s, k, n")
    writer.scope.numbers = ["n"] * 3 + (["m"] if kind == "plain" else [])
    writer.scope.variables = ["n"] if random.random() < 0.5 else []
    if kind == "part":
        writer.scope.numbers += ["p.low", "p.row[1]", "p.fixed"]
    body = writer.statements(int(random.random() * 4))
    if kind == "positive" and random.random() < 0.7:
        # Machine code looks in each round of a long loop whether the step has failed, and gives up.
        body = f"for _ in range({random.choice((20, 's.b'))}):\n    pass\n{body}"
    if kind == "part" and not pure:
        body += f"\np.low = min(max({writer.number(1)}, -1), 5)"
    last = "" if kind == "none" else f"\nreturn {writer.returned(2)}"
    name = f"help{number}"
    text = textwrap.indent(body + last, "    ")
    source = f"def {name}({names}){RETURNS[kind]}:\n{text}\n"
    return Helper(name, source, "bool" if kind == "truth" else kind, pure and "p.low =" not in body)


def program(random: Random, number: int, helpers: Sequence[Helper]) -> Program:
    """Return a random program."""
    writer = Writer(random, helpers, arguments="ij")
    static = tuple(random.choice((-1, 0, 1, 2, 3, True, 5)) for _ in "ij")
    begin = [f"{name} = {random.choice(SMALL)}" for name in "xyz"]
    if random.random() < 0.3:
        begin[0] = f"x = {writer.one_of(writer.edges)}"
    writer.scope.numbers = ["x", "y", "z", "i", "j"]
    writer.scope.variables = ["x", "y", "z"]
    size = int(random.random() * 7)
    name = f"program{number}"
    action = random.random() < 0.4
    writer.result = "bool" if action else random.choice(("int", "int", "int", "bool", "truth"))
    if action:
        for _ in range(random.randrange(1, 4)):
            # A guard may call what writes, as an action that wraps another one does.
            writer.pure = random.random() < 0.8
            if random.random() < 0.4:
                begin.append(writer.held())
            begin.append(f"if {writer.condition(writer.size())}:\n    return False")
        writer.pure = False
        last = "return True" if random.random() < 0.7 else f"return {writer.truth(2)}"
    else:
        last = f"return {writer.returned(int(random.random() * 5))}"
    body = textwrap.indent("\n".join([*begin, writer.statements(size), last]), "    ")
    returns = RETURNS[writer.result] if random.random() < 0.9 or action else ""
    if writer.result == "truth":
        returns = " -> bool"
    source = f"def {name}(s, k, i, j){returns}:\n{body}\n"
    return Program(name, source, "action" if action else "whole", static, "bool" not in returns)
