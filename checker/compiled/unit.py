"""The rules that a search calls, as machine code from the typed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import Any

from ...core.errors import printed
from ...core.layout import WORD_BITS
from ...language import form
from ...language.calls import called_with
from ...language.lowering.effects import writing
from ...language.lowering.lower import Lowering
from ...language.lowering.rules import bound
from ...language.schema import Schema
from ...language.types import BOOL, Nothing, Number, Optional, Tuple, Type, type_of
from .code_size import CodeSize
from .emission.functions import Module
from .emission.layouts import leaves
from .emission.memory import Value
from .emission.statements import Body
from .emitter import FAILURE, MARKS, Emitter, Points
from .intrinsics import Intrinsic
from .state_refs import StateRefs
from .values import PLAIN, Argument, Constant, StateRef, UnsupportedError
from .values import Number as Register


@dataclass(frozen=True)
class Compiled:
    """A rule in machine code: its name in LLVM, and the type of what it returns.

    ``elements`` are the elements of the marks in which it, or what it calls, records the ways it
    took, and ``reads`` the paths of the variables that it reads from their columns.
    """

    name: str
    returns: str
    elements: set[int] = field(default_factory=set)
    reads: set[str] = field(default_factory=set)

    @staticmethod
    def passed(arguments: Sequence[Argument], failure: str = FAILURE) -> list[str]:
        """Return the operands of a call, with their types."""
        operands = [f"ptr {failure}", f"ptr {MARKS}"]
        for argument in arguments:
            if isinstance(argument, Register):
                operands.append(f"i64 {argument.register}")
            elif isinstance(argument, StateRef):
                operands.append(f"ptr {argument.base}")
        return operands


class Unit:
    """A growing module of LLVM functions.

    Parameters
    ----------
    places
        The positions of the state's variables.
    points
        The points of its branches.
    sizes
        The sizes of its functions.
    prefix
        The prefix of the functions' names, if a module has more than one unit.
    asserts
        Whether an assertion of a user's that fails is a verdict.
    lowering
        What lowers these rules; units of one layout may share it, and what it has lowered.
    """

    def __init__(
        self,
        places: StateRefs,
        points: Points | None = None,
        sizes: CodeSize | None = None,
        prefix: str = "",
        asserts: bool = False,
        lowering: Lowering | None = None,
    ) -> None:
        self.places, self.prefix, self.asserts = places, prefix, asserts
        self.points = Points(WORD_BITS) if points is None else points
        self.sizes = CodeSize() if sizes is None else sizes
        self.bodies: list[str] = []
        self.operations: dict[Any, Intrinsic] = {}
        self._lowering = lowering
        self._known: dict[object, Compiled] = {}
        self._kept: list[object] = []

    @cached_property
    def lowering(self) -> Lowering:
        """What lowers these rules."""
        return self._lowering or Lowering(Schema(self.places.layout))

    @cached_property
    def module(self) -> Module:
        """The functions of the model that the rules call."""
        return Module(self, self.lowering.schema)

    def predicate(self, function: Callable[..., Any], arguments: list[Argument]) -> Compiled:
        """Return a rule that reads the state, and gives a truth value.

        Parameters
        ----------
        arguments
            The state, the bounds, and the arguments of an action.

        Raises
        ------
        LoweringError
            If the rule is not in the language.
        UnsupportedError
            If there is no code for it.
        """
        return self._once(self._predicate, function, arguments)

    def action(self, function: Callable[..., Any], arguments: list[Argument]) -> Compiled:
        """Return an action, which writes to the state and says whether the step was taken."""
        return self._once(self._action, function, arguments)

    def guards(self, function: Callable[..., Any], arguments: list[Argument]) -> Compiled:
        """Return the guards at the beginning of an action, up to the first loop.

        They are asked of many states at once; the action asks all of them again.
        """
        return self._once(self._guards, function, arguments)

    def rule(self, function: Callable[..., Any], arguments: list[Argument]) -> Compiled:
        """Return a function of a state, which may write to it, and gives a number or nothing."""
        return self._once(self._whole, function, arguments)

    def _once(
        self,
        make: Callable[[FunctionType, list[Argument]], Compiled],
        function: Callable[..., Any],
        arguments: list[Argument],
    ) -> Compiled:
        if not isinstance(function, FunctionType):
            raise UnsupportedError(f"{printed(function)}, which is not a plain function,")
        key = (make.__name__, function, *map(_kind, arguments))
        if key not in self._known:
            # Keys identify objects by address, so these must stay alive.
            self._kept.append(arguments)
            self._known[key] = make(function, arguments)
        return self._known[key]

    def _predicate(self, function: FunctionType, arguments: list[Argument]) -> Compiled:
        lowered = self._lowered(function, arguments)
        written = writing(lowered)
        if written is not None:
            error = UnsupportedError("a part of the state is written where only reading is allowed")
            writer, line = written
            error.place, error.function = (writer.file, line), writer.name
            raise error
        if not isinstance(_certain(lowered.result), Number):
            raise UnsupportedError(f"{function.__name__}, which returns no truth value")
        return self._whole(function, arguments)

    def _action(self, function: FunctionType, arguments: list[Argument]) -> Compiled:
        lowered = self._lowered(function, arguments)
        if not _is_truth(_certain(lowered.result)):
            raise UnsupportedError(f"{function.__name__}, which returns no truth value")
        return self._whole(function, arguments)

    def _whole(self, function: FunctionType, arguments: list[Argument]) -> Compiled:
        """Return a function that calls a lowered one, and gives the number that it returns."""
        lowered = self._lowered(function, arguments)
        rule = _Rule(self, function, lowered, arguments)
        called, out, kind = rule.called(), rule.body.out, _certain(lowered.result)
        if isinstance(kind, Nothing):
            out.emit("ret void")
            return rule.finished("void")
        if not isinstance(kind, Number):
            raise UnsupportedError(f"{function.__name__}, which returns no truth value")
        # A rule that returns None is a mistake of the model.
        leaf = rule.body.certain(called).leaves[0]
        returns = "i1" if _is_truth(kind) else "i64"
        out.emit(f"ret {returns} {out.truth(leaf) if returns == 'i1' else out.number(leaf)}")
        return rule.finished(returns)

    def _guards(self, function: FunctionType, arguments: list[Argument]) -> Compiled:
        lowered = self._lowered(function, arguments)
        rule = _Rule(self, function, lowered, arguments)
        rule.guards()
        return rule.finished("i1", "alwaysinline")

    def _lowered(self, function: FunctionType, arguments: list[Argument]) -> form.Function:
        return self.lowering.function(function, bound(function, [_type(one) for one in arguments]))


class _Rule:
    """The code of one rule while it is made."""

    def __init__(
        self,
        unit: Unit,
        function: FunctionType,
        lowered: form.Function,
        arguments: list[Argument],
    ) -> None:
        self.unit, self.lowered = unit, lowered
        self.name = unit.module.new_name(function.__name__)
        self.declared = [f"ptr {FAILURE}", f"ptr {MARKS}"]
        self.body = Body(unit.module, Emitter(unit.points), lowered, _answer)
        received = list(self._received(arguments))
        supplied = called_with(function, received, self._default, self._gathered)
        self.supplied = [supplied[name] for name in lowered.parameters]

    def _received(self, arguments: list[Argument]) -> Iterator[Value]:
        for number, argument in enumerate(arguments):
            kind = _type(argument)
            if isinstance(argument, StateRef):
                self.declared.append(f"ptr {self.body.base}")
                yield Value(kind)
            elif isinstance(argument, Constant):
                yield self.body.constant(argument.value, kind)
            else:
                self.declared.append(f"i64 %p{number}")
                yield Value(kind, (self.body.leaf(f"%p{number}", leaves(kind)[0]),))

    def _default(self, value: object) -> Value:
        return self.body.constant(value, type_of(value))

    def _gathered(self, values: tuple[Value, ...]) -> Value:
        return self.body.made(Tuple(tuple(value.type for value in values)), list(values))

    def called(self) -> Value:
        """Emit the call of the lowered function, and return what it gives."""
        passed = [(value, False) for value in self.supplied]
        return self.unit.module.call(self.body, self.lowered, passed)

    def guards(self) -> None:
        """Emit the guards at the beginning of an action, up to the first loop."""
        body, out = self.body, self.body.out
        for slot, value in zip(self.lowered.parameters, self.supplied, strict=True):
            body.bind(slot, value)
        for statement in self.lowered.body:
            if out.terminated or not _is_guard(statement):
                break
            before = len(out.lines), len(out.prologue), set(out.reads), out.terminated
            pending = list(out.pending)
            try:
                body.statements((statement,))
            except UnsupportedError:
                out.loops.append(True)
            if out.loops:
                del out.lines[before[0] :], out.prologue[before[1] :]
                out.reads, out.terminated, out.pending = before[2], before[3], pending
                break
        if not out.terminated:
            out.emit("ret i1 true")

    def finished(self, returns: str, how: str = "") -> Compiled:
        """Return the rule, after the last of its instructions."""
        out, unit = self.body.out, self.unit
        lines = [*out.prologue, *out.lines]
        how = how or unit.sizes.attributes(self.name, lines)
        head = (
            f'define internal {returns} @"{self.name}"({", ".join(self.declared)}) {how} nounwind'
        )
        unit.bodies.append("\n".join([f"{head} {{", "entry:", *lines, "}"]))
        elements = self.body.marks.elements | self.body.called_elements
        return Compiled(self.name, returns, elements, set(out.reads))


def _kind(argument: Argument) -> object:
    """Return a key that is equal for arguments that can share the code of a rule."""
    known = argument.value if isinstance(argument, Constant) else None
    return _type(argument), known if type(known) in PLAIN else id(known)


def _type(argument: Argument) -> Type:
    """Return the type of an argument of a rule."""
    if isinstance(argument, StateRef):
        return Schema.root
    if isinstance(argument, Constant):
        return type_of(argument.value)
    assert isinstance(argument, Register)
    return Number() if argument.range is None else Number(*argument.range, argument.kind or int)


def _certain(kind: Type) -> Type:
    """Return the type of what a rule returns, but for None, which is a mistake."""
    return kind.of if isinstance(kind, Optional) else kind


def _is_truth(kind: Type) -> bool:
    return kind == BOOL or (isinstance(kind, Number) and kind.kind is bool)


def _answer(body: Body, value: Value) -> None:
    """Emit what a guard answers."""
    leaf = value.leaves[0] if value.leaves else Constant(False)
    body.out.emit(f"ret i1 {body.out.truth(leaf)}")


def _is_guard(statement: form.Statement) -> bool:
    """Whether a statement at the beginning of an action refuses the step, or names a value."""
    if isinstance(statement, form.Bind):
        # A column refuses to be written.
        return True
    if not isinstance(statement, form.If) or statement.orelse:
        return False
    [*_, last] = statement.body or (None,)
    return len(statement.body) == 1 and isinstance(last, form.Return) and _is_no(last.value)


def _is_no(value: form.Expression) -> bool:
    return isinstance(value, form.Constant) and value.value is False
