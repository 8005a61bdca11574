"""States that cannot recover: no fair steps lead to a state that has recovered.

A plain deadlock check is useless in a model with faults, since a crash is nearly always enabled.
So this decides for every state whether it can recover without a fault: whether steps of fair
actions, which a correct system takes eventually, lead to a state that has recovered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.layout import State
from ..core.spec import Property, TransitionSystem


def stuck_states(
    system: TransitionSystem[Any, Any], prop: Property, levels: Sequence[Sequence[State]]
) -> tuple[int, list[State]] | None:
    """Return the first level with states that cannot recover, and those states.

    Parameters
    ----------
    prop
        Its predicate says which states have recovered.
    levels
        All reachable states: the search must be complete.  A state outside the system's constraint
        leads nowhere, since its successors are unknown.
    """
    import networkx as nx

    recovered = object()
    backwards: Any = nx.DiGraph()
    backwards.add_node(recovered)
    for level in levels:
        for state in level:
            system.layout.load(state)
            if system.satisfies(prop):
                backwards.add_edge(recovered, state)
            for instance, successor in system.successors(state):
                if system.is_fair(system.instances[instance].action) and system.admits(successor):
                    backwards.add_edge(successor, state)
    recovering = nx.descendants(backwards, recovered)
    for number, level in enumerate(levels):
        stuck = [state for state in level if state not in recovering]
        if stuck:
            return number, stuck
    return None
