"""Interrupts by the user, where one must not come between two steps that belong together."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collected() -> Iterator[list[int]]:
    """Collect interrupts instead of raising them."""
    seen: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        yield seen
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def postponed() -> Iterator[None]:
    """Raise an interrupt behind the block only."""
    with collected() as seen:
        yield
    if seen:
        raise KeyboardInterrupt
