"""Searches side by side, each in its own process."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import Pool
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.pool import Pool as PoolType


@contextmanager
def processes(jobs: int) -> Iterator[PoolType]:
    """Start worker processes; leaving the block ends what still runs, also after Ctrl-C."""
    with Pool(jobs, _leave_interrupts_to_the_parent) as pool:
        yield pool


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
