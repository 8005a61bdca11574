"""Lowers the functions of a system, each once for each kind of arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from collections.abc import Sequence as Parts
from contextlib import contextmanager
from inspect import getdoc
from types import FunctionType
from typing import Any

from ...core.containers import Bag, Ordered
from ...core.containers import Set as OwnSet
from ...core.fields import method_of
from ...core.origins import is_written
from ...core.purity import DeclaredPure, declaration_of
from ...core.sources import original_of
from ..form import Expression, Function, Return, Statement
from ..forms import Outside, outside
from ..schema import Schema
from ..source import UnreadableError, verified
from ..tabulated import Table, UntabulatedError
from ..types import (
    NEVER,
    NOTHING,
    NoJoinError,
    Type,
    either,
    is_changeable,
    named,
)
from . import access, calls, containers, displays, library, operators
from .calls import Code, call_function, declared_by
from .effects import assignments, early
from .frame import (
    ByPythonAloneError,
    FollowingError,
    Frame,
    LoweringError,
    Scope,
    Variable,
    plain_name,
)
from .limits import beyond
from .meaning import falling, refuse_answer
from .order import SHOWN, has_order_of_a_set, order_shown
from .owners import Origin
from .statements import STATEMENTS, assigned


class Lowering:
    """The functions of a system that have been lowered.

    Parameters
    ----------
    schema
        What the state is made of.

    Attributes
    ----------
    functions
        All that were lowered, in the order in which their lowering ended.
    operations
        Functions of numbers for which a client has code of its own, with the types of their
        results.
    expected
        What some functions have to return, if they declare nothing.
    switches
        Constants, by name, that are not taken for known: both ways that they choose are lowered.
    constants
        The names of modules that were read, each with its module.
    yielding
        Functions that may yield, since they run before the search.
    declared
        The functions declared pure that were met.
    tabulates
        Whether these may be called, so that machine code has tables of what they answer.
    tables
        The tables of some of them, by function and domains of its arguments; or why there is none.
    refusals
        Where all that is refused is collected; None to end at the first one.
    """

    expression_rules: Mapping[type[ast.AST], Callable[[Frame, Any], Expression]] = {
        **access.EXPRESSIONS, **operators.EXPRESSIONS, **displays.EXPRESSIONS, **calls.EXPRESSIONS,
    }  # fmt: skip
    statement_rules: Mapping[type[ast.stmt], Callable[[Frame, Any], list[Statement]]] = STATEMENTS

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.functions: list[Function] = []
        self.operations: dict[Any, Type] = {}
        self.refusals: list[LoweringError] | None = None
        self.expected: dict[Any, str] = {}
        self.switches: Set[str] = frozenset()
        self.constants: set[tuple[str, str]] = set()
        self.yielding: set[FunctionType] = set()
        self.declared: set[DeclaredPure] = set()
        self.tabulates = False
        self.tables: dict[Any, Table | UntabulatedError] = {}
        self._done: dict[tuple[Any, ...], Function | None] = {}
        self._why: dict[tuple[Any, ...], list[LoweringError]] = {}
        self._begun: list[Any] = []

    # --- functions

    def function(
        self,
        function: FunctionType,
        kinds: Mapping[str, Type],
        node: ast.AST | None = None,
        caller: Frame | None = None,
    ) -> Function:
        """Return a function of the model, lowered for arguments of these types.

        Parameters
        ----------
        kinds
            The types of its parameters, and of what closures among them capture, in order.
        node, caller
            The call, for refusals.

        Raises
        ------
        LoweringError
            If a line of it is not in the language.
        """
        key = (function, tuple(kinds.items()))

        def lower() -> Function | None:
            declaration = declaration_of(function)
            if declaration is None:
                return self._made(function, kinds, node, caller)
            self.declared.add(declaration)
            if self.switches and self.schema.root in kinds.values():
                raise _refused_history(function, node, caller)
            with self.ending_at_first():
                return self._declared(declaration, function, kinds, node, caller)

        return self._kept(key, lower)

    def _made(
        self,
        function: FunctionType,
        kinds: Mapping[str, Type],
        node: ast.AST | None,
        caller: Frame | None,
    ) -> Function | None:
        self._refuse_recursion(function, function.__name__, node, caller)
        tree = self._tree(function, node, caller)
        made = Function(
            function.__name__,
            function.__code__.co_filename,
            function.__code__.co_firstlineno,
            tuple(kinds),
            # What wraps another function has the docstring of that.
            doc="" if hasattr(function, "__wrapped__") else getdoc(original_of(function)) or "",
        )
        frame = Frame(self, function, tree, made)
        try:
            return self._lowered(frame, kinds, function)
        except FollowingError:
            raise
        except LoweringError as error:
            if caller is None or frame.names_lines or (error.place and is_written(error.place[0])):
                raise
            what = f"the call of {made.name}, which is not yours: {Exception.__str__(error)}"
            raise caller.refusal(node, what) from None

    def _declared(
        self,
        declaration: DeclaredPure,
        function: FunctionType,
        kinds: Mapping[str, Type],
        node: ast.AST | None,
        caller: Frame | None,
    ) -> Function | None:
        """Lower a function that is declared pure, which may do anything."""
        try:
            return self._made(function, kinds, node, caller)
        except ByPythonAloneError:
            raise
        except LoweringError as error:
            why = f"{Exception.__str__(error)}, which is not in the language"
            alone = ByPythonAloneError(declaration, why)
            raise alone if caller is None else caller.placed(alone, node) from None

    @contextmanager
    def ending_at_first(self) -> Iterator[None]:
        """Raise the first refusal meanwhile, and collect none."""
        refusals, self.refusals = self.refusals, None
        try:
            yield
        finally:
            self.refusals = refusals

    def expression(self, space: dict[str, Any], file: str, node: ast.expr) -> None:
        """Lower an expression of a file, with the variables of its module.

        Raises
        ------
        LoweringError
            If it is not in the language.
        """
        stub = FunctionType((lambda: None).__code__, space)
        none: list[Any] = []
        arguments = ast.arguments(none, none, None, none, none, None, none)
        tree = ast.copy_location(ast.Lambda(arguments, node), node)
        made = Function("a constant", file, node.lineno, ())
        frame = Frame(self, stub, tree, made)
        value = frame.expression(node)
        made.body = (Return(node.lineno, value),)
        if order_shown(made) is not None or has_order_of_a_set(value.type):
            raise frame.refusal(node, SHOWN)

    def closure(
        self,
        code: Code,
        tree: ast.FunctionDef | ast.Lambda,
        kinds: Mapping[str, Type],
        node: ast.AST,
    ) -> Function:
        """Return a function within a function, lowered for these arguments and captured values."""
        around = code.frame

        def lower() -> Function | None:
            self._refuse_recursion(tree, code.name, node, around)
            made = Function(code.name, around.made.file, tree.lineno, tuple(kinds))
            return self._lowered(Frame(self, around.function, tree, made), kinds, tree)

        return self._kept((code, tuple(kinds.items())), lower)

    def _kept(self, key: tuple[Any, ...], lower: Callable[[], Function | None]) -> Function:
        """Return a function that is lowered once, all of it."""
        if key not in self._done:
            before = len(self.refusals or ())
            self._done[key] = lower()
            self._why[key] = (self.refusals or [])[before:]
        function = self._done[key]
        if function is None:
            if self.refusals is not None:
                # Another rule that calls it is refused for the same reasons.
                known = set(map(id, self.refusals))
                self.refusals += [one for one in self._why[key] if id(one) not in known]
            raise FollowingError
        return function

    def _lowered(self, frame: Frame, kinds: Mapping[str, Type], begun: Any) -> Function | None:
        """Return a function; None if something in it is refused, and noted."""
        made = frame.made
        self._begun.append(begun)
        try:
            _enter(frame, kinds)
            tree = frame.tree
            if isinstance(tree, ast.Lambda):
                value = frame.expression(tree.body)
                frame.ended(value, tree)
                body: tuple[Statement, ...] = (Return(tree.lineno, value),)
            else:
                body = frame.block(tree.body)
                if frame.alive:
                    if not frame.failed:
                        refuse_answer(frame, NOTHING, falling(tree.body), falls=True)
                    frame.returned.append(NOTHING)
        finally:
            self._begun.pop()
        if frame.failed:
            return None
        made.body = body
        self._refuse_lost(frame)
        changed = early(made)
        if changed is not None:
            line, name = changed
            frame.line = line
            raise frame.refusal(
                None,
                f"{name.partition(chr(39))[0]} changes in this line after it is read",
                "write two lines",
            )
        limit = beyond(made, self.schema)
        if limit is not None:
            frame.line = limit.line
            raise frame.refusal(None, limit.what, limit.repair)
        shown = order_shown(made)
        if shown is not None:
            frame.line = shown
            raise frame.refusal(None, SHOWN)
        try:
            made.result = NEVER
            for kind in frame.returned:
                made.result = either(made.result, kind)
        except NoJoinError:
            kinds_ = " or ".join(dict.fromkeys(named(one) for one in frame.returned))
            raise frame.refusal(
                tree, f"{made.name} returns {kinds_}", "return one kind of values"
            ) from None
        self.functions.append(made)
        return made

    def _refuse_lost(self, frame: Frame) -> None:
        """Refuse a parameter that is changed for the caller, and assigned: both are one slot."""
        for line, slot in assignments(frame.made.body):
            if slot in frame.made.changes:
                frame.line = line
                name = plain_name(slot).removeprefix("^")
                raise frame.refusal(
                    None,
                    f"{name} is assigned here, and what the caller has under it changes, too",
                    "use another name",
                )

    def _refuse_recursion(
        self, what: Any, name: str, node: ast.AST | None, caller: Frame | None
    ) -> None:
        if any(one is what for one in self._begun) and caller is not None:
            raise caller.refusal(
                node,
                f"{name}, which calls itself, is not in the language of models",
                "write a loop, with a list of the rest",
            )

    def _tree(
        self, function: FunctionType, node: ast.AST | None, caller: Frame | None
    ) -> ast.FunctionDef:
        why = ""
        try:
            tree = verified(function)
        except UnreadableError as error:
            why = f"{function.__name__}, whose source {error}; {error.repair}"
        else:
            parts = [
                one for one in outside(tree) if one.what != "yield" or function not in self.yielding
            ]
            if parts and caller is not None and not is_written(function.__code__.co_filename):
                raise caller.refusal(node, f"{function.__name__}: {parts[0].text}")
            errors = [_refused(function, part) for part in parts]
            if errors and self.refusals is not None:
                self.refusals += errors
                raise FollowingError
            if errors:
                raise errors[0]
            return tree
        if caller is not None:
            raise caller.refusal(node, why)
        raise LoweringError(why)

    # --- what the other modules ask for

    call = staticmethod(call_function)
    assigned = staticmethod(assigned)
    container_method = staticmethod(containers.method)
    known_method = staticmethod(containers.known_method)

    def library(self, function: Any) -> library.Rule | None:
        """Return how a function of Python's is lowered; None if the language lacks it."""
        try:
            if function in self.operations:
                return library.operation(function, self.operations[function])
            return library.RULES.get(function) or library.getter(function)
        except TypeError:
            # It has no hash, so it is none of Python's.
            return None

    def asked(
        self,
        frame: Frame,
        value: Expression,
        names: Parts[str],
        node: ast.AST,
        arguments: Parts[ast.expr] = (),
    ) -> Expression | None:
        """Return what a record's own method gives, the first of these that it has."""
        for name in names:
            function = _own_method(frame, value.type, name)
            if function is not None:
                supplied = [frame.expression(one) for one in arguments]
                return call_function(frame, function, [value, *supplied], {}, node)
        return None

    def method(
        self, frame: Frame, owner: Expression, name: str, supplied: Parts[Expression], node: ast.AST
    ) -> Expression | None:
        """Return what a record's own method gives; None if it has none of this name."""
        declaration = declared_by(frame, owner.type)
        function = None if declaration is None else method_of(declaration, name)
        return (
            None
            if function is None
            else call_function(frame, function, [owner, *supplied], {}, node)
        )

    def asked_with(
        self, frame: Frame, name: str, left: Expression, right: Expression, node: ast.AST
    ) -> Expression | None:
        """Return what a record's own method for an operator gives; None if it has none."""
        sign = f"__{name.rstrip('_')}__"
        for one, other, answer in ((left, right, sign), (right, left, _MIRRORED.get(sign, ""))):
            if answer and (function := _own_method(frame, one.type, answer)) is not None:
                return call_function(frame, function, [one, other], {}, node)
        return None


def _refused(function: FunctionType, part: Outside) -> LoweringError:
    """Return the refusal of a part of a function."""
    error = LoweringError(part.text)
    error.place = function.__code__.co_filename, getattr(part.node, "lineno", 1)
    error.function = function.__name__
    return error


def _refused_history(
    function: FunctionType, node: ast.AST | None, caller: Frame | None
) -> LoweringError:
    """Return the refusal of a function with ``@pure`` that may read history, unseen."""
    what = f"{function.__name__}, declared pure, gets the state with all of its history (aux_...)"
    if caller is None:
        return LoweringError(what)
    return caller.refusal(node, what, "pass it the variables that it reads")


def _own_method(frame: Frame, kind: Type, name: str) -> FunctionType | None:
    """Return a method of a record that the model defines."""
    declaration = declared_by(frame, kind)
    if declaration is None or issubclass(declaration, (OwnSet, Bag, Ordered)):
        return None
    return method_of(declaration, name)


_MIRRORED = {
    "__eq__": "__eq__", "__ne__": "__ne__", "__lt__": "__gt__", "__gt__": "__lt__",
    "__le__": "__ge__", "__ge__": "__le__",
}  # fmt: skip


def _enter(frame: Frame, kinds: Mapping[str, Type]) -> None:
    """Give the parameters of a function their types; what can be changed is the caller's, too."""
    scope = Scope()
    for slot, kind in kinds.items():
        name = slot.removeprefix("^")
        origin = Origin(same=frozenset({f"${slot}"})) if is_changeable(kind) else Origin()
        frame.made.slots[slot] = kind
        frame.versions[name] = [slot]
        scope = scope.given(name, Variable(slot, kind), origin)
    frame.scope = scope
