"""Random functions whose containers hold containers, under several names."""

from random import Random

HELPERS = """\
def longer(t, v):
    t.append(v)
    return len(t)


def first(t):
    return t[0]


def both(t, u):
    return [t, u]


def again(t):
    u = t
    return u


def renamed(t, v):
    t = [v]
    t.append(v)
    return t


def deeper(t, v):
    t[0].append(v)
    return t


"""


class Owners:
    """Writes one function about lists of lists, lists, records and what names them.

    ``a`` and ``b`` are lists of lists, ``c``, ``d`` and ``e`` lists, ``p`` and ``q`` records of the
    function, and ``r`` is a list of records.
    """

    helpers = HELPERS

    def __init__(self, random: Random) -> None:
        self.random = random

    def body(self) -> str:
        """Return the lines of a function that ends with writes of what the names have."""
        lines = ["a, b = [[1], [2]], [[3]]", "c, d, e = [s.x], [4], []"]
        lines += ["p, q = Pair(n=1), Pair(n=s.y)", "r = [Pair(n=2), Pair(n=3, to={1})]"]
        for _ in range(self.random.randint(2, 6)):
            lines += self.statement(0)
        shown = self.random.sample(
            (
                "sum(map(len, a))", "sum(map(sum, b))", "len(c) + sum(d)", "len(e)",
                "p.n + len(p.to)", "q.n", "sum(m.n for m in r)", "len(r)",
            ),
            3,
        )  # fmt: skip
        lines += [f"s.log[{n}] = ({text}) % 8" for n, text in enumerate(shown)]
        return "\n".join([*lines, "return True"])

    def one(self, *choices: str) -> str:
        """Return one of some texts."""
        return self.random.choice(choices)

    def number(self) -> str:
        """Return a number."""
        return self.one("0", "1", "2", "s.y % 2", "len(c)", "p.n", "len(a)", "sum(d) % 3")

    def inner(self) -> str:
        """Return a list of numbers."""
        name = self.one("c", "d", "e")
        return self.one(
            name, name, "[5]", f"a[{self.number()} % 2]", "b[0]", f"list({name})", f"{name} + [6]",
            "first(a)", "first(b)", f"again({name})", f"renamed({name}, 7)", f"({name} or [8])",
            f"({name} if s.flag else a[0])", "a.pop()", "max(a)", "list(s.queue)",
            f"[v for v in {name}]", "s.queue[1:]", "a[-1][:]", "next((v for v in a if v), [9])",
        )  # fmt: skip

    def outer(self) -> str:
        """Return a list of lists of numbers."""
        name = self.one("a", "b")
        return self.one(
            name, f"[{self.inner()}]", f"[{self.inner()}, {self.inner()}]", f"list({name})",
            f"{name}[:]", "a + b", f"both({self.inner()}, {self.inner()})", f"[v for v in {name}]",
            f"[list(v) for v in {name}]", f"copy.deepcopy({name})", f"sorted({name}, key=len)",
            f"[*{name}, {self.inner()}]", f"again({name})", f"deeper({name}, 1)",
            f"list(reversed({name}))", f"{name}[::-1]", f"[v for v in {name} if len(v) < 3]",
        )  # fmt: skip

    def record(self) -> str:
        """Return a record of the function's own."""
        return self.one(
            "p", "q", "Pair(n=4)", "r[0]", "r.pop()", "copy.copy(p)", "copy.deepcopy(q)",
            "(p if s.flag else q)", "max(r, key=lambda m: m.n)", "again(p)",
        )  # fmt: skip

    def change(self) -> str:
        """Return a statement that changes a value where it is."""
        inner, outer = self.one("c", "d", "e"), self.one("a", "b")
        at, record = f"{outer}[{self.number()}]", self.one("p", "q", "r[0]", "r[-1]")
        return self.one(
            f"{inner}.append({self.number()})", f"{at}.append({self.number()})",
            f"{inner} += [{self.number()}]", f"{at} += {self.inner()}",
            f"{at} = {self.inner()}", f"{outer}.append({self.inner()})",
            f"longer({inner}, {self.number()})", f"longer({at}, 1)",
            f"deeper({outer}, {self.number()})", f"{outer}.reverse()", f"del {at}",
            f"{outer}[0], {outer}[-1] = {outer}[-1], {outer}[0]", f"{inner}.clear()",
            f"{record}.n = {self.number()} % 8", f"{record}.to.add({self.number()} % 4)",
            f"r.append({self.record()})", f"r[0] = {self.record()}",
            f"{outer}.extend({self.outer()})",
            f"{inner}[0] = {self.number()}", f"{record}.to |= {{{self.number()} % 4}}",
            f"{inner}[:] = {self.inner()}", f"{outer}[:1] = {self.outer()}",
        )  # fmt: skip

    def binding(self) -> str:
        """Return an assignment to a name, or to several."""
        return self.one(
            f"{self.one('c', 'd', 'e')} = {self.inner()}", f"{self.one('a', 'b')} = {self.outer()}",
            f"{self.one('p', 'q')} = {self.record()}", "c, d = d, c", "a, b = b, a",
            f"c, d = {self.inner()}, {self.inner()}", "c, *rest = a", f"e = d = {self.inner()}",
            f"r = [{self.record()}, {self.record()}]", "r = [m for m in r if m.n]",
            "r = [Pair(n=m.n, to=m.to) for m in r]",
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        """Return one statement, in lines."""
        random = self.random.random()
        if random < 0.4:
            return [self.change()]
        if random < 0.75 or depth > 1:
            return [self.binding()]
        if random < 0.87:
            head = f"if {self.number()} < {self.number()}:"
            lines = [head, *self.inside(depth)]
            return [*lines, "else:", *self.inside(depth)] if random < 0.8 else lines
        head = self.one(
            "for i in range(2):", "for d in list(a):", "for e in b[:2]:", "for v in d[:2]:",
            "for i, v in enumerate(d[:2]):", "for v in (v for v in c[:3] if v < s.x):",
            "for v, w in zip(s.queue, range(3)):", "for v in filter(lambda v: v < len(d), c[:2]):",
            "for v in c:", "for c in a:", "for v in b[0]:",
        )  # fmt: skip
        return [head, *self.inside(depth)]

    def inside(self, depth: int) -> list[str]:
        """Return a block further to the right."""
        lines = [
            line for _ in range(self.random.randint(1, 2)) for line in self.statement(depth + 1)
        ]
        return [f"    {line}" for line in lines]
