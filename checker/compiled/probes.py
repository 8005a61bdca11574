"""Compares machine code with Python in states that are made up, before its answer is believed.

A search samples states that take a rare way (``sampling.py``).  Wrong code that sends a rare state
down a common way leaves nothing to sample, and neither does a wrong value without a branch.  So
each translated function is also asked about states that no search need reach (``made_up.py``), and
Python about the same ones: about all those that take a way for the first few times, since these
lead deeper, and about as many others as time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import perf_counter
from typing import Any

from ...core.layout import State
from ...core.spec import DisagreementError, Kind, Property, TidegateError, TransitionSystem
from .comparison import REPORT
from .made_up import MadeUp
from .sampler import Sampler, Words

GROUPED = 48
"""States whose steps are taken together once more, side by side as in a search."""

MOST = 20_000
"""The most states to make up."""


class Probes:
    """Asks machine code and Python about made-up states.

    Parameters
    ----------
    properties
        Those that the machine code judges, in their order there.
    seconds
        How long to ask.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        sampler: Sampler,
        seconds: float,
    ) -> None:
        self._system, self._properties = system, properties
        self._layout = system.layout
        self._sampler, self._seconds = sampler, seconds
        self._judged = [
            (number, prop) for number, prop in enumerate(properties) if prop.kind.is_of_state
        ]
        everything = range(len(system.instances))
        self._attempt_all = system.attempting(everything, watched=False)
        self._attempts = [system.attempting([number], watched=False) for number in everything]
        self._group: list[tuple[State, dict[int, State]]] = []

    def run(self, reached: Sequence[State]) -> None:
        """Ask until the time is up.

        Raises
        ------
        DisagreementError
            If machine code and Python disagree.
        """
        until = perf_counter() + self._seconds
        chance = Random(0)
        made = MadeUp(self._layout, reached, chance)
        sampler = self._sampler
        sampler.forget()
        asked = set(reached)
        for state in reached:
            self._ask(state)
        spare = 0.0
        for _ in range(MOST):
            now = perf_counter()
            if now > until:
                break
            state = made.one()
            if state in asked:
                continue
            asked.add(state)
            held = sampler.held
            sampler.ask_all(self._layout.pack(state))
            if sampler.held > held:
                made.known.append(state)
            elif chance.random() < 0.5:
                continue
            self._ask(state)
        self._compare_group()
        sampler.forget()

    def _ask(self, state: State) -> None:
        """Compare the answers about one state."""
        words = self._layout.pack(state)
        if self._system.constraint is not None:
            inside = self._python(self._inside, state)
            if inside is not None and inside != self._sampler.inside(words):
                self._differ(state, "the constraint", "outside", "inside", inside)
            if not inside:
                return
        self._compare_judgment(state, words)
        self._compare_steps(state, words)

    def _inside(self, state: State) -> bool:
        self._layout.load(state)
        return self._system.inside()

    def _python(self, ask: Callable[[State], Any], state: State) -> Any:
        """Return what Python says; None if it fails there, which the model need not provide for."""
        try:
            return ask(state)
        except (ArithmeticError, LookupError, TidegateError, TypeError, ValueError):
            return None

    def _compare_judgment(self, state: State, words: Words) -> None:
        bits = self._sampler.judgment(words)
        if bits < 0:
            return
        for number, prop in self._judged:
            holds = self._python(lambda state, prop=prop: self._holds(state, prop), state)
            said = (bits >> number & 1) == (prop.kind is Kind.SOMETIMES)
            if holds is not None and holds != said:
                self._differ(state, prop.name, "violated", "satisfied", holds)

    def _holds(self, state: State, prop: Property) -> bool:
        self._layout.load(state)
        return self._system.satisfies(prop)

    def _compare_steps(self, state: State, words: Words) -> None:
        successors, failed = self._sampler.successors([words])
        machine = {number: after for number, _, after in successors}
        if failed:
            python = {}
            for number, attempt in enumerate(self._attempts):
                if number not in failed:
                    python |= self._python(attempt, state) or {}
        else:
            python = self._python(self._attempt_all, state)
            if python is None:
                python = {}
                for number, attempt in enumerate(self._attempts):
                    taken = self._python(attempt, state)
                    if taken is None:
                        machine.pop(number, None)
                    else:
                        python |= taken
            else:
                self._group.append((state, python))
                if len(self._group) == GROUPED:
                    self._compare_group()
        self._compare_one(state, machine, python, failed)

    def _compare_one(
        self, state: State, machine: dict[int, Words], python: dict[int, State], failed: set[int]
    ) -> None:
        pack = self._layout.pack
        if len(machine) == len(python) and all(
            machine.get(number) == pack(after) for number, after in python.items()
        ):
            return
        for number, instance in enumerate(self._system.instances):
            said, right = machine.get(number), python.get(number)
            if number in failed or said == (None if right is None else pack(right)):
                continue
            name = str(instance.step)
            if said is None or right is None:
                self._differ(state, name, "not enabled", "enabled", right is not None)
            ways = [f"a step to {self._layout.describe(self._layout.unpack(said))}"]
            ways.append(f"a step to {self._layout.describe(right)}")
            self._differ(state, name, *ways, True)

    def _compare_group(self) -> None:
        """Compare the steps of several states, taken together."""
        group, self._group = self._group, []
        if not group:
            return
        pack = self._layout.pack
        successors, failed = self._sampler.successors([pack(state) for state, _ in group])
        if failed:
            raise DisagreementError(
                "machine code cannot take steps of several states together that it takes of "
                f"each{REPORT}"
            )
        machine: list[dict[int, Words]] = [{} for _ in group]
        for number, place, after in successors:
            if place >= len(group) or number in machine[place]:
                raise DisagreementError(f"machine code takes a step of no state{REPORT}")
            machine[place][number] = after
        for (state, python), said in zip(group, machine, strict=True):
            self._compare_one(state, said, python, set())

    def _differ(self, state: State, name: str, no: str, yes: str, right: bool) -> None:
        machine, python = (no, yes) if right else (yes, no)
        raise DisagreementError(
            f"machine code and Python disagree about {name}: machine code says {machine}, Python "
            f"says {python}, in the state {self._layout.describe(state)}, which was made up"
            f"{REPORT}"
        )
