"""Whether a state can recover by fair steps alone, decided from that state on."""

from __future__ import annotations

from typing import Any

from .layout import State
from .vocabulary import Property


def recovers(system: Any, prop: Property, state: State) -> bool:
    """Whether fair steps alone can lead from `state` to one that has recovered.

    Parameters
    ----------
    system
        A transition system, which is declared above this module.
    """
    seen, todo = {state}, [state]
    while todo:
        here = todo.pop()
        system.layout.load(here)
        if system.satisfies(prop):
            return True
        for index, successor in system.successors(here):
            fair = system.is_fair(system.instances[index].action)
            if fair and successor not in seen and system.admits(successor):
                seen.add(successor)
                todo.append(successor)
    return False
