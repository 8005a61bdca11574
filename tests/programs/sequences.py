"""Random uses of sequences, of numbers and of records, and of slices of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Names(Protocol):
    """The names for what was read from sequences."""

    flats: list[str]
    slices: list[str]


class Writer(Protocol):
    """What is needed of whatever writes a program."""

    pure: bool

    @property
    def scope(self) -> Names:
        """The names that can be read."""

    def one_of(self, options: Sequence[T]) -> T:
        """Return one of some texts."""

    def atom(self) -> str:
        """Write a number without operands."""

    def index(self, length: int) -> str:
        """Write an index of an array."""

    def slice(self) -> str:
        """Write the bounds of a slice."""

    def record(self) -> str:
        """Write a record of the state."""


def element(writer: Writer) -> str:
    """Write an element of a sequence, a variable of one, or the length of a slice."""
    return writer.one_of(
        (
            f"s.queue[{writer.index(2)}]", f"{pair(writer)}.one",
            f"s.pairs[{writer.index(2)}].other",
            f"len(s.queue[{writer.slice()}])", f"len(s.pairs[{writer.slice()}])", "len(s.pairs)",
            *(f"{name}.one" for name in writer.scope.flats), *map("len({})".format,
            writer.scope.slices),
        )
    )  # fmt: skip


def taken(writer: Writer) -> tuple[str, str]:
    """Write what is read from a sequence; return also what its names are in a scope."""
    out = ("s.pairs.pop()", "s.pairs.popleft()") if not writer.pure else ()
    flat = writer.one_of((f"s.pairs[{writer.index(2)}]", pair(writer), *out))
    return writer.one_of(
        (("flats", flat), ("slices", f"s.queue[{writer.slice()}]"),
         ("values", f"s.parts[{writer.index(1)}]"))
    )  # fmt: skip


def exchanged(writer: Writer) -> str:
    """Write the exchange of two elements, or of the parts of two."""
    name = writer.one_of(("s.queue[{}]", "s.pairs[{}]", "s.pairs[{}].one", "s.parts[{}]"))
    one, other = name.format(writer.index(2)), name.format(writer.index(2))
    return f"{one}, {other} = {other}, {one}"


def pair(writer: Writer) -> str:
    """Write a record that is made here, or an element of a sequence."""
    made = f"Pair(one={writer.atom()} & 3, other={writer.atom()})"
    return writer.one_of((f"s.pairs[{writer.index(2)}]", "s.spare", made, *writer.scope.flats))


def compared(writer: Writer) -> str:
    """Write a comparison of records or slices, or whether a record is in a sequence."""
    slices = f"s.queue[{writer.slice()}]", f"s.queue[{writer.slice()}]"
    pairs = f"s.pairs[{writer.slice()}]", f"s.pairs[{writer.slice()}]"
    equal = writer.one_of(("==", "==", "!="))
    return writer.one_of(
        (
            f"({f' {equal} '.join(slices)})", f"({f' {equal} '.join(pairs)})",
            f"({pair(writer)} {equal} {pair(writer)})", f"({pair(writer)} in s.pairs)",
            f"(s.parts[{writer.index(1)}] {equal} s.part[{writer.index(2)}])",
        )
    )  # fmt: skip


def resized(writer: Writer) -> str:
    """Write the assignment or removal of a slice, or a change of a sequence of records."""
    numbers = writer.one_of(
        (f"s.queue[{writer.slice()}]", f"[{writer.atom()} & 3]", "s.queue", "[]",
         f"({writer.index(2)}, {writer.index(2)} & 7)", *writer.scope.slices)
    )  # fmt: skip
    taken = writer.one_of(("s.pairs.pop()", "s.pairs.popleft()", pair(writer)))
    pairs = writer.one_of((f"s.pairs[{writer.slice()}]", f"[{pair(writer)}]", "s.pairs", "()"))
    return writer.one_of(
        (
            f"s.queue[{writer.slice()}] = {numbers}", f"s.pairs[{writer.slice()}] = {pairs}",
            f"del s.queue[{writer.slice()}]", f"del s.pairs[{writer.slice()}]",
            f"del s.{writer.one_of(('queue', 'pairs'))}[{writer.index(2)}]",
            f"s.queue.extend({numbers})", f"s.pairs.extend({pairs})",
            f"s.pairs.append({pair(writer)})", f"s.pairs[{writer.index(2)}] = {pair(writer)}",
            f"s.pairs[{writer.index(2)}].one = {writer.atom()} & 3", "s.pairs.truncate(1)",
            f"s.queue[{writer.index(2)}] += {writer.atom()} & 1", "s.parts.clear()",
            f"s.parts.append(s.part[{writer.index(2)}])", "s.parts[0] = s.parts[1]",
            f"s.spare.assign({taken})",
            f"{writer.record()}.assign({writer.record()})",
        )
    )  # fmt: skip
