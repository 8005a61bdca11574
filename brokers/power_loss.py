"""A power loss: what a broker had not flushed is gone from its disk."""

from __future__ import annotations

from pathlib import Path

from .observe import base_offset, log_segments
from .records import sizes


def lose_power(data: Path, topic: str, kept: int) -> None:
    """Truncate the log of a broker that is down to the records below the offset `kept`.

    Indexes, snapshots and the recovery point are later than that, so they go too.
    """
    folder = data / f"{topic}-0"
    for segment in log_segments(data, topic):
        parts = sizes(segment.read_bytes())
        keep = sum(parts[: max(kept - base_offset(segment), 0)])
        with segment.open("r+b") as file:
            file.truncate(keep)
    for pattern in ("*.index", "*.timeindex", "*.snapshot", "*.txnindex"):
        for path in folder.glob(pattern):
            path.unlink()
    (data / "recovery-point-offset-checkpoint").unlink(missing_ok=True)
