"""A tiny model with three peers, and whether its functions treat them alike by brute force."""

import ast
import random
from dataclasses import dataclass
from functools import cache

from tidegate.checker.symmetric.proof import show
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

PEERS = 3


@dataclass(frozen=True)
class Constants:
    """What functions are handed as ``k``; ``size`` and ``peers`` are the same number."""

    peers: int = PEERS
    size: int = PEERS
    weights: tuple[int, ...] = (1, 2, 3)
    preferred: int = 1


class Peer(Record):
    """One of three that may change places."""

    follows: int = replica_id(lambda k: k.peers - 1, "whom it follows")
    knows: int = subset(lambda k: k.peers, "whom it knows", names="replicas")
    up: bool = boolean("whether it runs")
    term: int = integer(0, 2, "a plain number")


class Board(Record):
    """What there is but once."""

    leader: int = replica_id(lambda k: k.peers - 1, "who leads")
    first: int = replica_id(lambda k: k.peers - 1, "never NONE", low=0)
    isr: int = subset(lambda k: k.peers, "who is in sync", names="replicas")
    count: int = integer(NONE, 60, "a plain number")
    flags: int = subset(lambda k: k.size, "a set of plain numbers")


class Tiny(Record):
    """The state: replicas, sets of them, and plain numbers in every place."""

    board: Board = nested(Board)
    peer: list[Peer] = array(lambda k: k.peers, Peer, by_replica=True)
    slot: list[int] = array(lambda k: k.size, integer(0, 5, "as many as peers, and not by them"))
    voted: list[int] = array(2, replica_id(lambda k: k.peers - 1, "in two rounds"))
    score: list[int] = array(lambda k: k.peers, integer(0, 5, "of each peer"), by_replica=True)


def function(source, **names):
    """Return the last function of a source text."""
    space = {"__name__": "tiny", "members": members, "NONE": NONE, **names}
    tree = ast.parse(source)
    exec(compile(tree, "<tiny>", "exec"), space)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        space[node.name].syntax_tree = node
    return space[functions[-1].name]


def everybody(s, k):
    """Begin with all in sync, nobody leading, and any peer the first: all may change places."""
    for first in range(k.peers):
        s.board.isr = (1 << k.peers) - 1
        s.board.first = first
        yield


def each_peer(k):
    """Yield each peer."""
    return [(peer,) for peer in range(k.peers)]


def tiny(apply=None, predicate=None, arguments=each_peer, constraint=None):
    """Return the model with one action, and the properties to decide in it."""
    actions = [Action("Act", apply, "peer", arguments, "")] if apply else []
    properties = [Property("Holds", "", "", predicate, lambda s, k: "")] if predicate else []
    k = Constants()
    system = TransitionSystem(
        "tiny", {}, "", k, Layout(Tiny, k), actions, everybody, lambda s, k: {},
        constraint=constraint,
    )  # fmt: skip
    return system, properties


def shown(source, predicate=False, **names):
    """Show that an action ``f(s, k, r)``, or a predicate ``f(s, k)``, treats the peers alike."""
    made = function(source, **names)
    system, properties = tiny(predicate=made) if predicate else tiny(made)
    return show(system, Symmetry(system), properties)


@cache
def layout():
    """Return the layout of the tiny state."""
    return Layout(Tiny, Constants())


@cache
def swaps():
    """Return permutations of which all are made, and what they do to a state."""
    return [(p, permuted(layout(), p)) for p in ((1, 0, 2), (1, 2, 0))]


@cache
def states(seed, number):
    """Return states, of which many look alike for some of the peers."""
    dice = random.Random(seed)
    variables = layout().stored
    drawn = []
    for _ in range(number):
        few = dice.random() < 0.5
        values = [dice.randrange(min(v.high - v.low + 1, 2 if few else 99)) for v in variables]
        drawn.append(bytes(values))
    return drawn


def outcomes(made, state, predicate):
    """Return where an action leads from a state, or what a predicate answers; None if it fails."""
    record, k = layout().record, Constants()
    left = set()
    for arguments in [()] if predicate else each_peer(k):
        layout().load(state)
        try:
            answer = bool(made(record, k, *arguments))
            after = layout().dump()
        except Exception:  # noqa: BLE001 - whatever a random function does
            return None
        if not layout().in_range():
            return None
        if predicate:
            return answer
        if answer:
            left.add(after)
    return left


def difference(made, predicate=False, seed=0, number=120):
    """Return a state and a permutation under which an action or a predicate does otherwise."""
    for state in states(seed, number):
        expected = outcomes(made, state, predicate)
        for permutation, apply in swaps():
            wanted = {apply(left) for left in expected} if isinstance(expected, set) else expected
            if outcomes(made, apply(state), predicate) != wanted:
                return state, permutation
    return None


__all__ = ["Kind", "difference", "function", "shown", "tiny"]
