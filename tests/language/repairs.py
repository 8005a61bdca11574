"""Rules that are refused, each with the same rule repaired as the refusal says.

They are actions of the model of docs/language.md, or what stands above it in the file.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Repair:
    """A rule that is refused, and the same rule repaired.

    Parameters
    ----------
    what
        A name in one of the tables of repairs; or what to write, where no table has that.
    refused, repaired
        Lines of the action.
    above
        What both files have above the model.
    refused_above, repaired_above
        What one of them has above the model.
    beside
        The variables that only one of the two writes, as the repair says.
    is_trap
        Whether Python runs the refused rule, and does not do what it seems to say.
    """

    what: str
    refused: str
    repaired: str
    above: str = ""
    refused_above: str = ""
    repaired_above: str = ""
    beside: tuple[str, ...] = ()
    is_trap: bool = False


CONTEXTS = "import contextlib"
ASYNC = "import asyncio\nimport contextlib"
PURE = "import tidegate\n\n\n@tidegate.pure\n"

OF_FORMS = (
    Repair(
        "try",
        "try:\n    s.x = WEIGHT[s.x]\nexcept KeyError:\n    return False",
        "weight = WEIGHT.get(s.x)\nif weight is None:\n    return False\ns.x = weight",
    ),
    Repair(
        "try",
        "try:\n    s.q.remove(3)\nexcept ValueError:\n    return False",
        "if 3 not in s.q:\n    return False\ns.q.remove(3)",
    ),
    Repair(
        "try",
        "try:\n    s.x = WEIGHT[s.x]\nexcept* KeyError:\n    s.x = 0",
        "if s.x in WEIGHT:\n    s.x = WEIGHT[s.x]\nelse:\n    s.x = 0",
    ),
    Repair("with", "with contextlib.nullcontext():\n    s.x = 2", "s.x = 2", CONTEXTS),
    Repair(
        "with",
        "with contextlib.suppress(KeyError):\n    s.x = WEIGHT[s.x]",
        "if s.x in WEIGHT:\n    s.x = WEIGHT[s.x]",
        CONTEXTS,
    ),
    Repair(
        "with",
        "async def first():\n    async with contextlib.nullcontext():\n        return 1\n\n\n"
        "s.x = asyncio.run(first())",
        "def first():\n    return 1\n\n\ns.x = first()",
        ASYNC,
    ),
    Repair(
        "async def",
        "async def half(v):\n    return v // 2\n\n\ns.x = asyncio.run(half(s.x))",
        "def half(v):\n    return v // 2\n\n\ns.x = half(s.x)",
        ASYNC,
    ),
    Repair(
        "await",
        "async def half(v):\n    return v // 2\n\n\n"
        "async def most(v):\n    return max(1, await half(v))\n\n\ns.x = asyncio.run(most(s.x))",
        "def half(v):\n    return v // 2\n\n\n"
        "def most(v):\n    return max(1, half(v))\n\n\ns.x = most(s.x)",
        ASYNC,
    ),
    Repair(
        "async for",
        "async def up(n):\n    for v in range(n):\n        yield v\n\n\n"
        "async def total(n):\n    most = 0\n    async for v in up(n):\n        most += v\n"
        "    return most\n\n\ns.x = asyncio.run(total(s.x)) % 7",
        "def up(n):\n    return [v for v in range(n)]\n\n\n"
        "def total(n):\n    most = 0\n    for v in up(n):\n        most += v\n"
        "    return most\n\n\ns.x = total(s.x) % 7",
        ASYNC,
    ),
    Repair(
        "yield",
        "def odd(values):\n    for v in values:\n        if v % 2:\n            yield v\n\n\n"
        "s.x = sum(odd(s.q)) % 7",
        "def odd(values):\n    kept = []\n    for v in values:\n        if v % 2:\n"
        "            kept.append(v)\n    return kept\n\n\ns.x = sum(odd(s.q)) % 7",
    ),
    Repair(
        "yield",
        "s.x = sum(below(s.x)) % 7",
        "s.x = sum(below(s.x)) % 7",
        refused_above="def below(n):\n    yield from range(n)",
        repaired_above="def below(n):\n    return list(range(n))",
    ),
    Repair(
        "global",
        "global LAST\nLAST = s.x\ns.x = 1",
        "s.entry.term = s.x\ns.x = 1",
        "LAST = 0",
        beside=("entry.term",),
    ),
    Repair(
        "nonlocal",
        "most = 0\n\n\ndef note(v):\n    nonlocal most\n    most = max(most, v)\n\n\n"
        "for v in s.q:\n    note(v)\ns.x = most",
        "most = 0\n\n\ndef note(most, v):\n    return max(most, v)\n\n\n"
        "for v in s.q:\n    most = note(most, v)\ns.x = most",
    ),
    Repair(
        "a class within a function",
        "class Side(IntEnum):\n    LEFT = 0\n    RIGHT = 1\n\n\ns.x = 4 * Side(s.x % 2)",
        "s.x = 4 * Side(s.x % 2)",
        repaired_above="class Side(IntEnum):\n    LEFT = 0\n    RIGHT = 1",
    ),
    Repair(
        "a class within a function",
        "class Limits:\n    LEAST = 2\n\n\ns.x = max(s.x, Limits.LEAST)",
        "s.x = max(s.x, Limits.LEAST)",
        repaired_above="class Limits:\n    LEAST = 2",
    ),
    Repair(
        "an import within a function",
        "import math as numbers\n\ns.x = numbers.gcd(s.x, 4)",
        "s.x = numbers.gcd(s.x, 4)",
        repaired_above="import math as numbers",
    ),
    Repair(
        "an import within a function",
        "from math import isqrt\n\ns.x = isqrt(s.x)",
        "s.x = isqrt(s.x)",
        repaired_above="from math import isqrt",
    ),
    Repair(
        "a star in a pattern",
        "match list(s.q):\n    case [first, *_]:\n        s.x = first",
        "match len(s.q):\n    case 0:\n        pass\n    case _:\n        s.x = s.q[0]",
    ),
    Repair(
        "a star in a pattern",
        "match tuple(s.q):\n    case (first, *rest):\n        s.x = first + len(rest)",
        "match s.q[:1]:\n    case [first]:\n        rest = s.q[1:]\n"
        "        s.x = first + len(rest)",
    ),
    Repair(
        "a pattern of a dictionary",
        "match WEIGHT:\n    case {1: 3}:\n        s.x = 5\n    case _:\n        s.x = 6",
        "match WEIGHT.get(1):\n    case 3:\n        s.x = 5\n    case _:\n        s.x = 6",
    ),
    Repair(
        "the else of a loop",
        "for v in s.q:\n    if v > 1:\n        break\nelse:\n    return False\ns.x = 1",
        "found = False\nfor v in s.q:\n    if v > 1:\n        found = True\n        break\n"
        "if not found:\n    return False\ns.x = 1",
    ),
    Repair(
        "the else of a loop",
        "while s.q:\n    if s.q.pop() == 1:\n        s.x = 1\n        break\nelse:\n    s.x = 2",
        "while s.q:\n    if s.q.pop() == 1:\n        s.x = 1\n        return True\ns.x = 2",
    ),
    Repair(
        "a fraction",
        "if s.x / 2 < len(s.q) / 3:\n    s.x = 9",
        "if s.x * 3 < len(s.q) * 2:\n    s.x = 9",
    ),
    Repair("a fraction", "s.x = int(s.x / 2)", "s.x = s.x // 2"),
    Repair("a fraction", "n = s.x\nn /= 2\ns.x = int(n)", "n = s.x\nn //= 2\ns.x = n"),
    Repair("a fraction", "s.x = int(s.x * 0.5)", "s.x = s.x // 2"),
    Repair("a fraction", "s.x = int(s.x < HALF)", "s.x = int(2 * s.x < 5)", "HALF = 5 / 2"),
    Repair(
        "an infinite number",
        "best = math.inf\nfor v in s.q:\n    best = min(best, v)\ns.x = 0 if best > 9 else best",
        "best = 10\nfor v in s.q:\n    best = min(best, v)\ns.x = 0 if best > 9 else best",
    ),
    Repair(
        "a slice with a step",
        "s.x = sum(s.q[::2]) % 7",
        "s.x = sum([s.q[i] for i in range(0, len(s.q), 2)]) % 7",
    ),
    Repair("a slice with a step", "s.q[:] = s.q[::BACK]", "s.q[:] = s.q[::-1]", "BACK = -1"),
    Repair("del of a name", "n = s.x // 2\ns.x = n\ndel n", "n = s.x // 2\ns.x = n"),
    Repair(
        "a text that is built",
        'if f"{s.x}-{s.role.name}" == "1-LEADER":\n    s.x = 7',
        "if (s.x, s.role) == (1, Role.LEADER):\n    s.x = 7",
    ),
    Repair(
        "a text that is built",
        'if NAMES[s.role] + "s" == "leaders":\n    s.x = 7',
        "if s.role == Role.LEADER:\n    s.x = 7",
    ),
    Repair(
        "a text that is built",
        'if "%d" % s.x == "3":\n    s.x = 7',
        "if s.x == 3:\n    s.x = 7",
    ),
    Repair(
        "a method of a text",
        'if NAMES[s.role].startswith("l"):\n    s.x = 7',
        "if s.role == Role.LEADER:\n    s.x = 7",
    ),
    Repair(
        "a function with a cache",
        "s.x = remembered(s.x) % 7",
        "s.x = plain(s.x) % 7",
        repaired_above="def plain(n: int) -> int:\n    return 2 * n",
    ),
    Repair(
        "a function with a cache",
        "s.x = cached(s.x) % 7",
        "s.x = cached(s.x) % 7",
        refused_above="@functools.cache\ndef cached(n: int) -> int:\n    return 3 * n",
        repaired_above=f"{PURE}@functools.cache\ndef cached(n: int) -> int:\n    return 3 * n",
    ),
    Repair(
        "a number of a class of the model",
        "s.x = Term(s.x) // 2",
        "s.x = s.x // 2",
        "class Term(int):\n    pass",
    ),
    Repair("an object of a class of the model", "s.x = Pair(s.x, 1).b", "s.x = (s.x, 1)[1]"),
    Repair(
        "an object of a class of the model",
        "s.x = Both(1, s.x).b",
        "s.x = Both(a=1, b=s.x).b",
        refused_above="class Both:\n    def __init__(self, a, b):\n        self.a, self.b = a, b",
        repaired_above="class Both(Record):\n    a: int = integer(0, 9, 'one')\n"
        "    b: int = integer(0, 9, 'the other')",
    ),
    Repair(
        "which calls itself",
        "s.x = ways(s.x) % 10",
        "s.x = ways(s.x) % 10",
        refused_above="def ways(n: int) -> int:\n"
        "    return 1 if n < 2 else ways(n - 1) + ways(n - 2)",
        repaired_above="def ways(n: int) -> int:\n    total, rest = 0, [n]\n    while rest:\n"
        "        m = rest.pop()\n        if m < 2:\n            total += 1\n        else:\n"
        "            rest += [m - 1, m - 2]\n    return total",
    ),
    Repair(
        "which calls itself",
        "def depth(n):\n    return 0 if n == 0 else 1 + depth(n // 2)\n\n\ns.x = depth(s.x)",
        "def depth(n):\n    deep = 0\n    while n != 0:\n        deep, n = deep + 1, n // 2\n"
        "    return deep\n\n\ns.x = depth(s.x)",
    ),
    Repair(
        "which calls itself",
        "s.x = int(is_even(s.x))",
        "s.x = int(is_even(s.x))",
        refused_above="def is_even(n: int) -> bool:\n    return n == 0 or is_odd(n - 1)\n\n\n"
        "def is_odd(n: int) -> bool:\n    return n != 0 and is_even(n - 1)",
        repaired_above="def is_even(n: int) -> bool:\n    even = True\n    while n != 0:\n"
        "        even, n = not even, n - 1\n    return even",
    ),
)


def _compared(name: str, test: str, repaired: str) -> Repair:
    return Repair(name, f"if {test}:\n    s.x = 7", f"if {repaired}:\n    s.x = 7")


OF_FUNCTIONS = (
    _compared("str", 'str(s.x) == "3"', "s.x == 3"),
    _compared("repr", 'repr(s.x) == "3"', "s.x == 3"),
    _compared("format", 'format(s.x, "d") == "3"', "s.x == 3"),
    _compared("ascii", 'ascii((s.x, 1)) == "(3, 1)"', "(s.x, 1) == (3, 1)"),
    _compared("chr", 'chr(48 + s.x) == "3"', "s.x == 3"),
    _compared("bin", 'bin(s.x) == "0b11"', "s.x == 3"),
    _compared("hex", 'hex(s.x) == "0x3"', "s.x == 3"),
    _compared("oct", 'oct(s.x) == "0o3"', "s.x == 3"),
    Repair("bin", 's.x = bin(s.x).count("1")', "s.x = sum(s.x >> i & 1 for i in range(4))"),
    _compared("float", "float(s.x) > 2", "s.x > 2"),
    _compared("complex", "complex(s.x, len(s.q)) == 1", "(s.x, len(s.q)) == (1, 0)"),
    Repair(
        "float",
        'best = float("inf")\nfor v in s.q:\n    best = min(best, v)\n'
        "s.x = 0 if best > 9 else best",
        "best = 10\nfor v in s.q:\n    best = min(best, v)\ns.x = 0 if best > 9 else best",
    ),
    Repair("round", "s.x = round(s.x / 3)", "s.x = (s.x + 3 // 2) // 3"),
    Repair("getattr", 's.x = getattr(s.entry, "term") + 1', "s.x = s.entry.term + 1"),
    Repair("setattr", 'setattr(s, "x", 1)', "s.x = 1"),
    _compared("hasattr", 'hasattr(s.entry, "term")', "isinstance(s.entry, Entry)"),
    Repair("print", "print(s.x)\ns.x = 1", "s.x = 1"),
    Repair("ceil", "s.x = math.ceil(s.x / 2)", "s.x = -(-s.x // 2)"),
    Repair("floor", "s.x = math.floor(s.x / 2)", "s.x = s.x // 2"),
    Repair("floor", "s.x = 5 + math.floor((s.x - 5) / 2)", "s.x = 5 + (s.x - 5) // 2"),
    Repair("trunc", "s.x = math.trunc(s.x / 2)", "s.x = s.x // 2"),
    Repair("sqrt", "s.x = int(math.sqrt(s.x))", "s.x = math.isqrt(s.x)"),
    _compared("hash", "hash((s.x, 1)) == hash((3, 1))", "(s.x, 1) == (3, 1)"),
    Repair(
        "iter",
        "it = iter(s.q)\ns.x = next(it, 0)",
        "s.x = next((v for v in s.q), 0)",
    ),
    Repair(
        "iter",
        "n = 0\nfor v in iter(s.q):\n    n += v\ns.x = n % 7",
        "n = 0\nfor v in s.q:\n    n += v\ns.x = n % 7",
    ),
    Repair(
        "super",
        "s.x = int(Late(term=s.x).is_new())",
        "s.x = int(Late(term=s.x).is_new())",
        refused_above="class Late(Entry):\n    def is_new(self) -> bool:\n"
        "        return super().is_new() and self.term < 4",
        repaired_above="class Late(Entry):\n    def is_new(self) -> bool:\n"
        "        return Entry.is_new(self) and self.term < 4",
    ),
    _compared("type", "type(s.role) is Role", "isinstance(s.role, Role)"),
    Repair("trunc", "s.x = math.trunc((s.x - 9) / 2) + 4", "s.x = -(-(s.x - 9) // 2) + 4"),
    Repair(
        "",
        "s.x = max(itertools.accumulate(AMOUNTS))",
        "s.x = MOST",
        "AMOUNTS = (1, 2, 3)",
        repaired_above="MOST = max(itertools.accumulate(AMOUNTS))",
    ),
    Repair(
        "",
        "s.x = max(itertools.accumulate(range(s.x % 4 + 1)))",
        "s.x = most(s.x % 4)",
        repaired_above=f"{PURE}def most(n: int) -> int:\n"
        "    return max(itertools.accumulate(range(n + 1)))",
    ),
)

ROOM = "if len(s.log) == 3: return False\n"
STORED_COPY = f"{ROOM}e = Entry(); s.log.append(copy.copy(e)); e.term = 1"

OF_VALUES = (
    Repair(
        "write the number, or the member of an enumeration",
        'return s.role == "LEADER"',
        "return s.role == Role.LEADER",
        is_trap=True,
    ),
    Repair(
        "an empty optional is NONE: write == NONE",
        "return s.leader is None",
        "return s.leader == NONE",
        is_trap=True,
    ),
    Repair("write != NONE", "return bool(s.leader)", "return s.leader != NONE", is_trap=True),
    Repair(
        "write to the element itself, as in s.queue[i].x = 1, or take it out with pop or popleft",
        "for m in s.log: m.term = 2",
        "for i in range(len(s.log)):\n    s.log[i].term = 2",
    ),
    Repair(
        "change it before that, or store a copy",
        f"{ROOM}e = Entry(); s.log.append(e); e.term = 1",
        f"{ROOM}e = Entry(); e.term = 1; s.log.append(e)",
        is_trap=True,
    ),
    Repair(
        "change it before that, or store a copy",
        f"{ROOM}e = Entry(); s.log.append(e); e.term = 1",
        STORED_COPY,
    ),
    Repair(
        "make it a variable of the state",
        "WEIGHT[s.x] = 1",
        "s.entry.term = 1",
        beside=("entry.term",),
    ),
)
"""Of the values of the state: what the page refuses beside what the tables have."""
