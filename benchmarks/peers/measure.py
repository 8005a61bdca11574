"""Measures CPU seconds, wall time and memory of a program and of all that it starts."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""The environment of programs: Python caches bytecode, as it does for users."""


@dataclass(frozen=True)
class Run:
    """The measurements and the output of one run of a program.

    Parameters
    ----------
    cpu
        CPU seconds, of user and system, from start to end.
    wall
        Seconds from start to end.
    peak
        The most memory of one of its processes, in bytes.  The kernel counts from the fork on, so
        less than this command's own memory, about 20 MB, does not show.
    status
        Exit status.
    output, errors
        Its standard output and standard error; Tidegate reports progress on the latter.
    """

    cpu: float
    wall: float
    peak: int
    status: int
    output: str
    errors: str


def run(command: list[str], directory: Path, extra: dict[str, str] | None = None) -> Run:
    """Run a program to its end, with `extra` in its environment.

    Its output goes to files: a pipe would need a reader, which would take CPU time itself.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=ENVIRONMENT | (extra or {}),
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said = []
        for file in (output, errors):
            file.seek(0)
            said.append(file.read().decode("utf-8", "replace"))
    return Run(
        cpu=usage.ru_utime + usage.ru_stime,
        wall=wall,
        peak=usage.ru_maxrss * 1024,
        status=process.returncode,
        output=said[0],
        errors=said[1],
    )
