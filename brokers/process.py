"""Processes of Java that end with the process that started them.

A process of Kafka on this machine: its files, its port, and what it reports of itself.

What a process of Kafka logs, and where: log4j, and log4j 2 since 4.0.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .distribution import Distribution
from .report import KafkaError

_JVM = (
    "-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
    "-XX:-UsePerfData", "-Djava.net.preferIPv4Stack=true", "-Djava.awt.headless=true",
)  # fmt: skip
_PR_SET_PDEATHSIG = 1
_MOST_LINES, _LONGEST_LINE = 8, 300
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


def _end_with_parent() -> None:
    """Let the kernel kill this process when its parent dies, however that dies."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # Ctrl-C at the terminal is for the harness, which then ends its brokers itself.
    os.setpgid(0, 0)


def _telling(lines: list[str]) -> list[str]:
    """Return the lines of a report that say why a process ended."""
    causes = [line for line in lines if re.search("error|exception|caused", line, re.IGNORECASE)]
    return [line[:_LONGEST_LINE] for line in (causes or lines)[-_MOST_LINES:]]


class Jvm:
    """A process of Java.

    Parameters
    ----------
    reports
        Files that take what it prints and what it logs.
    """

    def __init__(self, process: asyncio.subprocess.Process, reports: Sequence[Path]) -> None:
        self.process = process
        self._reports = reports

    @property
    def ended(self) -> bool:
        """Whether it has ended by itself or was killed."""
        return self.process.returncode is not None

    async def kill(self) -> None:
        """Kill it with SIGKILL, and wait until it is gone."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()

    async def listens(self, port: int, seconds: float) -> None:
        """Wait until it accepts connections.

        Raises
        ------
        KafkaError
            If it ends, or does not accept any in time; with the end of its reports.
        """
        deadline = asyncio.get_running_loop().time() + seconds
        while not self.ended:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return
            if asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(0.05)
        what = "ended" if self.ended else f"did not listen on port {port} within {seconds:.0f} s"
        raise self.failure(what)

    def failure(self, what: str) -> KafkaError:
        """Return the error of a process that did what it should not, with its reports' end."""
        error = KafkaError(f"a process of Kafka {what}; the end of its reports:")
        error.details = tuple(
            line
            for path in self._reports
            if path.exists()
            for line in _telling(path.read_text(errors="replace").splitlines())
        )
        return error


async def start_jvm(
    distribution: Distribution,
    main: str,
    arguments: Sequence[str],
    reports: Sequence[Path],
    settings: Mapping[str, str],
    options: Sequence[str] = (),
) -> Jvm:
    """Start a class of a distribution.

    Parameters
    ----------
    reports
        The file that takes what it prints, and others that it writes itself.
    settings
        System properties.
    options
        More options of the JVM.
    """
    if sys.platform != "linux":
        raise KafkaError("real brokers are controlled on Linux only")
    properties = [f"-D{name}={value}" for name, value in settings.items()]
    command = [distribution.java, *_JVM, *options, *properties, "-cp", distribution.classpath]
    with reports[0].open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            *command, main, *arguments,
            stdin=asyncio.subprocess.DEVNULL, stdout=file, stderr=file,
            preexec_fn=_end_with_parent,
        )  # fmt: skip
    return Jvm(process, reports)


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


_LOG4J1 = """\
log4j.rootLogger=INFO, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={file}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=[%d{{ISO8601}}] %p %m (%c)%n
{levels}"""

_LOG4J2 = """\
appender.file.type=File
appender.file.name=file
appender.file.fileName={file}
appender.file.layout.type=PatternLayout
appender.file.layout.pattern=[%d] %p %m (%c)%n
rootLogger.level=INFO
rootLogger.appenderRef.file.ref=file
{levels}"""


def logging_settings(distribution: Distribution, folder: Path) -> dict[str, str]:
    """Return the system property that names the configuration in a folder."""
    name = "log4j2.configurationFile" if _log4j2(distribution) else "log4j.configuration"
    return {name: f"file:{_configuration(folder)}"}


def write_logging(
    distribution: Distribution, folder: Path, file: Path, levels: Mapping[str, str]
) -> None:
    """Write the configuration of what a process logs to a file.

    Parameters
    ----------
    levels
        By the names of loggers; everything else is logged from INFO on.
    """
    if _log4j2(distribution):
        listed = "".join(
            f"logger.l{number}.name={name}\nlogger.l{number}.level={level}\n"
            for number, (name, level) in enumerate(levels.items())
        )
        text = _LOG4J2.format(file=file, levels=listed)
    else:
        listed = "".join(f"log4j.logger.{name}={level}\n" for name, level in levels.items())
        text = _LOG4J1.format(file=file, levels=listed)
    _configuration(folder).write_text(text, encoding="utf-8")


def _configuration(folder: Path) -> Path:
    return folder / "logging.properties"


def _log4j2(distribution: Distribution) -> bool:
    """Whether a release logs with log4j 2."""
    return distribution.release >= (4,)
