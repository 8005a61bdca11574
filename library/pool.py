"""Parallel work in processes, each of which may hang, fail or be killed."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from time import sleep
from typing import Any, TypeVar

from ..core.errors import EngineError, TidegateError, place_of, shown
from ..core.imports import safe_path
from ..core.interrupts import TICK, LimitReachedError, blocked, leave_to_parent
from ..core.memory import share_of
from ..core.result import Resources

W = TypeVar("W")
A = TypeVar("A")

AHEAD = 1000
"""The most answers that wait for an earlier one."""


class WorkerError(EngineError):
    """A process did not answer, so that its result is unknown."""


class _Worker:
    """A process that does one piece of work at a time; ``number`` is that of the present one."""

    def __init__(self, part: Resources) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=_serve, args=(theirs, part), daemon=True)
        try:
            with safe_path():
                self._process.start()
        except OSError as error:
            raise WorkerError(
                f"a worker process cannot be started ({error.strerror}); try --jobs 1"
            ) from None
        finally:
            theirs.close()
        self.number: int | None = None

    def begin(self, number: int, function: Callable[[Any], Any], work: Any) -> None:
        """Give it a piece of work."""
        self.number = number
        with suppress(OSError):
            # If it has died, waiting for its answer reports that.
            self.connection.send((function, work))

    def answer(self) -> Any:
        """Return the result of its work, or raise its error."""
        try:
            answer, error = self.connection.recv()
        except (EOFError, OSError):
            raise self._died() from None
        if error is not None:
            raise error
        self.number = None
        return answer

    def _died(self) -> WorkerError:
        self._process.join()
        # The same signal may be about to arrive here, too, as when a terminal is closed.
        sleep(TICK)
        code = self._process.exitcode or 0
        why = f"signal {-code}" if code < 0 else f"status {code}"
        hint = "; the system may have run out of memory: try --jobs 1" if code == -9 else ""
        return WorkerError(f"a worker process ended with {why} during its work{hint}")

    def end(self) -> None:
        """End the process, even if it is working."""
        self._process.kill()
        self._process.join()
        self.connection.close()


class Workers:
    """Processes that do pieces of work."""

    def __init__(self, workers: Sequence[_Worker]) -> None:
        self._workers = workers

    def in_order(self, function: Callable[[W], A], pieces: Iterable[W]) -> Iterator[A]:
        """Yield the results of the pieces of work in order, each as soon as it is known.

        Parameters
        ----------
        function
            A function of a module, since processes find it by its name.

        Raises
        ------
        WorkerError
            If a process ended without an answer.
        """
        todo = enumerate(pieces)
        done: dict[int, A] = {}
        due = 0
        while True:
            self._begin(function, todo, len(done))
            busy = {
                worker.connection: worker for worker in self._workers if worker.number is not None
            }
            if not busy:
                return
            for connection in wait(list(busy)):
                assert isinstance(connection, Connection)
                number = busy[connection].number
                assert number is not None
                done[number] = busy[connection].answer()
            self._begin(function, todo, len(done))
            while due in done:
                yield done.pop(due)
                due += 1

    def _begin(
        self, function: Callable[[W], A], todo: Iterator[tuple[int, W]], waiting: int
    ) -> None:
        """Give work to idle processes, unless too many answers are waiting."""
        for worker in self._workers:
            if worker.number is None and waiting < AHEAD:
                for number, piece in todo:
                    worker.begin(number, function, piece)
                    break


@contextmanager
def processes(jobs: int) -> Iterator[Workers]:
    """Start worker processes; leaving the block ends those that still run, also after Ctrl-C."""
    part = share_of(jobs)
    workers: list[_Worker] = []
    try:
        # A signal is delivered only when all workers are listed: otherwise some would be left.
        with blocked():
            for _ in range(jobs):
                workers.append(_Worker(part))  # noqa: PERF401 - after an error these must be ended
        yield Workers(workers)
    finally:
        for worker in workers:
            worker.end()


_share = Resources(workers=1)
"""The resources of a search in this process."""


def share() -> Resources:
    """Return the resources of one of several searches: its share of the cores and the memory."""
    return _share


def _serve(connection: Connection, part: Resources) -> None:
    """Do pieces of work until the process is ended."""
    global _share
    _share = part
    leave_to_parent()
    while True:
        try:
            function, work = connection.recv()
        except EOFError:
            return
        answer, failure = None, None
        try:
            answer = function(work)
        except BaseException as error:  # noqa: BLE001 - also where a rule calls sys.exit()
            failure = _portable(error)
        connection.send((answer, failure))


def _portable(error: BaseException) -> BaseException:
    """Return an error in a form that can be sent to another process."""
    if isinstance(error, LimitReachedError):
        return error
    if isinstance(error, TidegateError):
        with suppress(Exception):
            again = pickle.loads(pickle.dumps(error))
            if type(again) is type(error) and str(again) == str(error):
                return error
    place = place_of(error)
    at = f" ({shown(place)})" if place else ""
    return WorkerError(f"a worker process failed with {type(error).__name__}: {error}{at}")
