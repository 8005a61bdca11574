"""The state graph of a finished search as arrays, for liveness properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ...core.memory import MemoryLimit
from ...core.spec import EngineError, Property, TransitionSystem
from ..liveness.arrays import (
    Numbers,
    StateArrays,
    Steps,
    Visits,
    Words,
    demand_words,
    fingerprints,
    packed,
    visits_of,
)
from ..liveness.formulas import Demands
from ..liveness.lasso import Decided
from .behaviors import BEGINS, EDGE, INSTANCE, PLACE, STAYS
from .machine import Machine, Segments
from .memory import DONE, GROUP, MemoryLimitError, Region, Shared, Worker


def decided(
    machine: Machine,
    levels: Sequence[Segments],
    watch: Callable[[], bool],
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    memory: MemoryLimit,
) -> list[Decided]:
    """Decide liveness properties; empty if `watch` ended it.

    Raises
    ------
    LimitReachedError
        If deciding one takes more memory than the search may use.
    """
    graph = ListedGraph(machine, levels, watch)
    try:
        arrays = graph.arrays(system, properties)
        if arrays is None:
            return []
        # How much it takes depends on the components that are met, so that no bound is known.
        with memory.kept():
            return [arrays.decided(prop) for prop in properties]
    finally:
        graph.close()


class UndecidableError(Exception):
    """Machine code cannot evaluate a predicate of liveness in some state."""


STATE_BYTES, STEP_BYTES = 32, 40
"""The most memory to decide a property, for each state and for each listed step."""

NUMBER = np.uint64((1 << PLACE) - 1)
"""The bits of a listed step that are the number of a state."""


class ListedGraph:
    """The steps between states in which a violation can stay, listed by machine code.

    Parameters
    ----------
    machine
        The machine of the search, which must be exact and have explored all states.
    levels
        The segments of the states of each level.
    watch
        Called now and then; False ends it.
    """

    def __init__(
        self, machine: Machine, levels: Sequence[Segments], watch: Callable[[], bool]
    ) -> None:
        self._machine, self._levels, self._watch = machine, levels, watch
        self._size = machine.shared[Shared.TAIL]
        self._regions: list[Region] = []

    def arrays(
        self, system: TransitionSystem[Any, Any], properties: Sequence[Property]
    ) -> StateArrays | None:
        """Return the graph; None if `watch` ended it.

        Raises
        ------
        MemoryLimitError
            If it takes more memory than the search may use.
        UndecidableError
            If a predicate reads beyond an array, or computes what machine code cannot.
        """
        machine, demands = self._machine, Demands.of(system)
        there, initial = np.zeros((2, self._size), np.bool_)
        for levels, truths in ((self._levels, there), (self._levels[:1], initial)):
            for first, count in _joined(levels):
                truths[first : first + count] = True
        marks = self._room(Shared.MARKS, self._size)
        if not self._run("mark_states"):
            return None

        def visits(prop: Property) -> Visits:
            return visits_of(prop, properties, marks, there, initial)

        for prop in properties:
            if prop.kind.is_liveness:
                marks[visits(prop).stays] |= np.uint64(1 << STAYS)
        words = demand_words(demands)
        enabled = self._room(Shared.ENABLED, self._size * words)
        table = self._room(Shared.DEMANDS, max(1, len(demands.of_instance)) * words)
        for index, mask in enumerate(demands.of_instance):
            table[index * words : (index + 1) * words] = packed(mask, words)
        machine.shared[Shared.DEMAND_WORDS] = words
        steps = self._steps()
        if steps is None:
            return None
        rows = _array(machine.states, self._size * machine.module.words)
        states = rows.reshape(self._size, machine.module.words)
        shaped = enabled.reshape(self._size, words)
        numbered = Levels(self._levels, steps.source.dtype)
        return StateArrays(
            system,
            demands,
            lambda number: system.layout.unpack(tuple(states[number].tolist())),
            lambda numbers: fingerprints(states[numbers]),
            numbered,
            visits,
            steps,
            shaped,
        )

    def _steps(self) -> Steps | None:
        """List the steps between states in which a violation can stay."""
        edges = [self._edges(block) for block, _ in self._machine.workers]
        if not self._run("list_behaviors"):
            return None
        ends = [block[Worker.EDGE] for block, _ in self._machine.workers]
        kind = np.int32 if self._size < 1 << 31 else np.int64
        steps = sum(end - region.address for region, end in zip(edges, ends, strict=True)) // EDGE
        needed = STATE_BYTES * self._size + STEP_BYTES * steps
        if self._machine.bytes_used + needed > self._machine.sizes.memory:
            raise self._too_large()
        listed = [_steps_in(*each, kind) for each in zip(edges, ends, strict=True)]
        for region in edges:
            self._regions.remove(region)
            region.close()
        columns = ((each.source, each.target, each.instance) for each in listed)
        return Steps(*map(np.concatenate, zip(*columns, strict=True)))

    def close(self) -> None:
        """Free its memory; the arrays must not be used any more."""
        for region in self._regions:
            region.close()

    def _run(self, name: str) -> bool:
        """Let the workers process all states; return whether they finished."""
        machine = self._machine
        chunks = machine.begin_level(_joined(self._levels))
        answer = machine.run(machine.code.function(name, 1), chunks, self._watch)
        if any(block[Worker.ERROR] == 2 for block, _ in machine.workers):
            raise self._too_large()
        if machine.failed and name == "mark_states":
            machine.forget_failures()
            raise UndecidableError
        if machine.failed:
            raise EngineError("a step that the search took fails when it is repeated")
        return answer == DONE

    def _too_large(self) -> MemoryLimitError:
        return MemoryLimitError(
            f"--max-memory {self._machine.sizes.memory >> 20}M is too little for the steps of the "
            "state graph, which a liveness property needs; allow more"
        )

    def _room(self, place: Shared, numbers: int) -> Words:
        """Allocate numbers, all 0, and pass their address to machine code."""
        region = self._region(8 * numbers)
        self._machine.shared[place] = region.address
        return _array(region, numbers)

    def _edges(self, block: Region) -> Region:
        """Allocate a worker's memory for its group of states, and for steps."""
        machine = self._machine
        group = self._region(GROUP * (machine.state_bytes + 8 + 8 * machine.instances))
        block[Worker.STATE] = group.address
        used = machine.bytes_used + sum(region.size for region in self._regions)
        left = max(machine.sizes.memory - used, 0) // len(machine.workers)
        edges = self._region(left)
        block[Worker.EDGE] = edges.address
        block[Worker.EDGES_END] = edges.address + edges.size
        return edges

    def _region(self, size: int) -> Region:
        region = Region(size)
        self._regions.append(region)
        return region


@dataclass(frozen=True)
class Levels(Sequence[Numbers]):
    """The numbers of the states of each level, from their segments."""

    levels: Sequence[Segments]
    kind: np.dtype[Any]

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, depth: int) -> Numbers:  # type: ignore[override]
        segments = (np.arange(first, first + count) for first, count in self.levels[depth])
        return np.concatenate([np.zeros(0, self.kind), *segments], dtype=self.kind)


def _steps_in(region: Region, end: int, kind: type[np.signedinteger[Any]]) -> Steps:
    """Return the steps that a worker listed in a region, up to an address."""
    listed = np.frombuffer(region.view(0, end - region.address), np.uint64)
    heads = np.flatnonzero(listed >> np.uint64(INSTANCE) == BEGINS)
    first = (listed[heads] & NUMBER).astype(kind)
    steps = np.delete(listed, heads)
    source = np.repeat(first, np.diff(heads, append=len(listed)) - 1)
    source += (steps >> np.uint64(PLACE) & np.uint64(0xFF)).astype(kind)
    target, instance = (steps & NUMBER).astype(kind), steps >> np.uint64(INSTANCE)
    return Steps(source, target, instance.astype(np.uint16))


def _array(region: Region, numbers: int) -> Words:
    return np.frombuffer(region.view(0, 8 * numbers), np.uint64)


def _joined(levels: Sequence[Segments]) -> Segments:
    """Return the segments of all levels; adjacent ones are joined."""
    ordered = sorted(segment for level in levels for segment in level)
    ends = [first + count for first, count in ordered]
    begins = [0] + [
        number
        for number, (end, (first, _)) in enumerate(zip(ends, ordered[1:], strict=False), 1)
        if first != end
    ]
    return [
        (ordered[first][0], ends[last - 1] - ordered[first][0])
        for first, last in pairwise([*begins, len(ordered)])
    ]
