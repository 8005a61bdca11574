"""Random small models as files, and what a search of one must say of each declared property.

The steps, the fairness and the liveness properties are those of a random system of
``tests/liveness/graphs.py``, which also decides liveness, by trying every cycle.  Here it gets
invariants, sometimes properties, a constraint and Deadlock, any of them or none, and is written as
a user would write it.  What must be reported follows from the sets of states alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from tests.liveness.graphs import DISABLED, FORMS, Graph, drawn, fair_sets, shortest_stems
from tidegate.core.spec import Kind

HOLDS, VIOLATED, OPEN = "holds", "violated", "incomplete"

HEAD = '''"""A random model."""

from dataclasses import dataclass

from tidegate import Fairness, Kind, Model, Record, array, boolean, integer


@dataclass(frozen=True)
class Bounds:
    """It has none."""


class State(Record):
    number: int = integer(0, 7, "which state")
    mark: list[bool] = array(2, boolean("never set"), by_replica=True)


def among(known: int, number: int) -> bool:
    return known >> number & 1 == 1


'''


@dataclass(frozen=True)
class RandomModel:
    """A random model.

    ``safe`` and ``sought`` are the states that satisfy each invariant and each sometimes property;
    ``inside`` those that satisfy the constraint, None where there is none.
    """

    graph: Graph
    live: tuple[Kind, ...]
    safe: dict[str, frozenset[int]]
    sought: dict[str, frozenset[int]]
    deadlock: bool
    inside: frozenset[int] | None

    @property
    def liveness(self) -> dict[str, Kind]:
        """Its liveness properties by name."""
        return {f"Live{FORMS.index(kind)}": kind for kind in self.live}

    @property
    def declared(self) -> list[str]:
        """The names of all that it declares, in order."""
        names = [*self.safe, *self.sought, *self.liveness]
        return [*names, "Deadlock"] if self.deadlock else names

    @cached_property
    def levels(self) -> list[set[int]]:
        """The states by distance; those outside the constraint are not expanded."""
        levels, seen = [set(self.graph.initial)], set(self.graph.initial)
        while True:
            steps = self.graph.steps
            new = {after for here in levels[-1] if self._is_inside(here) for after in steps[here]}
            if not new - seen:
                return levels
            levels.append(new - seen)
            seen |= new

    def _is_inside(self, state: int) -> bool:
        return self.inside is None or state in self.inside

    @cached_property
    def _stems(self) -> dict[Kind, int | None]:
        return shortest_stems(self.graph, list(fair_sets(self.graph)))

    def known_after(self) -> dict[str, int]:
        """Return after how many levels a search knows a violation, or that a state is reached."""
        known: dict[str, int] = {}
        for number, level in enumerate(self.levels):
            for name, good in self.safe.items():
                if not level <= good:
                    known.setdefault(name, number)
            for name, good in self.sought.items():
                if level & good:
                    known.setdefault(name, number)
            ends = {n for n in level if self._is_inside(n) and not self.graph.steps[n]}
            if ends and self.deadlock:
                known.setdefault("Deadlock", number + 1)
        return known

    def outcomes(
        self, names: Sequence[str], undecided: Collection[str], every: bool
    ) -> dict[str, str]:
        """Return what a search says of some properties.

        Parameters
        ----------
        undecided
            What it cannot decide.
        every
            Whether it goes on after a violation.
        """
        decidable = [name for name in names if name not in undecided]
        known = {name: at for name, at in self.known_after().items() if name in decidable}
        broken = [at for name, at in known.items() if name not in self.sought]
        end = None
        if not every:
            if decidable and set(decidable) <= known.keys() & self.sought.keys():
                end = max(known.values())
            end = min(broken) if broken and (end is None or min(broken) < end) else end
        return {name: self._outcome(name, decidable, known, end) for name in names}

    def _outcome(
        self, name: str, decidable: Sequence[str], known: dict[str, int], end: int | None
    ) -> str:
        if name not in decidable:
            return OPEN
        is_known = name in known and (end is None or known[name] <= end)
        if name in self.sought:
            return HOLDS if is_known else OPEN if end is not None else VIOLATED
        if is_known:
            return VIOLATED
        if end is not None:
            return OPEN
        if name in self.liveness:
            return HOLDS if self._stems[self.liveness[name]] is None else VIOLATED
        return HOLDS

    def vacuous(self, outcomes: dict[str, str]) -> set[str]:
        """Return the properties that hold since their premise never did."""
        reached = set().union(*self.levels)
        return {
            name
            for name, kind in self.liveness.items()
            if kind is Kind.LEADS_TO
            and outcomes.get(name) == HOLDS
            and reached.isdisjoint(self.graph.premise)
        }

    def never_enabled(self) -> set[str]:
        """Return the actions that are enabled in no state that is expanded."""
        expanded = {n for n in set().union(*self.levels) if self._is_inside(n)}
        return {
            action.name
            for action in self.graph.actions
            if all(moves[n] is None for moves in action.moves.values() for n in expanded)
        }

    def text(self) -> str:
        """Return the model as a file."""
        graph = self.graph
        options = f"deadlock={self.deadlock}"
        parts = [HEAD]
        if self.inside is not None:
            parts.append(_function("inside", [], f"return among({_mask(self.inside)}, s.number)"))
            options += ", constraint=inside"
        parts.append(f"model = Model(Bounds, State, {options})\n\n\n")
        writes = "".join(f"    s.number = {n}\n    yield\n" for n in sorted(graph.initial))
        parts.append(f"@model.initial\ndef initial(s: State, k: Bounds):\n{writes}\n\n")
        for action in graph.actions:
            per = "None" if action.per is None else repr(action.per)
            choices = "".join(f", {name}=lambda k: range(2)" for name in action.parameters)
            head = f"@model.action('it', fairness={action.fairness}, fair_per={per}{choices})\n"
            index = " + ".join([*(f"{2 ** (len(action.parameters) - 1 - i)} * {name}"
                                for i, name in enumerate(action.parameters))] or ["0"])  # fmt: skip
            words = [
                sum((DISABLED if to is None else to) << 4 * n for n, to in enumerate(moves))
                for moves in action.moves.values()
            ]
            body = f"which = {index}\n"
            body += "".join(
                f"    {'if' if not n else 'elif'} which == {n}:\n        word = {word}\n"
                for n, word in enumerate(words[:-1])
            )
            body += f"    else:\n        word = {words[-1]}\n" if words[1:] else (
                f"    word = {words[0]}\n"
            )  # fmt: skip
            body += f"    after = word >> 4 * s.number & {DISABLED}\n"
            body += f"    if after == {DISABLED}:\n        return False\n"
            body += "    s.number = after\n    return True"
            parts.append(head + _function(action.name.lower(), action.parameters, body))
        for decorator, states in (("invariant", self.safe), ("sometimes", self.sought)):
            for name, good in states.items():
                body = f"return among({_mask(good)}, s.number)"
                parts.append(f"@model.{decorator}('Random.')\n{_function(name.lower(), [], body)}")
        premise = f"return among({_mask(graph.premise)}, s.number)"
        parts.append(_function("premise", [], premise))
        for name, kind in self.liveness.items():
            more = ", premise=premise" if kind is Kind.LEADS_TO else ""
            body = f"return among({_mask(graph.goals[kind])}, s.number)"
            head = f"@model.liveness({kind}, 'Random.'{more})\n"
            parts.append(head + _function(name.lower(), [], body))
        return "".join(parts)


def _function(name: str, parameters: Sequence[str], body: str) -> str:
    listed = "".join(f", {parameter}: int" for parameter in parameters)
    return f"def {name}(s: State, k: Bounds{listed}) -> bool:\n    {body}\n\n\n"


def _mask(states: Collection[int]) -> int:
    return sum(1 << state for state in states)


def random_model(random: Random) -> RandomModel:
    """Return a random model that declares something."""
    graph = drawn(random)
    states = range(graph.states)
    # Most models satisfy most of what they declare, or nothing would be left to decide.
    safe = {
        f"Safe{n}": frozenset(states if random.random() < 0.8 else _some(random, states))
        for n in range(random.choice((0, 1, 1, 2)))
    }
    sought = {
        f"Sought{n}": _some(random, states) | (graph.initial if random.random() < 0.5 else set())
        for n in range(random.choice((0, 0, 1, 2)))
    }
    live = tuple(kind for kind in FORMS if random.random() < 0.4)
    inside = None
    if random.random() < 0.3:
        inside = _some(random, states) | frozenset([min(graph.initial)])
    deadlock = random.random() < 0.4
    made = RandomModel(graph, live, safe, sought, deadlock, inside)
    return made if made.declared else random_model(random)


def _some(random: Random, states: Sequence[int]) -> frozenset[int]:
    return frozenset(n for n in states if random.random() < 0.6)
