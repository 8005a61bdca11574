"""What some parts of the state have an influence on: the lines of a function that depend on them.

A write or an answer depends on such a part if its value does, or if it is reached on one way only
and a condition that does says which.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from ..form import (
    After,
    All,
    AnyOf,
    Bind,
    Call,
    Change,
    Choose,
    Comprehension,
    Element,
    Expression,
    Fail,
    For,
    Function,
    Given,
    If,
    Item,
    Leave,
    Local,
    Lookup,
    Part,
    Quantify,
    Return,
    Slice,
    Statement,
    Store,
    While,
)
from ..types import Ref
from .effects import children
from .owners import root_of


@dataclass(frozen=True)
class Write:
    """A write to the state, or an answer.

    Parameters
    ----------
    file, line
        Where it is.
    inside
        Whether it writes to one of the parts themselves.
    depends
        Whether it depends on them.
    """

    file: str
    line: int
    inside: bool
    depends: bool
    is_answer: bool = False


@dataclass(frozen=True)
class Influences:
    """What a function does.

    Parameters
    ----------
    result
        Whether its answer depends on the parts.
    changed
        The parameters whose values do after it.
    """

    result: bool
    changed: frozenset[str]
    writes: tuple[Write, ...]


class Influence:
    """Follows the influence of some variables of the state.

    Parameters
    ----------
    names
        The variables.
    is_named
        Whether the lines of a file are named; else it is the line that calls a function of it.
    """

    def __init__(self, names: Collection[str], is_named: Callable[[str], bool]) -> None:
        self.names, self.is_named = frozenset(names), is_named
        self._known: dict[tuple[int, frozenset[str], bool], Influences] = {}

    def of(
        self, function: Function, depending: Iterable[str] = (), control: bool = False
    ) -> Influences:
        """Return what a function does.

        Parameters
        ----------
        depending
            The parameters whose values depend on the variables.
        control
            Whether it depends on them that the function is called.
        """
        key = id(function), frozenset(depending), control
        if key not in self._known:
            self._known[key] = _Way(self, function, key[1], control).read()
        return self._known[key]

    def is_inside(self, place: Expression) -> bool:
        """Whether a path leads to one of the variables, or into one."""
        while isinstance(place, (Part, Element, Item, Lookup, Slice)):
            if isinstance(place, Part) and place.name in self.names:
                return True
            if self._names(place):
                return True
            place = place.of
        return self._names(place)

    def _names(self, place: Expression) -> bool:
        kind = place.type
        if not isinstance(kind, Ref):
            return False
        return any(part.partition("[")[0] in self.names for part in kind.form.split("."))


class _Way:
    """The way through one function, and which of its slots depend on the variables so far."""

    def __init__(
        self, influence: Influence, function: Function, depending: frozenset[str], control: bool
    ) -> None:
        self.influence, self.function = influence, function
        self.depending, self.control = set(depending), control
        self.result = False
        self.writes: dict[Write, None] = {}
        self.line = function.line

    def read(self) -> Influences:
        """Follow the function, until nothing more depends on the variables."""
        start, before = self.control, -1
        while before != len(self.depending):
            before = len(self.depending)
            self.control, self.writes = start, {}
            self.block(self.function.body)
        changed = frozenset(self.function.changes & self.depending)
        return Influences(self.result, changed, tuple(self.writes))

    def block(self, statements: Iterable[Statement]) -> None:
        for one in statements:
            self.line = one.line
            self.statement(one)

    def statement(self, node: Statement) -> None:
        if isinstance(node, If):
            self.under(self.value(node.test), node.body, node.orelse)
        elif isinstance(node, While):
            self.under(self.value(node.test), node.body)
            self.under(self.value(node.test), node.body)
        elif isinstance(node, For):
            depends = self.value(node.over)
            if depends:
                self.depending.add(node.slot)
            self.under(depends, node.body)
        elif isinstance(node, Bind):
            if self.value(node.value) or self.control:
                self.depending.add(node.name)
        elif isinstance(node, Store):
            self.write(node.target, self.value(node.value) | self.within(node.target))
        elif isinstance(node, Return):
            depends = self.value(node.value) or self.control
            self.result |= depends
            self.note(Write(self.function.file, node.line, False, depends, True))
        else:
            for part in children(node):
                if isinstance(part, Statement):
                    self.line = part.line
                    self.statement(part)
                else:
                    self.value(part)

    def under(self, depends: bool, *blocks: Iterable[Statement]) -> None:
        """Follow blocks of which a condition says whether they run; one may leave for good."""
        before = self.control
        for block in blocks:
            self.control = before or depends
            self.block(block)
        leaves = depends and any(_leaves(one) for block in blocks for one in block)
        self.control = before or leaves

    def note(self, write: Write) -> None:
        self.writes[write] = None

    def write(self, target: Expression, depends: bool) -> None:
        """Note a write to a place of the state, or to what a name has."""
        root = root_of(target)
        depends = depends or self.control
        if root is None:
            inside = self.influence.is_inside(target)
            self.note(Write(self.function.file, self.line, inside, depends))
        elif depends:
            self.depending.add(root)

    def within(self, target: Expression) -> bool:
        """Return whether the indices in a path depend on the variables."""
        depends = False
        while isinstance(target, (Part, Element, Item, Lookup, Slice)):
            indices = [one for one in children(target) if one is not target.of]
            depends |= self.any(indices)
            target = target.of
        return depends

    def value(self, node: Expression) -> bool:
        """Follow an expression, and return whether its value depends on the variables."""
        if isinstance(node, Local):
            return node.name in self.depending or self.influence.is_inside(node)
        if isinstance(node, Call):
            return self.call(node)
        if isinstance(node, Change):
            depends = self.any(node.arguments)
            self.write(node.of, depends | self.within(node.of))
            return depends | self.value(node.of)
        if isinstance(node, After):
            self.block(node.body)
            return self.value(node.value)
        if isinstance(node, (All, AnyOf, Choose)):
            return self.in_turn(children(node))
        if isinstance(node, Quantify):
            return self.value(node.of)
        if isinstance(node, Comprehension):
            return self.comprehension(node)
        if isinstance(node, Given):
            return self.any(node.captured) or self.influence.of(node.function).result
        return self.any(children(node)) or self.influence.is_inside(node)

    def any(self, parts: Iterable[Expression | Statement]) -> bool:
        """Follow all of some expressions, and return whether any of them depends."""
        return True in [self.value(one) for one in parts if isinstance(one, Expression)]

    def in_turn(self, parts: Iterable[Expression | Statement]) -> bool:
        """Follow operands of which the earlier ones say whether the later ones are evaluated."""
        before, depends = self.control, False
        for one in parts:
            self.control = before or depends
            depends |= isinstance(one, Expression) and self.value(one)
        self.control = before
        return depends

    def comprehension(self, node: Comprehension) -> bool:
        depends = False
        for clause in node.clauses:
            over = self.value(clause.over)
            if over:
                self.depending.add(clause.slot)
            self.block(clause.body)
            depends |= over | self.any(clause.conditions)
        return depends | self.value(node.result)

    def call(self, node: Call) -> bool:
        called = node.function
        depending = [
            name
            for name, one in zip(called.parameters, node.arguments, strict=True)
            if self.value(one)
        ]
        inner = self.influence.of(called, depending, self.control)
        for write in inner.writes:
            if not write.is_answer and self.influence.is_named(called.file):
                self.note(write)
            elif not write.is_answer:
                self.note(replace(write, file=self.function.file, line=self.line))
        for name, where in node.back:
            root = root_of(where)
            if name in inner.changed and root is not None:
                self.depending.add(root)
        return inner.result


def _leaves(node: Expression | Statement) -> bool:
    """Whether a part of a function may leave what is around it."""
    fails = isinstance(node, Fail) and not node.verdict
    return fails or isinstance(node, (Return, Leave)) or any(map(_leaves, children(node)))
