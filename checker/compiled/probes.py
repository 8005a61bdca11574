"""Compares machine code with Python in states that are made up, before its answer is believed.

A search samples states that take a rare way (``sampling.py``).  Wrong code that sends a rare state
down a common way leaves nothing to sample, and neither does a wrong value without a branch.  So
each translated function is also asked about states that no search need reach (``made_up.py``), and
Python about the same ones: about all those that take a way for the first few times, since these
lead deeper, and about as many others as time allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from time import thread_time
from typing import Any, NamedTuple

from ...core.layout import State
from ...core.spec import Kind, Property, TidegateError, TransitionSystem
from .comparison import disagreement, disagreement_about
from .made_up import MadeUp
from .sampler import TOGETHER, Sampler, Words

MOST = 20_000
"""The most states to make up."""

FEWER = (1, 63, 64, 100, 128)
"""Numbers of states that are expanded together, after as many as can be."""

OTHERS = 0.5
"""The share of the other made-up states that Python is asked about."""


class Probe(NamedTuple):
    """A state that Python was asked about.

    Attributes
    ----------
    steps
        The successor for each instance that is enabled, by its number.
    """

    state: State
    words: Words
    steps: dict[int, Words]


class Probes:
    """Asks machine code and Python about made-up states.

    Parameters
    ----------
    properties
        Those that the machine code judges, in their order there.
    seconds
        How long to ask, in seconds of the processor.
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
        self._inside_ones: list[State] = []
        self._group: list[Probe] = []
        self._enabling: list[Probe] = []
        self._enabled: set[int] = set()

    def run(self, reached: Sequence[State]) -> list[State]:
        """Ask until the time is up; return the states inside the constraint.

        Raises
        ------
        DisagreementError
            If machine code and Python disagree.
        """
        until = thread_time() + self._seconds
        chance = Random(0)
        made = MadeUp(self._layout, reached, chance)
        self._sampler.forget()
        met = set(reached)
        for state in met:
            self._ask(state)
        for _ in range(MOST):
            if thread_time() > until:
                break
            state = made.one()
            if state not in met:
                met.add(state)
                if self._takes_a_new_way(state):
                    made.known.append(state)
                    self._ask(state)
                elif chance.random() < OTHERS:
                    self._ask(state)
        self._compare_together(self._group)
        self._compare_everywhere()
        self._sampler.forget()
        return self._inside_ones

    def _takes_a_new_way(self, state: State) -> bool:
        """Whether machine code takes a way that few states asked about have taken."""
        held = self._sampler.held
        self._sampler.ask_all(self._layout.pack(state))
        return self._sampler.held > held

    def _ask(self, state: State) -> None:
        """Compare the answers about one state."""
        words = self._layout.pack(state)
        if self._system.constraint is not None:
            inside = self._python(self._inside, state)
            if inside is not None and inside != self._sampler.inside(words):
                said = ["outside", "inside"] if inside else ["inside", "outside"]
                self._differ(state, "the constraint", said)
            if not inside:
                return
        self._inside_ones.append(state)
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
            holds = self._python(partial(self._holds, prop), state)
            holding = (bits >> number & 1) == (prop.kind is Kind.SOMETIMES)
            if holds is not None and holds != holding:
                said = ["violated", "satisfied"] if holds else ["satisfied", "violated"]
                self._differ(state, prop.name, said)

    def _holds(self, prop: Property, state: State) -> bool:
        self._layout.load(state)
        return self._system.satisfies(prop)

    def _compare_steps(self, state: State, words: Words) -> None:
        successors, failed = self._sampler.successors([words])
        machine = {number: after for number, _, after in successors}
        python = None if failed else self._python(self._attempt_all, state)
        if python is not None:
            right = self._packed(python)
            self._add(Probe(state, words, right))
        else:
            python = {}
            for number, attempt in enumerate(self._attempts):
                taken = None if number in failed else self._python(attempt, state)
                if taken is None:
                    machine.pop(number, None)
                else:
                    python |= taken
            right = self._packed(python)
        self._compare_one(state, machine, right)

    def _packed(self, steps: dict[int, State]) -> dict[int, Words]:
        return {number: self._layout.pack(after) for number, after in steps.items()}

    def _add(self, probe: Probe) -> None:
        """Keep a state in which no step fails, to ask about several together."""
        if not self._enabled.issuperset(probe.steps):
            self._enabled.update(probe.steps)
            self._enabling.append(probe)
        self._group.append(probe)
        if len(self._group) == TOGETHER:
            self._compare_together(self._group)
            self._group = []

    def _compare_everywhere(self) -> None:
        """Compare each action in all places among states that are expanded together.

        Code that forgets the last state of a word of bits is wrong only if an action is enabled
        there, which can be rare.  So is code that goes on past the last state, where it meets what
        is left of those that it was asked about before.
        """
        until = thread_time() + self._seconds
        for probe in self._enabling:
            if thread_time() > until:
                break
            for count in (TOGETHER, *FEWER):
                self._compare_together([probe] * count)

    def _compare_one(
        self, state: State, machine: dict[int, Words], right: dict[int, Words]
    ) -> None:
        """Compare the steps from one state, by the numbers of their instances."""
        layout = self._layout
        if machine == right:
            return
        number = min(n for n in machine.keys() | right.keys() if machine.get(n) != right.get(n))
        said = [
            f"a step to {layout.describe(layout.unpack(steps[number]))}"
            if number in steps
            else "not enabled"
            for steps in (machine, right)
        ]
        self._differ(state, str(self._system.instances[number].step), said)

    def _compare_together(self, group: Sequence[Probe]) -> None:
        """Compare the steps of several states, taken together."""
        if not group:
            return
        successors, failed = self._sampler.successors([probe.words for probe in group])
        if failed:
            raise disagreement(
                "machine code cannot take steps of several states together that it takes of each"
            )
        machine: list[dict[int, Words]] = [{} for _ in group]
        for number, place, after in successors:
            if place >= len(group) or number in machine[place]:
                raise disagreement("machine code takes a step of no state")
            machine[place][number] = after
        for probe, said in zip(group, machine, strict=True):
            self._compare_one(probe.state, said, probe.steps)

    def _differ(self, state: State, name: str, said: Sequence[str]) -> None:
        machine, python = said
        where = f"{self._layout.describe(state)}, which was made up"
        raise disagreement_about(name, machine, python, where)
