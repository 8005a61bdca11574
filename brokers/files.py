"""What a broker has on its disk."""

from __future__ import annotations

from pathlib import Path

from .records import Entry, decode_records

_HIGH_WATERMARKS = "replication-offset-checkpoint"


def log_entries(data: Path, topic: str) -> list[Entry]:
    """Return the records of a topic's partition 0; empty if it has no log there."""
    segments = sorted((data / f"{topic}-0").glob("*.log"))
    return [entry for segment in segments for entry in decode_records(segment.read_bytes())]


def hw_checkpoint(data: Path, topic: str) -> int | None:
    """Return the high watermark in ``replication-offset-checkpoint``; None if there is none."""
    rows = _rows(data / _HIGH_WATERMARKS)
    return next((int(row[2]) for row in rows if row[:2] == [topic, "0"]), None)


def checkpoint_stamp(data: Path) -> int:
    """Return when that file was written last, in nanoseconds; 0 if there is none."""
    try:
        return (data / _HIGH_WATERMARKS).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def epoch_checkpoint(data: Path, topic: str) -> dict[int, int] | None:
    """Return the start offset of each epoch in ``leader-epoch-checkpoint``; None without one."""
    path = data / f"{topic}-0" / "leader-epoch-checkpoint"
    if not path.exists():
        return None
    return {int(epoch): int(start) for epoch, start in _rows(path)}


def _rows(path: Path) -> list[list[str]]:
    """Return the rows of a checkpoint file, below its version and its number of rows."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [line.split() for line in lines[2:]]
