"""Functions as machine code that is made of their typed form, on states of a layout."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import Any

from tests.programs.laboratory import KEEPING, _exported
from tidegate.checker.compiled.build import Code, object_code
from tidegate.checker.compiled.emitter import Emitter
from tidegate.checker.compiled.expansion import clear_marks, make_marks
from tidegate.checker.compiled.intrinsics import DECLARATIONS
from tidegate.checker.compiled.state_refs import StateRefs
from tidegate.checker.compiled.unit import Unit
from tidegate.checker.compiled.values import Constant, StateRef
from tidegate.core.layout import Layout
from tidegate.language.lowering.frame import LoweringError

FAILED = None
"""What comes of a step that fails: Python has to say why."""


class Machine:
    """Functions of a state and the bounds, as machine code.

    Attributes
    ----------
    refused
        Why others have no code, by name.
    bodies
        The text of each function.
    """

    def __init__(
        self, layout: Layout[Any], constants: object, functions: Mapping[str, Any]
    ) -> None:
        self.layout = layout
        self.refused: dict[str, str] = {}
        self._unit = Unit(StateRefs(layout))
        self._unit.lowering.tabulates = True
        given = [StateRef("%s"), Constant(constants)]
        texts = []
        for name, function in functions.items():
            try:
                texts.append(self._text(name, function, given))
            except LoweringError as error:
                self.refused[name] = str(error)
        keeping = KEEPING.format(words=max(self._unit.points.elements, 1))
        self.bodies = list(self._unit.bodies)
        text = "\n".join([DECLARATIONS, keeping, *self.bodies, *texts])
        self._code = Code(object_code(text, optimised=False))

    def _text(self, name: str, function: Any, given: Iterable[Any]) -> str:
        """Return a function that runs another one on the state at an address."""
        given, words = list(given), self.layout.words
        compiled = self._unit.rule(function, given)
        out = Emitter()
        out.emit("%s = inttoptr i64 %address to ptr")
        make_marks(out, self._unit.points)
        clear_marks(out, self._unit.points, compiled.elements)
        passed = ", ".join(compiled.passed(given, out.element("%s", words)))
        call = f'call {compiled.returns} @"{compiled.name}"({passed})'
        if compiled.returns == "void":
            out.emit(call)
            answer = "0"
        else:
            answer = out.value(call)
        if compiled.returns == "i1":
            answer = out.value(f"zext i1 {answer} to i64")
        out.emit(f"ret i64 {answer}")
        return _exported(out.definition(f"i64 @{name}(i64 %address)", ""))

    def run(self, name: str, state: Any) -> tuple[int, Any] | None:
        """Return what a function returns, and the state after it; FAILED if the step fails."""
        words = self.layout.words
        space = (ctypes.c_uint64 * (words + 2))(*self.layout.pack(state), 0, 0)
        answer = self._code.function(name, 1)(ctypes.addressof(space))
        if space[words]:
            return FAILED
        return answer, self.layout.unpack(tuple(space[:words]))
