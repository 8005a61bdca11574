# ruff: noqa: E501
"""Expressions by people who had not read the tests: their values are no functions of the state.

Each set-up stands before an initial state that has the value of an expression: initial states may be
written in any Python, while a rule has a language.
"""

HEAD = """from dataclasses import dataclass
from enum import Enum, IntEnum
import bisect, collections, contextlib, copy, dataclasses, datetime, decimal, difflib, functools
import gc, graphlib, hashlib, heapq, inspect, itertools, json, locale, operator, os, platform, random
import re, secrets, statistics, struct, subprocess, sys, tempfile, threading, time, traceback, types
import typing, uuid, warnings, zlib
from collections import ChainMap, UserDict, defaultdict, deque

from tidegate import Model, Record, integer, number


@dataclass(frozen=True)
class Bounds:
    n: int = number(3, 1, 6, "n", main=True)


class State(Record):
    x: int = integer(0, 7, "x")
    y: int = integer(0, 7, "y")


model = Model(Bounds, State, deadlock=False)
"""

TAIL = """

@model.initial
def begin(s: State, k: Bounds):
    for v in range(3):
        s.x = v
        s.y = int({initial}) % 8
        yield


@model.action("p")
def step(s: State, k: Bounds) -> bool:
    v = s.x
    if v >= 6:
        return False
    s.y = int({expression}) % 8
    s.x += 1
    return True


@model.invariant("y")
def inv(s: State, k: Bounds) -> bool:
    return s.y < 8
"""

REFUSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ('''''', (
        'len(hashlib.algorithms_available)',
        '[n for n in hashlib.algorithms_available].index("md5")',
        'sum(i for i, n in enumerate(hashlib.algorithms_guaranteed) if n == "md5")',
        'len(int.__subclasses__())', 'len(dict.__subclasses__())', 'len(dir(int))',
        '[].__sizeof__()', 'len(IntEnum.__subclasses__())', 'len(Exception.__subclasses__())',
        'hash(k)', 'len(s.__dict__)', 'len(dir(s))', 'hash(s)',
        's.__sizeof__()', 'len(vars(s))',
        '(lambda out: all(out.append(n) or True for n in {"alpha", "omega", "delta"}) and out.index("alpha"))([])',
        'State.__annotations__.setdefault("n", v) or len(State.__annotations__)',
        '[c.__name__ for c in {int, str, bool, bytes}].index("int")', 'len(__file__)',
        'len(globals())', 'hash((v, None, "a"))', 'hash(int) // 16', 'len(input())',
        'int("1" * 5000) % 7',
        '(lambda out: len([out.append(n) for n in {"alpha", "omega", "delta"}]) * 0 + out.index("alpha"))([])',
        'max({"alpha", "omega", "delta"}, key=len) == "alpha"',
        'len(__name__)', '[x is None for x in {None, 1, 2, 3}].index(True)',
        'int(repr(lambda: 0)[-3:-1], 16)',
        '(lambda out: ({out.append(n) for n in {"alpha", "omega", "delta"}} == {None}) * 0 + out.index("alpha"))([])',
        '(lambda out: len(sorted({"alpha", "omega", "delta"}, key=lambda n: out.append(n) or n)) * 0 + out.index("alpha"))([])',
        'len(Record.__subclasses__())', 'len(type.__subclasses__(object))',
        '(lambda out: sum(out.append(n) is None for n in {"alpha", "omega", "delta"}) * 0 + out.index("alpha"))([])',
        'datetime.date(2020, 1, 1).day', 'len(os.environ)',
        'len(os.sep)', 'len(sys.argv)', 'sys.dont_write_bytecode', 'len(sys.executable)',
        'sys.flags.hash_randomization', 'sys.hash_info.seed_bits', 'len(sys.modules)',
        'sys.flags.optimize', 'len(sys.path)', 'len(sys.platform)', 'sys.getrecursionlimit()',
        'threading.active_count()', 'time.timezone',
        '(decimal.Decimal(v) / 3 if v == 1 else 1) and decimal.getcontext().flags[decimal.Inexact]',
        'statistics.NormalDist(0, 1).samples(1)[0] * 10', 'sys.getrefcount(s)',
        'len(sys.orig_argv)', 'sys.maxunicode % 7 + len(sys.prefix)', 'len(os.getcwd())',
        'os.cpu_count()', 'len(os.environ.get("HOME", ""))', 'os.getenv("X") is None',
        'len(platform.node())', 'time.tzname[0] == "UTC"', 'time.monotonic_ns() % 2',
        'datetime.datetime.today().second % 2', 'len(locale.getlocale())', 'random.random() < 0.5',
        'len(inspect.stack())', 'sys._getframe().f_lineno', 'len(traceback.format_stack())',
        'len(warnings.filters)', 'sys.getsizeof(s)',
        'sys.intern("a") == "a" and sys.getrecursionlimit()', 'len(tempfile.gettempdir())',
        'threading.current_thread().ident % 2', 'len(sys.warnoptions)', 'sys.stdin.isatty()',
        'len(os.listdir("."))', 'os.path.exists("/tmp/x")', 'open("/etc/hostname").read() == ""',
        'len(__builtins__.__dict__ if hasattr(__builtins__, "__dict__") else __builtins__)',
        'len(__import__("sys").argv)', 'len(sys.version_info)', 'sys.byteorder == "little"',
        'len(dir(sys))', 'eval("1")', 'exec("1") is None', 'len(vars(sys))',
        'len(os.sys.argv)',
    )),
    ('''NAMES = frozenset({"alpha", "gamm", "betas", "delt", "omega"})
''', (
        'len([g for g, _ in itertools.groupby(NAMES, key=len)])',
    )),
    ('''@functools.cache
def f(x) -> int:
    return 3 if isinstance(x, bool) else 1
''', (
        'f(v == 1) + f(v)',
    )),
    ('''@functools.lru_cache(maxsize=None)
def f(x: int) -> int:
    return len(str(x))
''', (
        'f(v == 1) + f(v)',
    )),
    ('''@functools.cache
def f(x: int) -> int:
    return x
''', (
        'f.cache_clear() or f(v)', 'f(v) + f.cache_info().misses',
    )),
    ('''class H:
    n = 0
    @functools.cached_property
    def t(self) -> list:
        return []
HH = H()
''', (
        'HH.t.append(1) or len(HH.t)',
    )),
    ('''@functools.cache
def f(x) -> int:
    return len(repr(x))
''', (
        'f(v / 1) + f(v)',
    )),
    ('''@functools.cache
def table() -> dict:
    return {}
''', (
        'table().setdefault(s.x, 1) + len(table())',
    )),
    ('''@functools.cache
def f(x: int) -> list:
    return [x]
''', (
        'f(v).append(1) or len(f(v))',
    )),
    ('''class B:
    names = {"alpha", "gamm", "betas"}
T = list(operator.attrgetter("names")(B)).index("alpha")
''', (
        'T',
    )),
    ('''INDEX = {n: i for i, n in enumerate({"alpha", "gamm", "betas"})}
''', (
        'INDEX["alpha"]',
    )),
    ('''T = datetime.datetime.now().microsecond % 8
''', (
        'T',
    )),
    ('''K = Enum("K", [(n, i) for i, n in enumerate({"alpha", "gamm", "betas"})])
T = K["alpha"].value
''', (
        'T',
    )),
    ('''def order(names) -> list:
    return [n for n in names]
T = order({"alpha", "gamm", "betas"}).index("alpha")
''', (
        'T',
    )),
    ('''T = 0
for n in {"alpha", "gamm", "betas"}:
    T = len(n) + (n == "alpha")
''', (
        'T',
    )),
    ('''T = len(gc.get_objects()) % 8
''', (
        'T',
    )),
    ('''H = hash("alpha") % 8
''', (
        'H',
    )),
    ('''H = id(object()) // 16 % 8
''', (
        'H',
    )),
    ('''NAMES = frozenset({"alpha", "gamm", "betas"})
ORDER = tuple(itertools.islice(NAMES, 3))
''', (
        'ORDER.index("alpha")',
    )),
    ('''NAMES = frozenset({"alpha", "gamm", "betas"})
ORDER = list(NAMES)
''', (
        'ORDER.index("alpha")',
    )),
    ('''T = ("alpha", "delta").index(min({"alpha", "delta"}, key=len))
''', (
        'T',
    )),
    ('''T = int(statistics.NormalDist(4, 1).samples(1)[0] * 100) % 8
''', (
        'T',
    )),
    ('''class O:
    pass
T = hash(O()) % 8
''', (
        'T',
    )),
    ('''ORDER = [a for a, _ in itertools.pairwise({"alpha", "gamm", "betas"})]
N = len(ORDER) + ("alpha" == ORDER[0])
''', (
        'N',
    )),
    ('''T = os.getpid() % 8
''', (
        'T',
    )),
    ('''T = len({"a", "bb", "ccc"}.pop())
''', (
        'T',
    )),
    ('''T = int(subprocess.run(["date", "+%N"], capture_output=True).stdout[:3]) % 8
''', (
        'T',
    )),
    ('''T = random.randrange(8)
''', (
        'T',
    )),
    ('''class O:
    pass
T = int(repr(O())[-4:-2], 16) % 8
''', (
        'T',
    )),
    ('''T = secrets.randbelow(8)
''', (
        'T',
    )),
    ('''a, *b = {"a", "bb", "ccc"}
T = len(a)
''', (
        'T',
    )),
    ('''T = os.stat("/proc/self").st_ino % 8
''', (
        'T',
    )),
    ('''H = "alpha".__hash__() % 8
''', (
        'H',
    )),
    ('''T = random.SystemRandom().randrange(8)
''', (
        'T',
    )),
    ('''T = len(tempfile.mktemp()) + ord(tempfile.mktemp()[-1])
''', (
        'T',
    )),
    ('''T = threading.get_ident() // 4096 % 8
''', (
        'T',
    )),
    ('''T = int(time.time() * 1000) % 8
''', (
        'T',
    )),
    ('''from time import perf_counter_ns as pc
T = pc() // 1000 % 8
''', (
        'T',
    )),
    ('''T = list(graphlib.TopologicalSorter({"z": {"alpha", "beta", "gamma"}}).static_order()).index("alpha")
''', (
        'T',
    )),
    ('''T = os.urandom(1)[0] % 8
''', (
        'T',
    )),
    ('''T = uuid.uuid4().int % 8
''', (
        'T',
    )),
    ('''T = ChainMap(defaultdict(int))
''', (
        'T[s.x] + len(T)',
    )),
    ('''@dataclasses.dataclass(frozen=True)
class H:
    d: dict = dataclasses.field(default_factory=lambda: defaultdict(int))
T = H()
''', (
        'T.d[s.x] + len(T.d)',
    )),
    ('''@dataclasses.dataclass(frozen=True, slots=True)
class H:
    d: dict = dataclasses.field(default_factory=lambda: defaultdict(int))
T = H()
''', (
        'T.d[s.x] + len(T.d)',
    )),
    ('''def f(x: int, d=defaultdict(int)) -> int:
    return d[x] + len(d)
''', (
        'f(s.x)',
    )),
    ('''T = deque([defaultdict(int)])
''', (
        'T[0][s.x] + len(T[0])',
    )),
    ('''T = {"a": defaultdict(int)}
''', (
        'T["a"][s.x] + len(T["a"])',
    )),
    ('''class K(Enum):
    A = defaultdict(int)
''', (
        'K.A.value[s.x] + len(K.A.value)',
    )),
    ('''T = ValueError(defaultdict(int))
''', (
        'T.args[0][s.x] + len(T.args[0])',
    )),
    ('''T = defaultdict(int)
''', (
        'operator.itemgetter(s.x)(T) + len(T)',
    )),
    ('''def f(x: int, *, d=defaultdict(int)) -> int:
    return d[x] + len(d)
''', (
        'f(s.x)',
    )),
    ('''def mk():
    d = defaultdict(int)
    return {"f": lambda x: d[x] + len(d)}
T = mk()
''', (
        'T["f"](s.x)',
    )),
    ('''class H:
    def __init__(self) -> None:
        self.d = defaultdict(int)
    def get(self, x: int) -> int:
        return self.d[x] + len(self.d)
get = H().get
''', (
        'get(s.x)',
    )),
    ('''from typing import NamedTuple
class N(NamedTuple):
    d: dict
T = N(defaultdict(int))
''', (
        'T.d[s.x] + len(T.d)',
    )),
    ('''class H:
    def __init__(self) -> None:
        self.d = defaultdict(int)
T = H()
''', (
        'T.d[s.x] + len(T.d)',
    )),
    ('''class H:
    def __init__(self) -> None:
        self.d = defaultdict(int)
T = (H(), 1)
''', (
        'T[0].d[s.x] + len(T[0].d)',
    )),
    ('''class Count:
    __slots__ = ("fn", "seen")
    def __init__(self, fn) -> None:
        self.fn = fn
        self.seen = defaultdict(int)
    def __call__(self, x: int) -> int:
        return self.fn(x) + self.seen[x] + len(self.seen)
@Count
def f(x: int) -> int:
    return x
''', (
        'f(s.x)',
    )),
    ('''T = (defaultdict(int),)
''', (
        'T[0][s.x] + len(T[0])',
    )),
    ('''def count(fn):
    seen = defaultdict(int)
    @functools.wraps(fn)
    def inner(x: int) -> int:
        return fn(x) + seen[x] + len(seen)
    return inner
@count
def f(x: int) -> int:
    return x
''', (
        'f(s.x)',
    )),
    ('''D = {}
''', (
        'D.__sizeof__()',
    )),
    ('''from os import environ as E
''', (
        '"PYTHONHASHSEED" in E',
    )),
    ('''NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})
ADJ = {"a": {"alpha", "beta", "gamma"}}
@dataclass(frozen=True)
class Box:
    names: frozenset
BOX = Box(NAMES)
''', (
        '[n for n in ADJ["a"]].index("alpha")',
        '[n for n in set(State.__annotations__)].index("x")',
        '[n for n in dataclasses.asdict(BOX)["names"]].index("alpha")',
        '[n for n in dataclasses.astuple(BOX)[0]].index("alpha")',
        '[n for n in operator.attrgetter("names")(BOX)].index("alpha")',
        '[n for n in BOX.names].index("alpha")', '[n for n in {b"a", b"b", b"c"}].index(b"a")',
        '[n for n in typing.cast(tuple, NAMES)].index("alpha")',
        '[n for n in collections.ChainMap(ADJ)["a"]].index("alpha")',
        '[n for n in copy.copy(NAMES)].index("alpha")',
        '[n for n in collections.Counter("abc").keys() - {"z"}].index("a")',
        '[n for n in copy.deepcopy(ADJ)["a"]].index("alpha")',
        '[n for n in {"a": 1, "b": 2, "c": 3}.items() & {("a", 1), ("b", 2), ("c", 3)}].index(("a", 1))',
        '[n for n in {frozenset({"a"}), frozenset({"b"}), frozenset({"c"})}].index({"a"})',
        '[n for n in ADJ.get("a", ())].index("alpha")',
        '[n for n in getattr(BOX, "names")].index("alpha")',
        '[n for n in {"a": 1, "b": 2, "c": 3}.keys() | ()].index("a")',
        '[n for n in set(map(str, range(4)))].index("1")',
        '[n for n in operator.itemgetter("a")(ADJ)].index("alpha")',
        '[n for n in set(dict(a=1, b=2, c=3))].index("a")',
        '[n for n in (lambda: NAMES)()].index("alpha")',
        '[n for n in list(map(frozenset, [["alpha", "b", "c"]]))[0]].index("alpha")',
        '[n for n in max([NAMES, {"x"}], key=len)].index("alpha")',
        '[n for n in set(IntEnum("C", "A B C").__members__)].index("A")',
        '[n for n in types.MappingProxyType(ADJ)["a"]].index("alpha")',
        '[n for n in operator.or_(NAMES, {"x"})].index("alpha")',
        '[n for n in functools.partial(frozenset, ["alpha", "b", "c"])()].index("alpha")',
        '[n for n in functools.reduce(operator.or_, [NAMES, {"x"}])].index("alpha")',
        '[n for n in dataclasses.replace(BOX).names].index("alpha")',
        '[n for n in set("a b c".split())].index("a")',
        '[n for n in {(v, "a"), (v, "b"), (v, "c")}].index((v, "a"))',
        '[n for n in type(NAMES)(["alpha", "b", "c"])].index("alpha")',
        '[n for n in set().union(*[["alpha", "b"], ["c"]])].index("alpha")',
        '[n for n in collections.UserDict(ADJ)["a"]].index("alpha")',
        'collections.UserList(NAMES).index("alpha")',
        '[n for v in ADJ.values() for n in v].index("alpha")',
        '[n for n in vars(BOX)["names"]].index("alpha")',
        '[n for n in {"a": 1, "b": 2, "c": 3}.keys() ^ ("d",)].index("a")',
    )),
    ('''NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})
class O:
    def __init__(self, n: int) -> None:
        self.n = n
OBJS = (O(1), O(2), O(3), O(4))
def helper() -> int:
    return 1
''', (
        'operator.attrgetter("__hash__")("a")()', 'operator.call(hash, "a")',
        'operator.call(id, k)//16', 'int(OBJS[0].__str__()[-4:-2], 16)',
        'int(repr(ValueError(OBJS[0]))[-5:-3], 16)', 'int(str(ValueError(OBJS[0]))[-4:-2], 16)',
        'int(format(OBJS[0])[-4:-2], 16)', 'int(f"{[helper]}"[-5:-3], 16)',
        'getattr("a", "__hash__")()', 'helper.__hash__() // 16', 'hash(NAMES)', 'hash(("a", s.x))',
        '(1, "a").__hash__()', 'int("".join(map(repr, OBJS))[-4:-2], 16)',
        'int(json.dumps(OBJS[0], default=repr)[-5:-3], 16)',
        'sorted(("a", "b", "c"), key=hash).index("a")', 'min(("a", "b"), key=str.__hash__) == "a"',
        'sum(map(hash, ("a", "b")))', 'int(list(map(str, OBJS))[0][-4:-2], 16)',
        'max(OBJS, key=hash).n', 'max(OBJS, key=repr).n', 'min(OBJS, key=str).n',
        'operator.methodcaller("__hash__")("a")', 'object.__hash__(OBJS[0]) // 16',
        'OBJS[0].__hash__() // 16', 'int(object.__repr__(OBJS[0])[-4:-2], 16)',
        '[o.n for o in {*OBJS}].index(1)', 'functools.partial(hash, "a")()',
        'int(repr({1: helper})[-5:-3], 16)', 'int(repr(x for x in ())[-4:-2], 16)',
        'int(repr(OBJS[0].__init__)[-5:-3], 16)', 'int(repr(OBJS)[-5:-3], 16)',
        '"alpha".__hash__()', 'str.__hash__("alpha")', 'super(O, OBJS[0]).__hash__() // 16',
        'type("a").__hash__("a")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
class Cfg:
    order = list(ROLES)
''', (
        'Cfg.order.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = [r for r in ROLES]
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
C = collections.Counter(ROLES)
''', (
        'list(C).index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
@dataclass(frozen=True)
class Cfg:
    order: tuple = tuple(ROLES)
CFG = Cfg()
''', (
        'CFG.order.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(set(["leader", "follower", "observer", "leader"]))
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
def pos(name: str, order=tuple(ROLES)) -> int:
    return order.index(name)
''', (
        'pos("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ROLE = IntEnum("ROLE", list(ROLES), start=0)
''', (
        'ROLE.leader',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = []
ORDER.extend(ROLES)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
FR = frozenset(("leader", "follower", "observer"))
ORDER = list(FR)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
D = dict.fromkeys(ROLES, 0)
''', (
        'list(D).index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
NAME = f"{ROLES}"
''', (
        'NAME.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = heapq.nsmallest(3, ROLES, key=len)
''', (
        'ORDER.index("observer")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = ["x"]
ORDER += ROLES
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
def build() -> list:
    return list(ROLES)
ORDER = build()
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list({"leader", "follower", "observer"})
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
FIRST = next(iter(ROLES))
''', (
        'len(FIRST)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
NAME = ",".join(ROLES)
''', (
        'NAME.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(ROLES)
''', (
        'ORDER.index("leader")', 'len(ORDER[0])',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(ROLES)
A, B, C = ORDER
''', (
        'len(A)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = []
for r in ROLES:
    ORDER.append(r)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = [r.upper() for r in ROLES]
''', (
        'ORDER.index("LEADER")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(map(len, ROLES))
''', (
        'ORDER[0]',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
BIG = max(ROLES, key=lambda r: r != "leader")
''', (
        'BIG == "observer"',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
FIRST = set(ROLES).pop()
''', (
        'len(FIRST)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(set("leader follower observer".split()))
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = sorted(ROLES, key=lambda r: 0)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = [*ROLES]
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
NAME = str(ROLES)
''', (
        'NAME.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = tuple(ROLES)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
FIRST, *_ = ROLES
''', (
        'len(FIRST)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
POS = dict(zip(ROLES, range(3)))
''', (
        'POS["leader"]',
    )),
    ('''PAIRS = {frozenset({"ab"}), frozenset({"cd"}), frozenset({"ef", "g"})}
''', (
        '"ab" in sorted(PAIRS)[0]', '"ab" in min(PAIRS)', '"cd" in max(PAIRS)',
        '"ab" in sorted((1, p) for p in PAIRS)[0][1]', '"ab" in sorted(PAIRS, reverse=True)[0]',
        '"ab" in sorted(dict.fromkeys(PAIRS, 1).keys() - {frozenset({"cd"})})[0]',
        '"ab" in sorted({frozenset({n}) for n in ("ab", "cd")})[0]',
        '"ab" in min({(s.x, frozenset({n})) for n in ("ab", "cd")})[1]',
        '"ab" in sorted({frozenset({"ab"}), frozenset({"cd"})})[0]',
        'list(dict.fromkeys(("ab", "cd")).keys() & dict.fromkeys(("ab", "cd")).keys())[0] == "ab"',
        'list(dict.fromkeys(("ab", "cd"), 1).items() ^ {("ef", 1)})[0][0] == "ab"',
        '(lambda **a: [*a][0])(**{n: 1 for n in {"ab", "cd"}}) == "ab"',
        'list(dict(**{n: 1 for n in {"ab", "cd"}}))[0] == "ab"',
    )),
    ('''NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})
''', (
        'any((got := n)[0] in "ado" for n in NAMES) and len(got)',
        'list(dict.fromkeys(NAMES)).index("alpha")', 'f"{NAMES}".index("alpha")',
        '"".join(NAMES).index("alpha")', '[*{**dict.fromkeys(NAMES)}].index("alpha")',
        'min(NAMES, key=lambda n: len(n) == 4) == "alpha"', '("%s" % (NAMES,)).index("alpha")',
        'repr(NAMES).index("alpha")', 'sorted(NAMES, key=len)[1] == "alpha"',
        '(lambda a, *b: a == "alpha")(*NAMES)', 'dict(zip(NAMES, range(9)))["alpha"]',
        'next(itertools.chain(NAMES)) == "alpha"',
        'len([g for g, _ in itertools.groupby(NAMES, key=len)])',
        'len([a for a in itertools.accumulate(NAMES, max)]) and sum(a == "omega" for a in itertools.accumulate(NAMES, max))',
        'sum(a < b for a, b in itertools.combinations(NAMES, 2))',
        'any(a == "alpha" for a in itertools.compress(NAMES, (1, 0, 1, 0, 0)))',
        'next(itertools.cycle(NAMES)) == "alpha"',
        'any(a == "alpha" and i == 0 for i, a in enumerate(NAMES))',
        '(0, "alpha") in set(enumerate(NAMES))',
        'sum(i for i, a in enumerate(NAMES) if a == "alpha")',
        'len(set(tuple(x) for g, x in itertools.groupby(NAMES, key=len)))',
        'sum(1 for g, _ in itertools.groupby(NAMES, key=len))',
        '"alpha" in [a for a in itertools.islice(NAMES, 2)]',
        '"alpha" in set(itertools.islice(NAMES, 2))',
        'sum(len(a) for a in itertools.islice(NAMES, 1))',
        'any(map(lambda a, i: a == "alpha" and i == 0, NAMES, range(5)))',
        'len([1 for a, b in itertools.pairwise(NAMES) if a < b])',
        '[a == "alpha" for a, b in itertools.product(NAMES, (1,))].index(True)',
        'next(itertools.repeat(NAMES)) and [n for n in next(itertools.repeat(NAMES))].index("alpha")',
        'any(itertools.starmap(lambda a, i: a == "alpha" and i == 0, zip(NAMES, range(5))))',
        'len([a for a in itertools.takewhile(lambda n: n != "alpha", NAMES)])',
        'sum(1 for a in itertools.takewhile(lambda n: n != "alpha", NAMES))',
        'next(itertools.tee(NAMES)[0]) == "alpha"',
        'any(a == "alpha" and b == 0 for a, b in zip(NAMES, range(5)))',
        'any(a == "alpha" and b == 0 for a, b in itertools.zip_longest(NAMES, range(5)))',
        'difflib.get_close_matches("xlpha", NAMES, n=1, cutoff=0.0)[0] == "alpha"',
        'list(collections.Counter(NAMES)).index("alpha")', 'collections.deque(NAMES)[0] == "alpha"',
        'collections.Counter(NAMES).most_common(1)[0][0] == "alpha"',
        'len(statistics.mode(NAMES)) + (statistics.mode(NAMES) == "alpha")',
        'statistics.multimode(NAMES).index("alpha")',
        'heapq.nlargest(2, NAMES, key=len)[1] == "alpha"',
        'heapq.nsmallest(1, NAMES, key=len)[0] == "alpha"',
        'functools.reduce(lambda a, b: a, NAMES) == "alpha"',
    )),
    ('''CM = collections.ChainMap({}, {1: 1})
''', (
        'CM.__setitem__(s.x, 1) or len(CM)',
    )),
    ('''@dataclass(frozen=True)
class D:
    n: str
DS = frozenset({D("a"), D("b"), D("c")})
''', (
        '[d.n for d in DS].index("a")',
    )),
    ('''D = defaultdict(int)
get, size = D.__getitem__, D.__len__
del D
''', (
        'get(s.x) + size()',
    )),
    ('''def mk():
    d = defaultdict(int)
    def f(x: int) -> int:
        return d[x] + len(d)
    return f
f = mk()
''', (
        'f(s.x)',
    )),
    ('''class Memo:
    d = defaultdict(int)
''', (
        'Memo.d[s.x] + len(Memo.d)',
    )),
    ('''def g(d, x: int) -> int:
    return d[x] + len(d)
f = functools.partial(g, defaultdict(int))
''', (
        'f(s.x)',
    )),
    ('''class Memo:
    __slots__ = ("d",)
    def __init__(self):
        self.d = defaultdict(int)
MEMO = Memo()
''', (
        'MEMO.d[s.x] + len(MEMO.d)',
    )),
    ('''CTX = decimal.Context(prec=3)
''', (
        'CTX.divide(v, 3) * 0 + CTX.flags[decimal.Inexact]',
        '(CTX.divide(1, 3) if v == 1 else 0) and len(str(CTX)) ',
    )),
    ('''def f(a: int = 0) -> int:
    return a
''', (
        'setattr(f, "__defaults__", (f() + 1,)) or f()',
    )),
    ('''class K(Enum):
    A = "a"
    B = "b"
    C = "c"
KS = frozenset(K)
''', (
        '[e.name for e in KS].index("A")',
    )),
    ('''class K(Enum):
    A = 1
    B = 2
    C = 3
''', (
        'next(iter({K.A, K.B, K.C})).value',
    )),
    ('''class C(IntEnum):
    A = 0
C.A.seen = []
''', (
        'C.A.seen.append(1) or len(C.A.seen)',
    )),
    ('''ST = contextlib.ExitStack()
''', (
        'ST.callback(len, []) and len(ST._exit_callbacks)',
    )),
    ('''class O:
    pass
''', (
        'int("{}".format(O())[-4:-2], 16)',
    )),
    ('''def f() -> int:
    return 1
f.n = 0
''', (
        'setattr(f, "n", f.n + 1) or f.n',
    )),
    ('''def mk():
    c = 0
    def f() -> int:
        return c
    return f
f = mk()
''', (
        'setattr(f.__closure__[0], "cell_contents", f() + 1) or f()',
    )),
    ('''X = 0
''', (
        'globals().__setitem__("X", X + 1) or X',
    )),
    ('''def helper() -> int:
    return 1
''', (
        'hash(helper) // 16', 'len(str(helper)) + int(str(helper)[-4:-1], 16)',
    )),
    ('''class O:
    pass
OBJ = O()
''', (
        'hash(OBJ) // 16', 'int(repr(OBJ)[-4:-2], 16)',
    )),
    ('''H = hashlib.sha256()
''', (
        'H.update(b"x") or H.digest()[0]',
    )),
    ('''L = []
''', (
        'heapq.heappush(L, s.x) or len(L)', 'len(operator.iadd(L, [1]))',
        'bisect.insort(L, s.x) or len(L)', 'json.loads("{}", object_hook=L.append) or len(L)',
        'list.append(L, 1) or len(L)', 'len(sorted([1], key=L.append)) + len(L)',
        'len(re.sub("a", lambda m: L.append(1) or "b", "aa")) + len(L)',
    )),
    ('''IDS: defaultdict = defaultdict(itertools.count().__next__)
''', (
        'IDS[v]',
    )),
    ('''IDS: defaultdict = defaultdict(lambda: len(IDS))
''', (
        'IDS[v]',
    )),
    ('''D = {"alpha": 1, "beta": 2, "gamma": 3}
''', (
        '[D[n] for n in D.keys() & {"alpha", "beta", "gamma"}][0]', 'D[(D.keys() - {"x"}).pop()]',
    )),
    ('''BUF = bytearray(8)
MV = memoryview(BUF)
''', (
        'MV.__setitem__(0, BUF[0] + 1) or BUF[0]',
    )),
    ('''L = []
PUT = operator.methodcaller("append", 1)
''', (
        'PUT(L) or len(L)',
    )),
    ('''class D(dict):
    def __missing__(self, key):
        self[key] = len(self)
        return self[key]
IDS = D()
''', (
        'IDS[s.x]',
    )),
    ('''NS = types.SimpleNamespace(n=0)
''', (
        'setattr(NS, "n", NS.n + 1) or NS.n',
    )),
    ('''BUF = bytearray(8)
''', (
        'struct.pack_into("B", BUF, 0, BUF[0] + 1) or BUF[0]',
    )),
    ('''SM = difflib.SequenceMatcher(None, "abc", "abd")
''', (
        'SM.set_seq2("abc" * v) or SM.ratio() * 5',
    )),
    ('''T = frozenset({("a", 1e17), ("b", 1.0), ("c", -1e17)})
''', (
        'sum(t[1] for t in T)',
    )),
    ('''T = frozenset({("a", 1), ("b", 2), ("c", 3)})
''', (
        'sum(T, ())[1]',
    )),
    ('''G = {"z": {"alpha", "beta", "gamma"}}
''', (
        'list(graphlib.TopologicalSorter(G).static_order()).index("alpha")',
    )),
    ('''TS = graphlib.TopologicalSorter({1: [0], 2: [1]})
TS.prepare()
''', (
        'len(TS.get_ready())',
    )),
    ('''Z = zlib.decompressobj()
''', (
        'len(Z.unused_data)+len(Z.decompress(zlib.compress(b"x")) if not Z.eof else b"")',
    )),
    ('''Z = zlib.compressobj()
''', (
        'len(Z.compress(b"abc") + Z.flush(zlib.Z_SYNC_FLUSH))',
    )),
    ('''NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})
class Holder:
    def __init__(self, names):
        self.names = names
    def first(self):
        return next(iter(self.names))
    def __iter__(self):
        return iter(self.names)
HOLDER = Holder(NAMES)
class Pair(typing.NamedTuple):
    left: frozenset
    right: int
PAIR = Pair(NAMES, 1)
def pick(names=NAMES):
    for n in names:
        return n
def gen():
    yield from NAMES
''', (
        'HOLDER.first() == "alpha"', '[*HOLDER].index("alpha")', 'pick() == "alpha"',
        'list(gen()).index("alpha")', '[n for n in PAIR.left].index("alpha")',
        'next(n for n in PAIR[0]) == "alpha"', '[n for n in PAIR._asdict()["left"]].index("alpha")',
        '[n for n in dict(a=NAMES)["a"]].index("alpha")',
        '[n for n in [NAMES, {"q"}][0]].index("alpha")', '(lambda *a: a.index("alpha"))(*NAMES)',
        '[n for n in (NAMES if v else {"alpha", "x"})].index("alpha")',
        '[n for n in next(iter([NAMES]))].index("alpha")',
        '[n for n in {**{"k": NAMES}}["k"]].index("alpha")', 'max(enumerate(NAMES))[1] == "alpha"',
        '[a for a, in zip(NAMES)].index("alpha")', 'len(str(NAMES).split("alpha")[0])',
        '[n for n in sorted([NAMES], key=len)[0]].index("alpha")',
        '[n for n in functools.reduce(lambda a, b: a | b, [NAMES])].index("alpha")',
        '[n for n in types.SimpleNamespace(n=NAMES).n].index("alpha")',
        '[n for n in collections.deque([NAMES])[0]].index("alpha")',
        '[n for n in getattr(HOLDER, "na" + "mes")].index("alpha")',
        '[n for n in operator.getitem({"a": NAMES}, "a")].index("alpha")',
        '[n for n in NAMES.copy()].index("alpha")', '[n for n in NAMES.__iter__()].index("alpha")',
        '[n for n in set.union(set(), NAMES)].index("alpha")',
        '[n for n in list(NAMES.union("x"))].index("alpha")',
        'next(filter(None, NAMES)) == "alpha"', 'next(map(str.upper, NAMES)) == "ALPHA"',
        'next(reversed(list(NAMES))) == "alpha"', '"alpha" in list(NAMES)[:2]',
        'min(NAMES, key=lambda n: 0) == "alpha"',
        'sum(ord(n[0]) * i for i, n in enumerate(NAMES, 1))',
        'any(n == "alpha" for n in list(NAMES)[:1])', 'len(max(NAMES, key=lambda n: n[0] in "go"))',
        '[i for i, n in enumerate(sorted(NAMES, key=lambda n: n[-1])) if n == "alpha"][0]',
        'functools.reduce(lambda a, n: a * 3 + len(n), NAMES, 0)', '[*map(len, NAMES)][0]',
        'dict(enumerate(NAMES))[0] == "alpha"',
        '(lambda it: [next(it), next(it)])(iter(NAMES)).count("alpha")',
        'next(itertools.chain.from_iterable([NAMES])) == "alpha"',
        '[*itertools.permutations(NAMES, 1)][0][0] == "alpha"',
        'next(itertools.filterfalse(len, [*NAMES, ""])) == "" and [*itertools.filterfalse(str.isdigit, NAMES)][0] == "alpha"',
        'next(itertools.dropwhile(lambda n: len(n) > 4, NAMES)) == "gamm" and len([*itertools.dropwhile(lambda n: len(n) > 4, NAMES)])',
        '[*itertools.combinations_with_replacement(NAMES, 2)][0][0] == "alpha"',
        'len([1 for a, b in itertools.zip_longest(NAMES, "alpha") if a and b and a[0] == b])',
        'sum(1 for n in itertools.islice(NAMES, 1, None, 2) if n == "alpha")',
        '[*itertools.accumulate(map(len, NAMES))][0]',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(map(str.upper, ROLES))
''', (
        'ORDER.index("LEADER")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = [*itertools.chain(ROLES)]
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(reversed(sorted(ROLES, key=lambda r: 0)))
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
POS = {}
for i, r in enumerate(ROLES):
    POS[r] = i
''', (
        'POS["leader"]',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
def fill(out):
    for r in ROLES:
        out.append(r)
    return out
ORDER = fill([])
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = []
[ORDER.append(r) for r in ROLES]
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
class Cfg:
    order = []
    for r in ROLES:
        order.append(r)
''', (
        'Cfg.order.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(ROLES)
ORDER.reverse()
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
D = {r: r for r in ROLES}
FIRST = next(iter(D))
''', (
        'len(FIRST)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
D = {r: 1 for r in ROLES}
''', (
        '[*D].index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
Q = collections.deque(ROLES)
''', (
        'Q.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
OD = collections.OrderedDict.fromkeys(ROLES)
''', (
        '[*OD].index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
FIRST = functools.reduce(lambda a, b: a, ROLES)
''', (
        'len(FIRST)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
T = "".join(r[0] for r in ROLES)
''', (
        'T.index("l")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
(A, B, C) = ROLES
''', (
        'len(A)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(ROLES - {"observer"})
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
G = collections.defaultdict(list)
for r in ROLES:
    G[len(r)].append(r)
''', (
        'G[8].index("observer")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = [r for g in [ROLES] for r in g]
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = tuple(r for r in ROLES)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = [None] * 3
ORDER[:] = ROLES
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
while True:
    FIRST = set(ROLES).pop()
    break
''', (
        'len(FIRST)',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = (lambda r: [*r])(ROLES)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(dict.fromkeys(["leader", "x"]).keys() | ROLES)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = sorted(ROLES, key=hash)
''', (
        'ORDER.index("leader")',
    )),
    ('''ROLES = {"leader", "follower", "observer"}
ORDER = list(globals()["ROLES"])
''', (
        'ORDER.index("leader")',
    )),
    ('''class Obj:
    pass
OBJ = Obj()
''', (
        'functools.reduce(lambda a, b: hash(b), ["a", "b"])', 'list(map(hash, ["a"]))[0]',
        'sorted(["a", "b"], key=hash).index("a")',
        '[*filter(lambda n: hash(n) % 2, ["a", "b"])].count("a")', 'str.__hash__("a")',
        '(lambda f: f("a"))(hash)', '{"f": hash}["f"]("a")', '[hash][0]("a")',
        'getattr(OBJ, "__hash__")() // 16', 'object.__hash__(OBJ) // 16', 'hash(OBJ) // 16',
        'hash(Obj) // 16', 'hash((1, "a"))', 'hash(frozenset({"a"}))', 'hash(b"a")',
        'super(Obj, OBJ).__hash__() // 16', 'operator.methodcaller("__hash__")("a")',
        'len(repr(OBJ)) * 0 + int(repr(OBJ)[-3:-1], 16)',
        'int("%r"[0:0] + ("%r" % OBJ)[-3:-1], 16)', 'int("{!r}".format(OBJ)[-3:-1], 16)',
        'int(f"{OBJ!s}"[-3:-1], 16)', 'int(ascii(OBJ)[-3:-1], 16)', 'int(str([OBJ])[-4:-2], 16)',
        'id(OBJ) // 16', '(lambda i: i(OBJ) // 16)(id)', 'id.__call__(OBJ) // 16',
        'hash.__call__("a")', 'functools.partial(id, OBJ)() // 16', '"a".__hash__.__call__()',
        'OBJ.__repr__().count("1")', 'sum(map(id, [OBJ])) // 16',
    )),
    ('''class Box:
    def __init__(self):
        self.items = []
        self.n = 0
    def bump(self):
        self.n += 1
        return self.n
    def __getitem__(self, i):
        self.n += 1
        return self.n
    def __len__(self):
        self.n += 1
        return self.n
    def __bool__(self):
        self.n += 1
        return self.n % 2 == 0
    def __contains__(self, x):
        self.items.append(x)
        return len(self.items) > 3
    def __call__(self):
        return self.bump()
    def __eq__(self, o):
        return self.bump() > 3
    def __lt__(self, o):
        return self.bump() > 3
    def __add__(self, o):
        return self.bump()
    def __enter__(self):
        return self.bump()
    def __exit__(self, *a):
        return None
    @property
    def p(self):
        return self.bump()
    def __getattr__(self, name):
        return self.bump()
    def __iter__(self):
        yield self.bump()
    def __format__(self, spec):
        return str(self.bump())
    def __index__(self):
        return self.bump() % 3
BOX = Box()
COUNT = itertools.count()
IT = iter(range(100))
GEN = (i for i in range(100))
BOXES = {"a": [BOX]}
DQ = collections.deque([1, 2, 3])
OD = collections.OrderedDict(a=1, b=2)
CTR = collections.Counter()
RND = random.Random(1)
''', (
        'BOX.bump()', 'BOX[0]', 'len(BOX)', 'bool(BOX)', '1 if BOX else 0', 'not BOX', '3 in BOX',
        'BOX()', 'BOX == 1', 'BOX < 1', 'BOX + 1', 'BOX.p', 'BOX.zzz', 'sum(BOX)', 'len(f"{BOX}")',
        '[1, 2, 3][BOX]', 'next(COUNT)', 'next(IT)', 'next(GEN)', '3 in IT', 'len([*IT])',
        'BOXES["a"][0].bump()', 'DQ.rotate(1) or DQ[0]',
        'OD.move_to_end("a") or list(OD).index("a")', 'CTR.update("a") or CTR["a"]',
        'RND.randrange(7)', '(lambda b=BOX: b.bump())()',
        'max([BOX, BOX], key=lambda b: b.bump()).n',
        'functools.reduce(lambda a, b: a + b.bump(), [BOX], 0)',
        '[b.bump() for b in BOXES["a"]][0]', 'sorted([BOX, BOX])[0].n', 'getattr(BOX, "bump")()',
        'Box.bump(BOX)', 'type(BOX).bump(BOX)', 'vars(BOX).update(n=v) or BOX.n',
        'BOX.__dict__.setdefault("z", 1) + len(BOX.__dict__)',
        'isinstance(next(zip(COUNT)), tuple) and next(COUNT)', 'min(BOX, 3)', 'any([BOX])',
        'range(BOX.bump())[0]', 'abs(BOX.bump())', 'list(map(Box.bump, [BOX]))[0]',
        'BOX.items.append(1) or len(BOX.items)', 'DQ.popleft()', 'OD.popitem()[1]',
        'CTR.subtract("a") or -CTR["a"]', 'setattr(BOX, "n", v) or BOX.n', 'delattr(BOX, "n") or 1',
        'BOX.__setattr__("n", BOX.n + 1) or BOX.n',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\n', (
        'str([NAMES, json.loads("1")]).index("alpha")',
        '[*[NAMES, json.loads("1")][0]].index("alpha")',
        'str(dict({"k": NAMES})).index("alpha")',
        '(lambda *a: [*a[0]].index("alpha"))(NAMES, json.loads("1"))',
        '[*max([NAMES, frozenset()], key=len)].index("alpha")',
        '[*(NAMES or json.loads("1"))].index("alpha")',
        '[*(NAMES and NAMES)].index("alpha")',
        '[*(lambda x: x)(NAMES)].index("alpha")',
        '[*functools.reduce(lambda a, b: a, [NAMES, 1])].index("alpha")',
        '[*[x for x in (NAMES, 1, "a", json.loads("2"))][0]].index("alpha")',
        '[*{"k": NAMES, "l": json.loads("1")}["k"]].index("alpha")',
        '[*{"k": NAMES, "l": json.loads("1")}.get("k")].index("alpha")',
        '[*{"k": NAMES, "l": json.loads("1")}.pop("k")].index("alpha")',
        '[*[NAMES, json.loads("1")].pop(0)].index("alpha")',
        '[*[*zip([NAMES, json.loads("1")], [1,2])][0][0]].index("alpha")',
        '[*[*map(lambda x: x, [NAMES, json.loads("1")])][0]].index("alpha")',
        '[*[*reversed([json.loads("1"), NAMES])][0]].index("alpha")',
        '[*[*enumerate([NAMES, json.loads("1")])][0][1]].index("alpha")',
        '[*{**{"k": NAMES}, **json.loads("{}")}["k"]].index("alpha")',
        '[*[*[NAMES], *json.loads("[1]")][0]].index("alpha")',
        '[*([NAMES] + json.loads("[1]"))[0]].index("alpha")',
        '[*(json.loads("[1]") + [NAMES])[1]].index("alpha")',
        '[*([NAMES] * json.loads("1"))[0]].index("alpha")',
        '[*({"k": NAMES} | json.loads("{}"))["k"]].index("alpha")',
        '[*list(json.loads("[1]") + [NAMES])[1]].index("alpha")',
        '(lambda q: q.append(NAMES) or q.append(json.loads("1")) is None and [*q[0]].index("alpha"))([])',
        '(lambda q: q.update(k=NAMES) is None and [*q["k"]].index("alpha"))({})',
        '(lambda q: q.update({"k": NAMES}) is None and [*q["k"]].index("alpha"))({})',
        '(lambda q: q.extend([NAMES]) is None and [*q[0]].index("alpha"))([])',
        '(lambda q: q.insert(0, NAMES) is None and [*q[0]].index("alpha"))([json.loads("1")])',
        '(lambda q: q.setdefault("k", NAMES) and [*q["k"]].index("alpha"))({})',
        '(lambda q: q.__setitem__("k", NAMES) is None and [*q["k"]].index("alpha"))({})',
        '(lambda q: q.__iadd__([NAMES]) and [*q[0]].index("alpha"))([])',
        '[*operator.getitem([NAMES], 0)].index("alpha")',
        '[*operator.itemgetter(0)([NAMES, json.loads("1")])].index("alpha")',
        '[*operator.attrgetter("a")(types.SimpleNamespace(a=NAMES))].index("alpha")',
        '[*copy.deepcopy([NAMES])[0]].index("alpha")',
        '[*copy.copy(NAMES)].index("alpha")',
        '[*next(iter([NAMES, json.loads("1")]))].index("alpha")',
        '[*collections.deque([NAMES])[0]].index("alpha")',
        '[*collections.OrderedDict(k=NAMES)["k"]].index("alpha")',
        '[*dict(k=NAMES)["k"]].index("alpha")',
        '[*dict([("k", NAMES)])["k"]].index("alpha")',
        '[*dict(zip(["k"], [NAMES]))["k"]].index("alpha")',
        '[*dict([["k", NAMES]])["k"]].index("alpha")',
        '[*collections.OrderedDict([["k", NAMES]])["k"]].index("alpha")',
        '[*collections.ChainMap({"k": NAMES})["k"]].index("alpha")',
        '[*sorted([NAMES, frozenset("b")], key=len)[1]].index("alpha")',
        '[*[NAMES][:1][0]].index("alpha")',
        '[*tuple([NAMES])[0]].index("alpha")',
        '[*([NAMES],)[0][0]].index("alpha")',
        '[*sum([[NAMES]], [])[0]].index("alpha")',
        '[*(s.x == 0 and NAMES)].index("alpha") if s.x == 0 else 0',
        '[*(n := NAMES)].index("alpha")',
        '[*itertools.chain([NAMES])].index(NAMES) + [*[*itertools.chain([NAMES])][0]].index("alpha")',
        '[*[*itertools.repeat(NAMES, 2)][0]].index("alpha")',
        '[*[*itertools.product([NAMES], [1])][0][0]].index("alpha")',
        '[*[*itertools.accumulate([NAMES, 1], lambda a, b: a)][0]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\n@dataclass(frozen=True)\nclass T:\n    n: object\nT1=T([NAMES])\n', (
        '[*[T1,json.loads("3")][0].n[0]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nL=[(i,) for i in range(30000)]+[NAMES]\n', (
        '[*L[s.x+30000]].index("alpha") if s.x==0 else 0',
        '[*(L[s.x+30000] if s.x==0 else "alpha")].index("alpha") if s.x==0 else 0',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nL=[(i,) for i in range(30000)]+[(NAMES,)]\n', (
        '[*L[s.x*0+30000][0]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    match x:\n        case [a, *r]:\n            return [*a].index("alpha")\n    return 0\n', (
        'f([NAMES, 3])',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    match x:\n        case {"k": a}:\n            return [*a].index("alpha")\n    return 0\n', (
        'f({"k": NAMES})',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    with contextlib.nullcontext(x) as y:\n            return [*y].index("alpha")\n    return 0\n', (
        'f(NAMES)',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    a, *b = x\n    return [*b[0]].index("alpha")\n', (
        'f([1, NAMES])',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    for a in (x, json.loads("2")):\n        return [*a].index("alpha")\n', (
        'f(NAMES)',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    for a in [[x], json.loads("2")]:\n        for b in a:\n            return [*b].index("alpha")\n', (
        'f(NAMES)',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    yield x\n    yield json.loads("2")\n', (
        '[*next(f(NAMES))].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(x):\n    r = yield x\n    yield json.loads("2")\n', (
        '[*[*f(NAMES)][0]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nD = {"a": NAMES, "b": int}\n', (
        '[*D["ab"[s.x*0]]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nD = {"a": NAMES, "b": int, "c": 1, "d": "e", "e": len, "f": max, "g": min, "h": (1,), "i": 2.5, "j": [2], "l": bool, "m": str, "n": tuple}\n', (
        '[*D["ab"[s.x*0]]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nD = types.MappingProxyType({"a": NAMES})\n', (
        '[*D["ab"[s.x*0]]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nD = types.SimpleNamespace(a=NAMES)\n', (
        '[*D.a].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nD = types.SimpleNamespace(a=[NAMES])\n', (
        '[*getattr(D,"a")[0]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\nD = [types.SimpleNamespace(a=[NAMES]), json.loads("[2]")]\n', (
        '[*D[s.x*0].a[0]].index("alpha")',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(*a, **k):\n    return [*k["n"]].index("alpha")\n', (
        'f(n=NAMES, m=json.loads("1"))',
    )),
    ('NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})\ndef f(*a, **k):\n    return [*a[0]].index("alpha")\n', (
        'f(NAMES, json.loads("1"))',
    )),
)  # fmt: skip

SETS = """NAMES = frozenset({"alpha", "gamm", "betas", "delta", "omega"})
POINTS = {3, 1, 2}
TABLE = {"leader": POINTS, "follower": {4}}
"""

ACCEPTED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", (
        'hasattr(s, "zzz")', "len(repr(s))", "len(str(k))", "len(type(s).__name__)", "type(s) is State",
        "(lambda f: f())(lambda: 1)", "sys.maxsize % 8", "[*{(1, 'a'): 0, (2, 'b'): 1}][0][0]",
        "hash(s.x) + hash(1.5) + hash((1, 2))", "operator.itemgetter(1)((1, s.x))",
        "functools.reduce(operator.add, range(s.x), 0)", "operator.call(len, (1, 2))",
        "sum(itertools.accumulate(range(4)))", "next(itertools.islice(range(9), 3, None))",
        "dict(zip('ab', itertools.count()))['b']", "ChainMap({'a': 1}, {'b': 2})['b']",
    )),
    (SETS, (
        "len(NAMES)", '"alpha" in NAMES', 'sorted(NAMES)[0] == "alpha"', 'min(NAMES) == "alpha"',
        'sorted((len(n), n) for n in NAMES)[0][1] == "alpha"', 'max({(1, "a"), (1, "b")})[0]',
        '"a" in sorted([frozenset({"a"}), frozenset({"b"})])[0]', 'sorted({("a",), ("b",)})[0] == ("a",)',
        "sum(len(n) for n in NAMES)", "max(len(n) for n in NAMES)", "any(len(n) == 4 for n in NAMES)",
        'len(NAMES | {"x"})', 'NAMES >= {"alpha"}', '{n: len(n) for n in NAMES}["alpha"]',
        "len({n[0] for n in NAMES})", "[p for p in POINTS][0]", 'sum(TABLE["leader"])',
        "sorted(itertools.chain(NAMES, 'x'))[0] == 'alpha'",
        "copy.deepcopy(TABLE)['follower'] == {4}",
        "len({**{'k': NAMES}}['k'])", "collections.Counter(map(len, NAMES))[5]",
    )),
    ("BOX = types.SimpleNamespace(n=3)\nORDER = list({3, 1, 2})\nFIRST = sorted({'b', 'a'})[0]\n", (
        "BOX.n", "ORDER.index(1)", "len(FIRST)", "getattr(BOX, 'n')",
    )),
)  # fmt: skip
"""Expressions whose values are functions of the state: they mean the same in every run."""
