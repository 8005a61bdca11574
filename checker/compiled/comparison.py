"""Compares the answers of machine code with Python's, for every state that was kept.

States that nobody reached, near those that were: for questions that a search would not ask.

A value at the end of its range, two values that are equal, or a step apart: there wrong code
differs from right code, and a search may get there once, or never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import cycle, groupby
from operator import attrgetter
from random import Random
from time import thread_time
from typing import Any, Protocol

from ...core.containers import Ordered, Sorted
from ...core.fields import NONE, Array, Field, declared_parts, value_of
from ...core.layout import Layout, State
from ...core.record import element
from ...core.spec import DisagreementError, Property, TidegateError, TransitionSystem
from ...core.symmetry import Symmetry, permuted
from ..counterexample import least
from ..interpreted import Search
from .sampler import TOGETHER, Sample, Words
from .sampling import Query

_FEW = 3
"""Variables that most made-up states change, at most."""


class MadeUp:
    """Makes states of reached ones.

    Parameters
    ----------
    reached
        The states to begin with; others may be added.
    chance
        Chooses the changes.
    """

    def __init__(self, layout: Layout[Any], reached: Sequence[State], chance: Random) -> None:
        self.known = list(reached)
        self._layout, self._chance = layout, chance
        self._most = [variable.high - variable.low for variable in layout.stored]
        self._low = [variable.low for variable in layout.stored]
        self._sequences = list(_sequences(layout.record, layout.declaration))
        self._alike = _alike(layout)

    def one(self) -> State:
        """Return a state in which every variable is within its range."""
        chance = self._chance
        state = list(chance.choice(self.known))
        if not state:
            return tuple(state)
        if not chance.randrange(4):
            self._mix(state)
        number = len(state) if not chance.randrange(8) else chance.randint(1, _FEW)
        for place in chance.sample(range(len(state)), min(number, len(state))):
            state[place] = self._value(state, place)
        return self._orderly(tuple(state))

    def _mix(self, state: list[int]) -> None:
        """Take some variables from another state."""
        other = self._chance.choice(self.known)
        first = self._chance.randrange(len(state))
        last = self._chance.randint(first, len(state))
        state[first:last] = other[first:last]

    def _value(self, state: list[int], place: int) -> int:
        """Return another value for a variable."""
        chance, most = self._chance, self._most[place]
        way = chance.randrange(5)
        if way == 0:
            return chance.choice((0, most))
        if way == 1:
            return chance.randint(0, most)
        if way == 2:
            value = state[place]
        elif way == 3:
            other = chance.choice(self._alike[place])
            value = state[other] + self._low[other] - self._low[place]
        else:
            value = chance.choice(self.known)[place]
        value += chance.choice((-1, 0, 0, 1))
        return min(max(value, 0), most)

    def _orderly(self, state: State) -> State:
        """Return a state as those of a search: nothing lies beyond the end of a sequence.

        Records of a set or a bag are in order, which both engines rely on, each in its own way.
        """
        if not self._sequences:
            return state
        self._layout.load(state)
        for sequence in reversed(self._sequences):
            if isinstance(sequence, Sorted):
                members = [value_of(member) for member in sequence]
                sequence.clear()
                for member in members:
                    sequence.add(member)
            for index in range(sequence.length, len(sequence.items)):
                sequence.put(index, sequence.blank)
        return self._layout.dump()


class Ties:
    """Makes states that a swap of replicas leaves alone up to one variable, which decides.

    A search may meet such a state once, and code that compares permutations goes a long way there.

    Parameters
    ----------
    states
        The states to begin with, at least one.
    """

    def __init__(self, symmetry: Symmetry, states: Sequence[State], chance: Random) -> None:
        layout = symmetry.system.layout
        self._stored, self._states, self._chance = layout.stored, states, chance
        self._most = [variable.high - variable.low for variable in layout.stored]
        places = {variable.path: place for place, variable in enumerate(layout.stored)}
        decisive = []
        for swap in symmetry.group[1:]:
            if any(swap[swap[replica]] != replica for replica in swap):
                continue
            apply = permuted(layout, swap)
            partners = [places[symmetry.kinds.path(v, swap)] for v in layout.stored]
            decisive += [(apply, partners, n) for n, p in enumerate(partners) if p > n]
        chance.shuffle(decisive)
        self._decisive = cycle(decisive)
        self.exist = bool(decisive)

    def one(self) -> State:
        """Return a state; the variables decide in turn."""
        apply, partners, first = next(self._decisive)
        state = self._chance.choice(self._states)
        tied, swapped = list(state), apply(state)
        # What follows must not count before what decides, whatever it is.
        last = first + self._chance.randint(0, _FEW)
        for place in range(first, min(last + 1, len(tied))):
            for one in (place, partners[place]) if partners[place] > place else ():
                tied[one] = self._chance.randint(0, self._most[one])
        for place in range(first):
            variable = self._stored[place]
            if partners[place] > place:
                tied[place] = swapped[place]
            elif partners[place] < place or tied[place] == swapped[place]:
                continue
            elif variable.field.names == "replicas":
                tied[place] |= swapped[place]
            elif variable.low == NONE:
                tied[place] = 0
        return bytes(tied) if isinstance(swapped, bytes) else tuple(tied)


def _alike(layout: Layout[Any]) -> list[list[int]]:
    """Return for each variable those that may be compared with it: of overlapping ranges."""
    stored = layout.stored
    ranges = {(v.low, v.high) for v in stored}
    of_range = {
        (low, high): [n for n, v in enumerate(stored) if v.low <= high and low <= v.high]
        for low, high in ranges
    }
    return [of_range[v.low, v.high] for v in stored]


def _sequences(node: Any, declared: Any) -> Iterator[Ordered[Any]]:
    """Yield the sequences of a part of the state, outer ones first."""
    if isinstance(node, Ordered):
        yield node
    parts: dict[Any, Any] = dict(declared_parts(declared)) if isinstance(declared, type) else {}
    if isinstance(declared, Array):
        parts = dict.fromkeys(range(len(node)), declared.element)
    for key, part in parts.items():
        if not isinstance(part, Field):
            yield from _sequences(element(node, key), part)


REPRESENTED = 8
"""The most states of a level whose representatives are compared, all over the level."""

GUARDS, STEP, PROPERTY, CONSTRAINT = Query


def disagreement(what: str) -> DisagreementError:
    """Return the error that says what is wrong with machine code, and what to do about it."""
    return DisagreementError(
        f"{what}; the compiled engine cannot be trusted with this model. Search with "
        "--engine interpreted, and please report this"
    )


def disagreement_about(name: str, machine: str, python: str, where: object) -> DisagreementError:
    """Return the error that says what the two answer about a step or a property in a state."""
    return disagreement(
        f"machine code and Python disagree about {name}: machine code says {machine}, Python says "
        f"{python}, in the state {where}"
    )


class Found(Protocol):
    """A search that has ended, as far as it is compared with Python's."""

    @property
    def levels(self) -> Sequence[Sequence[tuple[int, int]]]:
        """The segments of each level."""

    violations: dict[str, tuple[int, list[State]]]

    @property
    def taken(self) -> list[int]:
        """How often each instance was taken."""

    def read(self, first: int, count: int) -> list[State]:
        """Return consecutive states."""


class Comparison:
    """Compares the samples of one search with Python.

    Parameters
    ----------
    system, properties
        Those that the machine code was made from.
    steps
        Returns the steps that machine code takes from a state, by the numbers of their instances.
        It is called if the guards alone do not decide whether a step is taken.
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
        # A successor is often a state of other samples, or of another step.
        self._unpack = cache(system.layout.unpack)

    def compare(self, samples: Sequence[Sample]) -> None:
        """Compare samples.

        Raises
        ------
        DisagreementError
            If Python's answer differs from that of machine code.
        """
        # Unpacking a state costs as much as several steps, and many samples share one.
        by_state: dict[Words, list[Sample]] = {}
        for sample in samples:
            by_state.setdefault(sample.state, []).append(sample)
        try:
            for some in by_state.values():
                self._compare_in_one_state(some)
        except TidegateError:
            # Compare one by one, so that the error does not depend on the other samples.
            for sample in samples:
                self._compare_in_one_state([sample])

    def compare_rows(self, samples: Iterable[Sample]) -> None:
        """Compare samples as they come, with those of the same state in a row.

        Raises
        ------
        DisagreementError
            If Python's answer differs from that of machine code.
        """
        for _, some in groupby(samples, attrgetter("state")):
            self._compare_in_one_state(list(some))

    def _compare_in_one_state(self, samples: Sequence[Sample]) -> None:
        """Compare samples of the same state."""
        state = self._unpack(samples[0].state)
        steps = [sample for sample in samples if _is_step(sample)]
        taken = self.system.attempt({sample.number for sample in steps}, state) if steps else {}
        for sample in steps:
            if sample.query is GUARDS:
                self._guards(sample, sample.number in taken)
            else:
                self._step(sample, taken.get(sample.number))
        if len(steps) < len(samples):
            for sample in samples:
                if sample.query is PROPERTY:
                    self._property(sample, state)
                elif sample.query is CONSTRAINT:
                    self._constraint(sample, state)

    def _guards(self, sample: Sample, enabled: bool) -> None:
        answer = sample.answer & 1
        if enabled and not answer:
            self._differ(sample, "a step that is not enabled", "one that is")
        if not enabled and answer and sample.number in self._steps(sample.state):
            self._differ(sample, "a step that is enabled", "one that is not")

    def _step(self, sample: Sample, python: State | None) -> None:
        if (python is not None) != bool(sample.answer):
            ways = ("not enabled", "enabled")
            self._differ(sample, ways[sample.answer], ways[python is not None])
        if python is not None:
            layout = self.system.layout
            machine = self._unpack(sample.successor)
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
        if sample.query is Query.PROPERTY:
            name = self.properties[sample.number].name
        elif sample.query is Query.CONSTRAINT:
            name = "the constraint"
        else:
            name = str(self.system.instances[sample.number].step)
        state = layout.describe(layout.unpack(sample.state))
        raise disagreement_about(name, machine, python, state)


def _is_step(sample: Sample) -> bool:
    """Whether Python has to try the step of a sample."""
    if sample.query is GUARDS:
        # A guard that machine code could not decide ends the search anyway.
        return sample.answer & 3 <= 1
    return sample.query is STEP


def compare_level(python: Search, number: int, search: Found) -> None:
    """Compare the states of a level with those that Python found.

    Raises
    ------
    DisagreementError
        If they differ.
    """
    system = python.system
    machine = [state for some in search.levels[number] for state in search.read(*some)]
    expected, compiled = set(python.levels[number]), set(machine)
    if expected == compiled and len(compiled) == len(machine):
        return
    describe = system.layout.describe
    for states, which in ((expected - compiled, "Python"), (compiled - expected, "machine code")):
        if states:
            raise disagreement(
                f"machine code and Python disagree about {system.name}: only {which} reaches the "
                f"state {describe(min(states))} in {number} steps"
            )
    raise disagreement(f"machine code found a state twice, {number} steps from the start")


def compare_results(python: Search, search: Found, last: int | None = None) -> None:
    """Compare the violations that were found, and how often each instance was taken.

    Parameters
    ----------
    last
        The last level whose violations are compared, without the counts; None if both searches have
        found the same levels.

    Raises
    ------
    DisagreementError
        If they differ.
    """
    system = python.system
    right = {
        name: (first, least(system, some)) for name, (first, some) in python.violations.items()
    }
    mine = {name: (first, one) for name, (first, [one]) in search.violations.items()}
    if last is None:
        _compare_verdicts(system, right, mine)
        _compare_counts(system, python.taken, search.taken)
    else:
        both = ({name: v for name, v in each.items() if v[0] <= last} for each in (right, mine))
        _compare_verdicts(system, *both)


def _compare_verdicts(
    system: TransitionSystem[Any, Any],
    python: Mapping[str, tuple[int, State]],
    machine: Mapping[str, tuple[int, State]],
) -> None:
    """Compare for each violated property the first level and state that violate it."""
    for name in sorted(python.keys() | machine.keys()):
        if python.get(name) != machine.get(name):
            says = [
                f"after {first[0]} steps in {system.layout.describe(first[1])}" if first else "not"
                for first in (machine.get(name), python.get(name))
            ]
            raise disagreement(
                f"machine code and Python disagree about {name}: machine code finds it violated "
                f"{says[0]}, Python {says[1]}"
            )


def _compare_counts(
    system: TransitionSystem[Any, Any], python: Sequence[int], machine: Sequence[int]
) -> None:
    """Compare how often each instance was taken."""
    for instance, expected, compiled in zip(system.instances, python, machine, strict=True):
        if expected != compiled:
            raise disagreement(
                f"machine code and Python disagree about {instance.step}: machine code took it "
                f"{compiled} times, Python {expected} times, on the same levels"
            )


def verify_symmetry(
    symmetry: Symmetry,
    properties: Sequence[Property],
    read: Callable[[int, int], Sequence[State]],
    places: range,
    represent: Callable[[Sequence[Words]], Sequence[Words]],
) -> None:
    """Check that the permutations of some states are represented by one, and are treated alike.

    Parameters
    ----------
    read
        Returns consecutive states, by the number of the first one and their count.
    places
        The numbers of the states of a level.
    represent
        Returns what machine code takes for the representatives of states.

    Raises
    ------
    DisagreementError
        If Python's representative of a state is another one.
    """
    for place in places[:: -(-len(places) // REPRESENTED)]:
        _compare_representatives(symmetry, read(place, 1)[0], represent)
    for state in read(places.start, min(len(places), 4)):
        symmetry.verify(state, properties)


def compare_made_up(
    symmetry: Symmetry,
    states: Sequence[State],
    represent: Callable[[Sequence[Words]], Sequence[Words]],
    seconds: float,
) -> list[Words]:
    """Return the representatives of states that are made up, after comparing them with Python's.

    Parameters
    ----------
    seconds
        How long to compare, in seconds of the processor.

    Raises
    ------
    DisagreementError
        If Python's representative of a state is another one.
    """
    layout = symmetry.system.layout
    packed = list(map(layout.pack, states))
    answers = list(represent(packed))
    states = list(map(layout.unpack, packed))
    _compare_all(symmetry, states, answers, seconds / 2)
    ties = Ties(symmetry, states, Random(0)) if states else None
    until = thread_time() + seconds / 2
    while ties and ties.exist and thread_time() < until:
        made = [ties.one() for _ in range(TOGETHER)]
        _compare_all(symmetry, made, represent(list(map(layout.pack, made))), seconds)
    return answers


def _compare_all(
    symmetry: Symmetry, states: Sequence[State], answers: Sequence[Words], seconds: float
) -> None:
    """Compare the representatives of states with Python's until the time is up."""
    layout, until = symmetry.system.layout, thread_time() + seconds
    for state, answer in zip(states, answers, strict=True):
        if thread_time() > until:
            break
        if answer != layout.pack(expected := symmetry.canonical(state)):
            raise _represented_otherwise(symmetry, state, answer, expected)


def _represented_otherwise(
    symmetry: Symmetry, state: State, answer: Words, expected: State
) -> DisagreementError:
    layout = symmetry.system.layout
    return disagreement(
        "machine code and Python disagree about symmetry: machine code represents the "
        f"state {layout.describe(state)} by {layout.describe(layout.unpack(answer))}, "
        f"Python by {layout.describe(expected)}"
    )


def _compare_representatives(
    symmetry: Symmetry, state: State, represent: Callable[[Sequence[Words]], Sequence[Words]]
) -> None:
    """Compare what represents a stored state, which is itself, and what its permutations."""
    layout, expected = symmetry.system.layout, symmetry.canonical(state)
    renamed = symmetry.permutations_of(state)
    least = layout.pack(expected)
    answers = represent([layout.pack(one) for one in renamed])
    for one, answer in [(state, layout.pack(state)), *zip(renamed, answers, strict=True)]:
        if answer != least:
            raise _represented_otherwise(symmetry, one, answer, expected)
