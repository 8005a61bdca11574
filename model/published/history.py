"""The history of committed records, for properties alone: no guard and no rule reads it.

The originals keep no such history.  It is part of the state only if a requested property reads it;
without it the counts are those of the originals.
"""

from __future__ import annotations

from .bounds import Constants
from .state import PublishedState


def note_committed(s: PublishedState, k: Constants, leader: int) -> None:
    """Record as committed the record that a leader's high watermark has just passed."""
    if k.track_committed:
        replica = s.replica[leader]
        s.aux_committed |= 1 << replica.log[replica.hw - 1].record
