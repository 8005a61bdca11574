"""The process of a cell, which searches it."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, perf_counter

from ..checker.interrupts import leave_to_parent, received
from ..checker.memory import resident_memory
from ..checker.result import Progress, Resources
from ..core.errors import Line, TidegateError, place_of
from .brokers import outcome_on_brokers
from .cells import Cell
from .results import CellOutcome, Deviation, Finding, Status, erred
from .search import Report, outcome_of
from .sources import Watch
from .watchdog import HUNG, Heartbeat, watch

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
