"""All that keeps a model from being translated, each with its line.

The translation ends at the first thing that it does not translate.  Here it goes on with the next
statement, and with every function that is called, so that all of it can be repaired at once.
What it emits is never run.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ...core.errors import acts_for_caller
from ...core.origins import is_users
from ...core.result import Reason
from ...core.sources import original_of
from ...core.spec import Property, TransitionSystem
from ...language.scopes import blocks_of, bound, parts_of, stored
from ..liveness.formulas import predicates_of
from .choices import in_turn
from .element_names import as_written
from .expressions import Expressions
from .function import Compiled, Mode
from .intrinsics import INTRINSICS
from .sequences import OF_SEQUENCES
from .state_refs import Columns, StateRefs
from .statements import Translation
from .unit import Unit
from .values import (
    MISTAKES,
    Constant,
    Method,
    ReplacingError,
    StateRef,
    UnsupportedError,
    Value,
    WritingError,
)

LOST = Constant("lost")
"""The value of a name whose assignment could not be translated."""

ENOUGH, MOST = 32, 256
"""Instances of actions that are tried if they show reasons, and if they show none.

But one of each action is tried anyway.
"""

_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)


class FollowingError(UnsupportedError):
    """Something needs what could not be translated, for which there is a reason already."""


def reasons(
    system: TransitionSystem[Any, Any],
    properties: Sequence[Property],
    tick: Callable[[], None] = lambda: None,
) -> tuple[Reason, ...]:
    """Return all that keeps a search from being translated, in the order of files and lines.

    In a large model it is all that :data:`ENOUGH` instances show.  There is none if nothing is
    wrong in a function, or only in an instance that is not tried: the translation's error says it.

    Parameters
    ----------
    tick
        Called now and then.
    """
    known: dict[Reason, None] = {}
    steps = _Unit(StateRefs(system.layout), known)
    guards = _Unit(Columns(system.layout), known, "asked.")
    state, constants = StateRef("%s", "", (), system.layout.record), Constant(system.constants)
    parameters: list[Value] = [state, constants]
    predicates = [prop.predicate for prop in properties if prop.kind.is_of_state]
    predicates += [prop.predicate for _, prop in predicates_of(properties)]
    for predicate in (*predicates, *([system.constraint] if system.constraint else [])):
        tick()
        steps.root(predicate, parameters, pure=True)
    for number, instance in enumerate(in_turn(system.instances, lambda one: one)):
        if number >= max(ENOUGH if known else MOST, len(system.actions)):
            break
        tick()
        apply = instance.action.apply
        arguments = [*parameters, *map(Constant, instance.arguments)]
        guards.root(apply, arguments, Mode.GUARDS)
        steps.root(apply, arguments, Mode.EFFECT)
    return tuple(sorted(known, key=lambda reason: reason.place or ("", 0)))


class _Unit(Unit):
    """Functions that are translated as far as they can be.

    Parameters
    ----------
    known
        Where reasons are collected.
    """

    def __init__(self, places: StateRefs, known: dict[Reason, None], prefix: str = "") -> None:
        super().__init__(places, dict(INTRINSICS), prefix)
        self.translation = _Translation
        self.found = known
        self.active: list[_Translation] = []
        self._beyond: dict[str, dict[Reason, None]] = {}
        # Functions of whose results nothing is known, not even how many there are.
        self._vague: set[str] = set()

    def root(
        self,
        function: Callable[..., Any],
        arguments: list[Value],
        mode: Mode = Mode.WHOLE,
        pure: bool = False,
    ) -> None:
        """Translate a function that the search calls."""
        try:
            compiled = self.function(function, arguments, mode, pure)
        except UnsupportedError as error:
            if not isinstance(error, FollowingError):
                self.note(function, None, str(error))
            return
        self.found.update(dict.fromkeys(self._beyond.get(compiled.name, ())))
        if compiled.count != 1:
            self.note(function, None, f"{function.__name__} returns no truth value")

    def note(self, function: Callable[..., Any], line: int | None, text: str) -> None:
        """Add a reason, about a line of a function, or about all of it."""
        self.found[_reason(function, line, as_written(text))] = None

    @property
    def is_guarding(self) -> bool:
        """Whether the guards of an action are translated, which end before what writes."""
        return self.active[0].mode is Mode.GUARDS

    def function(
        self,
        function: Callable[..., Any],
        arguments: list[Value],
        mode: Mode = Mode.WHOLE,
        pure: bool = False,
    ) -> Compiled:
        """Return a translation; its caller is blamed for what lies in code that is not a user's."""
        compiled = super().function(function, arguments, mode, pure)
        if self.active:
            for reason in self._beyond.get(compiled.name, ()):
                self.active[-1].blame(function, reason)
            if compiled.name in self._vague:
                raise FollowingError
        return compiled

    def trees(self, function: types.FunctionType, reads: bool) -> Iterator[ast.FunctionDef]:
        """Yield the syntax tree that writes to elements where the function does so by a name."""
        *_, last = super().trees(function, reads)
        yield last

    def _translate(
        self, function: Callable[..., Any], arguments: list[Value], mode: Mode, pure: bool
    ) -> Compiled:
        try:
            return super()._translate(function, arguments, mode, pure)
        except (FollowingError, ReplacingError, WritingError):
            raise
        except UnsupportedError as error:
            text = str(error).rsplit(" (in ", 1)[0]
            if not _is_users(function):
                raise UnsupportedError(text) from None
            self.note(function, None, text)
            raise FollowingError(text) from None

    def finish(self, translation: _Translation) -> None:
        """Keep what was wrong in a function for its callers."""
        compiled = translation.compiled
        self._beyond[compiled.name] = translation.beyond
        if translation.failed:
            # Only some of its returns are known.
            compiled.ranges.clear()
            compiled.truth_only.clear()
            if translation.beyond or not translation.tree.returns:
                self._vague.add(compiled.name)


class _Expressions(Expressions):
    """Expressions that remember the line of what cannot be translated."""

    def __init__(self, scope: Any) -> None:
        super().__init__(scope)
        self.lines: list[int] = []
        self.calls_around: list[ast.Call] = []

    def expression(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        with self.at(node):
            value = super().expression(node)
            if value is LOST:
                raise FollowingError
        return value

    @contextmanager
    def at(self, node: ast.expr) -> Iterator[None]:
        """Remember where an expression is that is evaluated in this block."""
        # What the translator itself makes of an expression has no line.
        self.lines.append(getattr(node, "lineno", self.lines[-1] if self.lines else 1))
        calls = [node] if isinstance(node, ast.Call) and hasattr(node, "lineno") else []
        self.calls_around += calls
        try:
            yield
        except (UnsupportedError, *MISTAKES) as error:
            vars(error).setdefault("line", self.lines[-1])
            raise
        finally:
            self.lines.pop()
            del self.calls_around[len(self.calls_around) - len(calls) :]

    def of_library(self, called: Callable[..., Any], reason: Reason) -> str:
        """Return what cannot be translated in a function that is not a user's.

        What is within Tidegate's own containers is nothing that a user could look at.
        """
        if not acts_for_caller(called.__code__):
            return f"the call of {called.__name__}, which is not yours: {reason}"
        if not self.calls_around:
            return f"what {called.__name__} does here"
        return f"the call {ast.unparse(self.calls_around[-1])}"


class _Translation(Translation):
    """The translation of a function that goes on after what it does not translate.

    Attributes
    ----------
    failed
        Whether something could not be translated.
    beyond
        What could not be in a function of a library; the user's line that calls it is blamed.
    """

    unit: _Unit
    expressions: _Expressions
    reading = _Expressions

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.failed = False
        self.beyond: dict[Reason, None] = {}

    def text(self) -> str:
        """Return nothing of use, once all of the function was tried."""
        self.unit.active.append(self)
        try:
            super().text()
        except (FollowingError, ReplacingError, WritingError):
            raise
        except UnsupportedError as error:
            # After something else has failed, its end may seem to lack a return.
            if not self.failed:
                self._note(str(error).rsplit(" (in ", 1)[0], self.line)
        finally:
            self.unit.active.pop()
        self.unit.finish(self)
        return ""

    def blame(self, called: Callable[..., Any], reason: Reason) -> None:
        """Note what is wrong in a function that is called here, and is not a user's."""
        self.failed = True
        if not _is_users(self.function):
            self.beyond[reason] = None
            return
        lines = self.expressions.lines
        text = self.expressions.of_library(called, reason)
        self._note(text, lines[-1] if lines else self.line)

    def _note(self, text: str, line: int) -> None:
        self.failed = True
        function = self.scope.function
        if not _is_users(function):
            # A function that may be the user's calls the one that is written out here.
            for caller, at in reversed(self.callers):
                if _is_users(caller):
                    reason = _reason(function, line, text)
                    text = self.expressions.of_library(function, reason)
                    function, line = caller, at
                    break
        if _is_users(function):
            self.unit.note(function, line, text)
        else:
            self.beyond[_reason(function, line, text)] = None

    def write_out(
        self, function: Callable[..., Any], tree: ast.FunctionDef, arguments: list[Value]
    ) -> Value:
        """Translate a function in place of its call, as far as that can be done."""
        before, self.failed = self.failed, False
        try:
            value = super().write_out(function, tree, arguments)
        except (UnsupportedError, *MISTAKES) as error:
            if self.failed:
                raise FollowingError from None
            self.failed = before
            raise error
        if self.failed:
            raise FollowingError
        self.failed = before
        return value

    def block(self, statements: list[ast.stmt]) -> None:
        """Translate statements in order, each for itself."""
        for statement in statements:
            if self.out.terminated:
                return
            self._attempt(statement)

    def _attempt(self, statement: ast.stmt) -> None:
        scope, out = self.scope, self.out
        names = scope.local, scope.variables, scope.assigned
        definite, loops = out.definite, len(self._loops)
        try:
            super().block([statement])
            return
        except (UnsupportedError, *MISTAKES) as error:
            line = vars(error).pop("line", statement.lineno)
            if isinstance(error, ReplacingError) or (
                isinstance(error, WritingError) and self.unit.is_guarding
            ):
                raise
            if not isinstance(error, FollowingError):
                self._note(_described(error), line)
        self.failed = True
        scope.local, scope.variables, scope.assigned = names
        out.terminated = False
        out.definite = definite
        del self._loops[loops:]
        self._lose(stored(parts_of(statement)) | bound(statement))
        if not isinstance(statement, ast.FunctionDef):
            self._look_at(statement)
            self._go_on_inside(statement)

    def _lose(self, names: set[str]) -> None:
        """Give names a value that nothing can be said about."""
        for name in names:
            self.scope.local[name] = LOST
            self.scope.variables.pop(name, None)
            self.scope.slots.forget(name)
            self.out.settle(name)

    def _look_at(self, statement: ast.stmt) -> None:
        """Look for more in the expressions of a statement that could not be translated."""
        with self.out.aside():
            for part in parts_of(statement):
                for node, mode in _calls(part):
                    with suppress(UnsupportedError, *MISTAKES):
                        self._visit(node, mode)

    def _visit(self, node: ast.Call, mode: Mode) -> None:
        """Translate the function of a call whose arguments may not be known."""
        callee, calls = self._tried(node.func), self.expressions.calls
        positional = [self._tried(argument) for argument in node.args]
        named = {str(part.arg): self._tried(part.value) for part in node.keywords}
        if isinstance(callee, Method) and callee.function not in OF_SEQUENCES:
            positional, function = [callee.owner, *positional], callee.function
        elif isinstance(callee, Constant) and type(callee.value) is types.FunctionType:
            function = callee.value
        else:
            return
        if calls.builtins.has_own(function):
            # The translator looks at no line of it.
            return
        if function not in self.unit.intrinsics and not acts_for_caller(function.__code__):
            with self.expressions.at(node):
                calls.of_model(function, positional, named, mode)

    def _tried(self, node: ast.expr) -> Value:
        try:
            return self.expressions.known(node)
        except (UnsupportedError, *MISTAKES) as error:
            vars(error).pop("line", None)
            return LOST

    def _go_on_inside(self, statement: ast.stmt) -> None:
        """Translate the blocks of a statement that could not be translated itself."""
        out, definite = self.out, self.out.definite
        blocks = blocks_of(statement)
        ended = []
        for block in blocks:
            out.terminated, out.definite = False, definite
            self._loops.append(("lost", "lost"))
            self.block(block)
            self._loops.pop()
            ended.append(out.terminated)
        complete = isinstance(statement, ast.If) and len(blocks) == 2
        out.terminated = isinstance(statement, _LEAVES) or (complete and all(ended))
        inside = stored(node for block in blocks for node in block)
        out.definite = definite
        for name in inside:
            if name not in self.scope.local and name not in self.scope.variables:
                self.scope.local[name] = LOST
            out.settle(name)


def _described(error: Exception) -> str:
    """Return what cannot be translated, from its error."""
    if isinstance(error, UnsupportedError):
        return str(error)
    return f"what cannot be computed while translating: {type(error).__name__}: {error}"


def _is_users(function: Callable[..., Any]) -> bool:
    """Whether a function is in a file of the user's, or has no file that could be named instead."""
    code = getattr(original_of(function), "__code__", None)
    return code is not None and is_users(code.co_filename)


def _reason(function: Callable[..., Any], line: int | None, text: str) -> Reason:
    """Return a reason about a line of a function, or about all of it."""
    function = original_of(function)
    if witness := getattr(function, "witness", None):
        # The predicate that is made from it is in no file of the model.
        function, line = witness, None
    code = getattr(function, "__code__", None)
    name = str(getattr(function, "__qualname__", function)).rpartition("<locals>.")[2]
    place = (code.co_filename, line or code.co_firstlineno) if code else None
    return Reason(text.removesuffix(","), name, place)


def _calls(part: ast.AST) -> Iterator[tuple[ast.Call, Mode]]:
    """Yield the calls in an expression, with the mode of each."""
    compared = {
        id(node.left)
        for node in ast.walk(part)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot))
    }
    for node in ast.walk(part):
        if isinstance(node, ast.Call):
            yield node, Mode.IS_NONE if id(node) in compared else Mode.WHOLE
