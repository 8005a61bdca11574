"""Emits the code that keeps sample states to compare with Python: see :mod:`sampling`."""

from __future__ import annotations

from collections.abc import Iterable

from .emitter import Emitter
from .memory import GROUP
from .points import MARKS, Points
from .sampling import Query

VECTOR = 64
"""Bytes that are examined together."""


def clear_marks(out: Emitter, points: Points, elements: Iterable[int]) -> None:
    """Emit the clearing of marks: no way was taken yet."""
    kind = f"i{points.width}"
    for element in sorted(elements):
        out.emit(f"store {kind} 0, ptr {_element(out, kind, element)}")


def make_marks(out: Emitter, points: Points) -> None:
    """Emit the memory for marks, after everything that sets one has been translated."""
    out.prologue.append(f"  {MARKS} = alloca [{max(points.elements, 1)} x i{points.width}]")


def keep_if_wanted(
    out: Emitter,
    points: Points,
    elements: set[int],
    outcome: tuple[int | None, str],
    query: tuple[Query, int | str],
    answer: str,
    state: list[str] | str,
    successor: str,
) -> None:
    """Emit the code that keeps a state which took a way that is still wanted.

    Parameters
    ----------
    elements
        The elements of the marks that may be set.
    outcome
        A point or None, with a truth value: the way that is taken at the end.
    query
        The question, and the instance or property that it is about.
    answer
        The answer, as a number.
    state
        The address of the state, or its words in registers.
    successor
        The address of the successor; any address if there is none.
    """
    number, truth = outcome
    last = {} if number is None else {points.element(number): number}
    ways = {}
    for element in sorted(elements | last.keys()):
        taken = "0"
        if element in elements:
            taken = out.value(f"load i64, ptr {_element(out, 'i64', element)}")
        if element in last:
            yes, no = points.bit(last[element]), points.bit(last[element] + 1)
            way = out.value(f"select i1 {truth}, i64 {yes}, i64 {no}")
            taken = out.value(f"or i64 {taken}, {way}")
        address = out.value(f"getelementptr i64, ptr @wanted, i64 {element}")
        wanted = out.value(f"load i64, ptr {address}")
        ways[element] = out.value(f"and i64 {taken}, {wanted}")
    if not ways:
        return
    some = "0"
    for taken in ways.values():
        some = out.value(f"or i64 {some}, {taken}")
    keep, on = out.label("keep"), out.label("on")
    out.emit(f"br i1 {out.value(f'icmp ne i64 {some}, 0')}, label %{keep}, label %{on}")
    out.terminated = True
    out.place_label(keep)
    if isinstance(state, list):
        room = out.room(len(state))
        for word, register in enumerate(state):
            out.emit(f"store i64 {register}, ptr {out.element(room, word)}")
        state = out.value(f"ptrtoint ptr {room} to i64")
    operands = f"i64 {int(query[0])}, i64 {query[1]}, i64 {answer}, i64 {state}, i64 {successor}"
    out.emit(f"call void @keep({operands})")
    for element, taken in ways.items():
        out.emit(f"call void @count_ways(i64 {element}, i64 {taken})")
    out.place_label(on)


def store_marks(out: Emitter, elements: Iterable[int], state: str) -> None:
    """Emit the recording of one state's marks beside those of the others, a row per element."""
    for row, element in enumerate(sorted(elements)):
        marks = out.value(f"load i8, ptr {_element(out, 'i8', element)}")
        place = out.value(f"getelementptr i8, ptr {out.after('%noted', row * GROUP)}, i64 {state}")
        out.emit(f"store i8 {marks}, ptr {place}")


def keep_guarded(out: Emitter, number: str, elements: Iterable[int]) -> None:
    """Emit the code that keeps the states of a group whose guards took ways that are wanted."""
    kind = f"<{VECTOR} x i8>"
    rows = list(enumerate(sorted(elements)))
    if not rows:
        return
    some = "zeroinitializer"
    for row, element in rows:
        taken = "zeroinitializer"
        for part in range(0, GROUP, VECTOR):
            marks = out.value(f"load {kind}, ptr {out.after('%noted', row * GROUP + part)}")
            taken = out.value(f"or {kind} {taken}, {marks}")
        address = out.value(f"getelementptr i8, ptr @guards_wanted, i64 {element}")
        wanted = out.value(f"load i8, ptr {address}")
        one = out.value(f"insertelement {kind} poison, i8 {wanted}, i64 0")
        wanted = out.value(
            f"shufflevector {kind} {one}, {kind} poison, <{VECTOR} x i32> zeroinitializer"
        )
        some = out.value(f"or {kind} {some}, {out.value(f'and {kind} {taken}, {wanted}')}")
    bits = out.value(f"call i8 @llvm.vector.reduce.or.v{VECTOR}i8({kind} {some})")
    keep, on = out.label("keep"), out.label("on")
    out.emit(f"br i1 {out.value(f'icmp ne i8 {bits}, 0')}, label %{keep}, label %{on}")
    out.terminated = True
    out.place_label(keep)
    answers = out.value("ptrtoint ptr %answers to i64")
    for row, element in rows:
        noted = out.value(f"ptrtoint ptr {out.after('%noted', row * GROUP)} to i64")
        out.emit(
            f"call void @keep_guarded(i64 {number}, i64 {element}, i64 {noted}, "
            f"i64 {answers}, i64 %states, i64 %count)"
        )
    out.place_label(on)


def _element(out: Emitter, kind: str, element: int) -> str:
    return out.value(f"getelementptr {kind}, ptr {MARKS}, i64 {element}")
