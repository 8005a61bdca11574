"""Wide actions: one function for all choices of their arguments, instead of one for each.

Code that knows its arguments is fast, and takes 5 to 30 ms to compile.  An action of many choices
gets its arguments when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from ...core.spec import Instance
from .choices import SHARED_FROM
from .emitter import Emitter
from .values import Constant, Number, Value


@dataclass(frozen=True)
class Part:
    """Instances that share their code: one alone, or all of a wide action.

    ``first`` is the number of the first one, by which the code is named.
    """

    first: int
    instances: tuple[Instance, ...]

    @property
    def is_wide(self) -> bool:
        """Whether the arguments are known only when the code is called."""
        return len(self.instances) > 1

    @property
    def arguments(self) -> list[Value]:
        """The arguments as the code knows them."""
        rows = [instance.arguments for instance in self.instances]
        if not self.is_wide:
            return [Constant(argument) for argument in rows[0]]
        columns = zip(*rows, strict=True)
        return [Number(f"%p{n}", (min(one), max(one))) for n, one in enumerate(columns)]

    @property
    def number(self) -> str:
        """The number of the instance, in its code."""
        return "%instance" if self.is_wide else str(self.first)

    @property
    def names(self) -> list[str]:
        """The names of what is known only when the code is called."""
        if not self.is_wide:
            return []
        return [self.number, *(f"%p{n}" for n in range(len(self.instances[0].arguments)))]

    @property
    def operands(self) -> str:
        """The same with their types, to declare or to pass on after other operands."""
        return "".join(f", i64 {name}" for name in self.names)

    @property
    def alone(self) -> list[Part]:
        """The instances, each with code of its own."""
        return [Part(self.first + n, (one,)) for n, one in enumerate(self.instances)]

    def table(self) -> str:
        """Return the definition of the table of arguments."""
        width = len(self.instances[0].arguments)
        flat = ", ".join(f"i64 {int(a)}" for one in self.instances for a in one.arguments)
        return (
            f"@choices.{self.first} = internal constant "
            f"[{width * len(self.instances)} x i64] [{flat}]"
        )

    @contextmanager
    def each(self, out: Emitter) -> Iterator[tuple[str, str]]:
        """Emit a loop over the instances.

        Yields
        ------
        str, str
            The number of the instance, and what to pass on as :attr:`operands`.
        """
        if not self.is_wide:
            yield str(self.first), ""
            return
        counter, head = f"%counter.{self.first}", f"choice.{self.first}"
        out.prologue.append(f"  {counter} = alloca i64")
        out.emit(f"store i64 0, ptr {counter}")
        out.place_label(head)
        chosen = out.value(f"load i64, ptr {counter}")
        registers = [out.value(f"add i64 {chosen}, {self.first}")]
        width = len(self.names) - 1
        row = out.value(f"mul i64 {chosen}, {width}")
        for argument in range(width):
            place = out.value(f"add i64 {row}, {argument}")
            address = out.value(f"getelementptr i64, ptr @choices.{self.first}, i64 {place}")
            registers.append(out.value(f"load i64, ptr {address}"))
        yield registers[0], "".join(f", i64 {register}" for register in registers)
        following = out.value(f"add i64 {chosen}, 1")
        out.emit(f"store i64 {following}, ptr {counter}")
        more = out.value(f"icmp ult i64 {following}, {len(self.instances)}")
        out.emit(f"br i1 {more}, label %{head}, label %beyond.{self.first}")
        out.terminated = True
        out.place_label(f"beyond.{self.first}")


def parts_of(instances: Sequence[Instance]) -> list[Part]:
    """Return the instances in order, those of each wide action together."""
    parts: list[Part] = []
    first = 0
    for _, group in groupby(instances, key=lambda instance: id(instance.action)):
        part = Part(first, tuple(group))
        first += len(part.instances)
        plain = all(type(a) is int for one in part.instances for a in one.arguments)
        together = len(part.instances) > SHARED_FROM and plain
        parts += [part] if together else part.alone
    return parts
