"""A process of Kafka on this machine: its files, its port, and what it reports of itself."""

from __future__ import annotations

from pathlib import Path

from .process import Jvm


class Server:
    """A broker or a controller.

    Parameters
    ----------
    port
        Where it listens.
    """

    def __init__(self, number: int, folder: Path, port: int) -> None:
        self.number = number
        self.folder = folder
        self.port = port
        self.process: Jvm | None = None

    @property
    def data(self) -> Path:
        """Where its logs lie."""
        return self.folder / "data"

    @property
    def config(self) -> Path:
        """Its configuration."""
        return self.folder / "server.properties"

    @property
    def log_file(self) -> Path:
        """What it reports of itself."""
        return self.folder / "server.log"

    def log_size(self) -> int:
        """Return how much it has reported so far, in bytes."""
        return self.log_file.stat().st_size if self.log_file.exists() else 0

    def logged(self, since: int = 0) -> list[str]:
        """Return the lines that it has reported after so many bytes."""
        if not self.log_file.exists():
            return []
        with self.log_file.open("rb") as file:
            file.seek(since)
            return file.read().decode(errors="replace").splitlines()
