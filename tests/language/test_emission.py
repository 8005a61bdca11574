"""Machine code made of the typed form does what Python does, or leaves the step to Python."""

from random import Random

import pytest

from tests.checker.own_containers import Dictionaries, Lists, Queues, Sets
from tests.language import bench
from tests.language.containers_grammar import Owners
from tests.language.machine import FAILED, Machine
from tests.language.owners import cases
from tests.strangers.test_strangers import MODELS
from tidegate import check
from tidegate.checker.compiled.emission.comparison import Comparison
from tidegate.checker.compiled.values import Constant

STATES = bench.states(10)


def differences(sources_):
    """Yield functions whose machine code differs from Python, with both answers."""
    functions = {name: bench.functions(source)["act"] for name, source in sources_.items()}
    machine = Machine(bench.LAYOUT, bench.CONSTANTS, functions)
    for name, function in functions.items():
        for state in STATES if name not in machine.refused else ():
            python, made = bench.in_python(function, state), machine.run(name, state)
            if made is FAILED:
                continue
            if python == bench.FAILED or (int(python[1]), python[2]) != made:
                yield sources_[name], state, python, made
    return machine.refused


def exhausted(some):
    """Return all that a generator yields, and what it returns."""
    every = []
    while True:
        try:
            every.append(next(some))
        except StopIteration as ended:
            return every, ended.value


OWNED = {
    f"act{number}": source
    for number, (right, _, _, source) in enumerate(cases())
    if right != "refused"
}


def test_functions_about_owners_do_what_python_does():
    wrong, refused = exhausted(differences(OWNED))
    assert wrong == []
    assert len(refused) < len(OWNED) / 10


FAILING = (
    "if s.flag:\n    n = 1\ns.x = n",
    "first = next((v for v in s.queue if v > 1), None)\ns.x = first + 1",
    "s.x = {0: 1, 2: 3}[s.y]",
    "s.queue.append(s.queue[s.y])",
    "s.x = [1, 2][s.y]",
    "s.a.remove(s.y)",
    "s.x = 7 // s.y",
    "s.x = Phase(s.x)",
    "a, b = [v for v in s.queue]\ns.x = a",
    "s.x = max(s.queue)",
    "after = {0: 0, 1: 2, 2: 1}\ns.x = max(s.queue, key=after.get, default=0)",
    "a = [[3]]\na[s.y].append(1)\ns.x = len(a[0])",
    "after = {0: 1, 1: 0}\ns.x = sorted([s.x, s.y], key=after.get)[0]",
)


@pytest.mark.parametrize("body", FAILING)
def test_what_fails_in_python_fails(body):
    source = bench.source_of(f"{body}\nreturn True")
    function = bench.functions(source)["act"]
    machine = Machine(bench.LAYOUT, bench.CONSTANTS, {"act": function})
    assert machine.refused == {}
    python = [bench.in_python(function, state) == bench.FAILED for state in STATES]
    assert [machine.run("act", state) is FAILED for state in STATES] == python
    assert True in python
    assert False in python


CHANGED_MEANWHILE = {
    "number": "for i, n in enumerate(s.nodes):\n    s.nodes[1 - i].up = not n.up",
    "both": "for v, w in zip(s.queue, range(3)):\n    s.queue[-1] = (v + w) % 4",
    "shorter": "for i, v in enumerate(s.queue):\n    s.x = (v + i) % 4\n    s.queue.pop()",
    "choice": "for n in filter(lambda n: n.up, s.nodes):\n    s.nodes[1].up = False",
    "some": "for v in (v for v in s.queue if v > s.x):\n    s.x = v",
    "each": "for v in map(lambda v: (v + s.x) % 4, s.queue):\n    s.x = v",
    "of_each": "for v in (v for q in s.rows for v in q):\n    s.rows[1].append(v)",
    "a_name": "last = 0\nfor v in (v for v in s.queue if v >= last):\n    last = v\ns.x = last",
    "in_its_test": "n = 0\nfor v in (v for v in s.queue if v >= n):\n    s.x = v\n    n = v",
    "in_its_loop": "n = 0\nfor v in (v for v in list(s.queue) if v >= n):\n    s.x = v\n    n = v",
    "a_copy": "for v in list(s.queue):\n    s.queue.remove(v)",
    "a_set": "for v in s.a:\n    s.a.remove(v)\n    s.b.add(v)",
    "bound_again": "q = [1, 2, s.y]\nfor v in q:\n    q = [9]\n    s.x = v",
    "keys": "d = {1: 2, 3: s.x}\nfor v in d:\n    d = {}\n    s.x = v",
    "part": "p = Pair(n=1, to={s.y, 1})\nfor v in p.to:\n    p = Pair(n=2)\n    s.x = v",
    "place": "i = s.y % 2\nfor j, v in enumerate(s.rows[i]):\n    i = 1 - i\n    s.x = v",
    "default": "f = lambda v, m=s.y: v + m\ns.y = 0\ns.x = sum(map(f, [0, 1]))",
    "read_key": "d = defaultdict(int)\nn = d[s.x]\ns.y = max(d)",
    "read_keys": "d = defaultdict(int)\nn = sum(d[v] for v in range(s.x))\ns.y = max(d, default=0)",
    "grown": "d = defaultdict(int)\nd[1] = 1\nfor k in d:\n    s.x = d[s.y]",
    "grown_too": "d = defaultdict(int)\nd[2] = 1\ns.x = sum(v for k, v in d.items() if d[s.y] < 7)",
    "by_another": "def f(d):\n    return d[3]\nd = defaultdict(int)\nd[1] += f(d)\ns.x = len(d)",
    "largest": "l = [0]\nm = [(max(l), l.append(v)) for v in range(s.x)]\ns.y = m[-1][0]",
    "new_name": "s.x = sum([(n if i else 0) + (n := v) * 0 for i, v in enumerate(s.queue)]) % 8",
    "new_test": "s.x = len([i for i, v in enumerate(s.queue) if (i and n < v) or (n := v) > 9])",
    "walrus": "m = 5\nn = [v for v in s.queue if (m := v)]\ns.x = m + len(n)",
}
REFUSED_MEANWHILE = {
    "lists": "q = ([1, s.y], [3])\nfor v in q:\n    q = ([5], [6])\n    s.x = len(v)",
    "element": "a, b = [[1]], [[3]]\nfor d in list(a):\n    a, b = b, a\na[0].pop()\ns.x = len(d)",
    "names": "d = defaultdict(int)\ne = d\nn = d[5]\ns.x = len(e)",
    "key": "d = defaultdict(int)\ns.x = max([1, s.y], key=lambda k: d[k + 2]) + len(d)",
    "mapped": "d = {}\ndef f(k):\n    d[k] = 1\n    return 0\ns.x = sum(map(f, [1, 2])) + len(d)",
    "backwards": "for v in reversed(s.queue):\n    s.queue.append(v)",
    "pairs": "for v, w in itertools.pairwise(s.queue):\n    s.queue[-1] = v",
    "chosen": "for v, w in itertools.combinations(s.queue, 2):\n    s.queue[0] = w",
    "after": "for v in itertools.chain(s.queue, [s.y]):\n    s.y = v",
    "own_set": "some = {s.x, 9}\nfor v in some:\n    some.add(s.y)",
    "changed_too": "q = [1, s.y]\nfor v in q:\n    q.append(3)\n    q = [4]\n    s.x = v",
    "choice_again": "q = [1, 2, s.y]\nfor v in (v for v in q if v):\n    q = [9]\n    s.x = v",
    "inner_again": "q = [1, s.y]\nfor v in (v for w in q for v in q):\n    q = [9]\n    s.x = v",
    "number_again": "q = [1, s.y]\nfor i, v in enumerate(q):\n    q = [9]\n    s.x = v",
    "within": "q = [1, s.y]\ns.x = sum(v + len(q := [9]) for v in q) % 8",
    "default": "s.x = sum(map(lambda v, m=s.y: v + m, [0, 1]))",
    "taken_out": "a = [[1], [2, s.y]]\na[0] += a.pop()\ns.x = len(a[0])",
    "several": "fs = [lambda v, i=i: v + i for i in range(3)]\ns.x = fs[1](s.y)",
    "called": "s.x = (lambda v, m=s.y: v + m)(1)",
}


def test_a_loop_sees_what_it_changes_as_in_python():
    for bodies in (CHANGED_MEANWHILE, REFUSED_MEANWHILE):
        sources_ = {name: bench.source_of(f"{body}\nreturn True") for name, body in bodies.items()}
        wrong, refused = exhausted(differences(sources_))
        assert wrong == []
        assert set(refused) == (set(bodies) if bodies is REFUSED_MEANWHILE else set())


BEST = """\
def best():
    if s.x > 4:
        return s.pair
    return s.pairs[s.y % 2] if s.x > 2 else s.spare
"""

ONE_OF_SEVERAL = {
    "named": "w = s.a if s.flag else s.b\nw.add(s.y)\nv = w\nv |= {3}\nw.discard(0)",
    "at_once": "(s.a if s.flag else s.b).add(s.y)",
    "returned": f"{BEST}best().n = 2\nb = best()\nb.to.add(1)\ns.x = b.n",
    "by_statements": "p = s.pair\nif s.flag:\n    p = s.pairs[s.y % 2]\nelif s.x > 3:\n"
    "    p = s.spare\ns.x = p.n\nif s.x == 2:\n    p = s.spare\np.n = 4",
    "the_largest": "m = s.pairs[0]\nfor q in s.pairs:\n    if q.n > m.n:\n        m = q\n"
    "if s.spare.n > m.n:\n    m = s.spare\nm.to |= {1}",
    "swapped": "a, b = (s.a, s.b) if s.flag else (s.b, s.a)\na -= {1}\nb |= {2}",
    "passed_on": "def put(w):\n    w.add(2)\nput(s.a if s.flag else s.b)",
    "two_kinds": "s.x = len(s.queue if s.flag else [1, s.y])",
    "asked_twice": f"{BEST}s.flag = best().n > 2 and best() == s.spare",
    "changed_meanwhile": "w = s.a if s.flag else s.b\nfor i in range(3):\n    w.add(i)\n"
    "    if i == 1:\n        w = s.banks[0]\n    w.discard(2)",
    "rebound": "w = s.a if s.flag else s.b\nif len(w) < 9:\n"
    "    w = s.b if s.x > 3 else s.banks[1]\n    w.add(2)",
    "in_a_loop": "w = s.a if s.flag else s.b\nwhile len(w) < 3 and s.x > len(w):\n"
    "    w.add(len(w) + 1)\n    s.x -= 1",
    "gone_over": "s.x = len([v for v in (s.a if s.flag else s.b) if v])",
    "assigned": "s.pair.assign(s.spare if s.flag else s.pairs[s.y % 2])",
}

LATER = {
    "in_a_generator": "s.x = sum(len(s.a if v else s.b) for v in s.queue)",
    "after_a_change": f"{BEST}def grow():\n    s.x = 7\n    return 1\ns.y = grow() * best().n % 4",
    "in_each_round": "while len(s.a if s.x > 2 else s.b) < 3 and s.x:\n    s.x -= 1",
}


def test_one_of_several_places_is_what_python_has():
    for bodies in (ONE_OF_SEVERAL, LATER):
        sources_ = {name: bench.source_of(f"{body}\nreturn True") for name, body in bodies.items()}
        wrong, refused = exhausted(differences(sources_))
        assert wrong == []
        assert set(refused) == (set(bodies) if bodies is LATER else set())


WATCHED = {
    "a_member_is_removed": "for m in s.box:\n    if m.n > 2:\n        s.box.remove(m)\n"
    "        break",
    "all_are_removed": "for m in s.box:\n    s.box.remove(m)",
    "another_container": "for m in s.box:\n    if m.n < 4 and m not in s.net and len(s.net) < 3:\n"
    "        s.net.append(m)",
    "numbers": "for v in s.a:\n    s.a.discard(v)\n    s.b.add(v)",
    "numbered": "for i, m in enumerate(s.box):\n    if m.n == i:\n        s.box.discard(m)\n"
    "        break",
    "values_of_keys": "d = {v: 1 for v in s.queue}\nfor v in d:\n    d[v] += v\n"
    "s.x = sum(d.values()) % 8",
    "an_own_set": "w = {s.x, s.y}\nfor v in w:\n    if v == s.y:\n        w.discard(s.x)\n"
    "        break\ns.x = len(w)",
    "an_own_set_grows": "w = {s.x, s.y}\nfor v in w:\n    w.add(v % 2)\ns.x = len(w)",
    "a_table": "for v in {1, 3} if s.flag else {0}:\n    s.x = v",
    "operators": "s.box -= {m for m in s.box if m.n > 2}\ns.box |= {s.pair}",
    "members_of_the_state": "s.flag = s.pair in {*s.box, s.spare} or "
    "{s.pair} <= {p for p in s.net}",
    "stars": "s.x = len(set().union(*s.banks)) + sum(itertools.chain(*s.rows)) % 2",
    "a_range": "def above():\n    return range(s.y, 4)\ns.x = sum(above()) % 8\n"
    "s.flag = s.x in above()",
    "powers": "s.x = 2 ** s.y % 8 + pow(3, s.y, 5) % 2",
    "orders": "s.flag = any(p[0] > p[-1] for p in itertools.permutations(s.queue) if p)",
}


def test_what_a_loop_goes_over_is_watched_as_python_watches_it():
    sources_ = {name: bench.source_of(f"{body}\nreturn True") for name, body in WATCHED.items()}
    wrong, refused = exhausted(differences(sources_))
    assert (wrong, list(refused)) == ([], [])


ONCE = {
    "popped": "l = [{1}, {2}]\nfor v in l.pop():\n    s.x = v\ns.y = len(l)",
    "called": "def first():\n    return {s.queue.pop(0)}\nfor v in first():\n    s.x = v",
    "summed": "d = defaultdict(set)\ns.x = sum(d[len(d)])\ns.y = len(d)",
    "numbered": "l = [{1}, {2}, {3}]\nfor i, v in enumerate(l.pop()):\n    s.x = i + v\n"
    "s.y = len(l)",
    "of_nothing": "c = []\nq = [s.x]\ndel q[c[0]]",
    "backwards": "for v in reversed(s.queue):\n    s.log[0] = v",
    "backwards_alone": "for v in reversed(s.queue):\n    s.x = v",
    "of_a_call": "def sums(s):\n    d = {}\n    for v in s.queue:\n"
    "        d[v] = d.get(v, 0) + 1\n    return d\n"
    "for v, n in sums(s).items():\n    s.x = v\n    s.queue[0] = n",
    "in_pairs": "for a, b in itertools.pairwise(s.queue):\n    s.x = b - a\n    s.log[1] = a",
}
"""What a loop goes over, and sometimes cannot."""


def test_what_a_loop_goes_over_is_evaluated_once():
    sources_ = {name: bench.source_of(f"{body}\nreturn True") for name, body in ONCE.items()}
    wrong, refused = exhausted(differences(sources_))
    assert (wrong, list(refused)) == ([], [])


OF_DICTIONARIES = {
    "d = Counter(s.queue) | Counter(s.log)": "joins Counters, which the language of models "
    "lacks; write a loop over what they have",
    "d = Counter(s.queue)\nd |= {1: 3}": "joins Counters, which the language of models "
    "lacks; write a loop over what they have",
    "d = defaultdict(set)\nd[len(d)].add(1)": "d[len(d)] may add a key, and len(d) reads the keys; "
    "give len(d) a name in a line before this one",
}


@pytest.mark.parametrize("body", OF_DICTIONARIES)
def test_what_dictionaries_do_in_ways_of_their_own_is_refused(body):
    _, refused = exhausted(differences({"act": bench.source_of(f"{body}\nreturn True")}))
    assert OF_DICTIONARIES[body] in str(refused["act"])


BACKWARDS = (
    "for v in reversed(s.queue):\n    s.queue.append(v)",
    "for v in reversed(s.nodes[s.x % 2].log):\n    s.nodes[0].log.append(1)",
    "q = s.queue\nfor a, b in itertools.pairwise(q):\n    s.queue.append(a)",
)


@pytest.mark.parametrize("body", BACKWARDS)
def test_what_changes_what_it_goes_over_in_another_way_is_refused(body):
    _, refused = exhausted(differences({"act": bench.source_of(f"{body}\nreturn True")}))
    assert "this loop changes what it goes over" in str(refused["act"])


CALLED_BY_PYTHON = {
    "length": "n = max(s.nodes, key=lambda n: len(n.log))\nn.log.clear()",
    "distance": "s.x = max(s.queue, key=lambda v: abs(v - 2), default=0)",
    "captured": "w = s.y\ns.x = max(s.queue, key=lambda v: abs(v - w), default=0)",
    "deeper": "g = lambda v: abs(v - s.y)\ns.x = max(s.queue, key=lambda v: g(v), default=0)",
    "tuples": "m = sorted(s.net, key=lambda m: (-m.n, len(m.to)))\ns.x = m[0].n % 8 if m else 0",
    "mapped": "s.x = sum(map(lambda v: min(v, len(s.other)), s.queue)) % 8",
    "filtered": "s.x = len(list(filter(lambda n: len(n.log) > 1, s.nodes)))",
    "reduced": "s.x = functools.reduce(lambda a, b: max(a, abs(b - 3)), s.queue, 0)",
    "returned": "def make():\n    return lambda v: abs(v)\ns.x = make()(s.y)",
}

BESIDE_THE_STATE = {
    "negative": "s.flag = s.a == {s.x - 1}",
    "union": "s.x = len({s.x - 1}.union(s.a))",
    "operator": "s.x = len({s.x - 1} | s.a)",
    "in_place": "a = {s.x - 1}\na |= s.a\ns.x = len(a)",
    "removed": "s.a -= {s.x - 1}",
    "beyond": "s.flag = s.y in {s.x * 20, 70}",
    "records": "s.net.extend([Pair(n=s.x + 5)])",
    "perhaps": "here = None\nif s.flag:\n    here = s.queue\nif here is not None:\n    here += [1]",
}


@pytest.mark.parametrize("bodies", [CALLED_BY_PYTHON, BESIDE_THE_STATE])
def test_functions_have_code_that_does_what_python_does(bodies):
    sources_ = {name: bench.source_of(f"{body}\nreturn True") for name, body in bodies.items()}
    wrong, refused = exhausted(differences(sources_))
    assert (wrong, refused) == ([], {})


ADDING = """\
if not s.queue:
    return False
def add(n):
    s.queue[0] = n
    s.queue.append(3)
    return 1
"""
ARGUMENTS = (
    "s.x = len(s.queue[add(1):])", "s.queue.extend([add(1)])", "s.queue.insert(add(1), 2)",
    "s.queue += [add(1), add(2)]", "s.queue[add(3):] = s.queue[:2]", "s.queue.pop(add(1))",
    "s.x = s.queue.count(add(1))", "s.flag = s.queue < [add(2)]",
    "s.other[:] = s.queue[add(2) - 1:]",
    "s.queue.extend(s.queue[:add(2)])", "s.queue[len(s.queue) - 1] += add(2)",
)  # fmt: skip
"""Lines whose operands change the sequence that they are about."""


def test_operands_that_change_the_state_mean_what_they_mean_in_python():
    sources_ = {
        f"act{number}": bench.source_of(f"{ADDING}{line}\nreturn True")
        for number, line in enumerate(ARGUMENTS)
    }
    wrong, refused = exhausted(differences(sources_))
    assert wrong == []
    assert len(refused) < len(ARGUMENTS) / 2


def random_functions(writer, seeds):
    """Return random functions by name."""
    made = {seed: writer(Random(seed)) for seed in seeds}
    return {
        f"act{seed}": bench.source_of(one.body(), getattr(one, "helpers", ""))
        for seed, one in made.items()
    }


WRITERS = (Dictionaries, Lists, Queues, Sets, Owners)


@pytest.mark.long
@pytest.mark.parametrize("writer", WRITERS)
def test_random_containers_do_what_python_does(writer):
    functions = random_functions(writer, range(40))
    wrong, refused = exhausted(differences(functions))
    assert wrong == []
    assert len(refused) < len(functions) * 0.8


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("first", range(1000, 3000, 100))
def test_many_random_containers_do_what_python_does(writer, first):
    assert exhausted(differences(random_functions(writer, range(first, first + 100))))[0] == []


def never_equal(self, one, other):
    """Return as if no two lists were equal."""
    return Constant(False)


def first_item_alone(self, pairs, rest):
    """Return which of two tuples comes first as if only their first items mattered."""
    one, other = pairs[0]
    return self.less(one, other)


@pytest.mark.parametrize(
    ("name", "wrong"), [("_equal_lists", never_equal), ("_first_less", first_item_alone)]
)
def test_wrong_machine_code_would_be_found(monkeypatch, name, wrong):
    monkeypatch.setattr(Comparison, name, wrong)
    functions = {
        "equal": "def act(s, k):\n    s.flag = [*s.queue] == [*s.other]\n    return True\n",
        "first": "def act(s, k):\n    s.flag = (s.x // 4, s.y) < (s.y // 2, 1)\n    return True\n",
    }
    assert exhausted(differences(functions))[0] != []


IN_PYTHON_BEFORE = (
    "all_up", "row_pattern", "dead_name", "counter_of_records", "network_of_counts",
    "table_or_none", "gossip_sets", "ring_tokens",
)  # fmt: skip
"""Models that had no machine code while only what the translator knew was translated."""


@pytest.mark.parametrize("name", IN_PYTHON_BEFORE)
def test_everyday_models_compile(name, monkeypatch):
    monkeypatch.chdir(MODELS)
    compiled, python = (
        check(f"{name}.py", engine=engine, max_states=3_000)
        for engine in ("compiled", "interpreted")
    )
    assert compiled.violated == python.violated
    if python.complete:
        assert (compiled.distinct_states, compiled.depth) == (python.distinct_states, python.depth)
