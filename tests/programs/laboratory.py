"""Programs as Python runs them and as they were translated, on the same states.

Many programs make up one module of LLVM, so that a hundred of them are compared in a second.  Those
that are actions go the way of a search: their guards are asked of many states side by side, then
their effect is computed.
"""

from __future__ import annotations

import ast
import ctypes
import linecache
import signal
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.programs.expressions import Helper
from tests.programs.grammar import Program, helper, program
from tests.programs.scratch import CONSTANTS, LAYOUT, WORDS, Pair, random_state
from tidegate.checker.compiled.build import Code, object_code
from tidegate.checker.compiled.emitter import Emitter, Points
from tidegate.checker.compiled.expansion import Expansion, Part, clear_marks, make_marks
from tidegate.checker.compiled.intrinsics import DECLARATIONS
from tidegate.checker.compiled.memory import GROUP
from tidegate.checker.compiled.state_refs import StateRefs
from tidegate.checker.compiled.unit import Unit
from tidegate.checker.compiled.values import Constant, Number, StateRef, Truth
from tidegate.core.fields import members, size
from tidegate.core.layout import WORD_BITS, State
from tidegate.core.spec import Action, TransitionSystem
from tidegate.language import source
from tidegate.language.lowering.frame import LoweringError

ALIGNED = 64
"""Bytes of a vector."""

HELPERS, PROGRAMS = 8, 150
"""Functions to be called, and programs, that one module is made of."""

STATES, FEWER = 40, 13
"""States that an action is tried in, and a function: the last eight of a group are a remainder."""


LONGEST = 5
"""Seconds after which a program is taken to go on for ever, which machine code does not."""

STRIDE = 8 * (WORDS + 2)

KEEPING = """\
@wanted = global [{words} x i64] zeroinitializer
define internal void @keep(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e) noinline {{
  ret void
}}
define internal void @count_ways(i64 %a, i64 %b) noinline {{
  ret void
}}"""
"""What a search keeps states with for Python to be asked about: here all of them are."""


WAYS = 4_000
"""More than the programs of a batch have."""

OPTIMISED = 12
"""One batch in so many goes through all that LLVM does for a search; the others are quick."""


@dataclass(frozen=True)
class Batch:
    """Programs that are compared together, with what they call and the states they are tried in."""

    seed: int
    helpers: list[Helper]
    programs: list[Program]
    states: list[State]


@dataclass(frozen=True)
class Difference:
    """A program that is not what Python makes of it, in a state."""

    seed: int
    program: Program
    helpers: list[Helper]
    state: State
    python: object
    machine: object


@dataclass
class Count:
    """How many programs and states were compared, and why others were not."""

    programs: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    agreed: int = 0
    failed: int = 0

    def add(self, other: Count) -> None:
        """Add what another batch came to."""
        self.programs += other.programs
        self.refused += other.refused
        self.agreed += other.agreed
        self.failed += other.failed


def batch(seed: int, size: int = PROGRAMS) -> Batch:
    """Return the batch of a seed."""
    random = Random(seed)
    helpers: list[Helper] = []
    for number in range(HELPERS):
        helpers.append(helper(random, number, helpers))
    programs = [program(random, number, helpers) for number in range(size)]
    return Batch(seed, helpers, programs, [random_state(random) for _ in range(STATES)])


def is_optimised(seed: int) -> bool:
    """Return whether the programs of a seed are compiled as those of a search are."""
    return seed % OPTIMISED == 0


def unnoted(seed: int) -> set[int]:
    """Return ways that the programs of a seed do not note, as a second tier of a search's code."""
    random = Random(seed)
    return set(random.sample(range(-WAYS, WAYS), random.choice((0, WAYS, 2 * WAYS))))


def functions(helpers: Sequence[Helper], programs: Sequence[Program]) -> dict[str, Any]:
    """Return the functions of a batch by their names, each with its syntax tree."""
    source = "\n".join(part.source for part in (*helpers, *programs))
    # Whether a negative bound is written as a number is read from the source, as that of a model.
    linecache.cache["<program>"] = (
        len(source),
        None,
        source.splitlines(keepends=True),
        "<program>",
    )
    tree = ast.parse(source)
    space: dict[str, Any] = {"__name__": "programs", "members": members, "size": size, "Pair": Pair}
    exec(compile(tree, "<program>", "exec"), space)
    for node in tree.body:
        assert isinstance(node, ast.FunctionDef)
        space[node.name].syntax_tree = node
    return space


Answer = tuple[int, tuple[int, ...]] | None
"""What comes of a program in a state: a result and the words after it; None where it fails."""

Answers = tuple[Program, State, object, object]
"""A program, a state, and what Python and machine code make of them."""


class Workbench:
    """A module of machine code that a batch was translated to.

    Parameters
    ----------
    optimised
        Whether LLVM does all that it does for a search; else only what is needed for any code.
    compared
        Ways that are not noted, as :func:`unnoted` has them.

    Attributes
    ----------
    count
        What is known so far of the batch.
    """

    def __init__(
        self,
        helpers: Sequence[Helper],
        programs: Sequence[Program],
        optimised: bool,
        compared: Set[int] = frozenset(),
    ):
        with warnings.catch_warnings():
            # Comparing constants with None is odd, and means something.
            warnings.simplefilter("ignore", SyntaxWarning)
            self._translate(helpers, programs, compared)
        text = self._module()
        self.code = Code(object_code(text, optimised=optimised))
        # It would keep the syntax trees of all batches.
        source._verified.cache_clear()

    def _translate(
        self, helpers: Sequence[Helper], programs: Sequence[Program], compared: Set[int]
    ) -> None:
        """Translate programs, and note why some are refused."""
        self.space = functions(helpers, programs)
        self.count = Count(programs=len(programs))
        self.unit = Unit(StateRefs(LAYOUT), Points(WORD_BITS, compared))
        actions = [part for part in programs if part.kind == "action"]
        self.expansion = Expansion(self._system(actions), self.unit, STRIDE, compared)
        self.texts: list[str] = []
        self.programs: list[tuple[str, Program]] = []
        for part in programs:
            try:
                if part.kind == "action":
                    self._action(actions.index(part))
                else:
                    self._whole(part)
            except LoweringError as error:
                self.count.refused[Exception.__str__(error)[-40:]] += 1
            else:
                name = actions.index(part) if part.kind == "action" else part.name
                self.programs.append((str(name), part))

    def _system(self, actions: Sequence[Program]) -> TransitionSystem[Any, Any]:
        """Return a system of these actions, each with the arguments that are known."""
        made = [
            Action(
                part.name, self.space[part.name], "toy", lambda k, known=part.static: [known], ""
            )
            for part in actions
        ]
        return TransitionSystem("toy", {}, "", CONSTANTS, LAYOUT, made, _nothing)

    def _module(self) -> str:
        """Return all of the module."""
        expansion = self.expansion
        keeping = KEEPING.format(words=max(self.unit.points.elements, 1))
        bodies = [*self.unit.bodies, *expansion.guards.bodies]
        unpack = _exported(expansion._unpack())
        return "\n".join([DECLARATIONS, keeping, *bodies, *self.texts, unpack])

    def _action(self, number: int) -> None:
        """Add the guards and the effect of an action."""
        part = Part(number, (self.expansion.system.instances[number],))
        guards = self.expansion._guards(part)
        self.texts += [_exported(guards), _exported(self.expansion._step(part))]

    def _whole(self, part: Program) -> None:
        """Add a function that runs a program on the state at an address."""
        given = [
            StateRef("%s"),
            Constant(CONSTANTS),
            *map(Constant, part.static),
        ]
        compiled = self.unit.rule(self.space[part.name], given)
        out = Emitter()
        out.emit("%s = inttoptr i64 %address to ptr")
        make_marks(out, self.unit.points)
        clear_marks(out, self.unit.points, compiled.elements)
        passed = ", ".join(compiled.passed(given, out.element("%s", WORDS)))
        call = f'call {compiled.returns} @"{compiled.name}"({passed})'
        if compiled.returns == "void":
            out.emit(call)
            out.emit("ret i64 0")
        else:
            kind = Truth if compiled.returns == "i1" else Number
            out.emit(f"ret i64 {out.number(kind(out.value(call)))}")
        self.texts.append(_exported(out.definition(f"i64 @{part.name}(i64 %address)", "")))

    def differences(self, states: Sequence[State]) -> Iterator[Answers]:
        """Yield where a program is not what Python makes of it, with both answers."""
        packed = [LAYOUT.pack(state) for state in states]
        signal.signal(signal.SIGVTALRM, _stop)
        group = Group(self.code, packed, self.expansion)
        for number, (name, part) in enumerate(self.programs):
            python = self.space[part.name]
            if part.kind == "whole":
                some = range(number % 3, len(states), 3)[:FEWER]
                answers = self._run(name, [packed[index] for index in some])
            else:
                some = range(len(states))
                answers = group.steps(name)
            for index, answer in zip(some, answers, strict=True):
                if answer is None:
                    self.count.failed += 1
                    continue
                expected = run(python, states[index], part)
                if not agree(answer, expected, states[index], packed[index], part):
                    shown = (answer[0], LAYOUT.unpack(answer[1]))
                    yield part, states[index], expected, shown
                    break
                self.count.agreed += 1

    def _run(self, name: str, packed: Sequence[tuple[int, ...]]) -> list[Answer]:
        """Return what a function returns in states and the states after it; None where it fails."""
        function = self.code.function(name, 1)
        space = (ctypes.c_uint64 * (WORDS + 2))()
        address = ctypes.addressof(space)
        answers: list[Answer] = []
        for words in packed:
            space[:] = (*words, 0, 0)
            result = function(address)
            answers.append(None if space[WORDS] else (result, tuple(space[:WORDS])))
        return answers


class Group:
    """States of which actions are asked side by side.

    Parameters
    ----------
    expansion
        What their guards were translated by.
    """

    def __init__(self, code: Code, packed: Sequence[tuple[int, ...]], expansion: Expansion) -> None:
        self.code = code
        self.packed = packed
        self._rooms: list[object] = []
        words = [
            (ctypes.c_uint64 * GROUP)(*(words[word] for words in packed)) for word in range(WORDS)
        ]
        self.sides = self._aligned(expansion.sides.bytes)
        self.answers = self._aligned(GROUP)
        self.noted = self._aligned(GROUP * max(map(len, expansion._noted.values()), default=0))
        addresses = [ctypes.addressof(column) for column in words]
        code.function("unpack", WORDS + 2)(*addresses, self.sides, len(packed))

    def _aligned(self, size: int) -> int:
        """Return the address of so many bytes, as vector instructions want it."""
        room = (ctypes.c_char * (size + ALIGNED))()
        self._rooms.append(room)
        return -(-ctypes.addressof(room) // ALIGNED) * ALIGNED

    def steps(self, name: str) -> list[Answer]:
        """Return what comes of an action in each state: its guards are asked first, of all."""
        guards = self.code.function(f"guards.{name}", 4)
        guards(self.sides, self.answers, self.noted, len(self.packed))
        told = ctypes.string_at(self.answers, len(self.packed))
        step = self.code.function(f"step.{name}", WORDS + 2)
        place = (ctypes.c_uint64 * (WORDS + 2))()
        there = ctypes.addressof(place)
        answers: list[Answer] = []
        for words, bits in zip(self.packed, told, strict=True):
            if bits & 2:
                answers.append(None)
            elif not bits & 1:
                answers.append((0, words))
            else:
                done = step(*words, 0, there)
                after = tuple(place[:WORDS]) if done & 1 else words
                answers.append(None if done & 2 else (done & 1, after))
        return answers


def run(function: Callable[..., Any], state: State, part: Program) -> tuple[Any, State] | None:
    """Return what a function returns in Python, and the state after it; None where it fails."""
    LAYOUT.load(state)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        result = function(LAYOUT.record, CONSTANTS, *part.static)
        if LAYOUT.in_range():
            return result, LAYOUT.dump()
    except Exception:  # noqa: BLE001 - whatever a random program does
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    # What a state does not store is to be as it was.
    LAYOUT.reset()
    return None


def agree(
    answer: tuple[int, tuple[int, ...]],
    expected: tuple[Any, State] | None,
    state: State,
    packed: tuple[int, ...],
    part: Program,
) -> bool:
    """Return whether machine code answers as Python does.

    Of what is said to be a truth value, nobody looks at more than the truth.
    """
    if expected is None:
        return False
    result, after = expected
    # What returns nothing, as a program that was made smaller, has no number to compare.
    exact = part.exact and result is not None
    same = answer[0] == result if exact else bool(answer[0]) == bool(result)
    if part.kind == "action" and not result:
        after = state
    if answer[1] == packed:
        return same and after == state
    return same and LAYOUT.unpack(answer[1]) == after


def _stop(number: int, frame: object) -> None:
    raise TimeoutError


def _nothing(s: Any, k: Any) -> Iterator[None]:
    yield


def _exported(definition: str) -> str:
    """Return a function's definition with the name by which it is found from outside."""
    return definition.replace("define internal ", "define ", 1).replace("@", "@tidegate_", 1)
