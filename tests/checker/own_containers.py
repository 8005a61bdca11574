"""Random functions that make, read and change a dictionary or a list of their own."""

from random import Random


class Writer:
    """Writes one function, by a source of random numbers.

    Attributes
    ----------
    made
        What the container is at first.
    read
        Numbers that it gives; ``{0}`` and ``{1}`` stand for other numbers.
    changes
        Statements that change it.
    over
        What loops go over.
    name, total
        Its name, and the sum of its numbers.
    guard
        What each loop begins with.
    share
        How many of the functions are translated, at least.
    """

    made: tuple[str, ...]
    read: tuple[str, ...]
    changes: tuple[str, ...]
    over: tuple[str, ...] = ("s.queue", "s.log", "sorted(s.a)", "range(s.y)")
    name, total = "d", "sum(d)"
    guard: tuple[str, ...] = ()
    share = 0.75

    def __init__(self, random: Random) -> None:
        self.random = random

    def body(self) -> str:
        """Return the lines of a function that ends with writes of what the container has."""
        lines = ["w = s.x", f"{self.name} = {self.random.choice(self.made)}", *self.block(0, "")]
        lines += [f"s.x = abs({self.number(False)}) % 8", f"s.log[0] = {self.total} % 4"]
        return "\n".join([*lines, f"s.log[1] = len({self.name}) % 4", "return True"])

    def number(self, loops: bool) -> str:
        """Return an expression; in a loop it may have the names of the loop."""
        own = f"len({self.name})"
        simple = ["s.x", "s.y", "1", "2", "0", own, *(["v", "v + 1", "w"] if loops else [])]
        one, other = self.random.choices(simple, k=2)
        return self.random.choice([*self.read, *simple[:4]]).format(one, other)

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
        if chosen < 0.6:
            return [random.choice(self.changes).format(one, other)]
        if chosen < 0.65:
            return [f"s.y = {one} % 4"]
        if chosen < 0.8 and depth < 2:
            name = f"{loop}w" if loop else "v"
            return [
                f"for {name} in {random.choice([*Writer.over, *self.over])}:",
                *self.guard,
                *self.inside(depth, name),
            ]
        if chosen < 0.95 and depth < 3:
            lines = [f"if {one} {random.choice(['<', '==', '!='])} {other}:"]
            lines += self.inside(depth, loop)
            return [*lines, "else:", *self.inside(depth, loop)] if random.random() < 0.5 else lines
        if loop:
            return [f"if {one} == {other}:", f"    {random.choice(['break', 'continue'])}"]
        return [random.choice(self.changes).format(one, 1)]

    def inside(self, depth: int, loop: str) -> list[str]:
        """Return a block further to the right."""
        return [f"    {line}" for line in self.block(depth + 1, loop)]


class Dictionaries(Writer):
    """Writes functions with a dictionary."""

    made = (
        "{}", "dict()", "defaultdict(int)", "Counter()", "Counter(s.queue)",
        "{v: v for v in s.queue}", "{i: s.y for i in range(3)}", "{s.x: 1, s.y: 2}",
        "{1: 0, 2: 1}", "dict(zip(s.queue, s.other))", "Counter(v for v in s.queue if v)",
        "dict(enumerate(s.queue))", "dict.fromkeys(s.queue, 1)", "dict.fromkeys(range(3), 0)",
        "{**{s.x: 1}, 2: s.y}",
    )  # fmt: skip
    read = (
        "d.get({0}, {1})", "d[{0}]", "(1 if {0} in d else 2)", "(d.get({0}) or 1)", "len(d)",
        "(3 if {0} in d.values() else 0)", "sum(d.values())", "max(d, default=0)",
        "max(d.values(), default=1)", "(max(d, key=d.get) if d else 0)", "next(iter(d), 3)",
        "sum(a * b for a, b in d.items())", "(sorted(d)[0] if d else 1)",
        "(list(d)[-1] if d else 2)", "sum(a for a in d if d[a] > 1)",
        "len({{v for v in d.values()}})",
        "(sorted(d.items(), key=lambda p: (-p[1], p[0]))[0][1] if d else 0)", "d.pop({0}, {1})",
        "d.pop({0}, 2)", "(Counter(s.queue).most_common(1)[0][{0} % 2] if s.queue else 0)",
    )  # fmt: skip
    changes = (
        "d[{0}] = {1}", "d[{0}] = {1}", "d[{0}] += {1}", "d[{0}] -= {1}", "d[{0}] |= {1}",
        "d.setdefault({0}, {1})", "d[{0}] = 1", "d.clear()", "d.pop({0}, 0)", "d.pop({0})",
        "del d[{0}]", "d.update({{{0}: {1}}})", "d.update(zip(s.queue, s.other))",
        "d = d | {{{0}: {1}}}", "d = {{**d, {0}: {1}}}",
    )  # fmt: skip
    over = ("d", "list(d)", "d.values()")
    total = "sum(d.values())"
    share = 0.35


class Lists(Writer):
    """Writes functions with a list."""

    made = (
        "[]", "list(s.queue)", "[v for v in s.queue]", "[s.x, s.y]", "[1, 2, 0]",
        "list(range(s.y))", "sorted(s.log)", "[*s.log, s.x]", "list(s.log)", "s.queue[1:]",
        "[0] * 3",
    )  # fmt: skip
    read = (
        "(d[{0}] if {0} < len(d) else 1)", "d[{0}]", "d[-1]", "(d[0] if d else {0})", "len(d)",
        "(3 if {0} in d else 0)", "sum(d)", "max(d, default=0)", "d.count({0})", "d.index({0})",
        "(d.index({0}) if {0} in d else 2)", "d.pop()", "d.pop(0)", "d.pop({0})", "sum(d[1:])",
        "sum(a * b for a, b in enumerate(d))", "(d.pop({0}) if {0} < len(d) else {1})",
        "sum(d[::-1][:2])", "sum(a for a, b in zip(d, d[1:]) if a < b)", "most(*d, {0})",
    )  # fmt: skip
    changes = (
        "d.append({0})", "d.insert({0}, {1})", "d.insert({0} - 2, {1})", "d.sort()",
        "d.reverse()", "d.sort(reverse=True)", "d.sort(key=lambda v: (v % 2, v))",
        "d.remove({0})", "del d[{0}]", "if {0} in d: d.remove({0})",
        "if {0} < len(d): del d[{0}]", "d.extend([{0}, {1}])", "d += [{0}]", "if d: d[0] = {0}",
        "if d: d[-1] += {0}", "d.clear()", "d = d[1:]", "del d[-1]", "d.append({0})",
        "d.append({1})",
    )  # fmt: skip
    over = ("d", "list(d)", "d[:2]", "reversed(d)")
    # Python would go on in what grows for ever.
    guard = ("    if len(d) > 9:", "        break")


class Queues(Writer):
    """Writes functions with a deque."""

    made = ("deque()", "deque(s.queue)", "deque([s.x, 1])", "deque(v for v in s.log if v)")
    read = (
        "len(d)", "sum(d)", "max(d, default=0)", "d.count({0})", "d.pop()", "d.popleft()", "d[0]",
        "(d[-1] if d else {0})", "(3 if {0} in d else 0)", "(d.popleft() if d else {1})",
        "(2 if list(d) == [{0}] else 1)", "(1 if d == [{0}] else 2)", "sum(sorted(d)[:2])",
    )  # fmt: skip
    changes = (
        "d.append({0})", "d.appendleft({0})", "d.extend([{0}, {1}])", "d.remove({0})", "d.clear()",
        "if {0} in d: d.remove({0})", "if d: d[0] = {0}", "if d: d[-1] += {0}", "d = deque([{0}])",
        "d.append({0})", "d.appendleft({1})",
    )  # fmt: skip
    over = ("list(d)", "sorted(d)", "d")
    guard = ("    if len(d) > 9:", "        break")
    share = 0.5


class Sets(Writer):
    """Writes functions with a dictionary or a list of sets, some of which have other names."""

    made = (
        "{}", "defaultdict(set)", "{v: set() for v in s.queue}", "{i: {i} for i in range(4)}",
        "[set() for i in range(3)]", "[{s.x}, {s.y}, set()]", "[{i, s.y} for i in s.log]",
        "{0: set(), 1: {s.x}}", "{v: {v} for v in range(9)}",
    )  # fmt: skip
    read = (
        "len(d[{0}])", "len(d[1])", "(2 if {1} in d[{0}] else 1)", "sum(d[{0}])",
        "max(d[1] | {{0}})", "(1 if d[0] else 3)", "(4 if d[{0}] <= d[1] else {1})",
        "len(d[0] & d[1])", "len(sorted(d[0]))", "sum(1 for v in d[0] if v > 1)",
        "(len(t) if t else {0})", "(1 if d[0] == {{1}} else 2)", "(1 if t and t <= d[0] else 2)",
    )  # fmt: skip
    changes = (
        "d[{0}].add({1})", "d[{0}] |= {{{1}}}", "d[{0}] -= {{{1}}}", "d[{0}].discard({1})",
        "d[1].add({0})", "d[0].update(s.queue)", "d[{0}] = {{{1}}}", "d[{0}] = d[1] | {{{0}}}",
        "d[0] &= {{0, 1, {0}}}", "d[1].add({0})", "d[0].add({1})", "d[s.y].add(1)", "t = d[{0}]",
        "t = t | {{{0}}}", "t = len(d[{0}]) and {{1}}",
        "d[0].symmetric_difference_update({{{0}}})",
    )  # fmt: skip
    over = ("d[0]", "sorted(d[1])", "range(len(d))", "d[1]")
    total = "(len(d[0]) + len(t))"
    share = 0.1

    def body(self) -> str:
        """Return the lines of a function, with another name from the beginning on."""
        return f"t = {{s.y}}\n{super().body()}"
