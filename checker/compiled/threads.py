"""The threads that machine code runs in, since nothing interrupts a thread that is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

from ..interrupts import abandon, postponed
from .memory import Region, Shared

T = TypeVar("T")

POLL = 0.1
"""Seconds between looks at the workers' progress."""

PATIENCE = 3.0
"""Seconds that workers which were told to stop have for what they are at: a chunk of states."""

STUCK = (
    f"; machine code had not returned {PATIENCE:.0f} s after it was told to: some action or "
    "predicate may never end, and --engine interpreted says which"
)
"""What a search that was stopped says where a worker did not come back."""


class Threads:
    """Threads that are at work only while somebody waits for them, an interrupt or not.

    Memory in which one still writes must not be given back.

    Parameters
    ----------
    count
        How many there are, at most.
    shared
        The block in which workers look whether they have to stop.
    memory
        All that they work in, which is kept where one does not return.

    Attributes
    ----------
    stuck
        Whether some call of machine code did not return in time; a thread is still in it.
    """

    def __init__(self, count: int, shared: Region, memory: object) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="tidegate")
        self._shared, self._memory = shared, memory
        self.stuck = False

    def call(self, calls: Iterable[Callable[[], int]], watch: Callable[[], bool]) -> list[int]:
        """Call machine code, and return what it returns; nothing if some call is stuck.

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
        """Call what takes a moment; an interrupt has to wait for the end of that."""
        running: list[Future[object]] = []
        with postponed():
            try:
                self._begin(calls, running)
            finally:
                wait(running)
        for call in running:
            call.result()

    def _begin(self, calls: Iterable[Callable[[], T]], running: list[Future[T]]) -> None:
        """Begin calls, and note them; an interrupt amid that would leave one that nobody knows."""
        with postponed():
            for call in calls:
                running.append(self._pool.submit(call))  # noqa: PERF401 - one may fail

    def _stop(self, running: Sequence[Future[int]]) -> None:
        """Tell the workers to stop, and give them time to; what does not return is left running."""
        self._shared[Shared.STOP] = 1
        self.stuck = True
        try:
            self.stuck = bool(wait(running, PATIENCE).not_done)
        finally:
            if self.stuck:
                abandon(self._memory)

    def close(self) -> None:
        """End the threads, but for one that does not return."""
        self._pool.shutdown(wait=not self.stuck)


def _return(running: Iterable[Future[int]]) -> bool:
    """Whether all calls return within a short time."""
    try:
        for call in running:
            call.result(POLL)
    except TimeoutError:
        return False
    return True
