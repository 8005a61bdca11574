"""A process of Kafka on this machine: its files, its port, and what it reports of itself."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from .jvm import Jvm
from .report import KafkaError

_FIRST_PORT, _LAST_PORT = 15000, 32000
"""Below the ports that the kernel hands out, which might take one between two looks at it."""


def free_ports(count: int) -> list[int]:
    """Return free ports of 127.0.0.1.

    Two runs at once begin at different places; the operating system says which ports are taken.
    """
    ports: list[int] = []
    span = _LAST_PORT - _FIRST_PORT
    start = int.from_bytes(os.urandom(4)) % span
    for step in range(span):
        port = _FIRST_PORT + (start + step) % span
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == count:
            return ports
    raise KafkaError(f"no {count} ports of 127.0.0.1 are free between 15000 and 32000")


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
