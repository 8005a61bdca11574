"""Toy systems whose answers are known without a checker."""

from dataclasses import dataclass

import pytest

from tidegate.layout import Layout, Record, array, integer
from tidegate.spec import Action, Property, TransitionSystem


def assemble(declaration, constants, actions, initialise):
    """Make a transition system out of a declared state and actions, with nothing to render."""
    return TransitionSystem(
        name="toy",
        bounds={},
        headline="",
        constants=constants,
        layout=Layout(declaration, constants),
        actions=actions,
        initialise=initialise,
        columns=lambda s, k: {"state": str(s)},
    )


def invariant(name, predicate):
    """Make an invariant that explains nothing."""
    return Property(name, name, "toy", predicate, lambda s, k: f"{name} is false")


def action(name, apply, arguments=lambda k: [()]):
    """Make an action of a toy."""
    return Action(name, apply, "toy", arguments, "toy")


class Jugs(Record):
    """Die Hard 3: a jug of 3 gallons and one of 5."""

    small: int = integer(0, 3, "gallons in the small jug")
    big: int = integer(0, 5, "gallons in the big jug")


def fill_small(s, k):
    s.small = 3
    return True


def fill_big(s, k):
    s.big = 5
    return True


def empty_small(s, k):
    s.small = 0
    return True


def empty_big(s, k):
    s.big = 0
    return True


def small_to_big(s, k):
    poured = min(s.small, 5 - s.big)
    s.small -= poured
    s.big += poured
    return True


def big_to_small(s, k):
    poured = min(s.big, 3 - s.small)
    s.big -= poured
    s.small += poured
    return True


def empty_jugs(s, k):
    s.small = s.big = 0
    yield


@pytest.fixture
def jugs():
    """Die Hard 3, as in Lamport's TLA+ course: 16 distinct states; 4 gallons take 6 steps."""
    steps = (fill_small, fill_big, empty_small, empty_big, small_to_big, big_to_small)
    return assemble(Jugs, None, [action(step.__name__, step) for step in steps], empty_jugs)


@dataclass(frozen=True)
class Edges:
    """A directed graph as the constants of a toy."""

    nodes: int
    edges: frozenset[tuple[int, int]]


class Node(Record):
    """Where a walk through a graph is."""

    at: int = integer(0, lambda k: k.nodes - 1, "the node")


def go(s, k, target):
    if (s.at, target) not in k.edges:
        return False
    s.at = target
    return True


def at_node_0(s, k):
    s.at = 0
    yield


@pytest.fixture(scope="session")
def walk():
    """Make a system that walks through a given graph from node 0."""

    def make(nodes, edges):
        moves = action("go", go, lambda k: [(node,) for node in range(k.nodes)])
        return assemble(Node, Edges(nodes, frozenset(edges)), [moves], at_node_0)

    return make


class Cells(Record):
    """A row of counters modulo 3."""

    cell: list[int] = array(lambda k: k, integer(0, 2, "a counter"))


@pytest.fixture
def make_system():
    """Make a system of counters with the given actions."""

    def zeros(s, k):
        yield

    return lambda *actions: assemble(Cells, 3, actions, zeros)


@pytest.fixture
def make_action():
    return action


@pytest.fixture(scope="session")
def make_invariant():
    return invariant
