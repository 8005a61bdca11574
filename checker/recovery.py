"""States that cannot recover: no fair steps lead out of what is wrong.

A plain deadlock check is of no use in a model of faults, since a crash is nearly always enabled.
So this asks of every state whether it can recover without one: whether, along steps of actions that
a correct system takes sooner or later (fairness), a state is reached that has recovered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.layout import State
from ..core.spec import Fairness, Property, TransitionSystem


def stuck_states(
    system: TransitionSystem[Any, Any], prop: Property, levels: Sequence[Sequence[State]]
) -> tuple[int, list[State]] | None:
    """Return the first level that has states which cannot recover, with those states.

    Parameters
    ----------
    prop
        Its predicate says which states have recovered.
    levels
        All reachable states: the search must be complete.  A state outside the system's constraint
        leads nowhere, since nothing is known of what follows it.
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
                fair = system.instances[instance].action.fairness is not Fairness.NONE
                if fair and system.inside():
                    backwards.add_edge(successor, state)
    recovering = nx.descendants(backwards, recovered)
    for number, level in enumerate(levels):
        stuck = [state for state in level if state not in recovering]
        if stuck:
            return number, stuck
    return None
