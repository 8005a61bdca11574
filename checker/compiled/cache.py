"""Machine code kept on disk between runs, found by the content of what it was made of."""

from __future__ import annotations

import hashlib
from contextlib import suppress

import llvmlite

from ..kept import code_directory, keep
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

    A file begins with the hash of what follows, so that a damaged one is noticed and replaced.
    Where nothing can be written, the code is made anew each time.
    """
    try:
        path = code_directory() / key(module)
        stored = path.read_bytes()
    except (OSError, RuntimeError):
        stored = b""
    digest, code = stored[:32], stored[32:]
    if code and hashlib.sha256(code).digest() == digest:
        return code
    code = object_code(module)
    with suppress(RuntimeError):
        keep(code_directory(), key(module), hashlib.sha256(code).digest() + code)
    return code


def _processor() -> str:
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
