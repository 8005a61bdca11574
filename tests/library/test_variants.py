"""Variants of one model: rules, histories, witnesses, and parameters that differ."""

import pytest
from click.testing import CliRunner

import tidegate
from tidegate.cli import main
from tidegate.library.mutants import mutants
from tidegate.library.names import find_protocol

LOCK = '''"""A lock that nodes hand to each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tidegate import Expected, Model, Record, array, boolean, integer, number


def trust(s: State, k: Bounds, node: int) -> bool:
    """Believe whoever asks."""
    return True


@dataclass(frozen=True)
class Rules:
    """What variants decide.

    Parameters
    ----------
    may_take
        Whether a node may take the lock now.
    """

    may_take: Callable[[State, Bounds, int], bool] = trust


@dataclass(frozen=True)
class Bounds:
    """The bounds, the rules and what is recorded."""

    nodes: int = number(2, 1, 5, "nodes", main=True)
    rules: Rules = Rules()
    track_taken: bool = False


class State(Record):
    """Who has the lock."""

    held: list[bool] = array(lambda k: k.nodes, boolean("whether it holds the lock"), by="node")
    aux_taken: int = integer(0, lambda k: 3 if k.track_taken else 0, "times that it was taken")


model = Model(
    Bounds,
    State,
    name="lock",
    participants={"node": lambda k: k.nodes},
    deadlock=False,
    mutation_bounds=("nodes=2", "nodes=3"),
    default_properties=("Exclusive",),
    columns=lambda s, k: {f"node {n}": "held" if has else "free" for n, has in enumerate(s.held)},
    legend="A node has the lock, or not.",
)


@model.action("node")
def take(s: State, k: Bounds, node: int) -> bool:
    """Take the lock."""
    if s.held[node]:
        return False
    if not k.rules.may_take(s, k, node):
        return False
    s.held[node] = True
    if k.track_taken:
        s.aux_taken = min(s.aux_taken + 1, 3)
    return True


@model.action("giver", distinct=True, giver="node", receiver="node", sign="handover")
def hand_over(s: State, k: Bounds, giver: int, receiver: int) -> bool:
    """Give the lock to another node."""
    if not s.held[giver]:
        return False
    s.held[giver] = False
    s.held[receiver] = True
    return True


@model.invariant(
    "No two nodes have the lock.",
    explain=lambda s, k, one, other: f"Nodes {one} and {other} have it.",
)
def exclusive(s: State, k: Bounds) -> tuple[int, int] | None:
    for one in range(k.nodes):
        for other in range(one):
            if s.held[one] and s.held[other]:
                return one, other
    return None


@model.invariant("It is taken twice at most.")
def taken_twice(s: State, k: Bounds) -> bool:
    return s.aux_taken < 3


@model.variant("Whoever asks gets it; not safe.", expected=(Expected("", ("Exclusive",)),))
def trusting(rules: Rules) -> Rules:
    """A lock that everybody gets.

    It is no lock.
    """
    return rules


def if_free(s: State, k: Bounds, node: int) -> bool:
    """Take a lock that nobody has."""
    return not any(held for held in s.held)


@model.action("node")
def release(s: State, k: Bounds, node: int) -> bool:
    """Release the lock."""
    if not s.held[node]:
        return False
    s.held[node] = False
    return True


@model.variant("Only a free lock is taken.", parent=trusting, actions=(release,))
def careful_node(rules: Rules) -> Rules:
    """A lock."""
    return replace(rules, may_take=if_free)
'''


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """Write the model into the present directory, with some of its text replaced."""
    monkeypatch.chdir(tmp_path)

    def write(old="", new=""):
        (tmp_path / "lock.py").write_text(LOCK.replace(old, new) if old else LOCK, "utf-8")
        return lambda name: find_protocol(f"lock.py:{name}")

    return write


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_variants_differ_in_their_rules(lock, engine):
    lock()
    lost = tidegate.check("lock.py:trusting", engine=engine)
    assert lost.violated == ("Exclusive",)
    assert len(lost.trace) == 3
    assert "Nodes 1 and 0 have it." in str(lost)
    held = tidegate.check("lock.py:careful_node", {"nodes": 3}, engine=engine)
    assert (held.holds, held.distinct_states) == (True, 4)


def test_a_history_is_kept_only_for_a_property_that_reads_it(lock):
    lock()
    counts = [
        tidegate.check("lock.py:careful_node", properties=[name]).distinct_states
        for name in ("Exclusive", "TakenTwice")
    ]
    assert counts[0] == 3
    assert counts[1] > 3


def test_a_variant_has_what_stands_above_it_or_what_its_parent_has(lock):
    found = lock()
    trusting, careful = found("trusting"), found("careful_node")
    assert [action.name for action in trusting.actions] == ["Take", "HandOver"]
    assert [action.name for action in careful.actions] == ["Take", "HandOver", "Release"]
    assert (trusting.summary, careful.parent.name) == (
        "Whoever asks gets it; not safe.",
        "lock/trusting",
    )
    assert trusting.story == "A lock that everybody gets.\n\nIt is no lock."


def test_parameters_that_differ_have_no_equal_values(lock):
    protocol = lock()("trusting")
    system = protocol.system(protocol.within(["nodes=3"]))
    pairs = [it.arguments for it in system.instances if it.action.name == "HandOver"]
    assert pairs == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]


def test_a_rule_is_a_mutant_and_a_condition_none(lock):
    names = [mutant.name for mutant in mutants(lock()("careful_node"))]
    assert names[0] == "may_take = trust"
    assert not [name for name in names if "k.track_taken" in name]


def test_its_columns_are_shown_with_how_to_read_them(lock):
    lock()
    shown = run("check", "lock.py:trusting").output
    assert "A node has the lock, or not." in shown
    assert "held" in shown
    told = run("explain", "lock.py:trusting").output
    assert "2. Take the lock (node 0)." in told


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('("Exclusive",),\n    col', '("Exclusiv",),\n    col', "there is no property 'Exclusiv'"),
        ("def trusting(rules: Rules)", "def trusting()", "is called with \\(rules\\)"),
        ("bool = False", "bool = True", "declares no bound"),
        ("rules: Rules = Rules()", "rules: int = 3", "Bounds.rules declares no bound"),
        ("may_take=if_free", "may_take=3", "the rule may_take is 3"),
    ],
)
def test_what_is_wrong_with_a_variant_is_said(lock, old, new, said):
    with pytest.raises(tidegate.TidegateError, match=said):
        lock(old, new)("careful_node")
