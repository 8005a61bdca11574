"""Translations and machine code kept on disk between runs, found by what they were made of."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from typing import Any

import llvmlite

from ...spec import Property, TransitionSystem
from ...symmetry import Symmetry
from ..kept import code_directory, keep
from .build import object_code, target
from .closure import closure_hash
from .program import Module


def cached_code(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    exact: bool,
    symmetry: Symmetry | None,
) -> tuple[Module, bytes]:
    """Return the translation of a search and its machine code, from the disk if they are there.

    Raises
    ------
    UnsupportedError
        If the model cannot be translated.
    """
    translation = closure_hash(system, properties, exact, symmetry)
    module = _known(translation)
    code = _read(_key(module)) if module else b""
    if module and code:
        return module, code
    from .generate import Generator

    text, module = Generator(system, properties, exact, symmetry).module()
    # A file that changes meanwhile has another hash now; what came of it has none.
    if translation == closure_hash(system, properties, exact, symmetry):
        _keep(translation, json.dumps(asdict(module)).encode())
    return module, code_of(module, text)


def code_of(module: Module, text: str) -> bytes:
    """Return the machine code of LLVM text; of several processes that need it only one makes it."""
    name = _key(module)
    code = _read(name)
    if not code:
        with _alone(name):
            code = _read(name)
            if not code:
                code = object_code(text)
                _keep(name, code)
    return code


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


def _known(translation: str | None) -> Module | None:
    """Return what a translation came to when it was made before."""
    content = _read(translation)
    return Module(**json.loads(content)) if content else None


def _key(module: Module) -> str:
    """Return the name of a module's machine code: a hash of all that decides on it."""
    machine = target()
    made_of = "\n".join(
        [llvmlite.__version__, machine.triple, str(machine.target_data), _processor()]
    )
    return hashlib.sha256(f"{made_of}\n{module.digest}".encode()).hexdigest()


def _read(name: str | None) -> bytes:
    """Return what is kept under a name; nothing if it is not there, or not whole.

    A file begins with the hash of its name and of what follows, so that a damaged one, or one in
    the place of another, is noticed and replaced.
    """
    if name is None:
        return b""
    try:
        stored = (code_directory() / name).read_bytes()
    except (OSError, RuntimeError):
        return b""
    digest, content = stored[:32], stored[32:]
    return content if digest == _digest(name, content) else b""


def _digest(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + content).digest()


def _keep(name: str | None, content: bytes) -> None:
    """Keep something under a name, unless nothing can be written."""
    if name is not None:
        keep(code_directory(), name, _digest(name, content) + content)


def _processor() -> str:
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
