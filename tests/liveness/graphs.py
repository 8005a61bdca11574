"""Random small systems, and what a liveness property of one is by definition.

A system has one number as its state, and a table says where each instance of an action leads.
Whether a property is violated is decided here by trying every set of states that a behavior might
visit for ever; whether a lasso violates it, by reading the temporal formula along the lasso.
Neither shares anything with the checker: no component, no region, no demand.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, product
from random import Random

from tidegate.core.fields import Record, integer
from tidegate.core.layout import Layout
from tidegate.core.spec import (
    Action,
    Fairness,
    JointFairness,
    Kind,
    Property,
    Trace,
    TransitionSystem,
)

MOST_STATES = 8
DISABLED = 15
FORMS = (Kind.EVENTUALLY, Kind.ALWAYS_EVENTUALLY, Kind.EVENTUALLY_ALWAYS, Kind.LEADS_TO)

Moves = tuple[int | None, ...]
"""For each state the one that an instance leads to, or None where it is not enabled."""


class Position(Record):
    number: int = integer(0, MOST_STATES - 1, "which state")


@dataclass(frozen=True)
class Kinds:
    """An action: its arguments, its fairness, and what each choice of arguments does."""

    name: str
    parameters: tuple[str, ...]
    fairness: Fairness
    per: tuple[str, ...] | None
    moves: dict[tuple[int, ...], Moves]

    def owed(self) -> Iterator[list[tuple[str, tuple[int, ...]]]]:
        """Yield the instances of each WF or SF that a specification would write."""
        names = self.parameters if self.per is None else self.per
        for values in product((0, 1), repeat=len(names)):
            chosen = dict(zip(names, values, strict=True))
            yield [
                (self.name, arguments)
                for arguments in self.moves
                if chosen.items() <= dict(zip(self.parameters, arguments, strict=True)).items()
            ]


@dataclass(frozen=True)
class Graph:
    """A random system with a property of each form."""

    states: int
    initial: frozenset[int]
    actions: tuple[Kinds, ...]
    goals: dict[Kind, frozenset[int]]
    premise: frozenset[int]
    together: tuple[JointFairness, ...] = ()

    def owed(self) -> Iterator[tuple[Fairness, list[tuple[str, tuple[int, ...]]]]]:
        """Yield each WF and SF that a specification would write, with its instances."""
        for action in self.actions:
            for instances in action.owed():
                yield action.fairness, instances
        for joint in self.together:
            about = [a for a in self.actions if joint.actions is None or a.name in joint.actions]
            for values in product((0, 1), repeat=len(joint.fair_per)):
                fixed = dict(zip(joint.fair_per, values, strict=True))
                yield (
                    joint.fairness,
                    [
                        (action.name, arguments)
                        for action in about
                        for arguments in action.moves
                        if fixed.items()
                        <= dict(zip(action.parameters, arguments, strict=True)).items()
                    ],
                )

    @cached_property
    def moves(self) -> dict[tuple[str, tuple[int, ...]], Moves]:
        """What each instance does."""
        return {(a.name, args): moves for a in self.actions for args, moves in a.moves.items()}

    @cached_property
    def steps(self) -> list[set[int]]:
        """For each state those that some step leads to."""
        return [
            {moves[n] for moves in self.moves.values() if moves[n] is not None}
            for n in range(self.states)
        ]

    def properties(self) -> list[Property]:
        """Return its property of each form."""
        return [
            Property(
                kind.value,
                f"The {kind.value} of a random system.",
                "random",
                _among(goal),
                lambda s, k: "",
                kind,
                premise=_among(self.premise) if kind is Kind.LEADS_TO else None,
            )
            for kind, goal in self.goals.items()
        ]

    def system(self) -> TransitionSystem:
        """Return it as a transition system."""

        def initialise(s, k):
            for number in sorted(self.initial):
                s.number = number
                yield

        actions = [
            Action(a.name, _apply(a), "toy", lambda k, a=a: list(a.moves), "", a.fairness,
                   fair_per=a.per)
            for a in self.actions
        ]  # fmt: skip
        layout = Layout(Position, None)
        return TransitionSystem(
            "graph", {}, "", None, layout, actions, initialise, lambda s, k: {},
            fairness=self.together,
        )  # fmt: skip


def _apply(action: Kinds) -> Callable[..., bool]:
    """Return the function of an action: its parameters have names, and machine code can run it."""
    # Four bits for each state say where an instance leads; machine code has no tables.
    words = tuple(
        sum((DISABLED if after is None else after) << 4 * here for here, after in enumerate(moves))
        for moves in action.moves.values()
    )

    def of_none(s: Position, k: None) -> bool:
        after = words[0] >> 4 * s.number & DISABLED
        if after == DISABLED:
            return False
        s.number = after
        return True

    def of_one(s: Position, k: None, a: int) -> bool:
        after = words[a] >> 4 * s.number & DISABLED
        if after == DISABLED:
            return False
        s.number = after
        return True

    def of_two(s: Position, k: None, a: int, b: int) -> bool:
        after = words[2 * a + b] >> 4 * s.number & DISABLED
        if after == DISABLED:
            return False
        s.number = after
        return True

    return (of_none, of_one, of_two)[len(action.parameters)]


def _among(states: frozenset[int]) -> Callable[[Position, None], bool]:
    """Return the predicate that is true in these states."""
    known = sum(1 << number for number in states)

    def among(s: Position, k: None) -> bool:
        return bool(known >> s.number & 1)

    return among


def drawn(random: Random) -> Graph:
    """Return a random system."""
    states = random.randint(2, MOST_STATES)
    density, still = random.choice((0.15, 0.3, 0.6)), random.choice((0.0, 0.1, 0.4))
    actions = []
    for number in range(random.randint(2, 4)):
        parameters = ("a", "b")[: random.choice((0, 0, 1, 1, 2))]
        choices = chain.from_iterable(combinations(parameters, n) for n in range(3))
        moves = {
            arguments: tuple(
                (here if random.random() < still else random.randrange(states))
                if random.random() < density
                else None
                for here in range(states)
            )
            for arguments in product((0, 1), repeat=len(parameters))
        }
        fairness = random.choice((Fairness.NONE, *[Fairness.WEAK] * 3, *[Fairness.STRONG] * 2))
        per = random.choice((None, *choices))
        actions.append(Kinds(f"A{number}", parameters, fairness, per, moves))
    initial = frozenset(random.sample(range(states), random.randint(1, 2)))
    goals = {kind: _some(random, states) for kind in FORMS}
    return Graph(states, initial, tuple(actions), goals, _some(random, states))


def fair_together(random: Random, graph: Graph) -> Graph:
    """Return a system in which random actions are fair together, and fewer by themselves."""
    joints = []
    for _ in range(random.randint(1, 3)):
        chosen = random.sample(graph.actions, random.randint(2, len(graph.actions)))
        shared = [name for name in ("a", "b") if all(name in a.parameters for a in chosen)]
        per = tuple(random.sample(shared, random.randint(0, len(shared))))
        names = None if random.random() < 0.3 else tuple(action.name for action in chosen)
        fairness = random.choice((Fairness.WEAK, Fairness.STRONG))
        joints.append(JointFairness(fairness, names, () if names is None else per))
    alone = tuple(
        action if random.random() < 0.3 else replace(action, fairness=Fairness.NONE)
        for action in graph.actions
    )
    return replace(graph, actions=alone, together=tuple(joints))


def _some(random: Random, states: int) -> frozenset[int]:
    chance = random.choice((0.1, 0.3, 0.6))
    return frozenset(n for n in range(states) if random.random() < chance)


def is_fair(graph: Graph, states: Sequence[int], steps: Sequence[tuple[int, tuple]]) -> bool:
    """Whether a behavior is fair that visits these states, and takes these steps, for ever.

    Source: Lamport, "Specifying Systems", 8.4 and 8.6.  A step is a state with an instance; one
    that changes nothing is not a step of ⟨A⟩_vars.
    """
    for fairness, instances in graph.owed():
        if fairness is Fairness.NONE:
            continue
        if any(one in instances and graph.moves[one][n] != n for n, one in steps):
            continue
        enabled = [any(graph.moves[i][n] not in (None, n) for i in instances) for n in states]
        if all(enabled) or (fairness is Fairness.STRONG and any(enabled)):
            return False
    return True


def fair_sets(graph: Graph) -> Iterator[frozenset[int]]:
    """Yield every set of states that some fair behavior visits for ever: by trying all of them.

    To take more steps within a set never makes a behavior less fair, so that all are taken.
    """
    for size in range(1, graph.states + 1):
        for states in combinations(range(graph.states), size):
            within = frozenset(states)
            connected = all(_reach(graph, n, within) == within for n in states)
            steps = [
                (n, one) for n in states for one, moves in graph.moves.items() if moves[n] in within
            ]
            if connected and is_fair(graph, states, steps):
                yield within


def _reach(graph: Graph, start: int, within: frozenset[int]) -> set[int]:
    reached, todo = {start}, [start]
    while todo:
        new = (graph.steps[todo.pop()] & within) - reached
        reached |= new
        todo += new
    return reached


Past = tuple[int, bool]
"""A state, and what counts of the past: see `_remembered`."""


def shortest_stems(graph: Graph, fair: Sequence[frozenset[int]]) -> dict[Kind, int | None]:
    """Return for each form the steps to a state of a cycle that violates it; None if it holds.

    The state is one that is to recur: for "eventually always P" one without P.
    """
    stems: dict[Kind, int | None] = {}
    for kind, goal in graph.goals.items():
        stems[kind] = None
        for (here, open_), depth in _pasts(graph, kind).items():
            bad = any(here in states and _violates(kind, open_, states, goal) for states in fair)
            if bad and here not in goal and (stems[kind] is None or depth < stems[kind]):
                stems[kind] = depth
    return stems


def _remembered(graph: Graph, kind: Kind, before: bool, here: int) -> bool:
    """Whether the formula is still open here: P never held, or not since the premise did."""
    if kind is Kind.EVENTUALLY:
        return before and here not in graph.goals[kind]
    if kind is Kind.LEADS_TO:
        return (before or here in graph.premise) and here not in graph.goals[kind]
    return True


def _pasts(graph: Graph, kind: Kind) -> dict[Past, int]:
    first = [(n, _remembered(graph, kind, kind is Kind.EVENTUALLY, n)) for n in graph.initial]
    depth, todo = dict.fromkeys(first, 0), deque(first)
    while todo:
        here, open_ = past = todo.popleft()
        for after in graph.steps[here]:
            new = after, _remembered(graph, kind, open_, after)
            if new not in depth:
                depth[new] = depth[past] + 1
                todo.append(new)
    return depth


def _violates(kind: Kind, open_: bool, states: frozenset[int], goal: frozenset[int]) -> bool:
    """Whether visiting all of these states for ever violates a formula that is open so far."""
    if kind is Kind.EVENTUALLY_ALWAYS:
        return not states <= goal
    return open_ and states.isdisjoint(goal)


def satisfies(graph: Graph, kind: Kind, lasso: Sequence[int], loop: int) -> bool:
    """Whether a lasso satisfies a formula, by the meaning of ◇ and □ at each of its places."""
    goal = graph.goals[kind]
    places = range(len(lasso) - 1) if loop < len(lasso) - 1 else range(len(lasso))

    def eventually(truth: Sequence[bool]) -> list[bool]:
        return [any(truth[at] for at in (*places[n:], *places[loop:])) for n in places]

    def always(truth: Sequence[bool]) -> list[bool]:
        return [all(truth[at] for at in (*places[n:], *places[loop:])) for n in places]

    p = [lasso[n] in goal for n in places]
    q = [lasso[n] in graph.premise for n in places]
    if kind is Kind.EVENTUALLY:
        return eventually(p)[0]
    if kind is Kind.ALWAYS_EVENTUALLY:
        return always(eventually(p))[0]
    if kind is Kind.EVENTUALLY_ALWAYS:
        return eventually(always(p))[0]
    later = eventually(p)
    return always([not q[n] or later[n] for n in places])[0]


def fault(graph: Graph, kind: Kind, trace: Trace, lasso: Sequence[int]) -> str:
    """Return what is wrong with a lasso that is said to violate a property, if anything is.

    Parameters
    ----------
    lasso
        The states of the trace, by number.
    """
    loop = trace.loop
    if loop is None or not 0 <= loop < len(lasso) or lasso[loop] != lasso[-1]:
        return "the loop does not close"
    if lasso[0] not in graph.initial:
        return "it does not begin in an initial state"
    taken = [(step.action, step.arguments) for step in trace.steps]
    if len(taken) != len(lasso) - 1:
        return "there are too many steps, or too few"
    for number, one in enumerate(taken):
        if graph.moves[one][lasso[number]] != lasso[number + 1]:
            return f"step {number + 1} does not lead where it is said to"
    if not is_fair(graph, lasso[loop:], list(zip(lasso[loop:], taken[loop:], strict=False))):
        return "it is not fair"
    return "it satisfies the formula" if satisfies(graph, kind, lasso, loop) else ""
