"""The threads that machine code runs in, since a thread inside it cannot be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from typing import TypeVar

from ...core.interrupts import abandon, postponed
from .memory import Region, Shared

T = TypeVar("T")

AT_ONCE = 8
"""Pieces of memory that each thread prepares between two checks for an interrupt."""

POLL = 0.1
"""Seconds between checks of the workers' progress."""

PATIENCE = 3.0
"""Seconds that workers have to stop: they finish their chunk of states first."""

STUCK = (
    f"; machine code had not returned {PATIENCE:.0f} s after it was told to: some action or "
    "predicate may never end, and --engine interpreted says which"
)
"""The note of a stopped search if a worker did not return."""


class Threads:
    """Threads that run only while their caller waits for them, even after an interrupt.

    Memory in which one still writes must not be freed.

    Parameters
    ----------
    count
        The most threads.
    shared
        The block in which workers see whether they have to stop.
    memory
        The memory that they work in, which is kept if one does not return.

    Attributes
    ----------
    stuck
        Whether some call of machine code did not return in time; a thread is still in it.
    """

    def __init__(self, count: int, shared: Region, memory: object) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="tidegate")
        self.count = count
        self._shared, self._memory = shared, memory
        self.stuck = False

    def call(self, calls: Iterable[Callable[[], int]], watch: Callable[[], bool]) -> list[int]:
        """Call machine code, and return the results; empty if some call is stuck.

        Parameters
        ----------
        watch
            Called now and then; False tells the workers to stop.
        """
        running: list[Future[int]] = []
        try:
            self._begin(calls, running)
            while not _return(running):
                if not watch():
                    self._stop(running)
                    break
        except BaseException:
            self._stop(running)
            raise
        return [] if self.stuck else [call.result() for call in running]

    def finish(self, calls: Iterable[Callable[[], object]]) -> None:
        """Make short calls; an interrupt has to wait until they end."""
        running: list[Future[object]] = []
        with postponed():
            try:
                self._begin(calls, running)
            finally:
                wait(running)
        for call in running:
            call.result()

    def prepare(self, region: Region, length: int) -> None:
        """Populate the first bytes of a region, each thread a part of them."""
        pieces = region.unprepared(length)
        for piece in islice(pieces, 1):
            region.prepare(*piece)
        while some := list(islice(pieces, AT_ONCE * self.count)):
            self.finish(partial(region.prepare, *piece) for piece in some)

    def _begin(self, calls: Iterable[Callable[[], T]], running: list[Future[T]]) -> None:
        """Begin calls and list them, uninterrupted, so that none is left unlisted."""
        with postponed():
            try:
                for call in calls:
                    running.append(self._pool.submit(call))  # noqa: PERF401 - one may fail
            except RuntimeError as error:
                raise MemoryError("no room for another thread") from error

    def _stop(self, running: Sequence[Future[int]]) -> None:
        """Tell the workers to stop, and wait; one that does not return in time keeps running."""
        self._shared[Shared.STOP] = 1
        self.stuck = True
        try:
            self.stuck = bool(wait(running, PATIENCE).not_done)
        finally:
            if self.stuck:
                abandon(self._memory)

    def close(self) -> None:
        """End the threads, except one that does not return."""
        self._pool.shutdown(wait=not self.stuck)


def _return(running: Iterable[Future[int]]) -> bool:
    """Whether all calls return within a short time."""
    try:
        for call in running:
            call.result(POLL)
    except TimeoutError:
        return False
    return True
