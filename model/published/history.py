"""What was committed, kept for the properties alone: no guard and no rule reads it.

The originals keep no such history.  It is part of the state only while a requested property reads
it, so that counts are theirs otherwise.
"""

from __future__ import annotations

from .bounds import Constants
from .state import PublishedState


def note_committed(s: PublishedState, k: Constants, leader: int) -> None:
    """Remember the last record below a leader's high watermark, which has just passed it."""
    if k.track_committed:
        replica = s.replica[leader]
        s.aux_committed |= 1 << replica.log[replica.hw - 1].record
