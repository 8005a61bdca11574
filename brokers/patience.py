"""Waiting for what a broker does in its own time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds that a broker has for what takes it milliseconds, on a machine that is not overloaded."""

_MOST = 4
"""As often as long on a machine that is."""

START = 120.0
"""Seconds that a process may take to start, or to end, on a machine that is not overloaded."""

LOOKS = 100
"""How often is looked at least: where the harness itself had to wait, time alone says nothing."""

_PAUSE = 0.004

_LONGEST_PAUSE = 0.25


def patience() -> float:
    """Return the seconds that a broker has now: others may keep the processors busy."""
    return PATIENCE * _slower()


def start_patience() -> float:
    """Return the seconds that a process has now to start."""
    return START * _slower()


def _slower() -> float:
    """Return how many times as long as on an idle machine a broker may take."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    return min(max(1.0, load), _MOST)


async def until(look: Callable[[], T | None], seconds: float | None = None) -> T | None:
    """Look until something is true, and return it; None if nothing is in time."""
    clock = asyncio.get_running_loop()
    began = clock.time()
    deadline = began + (patience() if seconds is None else seconds)
    looks = 0
    while not (seen := look()):
        looks += 1
        if clock.time() > deadline and looks > LOOKS:
            return None
        await pause(clock.time() - began, _PAUSE)
    return seen


async def pause(waited: float, shortest: float) -> None:
    """Wait for the next look, longer the longer was waited: looks take the brokers' processors.

    What comes is seen later by a thirtieth of the time that it took.
    """
    await asyncio.sleep(min(max(shortest, waited / 30), _LONGEST_PAUSE))


async def together(*steps: Coroutine[Any, Any, None]) -> None:
    """Take steps at once; where one fails, the others are cancelled and have ended."""
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
