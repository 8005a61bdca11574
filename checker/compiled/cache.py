"""Machine code kept on disk between runs, found by the content of what it was made of."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import llvmlite

from ..kept import code_directory
from .build import object_code, target
from .generate import Module


def key(module: Module) -> str:
    """Return the name of a module's machine code: a hash of all that decides on it."""
    machine = target()
    made_of = "\n".join(
        [llvmlite.__version__, machine.triple, str(machine.target_data), _processor(), module.text]
    )
    return hashlib.sha256(made_of.encode()).hexdigest()


def cached_code(module: Module) -> bytes:
    """Return the machine code of a module, from the disk where it is there and whole.

    A file begins with the hash of what follows, so that a damaged one is noticed and replaced.  It
    is written aside and renamed, so that nobody ever reads half of one.  Of several processes that
    need the same code one makes it, while the others wait.  Where nothing can be written, the code
    is made anew each time.
    """
    name = key(module)
    code = _kept(name)
    if code is None:
        with _alone(name):
            code = _kept(name)
            if code is None:
                code = object_code(module)
                _keep(name, hashlib.sha256(code).digest() + code)
    return code


def _kept(name: str) -> bytes | None:
    """Return code that is on the disk and whole."""
    try:
        stored = (code_directory() / name).read_bytes()
    except (OSError, RuntimeError):
        return None
    digest, code = stored[:32], stored[32:]
    return code if code and hashlib.sha256(code).digest() == digest else None


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Wait until no other process makes the code of that name, where that can be known."""
    with ExitStack() as stack:
        with suppress(OSError, RuntimeError):
            folder = code_directory()
            folder.mkdir(parents=True, exist_ok=True)
            lock = folder / f"{name}.lock"
            file = stack.enter_context(open(lock, "w", encoding="ascii"))
            fcntl.flock(file, fcntl.LOCK_EX)
            # Whoever waits for it holds it open; whoever comes later finds the code.
            stack.callback(lock.unlink, missing_ok=True)
        yield


def size() -> int:
    """Return how many bytes are kept."""
    try:
        return sum(file.stat().st_size for file in code_directory().iterdir())
    except OSError:
        return 0


def clear() -> None:
    """Remove all that is kept."""
    with suppress(FileNotFoundError, NotADirectoryError):
        shutil.rmtree(code_directory())


def _keep(name: str, content: bytes) -> None:
    try:
        folder = code_directory()
        folder.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=folder)
    except (OSError, RuntimeError):
        return
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(partial, folder / name)
    except OSError:
        with suppress(OSError):
            os.unlink(partial)


def _processor() -> str:
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
