"""What is shown of whole models: helpers, arguments, groups, declarations, and how it is told."""

import pytest

from tests.checker.renaming import PEERS, Constants, difference, function, shown, tiny
from tests.conftest import make_system
from tests.published import ASYNC_ISR, NAMES
from tidegate.core.fields import NONE, Record, array, boolean, replica_id, subset
from tidegate.core.layout import Layout
from tidegate.core.spec import Action, TransitionSystem
from tidegate.core.symmetry import Symmetry, SymmetryError
from tidegate.language.lowering.frame import LoweringError
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol
from tidegate.library.properties import invariants_of
from tidegate.model import PROTOCOLS
from tidegate.symmetry.proof import show

APART = {
    "a helper returns the alias": """
def same(s, r):
    return r
def f(s, k, r):
    return s.peer[r].up and same(s, r) < 2
""",
    "a helper returns it in a tuple": """
def both(s, r):
    return r, s.peer[r].term
def f(s, k, r):
    one, other = both(s, r)
    return one == other
""",
    "a helper treats it as a number": """
def low(number):
    return number < 2
def f(s, k, r):
    return s.peer[r].up and low(r)
""",
    "a helper's default is a replica": """
def is_one(r, one=1):
    return r == one
def f(s, k, r):
    return s.peer[r].up and is_one(r)
""",
    "a helper is called by keywords": """
def compare(one, other):
    return one > other
def f(s, k, r):
    return s.peer[r].up and compare(other=r, one=s.board.first)
""",
    "a helper writes": """
def note(s, value):
    s.board.count = value
def f(s, k, r):
    if not s.peer[r].up:
        return False
    note(s, r)
    return True
""",
    "a helper writes to what was tested": """
def other(s):
    s.board.leader = s.voted[0]
def f(s, k, r):
    if s.board.leader == NONE or s.peer[r].up:
        return False
    other(s)
    return s.peer[s.board.leader].up
""",
    "what was tested is written since": """
def f(s, k, r):
    if s.board.leader == NONE or s.peer[r].up:
        return False
    s.board.leader = s.voted[0]
    return s.peer[s.board.leader].up
""",
    "what was tested may be written by its other name": """
def f(s, k, r):
    if s.peer[r].follows == NONE:
        return False
    s.peer[s.board.first].follows = NONE
    return s.peer[s.peer[r].follows].up
""",
    "a helper picks the first": """
def first_up(s, k):
    for p in range(k.peers):
        if s.peer[p].up:
            return p
    return NONE
def f(s, k, r):
    s.board.leader = first_up(s, k)
    return s.peer[r].up
""",
    "a helper picks one or none, and that decides": """
def picked(s, k, p):
    return NONE if s.peer[p].term else p
def first(s, k):
    for p in range(k.peers):
        if s.peer[p].up:
            return picked(s, k, p)
    return NONE
def f(s, k, r):
    return s.peer[r].up and first(s, k) == NONE
""",
    "a helper picks a pair, which is asked for more than being there": """
def pair(s, k):
    for p in range(k.peers):
        for q in range(k.peers):
            if s.peer[p].up and s.peer[q].follows == p:
                return p, q
    return None
def f(s, k, r):
    p, q = pair(s, k)
    s.board.leader = p
    return s.peer[r].up
""",
    "a helper's loop picks for the caller's": """
def note(s, p):
    s.board.leader = p
def f(s, k, r):
    for p in range(k.peers):
        note(s, p)
    return s.peer[r].up
""",
    "a helper reads what another round wrote": """
def terms(s, k):
    total = 0
    for p in range(k.peers):
        total += s.peer[p].term
    return total
def f(s, k, r):
    for p in range(k.peers):
        s.peer[p].term = min(2, terms(s, k))
    return s.peer[r].up
""",
    "a global is a replica": """
def f(s, k, r):
    return r == PREFERRED and s.peer[r].up
""",
    "a function of a global is called": """
def f(s, k, r):
    return s.peer[r].up and LOOKUP(r) == 1
""",
    "it calls itself": """
def f(s, k, r):
    return s.peer[r].up and f(s, k, r)
""",
    "it returns a replica": """
def f(s, k, r):
    return r if s.peer[r].up else s.board.first
""",
    "it returns one in a loop": """
def f(s, k, r):
    for p in members(s.board.isr):
        return p
    return s.peer[r].up
""",
}


FAILING = {
    name: APART.pop(name)
    for name in (
        "a helper writes to what was tested", "what was tested is written since",
        "what was tested may be written by its other name",
    )
}  # fmt: skip
"""Those that may use NONE as an index, which fails in both runs."""


@pytest.mark.parametrize("source", FAILING.values(), ids=FAILING)
def test_what_fails_in_both_runs_treats_replicas_alike(source):
    assert shown(source).declared == ()
    assert difference(function(source), number=600) is None


@pytest.mark.parametrize("source", APART.values(), ids=APART)
def test_a_replica_is_followed_through_helpers_and_names(source):
    names = {"PREFERRED": 1, "LOOKUP": {0: 1}.get}
    with pytest.raises((SymmetryError, LoweringError), match=r"<tiny>:\d+"):
        shown(source, **names)


ALIKE = {
    "a witness is only asked whether there is one": """
def pair(s, k):
    for p in range(k.peers):
        for q in members(s.peer[p].knows):
            for slot in range(k.size):
                if s.peer[q].follows == p and s.slot[slot] > 2:
                    return p, q, slot
    return None
def first(s, k):
    for p in range(k.peers):
        if s.peer[p].up:
            return p
    return NONE
def f(s, k, r):
    return pair(s, k) is None and first(s, k) != NONE and s.peer[r].up
""",
    "an acting leader": """
def acting(s):
    leader = s.board.leader
    if leader == NONE or s.peer[leader].follows != leader:
        return NONE
    return leader if s.peer[leader].up else NONE
def f(s, k, r):
    leader = acting(s)
    return leader != NONE and s.peer[leader].term == s.peer[r].term
""",
    "parts of the state are passed, and a flag": """
def clear(peer, whole, k):
    peer.up = False
    if whole:
        peer.knows = 0
        peer.follows = NONE
def f(s, k, r):
    for p in range(k.peers):
        if p != r:
            clear(s.peer[p], p == s.board.first, k)
    clear(s.peer[r], whole=True, k=k)
    return True
""",
    "the size of a set": """
def size(some):
    return some.bit_count()
def f(s, k, r):
    s.board.count = size(s.board.isr | 1 << r)
    return size(s.peer[r].knows) > 1
""",
}


@pytest.mark.parametrize("source", ALIKE.values(), ids=ALIKE)
def test_helpers_that_treat_replicas_alike_are_shown_to(source):
    assert shown(source).declared == ()
    assert difference(function(source)) is None


def test_a_predicate_and_a_constraint_are_looked_at():
    one = function("def f(s, k):\n    return s.peer[1].up or s.board.count < 3\n")
    with pytest.raises(SymmetryError, match=r"^Holds: s\.peer\[1\]"):
        shown("def f(s, k):\n    return s.peer[1].up or s.board.count < 3\n", predicate=True)
    act = function("def f(s, k, r):\n    s.board.leader = r\n    return True\n")
    system, _ = tiny(act, constraint=one)
    with pytest.raises(SymmetryError, match=r"^the constraint: s\.peer\[1\]"):
        show(system, Symmetry(system), [])


def test_instances_that_are_not_those_of_all_replicas_are_refused():
    act = function("def f(s, k, r):\n    s.board.leader = r\n    return True\n")
    for arguments in ([(0,), (1,)], [(1,)], [(0,), (1,), (3,)], [(0,), (1,), (2,), (-2,)]):
        system, _ = tiny(act, arguments=lambda k, these=arguments: these)
        with pytest.raises(
            SymmetryError, match=r"^Act: s\.board\.leader = r stores (a plain|the) number"
        ):
            show(system, Symmetry(system), [])


def test_pairs_that_are_not_those_of_all_replicas_are_refused():
    act = function("def f(s, k, r, q):\n    s.board.leader = q\n    return s.peer[r].up\n")
    pairs = [(0, 1), (1, 2), (2, 0)]
    system, _ = tiny(act, arguments=lambda k: pairs)
    with pytest.raises(SymmetryError, match="stores a plain number"):
        show(system, Symmetry(system), [])
    other, _ = tiny(act, arguments=lambda k: [*pairs, *((q, r) for r, q in pairs)])
    assert show(other, Symmetry(other), []).declared == ()


def test_parameters_by_a_star_are_followed():
    system, _ = tiny(function("def f(s, k, *r):\n    s.board.leader = r[0]\n    return True\n"))
    assert show(system, Symmetry(system), []).declared == ()


def test_a_lambda_is_analysed_like_a_function():
    one = lambda s, k: s.peer[1].up  # noqa: E731
    system, _ = tiny(function("def f(s, k, r):\n    return True\n"), constraint=one)
    with pytest.raises(SymmetryError, match=r"^the constraint: s\.peer\[1\]"):
        show(system, Symmetry(system), [])


def test_a_decorated_function_is_followed_into_what_it_calls(tmp_path, monkeypatch):
    (tmp_path / "decorated.py").write_text(
        "from functools import wraps\n"
        "def but_0(f):\n"
        "    @wraps(f)\n"
        "    def inner(s, k, r):\n"
        "        return r != 0 and f(s, k, r)\n"
        "    return inner\n"
        "@but_0\n"
        "def act(s, k, r):\n"
        "    s.board.leader = r\n"
        "    return True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from decorated import act

    system, _ = tiny(act)
    with pytest.raises(SymmetryError, match=r"stores a plain number .* \(act, .*, called by act, "):
        show(system, Symmetry(system), [])


def test_a_function_that_is_not_what_its_file_says_is_refused(tmp_path, monkeypatch):
    source = "def act(s, k, r):\n    s.board.leader = r\n    return True\n"
    (tmp_path / "rewritten.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    from rewritten import act

    (tmp_path / "rewritten.py").write_text(source.replace("leader = r", "leader = 0"))
    system, _ = tiny(act)
    with pytest.raises(LoweringError, match="not what Python runs"):
        show(system, Symmetry(system), [])


DECLARED = '''
def elected(s, k, r) -> bool:
    """Whether r may lead.

    Symmetric: ties are broken by age,
    which happens to be the number.

    Nothing else counts.
    """
    return r > 0
def f(s, k, r):
    if not s.peer[r].up or not elected(s, k, r):
        return False
    s.board.leader = r
    return True
'''


def test_a_declaration_is_believed_and_named():
    grounds = shown(DECLARED)
    [declared] = grounds.declared
    assert declared.function == "elected"
    assert declared.place.startswith("<tiny>:")
    assert declared.reason == "ties are broken by age, which happens to be the number."


def test_a_declared_helper_is_not_believed_of_a_loop_around_it():
    head = "def f(s, k, r):\n"
    loop = "    for p in range(k.peers):\n        elected(s, k, p)\n"
    source = DECLARED.replace(head, head + loop)
    with pytest.raises(SymmetryError, match="is declared symmetric"):
        shown(source)


class Fixed(Record):
    """A leader that is the same in every state, and its followers."""

    leader: int = replica_id(0, "always 0", 0)
    up: list[int] = array(PEERS, boolean("whether it runs"), by_replica=True)
    turn: int = replica_id(PEERS - 1, "whose turn it is")


def fixed_system(source, arguments):
    act = Action("Act", function(source), "", lambda k: arguments, "")

    def initialise(s, k):
        yield

    return TransitionSystem(
        "fixed", {}, "", Constants(), Layout(Fixed, None), [act], initialise, lambda s, k: {}
    )


def test_a_replica_that_the_declaration_singles_out_may_be_named():
    source = """
def f(s, k, r):
    if not s.up[0] or r == 0 or s.turn == 0:
        return False
    s.up[r] = any(s.up[p] for p in range(1, k.peers))
    s.turn = r if r else 0
    return True
"""
    system = fixed_system(source, [(1,), (2,)])
    symmetry = Symmetry(system)
    assert symmetry.group == [(0, 1, 2), (0, 2, 1)]
    assert show(system, symmetry, []).declared == ()
    for worse in ("r == 1", "s.turn == 2", "r < s.turn", "s.up[2]", "s.turn < 2"):
        other = fixed_system(source.replace("r == 0", worse), [(1,), (2,)])
        with pytest.raises(SymmetryError):
            show(other, Symmetry(other), [])


class Narrow(Record):
    """Replicas of which not every one can be held by every variable."""

    up: list[int] = array(PEERS, boolean("whether it runs"), by_replica=True)
    voter: list[int] = array(2, boolean("the first two vote"), by_replica=True)
    leader: int = replica_id(1, "one of the first two")
    seen: int = subset(2, "of the first two", names="replicas")
    other: int = replica_id(5, "beyond the replicas too")


class Nobody(Record):
    """A variable whose lowest value is below NONE, and so the index of another replica."""

    up: list[int] = array(PEERS, boolean("whether it runs"), by_replica=True)
    leader: int = replica_id(PEERS - 1, "nobody is -1 or -2", -2)


def test_a_variable_that_may_be_below_none_is_refused():
    def initialise(s, k):
        s.leader = NONE
        yield

    act = Action(
        "Act",
        function("def f(s, k):\n    return s.leader != NONE and s.up[s.leader]\n"),
        "",
        lambda k: [()],
        "",
    )
    layout = Layout(Nobody, None)
    system = TransitionSystem("nobody", {}, "", None, layout, [act], initialise, lambda s, k: {})
    with pytest.raises(SymmetryError, match=r"s\.leader may be below NONE"):
        show(system, Symmetry(system), [])


def test_a_permutation_that_leaves_a_declared_range_is_none_of_the_group():
    def initialise(s, k):
        yield

    system = TransitionSystem(
        "narrow", {}, "", None, Layout(Narrow, None), [], initialise, lambda s, k: {}
    )
    symmetry = Symmetry(system)
    assert symmetry.group == [(0, 1, 2), (1, 0, 2)]
    state = bytes((1, 0, 1, 0, 1, 1, 2, 6))
    assert symmetry.canonical(state) == min(state, bytes((0, 1, 1, 1, 0, 2, 1, 6)))


@pytest.mark.parametrize("protocol", [*(one.name for one in PROTOCOLS), *NAMES, ASYNC_ISR])
def test_every_protocol_and_property_is_shown_to_treat_replicas_alike(protocol):
    chosen = find_protocol(protocol)
    if protocol in NAMES:
        settings = ("replicas=3", "replicas=4 log_size=3 records=4")
    elif protocol == ASYNC_ISR:
        settings = ("replicas=3", "replicas=4 max_version=3")
    else:
        settings = (
            "replicas=3",
            "replicas=4 records=2 elections=2 crashes=1 power_losses=1 lost_messages=1 elr moves "
            "hw_checkpoint=step late_request purgatory isr_propagation=kraft",
            "replicas=3 isr_propagation=zookeeper controller_crashes=1 unclean_election acks=1 "
            "bounce_noticed stale_leader_and_isr min_isr=2 hw_needs_min_isr",
        )
    for bounds in settings:
        system = make_system(protocol, bounds)
        symmetry = Symmetry(system)
        assert len(symmetry.group) > 1
        assert show(system, symmetry, invariants_of(chosen)).declared == ()


@pytest.mark.parametrize(
    "protocol",
    [
        pytest.param("kip-595", marks=pytest.mark.slow),
        pytest.param("kip-320", marks=pytest.mark.slow),
        "tidegate.examples.published:kip_320",
    ],
)
def test_every_mutant_is_shown_to_treat_replicas_alike(protocol):
    """Each lacks a guard, or has an older rule; NONE as an index is an error, in both runs."""
    chosen = find_protocol(protocol)
    bounds = chosen.model.bounds(replicas=3)
    for mutant in mutants(chosen):
        system = mutant.protocol.system(bounds)
        assert show(system, Symmetry(system), []).declared == ()


def test_a_refusal_within_helpers_names_the_calls_that_lead_to_it():
    """Of two calls of a helper, one alone is made with a number that names nobody."""
    source = """
def is_up(s, peer):
    return s.peer[peer].up
def leads(s):
    return is_up(s, s.board.count)
def f(s, k, r):
    if s.board.leader != NONE and is_up(s, s.board.leader):
        return False
    return is_up(s, r) or leads(s)
"""
    calls = r"\(is_up, <tiny>:3, called by leads, <tiny>:5, called by f, <tiny>:9\)"
    with pytest.raises(SymmetryError, match=calls):
        shown(source)


def test_of_a_large_table_the_beginning_is_told():
    source = "def f(s, k, r):\n    return PRICES[r, s.peer[r].term] == 1\n"
    prices = {(one, two): one * two for one in range(4) for two in range(3)}
    told = r"looks up a tuple of .* in \{\(0, 0\): 0, [^;]{20,50}\.\.\. "
    with pytest.raises(SymmetryError, match=told):
        shown(source, PRICES=prices)


class Answering(dict):
    """A dictionary that finds something for every key."""

    def __missing__(self, key):
        return 2


def test_a_table_of_a_class_of_its_own_is_refused():
    """It may answer what is none of its entries, or otherwise the next time."""
    source = "def f(s, k, r):\n    return PRICES[s.peer[r].term] == 1 and r == 1\n"
    with pytest.raises(LoweringError, match=r"calls Answering\.__missing__"):
        shown(source, PRICES=Answering({0: 0}))
