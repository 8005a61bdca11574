"""Random functions that make, read and change a dictionary of their own."""

from random import Random

MADE = (
    "{}", "dict()", "defaultdict(int)", "Counter()", "Counter(s.queue)", "{v: v for v in s.queue}",
    "{i: s.y for i in range(3)}", "{s.x: 1, s.y: 2}", "{1: 0, 2: 1}", "dict(zip(s.queue, s.other))",
    "Counter(v for v in s.queue if v)", "dict(enumerate(s.queue))",
)  # fmt: skip
"""What it is at first."""

READ = (
    "d.get({0}, {1})", "d[{0}]", "(1 if {0} in d else 2)", "(d.get({0}) or 1)", "len(d)",
    "(3 if {0} in d.values() else 0)", "sum(d.values())", "max(d, default=0)",
    "max(d.values(), default=1)", "(max(d, key=d.get) if d else 0)", "next(iter(d), 3)",
    "sum(a * b for a, b in d.items())", "(sorted(d)[0] if d else 1)", "(list(d)[-1] if d else 2)",
    "sum(a for a in d if d[a] > 1)", "len({{v for v in d.values()}})",
    "(sorted(d.items(), key=lambda p: (-p[1], p[0]))[0][1] if d else 0)",
    "(Counter(s.queue).most_common(1)[0][{0} % 2] if s.queue else 0)",
)  # fmt: skip
"""Numbers that it gives; ``{0}`` and ``{1}`` stand for other numbers."""

OVER = ("s.queue", "s.log", "sorted(s.a)", "range(s.y)", "d", "list(d)", "d.values()")
"""What loops go over."""


class Writer:
    """Writes one function, by a source of random numbers."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def body(self) -> str:
        """Return the lines of a function that ends with writes of what the dictionary has."""
        lines = ["w = s.x", f"d = {self.random.choice(MADE)}", *self.block(0, "")]
        lines += [f"s.x = abs({self.number(False)}) % 8", "s.log[0] = sum(d.values()) % 4"]
        return "\n".join([*lines, "s.log[1] = len(d) % 4", "return True"])

    def number(self, loops: bool) -> str:
        """Return an expression; in a loop it may have the names of the loop."""
        simple = ["s.x", "s.y", "1", "2", "0", "len(d)", *(["v", "v + 1", "w"] if loops else [])]
        one, other = self.random.choices(simple, k=2)
        return self.random.choice([*READ, *simple[:4]]).format(one, other)

    def block(self, depth: int, loop: str) -> list[str]:
        """Return a few statements, with the names of the loops around them."""
        return [
            line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, loop)
        ]

    def statement(self, depth: int, loop: str) -> list[str]:
        """Return one statement, in lines."""
        random = self.random
        one, other = self.number(bool(loop)), self.number(bool(loop))
        chosen = random.random()
        if chosen < 0.3:
            return [f"d[{one}] = {other}"]
        if chosen < 0.5:
            return [f"d[{one}] {random.choice(['+=', '-=', '|='])} {other}"]
        if chosen < 0.6:
            return [f"d.setdefault({one}, {other})"]
        if chosen < 0.65:
            return [f"s.y = {one} % 4"]
        if chosen < 0.8 and depth < 2:
            name = f"{loop}w" if loop else "v"
            return [f"for {name} in {random.choice(OVER)}:", *self.inside(depth, name)]
        if chosen < 0.95 and depth < 3:
            lines = [f"if {one} {random.choice(['<', '==', '!='])} {other}:"]
            lines += self.inside(depth, loop)
            return [*lines, "else:", *self.inside(depth, loop)] if random.random() < 0.5 else lines
        if loop:
            return [f"if {one} == {other}:", f"    {random.choice(['break', 'continue'])}"]
        return ["d.clear()" if random.random() < 0.3 else f"d[{one}] = 1"]

    def inside(self, depth: int, loop: str) -> list[str]:
        """Return a block further to the right."""
        return [f"    {line}" for line in self.block(depth + 1, loop)]
