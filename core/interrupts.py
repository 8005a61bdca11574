"""What ends a search before it has explored everything: a limit, a signal, a model that hangs.

Both arrive as KeyboardInterrupt in the main thread, so that everything is cleaned up in the same
way.  A model may swallow that with a bare ``except:``, so they are recorded too.

Find the call of the model that is running: its action, predicate or other function.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

from .errors import Line, acts_for_caller, shown
from .origins import PACKAGE, is_library, is_tidegates, is_users
from .text import Unfinished


class Stop(StrEnum):
    """What can end a search; a limit is named by its option."""

    INTERRUPT = "an interrupt"
    TIME_LIMIT = "--time-limit"
    MAX_STATES = "--max-states"
    MAX_DEPTH = "--max-depth"
    MAX_MEMORY = "--max-memory"
    OUT_OF_MEMORY = "a lack of memory (ulimit -v); allow more, or choose smaller bounds"
    WALKS = "the number of walks"
    ASSUMPTION = "a broken assumption"
    FAILED = "an error of the model"
    UNWRITABLE = ""
    """The limit names the file that could not be written, and the reason."""


@dataclass(frozen=True)
class Stopped:
    """What ended a search.

    Parameters
    ----------
    by
        What ended it.
    limit
        The value of the limit that was reached, as printed.
    note
        A text after it, such as the call of the model that did not return.

    Examples
    --------
    >>> str(Stopped(Stop.TIME_LIMIT, "2.5", " in crash(broker=1), which has not returned"))
    '--time-limit 2.5 in crash(broker=1), which has not returned'
    """

    by: Stop
    limit: str = ""
    note: str = ""

    def __str__(self) -> str:
        return f"{self.by} {self.limit}".strip() + self.note

    def noting(self, text: str) -> Stopped:
        """Return the same with a text after the note."""
        return replace(self, note=self.note + text)


def is_interrupt(stopped_by: Stopped | None) -> bool:
    """Whether a search was interrupted."""
    return stopped_by is not None and stopped_by.by is Stop.INTERRUPT


_MODELS = (PACKAGE / "model", PACKAGE / "invariants", PACKAGE / "examples")


def model_call(frame: FrameType | None) -> FrameType | None:
    """Return the outermost call of the model that is on a stack, if there is one.

    It is called by what models are written in, which is in ``core``, or it is an import.
    """
    call: FrameType | None = None
    of_model: FrameType | None = None
    for one in _callers(frame):
        file = one.f_code.co_filename
        if acts_for_caller(one.f_code):
            call = of_model
        elif is_tidegates(file) and not any(map(Path(file).is_relative_to, _MODELS)):
            break
        elif not is_library(file):
            of_model = one
            call = one if one.f_code.co_name == "<module>" else call
    return call


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame, and those that wait for it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def described(call: FrameType) -> str:
    """Return a call of the model with its arguments, but for the state and the constants."""
    code = call.f_code
    if code.co_name == "<module>":
        return "the import of the file"
    names = islice(code.co_varnames, 2, max(code.co_argcount, 2))
    return f"{code.co_name}({', '.join(f'{name}={call.f_locals.get(name)}' for name in names)})"


def innermost(frame: FrameType | None) -> tuple[str, Line] | None:
    """Return the running function with its line: the user's own function if there is one."""
    running = [
        (one.f_code.co_name, (one.f_code.co_filename, one.f_lineno)) for one in _callers(frame)
    ]
    own = (call for call in running if is_users(call[1][0]))
    return next(own, running[0] if running else None)


def where(frame: FrameType | None) -> str:
    """Return the call of the model that a frame belongs to, in words; empty if there is none.

    The words continue a sentence: ``in produce(leader=0), which has not returned (rule,
    fence.py:9)``.
    """
    call, at = model_call(frame), innermost(frame)
    if call is None or at is None:
        return ""
    function, line = at
    return f"in {described(call)}, which has not returned ({function}, {shown(line)})"


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU)
"""The signals that end a command, which cleans up and reports first.

SIGXCPU comes at the soft limit of CPU time (``ulimit -S -t``), and once a second from then on.
"""

LONG = 0.5
"""Seconds after which a call of the model is reported as one that does not return."""

TICK = 0.2
"""Seconds between looks at the model once the time is up."""

SET_DEATH_SIGNAL = 1
"""Linux's PR_SET_PDEATHSIG: the signal that a process gets when its parent ends."""

Handler = Callable[[int, FrameType | None], None]


class Interrupted(KeyboardInterrupt):
    """A signal ended the work; ``where`` is the call of the model that it interrupted, if any."""

    def __init__(self, where: str = "") -> None:
        super().__init__(where)
        self.where = where


class LimitReachedError(KeyboardInterrupt):
    """A limit ended the work; ``stopped_by`` says which, and in which call of the model."""

    def __init__(self, stopped_by: Stopped) -> None:
        super().__init__(stopped_by)
        self.stopped_by = stopped_by


_received: list[int] = []
"""Signals received so far that end this command."""


def received() -> int | None:
    """Return the first signal that ends this command, if one came."""
    return _received[0] if _received else None


def reason(error: KeyboardInterrupt | MemoryError, idle: float = 0.0) -> Stopped:
    """Return what stopped a search.

    Parameters
    ----------
    idle
        Seconds since the last progress of the search; after a long time, the text names the call.
    """
    if isinstance(error, MemoryError):
        return Stopped(Stop.OUT_OF_MEMORY)
    if isinstance(error, LimitReachedError):
        return error.stopped_by
    place = getattr(error, "where", "")
    return Stopped(Stop.INTERRUPT, note=f" {place}" if place and idle >= LONG else "")


def _raise(number: int, frame: FrameType | None) -> None:
    """Record a signal, and raise it as an interrupt."""
    _received.append(number)
    if _alarm is not None:
        _alarm.stopped_by = Stopped(Stop.INTERRUPT)
    raise Interrupted(where(frame))


@contextmanager
def listening() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as Ctrl-C does; ignored signals stay ignored."""
    _received.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handled((signal.SIG_DFL, signal.default_int_handler), _raise):
        yield


@contextmanager
def noted(once: bool = False) -> Iterator[list[int]]:
    """Collect the signals that come in the block instead of raising them.

    Parameters
    ----------
    once
        Whether the second one is raised.
    """
    seen: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return

    def note(number: int, frame: FrameType | None) -> None:
        if once and seen and number != signal.SIGXCPU:
            _raise(number, frame)
        _received.append(number)
        seen.append(number)
        if once and model_call(frame) is not None:
            raise Unfinished("a signal ended it")

    with _handled((_raise, signal.default_int_handler), note):
        yield seen


@contextmanager
def postponed() -> Iterator[None]:
    """Postpone an interrupt to the end of the block."""
    with noted() as seen:
        yield
    if seen:
        raise Interrupted


@contextmanager
def _handled(before: tuple[object, ...], handler: Handler) -> Iterator[None]:
    """Replace the handlers of signals whose present handler is one of `before`."""
    changed = {n: known for n in SIGNALS if (known := signal.getsignal(n)) in before}
    try:
        for number in changed:
            signal.signal(number, handler)
        yield
    finally:
        for number, known in changed.items():
            signal.signal(number, known)


@contextmanager
def blocked() -> Iterator[None]:
    """Block the signals that end a command until the end of the block; children inherit that."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_to_parent() -> None:
    """Leave signals to the parent process; this process ends with its parent.

    SIGTERM ends it, since that is how Python ends its remaining children.
    """
    _received.clear()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    with suppress(AttributeError):
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
    # Only processes that multiprocessing started call this.
    import multiprocessing

    parent = multiprocessing.parent_process()
    forked = multiprocessing.get_start_method() == "fork"
    if parent is not None and (not parent.is_alive() or (forked and os.getppid() != parent.pid)):
        # The parent ended before the call above.  With forked processes, a later one may hold the
        # parent's pipe open, so the parent's number is compared too.
        os._exit(1)


_abandoned: list[object] = []
"""The memory of threads that do not return."""


def abandon(memory: object) -> None:
    """Keep the memory of a thread that does not return, until the process ends."""
    _abandoned.append(memory)


def any_abandoned() -> bool:
    """Whether some thread does not return, so that the process must not wait for it at exit."""
    return bool(_abandoned)


class Alarm:
    """Watches the time limit of a search, also during a call of the model that does not return.

    LimitReachedError ends such a call.  In another thread than the main one, or if SIGALRM is in
    use already, it does not, and the search has to look at the clock itself.

    Parameters
    ----------
    limit
        In seconds, as the user gave it; None for none.
    started
        The start of the clock, by ``perf_counter``.
    at_once
        Whether to end the block at any point, since it does not look at the alarm.

    Attributes
    ----------
    stopped_by
        What stops it; None until something does.
    """

    def __init__(
        self, limit: float | None = None, started: float = 0.0, at_once: bool = False
    ) -> None:
        self.stopped_by: Stopped | None = None
        self._limit, self._started = limit, started
        self._at_once = at_once
        self._call: FrameType | None = None
        self._since: float | None = None
        self._outer: Alarm | None = None
        self._handler: Any = None

    def __enter__(self) -> Alarm:
        global _alarm
        if threading.current_thread() is not threading.main_thread():
            return self
        self._outer, _alarm = _alarm, self
        free = signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
        if self._limit is not None and free:
            self._handler = signal.signal(signal.SIGALRM, self.ring)
            left = self._limit - (perf_counter() - self._started)
            signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), TICK)
        return self

    def __exit__(self, *error: object) -> None:
        global _alarm
        if threading.current_thread() is not threading.main_thread():
            return
        if self._handler is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, self._handler)
        _alarm = self._outer

    def ring(self, number: int, frame: FrameType | None) -> None:
        """Record that the time is up, and end a call of the model that does not return."""
        stopped = self.stopped_by or Stopped(Stop.TIME_LIMIT, f"{self._limit:g}")
        self.stopped_by = stopped
        if _SETTING & {caller.f_code for caller in _callers(frame)}:
            # An error here would leave the alarm ringing after its block.
            return
        call, now = model_call(frame), perf_counter()
        if self._since is None or call is None or call is not self._call:
            if self._since is not None and self._at_once:
                raise LimitReachedError(stopped)
            self._call, self._since = call, now
        elif now - self._since >= LONG:
            raise LimitReachedError(stopped.noting(f" {where(frame)}"))


_SETTING = {Alarm.__enter__.__code__, Alarm.__exit__.__code__}

_alarm: Alarm | None = None
"""The alarm of the search in the main thread."""
