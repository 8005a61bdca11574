"""States that cannot recover: no fair steps lead to a state that has recovered.

A plain deadlock check is useless in a model with faults, since a crash is nearly always enabled.
So this decides for every state whether it can recover without a fault: whether steps of fair
actions, which a correct system takes eventually, lead to a state that has recovered.
"""

from __future__ import annotations

from ..core.layout import State
from ..core.spec import Property
from .graph import StateGraph


def stuck_states(graph: StateGraph, prop: Property) -> tuple[int, list[State]] | None:
    """Return the least depth of a state that cannot recover, and all such states of that depth.

    Parameters
    ----------
    graph
        A state outside the system's constraint leads nowhere, since its successors are unknown.
    prop
        Its predicate says which states have recovered.
    """
    import numpy as np

    from .liveness.arrays import Successors

    system, size = graph.system, len(graph.states)
    fair = np.array([system.is_fair(instance.action) for instance in system.instances], np.bool_)
    inside = np.ones(size + 1, np.bool_)
    inside[[size, *graph.outside]] = False
    recovered = np.flatnonzero(np.fromiter(graph.satisfying(prop), np.bool_, size))
    source, target, instance = graph.columns()
    taken = fair[instance] & inside[target]
    # The number after the last state stands for recovery; the search goes backwards from it.
    ahead = np.concatenate([np.full(len(recovered), size), target[taken]])
    behind = np.concatenate([recovered, source[taken]])
    backwards = Successors.of(size + 1, ahead, behind)
    recovers, frontier = np.zeros(size + 1, np.bool_), np.array([size])
    while len(frontier):
        recovers[frontier] = True
        following = backwards.of_all(frontier)
        frontier = following[~recovers[following]]
    stuck = np.flatnonzero(inside & ~recovers).tolist()
    if not stuck:
        return None
    depth = graph.depths[stuck[0]]
    return depth, [graph.states[number] for number in stuck if graph.depths[number] == depth]
