"""Asking Python what machine code answered: the two must agree on every state that was kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...core.layout import State
from ...core.spec import DisagreementError, Property, TransitionSystem
from .sampler import Sample, Words
from .sampling import Asked

REPORT = (
    "; nothing that the compiled engine says of this model can be believed. Search with "
    "--engine interpreted, and please report this"
)


class Comparison:
    """What was kept of one search, compared with Python.

    Parameters
    ----------
    system, properties
        As the machine code was made of them.
    steps
        Which steps machine code takes from a state: the numbers of their instances.  It is asked
        where the guards alone do not say whether a step is taken.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        steps: Callable[[Words], set[int]],
    ) -> None:
        self.system = system
        self.properties = properties
        self._steps = steps
        self._compare = {
            Asked.GUARDS: self._guards,
            Asked.STEP: self._step,
            Asked.PROPERTY: self._property,
            Asked.CONSTRAINT: self._constraint,
        }

    def compare(self, samples: Sequence[Sample]) -> None:
        """Ask Python about samples.

        Raises
        ------
        DisagreementError
            If it answers otherwise than machine code did.
        """
        unpack = self.system.layout.unpack
        for sample in samples:
            self._compare[sample.asked](sample, unpack(sample.state))

    def _guards(self, sample: Sample, state: State) -> None:
        # What could not be decided in machine code ends the search by itself.
        answer = sample.answer & 3
        if answer > 1:
            return
        enabled = self.system.attempt(sample.number, state) is not None
        if enabled and not answer:
            self._differ(sample, "a step that is not enabled", "one that is")
        if not enabled and answer and sample.number in self._steps(sample.state):
            self._differ(sample, "a step that is enabled", "one that is not")

    def _step(self, sample: Sample, state: State) -> None:
        python = self.system.attempt(sample.number, state)
        if (python is not None) != bool(sample.answer):
            ways = ("not enabled", "enabled")
            self._differ(sample, ways[sample.answer], ways[python is not None])
        if python is not None:
            layout = self.system.layout
            machine = layout.unpack(sample.successor)
            if machine != python:
                self._differ(
                    sample,
                    f"a step to {layout.describe(machine)}",
                    f"one to {layout.describe(python)}",
                )

    def _property(self, sample: Sample, state: State) -> None:
        self.system.layout.load(state)
        prop = self.properties[sample.number]
        holds = self.system.satisfies(prop)
        if holds != bool(sample.answer):
            ways = ("violated", "satisfied")
            self._differ(sample, ways[sample.answer], ways[holds])

    def _constraint(self, sample: Sample, state: State) -> None:
        self.system.layout.load(state)
        inside = self.system.inside()
        if inside != bool(sample.answer):
            ways = ("outside", "inside")
            self._differ(sample, ways[sample.answer], ways[inside])

    def _differ(self, sample: Sample, machine: str, python: str) -> None:
        layout = self.system.layout
        if sample.asked is Asked.PROPERTY:
            name = self.properties[sample.number].name
        elif sample.asked is Asked.CONSTRAINT:
            name = "the constraint"
        else:
            name = str(self.system.instances[sample.number].step)
        raise DisagreementError(
            f"machine code and Python disagree about {name}: machine code says {machine}, Python "
            f"says {python}, in the state {layout.describe(layout.unpack(sample.state))}{REPORT}"
        )


def compare_level(
    system: TransitionSystem[Any, Any],
    level: int,
    python: Sequence[State],
    machine: Sequence[State],
) -> None:
    """Compare the states of a level.

    Raises
    ------
    DisagreementError
        If one engine found a state that the other one did not.
    """
    expected, found = set(python), set(machine)
    if expected == found and len(found) == len(machine):
        return
    describe = system.layout.describe
    for states, which in ((expected - found, "Python"), (found - expected, "machine code")):
        if states:
            raise DisagreementError(
                f"machine code and Python disagree about {system.name}: only {which} reaches the "
                f"state {describe(min(states))} in {level} steps{REPORT}"
            )
    raise DisagreementError(
        f"machine code found a state twice, {level} steps from the start{REPORT}"
    )


def compare_verdicts(
    system: TransitionSystem[Any, Any],
    python: Mapping[str, tuple[int, State]],
    machine: Mapping[str, tuple[int, State]],
) -> None:
    """Compare for each violated property the level and the state that come first.

    Raises
    ------
    DisagreementError
        If they differ.
    """
    for name in sorted(python.keys() | machine.keys()):
        if python.get(name) != machine.get(name):
            says = [
                f"after {found[0]} steps in {system.layout.describe(found[1])}" if found else "not"
                for found in (machine.get(name), python.get(name))
            ]
            raise DisagreementError(
                f"machine code and Python disagree about {name}: machine code finds it violated "
                f"{says[0]}, Python {says[1]}{REPORT}"
            )


def compare_counts(
    system: TransitionSystem[Any, Any], python: Sequence[int], machine: Sequence[int]
) -> None:
    """Compare how often each instance was taken.

    Raises
    ------
    DisagreementError
        If the numbers differ.
    """
    for instance, expected, found in zip(system.instances, python, machine, strict=True):
        if expected != found:
            raise DisagreementError(
                f"machine code and Python disagree about {instance.step}: machine code took it "
                f"{found} times, Python {expected} times, on the same levels{REPORT}"
            )
