"""Reads comparisons and patterns: the compared values must mean what they say.

Reads what records and other objects outside of the state are made of.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter, methodcaller
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from ...core.fields import Record, declared_parts, kinds_of
from ...core.values import members_of
from .notes import ORDER
from .values import (
    TRUTH,
    Bound,
    Element,
    Group,
    Items,
    Known,
    Local,
    Object,
    Place,
    Text,
    Value,
    either,
    forgotten,
    is_array,
    is_number,
    is_text,
    is_unordered,
    kind_of,
    marked,
    options,
)

if TYPE_CHECKING:
    from .body import Body
    from .expressions import Expressions


class Comparisons:
    """Reads the comparisons of one function."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions, self.body = expressions, expressions.body

    def compare(self, node: ast.Compare) -> Value:
        """Read a comparison."""
        operands = [node.left, *node.comparators]
        values = [self.expressions.value(operand) for operand in operands]
        for at, operator in enumerate(node.ops):
            self._compared(
                node, operator, (operands[at], values[at]), (operands[at + 1], values[at + 1])
            )
        return marked(TRUTH, any(value.history for value in values))

    def _compared(
        self,
        node: ast.AST,
        operator: ast.cmpop,
        left: tuple[ast.expr, Value],
        right: tuple[ast.expr, Value],
    ) -> None:
        """Refuse comparisons whose answer is not what their reader expects."""
        identity = isinstance(operator, (ast.Is, ast.IsNot))
        membership = isinstance(operator, (ast.In, ast.NotIn))
        if membership:
            self._refuse_members(node, left, right[1])
        elif identity or isinstance(operator, (ast.Eq, ast.NotEq)):
            missing = self._may_be_missing(left, right)
            for (text, value), (_, other) in ((left, right), (right, left)):
                if not missing:
                    self._refuse(node, ast.unparse(text), value, other, identity)
        if not identity and not membership:
            for text, value in (left, right):
                if is_unordered(value) and not is_set(value):
                    self.body.find(text, f"{shortened(text)}: {ORDER}")

    def _may_be_missing(self, left: tuple[ast.expr, Value], right: tuple[ast.expr, Value]) -> bool:
        """Whether a comparison with None is about an argument that a call may leave out.

        An optional number of the state is an attribute of something, and never None.
        """
        arguments = self.body.source.node.args
        defaults = zip(reversed(arguments.args), reversed(arguments.defaults), strict=False)
        optional = {
            argument.arg for argument, default in defaults if ast.unparse(default) == "None"
        }
        nodes = left[0], right[0]
        if all(isinstance(node, ast.Name) for node in nodes):
            return is_nothing(left[1]) or is_nothing(right[1])
        return any(isinstance(node, ast.Name) and node.id in optional for node in nodes)

    def _refuse_members(self, node: ast.AST, left: tuple[ast.expr, Value], among: Value) -> None:
        """Refuse the question whether a number is among what it can never be, or the reverse."""
        members, text = self.members(among), ast.unparse(left[0])
        if wrong := next(filter(None, (mismatch(left[1], member) for member in members)), ""):
            self.body.find(node, f"{text} {wrong}")
            return
        # Of what it is a member at times, it need not be one of all kinds.
        wrongs = [mismatch(member, left[1]) for member in members]
        if any(wrongs) and (all(wrongs) or is_nothing(left[1])):
            self.body.find(node, f"a member {next(filter(None, wrongs))}")

    def members(self, value: Value) -> Sequence[Value]:
        """Return what may be in a collection, one alternative after the other."""
        if isinstance(value, Known) and isinstance(value.value, (tuple, list, set, frozenset)):
            return [Known(part) for part in list(value.value)[:MOST_MEMBERS]]
        if isinstance(value, Items):
            return value.items
        if not isinstance(value, (Group, Place, Element)):
            return ()
        element = self.expressions.elements(value, _NODE, ordered=False)
        return () if element is None else options(element)

    def refuse(self, node: ast.AST, left: Value, right: Value, identity: bool) -> None:
        """Refuse what a function compares, as if an operator did."""
        for value, other in ((left, right), (right, left)):
            self._refuse(node, shortened(node), value, other, identity)

    def refuse_member(self, node: ast.AST, member: Value, among: Value) -> None:
        """Refuse a call that looks for what can never be there."""
        for one in self.members(among):
            if wrong := mismatch(one, member) or mismatch(member, one):
                self.body.find(node, f"{shortened(node)}: a member {wrong}")
                return

    def _refuse(self, node: ast.AST, text: str, value: Value, other: Value, identity: bool) -> None:
        """Refuse a number that is compared with what it never is, or by ``is``."""
        if isinstance(value, Items) and isinstance(other, Items):
            for part, against in zip(value.items, other.items, strict=False):
                self._refuse(node, f"a part of {text}", part, against, False)
            return
        if isinstance(value, (Place, Element)) and isinstance(other, (Items, Group, Known)):
            inside = self.members(value)
            for part, against in ((p, a) for p in inside for a in self.members(other)):
                self._refuse(node, f"an element of {text}", part, against, False)
            return
        if wrong := mismatch(value, other):
            self.body.find(node, f"{text} {wrong}")
        elif identity and _is_anonymous(value):
            self.body.find(
                node,
                f"`is` asks whether {text} is the same object, which differs from one run of "
                "Python to the next; write ==",
            )
        elif identity and is_number(value) and not isinstance(value, Known):
            kind, same = kind_of(value), kind_of(other)
            if kind in (None, int) or (same is not None and same is not kind):
                what = "a number" if kind is None or kind is int else f"a {kind.__name__}"
                self.body.find(node, f"{text} is {what}, which `is` compares by object; write ==")

    def exhausts(self, node: ast.Match, subject: Value) -> bool:
        """Whether one of the cases of a match statement is surely taken."""
        matched: set[object] = set()
        for case in node.cases:
            if case.guard is None:
                if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None:
                    return True
                matched |= self._values(case.pattern)
        if isinstance(subject, Group) and subject.kind in ("list", "tuple"):
            return _covers_every_length([c.pattern for c in node.cases if c.guard is None])
        kind = kind_of(subject)
        if kind is bool:
            return matched >= {False, True}
        return kind not in (None, int) and matched >= set(cast(Any, kind))

    def _values(self, pattern: ast.pattern) -> set[object]:
        """Return the values that a pattern matches, as far as they are written."""
        if isinstance(pattern, ast.MatchOr):
            return {value for part in pattern.patterns for value in self._values(part)}
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
            return self._values(pattern.pattern)
        if isinstance(pattern, ast.MatchSingleton):
            return {pattern.value}
        if isinstance(pattern, ast.MatchValue):
            value = self.expressions.value(pattern.value)
            if isinstance(value, Known) and type(value.value).__hash__ is not None:
                return {value.value}
        return set()

    def pattern(self, node: ast.pattern, subject: Value, quiet: bool = False) -> bool:
        """Read a pattern, and assign the names that it captures.

        Returns
        -------
        bool
            Whether what it compares depends on history.
        """
        depends = False
        if isinstance(node, ast.MatchSingleton) and not quiet:
            self._refuse(node, "the subject of match", subject, Known(node.value), True)
        elif isinstance(node, ast.MatchValue):
            value = self.expressions.value(node.value)
            if not quiet:
                self._refuse(node, "the subject of match", subject, value, False)
        elif isinstance(node, ast.MatchClass):
            kind = self.expressions.value(node.cls)
            if not quiet and (wrong := mismatch(subject, kind)):
                self.body.find(node.cls, f"the subject of match {wrong}")
        elif isinstance(node, ast.MatchSequence) and is_unordered(subject) and not quiet:
            self.body.find(node, f"the subject of match: {ORDER}")
        elif isinstance(node, (ast.MatchSequence, ast.MatchMapping)) and not (
            quiet or is_array(subject) or not isinstance(subject, (Place, Element))
        ):
            text = "is a part of the state, which no pattern takes apart; match list(...)"
            self.body.find(node, f"the subject of match {text}")
        for inner, part in self._inside(node, subject):
            depends = part.history or self.pattern(inner, part, quiet) or depends
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            captured = subject if isinstance(node, ast.MatchAs) else forgotten(subject)
            self.body.bind(name, node, captured)
        return depends

    def _inside(self, node: ast.pattern, subject: Value) -> Iterator[tuple[ast.pattern, Value]]:
        """Yield the patterns in a pattern, with what each is compared with."""
        if isinstance(node, (ast.MatchOr, ast.MatchAs)):
            parts = node.patterns if isinstance(node, ast.MatchOr) else [node.pattern]
            yield from ((part, subject) for part in parts if part is not None)
        elif isinstance(node, ast.MatchClass):
            for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
                yield part, self.expressions.attribute(node.cls, subject, name)
            yield from ((part, forgotten(subject)) for part in node.patterns)
        elif isinstance(node, ast.MatchSequence) and isinstance(subject, Items):
            fits = len(node.patterns) == len(subject.items)
            items = subject.items if fits else [forgotten(subject)] * len(node.patterns)
            yield from zip(node.patterns, items, strict=True)
        else:
            inner = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.pattern))
            yield from ((part, forgotten(subject)) for part in inner)


MOST_MEMBERS = 100
"""The most members of a collection of the module that a number is compared with."""

_NODE = ast.Constant(0)


def mismatch(value: Value, other: Value) -> str:
    """Say that a number is never what it is compared with; empty if it may be, or is not one."""
    if isinstance(other, Known) and other.value is type(None) and _is_kind_of_number(value):
        return "is a number, never None; an empty optional is NONE: write == NONE"
    if not is_number(value) or isinstance(value, Known):
        return ""
    if is_nothing(other):
        return "is a number, never None; an empty optional is NONE: write == NONE"
    if is_text(other):
        return "is a number, never a text; write the number, or the member of an enumeration"
    known = other.value if isinstance(other, Known) else None
    if isinstance(other, (Items, Group)) or isinstance(known, (tuple, list, set, frozenset, dict)):
        return "is a number, never a collection"
    return ""


def _is_kind_of_number(value: Value) -> bool:
    """Whether a value is a number, or the class of one."""
    known = value.value if isinstance(value, Known) else None
    return is_number(value) or (isinstance(known, type) and issubclass(known, int))


def _is_anonymous(value: Value) -> bool:
    """Whether a value is surely a text, a tuple or a fraction, which Python makes as it likes."""
    if isinstance(value, Known):
        return type(value.value) in (str, bytes, float, complex, tuple)
    return isinstance(value, (Text, Items)) or (isinstance(value, Object) and value.kind is float)


def always_true(value: Value) -> str:
    """Say what a value is whose truth nobody means to ask; empty for others."""
    known = value.value if isinstance(value, Known) else None
    if isinstance(value, (Local, Bound)) or isinstance(known, (FunctionType, type)):
        return "a function that is not called"
    if isinstance(value, Items) and value.items:
        return "a tuple"
    return ""


def is_nothing(value: Value) -> bool:
    """Whether a value is surely None."""
    return isinstance(value, Known) and value.value is None


def is_set(value: Value) -> bool:
    """Whether a value is a set or a dictionary, which compare without an order."""
    return all(
        (isinstance(one, Group) and one.kind in ("set", "dict"))
        or (isinstance(one, Known) and isinstance(one.value, (set, frozenset)))
        for one in options(value)
    )


def shortened(node: ast.AST) -> str:
    """Return a part of the code as it is written, in one line."""
    text = ast.unparse(node).split("\n")[0]
    return text if len(text) <= 60 else f"{text[:57]}..."


def decided(conjunction: bool) -> Callable[[Value], Value]:
    """Return what an operand of ``and`` or ``or`` may be if it is the result."""

    def result(value: Value) -> Value:
        kept = [one for one in options(value) if not (is_nothing(one) and not conjunction)]
        return either(kept) or value

    return result


def _covers_every_length(patterns: Iterable[ast.pattern]) -> bool:
    """Whether patterns match a list whatever its length, by those that take any elements."""
    exact: set[int] = set()
    least: list[int] = []
    for pattern in patterns:
        if isinstance(pattern, ast.MatchSequence) and all(map(_takes_all, pattern.patterns)):
            starred = any(isinstance(part, ast.MatchStar) for part in pattern.patterns)
            if starred:
                least.append(len(pattern.patterns) - 1)
            else:
                exact.add(len(pattern.patterns))
    return bool(least) and exact >= set(range(min(least)))


def _takes_all(pattern: ast.pattern) -> bool:
    capture = isinstance(pattern, ast.MatchAs) and pattern.pattern is None
    return capture or isinstance(pattern, ast.MatchStar)


MADE_OF_CONSTANTS: tuple[Any, ...] = (partial, attrgetter, itemgetter, methodcaller)
"""Classes of which an object is made as the model does, where all that it is made of is known."""


def of_constants(kind: Any, arguments: Sequence[Value], named: Mapping[str, Value]) -> Known | None:
    """Return an object that is made of known values; None if one is not known, or it fails."""
    known = [value.value for value in arguments if isinstance(value, Known)]
    by_name = {name: value.value for name, value in named.items() if isinstance(value, Known)}
    if len(known) + len(by_name) != len(arguments) + len(named):
        return None
    try:
        return Known(kind(*known, **by_name))
    except TypeError:
        return None


def refuse_parts(body: Body, kind: type[Record], named: Mapping[str, Value], node: ast.AST) -> None:
    """Refuse a constant that no member of an enumeration has, and neither truth value."""
    for name, reads_as in kinds_of(declared_parts(kind)).items():
        value = named.get(name)
        if isinstance(value, Known) and value.value not in members_of(reads_as):
            text = f"{shortened(node)}: {name} is a {reads_as.__name__}, never {value.value!r}"
            body.find(node, text)
