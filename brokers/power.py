"""A power loss: what a broker had not flushed is gone from its disk."""

from __future__ import annotations

from pathlib import Path

from .records import sizes


def lose_power(data: Path, topic: str, kept: int) -> None:
    """Truncate the log of a broker that is down to its first `kept` records.

    Indexes, snapshots and the recovery point are later than that, so they go too.
    """
    folder = data / f"{topic}-0"
    left = kept
    for segment in sorted(folder.glob("*.log")):
        parts = sizes(segment.read_bytes())
        keep = sum(parts[: max(left, 0)])
        left -= len(parts)
        with segment.open("r+b") as file:
            file.truncate(keep)
    for pattern in ("*.index", "*.timeindex", "*.snapshot", "*.txnindex"):
        for path in folder.glob(pattern):
            path.unlink()
    (data / "recovery-point-offset-checkpoint").unlink(missing_ok=True)
