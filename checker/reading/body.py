"""Reads one function: its statements, in the order of the code, whichever branch is taken.

Reads what a function imports while the model runs.

A write to an attribute or an element changes the state, or an object that outlives the call.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...core.errors import Line
from ...core.fields import Array, Field, Record, declared_parts
from ...core.imports import full_name
from ...core.sources import Source, names_of_elements
from ...language.forms import refusal
from ...language.lifetimes import is_changed_later, is_read_later, is_used_later
from ...language.methods import WRITING
from ...language.names import MISSING
from ...language.scopes import declared, local_names
from .notes import EVERYTHING, LOST, SKIPPED, Answer, Effect, Objection, Part
from .operators import computed
from .scope import (
    falling,
    jumps,
    leaves,
    together,
)
from .values import (
    ANYTHING,
    NOTHING,
    Element,
    Group,
    Known,
    Local,
    Made,
    Place,
    Unknown,
    Value,
    catches_everything,
    forgotten,
    is_array,
    is_container,
    is_unordered,
    joined,
    marked,
    may_change,
    options,
    parts_of,
)

if TYPE_CHECKING:
    from .expressions import Expressions
    from .reader import Reader, Summary


def imported(body: Body, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Value]]:
    """Yield the names that a statement imports, with what they stand for."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.partition(".")[0]
            yield alias.asname or first, _module(body, node, alias.name if alias.asname else first)
        return
    space: dict[str, Any] = body.function.__globals__ if body.function else {}
    name = "." * node.level + (node.module or "")
    for alias in node.names:
        yield alias.asname or alias.name, _part(body, node, name, alias.name, space)


def _module(body: Body, node: ast.AST, name: str) -> Value:
    """Return a module."""
    attribute = sys.modules.get(full_name(body.function, name))
    if attribute is None:
        body.find(node, f"{ast.unparse(node)} runs code that cannot be read; import it above")
        return ANYTHING
    return Known(attribute)


def _part(body: Body, node: ast.AST, module: str, name: str, space: dict[str, Any]) -> Value:
    """Return the value that an import takes from a module."""
    if module.startswith("."):
        try:
            module = importlib.util.resolve_name(module, space.get("__package__"))
        except ImportError:
            return ANYTHING
    value = _module(body, node, module)
    if not isinstance(value, Known):
        return value
    attribute = getattr(value.value, name, MISSING)
    if attribute is MISSING:
        return _module(body, node, f"{module}.{name}")
    if why := body.reader.objects.refused(attribute):
        body.find(node, f"{name} {why}")
    return Known(attribute)


def _is_member(value: Value) -> bool:
    """Whether a value is a member of an enumeration, which there is once."""
    kind = getattr(value, "kind", None)
    return isinstance(kind, type) and issubclass(kind, Enum)


OWN_VARIABLES = (
    "what a model remembers must be a variable of its state, or it is not a function of its state"
)


def write(
    body: Body, node: ast.expr, owner: Value, name: str, value: Value, key: Value | None = None
) -> None:
    """Read a write to an attribute or an element."""
    for one in options(owner):
        if isinstance(one, Place):
            body.wrote(node, one, name, value)
        elif isinstance(one, Element):
            where = ast.unparse(node)
            holder = ast.unparse(node.value)  # type: ignore[attr-defined]
            body.find(
                node,
                f"{where} is written, but {holder} holds a value that was read from a sequence; "
                f"write it in its place, s.sequence[i].{name or 'field'} = ...; of a set remove "
                "it, and add another one",
            )
        elif _is_member(one) or (isinstance(one, Known) and one.value is not None):
            what = ast.unparse(node)
            body.find(node, f"{what} outlives the call and is written; {OWN_VARIABLES}")
        elif isinstance(one, Group):
            one.add(value, key)
            one.blur(Unknown(body.depends))
            if one.shared:
                what = ast.unparse(node)
                body.find(node, f"{what} outlives the call and is written; {OWN_VARIABLES}")
        else:
            body.leaks = body.leaks or body.depends or value.history
            # A record that the call has made ends with it.
            body.reader.writes_unseen |= not isinstance(one, Made)
            if is_unordered(value):
                body.find(node, f"{ast.unparse(node)} holds a set: {LOST}")


def _refuse_two_names(
    body: Body, node: ast.Subscript, owner: Value, value: Value
) -> tuple[object, ...]:
    """Refuse to replace an element of an array where Python's lists would do something else.

    Its values are written where it is, so a name that has it sees the new ones, and the assigned
    record stays another one.

    Returns
    -------
    tuple
        The declarations of replaced elements that are records or containers.
    """
    arrays = [one.declared for one in options(owner) if isinstance(one, Place)]
    elements = [one.element for one in arrays if isinstance(one, Array)]
    if isinstance(node.slice, ast.Slice) or all(isinstance(one, Field) for one in elements):
        return ()
    if any(isinstance(one, Place) for one in options(value)):
        body.find(
            node,
            f"{ast.unparse(node)} would be another name for a part of the state; assign a copy of "
            "it, copy.copy(...)",
        )
    text = ast.unparse(node)
    body.refuse_old_names(node, elements, f"{text} is replaced", f"write {text}.assign(...)")
    return tuple(elements)


def _parts(declared: object) -> list[Any]:
    """Return the declarations of the parts of a record."""
    is_record = isinstance(declared, type) and issubclass(declared, Record)
    return list(declared_parts(declared).values()) if is_record else []


def _holds(value: Value, declared: Sequence[object]) -> bool:
    """Whether a value, or something in it, is a part of the state of such a declaration."""
    every = (*options(value), *parts_of(value))
    return any(isinstance(one, Place) and one.declared in declared for one in every)


MOST_ROUNDS = 6
"""After so many readings of a loop's body, what still changes may be anything."""


class Body:
    """One reading of one function.

    Parameters
    ----------
    variables
        Its arguments, by name.
    outer
        The reading of the function that it is defined in.
    control
        Whether it is called only where history says so.
    """

    def __init__(
        self,
        reader: Reader,
        source: Source,
        function: FunctionType | None,
        variables: dict[str, Value],
        outer: Body | None = None,
        control: bool = False,
    ) -> None:
        from .expressions import Expressions

        self.reader, self.source, self.function = reader, source, function
        self.variables, self.outer, self.control = variables, outer, control
        self.over = False
        # Whether history decides what happens here in a way that is not followed any further, and
        # how often a value that depends on history was met.
        self.leaks, self.touched = False, 0
        # How often the state, or a list, was written.
        self.written = 0
        self.objections: list[Objection] = []
        self.effects: list[Effect] = []
        self.answers: list[Answer] = []
        self.yields: Group | None = None
        self.yields_at: Line | None = None
        self.assigned = local_names(source.node)
        self.elements = names_of_elements(source.node)
        self.global_names = declared(source.node, ast.Global)
        self.outer_names = declared(source.node, ast.Nonlocal)
        self.sites: dict[tuple[int, str], Group] = {}
        self._jumps: list[dict[str, Value]] = []
        self.expressions: Expressions = Expressions(self)

    def read(self) -> None:
        """Read the whole function."""
        node = self.source.node
        if isinstance(node, ast.Lambda):
            self.answer(self.value(node.body), node.body)
            return
        self.block(node.body)
        if not self.over and self.yields is None:
            line = self.source.line(falling(node.body))
            self.answers.append(Answer(marked(NOTHING, self.depends), line, falls=True))

    @property
    def depends(self) -> bool:
        """Whether history decides that this part of the function runs, or its values."""
        return self.control or self.leaks

    def value(self, node: ast.expr) -> Value:
        """Read an expression and return what it may be."""
        value = self.expressions.value(node)
        self.touched += value.history
        return value

    def answer(self, value: Value, node: ast.AST) -> None:
        """Note what the function may return."""
        self.answers.append(Answer(marked(value, self.depends), self.source.line(node)))

    def find(self, node: ast.AST, text: str) -> None:
        """Note something that the model must not do."""
        self.objections.append(Objection(self.source.line(node), text))

    def refuse_outside(self, node: ast.AST, code: str, what: str) -> None:
        """Note some code that a rule must not have, and what it is that the language lacks."""
        if self.reader.in_language:
            self.find(node, refusal(code, what))

    def absorb(self, called: Summary | Body) -> None:
        """Note what a function does that is called here."""
        self.objections += called.objections
        self.effects += called.effects
        self.leaks, self.touched = self.leaks or called.leaks, self.touched + called.touched
        self.written += len(called.effects)

    def wrote(self, node: ast.AST, place: Place, name: str, value: Value) -> None:
        """Note a write to the state."""
        self.written += 1
        history = place.history or (place.root and name in self.reader.histories)
        depends = self.depends or value.history
        self.effects.append(Effect(self.source.line(node), history, depends))

    def refuse_old_names(
        self, node: ast.expr, replaced: Sequence[object], what: str, assign: str
    ) -> None:
        """Refuse a name for what may be replaced, or for a part of it, that is read afterwards.

        Parameters
        ----------
        node
            The target, or the call, by which it is replaced.
        replaced
            The declarations of the elements.
        """
        declared = [*replaced]
        for one in declared:
            parts = [one.element] if isinstance(one, Array) else _parts(one)
            declared += [part for part in parts if not isinstance(part, Field)]
        body: Body | None = self
        while body is not None:
            for name, held in body.variables.items():
                if _holds(held, declared) and is_read_later(body.source.node, name, node):
                    text = f"{what}, and {name} may be what was there before: it would show the new"
                    repair = (
                        f"copy it first, copy.copy(...), or {assign} if each name shall show them"
                    )
                    self.find(node, f"{text} values; {repair}")
            body = body.outer

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Read statements in order, none after a jump."""
        for statement in statements:
            if self.over:
                return
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is not None:
                method(statement)

    def _expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _return(self, node: ast.Return) -> None:
        value = NOTHING if node.value is None else self.value(node.value)
        self.answer(value, node)
        self.over = True

    def _raise(self, node: ast.Raise) -> None:
        # What ends the search only shows something.
        with self.reader.reading(Part.OTHER):
            for part in (node.exc, node.cause):
                raised = NOTHING if part is None else self.value(part)
                if isinstance(raised, Known) and isinstance(raised.value, type):
                    self.expressions.calls.invoke(raised, (), {}, node)
        self.leaks = self.depends
        self.over = True

    def _assert(self, node: ast.Assert) -> None:
        if not __debug__:
            self.find(node, SKIPPED)
        self.leaks = self.expressions.condition(node.test).history or self.leaks
        if node.msg is not None:
            with self.reader.reading(Part.OTHER):
                self.value(node.msg)

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)
            if (
                isinstance(target, ast.Subscript)
                and not isinstance(target.slice, ast.Slice)
                and may_change(value)
            ):
                owner = self.expressions.place(target.value)
                if any(isinstance(one, Place) for one in options(owner)):
                    self.refuse_changes(node, [node.value])

    def refuse_changes(self, node: ast.AST, stored: Sequence[ast.expr]) -> None:
        """Refuse later changes of what a container of the state has a copy of."""
        for part in stored:
            name = part.id if isinstance(part, ast.Name) else ""
            if name and (where := is_changed_later(self.source.node, name, node, WRITING)):
                self.find(
                    where,
                    f"{name} changes after it was stored in the state, which has a copy of it; "
                    "change it before that, or store a copy, copy.copy(...)",
                )

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            before = self.value(ast.copy_location(ast.Name(node.target.id), node.target))
        else:
            before = self.value(node.target)
        after = computed(self.expressions, node, node.op, (before, self.value(node.value)))
        if isinstance(node.target, ast.Name) and is_container(before):
            # A list that is += is the same list.
            write(self, node.target, before, "", after)
        # An element that changes is the same one.
        self.assign(node.target, Unknown(after.history) if isinstance(after, Place) else after)

    def assign(self, target: ast.expr, value: Value) -> None:
        """Read the assignment of a value to a target."""
        if isinstance(target, ast.Name):
            self.bind(target.id, target, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part, item in zip(
                target.elts, self.expressions.unpacked(target, value), strict=True
            ):
                self.assign(part, item)
        elif isinstance(target, ast.Starred):
            # Whatever is taken apart, a starred target gets a list.
            self.assign(target.value, Group("list", value, history=value.history))
        elif isinstance(target, ast.Attribute):
            self._refuse_constant(target, value)
            self._refuse_lost_writes(target)
            write(self, target, self.expressions.place(target.value), target.attr, value)
        elif isinstance(target, ast.Subscript):
            index, owner = self.value(target.slice), self.expressions.place(target.value)
            value = marked(value, index.history)
            replaced = _refuse_two_names(self, target, owner, value)
            write(self, target, owner, "", value, index)
            if replaced:
                self.effects[-1] = replace(self.effects[-1], replaces=replaced)

    def _refuse_lost_writes(self, target: ast.Attribute) -> None:
        """Refuse to change, by its name, an element of a sequence that was replaced meanwhile."""
        part = ast.unparse(target)
        for name, reads in self.elements.items():
            if not any(ast.unparse(read.value) == part for read in reads):
                continue
            if where := is_changed_later(self.source.node, name, target, WRITING):
                self.find(
                    where,
                    f"{name} was an element of {part}, which is replaced before; change it before "
                    f"that, or write {part}[:] = ...",
                )

    def _refuse_constant(self, target: ast.Attribute, value: Value) -> None:
        """Refuse a constant that may change in place of a part of the state that is used again."""
        known = [one.value for one in options(value) if isinstance(one, Known)]
        changes = any(isinstance(one, (list, set, dict, Record)) for one in known)
        if changes and is_used_later(self.source.node, target):
            part = ast.unparse(target)
            self.find(
                target,
                f"{part} is assigned what outlives the call, and is used afterwards; assign a copy "
                "of it, by list(...), set(...) or copy.copy(...)",
            )

    def bind(self, name: str, node: ast.AST, value: Value) -> None:
        """Read a statement that gives a name to a value."""
        if name in self.global_names:
            self.find(node, f"{name} is a global that is written; {OWN_VARIABLES}")
        elif name in self.outer_names:
            outer = self.outer
            while outer is not None and name not in outer.assigned:
                outer = outer.outer
            if outer is None:
                self.find(node, f"{name} is written and outlives the call; {OWN_VARIABLES}")
            else:
                value = marked(value, self.depends)
                outer.variables[name] = joined(outer.variables.get(name), value) or value
        else:
            self.variables[name] = marked(value, self.depends)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                index = self.value(target.slice)
                write(self, target, self.expressions.place(target.value), "", index)
            elif isinstance(target, ast.Attribute):
                owner = self.expressions.place(target.value)
                write(self, target, owner, target.attr, NOTHING)
            elif isinstance(target, ast.Name) and target.id in self.global_names:
                self.find(target, f"{target.id} is a global that is deleted; {OWN_VARIABLES}")

    def _if(self, node: ast.If) -> None:
        depends = self.expressions.condition(node.test).history
        self._branches(
            [node], [lambda: self.block(node.body), lambda: self.block(node.orelse)], depends
        )

    def _branches(
        self, nodes: Sequence[ast.AST], ways: Sequence[Callable[[], None]], depends: bool
    ) -> None:
        """Read alternatives that all begin here, of which one is taken."""
        before, control = dict(self.variables), self.control
        self.control = control or depends
        ends: list[dict[str, Value]] = []
        for way in ways:
            self.variables, self.over = dict(before), False
            way()
            if not self.over:
                ends.append(self.variables)
        self.over = not ends
        self.variables = together(ends) if ends else before
        if depends:
            for name, value in self.variables.items():
                if before.get(name) != value:
                    self.variables[name] = marked(value)
        # What follows a jump that depends on history depends on it, too.
        self.control = control or (depends and any(map(jumps, nodes)))

    def _while(self, node: ast.While) -> None:
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def once() -> None:
            depends = self.expressions.condition(node.test).history
            self.control = self.control or depends
            self.block(node.body)

        self._loop(node, once, endless)
        self._otherwise(node.orelse)

    def _for(self, node: ast.For) -> None:
        values = self.value(node.iter)
        element = self.expressions.elements(values, node.iter)
        # An array has as many elements in every state.
        depends = values.history and not is_array(values)

        def once() -> None:
            self.control = self.control or depends
            self.assign(node.target, ANYTHING if element is None else element)
            self.block(node.body)

        self._loop(node, once, False)
        self._otherwise(node.orelse)

    _asyncfor = _for

    def _otherwise(self, statements: Sequence[ast.stmt]) -> None:
        if statements and not self.over:
            before = dict(self.variables)
            self.block(statements)
            self.variables = together([before, self.variables])

    def _loop(self, node: ast.AST, once: Callable[[], None], endless: bool) -> None:
        """Read the body of a loop until nothing that is known changes any more."""
        outer, self._jumps = self._jumps, []
        control = self.control
        for number in range(MOST_ROUNDS + 1):
            before, changes = dict(self.variables), Group.changes
            mark = len(self.objections), len(self.effects), len(self.answers)
            self._jumps = []
            once()
            ends = [before, *self._jumps] + ([] if self.over else [self.variables])
            self.variables, self.over = together(ends), False
            if self.variables == before and Group.changes == changes:
                break
            if number == MOST_ROUNDS - 1:
                for name, value in self.variables.items():
                    if before.get(name) != value:
                        self.variables[name] = forgotten(value)
            if number < MOST_ROUNDS:
                del self.objections[mark[0] :], self.effects[mark[1] :], self.answers[mark[2] :]
        self.over = endless and not self._breaks
        self._breaks = False
        # What follows a return that depends on history depends on it, too.
        self.control = control or (self.control and leaves(node))
        self._jumps = outer

    _breaks = False

    def _break(self, node: ast.Break) -> None:
        self._breaks = True
        self._jumps.append(self.variables)
        self.over = True

    def _continue(self, node: ast.Continue) -> None:
        self._jumps.append(self.variables)
        self.over = True

    def _try(self, node: ast.Try) -> None:
        before, touched = dict(self.variables), self.touched
        self.block(node.body)
        # Whether an exception ends it may depend on whatever was read in it.
        self.leaks = self.leaks or self.touched > touched
        if not self.over:
            self.block(node.orelse)
        ends = [] if self.over else [self.variables]
        anywhere = together([before, self.variables])
        for handler in node.handlers:
            self.variables, self.over = dict(anywhere), False
            caught = None if handler.type is None else self.value(handler.type)
            again = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
            if not again and (caught is None or catches_everything(caught)):
                self.find(handler, f"this handler {EVERYTHING}")
            if handler.name:
                self.bind(handler.name, handler, ANYTHING)
            self.block(handler.body)
            ends += [] if self.over else [self.variables]
        self.over = not ends
        self.variables = together(ends) if ends else anywhere
        if node.finalbody:
            inside = [one for last in node.finalbody for one in ast.walk(last)]
            if any(isinstance(one, (ast.Return, ast.Break, ast.Continue)) for one in inside):
                self.find(node.finalbody[0], f"a finally that jumps away {EVERYTHING}")
            over, self.over = self.over, False
            self.block(node.finalbody)
            self.over = self.over or over

    _trystar = _try

    def _with(self, node: ast.With) -> None:
        touched = self.touched
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, forgotten(value))
        self.block(node.body)
        # It may end by an exception that the context hides.
        self.leaks = self.leaks or self.touched > touched
        if self.over and self.leaks:
            self.over = False

    _asyncwith = _with

    def _match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        patterns = self.expressions.comparisons
        depends = [patterns.pattern(case.pattern, subject) for case in node.cases]

        def taken(case: ast.match_case) -> Callable[[], None]:
            def way() -> None:
                patterns.pattern(case.pattern, subject, quiet=True)
                if case.guard is not None:
                    self.expressions.condition(case.guard)
                self.block(case.body)

            return way

        ways = [taken(case) for case in node.cases]
        if not patterns.exhausts(node, subject):
            ways.append(lambda: None)
        self._branches([node], ways, subject.history or any(depends))

    def _functiondef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *(one for one in node.args.kw_defaults if one)):
            self.value(default)
        made: Value = Local(node, self)
        for decorator in reversed(node.decorator_list):
            made = self.expressions.calls.invoke(self.value(decorator), [made], {}, decorator)
        self.bind(node.name, node, made)

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef) -> None:
        self.find(node, f"the class {node.name} is made while the model runs; define it above")
        self.variables[node.name] = ANYTHING

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for name, value in imported(self, node):
            self.bind(name, node, value)

    _importfrom = _import
