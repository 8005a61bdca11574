"""What a loop or a function of Python's reads, writes or counts unseen: each was accepted once."""

from collections import Counter, defaultdict
from itertools import chain, permutations, product

import pytest

from tests.checker.renaming import body, difference, function, shown
from tidegate.core.symmetry import SymmetryError

NAMES = {
    "Counter": Counter, "defaultdict": defaultdict, "chain": chain, "permutations": permutations,
    "product": product,
}  # fmt: skip

HELPERS = """
def w(s, p):
    s.board.leader = p
    return False
def g(s):
    s.board.count += 1
    return s.board.first
def up(s, p):
    assert s.peer[p].up
    return p
"""

APART = {
    "an index begins at a replica": "for i, x in enumerate(s.slot, r):\n    s.board.count = i",
    "a sort is reversed": "out = [1, 2]\nout.sort(reverse=r == 1)\ns.board.count = out[0]",
    "a counter has a replica": "c = Counter()\nc[1] = r\nreturn c.total() == 2",
    "a counter repeats by a replica": """
c = Counter()
c[1] = r
n = 0
for p in c.elements():
    n += 1
return n == 2
""",
    "shifted sets are counted": "return len({s.board.isr >> p for p in range(k.peers)}) > 2",
    "thinned sets are counted": """
return len({s.peer[p].knows & s.peer[p].knows - 1 for p in range(k.peers)}) > 1
""",
    "lists in any order are counted": """
a = tuple(s.peer[p].term for p in range(k.peers) if s.peer[p].up)
return len({a, (0, 1)}) == 1
""",
    "the first one is counted with another": """
x = next((p for p in range(k.peers) if s.peer[p].up), NONE)
return len({x, r}) == 1
""",
    "the first one is a key": """
x = next((p for p in range(k.peers) if s.peer[p].up), NONE)
d = {x: 1}
d[r] = 2
return len(d) == 1
""",
    "a list grows while a loop goes over it": """
out = [1]
for n in out:
    if len(out) < 2:
        out.append(2)
    if n != 1:
        s.board.leader = 0
return True
""",
    "an element changes while a loop goes over it": """
out = [1, 1]
for i, n in enumerate(out):
    out[1] = 2
    if n != 1:
        s.board.leader = 0
return True
""",
    "a list by replica changes while a loop goes over it": """
v = [0 for p in range(k.peers)]
for p, n in enumerate(v):
    v[s.board.first] = 1
    s.score[p] = n
return True
""",
    "what map reads is written": """
c = 0
for n in map(lambda p: s.score[p], range(k.peers)):
    s.score[s.board.first] = 0
    c += n
return c > 2
""",
    "what an outer clause asks is written": """
c = 0
for q in (q for p in range(k.peers) if s.score[p] > 0 for q in [1]):
    s.score[s.board.first] = 0
    c += 1
return c > 1
""",
    "map writes": "for n in map(lambda p: w(s, p), range(k.peers)):\n    pass\nreturn True",
    "a condition writes that never holds": """
n = len([1 for p in range(k.peers) if w(s, p)])
return True
""",
    "a filter writes that passes nothing": """
n = len(list(filter(lambda p: w(s, p), range(k.peers))))
return True
""",
    "a loop writes that has no round": """
for q in (p for p in range(k.peers) if w(s, p)):
    pass
return True
""",
    "a key of a sort writes": """
x = [p for p in range(k.peers)]
x.sort(key=lambda p: w(s, p))
return True
""",
    "what is asked three times counts": """
if g(s) == 0 or g(s) == 1 or g(s) == 2:
    return True
return False
""",
    "in ends early": "return r in (up(s, p) for p in range(k.peers))",
}


@pytest.mark.parametrize("text", APART.values(), ids=APART)
def test_what_depends_on_the_order_of_replicas_unseen_is_refused(text):
    text = text if "return" in text else f"{text}\nreturn True"
    source = HELPERS + body(text)
    with pytest.raises(SymmetryError):
        shown(source, **NAMES)
    assert difference(function(source, **NAMES), number=600) is not None


ALIKE = {
    "a helper has a list by replica": """
return any(most(s, k, p) > 1 for p in range(k.peers))
""",
    "a comprehension reads before a loop writes": """
for p in [p for p in range(k.peers) if s.peer[p].up]:
    s.peer[p].up = False
return True
""",
}

MOST = """
def most(s, k, x):
    votes = [s.peer[p].term for p in range(k.peers)]
    return votes[x]
"""


@pytest.mark.parametrize("text", ALIKE.values(), ids=ALIKE)
def test_what_only_looks_like_it_is_shown(text):
    assert shown(MOST + body(text)).declared == ()
    assert difference(function(MOST + body(text)), number=300) is None
