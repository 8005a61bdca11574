"""The successors of a group of states, computed instance by instance.

First the guards of an instance are evaluated on all states of the group, from columns of their
variables (``state_refs.py``).  They neither write nor jump, so that LLVM vectorizes that loop, 32
states at a time.  The effect of an instance is computed only for states in which it is enabled, on
a copy.  Going instance by instance instead of state by state also makes nearly every jump
predictable.

Wide actions: one function for all choices of their arguments, instead of one for each.

Code that knows its arguments is fast, and takes 5 to 30 ms to compile.  An action of many choices
gets its arguments when it is called.

Emits the code that keeps sample states to compare with Python: see :mod:`sampling`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any

from ...core.layout import Layout
from ...core.spec import Instance, TransitionSystem
from ...language.lowering.frame import LoweringError
from .choices import MOST_INSTANCES, MOST_TRIED, SHARED_FROM, in_turn
from .emitter import ASSERTED, MARKS, Emitter, Points
from .memory import GROUP
from .narrowing import bit_words, marker
from .sampling import ALIVE, Query
from .state_refs import Columns
from .unit import Compiled, Unit
from .values import Argument, Constant, Number, StateRef, UnsupportedError, Value


@dataclass(frozen=True)
class Part:
    """Instances that share their code: one alone, or all of a wide action.

    ``first`` is the number of the first one, by which the code is named, and ``narrowed`` says that
    only what the states choose is tried.
    """

    first: int
    instances: tuple[Instance, ...]
    narrowed: bool = False

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
        """The names of the values that only a call of the code has."""
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
        flat = [int(a) for one in self.instances for a in one.arguments]
        return constants(f"choices.{self.first}", "i64", flat)

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
        if self.narrowed:
            yield from self._each_chosen(out)
            return
        with each_number(out, self.first, len(self.instances)) as chosen:
            yield self._passed(out, chosen)

    def _passed(self, out: Emitter, chosen: str) -> tuple[str, str]:
        """Emit the loading of a choice, and return what :meth:`each` yields."""
        registers = [out.value(f"add i64 {chosen}, {self.first}")]
        width = len(self.names) - 1
        row = out.value(f"mul i64 {chosen}, {width}")
        for argument in range(width):
            place = out.value(f"add i64 {row}, {argument}")
            address = out.value(f"getelementptr i64, ptr @choices.{self.first}, i64 {place}")
            registers.append(out.value(f"load i64, ptr {address}"))
        return registers[0], "".join(f", i64 {register}" for register in registers)

    def _each_chosen(self, out: Emitter) -> Iterator[tuple[str, str]]:
        """Emit a loop over the instances that some state of the group chooses."""
        words, first = bit_words(len(self.instances)), self.first
        bits, word, left = out.room(words), out.variable(), out.variable()
        out.emit(f"call void @llvm.memset.p0.i64(ptr {bits}, i8 0, i64 {8 * words}, i1 false)")
        address = out.value(f"ptrtoint ptr {bits} to i64")
        out.emit(f"call void @mark.{first}(i64 %states, i64 %count, i64 {address})")
        out.emit(f"store i64 0, ptr {word}")
        out.place_label(f"word.{first}")
        here = out.value(f"load i64, ptr {word}")
        out.emit(f"store i64 {out.value(f'load i64, ptr {out.element(bits, here)}')}, ptr {left}")
        out.place_label(f"choice.{first}")
        some = out.value(f"load i64, ptr {left}")
        none = out.value(f"icmp eq i64 {some}, 0")
        out.emit(f"br i1 {none}, label %empty.{first}, label %bit.{first}")
        out.terminated = True
        out.place_label(f"bit.{first}")
        less = out.value(f"and i64 {some}, {out.value(f'sub i64 {some}, 1')}")
        out.emit(f"store i64 {less}, ptr {left}")
        lowest = out.value(f"call i64 @llvm.cttz.i64(i64 {some}, i1 true)")
        place = out.value(f"add i64 {out.value(f'shl i64 {here}, 6')}, {lowest}")
        chosen = out.value(f"sub i64 {place}, 1")
        real = out.value(f"icmp ult i64 {chosen}, {len(self.instances)}")
        out.emit(f"br i1 {real}, label %take.{first}, label %choice.{first}")
        out.terminated = True
        out.place_label(f"take.{first}")
        yield self._passed(out, chosen)
        out.jump(f"choice.{first}")
        out.place_label(f"empty.{first}")
        out.again(word, here, str(words), f"word.{first}", f"beyond.{first}")


@contextmanager
def each_number(out: Emitter, first: int, count: int) -> Iterator[str]:
    """Emit a loop over the numbers below a count, of instances from `first` on; yield a number."""
    counter, head = f"%counter.{first}", f"choice.{first}"
    out.prologue.append(f"  {counter} = alloca i64")
    out.emit(f"store i64 0, ptr {counter}")
    out.place_label(head)
    chosen = out.value(f"load i64, ptr {counter}")
    yield chosen
    out.again(counter, chosen, str(count), head, f"beyond.{first}")


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


KEEP_ROWS = """\
define internal void @keep_rows(i64 %part, i64 %number, ptr %noted, ptr %answers, i64 %states, \
i64 %count) nounwind {{
entry:
  %begin.at = getelementptr i64, ptr @rows_from, i64 %part
  %begin = load i64, ptr %begin.at
  %end.at = getelementptr i64, ptr %begin.at, i64 1
  %end = load i64, ptr %end.at
  br label %row
row:
  %at = phi i64 [%begin, %entry], [%next, %on]
  %more = icmp ult i64 %at, %end
  br i1 %more, label %look, label %done
look:
  %element.at = getelementptr i64, ptr @rows, i64 %at
  %element = load i64, ptr %element.at
  %of.row = sub i64 %at, %begin
  %offset = mul i64 %of.row, {group}
  %marks = getelementptr i8, ptr %noted, i64 %offset
  %taken = load <{group} x i8>, ptr %marks, align {bits}
  %some = call i8 @llvm.vector.reduce.or.v{group}i8(<{group} x i8> %taken)
  %wanted.at = getelementptr i8, ptr @guards_wanted, i64 %element
  %wanted = load i8, ptr %wanted.at
  %both = and i8 %some, %wanted
  %idle = icmp eq i8 %both, 0
  br i1 %idle, label %on, label %keep
keep:
  %marks.at = ptrtoint ptr %marks to i64
  %answers.at = ptrtoint ptr %answers to i64
  call void @keep_guarded(i64 %number, i64 %element, i64 %marks.at, i64 %answers.at, \
i64 %states, i64 %count)
  br label %on
on:
  %next = add i64 %at, 1
  br label %row
done:
  ret void
}}"""
"""Keeps the states of a group whose guards took ways that are wanted.

The marks of all states for an element of a part's marks are a row of ``noted``; ``rows`` has the
elements of all parts, and ``rows_from`` where those of each part begin, and the last ones end.
"""


def constants(name: str, kind: str, values: Sequence[object]) -> str:
    """Return the definition of a table of constants."""
    listed = ", ".join(f"{kind} {value}" for value in values) or f"{kind} undef"
    return f"@{name} = internal constant [{max(len(values), 1)} x {kind}] [{listed}]"


def _element(out: Emitter, kind: str, element: int) -> str:
    return out.value(f"getelementptr {kind}, ptr {MARKS}, i64 {element}")


LONGER, CHEAPER = 4, 100
"""Code for all choices may be longer than that for one by the former factor, or by the number of
choices divided by the latter."""

GUARDED, UNPACKED = 32, 8
"""The vector widths, in states, of the loop over guards and of the loop that unpacks."""

FAILED = -(1 << 63)
"""The bit of an instance's number of steps that says that one of them failed."""

BITS = 64
"""States whose answers make up one word of bits."""

INSTANCE = """\
define internal {{i64, i64}} @instance.{number}({columns}, \
ptr noalias %answers, i64 %count, i64 %buffer, i64 %alive{extra}) noinline nounwind {{
entry:
  br label %block
block:
  %first = phi i64 [0, %entry], [%beyond, %finished]
  %place = phi i64 [%buffer, %entry], [%filled, %finished]
  %failed = phi i64 [0, %entry], [%wrong, %finished]
  %row = getelementptr i8, ptr %answers, i64 %first
  %bytes = load <{bits} x i8>, ptr %row, align {bits}
  %set = trunc <{bits} x i8> %bytes to <{bits} x i1>
  %all = bitcast <{bits} x i1> %set to i64
  %high = lshr <{bits} x i8> %bytes, splat (i8 1)
  %fail = trunc <{bits} x i8> %high to <{bits} x i1>
  %fails = bitcast <{bits} x i1> %fail to i64
  %before = or i64 %failed, %fails{guarded}
  %beyond = add i64 %first, {bits}
  br label %next
next:
  %left = phi i64 [%all, %block], [%rest, %step]
  %here = phi i64 [%place, %block], [%there, %step]
  %bad = phi i64 [%before, %block], [%worse, %step]
  %living = phi i64 [0, %block], [%more, %step]{begun}
  %none = icmp eq i64 %left, 0
  br i1 %none, label %finished, label %step
step:
  %bit = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %less = sub i64 %left, 1
  %rest = and i64 %left, %less
  %state = add i64 %first, %bit
{loads}
  %done = call i64 @step.{number}({operands}, i64 %state, i64 %here{extra})
  %took = and i64 %done, 1
  %size = mul i64 %took, {stride}
  %there = add i64 %here, %size
  %errors = lshr i64 %done, 1
  %error = and i64 %errors, 1{stepped}
  %worse = or i64 %bad, %error
  %mark = shl i64 %took, %bit
  %more = or i64 %living, %mark
  br label %next
finished:
  %filled = phi i64 [%here, %next]
  %wrong = phi i64 [%bad, %next]
  %octet = lshr i64 %first, 3
  %where = add i64 %alive, %octet
  %lives = inttoptr i64 %where to ptr
  %known = load i64, ptr %lives
  %united = or i64 %known, %living{kept}
  store i64 %united, ptr %lives
  %left.over = icmp ult i64 %beyond, %count
  %well = icmp eq i64 %wrong, 0
  %again = and i1 %left.over, %well
  br i1 %again, label %block, label %end
end:
  %r0 = insertvalue {{i64, i64}} poison, i64 %filled, 0
  %r1 = insertvalue {{i64, i64}} %r0, i64 %wrong, 1
  ret {{i64, i64}} %r1
}}"""
"""Visits the states in which an instance is enabled, by the bits that its guards set."""

ASSERTING = {
    "guarded": f"""
  %third = lshr <{BITS} x i8> %bytes, splat (i8 2)
  %unmet = trunc <{BITS} x i8> %third to <{BITS} x i1>
  %guarded = bitcast <{BITS} x i1> %unmet to i64""",
    "begun": """
  %asserted = phi i64 [%guarded, %block], [%others, %step]""",
    "stepped": """
  %one = lshr i64 %errors, 1
  %bits = shl i64 %one, %bit
  %others = or i64 %asserted, %bits""",
    "kept": f"""
  %after = getelementptr i8, ptr %lives, i64 {GROUP // 8}
  %noted = load i64, ptr %after
  %all.noted = or i64 %noted, %asserted
  store i64 %all.noted, ptr %after""",
}
"""The additions there for assertions: the bits of the states in which one fails."""


class Expansion:
    """Generates ``expand(states, count, buffer, taken, alive)``: all successors of some states.

    They are consecutive in the buffer, `stride` bytes each, of which the last eight are the number
    of the parent among the states.  ``taken`` counts how often each instance was taken, and
    ``alive`` has a bit for each state that has a successor.  ``expand`` returns the number of
    successors, or -1 if a step or a guard failed; the numbers of the instances that did have
    `FAILED` set, and the others are right all the same.

    Parameters
    ----------
    unit
        The module to which the functions of the model are added.
    stride
        In bytes.
    compared
        Ways that need no point; those of guards as ``-1 - number``.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        unit: Unit,
        stride: int,
        compared: Set[int] = frozenset(),
    ) -> None:
        self.system = system
        self.unit = unit
        self.stride = stride
        self.layout: Layout[Any] = system.layout
        self.words = self.layout.words
        self.constants = Constant(system.constants)
        self.sides = Columns(system.layout)
        points = Points(8, {-1 - way for way in compared})
        self.guards = Unit(
            self.sides, points, unit.sizes, "asked.", unit.asserts, lowering=unit.lowering
        )
        self._noted: dict[int, set[int]] = {}
        self._parts: list[Part] = []
        self._tables: list[str] = []
        self.columns = ", ".join(f"ptr noalias %c{word}" for word in range(self.words))
        self.passed = ", ".join(f"ptr %c{word}" for word in range(self.words))

    def functions(self, tick: Callable[[], None]) -> list[str]:
        """Return the definitions of all functions.

        Raises
        ------
        UnsupportedError
            If an action cannot be translated, before most instances of the others are.
        """
        texts = self._shared(tick)
        if len(self._parts) > MOST_INSTANCES:
            raise UnsupportedError(
                f"{len(self._parts):,} choices of arguments that each need code of their own, "
                f"more than {MOST_INSTANCES:,},"
            )
        for part in in_turn(self._parts, lambda part: part.instances[0]):
            tick()
            if part.first not in texts:
                texts[part.first] = self._of(part)
        ordered = (text for part in self._parts for text in texts[part.first])
        tables = [*self._rows(), KEEP_ROWS.format(group=GROUP, bits=BITS)]
        return [*ordered, *tables, self._expand(), *self.guards.bodies, *self._tables]

    def _rows(self) -> Iterator[str]:
        """Yield the tables of the elements in which the guards of each part mark their ways."""
        elements = [sorted(self._noted[part.first]) for part in self._parts]
        yield constants("rows", "i64", [one for row in elements for one in row])
        yield constants("rows_from", "i64", [*accumulate(map(len, elements), initial=0)])

    def _shared(self, tick: Callable[[], None]) -> dict[int, list[str]]:
        """Find the parts, and return the definitions of the wide ones."""
        texts: dict[int, list[str]] = {}
        for part in parts_of(self.system.instances):
            together = self._together(part) if part.is_wide else None
            if together:
                tick()
                if part.instances[0].action.selections:
                    part, more = self._narrowed(part)
                    together += more
                texts[part.first] = together
            self._parts += [part] if together else part.alone
        return texts

    def _of(self, part: Part) -> list[str]:
        """Return the definitions of the functions of a part."""
        return [self._guards(part), self._step(part), self._instance(part)]

    def _together(self, part: Part) -> list[str] | None:
        """Return the definitions for a wide action; None if each choice needs code of its own.

        Some code is translated only if it knows its arguments, and some is much longer if it does
        not: it looks for the element of an array among all of them.
        """
        begun = self._lines()
        try:
            texts = self._of(part)
        except LoweringError:
            return None
        together = self._lines() - begun
        self._of(part.alone[-1])
        alone = self._lines() - begun - together
        most = max(LONGER, len(part.instances) // CHEAPER) * alone
        return [*texts, part.table()] if together <= most else None

    def _narrowed(self, part: Part) -> tuple[Part, list[str]]:
        """Return a part of which only what states choose is tried, with the code for that.

        Raises
        ------
        UnsupportedError
            If there is no such code, and the part has too many choices to try each.
        """
        try:
            text = marker(self.unit, part.instances, part.first, self.constants, self.words)
        except LoweringError as error:
            if len(part.instances) <= MOST_TRIED:
                return part, []
            name, count = part.instances[0].action.name, len(part.instances)
            raise UnsupportedError(
                f"{name}, of whose {count:,} choices a state takes few, by {error}"
            ) from None
        return replace(part, narrowed=True), [text]

    def _lines(self) -> int:
        """Return how many lines the functions of the model have."""
        return sum(body.count("\n") for unit in (self.unit, self.guards) for body in unit.bodies)

    def _expand(self) -> str:
        """Return ``expand``: it copies the words into columns, then goes instance by instance."""
        out = Emitter()
        for word in range(self.words):
            out.prologue.append(f"  %c{word} = alloca [{GROUP} x i64], align 64")
        out.prologue.append(f"  %answers = alloca [{GROUP} x i8], align 64")
        # The entries after the last state must read as not enabled, and without marks.
        out.emit(f"call void @llvm.memset.p0.i64(ptr %answers, i8 0, i64 {GROUP}, i1 false)")
        noted = max(1, *map(len, self._noted.values())) * GROUP if self._noted else GROUP
        out.prologue.append(f"  %noted = alloca [{noted} x i8], align 64")
        out.emit(f"call void @llvm.memset.p0.i64(ptr %noted, i8 0, i64 {noted}, i1 false)")
        for block in range(ALIVE // 8):
            out.emit(f"store i64 0, ptr {out.at('%alive', 8 * block)}")
        state = self._counted(out)
        for word in range(self.words):
            offset = out.value(f"mul i64 {state}, {8 * self.words}")
            offset = out.value(f"add i64 {offset}, {8 * word}")
            address = out.value(f"add i64 %states, {offset}")
            value = out.value(f"load i64, ptr {out.value(f'inttoptr i64 {address} to ptr')}")
            out.emit(f"store i64 {value}, ptr {out.element(f'%c{word}', state)}")
        self._again(out)
        out.prologue.append(f"  %sides = alloca [{max(1, self.sides.bytes)} x i8], align 64")
        out.emit(f"call void @unpack({self.passed}, ptr %sides, i64 %count)")
        out.prologue += ["  %filled = alloca i64", "  %failed = alloca i64"]
        out.emit("store i64 %buffer, ptr %filled")
        out.emit("store i64 0, ptr %failed")
        for is_wide, run in groupby(enumerate(self._parts), lambda each: each[1].is_wide):
            if is_wide:
                for place, part in run:
                    with part.each(out) as (number, arguments):
                        guards, instance = f"@guards.{part.first}", f"@instance.{part.first}"
                        self._take(out, str(place), guards, instance, number, arguments)
            else:
                self._take_each(out, list(run))
        filled = out.value("load i64, ptr %filled")
        bytes_ = out.value(f"sub i64 {filled}, %buffer")
        successors = out.value(f"udiv exact i64 {bytes_}, {self.stride}")
        well = out.value(f"icmp eq i64 {out.value('load i64, ptr %failed')}, 0")
        out.emit(f"ret i64 {out.value(f'select i1 {well}, i64 {successors}, i64 -1')}")
        head = "i64 @expand(i64 %states, i64 %count, i64 %buffer, i64 %taken, i64 %alive)"
        return f"{out.definition(head, 'noinline')}\n{self._unpack()}"

    def _take_each(self, out: Emitter, run: Sequence[tuple[int, Part]]) -> None:
        """Emit a loop over consecutive instances, each with code of its own."""
        begin, first = run[0][0], run[0][1].first
        with each_number(out, first, len(run)) as chosen:
            guards, instance = (
                self._one_of(out, name, run, chosen) for name in ("guards", "instance")
            )
            place, number = (out.value(f"add i64 {chosen}, {start}") for start in (begin, first))
            self._take(out, place, guards, instance, number, "")

    def _one_of(self, out: Emitter, name: str, run: Sequence[tuple[int, Part]], chosen: str) -> str:
        """Emit the loading of one of the functions of consecutive instances, from a table."""
        table = f"every.{name}.{run[0][1].first}"
        self._tables.append(constants(table, "ptr", [f"@{name}.{part.first}" for _, part in run]))
        address = out.value(f"getelementptr ptr, ptr @{table}, i64 {chosen}")
        return out.value(f"load ptr, ptr {address}")

    def _take(
        self, out: Emitter, place: str, guards: str, instance: str, number: str, arguments: str
    ) -> None:
        """Emit the steps of an instance from all states of the group.

        Parameters
        ----------
        place
            The number of its part.
        guards, instance
            The functions of the part.
        """
        out.emit(f"call void {guards}(ptr %sides, ptr %answers, ptr %noted, i64 %count{arguments})")
        out.emit(
            f"call void @keep_rows(i64 {place}, i64 {number}, ptr %noted, ptr %answers, "
            "i64 %states, i64 %count)"
        )
        place = out.value("load i64, ptr %filled")
        passed = f"{self.passed}, ptr %answers, i64 %count, i64 {place}, i64 %alive{arguments}"
        pair = out.value(f"call {{i64, i64}} {instance}({passed})")
        following = out.value(f"extractvalue {{i64, i64}} {pair}, 0")
        wrong = out.value(f"extractvalue {{i64, i64}} {pair}, 1")
        failed = out.value(f"or i64 {out.value('load i64, ptr %failed')}, {wrong}")
        out.emit(f"store i64 {failed}, ptr %failed")
        out.emit(f"store i64 {following}, ptr %filled")
        new = out.value(
            f"udiv exact i64 {out.value(f'sub i64 {following}, {place}')}, {self.stride}"
        )
        taken = out.value(f"icmp ne i64 {new}, 0")
        portion = out.value(f"udiv i64 {number}, {portion_of(len(self.system.instances))}")
        bit = out.value(f"shl i64 {out.value(f'zext i1 {taken} to i64')}, {portion}")
        address = out.at("%alive", ALIVE - 8)
        touched = out.value(f"or i64 {out.value(f'load i64, ptr {address}')}, {bit}")
        out.emit(f"store i64 {touched}, ptr {address}")
        offset = out.value(f"mul i64 {number}, 8")
        counter = out.value(f"inttoptr i64 {out.value(f'add i64 %taken, {offset}')} to ptr")
        counted = out.value(f"add i64 {out.value(f'load i64, ptr {counter}')}, {new}")
        some = out.value(f"icmp ne i64 {wrong}, 0")
        failure = out.value(f"select i1 {some}, i64 {FAILED}, i64 0")
        out.emit(f"store i64 {out.value(f'or i64 {counted}, {failure}')}, ptr {counter}")

    def _unpack(self) -> str:
        """Return ``unpack``: it copies every variable that a guard reads into its column."""
        out = Emitter()
        state = self._counted(out)
        words = [
            out.value(f"load i64, ptr {out.element(f'%c{word}', state)}")
            for word in range(self.words)
        ]
        self.sides.fill(out, "%sides", state, words)
        number = len(self.system.instances)
        self._again(out, f", !llvm.loop !{number}")
        out.emit("ret void")
        head = f"void @unpack({self.columns}, ptr noalias %sides, i64 %count)"
        return f"{out.definition(head, 'noinline')}\n{_hints(number, UNPACKED)}"

    def _guards(self, part: Part) -> str:
        """Return ``guards.N``: for each state whether the instance is enabled, or fails.

        That is 1 or 2, and 4 if an assertion fails.
        """
        out = Emitter()
        guards = self._translated_guards(part)
        state = self._counted(out)
        slots, everything = self.sides.slots(out, "%sides", state, guards.reads)
        make_marks(out, self.guards.points)
        clear_marks(out, self.guards.points, guards.elements)
        passed = ", ".join(guards.passed(self._given(slots, part), slots))
        enabled = out.value(f'call i1 @"{guards.name}"({passed})')
        error = out.value(f"load i64, ptr {slots}")
        wrong = out.value(f"icmp {'eq' if self.unit.asserts else 'uge'} i64 {error}, 1")
        asserted = self._asserted(out, error)
        if asserted:
            enabled = out.value(f"select i1 {asserted}, i1 false, i1 {enabled}")
        twice = out.value(f"shl i8 {self._bit(out, wrong, 8)}, 1")
        answer = out.value(f"or i8 {twice}, {self._bit(out, enabled, 8)}")
        if asserted:
            four = out.value(f"shl i8 {self._bit(out, asserted, 8)}, 2")
            answer = out.value(f"or i8 {answer}, {four}")
        # Nobody reads the highest bit.
        answer = out.value(f"or i8 {answer}, {out.value(f'and i8 {everything}, 128')}")
        out.emit(
            f"store i8 {answer}, ptr {out.value(f'getelementptr i8, ptr %answers, i64 {state}')}"
        )
        store_marks(out, guards.elements, state)
        self._noted[part.first] = guards.elements
        self._again(out, f", !llvm.loop !{part.first}")
        out.emit("ret void")
        passed = "ptr noalias %sides, ptr noalias %answers, ptr noalias %noted, i64 %count"
        head = f"void @guards.{part.first}({passed}{part.operands})"
        return f"{out.definition(head, 'noinline')}\n{_hints(part.first, GUARDED)}"

    def _instance(self, part: Part) -> str:
        """Return ``instance.N``: the effect on each state in which the instance is enabled.

        It returns the address for the next successor, and whether some step failed.
        """
        columns = self.passed.replace("ptr ", "")
        loads = "\n".join(
            f"  %e{word} = getelementptr i64, ptr {column}, i64 %state\n"
            f"  %w{word} = load i64, ptr %e{word}"
            for word, column in enumerate(columns.split(", "))
        )
        operands = ", ".join(f"i64 %w{word}" for word in range(self.words))
        added = ASSERTING if self.unit.asserts else dict.fromkeys(ASSERTING, "")
        return INSTANCE.format(
            **added,
            number=part.first,
            extra=part.operands,
            columns=self.columns,
            loads=loads,
            operands=operands,
            stride=self.stride,
            bits=BITS,
        )

    def _step(self, part: Part) -> str:
        """Return ``step.N``: the effect on a copy of the state.

        Its bits say whether it was taken, whether it failed, and whether an assertion failed.
        """
        out = Emitter()
        words = out.room(self.words + 2)
        for word in range(self.words):
            out.emit(f"store i64 %w{word}, ptr {out.element(words, word)}")
        failure = out.element(words, self.words)
        out.emit(f"store i64 0, ptr {failure}")
        out.emit(f"store i64 0, ptr {out.element(words, self.words + 1)}")
        arguments, action = self._given(words, part), part.instances[0].action
        effect = self.unit.action(action.apply, arguments)
        make_marks(out, self.unit.points)
        clear_marks(out, self.unit.points, effect.elements)
        passed = ", ".join(effect.passed(arguments, failure))
        taken = out.value(f'call {effect.returns} @"{effect.name}"({passed})')
        if effect.returns != "i1":
            taken = out.value(f"icmp ne {effect.returns} {taken}, 0")
        error = out.value(f"load i64, ptr {failure}")
        asserted = self._asserted(out, error)
        if asserted:
            taken = out.value(f"select i1 {asserted}, i1 false, i1 {taken}")
        differ = "0"
        for word in range(self.words):
            value = out.value(f"load i64, ptr {out.element(words, word)}")
            out.emit(f"store i64 {value}, ptr {out.at('%place', 8 * word)}")
            differ = out.value(f"or i64 {differ}, {out.value(f'xor i64 {value}, %w{word}')}")
        out.emit(f"store i64 %state, ptr {out.at('%place', self.stride - 8)}")
        keep_if_wanted(
            out,
            self.unit.points,
            effect.elements,
            (self.unit.points.pair(), taken),
            (Query.STEP, part.number),
            self._bit(out, taken),
            [f"%w{word}" for word in range(self.words)],
            "%place",
        )
        # If a step that is not enabled has written, the interpreted engine has to report it.
        written = out.value(f"icmp ne i64 {differ}, 0")
        untidy = out.value(f"select i1 {taken}, i1 false, i1 {written}")
        error = out.value(f"or i64 {error}, {out.value(f'zext i1 {untidy} to i64')}")
        if asserted:
            error = out.value(f"select i1 {asserted}, i64 {ASSERTED}, i64 {error}")
        shifted = out.value(f"shl i64 {error}, 1")
        out.emit(f"ret i64 {out.value(f'or i64 {shifted}, {self._bit(out, taken)}')}")
        taken_in = ", ".join(f"i64 %w{word}" for word in range(self.words))
        taken_in += f", i64 %state, i64 %place{part.operands}"
        return out.definition(f"i64 @step.{part.first}({taken_in})", "")

    def _asserted(self, out: Emitter, error: str) -> str:
        """Return whether an error word says that an assertion failed; empty if none is one."""
        return out.value(f"icmp uge i64 {error}, {ASSERTED}") if self.unit.asserts else ""

    def _translated_guards(self, part: Part) -> Compiled:
        """Return the guards of an action, up to the first loop in them."""
        arguments = self._given("%slots", part)
        return self.guards.guards(part.instances[0].action.apply, arguments)

    def _given(self, words: str, part: Part) -> list[Argument]:
        """Return the arguments of an action."""
        state = StateRef(words)
        return [state, self.constants, *part.arguments]

    def _counted(self, out: Emitter) -> str:
        """Begin a loop over the states of the group; return the register of the state's number."""
        self._index = out.variable()
        out.emit(f"store i64 0, ptr {self._index}")
        out.place_label("each")
        out.emit(f"%each.number = load i64, ptr {self._index}")
        return "%each.number"

    def _again(self, out: Emitter, hint: str = "") -> None:
        """End the loop over the states of the group."""
        following = out.value("add nuw nsw i64 %each.number, 1")
        out.emit(f"store i64 {following}, ptr {self._index}")
        more = out.value(f"icmp ult i64 {following}, %count")
        out.emit(f"br i1 {more}, label %each, label %done{hint}")
        out.terminated = True
        out.place_label("done")

    @staticmethod
    def _bit(out: Emitter, truth: str, bits: int = 64) -> str:
        return out.value(f"zext i1 {truth} to i{bits}")


def portion_of(instances: int) -> int:
    """Return how many instances share a bit of those that say which were taken."""
    return instances // BITS + 1


def _hints(number: int, width: int) -> str:
    """Return the hint for LLVM to vectorize a loop, as it underestimates what rare jumps cost.

    It is only a hint: an order would print a warning on standard error if it cannot be followed.
    """
    wide = f'!{{!"llvm.loop.vectorize.width", i32 {width}}}'
    return f"!{number} = distinct !{{!{number}, {wide}}}"
