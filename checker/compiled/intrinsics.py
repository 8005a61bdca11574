"""Machine operations that have no body in Python, or are computed at once instead of by it.

The search is written in the same subset of Python as the models; in it these names stand for single
instructions.  Addresses are plain integers, in bytes; all numbers have 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .emitter import Emitter
from .values import Constant, Number, Truth, Value

Intrinsic = Callable[[Emitter, list[Value]], Value]
"""Emits an operation that has a name in Python, but no body there."""


def load(address: int) -> int:
    """Return the number at an address."""
    raise NotImplementedError


def load_published(address: int) -> int:
    """Return the number at an address, with acquire semantics."""
    raise NotImplementedError


def store(address: int, value: int) -> None:
    """Write a number to an address."""
    raise NotImplementedError


def swap_if(address: int, expected: int, value: int) -> bool:
    """Write a number if the expected one is still there, and return whether (compare-and-swap)."""
    raise NotImplementedError


def fetch_add(address: int, value: int) -> int:
    """Add to the number at an address atomically, and return the old number."""
    raise NotImplementedError


def prefetch(address: int) -> None:
    """Prefetch an address into the second-level cache, which can wait for more lines at a time."""
    raise NotImplementedError


def high_product(one: int, other: int) -> int:
    """Return the upper 64 of the 128 bits of a product, all unsigned."""
    raise NotImplementedError


def shifted(value: int, bits: int) -> int:
    """Return an unsigned number shifted right."""
    raise NotImplementedError


def below(one: int, other: int) -> bool:
    """Whether one number is smaller than another, both unsigned."""
    raise NotImplementedError


def first_of_eight(address: int, wanted: int, ignored: int) -> int:
    """Return the index of the first of eight numbers that is 0 or equals `wanted`; 8 if none is.

    The lowest `ignored` bits are not compared; this number is known while translating.
    """
    raise NotImplementedError


def _pointer(out: Emitter, address: Value) -> str:
    return out.value(f"inttoptr i64 {out.number(address)} to ptr")


def _load(out: Emitter, arguments: list[Value]) -> Value:
    return Number(out.value(f"load i64, ptr {_pointer(out, arguments[0])}"))


def _load_published(out: Emitter, arguments: list[Value]) -> Value:
    pointer = _pointer(out, arguments[0])
    return Number(out.value(f"load atomic i64, ptr {pointer} acquire, align 8"))


def _store(out: Emitter, arguments: list[Value]) -> Value:
    value = out.number(arguments[1])
    out.emit(f"store i64 {value}, ptr {_pointer(out, arguments[0])}")
    return Constant(None)


def _swap_if(out: Emitter, arguments: list[Value]) -> Value:
    address = _pointer(out, arguments[0])
    expected, value = out.number(arguments[1]), out.number(arguments[2])
    pair = out.value(f"cmpxchg ptr {address}, i64 {expected}, i64 {value} acq_rel acquire, align 8")
    return Truth(out.value(f"extractvalue {{i64, i1}} {pair}, 1"))


def _fetch_add(out: Emitter, arguments: list[Value]) -> Value:
    address, value = _pointer(out, arguments[0]), out.number(arguments[1])
    return Number(out.value(f"atomicrmw add ptr {address}, i64 {value} acq_rel, align 8"))


def _prefetch(out: Emitter, arguments: list[Value]) -> Value:
    out.emit(f"call void @llvm.prefetch.p0(ptr {_pointer(out, arguments[0])}, i32 0, i32 2, i32 1)")
    return Constant(None)


def _high_product(out: Emitter, arguments: list[Value]) -> Value:
    one = out.value(f"zext i64 {out.number(arguments[0])} to i128")
    other = out.value(f"zext i64 {out.number(arguments[1])} to i128")
    high = out.value(f"lshr i128 {out.value(f'mul i128 {one}, {other}')}, 64")
    return Number(out.value(f"trunc i128 {high} to i64"))


def _shifted(out: Emitter, arguments: list[Value]) -> Value:
    operands = f"{out.number(arguments[0])}, {out.number(arguments[1])}"
    return Number(out.value(f"lshr i64 {operands}"))


def _below(out: Emitter, arguments: list[Value]) -> Value:
    return out.compare("ult", arguments[0], arguments[1])


def _first_of_eight(out: Emitter, arguments: list[Value]) -> Value:
    eight, zeros = "<8 x i64>", "zeroinitializer"
    pointer, ignored = _pointer(out, arguments[0]), out.number(arguments[2])
    tags = out.value(f"load {eight}, ptr {pointer}, align 64")
    one = out.value(f"insertelement {eight} undef, i64 {out.number(arguments[1])}, i64 0")
    wanted = out.value(f"shufflevector {eight} {one}, {eight} undef, <8 x i32> {zeros}")
    empty = out.value(f"icmp eq {eight} {tags}, {zeros}")
    differ = out.value(f"xor {eight} {tags}, {wanted}")
    bound = ", ".join([f"i64 {1 << int(ignored)}"] * 8)
    same = out.value(f"icmp ult {eight} {differ}, <{bound}>")
    bits = out.value(f"bitcast <8 x i1> {out.value(f'or <8 x i1> {empty}, {same}')} to i8")
    # The ninth bit means none of the eight.
    nine = out.value(f"or i64 {out.value(f'zext i8 {bits} to i64')}, 256")
    return Number(out.value(f"call i64 @llvm.cttz.i64(i64 {nine}, i1 true)"), (0, 8))


INTRINSICS: dict[Any, Intrinsic] = {
    load: _load,
    load_published: _load_published,
    store: _store,
    swap_if: _swap_if,
    fetch_add: _fetch_add,
    prefetch: _prefetch,
    high_product: _high_product,
    shifted: _shifted,
    below: _below,
    first_of_eight: _first_of_eight,
}

DECLARATIONS = """
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare {i64, i1} @llvm.sadd.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.ssub.with.overflow.i64(i64, i64)
declare {i64, i1} @llvm.smul.with.overflow.i64(i64, i64)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i8 @llvm.vector.reduce.or.v256i8(<256 x i8>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
"""
