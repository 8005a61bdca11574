"""Detects an action that never ends, or a file that never finishes importing, and reports where.

A thread watches the main thread: as long as the same call of the model is on its stack, that call
has not ended.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from time import monotonic
from types import FrameType

from ..checker.calls import described, innermost, model_call
from ..checker.result import Progress
from ..core.errors import Line

HUNG = "hung"
"""Reported if machine code makes no progress; the action is unknown."""

_SAME_REPORTS = 20
"""The number of equal progress reports that count as a hang: a table may just be growing."""


Say = Callable[[str, Line | None], None]


def watch(stalled: float, say: Say) -> None:
    """Watch the thread that calls this, until the process ends.

    Parameters
    ----------
    stalled
        Seconds that one call of the model may take.
    say
        Called with a message and the source line; then the process ends.
    """
    main = threading.get_ident()
    threading.Thread(target=_look, args=(main, stalled, say), daemon=True).start()


def _look(main: int, stalled: float, say: Say) -> None:
    pause = threading.Event()
    call: FrameType | None = None
    since = monotonic()
    while not pause.wait(min(0.5, stalled / 4)):
        frame = sys._current_frames().get(main)
        now = model_call(frame)
        if now is None or now is not call:
            call, since = now, monotonic()
        elif monotonic() - since >= stalled:
            at = innermost(frame)
            say(f"{described(now)} has not ended after {stalled:g} s", at[1] if at else None)
            os._exit(1)


class Heartbeat:
    """Passes progress on, and notices when machine code makes none for too long."""

    def __init__(
        self, stalled: float, pass_on: Callable[[Progress], None], give_up: Callable[[], None]
    ) -> None:
        self._stalled = stalled
        self._pass_on = pass_on
        self._give_up = give_up
        self._last: tuple[int, int, int] | None = None
        self._since = monotonic()
        self._same = 0

    def __call__(self, progress: Progress) -> None:
        """Record the progress of the search."""
        now = progress.distinct_states, progress.depth, progress.queue
        self._same += 1
        if now != self._last:
            self._last, self._since, self._same = now, monotonic(), 0
        in_machine_code = progress.memory > 0
        too_long = monotonic() - self._since >= self._stalled
        if in_machine_code and too_long and self._same >= _SAME_REPORTS:
            self._give_up()
        self._pass_on(progress)
