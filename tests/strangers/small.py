"""Small models by somebody who had not read the tests, with what is right.

Each stands between ``HEAD`` and ``TAIL``, and says ``refused``, ``outside`` if a rule is not in the
language of models, or how many states it has.
"""

HEAD = """from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum, IntFlag, auto
import abc, array as arr, bisect, collections, contextlib, copy, dataclasses, decimal, difflib
import enum, fractions, functools, graphlib, hashlib, heapq, itertools, json, math, operator, re
import statistics, string, struct, textwrap, types, typing, zlib
from collections.abc import Iterator

from tidegate import (
    NONE, Bag, Fairness, Kind, Model, Record, Seq, Set, array, boolean, enumeration, integer,
    nested, number, optional, pure, sequence_of, set_of,
)


class Color(IntEnum):
    RED = 0
    GREEN = 1
    BLUE = 2


@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 7, "size")


class Entry(Record):
    v: int = integer(0, 7, "v")
    on: bool = boolean("on")


class State(Record):
    x: int = integer(0, 7, "x")
    y: int = integer(0, 7, "y")
    b: bool = boolean("b")
    c: Color = enumeration(Color, "c")
    o: int = optional(3, "o")
    q: Seq[Entry] = sequence_of(Entry, 3, "q")
    m: Set = set_of(4, "m")
    a: list[int] = array(3, integer(0, 7, "a"))
    r: Entry = nested(Entry)


model = Model(Bounds, State, deadlock=False)
"""

TAIL = '''@model.action("p")
def turn(s: State, k: Bounds) -> bool:
    """Turn."""
    if s.y >= 3:
        return False
    s.y += 1
    return True


@model.invariant("Holds.")
def inv(s: State, k: Bounds) -> bool:
    return s.x < 8
'''

MODELS = {
    "bounds write": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    object.__setattr__(k, 'n', 2)
    s.x = k.n
    return True'''),
    "helper int bool": ("6", '''def f(v: int) -> int:
    return v > 1

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = f(s.y)
    return True'''),
    "if gen truth": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if (v > 5 for v in (s.x,)):
        s.x = 1
    return True'''),
    "invert bool": ("32", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if ~(s.x > 2):
        s.x = min(s.x + 1, 7)
        return True
    return False'''),
    "lambda answer": ("11", '''f = lambda v: v or None

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if f(s.y) == None else 2
    return True'''),
    "enum add override": ("refused", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    def __add__(self, o): return Dir((int(self) + o) % 2)
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.d = s.d + 1
    s.x = 1 if s.d is Dir.UP else 2
    return True'''),
    "enum alias": ("12", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    TOP = 0
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if s.d is Dir.TOP else 2
    s.d = 1 - s.d
    return True'''),
    "enum auto": ("12", '''class Dir(IntEnum):
    @staticmethod
    def _generate_next_value_(name, start, count, last):
        return count
    UP = auto()
    DOWN = auto()
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if s.d is Dir.UP else 2
    s.d = 1 - s.d
    return True'''),
    "enum bool override": ("refused", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    def __bool__(self): return self is Dir.UP
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if s.d else 2
    s.d = 1 - s.d
    return True'''),
    "enum eq override": ("refused", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    def __eq__(self, o): return True
    def __hash__(self): return 0
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if s.d == Dir.DOWN else 2
    s.d = 1 - s.d
    return True'''),
    "enum int override": ("refused", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    def __index__(self): return 1 - self.value
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = (5, 6)[s.d]
    s.d = Dir.DOWN if s.d is Dir.UP else Dir.UP
    return True'''),
    "enum lt override": ("refused", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    def __lt__(self, o): return int(self) > int(o)
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if s.d < Dir.DOWN else 2
    s.d = 1 - s.d
    return True'''),
    "enum method": ("12", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    @property
    def other(self) -> 'Dir':
        return Dir(1 - self)
    @classmethod
    def first(cls) -> 'Dir':
        return cls.UP
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.d = s.d.other
    s.x = 1 if s.d is Dir.first() else 2
    return True'''),
    "enum name override": ("refused", '''class Dir(IntEnum):
    UP = 0
    DOWN = 1
    @property
    def name(self): return 'X'
class S2(State):
    d: Dir = enumeration(Dir, "d")
model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = len(s.d.name)
    s.d = 1 - s.d
    return True'''),
    "cache enum int": ("outside", '''@functools.cache
def kind(v: int) -> int:
    return 5 if isinstance(v, Color) else 3

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    n = kind(s.c if s.y < 2 else int(s.c))
    s.c = (s.c + 1) % 3
    s.x = n % 8
    return True'''),
    "cache minus zero": ("outside", '''@functools.lru_cache(maxsize=None)
def kind(v) -> int:
    return len(str(v))

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    n = kind(s.y / 1 if s.y < 2 else s.y)
    s.x = n % 8
    return True'''),
    "compressobj": ("refused", '''Z = zlib.compressobj()

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    Z.compress(b'ab')
    n = len(Z.flush(zlib.Z_SYNC_FLUSH))
    s.x = n % 8
    return True'''),
    "file name": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    n = len(__file__)
    s.x = n % 8
    return True'''),
    "float is": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    u = s.y / 2
    n = 1 if u is s.y / 2 else 2
    s.x = n % 8
    return True'''),
    "fstring lambda": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    n = ord(f'{(lambda: 0)}'[-3])
    s.x = n % 8
    return True'''),
    "hash dataclass": ("refused", '''@dataclass(frozen=True)
class P:
    name: str

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    n = hash(P('a'))
    s.x = n % 8
    return True'''),
    "hash method": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    n = (1, 'a').__hash__()
    s.x = n % 8
    return True'''),
    "import as global": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    global math2
    import math as math2
    n = 1
    s.x = n % 8
    return True'''),
    "set any write": ("refused", '''def put(s: State, w: str) -> bool:
    s.x = len(w)
    return s.x > 0

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    any(put(s, w) for w in {'a', 'bb', 'ccc'})
    n = s.x
    s.x = n % 8
    return True'''),
    "set tuple sum": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    n = ord(sum({('a',), ('b',), ('c',)}, ())[0])
    s.x = n % 8
    return True'''),
    "str is": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    w = ''.join(['a', 'b'])
    n = 1 if w is 'ab' else 2
    s.x = n % 8
    return True'''),
    "cache bytearray": ("refused", '''@functools.cache
def mem(v: int) -> bytearray: return bytearray(1)

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if mem(0)[0] > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    mem(0)[0] = 1
    s.b = True
    return True'''),
    "enum missing": ("refused", '''class E(Enum):
    A = 0
    @classmethod
    def _missing_(cls, v):
        cls.A.hits = 1
        return cls.A

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if hasattr(E.A, 'hits') else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    E(s.y + 10)
    s.b = True
    return True'''),
    "enum self attr": ("refused", '''class E(Enum):
    A = 0
    B = 1
    def mark(self) -> None:
        self.hits = 1

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if hasattr(E.A, 'hits') else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    E(0).mark()
    s.b = True
    return True'''),
    "match value eq": ("refused", '''class V:
    c = 0
    def __eq__(self, o):
        V.c = 1
        return True
N = types.SimpleNamespace(box=V())

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if V.c > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    match s.y:
        case N.box:
            pass
    s.b = True
    return True'''),
    "mutable default kw": ("refused", '''def f(*, seen=[]) -> int:
    seen += [1]
    return len(seen)
def g() -> int:
    return len(f.__kwdefaults__['seen'])

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if g() > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    f()
    s.b = True
    return True'''),
    "namedtuple default": ("refused", '''class N(typing.NamedTuple):
    a: int
    seen: list = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if len(N(2).seen) > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    N(1).seen.append(1)
    s.b = True
    return True'''),
    "nt collections default": ("refused", '''
N = collections.namedtuple('N', 'a seen', defaults=[[]])

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if len(N(2).seen) > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    N(1).seen.append(1)
    s.b = True
    return True'''),
    "seqmatcher": ("refused", '''SM = difflib.SequenceMatcher(None, 'abc', 'abd')

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if SM.ratio() > 0.9 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y != 2:
        return False
    SM.set_seq2('abc')
    s.b = True
    return True'''),
    "pure default none": ("refused", '''def f(v: int, acc: list | None = None) -> list:
    acc = [] if acc is None else acc
    acc.append(v)
    return acc

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = sum(f(s.y, f(1)))
    return True'''),
    "pure eq notimplemented": ("outside", '''class P:
    def __init__(self, v: int) -> None:
        self.v = v
    def __eq__(self, o: object) -> bool:
        if not isinstance(o, P):
            return NotImplemented
        return self.v == o.v

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if P(s.y) == P(2) else 2
    return True'''),
    "pure exit returns": ("outside", '''class Guard:
    def __init__(self) -> None:
        self.hit = 0
    def __enter__(self): return self
    def __exit__(self, t, v, tb) -> bool:
        self.hit = 1 if t else 2
        return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    with Guard() as g:
        if s.y == 1:
            raise ValueError
    s.x = g.hit
    return True'''),
    "pure frozen post init": ("outside", '''@dataclass(frozen=True)
class P:
    v: int
    d: int = field(init=False)
    def __post_init__(self) -> None:
        object.__setattr__(self, 'd', self.v * 2)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = P(s.y).d
    return True'''),
    "pure generator send local": ("outside", '''def avg():
    t = 0
    while True:
        t += yield t

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    g = avg()
    next(g)
    g.send(s.y)
    s.x = g.send(1)
    g.close()
    return True'''),
    "pure linked list": ("outside", '''@dataclass
class Node:
    v: int
    nxt: 'Node | None' = None

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    h = None
    for i in range(s.y):
        h = Node(i, h)
    t = 0
    while h is not None:
        t += h.v
        h = h.nxt
    s.x = t
    return True'''),
    "pure metaclass call": ("outside", '''class Meta(type):
    def __call__(cls, *a):
        o = super().__call__(*a)
        o.extra = 2
        return o
class P(metaclass=Meta):
    def __init__(self, v: int) -> None:
        self.v = v

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    p = P(s.y)
    s.x = p.v + p.extra
    return True'''),
    "pure new int": ("outside", '''class Id(int):
    def __new__(cls, v: int):
        return super().__new__(cls, v % 3)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = Id(s.y) + 1
    return True'''),
    "pure notimplemented": ("outside", '''@dataclass(frozen=True)
class P:
    v: int
    def __lt__(self, o):
        if not isinstance(o, P):
            return NotImplemented
        return self.v < o.v

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = 1 if P(s.y) < P(2) else 2
    return True'''),
    "pure registry decorator": ("14", '''REG = {}
def rule(f):
    REG[f.__name__] = f
    return f
@rule
def inc(v: int) -> int:
    return v + 1
@rule
def dec(v: int) -> int:
    return max(v - 1, 0)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = REG['inc'](s.y)
    return True'''),
    "pure setname": ("10", '''class Field:
    def __set_name__(self, owner, name):
        self.key = name
    def __get__(self, obj, owner=None) -> int:
        return 3 if self.key == 'left' else 4
class Cfg:
    left = Field()
    right = Field()
CFG = Cfg()

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = CFG.left + (s.y > 1)
    return True'''),
    "pure slots": ("outside", '''class P:
    __slots__ = ('v',)
    def __init__(self, v: int) -> None:
        self.v = v

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    p = P(s.y)
    p.v += 1
    s.x = p.v
    return True'''),
    "pure total ordering": ("outside", '''@functools.total_ordering
class P:
    def __init__(self, v: int) -> None:
        self.v = v
    def __eq__(self, o: object) -> bool:
        return isinstance(o, P) and self.v == o.v
    def __lt__(self, o: 'P') -> bool:
        return self.v < o.v

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = max(P(s.y), P(1)).v + (P(s.y) >= P(2))
    return True'''),
    "pure union find": ("14", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    p = list(range(4))
    def root(i: int) -> int:
        while p[i] != i:
            p[i] = p[p[i]]
            i = p[i]
        return i
    for i in range(s.y):
        p[root(i)] = root(3)
    s.x = len({root(i) for i in range(4)})
    return True'''),
    "color dict ints": ("26", '''T = {0: 1, 1: 2, 2: 3}

class S2(State):
    os: list[int] = array(3, optional(3, "o"))
    cs: list[Color] = array(2, enumeration(Color, "c"))

model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.os[s.y % 3] = s.y
    s.x = T[s.cs[0]]
    return True'''),
    "ok none filter": ("26", '''class S2(State):
    os: list[int] = array(3, optional(3, "o"))
    cs: list[Color] = array(2, enumeration(Color, "c"))

model = Model(Bounds, S2, deadlock=False)

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.os[s.y % 3] = s.y
    s.x = sum(o for o in s.os if o != NONE) % 8
    return True'''),
    "descriptor": ("outside", '''class Doubled:
    def __set_name__(self, owner, name):
        self.name = '_' + name
    def __get__(self, obj, owner):
        return getattr(obj, self.name) * 2
class Box:
    v = Doubled()
    def __init__(self, v: int):
        self._v = v

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = Box(s.y).v
    return True'''),
    "init subclass load": ("outside", '''REG = {}
class Base:
    def __init_subclass__(cls, tag: int = 0):
        REG[tag] = cls
    def run(self, v: int) -> int:
        return v
class One(Base, tag=1):
    def run(self, v: int) -> int:
        return v + 2

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    s.x = REG[1]().run(s.y)
    return True'''),
    "sum dunder": ("outside", '''@dataclass(frozen=True)
class V:
    v: int
    def __add__(self, o): return V(self.v + o.v)
    def __radd__(self, o): return self if o == 0 else NotImplemented
    def __bool__(self): return self.v > 0

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    t = sum([V(s.y), V(1)])
    s.x = t.v if t else 7
    return True'''),
    "astuple": ("refused", '''L = []
P = collections.namedtuple('P', 'l')

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        P(L)._replace(l=L).l.append(1)
    elif s.y == 3:
        P._make([L])[0].clear()
    else:
        return False
    return True'''),
    "cast": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        typing.cast(list, L).append(1)
    elif s.y == 3:
        typing.cast(list, L).clear()
    else:
        return False
    return True'''),
    "chain": ("refused", '''L = [[]]

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        for l in itertools.chain(L, ()):
            l.append(1)
    elif s.y == 3:
        for l in itertools.chain(L, ()):
            l.clear()
    else:
        return False
    return True'''),
    "copy copy": ("refused", '''L = [[]]

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        copy.copy(L)[0].append(1)
    elif s.y == 3:
        copy.copy(L)[0].clear()
    else:
        return False
    return True'''),
    "dataclass attr alias": ("refused", '''L = []
@dataclass
class H:
    l: list
    def add(self) -> None:
        self.l.append(1)
    def no(self) -> None:
        self.l.clear()

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        H(L).add()
    elif s.y == 3:
        H(L).no()
    else:
        return False
    return True'''),
    "default factory": ("refused", '''SHARED = []
@dataclass
class M:
    v: list = field(default_factory=lambda: SHARED)

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if SHARED else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        M().v.append(1)
    elif s.y == 3:
        M().v.clear()
    else:
        return False
    return True'''),
    "dict fromkeys": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        dict.fromkeys((1,), L)[1].append(1)
    elif s.y == 3:
        dict.fromkeys((1,), L)[1].clear()
    else:
        return False
    return True'''),
    "dict union": ("refused", '''D = {0: []}

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if D[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        ({} | D)[0].append(1)
    elif s.y == 3:
        ({} | D)[0].clear()
    else:
        return False
    return True'''),
    "dunder class": ("refused", '''class V:
    c = 0

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if V.c > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        V().__class__.c = 1
    elif s.y == 3:
        V().__class__.c = 0
    else:
        return False
    return True'''),
    "exception payload": ("refused", '''L = []
class X(Exception): pass

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        try:
            raise X(L)
        except X as e:
            e.args[0].append(1)
    elif s.y == 3:
        try:
            raise X(L)
        except X as e:
            e.args[0].clear()
    else:
        return False
    return True'''),
    "exitstack": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        with contextlib.ExitStack() as st:
            st.callback(L.append, 1)
    elif s.y == 3:
        with contextlib.ExitStack() as st:
            st.callback(L.clear)
    else:
        return False
    return True'''),
    "groupby": ("refused", '''L = [[]]

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        for _, g in itertools.groupby(L, len):
            for l in g:
                l.append(1)
    elif s.y == 3:
        for _, g in itertools.groupby(L, len):
            for l in g:
                l.clear()
    else:
        return False
    return True'''),
    "instance attr alias": ("refused", '''L = []
class H:
    def __init__(self, l):
        self.l = l

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        H(L).l.append(1)
    elif s.y == 3:
        H(L).l.clear()
    else:
        return False
    return True'''),
    "itemgetter": ("refused", '''L = [[]]

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        operator.itemgetter(0)(L).append(1)
    elif s.y == 3:
        operator.itemgetter(0)(L).clear()
    else:
        return False
    return True'''),
    "json encoder": ("refused", '''class J(json.JSONEncoder):
    c = 0
    def default(self, o):
        J.c = 1 - J.c
        return 1
class O: pass
OB = O()

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if J.c > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        json.dumps(OB, cls=J)
    elif s.y == 3:
        json.dumps(1)
    else:
        return False
    return True'''),
    "kwargs keys": ("refused", '''class V:
    c = 0
    def __init__(self, v): self.v = v
    def keys(self):
        V.c = self.v
        return ["a"]
    def __getitem__(self, key): return V.c
ON = V(1)
OFF = V(0)

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if V.c > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        dict(**ON)
    elif s.y == 3:
        dict(OFF)
    else:
        return False
    return True'''),
    "listmul": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        ([L] * 2)[1].append(1)
    elif s.y == 3:
        ([L] * 2)[1].clear()
    else:
        return False
    return True'''),
    "match nonlocal": ("refused", '''def mk():
    cap = 0
    def put(v: int) -> None:
        nonlocal cap
        match v:
            case cap:
                pass
    def get() -> int: return cap
    return put, get
PUT, GET = mk()

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if GET() > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        PUT(1)
    elif s.y == 3:
        PUT(0)
    else:
        return False
    return True'''),
    "namedtuple ctor": ("refused", '''L = []
P = collections.namedtuple('P', 'l')

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        P(L).l.append(1)
    elif s.y == 3:
        P(L)._asdict()['l'].clear()
    else:
        return False
    return True'''),
    "new dunder": ("refused", '''C = []
class R(int):
    def __new__(cls, v):
        C[:] = [1] * v
        return int.__new__(cls, v)

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if C else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        R(1)
    elif s.y == 3:
        R(0)
    else:
        return False
    return True'''),
    "nullcontext": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        with contextlib.nullcontext(L) as l:
            l.append(1)
    elif s.y == 3:
        with contextlib.nullcontext(L) as l:
            l.clear()
    else:
        return False
    return True'''),
    "object setattr": ("refused", '''@dataclass(frozen=True)
class F:
    v: int = 0
BOX = F()

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if BOX.v > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        object.__setattr__(BOX, 'v', 1)
    elif s.y == 3:
        object.__setattr__(BOX, 'v', 0)
    else:
        return False
    return True'''),
    "pack into": ("refused", '''BUF = bytearray(1)

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if BUF[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        struct.pack_into('B', BUF, 0, 1)
    elif s.y == 3:
        struct.pack_into('B', BUF, 0, 0)
    else:
        return False
    return True'''),
    "reduce alias": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        functools.reduce(lambda a, b: b, (0, L)).append(1)
    elif s.y == 3:
        functools.reduce(lambda a, b: b, (0, L)).clear()
    else:
        return False
    return True'''),
    "repeat": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        next(itertools.repeat(L)).append(1)
    elif s.y == 3:
        next(itertools.repeat(L)).clear()
    else:
        return False
    return True'''),
    "replace": ("refused", '''@dataclass(frozen=True)
class F:
    v: int
    items: list
BOX = F(0, [])

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if BOX.items else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        replace(BOX, v=1).items.append(1)
    elif s.y == 3:
        replace(BOX, v=1).items.clear()
    else:
        return False
    return True'''),
    "setitem slice alias": ("refused", '''L = [[]]

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        m = [None]
        m[0:1] = L
        m[0].append(1)
    elif s.y == 3:
        m = [None]
        m[0:1] = L
        m[0].clear()
    else:
        return False
    return True'''),
    "simplenamespace": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        types.SimpleNamespace(l=L).l.append(1)
    elif s.y == 3:
        types.SimpleNamespace(l=L).l.clear()
    else:
        return False
    return True'''),
    "starmap": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        list(itertools.starmap(L.append, ((1,),)))
    elif s.y == 3:
        list(map(list.pop, [L]))
    else:
        return False
    return True'''),
    "stopiteration value": ("refused", '''L = []
def gen():
    return L
    yield
def get():
    return (yield from gen())

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        try:
            next(get())
        except StopIteration as e:
            e.value.append(1)
    elif s.y == 3:
        try:
            next(get())
        except StopIteration as e:
            e.value.clear()
    else:
        return False
    return True'''),
    "type self": ("refused", '''class V:
    c = 0
    def put(self, v: int) -> None:
        type(self).c = v

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if V.c > 0 else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        V().put(1)
    elif s.y == 3:
        V().put(0)
    else:
        return False
    return True'''),
    "unbound": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        list.append(L, 1)
    elif s.y == 3:
        list.clear(L)
    else:
        return False
    return True'''),
    "update alias": ("refused", '''D = {0: []}

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if D[0] else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        m = {}
        m.update(D)
        m[0].append(1)
    elif s.y == 3:
        m = {}
        m.update(D)
        m[0].clear()
    else:
        return False
    return True'''),
    "zip longest fill": ("refused", '''L = []

@model.action("p")
def look(s: State, k: Bounds) -> bool:
    """Look."""
    s.x = 1 if L else 2
    return True

@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.y == 2:
        list(itertools.zip_longest((1,), (), fillvalue=L))[0][1].append(1)
    elif s.y == 3:
        list(itertools.zip_longest((1,), (), fillvalue=L))[0][1].clear()
    else:
        return False
    return True'''),
    "list rec": ("79", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if len(s.q) < 3 and not s.b:
        s.q.append(Entry(v=len(s.q) + 1 + s.y, on=len(s.q) == 1))
        return True
    if not s.q:
        return False
    s.b = True
    t = list(s.q)
    s.q[0].v = 7
    s.x = t[0].v
    s.q.clear()
    return True'''),
    "tuple of": ("97", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if len(s.q) < 3 and not s.b:
        s.q.append(Entry(v=len(s.q) + 1 + s.y, on=len(s.q) == 1))
        return True
    if not s.q:
        return False
    s.b = True
    t = tuple(s.q)
    s.q[0].v = 7
    s.q.pop()
    s.x = t[0].v
    return True'''),
    "hash of a NaN": ("refused", '''N = float("nan")
@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if hash(N) % 2:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "hash of inf - inf": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if hash(float("inf")-math.inf) % 2:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "order of a set with a NaN": ("refused", '''N = {float("nan"), 3.0, 4.0, math.nan}
@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    for v in N:
        if v == 3.0:
            return False
        break
    s.x = (s.x + 1) % 4
    return True'''),
    "__debug__": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if __debug__:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "token of registrations": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if abc.get_cache_token() % 2:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "isinstance of NoneType": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if isinstance(s.o, type(None)):
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "isinstance among others of NoneType": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if isinstance(s.o, (str, type(None))):
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "type is NoneType": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if type(s.o) is type(None):
        return False
    if type(s.o) == types.NoneType:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "case NoneType": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    match s.o:
        case types.NoneType():
            return False
    s.x = (s.x + 1) % 4
    return True'''),
    "record with a truth value of 3": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if Entry(v=1, on=3).on:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "record with a member of 7": ("refused", '''class Two(Record):
    c: Color = enumeration(Color, "c")
    on: bool = boolean("on")
@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if Two(c=7, on=1) == Two(c=s.x % 3, on=s.b):
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "another directory": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    with contextlib.chdir("/tmp"):
        s.x = (s.x + 1) % 4
    return True'''),
    "another output": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    with contextlib.redirect_stdout(None):
        s.x = (s.x + 1) % 4
    return True'''),
    "overloads": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if len(typing.get_overloads(step)) > 0:
        return False
    typing.clear_overloads()
    s.x = (s.x + 1) % 4
    return True'''),
    "hash of a text of JSON": ("refused", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    d = json.loads('{"a": "b"}')
    if hash(d["a"]) % 2:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "isinstance and hashes of numbers": ("outside", '''KINDS = (str, int)
@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if isinstance(s.o, (str, tuple)) or isinstance(s.c, Color) and not isinstance(s.x, KINDS):
        return False
    if hash((s.x, s.b)) % 3 == 5 or hash(s.x / 2) == 7777:
        return False
    for v in {s.x / 3, 1.5}:
        if v == 99:
            return False
    s.x = (s.x + 1) % 4
    return True'''),
    "records of members by number": ("16", '''class Two(Record):
    c: Color = enumeration(Color, "c")
    on: bool = boolean("on")
@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if Two(c=Color.RED, on=1) == Two(c=s.x % 3, on=s.b) and Two(c=1, on=False).on:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "record out of range, not stored": ("12", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if Entry(v=s.x + 7, on=True).v == 9:
        return False
    s.x = (s.x + 1) % 4
    return True'''),
    "assertion": ("12", '''@model.action("p")
def step(s: State, k: Bounds) -> bool:
    """Step."""
    if s.x == 2:
        return False
    assert s.x < 2
    s.x = (s.x + 1) % 4
    return True'''),
}  # fmt: skip
