"""The cache of translations and machine code on disk, found by what they were made from."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Set
from functools import cache
from typing import TYPE_CHECKING

import llvmlite
import llvmlite.binding as llvm

from ..kept import Store
from ..request import SearchRequest
from . import build, closure
from .build import object_code, target
from .program import Module
from .reads import answers_are_same

if TYPE_CHECKING:
    from .generate import Generator


def cached_translation(request: SearchRequest) -> tuple[Module, str]:
    """Return the translation of a search and its text; no text if the translation is cached.

    Raises
    ------
    UnsupportedError
        If the model cannot be translated.
    """
    store = Store("compiled")
    system, properties = request.system, request.properties
    try:
        key = closure.key_of(system, properties, request.exact, request.symmetry)
    except OSError:
        key = ""
    recordings = closure.read(store.read(key)) if key else []
    roots = closure.roots_of(system, properties)
    for recording in recordings:
        if answers_are_same(recording.roots, recording.questions, roots):
            return recording.module, ""
    generator = generator_of(request)
    text, module = generator.module(tick=request.tick)
    reads = generator.reads
    if key and reads.keepable and _unchanged():
        latest = closure.Recording(module, reads.roots, reads.questions)
        store.keep(key, closure.written([latest, *recordings]))
    return module, text


def generator_of(request: SearchRequest, compared: Set[int] = frozenset()) -> Generator:
    """Return the generator of a search's code; see :class:`Generator` for `compared`."""
    # A search whose translation is cached starts faster without this import.
    from .generate import Generator

    system, properties = request.system, request.properties
    return Generator(system, properties, request.exact, request.symmetry, compared)


def _unchanged() -> bool:
    """Whether the translator's source is still the one that the key was made from."""
    try:
        return closure.source_of_translator() == closure.translator()
    except OSError:
        return False


def code_of(module: Module, text: str, tick: Callable[[], None] = lambda: None) -> bytes:
    """Return the optimised code of LLVM text; only one of several processes compiles it."""
    return kept_or_made(name_of(module.digest), lambda: object_code(text, tick))


def kept_or_made(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the cached file of that name; only one of several processes makes it."""
    store = Store("compiled")
    content = store.read(name)
    if not content:
        with store.alone(name):
            content = store.read(name)
            if not content:
                content = make()
                store.keep(name, content)
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
