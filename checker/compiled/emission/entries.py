"""The rules that a search calls, as machine code from the typed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ....core.errors import TidegateError
from ....language import form
from ....language.calls import Parameters
from ....language.lowering.lower import Lowering
from ....language.schema import Schema
from ....language.types import BOOL, Number, Ref, Type, type_of
from ..emitter import FAILURE, MARKS, Emitter
from ..function import Compiled, Mode
from ..values import Constant, StateRef, Truth, UnsupportedError
from ..values import Number as Register
from ..values import Value as Argument
from .functions import Module, _leaf
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

        Its guards are always true: the effect asks all of them.

        Raises
        ------
        UnsupportedError
            If the rule is not in the language, or there is no code for it yet.
        """
        if not isinstance(function, FunctionType):
            raise UnsupportedError("a rule that is no plain function")
        lowered = self._lowered(function, arguments)
        if lowered.result != BOOL and not _is_truth(lowered.result):
            raise UnsupportedError(f"{function.__name__}, which returns no truth value")
        if pure and writes(lowered):
            raise UnsupportedError(f"{function.__name__}, which writes to the state")
        name = self.module.new_name(function.__name__)
        out = Emitter(False, self.unit.points)
        declared = [f"ptr {FAILURE}", f"ptr {MARKS}"]
        body = Body(self.module, out, lowered, _nothing)
        given = [(value, False) for value in self._received(body, arguments, declared)]
        compiled = Compiled(name, "i1", 1)
        if mode is Mode.GUARDS:
            out.emit("ret i1 true")
        else:
            result = self.module.call(body, lowered, given)
            out.emit(f"ret i1 {out.truth(result.leaves[0])}")
            compiled.elements.update(self.module.elements_of(out))
            compiled.loops.append(True)
        compiled.kinds.append((bool,))
        lines = "\n".join([*out.prologue, *out.lines])
        head = f'define internal i1 @"{name}"({", ".join(declared)}) nounwind'
        self.unit.bodies.append(f"{head} {{\nentry:\n{lines}\n}}")
        return compiled

    def _lowered(self, function: FunctionType, arguments: list[Argument]) -> form.Function:
        names = Parameters.of_function(function).names
        if len(names) != len(arguments):
            raise UnsupportedError(f"{len(names)} parameters for {len(arguments)} arguments")
        kinds = {name: _type(one) for name, one in zip(names, arguments, strict=True)}
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
                yield Value(kind, (_leaf(body.out, f"%p{number}", leaves(kind)[0]),))


def _type(argument: Argument) -> Type:
    """Return the type of an argument of a rule."""
    if isinstance(argument, StateRef) and not argument.form:
        return Schema.root
    if isinstance(argument, Constant):
        return type_of(argument.value)
    if isinstance(argument, Register) and argument.range is not None:
        return Number(*argument.range, argument.kind or int)
    raise UnsupportedError("an argument of a rule that is no number")


def _is_truth(kind: Type) -> bool:
    return isinstance(kind, Number) and kind.kind is bool


def writes(function: form.Function) -> bool:
    """Whether a function, or one that it calls, may write to the state."""
    seen: set[int] = set()
    todo: list[Any] = [function]
    while todo:
        one = todo.pop()
        if isinstance(one, form.Function):
            if id(one) not in seen:
                seen.add(id(one))
                todo += one.body
            continue
        if isinstance(one, (form.Store, form.Change)):
            place = one.target if isinstance(one, form.Store) else one.of
            if in_state(place):
                return True
        if isinstance(one, (form.Expression, form.Statement, form.Clause)):
            todo += [value for name, value in vars(one).items() if name != "type"]
        elif isinstance(one, tuple):
            todo += one
    return False


def in_state(place: form.Expression) -> bool:
    """Whether a path leads into the state."""
    while not isinstance(place.type, Ref):
        if not isinstance(place, (form.Part, form.Element, form.Item, form.Lookup, form.Slice)):
            return False
        place = place.of
    return True


def _nothing(body: Body, value: Value) -> None:
    raise AssertionError


__all__ = ["Entries", "in_state", "writes"]
