"""The strongly connected components of a graph, in the subset of Python that is translated.

Source: Pearce, "A space-efficient algorithm for finding strongly connected components" (2016).
"""

from __future__ import annotations

import hashlib
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.spec import EngineError
from .build import Code, object_code
from .code_size import CodeSize
from .intrinsics import DECLARATIONS, INTRINSICS, load, store
from .kernel_functions import KernelFunctions
from .object_files import cached, name_of
from .values import Number

Numbers = NDArray[np.int64]


class Graph(IntEnum):
    """Byte offsets in the block of a graph; all but the first two are addresses of arrays.

    The targets of the edges from a state are in ``ORDERED``, from ``FIRST[state]`` on;
    ``LEFT[state]`` is the end of those that were not followed yet.  ``PENDING`` has the states of
    the path at its beginning, and at its end those whose component is not complete.
    """

    STATES = 0
    EDGES = 8
    SOURCE = 16
    TARGET = 24
    ORDERED = 32
    FIRST = 40
    LEFT = 48
    LABEL = 56
    PENDING = 64


def label_components(graph: int) -> None:
    """Write the label of its component to each state: an edge never leads to a smaller one."""
    order_edges(graph)
    states, label = load(graph + Graph.STATES), load(graph + Graph.LABEL)
    path = load(graph + Graph.PENDING)
    index, free, pending = 1, states, path + 8 * states
    for start in range(states):
        if load(label + 8 * start) != 0:
            continue
        store(label + 8 * start, index)
        index += 1
        store(path, start * 2 + 1)
        top = path
        while top >= path:
            state, is_root = load(top) >> 1, load(top) & 1
            mine = load(label + 8 * state)
            following = next_target(graph, state)
            if following >= 0:
                other = load(label + 8 * following)
                if other == 0:
                    # The edge is followed again when the path is back.
                    store(label + 8 * following, index)
                    index += 1
                    top += 8
                    store(top, following * 2 + 1)
                    continue
                drop_target(graph, state)
                if other < mine:
                    store(label + 8 * state, other)
                    store(top, state * 2)
                continue
            top -= 8
            if is_root == 0:
                pending -= 8
                store(pending, state)
                continue
            # Labels of complete components are above all indices.
            index -= 1
            while pending < path + 8 * states and load(label + 8 * load(pending)) >= mine:
                store(label + 8 * load(pending), free)
                pending += 8
                index -= 1
            store(label + 8 * state, free)
            free -= 1


def order_edges(graph: int) -> None:
    """Order the targets of the edges by their sources, and mark none as followed."""
    states, edges = load(graph + Graph.STATES), load(graph + Graph.EDGES)
    source, target = load(graph + Graph.SOURCE), load(graph + Graph.TARGET)
    first, left = load(graph + Graph.FIRST), load(graph + Graph.LEFT)
    for edge in range(edges):
        count = left + 8 * load(source + 8 * edge)
        store(count, load(count) + 1)
    total = 0
    for state in range(states):
        store(first + 8 * state, total)
        total += load(left + 8 * state)
        store(left + 8 * state, load(first + 8 * state))
    ordered = load(graph + Graph.ORDERED)
    for edge in range(edges):
        place = left + 8 * load(source + 8 * edge)
        store(ordered + 8 * load(place), load(target + 8 * edge))
        store(place, load(place) + 1)


def next_target(graph: int, state: int) -> int:
    """Return the target of the next edge from a state, or -1."""
    left = load(load(graph + Graph.LEFT) + 8 * state)
    if left == load(load(graph + Graph.FIRST) + 8 * state):
        return -1
    return load(load(graph + Graph.ORDERED) + 8 * left - 8)


def drop_target(graph: int, state: int) -> None:
    """Count the next edge from a state as followed."""
    place = load(graph + Graph.LEFT) + 8 * state
    store(place, load(place) - 1)


@cache
def _code() -> Code:
    """Return the machine code of ``label_components``."""
    functions = KernelFunctions(INTRINSICS, CodeSize())
    graph = Number("%graph")
    translated = functions.function(label_components, [graph])
    call = f'call void @"{translated.name}"({translated.passed([graph])})'
    head = "define i64 @tidegate_components(i64 %graph) nounwind"
    text = "\n".join([DECLARATIONS, *functions.bodies, f"{head} {{\n  {call}\n  ret i64 0\n}}"])
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Code(cached(name_of(digest), lambda: object_code(text)))


def components(states: int, source: NDArray[Any], target: NDArray[Any]) -> Numbers:
    """Return for each state the label of its strongly connected component, from 1 on.

    Raises
    ------
    EngineError
        If an edge leads to a smaller label, so that a component could be in two parts: machine code
        is not trusted.
    """
    source, target = (np.ascontiguousarray(each, np.int64) for each in (source, target))
    ordered = np.empty(len(source), np.int64)
    first, left, label, pending = np.zeros((4, states), np.int64)
    arrays = (source, target, ordered, first, left, label, pending)
    addresses = (each.ctypes.data for each in arrays)
    block = np.array([states, len(source), *addresses], np.int64)
    _code().function("components", 1)(block.ctypes.data)
    if (label[source] > label[target]).any() or not label.all():
        raise EngineError("machine code does not find the components of a graph")
    return label
