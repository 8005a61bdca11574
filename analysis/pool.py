"""Work side by side, in processes of which each may hang, die or be killed."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from time import perf_counter, sleep
from types import FrameType
from typing import Any, TypeVar

from ..checker.calls import model_call, where
from ..checker.interrupts import (
    LONG,
    TICK,
    Interrupted,
    LimitReachedError,
    blocked,
    leave_to_parent,
)
from ..checker.memory import share_of
from ..checker.result import Resources
from ..core.errors import EngineError, TidegateError, place_of, shown

W = TypeVar("W")
A = TypeVar("A")

AHEAD = 1000
"""Pieces of work that may be done before an earlier one is."""


class WorkerError(EngineError):
    """A process that did not answer; what it would have found is not known."""


class _Worker:
    """A process that does one piece of work at a time; ``number`` is that of the present one."""

    def __init__(self, part: Resources) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=_serve, args=(theirs, part), daemon=True)
        try:
            self._process.start()
        except OSError as error:
            raise WorkerError(
                f"a worker process cannot be started ({error.strerror}); try --jobs 1"
            ) from None
        finally:
            theirs.close()
        self.number: int | None = None
        self.since = 0.0

    def begin(self, number: int, function: Callable[[Any], Any], work: Any) -> None:
        """Have it do a piece of work."""
        self.number, self.since = number, perf_counter()
        with suppress(OSError):
            # Whether it has died shows where its answer is awaited.
            self.connection.send((function, work))

    def answer(self) -> Any:
        """Return what its work came to, or raise what it raised."""
        try:
            answer, error = self.connection.recv()
        except (EOFError, OSError):
            raise self._died() from None
        if error is not None:
            raise error
        self.number = None
        return answer

    def ask(self) -> None:
        """Have it say in which call of the model it is, if it is still in the one of last time."""
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGUSR1)

    def _died(self) -> WorkerError:
        self._process.join()
        # What ended it may be on its way here too: as when a terminal is closed.
        sleep(TICK)
        code = self._process.exitcode or 0
        why = f"signal {-code}" if code < 0 else f"status {code}"
        hint = "; the system may have run out of memory: try --jobs 1" if code == -9 else ""
        return WorkerError(f"a worker process ended with {why} amid its work{hint}")

    def end(self) -> None:
        """End the process, whatever it is at."""
        self._process.kill()
        self._process.join()
        self.connection.close()


class Workers:
    """Processes that do pieces of work."""

    def __init__(self, workers: Sequence[_Worker]) -> None:
        self._workers = workers

    def in_order(self, function: Callable[[W], A], pieces: Iterable[W]) -> Iterator[A]:
        """Yield what each piece of work comes to, in their order, as soon as that is known.

        Parameters
        ----------
        function
            A module's, since it crosses processes by its name.

        Raises
        ------
        WorkerError
            If a process ended without an answer.
        KeyboardInterrupt
            If the user interrupts; with the call of the model that a process hangs in, if one does.
        """
        todo = enumerate(pieces)
        done: dict[int, A] = {}
        due = 0
        try:
            while True:
                self._begin(function, todo, len(done))
                busy = {
                    worker.connection: worker
                    for worker in self._workers
                    if worker.number is not None
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
        except LimitReachedError:
            raise
        except KeyboardInterrupt as error:
            raise Interrupted(self._where() or getattr(error, "where", "")) from None

    def _begin(
        self, function: Callable[[W], A], todo: Iterator[tuple[int, W]], waiting: int
    ) -> None:
        """Give work to the processes that have none, unless too many answers are waiting."""
        for worker in self._workers:
            if worker.number is None and waiting < AHEAD:
                for number, piece in todo:
                    worker.begin(number, function, piece)
                    break

    def _where(self) -> str:
        """Return the call of the model that a process has been in for long, if any."""
        late = perf_counter() - LONG
        slow = [
            worker for worker in self._workers if worker.number is not None and worker.since < late
        ]
        for _ in range(2 if slow else 0):
            for worker in slow:
                worker.ask()
            sleep(TICK)
        for connection in wait([worker.connection for worker in slow], TICK):
            assert isinstance(connection, Connection)
            with suppress(EOFError, OSError):
                message = connection.recv()
                if isinstance(message, str):
                    return message
        return ""


@contextmanager
def processes(jobs: int) -> Iterator[Workers]:
    """Start worker processes; leaving the block ends what still runs, also after Ctrl-C."""
    part = share_of(jobs)
    workers: list[_Worker] = []
    try:
        # One that comes now is told when all are known, here and there: else some would be left.
        with blocked():
            for _ in range(jobs):
                workers.append(_Worker(part))  # noqa: PERF401 - those that there are must be ended
        yield Workers(workers)
    finally:
        for worker in workers:
            worker.end()


_share = Resources(workers=1)
"""What a search in this process may use."""


def share() -> Resources:
    """Return what one of several searches may use: its part of the cores and of the memory."""
    return _share


def _serve(connection: Connection, part: Resources) -> None:
    """Do pieces of work until the process is ended."""
    global _share
    _share = part
    leave_to_parent()
    signal.signal(signal.SIGUSR1, _saying_where(connection))
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


def _saying_where(connection: Connection) -> Callable[[int, FrameType | None], None]:
    """Return what says in which call of the model this process is, the second time it is called."""
    last: FrameType | None = None

    def say(number: int, frame: FrameType | None) -> None:
        nonlocal last
        call = model_call(frame)
        if call is not None and call is last:
            connection.send(where(frame))
        last = call

    return say


def _portable(error: BaseException) -> BaseException:
    """Return an error in a form that crosses processes."""
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
