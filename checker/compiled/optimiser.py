"""Optimises machine code beside a search: in a process of its own, within bounds.

A thread would not do.  Nothing can end one that is inside LLVM or limit its memory, and llvmlite
makes all other calls wait for it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from tempfile import TemporaryFile
from typing import IO

from ...core.interrupts import leave_to_parent
from .build import object_code

SECONDS = 120
"""Seconds of a processor that optimising may take."""

LEAST, MOST = 160 << 20, 1 << 30
"""Bytes of memory that it needs to begin with, and the most that it may use."""


class Optimiser:
    """A process that optimises one module.

    Parameters
    ----------
    text
        The module.
    memory
        Bytes that it may use.

    Attributes
    ----------
    memory
        The same, as long as the process runs; then 0.
    """

    def __init__(self, text: str, memory: int) -> None:
        self.memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._result: IO[bytes] | None = None
        try:
            with TemporaryFile() as written:
                written.write(text.encode())
                written.seek(0)
                self._result = TemporaryFile()  # noqa: SIM115 - it is read when the process ends
                self._process = subprocess.Popen(
                    [sys.executable, "-c", self._code()],
                    stdin=written,
                    stdout=self._result,
                    stderr=subprocess.DEVNULL,
                )
        except OSError:
            # The search goes on with what it has.
            self.close()

    def _code(self) -> str:
        return (
            f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; "
            f"serve({self.memory}, {os.getpid()})"
        )

    def wait(self, seconds: float) -> bytes:
        """Wait for so long; return the code, or nothing if there is none yet or never will be."""
        process, result = self._process, self._result
        if process is None or result is None:
            return b""
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return b""
        result.seek(0)
        code = result.read() if status == 0 else b""
        self.close()
        return code

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._result is not None:
            self._result.close()
        self._process = self._result = None
        self.memory = 0


def serve(memory: int, parent: int) -> None:
    """Optimise the module on standard input, and write its code to standard output."""
    leave_to_parent()
    if os.getppid() != parent:
        # It ended before this process could ask to end with it.
        os._exit(1)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_DATA, memory)
    _limit(resource.RLIMIT_CPU, SECONDS)
    sys.stdout.buffer.write(object_code(sys.stdin.buffer.read().decode()))
    sys.stdout.buffer.flush()


def _limit(what: int, most: int) -> None:
    """Limit a resource; a lower limit that the user has set stays."""
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(what, (most, most))
