"""Arithmetic of the model: Python's whole numbers, in 64 bits where they provably fit in.

What Python would refuse (a shift by a negative number) and what would not fit make the step fail,
and the search is left to the interpreted engine.
"""

from __future__ import annotations

from ...layout import WORD_BITS
from .emitter import Emitter
from .places import Places
from .values import Number, Place, Range, Static, UnsupportedError, Value, fits, span

SMALL = 1 << 32
"""Nobody adds numbers below this one often enough, in one step, for the sum to leave 64 bits."""

CHECKED = {"add": "sadd", "sub": "ssub", "mul": "smul"}


def exact(
    out: Emitter, places: Places, state: Place | None, name: str, left: Value, right: Value
) -> Value:
    """Emit an operation on two integers, and the check that its result is that of Python.

    Parameters
    ----------
    state
        Some part of the state, by which to say that a step fails.

    Raises
    ------
    UnsupportedError
        If the result may not fit, and there is no state by which to say so.
    """
    if name in ("shl", "ashr"):
        left, right = _operand(out, left), _operand(out, right)
        _check_distance(out, places, state, name, right)
        return _shifted(out, places, state, name, left, right)
    result = out.arithmetic(name, left, right)
    known = result.range
    if name not in CHECKED or fits(known) or (known is None and _steps(name, left, right)):
        return result
    operands = f"i64 {out.number(left)}, i64 {out.number(right)}"
    # Nor is there a vector instruction for it.
    out.loops.append(True)
    pair = out.value(f"call {{i64, i1}} @llvm.{CHECKED[name]}.with.overflow.i64({operands})")
    _fail_if(out, places, state, out.value(f"extractvalue {{i64, i1}} {pair}, 1"))
    return Number(out.value(f"extractvalue {{i64, i1}} {pair}, 0"))


def _operand(out: Emitter, value: Value) -> Value:
    """Return an operand in a register once and for all."""
    return value if isinstance(value, Static) else Number(out.number(value), span(value))


def _steps(name: str, left: Value, right: Value) -> bool:
    """Whether a sum grows by small steps only."""
    return name != "mul" and any(_small(span(value)) for value in (left, right))


def _small(known: Range) -> bool:
    return known is not None and known[0] >= -SMALL and known[1] <= SMALL


def _check_distance(
    out: Emitter, places: Places, state: Place | None, name: str, right: Value
) -> None:
    """Emit the check that a number is shifted by 0 to 63 bits."""
    known = span(right)
    if known is None or known[0] < 0 or known[1] >= WORD_BITS:
        wrong = out.value(f"icmp uge i64 {out.number(right)}, {WORD_BITS}")
        _fail_if(out, places, state, wrong)


def _shifted(
    out: Emitter, places: Places, state: Place | None, name: str, left: Value, right: Value
) -> Value:
    """Emit a shift; one that the check before it has refused shifts by 63 bits."""
    known = span(right)
    if known is None or known[0] < 0 or known[1] >= WORD_BITS:
        least = f"call i64 @llvm.umin.i64(i64 {out.number(right)}, i64 {WORD_BITS - 1})"
        right = Number(out.value(least), (0, WORD_BITS - 1))
    result = out.arithmetic(name, left, right)
    if name == "ashr" or fits(result.range):
        return result
    back = out.value(f"ashr i64 {result.register}, {out.number(right)}")
    _fail_if(out, places, state, out.value(f"icmp ne i64 {back}, {out.number(left)}"))
    return Number(result.register)


def _fail_if(out: Emitter, places: Places, state: Place | None, wrong: str) -> None:
    if state is None:
        raise UnsupportedError("a number that may take more than 64 bits")
    places.fail_if(out, state, wrong)
