"""``match``: by values, names, records, tuples and guards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...core.fields import Record as Declaration
from ..form import (
    Block,
    Certain,
    Constant,
    Element,
    Expression,
    Fail,
    If,
    IsNone,
    Item,
    Leave,
    Length,
    Local,
    Not,
    Statement,
    truth,
)
from ..types import BOOL, Nothing, Number, Optional, Record, Ref, Sequence, Tuple
from .access import element_type, part_of
from .displays import items_of
from .frame import Frame, Scope, met, number
from .meaning import refuse_never
from .operators import compared, truth_of


def match(frame: Frame, node: ast.Match) -> list[Statement]:
    """Lower ``match``: the first case that fits runs, and leaves the whole."""
    subject = frame.expression(node.subject)
    out: list[Statement] = []
    if not isinstance(subject, (Constant, Local)) and not isinstance(subject.type, Ref):
        bind, subject = frame.temporary(subject, node.subject, "subject")
        out.append(bind)
    label = frame.label()
    ends: list[Scope] = []
    body: list[Statement] = []
    for case in node.cases:
        frame.line = case.pattern.lineno
        test, binds = fits(frame, case.pattern, subject)
        if isinstance(test, Constant) and not test.value:
            continue
        before = frame.scope
        body += _case(frame, case, test, binds, label, ends)
        always = isinstance(test, Constant) and test.value and case.guard is None
        if always:
            frame.alive = False
            break
        frame.scope, frame.alive = before, True
    if frame.alive and _has_every_member(frame, node, subject):
        body.append(Fail(node.lineno))
        frame.alive = False
    if frame.alive:
        ends.append(frame.scope)
    frame.alive = bool(ends)
    if ends:
        frame.scope = met(ends)
    out.append(Block(node.lineno, label, tuple(body)))
    return out


def _has_every_member(frame: Frame, node: ast.Match, subject: Expression) -> bool:
    """Whether there is a case for each member of an enumeration, or for both truth values."""
    kind = subject.type
    if not isinstance(kind, Number) or kind.kind in (int, None):
        return False
    patterns = [case.pattern for case in node.cases if case.guard is None]
    matched = {value for pattern in patterns for value in _values(frame, pattern)}
    members: Any = (False, True) if kind.kind is bool else kind.kind
    return matched >= {int(one) for one in members}


def _values(frame: Frame, pattern: ast.pattern) -> Iterator[int]:
    """Yield the numbers that a pattern fits, as far as they are written."""
    if isinstance(pattern, ast.MatchOr):
        for part in pattern.patterns:
            yield from _values(frame, part)
    elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        yield from _values(frame, pattern.pattern)
    elif isinstance(pattern, ast.MatchSingleton) and pattern.value is not None:
        yield int(pattern.value)
    elif isinstance(pattern, ast.MatchValue):
        value = frame.expression(pattern.value)
        if isinstance(value, Constant) and isinstance(value.type, Number):
            yield int(value.value)


def _case(
    frame: Frame,
    case: ast.match_case,
    test: Expression,
    binds: list[tuple[str, Expression]],
    label: int,
    ends: list[Scope],
) -> list[Statement]:
    """Lower one case: if it fits, its names, its guard, its body, and the way out."""
    line = case.pattern.lineno
    inner: list[Statement] = [frame.bind(name, value, case.pattern) for name, value in binds]
    guard = truth_of(frame, case.guard) if case.guard is not None else truth(True)
    block = list(frame.block(case.body))
    if frame.alive:
        ends.append(frame.scope)
        block.append(Leave(line, label))
    if isinstance(guard, Constant):
        if not guard.value:
            return []
        inner += block
    else:
        inner.append(If(line, guard, tuple(block), ()))
    if isinstance(test, Constant):
        return inner
    return [If(line, test, tuple(inner), ())]


def fits(
    frame: Frame, pattern: ast.pattern, subject: Expression
) -> tuple[Expression, list[tuple[str, Expression]]]:
    """Return whether a pattern fits a value, and what its names have then."""
    rule = _PATTERNS.get(type(pattern))
    if rule is None:
        raise frame.refusal(
            pattern, f"the pattern {frame.text(pattern)} is not in the language of models"
        )
    result: tuple[Expression, list[tuple[str, Expression]]] = rule(frame, pattern, subject)
    return result


Fit = tuple[Expression, list[tuple[str, Expression]]]


def _value(frame: Frame, pattern: ast.MatchValue, subject: Expression) -> Fit:
    value = frame.expression(pattern.value)
    refuse_never(frame, ast.Eq(), (pattern, subject), (pattern.value, value), pattern)
    return compared(frame, ast.Eq(), subject, value, pattern), []


def _singleton(frame: Frame, pattern: ast.MatchSingleton, subject: Expression) -> Fit:
    value = frame.expression(ast.copy_location(ast.Constant(pattern.value), pattern))
    refuse_never(frame, ast.Is(), (pattern, subject), (pattern, value), pattern)
    return compared(frame, ast.Is(), subject, value, pattern), []


def _name(frame: Frame, pattern: ast.MatchAs, subject: Expression) -> Fit:
    test, binds = truth(True), list[tuple[str, Expression]]()
    if pattern.pattern is not None:
        inner, binds = fits(frame, pattern.pattern, subject)
        return inner, [*binds, (pattern.name or "_", subject)]
    return test, [(pattern.name, subject)] if pattern.name else []


def _either(frame: Frame, pattern: ast.MatchOr, subject: Expression) -> Fit:
    parts = [fits(frame, one, subject) for one in pattern.patterns]
    if any(binds for _, binds in parts):
        raise frame.refusal(
            pattern,
            f"{frame.text(pattern)}: a name in one of several patterns",
            "write a case for each",
        )
    return frame.any([test for test, _ in parts]), []


def _sequence(frame: Frame, pattern: ast.MatchSequence, subject: Expression) -> Fit:
    kind = subject.type
    if isinstance(kind, Optional):
        test, binds = _sequence(frame, pattern, Certain(kind.of, subject))
        return frame.all([Not(BOOL, IsNone(BOOL, subject)), test]), binds
    tests: list[Expression] = []
    if isinstance(kind, Tuple):
        if len(kind.items) != len(pattern.patterns):
            return truth(False), []
        items = _items(subject, kind)
    elif isinstance(kind, Sequence) or (isinstance(kind, Ref) and frame.schema.is_sequence(kind)):
        if len(pattern.patterns):
            element = element_type(frame, kind)
            items = [
                Element(element, subject, number(n), True) for n in range(len(pattern.patterns))
            ]
        else:
            items = []
        tests.append(frame.compared("eq", Length(Number(0), subject), number(len(items))))
    else:
        return truth(False), []
    return _parts(frame, pattern.patterns, items, tests)


def _items(subject: Expression, kind: Tuple) -> list[Any]:
    if isinstance(subject, (Local, Constant)):
        return items_of(subject, kind)
    return [Item(part, subject, n) for n, part in enumerate(kind.items)]


def _parts(
    frame: Frame, patterns: list[ast.pattern], items: list[Any], tests: list[Expression]
) -> Fit:
    binds: list[tuple[str, Expression]] = []
    for one, item in zip(patterns, items, strict=True):
        test, more = fits(frame, one, item)
        tests.append(test)
        binds += more
    return frame.all(tests), binds


def _class(frame: Frame, pattern: ast.MatchClass, subject: Expression) -> Fit:
    """Return whether a value is an instance of a class, with these parts."""
    declaration = frame.expression(pattern.cls)
    kind = subject.type
    if isinstance(kind, Optional):
        test, binds = _class(frame, pattern, Certain(kind.of, subject))
        return frame.all([Not(BOOL, IsNone(BOOL, subject)), test]), binds
    if isinstance(kind, Nothing):
        return truth(False), []
    if not isinstance(declaration, Constant) or not isinstance(declaration.value, type):
        raise frame.refusal(pattern, f"{frame.text(pattern)}: its class is not known")
    wanted = declaration.value
    if not issubclass(wanted, Declaration):
        if wanted in (int, bool) or issubclass(wanted, int):
            return _class_of_number(frame, pattern, subject, wanted)
        raise frame.refusal(
            pattern, f"{frame.text(pattern)}: a class of something else than a record"
        )
    own = kind.declaration if isinstance(kind, Record) else None
    if isinstance(kind, Ref):
        own = frame.schema.declaration(kind)
    if own is None or not issubclass(own, wanted):
        return truth(False), []
    names = list(pattern.kwd_attrs)
    if pattern.patterns:
        declared = getattr(wanted, "__match_args__", ())
        if len(declared) < len(pattern.patterns):
            raise frame.refusal(
                pattern,
                f"{frame.text(pattern)}: parts without names",
                f"write {wanted.__name__}(part=...)",
            )
        names = [*declared[: len(pattern.patterns)], *names]
    items = [part_of(frame, subject, name, pattern) for name in names]
    return _parts(frame, [*pattern.patterns, *pattern.kwd_patterns], items, [])


def _class_of_number(
    frame: Frame, pattern: ast.MatchClass, subject: Expression, wanted: type
) -> Fit:
    kind = subject.type
    if not isinstance(kind, Number) or kind.kind is None:
        if isinstance(kind, Number):
            raise frame.refusal(pattern, f"{frame.text(pattern)}: what it is depends on the way")
        return truth(False), []
    if not issubclass(kind.kind, wanted):
        return truth(False), []
    inner = [*pattern.patterns, *pattern.kwd_patterns]
    return _parts(frame, inner, [subject] * len(inner), [])


_PATTERNS: dict[type[ast.pattern], Any] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _name,
    ast.MatchOr: _either,
    ast.MatchSequence: _sequence,
    ast.MatchClass: _class,
}
