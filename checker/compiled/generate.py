"""The LLVM module of one search: the model's functions, and the search that calls them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence, Set
from typing import Any

from ...core.layout import WORD_BITS, Layout
from ...core.spec import Kind, Property, TransitionSystem
from ...core.symmetry import Symmetry
from ...language.lowering.rules import rules_of
from ..liveness.formulas import predicates_of
from ..request import SearchRequest
from . import behaviors, kernel, sampling, seen
from .code_size import CodeSize
from .emitter import Emitter, Points, stored_value
from .expansion import (
    FAILED,
    Expansion,
    clear_marks,
    keep_if_wanted,
    make_marks,
    parts_of,
    portion_of,
)
from .intrinsics import DECLARATIONS, INTRINSICS
from .kernel_functions import KernelFunctions, Translated
from .orbits import declarations, emit_least, masks
from .program import Module, Program
from .sampling import Query, Samples
from .state_refs import StateRefs
from .unit import Unit
from .values import Constant, Number, StateRef, Truth, UnsupportedError, Value

MOST_PROPERTIES = 62
"""The most properties: each has a bit in one number, whose sign means a failure."""

EXPORTED: tuple[Callable[..., Any], ...] = (
    kernel.work,
    kernel.add_states,
    kernel.find_parents,
    kernel.represent,
    kernel.judge_as,
    *kernel.EXPORTED,
    kernel.grow,
    kernel.reinsert,
    kernel.remember,
    seen.census,
)
"""The functions that the driver calls; all arguments after the program are numbers."""

INTERNAL = (sampling.keep, sampling.count_ways, sampling.keep_guarded)
"""The functions of the search's own code that generated text calls."""


def _block(words: int, guards: int) -> str:
    """Return the block of :class:`sampling.Samples`."""
    numbers = dict.fromkeys(range(0, Samples.SIZE, 8), "0")
    for prefix, first, count in (
        ("", Samples.WANTED, words),
        ("guards_", Samples.GUARDS_WANTED, guards),
    ):
        numbers[first] = f"ptrtoint (ptr @{prefix}wanted to i64)"
        numbers[first + 8] = f"ptrtoint (ptr @{prefix}counts to i64)"
        numbers[first + 16] = str(count)
    content = ", ".join(f"i64 {number}" for number in numbers.values())
    return f"@samples = internal global [{len(numbers)} x i64] [{content}]"


def _sampling(words: int, guards: int) -> str:
    """Return the definitions of the data of :mod:`sampling`, for that many words of points."""
    lines = [_block(words, guards)]
    for prefix, count in (("", max(words, 1)), ("guards_", max(guards, 1))):
        ones = ", ".join(["i64 -1"] * count)
        lines.append(f"@{prefix}wanted = internal global [{count} x i64] [{ones}], align 64")
        counts = f"[{WORD_BITS * count} x i64] zeroinitializer"
        lines.append(f"@{prefix}counts = internal global {counts}")
    address = "ptrtoint (ptr @samples to i64)"
    lines.append(f"define i64 @tidegate_samples() nounwind {{\n  ret i64 {address}\n}}")
    return "\n".join(lines)


class Generator:
    """Generates the module of a search.

    Parameters
    ----------
    system
        The system to search.
    properties
        The properties to judge, in the order of the bits that :func:`seen.examine` reads.
    exact
        Whether states are stored themselves, not as fingerprints.
    symmetry
        The symmetry to search under, if any.
    compared
        Ways for which no state is kept; those of guards as ``-1 - number``.
    """

    def __init__(
        self,
        system: TransitionSystem[Any, Any],
        properties: Sequence[Property],
        exact: bool,
        symmetry: Symmetry | None,
        compared: Set[int] = frozenset(),
    ) -> None:
        self.system = system
        self.properties = properties
        self.symmetry = symmetry
        self.layout: Layout[Any] = system.layout
        self.words = self.layout.words
        self.constants = Constant(system.constants)
        self._compared = compared
        points = Points(WORD_BITS, compared)
        sizes = CodeSize(len(parts_of(system.instances)))
        self.kernel = KernelFunctions(dict(INTRINSICS), sizes)
        numbers = {prop.kind: n for n, prop in enumerate(properties) if prop.kind.is_of_steps}
        asserted = numbers.get(Kind.ASSERTION, -1)
        self.unit = Unit(
            StateRefs(self.layout),
            points,
            sizes,
            asserts=system.asserts,
            lowering=rules_of(system).lowering,
        )
        self.texts: list[str] = []
        stride = 8 * (self.words + (2 if exact else 3))
        self.program = Program(
            words=self.words,
            stride=stride,
            exact=exact,
            instances=len(system.instances),
            portion=portion_of(len(system.instances)),
            deadlock=numbers.get(Kind.DEADLOCK, -1),
            asserted=asserted,
            expand=self._generated("expand", 5, "i64"),
            judge=self._generated("judge", 1, "i64"),
            holds=self._generated("holds", 1, "i64"),
            canonical=self._generated("canonical", 1, "void"),
            admits=self._generated("admits", 1, "i1"),
            valid=self._generated("valid", 1, "i1"),
            samples=self._generated("tidegate_samples", 0, "i64"),
            judged=any(prop.kind.is_of_state for prop in properties),
            full=self.layout.bits == WORD_BITS * self.words,
            symmetric=symmetry is not None,
            constrained=system.constraint is not None,
        )

    def module(
        self,
        entries: Sequence[Callable[..., Any]] = EXPORTED,
        tick: Callable[[], None] = lambda: None,
    ) -> tuple[str, Module]:
        """Generate the module, with these functions of the search as its entries.

        Parameters
        ----------
        tick
            Called now and then.

        Returns
        -------
        str, Module
            The LLVM text, and its description.
        """
        stride = self.program.stride
        expansion = Expansion(self.system, self.unit, stride, self._compared)
        # What cannot be translated is refused at once, and only the actions take long.
        self._judge()
        if any(prop.kind.is_liveness for prop in self.properties):
            self._holds()
            entries = (*entries, *behaviors.EXPORTED)
        self._canonical()
        self._admits()
        self._valid()
        self.texts += expansion.functions(tick)
        exported = [self._exported(function) for function in (*entries, *sampling.EXPORTED)]
        exported += [self._internal(function) for function in INTERNAL]
        points = [self.unit.points, expansion.guards.points]
        data = _sampling(*(-(-each.count // WORD_BITS) for each in points))
        bodies = [*self.kernel.bodies, *self.unit.bodies]
        text = "\n".join([DECLARATIONS, data, *bodies, *self.texts, *exported])
        digest = hashlib.sha256(text.encode()).hexdigest()
        count = sum(each.count for each in points)
        return text, Module(digest, self.words, self.program.stride, count)

    def _generated(self, name: str, count: int, returns: str) -> Callable[..., Any]:
        """Return a stand-in for a function that is generated here as LLVM text."""

        def stand_in(*arguments: int) -> int:
            raise NotImplementedError

        def call(out: Emitter, arguments: list[Value]) -> Value:
            assert len(arguments) == count
            passed = ", ".join(f"i64 {out.number(argument)}" for argument in arguments)
            if returns == "void":
                out.emit(f"call void @{name}({passed})")
                return Constant(None)
            result = out.value(f"call {returns} @{name}({passed})")
            return Truth(result) if returns == "i1" else Number(result)

        self.kernel.intrinsics[stand_in] = call
        return stand_in

    def _internal(self, function: Callable[..., Any]) -> str:
        """Return the definition of a search function that generated text calls, but rarely."""
        translated, operands = self._applied(function)
        call = f'call void @"{translated.name}"({operands})'
        head = f"define internal void @{function.__name__}({operands}) noinline cold nounwind"
        return f"{head} {{\n  {call}\n  ret void\n}}"

    def _exported(self, function: Callable[..., Any]) -> str:
        """Return the definition through which the driver calls a function of the search."""
        translated, operands = self._applied(function)
        call = f'call {translated.returns} @"{translated.name}"({operands})'
        if translated.returns == "void":
            body = f"  {call}\n  ret i64 0"
        else:
            body = f"  %r = {call}\n  ret i64 %r"
        return f"define i64 @tidegate_{function.__name__}({operands}) nounwind {{\n{body}\n}}"

    def _applied(self, function: Callable[..., Any]) -> tuple[Translated, str]:
        """Translate a function of the search, whose first argument is the program.

        Returns
        -------
        Translated, str
            Its translation; the other arguments, all numbers, with their types.
        """
        count = function.__code__.co_argcount - 1
        numbers = [Number(f"%x{index}") for index in range(count)]
        translated = self.kernel.function(function, [Constant(self.program), *numbers])
        return translated, translated.passed(numbers)

    def _state(self, base: str) -> StateRef:
        return StateRef(base)

    def _judge(self) -> None:
        """Generate ``judge(state)``: a bit for every property that the state violates or reaches.

        It is negative if a predicate reads beyond an array, so that it cannot be decided.
        """
        if len(self.properties) > MOST_PROPERTIES:
            raise UnsupportedError(f"more than {MOST_PROPERTIES} properties at once")
        numbered = [each for each in enumerate(self.properties) if each[1].kind.is_of_state]
        judged = [(n, n, prop, prop.kind is Kind.SOMETIMES) for n, prop in numbered]
        self._judgment("judge", judged, self.system.constraint)

    def _holds(self) -> None:
        """Generate ``holds(state)``: a bit for every predicate of a liveness property.

        It is negative if a predicate reads beyond an array, so that it cannot be decided.
        """
        predicates = predicates_of(self.properties)
        if len(predicates) > behaviors.STAYS:
            raise UnsupportedError(f"more than {behaviors.STAYS} predicates of liveness at once")
        judged = [(bit, number, prop, True) for bit, (number, prop) in enumerate(predicates)]
        self._judgment("holds", judged)

    def _judgment(
        self,
        name: str,
        judged: Sequence[tuple[int, int, Property, bool]],
        constraint: Callable[..., bool] | None = None,
    ) -> None:
        """Generate a function that returns bits, with the sign set if a predicate failed.

        Parameters
        ----------
        judged
            For each bit its place, the number of its property, the property, and whether the bit
            is set if the predicate holds, or if it does not.
        constraint
            It was evaluated before; if it failed then, it fails here, too.
        """
        out = Emitter()
        words = self._unpacked(out, "%state")
        bits = "0"
        for place, number, prop, wanted in judged:
            holds = self._truth(out, prop.predicate, words, (Query.PROPERTY, number))
            ways = (1 << place, 0) if wanted else (0, 1 << place)
            bit = out.value(f"select i1 {holds}, i64 {ways[0]}, i64 {ways[1]}")
            bits = out.value(f"or i64 {bits}, {bit}")
        if constraint is not None:
            self._truth(out, constraint, words)
        make_marks(out, self.unit.points)
        error = out.value(f"load i64, ptr {self._error_word(out, words)}")
        wrong = out.value(f"icmp ne i64 {error}, 0")
        failed = out.value(f"select i1 {wrong}, i64 {FAILED}, i64 0")
        out.emit(f"ret i64 {out.value(f'or i64 {bits}, {failed}')}")
        self._define(f"i64 @{name}(i64 %state)", out, "noinline")

    def _truth(
        self,
        out: Emitter,
        function: Callable[..., bool],
        words: str,
        query: tuple[Query, int] | None = None,
    ) -> str:
        """Emit the call of a predicate on the state at an address; return whether it holds.

        Parameters
        ----------
        query
            The question with which to keep the state ``%state``, to compare it with Python.
        """
        state = self._state(words)
        predicate = self.unit.predicate(function, [state, self.constants])
        points = self.unit.points
        clear_marks(out, points, predicate.elements)
        passed = ", ".join(predicate.passed([state], self._error_word(out, words)))
        answered = out.value(f'call {predicate.returns} @"{predicate.name}"({passed})')
        holds = answered if predicate.returns == "i1" else out.truth(Number(answered))
        if query is not None:
            answer = out.value(f"zext i1 {holds} to i64")
            outcome = points.pair(), holds
            elements = predicate.elements
            keep_if_wanted(out, points, elements, outcome, query, answer, "%state", "%state")
        return holds

    def _canonical(self) -> None:
        """Generate ``canonical(state)``, which replaces a state by its representative."""
        if self.symmetry is None:
            return
        out = Emitter()
        emit_least(out, self.layout, self.symmetry.group, "%state")
        self.texts += [masks(self.layout), *declarations(self.symmetry.group)]
        self._define("void @canonical(i64 %state)", out, "noinline")

    def _admits(self) -> None:
        """Generate ``admits(state)``: whether a state is inside the system's constraint.

        If that cannot be decided, the state counts as outside; judging it then reports the failure.
        """
        if self.system.constraint is None:
            return
        out = Emitter()
        words = self._unpacked(out, "%state")
        holds = self._truth(out, self.system.constraint, words, (Query.CONSTRAINT, 0))
        make_marks(out, self.unit.points)
        error = out.value(f"load i64, ptr {self._error_word(out, words)}")
        well = out.value(f"icmp eq i64 {error}, 0")
        out.emit(f"ret i1 {out.value(f'and i1 {holds}, {well}')}")
        self._define("i1 @admits(i64 %state)", out, "noinline")

    def _valid(self) -> None:
        """Generate ``valid(state)``: whether each variable of words from a file is in its range."""
        out, wrong = Emitter(), "false"
        words = [
            out.value(f"load i64, ptr {out.at('%state', 8 * word)}") for word in range(self.words)
        ]
        unused = [(1 << WORD_BITS) - 1] * self.words
        for variable in self.layout.stored:
            unused[variable.word] &= ~((1 << variable.width) - 1 << variable.shift)
            value = stored_value(out, words, variable)
            above = out.value(f"icmp ugt i64 {value}, {variable.high - variable.low}")
            wrong = out.value(f"or i1 {wrong}, {above}")
        for word, mask in zip(words, unused, strict=True):
            stray = out.value(f"icmp ne i64 {out.value(f'and i64 {word}, {mask}')}, 0")
            wrong = out.value(f"or i1 {wrong}, {stray}")
        out.emit(f"ret i1 {out.value(f'xor i1 {wrong}, true')}")
        self._define("i1 @valid(i64 %state)", out, "noinline")

    def _define(self, head: str, out: Emitter, attributes: str) -> None:
        self.texts.append(out.definition(head, attributes))

    def _allocated(self, out: Emitter) -> str:
        """Emit the memory for a state, its error word and its counter of iterations."""
        words = out.room(self.words + 2)
        out.emit(f"store i64 0, ptr {self._error_word(out, words)}")
        out.emit(f"store i64 0, ptr {out.element(words, self.words + 1)}")
        return words

    def _unpacked(self, out: Emitter, address: str) -> str:
        """Emit a copy of a stored state, with its error word."""
        words = self._allocated(out)
        for index in range(self.words):
            value = out.value(f"load i64, ptr {out.at(address, 8 * index)}")
            out.emit(f"store i64 {value}, ptr {out.element(words, index)}")
        return words

    def _error_word(self, out: Emitter, words: str) -> str:
        return out.element(words, self.words)


def generator_of(request: SearchRequest, compared: Set[int] = frozenset()) -> Generator:
    """Return the generator of a search's code; see :class:`Generator` for `compared`."""
    system, properties = request.system, request.properties
    return Generator(system, properties, request.exact, request.symmetry, compared)
