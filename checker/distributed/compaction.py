"""Selects the runs to merge, so that there are few of them and no state is rewritten often."""

from __future__ import annotations

from collections.abc import Sequence

from .runs import Run

MOST = 6
"""The most runs without a merge."""


def to_merge(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the latest runs that are worth merging, given the oldest first; none if there are few.

    A run is merged with those after it unless it is more than twice as large as all of them.  Each
    merge makes a run at least half as large again, so that a state is written a logarithmic number
    of times.  Of the runs that are not merged each is more than twice as large as the next, so that
    their number is logarithmic, too.
    """
    if len(runs) <= MOST:
        return ()
    first, states = len(runs) - 1, runs[-1].states
    while first and runs[first - 1].states <= 2 * states:
        first -= 1
        states += runs[first].states
    return tuple(runs[first:]) if first < len(runs) - 1 else ()
