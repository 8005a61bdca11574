"""Ways in which a model is not a function of its state, and uses that look like one and are pure.

Each is (setup, body): lines of the module, and the lines of a function ``probe(s, k)`` that returns
a number.  The line that is to be refused ends with ``# here``; without it, it is the last one.
"""

IMPURE = {
    "a clock": ("import time", "return time.time_ns() % 2"),
    "a clock by its name": ("from time import monotonic", "return int(monotonic()) % 2"),
    "a clock by another name": ("import time as t", "return int(t.perf_counter()) % 2"),
    "a date": ("import datetime", "return datetime.datetime.now().second % 2"),
    "a date from a class": ("from datetime import date", "return date.today().day % 2"),
    "a clock in a list": (
        "import time\nCLOCKS = [time.time]",
        "return int(CLOCKS[0]()) % 2",
    ),
    "a clock in a dictionary": (
        "import time\nTABLE = {0: lambda: time.time_ns()}  # here",
        "return TABLE[0]() % 2",
    ),
    "a clock by getattr": ("import time", 'return int(getattr(time, "time")()) % 2'),
    "a clock by a computed name": ("import time", 'return int(getattr(time, "ti" + "me")()) % 2'),
    "a clock imported inside": ("", "import time\nreturn int(time.time()) % 2"),
    "a clock imported from inside": ("", "from time import time  # here\nreturn int(time()) % 2"),
    "a clock by __import__": ("", 'return int(__import__("time").time()) % 2'),
    "a clock by importlib": (
        "import importlib",
        'return int(importlib.import_module("time").time())',
    ),
    "a clock by eval": ("", "return eval(\"__import__('time').time_ns()\") % 2"),
    "a clock passed on": (
        "import time\ndef call(f):\n    return f()",
        "return int(call(time.time)) % 2",
    ),
    "chance": ("import random", "return random.randint(0, 1)"),
    "chance by a star": ("from random import *", "return randint(0, 1)"),
    "chance of an object": ("import random\nRNG = random.Random(3)", "return RNG.randint(0, 1)"),
    "chance of a new object": ("import random", "return int(random.Random().random() < 0.5)"),
    "chance by partial": (
        "import random\nfrom functools import partial\nDRAW = partial(random.randint, 0, 1)",
        "return DRAW()",
    ),
    "chance in a class": (
        "import random\nclass Dice:\n    def __call__(self):\n        return random.randint(0, 1)  # here\n"
        "DICE = Dice()",
        "return DICE()",
    ),
    "chance in a property": (
        "import random\nclass Dice:\n    @property\n    def side(self):\n"
        "        return random.randint(0, 1)  # here\nDICE = Dice()",
        "return DICE.side",
    ),
    "chance in a comparison": (
        "import random\nclass Odd:\n    def __eq__(self, other):\n"
        "        return random.random() < 0.5  # here\n    __hash__ = None",
        "return int(Odd() == 1)",
    ),
    "chance in a default": (
        "import random\ndef draw(by=random.random):\n    return by()  # here",
        "return int(draw() < 0.5)",
    ),
    "chance that is remembered": (
        "import random\nfrom functools import cache\n@cache\ndef coin(x):\n"
        "    return random.randint(0, 1)  # here",
        "return coin(s.x)",
    ),
    "chance in a wrapper": (
        "import random\nfrom functools import wraps\ndef shaken(f):\n    @wraps(f)\n"
        "    def inner(*args):\n        return f(*args) + random.randint(0, 1)  # here\n"
        "    return inner\n@shaken\ndef plain(x):\n    return x",
        "return plain(s.x) % 2",
    ),
    "secrets": ("import secrets", "return secrets.randbelow(2)"),
    "a uuid": ("import uuid", "return uuid.uuid4().int % 2"),
    "random bytes": ("import os", "return os.urandom(1)[0] % 2"),
    "the process": ("import os", "return os.getpid() % 2"),
    "the environment": ("import os", 'return int(os.environ.get("MODE") is None)'),
    "the environment by a name": ("from os import environ", "return len(environ) % 2"),
    "the interpreter": ("import sys", "return sys.getrefcount(s) % 2"),
    "the machine": ("import platform", "return len(platform.node()) % 2"),
    "a file": ("", "return len(open(__file__).read()) % 2"),
    "a path": ("from pathlib import Path", 'return int(Path("flag").exists())'),
    "a thread": ("import threading", "return threading.get_ident() % 2"),
    "an address": ("", "return id(s) // 16 % 2"),
    "an address as text": ("", "return len(repr(object())) % 2"),
    "the hash of a string": ("", 'return hash("a") % 2'),
    "the hash of a tuple": ("", 'return hash((s.x, "a")) % 2'),
    "the first of a set": ("", 'return int(next(iter({"a", "b"})) == "a")'),
    "a list of a set": ('NAMES = frozenset({"a", "b", "c"})', 'return int(list(NAMES)[0] == "a")'),
    "a loop over a set": (
        'NAMES = frozenset({"a", "b", "c"})',
        'for name in NAMES:  # here\n    return int(name == "a")\nreturn 0',
    ),
    "the least by a key": ('NAMES = {"a", "b", "c"}', 'return int(min(NAMES, key=len) == "a")'),
    "sorted by a key": ('NAMES = {"a", "b"}', 'return int(sorted(NAMES, key=len)[0] == "a")'),
    "a set unpacked": ('NAMES = {"a", "b"}', 'first, _ = NAMES  # here\nreturn int(first == "a")'),
    "a set in a list": ('NAMES = {"a", "b"}', 'return [*NAMES].index("a")'),
    "a set as text": ('NAMES = {"a", "b"}', 'return int(str(NAMES).startswith("{\'a"))'),
    "a set in an f-string": ('NAMES = {"a", "b"}', 'return f"{NAMES}".index("a") % 2'),
    "a set joined": ('NAMES = {"a", "b"}', 'return " ".join(NAMES).index("a") % 2'),
    "a set numbered": (
        'NAMES = {"a", "b"}',
        'return sum(i for i, name in enumerate(NAMES) if name == "a")',
    ),
    "a set paired": ('NAMES = {"a", "b"}', 'return dict(zip(NAMES, (0, 1)))["a"]'),
    "a set popped": ('NAMES = frozenset({"a", "b"})', 'return int(set(NAMES).pop() == "a")'),
    "a set reduced": (
        'from functools import reduce\nNAMES = {"a", "b"}',
        'return int(reduce(lambda one, other: one, NAMES) == "a")',
    ),
    "a set in a dictionary": (
        'GROUPS = {0: frozenset({"a", "b"})}',
        'return int(next(iter(GROUPS[0])) == "a")',
    ),
    "a set in an object": (
        'class Conf:\n    pass\nCONF = Conf()\nCONF.names = frozenset({"a", "b"})',
        'return int(next(iter(CONF.names)) == "a")',
    ),
    "a set that a helper returns": (
        'def names():\n    return {"a", "b"}',
        'return int(list(names())[0] == "a")',
    ),
    "a set that a helper receives": (
        "def first(names):\n    for name in names:  # here\n        return name",
        'return int(first({"a", "b"}) == "a")',
    ),
    "keys from a set": (
        'NAMES = {"a", "b"}',
        'return int(next(iter({n: 1 for n in NAMES})) == "a")',
    ),
    "the last of any": (
        'NAMES = {"a", "b"}',
        'any((last := name) == "" for name in NAMES)  # here\nreturn int(last == "a")',
    ),
    "a set of plain enumeration members": (
        "from enum import Enum\nclass Hue(Enum):\n    A = 1\n    B = 2",
        "return int(next(iter({Hue.A, Hue.B})) is Hue.A)",
    ),
    "sets compared as lists": ('NAMES = {"a", "b"}', 'return int(list(NAMES) == ["a", "b"])'),
    "a set yielded": (
        'NAMES = {"a", "b"}\ndef each():\n    yield from NAMES',
        'return int(next(each()) == "a")',
    ),
    "a global": (
        "COUNT = 0\ndef tick():\n    global COUNT\n    COUNT += 1  # here\n    return COUNT",
        "return tick() % 2",
    ),
    "a list that grows": ("LOG = []", "LOG.append(1)  # here\nreturn len(LOG) % 2"),
    "a list by its method": ("LOG = []\nNOTE = LOG.append", "NOTE(1)  # here\nreturn len(LOG) % 2"),
    "a dictionary that grows": ("SEEN = {}", "SEEN[s.x] = len(SEEN)  # here\nreturn SEEN[s.x] % 2"),
    "a dictionary with a default": ("SEEN = {}", "return SEEN.setdefault(s.x, len(SEEN)) % 2"),
    "a default that grows": (
        "def seen(x, so_far=[]):\n    so_far.append(x)\n    return len(so_far)",
        "return seen(s.x) % 2",
    ),
    "a function that counts": (
        "def tick():\n    tick.n += 1  # here\n    return tick.n\ntick.n = 0",
        "return tick() % 2",
    ),
    "a class that counts": ("class Box:\n    n = 0", "Box.n += 1  # here\nreturn Box.n % 2"),
    "an object that counts": (
        "class Box:\n    n = 0\nBOX = Box()",
        "BOX.n += 1  # here\nreturn BOX.n % 2",
    ),
    "an object that counts itself": (
        "class Box:\n    n = 0\n    def tick(self):\n        self.n += 1  # here\n        return self.n\n"
        "BOX = Box()",
        "return BOX.tick() % 2",
    ),
    "a closure that counts": (
        "def counter():\n    n = 0\n    def tick():\n        nonlocal n\n        n += 1  # here\n"
        "        return n\n    return tick\nTICK = counter()",
        "return TICK() % 2",
    ),
    "an iterator": ("import itertools\nCOUNT = itertools.count()", "return next(COUNT) % 2"),
    "a generator": ("GENERATOR = (n for n in range(10**9))", "return next(GENERATOR) % 2"),
    "a memoised record": (
        "from functools import cache\n@cache\ndef value(state):\n    return state.x",
        "return value(s) % 2",
    ),
    "a constant by chance": ("import random\nBIAS = random.randint(0, 1)  # here", "return BIAS"),
    "a constant of a clock": ("import time\nBEGAN = int(time.time())  # here", "return BEGAN % 2"),
    "a constant of a hash": ('SALT = hash("a") % 2  # here', "return SALT"),
    "a constant of an address": ("PLACE = id(object()) % 32 // 16  # here", "return PLACE"),
    "a table from a set": (
        'RANK = {name: i for i, name in enumerate({"a", "b"})}  # here',
        'return RANK["a"]',
    ),
    "the module's variables": ("X = 1", 'return globals()["X"]'),
    "a method by its name": (
        "import datetime\nfrom operator import methodcaller",
        'return methodcaller("now")(datetime.datetime).second % 2',
    ),
    "a class made inside": ("", "class Inside:  # here\n    pass\nreturn int(Inside() is None)"),
    "a library that nobody lists": ("import click", "return len(click.get_app_dir('x')) % 2"),
}

PURE = {
    "a member of a set": ('NAMES = frozenset({"a", "b"})', 'return int("a" in NAMES)'),
    "any of a set": ('NAMES = {"a", "b"}', 'return int(any(name == "a" for name in NAMES))'),
    "sum over a set": ('NAMES = {"a", "b"}', 'return sum(name == "a" for name in NAMES) % 2'),
    "sorted": ('NAMES = {"a", "b"}', 'return int(sorted(NAMES)[0] == "a")'),
    "sorted list": ('NAMES = {"a", "b"}', 'return len([name for name in NAMES if name > "a"])'),
    "least of a set": ('NAMES = {"a", "b"}', 'return int(min(NAMES) == "a")'),
    "sets compared": ('NAMES = {"a", "b"}', 'return int(NAMES == {"b", "a"})'),
    "a union": ('NAMES = {"a"}', 'return len(NAMES | {"b"}) % 2'),
    "a loop over numbers": (
        "PRIMES = {2, 3, 5}",
        "for p in PRIMES:\n    if p == s.x:\n        return 1\nreturn 0",
    ),
    "a set of numbers made here": ("", "return max({n % 3 for n in range(s.x + 1)})"),
    "a set of tuples": ("PAIRS = {(0, 1), (1, 2)}", "return sum(1 for a, b in PAIRS if a == s.x)"),
    "hash of numbers": ("", "return hash((s.x, 3)) % 2"),
    "memoised": (
        "from functools import cache\n@cache\ndef double(n):\n    return 2 * n",
        "return double(s.x) % 2",
    ),
    "memoised with a size": (
        "from functools import lru_cache\n@lru_cache(maxsize=4)\ndef double(n):\n    return 2 * n",
        "return double(s.x) % 2",
    ),
    "a table": ("TABLE = {0: 1, 1: 0, 2: 1, 3: 1, 4: 0}", "return TABLE[s.x]"),
    "a table of functions": (
        "TABLE = [lambda n: n, lambda n: n + 1]",
        "return TABLE[s.x % 2](s.x) % 2",
    ),
    "a dictionary's keys": ('TABLE = {"a": 1, "b": 0}', "return [v for k_, v in TABLE.items()][0]"),
    "math": ("import math", "return math.isqrt(s.x)"),
    "itertools": (
        "import itertools",
        "return sum(1 for _ in itertools.combinations(range(s.x), 2)) % 2",
    ),
    "reduce": (
        "from functools import reduce",
        "return reduce(lambda a, b: a ^ b, range(s.x + 1), 0) % 2",
    ),
    "operator": ("import operator", "return operator.add(s.x, 1) % 2"),
    "a digest": ("import hashlib", "return hashlib.sha256(bytes([s.x])).digest()[0] % 2"),
    "partial": (
        "from functools import partial\ndef add(a, b):\n    return a + b\nNEXT = partial(add, 1)",
        "return NEXT(s.x) % 2",
    ),
    "a local list": (
        "",
        "found = []\nfor n in range(s.x):\n    found.append(n)\nreturn len(found) % 2",
    ),
    "a local dictionary": (
        "",
        "seen = {}\nfor n in range(s.x):\n    seen[n % 2] = n\nreturn len(seen) % 2",
    ),
    "a local counter": (
        "",
        "n = 0\ndef tick():\n    nonlocal n\n    n += 1\nfor _ in range(s.x):\n    tick()\nreturn n % 2",
    ),
    "a nested function": ("", "def inner(n):\n    return n + 1\nreturn inner(s.x) % 2"),
    "recursion": ("def down(n):\n    return 0 if n <= 0 else 1 - down(n - 1)", "return down(s.x)"),
    "a method of an object": (
        "class Table:\n    def __init__(self, rows):\n        self.rows = rows\n"
        "    def at(self, n):\n        return self.rows[n % 2]\nROWS = Table((0, 1))",
        "return ROWS.at(s.x)",
    ),
    "a dataclass": (
        "@dataclass(frozen=True)\nclass Pair:\n    a: int\n    b: int\n"
        "    def total(self):\n        return self.a + self.b",
        "return Pair(s.x, 1).total() % 2",
    ),
    "a named tuple": (
        "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int\n    b: int",
        "return Pair(s.x, 1).b",
    ),
    "an enumeration": (
        "from enum import IntEnum\nclass Color(IntEnum):\n    RED = 0\n    GREEN = 1",
        "return int(Color(s.x % 2) is Color.RED)",
    ),
    "a generator": (
        "def each(n):\n    for i in range(n):\n        yield i",
        "return sum(each(s.x)) % 2",
    ),
    "match": (
        "",
        "match s.x:\n    case 0:\n        return 0\n    case n if n > 2:\n        return 1\nreturn 0",
    ),
    "try": ("TABLE = {0: 1}", "try:\n    return TABLE[s.x]\nexcept KeyError:\n    return 0"),
    "collections": (
        "from collections import Counter, deque",
        "return Counter(n % 2 for n in range(s.x))[1] % 2 + len(deque([1])) - 1",
    ),
    "fractions": ("from fractions import Fraction", "return int(Fraction(s.x, 2)) % 2"),
    "text": ("", 'return len(f"{s.x:03}".strip("0").upper().replace("A", "")) % 2'),
    "a regular expression": (
        'import re\nDIGIT = re.compile(r"[0-4]")',
        "return int(DIGIT.match(str(s.x)) is not None)",
    ),
    "print": ("", 'print("looked", end="")\nreturn 0'),
    "a copy": (
        "import copy\nROWS = [[0, 1]]",
        "rows = copy.deepcopy(ROWS)\nreturn rows[0][s.x % 2]",
    ),
    "a first-class function": (
        "def twice(f, n):\n    return f(f(n))",
        "return twice(lambda n: n + 1, s.x) % 2",
    ),
    "a starred target": (
        "",
        "first, *rest = [(n, s.x) for n in range(3)]\n"
        "return int(any(other == first for other in rest))",
    ),
    "a starred target of a tuple": (
        "",
        "first, *rest = ((0, 1), (1, 0), (1, 1))\n"
        "return int(any(other == first for other in rest))",
    ),
    "elements of a starred target": (
        "",
        "first, *rest = [(n, s.x) for n in range(3)]\n"
        "return int(any(other[1] != first[1] for other in rest))",
    ),
    "cases for every length of a list": (
        "def last(numbers: list) -> int:\n    match [n + 1 for n in numbers]:\n"
        "        case []:\n            return 0\n        case [*_, one]:\n            return one % 2",
        "return last(list(range(s.x)))",
    ),
}

OUTSIDE = frozenset(
    {
        "reads the environment in ctxm",
        "reads the environment in partialmethod",
        "__deepcopy__ remembers",
        "__format__ counts",
        "__new__ interns",
        "__post_init__ numbers the instances",
        "a cached list is shared and grows",
        "a clock imported inside",
        "a closure counts",
        "a closure that counts",
        "a global",
        "a key's hash counts",
        "a property that remembers",
        "a set yielded",
        "caches a counter",
        "caches len of cache",
        "chance in a comparison",
        "chance in a default",
        "chance that is remembered",
        "flags of the context say what happened before",
        "functools.cmp_to_key with a comparison that remembers",
        "imports random where it is needed",
        "json default hook remembers",
        "re.sub with a function that remembers",
        "reads the environment in attrgetter",
        "reads the environment in exc",
        "reads the environment in excstr",
        "reads the environment in exit",
        "reads the environment in match",
        "reads the environment in operatorcall",
        "reads the environment in singlemeth",
        "a dataclass",
        "a digest",
        "a named tuple",
        "a regular expression",
        "an f-string of an object with a __str__",
        "cases for every length of a list",
        "fractions",
        "hash of numbers",
        "memoised",
        "memoised with a size",
        "print",
        "reads the environment in fmt",
        "reads the environment in getattribute",
        "reads the environment in strfmt",
        "recursion",
        "text",
    }
)
"""The ways that the language of models does not have, so that no rule has them."""

IN_RULES = frozenset({
    "a class made inside",
    "hash of None is an address before Python 3.12",
    "%s of a function has its address",
    "a read-only view whose dict is written",
})  # fmt: skip
"""Ways that only a rule is refused for."""

ONCE = frozenset(
    {
        "__deepcopy__ remembers",
        "__new__ interns",
        "a bound append as a module's name",
        "a digest object is updated",
        "a property that remembers",
        "caches a counter",
        "caches len of cache",
        "functools.cmp_to_key with a comparison that remembers",
        "deque subclass attribute inside tuple",
        "json default hook remembers",
        "re.sub with a function that remembers",
        "registers a case of a singledispatch while it runs",
    }
)
"""Ways that remember what they gave first: initial states are made once, so they are the same."""
