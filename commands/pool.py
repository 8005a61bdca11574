"""Searches side by side, each in its own process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pool
from typing import TYPE_CHECKING

from ..checker.memory import available_memory
from ..checker.result import Resources

if TYPE_CHECKING:
    from multiprocessing.pool import Pool as PoolType


@contextmanager
def processes(jobs: int) -> Iterator[PoolType]:
    """Start worker processes; leaving the block ends what still runs, also after Ctrl-C."""
    with Pool(jobs, _begin, (available_memory() // jobs,)) as pool:
        yield pool


_share: int | None = None
"""Bytes that a search in this worker process may use."""


def share() -> Resources:
    """Return what one of several searches may use: one thread, and its part of the memory."""
    return Resources(workers=1, memory=_share)


def _begin(memory: int) -> None:
    """Leave interrupts to the parent process, and keep to a part of the memory."""
    global _share
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _share = memory
