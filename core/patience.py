"""Ends a text of the model's that does not return: the verdict must not wait for it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 5.0
"""How long a function may take that says something of a state."""

_TICK = 0.2
"""Seconds between two attempts to end it: it may swallow one."""


class Unfinished(Exception):  # noqa: N818 - it is how a text ended, and no error of the reader's
    """A function that says something of a state did not return, or a signal ended it."""


_endless: set[object] = set()
"""Functions that did not return, which are not called again."""


@contextmanager
def patience(function: object) -> Iterator[None]:
    """Let a function that says something of a state take a few seconds, and never again.

    In another thread than the main one, or while SIGALRM is in use, it may take any time.

    Raises
    ------
    Unfinished
        If it takes longer, or did before.
    """
    text = f"it did not return within {SECONDS:g} s"
    if function in _endless:
        raise Unfinished(text)
    free = signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
    if threading.current_thread() is not threading.main_thread() or not free:
        yield
        return

    def give_up(number: int, frame: FrameType | None) -> None:
        _endless.add(function)
        raise Unfinished(text)

    before = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS, _TICK)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
