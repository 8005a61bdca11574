"""When the search for traces ends: it counts within the limits of the search before it.

A violation that was found is reported all the same; it then lacks its trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from ..core.spec import TidegateError
from .interrupts import Alarm, LimitReachedError, alarm, reason
from .request import SearchRequest
from .result import doing
from .stop import Stop, Stopped

GRACE = 1.0
"""Seconds for the traces of a search that was stopped itself: most take a few milliseconds."""

SLACK = 8 << 20
"""Bytes by which a trace may exceed the memory limit: most take a few kilobytes."""

_OFTEN = 1024
"""Steps between two looks at what changes slowly."""


class Deadline:
    """Ends the search for the traces of one search.

    Parameters
    ----------
    was_stopped
        What stopped the search itself, if anything did.  After the time limit or an interrupt there
        is a little time left for the traces.

    Attributes
    ----------
    stopped_by
        What ended the search for the traces; None if nothing did.
    """

    def __init__(self, request: SearchRequest, was_stopped: Stopped | None) -> None:
        self.stopped_by: Stopped | None = None
        ended = was_stopped is not None and was_stopped.by in (Stop.TIME_LIMIT, Stop.INTERRUPT)
        self._request, self._was_stopped = request, was_stopped if ended else None
        self._limit, self._started = request.limits.seconds, request.started
        if ended:
            self._limit = GRACE if self._limit is None else self._limit
            self._started = max(self._started, perf_counter() + GRACE - self._limit)
        self._alarm = Alarm()
        self._steps = self._more = 0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """End the block when the time is up, memory is short or a signal comes, and note that."""
        try:
            watched = alarm(self._limit, self._started, at_once=True)
            self._more = SLACK - min(self._request.memory.left(), 0)
            with self._request.memory.kept(SLACK), watched as self._alarm:
                yield
        except KeyboardInterrupt as error:
            self._note(reason(error))
        except TidegateError:
            if self._alarm.stopped_by is None:
                raise
            # The model may have swallowed the interrupt, and with it a step.
            self._note(self._alarm.stopped_by)

    def watch(self) -> None:
        """Raise an interrupt if the block has to end: a thread has no signals, memory has none.

        Raises
        ------
        LimitReachedError
            If it has.
        """
        self._steps += 1
        if self._limit is not None and perf_counter() - self._started >= self._limit:
            raise LimitReachedError(Stopped(Stop.TIME_LIMIT, f"{self._limit:g}"))
        if self._steps % _OFTEN:
            return
        self._request.report(doing("finding the steps of the trace"))
        if self._alarm.stopped_by is not None:
            raise LimitReachedError(self._alarm.stopped_by)
        if stopped := self._request.memory.reached(perf_counter(), self._more):
            raise LimitReachedError(stopped)

    def _note(self, stopped_by: Stopped) -> None:
        """Keep what ended the block; within the grace that is what had stopped the search."""
        ran_out = stopped_by.by is Stop.TIME_LIMIT and self._was_stopped is not None
        self.stopped_by = self._was_stopped if ran_out else stopped_by
