"""The rules that a search calls, as machine code from the typed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ....core.errors import TidegateError
from ....language import form
from ....language.calls import Parameters
from ....language.lowering.effects import writes_state
from ....language.lowering.lower import Lowering
from ....language.lowering.rules import bound
from ....language.schema import Schema
from ....language.types import BOOL, Number, Optional, Tuple, Type, type_of
from ..emitter import FAILURE, MARKS, Emitter
from ..function import Compiled, Mode
from ..values import Constant, StateRef, UnsupportedError
from ..values import Number as Register
from ..values import Value as Argument
from .functions import Module
from .layouts import leaves
from .memory import Value
from .statements import Body

if TYPE_CHECKING:
    from ..unit import Unit


class Entries:
    """The rules of a unit that come from the typed form.

    Parameters
    ----------
    unit
        The unit.
    lowering
        What lowers the functions of the system.
    """

    def __init__(self, unit: Unit, lowering: Lowering) -> None:
        self.unit, self.lowering = unit, lowering
        self.module = Module(unit, lowering.schema)

    def entry(
        self, function: Callable[..., Any], arguments: list[Argument], mode: Mode, pure: bool
    ) -> Compiled:
        """Return a rule that takes the state, the bounds and the arguments of an action.

        Raises
        ------
        UnsupportedError
            If the rule is not in the language, or there is no code for it yet.
        """
        if not isinstance(function, FunctionType):
            raise UnsupportedError("a rule that is not a plain function")
        lowered = self._lowered(function, arguments)
        inner = certain(lowered.result)
        returns = "i1" if inner == BOOL or _is_truth(inner) else "i64"
        if not isinstance(inner, Number) or (returns == "i64" and mode is not Mode.WHOLE):
            raise UnsupportedError(f"{function.__name__}, which returns no truth value")
        if pure and any(map(writes_state, lowered.body)):
            raise UnsupportedError(f"{function.__name__}, which writes to the state")
        name = self.module.new_name(function.__name__)
        out = Emitter(False, self.unit.points)
        declared = [f"ptr {FAILURE}", f"ptr {MARKS}"]
        body = Body(self.module, out, lowered, _answer)
        supplied = self._given(function, body, arguments, declared)
        compiled = Compiled(name, returns, 1, asks_guards=mode is Mode.EFFECT)
        if mode is Mode.GUARDS:
            self._guards(body, supplied)
        else:
            # A rule that returns None is a mistake of the model.
            passed = [(value, False) for value in supplied]
            result = body.certain(self.module.call(body, lowered, passed))
            leaf = result.leaves[0]
            out.emit(f"ret {returns} {out.truth(leaf) if returns == 'i1' else out.number(leaf)}")
            compiled.loops.append(True)
        compiled.elements.update(body.marks.elements | body.called_elements)
        compiled.reads.update(out.reads)
        compiled.kinds.append((inner.kind,))
        lines = [*out.prologue, *out.lines]
        how = "alwaysinline" if mode is Mode.GUARDS else self.unit.sizes.attributes(name, lines)
        head = f'define internal {returns} @"{name}"({", ".join(declared)}) {how} nounwind'
        self.unit.bodies.append("\n".join([f"{head} {{", "entry:", *lines, "}"]))
        return compiled

    def _guards(self, body: Body, supplied: list[Value]) -> None:
        """Emit the guards at the beginning of an action, up to the first loop.

        They are asked of many states at once; the effect asks all of them again.
        """
        out, lowered = body.out, body.function
        for slot, value in zip(lowered.parameters, supplied, strict=True):
            body.bind(slot, value)
        for statement in lowered.body:
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

    def _given(
        self,
        function: FunctionType,
        body: Body,
        arguments: list[Argument],
        declared: list[str],
    ) -> list[Value]:
        """Return the arguments of a rule, those for ``*values`` as one."""
        values = list(self._received(body, arguments, declared))
        if Parameters.of_function(function).rest is not None:
            count = len(body.function.parameters) - 1
            rest = Tuple(tuple(value.type for value in values[count:]))
            values[count:] = [body.made(rest, values[count:])]
        return values

    def _lowered(self, function: FunctionType, arguments: list[Argument]) -> form.Function:
        kinds = bound(function, [_type(one) for one in arguments])
        try:
            return self.lowering.function(function, kinds)
        except UnsupportedError:
            raise
        except TidegateError as error:
            raise UnsupportedError(str(error)) from None

    def _received(
        self, body: Body, arguments: list[Argument], declared: list[str]
    ) -> Iterator[Value]:
        for number, argument in enumerate(arguments):
            kind = _type(argument)
            if isinstance(argument, StateRef):
                declared.append(f"ptr {body.base}")
                yield Value(kind)
            elif isinstance(argument, Constant):
                yield body.constant(argument.value, kind)
            else:
                declared.append(f"i64 %p{number}")
                yield Value(kind, (body.leaf(f"%p{number}", leaves(kind)[0]),))


def _type(argument: Argument) -> Type:
    """Return the type of an argument of a rule."""
    if isinstance(argument, StateRef) and not argument.form:
        return Schema.root
    if isinstance(argument, Constant):
        return type_of(argument.value)
    if isinstance(argument, Register) and argument.range is not None:
        return Number(*argument.range, argument.kind or int)
    raise UnsupportedError("an argument of a rule that is not a number")


def certain(kind: Type) -> Type:
    """Return the type of what a rule returns, but for None, which is a mistake."""
    return kind.of if isinstance(kind, Optional) else kind


def _is_truth(kind: Type) -> bool:
    return isinstance(kind, Number) and kind.kind is bool


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
