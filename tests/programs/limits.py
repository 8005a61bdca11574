"""Random uses of numbers at the ends of what is known of them, by steps that may have failed.

A step that fails goes on in machine code with whatever values there are.  What is known of a number
need not hold then, and a division, a shift or an index that relies on it would end the process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

LIMITED = {
    "s.a": (-1, 5), "s.b": (0, 200), "s.flag": (0, 1), "s.some": (0, 7), "s.dozen": (0, 3000),
    "s.cell[1]": (0, 2), "s.part[1].low": (-1, 5), "s.one[0]": (-1, 3), "len(s.queue)": (0, 4),
    "len(s.pairs)": (0, 3), "s.spare.one": (0, 3), "s.spare.other": (-2, 60),
}  # fmt: skip
"""What may be read of the state, and between which numbers that is."""

BEYOND = (
    "s.queue.append(1)", "s.queue.append(1)\ns.queue.append(2)\ns.queue.append(3)",
    "s.queue.pop()", "s.queue.popleft()", "s.pairs.append(s.spare)", "s.pairs.pop()",
    "s.pairs.popleft()", "s.queue.extend([1, 2, 3])", "s.queue.extend(s.queue)", "del s.queue[1]",
    "s.queue[2] = 1", "s.a += 3", "s.b += 100", "s.cell[1] += 1", "s.dozen *= 2",
    "s.spare.one += 1", "s.part[1].low -= 2", "s.cell[s.a] = 1", "s.one[0] -= 1",
)  # fmt: skip
"""Writes that fail in many states."""


class Writer(Protocol):
    """What is needed of whatever writes a program."""

    state: bool
    pure: bool

    def one_of(self, options: Sequence[str]) -> str:
        """Return one of some texts."""

    def chance(self, percent: int) -> bool:
        """Return true in so many of a hundred cases."""

    def atom(self) -> str:
        """Write a number without operands."""

    def number(self, size: int) -> str:
        """Write an expression whose value is a number."""

    def call(self, kinds: Sequence[str], size: int) -> tuple[str, str] | None:
        """Write a call of a helper of some kind; None where there is none."""

    def generated(
        self, size: int, which: str, element: Callable[[int], str], more: str = ""
    ) -> str:
        """Write a call over one generator."""


def positive(writer: Writer, size: int = 0) -> str:
    """Write a number that is known to be positive, and small, unless the step has failed."""
    call = writer.call(("positive",), 1)
    if call is not None and writer.chance(30):
        return call[1]
    if not writer.state or writer.chance(25):
        return f"({writer.number(size)} & 3) + 1"
    if writer.chance(25):
        which = writer.one_of(("min", "max"))
        return writer.generated(1, which, lambda size: f"({writer.number(size)} & 1) + 1")
    read = writer.one_of(tuple(LIMITED))
    low, high = LIMITED[read]
    return writer.one_of((f"{high + 1} - {read}", f"{read} - {low - 1}"))


def relying(writer: Writer, size: int) -> str:
    """Write a number that is computed by relying on what is known of another one."""
    few = positive(writer, size // 2)
    ways = [f"({writer.number(size // 2)} {operator} ({few}))" for operator in ("//", "//", "%")]
    ways.append(f"({writer.atom()} {writer.one_of(('<<', '>>'))} ({few} & 63))")
    if writer.state:
        ways += [
            f"s.odd[{few} - 1]", f"s.queue[{few}]", f"s.part[{few} - 1].row[1]",
            f"len(s.queue[{few}:])", f"len(s.pairs[:{few}])",
        ]  # fmt: skip
    return writer.one_of(ways)


def failing(writer: Writer, name: str) -> str:
    """Write what fails in many states, and after it what relies on what is known."""
    if writer.pure or not writer.state:
        return f"{name} = {relying(writer, 1)}"
    return f"{writer.one_of(BEYOND)}\n{name} = {relying(writer, 1)}"
