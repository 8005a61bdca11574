"""From a plain Python function to LLVM: its statements.

The subset is what an action, a rule or a predicate of a model needs: integers and truth values,
parts of the state, ``if``, ``for`` over a range or an array, ``while``, and calls of such
functions.  A function can be translated in four modes: whole; whether its result is None; only the
guards at its beginning, up to the first loop or write; or only the statements after these (its
effect).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ...core.asserting import is_users_code
from ...core.containers import Set
from ...core.errors import printed
from ...core.fields import Record
from ...language.lifetimes import is_read_later, is_used_after, is_used_later
from ...language.scopes import assignments, parameter_names, read_names, stored
from .assigned_parts import Means, anything, like_a_list, like_a_set, nothing, without_name
from .containers import is_list
from .element_names import as_written
from .emitter import FAILURE, MARKS, Emitter, Marking
from .expressions import Cell, Expressions, Written
from .function import Compiled, Mode, Scope, received
from .growing import KINDS, Entry, is_dictionary
from .in_place import InPlace, refuse_list
from .lists import may_have_none
from .sequences import declared_by, is_value
from .slots import Shape, holds_place, told
from .syntax import (
    COPYING,
    RESULT,
    changed_in_place,
    first_effect,
    held,
    lists_of,
    makes_list,
    may_return_none,
    nullable,
    plain_tree,
    renamed,
    returns_new,
    returns_once,
)
from .values import (
    NOWHERE,
    WORD,
    Backwards,
    Bits,
    Cells,
    Closure,
    Constant,
    Distinct,
    Elements,
    Entries,
    Items,
    KindError,
    Made,
    Mapped,
    Neighbours,
    Number,
    Perhaps,
    Places,
    ReplacingError,
    Span,
    StateRef,
    Truth,
    UnsupportedError,
    Value,
    WritingError,
    Zipped,
    forms_of,
    is_none,
    is_truth,
    kind_of,
    known_items,
    span,
)

if TYPE_CHECKING:
    from .unit import Unit


MOST_WRITTEN_OUT = 12
"""The most functions within each other that are translated where they are called."""


_ASSERTION = Constant(AssertionError)

_OF_PARTS = (ast.MatchSequence, ast.MatchClass)
"""Patterns of what has parts, which None has not."""


class Returns:
    """Translates the returns of one function."""

    def __init__(self, scope: Scope, expressions: Expressions, mode: Mode) -> None:
        self.out, self.compiled, self.function = scope.out, scope.compiled, scope.function
        self.expressions, self.mode = expressions, mode

    def emit(self, node: ast.expr | None) -> None:
        """Translate the return of the value of an expression, or of nothing."""
        out, returns = self.out, self.compiled.returns
        if self.mode is Mode.IS_NONE:
            self._none(node)
        elif returns == "void":
            if node is not None and not is_none(self.expressions.expression(node)):
                raise UnsupportedError("a value returned by a function declared to return None")
            out.emit("ret void")
        elif returns == "i1":
            value = Constant(None) if node is None else self.expressions.known(node)
            if isinstance(value, Constant) and not isinstance(value.value, int):
                # The interpreted engine refuses this, but takes a helper's None for false.
                raise UnsupportedError(
                    f"a return of {printed(value.value)}, neither True nor False,"
                )
            if not is_truth(value) and self.mode is Mode.WHOLE:
                self.compiled.truth_only.append(f"what {self.function.__name__} returns")
            self.compiled.kinds.append((kind_of(value),))
            known = Constant(self.expressions.true(value)) if isinstance(value, Constant) else value
            out.emit(f"ret i1 {out.truth(known)}")
        elif node is None:
            raise UnsupportedError("a return of None, where a number is returned elsewhere,")
        else:
            self._numbers(self.expressions.certain(self.expressions.expression(node)))
        out.terminated = True

    def _none(self, node: ast.expr | None) -> None:
        """Emit the return of whether a result is None."""
        if isinstance(node, (ast.Call, ast.IfExp, ast.BoolOp)):
            raise UnsupportedError(f"whether {ast.unparse(node)} is None")
        none = node is None or self.expressions.identities.none(node)
        self.out.emit(f"ret i1 {'true' if none else 'false'}")

    def _numbers(self, value: Value) -> None:
        """Emit the return of a number, or of several."""
        out, returns = self.out, self.compiled.returns
        items = value.items if isinstance(value, Items) else (value,)
        if len(items) != self.compiled.count:
            raise UnsupportedError("another number of values is returned than declared")
        self.compiled.ranges.append(tuple(span(item) for item in items))
        self.compiled.kinds.append(tuple(kind_of(item) for item in items))
        if self.compiled.count == 1:
            out.emit(f"ret i64 {out.number(value)}")
            return
        results = "undef"
        for number, item in enumerate(items):
            results = out.value(
                f"insertvalue {returns} {results}, i64 {out.number(item)}, {number}"
            )
        out.emit(f"ret {returns} {results}")

    def fall_off(self) -> None:
        """End a function after its last statement."""
        if self.mode in (Mode.GUARDS, Mode.IS_NONE):
            self.out.emit("ret i1 true")
        elif self.compiled.returns == "void":
            self.out.emit("ret void")
        elif self.out.definite is None:
            self.out.emit("unreachable")
        elif self.compiled.returns == "i1":
            raise UnsupportedError("an end without a return, where True or False is due,")
        else:
            raise UnsupportedError("an end without a return, where a number is returned elsewhere,")

    def give_up(self) -> None:
        """End a function in the middle of a failed step: its result has no meaning."""
        returns = self.compiled.returns
        self.out.terminated = True
        self.out.place_label("up")
        self.out.emit("ret void" if returns == "void" else f"ret {returns} zeroinitializer")


LIMITS: dict[type[ast.cmpop], tuple[int | None, int | None]] = {
    ast.Lt: (None, -1), ast.LtE: (None, 0), ast.Gt: (1, None), ast.GtE: (0, None),
}  # fmt: skip
"""The offsets of a number's lowest and highest value from what it is compared with."""


def _globals_of(code: CodeType) -> set[str]:
    """Return the names that a function may read of its module, or as attributes."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*map(_globals_of, inner))


_MATCHED = ast.Name("subject", ast.Load())


def _is_in_order(value: Value) -> bool:
    """Whether a value is a list or a tuple outside of the state."""
    is_cells = isinstance(value, Cells) and value.kind in (list, tuple)
    return is_cells or isinstance(value, (Elements, Span)) or known_items(value) is not None


def _displayed(node: ast.expr) -> list[ast.expr]:
    """Return the expressions of a tuple or a list without stars; none of anything else."""
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) and not _has_star(node) else []


def _has_star(node: ast.Tuple | ast.List) -> bool:
    return any(isinstance(part, ast.Starred) for part in node.elts)


def _memory(value: Value | None) -> str:
    """Return where a list, a set or a dictionary lies that may change; nothing for the rest."""
    if isinstance(value, Bits):
        return value.address
    cells = value.cells if isinstance(value, Entries) else value
    return cells.base if isinstance(cells, Cells) else ""


class Translation:
    """The translation of one function for one kind of arguments."""

    reading: type[Expressions] = Expressions

    def __init__(
        self,
        unit: Unit,
        function: Callable[..., Any],
        tree: ast.FunctionDef,
        arguments: list[Value],
        compiled: Compiled,
        mode: Mode,
        pure: bool,
        expected: Mapping[int | str, Shape],
    ) -> None:
        self.declared, inside = received(arguments)
        names = parameter_names(tree)
        if len(names) != len(arguments):
            raise UnsupportedError(f"{len(names)} parameters for {len(arguments)} arguments")
        self.out = Emitter(compiled.own, None if compiled.own else unit.points)
        if not compiled.own:
            self.declared[:0] = [f"ptr {FAILURE}", f"ptr {MARKS}"]
        self.out.definite = dict.fromkeys(names)
        self.out.loops, self.out.reads = compiled.loops, compiled.reads
        self.scope = Scope(
            unit=unit,
            function=function,
            compiled=compiled,
            out=self.out,
            marks=Marking(self.out),
            pure=pure or mode is Mode.GUARDS,
            local=dict(zip(names, inside, strict=True)),
            assigned=assignments(tree),
            expected=expected,
        )
        self.expressions = self.reading(self.scope)
        self.known = self.expressions.known
        self._returns = Returns(self.scope, self.expressions, mode)
        self._in_place = InPlace(self.scope, self.expressions)
        self.unit, self.function, self.compiled = unit, function, compiled
        self.tree = tree
        self.line = function.__code__.co_firstlineno
        self.mode = mode
        self._held = held(tree)
        self._loops: list[tuple[str, str]] = []
        self._frames: list[tuple[str, str]] = []
        self.callers: list[tuple[Callable[..., Any], int]] = []
        self._trees = [tree]
        self._changed, self._listed = changed_in_place(tree), lists_of(tree)
        self._growing: dict[str, Cells | Bits | Entries] = {}
        self._received: set[str] = set()
        self._captured: list[tuple[str, Value]] = []
        self.scope.slots.nullable |= nullable(tree)
        self.scope.assign, self.scope.write_out = self._assign_within, self.write_out

    def text(self) -> str:
        """Return the function as LLVM text."""
        try:
            self._body()
        except UnsupportedError as error:
            if "(in " in str(error):
                raise
            raise type(error)(f"{error} (in {self.where()})") from None
        out = self.out
        if not out.terminated:
            self._returns.fall_off()
        if out.gives_up:
            self._returns.give_up()
        self.compiled.elements.update(self.scope.marks.elements)
        lines = [*out.prologue, *out.lines]
        compiled, how = self.compiled, "alwaysinline"
        if not compiled.own:
            how = self.unit.sizes.attributes(compiled.name, lines)
        head = (
            f'define internal {compiled.returns} @"{compiled.name}"'
            f"({', '.join(self.declared)}) {how} nounwind {{\nentry:"
        )
        return "\n".join([head, *lines, "}"])

    def where(self) -> str:
        """Return the name and the place of the function whose code is translated."""
        function = self.scope.function
        return f"{function.__name__}, {function.__code__.co_filename}:{self.line}"

    def _body(self) -> None:
        for name in [name for name in self.scope.local if name not in self._held]:
            self._assign_local(name, self.scope.local.pop(name))
        body = self.tree.body
        first = first_effect(body)
        if self.mode is Mode.GUARDS:
            self._guards(body[:first])
        elif self.mode is Mode.EFFECT:
            self._effect(body, first)
        else:
            self.block(body)

    def _guards(self, guards: list[ast.stmt]) -> None:
        """Translate statements up to the first one with a loop, or one that writes."""
        for number, statement in enumerate(guards):
            with self._on_trial(statement) as take_back:
                if self.compiled.loops:
                    self.compiled.cut.append(number)
                    take_back()
                    return

    def _effect(self, body: list[ast.stmt], first: int) -> None:
        """Translate statements, without the guards before any loop and any write."""
        second_names = self.scope.lists.second_names
        for number, statement in enumerate(body):
            changes = second_names.changes
            with self._on_trial(statement) as take_back:
                if number < first and self.compiled.loops and not self.compiled.cut:
                    self.compiled.cut.append(number)
                alone = not self.compiled.loops and second_names.changes == changes
                if number < first and alone and isinstance(statement, ast.If):
                    if self.out.terminated:
                        # It always refuses, so there is no effect.
                        return
                    take_back()

    @contextmanager
    def _on_trial(self, statement: ast.stmt) -> Iterator[Callable[[], None]]:
        """Translate a statement, and yield a function that undoes that."""
        out = self.out
        lines, terminated, definite = len(out.lines), out.terminated, out.definite
        pending = list(out.pending)

        def take_back() -> None:
            del out.lines[lines:]
            out.terminated, out.definite, out.pending = terminated, definite, pending

        try:
            self.block([statement])
        except WritingError:
            # A guard that calls what writes is left to the effect, as one with a loop is.
            if self.mode is not Mode.GUARDS:
                raise
            out.loops.append(True)
        yield take_back

    def block(self, statements: list[ast.stmt]) -> None:
        """Translate statements in order; none after a jump."""
        for statement in statements:
            if self.out.terminated:
                return
            self.line = statement.lineno
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                raise UnsupportedError(f"{type(statement).__name__.lower()} statements")
            try:
                method(statement)
            except KindError as error:
                head = ast.unparse(statement).partition("\n")[0]
                raise UnsupportedError(f"{error}, in {head}") from None

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expressions.expression(node.value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.expressions.refuse_kept(node.value)
            value = self._kept(node.value)
            self._refuse_alias([node.target], node.value, value)
            self._assign_to(node.target, value)

    def _refuse_alias(self, targets: list[ast.expr], node: ast.expr, value: Value) -> None:
        """Refuse a second name for a list that changes: here each name has a list of its own."""
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Name):
            names |= {node.id}
        # An operator makes a new one.
        is_new = isinstance(node, (ast.BinOp, ast.Dict, ast.DictComp)) or makes_list(node)
        if not is_list(value) or not names & self._changed or is_new:
            return
        is_stored = all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)
        if is_stored and isinstance(node, ast.Name) and self._is_last(node):
            return
        if not (isinstance(node, ast.Call) and self._makes_new(node)):
            raise UnsupportedError(f"{ast.unparse(node)}, another name of a list that changes,")

    def _assign_within(self, node: ast.NamedExpr, value: Value) -> None:
        """Assign the name of an assignment within an expression."""
        target = node.target
        self._refuse_alias([target], node.value, value)
        self._assign_local(target.id, value)

    def _may_change(self, node: ast.expr, value: Value | None) -> bool:
        """Whether the value of an expression may change by a name, one of a caller's or its own."""
        names = {node.id} if isinstance(node, ast.Name) else set()
        if memory := _memory(value):
            names |= {name for name, one in self.scope.local.items() if _memory(one) == memory}
        changing = names & self._changed
        is_last = isinstance(node, ast.Name) and changing == {node.id} and self._is_last(node)
        return bool(changing) and not is_last

    def _makes_new(self, node: ast.Call) -> bool:
        """Whether a call returns a list, a set or a dictionary that nothing else has."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in COPYING:
            return True
        callee, known = self._callee(node)
        if type(known) is FunctionType:
            return returns_new(plain_tree(known, keywords=True))
        if isinstance(callee, Closure) and isinstance(callee.tree, ast.FunctionDef):
            return returns_new(callee.tree)
        return any(known is kind for kind in KINDS) or known == dict.fromkeys

    def _callee(self, node: ast.Call) -> tuple[Value, Any]:
        """Return the value that a call calls, and the function or class if it is known."""
        with self.out.aside():
            callee = self.expressions.expression(node.func)
        return callee, callee.value if isinstance(callee, Constant) else None

    def _is_last(self, node: ast.Name) -> bool:
        """Whether nothing can change what a name stands for after it is read here."""
        tree = self._trees[-1]
        is_own = node.id in assignments(tree) and node.id not in parameter_names(tree)
        return is_own and not is_read_later(tree, node.id, node)

    def _assign(self, node: ast.Assign) -> None:
        if not self.expressions.sequences.spliced(node):
            if not all(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets):
                self.expressions.refuse_kept(node.value)
            value = self._kept(node.value)
            self._refuse_alias(node.targets, node.value, value)
            if len(node.targets) > 1 and is_list(value):
                # Two names for what does not change are two copies.
                fixed = isinstance(value, (Elements, Span))
                if not fixed or stored(node.targets) & self._changed:
                    raise UnsupportedError("a list with two names")
            for target in node.targets:
                self._assign_to(target, value, node)

    def _assigns_part(self, node: ast.Assign, target: ast.expr, value: Value) -> bool:
        """Translate an assignment to a part of the state; return whether it is one.

        In Python the part is the assigned object until the step ends, and then its values are
        copied.  Here they are copied at once, so what could tell the two apart is refused.
        """
        if not isinstance(target, ast.Attribute):
            return False
        place = self.expressions.written_place(target)
        if not isinstance(place, StateRef) or place.element or isinstance(place.sample, int):
            return False
        what, names = ast.unparse(target), tuple(self.scope.local.values())
        held = value.cells if isinstance(value, Distinct) else value
        of_places = isinstance(held, Cells) and any(map(holds_place, held.shapes[:1]))
        of_places |= isinstance(value, Distinct) and bool(value.places)
        if of_places or any(forms_of(value)):
            raise UnsupportedError(
                f"{what} as another name for a part of the state (copy its values: "
                f"{what}.assign(...) for a record, {what}[:] = ... for a list),"
            )
        if self.unit.is_within:
            raise ReplacingError(f"{what}, for which a caller may have a name, as a target")
        others = [form for one in names for form in forms_of(one)] + self.scope.iterated
        others += self.scope.slots.forms()
        if any(form.startswith(place.form) for form in others):
            raise UnsupportedError(f"{what}, for which there is another name, as a target")
        read = [part for part in ast.walk(node.value) if isinstance(part, ast.Name)]
        changes = any(self._may_change(one, self.scope.local.get(one.id)) for one in read)
        changes |= self._may_change(node.value, value)
        if changes or len(node.targets) > 1:
            raise UnsupportedError(f"{what}, to which what changes is assigned,")
        but = self._means_the_same(place, node.value, value)
        if but is anything and (self._loops or self.scope.lists.second_names.is_in_loop):
            but = without_name
        later = is_used_later(self._trees[-1], target, node.value, but) or any(
            is_used_after(tree, target.attr, line, but)
            for tree, (_, line) in zip(self._trees, self.callers, strict=False)
        )
        if later:
            raise UnsupportedError(
                f"{what}, which is assigned and then read in one step (change it where it is, by "
                f"{what}[:] = ... or {what}.assign(...), or read it before),"
            )
        self.expressions.sequences.copied_to_part(place, self.expressions.certain(value))
        return True

    def _means_the_same(self, place: StateRef, node: ast.expr, value: Value) -> Means:
        """Return which uses of a part mean the same for the state's and for a new object."""
        if isinstance(value, Made) and isinstance(node, ast.Call):
            _, known = self._callee(node)
            is_new = known is copy.copy or (isinstance(known, type) and issubclass(known, Record))
            paths = self.expressions.sequences.leaves(place)
            of_numbers = all(path[1:].isidentifier() for path in paths)
            return anything if is_new and of_numbers else nothing
        if not makes_list(node):
            return nothing
        if isinstance(place.sample, Set):
            return like_a_set
        elements = place.sample if isinstance(place.sample, list) else ()
        of_numbers = bool(elements) and all(isinstance(one, int) for one in elements)
        return like_a_list if of_numbers else nothing

    def _kept(self, node: ast.expr) -> Value:
        """Return what Python keeps of an expression while it evaluates the targets."""
        return self.expressions.sequences.fixed(self.expressions.expression(node))

    def _assign_to(self, target: ast.expr, value: Value, node: ast.Assign | None = None) -> None:
        """Assign a value to a target, which is one of an assignment, or a part of one."""
        if node is not None and self._assigns_part(node, target, value):
            return
        if isinstance(target, ast.Name):
            self._assign_local(target.id, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if _has_star(target):
                self._spread(target, value)
                return
            items = self.expressions.taken_apart(value, len(target.elts))
            written = _displayed(node.value) if node else []
            sources = written if len(written) == len(items) else target.elts
            for part, source, item in zip(target.elts, sources, items, strict=True):
                self._refuse_alias([part], source, item)
                self._assign_to(part, item, node)
        else:
            self._write(self.expressions.written_place(target), value)

    def _spread(self, target: ast.Tuple | ast.List, value: Value) -> None:
        """Assign the parts of a tuple, one name of which takes all that others leave."""
        stars = [n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)]
        chosen = self.expressions.calls.loops.indexed(value, target)
        length, others = chosen.length(), len(target.elts) - 1
        if len(stars) != 1 or chosen.most is None:
            raise UnsupportedError(f"{ast.unparse(target)}, which takes what others leave,")
        [star], after = stars, others - stars[0]
        if isinstance(length, Constant):
            items = [chosen.at(Constant(number)) for number in range(length.value)]
            if len(items) < others:
                raise ValueError("not enough values to unpack")
            middle: Value = Items(tuple(items[star : len(items) - after]), list)
            parts = [*items[:star], middle, *items[len(items) - after :]]
        else:
            if chosen.most < max(others, 1):
                raise UnsupportedError(f"{ast.unparse(target)}, which takes more than there is,")
            self.out.fail_if(self.out.truth(self.out.compare("slt", length, Constant(others))))
            parts = [chosen.at(Constant(number)) for number in range(star)]
            end = self.out.arithmetic("sub", length, Constant(after))
            parts.append(self.expressions.sequences.between(chosen, Constant(star), end))
            for number in range(after):
                index = self.out.arithmetic("add", end, Constant(number))
                parts.append(chosen.at(self.scope.lists.clamped(index, length, chosen.most)))
        for part, item in zip(target.elts, parts, strict=True):
            if not isinstance(part, ast.Starred):
                self._refuse_alias([part], part, item)
            self._assign_to(part.value if isinstance(part, ast.Starred) else part, item)

    def _write(self, place: Written, value: Value) -> None:
        value = self.expressions.certain(value)
        if isinstance(place, Places):
            for number, option in enumerate(place.options):
                here, on = self.out.label("here"), self.out.label("on")
                self.out.branch(self.out.compare("eq", place.which, Constant(number)), here, on)
                self.out.place_label(here)
                self._write(option, value)
                self.out.place_label(on)
            return
        if isinstance(place, Cell):
            self.scope.lists.put(place.cells, place.index, value)
        elif isinstance(place, Entry):
            self.expressions.calls.growing.put(place.entries, place.key, value)
        elif isinstance(place, tuple):
            setter, index = place
            self.expressions.calls.call(setter, [index, value])
        elif place is not None and isinstance(place.sample, int):
            self.unit.places.store(self.out, place, value)
        elif place is not None:
            self.expressions.sequences.replaced(place, value)

    def _assign_local(self, name: str, value: Value) -> None:
        """Assign a local name: in a register if that is its only assignment, else in memory."""
        if isinstance(value, (Zipped, Mapped, Backwards, Neighbours)):
            raise UnsupportedError(f"{told(name)}, an iterator that is kept,")
        if isinstance(value, Distinct) and value.places and not self.scope.pure:
            raise UnsupportedError(f"{name}, parts of the state in a set with a name,")
        # The search's own numbers are meant modulo 2^64, and have no range.
        known = span(value) if not self.out.wraps or is_truth(value) else None
        self.out.settle(name, known)
        plain = isinstance(value, (Number, Truth)) or (
            isinstance(value, Constant) and isinstance(value.value, int)
        )
        plain = plain or (value is NOWHERE and name in self.scope.variables)
        if name in self._growing or (name in self._changed and is_list(value)):
            self._grow(name, value)
        elif name in self._held:
            self.scope.local[name] = value
        elif not plain or name in self.scope.slots or name in self.scope.slots.nullable:
            self._keep(name, value)
        else:
            address = self.scope.variables.get(name)
            if address is None:
                address = self.scope.variables[name] = self.out.variable()
            self.out.emit(f"store i64 {self.out.number(value)}, ptr {address}")

    def _grow(self, name: str, value: Value) -> None:
        """Assign a list or a set that changes, or that several places make."""
        if name in self._received:
            raise UnsupportedError(f"{told(name)}, a list of the caller's and then another one,")
        if name not in self._held:
            self.scope.rebound[name] = name in self._changed
        collections, lists = self.expressions.calls.collections, self.scope.lists
        if is_dictionary(value):
            self._grow_dictionary(name, value)
            return
        bits = collections.bits(value)
        kind = value.kind if isinstance(value, Cells) else list
        fits = is_list(value) and name not in self.scope.slots and name not in self.scope.variables
        if fits and name not in self._growing:
            least = -1 if bits and name not in self._changed and may_have_none(bits) else 0
            self._growing[name] = lists.growing_set(least) if bits else lists.new(kind)
        own = self._growing.get(name)
        if own is value:
            return
        if fits and isinstance(own, Bits) and bits:
            if may_have_none(own) and bits.ordered:
                raise UnsupportedError(f"{name}, a set of the state on one way and not on another,")
            with lists.second_names.refilling(own):
                lists.change(own, bits.mask)
        elif fits and isinstance(own, Cells) and not bits and own.kind is kind:
            with lists.second_names.refilling(own):
                lists.set_length(own, Constant(0))
                collections.add_all(own, value)
        else:
            raise UnsupportedError(
                f"{told(name)}, which is a list or a set of its own on one way and none on another "
                "(give one of them another name),"
            )
        self._share(name, value, own)
        self.scope.local[name] = own

    def _share(self, name: str, value: Value, own: Value) -> None:
        """Note that a name has a copy of a list, unless a function has made it to return it."""
        if not (name.endswith("?") and returns_new(self._trees[-1])):
            self.scope.share(value, told(name), name, own)

    def _grow_dictionary(self, name: str, value: Value) -> None:
        """Assign a dictionary that changes, or that several places make."""
        growing, own = self.expressions.calls.growing, self._growing.get(name)
        if own is None and name not in self.scope.slots and name not in self.scope.variables:
            own = self._growing[name] = value if isinstance(value, Entries) else growing.new()
        if not isinstance(own, Entries) or own.kind is not getattr(value, "kind", dict):
            raise UnsupportedError(f"{told(name)}, which is a dictionary on one way only,")
        if own is not value:
            with self.scope.lists.second_names.refilling(own.cells):
                growing.copied(own, value)
            self._share(name, value, own)
        self.scope.local[name] = own

    def _keep(self, name: str, value: Value) -> None:
        """Assign a name that has values of several parts on several ways."""
        if name in self.scope.variables:
            raise UnsupportedError(
                f"{name}, which is a number on one way and not on another (give one of them "
                "another name),"
            )
        if isinstance(value, (Cells, Entries)) or (name in self._listed and is_list(value)):
            self._grow(name, value)
            return
        if isinstance(value, Closure):
            raise UnsupportedError(
                f"{name}, which is not a number, is given in one place and read in another,"
            )
        self.scope.slots.store(name, value)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.expressions.sequences.delete(target)

    def _augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            name = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            before, place = self.known(name), None
            if self._added_to(before, node) or self._in_place.changes(before, node):
                return
        else:
            place = self.expressions.written_place(node.target)
            if self._in_place.changes(place, node):
                return
            if isinstance(place, Cell):
                before = self.scope.lists.at(place.cells, place.index)
                if self._in_place.changes(before, node):
                    return
                refuse_list(before, node)
            elif isinstance(place, Entry):
                before = self.expressions.calls.growing.element(place.entries, place.key)
                refuse_list(before, node)
            elif isinstance(place, Places):
                before = self.expressions.each_place(place, node, self._loaded)
            elif isinstance(place, tuple):
                before = self.expressions.sequences.element_of(place[0].owner, place[1])
            else:
                before = Constant(0) if place is None else self.unit.places.load(self.out, place)
        written = place[0].owner if isinstance(place, tuple) else place
        is_part = isinstance(written, StateRef) and is_value(written)
        with self.scope.reading(is_part):
            # Python has read the element, and would write to what is in its place.
            added = self.known(node.value)
            joined = self.expressions.calls.collections.combined(node.op, before, added)
            value = joined or self.expressions.computed(node.op, before, added)
        if isinstance(place, Cell):
            # Python looks for the element again, at the index that it had before.
            lists, cells = self.scope.lists, place.cells
            index = lists.clamped(place.written, lists.length(cells), cells.most)
            place = Cell(cells, index, place.written)
        if isinstance(node.target, ast.Name):
            self._assign_local(node.target.id, value)
        else:
            self._write(place, value)

    def _loaded(self, name: ast.Name) -> Value:
        """Return the value of the variable of the state that a name stands for."""
        place = self.expressions.known(name)
        assert isinstance(place, StateRef)
        return self.unit.places.load(self.out, place)

    def _added_to(self, before: Value, node: ast.AugAssign) -> bool:
        """Translate `+=` of a list of its own; return whether it is one."""
        if not isinstance(before, Cells) or not isinstance(node.op, ast.Add):
            return False
        self.expressions.calls.collections.extend(before, node.value)
        return True

    def _return(self, node: ast.Return) -> None:
        if not self._frames:
            self._returns.emit(node.value)
            return
        name, end = self._frames[-1]
        if node.value is not None and not isinstance(node.value, ast.Name):
            self.expressions.refuse_kept(node.value)
        value = Constant(None) if node.value is None else self._kept(node.value)
        self._assign_local(name, value)
        self.out.jump(end)

    def _functiondef(self, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            raise UnsupportedError(f"{node.name}, which is decorated,")
        self._assign_local(node.name, self.expressions.closure(node))

    def _receive(self, name: str, value: Value) -> None:
        """Give a parameter its value; a list that is changed is the caller's."""
        if name not in self._changed or not is_list(value):
            self._assign_local(name, value)
        elif isinstance(value, (Cells, Entries)) or (isinstance(value, Bits) and value.address):
            self.scope.local[name] = self._growing[name] = value
            self._received.add(name)
            self.out.settle(name)
        else:
            raise UnsupportedError("a list that a function gets, and changes,")

    def _met(self, function: Callable[..., Any], tree: ast.FunctionDef) -> dict[str, Value]:
        """Return what a function reads of its module by names that its caller has, too."""
        scope = self.scope
        ours = {*scope.local, *scope.variables, *scope.assigned, *scope.hidden}
        names = (read_names(tree) & ours) - assignments(tree).keys()
        bound_in_generators = names & stored([tree])
        if double := sorted(bound_in_generators & _globals_of(function.__code__)):
            raise UnsupportedError(f"{double[0]}, which stands for two things in {tree.name},")
        names -= bound_in_generators
        return {name: self.unit.lookup(function, name) for name in sorted(names)}

    def write_out(
        self, function: Callable[..., Any], tree: ast.FunctionDef, arguments: list[Value]
    ) -> Value:
        """Translate the body of a function in place of its call, and return its value.

        Parameters
        ----------
        function
            The function that the tree is of, or that it is defined in.
        """
        if len(self._frames) >= MOST_WRITTEN_OUT:
            raise UnsupportedError(f"{tree.name}, which calls itself,")
        met = self._met(function, tree) if tree is plain_tree(function, keywords=True) else {}
        inner, new = renamed(tree, self.out.label(""), met)
        self.scope.local.update({new.pop(name): value for name, value in met.items()})
        outer = self.scope.function, self.scope.assigned, self._loops, self.line
        self.callers.append((self.scope.function, self.line))
        self._trees.append(inner)
        result, end = self.scope.new_name("result"), self.out.label("returned")
        named = {**new, RESULT: result}

        def here(names: set[str]) -> set[str]:
            return {named.get(name, name) for name in names}

        once = returns_once(tree)
        self._held = self._held | here(held(tree) | ({RESULT} if once else set()))
        maybe_none = {RESULT} if not once and may_return_none(tree) else set()
        self.scope.slots.nullable |= here(nullable(tree) | maybe_none)
        self._changed = self._changed | here(changed_in_place(tree))
        self._listed = self._listed | here(lists_of(tree))
        self.scope.assigned = {**self.scope.assigned, **dict.fromkeys(new.values())}
        self.scope.function, self._loops = function, []
        self._frames.append((result, end))
        try:
            for name, value in zip(parameter_names(inner), arguments, strict=True):
                self._receive(name, value)
            self.block(inner.body)
            if not self.out.terminated and result not in self._held:
                self._assign_local(result, Constant(None))
            elif not self.out.terminated:
                self.scope.local[result] = Constant(None)
            self.out.place_label(end)
        except UnsupportedError as error:
            if "(in " in str(error) or not str(error):
                raise
            raise type(error)(f"{as_written(str(error))} (in {self.where()})") from None
        finally:
            self._frames.pop()
            self.callers.pop()
            self._trees.pop()
            self.scope.ended |= {*new.values()}
            self.scope.function, self.scope.assigned, self._loops, self.line = outer
        if self.out.definite is None:
            return NOWHERE
        return self.expressions.expression(ast.Name(result, ast.Load()))

    def _if(self, node: ast.If) -> None:
        out = self.out
        test = self.expressions.decision(node.test)
        if isinstance(test, Constant):
            self.block(node.body if test.value else node.orelse)
            return
        yes, no, end = out.label("then"), out.label("else"), out.label("end")
        out.branch(test, yes, no)
        out.place_label(yes)
        self._way(node.body)
        if not node.orelse:
            out.place_label(no)
            return
        goes_on = not out.terminated
        if goes_on:
            out.jump(end)
        out.place_label(no)
        self._way(node.orelse)
        if goes_on or not out.terminated:
            out.place_label(end)

    def _way(self, body: list[ast.stmt]) -> None:
        """Translate statements that run on one way only."""
        with self.scope.lists.second_names.block():
            self.block(body)

    def _while(self, node: ast.While) -> None:
        out = self.out
        head, body, end = out.label("while"), out.label("do"), out.label("end")
        out.loops.append(True)
        out.unsettle(stored([node]))
        out.place_label(head)
        with self.scope.lists.second_names.block(is_loop=True):
            out.begin_round()
            out.branch(self.expressions.decision(node.test), body, end)
            out.place_label(body)
            if not out.wraps:
                self._narrow(node.test)
            self._round(node.body, head, end)
        if not out.terminated:
            out.jump(head)
        out.place_label(end)

    def _narrow(self, test: ast.expr) -> None:
        """Narrow the ranges of local variables that a true test compares."""
        tests = (
            test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
        )
        for part in tests:
            if not isinstance(part, ast.Compare) or not isinstance(part.left, ast.Name):
                continue
            limits = LIMITS.get(type(part.ops[0])) if len(part.ops) == 1 else None
            if (
                limits is None
                or part.left.id not in self.scope.variables
                or self.out.definite is None
            ):
                continue
            with self.out.aside():
                low, high = span(self.known(part.comparators[0])) or WORD
            known = self.out.definite[part.left.id] or WORD
            low, high = low + (limits[0] or 0), high + (limits[1] or 0)
            low = known[0] if limits[0] is None else max(known[0], low)
            high = known[1] if limits[1] is None else min(known[1], high)
            self.out.settle(part.left.id, (low, high))

    def _round(self, body: list[ast.stmt], following: str, end: str) -> None:
        """Translate the body of a loop; `continue` goes to `following`, `break` to `end`."""
        self._loops.append((following, end))
        self.block(body)
        self._loops.pop()

    def _break(self, node: ast.Break) -> None:
        self.out.jump(self._loops[-1][1])

    def _continue(self, node: ast.Continue) -> None:
        self.out.jump(self._loops[-1][0])

    def _for(self, node: ast.For) -> None:
        again = {name for name in stored(node.body) if self.scope.rebound.get(name)}
        if any(isinstance(part, ast.Name) and part.id in again for part in ast.walk(node.iter)):
            raise UnsupportedError(f"a loop over {ast.unparse(node.iter)}, which it makes anew,")

        def body(element: Value, following: str, end: str) -> None:
            self._refuse_alias([node.target], node.target, element)
            self._assign_to(node.target, element)
            self._round(node.body, following, end)

        self.expressions.calls.loops.loop(node.iter, body, stored([node]))

    def _raise(self, node: ast.Raise) -> None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        name = raised.id if isinstance(raised, ast.Name) else ""
        asserts = name == AssertionError.__name__ and name not in self.scope.assigned
        self._give_up(asserts and self.unit.lookup(self.scope.function, name) == _ASSERTION)

    def _give_up(self, asserts: bool) -> None:
        """Make the step fail; unless that is a verdict, Python takes over and says why."""
        function = self.scope.function
        asserts = asserts and self.unit.asserts
        if asserts and is_users_code(function.__code__, function.__globals__):
            self.out.assertion_fails()
        else:
            self.out.fail_if("true")
        self._leave()

    def _leave(self) -> None:
        """End a function whose step has failed."""
        self.out.gives_up = True
        self.out.jump("up")

    def _assert(self, node: ast.Assert) -> None:
        out = self.out
        test = self.expressions.decision(node.test)
        wrong, on = out.label("wrong"), out.label("on")
        out.branch(test, on, wrong)
        out.place_label(wrong)
        self._give_up(asserts=True)
        out.place_label(on)

    def _match(self, node: ast.Match) -> None:
        out, end = self.out, self.out.label("matched")
        # Python keeps what an element of a sequence was, whatever a case writes.
        subject = self._kept(node.subject)
        for case in node.cases:
            if out.terminated:
                break
            following = out.label("case")
            self._match_pattern(subject, case.pattern, following)
            self._bind()
            if case.guard is not None and not out.terminated:
                fits = out.label("fits")
                out.branch(self.expressions.decision(case.guard), fits, following)
                out.place_label(fits)
            self.block(case.body)
            if not out.terminated:
                out.jump(end)
            out.place_label(following)
        out.place_label(end)

    def _bind(self) -> None:
        """Give names what a pattern has found, which Python does when all of it fits."""
        while self._captured:
            name, value = self._captured.pop(0)
            target = ast.Name(name, ast.Store())
            self._refuse_alias([target], target, value)
            self._assign_local(name, value)

    def _match_pattern(self, subject: Value, pattern: ast.pattern, following: str) -> None:
        """Emit a jump to `following` unless a value has a pattern; bind the names of that."""
        out = self.out
        if isinstance(pattern, ast.MatchAs):
            if pattern.pattern is not None:
                self._match_pattern(subject, pattern.pattern, following)
            if pattern.name is not None:
                self._captured.append((pattern.name, subject))
            return
        if isinstance(subject, Perhaps) and isinstance(pattern, _OF_PARTS):
            subject = self._matched_part(subject, pattern, following)
        if isinstance(pattern, ast.MatchSequence):
            self._match_sequence(subject, pattern, following)
            return
        if isinstance(pattern, ast.MatchClass):
            self._match_record(subject, pattern, following)
            return
        test = self._fits(subject, pattern)
        self.scope.marks.mark(test, pattern)
        fits = out.label("fits")
        out.branch(test, fits, following)
        out.place_label(fits)

    def _match_sequence(self, subject: Value, pattern: ast.MatchSequence, following: str) -> None:
        """Emit a jump to `following` unless a list or a tuple has so many elements that fit."""
        out, parts = self.out, pattern.patterns
        if not _is_in_order(subject):
            raise UnsupportedError(f"the pattern {ast.unparse(pattern)}, for what is not a list,")
        chosen = self.expressions.calls.loops.indexed(subject, _MATCHED)
        length, wanted = chosen.length(), len(parts)
        test = out.compare("eq", length, Constant(wanted))
        self.scope.marks.mark(test, pattern)
        fits = out.label("fits")
        out.branch(test, fits, following)
        out.place_label(fits)
        for place, part in enumerate(parts):
            index: Value = Constant(place)
            item: Value = NOWHERE
            if chosen.most is None or chosen.most >= wanted:
                if not isinstance(length, Constant):
                    index = self.scope.lists.clamped(index, length, chosen.most or wanted)
                item = chosen.at(index)
            self._match_pattern(item, part, following)

    def _matched_part(self, subject: Perhaps, pattern: ast.pattern, following: str) -> Value:
        """Emit a jump to `following` for None, and return what the value is otherwise."""
        if subject.value is None:
            raise UnsupportedError(f"the pattern {ast.unparse(pattern)}, for what may be None,")
        some = self.out.label("some")
        self.out.branch(Truth(subject.none), following, some)
        self.out.place_label(some)
        return subject.value

    def _match_record(self, subject: Value, pattern: ast.MatchClass, following: str) -> None:
        """Emit a jump to `following` unless the variables of a record have their patterns."""
        known = self.expressions.expression(pattern.cls)
        kind = known.value if isinstance(known, Constant) else None
        if (
            not (isinstance(kind, type) and issubclass(kind, Record))
            or not isinstance(subject, (StateRef, Made))
            or pattern.patterns
        ):
            raise UnsupportedError(f"the pattern {ast.unparse(pattern)}")
        if not issubclass(declared_by(subject), kind):
            raise UnsupportedError(f"the pattern {ast.unparse(pattern)}, for another record,")
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            value = self.expressions.records.variable(subject, name)
            self._match_pattern(value, part, following)

    def _fits(self, subject: Value, pattern: ast.pattern) -> Value:
        """Return whether a value is the one of a pattern, or one of several."""
        if isinstance(pattern, ast.MatchOr):
            tests = [self._fits(subject, part) for part in pattern.patterns]
            if any(isinstance(test, Constant) and test.value for test in tests):
                return Constant(True)
            open_ = [test for test in tests if not isinstance(test, Constant)]
            result = "false"
            for test in open_:
                result = self.out.value(f"or i1 {result}, {self.out.truth(test)}")
            return Truth(result) if open_ else Constant(False)
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
            return Constant(True)
        if isinstance(pattern, ast.MatchValue):
            wanted = self.expressions.expression(pattern.value)
            return self.expressions.equal(ast.Eq(), subject, wanted)
        if isinstance(pattern, ast.MatchSingleton) and kind_of(subject) is bool is type(
            pattern.value
        ):
            truth = self.expressions.truth_of(subject)
            return truth if pattern.value else self.expressions.negation(truth)
        if isinstance(pattern, ast.MatchSingleton) and pattern.value is None:
            return (
                Truth(subject.none) if isinstance(subject, Perhaps) else Constant(is_none(subject))
            )
        raise UnsupportedError(f"the pattern {ast.unparse(pattern)}")
