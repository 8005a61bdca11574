"""What searches in machine code have in common, wherever they find a level."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.layout import State
from ...core.spec import Property
from ..liveness.decide import witness_of
from ..liveness.lasso import Witness
from ..request import SearchRequest
from ..stop import Stopped


class LevelSearch:
    """A breadth-first search in machine code, with what is known of it so far.

    It has attributes of :class:`..interpreted.Search` that a report needs.
    """

    def __init__(self, request: SearchRequest) -> None:
        self.request = request
        self.system, self.properties = request.system, request.properties
        self.symmetry = request.symmetry
        self.violations: dict[str, tuple[int, list[State]]] = {}
        self.stopped_by: Stopped | None = None

    def _within_limits(self, distinct: int, seconds: float) -> bool:
        """Whether a search that has found so many states may go on; note why if it may not."""
        self.stopped_by = self.request.limits.reached(distinct, seconds=seconds) or self.stopped_by
        return self.stopped_by is None

    def _largest(self, taken: Sequence[int]) -> str:
        """Return the name of the action that was taken most often; nothing if none was."""
        if not any(taken):
            return ""
        return self.system.instances[max(range(len(taken)), key=taken.__getitem__)].action.name

    def _active(self) -> int:
        """Return a bit for every property that is still to be decided."""
        return sum(
            1 << number
            for number, prop in enumerate(self.properties)
            if prop.name not in self.violations
        )

    def states(self) -> list[list[State]]:
        """Return all states, level by level."""
        raise NotImplementedError

    def witnesses(self, properties: Sequence[Property]) -> dict[str, Witness]:
        """Return where liveness properties are violated, by name, once it has seen all states."""
        levels = self.states()
        witnesses = ((prop.name, witness_of(self.system, prop, levels)) for prop in properties)
        return {name: witness for name, witness in witnesses if witness}
