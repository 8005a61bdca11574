"""Compiles an LLVM module to machine code and loads it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from ...core.interrupts import abandon, postponed
from .values import UnsupportedError

TICK = 0.1
"""Seconds between looks at the thread of LLVM."""


def new_target(level: int = 3) -> Any:
    """Return a new LLVM target machine for this computer; loading code takes ownership of it.

    Parameters
    ----------
    level
        The optimisation level, from 0 to 3.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=level, codemodel="jitdefault"
    )


target = cache(new_target)
"""Returns the target machine for everything but loading code."""


def object_code(
    text: str, tick: Callable[[], None] = lambda: None, optimised: bool = True
) -> bytes:
    """Return the object file of an LLVM module.

    LLVM works in another thread, since a thread inside LLVM cannot be interrupted.

    Parameters
    ----------
    tick
        Called now and then, to report progress.
    optimised
        Whether to optimise the code; otherwise it is compiled quickly.

    Raises
    ------
    UnsupportedError
        If LLVM rejects the text.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    # At exit Python waits for a pool's threads, and LLVM must stay loaded while one is in it.  It
    # would not wait for a Thread whose join() was interrupted.
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
        raise UnsupportedError(f"something that LLVM rejects: {error}") from None
    machine = target(3 if optimised else 0)
    options = llvm.create_pipeline_tuning_options(speed_level=3 if optimised else 0)
    options.loop_unrolling = False
    options.loop_vectorization = True
    options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager() if optimised else quick_passes()
    passes.run(parsed, builder)
    code: bytes = machine.emit_object(parsed)
    return code


def quick_passes() -> Any:
    """Return the passes that pay at once: a search with them takes two thirds of the time."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    return passes


class Code:
    """Loaded machine code: its functions release the interpreter's lock when they are called."""

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
