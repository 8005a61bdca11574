"""States that nobody reached, near those that were: for questions that a search would not ask.

A value at the end of its range, two values that are equal, or a step apart: there wrong code
differs from right code, and a search may get there once, or never.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from random import Random
from typing import Any

from ...core.fields import NONE, Array, Field, declared_parts
from ...core.layout import Layout, State
from ...core.record import element
from ...core.sequences import Seq
from ...core.symmetry import Symmetry, permuted

_FEW = 3
"""Variables that most made-up states change, at most."""


class MadeUp:
    """Makes states of reached ones.

    Parameters
    ----------
    reached
        The states to begin with; others may be added.
    chance
        Decides what is changed.
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
        """Return a state whose sequences have nothing beyond their ends, as those of a search."""
        if not self._sequences:
            return state
        self._layout.load(state)
        for sequence in self._sequences:
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
            partners = [
                places[v.form.format(*(swap[r] for r in v.replicas))] for v in layout.stored
            ]
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


def _sequences(node: Any, declared: Any) -> Iterator[Seq[Any]]:
    """Yield the sequences of a part of the state, outer ones first."""
    if isinstance(node, Seq):
        yield node
    parts: dict[Any, Any] = dict(declared_parts(declared)) if isinstance(declared, type) else {}
    if isinstance(declared, Array):
        parts = dict.fromkeys(range(len(node)), declared.element)
    for key, part in parts.items():
        if not isinstance(part, Field):
            yield from _sequences(element(node, key), part)
