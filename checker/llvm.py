"""Whether LLVM can be loaded."""

from __future__ import annotations

from ..core.memory import LLVM_BYTES, address_space


def unloaded() -> str:
    """Return why LLVM cannot be loaded, and what to do about it; empty if it can."""
    space = address_space()
    if space is not None and space < LLVM_BYTES:
        return (
            f"LLVM needs {LLVM_BYTES >> 20}M of address space, and {space >> 20}M are left; allow "
            "more (ulimit -v)"
        )
    try:
        from .compiled import build as build
    except (ImportError, MemoryError, OSError, RuntimeError, SystemError) as error:
        return f"LLVM cannot be loaded ({type(error).__name__}: {error}); reinstall llvmlite"
    return ""
