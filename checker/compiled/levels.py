"""What searches in machine code have in common, wherever they find a level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

from ...core.layout import State
from ...core.spec import Property, TransitionSystem
from ...core.symmetry import Symmetry
from ..result import Limits, Progress


class LevelSearch:
    """A breadth-first search in machine code, with what is known of it so far.

    It has attributes of :class:`..interpreted.Search` that a report needs.

    Parameters
    ----------
    started
        When the clock began that a limit in seconds refers to; now, if not given.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        keep_going: bool,
        symmetry: Symmetry | None,
        started: float | None,
    ) -> None:
        self.system = system
        self.properties = properties
        self.keep_going = keep_going
        self.symmetry = symmetry
        self.violations: dict[str, tuple[int, list[State]]] = {}
        self.stopped_by: str | None = None
        self.started = perf_counter() if started is None else started
        self._report: Callable[[Progress], None] = lambda progress: None
        self._limits = Limits()

    def _within_limits(self, distinct: int, seconds: float) -> bool:
        """Whether a search that has found so many states may go on; note why if it may not."""
        limits = self._limits
        if limits.seconds is not None and seconds >= limits.seconds:
            self.stopped_by = f"--time-limit {limits.seconds:g}"
        elif limits.max_states is not None and distinct >= limits.max_states:
            self.stopped_by = f"--max-states {limits.max_states}"
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
