"""Searches side by side, each in its own process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pool
from typing import TYPE_CHECKING

from ..checker.memory import share_of
from ..checker.result import Resources

if TYPE_CHECKING:
    from multiprocessing.pool import Pool as PoolType


@contextmanager
def processes(jobs: int) -> Iterator[PoolType]:
    """Start worker processes; leaving the block ends what still runs, also after Ctrl-C."""
    with Pool(jobs, _begin, (share_of(jobs),)) as pool:
        yield pool


_share = Resources(workers=1)
"""What a search in this process may use."""


def share() -> Resources:
    """Return what one of several searches may use: its part of the cores and of the memory."""
    return _share


def _begin(part: Resources) -> None:
    """Leave interrupts to the parent process, and keep to a part of what there is."""
    global _share
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _share = part
