"""Makes machine code of an LLVM module."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from ..interrupts import abandon, postponed
from .values import UnsupportedError

TICK = 0.1
"""Seconds between looks at what LLVM does in its thread."""


def new_target(level: int = 3) -> Any:
    """Return a new description of this machine for LLVM; whoever loads code with one owns it.

    Parameters
    ----------
    level
        How much it is to improve code, from 0 to 3.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=level, codemodel="jitdefault"
    )


target = cache(new_target)
"""Returns the description that is used for all but loading code."""


def object_code(
    text: str, tick: Callable[[], None] = lambda: None, optimised: bool = True
) -> bytes:
    """Return the object file of an LLVM module.

    LLVM works in another thread, since nothing interrupts a thread that is in it.

    Parameters
    ----------
    tick
        Called now and then, to say how long it takes.
    optimised
        Whether LLVM makes the code fast; else it makes it quickly.

    Raises
    ------
    UnsupportedError
        If LLVM does not take the text.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    # Python waits at its end for a pool's threads, and LLVM must be there as long as one is in it.
    # It would not wait for a Thread whose join() an interrupt has ended.
    pool = ThreadPoolExecutor(1, thread_name_prefix="LLVM")
    try:
        with postponed():
            made = pool.submit(_made, text, optimised)
        while wait([made], TICK).not_done:
            tick()
    except BaseException:
        abandon(pool)
        raise
    finally:
        pool.shutdown(wait=False)
    return made.result()


def _made(text: str, optimised: bool) -> bytes:
    try:
        parsed = llvm.parse_assembly(text)
        parsed.verify()
    except RuntimeError as error:
        raise UnsupportedError(f"something that LLVM does not take: {error}") from None
    if not optimised:
        quick: bytes = target(0).emit_object(parsed)
        return quick
    machine = target()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_unrolling = False
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    passes.run(parsed, builder)
    code: bytes = machine.emit_object(parsed)
    return code


class Code:
    """Machine code that was loaded: functions whose calls release the interpreter's lock."""

    def __init__(self, code: bytes) -> None:
        backing = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(backing, new_target())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def function(self, name: str, count: int) -> Callable[..., int]:
        """Return an exported function."""
        address = self._engine.get_function_address(f"tidegate_{name}")
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *([ctypes.c_uint64] * count))
        call: Callable[..., int] = kind(address)
        return call
