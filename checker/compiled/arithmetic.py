"""Arithmetic of the model: Python's integers in 64 bits, with a check unless they provably fit.

The step fails if Python would refuse the operation (a shift by a negative number) or the result
does not fit; the interpreted engine then takes over the search.
"""

from __future__ import annotations

from ...core.layout import WORD_BITS
from .emitter import Emitter
from .values import WORD, Constant, Number, Value, fits, integer_of, span

DIVISIONS = ("floordiv", "mod")
"""Operators whose right side must be positive, unless it is known while translating."""

CHECKED = {"add": "sadd", "sub": "ssub", "mul": "smul"}


def exact(out: Emitter, name: str, left: Value, right: Value) -> Number:
    """Emit an operation on two integers, and the check that its result is Python's."""
    if name in ("shl", "ashr"):
        left, right = _operand(out, left), _operand(out, right)
        _check_distance(out, right)
        return _shifted(out, name, left, right)
    if name in DIVISIONS and (known := integer_of_constant(right)) < 0:
        # Python's a // -b is -a // b, and a % -b is -(-a % b).
        opposite = exact(out, "sub", Constant(0), _operand(out, left))
        quotient = exact(out, name, opposite, Constant(-known))
        return quotient if name == "floordiv" else exact(out, "sub", Constant(0), quotient)
    if name in DIVISIONS:
        return _divided(out, name, _operand(out, left), _operand(out, right))
    result = out.arithmetic(name, left, right)
    if name not in CHECKED or fits(result.range):
        return result
    operands = f"i64 {out.number(left)}, i64 {out.number(right)}"
    # Like a loop, it has no vector instruction.
    out.loops.append(True)
    pair = out.value(f"call {{i64, i1}} @llvm.{CHECKED[name]}.with.overflow.i64({operands})")
    out.fail_if(out.value(f"extractvalue {{i64, i1}} {pair}, 1"))
    return Number(out.value(f"extractvalue {{i64, i1}} {pair}, 0"))


def from_beginning(out: Emitter, index: Value, length: Value) -> Value:
    """Return an index counted from the beginning, which Python counts from the end if negative."""
    known = span(index)
    if known is not None and known[0] >= 0:
        return index
    number = out.number(index)
    below = out.value(f"icmp slt i64 {number}, 0")
    turned = out.value(f"add i64 {number}, {out.number(length)}")
    return Number(out.value(f"select i1 {below}, i64 {turned}, i64 {number}"))


def integer_of_constant(value: Value) -> int:
    """Return a number that is known while translating; 0 if it is not."""
    return (integer_of(value.value) or 0) if isinstance(value, Constant) else 0


def _operand(out: Emitter, value: Value) -> Value:
    """Return an operand in a register, so that it is evaluated once."""
    return value if isinstance(value, Constant) else Number(out.number(value), span(value))


def _check_distance(out: Emitter, right: Value) -> None:
    """Emit the check that a number is shifted by 0 to 63 bits."""
    known = span(right)
    if known is None or known[0] < 0 or known[1] >= WORD_BITS:
        out.fail_if(out.value(f"icmp uge i64 {out.number(right)}, {WORD_BITS}"))


def _shifted(out: Emitter, name: str, left: Value, right: Value) -> Number:
    """Emit a shift; after a failed check the distance is clamped, so that it stays defined."""
    known = span(right)
    if known is None or known[0] < 0 or known[1] >= WORD_BITS:
        known = 0, WORD_BITS - 1
    if not isinstance(right, Constant) or known != span(right):
        right = Number(out.distance(out.number(right)), known)
    result = out.arithmetic(name, left, right)
    if name == "ashr" or fits(result.range):
        return result
    back = out.value(f"ashr i64 {result.register}, {out.number(right)}")
    out.fail_if(out.value(f"icmp ne i64 {back}, {out.number(left)}"))
    return Number(result.register)


def _divided(out: Emitter, name: str, left: Value, right: Value) -> Number:
    """Emit a division by a positive number, rounded down as Python does, or its remainder.

    A divisor that is not positive makes the step fail.
    """
    low, high = span(left) or WORD
    least, most = span(right) or WORD
    divisor = out.number(right)
    if least <= 0:
        out.fail_if(out.value(f"icmp sle i64 {divisor}, 0"))
    if least <= 0 or not isinstance(right, Constant):
        divisor = out.divisor(divisor)
        least, most = max(least, 1), max(most, 1)
    operands = f"i64 {out.number(left)}, {divisor}"
    rest = out.value(f"srem {operands}")
    below = out.value(f"icmp slt i64 {rest}, 0")
    if name == "mod":
        raised = out.value(f"add i64 {rest}, {divisor}")
        result = out.value(f"select i1 {below}, i64 {raised}, i64 {rest}")
        return Number(result, (0, min(most - 1, high) if low >= 0 else most - 1))
    rounded = out.value(f"sdiv {operands}")
    less = out.value(f"zext i1 {below} to i64")
    corners = [one // other for one in (low, high) for other in (least, most)]
    return Number(out.value(f"sub i64 {rounded}, {less}"), (min(corners), max(corners)))
