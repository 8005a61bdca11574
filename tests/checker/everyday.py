"""Random functions in everyday Python: comprehensions, tables, lists, inner functions."""

from __future__ import annotations

from random import Random

ITERABLES = (
    "s.log", "s.queue", "s.done", "range(3)", "range(s.log[0], 4)", "ROW", "(s.x, s.y, s.log[1])",
    "reversed(s.log)", "s.queue[1:]", "sorted(s.queue)", "[v + 1 for v in s.log]", "COST",
    "MOVES[s.log[2] + 1]", "list(s.done)", "COST.values()", "TABLE[s.log[0]]", "range(5, s.x, -1)",
    "[e.term for e in s.entries]", "(p.term for p in s.parts if p.term)", "own",
    "{v * 5 for v in s.log}",
)  # fmt: skip
"""What numbers are iterated."""

PAIRED = (
    "PAIRS", "enumerate({})", "zip({}, {})", "enumerate({}, 2)", "COST.items()",
    "[(v, v * 2) for v in {}]", "zip({}, reversed(s.log))", "product(range(2), range(3))",
)  # fmt: skip
"""What pairs are iterated."""


class Writer:
    """Writes random functions.

    Parameters
    ----------
    random
        What decides.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = ["s.x", "s.y", "s.log[0]", "s.parts[1].term", "len(s.queue)"]

    def one_of(self, *ways: str) -> str:
        """Return one of several texts."""
        return self.random.choice(ways)

    def iterable(self, depth: int) -> str:
        """Write what is iterated."""
        if depth > 0 and self.random.random() < 0.3:
            inner = self.iterable(depth - 1)
            return self.one_of(
                f"[v + {self.number(0)} for v in {inner} if {self.truth(0, 'v')}]",
                f"sorted({inner}, key=lambda v: ({self.number(0)}, -v))",
                f"[a - b for a, b in {self.pairs(0)}]",
                f"[w + v for v in {inner} for w in s.log if w > v]",
                f"map(twice, {inner})",
            )
        return self.random.choice(ITERABLES)

    def pairs(self, depth: int) -> str:
        """Write what pairs are iterated."""
        text = self.random.choice(PAIRED)
        return text.format(*(self.iterable(depth) for _ in range(text.count("{}"))))

    def number(self, depth: int, *more: str) -> str:
        """Write a number; `more` are names that it may have."""
        if depth <= 0 or self.random.random() < 0.2:
            return self.random.choice([*self.names, *more, str(self.random.randrange(-1, 5))])
        few, other = self.number(depth - 1, *more), self.number(depth - 1, *more)
        iterable = self.iterable(depth - 1)
        return self.one_of(
            f"({few} + {other})", f"({few} - {other})", f"({few} * {other})", f"abs({few})",
            f"({few} if {self.truth(depth - 1, *more)} else {other})",
            f"sum({iterable})", f"len(list({iterable}))", f"max({iterable}, default={few})",
            f"min({few}, {other})", f"sum(v * {other} for v in {iterable})",
            f"max({iterable}, key=lambda v: (v % 3, {few}), default=0)",
            f"sum(a * {few} - b for a, b in {self.pairs(depth - 1)})",
            f"next((v for v in {iterable} if {self.truth(depth - 1, 'v')}), {few})",
            f"ROW[{few}]", f"TABLE[{few} % 3][{other} % 3]", f"COST.get({few}, {other})",
            f"divmod({few}, 3)[{self.random.randrange(2)}]", f"twice({few})", f"both({few})[1]",
            f"(lambda v: v + {other})({few})", f"{few} ** 2", f"list({iterable}).count({few})",
            f"len({{v % 7 for v in {iterable}}})", f"({few} or {other})", f"({few} and {other})",
            f"(first({iterable}) or {few})" if "(p." not in iterable else few,
            f"{{0: {few}, 1: {other}, 2: t}}[{few} % 3]",
            f"{{v: v * {few} for v in range(3)}}.get({other}, {few})",
            f"sum({{1: {few}, 2: {other}}}.values())",
        )  # fmt: skip

    def truth(self, depth: int, *more: str) -> str:
        """Write a condition."""
        few, other = self.number(depth - 1, *more), self.number(depth - 1, *more)
        if depth <= 0:
            return f"{few} {self.one_of('<', '<=', '==', '!=')} {other}"
        iterable = self.iterable(depth - 1)
        return self.one_of(
            f"{few} in {iterable}" if "(p." not in iterable else f"{few} > {other}",
            f"any({iterable})", f"all(v > {few} for v in {iterable})",
            f"any(a == b + {few} for a, b in {self.pairs(depth - 1)})",
            f"({few}, {other}) < (s.log[1], {few})", f"{few} in {{1, 2, {other} % 5}}",
            f"[v for v in {iterable}] == [{few}, {other}]", f"first({iterable}) is None",
            f"not {self.truth(depth - 1, *more)}", f"0 <= {few} < {other} + 3",
            f"({few}, {other}) in PAIRS", f"own == sorted(own) and {self.truth(depth - 1, *more)}",
            f"{{v % 5 for v in {iterable}}} <= {{0, 1, 2, {few} % 5}}",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        """Write a statement."""
        lines = self.statement(depth - 1) if depth > 0 else ["t += 1"]
        inner = [f"    {line}" for line in lines]
        number = self.number(2)
        # A loop over a list that each of its rounds makes longer would never end.
        append = ["if len(own) < 9:", f"    own.append({self.number(1)} % 10)"]
        ways = [
            [f"t = {number}"], [f"t += {number}"], append,
            [f"if {self.truth(2)}:", *inner, "else:", f"    t = {number}"],
            [f"for v in {self.iterable(1)}:", f"    t += v * {self.number(1, 'v')}", *inner],
            [f"for a, b in {self.pairs(1)}:", f"    if {self.truth(1, 'a', 'b')}:",
             "        break", f"    t += {self.number(1, 'a', 'b')}", *lines],
            [f"first_one = first({self.iterable(1)})", "if first_one is not None:",
             "    t += first_one"],
            [f"match ({self.number(1)}) % 4:", "    case 0:", *(f"    {line}" for line in inner),
             "    case 1 | 2:", f"        t = {number}", "    case n if n > t:", "        t = n",
             "    case _:", "        t -= 1"],
            [f"if (w := {self.number(1)}) > 1:", "    t += w"],
            [f"def plus(v):\n    if v > {self.number(0)}:\n        return v - t\n    return v + 1",
             f"t = plus({self.number(1)})"],
            [f"pair = ({number}, t)" if self.random.random() < 0.5 else f"pair = (t, {number})",
             "if s.flag:", "    pair = (pair[1], 3)", "t = pair[0] - pair[1]"],
            [f"s.log[t % 3] = {number} % 3"],
            [f"s.x = abs({number}) % 8", "s.phase = Phase(s.x % 3)"],
        ]  # fmt: skip
        return "\n".join(self.random.choice(ways)).split("\n")


HELPERS = """
def twice(v) -> int:
    return 2 * v
def both(v):
    return v, v + 1
def first(values):
    for value in values:
        if value > 1:
            return value
    return None
"""


def body(random: Random) -> str:
    """Return the body of a random function."""
    writer = Writer(random)
    lines = ["t = 0", "own = [1]"]
    for _ in range(random.randrange(1, 5)):
        lines += writer.statement(2)
    return "\n".join([*lines, "return t"])
