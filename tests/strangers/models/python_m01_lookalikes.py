"""A router that keeps two links; helper classes, dataclasses, generators, functools and itertools beside the state.

Everything here depends on state, bounds and arguments alone, so nothing may be refused.
"""

from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial, reduce, wraps
from itertools import accumulate, chain, combinations, product
from operator import itemgetter

from tidegate import Model, Record, array, integer, number


@dataclass(frozen=True)
class Bounds:
    nodes: int = number(3, 1, 4, "nodes", main=True)


class State(Record):
    load: list[int] = array(lambda k: k.nodes, integer(0, 2, "load of a node"))


model = Model(Bounds, State, participants={"node": lambda k: k.nodes}, deadlock=False)

WEIGHTS = {0: 1, 1: 2, 2: 4}
NAMES = ("idle", "busy", "full")
Pair = namedtuple("Pair", "node load")


@dataclass
class Summary:
    total: int = 0
    seen: list = field(default_factory=list)
    names: set = field(default_factory=set)

    def note(self, load: int) -> None:
        self.total += load
        self.seen.append(load)
        self.names.add(NAMES[load])

    @property
    def ordered(self) -> list:
        return sorted(self.names)


def traced(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@cache
def capacity(n: int) -> int:
    return n if n < 2 else capacity(n - 1) + capacity(n - 2) + 1


@lru_cache(maxsize=None)
def weight(load: int) -> int:
    return WEIGHTS[load]


def summary(s: State) -> Summary:
    result = Summary()
    for load in s.load:
        result.note(load)
    return result


def running(s: State):
    total = 0
    for load in s.load:
        total += load
        yield total


@traced
def lightest(s: State) -> list:
    pairs = [Pair(i, load) for i, load in enumerate(s.load)]
    return sorted(pairs, key=itemgetter(1, 0))


at_most = partial(min, 4)


@model.action("node")
def take(s: State, k: Bounds, node: int) -> bool:
    if s.load[node] == 2 or lightest(s)[0].node != node:
        return False
    s.load[node] += 1
    return True


@model.action("node")
def drop(s: State, k: Bounds, node: int) -> bool:
    counts = Counter(s.load)
    queue = deque(x for x in s.load if x)
    if s.load[node] < 2 or counts[2] < k.nodes or len(queue) != k.nodes:
        return False
    s.load[node] = 0
    return True


@model.invariant("No two loads differ by more than two, whichever way one counts.")
def balanced(s: State, k: Bounds) -> bool:
    groups = defaultdict(list)
    for i, load in enumerate(s.load):
        groups[load].append(i)
    assert all(list(running(s))[-1] == x for x in list(accumulate(s.load))[-1:])
    differences = [abs(a - b) for a, b in combinations(s.load, 2)]
    total = reduce(lambda a, b: a + b, s.load, 0)
    flat = sorted(chain(*groups.values()))
    return (
        max(differences, default=0) <= 2
        and total == summary(s).total
        and flat == list(range(k.nodes))
        and summary(s).ordered == sorted({NAMES[x] for x in s.load})
        and sum(1 for a, b in product(range(2), repeat=2) if a != b) == 2
        and capacity(k.nodes) >= 0
        and at_most(9) == 4
        and all(weight(x) in {1, 2, 4} for x in s.load)
    )
# expect: refused 50
