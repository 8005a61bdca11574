"""Writes the body of one LLVM function: registers, labels, and operations on 64-bit integers.

The branches of translated code: a number for each of the two ways of every condition.

While a state is processed, a bit set, the *marks*, records which ways it took.  The search keeps a
state that takes a way which was not compared often enough, to compare it with Python
(``sampling.py``).  Otherwise a rare branch would hardly ever be in a sample.

Emits marks of the way that a state took at each condition: see :mod:`points`.

Emits operations on the variables of a packed state, whose words are in registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ...core.layout import WORD_BITS
from ...core.record import Variable
from .values import (
    PLAIN,
    Constant,
    Number,
    Range,
    Truth,
    UnsupportedError,
    Value,
    combined,
    fits,
    integer_of,
    span,
)

MARKS = "%marks"
"""Address of the marks, which is passed to every function translated from the model."""


@dataclass(frozen=True)
class Mark:
    """A truth value whose two ways are to be recorded.

    ``number`` is its point for true, and the next number that for false.  ``only_if`` has truth
    values, each with the way that leads here: cheap code runs even if Python would not get there.
    """

    truth: str
    number: int
    only_if: tuple[tuple[str, bool], ...] = ()

    def under(self, truth: str, way: bool) -> Mark:
        """Return this mark under the condition of another truth value."""
        return replace(self, only_if=(*self.only_if, (truth, way)))


class Points:
    """The points of a module's functions.

    Parameters
    ----------
    width
        Bits of an element of the marks, an even number: 8 if many states are processed side by
        side, otherwise 64.
    compared
        Ways that need no point, by the numbers that they have if every way has one.

    Attributes
    ----------
    count
        How many points there are.
    """

    def __init__(self, width: int, compared: Set[int] = frozenset()) -> None:
        self.width = width
        self.count = 0
        self._compared = compared
        self._ways = 0
        self._unnoted: set[int] = set()

    def pair(self) -> int | None:
        """Return the number of the point for true, one before that for false.

        The two share an element.  None if both ways were compared often enough.
        """
        ways = range(self._ways, self._ways + 2)
        self._ways += 2
        unnoted = [way in self._compared for way in ways]
        if all(unnoted):
            return None
        first = self.count
        self.count += 2
        self._unnoted.update(first + offset for offset in range(2) if unnoted[offset])
        return first

    @property
    def elements(self) -> int:
        """How many elements the marks have."""
        return -(-self.count // self.width)

    def element(self, number: int) -> int:
        """Return the element of the marks that a point is in."""
        return number // self.width

    def bit(self, number: int) -> int:
        """Return the value of its bit there; 0 if the way was compared often enough."""
        return 0 if number in self._unnoted else 1 << number % self.width


FAILURE = "%failure"
"""The address of a state's error word, which a function of the model sets if the step fails.

Its lowest bit says that Python has to take over, and `ASSERTED` that an assertion failed before
anything else did: what comes after a failure means nothing.
"""

ASSERTED = 2

MOST_ROUNDS = 1 << 16
"""The most iterations of all loops of one step, or of one judgement, together; more fail.

A rule that never ends must not block the search; the interpreted engine, which can be interrupted
anywhere, takes over what takes longer.
"""

CHEAP = 24
"""The most instructions that are computed unconditionally instead of being jumped over."""


@dataclass
class Aside:
    """Instructions that were collected separately, and the marks pending at their end."""

    lines: list[str]
    pending: list[Mark] = field(default_factory=list)


class Emitter:
    """The instructions of a function, one line each, in the order in which they were emitted.

    The range of a value holds as long as the step has not failed.  A failed step continues with
    arbitrary values, so ranges decide what to check, but never what is safe: :meth:`divisor` and
    :meth:`distance` are needed for every value that is not a constant, whatever its range.

    Parameters
    ----------
    points
        The points of the model's branches; None for the search's own code.

    Attributes
    ----------
    pending
        Marks of truth values that are known here, and are recorded before the next jump.
    loops
        Not empty if there may be a loop or a write, which have no vector instruction.
    reads
        Paths of the variables that are read from their columns.
    gives_up
        Whether there is a jump to the label "up", the end of a function whose step has failed.
    """

    def __init__(self, points: Points | None = None) -> None:
        self.points = points
        self.pending: list[Mark] = []
        self.loops: list[bool] = []
        self.reads: set[str] = set()
        self.lines: list[str] = []
        self.prologue: list[str] = []
        self.terminated = False
        self.gives_up = False
        self._count = 0

    def register(self) -> str:
        """Return a new register's name."""
        self._count += 1
        return f"%r{self._count}"

    def label(self, hint: str) -> str:
        """Return a new label's name."""
        self._count += 1
        return f"{hint}{self._count}"

    def emit(self, line: str) -> None:
        """Add an instruction, unless nothing can reach it."""
        if line.startswith(("br ", "ret ")):
            self._note_marks()
        if not self.terminated:
            self.lines.append("  " + line)

    def value(self, operation: str) -> str:
        """Add an instruction with a result, and return the result's register."""
        register = self.register()
        self.emit(f"{register} = {operation}")
        return register

    def _note_marks(self) -> None:
        """Emit the setting of the bits of all marks that are pending."""
        marks, self.pending = self.pending, []
        if self.points is None or self.terminated:
            return
        kind = f"i{self.points.width}"
        bits: dict[int, str] = {}
        for mark in marks:
            element = self.points.element(mark.number)
            yes, no = self.points.bit(mark.number), self.points.bit(mark.number + 1)
            taken = self.value(f"select i1 {mark.truth}, {kind} {yes}, {kind} {no}")
            for truth, way in mark.only_if:
                chosen = f"{kind} {taken}, {kind} 0" if way else f"{kind} 0, {kind} {taken}"
                taken = self.value(f"select i1 {truth}, {chosen}")
            before = bits.get(element)
            bits[element] = self.value(f"or {kind} {before}, {taken}") if before else taken
        for element, taken in bits.items():
            address = self.value(f"getelementptr {kind}, ptr {MARKS}, i64 {element}")
            noted = self.value(f"load {kind}, ptr {address}")
            noted = self.value(f"or {kind} {noted}, {taken}")
            self.emit(f"store {kind} {noted}, ptr {address}")

    def place_label(self, label: str) -> None:
        """Begin a block; the block before it continues here."""
        self._note_marks()
        if not self.terminated:
            self.lines.append(f"  br label %{label}")
        self.lines.append(f"{label}:")
        self.terminated = False

    def jump(self, label: str) -> None:
        """Continue at a label."""
        self.emit(f"br label %{label}")
        self.terminated = True

    def branch(self, test: Value, yes: str, no: str) -> None:
        """Continue at one label or the other."""
        if isinstance(test, Constant):
            self.jump(yes if test.value else no)
            return
        self.emit(f"br i1 {self.truth(test)}, label %{yes}, label %{no}")
        self.terminated = True

    def again(self, counter: str, now: str, count: str, head: str, beyond: str) -> None:
        """Count a round, go back to the head of a loop, and continue beyond it after the last one.

        Parameters
        ----------
        counter
            The address of the number of the round, which is `now` in this one.
        count
            How many rounds there are.
        """
        following = self.value(f"add i64 {now}, 1")
        self.emit(f"store i64 {following}, ptr {counter}")
        more = self.value(f"icmp ult i64 {following}, {count}")
        self.emit(f"br i1 {more}, label %{head}, label %{beyond}")
        self.terminated = True
        self.place_label(beyond)

    def fail_if(self, wrong: str) -> None:
        """Emit that this step fails if a bit is set."""
        before = self.value(f"load i64, ptr {FAILURE}")
        failed = self.value(f"or i64 {before}, {self.value(f'zext i1 {wrong} to i64')}")
        self.emit(f"store i64 {failed}, ptr {FAILURE}")

    def assertion_fails(self) -> None:
        """Emit that an assertion fails here, unless the step has failed before."""
        before = self.value(f"load i64, ptr {FAILURE}")
        first = self.value(f"icmp eq i64 {before}, 0")
        failed = self.value(f"select i1 {first}, i64 {ASSERTED}, i64 {before}")
        self.emit(f"store i64 {failed}, ptr {FAILURE}")

    def begin_round(self) -> None:
        """Emit the count of an iteration, and the end if the step has failed or used them up.

        The counter is after the error word.
        """
        counter = self.element(FAILURE, 1)
        count = self.value(f"add i64 {self.value(f'load i64, ptr {counter}')}, 1")
        self.emit(f"store i64 {count}, ptr {counter}")
        self.fail_if(self.value(f"icmp ugt i64 {count}, {MOST_ROUNDS}"))
        failed = self.value(f"load i64, ptr {FAILURE}")
        within = self.label("within")
        self.branch(Truth(self.value(f"icmp ne i64 {failed}, 0")), "up", within)
        self.place_label(within)
        self.gives_up = True

    def divisor(self, number: str) -> str:
        """Return a divisor clamped to 1 or more: division by 0 would end the process."""
        return self.value(f"call i64 @llvm.smax.i64(i64 {number}, i64 1)")

    def distance(self, bits: str) -> str:
        """Return a shift distance clamped to below 64: a larger one is undefined in LLVM."""
        return self.value(f"call i64 @llvm.umin.i64(i64 {bits}, i64 {WORD_BITS - 1})")

    def variable(self) -> str:
        """Return the address of a new local variable."""
        address = self.register()
        self.prologue.append(f"  {address} = alloca i64")
        return address

    def room(self, count: int) -> str:
        """Return the address of memory for that many numbers."""
        address = self.register()
        self.prologue.append(f"  {address} = alloca [{count} x i64]")
        return address

    def element(self, base: str, index: int | str) -> str:
        """Return the address of one of several consecutive numbers."""
        return self.value(f"getelementptr i64, ptr {base}, i64 {index}")

    def after(self, base: str, offset: int) -> str:
        """Return the address `offset` bytes after another one."""
        return self.value(f"getelementptr i8, ptr {base}, i64 {offset}")

    def at(self, address: str, offset: int) -> str:
        """Return the pointer for the number `address` plus `offset` bytes."""
        return self.value(f"inttoptr i64 {self.value(f'add i64 {address}, {offset}')} to ptr")

    def definition(self, head: str, attributes: str) -> str:
        """Return all that was emitted as a function."""
        lines = "\n".join([*self.prologue, *self.lines])
        return f"define internal {head} {attributes} nounwind {{\nentry:\n{lines}\n}}"

    @contextmanager
    def aside(self) -> Iterator[Aside]:
        """Collect the emitted lines in a list of their own instead of the function."""
        kept, self.lines = self.lines, []
        pending, self.pending = self.pending, []
        kept_state, self.terminated = self.terminated, False
        aside = Aside(self.lines)
        try:
            yield aside
        finally:
            aside.pending = self.pending
            self.lines, self.terminated = kept, kept_state
            self.pending = pending

    def inline(self, aside: Aside, truth: str, way: bool) -> None:
        """Add collected code that Python would run only if a truth value goes one way."""
        if not self.terminated:
            self.lines += aside.lines
            self.pending += [mark.under(truth, way) for mark in aside.pending]

    def append(self, aside: Aside) -> None:
        """Add collected code at a point where Python runs it, too."""
        self.lines += aside.lines
        self.pending += aside.pending

    def number(self, value: Value) -> str:
        """Return an operand of 64 bits."""
        known = integer_of(value.value) if isinstance(value, Constant) else None
        if known is not None:
            if not fits((known, known)):
                raise UnsupportedError(f"the number {known}, which takes more than 64 bits")
            return str(known)
        if isinstance(value, Number):
            return value.register
        if isinstance(value, Truth):
            return self.value(f"zext i1 {value.register} to i64")
        raise UnsupportedError("a value of another kind, where a number is needed")

    def truth(self, value: Value) -> str:
        """Return an operand of one bit: whether a value is true."""
        if isinstance(value, Constant) and type(value.value) in PLAIN:
            return "true" if value.value else "false"
        if isinstance(value, Constant) and integer_of(value.value) is not None:
            return "true" if integer_of(value.value) else "false"
        if isinstance(value, Truth):
            return value.register
        if isinstance(value, Number):
            return self.value(f"icmp ne i64 {value.register}, 0")
        raise UnsupportedError("a value of another kind, where a truth value is needed")

    def arithmetic(self, operator: str, left: Value, right: Value) -> Number:
        """Emit an operation on two integers."""
        operands = f"{self.number(left)}, {self.number(right)}"
        known = combined(operator, span(left), span(right))
        return Number(self.value(f"{operator} i64 {operands}"), known)

    def extreme(self, which: str, left: Value, right: Value) -> Number:
        """Emit the smaller or the larger of two integers."""
        operands = f"i64 {self.number(left)}, i64 {self.number(right)}"
        known = combined(which, span(left), span(right))
        return Number(self.value(f"call i64 @llvm.s{which}.i64({operands})"), known)

    def compare(self, condition: str, left: Value, right: Value) -> Truth:
        """Emit a comparison of two integers."""
        operands = f"{self.number(left)}, {self.number(right)}"
        return Truth(self.value(f"icmp {condition} i64 {operands}"))

    def select(self, test: Value, yes: Value, no: Value, known: Range) -> Number:
        """Emit a choice between two integers that are both computed."""
        bit, one, other = self.truth(test), self.number(yes), self.number(no)
        return Number(self.value(f"select i1 {bit}, i64 {one}, i64 {other}"), known)


def is_cheap(lines: list[str]) -> bool:
    """Whether instructions are few, neither jump nor call, and have no effect."""
    return len(lines) <= CHEAP and not any(
        line.endswith(":")
        or line.startswith(("  br", "  store", "  ret"))
        or any(word in line for word in ("call", "cmpxchg", "atomicrmw"))
        for line in lines
        if "@llvm." not in line
    )


class Marking:
    """The points of one function.

    Attributes
    ----------
    out
        The emitter of its instructions.
    """

    def __init__(self, out: Emitter) -> None:
        self.out = out
        self._points: dict[object, int | None] = {}

    def mark(self, value: Value, *where: object) -> None:
        """Mark both ways of a truth value; `where` identifies the condition in the function."""
        if self.out.points is None or not isinstance(value, Truth):
            return
        # A loop that is written out repeats the same condition.
        if where not in self._points:
            self._points[where] = self.out.points.pair()
        number = self._points[where]
        if number is not None:
            self.out.pending.append(Mark(value.register, number))

    @property
    def elements(self) -> set[int]:
        """The elements of the marks that hold this function's own points."""
        points = self.out.points
        numbers = (number for number in self._points.values() if number is not None)
        return {points.element(number) for number in numbers} if points else set()


Moves = dict[tuple[int, int, int], int]
"""For (word from, word to, bits to the left): the mask of what moves that way."""


def stored_value(out: Emitter, words: Sequence[str], variable: Variable) -> str:
    """Emit a variable's stored value."""
    moved = out.value(f"lshr i64 {words[variable.word]}, {variable.shift}")
    return out.value(f"and i64 {moved}, {(1 << variable.width) - 1}")


def move_bits(
    out: Emitter, words: Sequence[str], moves: Mapping[tuple[int, int, int], int], to: list[str]
) -> None:
    """Emit moves of bits from the words of a state to other words, which hold none of them yet."""
    for (start, end, distance), mask in moves.items():
        bits = out.value(f"and i64 {words[start]}, {mask}")
        if distance:
            way = "shl" if distance > 0 else "lshr"
            bits = out.value(f"{way} i64 {bits}, {abs(distance)}")
        to[end] = out.value(f"or i64 {to[end]}, {bits}")
