"""Ways in which a model is not a function of its state, by people who had not read the tests.

Each is as in :mod:`impure`.
"""

REFUSED = {
    'a set of bytes': (
'KEYS = {b"a", b"b", b"c", b"d"}',
"return next(iter(KEYS))[0] % 10  # here",
    ),
    'a cached list is shared and grows': (
"""\
import functools


@functools.cache
def history(n: int) -> list:
    return [n]
""",
"""\
seen = history(0)
seen.append(s.x)  # here
return min(len(seen), 9)
""",
    ),
    'a decorator counts calls': (
"""\
import functools


def counted(function):
    @functools.wraps(function)
    def wrapper(*args):
        wrapper.calls += 1  # here
        return function(*args) + wrapper.calls

    wrapper.calls = 0
    return wrapper


@counted
def half(n: int) -> int:
    return n // 2
""",
"return min(half(s.x), 9)",
    ),
    'a member of an enumeration keeps a count': (
"""\
from enum import Enum


class Role(Enum):
    LEADER = 1

    def __init__(self, number: int) -> None:
        self.uses = 0

    def use(self) -> int:
        self.uses += 1  # here
        return self.uses
""",
"return min(Role.LEADER.use(), 9)",
    ),
    'a set of plain Enum members: hash is of the name': (
"""\
from enum import Enum


class Role(Enum):
    LEADER = 1
    FOLLOWER = 2
    OBSERVER = 3


ROLES = {Role.LEADER, Role.FOLLOWER, Role.OBSERVER}
""",
"""\
for role in ROLES:  # here
    return role.value
return 0
""",
    ),
    'an f-string of a plain object has its address': (
"""\
class Node:
    pass


NODE = Node()
""",
"""\
text = f"{NODE}"  # here
return sum(ord(c) for c in text) % 10
""",
    ),
    'globals() is written': (
"ticks = 0",
"""\
globals()["ticks"] += 1  # here
return min(ticks, 9)
""",
    ),
    "a key's hash counts": (
"""\
class Key:
    asked = 0

    def __init__(self, n: int) -> None:
        self.n = n

    def __hash__(self) -> int:
        Key.asked += 1  # here
        return self.n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.n == other.n and Key.asked % 3 != 0


TABLE = {Key(0): 1, Key(1): 2}
""",
"return TABLE.get(Key(s.x), 0)",
    ),
    'hash of None is an address before Python 3.12': (
"OWNER = None",
"return hash(OWNER) % 10  # here",
    ),
    'a digest object is updated': (
"""\
import hashlib


DIGEST = hashlib.sha256()
""",
"""\
DIGEST.update(bytes([s.x]))  # here
return DIGEST.digest()[0] % 10
""",
    ),
    "`in` consumes a module's iterator": (
"IDS = iter(range(100))",
"""\
if s.x in IDS:  # here
    return 1
return 0
""",
    ),
    'iterates over the intersection of keys': (
'LIMITS = {"ann": 1, "bob": 2, "eve": 3, "joe": 4}',
"""\
for name in LIMITS.keys() & {"ann", "eve", "joe"}:  # here
    return LIMITS[name]
return 0
""",
    ),
    'a keyword-only default is mutated': (
"""\
def remember(n: int, *, seen: dict = {}) -> int:
    seen.setdefault(n, len(seen))
    return seen[n]
""",
"return remember((s.x * 3) % 4)",
    ),
    'imports random where it is needed': (
"""\
def toss() -> int:
    import random

    return random.randrange(2)  # here
""",
"return toss()",
    ),
    'sorting calls __lt__, which writes': (
"""\
class Task:
    compared = 0

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __lt__(self, other: "Task") -> bool:
        Task.compared += 1
        return self.rank < other.rank


TASKS = [Task(2), Task(1)]
""",
"""\
first = sorted(TASKS)[0]  # here
return min(first.rank + Task.compared, 9)
""",
    ),
    'a map object is exhausted by the first use': (
"SQUARES = map(lambda n: n * n, range(5))",
"return sum(SQUARES) % 10  # here",
    ),
    'min by key, ties in order of set': (
'NAMES = frozenset({"ann", "bob", "eve", "joe", "max", "sue"})',
"""\
first = min(NAMES, key=len)  # here
return ord(first[0]) % 10
""",
    ),
    'a closure counts': (
"""\
def make_counter():
    n = 0

    def tick() -> int:
        nonlocal n
        n += 1  # here
        return n

    return tick


tick = make_counter()
""",
"return min(tick(), 9)",
    ),
    'NormalDist.samples is random': (
"""\
import statistics


NOISE = statistics.NormalDist(0, 1)
""",
"return int(abs(NOISE.samples(1)[0]) * 3) % 10  # here",
    ),
    '%s of a function has its address': (
"""\
def helper(n: int) -> int:
    return n
""",
"""\
text = "%s" % helper  # here
return sum(ord(c) for c in text) % 10
""",
    ),
    '__post_init__ numbers the instances': (
"""\
@dataclass
class Ticket:
    owner: int

    issued = 0

    def __post_init__(self) -> None:
        Ticket.issued += 1  # here
        self.number = Ticket.issued
""",
"return min(Ticket(s.x).number, 9)",
    ),
    'a read-only view whose dict is written': (
"""\
import types


_TABLE = {0: 0}
TABLE = types.MappingProxyType(_TABLE)
""",
"""\
_TABLE[s.x] = 1  # here
return min(sum(TABLE.values()), 9)
""",
    ),
    'the repr of a plain object has its address': (
"""\
class Node:
    pass


NODE = Node()
""",
"return sum(map(ord, repr(NODE))) % 10  # here",
    ),
    'sorts names by length: ties in the order of the set': (
'NAMES = frozenset({"ann", "bob", "eve", "joe", "max", "sue"})',
"""\
first = sorted(NAMES, key=len)[0]  # here
return ord(first[0]) % 10
""",
    ),
    'SimpleNamespace attribute': (
"""\
import types


METER = types.SimpleNamespace(ticks=0)
""",
"""\
METER.ticks += 1  # here
return min(METER.ticks, 9)
""",
    ),
    "a bound append as a module's name": (
"""\
SEEN: list = []
note = SEEN.append
size = SEEN.__len__


def ticket(n: int) -> int:
    if n not in SEEN:
        note(n)  # here
    return size()
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    "numbers by a method kept in a closure's default": (
"""\
def ticket(n: int, place=({}).setdefault, size=[0]) -> int:
    return place(n, 0)  # here
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'functools.cmp_to_key with a comparison that remembers': (
"""\
import functools


SEEN: list = []


def compare(a: int, b: int) -> int:
    if (a, b) not in SEEN:
        SEEN.append((a, b))  # here
    return a - b


def ticket(n: int) -> int:
    return sorted([n, 2, 1], key=functools.cmp_to_key(compare))[0] + len(SEEN)
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    '__deepcopy__ remembers': (
"""\
import copy


class Box:
    copies: dict = {}

    def __init__(self, n: int) -> None:
        self.n = n

    def __deepcopy__(self, memo):
        return Box(Box.copies.setdefault(self.n, len(Box.copies)))  # here


def ticket(n: int) -> int:
    return copy.deepcopy(Box(n)).n
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'deque subclass attribute inside tuple': (
"""\
from collections import deque


BOXES = (deque(maxlen=3), deque(maxlen=3))


def ticket(n: int) -> int:
    for box in BOXES:
        if n not in box:
            box.append(n)  # here
    return len(BOXES[0])
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'json default hook remembers': (
"""\
import json


SEEN: list = []


class Box:
    pass


def encode(value) -> int:
    if len(SEEN) < 5:
        SEEN.append(1)  # here
    return len(SEEN)


def ticket(n: int) -> int:
    return int(json.dumps(Box(), default=encode))
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'caches a counter': (
"""\
import functools
import itertools


def make():
    count = itertools.count()

    @functools.lru_cache(maxsize=None)
    def ticket(n: int) -> int:
        return next(count)  # here

    return ticket


ticket = make()
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'writes a list found by max': (
"""\
BOXES = {"a": [0], "b": [1, 1]}


def ticket(n: int) -> int:
    mine = max(BOXES.values(), key=len)
    if n not in mine:
        mine.append(n)  # here
    return len(mine)
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    '__new__ interns': (
"""\
class Atom:
    _known: dict = {}

    def __new__(cls, n: int):
        if n not in cls._known:
            atom = super().__new__(cls)
            atom.index = len(cls._known)
            cls._known[n] = atom  # here
        return cls._known[n]


def ticket(n: int) -> int:
    return Atom(n).index
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'a property that remembers': (
"""\
class Job:
    order: dict = {}

    def __init__(self, n: int) -> None:
        self.n = n

    @property
    def number(self) -> int:
        return self.order.setdefault(self.n, len(self.order))  # here


def ticket(n: int) -> int:
    return Job(n).number
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    're.sub with a function that remembers': (
"""\
import re


SEEN: dict = {}


def number(match) -> str:
    return str(SEEN.setdefault(match[0], len(SEEN)))  # here


def ticket(n: int) -> int:
    return int(re.sub("[0-9]", number, str(n)))
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'object with slots reached through a dataclass field': (
"""\
@dataclass
class Book:
    pages: list


@dataclass(frozen=True)
class Shelf:
    book: Book


SHELF = Shelf(Book([]))


def ticket(n: int) -> int:
    match SHELF:
        case Shelf(book=Book(pages=pages)):  # here
            if n not in pages:
                pages.append(n)
            return len(pages)
    return 0
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'a topological sorter': (
"""\
import graphlib


SORTER = graphlib.TopologicalSorter()


def ticket(n: int) -> int:
    SORTER.add(n, *range(n))  # here
    return 0
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'a list passed by star through partial': (
"""\
import functools


def put(box: list, n: int) -> int:
    if n not in box:
        box.append(n)
    return len(box)


ticket = functools.partial(put, [])
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'alias by or and a conditional expression': (
"""\
FIRST: list = [0]
SECOND: list = [1]


def ticket(n: int) -> int:
    mine = FIRST if n % 2 else SECOND
    other = mine or SECOND
    if n not in other:
        other.append(n)  # here
    return len(other)
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'writes a list found by zip, filter and next': (
"""\
BOXES = [[0], [1]]


def ticket(n: int) -> int:
    mine = next(filter(lambda box: box[0] == n % 2, BOXES))
    if n not in mine:
        mine.append(n)  # here
    return len(mine)
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'vars(obj) is written': (
"""\
class Meter:
    ticks = 0


METER = Meter()
""",
"""\
vars(METER)["ticks"] = METER.ticks + 1  # here
return min(METER.ticks, 9)
""",
    ),
    'any leaks the last name by a walrus': (
'NAMES = frozenset({"ann", "bob", "eve", "joe", "max", "sue"})',
"""\
if any(len(found := name) == 3 for name in NAMES):  # here
    return ord(found[0]) % 10
return 0
""",
    ),
    'reads the environment in attrgetter': (
"""\
import os
import operator


class Thing:
    @property
    def size(self) -> int:
        return int("TIDE" in os.environ)  # here


size = operator.attrgetter("size")


def ticket(n: int) -> int:
    return size(Thing())
""",
"return ticket(s.x)",
    ),
    'reads the environment in bool': (
"""\
import os


class Room:
    def __len__(self) -> int:
        return int("TIDE" in os.environ)


ROOM = Room()


def ticket(n: int) -> int:
    return 1 if ROOM else 2  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in classget': (
"""\
import os


class Pool:
    def __class_getitem__(cls, n: int) -> int:
        return int("TIDE" in os.environ)


def ticket(n: int) -> int:
    return Pool[n]  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in contains_g': (
"""\
import os


class Room:
    def __contains__(self, n: int) -> bool:
        return bool(int("TIDE" in os.environ))


ROOM = Room()


def ticket(n: int) -> int:
    return int(n in ROOM)  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in ctxm': (
"""\
import os
import contextlib


@contextlib.contextmanager
def visit(n: int):
    yield int("TIDE" in os.environ)  # here


def ticket(n: int) -> int:
    with visit(n) as number:
        return number
""",
"return ticket(s.x)",
    ),
    'reads the environment in eq': (
"""\
import os


class At:
    def __eq__(self, other) -> bool:
        return bool(int("TIDE" in os.environ))


AT = At()


def ticket(n: int) -> int:
    return int(AT in [1, 2])  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in exc': (
"""\
import os


class Full(Exception):
    def __init__(self, n: int) -> None:
        self.number = int("TIDE" in os.environ)  # here


def ticket(n: int) -> int:
    try:
        raise Full(n)
    except Full as full:
        return full.number
""",
"return ticket(s.x)",
    ),
    'reads the environment in excstr': (
"""\
import os


class Full(Exception):
    def __str__(self) -> str:
        return str(int("TIDE" in os.environ))  # here


def ticket(n: int) -> int:
    try:
        raise Full(n)
    except Full as full:
        return int(str(full))
""",
"return ticket(s.x)",
    ),
    'reads the environment in exit': (
"""\
import os


class Lock:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc) -> bool:
        return bool(int("TIDE" in os.environ))  # here


LOCK = Lock()


def ticket(n: int) -> int:
    with LOCK:
        return n
""",
"return ticket(s.x)",
    ),
    'reads the environment in getattr': (
"""\
import os


class Lazy:
    def __getattr__(self, name: str) -> int:
        return int("TIDE" in os.environ)


LAZY = Lazy()


def ticket(n: int) -> int:
    return LAZY.seen  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in getattribute': (
"""\
import os


class Lazy:
    seen = 3

    def __getattribute__(self, name: str) -> int:
        return int("TIDE" in os.environ)


LAZY = Lazy()


def ticket(n: int) -> int:
    return LAZY.seen  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in index': (
"""\
import os


class At:
    def __index__(self) -> int:
        return int("TIDE" in os.environ)


AT = At()


def ticket(n: int) -> int:
    return [5, 6][AT]  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in isinst': (
"""\
import os


class Meta(type):
    def __instancecheck__(cls, value) -> bool:
        return bool(int("TIDE" in os.environ))


class Debug(metaclass=Meta):
    pass


def ticket(n: int) -> int:
    return int(isinstance(n, Debug))  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in mapping': (
"""\
import os
from collections.abc import Mapping


class Table(Mapping):
    def __getitem__(self, key: int) -> int:
        return int("TIDE" in os.environ)

    def __iter__(self):
        return iter((0, 1))

    def __len__(self) -> int:
        return 2


TABLE = Table()


def ticket(n: int) -> int:
    return TABLE.get(n, 0)  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in match': (
"""\
import os


class Even:
    __match_args__ = ("half",)

    def __init__(self, n: int) -> None:
        self.n = n

    @property
    def half(self) -> int:
        return int("TIDE" in os.environ)  # here


def ticket(n: int) -> int:
    match Even(n):
        case Even(1):
            return 7
        case _:
            return 8
""",
"return ticket(s.x)",
    ),
    'reads the environment in matchcls': (
"""\
import os


class Meta(type):
    def __instancecheck__(cls, value) -> bool:
        return bool(int("TIDE" in os.environ))


class Debug(metaclass=Meta):
    pass


def ticket(n: int) -> int:
    match n:
        case Debug():  # here
            return 1
    return 0
""",
"return ticket(s.x)",
    ),
    'reads the environment in ne': (
"""\
import os


class At:
    def __eq__(self, other) -> bool:
        return bool(int("TIDE" in os.environ))


AT = At()


def ticket(n: int) -> int:
    return [1, 2].count(AT)  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in operatorcall': (
"""\
import os
import operator


class Thing:
    def size(self) -> int:
        return int("TIDE" in os.environ)  # here


size = operator.methodcaller("size")


def ticket(n: int) -> int:
    return size(Thing())
""",
"return ticket(s.x)",
    ),
    'reads the environment in partialmethod': (
"""\
import os
import functools


class Thing:
    def size(self, n: int) -> int:
        return int("TIDE" in os.environ)  # here

    small = functools.partialmethod(size, 1)


def ticket(n: int) -> int:
    return Thing().small()
""",
"return ticket(s.x)",
    ),
    'reads the environment in radd2': (
"""\
import os


class Coin:
    def __radd__(self, other: int) -> int:
        return other + int("TIDE" in os.environ)


COIN = Coin()


def ticket(n: int) -> int:
    return n + COIN  # here
""",
"return ticket(s.x)",
    ),
    'reads the environment in single': (
"""\
import os
import functools


@functools.singledispatch
def ticket(n) -> int:
    return 0


@ticket.register
def _(n: int) -> int:
    return int("TIDE" in os.environ)
""",
"return ticket(s.x)",
    ),
    'reads the environment in singlemeth': (
"""\
import os
import functools


class Sizer:
    @functools.singledispatchmethod
    def size(self, n) -> int:
        return 0

    @size.register
    def _(self, n: int) -> int:
        return int("TIDE" in os.environ)  # here


def ticket(n: int) -> int:
    return Sizer().size(n)
""",
"return ticket(s.x)",
    ),
    '__format__ counts': (
"""\
class Gauge:
    def __init__(self) -> None:
        self.reads = 0

    def __format__(self, spec: str) -> str:
        self.reads += 1  # here
        return "x" * self.reads


GAUGE = Gauge()
""",
'return min(len(f"{GAUGE}"), 9)',
    ),
    'bool declared, an int returned': (
"""\
def odd(n: int) -> bool:
    return n % 2  # here
""",
"return 1 if odd(s.x) else 0",
    ),
    'bool declared, a re.match returned': (
"""\
import re


def odd(n: int) -> bool:
    return re.match("[13]", str(n))  # here
""",
"return 3 if odd(s.x) else 0",
    ),
    'bool declared, `or` of a number': (
"""\
def odd(n: int) -> bool:
    return n > 2 or n  # here
""",
"return 3 if odd(s.x) == True else 0",
    ),
    'int declared, float returned on a rare path': (
"""\
def half(n: int) -> int:
    return n / 2 if n > 3 else n // 2  # here
""",
"return int(half(s.x) * 2)",
    ),
    'operator.is_': (
"""\
import operator


KNOWN = [1, 2, 300]
""",
"return 1 if operator.is_(s.x, KNOWN[0]) else 0  # here",
    ),
    'sets a trap of the context, by setcontext': (
"""\
import decimal


SHORT = decimal.Context(prec=4)


def ticket(n: int) -> int:
    if n == 3:
        decimal.setcontext(SHORT)  # here
        return 0
    return len(str(decimal.Decimal(2).sqrt())) % 9
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'flags of the context say what happened before': (
"""\
import decimal


def ticket(n: int) -> int:
    if n == 3:
        return int(decimal.Decimal(1) / decimal.Decimal(7) * 10)
    return int(decimal.getcontext().flags[decimal.Inexact])  # here
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'lowers the precision of decimals for good': (
"""\
import decimal


def ticket(n: int) -> int:
    if n == 3:
        decimal.getcontext().prec = 3  # here
        return 0
    return len(str(decimal.Decimal(2).sqrt())) % 9
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'caches len of cache': (
"""\
import functools


@functools.lru_cache(maxsize=None)
def ticket(n: int) -> int:
    return ticket.cache_info().currsize  # here
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'registers a case of a singledispatch while it runs': (
"""\
import functools


@functools.singledispatch
def size(value) -> int:
    return 0


def ticket(n: int) -> int:
    if n == 3:
        size.register(int, lambda value: 1)  # here
        return 0
    return size(n)
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'registers a class while it runs': (
"""\
import abc


class Token(abc.ABC):
    pass


class Coin:
    pass


def ticket(n: int) -> int:
    if n == 3:
        Token.register(Coin)  # here
        return 0
    return int(isinstance(Coin(), Token))
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
    'numbers in a singledispatch case': (
"""\
import functools


ORDER: dict = {}


@functools.singledispatch
def ticket(n) -> int:
    return 0


@ticket.register
def _(n: int) -> int:
    if n not in ORDER:
        ORDER[n] = len(ORDER)
    return ORDER[n]
""",
"return min(ticket((s.x * 3) % 5), 9)",
    ),
}  # fmt: skip
"""Impure ways, and ways that answer something else than they declare."""

ACCEPTED = {
    'reads the environment in fmt': (
"""\
class Gauge:
    def __format__(self, spec: str) -> str:
        return str(1)


GAUGE = Gauge()


def ticket(n: int) -> int:
    return int(f"{GAUGE:d}")
""",
"return ticket(s.x)",
    ),
    'reads the environment in getattribute': (
"""\
class Lazy:
    seen = 3

    def __getattribute__(self, name: str) -> int:
        return 1


LAZY = Lazy()


def ticket(n: int) -> int:
    return LAZY.seen
""",
"return ticket(s.x)",
    ),
    'reads the environment in strfmt': (
"""\
class Gauge:
    def __format__(self, spec: str) -> str:
        return str(1)


def ticket(n: int) -> int:
    return int("{}".format(Gauge()))
""",
"return ticket(s.x)",
    ),
    'an f-string of an object with a __str__': (
"""\
class Node:
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


NODE = Node("abc")
""",
"""\
text = f"{NODE}"
return sum(ord(c) for c in text) % 10
""",
    ),
    'NoReturn helper ends': (
"""\
from typing import NoReturn


def fail(n: int) -> NoReturn:
    raise ValueError(n)


def root(n: int) -> int:
    if n < 100:
        return n // 2
    fail(n)
""",
"return root(s.x)",
    ),
}  # fmt: skip
"""Pure ways that look like impure ones."""
