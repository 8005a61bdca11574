"""What a broker has on its disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .records import Entry, decode_records

_HIGH_WATERMARKS = "replication-offset-checkpoint"
_LOG_STARTS = "log-start-offset-checkpoint"


@dataclass(frozen=True)
class StoredLog:
    """A log on disk.

    Parameters
    ----------
    start
        The log start offset with which the broker would restart.
    end
        The log end offset.
    """

    start: int
    end: int
    _in_segments: tuple[Entry, ...]

    def entries(self, start: int | None = None) -> tuple[Entry, ...]:
        """Return the records from its start on, or from a later one in the broker's memory."""
        first = self.start if start is None else start
        return tuple(entry for entry in self._in_segments if entry.offset >= first)


def stored_log(data: Path, topic: str) -> StoredLog:
    """Return the log of a topic's partition 0; an empty one from 0 on if there is none.

    A log starts where its first segment does, or at a greater offset in
    ``log-start-offset-checkpoint``: what lies between is deleted, and still in the segment.
    """
    segments = log_segments(data, topic)
    stored = [entry for path in segments for entry in decode_records(path.read_bytes())]
    bases = [base_offset(path) for path in segments] or [0]
    start = max(bases[0], _checkpointed(data / _LOG_STARTS, topic))
    end = max([bases[-1], *(entry.offset + 1 for entry in stored)])
    return StoredLog(start, end, tuple(stored))


def log_segments(data: Path, topic: str) -> list[Path]:
    """Return the files of a topic's partition 0 that hold records, the oldest first."""
    return sorted((data / f"{topic}-0").glob("*.log"))


def base_offset(segment: Path) -> int:
    """Return the offset at which a segment starts: its name."""
    return int(segment.stem)


def hw_checkpoint(data: Path, topic: str) -> int:
    """Return the high watermark in ``replication-offset-checkpoint``; 0 if there is none."""
    return _checkpointed(data / _HIGH_WATERMARKS, topic)


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


def _checkpointed(path: Path, topic: str) -> int:
    """Return the offset of a topic's partition 0 in a checkpoint; 0 if it has none."""
    rows = _rows(path)
    return next((int(row[2]) for row in rows if row[:2] == [topic, "0"]), 0)


def _rows(path: Path) -> list[list[str]]:
    """Return the rows of a checkpoint file, below its version and its number of rows."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [line.split() for line in lines[2:]]
