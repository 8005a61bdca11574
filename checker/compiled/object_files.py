"""LLVM's object files, cached on disk by the hash of what they are made from."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from ...core.files import DiskCache
from . import build
from .build import object_code, target
from .program import Module

FILES = "compiled"
"""The name of the cache."""


def code_of(module: Module, text: str, tick: Callable[[], None] = lambda: None) -> bytes:
    """Return the optimised code of LLVM text."""
    return cached(name_of(module.digest), lambda: object_code(text, tick))


def cached(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the cached file of that name, which one of several processes makes."""
    files = DiskCache(FILES)
    content = files.read(name)
    if not content:
        with files.alone(name):
            content = files.read(name)
            if not content:
                content = make()
                files.keep(name, content)
    return content


def name_of(*parts: str) -> str:
    """Return the name of machine code: a hash of everything that determines it, and of `parts`."""
    machine = target()
    processor = f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    made_of = [llvmlite.__version__, machine.triple, str(machine.target_data), processor]
    return hashlib.sha256("\n".join([*made_of, _recipe(), *parts]).encode()).hexdigest()


@cache
def _recipe() -> str:
    """Return the source of the module that compiles, even from a ZIP file."""
    # The loader of a module that pytest has rewritten does not know its source.
    return inspect.getsource(build)
