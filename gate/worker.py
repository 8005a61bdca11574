"""The process of a cell, which searches it.

Detects an action that never ends, or a file that never finishes importing, and reports where.

A thread watches the main thread: as long as the same call of the model is on its stack, that call
has not ended.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, perf_counter
from types import FrameType

from ..core.errors import Line, TidegateError, place_of
from ..core.interrupts import described, innermost, leave_to_parent, model_call, received
from ..core.memory import resident_memory
from ..core.result import Progress, Resources
from .brokers import outcome_on_brokers
from .cache import Watch
from .cells import Cell
from .results import CellOutcome, Deviation, Finding, Status, erred
from .search import Report, outcome_of

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


_EVERY = 0.25
"""Seconds between two messages on progress."""


class MemoryReachedError(BaseException):
    """More memory is used than the cell may have."""


def work(connection: Connection, cell: Cell, root: str, resources: Resources) -> None:
    """Decide a cell; send its progress and its outcome.

    Parameters
    ----------
    root
        The directory of the gate's file, to which the names of protocols are relative.
    """
    leave_to_parent()
    # Output of a custom protocol must not mix with the reports on standard output.
    with suppress(OSError):
        os.dup2(2, 1)
    os.chdir(root)
    started = perf_counter()

    def say(text: str, place: Line | None) -> None:
        connection.send(erred(cell, text, place, perf_counter() - started))

    stalled = cell.limits.stalled if cell.custom else inf
    if stalled < inf:
        watch(stalled, say)
    memory = cell.limits.memory or resources.memory or 0
    resources = replace(resources, memory=memory)
    try:
        sender = _Sender(connection, memory)
        outcome = _decided(cell, root, resources, Heartbeat(stalled, sender, sender.give_up))
    except TidegateError as error:
        outcome = erred(cell, " ".join([Exception.__str__(error), *error.details]), error.place)
    except (MemoryReachedError, MemoryError):
        text = f"not decided: stopped by the limit of {memory >> 20}M of memory"
        outcome = CellOutcome(cell, Status.LIMITED, [Finding(Deviation.LIMIT, "", text)])
    except BaseException as error:  # noqa: BLE001 - also where a protocol calls sys.exit()
        text = f"the search failed with {type(error).__name__}: {error}"
        outcome = erred(cell, text, place_of(error))
    outcome.seconds = perf_counter() - started
    if received() is None:
        connection.send(outcome)


def _decided(cell: Cell, root: str, resources: Resources, report: Report) -> CellOutcome:
    """Return the outcome of a cell."""
    if cell.brokers:
        return outcome_on_brokers(cell, cell.brokers, resources, report)
    watched = Watch(cell, Path(root))
    outcome = outcome_of(cell, resources, report)
    outcome.sources = watched.sources()
    return outcome


class _Sender:
    """Sends progress now and then, and ends a search that uses too much memory."""

    def __init__(self, connection: Connection, memory: int) -> None:
        self._connection = connection
        self._memory = memory
        self._sent = monotonic()

    def __call__(self, progress: Progress) -> None:
        if progress.doing or monotonic() - self._sent >= _EVERY:
            self._sent = monotonic()
            self._connection.send(progress)
            if resident_memory() > self._memory and not progress.memory:
                raise MemoryReachedError

    def give_up(self) -> None:
        """Say that machine code makes no progress, and end: its threads cannot be stopped."""
        self._connection.send(HUNG)
        os._exit(1)
