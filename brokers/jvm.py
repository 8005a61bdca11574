"""Processes of Java that end with the process that started them."""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import signal
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
