"""Tiny models, and whether their functions treat participants alike by brute force.

One has three peers.  The other one has three clients, too: two kinds with the same numbers.
"""

import ast
import random
from dataclasses import dataclass
from functools import cache
from itertools import product

from tidegate.core.containers import RecordBag, RecordSet, Set, bag_of, sequence_of, set_of
from tidegate.core.fields import (
    NONE,
    Record,
    array,
    boolean,
    integer,
    members,
    nested,
    replica_id,
    subset,
)
from tidegate.core.layout import Layout
from tidegate.core.spec import Action, Kind, Property, TransitionSystem
from tidegate.core.symmetry import Symmetry, permuted
from tidegate.symmetry.proof import show

PEERS = 3


@dataclass(frozen=True)
class Constants:
    """What functions are handed as ``k``; ``size`` and ``peers`` are the same number."""

    peers: int = PEERS
    size: int = PEERS
    weights: tuple[int, ...] = (1, 2, 3)
    preferred: int = 1


def parts(kind=""):
    """Return the declarations of what there is of each peer, of what there is once, and of both."""

    class Peer(Record):
        """One of three that may change places."""

        follows: int = replica_id(lambda k: k.peers - 1, "whom it follows", of=kind)
        knows: int = subset(lambda k: k.peers, "whom it knows", "replicas", of=kind)
        up: bool = boolean("whether it runs")
        term: int = integer(0, 2, "a plain number")

    class Board(Record):
        """What there is but once."""

        leader: int = replica_id(lambda k: k.peers - 1, "who leads", of=kind)
        first: int = replica_id(lambda k: k.peers - 1, "never NONE", low=0, of=kind)
        isr: int = subset(lambda k: k.peers, "who is in sync", "replicas", of=kind)
        count: int = integer(NONE, 60, "a plain number")
        flags: int = subset(lambda k: k.size, "a set of plain numbers")

    voted = array(2, replica_id(lambda k: k.peers - 1, "in two rounds", of=kind))
    score = array(lambda k: k.peers, integer(0, 5, "of each peer"), by=kind, by_replica=True)
    each = array(lambda k: k.peers, Peer, by=kind, by_replica=True)

    class Entry(Record):
        """What is made by name, copied, and put into sequences."""

        who: int = replica_id(lambda k: k.peers - 1, "who wrote it", of=kind)
        what: int = integer(0, 2, "a plain number")

    team = set_of(lambda k: k.peers, "a set", of=kind, of_replicas=True)
    queue = sequence_of(replica_id(lambda k: k.peers - 1, "who waits", of=kind), 3, "a queue")
    log = sequence_of(Entry, 3, "a log")
    return nested(Board), each, voted, score, team, queue, log, nested(Entry), Entry


class Note(Record):
    """What names no replica, and so may be in a set or a bag of records."""

    what: int = integer(0, 2, "a plain number")
    urgent: bool = boolean("whether it is urgent")


PEERS_ALONE, PEERS_AMONG_OTHERS, CLIENTS = parts(), parts("peer"), parts("client")


class Tiny(Record):
    """The state: replicas, sets of them, and plain numbers in every place."""

    board, peer, voted, score, team, queue, log, last = PEERS_ALONE[:-1]
    marks: Set = set_of(lambda k: k.size, "a set of plain numbers")
    slot: list[int] = array(lambda k: k.size, integer(0, 5, "as many as peers, and not by them"))
    news: RecordSet[Note] = set_of(Note, 3, "a set of records")
    copies: RecordBag[Note] = bag_of(Note, 3, "a bag of records")


class Twin(Record):
    """The same of two kinds of replicas, which have the same numbers."""

    board, peer, voted, score, team, queue, log, last = PEERS_AMONG_OTHERS[:-1]
    stand, client, chosen, point, crew, line, book, final = CLIENTS[:-1]
    marks: Set = set_of(lambda k: k.size, "a set of plain numbers")
    slot: list[int] = array(lambda k: k.size, integer(0, 5, "as many as peers, and not by them"))
    news: RecordSet[Note] = set_of(Note, 3, "a set of records")
    copies: RecordBag[Note] = bag_of(Note, 3, "a bag of records")


def function(source, **names):
    """Return the last function of a source text."""
    entries = {"Entry": PEERS_ALONE[-1], "One": PEERS_AMONG_OTHERS[-1], "Other": CLIENTS[-1]}
    pairs = {(0, 0): 1, (1, 2): 2, (2, 1): 0, (1, 1): 2}
    tables = {"TABLE": {0: 1, 1: 2, 2: 0}, "ROW": [2, 1, 0], "PAIRS": pairs}
    tables |= {"ALL": {0, 1, 2}, "FROZEN": frozenset(range(3)), "LISTED": [2, 1, 0], "SOME": {1, 2}}
    space = {
        "__name__": "tiny",
        "members": members,
        "NONE": NONE,
        "Note": Note,
        **entries,
        **tables,
        **names,
    }
    tree = ast.parse(source)
    exec(compile(tree, "<tiny>", "exec"), space)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        space[node.name].syntax_tree = node
    return space[functions[-1].name]


HEAD = """
def f(s, k, r):
    if s.peer[r].term == 2:
        return False
"""


def body(text):
    """Return the source of an action of a peer r, with that body."""
    return HEAD + "\n".join(f"    {line}" for line in text.strip("\n").split("\n")) + "\n"


def everybody(s, k):
    """Begin with all in sync, nobody leading, and any peer the first: all may change places."""
    for first in range(k.peers):
        s.board.isr = (1 << k.peers) - 1
        s.board.first = first
        for second in range(k.peers) if hasattr(s, "stand") else [None]:
            if second is not None:
                s.stand.first = second
            yield


def each_peer(k):
    """Return each peer."""
    return [(peer,) for peer in range(k.peers)]


def each_pair(k):
    """Return each peer with each client."""
    return list(product(range(k.peers), repeat=2))


EACH = {Tiny: each_peer, Twin: each_pair}
"""The arguments of an action of a tiny model."""


def tiny(apply=None, predicate=None, arguments=None, constraint=None, declaration=Tiny):
    """Return the model with one action, and the properties to decide in it."""
    each = arguments or EACH[declaration]
    actions = [Action("Act", apply, "peer", each, "")] if apply else []
    properties = [Property("Holds", "", "", predicate, lambda s, k: "")] if predicate else []
    k = Constants()
    system = TransitionSystem(
        "tiny", {}, "", k, Layout(declaration, k), actions, everybody, lambda s, k: {},
        constraint=constraint,
    )  # fmt: skip
    return system, properties


@cache
def symmetry_of(declaration):
    """Return the symmetry of a tiny model."""
    return Symmetry(tiny(declaration=declaration)[0])


def shown(source, predicate=False, declaration=Tiny, **names):
    """Show that an action ``f(s, k, r)``, or a predicate ``f(s, k)``, treats the peers alike."""
    made = function(source, **names)
    system, properties = tiny(
        None if predicate else made, made if predicate else None, declaration=declaration
    )
    return show(system, symmetry_of(declaration), properties)


@cache
def layout(declaration=Tiny):
    """Return the layout of a tiny state."""
    return Layout(declaration, Constants())


SWAPS = {
    Tiny: ((1, 0, 2), (1, 2, 0)),
    Twin: ((1, 0, 2, 3, 4, 5), (1, 2, 0, 3, 4, 5), (0, 1, 2, 4, 3, 5), (0, 1, 2, 4, 5, 3)),
}
"""Permutations of which all are made."""


@cache
def swaps(declaration=Tiny):
    """Return these permutations, and what they do to a state."""
    return [(p, permuted(layout(declaration), p)) for p in SWAPS[declaration]]


@cache
def states(seed, number, declaration=Tiny):
    """Return states, of which many look alike for some of the peers."""
    dice = random.Random(seed)
    variables = layout(declaration).stored
    drawn = []
    for _ in range(number):
        few = dice.random() < 0.5
        values = [dice.randrange(min(v.high - v.low + 1, 2 if few else 99)) for v in variables]
        drawn.append(bytes(values))
    return drawn


def outcomes(made, state, predicate, declaration=Tiny):
    """Return where an action leads from a state, or what a predicate answers; None if it fails."""
    laid, k = layout(declaration), Constants()
    left = set()
    for arguments in [()] if predicate else EACH[declaration](k):
        # An action that has failed may have left other objects in place of parts.
        laid.restore()
        laid.load(state)
        try:
            answer = bool(made(laid.record, k, *arguments))
            after = laid.dump()
        except Exception:  # noqa: BLE001 - whatever a random function does
            return None
        if not laid.in_range():
            return None
        if predicate:
            return answer
        if answer:
            left.add(after)
    return left


def difference(made, predicate=False, seed=0, number=120, declaration=Tiny):
    """Return a state and a permutation under which an action or a predicate does otherwise."""
    for state in states(seed, number, declaration):
        expected = outcomes(made, state, predicate, declaration)
        for permutation, apply in swaps(declaration):
            wanted = {apply(left) for left in expected} if isinstance(expected, set) else expected
            if outcomes(made, apply(state), predicate, declaration) != wanted:
                return state, permutation
    return None


__all__ = ["Kind", "difference", "function", "shown", "tiny"]
