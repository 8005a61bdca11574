"""Chooses how many partitions a level has, as its work is worth, and how many tasks expand them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

from .runs import Run

FILES = 512
"""The files of runs that a task may open before another task costs less: each has one for itself
from every run that has as many shares as there are tasks."""

SMALL = 50
"""The shares up to which blocks may get smaller, since few tasks have few blocks."""

LARGE = 10
"""The most candidates of a share, in multiples of those that are worth one, unless all shares have
more: an owner has a table of them in memory."""


def shares_of(most: int, least: int, candidates: float, earlier: Sequence[Run]) -> int:
    """Return the number of equal shares of all fingerprints for a level.

    Every share is a task, to which each task that expands sends a block, so a level of a few
    states that had all shares would cost more than its work by far.

    Parameters
    ----------
    most
        The partitions of the search.
    least
        Candidates that are worth a share; with 0 every level has all shares.
    candidates
        How many the level is expected to have.
    earlier
        The runs that it is compared with.

    Examples
    --------
    >>> shares_of(100, 50_000, 120_000, [])
    3
    >>> shares_of(100, 50_000, 120_000, [Run("levels/00009", 100, 10**6)] * 60)
    12

    Blocks are not cut ever smaller, but an owner's table must not get ever larger.

    >>> [shares_of(10_000, 50_000, 50_000 * times, []) for times in (50, 200, 5000, 20_000)]
    [50, 100, 500, 2000]
    """
    if not least:
        return most
    worth = candidates / least
    shares = max(min(worth, sqrt(SMALL * worth)), worth / LARGE)
    files = sum(run.shares for run in earlier)
    return min(most, max(1, ceil(shares), ceil(files / FILES)))


SENDERS = 4
"""Tasks for each core that expand, so that a core that is slower than others has fewer of them."""


def senders_of(shares: int, cores: int) -> int:
    """Return the number of tasks that expand the shares of a level.

    A task sends a block to each share.  With as many tasks as shares, blocks would be the square of
    the shares; so they are in proportion to them.

    Examples
    --------
    >>> [senders_of(shares, cores=2) for shares in (1, 8, 256)]
    [1, 8, 8]
    """
    return min(shares, SENDERS * max(cores, 1))
