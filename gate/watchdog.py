"""Notices an action that never ends, or a file that never finishes importing, and says where.

A thread looks at what the main thread is doing.  As long as one and the same call of the model goes
on, it has not ended.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from types import FrameType

from .. import spec
from ..checker.result import Progress
from ..errors import Line, is_users
from ..model import named

HUNG = "hung"
"""What is reported where machine code makes no progress: nobody sees in which action it is."""

_MACHINE = str(Path(spec.__file__).parent / "checker" / "compiled" / "machine.py")
"""Where machine code is called from; small levels are done in the main thread."""

_CALLERS = (spec.__file__, named.__file__)
"""Where the model is called from: its actions and predicates, and a user's file as a whole."""

_SAME_REPORTS = 20
"""So many reports of the same progress are needed as well, since a table may just be growing."""


Say = Callable[[str, Line | None], None]


def watch(stalled: float, say: Say) -> None:
    """Watch the thread that calls this, until the process ends.

    Parameters
    ----------
    stalled
        Seconds that one call of the model may take.
    say
        Told what never ends, and where (``HUNG`` for machine code); then the process ends.
    """
    main = threading.get_ident()
    threading.Thread(target=_look, args=(main, stalled, say), daemon=True).start()


def _look(main: int, stalled: float, say: Say) -> None:
    pause = threading.Event()
    call: FrameType | None = None
    since = monotonic()
    while not pause.wait(min(0.5, stalled / 4)):
        frame = sys._current_frames().get(main)
        now = _model_call(frame)
        if now is None or now is not call:
            call, since = now, monotonic()
        elif monotonic() - since >= stalled:
            what = _described(call)
            text = what if what == HUNG else f"{what} has not ended after {stalled:g} s"
            say(text, _innermost(frame))
            os._exit(1)


def _model_call(frame: FrameType | None) -> FrameType | None:
    """Return the innermost call that leads from the checker into the model, if there is one."""
    if frame is not None and frame.f_code.co_filename == _MACHINE:
        return frame
    inner: FrameType | None = None
    while frame is not None:
        if frame.f_code.co_filename in _CALLERS:
            return inner
        inner, frame = frame, frame.f_back
    return None


def _described(call: FrameType) -> str:
    """Return what a call of the model is: a step, or the function."""
    if call.f_code.co_filename == _MACHINE:
        return HUNG
    caller = call.f_back
    while caller is not None and caller.f_code.co_filename == spec.__file__:
        here = caller.f_locals
        if "index" in here and "self" in here:
            return str(here["self"].instances[here["index"]].step)
        if "step" in here:
            return str(here["step"])
        caller = caller.f_back
    if call.f_code.co_name == "<module>":
        return "the import of the file"
    return call.f_code.co_name


def _innermost(frame: FrameType | None) -> Line | None:
    """Return the line that runs, in the user's own files where there are any."""
    lines: list[Line] = []
    while frame is not None:
        lines.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return next((line for line in lines if is_users(line[0])), lines[0] if lines else None)


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
        """Take note of how far the search is."""
        now = progress.distinct_states, progress.depth, progress.queue
        self._same += 1
        if now != self._last:
            self._last, self._since, self._same = now, monotonic(), 0
        in_machine_code = progress.memory > 0
        too_long = monotonic() - self._since >= self._stalled
        if in_machine_code and too_long and self._same >= _SAME_REPORTS:
            self._give_up()
        self._pass_on(progress)
